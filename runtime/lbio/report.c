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
#include "lbio/closing.h"
#include "lbio/record.h"

#define FIRST_ROOM 65536
#define LINE       256 /* of numbers and names */

/* clang-format off */
#define COUNT(name, unit, from, figure)   { name, unit, figure, offsetof(struct lbio_counts, from), LBIO_SUM }
#define LEVEL(name, unit, from, figure)   { name, unit, figure, offsetof(struct lbio_counts, from), LBIO_LEVEL }
#define SECONDS(name, from, figure)       { name, "s", figure, offsetof(struct lbio_counts, from), LBIO_SECONDS }
#define USED(name, from, kind, figure)    { name, NULL, figure, offsetof(struct lbio_counts, from), kind }
static const struct lbio_column columns[] = {
    COUNT("files",            "",  files,            "LBIO_FILES"),
    COUNT("writes",           "",  writes,           "LBIO_WRITES"),
    COUNT("bytes",            "B", bytes,            "LBIO_BYTES"),
    COUNT("replayed_writes",  "",  replayed_writes,  "LBIO_REPLAYED_WRITES"),
    COUNT("replayed_bytes",   "B", replayed_bytes,   "LBIO_REPLAYED_BYTES"),
    COUNT("reads_logged",     "",  reads_logged,     "LBIO_LOGGED_READS"),
    COUNT("reads_remote",     "",  reads_remote,     "LBIO_FILE_READS"),
    COUNT("waits",            "",  waits,            "LBIO_WAITS"),
    COUNT("opens_saved",      "",  opens_saved,      "LBIO_OPENS_SAVED"),
    COUNT("tokens",           "",  tokens,           "LBIO_TOKENS"),
    COUNT("without_token",    "",  without_token,    NULL),
    COUNT("direct_files",     "",  direct_files,     "LBIO_DIRECT_FILES"),
    COUNT("errors",           "",  errors,           "LBIO_ERRORS"),
    LEVEL("incomplete_files", "",  incomplete_files, "LBIO_INCOMPLETE_FILES"),
    LEVEL("log_high",         "B", log_high,         "LBIO_LOG_HIGH"),
    SECONDS("write",               write_seconds,    "LBIO_F_WRITE_TIME"),
    SECONDS("visible",             visible_seconds,  "LBIO_F_VISIBLE_TIME"),
    SECONDS("wait",                wait_seconds,     "LBIO_F_FULL_TIME"),
    SECONDS("drain",               drain_seconds,    "LBIO_F_DRAIN_TIME"),
    SECONDS("replay",              replay_seconds,   "LBIO_F_REPLAY_TIME"),
    SECONDS("token",               token_seconds,    "LBIO_F_TOKEN_TIME"),
    USED("write_squares",          write_squares, LBIO_SECONDS, "LBIO_F_WRITE_SQUARES"),
    USED("longest_write",          longest_write, LBIO_LONGEST, "LBIO_F_LONGEST_WRITE"),
};
/* clang-format on */

const struct lbio_column *lbio__report_columns(size_t *n)
{
    *n = sizeof columns / sizeof columns[0];
    return columns;
}

static int is_double(const struct lbio_column *column)
{
    return column->kind == LBIO_SECONDS || column->kind == LBIO_LONGEST;
}

static void load(const struct lbio_counts *counts, const struct lbio_column *column, uint64_t *n, double *seconds)
{
    const char *at = (const char *)counts + column->at;

    *n = 0;
    *seconds = 0;
    if (is_double(column))
        memcpy(seconds, at, sizeof *seconds);
    else
        memcpy(n, at, sizeof *n);
}

void lbio__counts_since(const struct lbio_counts *now, const struct lbio_counts *before, struct lbio_counts *out)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        char *at = (char *)out + columns[i].at;
        double seconds, seconds_before;
        uint64_t n, n_before;

        load(now, &columns[i], &n, &seconds);
        load(before, &columns[i], &n_before, &seconds_before);
        if (columns[i].kind == LBIO_SUM)
            n -= n_before;
        if (columns[i].kind == LBIO_SECONDS)
            seconds -= seconds_before;
        if (is_double(&columns[i]))
            memcpy(at, &seconds, sizeof seconds);
        else
            memcpy(at, &n, sizeof n);
    }
    for (int i = 0; i < LBIO_REASONS; i++)
        out->direct[i] = now->direct[i] - before->direct[i];
}

void lbio__counts_give(const struct lbio_counts *counts, dsn_figure *take, void *context)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        double seconds;
        uint64_t n;

        if (!columns[i].figure)
            continue;
        load(counts, &columns[i], &n, &seconds);
        take(context, columns[i].figure, (int64_t)n, seconds);
    }
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
        double seconds;
        uint64_t n;

        load(counts, &columns[i], &n, &seconds);
        if (is_double(&columns[i]))
            append_line(r, columns[i].unit ? " %s=%.6f" : " %s=%.9g", columns[i].name, seconds);
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

void lbio__closing_append(const char *path, const struct lbio_counts *counts)
{
    const struct lbio_figures f = { sizeof f, *counts };
    const int fd = lbio__open_shared(path, O_WRONLY | O_APPEND, 1);

    if (fd < 0)
        return;
    dsn__syscall(SYS_write, fd, &f, sizeof f); /* at once, or it does not count */
    dsn__sys_close(fd);
}
