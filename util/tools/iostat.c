/* iostat.c - darshan-iostat: samples of a node's block devices, one CSV file per day
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The measurement is done by sysstat's iostat, which knows the kernel's counters and when they wrap. Each iostat
 * process makes one report, which is written completely before the next, so that at most one report is lost however the
 * command ends. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/account/iostat.h"
#include "util/command/common.h"
#include "command-line/options.h"

#define COMMAND  "darshan-iostat"
#define MOMENT   0.05 /* of a sample: iostat has started by then, or something was wrong */
#define HEADINGS "time,host,device,seconds,read_kib,write_kib,busy_percent,await_ms\n"

enum { OPT_INTERVAL = 1, OPT_COUNT, OPT_DEVICES, OPT_EXCLUDE };

static const struct dsn_option options[] = {
    { "interval", "SECONDS", "length of a sample in seconds (60)", OPT_INTERVAL },
    { "count", "N", "stop after N samples (never)", OPT_COUNT },
    { "devices", "REGEX", "only devices whose whole name matches, such as 'dm-.*|sd[b-z]'", OPT_DEVICES },
    { "exclude", "REGEX", "exclude devices whose whole name matches, such as local disks", OPT_EXCLUDE },
};

static const struct dsn_command command = {
    COMMAND,
    "[options] DIRECTORY",
    "Records the traffic of this node's block devices with sysstat's iostat, in one CSV file per day in DIRECTORY.",
    options,
    sizeof options / sizeof options[0],
    NULL
};

struct settings {
    int64_t interval, count;
    regex_t devices, exclude;
    int has_devices, has_exclude;
    const char *directory;
    FILE *lines; /* of the current report */
    int64_t time;
    int64_t last; /* time of the sample before; 0: there is none */
    char host[256];
};

/* An expression that must match the whole name. */
static int compile(regex_t *to, const char *expression)
{
    char *whole;
    int ok;

    if (asprintf(&whole, "^(%s)$", expression) < 0)
        return 0;
    ok = regcomp(to, whole, REG_EXTENDED | REG_NOSUB) == 0;
    free(whole);
    return ok;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;

    switch (value) {
    case OPT_INTERVAL:
        return dsn_number(argument, 1, &s->interval) && s->interval <= 86400;
    case OPT_COUNT:
        return dsn_number(argument, 1, &s->count);
    case OPT_DEVICES:
        return s->has_devices = compile(&s->devices, argument);
    default:
        return s->has_exclude = compile(&s->exclude, argument);
    }
}

/* Starting iostat takes a moment, which is not measured: a sample is taken to be as long as the time since the one before,
 * so that these moments do not add up to minutes without samples. */
static double seconds_since_last(const struct settings *s, int64_t time, double measured)
{
    const double since = (double)(time - s->last);

    return s->last > 0 && since > measured && since <= measured * (1 + MOMENT) ? since : measured;
}

static void take_sample(void *context, const struct dsn_device_sample *sample)
{
    struct settings *s = context;
    double covered;

    if ((s->has_devices && regexec(&s->devices, sample->device, 0, NULL, 0) != 0) ||
        (s->has_exclude && regexec(&s->exclude, sample->device, 0, NULL, 0) == 0))
        return;
    s->time = sample->time;
    covered = seconds_since_last(s, sample->time, sample->seconds);
    snprintf(s->host, sizeof s->host, "%s", sample->host);
    fprintf(s->lines, "%" PRId64 ",%s,%s,%g,%.12g,%.12g,%g,", sample->time, sample->host, sample->device, covered,
            sample->read_kib * covered / sample->seconds, sample->write_kib * covered / sample->seconds,
            sample->busy_percent);
    if (sample->await_ms >= 0)
        fprintf(s->lines, "%.6g", sample->await_ms);
    fputc('\n', s->lines);
}

/* Gets one report from iostat. NULL: none, which was reported. */
static json_t *report(const struct settings *s)
{
    char line[200];
    json_error_t error;
    json_t *document;
    FILE *from;
    int status;

    snprintf(line, sizeof line, "exec env LC_ALL=C S_TIME_FORMAT=ISO iostat -x -k -t -y -o JSON %" PRId64 " 1",
             s->interval);
    from = popen(line, "re");
    if (!from) {
        fprintf(stderr, COMMAND ": iostat cannot be started: %s\n", strerror(errno));
        return NULL;
    }
    document = json_loadf(from, 0, &error);
    status = pclose(from);
    if (!document || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, COMMAND ": iostat printed no report: %s; install sysstat 11.6 or newer\n",
                document ? "it failed" : error.text);
        json_decref(document);
        return NULL;
    }
    return document;
}

/* Appends to the file of the sample's day in one write, with headings if it is new. */
static int append(const struct settings *s, const char *lines, size_t n)
{
    const time_t t = (time_t)s->time;
    char path[PATH_MAX], day[16];
    struct stat st;
    struct tm tm;
    int fd, ok;

    if (!gmtime_r(&t, &tm) || strftime(day, sizeof day, "%Y-%m-%d", &tm) == 0)
        return 1; /* the clock is wrong: the sample is useless */
    if (snprintf(path, sizeof path, "%s/%s-%s.csv", s->directory, s->host, day) >= (int)sizeof path) {
        dsn_warn(COMMAND, s->directory, "has too long a name");
        return 0;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    ok = fd >= 0 && fstat(fd, &st) == 0 &&
         (st.st_size > 0 || write(fd, HEADINGS, strlen(HEADINGS)) == (ssize_t)strlen(HEADINGS)) &&
         write(fd, lines, n) == (ssize_t)n;
    if (!ok)
        dsn_warn(COMMAND, path, "cannot be written: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Returns 0 after a failure, which was reported. */
static int sample(struct settings *s)
{
    json_t *document = report(s);
    const char *wrong;
    char *lines = NULL;
    size_t n;
    int ok;

    if (!document)
        return 0;
    s->lines = open_memstream(&lines, &n);
    wrong = s->lines ? dsn_iostat_samples(document, (double)s->interval, take_sample, s) : "out of memory";
    if (s->lines && fclose(s->lines) != 0)
        wrong = "out of memory";
    json_decref(document);
    if (wrong)
        fprintf(stderr, COMMAND ": output of iostat: %s\n", wrong);
    ok = !wrong && (n == 0 || append(s, lines, n));
    s->last = n > 0 ? s->time : s->last;
    free(lines);
    return ok;
}

int main(int argc, char **argv)
{
    static struct settings s = { .interval = 60 };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &s);
    if (rc >= 0)
        return rc;
    if (optind != argc - 1)
        return dsn_usage(&command, optind < argc ? "give one directory" : "no directory given");
    s.directory = argv[optind];
    for (int64_t i = 0; s.count == 0 || i < s.count; i++)
        if (!sample(&s))
            return 1;
    return 0;
}
