/* profile.c - reads and writes storage profiles as JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "profile.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT "darshan-storage-profile"

static const char *const kinds[] = { "read", "write" };

/* A number of an object within bounds; `least` if it is optional and missing. Returns 0 if it is invalid. */
static int number(const json_t *o, const char *key, int needed, double most, double *out)
{
    const json_t *v = json_object_get(o, key);

    *out = 0;
    if (!v)
        return !needed;
    *out = json_number_value(v);
    return json_is_number(v) && *out >= 0 && *out <= most && (!needed || *out > 0 || most < 1e9);
}

static int kind(const json_t *o, int d, struct dsn_file_system *fs, char *error, size_t n)
{
    double latency, rate, total;

    if (!number(o, "latency_seconds", 1, 1e6, &latency) || !number(o, "bytes_per_second", 1, 1e18, &rate) ||
        !number(o, "total_bytes_per_second", 0, 1e18, &total)) {
        snprintf(error, n,
                 "has nothing usable in latency_seconds, bytes_per_second or total_bytes_per_second of \"%s\"",
                 kinds[d]);
        return 0;
    }
    fs->latency[d] = latency;
    fs->byte[d] = 1 / rate;
    fs->crowd[d] = total > rate ? rate / total : total > 0 ? 1 : 0;
    return 1;
}

int dsn_profile_read(const char *path, struct dsn_file_system *out, char *error, size_t n)
{
    json_error_t where;
    json_t *root = json_load_file(path, 0, &where);
    const char *format = json_string_value(json_object_get(root, "format"));
    int ok = 1;

    *out = (struct dsn_file_system){ .link = 0 };
    if (!root) {
        snprintf(error, n, where.line > 0 ? "is not valid JSON: line %d: %.60s" : "cannot be read", where.line,
                 where.text);
        return 0;
    }
    if (!format || strcmp(format, FORMAT) != 0 || json_integer_value(json_object_get(root, "version")) != 1) {
        snprintf(error, n, "is not a storage profile of version 1: its format must be \"" FORMAT "\"");
        ok = 0;
    }
    for (int d = 0; d < 2 && ok; d++)
        ok = kind(json_object_get(root, kinds[d]), d, out, error, n);
    if (ok && !number(root, "node_bytes_per_second", 0, 1e18, &out->link)) {
        snprintf(error, n, "has nothing usable in node_bytes_per_second");
        ok = 0;
    }
    json_decref(root);
    return ok;
}

int dsn_profile_write(const char *path, const struct dsn_file_system *fs, char *error, size_t n)
{
    json_t *root = json_pack("{s:s, s:i}", "format", FORMAT, "version", 1);
    int ok = root != NULL;

    for (int d = 0; d < 2 && ok; d++) {
        /* if requests only have a latency, the rate is the largest that can be written */
        const double rate = fs->byte[d] > 1e-18 ? 1 / fs->byte[d] : 1e18;
        json_t *o = json_pack("{s:f, s:f}", "latency_seconds", fs->latency[d], "bytes_per_second", rate);

        if (fs->crowd[d] > 0 && rate / fs->crowd[d] <= 1e18)
            json_object_set_new(o, "total_bytes_per_second", json_real(rate / fs->crowd[d]));
        ok = json_object_set_new(root, kinds[d], o) == 0;
    }
    if (fs->link > 0)
        json_object_set_new(root, "node_bytes_per_second", json_real(fs->link));
    errno = 0;
    if (!ok || json_dump_file(root, path, JSON_INDENT(2)) != 0) {
        snprintf(error, n, "cannot be written: %s", errno ? strerror(errno) : "out of memory");
        ok = 0;
    }
    json_decref(root);
    return ok;
}
