/* import.c - imports data other than logs: the scheduler's jobs, accounts, programs, samples of devices, snapshots
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accounting.h"
#include "anonym.h"
#include "import.h"
#include "local-time.h"
#include "util/command/common.h"
#include "command-line/options.h"

#define MAX_FIELDS 256 /* per line */

/* Lines of fields, identified by the headings in the first line; separated by '|' if that contains one, otherwise by
 * commas. */
struct table {
    const struct dsn_field *fields;
    int nfields;
    const char *table, *keys, *others; /* columns, in the order of the fields */
};

static const struct dsn_field account_fields[] = {
    { { "account" }, IS_NAME, 1 },
    { { "machine", "cluster" }, IS_MACHINE, 0 },
    { { "project" }, IS_NAME, 1 },
    { { "discipline" }, IS_TEXT, 0 },
};
static const struct dsn_field program_fields[] = {
    { { "program" }, IS_NAME, 1 },       { { "system" }, IS_NUMBER, 1 },
    { { "discipline" }, IS_TEXT, 0 },    { { "executions" }, IS_NUMBER, 1 },
    { { "cpu_seconds" }, IS_NUMBER, 1 }, { { "megabytes" }, IS_NUMBER, 1 },
    { { "period" }, IS_TEXT, 0 },        { { "machine", "cluster" }, IS_MACHINE, 0 },
};
static const struct dsn_field process_fields[] = {
    { { "machine", "cluster" }, IS_MACHINE, 0 },
    { { "host" }, IS_NAME_OR_NONE, 0 },
    { { "start", "start_time" }, IS_TIME, 1 },
    { { "pid" }, IS_NUMBER, 1 },
    { { "ppid" }, IS_NUMBER, 1 },
    { { "uid" }, IS_USER, 1 },
    { { "program" }, IS_NAME, 1 },
    { { "seconds" }, IS_NUMBER, 1 },
    { { "cpu_seconds" }, IS_NUMBER, 1 },
    { { "bytes" }, IS_NUMBER, 0 },
};
static const struct dsn_field maintenance_fields[] = {
    { { "since", "start" }, IS_TIME, 1 },
    { { "machine", "cluster" }, IS_MACHINE, 0 },
    { { "until", "end" }, IS_TIME, 1 },
    { { "reason" }, IS_TEXT, 0 },
};
static const struct dsn_field sample_fields[] = {
    { { "time" }, IS_TIME, 1 },        { { "machine", "cluster" }, IS_MACHINE, 0 },
    { { "host" }, IS_NAME, 1 },        { { "device" }, IS_NAME, 1 },
    { { "seconds" }, IS_NUMBER, 1 },   { { "read_kib" }, IS_NUMBER, 1 },
    { { "write_kib" }, IS_NUMBER, 1 }, { { "busy_percent" }, IS_NUMBER, 0 },
    { { "await_ms" }, IS_NUMBER, 0 },  { { "device" }, IS_STACKED, 1 },
};

#define TABLE(fields, table, keys, others)                                                                             \
    {                                                                                                                  \
        fields, (int)(sizeof fields / sizeof fields[0]), table, keys, others                                           \
    }
static const struct table tables[] = {
    TABLE(account_fields, "account", "account, machine", "project, discipline"),
    TABLE(program_fields, "program_run", "",
          "program, system, discipline, executions, cpu_seconds, megabytes, period, machine"),
    TABLE(sample_fields, "device_sample", "time, machine, host, device",
          "seconds, read_kib, write_kib, busy_percent, await_ms, stacked"),
    TABLE(process_fields, "process", "machine, host, start_time, pid",
          "ppid, uid, program, seconds, cpu_seconds, bytes"),
    TABLE(maintenance_fields, "maintenance", "since, machine", "until, reason"),
};

static int import_table(struct dsn_importing *in, const struct table *t);

static int import_accounts(struct dsn_importing *in)
{
    return import_table(in, &tables[0]);
}
static int import_programs(struct dsn_importing *in)
{
    return import_table(in, &tables[1]);
}
static int import_samples(struct dsn_importing *in)
{
    return import_table(in, &tables[2]);
}

static int import_processes(struct dsn_importing *in)
{
    return import_table(in, &tables[3]);
}

static int import_maintenance(struct dsn_importing *in)
{
    return import_table(in, &tables[4]);
}

static const struct kind {
    const char *name, *what;
    int (*import)(struct dsn_importing *in);
} kinds[] = {
    { "slurm", "jobs: what `sacct -P` prints, or CSV with jobid, account, core_hours and others", dsn_import_jobs },
    { "accounts", "CSV with account, project, discipline", import_accounts },
    { "iostat", "device samples: what `iostat -x -k -t -o JSON` prints", dsn_import_iostat },
    { "sadf", "device samples of sar: what `sadf -j -- -d` or `sadf -d -- -d` prints", dsn_import_iostat },
    { "samples", "device samples: CSV with time, host, device, seconds, read_kib, write_kib", import_samples },
    { "fsstats", "a snapshot of a file system: what `darshan-fsstats --json` prints", dsn_import_fsstats },
    { "maintenance", "CSV with since, until, reason: when the machine was taken from its users", import_maintenance },
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

static int column_of(const struct dsn_field *f, char *const *headings, int n)
{
    for (int i = 0; i < 5 && f->names[i]; i++)
        for (int k = 0; k < n; k++)
            if (strcmp(headings[k], f->names[i]) == 0)
                return k;
    return -1;
}

static int bind_number(struct dsn_stmt *s, int at, const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    int64_t whole;

    if (end == text || *end != '\0' || !isfinite(v))
        return 0;
    errno = 0;
    whole = strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0')
        dsn_bind_i64(s, at, whole);
    else
        dsn_bind_f64(s, at, v);
    return 1;
}

/* "", "Z", " UTC", "+01:00", "+0100" or "+01". */
static int read_offset(const char *text, int *known, long *seconds)
{
    int hours = 0, minutes = 0, length = 0;

    *known = *text != '\0';
    *seconds = 0;
    if (*text == '\0' || strcmp(text, "Z") == 0 || strcmp(text, " UTC") == 0)
        return 1;
    if ((*text != '+' && *text != '-') || (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &length) != 2 &&
                                           sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &length) != 2 &&
                                           (strlen(text) != 3 || sscanf(text + 1, "%2d%n", &hours, &length) != 1)))
        return 0;
    *seconds = (*text == '-' ? -1 : 1) * (hours * 3600L + minutes * 60L);
    return text[1 + length] == '\0' && hours < 24 && minutes < 60;
}

enum dsn_time_kind dsn_import_times(const char *text, int64_t *first, int64_t *second)
{
    static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };
    struct tm tm;
    const char *rest = NULL;
    long offset;
    int known, day;
    char *end;
    double v;

    for (size_t i = 0; !rest && i < sizeof formats / sizeof formats[0]; i++) {
        tm = (struct tm){ .tm_isdst = -1 };
        rest = strptime(text, formats[i], &tm);
    }
    if (strcmp(text, "Unknown") == 0 || strcmp(text, "None") == 0)
        return DSN_NO_TIME;
    if (rest) {
        if (*rest == '.') /* fractions of a second */
            rest += 1 + strspn(rest + 1, "0123456789");
        if (!read_offset(rest, &known, &offset))
            return DSN_BAD_TIME;
        if (!known)
            return dsn_local_times(&tm, first, second) ? DSN_TIME : DSN_BAD_TIME;
        day = tm.tm_mday;
        *first = *second = timegm(&tm) - offset;
        return tm.tm_mday == day ? DSN_TIME : DSN_BAD_TIME; /* there is no 30 February */
    }
    v = strtod(text, &end);
    if (end == text || *end != '\0' || !(v > -1e15 && v < 1e15))
        return DSN_BAD_TIME;
    *first = *second = (int64_t)v; /* whole seconds, because the column is an integer from which minutes are computed */
    return DSN_TIME;
}

enum dsn_time_kind dsn_import_time(const char *text, int64_t *out)
{
    int64_t second;

    return dsn_import_times(text, out, &second);
}

static int bind_time(struct dsn_stmt *s, int at, const char *text)
{
    int64_t time;
    const enum dsn_time_kind kind = dsn_import_time(text, &time);

    if (kind == DSN_TIME)
        dsn_bind_i64(s, at, time);
    else
        dsn_bind_null(s, at);
    return kind != DSN_BAD_TIME;
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

void dsn_import_machine(const struct dsn_importing *in, struct dsn_stmt *s, int at, const char *name)
{
    if (name && name[0])
        dsn_import_name(in, s, at, name);
    else
        dsn_bind_text(s, at, in->a->machine);
}

/* sadf of older releases prints dev and the numbers: 9 is of md, 147 of drbd; of 240 to 254, which the kernel gives
 * out as it starts, the device mapper has one. Where it is of disks (of a virtual machine), the host has no others. */
int dsn_is_stacked(const char *device)
{
    static const char *const names[] = { "dm-[0-9]*", "md[0-9]*",    "md_*",          "drbd[0-9]*",   "bcache[0-9]*",
                                         "zd[0-9]*",  "dev9-[0-9]*", "dev147-[0-9]*", "dev24[0-9]-*", "dev25[0-4]-*" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (fnmatch(names[i], device, 0) == 0)
            return 1;
    return 0;
}

/* Returns 0 if the text is not valid. */
static int bind_field(const struct dsn_importing *in, struct dsn_stmt *s, int at, const struct dsn_field *f,
                      const char *text)
{
    if (f->form == IS_MACHINE) {
        dsn_import_machine(in, s, at, text);
        return 1;
    }
    if (!text || text[0] == '\0') {
        if (f->form == IS_NAME_OR_NONE)
            dsn_bind_text(s, at, "");
        else
            dsn_bind_null(s, at);
        return !f->required;
    }
    switch (f->form) {
    case IS_TEXT:
        dsn_bind_text(s, at, text);
        return 1;
    case IS_NAME:
    case IS_NAME_OR_NONE:
        dsn_import_name(in, s, at, text);
        return 1;
    case IS_NUMBER:
        return bind_number(s, at, text);
    case IS_USER:
        return bind_user(in, s, at, text);
    case IS_STACKED:
        dsn_bind_i64(s, at, dsn_is_stacked(text));
        return 1;
    default:
        return bind_time(s, at, text);
    }
}

static int take_headings(struct dsn_importing *in, const struct dsn_field *fields, int nfields, char *const *headings,
                         int n, int *column)
{
    for (int i = 0; i < nfields; i++) {
        column[i] = column_of(&fields[i], headings, n);
        if (column[i] < 0 && fields[i].required)
            return dsn_import_fail(in, "its first line has no heading \"%s\"", fields[i].names[0]);
    }
    return 1;
}

int dsn_import_lines(struct dsn_importing *in, const struct dsn_field *fields, int nfields,
                     int (*take)(struct dsn_importing *in, void *context, char *const *text), void *context)
{
    char *line = NULL, *cell[MAX_FIELDS], *text[DSN_MOST_FIELDS] = { NULL }, separator = ',';
    int column[DSN_MOST_FIELDS] = { 0 }, ok = 1;
    size_t room = 0;

    for (in->line = 1; ok && getline(&line, &room, in->file) >= 0; in->line++) {
        const int is_heading = line[0] == '#' && line[1] == ' '; /* of sadf, which repeats it */
        int n;

        line[strcspn(line, "\r\n")] = '\0';
        if (in->line == 1 && (is_heading || strchr(line, '|')))
            separator = is_heading ? ';' : '|';
        if (in->line > 1 && is_heading && separator == ';')
            continue;
        n = cut(in->line == 1 && is_heading ? line + 2 : line, separator, cell);
        if (n < 0)
            ok = dsn_import_fail(in, "line %" PRId64 ": unterminated quote, or too many fields", in->line);
        else if (in->line == 1)
            ok = take_headings(in, fields, nfields, cell, n, column);
        else if (line[0] != '\0' || n > 1) {
            for (int i = 0; i < nfields; i++)
                text[i] = column[i] >= 0 && column[i] < n ? cell[column[i]] : NULL;
            ok = take(in, context, text);
        }
    }
    if (ok && in->line == 1)
        ok = dsn_import_fail(in, "it is empty");
    free(line);
    return ok;
}

/* A line of a table. */
struct row {
    const struct table *t;
    struct dsn_stmt *s;
};

static int take_row(struct dsn_importing *in, void *context, char *const *text)
{
    const struct row *row = context;

    for (int i = 0; i < row->t->nfields; i++)
        if (!bind_field(in, row->s, i + 1, &row->t->fields[i], text[i]))
            return dsn_import_fail(in, "line %" PRId64 ": %s \"%s\" is invalid or missing", in->line,
                                   row->t->fields[i].names[0], text[i] ? text[i] : "");
    dsn_stmt_run(row->s);
    in->taken++;
    return 1;
}

static int import_table(struct dsn_importing *in, const struct table *t)
{
    struct row row = { t, dsn_db_put(in->a->db, t->table, t->keys, t->others, NULL) };
    const int ok = dsn_import_lines(in, t->fields, t->nfields, take_row, &row);

    dsn_stmt_free(row.s);
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
