/* report.c - statistics of a process and the byte ranges it wrote, as text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/record.h"

#define FIRST_ROOM 65536
#define LINE       256 /* of numbers and names */

/* clang-format off */
static const struct lbio_column columns[] = {
    { "writes",          "",  offsetof(struct lbio_counts, writes),          0 },
    { "bytes",           "B", offsetof(struct lbio_counts, bytes),           0 },
    { "replayed_writes", "",  offsetof(struct lbio_counts, replayed_writes), 0 },
    { "replayed_bytes",  "B", offsetof(struct lbio_counts, replayed_bytes),  0 },
    { "reads_logged",    "",  offsetof(struct lbio_counts, reads_logged),    0 },
    { "reads_remote",    "",  offsetof(struct lbio_counts, reads_remote),    0 },
    { "waits",           "",  offsetof(struct lbio_counts, waits),           0 },
    { "direct_files",    "",  offsetof(struct lbio_counts, direct_files),    0 },
    { "errors",          "",  offsetof(struct lbio_counts, errors),          0 },
    { "log_high",        "B", offsetof(struct lbio_counts, log_high),        0 },
    { "visible",         "s", offsetof(struct lbio_counts, visible_seconds), 1 },
    { "replay",          "s", offsetof(struct lbio_counts, replay_seconds),  1 },
    { "wait",            "s", offsetof(struct lbio_counts, wait_seconds),    1 },
    { "token",           "s", offsetof(struct lbio_counts, token_seconds),   1 },
    { "drain",           "s", offsetof(struct lbio_counts, drain_seconds),   1 },
};
/* clang-format on */

const struct lbio_column *lbio__report_columns(size_t *n)
{
    *n = sizeof columns / sizeof columns[0];
    return columns;
}

static int has_room(struct lbio_report *r, size_t n)
{
    char *more;
    size_t room = r->room > 0 ? r->room : FIRST_ROOM;

    while (room - r->size < n)
        room *= 2;
    if (room == r->room)
        return 1;
    more = (int64_t)room <= LBIO_REPORT_MAX ? dsn__pages_grow(r->text, room) : NULL;
    if (!more) {
        r->is_partial = 1;
        return 0;
    }
    r->text = more;
    r->room = room;
    return 1;
}

__attribute__((format(printf, 2, 3))) static void append_line(struct lbio_report *r, const char *format, ...)
{
    va_list args;
    int n;

    if (r->is_partial || !has_room(r, LINE + LBIO_PATH_MAX))
        return;
    va_start(args, format);
    n = vsnprintf(r->text + r->size, LINE + LBIO_PATH_MAX, format, args);
    va_end(args);
    if (n > 0 && n < LINE + LBIO_PATH_MAX)
        r->size += (size_t)n;
}

void lbio__report_spell(struct lbio_report *r, const char *path, const struct lbio_tree *t, int64_t begun,
                        int64_t ended)
{
    struct lbio_extent e;

    for (const char *at = path; *at; at++)
        if ((unsigned char)*at < 32)
            return;
    append_line(r, "spell %lld %lld %s\n", (long long)begun, (long long)ended, path);
    for (int64_t at = 0; !r->is_partial && lbio__tree_lookup(t, at, INT64_MAX - at, &e, 1) == 1; at = e.off + e.len)
        append_line(r, "bytes %lld %lld\n", (long long)e.off, (long long)e.len);
}

static void add_process(struct lbio_report *r, int rank, const struct lbio_counts *counts)
{
    struct utsname u;

    if (uname(&u) != 0)
        dsn__format(u.nodename, sizeof u.nodename, "localhost");
    append_line(r, "process %s %d %d", u.nodename, (int)dsn__sys_getpid(), rank);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *at = (const char *)counts + columns[i].at;
        double seconds;
        uint64_t n;

        memcpy(&seconds, at, sizeof seconds);
        memcpy(&n, at, sizeof n);
        if (columns[i].is_seconds)
            append_line(r, " %s=%.6f", columns[i].name, seconds);
        else
            append_line(r, " %s=%llu", columns[i].name, (unsigned long long)n);
    }
    append_line(r, "\n");
}

/* Under a lock, because processes of many nodes may end at once. */
static int append(const char *path, const struct lbio_report *head, const struct lbio_report *body)
{
    const int fd = lbio__open_shared(path, O_WRONLY | O_CREAT, 1);
    struct stat st;
    int ret;

    if (fd < 0)
        return -1;
    ret = lbio__lock_shared(fd);
    if (ret == 0)
        ret = dsn__sys_fstat(fd, &st);
    if (ret == 0)
        ret = lbio__write_all(&lbio__target_calls, fd, head->text, head->size, st.st_size);
    if (ret == 0 && body->size > 0)
        ret = lbio__write_all(&lbio__target_calls, fd, body->text, body->size, st.st_size + (off_t)head->size);
    dsn__sys_close(fd);
    return ret;
}

int lbio__report_write(struct lbio_report *r, const char *path, int rank, const struct lbio_counts *counts)
{
    struct lbio_report head = { 0 };
    int ret;

    add_process(&head, rank, counts);
    if (r->is_partial)
        append_line(&head, "cut\n");
    ret = head.text ? append(path, &head, r) : -1;
    dsn__pages_free(head.text);
    dsn__pages_free(r->text);
    memset(r, 0, sizeof *r);
    return ret;
}
