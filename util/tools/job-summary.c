/* job-summary.c - darshan-job-summary: how a job's I/O went, on one screen
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The answer comes first; each line below it is a fact that it rests on. Nothing is longer than 80 columns, and all
 * of it fits in 24 lines. */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "options.h"
#include "util/lib/figures.h"
#include "util/report/document.h"

#define COMMAND    "darshan-job-summary"
#define COLUMNS    80
#define LABEL      14 /* columns of the labels at the left */
#define NAME_BYTES (4 * COLUMNS)

enum { OPT_NODES = 1, OPT_JSON };

static const struct dsn_option options[] = {
    { "nodes", "N", "compute nodes that the job ran on, if the log does not say", OPT_NODES },
    { "json", NULL, "print the whole report as one JSON document", OPT_JSON },
};

static const struct dsn_command command = { COMMAND,
                                            "[options] LOG",
                                            "Shows on one screen how the I/O of a job went.",
                                            options,
                                            sizeof options / sizeof options[0],
                                            PACKAGE_VERSION };

/* ------------------------------------------------------------------ figures as text */

/* Short texts: made by value, so that several can stand in one call of printf. */
struct text {
    char s[48];
};

static struct text bytes_text(int64_t bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    struct text t;
    double v = (double)bytes;
    size_t i = 0;

    for (; v >= 1023.95 && i + 1 < sizeof unit / sizeof unit[0]; i++)
        v /= 1024;
    snprintf(t.s, sizeof t.s, i == 0 || v >= 100 ? "%.0f %s" : v >= 10 ? "%.1f %s" : "%.2f %s", v, unit[i]);
    return t;
}

static struct text seconds_text(double s)
{
    struct text t;

    if (s >= 1e9 || s <= -1e9) /* damage; its digits would fill the screen */
        snprintf(t.s, sizeof t.s, "%.2g s", s);
    else if (s >= 100000)
        snprintf(t.s, sizeof t.s, "%.1f h", s / 3600);
    else if (s > 0 && s < 0.001)
        snprintf(t.s, sizeof t.s, "%.0f us", 1e6 * s);
    else
        snprintf(t.s, sizeof t.s, s >= 100 ? "%.0f s" : s >= 1 ? "%.2f s" : "%.4f s", s);
    return t;
}

static struct text share_text(double share)
{
    struct text t;

    if (share < 0)
        snprintf(t.s, sizeof t.s, "unknown");
    else if (share > 0 && share < 0.0005)
        snprintf(t.s, sizeof t.s, "< 0.1 %%");
    else if (share >= 0.995 && share < 1)
        snprintf(t.s, sizeof t.s, "> 99 %%");
    else
        snprintf(t.s, sizeof t.s, share > 1000 ? "%.2g %%" : share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
    return t;
}

static struct text rate_text(double rate)
{
    struct text t;

    snprintf(t.s, sizeof t.s, rate >= 100 ? "%.0f" : rate >= 10 ? "%.1f" : rate >= 0.01 ? "%.2f" : "%.2g", rate);
    return t;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* One line: label at the left, text behind it, which is cut to what the screen has. */
static void __attribute__((format(printf, 2, 3))) line(const char *label, const char *format, ...)
{
    char text[1024], shown[NAME_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dsn_text_fit(shown, sizeof shown, COLUMNS - LABEL, COLUMNS - LABEL - 3, text);
    printf("%-*s%s\n", LABEL, label, shown);
}

/* ------------------------------------------------------------------ the answer */

/* Whether data went past POSIX and STDIO, through modules that the figures leave out. */
static int is_uncounted(const struct darshan_reader *log)
{
    const struct dsn_header *h = darshan_reader_header(log);

    return h->mod[DSN_DFS_MODULE].len > 0 || h->mod[DSN_DAOS_MODULE].len > 0;
}

/* What most of the I/O time went into. */
static const char *mostly(double read, double write, double meta)
{
    const double half = (read + write + meta) / 2;

    if (read > half)
        return "mostly reading";
    if (write > half)
        return "mostly writing";
    if (meta > half)
        return "mostly metadata";
    return "of mixed kinds";
}

static int is_idle(const struct dsn_figures *f)
{
    return f->slowest_time <= 0 && f->bytes_read == 0 && f->bytes_written == 0;
}

static void print_sentence(const struct darshan_reader *log, const struct dsn_figures *f)
{
    const char *subject = is_uncounted(log) ? "POSIX I/O" : "I/O";
    const double share = dsn_figures_slowest_share(f, f->slowest_time);
    const char *what = f->exact ? mostly(f->slowest_read, f->slowest_write, f->slowest_meta)
                                : mostly(f->read_time, f->write_time, f->meta_time);

    if (is_idle(f) && f->damage.code != DSN_ERR_OK)
        printf("Unknown: what could be read of this damaged log tells of no %s.\n", subject);
    else if (is_idle(f) && f->files.total == 0)
        printf("No %s: the job opened no file.\n", subject);
    else if (is_idle(f))
        printf("No %s: the job opened %" PRId64 " file%s, but moved no data.\n", subject, f->files.total,
               plural(f->files.total));
    else if (share < 0)
        printf("%s took %s on the slowest rank, %s.\n", subject, seconds_text(f->slowest_time).s, what);
    else if (is_uncounted(log)) /* the mean is in the table; here it would not fit */
        printf("%s took %s of the slowest rank's run time, %s.\n", subject, share > 1 ? "all" : share_text(share).s,
               what);
    else if (f->nprocs == 1)
        printf("%s took %s of the run time, %s.\n", subject, share > 1 ? "all" : share_text(share).s, what);
    else
        printf("%s took %s of the slowest rank's run time (mean %s), %s.\n", subject,
               share > 1 ? "all" : share_text(share).s,
               share_text(dsn_figures_mean_share(f, f->read_time + f->write_time + f->meta_time)).s, what);
}

static void print_rate(const struct dsn_figures *f)
{
    const double rate = dsn_figures_rate(f), per_node = dsn_figures_rate_per_node(f);
    const struct text moved = bytes_text((int64_t)((uint64_t)f->bytes_read + (uint64_t)f->bytes_written));

    if (rate < 0) {
        line("MiB/s/CN", f->damage.code == DSN_ERR_OK ? "no I/O" : "unknown");
        return;
    }
    if (per_node < 0) {
        line("MiB/s/CN", "unknown: the log does not say on how many compute nodes the job");
        line("", "ran; give --nodes N");
        line("MiB/s", "%s (%s in %s)", rate_text(rate).s, moved.s, seconds_text(f->slowest_time).s);
        return;
    }
    line("MiB/s/CN", "%s (%s in %s on %" PRId64 " compute node%s: %s MiB/s)", rate_text(per_node).s, moved.s,
         seconds_text(f->slowest_time).s, f->nodes, plural(f->nodes), rate_text(rate).s);
}

/* ------------------------------------------------------------------ the facts */

static void print_job(const struct darshan_reader *log, const struct dsn_figures *f)
{
    const struct dsn_job *job = darshan_reader_job(log);
    const time_t start = (time_t)job->start_sec;
    char exe[NAME_BYTES], when[64];
    struct tm tm;

    if (!localtime_r(&start, &tm) || strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %Z", &tm) == 0)
        snprintf(when, sizeof when, "unknown");
    dsn_text_fit(exe, sizeof exe, COLUMNS - LABEL, COLUMNS - LABEL - 3, darshan_reader_exe(log));
    line("Job", "%s", *exe ? exe : "(command line unknown)");
    if (f->nodes > 0)
        line("", "%" PRId64 " rank%s on %" PRId64 " node%s, job %" PRId64 ", user %" PRId64, f->nprocs,
             plural(f->nprocs), f->nodes, plural(f->nodes), job->jobid, job->uid);
    else
        line("", "%" PRId64 " rank%s, job %" PRId64 ", user %" PRId64, f->nprocs, plural(f->nprocs), job->jobid,
             job->uid);
    if (f->runtime <= 0)
        line("", "ran an unknown time from %s", when);
    else if (f->whole_seconds)
        line("", "ran %.0f s (to the second) from %s", f->runtime, when);
    else
        line("", "ran %s from %s", seconds_text(f->runtime).s, when);
}

static void print_time_line(const char *who, const char *seconds, const double share[4], int parts_known)
{
    struct text t[4];

    for (int i = 0; i < 4; i++)
        t[i] = i > 0 && !parts_known ? (struct text){ "-" } : share_text(share[i]);
    line("", "%-23s%10s%8s%8s%8s%9s", who, seconds, t[0].s, t[1].s, t[2].s, t[3].s);
}

static void print_time(const struct dsn_figures *f)
{
    const double all = f->read_time + f->write_time + f->meta_time;
    const double slowest[4] = { dsn_figures_slowest_share(f, f->slowest_time),
                                dsn_figures_slowest_share(f, f->slowest_read),
                                dsn_figures_slowest_share(f, f->slowest_write),
                                dsn_figures_slowest_share(f, f->slowest_meta) };
    const double mean[4] = { dsn_figures_mean_share(f, all), dsn_figures_mean_share(f, f->read_time),
                             dsn_figures_mean_share(f, f->write_time), dsn_figures_mean_share(f, f->meta_time) };
    char who[32] = "slowest rank (estimate)";

    line("I/O time", "%-23s%10s%8s%8s%8s%9s", "as share of run time:", "", "all", "read", "write", "metadata");
    if (f->exact)
        snprintf(who, sizeof who, "slowest rank (%" PRId64 ")", f->slowest_rank);
    if (f->nprocs > 1)
        print_time_line(who, seconds_text(f->slowest_time).s, slowest, f->exact);
    print_time_line(f->nprocs > 1 ? "mean over ranks" : "its one rank",
                    seconds_text(f->nprocs > 1 ? all / (double)f->nprocs : f->slowest_time).s, mean, 1);
}

static void print_data(const struct dsn_figures *f)
{
    line("Data", "%s read in %" PRId64 " call%s, %s written in %" PRId64 " call%s", bytes_text(f->bytes_read).s,
         f->reads, plural(f->reads), bytes_text(f->bytes_written).s, f->writes, plural(f->writes));
}

/* "93 % 1 - 4 MiB, 5 % 0 - 100 B": the two bins with most calls. 0: there are no calls. */
static int dominating(char *to, size_t n, const int64_t count[DSN_NSIZES])
{
    static const char *const name[DSN_NSIZES] = { "up to 100 B",   "100 B-1 KiB", "1-10 KiB", "10-100 KiB",
                                                  "100 KiB-1 MiB", "1-4 MiB",     "4-10 MiB", "10-100 MiB",
                                                  "100 MiB-1 GiB", "over 1 GiB" };
    int first = 0, second = -1;
    double all = 0;

    for (int i = 0; i < DSN_NSIZES; i++)
        all += (double)count[i];
    for (int i = 1; i < DSN_NSIZES; i++)
        if (count[i] > count[first])
            first = i;
    for (int i = 0; i < DSN_NSIZES; i++)
        if (i != first && count[i] > 0 && (second < 0 || count[i] > count[second]))
            second = i;
    if (all <= 0)
        return 0;
    snprintf(to, n, "%s %s", share_text((double)count[first] / all).s, name[first]);
    if (second >= 0)
        snprintf(to + strlen(to), n - strlen(to), ", %s %s", share_text((double)count[second] / all).s, name[second]);
    return 1;
}

static void print_sizes(const struct dsn_figures *f)
{
    const char *label = "Sizes";
    char text[160];
    size_t used = 0;

    if (dominating(text, sizeof text, f->read_sizes)) {
        line(label, "reads:  %s", text);
        label = "";
    }
    if (dominating(text, sizeof text, f->write_sizes)) {
        line(label, "writes: %s", text);
        label = "";
    }
    for (int i = 0; i < 3 && f->common_count[i] > 1; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64 " x %s", used ? ", " : "",
                                 f->common_count[i], bytes_text(f->common_size[i]).s);
    if (used > 0)
        line(label, "most frequent: %s", text);
}

static void print_files(const struct dsn_figures *f)
{
    const struct dsn_file_kinds *k = &f->files;

    line("Files",
         "%" PRId64 ": %" PRId64 " only read, %" PRId64 " only written, %" PRId64 " both, %" PRId64 " without data",
         k->total, k->read_only, k->write_only, k->read_write, k->untouched);
    if (f->nprocs > 1)
        line("", "%" PRId64 " shared by all ranks, %" PRId64 " by some, %" PRId64 " of one rank alone", k->shared,
             k->partly_shared, k->unique);
}

static void print_slowest_file(const struct darshan_reader *log, const struct dsn_figures *f)
{
    const struct dsn_slowest_file *s = &f->slowest_file;
    const char *known = darshan_reader_name(log, s->id);
    char name[NAME_BYTES];

    if (s->seconds <= 0)
        return;
    if (known)
        dsn_text_fit(name, sizeof name, COLUMNS - LABEL, (COLUMNS - LABEL) / 3, known);
    else
        snprintf(name, sizeof name, "(record %" PRIu64 ", whose name the log does not have)", s->id);
    line("Slowest file", "%s", name);
    if (f->nprocs > 1)
        line("", "%s of rank %" PRId64 ", %s of the slowest rank's I/O time", seconds_text(s->seconds).s, s->rank,
             share_text(s->seconds / f->slowest_time).s);
    else
        line("", "%s, %s of the I/O time", seconds_text(s->seconds).s, share_text(s->seconds / f->slowest_time).s);
}

/* Layers that the job used, as far as modules with data tell. */
static void print_layers(const struct darshan_reader *log)
{
    static const struct {
        unsigned module;
        const char *name;
    } layer[] = {
        { DSN_POSIX_MODULE, "POSIX" }, { DSN_STDIO_MODULE, "STDIO" },          { DSN_MPIIO_MODULE, "MPI-IO" },
        { DSN_H5F_MODULE, "HDF5" },    { DSN_PNETCDF_FILE_MODULE, "PnetCDF" }, { DSN_DFS_MODULE, "DFS" },
        { DSN_DAOS_MODULE, "DAOS" },   { DSN_MDHIM_MODULE, "MDHIM" },
    };
    const struct dsn_header *h = darshan_reader_header(log);
    char text[COLUMNS] = "";

    for (size_t i = 0; i < sizeof layer / sizeof layer[0]; i++) {
        const size_t used = strlen(text);

        if (h->mod[layer[i].module].len > 0)
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", layer[i].name);
    }
    if (*text)
        line("Interfaces", "%s", text);
}

/* ------------------------------------------------------------------ how far to trust it */

static void print_uncounted(const struct darshan_reader *log)
{
    if (is_uncounted(log))
        line("Not counted", "I/O through DFS and DAOS: see darshan-parser --perf");
}

/* "DARSHAN_MODMEM=12": in whole MiB, rounded up. */
static struct text memory_setting(int64_t bytes)
{
    struct text t;

    if (bytes > 0)
        snprintf(t.s, sizeof t.s, "DARSHAN_MODMEM=%" PRId64, (bytes - 1) / (1 << 20) + 1);
    else
        snprintf(t.s, sizeof t.s, "a larger DARSHAN_MODMEM");
    return t;
}

/* In a log of our runtime nothing is lost where room is: it only becomes coarser. */
static void print_folded(const struct dsn_figures *f, const char *modules)
{
    const int by_memory = f->folded > f->limited;
    char records[48] = "";

    if (f->enough_records > 0)
        snprintf(records, sizeof records, "MAX_RECORDS of %" PRId64, f->enough_records);
    line("Incomplete", "%s %s while the job ran:", modules, by_memory ? "ran out of memory" : "reached MAX_RECORDS");
    line("", "further files were counted together by mount point (%" PRId64 " uses);", f->folded);
    line("", "sums are %s. Enough for all of them:", f->missed > 0 ? "nearly exact" : "exact");
    line("", "%s%s%s", by_memory ? memory_setting(f->enough_memory).s : "", by_memory && *records ? " and " : "",
         records);
}

static void print_untraced(const struct dsn_figures *f)
{
    line("Incomplete", "traces leave out %" PRId64 " operations for want of memory;", f->untraced);
    line("", "room for more: MAX_RECORDS <KiB> DXT_POSIX,DXT_MPIIO");
}

static void print_incomplete(const struct darshan_reader *log, const struct dsn_figures *f)
{
    const uint64_t partial = darshan_reader_header(log)->partial;
    const uint64_t counted = (uint64_t)1 << DSN_POSIX_MODULE | (uint64_t)1 << DSN_STDIO_MODULE;
    const uint64_t traced = (uint64_t)1 << DSN_DXT_POSIX_MODULE | (uint64_t)1 << DSN_DXT_MPIIO_MODULE;
    char text[COLUMNS] = "";

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        const size_t used = strlen(text);

        if (traced >> i & 1 && f->untraced > 0) /* our runtime's: they are thinner, and it is known by how much */
            continue;
        if (partial >> i & 1 && i != DSN_NULL_MODULE && dsn_module_name(i) && used < 30)
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", dsn_module_name(i));
    }
    if (f->untraced > 0)
        print_untraced(f);
    if (!*text)
        return;
    if (f->folded > 0) {
        print_folded(f, text);
        return;
    }
    line("Incomplete", "%s ran out of memory while the job ran:", text);
    line("", "%s",
         partial & counted ? "there was more I/O than is shown here."
                           : "the figures here do not depend on it and are complete.");
}

static void print_notes(const struct dsn_figures *f)
{
    if (!f->exact && f->shared_time > 0 && (f->unique_time > 0 || f->shared_time > f->slowest_file.seconds))
        line("Estimate", "the slowest rank's time adds the slowest times on each shared file");
    if (dsn_figures_slowest_share(f, f->slowest_time) > 1)
        line("Note", "I/O took more than the run time: threads overlapped, or rounding");
    if (f->missed > 0)
        line("Missed", "%" PRId64 " calls made at bad moments were not counted", f->missed);
}

static void print_summary(const struct darshan_reader *log, const struct dsn_figures *f)
{
    print_sentence(log, f);
    print_rate(f);
    print_uncounted(log);
    print_incomplete(log, f);
    if (f->damage.code != DSN_ERR_OK)
        line("Damaged", "the figures are of what could be read of this log");
    printf("\n");
    print_job(log, f);
    if (!is_idle(f)) {
        print_time(f);
        print_data(f);
        print_sizes(f);
    }
    if (f->files.total > 0)
        print_files(f);
    print_slowest_file(log, f);
    print_layers(log);
    print_notes(f);
}

/* ------------------------------------------------------------------ main */

struct settings {
    int64_t nodes; /* 0: not given */
    int json;
};

static int print_document(const struct dsn_report *r, const char *file)
{
    struct dsn_findings *findings = dsn_findings_make(r);
    json_t *document = findings ? dsn_document_make(r, findings, file) : NULL;
    int rc = document ? DSN_ERR_OK : DSN_ERR_MEMORY;

    if (document) {
        json_dumpf(document, stdout, JSON_COMPACT);
        putchar('\n');
    }
    json_decref(document);
    free(findings);
    return rc;
}

static int summarize(const char *file, const struct settings *s)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    struct dsn_report r;
    int rc = 0;

    if (darshan_reader_open(file, &log, &err) != DSN_ERR_OK) {
        dsn_complain(COMMAND, file, &err, 0);
        return 1;
    }
    err.code = dsn_report_read(&r, log, s->nodes);
    if (err.code == DSN_ERR_OK && s->json)
        err.code = print_document(&r, file);
    else if (err.code == DSN_ERR_OK)
        print_summary(log, &r.f);
    if (err.code == DSN_ERR_OK)
        err = r.f.damage;
    else
        snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(errno));
        rc = 1;
    }
    if (err.code != DSN_ERR_OK) {
        dsn_complain(COMMAND, file, &err, 0);
        rc = 1;
    }
    dsn_report_free(&r);
    darshan_reader_close(log);
    return rc;
}

static int take(void *context, int value, const char *argument)
{
    struct settings *s = context;

    if (value == OPT_JSON) {
        s->json = 1;
        return 1;
    }
    if (dsn_number(argument, 1, &s->nodes))
        return 1;
    fprintf(stderr, COMMAND ": --nodes %s: give a whole number of at least 1\n", argument);
    return 0;
}

int main(int argc, char **argv)
{
    struct settings s = { 0 };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take, &s);
    if (rc >= 0)
        return rc;
    if (argc - optind != 1)
        return dsn_usage(&command);
    return summarize(argv[optind], &s);
}
