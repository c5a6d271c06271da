/* darshan.c - darshan: records a command and says how its I/O went; the way to all other commands
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "runs.h"
#include "util/command/common.h"
#include "command-line/options.h"

#define COMMAND "darshan"
#define SUMMARY "darshan-job-summary"

enum {
    OPT_TRACE = 1,
    OPT_WHERE,
    OPT_QUIET,
    OPT_OPEN,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_NODES,
    OPT_FILES,
    OPT_PAGE = 'p',
    OPT_OUTPUT = 'o'
};

static const struct dsn_option of_run[] = {
    { "page", "FILE", "write the report in HTML to FILE, too", OPT_PAGE },
    { "trace", NULL, "record every read and write with its time: the page shows them", OPT_TRACE },
    { "where", NULL, "record which lines of the program make the calls: the summary names them", OPT_WHERE },
    { "output", "DIR",
      "make the directory for the log in DIR (default: below ~/.local/share/darshan/runs, where the last 100 runs "
      "stay)",
      OPT_OUTPUT },
    { "quiet", NULL, "do not print the summary, only where the log is", OPT_QUIET },
};
static const struct dsn_option of_report[] = {
    { "page", "FILE", "write the report in HTML to FILE instead", OPT_PAGE },
    { "open", NULL, "write it to a file beside the log, and show it in the browser", OPT_OPEN },
    { "json", NULL, "print the whole report as one JSON document", OPT_JSON },
    { "verbose", NULL, "all findings with evidence, and tables: more than one screen", OPT_VERBOSE },
    { "files", "PATTERN", "only files whose names match, as in \"*.h5\" or \"out/chk_#.h5\"; may be repeated",
      OPT_FILES },
    { "nodes", "N", "number of compute nodes of the job, if the log does not contain it", OPT_NODES },
};

#define MOST_OPTIONS 140

struct settings {
    struct dsn_program_run run;
    char *options[MOST_OPTIONS]; /* for darshan-job-summary */
    int noptions, opens;
};

#define LOG_HELP                                                                                                       \
    "LOG is a log, a directory of logs, the id of a job, or the last run of `darshan run`: last, last-1, ..."

static int run(struct settings *s, int argc, char **argv);
static int report(struct settings *s, int argc, char **argv);
static int compare(struct settings *s, int argc, char **argv);
static int list(struct settings *s, int argc, char **argv);

#define OPTIONS(rows) rows, sizeof rows / sizeof rows[0], NULL

static const struct word {
    const char *name;
    int (*perform)(struct settings *s, int argc, char **argv);
    struct dsn_command command;
    const char *does;
} words[] = {
    { "run",
      run,
      { COMMAND " run", "[options] [--] COMMAND [ARGUMENT]...",
        "Runs a command, and says when it has ended how its reading and writing went, and where the\nlog is: on "
        "stderr. The "
        "command may be a program, a script, mpirun, srun, or a line for the\nshell in quotes. The exit status is the "
        "command's.",
        OPTIONS(of_run) },
      "runs a command, and says how its I/O went" },
    { "report",
      report,
      { COMMAND " report", "[options] [LOG]",
        "Says why the I/O of a recorded run is slow, and what to do about it. " LOG_HELP "\nWithout LOG: the last.",
        OPTIONS(of_report) },
      "why the I/O of a recorded run is slow, and what to do" },
    { "compare",
      compare,
      { COMMAND " compare", "LOG1 LOG2", "What changed between two runs. " LOG_HELP, NULL, 0, NULL },
      "what changed between two runs" },
    { "list",
      list,
      { COMMAND " list", "[DIR]", "Lists the runs that `darshan run` has recorded, or the logs in DIR, newest first.",
        NULL, 0, NULL },
      "the runs that were recorded, newest first" },
};
#define NWORDS (sizeof words / sizeof words[0])

/* All other commands are programs of their own. */
static const struct group {
    const char *title;
    const char *names[8];
} groups[] = {
    { "while it runs", { "top", "recover" } },
    { "contents of logs", { "parser", "dxt-parser", "trace", "job-summary", "analyzer" } },
    { "other logs of them", { "convert", "merge", "diff" } },
    { "what it means", { "cycles", "simulate" } },
    { "measuring", { "sweep", "spmv", "block", "fsstats", "iostat" } },
    { "for a site", { "accounting", "mk-log-dirs", "config" } },
};
#define NGROUPS (sizeof groups / sizeof groups[0])

/* ------------------------------------------------------------------ words of this command */

static void pass_option(struct settings *s, const char *option, const char *argument)
{
    s->options[s->noptions++] = strdup(option);
    if (argument)
        s->options[s->noptions++] = strdup(argument);
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;

    if (s->noptions + 4 > MOST_OPTIONS)
        return 0;
    switch (value) {
    case OPT_PAGE:
        s->run.page = argument;
        return 1;
    case OPT_OUTPUT:
        s->run.output = argument;
        return 1;
    case OPT_TRACE:
        return s->run.trace = 1;
    case OPT_WHERE:
        return s->run.where = 1;
    case OPT_QUIET:
        return s->run.quiet = 1;
    case OPT_OPEN:
        return s->opens = 1;
    case OPT_JSON:
        pass_option(s, "--json", NULL);
        return 1;
    case OPT_VERBOSE:
        pass_option(s, "--verbose", NULL);
        return 1;
    case OPT_FILES:
        pass_option(s, "--files", argument);
        return 1;
    default:
        pass_option(s, "--nodes", argument);
        return 1;
    }
}

static int run(struct settings *s, int argc, char **argv)
{
    if (argc == 0)
        return dsn_usage(&words[0].command, "no command given");
    s->run.argv = argv;
    return dsn_program_run(&s->run);
}

/* The directory of the logs of programs that run without darshan run. NULL: it is not there. */
static const char *directory_of_logs(void)
{
    const char *of_user = getenv("DARSHAN_LOGPATH"), *path = of_user && of_user[0] != '\0' ? of_user : DSN_LOG_PATH;
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? path : NULL;
}

/* Finds a log, or reports that there is none. */
static int found(const char *command, const char *word, char path[PATH_MAX])
{
    const int is_number = word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
    const char *logs;

    if (dsn_runs_find(word, path))
        return 1;
    logs = is_number ? directory_of_logs() : NULL;
    if (logs)
        dsn_warn(command, word,
                 "there is no such run: darshan list shows those that were recorded; of a job without darshan run: "
                 "darshan-job-summary --job %s %s",
                 word, logs);
    else
        dsn_warn(command, word, "there is no such run: darshan list shows those that were recorded");
    return 0;
}

/* darshan-job-summary with options and up to two logs: in place of this process, or waited for. */
static int summarize(const struct settings *s, const char *option, char *first, char *second)
{
    static char name[] = SUMMARY;
    char *argv[MOST_OPTIONS + 8] = { name };
    int n = 1;

    for (int i = 0; i < s->noptions; i++)
        argv[n++] = s->options[i];
    if (option)
        argv[n++] = strdup(option);
    argv[n++] = first;
    argv[n] = second;
    return s->opens ? dsn_spawn_own(name, argv, STDOUT_FILENO) : dsn_exec_own(name, argv);
}

static int show(const char *page)
{
    execlp("xdg-open", "xdg-open", page, (char *)NULL);
    dsn_warn(COMMAND " report", page, "is the page; there is no xdg-open to show it with");
    return 1;
}

static int report(struct settings *s, int argc, char **argv)
{
    char log[PATH_MAX], page[PATH_MAX];
    int status;

    if (argc > 1)
        return dsn_usage(&words[1].command, "unexpected argument %s", argv[1]);
    if (!found(COMMAND " report", argc > 0 ? argv[0] : "last", log))
        return 1;
    if (s->opens && !s->run.page && snprintf(page, sizeof page, "%s.html", log) < PATH_MAX)
        s->run.page = page;
    if (s->run.page)
        pass_option(s, "--output", s->run.page);
    status = summarize(s, NULL, log, NULL);
    return status ? status : show(s->run.page);
}

static int compare(struct settings *s, int argc, char **argv)
{
    char first[PATH_MAX], second[PATH_MAX];

    if (argc != 2)
        return dsn_usage(&words[2].command, "give two logs");
    if (!found(COMMAND " compare", argv[0], first) || !found(COMMAND " compare", argv[1], second))
        return 1;
    return summarize(s, "--compare", first, second);
}

static int list(struct settings *s, int argc, char **argv)
{
    char place[PATH_MAX];

    if (argc > 1)
        return dsn_usage(&words[3].command, "unexpected argument %s", argv[1]);
    if (argc == 0 && (dsn_runs_place(place) != 0 || access(place, F_OK) != 0)) {
        puts("No run was recorded yet: darshan run COMMAND does it.");
        return 0;
    }
    return summarize(s, "--list", argc > 0 ? argv[0] : place, NULL);
}

/* ------------------------------------------------------------------ the way to the others */

static const char *purpose(void)
{
    static char text[3072];
    size_t n =
        (size_t)snprintf(text, sizeof text, "Records what a program reads and writes, and says what was slow.\n\n");

    for (size_t i = 0; i < NWORDS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-8s %s\n", words[i].name, words[i].does);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "\nOther commands, each also by its own name, as darshan-parser:\n");
    for (size_t g = 0; g < NGROUPS; g++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "    %s:", groups[g].title);
        for (size_t i = 0; i < 8 && groups[g].names[i]; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", i ? "," : "", groups[g].names[i]);
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    snprintf(text + n, sizeof text - n, "\n`" COMMAND " COMMAND --help` prints the options of one.");
    return text;
}

static int perform_other(const struct dsn_command *general, char **argv)
{
    const char *name = argv[1];
    struct dsn_nearest nearest = { .word = name };
    char program[64];

    for (size_t g = 0; g < NGROUPS; g++)
        for (size_t i = 0; i < 8 && groups[g].names[i]; i++) {
            dsn_nearest(&nearest, groups[g].names[i]);
            if (strcmp(groups[g].names[i], name) == 0) {
                snprintf(program, sizeof program, "darshan-%s", name);
                argv[1] = program;
                return dsn_exec_own(program, argv + 1);
            }
        }
    for (size_t i = 0; i < NWORDS; i++)
        dsn_nearest(&nearest, words[i].name);
    return dsn_unknown(general, &nearest);
}

int main(int argc, char **argv)
{
    struct settings s = { .noptions = 0 };
    struct dsn_command general = { COMMAND, "COMMAND [ARGUMENT]...", NULL, NULL, 0, NULL };
    int rc;

    dsn_begin();
    general.purpose = purpose();
    for (size_t i = 0; argc > 1 && i < NWORDS; i++)
        if (strcmp(words[i].name, argv[1]) == 0) {
            rc = dsn_options(&words[i].command, argc - 1, argv + 1, take_option, &s);
            return rc >= 0 ? rc : words[i].perform(&s, argc - 1 - optind, argv + 1 + optind);
        }
    if (argc > 1 && strcmp(argv[1], "help") == 0)
        argv[1] = strdup("--help");
    if (argc > 1 && argv[1][0] != '-')
        return perform_other(&general, argv);
    rc = dsn_options(&general, argc, argv, NULL, NULL);
    return rc >= 0 ? rc : dsn_usage(&general, "no command given");
}
