/* import.c - imports data other than logs: the scheduler's jobs, accounts, programs, samples of devices, snapshots
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accounting.h"
#include "anonym.h"
#include "import.h"
#include "util/command/common.h"
#include "util/command/options.h"

#define MAX_FIELDS 256 /* per line */

/* How a field is converted. */
enum form {
    IS_TEXT,
    IS_NAME,         /* name of a person or thing: replaced in a database with pseudonyms */
    IS_NAME_OR_NONE, /* the same, but "" if missing */
    IS_NUMBER,
    IS_USER,        /* a uid */
    IS_TIME,        /* seconds since 1970, or YYYY-MM-DDTHH:MM:SS in local time, as printed by the scheduler */
    IS_JOBID,       /* leading digits; lines of job steps ("4711.batch") are skipped */
    IS_CPU_SECONDS, /* converted to hours */
};

struct field {
    const char *names[5]; /* accepted column headings */
    enum form form;
    int required;
};

/* Lines of fields, identified by the headings in the first line; separated by '|' if that contains one, otherwise by
 * commas. */
struct table {
    const struct field *fields;
    int nfields;
    const char *table, *keys, *others; /* columns, in the order of the fields */
    const char *values;                /* SQL expressions; NULL: the parameters */
};

static const struct field job_fields[] = {
    { { "JobIDRaw", "JobID", "jobid" }, IS_JOBID, 1 },
    { { "User", "user" }, IS_NAME, 0 },
    { { "Account", "account" }, IS_NAME, 0 },
    { { "State", "state" }, IS_TEXT, 0 },
    { { "NNodes", "AllocNodes", "nodes" }, IS_NUMBER, 0 },
    { { "NCPUS", "AllocCPUS", "cores" }, IS_NUMBER, 0 },
    { { "Start", "start" }, IS_TIME, 0 },
    { { "End", "end" }, IS_TIME, 0 },
    { { "core_hours" }, IS_NUMBER, 0 },
    { { "CPUTimeRAW" }, IS_CPU_SECONDS, 0 },
};
static const struct field account_fields[] = {
    { { "account" }, IS_NAME, 1 },
    { { "project" }, IS_NAME, 1 },
    { { "discipline" }, IS_TEXT, 0 },
};
static const struct field program_fields[] = {
    { { "program" }, IS_NAME, 1 },      { { "system" }, IS_NUMBER, 1 },      { { "discipline" }, IS_TEXT, 0 },
    { { "executions" }, IS_NUMBER, 1 }, { { "cpu_seconds" }, IS_NUMBER, 1 }, { { "megabytes" }, IS_NUMBER, 1 },
    { { "period" }, IS_TEXT, 0 },
};
static const struct field process_fields[] = {
    { { "host" }, IS_NAME_OR_NONE, 0 }, { { "start", "start_time" }, IS_TIME, 1 },
    { { "pid" }, IS_NUMBER, 1 },        { { "ppid" }, IS_NUMBER, 1 },
    { { "uid" }, IS_USER, 1 },          { { "program" }, IS_NAME, 1 },
    { { "seconds" }, IS_NUMBER, 1 },    { { "cpu_seconds" }, IS_NUMBER, 1 },
    { { "bytes" }, IS_NUMBER, 0 },
};
static const struct field sample_fields[] = {
    { { "time" }, IS_TIME, 1 },           { { "host" }, IS_NAME, 1 },       { { "device" }, IS_NAME, 1 },
    { { "seconds" }, IS_NUMBER, 1 },      { { "read_kib" }, IS_NUMBER, 1 }, { { "write_kib" }, IS_NUMBER, 1 },
    { { "busy_percent" }, IS_NUMBER, 0 }, { { "await_ms" }, IS_NUMBER, 0 },
};

#define TABLE(fields, table, keys, others, values)                                                                     \
    {                                                                                                                  \
        fields, (int)(sizeof fields / sizeof fields[0]), table, keys, others, values                                   \
    }
static const struct table tables[] = {
    TABLE(job_fields, "job", "jobid", "user, account, state, nodes, cores, start_time, end_time, core_hours",
          "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(CAST(?9 AS REAL), CAST(?10 AS REAL), "
          "CAST(?6 AS INTEGER) * (CAST(?8 AS INTEGER) - CAST(?7 AS INTEGER)) / 3600.0)"),
    TABLE(account_fields, "account", "account", "project, discipline", NULL),
    TABLE(program_fields, "program_run", "", "program, system, discipline, executions, cpu_seconds, megabytes, period",
          NULL),
    TABLE(sample_fields, "device_sample", "time, host, device", "seconds, read_kib, write_kib, busy_percent, await_ms",
          NULL),
    TABLE(process_fields, "process", "host, start_time, pid", "ppid, uid, program, seconds, cpu_seconds, bytes", NULL),
};

static int import_table(struct dsn_importing *in, const struct table *t);

static int import_jobs(struct dsn_importing *in)
{
    return import_table(in, &tables[0]);
}
static int import_accounts(struct dsn_importing *in)
{
    return import_table(in, &tables[1]);
}
static int import_programs(struct dsn_importing *in)
{
    return import_table(in, &tables[2]);
}
static int import_samples(struct dsn_importing *in)
{
    return import_table(in, &tables[3]);
}

static int import_processes(struct dsn_importing *in)
{
    return import_table(in, &tables[4]);
}

static const struct kind {
    const char *name, *what;
    int (*import)(struct dsn_importing *in);
} kinds[] = {
    { "slurm", "jobs: what `sacct -P` prints, or CSV with jobid, account, core_hours and others", import_jobs },
    { "accounts", "CSV with account, project, discipline", import_accounts },
    { "iostat", "device samples: what `iostat -x -k -t -o JSON` prints", dsn_import_iostat },
    { "samples", "device samples: CSV with time, host, device, seconds, read_kib, write_kib", import_samples },
    { "fsstats", "a snapshot of a file system: what `darshan-fsstats --json` prints", dsn_import_fsstats },
    { "programs", "process accounting: CSV with program, system, discipline, executions, cpu_seconds, megabytes",
      import_programs },
    { "pacct", "process accounting: a file that the kernel writes (acct(5), version 3)", dsn_import_pacct },
    { "processes", "the same: CSV with start, pid, ppid, uid, program, seconds, cpu_seconds, bytes", import_processes },
    { "taskstats", "the same: lines of JSON with ac_btime, ac_pid, ac_ppid, ac_uid, ac_comm, ac_utime, read_char, ...",
      dsn_import_taskstats },
};
#define NKINDS (sizeof kinds / sizeof kinds[0])

int dsn_import_fail(struct dsn_importing *in, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dsn_warn(DSN_ACCOUNTING, in->path, "%s; nothing was imported from it", text);
    return 0;
}

/* ------------------------------------------------------------------ lines of fields */

/* Splits a line into fields, in place. Returns their number; -1: unterminated quote, or too many fields. */
static int cut(char *line, char separator, char *fields[MAX_FIELDS])
{
    int n = 0;

    for (char *from = line;; from++) {
        char *to = from;

        if (n == MAX_FIELDS)
            return -1;
        fields[n++] = to;
        if (separator == ',' && *from == '"') {
            for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
                from += *from == '"';
                *to++ = *from;
            }
            if (*from++ == '\0')
                return -1;
        }
        while (*from != separator && *from != '\0')
            *to++ = *from++;
        if (*from == '\0') {
            *to = '\0';
            return n;
        }
        *to = '\0';
    }
}

static int column_of(const struct field *f, char *const *headings, int n)
{
    for (int i = 0; i < 5 && f->names[i]; i++)
        for (int k = 0; k < n; k++)
            if (strcmp(headings[k], f->names[i]) == 0)
                return k;
    return -1;
}

static int bind_number(struct dsn_stmt *s, int at, const char *text, double scale)
{
    char *end;
    const double v = strtod(text, &end);
    int64_t whole;

    if (end == text || *end != '\0')
        return 0;
    errno = 0;
    whole = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && scale == 1)
        dsn_bind_i64(s, at, whole);
    else
        dsn_bind_f64(s, at, v * scale);
    return 1;
}

/* Whole seconds, because the column is an integer from which minutes are computed. */
static int bind_seconds(struct dsn_stmt *s, int at, const char *text)
{
    char *end;
    const double v = strtod(text, &end);

    if (end == text || *end != '\0' || !(v > -1e15 && v < 1e15))
        return 0;
    dsn_bind_i64(s, at, (int64_t)v);
    return 1;
}

static int bind_time(struct dsn_stmt *s, int at, const char *text)
{
    struct tm tm = { .tm_isdst = -1 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

    if (strcmp(text, "Unknown") == 0 || strcmp(text, "None") == 0)
        dsn_bind_null(s, at);
    else if (end && *end == '\0')
        dsn_bind_i64(s, at, mktime(&tm));
    else
        return bind_seconds(s, at, text);
    return 1;
}

enum bound { BOUND, WRONG, PASS_OVER };

static enum bound bind_jobid(struct dsn_stmt *s, int at, const char *text)
{
    char *end;
    const long long id = strtoll(text, &end, 10);

    if (end == text)
        return WRONG;
    dsn_bind_i64(s, at, id);
    return strchr(end, '.') ? PASS_OVER : BOUND;
}

void dsn_import_name(const struct dsn_importing *in, struct dsn_stmt *s, int at, const char *name)
{
    char pseudonym[DSN_PSEUDONYM];

    if (in->a->anonym && name) {
        dsn_anonym_text(in->a->anonym, name, pseudonym);
        name = pseudonym;
    }
    dsn_bind_text(s, at, name);
}

static int bind_user(const struct dsn_importing *in, struct dsn_stmt *s, int at, const char *text)
{
    int64_t uid;

    if (!dsn_number(text, 0, &uid))
        return 0;
    dsn_bind_i64(s, at, in->a->anonym ? dsn_anonym_number(in->a->anonym, uid) : uid);
    return 1;
}

static enum bound bind_field(const struct dsn_importing *in, struct dsn_stmt *s, int at, const struct field *f,
                             const char *text)
{
    if (!text || text[0] == '\0') {
        if (f->form == IS_NAME_OR_NONE)
            dsn_bind_text(s, at, "");
        else
            dsn_bind_null(s, at);
        return f->required ? WRONG : BOUND;
    }
    switch (f->form) {
    case IS_TEXT:
        dsn_bind_text(s, at, text);
        return BOUND;
    case IS_NAME:
    case IS_NAME_OR_NONE:
        dsn_import_name(in, s, at, text);
        return BOUND;
    case IS_NUMBER:
        return bind_number(s, at, text, 1) ? BOUND : WRONG;
    case IS_USER:
        return bind_user(in, s, at, text) ? BOUND : WRONG;
    case IS_CPU_SECONDS:
        return bind_number(s, at, text, 1 / 3600.0) ? BOUND : WRONG;
    case IS_TIME:
        return bind_time(s, at, text) ? BOUND : WRONG;
    default:
        return bind_jobid(s, at, text);
    }
}

/* Imports one line. Returns 0 if it is invalid. */
static int take_line(struct dsn_importing *in, const struct table *t, struct dsn_stmt *s, char *const *fields, int n,
                     const int *column)
{
    enum bound all = BOUND;

    for (int i = 0; i < t->nfields; i++) {
        const char *text = column[i] >= 0 && column[i] < n ? fields[column[i]] : NULL;
        const enum bound bound = bind_field(in, s, i + 1, &t->fields[i], text);

        if (bound == WRONG)
            return dsn_import_fail(in, "line %" PRId64 ": %s \"%s\" is invalid or missing", in->line,
                                   t->fields[i].names[0], text ? text : "");
        if (bound == PASS_OVER)
            all = bound;
    }
    if (all == BOUND) {
        dsn_stmt_run(s);
        in->taken++;
    }
    return 1;
}

static int take_headings(struct dsn_importing *in, const struct table *t, char *const *headings, int n, int *column)
{
    for (int i = 0; i < t->nfields; i++) {
        column[i] = column_of(&t->fields[i], headings, n);
        if (column[i] < 0 && t->fields[i].required)
            return dsn_import_fail(in, "its first line has no heading \"%s\"", t->fields[i].names[0]);
    }
    return 1;
}

static int import_table(struct dsn_importing *in, const struct table *t)
{
    struct dsn_stmt *s = dsn_db_put(in->a->db, t->table, t->keys, t->others, t->values);
    char *line = NULL, *fields[MAX_FIELDS], separator = ',';
    int column[16] = { 0 }, ok = 1;
    size_t room = 0;

    for (in->line = 1; ok && getline(&line, &room, in->file) >= 0; in->line++) {
        int n;

        line[strcspn(line, "\r\n")] = '\0';
        if (in->line == 1 && strchr(line, '|'))
            separator = '|';
        n = cut(line, separator, fields);
        if (n < 0)
            ok = dsn_import_fail(in, "line %" PRId64 ": unterminated quote, or too many fields", in->line);
        else if (in->line == 1)
            ok = take_headings(in, t, fields, n, column);
        else if (line[0] != '\0' || n > 1)
            ok = take_line(in, t, s, fields, n, column);
    }
    if (ok && in->line == 1)
        ok = dsn_import_fail(in, "it is empty");
    free(line);
    dsn_stmt_free(s);
    return ok;
}

/* ------------------------------------------------------------------ files */

/* A file is imported as a whole or not at all. */
static int import_file(struct dsn_accounting *a, const struct kind *kind, const char *path)
{
    struct dsn_importing in = { .a = a, .path = path, .file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re") };
    int ok;

    if (!in.file) {
        dsn_warn(DSN_ACCOUNTING, path, "cannot be read: %s; check its name and permissions", strerror(errno));
        return 1;
    }
    dsn_db_begin(a->db);
    ok = kind->import(&in);
    if (ok && ferror(in.file))
        ok = dsn_import_fail(&in, "cannot be read: %s", strerror(errno));
    if (in.file != stdin)
        fclose(in.file);
    if (ok && dsn_db_commit(a->db)) {
        printf("%s: %" PRId64 " taken\n", path, in.taken);
        return 0;
    }
    if (dsn_db_error(a->db))
        dsn_db_complain(a);
    dsn_db_rollback(a->db);
    return 1;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < NKINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const char *dsn_import_misuse(const struct dsn_accounting *a)
{
    if (a->narguments > 0 && !find_kind(a->arguments[0]))
        return "there is no such kind; `" DSN_ACCOUNTING " import` lists them";
    return a->narguments == 1 ? "no FILE given" : NULL;
}

int dsn_import(struct dsn_accounting *a)
{
    int rc = 0;

    for (size_t i = 0; a->narguments == 0 && i < NKINDS; i++)
        printf("%-10s %s\n", kinds[i].name, kinds[i].what);
    for (int k = 1; k < a->narguments; k++)
        rc |= import_file(a, find_kind(a->arguments[0]), a->arguments[k]);
    return rc;
}
