/* reader.c - child processes that sample users' processes, each with the rights of its user
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/places.h"
#include "survive/identity.h"

#define MOST_READERS 256
/* Samples between restarts: a user may stop the reader, and must not delay the others each time. */
#define REST        10
#define MOST_NAMES  100000
#define MOST_FILES  10000                     /* per user, the busiest */
#define MOST_ANSWER ((size_t)32 << 20)        /* bytes */
#define PATIENCE    (INT64_C(5) * 1000000000) /* ns for all answers together */

/* ------------------------------------------------------------------ the process of the user */

struct errand {
    struct dsn_top_watch watch;
};

/* Takes a sample for each byte received, until the pipe is closed. */
static int look_when_asked(void *context)
{
    struct dsn_top_watch *watch = &((struct errand *)context)->watch;
    struct dsn_top_report report = { .host = "" };
    char asked;

    dsn__top_watch_start();
    while (read(STDIN_FILENO, &asked, 1) == 1) {
        struct dsn_top_rows *files = &report.rows[DSN_TOP_FILES];

        dsn__top_report_clear(&report);
        if (!dsn__top_watch_look(watch) || !dsn__top_report_watch(&report, watch))
            return 1;
        files->n = files->n < MOST_FILES ? files->n : MOST_FILES;
        if (!dsn__top_write_json(stdout, &report))
            return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------ who is asked */

/* Whether the user has any survival files. Reads only names, and not more than there can be at work. */
static bool has_files(const char *base, uid_t uid)
{
    char path[PATH_MAX];
    struct dirent *e;
    DIR *d;
    int dir, found = 0;

    snprintf(path, sizeof path, "%s/darshan-%u", base, (unsigned)uid);
    dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    d = dir >= 0 ? fdopendir(dir) : NULL;
    for (int i = 0; d && !found && i < MOST_NAMES && (e = readdir(d)); i++)
        found = dsn__is_survival_file(e->d_name);
    if (d)
        closedir(d);
    else if (dir >= 0)
        close(dir);
    return found;
}

static struct dsn_top_reader *find(const struct dsn_top_readers *rs, uid_t uid)
{
    for (size_t i = 0; i < rs->n; i++)
        if (rs->reader[i]->uid == uid)
            return rs->reader[i];
    return NULL;
}

static void free_reader(struct dsn_top_reader *reader)
{
    if (reader->process.pid > 0)
        dsn__user_process_end(&reader->process);
    free(reader->bytes);
    free(reader);
}

static struct dsn_top_reader *add_reader(struct dsn_top_readers *rs, uid_t uid)
{
    struct dsn_top_reader *reader;

    if (rs->n == rs->room) {
        const size_t room = rs->room ? 2 * rs->room : 16;
        struct dsn_top_reader **grown = realloc(rs->reader, room * sizeof *grown);

        if (!grown)
            return NULL;
        rs->reader = grown;
        rs->room = room;
    }
    reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->uid = uid;
    dsn__top_user_name(uid, reader->user);
    return rs->reader[rs->n++] = reader;
}

/* Everything a user does who was not there at the last sample is new. */
static int start_reader(struct dsn_top_readers *rs, struct dsn_top_reader *reader)
{
    struct errand errand = { .watch = { .uid = reader->uid,
                                        .job = rs->like->job,
                                        .pid = rs->like->pid,
                                        .looks = rs->like->looks,
                                        .at = rs->like->at } };

    dsn__command_bases(errand.watch.base);
    return dsn__user_process_begin(&reader->process, reader->uid, look_when_asked, &errand);
}

static bool meet_user(void *context, const char *base, uid_t uid)
{
    struct dsn_top_readers *rs = context;
    struct dsn_top_reader *reader = find(rs, uid);

    if (uid == 0 || (!rs->all && uid != rs->uid) || !has_files(base, uid))
        return true;
    if (!reader && rs->n >= MOST_READERS) {
        rs->refused++;
        return true;
    }
    if (!reader && !(reader = add_reader(rs, uid)))
        return false;
    reader->has_files = 1;
    if (reader->process.pid <= 0 && reader->rests-- <= 0 && !start_reader(rs, reader))
        reader->rests = REST;
    return true;
}

/* Ends the readers of users without survival files. */
static void drop_idle(struct dsn_top_readers *rs)
{
    size_t kept = 0;

    for (size_t i = 0; i < rs->n; i++)
        if (rs->reader[i]->has_files)
            rs->reader[kept++] = rs->reader[i];
        else
            free_reader(rs->reader[i]);
    rs->n = kept;
    for (size_t i = 0; i < rs->n; i++)
        rs->reader[i]->has_files = 0;
}

/* A reader that has died is noticed by its missing answer. */
static void ask_all(const struct dsn_top_readers *rs)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);

    for (size_t i = 0; i < rs->n; i++) {
        struct dsn_top_reader *reader = rs->reader[i];

        reader->used = 0;
        reader->is_asked = reader->process.pid > 0 && write(reader->process.to, "?", 1) == 1;
    }
    signal(SIGPIPE, before);
}

int dsn__top_readers_ask(struct dsn_top_readers *rs, const struct dsn_top_watch *like)
{
    const char *bases[2];
    const unsigned nbases = dsn__command_bases(bases);
    int ok = 1;

    rs->like = like;
    drop_idle(rs);
    rs->refused = 0;
    for (unsigned i = 0; ok && i < nbases; i++)
        ok = dsn__command_users(bases[i], meet_user, rs);
    ask_all(rs);
    return ok;
}

/* ------------------------------------------------------------------ answers */

/* Reads what is available; 0: end of input. */
static int take_bytes(struct dsn_top_reader *reader)
{
    ssize_t n;

    if (reader->room - reader->used < 65536) {
        const size_t room = 2 * reader->room + 131072;
        char *grown = room <= 2 * MOST_ANSWER ? realloc(reader->bytes, room) : NULL;

        if (!grown)
            return 0;
        reader->bytes = grown;
        reader->room = room;
    }
    n = read(reader->process.from, reader->bytes + reader->used, reader->room - reader->used);
    if (n < 0 && errno == EINTR)
        return 1;
    if (n <= 0)
        return 0;
    reader->used += (size_t)n;
    return reader->used <= MOST_ANSWER;
}

/* Waits for a complete line. 0: there will be none. */
static int await_answer(struct dsn_top_reader *reader, int64_t deadline)
{
    int64_t left;

    while ((left = deadline - dsn__now()) > 0) {
        struct pollfd p = { .fd = reader->process.from, .events = POLLIN };
        const int n = poll(&p, 1, (int)(left / 1000000) + 1);

        if (n > 0 && !take_bytes(reader))
            return 0;
        if (reader->used > 0 && reader->bytes[reader->used - 1] == '\n')
            return 1;
    }
    return 0;
}

static int add_answer(struct dsn_top_reader *reader, struct dsn_top_report *r)
{
    FILE *from = fmemopen(reader->bytes, reader->used, "r");
    char error[256];
    int ok;

    if (!from)
        return 0;
    ok = dsn__top_read_json(from, r, reader->user, error, sizeof error);
    fclose(from);
    return ok;
}

void dsn__top_readers_answer(struct dsn_top_readers *rs, struct dsn_top_report *r)
{
    const int64_t deadline = dsn__now() + PATIENCE;

    r->unreadable += rs->refused;
    for (size_t i = 0; i < rs->n; i++) {
        struct dsn_top_reader *reader = rs->reader[i];

        if (reader->is_asked && await_answer(reader, deadline) && add_answer(reader, r))
            continue;
        if (reader->process.pid > 0)
            dsn__user_process_end(&reader->process);
        reader->rests = reader->is_asked ? REST : reader->rests;
        r->unreadable++;
    }
}

void dsn__top_readers_end(struct dsn_top_readers *rs)
{
    for (size_t i = 0; i < rs->n; i++)
        free_reader(rs->reader[i]);
    free(rs->reader);
    rs->reader = NULL;
    rs->n = rs->room = 0;
}
