/* top.c - darshan-top: what the I/O of processes that run is doing now
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/warn.h"
#include "darshan-log-format/header.h"
#include "darshan-log-format/shown.h"
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
    const char *sort, *file; /* NULL: by what they do; to standard output */
    struct dsn_top_view view;
    struct dsn_top_watch watch;
} settings = { .interval = USUAL_INTERVAL, .view = { .sort = -1 } };

static const struct option_row {
    const char *name;
    int letter;
    const char *argument, *help;
} rows[] = {
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
#define NROWS (sizeof rows / sizeof rows[0])

/* ------------------------------------------------------------------ errors, help */

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
    char text[2 * PATH_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs(COMMAND ": ", stderr);
    for (const char *at = text; *at;) {
        const size_t n = dsn_shown((const unsigned char *)at);

        fwrite(n > 0 ? at : "?", 1, n > 0 ? n : 1, stderr);
        at += n > 0 ? n : 1;
    }
    putc('\n', stderr);
}

#define end_misused(...) (complain(__VA_ARGS__), exit(2))

static _Noreturn void print_and_exit(void)
{
    if (fflush(stdout) == 0)
        exit(0);
    complain("cannot write the output: %s", strerror(errno));
    exit(1);
}

static _Noreturn void print_usage(void)
{
    printf(
        "Usage: " COMMAND " [options]\n"
        "       " COMMAND " --merge [options] FILE...|-\n\n"
        "Shows the current I/O of instrumented programs on this node, by process, file, mount point\n"
        "or job, from their counters, which are read without a lock or a signal. On a terminal press h for keys.\n\n");
    for (unsigned i = 0; i < NROWS; i++) {
        char option[40];

        snprintf(option, sizeof option, "%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        printf("  -%c, --%-18s  %s\n", rows[i].letter, option, rows[i].help);
    }
    printf("\nLooks in the directory that DARSHAN_MMAP_LOGPATH names, or else in /dev/shm and /tmp.\n");
    print_and_exit();
}

static _Noreturn void print_version(void)
{
    printf(COMMAND " " PACKAGE_VERSION " (compatible with Darshan " DSN_COMPAT_RELEASE ")\n");
    print_and_exit();
}

/* ------------------------------------------------------------------ options */

static const struct option_row *row_of(int letter)
{
    for (unsigned i = 0; i < NROWS; i++)
        if (rows[i].letter == letter)
            return &rows[i];
    return NULL;
}

static _Noreturn void end_unknown(int value, const char *word)
{
    const struct option_row *row = row_of(optopt);

    if (row && value == ':')
        end_misused("--%s needs an argument, %s; see '" COMMAND " --help'", row->name, row->argument);
    if (row)
        end_misused("--%s takes no argument; see '" COMMAND " --help'", row->name);
    if (optopt)
        end_misused("unknown option -%c; see '" COMMAND " --help'", optopt);
    end_misused("unknown option %s; see '" COMMAND " --help'", word);
}

static _Noreturn void end_invalid(int letter, const char *text)
{
    end_misused("--%s %s: invalid %s (%s); see '" COMMAND " --help'", row_of(letter)->name, text,
                row_of(letter)->argument, row_of(letter)->help);
}

static long long number_of(int letter, const char *text)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno || end == text || *end || v < 1)
        end_invalid(letter, text);
    return v;
}

static double seconds_of(int letter, const char *text)
{
    char *end;
    const double v = strtod(text, &end);

    if (end == text || *end || !(v >= 0.1 && v <= 3600))
        end_invalid(letter, text);
    return v;
}

static enum dsn_top_kind kind_of(int letter, const char *text)
{
    for (int kind = 0; kind < DSN_TOP_NKINDS; kind++)
        if (strcmp(text, dsn__top_kinds[kind]) == 0)
            return (enum dsn_top_kind)kind;
    end_invalid(letter, text);
}

static uid_t user_of(int letter, const char *text)
{
    const struct passwd *user = getpwnam(text);
    unsigned long number;
    char *end;

    if (user)
        return user->pw_uid;
    number = strtoul(text, &end, 10);
    if (*end || end == text || number >= UINT32_MAX)
        end_invalid(letter, text);
    return (uid_t)number;
}

static void set_option(struct settings *s, int letter, const char *argument)
{
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
            end_misused("--json, --csv and --openmetrics exclude each other; see '" COMMAND " --help'");
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
            end_invalid(letter, argument);
        break;
    case 'i':
        s->view.hides_idle = 1;
        break;
    case 'j':
        s->watch.job = number_of(letter, argument);
        break;
    case 'p':
        s->watch.pid = number_of(letter, argument);
        break;
    case 'u':
        s->watch.uid = user_of(letter, argument);
        s->watch.all = 0;
        break;
    case 'a':
        s->watch.all = 1;
        break;
    case 'm':
        s->merge = 1;
        break;
    case 'h':
        print_usage();
    default:
        print_version();
    }
}

static void check_together(struct settings *s)
{
    if (geteuid() != 0 && (s->watch.all || s->watch.uid != geteuid())) {
        complain("only root may look at the processes of other users");
        exit(1);
    }
    if (s->sort && (s->view.sort = dsn__top_sort(s->view.kind, s->sort)) < 0)
        end_misused("--sort %s: %s have no column of that name; see '" COMMAND " --help'", s->sort,
                    dsn__top_kinds[s->view.kind]);
}

static void read_options(struct settings *s, int argc, char **argv)
{
    struct option options[NROWS + 1] = { { 0 } };
    char letters[2 * NROWS + 2] = ":";
    size_t n = 1;
    int value;

    for (unsigned i = 0; i < NROWS; i++) {
        options[i] =
            (struct option){ rows[i].name, rows[i].argument ? required_argument : no_argument, NULL, rows[i].letter };
        letters[n++] = (char)rows[i].letter;
        if (rows[i].argument)
            letters[n++] = ':';
    }
    opterr = 0;
    while ((value = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (value == '?' || value == ':')
            end_unknown(value, argv[optind - 1]);
        set_option(s, value, optarg);
    }
    if (s->merge && optind == argc)
        end_misused("--merge wants the files to be merged, or '-'; see '" COMMAND " --help'");
    if (!s->merge && optind < argc)
        end_misused("%s: no argument was expected; see '" COMMAND " --help'", argv[optind]);
    check_together(s);
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

/* Who reads the file finds the old text or the new one. */
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
        complain("%s: %s", s->file, strerror(errno));
        return 0;
    }
    ok = write_to(to, s, r);
    if (s->file)
        ok &= fclose(to) == 0 && rename(partial, s->file) == 0;
    if (!ok)
        complain("%s: %s", s->file ? s->file : "cannot write the output", strerror(errno));
    if (!ok && s->file)
        unlink(partial);
    return ok;
}

/* ------------------------------------------------------------------ looks */

static int take_look(struct dsn_top_report *r)
{
    dsn__top_report_clear(r);
    if (dsn__top_watch_look(&settings.watch) && dsn__top_report_watch(r, &settings.watch))
        return 1;
    complain("there is no memory");
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

static int merge(const struct settings *s, char **files, struct dsn_top_report *r)
{
    for (; *files; files++) {
        FILE *from = strcmp(*files, "-") == 0 ? stdin : fopen(*files, "re");
        char error[512] = "";
        int ok;

        if (!from) {
            complain("%s: %s", *files, strerror(errno));
            return 0;
        }
        ok = dsn__top_read_json(from, r, error, sizeof error);
        if (from != stdin)
            fclose(from);
        if (!ok) {
            complain("%s: %s; make it with darshan-top --once --json on each node", *files, error);
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
    const char *base = getenv("DARSHAN_MMAP_LOGPATH");
    struct dsn_top_report report = { .host = "" };
    int ok;

    s->watch.base = base && *base ? base : NULL;
    s->watch.uid = geteuid();
    s->watch.all = geteuid() == 0;
    read_options(s, argc, argv);
    know_width(&s->view);
    dsn__know_stderr();
    dsn__top_watch_start(&s->watch);
    ok = s->merge ? merge(s, argv + optind, &report) : look_on(s, &report);
    dsn__top_report_free(&report);
    dsn__top_watch_end(&s->watch);
    return !ok;
}
