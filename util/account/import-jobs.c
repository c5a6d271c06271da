/* import-jobs.c - imports the scheduler's jobs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "anonym.h"
#include "import.h"
#include "local-time.h"
#include "command-line/options.h"

enum { RAW, SHOWN, CLUSTER, USER, UID, ACCOUNT, STATE, NODES, CORES, START, END, HOURS, CPU_SECONDS, ELAPSED, NFIELDS };

static const struct dsn_field fields[NFIELDS] = {
    [RAW] = { { "JobIDRaw", "jobid" }, IS_NUMBER, 0 },
    [SHOWN] = { { "JobID" }, IS_NUMBER, 0 },
    [CLUSTER] = { { "Cluster", "cluster", "machine" }, IS_MACHINE, 0 },
    [USER] = { { "User", "user" }, IS_NAME, 0 },
    [UID] = { { "UID", "uid" }, IS_USER, 0 },
    [ACCOUNT] = { { "Account", "account" }, IS_NAME, 0 },
    [STATE] = { { "State", "state" }, IS_TEXT, 0 },
    [NODES] = { { "NNodes", "AllocNodes", "nodes" }, IS_NUMBER, 0 },
    [CORES] = { { "NCPUS", "AllocCPUS", "cores" }, IS_NUMBER, 0 },
    [START] = { { "Start", "start" }, IS_TIME, 0 },
    [END] = { { "End", "end" }, IS_TIME, 0 },
    [HOURS] = { { "core_hours" }, IS_NUMBER, 0 },
    [CPU_SECONDS] = { { "CPUTimeRAW" }, IS_NUMBER, 0 },
    [ELAPSED] = { { "ElapsedRaw" }, IS_NUMBER, 0 },
};

struct job {
    int64_t id, leader;
    int64_t start, end; /* -1: unknown */
    int64_t nodes, cores, uid;
    double hours, cpu; /* core hours, core seconds */
    char state[64];
    int ran;
};

struct putting {
    struct dsn_stmt *put, *forget_unknown;
};

static int wrong(struct dsn_importing *in, int field, char *const *text)
{
    return dsn_import_fail(in, "line %" PRId64 ": %s \"%s\" is invalid or missing", in->line, fields[field].names[0],
                           text[field] ? text[field] : "");
}

/* "" is a missing text. */
static const char *given(char *const *text, int field)
{
    return text[field] && text[field][0] ? text[field] : NULL;
}

/* "4711", of a component of a heterogeneous job "4711+1". Returns what follows; NULL: no number. */
static const char *read_id(const char *text, int64_t *id, int64_t *component)
{
    char *end;

    errno = 0;
    *id = strtoll(text, &end, 10);
    *component = 0;
    if (end == text || errno != 0 || *id < 0)
        return NULL;
    if (*end == '+')
        *component = strtoll(end + 1, &end, 10);
    return end;
}

enum of_line { A_JOB, A_STEP, NO_JOB };

/* A component has the number of the first one plus its place, unless the list says its number. */
static enum of_line read_ids(struct dsn_importing *in, char *const *text, struct job *job)
{
    const char *raw = given(text, RAW), *shown = given(text, SHOWN), *rest;
    int64_t component;

    if (!raw && !shown)
        return wrong(in, SHOWN, text), NO_JOB;
    rest = read_id(raw ? raw : shown, &job->id, &component);
    if (!rest || (*rest != '\0' && *rest != '.' && *rest != '_'))
        return wrong(in, raw ? RAW : SHOWN, text), NO_JOB;
    if (*rest == '_')
        return dsn_import_fail(in,
                               "line %" PRId64 ": %s is of a job array, whose jobs have numbers of their own: "
                               "print them, too (sacct -o JobIDRaw,...)",
                               in->line, raw ? raw : shown),
               NO_JOB;
    job->leader = job->id;
    job->id += component;
    if (raw && shown && strchr(shown, '+') && !read_id(shown, &job->leader, &component))
        return wrong(in, SHOWN, text), NO_JOB;
    return *rest == '.' ? A_STEP : A_JOB;
}

static int read_number(char *const *text, int field, double *out)
{
    char *end;

    *out = -1;
    if (!given(text, field))
        return 1;
    *out = strtod(text[field], &end);
    return *end == '\0';
}

/* In the hour that is repeated at the end of daylight saving time, how long a job ran says which times are meant. If it may have
 * run in either hour, it counts as running in both, so that its logs find it. */
static void choose_times(struct job *job, const int64_t starts[2], const int64_t ends[2], double elapsed)
{
    int n = 0;

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if ((double)(ends[k] - starts[i]) == elapsed) {
                job->start = n++ == 0 ? starts[i] : job->start;
                job->end = ends[k];
            }
}

/* Unknown start: pending, or cancelled before. A list without times has only jobs that ran, but for what its states
 * say. */
static int read_times(struct dsn_importing *in, char *const *text, struct job *job)
{
    static const char *const before[] = { "PENDING", "CONFIGURING", "REQUEUE_HOLD", "SPECIAL_EXIT", "REVOKED" };
    const char *state = given(text, STATE);
    enum dsn_time_kind start = DSN_NO_TIME, end = DSN_NO_TIME;
    int64_t starts[2] = { -1, -1 }, ends[2] = { -1, -1 };
    double elapsed = -1;

    if (given(text, START) && (start = dsn_import_times(text[START], &starts[0], &starts[1])) == DSN_BAD_TIME)
        return wrong(in, START, text);
    if (given(text, END) && (end = dsn_import_times(text[END], &ends[0], &ends[1])) == DSN_BAD_TIME)
        return wrong(in, END, text);
    if (!read_number(text, ELAPSED, &elapsed))
        return wrong(in, ELAPSED, text);
    job->start = starts[0];
    job->end = dsn_local_time_after(ends[0], ends[1], job->start);
    if (start == DSN_TIME && end == DSN_TIME)
        choose_times(job, starts, ends,
                     elapsed >= 0                      ? elapsed
                     : job->cores > 0 && job->cpu >= 0 ? job->cpu / (double)job->cores
                                                       : -1);
    if (start == DSN_TIME && end == DSN_TIME && elapsed > (double)(job->end - job->start))
        job->end = job->start + (int64_t)elapsed;
    if (start == DSN_TIME && end == DSN_TIME && job->end < job->start)
        return dsn_import_fail(in, "line %" PRId64 ": the job ends before it starts", in->line);
    snprintf(job->state, sizeof job->state, "%.*s", state ? (int)strcspn(state, " ") : 0, state ? state : "");
    job->ran =
        !(given(text, START) && start == DSN_NO_TIME) &&
        !(strcmp(job->state, "CANCELLED") == 0 && start == DSN_TIME && end == DSN_TIME && job->end == job->start);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        job->ran &= strcmp(job->state, before[i]) != 0;
    return 1;
}

static int read_amounts(struct dsn_importing *in, char *const *text, struct job *job)
{
    double nodes = -1, cores = -1;

    if (!read_number(text, NODES, &nodes))
        return wrong(in, NODES, text);
    if (!read_number(text, CORES, &cores))
        return wrong(in, CORES, text);
    if (!read_number(text, HOURS, &job->hours))
        return wrong(in, HOURS, text);
    if (!read_number(text, CPU_SECONDS, &job->cpu))
        return wrong(in, CPU_SECONDS, text);
    job->nodes = (int64_t)nodes;
    job->cores = (int64_t)cores;
    job->uid = -1;
    if (given(text, UID) && !dsn_number(text[UID], 0, &job->uid))
        return wrong(in, UID, text);
    return 1;
}

static void reckon_hours(struct job *job)
{
    if (job->hours < 0 && job->cpu >= 0)
        job->hours = job->cpu / 3600;
    else if (job->hours < 0 && job->cores >= 0 && job->start >= 0 && job->end >= 0)
        job->hours = (double)job->cores * (double)(job->end - job->start) / 3600;
}

static void bind_known(struct dsn_stmt *s, int at, int64_t v)
{
    if (v < 0)
        dsn_bind_null(s, at);
    else
        dsn_bind_i64(s, at, v);
}

/* What a list says of a job that had not begun, or did not say when, gives way to what is known. */
static void put_job(struct dsn_importing *in, const struct putting *p, char *const *text, const struct job *job)
{
    const struct dsn_anonym *anonym = in->a->anonym;
    struct dsn_stmt *s = p->put;

    if (job->start > 0) {
        dsn_bind_i64(p->forget_unknown, 1, job->id);
        dsn_import_machine(in, p->forget_unknown, 2, given(text, CLUSTER));
        dsn_stmt_run(p->forget_unknown);
    }
    dsn_bind_i64(s, 1, job->id);
    dsn_import_machine(in, s, 2, given(text, CLUSTER));
    dsn_bind_i64(s, 3, job->start > 0 && job->ran ? job->start : 0);
    dsn_bind_i64(s, 4, job->leader);
    dsn_import_name(in, s, 5, given(text, USER));
    bind_known(s, 6, job->uid >= 0 && anonym ? dsn_anonym_number(anonym, job->uid) : job->uid);
    dsn_import_name(in, s, 7, given(text, ACCOUNT));
    dsn_bind_text(s, 8, job->state[0] ? job->state : NULL);
    bind_known(s, 9, job->nodes);
    bind_known(s, 10, job->cores);
    bind_known(s, 11, job->start);
    bind_known(s, 12, job->end);
    if (job->hours < 0)
        dsn_bind_null(s, 13);
    else
        dsn_bind_f64(s, 13, job->hours);
    dsn_bind_i64(s, 14, job->ran);
    dsn_stmt_run(s);
    in->taken++;
}

static int take_job(struct dsn_importing *in, void *context, char *const *text)
{
    struct job job = { .hours = -1, .cpu = -1 };
    const enum of_line line = read_ids(in, text, &job);

    if (line != A_JOB)
        return line == A_STEP;
    if (!read_amounts(in, text, &job) || !read_times(in, text, &job))
        return 0;
    reckon_hours(&job);
    put_job(in, context, text, &job);
    return 1;
}

int dsn_import_jobs(struct dsn_importing *in)
{
    struct dsn_db *db = in->a->db;
    struct putting p = {
        dsn_db_put(db, "job", "jobid, machine, run",
                   "leader, user, uid, account, state, nodes, cores, start_time, end_time, core_hours, ran", NULL),
        dsn_db_prepare(db, "DELETE FROM job WHERE jobid = ?1 AND machine = ?2 AND run = 0")
    };
    const int ok = dsn_import_lines(in, fields, NFIELDS, take_job, &p);

    dsn_stmt_free(p.put);
    dsn_stmt_free(p.forget_unknown);
    if (ok) /* the lists of some runs have no uid: it is that of the user's other jobs */
        dsn_db_run(db,
                   "UPDATE job SET uid = k.uid FROM (SELECT machine, user, min(uid) AS uid FROM job "
                   "WHERE uid IS NOT NULL AND user IS NOT NULL GROUP BY machine, user HAVING min(uid) = max(uid)) AS k "
                   "WHERE job.uid IS NULL AND job.machine = k.machine AND job.user = k.user");
    if (ok)
        dsn_db_run(
            db, "INSERT INTO machine SELECT machine FROM (SELECT DISTINCT machine FROM job WHERE machine <> '') AS m "
                "WHERE machine NOT IN (SELECT machine FROM machine)");
    return ok;
}
