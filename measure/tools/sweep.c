/* sweep.c - darshan-sweep: measures a file system by request size, file size, workers and access mode
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "util/command/save.h"
#include "measure/sweep/document.h"
#include "measure/sweep/run.h"

#define COMMAND      "darshan-sweep"
#define PAGE         4096
#define MOST_BYTES   ((double)((uint64_t)1 << 50))
#define MOST_REQUEST ((uint64_t)1 << 30)
#define GIB          ((uint64_t)1 << 30)
#define MIB          ((uint64_t)1 << 20)

enum {
    OPT_JSON = 1,
    OPT_LIMIT,
    OPT_RESERVE,
    OPT_FILE,
    OPT_REQUEST,
    OPT_WRITERS,
    OPT_SAMPLES,
    OPT_SECONDS,
    OPT_FINE,
    OPT_SWEEPS,
    OPT_RECORD,
    OPT_FROM,
    OPT_MACHINE,
    OPT_MPI,
    OPT_OUTPUT = 'o'
};

static const struct dsn_option options[] = {
    { "limit", "SIZE", "maximum total size of files at a time, and size of the largest file (1GiB)", OPT_LIMIT },
    { "reserve", "SIZE", "bytes to keep free in the file system (5 % of it, at most 16GiB)", OPT_RESERVE },
    { "json", NULL, "print JSON: a storage profile for darshan-simulate, with all curves", OPT_JSON },
    { "output", "FILE", "write an HTML page with the curves", OPT_OUTPUT },
    { "record", "FILE", "save samples in FILE; those that it already has are not measured again", OPT_RECORD },
    { "from", "FILE", "measure nothing: report on such a FILE", OPT_FROM },
    { "sweeps", "LIST", "only these, separated by commas: names, or their prefixes (all but plane)", OPT_SWEEPS },
    { "samples", "N", "samples per point (7)", OPT_SAMPLES },
    { "seconds", "S", "maximum seconds per sample that is not a whole file (0.25)", OPT_SECONDS },
    { "file", "SIZE", "file size for sweeps that do not vary it (a quarter of --limit)", OPT_FILE },
    { "request", "SIZE", "request size for sweeps that do not vary it (the best one found)", OPT_REQUEST },
    { "writers", "N", "maximum number of workers (twice the processors, 4 to 16)", OPT_WRITERS },
    { "fine", "N", "file sizes per doubling (1)", OPT_FINE },
    { "mpi", "COMMAND", "also all nodes together, and access modes of MPI-IO, started so: 'mpirun -n 4'", OPT_MPI },
    { "machine", "SPEC", "a machine simulated by darshan-simulate instead of a directory", OPT_MACHINE },
};

static const struct dsn_command command = {
    COMMAND,
    "[options] DIRECTORY",
    "Measures what a file system delivers to programs: best request size, caches, read-ahead,\n"
    "best number of workers, access modes. Its files have no names, so nothing is left however it ends.",
    options,
    sizeof options / sizeof options[0],
    NULL
};

struct settings {
    int json;
    const char *page, *record, *from, *machine, *unknown;
    int has_reserve;
    struct dsn_sweep_settings sweep;
};

static int take_size(const char *text, uint64_t least, uint64_t multiple, uint64_t *out)
{
    double v;

    if (!dsn_spec_bytes(text, &v) || v < (double)least || v > MOST_BYTES)
        return 0;
    *out = (uint64_t)v;
    return *out % multiple == 0;
}

static int take_count(const char *text, int64_t most, unsigned *out)
{
    int64_t n;

    if (!dsn_number(text, 1, &n) || n > most)
        return 0;
    *out = (unsigned)n;
    return 1;
}

/* Parses names, or prefixes of names. */
static int take_sweeps(const char *list, unsigned *wanted)
{
    *wanted = 0;
    while (*list) {
        const size_t n = strcspn(list, ",");
        unsigned some = 0;

        for (unsigned i = 0; n > 0 && i < DSN_NSWEEPS; i++)
            if (strncmp(dsn_sweep_row(i)->name, list, n) == 0)
                some |= 1u << i;
        for (unsigned i = 0; n > 0 && i < DSN_NSWEEPS; i++)
            if (strlen(dsn_sweep_row(i)->name) == n && strncmp(dsn_sweep_row(i)->name, list, n) == 0)
                some = 1u << i; /* so that file-read does not select file-read-rw */
        if (!some)
            return 0;
        *wanted |= some;
        list += n + (list[n] == ',');
    }
    return *wanted != 0;
}

static int take_seconds(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && *out <= 3600;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;

    switch (value) {
    case OPT_JSON:
        return s->json = 1;
    case OPT_LIMIT:
        return take_size(argument, MIB, PAGE, &s->sweep.limit);
    case OPT_RESERVE:
        return s->has_reserve = take_size(argument, 0, 1, &s->sweep.reserve);
    case OPT_FILE:
        return take_size(argument, 64 * 1024, PAGE, &s->sweep.file);
    case OPT_REQUEST:
        return take_size(argument, PAGE, PAGE, &s->sweep.request) && s->sweep.request <= MOST_REQUEST;
    case OPT_WRITERS:
        return take_count(argument, 256, &s->sweep.writers);
    case OPT_SAMPLES:
        return take_count(argument, 10000, &s->sweep.samples);
    case OPT_FINE:
        return take_count(argument, 8, &s->sweep.fine);
    case OPT_SECONDS:
        return take_seconds(argument, &s->sweep.seconds);
    case OPT_SWEEPS:
        return take_sweeps(argument, &s->sweep.wanted);
    case OPT_RECORD:
        s->record = argument;
        return 1;
    case OPT_FROM:
        s->from = argument;
        return 1;
    case OPT_MACHINE:
        s->machine = argument;
        return 1;
    case OPT_MPI:
        s->sweep.mpi = argument;
        return *argument != '\0';
    default:
        s->page = argument;
        return 1;
    }
}

static uint64_t power_below(uint64_t v)
{
    uint64_t p = PAGE;

    while (p <= v / 2)
        p *= 2;
    return p;
}

/* Sets defaults. */
static void complete(struct settings *s)
{
    struct dsn_sweep_settings *w = &s->sweep;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct statvfs fs;

    if (w->limit == 0)
        w->limit = GIB;
    if (w->file == 0)
        w->file = power_below(w->limit / 4);
    if (w->writers == 0)
        w->writers = processors < 2 ? 4 : processors > 8 ? 16 : 2 * (unsigned)processors;
    w->least_request = PAGE;
    w->most_request = w->file < 16 * MIB ? power_below(w->file) : 16 * MIB;
    w->least_file = w->limit >= 16 * MIB ? MIB : 64 * 1024;
    if (!s->has_reserve && !s->machine && statvfs(w->directory, &fs) == 0) {
        const uint64_t part = (uint64_t)fs.f_blocks * fs.f_frsize / 20;

        w->reserve = part < 16 * GIB ? part : 16 * GIB;
    }
}

/* ------------------------------------------------------------------ the record */

static void on_signal(int number)
{
    (void)number;
    dsn_sweep_stop = 1;
}

/* The first signal ends the sweep, the second the process. */
static void catch_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    struct sigaction act = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &act, NULL);
}

/* Opens the file of samples, and reads or starts it. Returns 0 after reporting an error. */
static int open_record(const char *path, const struct settings *s, struct dsn_sweep_record *r,
                       struct dsn_samples *samples)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    char error[160] = "";
    const char *differs = NULL;

    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) {
        dsn_warn(COMMAND, path, "%s",
                 errno == EWOULDBLOCK ? "is being written by another sweep; wait for it, or choose another file"
                                      : strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    if (!dsn_record_read(fd, r, samples, error, sizeof error)) {
        dsn_warn(COMMAND, path, "%s", error);
    } else if (r->complete > 0 && (differs = dsn_record_differs(r, &s->sweep)) != NULL) {
        dsn_warn(COMMAND, path, "is from a sweep with another %s; use the same options, or choose another file",
                 differs);
    } else if (ftruncate(fd, r->complete) != 0) {
        dsn_warn(COMMAND, path, "cannot be written: %s", strerror(errno));
    } else {
        r->fd = fd;
        return 1;
    }
    close(fd);
    return 0;
}

static void describe(struct dsn_sweep_record *r, const struct settings *s, const char *type)
{
    const int fd = r->fd;

    *r = (struct dsn_sweep_record){
        .fd = fd, .settings = s->sweep, .has_mpi = s->sweep.mpi != NULL, .begun = time(NULL)
    };
    snprintf(r->directory, sizeof r->directory, "%s", s->sweep.directory);
    snprintf(r->type, sizeof r->type, "%s", type);
}

/* ------------------------------------------------------------------ what it says */

static int print(const struct settings *s, const struct dsn_sweep_record *r, const struct dsn_verdict *v,
                 const json_t *document, int is_partial)
{
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return 1;
    out.safe = isatty(STDOUT_FILENO);
    if (s->json) {
        char *text = json_dumps(document, JSON_INDENT(1) | JSON_PRESERVE_ORDER);

        dsn_text_string(&out, text ? text : "");
        dsn_text_string(&out, "\n");
        rc = text == NULL;
        free(text);
    } else {
        dsn_sweep_text(&out, r, v, is_partial);
        rc = 0;
    }
    rc = dsn_end_output(&out, COMMAND) || rc;
    dsn_text_free(&out);
    return rc;
}

static int tell(const struct settings *s, const struct dsn_sweep_record *r, const struct dsn_samples *samples,
                int is_partial)
{
    struct dsn_verdict *v = calloc(1, sizeof *v);
    json_t *document =
        v && dsn_verdict_make(samples, dsn_type_is_memory(r->type), v) ? dsn_sweep_document(r, v, is_partial) : NULL;
    int rc = 1, error;

    if (!document) {
        fprintf(stderr, COMMAND ": out of memory\n");
    } else if (s->page && (error = dsn_save(s->page, dsn_sweep_page, document)) != 0) {
        dsn_warn(COMMAND, s->page, "cannot write the page: %s; choose a file in a writable directory with free space",
                 strerror(error));
    } else {
        rc = print(s, r, v, document, is_partial);
    }
    json_decref(document);
    if (v)
        dsn_verdict_free(v);
    free(v);
    return rc;
}

static int tell_from(const struct settings *s)
{
    struct dsn_sweep_record *r = malloc(sizeof *r);
    struct dsn_samples samples = { .n = 0 };
    const int fd = strcmp(s->from, "-") == 0 ? dup(STDIN_FILENO) : open(s->from, O_RDONLY | O_CLOEXEC);
    char error[160] = "out of memory";
    int rc = 1;

    if (fd < 0)
        dsn_warn(COMMAND, s->from, "%s", strerror(errno));
    else if (!r || !dsn_record_read(fd, r, &samples, error, sizeof error))
        dsn_warn(COMMAND, s->from, "%s", error);
    else if (samples.n == 0)
        dsn_warn(COMMAND, s->from, "has no samples; measure some with --record");
    else
        rc = tell(s, r, &samples, 0);
    if (fd >= 0)
        close(fd);
    dsn_samples_free(&samples);
    free(r);
    return rc;
}

/* ------------------------------------------------------------------ main */

static int ended(struct dsn_sweep_run *run, const struct settings *s, enum dsn_measured how)
{
    int rc = run->samples.n > 0 ? tell(s, run->record, &run->samples, how != DSN_MEASURED) : 1;

    if (how == DSN_MEASURED_FAILED)
        dsn_warn(COMMAND, s->sweep.directory, "%s", run->error);
    if (how == DSN_MEASURED_STOPPED)
        fprintf(stderr, COMMAND ": interrupted; %s\n",
                s->record ? "the same command continues where it stopped"
                          : "with --record FILE it could continue where it stopped");
    if (how == DSN_MEASURED && run->samples.n == 0)
        dsn_warn(COMMAND, s->sweep.directory,
                 "has nothing that can be measured with these options; choose other --sweeps%s",
                 s->sweep.mpi ? "" : ", or give --mpi for those of nodes");
    return rc || how != DSN_MEASURED;
}

static int sweep(const struct settings *s)
{
    struct dsn_sweep_record *record = malloc(sizeof *record);
    struct dsn_meter meter;
    struct dsn_sweep_run run = {
        .settings = &s->sweep, .meter = &meter, .record = record, .shows = isatty(STDERR_FILENO)
    };
    int rc = 1;

    if (!record)
        return 1;
    *record = (struct dsn_sweep_record){ .fd = -1 };
    if (s->record && !open_record(s->record, s, record, &run.samples)) {
        free(record);
        return 1;
    }
    if (!(s->machine ? dsn_meter_of_machine(&meter, &s->sweep, s->machine)
                     : dsn_meter_of_directory(&meter, &s->sweep))) {
        dsn_warn(COMMAND, s->machine ? s->machine : s->sweep.directory, "%s", meter.error);
    } else {
        const int is_new = record->complete == 0;

        if (is_new)
            describe(record, s, meter.place.type);
        catch_signals();
        if (is_new && record->fd >= 0 && !dsn_record_begin(record))
            dsn_warn(COMMAND, s->record, "cannot be written: %s", strerror(errno));
        else
            rc = ended(&run, s, dsn_sweep_run(&run));
        meter.close(&meter);
    }
    if (record->fd >= 0)
        close(record->fd);
    dsn_samples_free(&run.samples);
    free(record);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings s = { .sweep = { .samples = 7,
                                     .seconds = 0.25,
                                     .fine = 1,
                                     .wanted = ((1u << DSN_NSWEEPS) - 1) &
                                               ~(1u << DSN_SWEEP_PLANE_READ | 1u << DSN_SWEEP_PLANE_WRITE) } };
    static char directory[PATH_MAX];
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &s);
    if (rc >= 0)
        return rc;
    if (optind != argc - (s.from || s.machine ? 0 : 1))
        return dsn_usage(&command, "%s",
                         s.from || s.machine ? "--from and --machine take no directory"
                         : optind < argc     ? "give one directory"
                                             : "no directory given");
    if (s.from && (s.machine || s.record))
        return dsn_usage(&command, "--from measures nothing: leave --machine and --record out");
    if (s.from)
        return tell_from(&s);
    s.sweep.directory = s.machine ? s.machine : realpath(argv[optind], directory);
    if (!s.sweep.directory) {
        dsn_warn(COMMAND, argv[optind], "%s; choose a writable directory", strerror(errno));
        return 1;
    }
    complete(&s);
    if (s.sweep.file > s.sweep.limit || s.sweep.request > s.sweep.file)
        return dsn_usage(&command, "a file cannot be larger than --limit, nor a request larger than a file");
    return sweep(&s);
}
