/* record.c - samples as lines of JSON, to continue an interrupted sweep
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "record.h"
#include "util/lib/grow.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FORMAT     "darshan-sweep-record"
#define MAX_RECORD ((size_t)64 << 20)
#define AT_ONCE    ((size_t)1 << 16)
#define MAX_NUMBER 9007199254740992.0 /* integers up to this are exact in a double */

/* The numeric settings, with their ranges. */
static const struct setting {
    const char *name;
    size_t at;
    int is_long, is_real;
    double least, most;
} settings[] = {
#define LONG(member, least, most)                                                                                      \
    {                                                                                                                  \
#member, offsetof(struct dsn_sweep_settings, member), 1, 0, least, most                                        \
    }
#define UINT(member, least, most)                                                                                      \
    {                                                                                                                  \
#member, offsetof(struct dsn_sweep_settings, member), 0, 0, least, most                                        \
    }
    LONG(limit, 1, MAX_NUMBER),        LONG(request, 0, MAX_NUMBER),
    LONG(file, 1, MAX_NUMBER),         LONG(least_request, 1, MAX_NUMBER),
    LONG(most_request, 1, MAX_NUMBER), LONG(least_file, 1, MAX_NUMBER),
    UINT(writers, 1, 65536),           UINT(fine, 1, 64),
    UINT(samples, 1, 100000),          { "seconds", offsetof(struct dsn_sweep_settings, seconds), 0, 1, 0, 1e6 },
#undef LONG
#undef UINT
};
#define NSETTINGS (sizeof settings / sizeof settings[0])

static double get(const struct dsn_sweep_settings *s, const struct setting *of)
{
    const char *at = (const char *)s + of->at;

    return of->is_real   ? *(const double *)(const void *)at
           : of->is_long ? (double)*(const uint64_t *)(const void *)at
                         : (double)*(const unsigned *)(const void *)at;
}

static void set(struct dsn_sweep_settings *s, const struct setting *of, double v)
{
    char *at = (char *)s + of->at;

    if (of->is_real)
        *(double *)(void *)at = v;
    else if (of->is_long)
        *(uint64_t *)(void *)at = (uint64_t)v;
    else
        *(unsigned *)(void *)at = (unsigned)v;
}

/* ------------------------------------------------------------------ reading */

static int number(const json_t *o, const char *key, double least, double most, double *out)
{
    const json_t *v = json_object_get(o, key);

    *out = json_number_value(v);
    return json_is_number(v) && *out >= least && *out <= most;
}

static int copy_text(const json_t *o, const char *key, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text && (size_t)snprintf(to, room, "%s", text) < room;
}

static int first_line(const json_t *o, struct dsn_sweep_record *r)
{
    const char *format = json_string_value(json_object_get(o, "format"));
    double v;

    if (!format || strcmp(format, FORMAT) != 0 || json_integer_value(json_object_get(o, "version")) != 1)
        return 0;
    for (size_t i = 0; i < NSETTINGS; i++) {
        if (!number(o, settings[i].name, settings[i].least, settings[i].most, &v))
            return 0;
        set(&r->settings, &settings[i], v);
    }
    r->has_mpi = json_is_true(json_object_get(o, "mpi"));
    if (!number(o, "begun", 0, MAX_NUMBER, &v))
        return 0;
    r->begun = (int64_t)v;
    return copy_text(o, "directory", r->directory, sizeof r->directory) &&
           copy_text(o, "type", r->type, sizeof r->type);
}

static int host_line(const json_t *o, struct dsn_sweep_host *out)
{
    double processes;

    *out = (struct dsn_sweep_host){ .processes = 0 };
    if (!copy_text(o, "host", out->name, sizeof out->name) || !*out->name ||
        !copy_text(o, "file_system", out->type, sizeof out->type) || !number(o, "processes", 1, 1e8, &processes))
        return 0;
    out->processes = (unsigned)processes;
    return 1;
}

static int sample_line(const json_t *o, const struct dsn_samples *known, struct dsn_sample *out)
{
    const char *name = json_string_value(json_object_get(o, "sweep"));
    const char *host = json_string_value(json_object_get(o, "host"));
    const long of_host = host ? dsn_samples_host(known, host) : -1;
    double x, request;

    *out = (struct dsn_sample){ .sweep = DSN_NSWEEPS };
    for (unsigned i = 0; name && i < DSN_NSWEEPS; i++)
        if (strcmp(name, dsn_sweep_row(i)->name) == 0)
            out->sweep = i;
    if (out->sweep == DSN_NSWEEPS || (host && (of_host < 0 || !dsn_sweep_row(out->sweep)->is_nodes)) ||
        !number(o, "x", 0, MAX_NUMBER, &x) || !number(o, "request", 1, MAX_NUMBER, &request) ||
        !number(o, "bytes", 1, MAX_NUMBER, &out->bytes) || !number(o, "seconds", 1e-9, 1e9, &out->seconds) ||
        !number(o, "resident", -1, 1, &out->resident) || !number(o, "ahead", -MAX_NUMBER, MAX_NUMBER, &out->ahead) ||
        (dsn_sweep_row(out->sweep)->factor == DSN_BY_MODE && x >= DSN_NMODES))
        return 0;
    out->host = (unsigned)(of_host + 1);
    out->x = (uint64_t)x;
    out->request = (uint64_t)request;
    return 1;
}

/* Parses a line. Returns 0 if it is invalid, negative if out of memory. */
static int take_line(const char *line, size_t n, int is_first, struct dsn_sweep_record *r, struct dsn_samples *out)
{
    json_t *o = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
    struct dsn_sample one;
    struct dsn_sweep_host host;
    int ok;

    if (is_first)
        ok = first_line(o, r);
    else if (!json_object_get(o, "sweep"))
        ok =
            host_line(o, &host) && dsn_samples_host(out, host.name) < 0 ? dsn_samples_add_host(out, &host) ? 1 : -1 : 0;
    else
        ok = sample_line(o, out, &one) ? dsn_samples_add(out, &one) ? 1 : -1 : 0;
    json_decref(o);
    return ok;
}

static char *read_all(int fd, size_t *n, char *error, size_t room)
{
    char *bytes = NULL;
    size_t have = 0;
    ssize_t got = 1;

    for (*n = 0; got != 0 && *n < MAX_RECORD;) {
        if (!dsn_grow(&bytes, &have, 1, *n + AT_ONCE - 1)) {
            snprintf(error, room, "does not fit into memory");
            free(bytes);
            return NULL;
        }
        got = read(fd, bytes + *n, AT_ONCE);
        if (got < 0 && errno != EINTR) {
            snprintf(error, room, "cannot be read: %s", strerror(errno));
            free(bytes);
            return NULL;
        }
        *n += got > 0 ? (size_t)got : 0;
    }
    return bytes;
}

int dsn_record_read(int fd, struct dsn_sweep_record *r, struct dsn_samples *out, char *error, size_t room)
{
    size_t n, number_of = 1;
    char *bytes = read_all(fd, &n, error, room), *line = bytes;
    int ok = bytes != NULL;

    *r = (struct dsn_sweep_record){ .fd = -1 };
    for (; ok && line < bytes + n; number_of++) {
        char *end = memchr(line, '\n', (size_t)(bytes + n - line));

        if (!end)
            break; /* incomplete */
        ok = take_line(line, (size_t)(end - line), number_of == 1, r, out);
        if (ok <= 0) {
            snprintf(error, room,
                     ok < 0           ? "does not fit into memory"
                     : number_of == 1 ? "is not a record of darshan-sweep; choose another file"
                                      : "is damaged: line %zu is not a sample of a sweep",
                     number_of);
            free(bytes);
            return 0;
        }
        line = end + 1;
    }
    r->complete = line - bytes;
    if (ok && number_of == 1 && n > 0) {
        snprintf(error, room, "is not a record of darshan-sweep; choose another file");
        ok = 0;
    }
    free(bytes);
    return ok;
}

const char *dsn_record_differs(const struct dsn_sweep_record *r, const struct dsn_sweep_settings *s)
{
    if (strcmp(r->directory, s->directory) != 0)
        return "directory";
    for (size_t i = 0; i < NSETTINGS; i++)
        if (fabs(get(&r->settings, &settings[i]) - get(s, &settings[i])) > 0)
            return settings[i].name;
    return NULL;
}

/* ------------------------------------------------------------------ writing */

static int put_line(const struct dsn_sweep_record *r, json_t *o)
{
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    const size_t n = text ? strlen(text) : 0;
    size_t done = 0;

    json_decref(o);
    if (!text) {
        errno = ENOMEM;
        return 0;
    }
    text[n] = '\n'; /* replaces the NUL, so that the line is complete */
    while (done < n + 1) {
        const ssize_t got = write(r->fd, text + done, n + 1 - done);

        if (got < 0 && errno != EINTR)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    free(text);
    return done == n + 1;
}

static json_t *value(double v, int is_real)
{
    return is_real ? json_real(v) : json_integer((json_int_t)v);
}

int dsn_record_begin(const struct dsn_sweep_record *r)
{
    json_t *o = json_pack("{s:s, s:i, s:s, s:s, s:b, s:I}", "format", FORMAT, "version", 1, "directory", r->directory,
                          "type", r->type, "mpi", r->has_mpi, "begun", (json_int_t)r->begun);

    for (size_t i = 0; o && i < NSETTINGS; i++)
        json_object_set_new(o, settings[i].name, value(get(&r->settings, &settings[i]), settings[i].is_real));
    return put_line(r, o);
}

int dsn_record_put(const struct dsn_sweep_record *r, const struct dsn_sample *s, const char *host)
{
    return r->fd < 0 ||
           put_line(r, json_pack("{s:s, s:s*, s:I, s:I, s:I, s:f, s:f, s:I}", "sweep", dsn_sweep_row(s->sweep)->name,
                                 "host", host, "x", (json_int_t)s->x, "request", (json_int_t)s->request, "bytes",
                                 (json_int_t)s->bytes, "seconds", s->seconds, "resident", s->resident, "ahead",
                                 (json_int_t)s->ahead));
}

int dsn_record_put_host(const struct dsn_sweep_record *r, const struct dsn_sweep_host *host)
{
    return r->fd < 0 || put_line(r, json_pack("{s:s, s:s, s:I}", "host", host->name, "file_system", host->type,
                                              "processes", (json_int_t)host->processes));
}
