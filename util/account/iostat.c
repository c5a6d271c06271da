/* iostat.c - parses the JSON of sysstat's iostat and sadf
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "iostat.h"

#include <stdio.h>
#include <time.h>

#include "local-time.h"

/* -1: invalid. iostat prints ISO times if S_TIME_FORMAT=ISO is set, otherwise the locale's format. `before`: the time of the
 * report before. */
static int64_t time_of(const char *text, int64_t before)
{
    static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %I:%M:%S %p",
                                           "%m/%d/%Y %H:%M:%S",   "%m/%d/%y %H:%M:%S", "%d/%m/%y %H:%M:%S" };

    for (size_t i = 0; text && i < sizeof formats / sizeof formats[0]; i++) {
        struct tm tm = { .tm_isdst = -1 };
        const char *end = strptime(text, formats[i], &tm);
        const long offset = tm.tm_gmtoff;
        const int day = tm.tm_mday;
        int64_t time, second;

        if (!end || *end != '\0')
            continue;
        if (i > 0)
            return dsn_local_times(&tm, &time, &second) ? dsn_local_time_after(time, second, before) : -1;
        time = timegm(&tm) - offset;
        return tm.tm_mday == day ? time : -1; /* there is no 30 February */
    }
    return -1;
}

/* Names of a disk's figures in releases of iostat and in sadf, and what makes KiB/s of them. */
struct name {
    const char *name;
    double factor;
};
static const struct name reading[] = { { "rkB/s", 1 }, { "kB_read/s", 1 }, { "rkB", 1 }, { "rd_sec", 0.5 } };
static const struct name writing[] = { { "wkB/s", 1 }, { "kB_wrtn/s", 1 }, { "wkB", 1 }, { "wr_sec", 0.5 } };
static const struct name busy[] = { { "util", 1 }, { "util-percent", 1 } };
static const struct name reads[] = { { "r/s", 1 } }, writes[] = { { "w/s", 1 } };
static const struct name read_ms[] = { { "r_await", 1 } }, write_ms[] = { { "w_await", 1 } };
static const struct name any_ms[] = { { "await", 1 } }, any_calls[] = { { "tps", 1 } };

static double first_of(json_t *object, const struct name *names, size_t n, double otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (json_is_number(json_object_get(object, names[i].name)))
            return names[i].factor * json_number_value(json_object_get(object, names[i].name));
    return otherwise;
}
#define FIRST(object, names, otherwise) first_of(object, names, sizeof names / sizeof names[0], otherwise)

/* Mean of reads and writes, weighted by their number; -1: there were none, or it is not known. */
static double await_of(json_t *disk)
{
    const double r = FIRST(disk, reads, 0), w = FIRST(disk, writes, 0);
    const double any = FIRST(disk, any_ms, -1), r_ms = FIRST(disk, read_ms, any), w_ms = FIRST(disk, write_ms, any);

    if (r + w > 0)
        return r_ms < 0 || w_ms < 0 ? -1 : (r * r_ms + w * w_ms) / (r + w);
    return FIRST(disk, any_calls, 0) > 0 ? any : -1;
}

static const char *take_report(json_t *report, struct dsn_device_sample *s,
                               void (*take_sample)(void *context, const struct dsn_device_sample *s), void *context)
{
    json_t *disk;
    size_t i;

    json_array_foreach(json_object_get(report, "disk"), i, disk)
    {
        const char *name = json_string_value(json_object_get(disk, "disk_device"));

        s->device = name ? name : json_string_value(json_object_get(disk, "disk-device"));
        s->read_kib = FIRST(disk, reading, -1) * s->seconds;
        s->write_kib = FIRST(disk, writing, -1) * s->seconds;
        s->busy_percent = FIRST(disk, busy, 0);
        s->await_ms = await_of(disk);
        if (!s->device || s->read_kib < 0 || s->write_kib < 0)
            return "a disk has no disk_device, rkB/s or wkB/s: run iostat with -k";
        take_sample(context, s);
    }
    return NULL;
}

/* sadf's timestamps are objects, and tell how long a sample is. */
static int64_t time_of_report(json_t *stamp, int64_t before, double *seconds)
{
    const char *day = json_string_value(json_object_get(stamp, "date"));
    const char *hour = json_string_value(json_object_get(stamp, "time"));
    const json_t *interval = json_object_get(stamp, "interval");
    char text[60];

    if (!day || !hour)
        return time_of(json_string_value(stamp), before);
    if (json_is_number(interval))
        *seconds = json_number_value(interval);
    snprintf(text, sizeof text, "%sT%s%s", day, hour, json_integer_value(json_object_get(stamp, "utc")) ? "+0000" : "");
    return time_of(text, before);
}

static const char *take_host(json_t *host, double seconds,
                             void (*take_sample)(void *context, const struct dsn_device_sample *s), void *context)
{
    const char *name = json_string_value(json_object_get(host, "nodename")), *wrong = NULL;
    struct dsn_device_sample s = { .host = name ? name : "unknown" };
    int64_t before = -1;
    json_t *report;
    size_t i;

    json_array_foreach(json_object_get(host, "statistics"), i, report)
    {
        s.seconds = seconds;
        s.time = time_of_report(json_object_get(report, "timestamp"), before, &s.seconds);
        if (s.time < 0)
            return "a report has no timestamp: run iostat with -t and S_TIME_FORMAT=ISO";
        if (s.seconds == 0 && i > 0 && s.time > before)
            s.seconds = (double)(s.time - before);
        before = s.time;
        if (s.seconds > 0 && !wrong)
            wrong = take_report(report, &s, take_sample, context);
    }
    return wrong;
}

const char *dsn_iostat_samples(json_t *document, double seconds,
                               void (*take_sample)(void *context, const struct dsn_device_sample *s), void *context)
{
    json_t *hosts = json_object_get(json_object_get(document, "sysstat"), "hosts"), *host;
    const char *wrong = NULL;
    size_t i;

    if (!json_is_array(hosts))
        return "is not what iostat -o JSON or sadf -j prints";
    json_array_foreach(hosts, i, host) if (!wrong) wrong = take_host(host, seconds, take_sample, context);
    return wrong;
}
