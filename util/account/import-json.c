/* import-json.c - imports samples of devices by sysstat's iostat and sadf, and snapshots of darshan-fsstats
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anonym.h"
#include "import.h"
#include "iostat.h"
#include "local-time.h"

/* Parses the file as one JSON document. NULL: invalid, which was reported. */
static json_t *load(struct dsn_importing *in)
{
    json_error_t error;
    json_t *document = json_loadf(in->file, 0, &error);

    if (!document)
        dsn_import_fail(in, "is not valid JSON: line %d: %s", error.line, error.text);
    return document;
}

/* ------------------------------------------------------------------ iostat */

struct taking {
    struct dsn_importing *in;
    struct dsn_stmt *s;
    int64_t before; /* time of the last line */
};

static void take_sample(void *context, const struct dsn_device_sample *sample)
{
    struct taking *t = context;

    dsn_bind_i64(t->s, 1, sample->time);
    dsn_bind_text(t->s, 2, t->in->a->machine);
    dsn_import_name(t->in, t->s, 3, sample->host);
    dsn_import_name(t->in, t->s, 4, sample->device);
    dsn_bind_f64(t->s, 5, sample->seconds);
    dsn_bind_f64(t->s, 6, sample->read_kib);
    dsn_bind_f64(t->s, 7, sample->write_kib);
    dsn_bind_f64(t->s, 8, sample->busy_percent);
    if (sample->await_ms < 0)
        dsn_bind_null(t->s, 9);
    else
        dsn_bind_f64(t->s, 9, sample->await_ms);
    dsn_bind_i64(t->s, 10, dsn_is_stacked(sample->device));
    dsn_stmt_run(t->s);
    t->in->taken++;
}

/* ------------------------------------------------------------------ lines of sadf -d */

enum { HOST, INTERVAL, TIME, DEVICE, READ, READ_SECTORS, WRITTEN, WRITTEN_SECTORS, BUSY, AWAIT, CALLS, NFIELDS };

static const struct dsn_field sadf_fields[NFIELDS] = {
    [HOST] = { { "hostname" }, IS_NAME, 1 },   [INTERVAL] = { { "interval" }, IS_NUMBER, 1 },
    [TIME] = { { "timestamp" }, IS_TIME, 1 },  [DEVICE] = { { "DEV" }, IS_NAME, 1 },
    [READ] = { { "rkB/s" }, IS_NUMBER, 0 },    [READ_SECTORS] = { { "rd_sec/s" }, IS_NUMBER, 0 },
    [WRITTEN] = { { "wkB/s" }, IS_NUMBER, 0 }, [WRITTEN_SECTORS] = { { "wr_sec/s" }, IS_NUMBER, 0 },
    [BUSY] = { { "%util" }, IS_NUMBER, 0 },    [AWAIT] = { { "await" }, IS_NUMBER, 0 },
    [CALLS] = { { "tps" }, IS_NUMBER, 0 },
};

static double number_in(const char *text, double otherwise)
{
    char *end;
    const double v = text ? strtod(text, &end) : otherwise;

    return text && (end == text || *end != '\0' || !isfinite(v)) ? otherwise : v;
}

static int take_line(struct dsn_importing *in, void *context, char *const *text)
{
    struct taking *t = context;
    int64_t second;
    struct dsn_device_sample s = { .host = text[HOST], .device = text[DEVICE], .await_ms = -1 };

    s.seconds = number_in(text[INTERVAL], NAN);
    if (s.seconds <= 0) /* the machine was started */
        return 1;
    s.read_kib = s.seconds * number_in(text[READ], number_in(text[READ_SECTORS], -2) / 2);
    s.write_kib = s.seconds * number_in(text[WRITTEN], number_in(text[WRITTEN_SECTORS], -2) / 2);
    s.busy_percent = number_in(text[BUSY], 0);
    if (number_in(text[CALLS], 0) > 0)
        s.await_ms = number_in(text[AWAIT], -1);
    if (isnan(s.seconds) || !text[HOST] || !text[DEVICE] || s.read_kib < 0 || s.write_kib < 0 || !text[TIME] ||
        dsn_import_times(text[TIME], &s.time, &second) != DSN_TIME)
        return dsn_import_fail(in, "line %" PRId64 " is not of sadf -d ... -- -d", in->line);
    s.time = t->before = dsn_local_time_after(s.time, second, t->before);
    take_sample(context, &s);
    return 1;
}

int dsn_import_iostat(struct dsn_importing *in)
{
    struct taking t = { in,
                        dsn_db_put(in->a->db, "device_sample", "time, machine, host, device",
                                   "seconds, read_kib, write_kib, busy_percent, await_ms, stacked", NULL),
                        -1 };
    const int first = getc(in->file);
    json_t *document = NULL;
    int ok;

    ungetc(first, in->file);
    if (first == '#') {
        ok = dsn_import_lines(in, sadf_fields, NFIELDS, take_line, &t);
    } else {
        const char *wrong = (document = load(in)) ? dsn_iostat_samples(document, 0, take_sample, &t) : NULL;

        ok = document && (!wrong || dsn_import_fail(in, "%s", wrong));
    }
    json_decref(document);
    dsn_stmt_free(t.s);
    return ok;
}

/* ------------------------------------------------------------------ darshan-fsstats */

static int64_t value_of(const struct dsn_importing *in, const json_t *number, int is_owner)
{
    const int64_t v = json_integer_value(number);

    return is_owner && in->a->anonym ? dsn_anonym_number(in->a->anonym, v) : v;
}

/* Inserts rows [a, b, c] of integers with the snapshot's number, and a text if given; `is_owner`: the first is a user. */
static int take_rows(struct dsn_importing *in, struct dsn_stmt *s, json_t *rows, int64_t snapshot, const char *text,
                     int is_owner)
{
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        int at = 1;

        dsn_bind_i64(s, at++, snapshot);
        if (text)
            dsn_bind_text(s, at++, text);
        for (size_t k = 0; k < 3; k++) {
            if (!json_is_integer(json_array_get(row, k)))
                return dsn_import_fail(in, "a row does not have three integers");
            dsn_bind_i64(s, at++, value_of(in, json_array_get(row, k), is_owner && k == 0));
        }
        dsn_stmt_run(s);
    }
    return 1;
}

static void take_largest(struct dsn_importing *in, const json_t *largest, int64_t snapshot)
{
    const char *path = json_string_value(json_object_get(largest, "path"));
    struct dsn_stmt *s;

    if (!path)
        return;
    s = dsn_db_put(in->a->db, "snapshot_largest", "snapshot_id", "owner, bytes, path", NULL);
    dsn_bind_i64(s, 1, snapshot);
    dsn_bind_i64(s, 2, value_of(in, json_object_get(largest, "owner"), 1));
    dsn_bind_i64(s, 3, json_integer_value(json_object_get(largest, "bytes")));
    dsn_import_name(in, s, 4, path);
    dsn_stmt_run(s);
    dsn_stmt_free(s);
}

/* Replaces an existing snapshot. Returns its number. */
static int64_t take_snapshot(struct dsn_importing *in, json_t *document)
{
    static const char *const numbers[] = { "time", "files", "directories", "bytes" };
    static const char *const parts[] = { "snapshot_bin", "snapshot_owner", "snapshot_group", "snapshot_largest" };
    const char *directory = json_string_value(json_object_get(document, "directory"));
    struct dsn_stmt *s = dsn_db_prepare(
        in->a->db, "INSERT INTO snapshot (snapshot_id, machine, directory, time, files, directories, bytes) VALUES "
                   "((SELECT coalesce(max(snapshot_id), 0) + 1 FROM snapshot), ?6, ?1, ?2, ?3, ?4, ?5) "
                   "ON CONFLICT (machine, directory, time) DO UPDATE SET files = excluded.files, "
                   "directories = excluded.directories, bytes = excluded.bytes RETURNING snapshot_id");
    int64_t id;

    dsn_import_name(in, s, 1, directory);
    for (int i = 0; i < 4; i++)
        dsn_bind_i64(s, 2 + i, json_integer_value(json_object_get(document, numbers[i])));
    dsn_bind_text(s, 6, in->a->machine);
    id = dsn_stmt_step(s) ? dsn_column_i64(s, 0) : 0;
    dsn_stmt_free(s);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0];
         i++) { /* it may have had bins and owners that it has no more */
        char sql[100];

        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE snapshot_id = %lld", parts[i], (long long)id);
        dsn_db_run(in->a->db, sql);
    }
    return id;
}

int dsn_import_fsstats(struct dsn_importing *in)
{
    json_t *document = load(in), *rows;
    const char *format = json_string_value(json_object_get(document, "format")), *name;
    struct dsn_stmt *bin = dsn_db_put(in->a->db, "snapshot_bin", "snapshot_id, histogram, bin", "count, bytes", NULL);
    struct dsn_stmt *owner = dsn_db_put(in->a->db, "snapshot_owner", "snapshot_id, owner", "files, bytes", NULL);
    struct dsn_stmt *group = dsn_db_put(in->a->db, "snapshot_group", "snapshot_id, kind, number", "files, bytes", NULL);
    int ok = document != NULL;
    int64_t id;

    if (ok && (!format || strcmp(format, "darshan-fsstats 1") != 0))
        ok = dsn_import_fail(in, "is not what darshan-fsstats --json of this release prints");
    if (ok) {
        id = take_snapshot(in, document);
        json_object_foreach(json_object_get(document, "histograms"), name, rows) ok =
            ok && take_rows(in, bin, rows, id, name, 0);
        ok = ok && take_rows(in, owner, json_object_get(document, "owners"), id, NULL, 1) &&
             take_rows(in, group, json_object_get(document, "groups"), id, "group", 0) &&
             take_rows(in, group, json_object_get(document, "projects"), id, "project", 0);
        take_largest(in, json_object_get(document, "largest"), id);
        in->taken = 1;
    }
    dsn_stmt_free(bin);
    dsn_stmt_free(owner);
    dsn_stmt_free(group);
    json_decref(document);
    return ok;
}
