/* import-processes.c - imports processes: the kernel's accounting files, rows of taskstats
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anonym.h"
#include "import.h"
#include "pacct.h"

static struct dsn_stmt *prepare(const struct dsn_importing *in)
{
    return dsn_db_put(in->a->db, "process", "machine, host, start_time, pid",
                      "ppid, uid, program, seconds, cpu_seconds, bytes", NULL);
}

static void put_process(struct dsn_importing *in, struct dsn_stmt *s, const char *host, const char *program,
                        const struct dsn_pacct *p)
{
    dsn_bind_text(s, 1, in->a->machine);
    dsn_import_name(in, s, 2, host);
    dsn_bind_i64(s, 3, p->start);
    dsn_bind_i64(s, 4, p->pid);
    dsn_bind_i64(s, 5, p->ppid);
    dsn_bind_i64(s, 6, in->a->anonym ? dsn_anonym_number(in->a->anonym, p->uid) : p->uid);
    dsn_import_name(in, s, 7, program);
    dsn_bind_f64(s, 8, p->seconds);
    dsn_bind_f64(s, 9, p->cpu_seconds);
    if (p->bytes < 0)
        dsn_bind_null(s, 10);
    else
        dsn_bind_i64(s, 10, p->bytes);
    dsn_stmt_run(s);
    in->taken++;
}

/* ------------------------------------------------------------------ the kernel's file */

int dsn_import_pacct(struct dsn_importing *in)
{
    unsigned char record[DSN_PACCT_SIZE];
    struct dsn_stmt *s = prepare(in);
    struct dsn_pacct p;
    size_t n;
    int ok = 1;

    for (in->line = 1; ok && (n = fread(record, 1, sizeof record, in->file)) > 0; in->line++) {
        const char *wrong = n < sizeof record ? "is cut off" : dsn_pacct_read(record, &p);

        if (wrong)
            ok = dsn_import_fail(in, "record %" PRId64 " %s", in->line, wrong);
        else
            put_process(in, s, "", p.program, &p);
    }
    if (ok && in->line == 1)
        ok = dsn_import_fail(in, "it is empty");
    dsn_stmt_free(s);
    return ok;
}

/* ------------------------------------------------------------------ lines of JSON */

/* Names of columns in taskstats and in custom files; `scale`: factor to seconds or bytes. */
static const struct {
    const char *name;
    enum { START, PID, PPID, UID, SECONDS, CPU, BYTES } what;
    double scale;
} numbers[] = {
    { "ac_btime", START, 1 },      { "start", START, 1 },     { "ac_pid", PID, 1 },       { "pid", PID, 1 },
    { "ac_ppid", PPID, 1 },        { "ppid", PPID, 1 },       { "ac_uid", UID, 1 },       { "uid", UID, 1 },
    { "ac_etime", SECONDS, 1e-6 }, { "seconds", SECONDS, 1 }, { "ac_utime", CPU, 1e-6 },  { "ac_stime", CPU, 1e-6 },
    { "cpu_seconds", CPU, 1 },     { "read_char", BYTES, 1 }, { "write_char", BYTES, 1 }, { "bytes", BYTES, 1 },
};
#define NNUMBERS (sizeof numbers / sizeof numbers[0])

/* Adds a number to its member. 0: invalid. */
static int add_number(struct dsn_pacct *p, size_t i, double v)
{
    int64_t *whole[] = { [START] = &p->start, [PID] = &p->pid, [PPID] = &p->ppid, [UID] = &p->uid };

    if (!(v >= 0 && v < 9e15))
        return 0;
    if (numbers[i].what == SECONDS)
        p->seconds += v * numbers[i].scale;
    else if (numbers[i].what == CPU)
        p->cpu_seconds += v * numbers[i].scale;
    else if (numbers[i].what == BYTES)
        p->bytes = (p->bytes < 0 ? 0 : p->bytes) + (int64_t)v;
    else
        *whole[numbers[i].what] = (int64_t)v;
    return 1;
}

static int take_object(struct dsn_importing *in, struct dsn_stmt *s, const json_t *object)
{
    const char *program = json_string_value(json_object_get(object, "ac_comm"));
    const char *host = json_string_value(json_object_get(object, "host"));
    struct dsn_pacct p = { .bytes = -1, .pid = -1, .start = -1 };

    program = program ? program : json_string_value(json_object_get(object, "program"));
    for (size_t i = 0; i < NNUMBERS; i++) {
        const json_t *v = json_object_get(object, numbers[i].name);

        if (v && (!json_is_number(v) || !add_number(&p, i, json_number_value(v))))
            return dsn_import_fail(in, "line %" PRId64 ": %s is not a valid number", in->line, numbers[i].name);
    }
    if (!program || p.pid < 0 || p.start < 0)
        return dsn_import_fail(in, "line %" PRId64 ": ac_comm, ac_pid or ac_btime is missing", in->line);
    put_process(in, s, host ? host : "", program, &p);
    return 1;
}

int dsn_import_taskstats(struct dsn_importing *in)
{
    struct dsn_stmt *s = prepare(in);
    char *line = NULL;
    size_t room = 0;
    int ok = 1;

    for (in->line = 1; ok && getline(&line, &room, in->file) >= 0; in->line++) {
        json_error_t error;
        json_t *object = line[0] == '\n' ? NULL : json_loads(line, 0, &error);

        if (object)
            ok = take_object(in, s, object);
        else if (line[0] != '\n')
            ok = dsn_import_fail(in, "line %" PRId64 " is not valid JSON: %s", in->line, error.text);
        json_decref(object);
    }
    if (ok && in->line == 1)
        ok = dsn_import_fail(in, "it is empty");
    free(line);
    dsn_stmt_free(s);
    return ok;
}
