/* job-summary.c - darshan-job-summary: why a job's I/O is slow, and what to do about it
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "util/command/common.h"
#include "many-logs.h"
#include "command-line/options.h"
#include "save-page.h"
#include "select-files.h"
#include "util/report/document.h"
#include "util/report/finding.h"
#include "util/report/screen.h"
#include "util/report/json.h"
#include "util/report/read.h"
#include "util/report/storage.h"

#define COMMAND "darshan-job-summary"

enum {
    OPT_NODES = 1,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_COMPARE,
    OPT_JOB,
    OPT_FULL_TRACE,
    OPT_PROFILE,
    OPT_LIST,
    OPT_FILES,
    OPT_PHASE,
    OPT_OUTPUT = 'o'
};

static const struct dsn_option options[] = {
    { "nodes", "N", "number of compute nodes of the job, if the log does not contain it", OPT_NODES },
    { "output", "FILE", "write an HTML report to FILE; for several logs to a directory", OPT_OUTPUT },
    { "full-trace", NULL, "with --output: include every operation of a trace, up to 5 MB", OPT_FULL_TRACE },
    { "files", "PATTERN", "only files whose names match, as in \"*.h5\" or \"out/chk_#.h5\"; may be repeated",
      OPT_FILES },
    { "phase", "NAME", "only what was called in that phase, which the program has named", OPT_PHASE },
    { "profile", "FILE", "storage profile of the file system, from darshan-sweep --json", OPT_PROFILE },
    { "json", NULL, "print the whole report as one JSON document", OPT_JSON },
    { "verbose", NULL, "all findings with evidence, and tables: more than one screen", OPT_VERBOSE },
    { "compare", NULL, "what changed between the first log and the last", OPT_COMPARE },
    { "job", "ID", "of several logs, only those of this job, by start time", OPT_JOB },
    { "list", NULL, "a line a log, newest first: start, job, program, run time, share of I/O", OPT_LIST },
};

static const struct dsn_command command = {
    COMMAND,
    "[options] LOG-OR-FOLDER...",
    "Reports on one screen why the I/O of a job is slow and what to do about it; for "
    "several\nlogs, which could gain most.",
    options,
    sizeof options / sizeof options[0],
    NULL
};

/* ------------------------------------------------------------------ main */

struct settings {
    int verbose;
    const char *profile, *phase, *patterns[DSN_MOST_PATTERNS];
    struct dsn_selection selection;
    struct dsn_storage storage;
    struct dsn_many_settings many;
};

/* Colours and bars only on terminals that support them, and unless the user has disabled them (no-color.org). */
static int wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static int print_document(const struct dsn_report *r, const struct dsn_findings *f, const char *file)
{
    json_t *document = dsn_document_make(r, f, file);
    const int rc = document ? dsn_document_print(document) : DSN_ERR_MEMORY;

    json_decref(document);
    return rc;
}

/* Returns the exit status. */
static int print_phase(const struct dsn_report *r, const char *file, const char *name)
{
    const int found = dsn_screen_phase(r, name, wants_colour());

    if (found < 0)
        dsn_warn(COMMAND, file, "does not fit into memory");
    else if (!found && darshan_reader_phases(r->log) == 0)
        dsn_warn(COMMAND, file, "the program has named no phases; darshan-phase(3) says how");
    else if (!found)
        dsn_warn(COMMAND, file, "no phase is named \"%s\"; those that there are stand in the report at Phases", name);
    return found <= 0;
}

/* Looks for findings, and prints the report. */
static int report_log(const struct dsn_report *r, const char *file, const struct settings *s)
{
    const struct dsn_screen_style style = { .verbose = s->verbose, .colour = wants_colour() };
    struct dsn_findings *findings = dsn_findings_make(r);
    int rc;

    if (!findings)
        return DSN_ERR_MEMORY;
    rc = s->many.json ? print_document(r, findings, file) : dsn_screen_print(r, findings, &style);
    free(findings);
    return rc;
}

static int summarize(const char *file, struct settings *s)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    struct dsn_report r;
    int status = 0;

    if (s->selection.n > 0 && (status = dsn_select_files(COMMAND, file, &s->selection, &log)) != 0)
        return status;
    if (s->selection.n == 0 && darshan_reader_open(file, &log, &err) != DSN_ERR_OK) {
        dsn_complain(COMMAND, file, &err, 0);
        return 1;
    }
    err.code = dsn_report_read(&r, log, s->many.nodes);
    r.storage = s->many.storage;
    r.selection = s->selection.n > 0 ? &s->selection : NULL;
    r.f.whole_seconds |= s->selection.whole_seconds;
    if (err.code == DSN_ERR_OK && s->many.pages)
        status = dsn_save_page(COMMAND, s->many.pages, s->many.full_trace, &r, file);
    else if (err.code == DSN_ERR_OK && s->phase)
        status = print_phase(&r, file, s->phase);
    else if (err.code == DSN_ERR_OK)
        err.code = report_log(&r, file, s);
    if (err.code == DSN_ERR_OK)
        err = r.f.damage;
    else
        snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(errno));
        status = 1;
    }
    if (err.code != DSN_ERR_OK) {
        dsn_complain(COMMAND, file, &err, 0);
        status = 1;
    }
    dsn_report_free(&r);
    darshan_reader_close(log);
    return status;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;

    switch (value) {
    case OPT_JSON:
        return s->many.json = 1;
    case OPT_FULL_TRACE:
        return s->many.full_trace = 1;
    case OPT_VERBOSE:
        return s->verbose = 1;
    case OPT_OUTPUT:
        s->many.pages = argument;
        return 1;
    case OPT_PROFILE:
        s->profile = argument;
        return 1;
    case OPT_PHASE:
        s->phase = argument;
        return 1;
    case OPT_COMPARE:
        return s->many.compare = 1;
    case OPT_LIST:
        return s->many.list = 1;
    case OPT_FILES:
        if (s->selection.n == DSN_MOST_PATTERNS || *argument == '\0')
            return 0;
        s->selection.patterns = s->patterns;
        s->patterns[s->selection.n++] = argument;
        return 1;
    case OPT_JOB:
        s->many.of_job = 1;
        return dsn_number(argument, 0, &s->many.job);
    case OPT_NODES:
        return dsn_number(argument, 1, &s->many.nodes);
    default:
        return 0;
    }
}

/* Reads the given profile, or the site's. Returns false after reporting an error. */
static bool take_profile(struct settings *s)
{
    const char *path = s->profile ? s->profile : dsn_storage_of_site();
    char error[160];

    if (!path)
        return true;
    s->many.storage = &s->storage;
    if (dsn_storage_read(path, &s->storage, error, sizeof error))
        return true;
    dsn_warn(COMMAND, path, "%s; create one with darshan-sweep --json%s", error,
             s->profile ? "" : ", or unset DARSHAN_STORAGE_PROFILE");
    return false;
}

int main(int argc, char **argv)
{
    struct settings s = { .many.command = COMMAND };
    const char *thresholds;
    char error[256];
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &s);
    if (rc >= 0)
        return rc;
    if (argc == optind)
        return dsn_usage(&command, "no log given");
    if (s.many.full_trace && !s.many.pages)
        return dsn_usage(&command, "--full-trace needs --output FILE");
    if (s.phase && (s.many.json || s.many.pages || s.selection.n > 0))
        return dsn_usage(&command, "--phase prints one phase: without --json, --output and --files");
    if (!take_profile(&s))
        return 1;
    thresholds = dsn_thresholds_of_site(error, sizeof error);
    if (*error) {
        dsn_warn(COMMAND, thresholds, "%s; all names are in darshan-job-summary(1)", error);
        return 1;
    }
    if (argc - optind > 1 || s.many.compare || s.many.of_job || s.many.list || dsn_is_folder(argv[optind]) ||
        (s.many.pages && dsn_is_folder(s.many.pages)))
        return s.selection.n > 0 ? dsn_usage(&command, "--files needs one log")
               : s.phase         ? dsn_usage(&command, "--phase needs one log")
                                 : dsn_summarize_many(&s.many, argv + optind, argc - optind);
    return summarize(argv[optind], &s);
}
