/* block.c - darshan-block: records device requests, and reports on them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/block/extents.h"
#include "measure/block/record.h"
#include "measure/block/tell.h"
#include "util/command/common.h"
#include "command-line/options.h"
#include "util/command/save.h"

#define COMMAND         "darshan-block"
#define MOST_RECORDINGS 1024

enum {
    OPT_JSON = 1,
    OPT_DEVICE,
    OPT_SECONDS,
    OPT_BUFFER,
    OPT_BASELINE,
    OPT_LOG,
    OPT_FILES,
    OPT_FROM,
    OPT_DURATION,
    OPT_SECTORS,
    OPT_SMALL,
    OPT_LARGE,
    OPT_OUTPUT = 'o'
};

static const struct dsn_option options[] = {
    { "output", "FILE", "record and baseline: the recording; report: write a page", OPT_OUTPUT },
    { "device", "DEV", "record: only this disk or partition, as /dev/sda (all disks)", OPT_DEVICE },
    { "seconds", "S", "record and baseline, without a COMMAND: end after so long", OPT_SECONDS },
    { "buffer", "KIB", "record: of the kernel, for each processor (8192)", OPT_BUFFER },
    { "json", NULL, "report: print JSON", OPT_JSON },
    { "baseline", "FILE", "report: a recording of the idle machine, whose rates are taken off; once for each node",
      OPT_BASELINE },
    { "log", "LOG", "report: Darshan's log of the job: what was asked for, and when, beside the device", OPT_LOG },
    { "files", "DIR", "report: files below DIR that have the sectors now: their requests, and the hottest", OPT_FILES },
    { "from", "FORMAT", "report: the recording's format (recognised; darshan-trace --formats)", OPT_FROM },
    { "duration", "S", "report: length of the recording, if it does not tell", OPT_DURATION },
    { "sectors", "N", "report: of each disk (as the recording says, else up to the last one touched)", OPT_SECTORS },
    { "small", "BYTES", "report: largest small request (2048)", OPT_SMALL },
    { "large", "BYTES", "report: smallest large request (16384)", OPT_LARGE },
};

static const struct dsn_command command = {
    COMMAND,
    "record -o FILE [--device DEV] [-- COMMAND...]\nbaseline -o FILE [--seconds S]\nreport [options] FILE...",
    "Records the requests that reach block devices, and tells their sizes, kinds, places and times.",
    options,
    sizeof options / sizeof options[0],
    NULL
};

struct settings {
    int json;
    const char *baseline[MOST_RECORDINGS], *log, *files, *format;
    size_t nbaseline;
    int64_t sectors, small, large;
    double duration;
    struct dsn_block_recording recording;
};

static int take_seconds(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out > 0 && *out <= 1e9;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;
    int64_t n;

    switch (value) {
    case OPT_JSON:
        return s->json = 1;
    case OPT_DEVICE:
        s->recording.device = argument;
        return 1;
    case OPT_SECONDS:
        return take_seconds(argument, &s->recording.seconds);
    case OPT_BUFFER:
        if (!dsn_number(argument, 4, &n) || n > 1 << 22)
            return 0;
        s->recording.buffer_kib = (uint64_t)n;
        return 1;
    case OPT_BASELINE:
        if (s->nbaseline == MOST_RECORDINGS)
            return 0;
        s->baseline[s->nbaseline++] = argument;
        return 1;
    case OPT_LOG:
        s->log = argument;
        return 1;
    case OPT_FILES:
        s->files = argument;
        return 1;
    case OPT_FROM:
        s->format = argument;
        return 1;
    case OPT_DURATION:
        return take_seconds(argument, &s->duration);
    case OPT_SECTORS:
        return dsn_number(argument, 1, &s->sectors) && s->sectors < (int64_t)1 << 54;
    case OPT_SMALL:
        return dsn_number(argument, 1, &s->small);
    case OPT_LARGE:
        return dsn_number(argument, 1, &s->large);
    default:
        s->recording.output = argument;
        return 1;
    }
}

/* ------------------------------------------------------------------ record */

static void on_signal(int number)
{
    dsn_record_stop = number;
}

static void catch_signals(void)
{
    static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
    struct sigaction act;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &act) == 0 && act.sa_handler != SIG_IGN) { /* ignored, as with nohup */
            act = (struct sigaction){ .sa_handler = on_signal };
            sigaction(numbers[i], &act, NULL);
        }
}

/* The exit status is the command's, as with time(1), if it was recorded. */
static int record(struct settings *s)
{
    struct dsn_block_recording *r = &s->recording;

    catch_signals();
    if (!dsn_record(r)) {
        dsn_warn(COMMAND, r->output, "%s", r->error);
        return r->status ? r->status : 1;
    }
    fprintf(stderr, COMMAND ": %s: %" PRIu64 " events, %" PRIu64 " lost%s\n", r->output, r->events, r->lost,
            r->lost ? "; record again with a larger --buffer" : "");
    return r->status;
}

/* ------------------------------------------------------------------ report */

static int read_recordings(const struct settings *s, const char *const *paths, size_t n, double seconds,
                           struct dsn_block *out)
{
    const struct dsn_block_edges edges = { (uint64_t)s->small, 4096, (uint64_t)s->large };
    struct darshan_trace_error err;
    const char *wrong;

    if (dsn_block_read(paths, n, s->format, &edges, seconds, (uint64_t)s->sectors, out, &wrong, &err))
        return 1;
    dsn_warn(COMMAND, wrong, "%s", err.text);
    return 0;
}

static int read_log(const struct settings *s, const struct dsn_block_report *r, struct dsn_block_calls *calls)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;

    if (darshan_reader_open(s->log, &log, &err) != DSN_ERR_OK) {
        dsn_complain(COMMAND, s->log, &err, 0);
        return 0;
    }
    err.code = dsn_block_calls_read(log, s->log, r->run, r->files,
                                    r->nfiles < DSN_BLOCK_FILES ? r->nfiles : DSN_BLOCK_FILES, calls);
    darshan_reader_close(log);
    if (err.code != DSN_ERR_OK)
        dsn_warn(COMMAND, s->log, "%s", dsn_err_text(err.code));
    return err.code == DSN_ERR_OK;
}

static int find_owners(const struct settings *s, struct dsn_block_report *r)
{
    const int error = dsn_block_owners(s->files, r->run, r->hottest, r->nhottest, r->owner, &r->files, &r->nfiles);

    if (error == ENOTBLK)
        dsn_warn(COMMAND, s->files, "its file system is on no disk whose requests tell its files; leave --files out");
    else if (error != 0)
        dsn_warn(COMMAND, s->files, "cannot be walked through: %s", strerror(error));
    return error == 0;
}

static int save_page(const struct settings *s, const struct dsn_block_report *r)
{
    const char *path = s->recording.output;
    const int error = path ? dsn_save(path, dsn_block_page, r) : 0;

    if (error != 0)
        dsn_warn(COMMAND, path,
                 "cannot write the page: %s; name a file in a directory that you may write to, with room",
                 strerror(error));
    return error == 0;
}

static int print(const struct settings *s, const struct dsn_block_report *r)
{
    struct dsn_text out;
    int rc = 1;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return 1;
    out.safe = isatty(STDOUT_FILENO);
    if (s->json) {
        json_t *document = dsn_block_document(r);
        char *text = document ? json_dumps(document, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;

        rc = text == NULL;
        dsn_text_string(&out, text ? text : "");
        dsn_text_string(&out, "\n");
        free(text);
        json_decref(document);
    } else {
        dsn_block_text(&out, r);
        rc = 0;
    }
    rc = dsn_end_output(&out, COMMAND) || rc;
    dsn_text_free(&out);
    return rc;
}

static int make_report(const struct settings *s, struct dsn_block_report *r, struct dsn_block_calls *calls)
{
    r->nhottest = dsn_block_hottest(r->run, r->hottest, DSN_BLOCK_HOTTEST);
    if ((s->files && !find_owners(s, r)) || (s->log && !read_log(s, r, calls)))
        return 0;
    r->calls = s->log ? calls : NULL;
    return 1;
}

static int report(const struct settings *s, char *const *paths, int n)
{
    struct dsn_block *run = calloc(2, sizeof *run), *idle = run ? run + 1 : NULL;
    struct dsn_block_report r = { .run = run, .idle = s->nbaseline > 0 ? idle : NULL };
    struct dsn_block_calls *calls = calloc(1, sizeof *calls);
    int rc = 1;

    if (!run || !calls) {
        fprintf(stderr, COMMAND ": out of memory\n");
        free(run);
        free(calls);
        return 1;
    }
    if (read_recordings(s, (const char *const *)paths, (size_t)n, s->duration, run) &&
        (s->nbaseline == 0 || read_recordings(s, s->baseline, s->nbaseline, 0, idle)) && make_report(s, &r, calls) &&
        save_page(s, &r))
        rc = s->recording.output && !s->json ? 0 : print(s, &r);
    for (size_t i = 0; i < r.nhottest; i++)
        free(r.owner[i]);
    dsn_block_free_files(r.files, r.nfiles);
    dsn_block_calls_free(calls);
    free(calls);
    dsn_block_free(run);
    dsn_block_free(idle);
    free(run);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings s = { .small = 2048, .large = 16384, .recording = { .buffer_kib = 8192 } };
    const char *what = argc > 1 ? argv[1] : "";
    const int is_report = strcmp(what, "report") == 0, is_baseline = strcmp(what, "baseline") == 0;
    const int is_action = is_report || is_baseline || strcmp(what, "record") == 0;
    struct dsn_nearest nearest = { .word = what };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, is_action ? argc - 1 : argc, is_action ? argv + 1 : argv, take_option, &s);
    if (rc >= 0)
        return rc;
    if (argc < 2)
        return dsn_usage(&command, "give record, baseline or report first");
    if (!is_action) {
        dsn_nearest(&nearest, "record");
        dsn_nearest(&nearest, "baseline");
        dsn_nearest(&nearest, "report");
        return dsn_unknown(&command, &nearest);
    }
    argc--;
    argv++;
    if (is_report)
        return optind == argc                    ? dsn_usage(&command, "give a recording, or those of several nodes")
               : argc - optind > MOST_RECORDINGS ? dsn_usage(&command, "more than %d recordings", MOST_RECORDINGS)
               : s.files && optind < argc - 1 ? dsn_usage(&command, "--files needs the recording of one node, this one")
                                              : report(&s, argv + optind, argc - optind);
    if (!s.recording.output)
        return dsn_usage(&command, "%s needs --output FILE", what);
    if (is_baseline && optind < argc)
        return dsn_usage(&command, "an idle machine runs no command");
    if (optind < argc && s.recording.seconds > 0)
        return dsn_usage(&command, "a recording ends with its COMMAND; leave --seconds out");
    if (is_baseline && !(s.recording.seconds > 0))
        s.recording.seconds = 60;
    s.recording.command = optind < argc ? argv + optind : NULL;
    return record(&s);
}
