/* iostat.c - parses the JSON of sysstat's iostat
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "iostat.h"

#include <time.h>

/* -1: invalid. iostat prints ISO times if S_TIME_FORMAT=ISO is set, otherwise the locale's format. */
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

/* The first of several names that exists; they changed between releases. */
static double number(json_t *object, const char *name, const char *old_name, double otherwise)
{
    json_t *value = json_object_get(object, name);

    value = value ? value : json_object_get(object, old_name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* Mean of reads and writes, weighted by their number. */
static double await_of(json_t *disk)
{
    const double reads = number(disk, "r/s", "r/s", 0), writes = number(disk, "w/s", "w/s", 0);
    const double read_ms = number(disk, "r_await", "await", -1), write_ms = number(disk, "w_await", "await", -1);

    return read_ms < 0 || write_ms < 0 || reads + writes <= 0
               ? -1
               : (reads * read_ms + writes * write_ms) / (reads + writes);
}

static const char *take_report(json_t *report, struct dsn_sample *s,
                               void (*take_sample)(void *context, const struct dsn_sample *s), void *context)
{
    json_t *disk;
    size_t i;

    json_array_foreach(json_object_get(report, "disk"), i, disk)
    {
        s->device = json_string_value(json_object_get(disk, "disk_device"));
        s->read_kib = number(disk, "rkB/s", "kB_read/s", -1) * s->seconds;
        s->write_kib = number(disk, "wkB/s", "kB_wrtn/s", -1) * s->seconds;
        s->busy_percent = number(disk, "util", "util", 0);
        s->await_ms = await_of(disk);
        if (!s->device || s->read_kib < 0 || s->write_kib < 0)
            return "a disk has no disk_device, rkB/s or wkB/s: run iostat with -k";
        take_sample(context, s);
    }
    return NULL;
}

static const char *take_host(json_t *host, double seconds,
                             void (*take_sample)(void *context, const struct dsn_sample *s), void *context)
{
    const char *name = json_string_value(json_object_get(host, "nodename")), *wrong = NULL;
    struct dsn_sample s = { .host = name ? name : "unknown", .seconds = seconds };
    int64_t before = -1;
    json_t *report;
    size_t i;

    json_array_foreach(json_object_get(host, "statistics"), i, report)
    {
        s.time = time_of(json_string_value(json_object_get(report, "timestamp")));
        if (s.time < 0)
            return "a report has no timestamp: run iostat with -t and S_TIME_FORMAT=ISO";
        if (seconds == 0)
            s.seconds = i > 0 && s.time > before ? (double)(s.time - before) : 0;
        before = s.time;
        if (s.seconds > 0 && !wrong)
            wrong = take_report(report, &s, take_sample, context);
    }
    return wrong;
}

const char *dsn_iostat_samples(json_t *document, double seconds,
                               void (*take_sample)(void *context, const struct dsn_sample *s), void *context)
{
    json_t *hosts = json_object_get(json_object_get(document, "sysstat"), "hosts"), *host;
    const char *wrong = NULL;
    size_t i;

    if (!json_is_array(hosts))
        return "is not what iostat -o JSON prints";
    json_array_foreach(hosts, i, host) if (!wrong) wrong = take_host(host, seconds, take_sample, context);
    return wrong;
}
