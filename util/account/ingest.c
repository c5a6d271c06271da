/* ingest.c - ingests logs: one thread finds them, several read them, one writes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A log and its source are inserted in the same transaction, so that nothing is lost or ingested twice however the
 * command ends: a log that is not in the database is found again. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pwd.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "accounting.h"
#include "anonym.h"
#include "queue.h"
#include "retain.h"
#include "schema.h"
#include "share.h"
#include "taken.h"
#include "util/command/common.h"
#include "util/lib/grow.h"

#define MAX_WAITING 4096                /* paths found but not read; logs read but not written */
#define MAX_MEMORY  ((size_t)128 << 20) /* of logs in memory */
#define BATCH_LOGS  1000                /* per transaction */
#define BATCH_MS    1000
#define PROGRESS_MS 200

struct candidate {
    int64_t bytes, changed_ns;
    char pseudonym[DSN_PSEUDONYM];
    char path[];
};

enum outcome { TAKEN, THE_SAME, BAD, UNREADABLE, NO_MEMORY };

struct result {
    enum outcome outcome;
    struct candidate *candidate;
    struct dsn_taken *taken; /* TAKEN */
    char hash[65];           /* THE_SAME, */
    char machine[DSN_MACHINE];
    char reason[200]; /* others */
};

/* A directory whose logs are of a machine. */
struct directory {
    char path[1024]; /* or its pseudonym */
    char machine[DSN_MACHINE];
};

struct ingest {
    struct dsn_accounting *a;
    struct dsn_queue candidates, results;
    atomic_int_fast64_t found, unchanged; /* files so far */
    atomic_int walking, readers, stopped;
    int walk_errors;
    int64_t taken, the_same, bad, unreadable;
    int64_t again; /* of those ingested: logs that an older release had ingested with fewer data */
    int64_t since; /* logs of jobs that ended before are stored without file records */
    struct timespec began, shown, batch_began;
    int64_t in_batch;
    struct dsn_inserting *inserting;
    struct dsn_stmt *source, *quarantine, *release, *find, *of_path, *has_source;
    struct directory *directories; /* of which the machine is known */
    size_t ndirectories, directory_room;
};

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

static int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(ns_of(&now) - ns_of(then)) / 1e9;
}

/* ------------------------------------------------------------------ finding */

static int is_log_name(const char *name)
{
    const size_t n = strlen(name);

    return n > 8 && strcmp(name + n - 8, ".darshan") == 0;
}

/* Its name in the database. */
static const char *name_of(const struct candidate *c)
{
    return c->pseudonym[0] != '\0' ? c->pseudonym : c->path;
}

static int put_candidate(struct ingest *in, const char *path, const struct stat *st)
{
    const size_t n = strlen(path) + 1;
    struct candidate *c;

    if (!dsn_share_has(&in->a->share, path))
        return 1;
    c = malloc(sizeof *c + n);
    if (!c)
        return 0;
    c->bytes = st->st_size;
    c->changed_ns = ns_of(&st->st_mtim);
    memcpy(c->path, path, n);
    if (in->a->anonym)
        dsn_anonym_text(in->a->anonym, path, c->pseudonym);
    else
        c->pseudonym[0] = '\0';
    atomic_fetch_add(&in->found, 1);
    if (dsn_queue_put(&in->candidates, c, sizeof *c + n))
        return 1;
    free(c);
    return 0;
}

static void complain_of(struct ingest *in, const char *path, int error)
{
    in->walk_errors++;
    dsn_warn(DSN_ACCOUNTING, path, "cannot be read: %s; check its name and permissions", strerror(error));
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* In a directory, all files whose names end in .darshan; a file given explicitly, whatever its name. */
static void walk_tree(struct ingest *in, char *root)
{
    char *roots[] = { root, NULL };
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, by_name);
    FTSENT *e;
    int go_on = tree != NULL;

    if (!tree)
        complain_of(in, root, errno);
    while (go_on && (e = fts_read(tree)) != NULL) {
        if (e->fts_info == FTS_F && (e->fts_level == FTS_ROOTLEVEL || is_log_name(e->fts_name)))
            go_on = put_candidate(in, e->fts_path, e->fts_statp);
        else if ((e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS) && e->fts_errno != ENOENT)
            complain_of(in, e->fts_path, e->fts_errno);
    }
    if (tree)
        fts_close(tree);
}

static void *walk(void *context)
{
    struct ingest *in = context;

    for (int i = 0; i < in->a->narguments; i++) {
        char *path = realpath(in->a->arguments[i], NULL);

        if (path)
            walk_tree(in, path);
        else
            complain_of(in, in->a->arguments[i], errno);
        free(path);
    }
    atomic_store(&in->walking, 0);
    dsn_queue_end(&in->candidates);
    return NULL;
}

/* ------------------------------------------------------------------ reading */

struct reading {
    struct dsn_db *db;
    struct dsn_stmt *by_path, *by_hash;
    const char *machine; /* that was given; "": none */
    struct {
        int64_t uid; /* plus one; 0: an empty place */
        char name[64];
    } user[256];
};

static int is_known(struct reading *r, const struct candidate *c)
{
    int known;

    dsn_bind_text(r->by_path, 1, name_of(c));
    dsn_bind_i64(r->by_path, 2, c->bytes);
    dsn_bind_i64(r->by_path, 3, c->changed_ns);
    dsn_bind_i64(r->by_path, 4, DSN_TAKEN_LEVEL);
    dsn_bind_text(r->by_path, 5, r->machine);
    known = dsn_stmt_step(r->by_path);
    dsn_stmt_reset(r->by_path);
    return known;
}

/* Whether a log of that content is there, of the machine that was given or of any: `machine` is set to it. */
static int is_known_content(struct reading *r, const char *hash, char machine[DSN_MACHINE])
{
    int known;

    dsn_bind_text(r->by_hash, 1, hash);
    dsn_bind_i64(r->by_hash, 2, DSN_TAKEN_LEVEL);
    dsn_bind_text(r->by_hash, 3, r->machine);
    known = dsn_stmt_step(r->by_hash);
    if (known)
        snprintf(machine, DSN_MACHINE, "%s", dsn_column_text(r->by_hash, 0));
    dsn_stmt_reset(r->by_hash);
    return known;
}

/* The machine of the innermost directory that has one. */
static const char *machine_of_directory(const struct ingest *in, const char *path)
{
    char directory[1024], name[sizeof directory];
    char *slash;

    snprintf(directory, sizeof directory, "%s", path);
    while (in->ndirectories > 0 && (slash = strrchr(directory, '/')) != NULL) {
        *slash = '\0';
        if (in->a->anonym)
            dsn_anonym_text(in->a->anonym, directory, name);
        else
            memcpy(name, directory, sizeof name);
        for (size_t i = 0; i < in->ndirectories; i++)
            if (strcmp(in->directories[i].path, name) == 0)
                return in->directories[i].machine;
    }
    return "";
}

/* The name of a user in the password database; "": it has none. */
static const char *user_of(struct reading *r, int64_t uid)
{
    const size_t at = (size_t)((uint64_t)uid % 256);
    char room[4096];
    struct passwd one, *found = NULL;

    if (r->user[at].uid == uid + 1)
        return r->user[at].name;
    r->user[at].uid = uid + 1;
    r->user[at].name[0] = '\0';
    if (uid >= 0 && uid < UINT32_MAX && getpwuid_r((uid_t)uid, &one, room, sizeof room, &found) == 0 && found)
        snprintf(r->user[at].name, sizeof r->user[at].name, "%s", found->pw_name);
    return r->user[at].name;
}

/* What the log itself does not say: its machine, its user's name. Returns 0 if out of memory. */
static int identify(const struct ingest *in, struct reading *r, const struct candidate *c, struct dsn_taken *t)
{
    const char *user = user_of(r, t->job.uid);

    if (in->a->machine[0])
        snprintf(t->machine, sizeof t->machine, "%s", in->a->machine);
    else if (t->machine[0] && in->a->anonym) {
        char pseudonym[DSN_PSEUDONYM];

        dsn_anonym_text(in->a->anonym, t->machine, pseudonym);
        snprintf(t->machine, sizeof t->machine, "%s", pseudonym);
    } else if (t->machine[0] == '\0')
        snprintf(t->machine, sizeof t->machine, "%s", machine_of_directory(in, c->path));
    t->user = user[0] ? strdup(user) : NULL;
    return user[0] == '\0' || t->user;
}

static enum outcome unreadable(struct result *res, int error)
{
    snprintf(res->reason, sizeof res->reason, "cannot be read: %s", strerror(error));
    return error == ENOMEM ? NO_MEMORY : UNREADABLE;
}

static enum outcome take_log(struct ingest *in, struct reading *r, struct result *res)
{
    struct candidate *c = res->candidate;
    struct darshan_reader_error err;
    struct stat after;
    const int rc = dsn_take(c->path, in->a->max_records, in->since, &res->taken, &err);

    if (rc == DSN_ERR_MEMORY || rc == DSN_ERR_OPEN) {
        snprintf(res->reason, sizeof res->reason, "%s", err.text);
        return rc == DSN_ERR_MEMORY ? NO_MEMORY : UNREADABLE;
    }
    if (stat(c->path, &after) != 0 || after.st_size != c->bytes || ns_of(&after.st_mtim) != c->changed_ns) {
        snprintf(res->reason, sizeof res->reason, "changed while it was read");
        dsn_taken_free(res->taken);
        res->taken = NULL;
        return UNREADABLE;
    }
    if (rc != DSN_ERR_OK) {
        snprintf(res->reason, sizeof res->reason, "%s", err.text);
        return BAD;
    }
    memcpy(res->taken->hash, res->hash, sizeof res->hash);
    if (identify(in, r, c, res->taken) && (!in->a->anonym || dsn_anonym_taken(in->a->anonym, res->taken)))
        return TAKEN;
    snprintf(res->reason, sizeof res->reason, "out of memory");
    dsn_taken_free(res->taken);
    res->taken = NULL;
    return NO_MEMORY;
}

static enum outcome look_at(struct ingest *in, struct reading *r, struct result *res)
{
    const int fd = open(res->candidate->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int error;

    if (fd < 0)
        return unreadable(res, errno);
    error = dsn_hash_file(fd, res->hash);
    close(fd);
    if (error != 0)
        return unreadable(res, error);
    return is_known_content(r, res->hash, res->machine) ? THE_SAME : take_log(in, r, res);
}

static void read_candidate(struct ingest *in, struct reading *r, struct candidate *c)
{
    struct result *res = is_known(r, c) ? NULL : calloc(1, sizeof *res);

    if (!res) {
        atomic_fetch_add(&in->unchanged, 1);
        free(c);
        return;
    }
    res->candidate = c;
    res->outcome = look_at(in, r, res);
    if (dsn_queue_put(&in->results, res, sizeof *res + (res->taken ? res->taken->bytes : 0)))
        return;
    dsn_taken_free(res->outcome == TAKEN ? res->taken : NULL);
    free(c);
    free(res);
}

static void *read_logs(void *context)
{
    struct ingest *in = context;
    struct reading r = { .db = dsn_db_open(in->a->known, DSN_DB_READ), .machine = in->a->machine };
    struct candidate *c;

    if (r.db) {
        r.by_path = dsn_db_prepare(r.db, "SELECT 1 FROM source JOIN log USING (log_id) "
                                         "WHERE path = ?1 AND bytes = ?2 AND changed_ns = ?3 AND taken_by >= ?4 "
                                         "AND ?5 IN ('', machine) UNION ALL "
                                         "SELECT 1 FROM quarantine WHERE path = ?1 AND bytes = ?2 AND changed_ns = ?3");
        r.by_hash = dsn_db_prepare(r.db, "SELECT machine FROM log WHERE hash = ?1 AND taken_by >= ?2 "
                                         "AND ?3 IN ('', machine) LIMIT 1");
        if (dsn_db_error(r.db)) /* otherwise known logs are read again, which is harmless */
            dsn_warn(DSN_ACCOUNTING, dsn_db_name(r.db), "a reader goes without it: %s", dsn_db_error(r.db));
    }
    while ((c = dsn_queue_get(&in->candidates, 0, NULL)) != NULL)
        if (atomic_load(&in->stopped))
            free(c);
        else
            read_candidate(in, &r, c);
    dsn_db_close(r.db);
    if (atomic_fetch_sub(&in->readers, 1) == 1)
        dsn_queue_end(&in->results);
    return NULL;
}

/* ------------------------------------------------------------------ writing */

/* The log that was in this file before; 0: none. */
static int64_t former_log(struct ingest *in, const struct candidate *c)
{
    int64_t log_id;

    dsn_bind_text(in->of_path, 1, name_of(c));
    log_id = dsn_stmt_step(in->of_path) ? dsn_column_i64(in->of_path, 0) : 0;
    dsn_stmt_reset(in->of_path);
    return log_id;
}

static int is_in_a_file(struct ingest *in, int64_t log_id)
{
    int found;

    dsn_bind_i64(in->has_source, 1, log_id);
    found = dsn_stmt_step(in->has_source);
    dsn_stmt_reset(in->has_source);
    return found;
}

/* A log that was in the file before, and is in no other, is deleted: the new one has replaced it. */
static void put_source(struct ingest *in, const struct candidate *c, int64_t log_id)
{
    const int64_t former = former_log(in, c);

    dsn_bind_text(in->source, 1, name_of(c));
    dsn_bind_i64(in->source, 2, c->bytes);
    dsn_bind_i64(in->source, 3, c->changed_ns);
    dsn_bind_i64(in->source, 4, log_id);
    dsn_stmt_run(in->source);
    dsn_bind_text(in->release, 1, name_of(c));
    dsn_stmt_run(in->release);
    if (former > 0 && former != log_id && !is_in_a_file(in, former))
        dsn_delete_log(in->a->db, former);
}

static void put_taken(struct ingest *in, const struct result *res)
{
    enum dsn_insertion how;
    int64_t log_id;

    if (!dsn_insert_log(in->inserting, res->taken, &log_id, &how))
        return;
    put_source(in, res->candidate, log_id);
    ++*(how == DSN_WAS_THERE ? &in->the_same : &in->taken);
    in->again += how == DSN_REPLACED;
}

static void put_the_same(struct ingest *in, const struct result *res)
{
    int64_t log_id;

    dsn_bind_text(in->find, 1, res->hash);
    dsn_bind_text(in->find, 2, res->machine);
    log_id = dsn_stmt_step(in->find) ? dsn_column_i64(in->find, 0) : 0;
    dsn_stmt_reset(in->find);
    if (log_id == 0) /* deleted meanwhile: the next pass takes it */
        return;
    put_source(in, res->candidate, log_id);
    in->the_same++;
}

static void put_bad(struct ingest *in, const struct result *res)
{
    dsn_bind_text(in->quarantine, 1, name_of(res->candidate));
    dsn_bind_i64(in->quarantine, 2, res->candidate->bytes);
    dsn_bind_i64(in->quarantine, 3, res->candidate->changed_ns);
    dsn_bind_text(in->quarantine, 4, res->reason);
    dsn_stmt_run(in->quarantine);
    in->bad++;
}

static void commit(struct ingest *in)
{
    if (in->in_batch > 0)
        dsn_db_commit(in->a->db);
    in->in_batch = 0;
}

static void put_result(struct ingest *in, const struct result *res)
{
    if (in->in_batch++ == 0) {
        dsn_db_begin(in->a->db);
        clock_gettime(CLOCK_MONOTONIC, &in->batch_began);
    }
    switch (res->outcome) {
    case TAKEN:
        put_taken(in, res);
        break;
    case THE_SAME:
        put_the_same(in, res);
        break;
    case BAD:
        put_bad(in, res);
        break;
    default:
        in->unreadable++;
        dsn_warn(DSN_ACCOUNTING, res->candidate->path, "%s; it will be retried next time", res->reason);
    }
    if (in->in_batch >= BATCH_LOGS || seconds_since(&in->batch_began) * 1000 >= BATCH_MS)
        commit(in);
}

static void free_result(struct result *res)
{
    dsn_taken_free(res->outcome == TAKEN ? res->taken : NULL);
    free(res->candidate);
    free(res);
}

/* On a terminal: count, rate and, once all files have been found, remaining time. */
static void show_progress(struct ingest *in)
{
    const int64_t done = in->taken + in->the_same + in->bad + in->unreadable + atomic_load(&in->unchanged);
    const double seconds = seconds_since(&in->began);
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    char left[40] = "";

    if (!isatty(STDERR_FILENO) || seconds_since(&in->shown) * 1000 < PROGRESS_MS)
        return;
    clock_gettime(CLOCK_MONOTONIC, &in->shown);
    if (!atomic_load(&in->walking) && rate > 0) {
        const int64_t s = (int64_t)((double)(atomic_load(&in->found) - done) / rate);

        snprintf(left, sizeof left, ", %" PRId64 ":%02" PRId64 " left", s / 60, s % 60);
    }
    fprintf(stderr, "\r%" PRId64 " of %" PRId64 "%s logs, %.0f a second%s\033[K", done,
            (int64_t)atomic_load(&in->found), atomic_load(&in->walking) ? " or more" : "", rate, left);
}

static void write_results(struct ingest *in)
{
    struct result *res;
    int waited, cancelled = 0;

    while ((res = dsn_queue_get(&in->results, PROGRESS_MS, &waited)) != NULL || waited) {
        if (res && !cancelled)
            put_result(in, res);
        if (res)
            free_result(res);
        else
            commit(in);
        if (!cancelled && (stop_signal || dsn_db_error(in->a->db))) {
            cancelled = 1;
            atomic_store(&in->stopped, 1);
            commit(in);
            dsn_queue_cancel(&in->candidates);
            dsn_queue_cancel(&in->results);
        }
        show_progress(in);
    }
    commit(in);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* ------------------------------------------------------------------ all of it */

/* With --machine: what is below the directories that were given is of that machine from now on. */
static int keep_machine_of_arguments(struct ingest *in)
{
    struct dsn_stmt *s = NULL;

    if (in->a->machine[0] == '\0' || dsn_db_error(in->a->db) || !dsn_db_begin(in->a->db))
        return !dsn_db_error(in->a->db);
    s = dsn_db_put(in->a->db, "directory", "path", "machine", NULL);
    for (int i = 0; i < in->a->narguments; i++) {
        char *path = realpath(in->a->arguments[i], NULL), pseudonym[DSN_PSEUDONYM];
        struct stat st;

        if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            if (in->a->anonym)
                dsn_anonym_text(in->a->anonym, path, pseudonym);
            dsn_bind_text(s, 1, in->a->anonym ? pseudonym : path);
            dsn_bind_text(s, 2, in->a->machine);
            dsn_stmt_run(s);
        }
        free(path);
    }
    dsn_stmt_free(s);
    return dsn_db_commit(in->a->db);
}

static int read_directories(struct ingest *in)
{
    struct dsn_db *db = in->a->whole ? in->a->whole : in->a->db;
    struct dsn_stmt *s = dsn_db_prepare(db, "SELECT path, machine FROM directory");

    while (dsn_stmt_step(s)) {
        if (!dsn_grow(&in->directories, &in->directory_room, sizeof *in->directories, in->ndirectories)) {
            dsn_db_fail(db, "out of memory");
            break;
        }
        snprintf(in->directories[in->ndirectories].path, sizeof in->directories->path, "%s", dsn_column_text(s, 0));
        snprintf(in->directories[in->ndirectories++].machine, DSN_MACHINE, "%s", dsn_column_text(s, 1));
    }
    dsn_stmt_free(s);
    return !dsn_db_error(db);
}

static int prepare(struct ingest *in)
{
    struct dsn_db *db = in->a->db;

    in->inserting = dsn_inserting_begin(db);
    in->source = dsn_db_put(db, "source", "path", "bytes, changed_ns, log_id", NULL);
    in->quarantine = dsn_db_put(db, "quarantine", "path", "bytes, changed_ns, reason", NULL);
    in->release = dsn_db_prepare(db, "DELETE FROM quarantine WHERE path = ?1");
    in->find = dsn_db_prepare(db, "SELECT log_id FROM log WHERE hash = ?1 AND machine = ?2");
    in->of_path = dsn_db_prepare(db, "SELECT log_id FROM source WHERE path = ?1");
    in->has_source = dsn_db_prepare(db, "SELECT 1 FROM source WHERE log_id = ?1 LIMIT 1");
    if (!keep_machine_of_arguments(in) || !read_directories(in))
        return 0;
    return in->inserting && !dsn_db_error(db) && dsn_queue_init(&in->candidates, MAX_WAITING, SIZE_MAX / 2) &&
           dsn_queue_init(&in->results, MAX_WAITING, MAX_MEMORY);
}

static void end_statements(struct ingest *in)
{
    if (in->inserting)
        dsn_inserting_end(in->inserting);
    dsn_stmt_free(in->source);
    dsn_stmt_free(in->quarantine);
    dsn_stmt_free(in->release);
    dsn_stmt_free(in->find);
    dsn_stmt_free(in->of_path);
    dsn_stmt_free(in->has_source);
    free(in->directories);
}

/* Returns 0 if no reader could be started. */
static int run_threads(struct ingest *in)
{
    pthread_t walker, reader[256];
    int n = 0;

    atomic_store(&in->walking, 1);
    atomic_store(&in->readers, 1); /* during startup: the last one to leave ends the queue */
    if (pthread_create(&walker, NULL, walk, in) != 0)
        return 0;
    while (n < in->a->jobs && n < (int)(sizeof reader / sizeof reader[0])) {
        atomic_fetch_add(&in->readers, 1);
        if (pthread_create(&reader[n], NULL, read_logs, in) != 0) {
            atomic_fetch_sub(&in->readers, 1);
            break;
        }
        n++;
    }
    if (atomic_fetch_sub(&in->readers, 1) == 1)
        dsn_queue_end(&in->results);
    if (n == 0)
        dsn_queue_cancel(&in->candidates);
    write_results(in);
    pthread_join(walker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(reader[i], NULL);
    return n > 0;
}

static void print_outcome(struct ingest *in)
{
    const double seconds = seconds_since(&in->began);

    if (in->a->share.size > 1)
        printf("rank %d: ", in->a->share.rank);
    printf("%" PRId64 " logs taken in %.1f s (%.0f a second), %" PRId64 " known already, %" PRId64
           " the same as others, %" PRId64 " in quarantine, %" PRId64 " not readable\n",
           in->taken, seconds, seconds > 0 ? (double)in->taken / seconds : 0, (int64_t)atomic_load(&in->unchanged),
           in->the_same, in->bad, in->unreadable);
    if (in->again > 0)
        printf("%" PRId64 " of these were ingested again, because an older release had ingested fewer data\n",
               in->again);
}

static int finish_ingest(struct ingest *in, int quiet)
{
    if (dsn_db_error(in->a->db)) {
        dsn_db_rollback(in->a->db);
        return dsn_db_complain(in->a);
    }
    if (!quiet || in->taken + in->the_same + in->bad > 0)
        print_outcome(in);
    if (fflush(stdout) != 0) {
        fprintf(stderr, DSN_ACCOUNTING ": cannot write the output: %s\n", strerror(errno));
        return 1;
    }
    if (in->bad > 0)
        fprintf(stderr, DSN_ACCOUNTING ": `" DSN_ACCOUNTING " query quarantine` shows why logs were not ingested\n");
    return in->walk_errors > 0 || in->unreadable > 0;
}

/* One pass over all arguments. */
static int pass(struct dsn_accounting *a, int quiet)
{
    struct ingest *in = calloc(1, sizeof *in);
    int rc = 1;

    if (!in) {
        fprintf(stderr, DSN_ACCOUNTING ": out of memory\n");
        return 1;
    }
    in->a = a;
    in->since = dsn_keep_since(a->whole ? a->whole : a->db);
    if (!prepare(in)) {
        dsn_db_complain(a);
    } else {
        clock_gettime(CLOCK_MONOTONIC, &in->began);
        if (run_threads(in))
            rc = finish_ingest(in, quiet);
        else
            fprintf(stderr, DSN_ACCOUNTING ": cannot start a thread; raise the limit of processes (ulimit -u)\n");
        dsn_queue_free(&in->candidates);
        dsn_queue_free(&in->results);
    }
    end_statements(in);
    free(in);
    if (!dsn_db_error(a->db) && !stop_signal && !dsn_roll_up(a->db))
        rc = dsn_db_complain(a);
    return rc;
}

static void catch_signals(void)
{
    const struct sigaction gently = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

    sigaction(SIGINT, &gently, NULL);
    sigaction(SIGTERM, &gently, NULL);
}

static int one_pass(struct dsn_accounting *a)
{
    return pass(a, 0);
}

static int was_stopped(void)
{
    return stop_signal != 0;
}

/* Reading a log takes buffers of some 100 KB. If they went back to the kernel after each log, page faults would be half of
 * the processor time. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

int dsn_ingest(struct dsn_accounting *a)
{
    int rc;

    catch_signals();
    keep_memory();
    if (dsn_db_on_server(a->file))
        rc = one_pass(a);
    else if (a->share.size > 1)
        rc = dsn_share_ingest(a, one_pass, was_stopped);
    else if (dsn_share_absorb(a))
        rc = pass(a, 0);
    else
        rc = dsn_db_error(a->db) ? dsn_db_complain(a) : 1;
    return stop_signal && !dsn_db_error(a->db) ? 128 + stop_signal : rc;
}

int dsn_watch(struct dsn_accounting *a)
{
    catch_signals();
    keep_memory();
    while (!stop_signal) {
        pass(a, 1);
        if (dsn_db_error(a->db))
            return 1;
        for (int64_t s = 0; s < a->every && !stop_signal; s++)
            sleep(1);
    }
    return 0;
}
