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
#include "base/shown.h"
#include "base/warn.h"
#include "command-line/options.h"
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
    int outputs, once, merge; /* outputs: how many were chosen */
    double interval;
    char **files;            /* to be merged */
    const char *sort, *file; /* NULL: by activity; to standard output */
    int all;                 /* all users, */
    uid_t uid;               /* or this one */
    struct dsn_top_view view;
    struct dsn_top_watch watch;     /* of the caller's own processes */
    struct dsn_top_readers readers; /* of other users, for root */
} settings = { .interval = USUAL_INTERVAL, .view = { .sort = -1 } };

static const struct dsn_option options[] = {
    { "once", NULL, "take two samples, an interval apart, print the difference, and exit", '1' },
    { "interval", "SECONDS", "time between two samples, 0.1 to 3600 [1]", 'd' },
    { "json", NULL, "print JSON: one document per sample", 'J' },
    { "csv", NULL, "print CSV: the rows of --show", 'c' },
    { "openmetrics", NULL, "print OpenMetrics text, for Prometheus", 'O' },
    { "output", "FILE", "write to this file, which is replaced atomically", 'o' },
    { "show", "WHAT", "processes, files, mounts or jobs [processes]", 's' },
    { "sort", "COLUMN", "sort lines by this column, named as in the heading", 'S' },
    { "filter", "TEXT", "only lines whose user, program, state, node, file or mount point contains this", 'f' },
    { "active", NULL, "only lines with activity", 'i' },
    { "job", "ID", "only processes of the job with this id", 'j' },
    { "pid", "PID", "only this process", 'p' },
    { "user", "NAME", "this user's processes, instead of one's own (root only)", 'u' },
    { "all", NULL, "all users' processes (root only, for whom it is the default)", 'a' },
    { "merge", NULL, "merge output of --json from several nodes, from files or '-'", 'm' },
};

static const struct dsn_command command = {
    .name = COMMAND,
    .operands = "[options]\n"
                "--merge [options] FILE...|-",
    .purpose =
        "Shows the current I/O of instrumented programs on this node, by process, file, mount point\n"
        "or job, from their counters, which are read without a lock or a signal. On a terminal press h for keys.",
    .options = options,
    .noptions = sizeof options / sizeof options[0],
    .note = DSN_COMMAND_BASES,
};

/* ------------------------------------------------------------------ options */

/* These return 0 if the argument is invalid. */
static int read_interval(const char *text, double *interval)
{
    char *end;

    *interval = strtod(text, &end);
    return end != text && *end == '\0' && *interval >= 0.1 && *interval <= 3600;
}

static int find_kind(const char *text, enum dsn_top_kind *found)
{
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        if (strcmp(text, dsn__top_kinds[kind]) == 0) {
            *found = (enum dsn_top_kind)kind;
            return 1;
        }
    return 0;
}

static int set_option(void *context, int letter, const char *argument)
{
    struct settings *s = context;

    switch (letter) {
    case '1':
        s->once = 1;
        break;
    case 'd':
        return read_interval(argument, &s->interval);
    case 'J':
    case 'c':
    case 'O':
        s->outputs++;
        s->output = letter == 'J' ? JSON : letter == 'c' ? CSV : METRICS;
        break;
    case 'o':
        s->file = argument;
        break;
    case 's':
        return find_kind(argument, &s->view.kind);
    case 'S':
        s->sort = argument;
        break;
    case 'f':
        return (size_t)snprintf(s->view.filter, sizeof s->view.filter, "%s", argument) < sizeof s->view.filter;
    case 'i':
        s->view.hides_idle = 1;
        break;
    case 'j':
        return dsn_number(argument, 1, &s->watch.job);
    case 'p':
        return dsn_number(argument, 1, &s->watch.pid);
    case 'u':
        s->all = 0;
        return dsn__find_user(argument, &s->uid);
    case 'a':
        s->all = 1;
        break;
    default:
        s->merge = 1;
        break;
    }
    return 1;
}

/* Returns -1 to continue, else the exit status. */
static int read_options(struct settings *s, int argc, char **argv)
{
    const int status = dsn_options(&command, argc, argv, set_option, s);

    if (status >= 0)
        return status;
    if (s->outputs > 1)
        return dsn_usage(&command, "--json, --csv and --openmetrics exclude each other");
    if (s->merge && optind == argc)
        return dsn_usage(&command, "--merge needs the files to be merged, or '-'");
    if (!s->merge && optind < argc)
        return dsn_usage(&command, "%s: no argument was expected", argv[optind]);
    if (geteuid() != 0 && (s->all || s->uid != geteuid())) {
        dsn__shown_error("only root may look at the processes of other users");
        return 1;
    }
    if (s->sort && (s->view.sort = dsn__top_sort(s->view.kind, s->sort)) < 0)
        return dsn_usage(&command, "--sort %s: %s have no column of that name", s->sort, dsn__top_kinds[s->view.kind]);
    s->files = argv + optind;
    return -1;
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
    int ok, status;

    dsn__shown_command(COMMAND);
    s->uid = geteuid();
    s->all = geteuid() == 0;
    status = read_options(s, argc, argv);
    if (status >= 0)
        return status;
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
