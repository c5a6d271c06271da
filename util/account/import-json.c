/* import-json.c - device samples of sysstat's iostat, snapshots of darshan-fsstats
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <jansson.h>
#include <string.h>
#include <time.h>

#include "import.h"

/* The one document that the file is. NULL: it is none, which is said. */
static json_t *load(struct dsn_importing *in)
{
    json_error_t error;
    json_t *document = json_loadf(in->file, 0, &error);

    if (!document)
        dsn_import_fail(in, "is no JSON: line %d: %s", error.line, error.text);
    return document;
}

/* ------------------------------------------------------------------ iostat */

/* -1: not to be understood. iostat prints ISO times if S_TIME_FORMAT=ISO is set, else as the locale has it. */
static int64_t time_of(const char *text)
{
    static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %I:%M:%S %p",
                                           "%m/%d/%Y %H:%M:%S",   "%m/%d/%y %H:%M:%S", "%d/%m/%y %H:%M:%S" };

    for (size_t i = 0; text && i < sizeof formats / sizeof formats[0]; i++) {
        struct tm tm = { .tm_isdst = -1 };
        const char *end = strptime(text, formats[i], &tm);
        const long offset = tm.tm_gmtoff;

        if (end && *end == '\0')
            return i == 0 ? timegm(&tm) - offset : mktime(&tm);
    }
    return -1;
}

/* The first of several names that the value may go by; they have changed between releases. */
static json_t *any_of(json_t *object, const char *const *names)
{
    for (; *names; names++)
        if (json_object_get(object, *names))
            return json_object_get(object, *names);
    return NULL;
}

static double number(json_t *object, const char *const *names, double otherwise)
{
    json_t *value = any_of(object, names);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static int take_disk(struct dsn_importing *in, struct dsn_stmt *s, json_t *disk, const char *host, int64_t time,
                     double seconds)
{
    static const char *const read[] = { "rkB/s", "kB_read/s", NULL }, *const write[] = { "wkB/s", "kB_wrtn/s", NULL };
    static const char *const busy[] = { "util", NULL }, *const device[] = { "disk_device", "disk", NULL };
    const char *name = json_string_value(any_of(disk, device));
    const double kib_read = number(disk, read, -1), kib_written = number(disk, write, -1);

    if (!name || kib_read < 0 || kib_written < 0)
        return dsn_import_fail(in, "a disk has no disk_device, rkB/s or wkB/s: run iostat with -k");
    dsn_bind_i64(s, 1, time);
    dsn_bind_text(s, 2, host);
    dsn_bind_text(s, 3, name);
    dsn_bind_f64(s, 4, seconds);
    dsn_bind_f64(s, 5, kib_read * seconds);
    dsn_bind_f64(s, 6, kib_written * seconds);
    dsn_bind_f64(s, 7, number(disk, busy, 0));
    dsn_stmt_run(s);
    in->taken++;
    return 1;
}

/* Reports of a host. The first one tells of the time since the machine was started, and is left out; one whose time is
 * not after that before, because the clock was set back, too. */
static int take_host(struct dsn_importing *in, struct dsn_stmt *s, json_t *host)
{
    const char *name = json_string_value(json_object_get(host, "nodename"));
    int64_t before = -1;
    json_t *report, *disk;
    size_t i, k;

    json_array_foreach(json_object_get(host, "statistics"), i, report)
    {
        const int64_t time = time_of(json_string_value(json_object_get(report, "timestamp")));

        if (time < 0)
            return dsn_import_fail(in, "report %zu has no timestamp: run iostat with -t and S_TIME_FORMAT=ISO", i + 1);
        if (i > 0 && time > before)
            json_array_foreach(
                json_object_get(report, "disk"), k,
                disk) if (!take_disk(in, s, disk, name ? name : "unknown", time, (double)(time - before))) return 0;
        before = time;
    }
    return 1;
}

int dsn_import_iostat(struct dsn_importing *in)
{
    json_t *document = load(in), *host;
    struct dsn_stmt *s =
        dsn_db_prepare(in->a->db, "INSERT OR REPLACE INTO device_sample VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
                                  "?7, NULL)");
    json_t *hosts = json_object_get(json_object_get(document, "sysstat"), "hosts");
    int ok = document != NULL;
    size_t i;

    if (ok && !json_is_array(hosts))
        ok = dsn_import_fail(in, "is not what iostat -o JSON prints");
    json_array_foreach(hosts, i, host) ok = ok && take_host(in, s, host);
    json_decref(document);
    dsn_stmt_free(s);
    return ok;
}

/* ------------------------------------------------------------------ darshan-fsstats */

/* Rows [a, b, c] of integers behind the snapshot's number, and a text if there is one. */
static int take_rows(struct dsn_importing *in, struct dsn_stmt *s, json_t *rows, int64_t snapshot, const char *text)
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
                return dsn_import_fail(in, "a row of it has not three whole numbers");
            dsn_bind_i64(s, at++, json_integer_value(json_array_get(row, k)));
        }
        dsn_stmt_run(s);
    }
    return 1;
}

/* A snapshot that is there already is taken anew. Returns its number. */
static int64_t take_snapshot(struct dsn_importing *in, json_t *document)
{
    static const char *const numbers[] = { "time", "files", "directories", "bytes" };
    const char *directory = json_string_value(json_object_get(document, "directory"));
    struct dsn_db *db = in->a->db;
    struct dsn_stmt *s;
    int64_t id = 0;

    s = dsn_db_prepare(db, "SELECT snapshot_id FROM snapshot WHERE directory = ?1 AND time = ?2");
    dsn_bind_text(s, 1, directory);
    dsn_bind_i64(s, 2, json_integer_value(json_object_get(document, "time")));
    if (dsn_stmt_step(s))
        id = dsn_column_i64(s, 0);
    dsn_stmt_free(s);
    s = dsn_db_prepare(db, "INSERT OR REPLACE INTO snapshot (snapshot_id, directory, time, files, directories, bytes) "
                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    if (id > 0)
        dsn_bind_i64(s, 1, id);
    dsn_bind_text(s, 2, directory);
    for (int i = 0; i < 4; i++)
        dsn_bind_i64(s, 3 + i, json_integer_value(json_object_get(document, numbers[i])));
    dsn_stmt_run(s);
    dsn_stmt_free(s);
    return id > 0 ? id : dsn_db_last_id(db);
}

int dsn_import_fsstats(struct dsn_importing *in)
{
    json_t *document = load(in), *rows;
    const char *format = json_string_value(json_object_get(document, "format")), *name;
    struct dsn_stmt *bin = dsn_db_prepare(in->a->db, "INSERT OR REPLACE INTO snapshot_bin VALUES (?1, ?2, ?3, ?4, ?5)");
    struct dsn_stmt *owner = dsn_db_prepare(in->a->db, "INSERT OR REPLACE INTO snapshot_owner VALUES (?1, ?2, ?3, ?4)");
    int ok = document != NULL;
    int64_t id;

    if (ok && (!format || strcmp(format, "darshan-fsstats 1") != 0))
        ok = dsn_import_fail(in, "is not what darshan-fsstats --json of this release prints");
    if (ok) {
        id = take_snapshot(in, document);
        json_object_foreach(json_object_get(document, "histograms"), name, rows) ok =
            ok && take_rows(in, bin, rows, id, name);
        ok = ok && take_rows(in, owner, json_object_get(document, "owners"), id, NULL);
        in->taken = 1;
    }
    dsn_stmt_free(bin);
    dsn_stmt_free(owner);
    json_decref(document);
    return ok;
}
