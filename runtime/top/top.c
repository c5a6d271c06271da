/* top.c - darshan-top: the current I/O of running processes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/as-user.h"
#include "base/clock.h"
#include "base/warn.h"
#include "command/options.h"
#include "command/places.h"
#include "config/config.h"
#include "config/settings.h"
#include "life/state.h"
#include "top/reader.h"
#include "top/report.h"
#include "top/view.h"
#include "top/watch.h"

#define COMMAND        "darshan-top"
#define MOST_METRICS   100
#define USUAL_INTERVAL 1.0

enum output { TEXT, JSON, CSV, METRICS };

static struct settings {
    enum output output;
    int once, merge;
    double interval;
    char **files;            /* to be merged */
    const char *sort, *file; /* NULL: by activity; to standard output */
    int all;                 /* all users, */
    uid_t uid;               /* or this one */
    struct dsn_top_view view;
    struct dsn_top_watch watch;     /* of the caller's own processes */
    struct dsn_top_readers readers; /* of other users, for root */
} settings = { .interval = USUAL_INTERVAL, .view = { .sort = -1 } };

static const struct dsn_option rows[] = {
    { "once", '1', NULL, "take two samples, an interval apart, print the difference, and exit" },
    { "interval", 'd', "SECONDS", "time between two samples, 0.1 to 3600 [1]" },
    { "json", 'J', NULL, "print JSON: one document per sample" },
    { "csv", 'c', NULL, "print CSV: the rows of --show" },
    { "openmetrics", 'O', NULL, "print OpenMetrics text, for Prometheus" },
    { "output", 'o', "FILE", "write to this file, which is replaced atomically" },
    { "show", 's', "WHAT", "processes, files, mounts or jobs [processes]" },
    { "sort", 'S', "COLUMN", "sort lines by this column, named as in the heading" },
    { "filter", 'f', "TEXT", "only lines whose user, program, state, node, file or mount point contains this" },
    { "active", 'i', NULL, "only lines with activity" },
    { "job", 'j', "ID", "only processes of the job with this id" },
    { "pid", 'p', "PID", "only this process" },
    { "user", 'u', "NAME", "this user's processes, instead of one's own (root only)" },
    { "all", 'a', NULL, "all users' processes (root only, for whom it is the default)" },
    { "merge", 'm', NULL, "merge output of --json from several nodes, from files or '-'" },
    { "help", 'h', NULL, "print this" },
    { "version", 'V', NULL, "print the version" },
};

/* ------------------------------------------------------------------ options */

static double seconds_of(int letter, const char *text)
{
    char *end;
    const double v = strtod(text, &end);

    if (end == text || *end || !(v >= 0.1 && v <= 3600))
        dsn__command_invalid(letter, text);
    return v;
}

static enum dsn_top_kind kind_of(int letter, const char *text)
{
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        if (strcmp(text, dsn__top_kinds[kind]) == 0)
            return (enum dsn_top_kind)kind;
    dsn__command_invalid(letter, text);
}

static void set_option(void *context, int letter, const char *argument)
{
    struct settings *s = context;

    switch (letter) {
    case '1':
        s->once = 1;
        break;
    case 'd':
        s->interval = seconds_of(letter, argument);
        break;
    case 'J':
    case 'c':
    case 'O':
        if (s->output != TEXT)
            dsn__command_misused("--json, --csv and --openmetrics exclude each other");
        s->output = letter == 'J' ? JSON : letter == 'c' ? CSV : METRICS;
        break;
    case 'o':
        s->file = argument;
        break;
    case 's':
        s->view.kind = kind_of(letter, argument);
        break;
    case 'S':
        s->sort = argument;
        break;
    case 'f':
        if ((size_t)snprintf(s->view.filter, sizeof s->view.filter, "%s", argument) >= sizeof s->view.filter)
            dsn__command_invalid(letter, argument);
        break;
    case 'i':
        s->view.hides_idle = 1;
        break;
    case 'j':
        s->watch.job = dsn__command_number(letter, argument, 1, LLONG_MAX);
        break;
    case 'p':
        s->watch.pid = dsn__command_number(letter, argument, 1, LLONG_MAX);
        break;
    case 'u':
        if (!dsn__find_user(argument, &s->uid))
            dsn__command_invalid(letter, argument);
        s->all = 0;
        break;
    case 'a':
        s->all = 1;
        break;
    default:
        s->merge = 1;
        break;
    }
}

static const struct dsn_command command = {
    COMMAND,
    "Usage: " COMMAND " [options]\n"
    "       " COMMAND " --merge [options] FILE...|-\n\n"
    "Shows the current I/O of instrumented programs on this node, by process, file, mount point\n"
    "or job, from their counters, which are read without a lock or a signal. On a terminal press h for keys.\n\n",
    rows, sizeof rows / sizeof rows[0], set_option
};

static void check_together(struct settings *s)
{
    if (geteuid() != 0 && (s->all || s->uid != geteuid())) {
        dsn__shown_error("only root may look at the processes of other users");
        exit(1);
    }
    if (s->sort && (s->view.sort = dsn__top_sort(s->view.kind, s->sort)) < 0)
        dsn__command_misused("--sort %s: %s have no column of that name", s->sort, dsn__top_kinds[s->view.kind]);
}

static void read_options(struct settings *s, int argc, char **argv)
{
    const int first = dsn__command_begin(&command, argc, argv, s);

    if (s->merge && first == argc)
        dsn__command_misused("--merge needs the files to be merged, or '-'");
    if (!s->merge && first < argc)
        dsn__command_misused("%s: no argument was expected", argv[first]);
    check_together(s);
    s->files = argv + first;
}

/* ------------------------------------------------------------------ output */

static int write_to(FILE *to, const struct settings *s, struct dsn_top_report *r)
{
    switch (s->output) {
    case JSON:
        return dsn__top_write_json(to, r);
    case CSV:
        return dsn__top_write_csv(to, r, s->view.kind);
    case METRICS:
        return dsn__top_write_metrics(to, r, MOST_METRICS);
    default:
        return dsn__top_write_text(to, &s->view, r);
    }
}

/* Replaces the file atomically. */
static int write_out(const struct settings *s, struct dsn_top_report *r)
{
    char partial[PATH_MAX];
    FILE *to = stdout;
    int ok;

    if (s->file) {
        snprintf(partial, sizeof partial, "%s.new-%ld", s->file, (long)getpid());
        to = fopen(partial, "wxe");
    }
    if (!to) {
        dsn__shown_error("%s: %s", s->file, strerror(errno));
        return 0;
    }
    ok = write_to(to, s, r);
    if (s->file)
        ok &= fclose(to) == 0 && rename(partial, s->file) == 0;
    if (!ok)
        dsn__shown_error("%s: %s", s->file ? s->file : "cannot write the output", strerror(errno));
    if (!ok && s->file)
        unlink(partial);
    return ok;
}

/* ------------------------------------------------------------------ looks */

/* Root reads its own files, and starts child processes for the other users'. */
static void choose_watched(struct settings *s)
{
    const int own = s->all || s->uid == geteuid();

    if (own)
        dsn__command_bases(s->watch.base);
    s->watch.uid = geteuid();
    s->readers = (struct dsn_top_readers){ .all = s->all, .uid = s->uid };
}

static int take_look(struct dsn_top_report *r)
{
    struct settings *s = &settings;
    const int others = geteuid() == 0;
    int ok;

    dsn__top_report_clear(r);
    ok = !others || dsn__top_readers_ask(&s->readers, &s->watch);
    ok = ok && dsn__top_watch_look(&s->watch) && dsn__top_report_watch(r, &s->watch);
    if (ok && others)
        dsn__top_readers_answer(&s->readers, r);
    if (ok)
        return 1;
    dsn__shown_error("out of memory");
    return 0;
}

static void sleep_until(int64_t due)
{
    const int64_t left = due - dsn__now();
    const struct timespec nap = { left / 1000000000, left % 1000000000 };

    if (left > 0)
        nanosleep(&nap, NULL);
}

static int look_on(const struct settings *s, struct dsn_top_report *r)
{
    const int64_t interval = (int64_t)(s->interval * 1e9);
    int64_t due = dsn__now();
    int ok = take_look(r);

    if (ok && s->output == TEXT && !s->once && !s->file && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        const int shown = dsn__top_screen(&settings.view, s->interval, take_look, r);

        if (shown >= 0)
            return shown;
    }
    do {
        due += interval;
        due = due > dsn__now() ? due : dsn__now();
        sleep_until(due);
        ok = ok && take_look(r) && write_out(s, r);
    } while (ok && !s->once);
    return ok;
}

static int merge(const struct settings *s, struct dsn_top_report *r)
{
    for (char **files = s->files; *files; files++) {
        FILE *from = strcmp(*files, "-") == 0 ? stdin : fopen(*files, "re");
        char error[512] = "";
        int ok;

        if (!from) {
            dsn__shown_error("%s: %s", *files, strerror(errno));
            return 0;
        }
        ok = dsn__top_read_json(from, r, NULL, error, sizeof error);
        if (from != stdin)
            fclose(from);
        if (!ok) {
            dsn__shown_error("%s: %s; make it with darshan-top --once --json on each node", *files, error);
            return 0;
        }
    }
    return write_out(s, r);
}

static void know_width(struct dsn_top_view *v)
{
    struct winsize size;

    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        v->width = size.ws_col;
}

int main(int argc, char **argv)
{
    struct settings *s = &settings;
    struct dsn_top_report report = { .host = "" };
    int ok;

    s->uid = geteuid();
    s->all = geteuid() == 0;
    read_options(s, argc, argv);
    dsn__know_stderr();
    dsn__config_load(dsn__config, dsn__state.config_text, sizeof dsn__state.config_text);
    choose_watched(s);
    know_width(&s->view);
    dsn__top_watch_start();
    ok = s->merge ? merge(s, &report) : look_on(s, &report);
    dsn__top_report_free(&report);
    dsn__top_watch_end(&s->watch);
    dsn__top_readers_end(&s->readers);
    return !ok;
}
