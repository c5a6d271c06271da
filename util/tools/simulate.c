/* simulate.c - darshan-simulate: what a job would gain from a burst buffer, a larger cache, read-ahead
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "simulate.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/command/common.h"
#include "command-line/options.h"

enum {
    OPT_SEED = 1,
    OPT_JSON,
    OPT_CACHE,
    OPT_WRITE_BEHIND,
    OPT_NO_READ_AHEAD,
    OPT_SSD,
    OPT_WARM,
    OPT_BLOCK,
    OPT_QUANTUM,
    OPT_FAR,
    OPT_NEAR,
    OPT_RATE,
    OPT_SWITCH,
    OPT_FILE_SYSTEM,
    OPT_INTERRUPT,
    OPT_LIMIT,
    OPT_DELAY,
    OPT_QUEUE,
    OPT_SERIES,
    OPT_FROM,
    OPT_WHAT_IF,
    OPT_SCAN,
    OPT_CURVE,
    OPT_MACHINE,
    OPT_PROFILE,
    OPT_SAVE,
    OPT_ESTIMATE,
    OPT_MEMORY,
};

/* clang-format off */
#define STUDY "cray-ymp-1992" /* its machine, one processor: one program per trace */

static const struct dsn_option options[] = {
    { "what-if", "SPEC", "what this would gain, such as 'bb=400GiB/node,2GB/s; drain=1GB/s': darshan-simulate(1)", OPT_WHAT_IF },
    { "scan", NULL, "which of capacity, bandwidth, drain, page cache and read-ahead would gain most beyond SPEC", OPT_SCAN },
    { "curve", NULL, "miss ratios of caches of all sizes", OPT_CURVE },
    { "machine", "SPEC", "what the machine of the run had, as far as known, such as 'cache=64GiB/node'; or " STUDY ": simulate that of the 1992 study", OPT_MACHINE },
    { "profile", "FILE", "storage profile, instead of a fit to the run's operations", OPT_PROFILE },
    { "save-profile", "FILE", "write the fit as a storage profile", OPT_SAVE },
    { "estimate", NULL, "answer although operations are missing in the trace", OPT_ESTIMATE },
    { "json", NULL, "print JSON", OPT_JSON },
    { "memory", "MIB", "MiB of memory for sorting events (64); others go to $TMPDIR", OPT_MEMORY },
    { "from", "FORMAT", "input format, instead of detecting it", OPT_FROM },
    { "seed", NULL, "the former name of --machine " STUDY, OPT_SEED },
    { "cache", "LIST", "1992: cache size in MiB (32); several, as 4,8,16: a line for each", OPT_CACHE },
    { "block", "BYTES", "1992: block size of the cache (16384); --curve: block size", OPT_BLOCK },
    { "write-behind", NULL, "1992: programs do not wait for their writes", OPT_WRITE_BEHIND },
    { "delay", "SECONDS", "1992: writes are delayed in the cache for this long; repeated writes of a block are merged", OPT_DELAY },
    { "no-read-ahead", NULL, "1992: no read-ahead", OPT_NO_READ_AHEAD },
    { "ssd", NULL, "1992: the cache is large, slower memory (SSD)", OPT_SSD },
    { "warm", "NAME", "1992: the files of this trace are in the cache at the start", OPT_WARM },
    { "limit", "BLOCKS", "1992: maximum number of cache blocks per program", OPT_LIMIT },
    { "quantum", "SECONDS", "1992: time slice of the processor in seconds (0.1)", OPT_QUANTUM },
    { "far", "SECONDS", "1992: seek time to another file in seconds (0.015)", OPT_FAR },
    { "near", "SECONDS", "1992: seek time within a file in seconds (0.002)", OPT_NEAR },
    { "rate", "BYTES", "1992: bandwidth of the disks in bytes per second (1e8)", OPT_RATE },
    { "switch", "SECONDS", "1992: processor time of a context switch (2e-5)", OPT_SWITCH },
    { "fscost", "SECONDS", "1992: processor time of file system code per request (3e-5)", OPT_FILE_SYSTEM },
    { "interrupt", "SECONDS", "1992: processor time of an interrupt per completed disk request (1e-5)", OPT_INTERRUPT },
    { "queue", NULL, "1992: disks serve one request at a time", OPT_QUEUE },
    { "series", NULL, "1992, with --json: also print bytes per second over time", OPT_SERIES },
};
/* clang-format on */

static const struct dsn_command command = {
    DSN_SIMULATE,
    "[options] TRACE...",
    "Estimates what a job would gain from a burst buffer, a larger cache or read-ahead, from its trace: a Darshan\n"
    "log with traces, or any that darshan-trace reads. TRACE - is standard input.",
    options,
    sizeof options / sizeof options[0],
    NULL
};

#define EXAMPLE "bb=64GiB/node,2GB/s; drain=1GB/s" /* default of --scan */

int dsn_simulate_misused(const char *option, const char *argument, const char *what)
{
    return dsn_usage(&command, "%s '%s': %s", option, argument, what);
}

/* ------------------------------------------------------------------ reading */

int dsn_simulate_complain(const struct dsn_simulate_arguments *a, const char *text)
{
    const char *name = a->noperands == 1 ? a->operands[0] : NULL;

    if (name)
        dsn_warn(DSN_SIMULATE, strcmp(name, "-") == 0 ? "standard input" : name, "%s", text);
    else
        fprintf(stderr, DSN_SIMULATE ": %s\n", text);
    return 1;
}

/* Reads `n` traces merged into the job, as number `which`. */
static int read_some(const struct dsn_simulate_arguments *a, struct dsn_load *job, char **names, int n, uint32_t which,
                     int apart)
{
    struct dsn_simulate_arguments named = *a;
    struct darshan_trace *t;
    int ok;

    named.operands = names;
    named.noperands = n;
    if (!darshan_trace_open_many((const char *const *)names, (size_t)n, &a->open, &t, &job->err)) {
        dsn_simulate_complain(&named, job->err.text);
        return 0;
    }
    ok = dsn_load_take(job, t, which, apart);
    if (!ok)
        dsn_simulate_complain(&named, job->err.text);
    for (size_t i = 0; ok && i < darshan_trace_notes(t); i++)
        dsn_simulate_complain(&named, darshan_trace_note(t, i));
    darshan_trace_close(t);
    return ok;
}

int dsn_simulate_read(const struct dsn_simulate_arguments *a, struct dsn_load *job, int apart)
{
    int ok = 1;

    dsn_load_init(job);
    if (!apart)
        ok = read_some(a, job, a->operands, a->noperands, 0, 0);
    for (int i = 0; apart && ok && i < a->noperands; i++)
        ok = read_some(a, job, a->operands + i, 1, (uint32_t)i, 1);
    if (!ok)
        return 0;
    if (dsn_load_end(job))
        return 1;
    dsn_simulate_complain(a, job->err.text);
    return 0;
}

/* ------------------------------------------------------------------ the command line */

/* A finite number, at least `least`. */
static int real(const char *text, double least, double most, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= least && *out <= most;
}

/* Sizes of the cache, separated by commas. */
static int take_sizes(struct dsn_simulate_arguments *a, const char *text)
{
    for (a->nsizes = 0; a->nsizes < DSN_SIMULATE_SIZES;) {
        const size_t n = strcspn(text, ",");
        char word[32];

        if (n >= sizeof word)
            return 0;
        memcpy(word, text, n);
        word[n] = '\0';
        if (!real(word, 0, 1 << 20, &a->sizes[a->nsizes++]))
            return 0;
        if (text[n] == '\0')
            return 1;
        text += n + 1;
    }
    return 0;
}

static int take_study_option(struct dsn_simulate_arguments *a, int value, const char *argument)
{
    struct dsn_cray_ymp_options *o = &a->machine;

    a->study_options = 1;
    switch (value) {
    case OPT_CACHE:
        return take_sizes(a, argument);
    case OPT_WRITE_BEHIND:
        return o->write_behind = 1;
    case OPT_NO_READ_AHEAD:
        o->read_ahead = 0;
        return 1;
    case OPT_SSD:
        return o->ssd = 1;
    case OPT_WARM:
        a->warm = argument;
        return 1;
    case OPT_QUANTUM:
        return real(argument, 1e-6, 1e9, &o->quantum);
    case OPT_FAR:
        return real(argument, 0, 1e6, &o->far);
    case OPT_NEAR:
        return real(argument, 0, 1e6, &o->near);
    case OPT_RATE:
        return real(argument, 1, 1e18, &o->rate);
    case OPT_SWITCH:
        return real(argument, 0, 1, &o->context_switch);
    case OPT_FILE_SYSTEM:
        return real(argument, 0, 1, &o->file_system);
    case OPT_INTERRUPT:
        return real(argument, 0, 1, &o->interrupt);
    case OPT_LIMIT:
        return dsn_number(argument, 1, &o->limit);
    case OPT_DELAY:
        return real(argument, 0, 1e9, &o->delay);
    case OPT_QUEUE:
        return o->queue = 1;
    default:
        return o->series = 1;
    }
}

static int take_option(void *context, int value, const char *argument)
{
    struct dsn_simulate_arguments *a = context;
    int64_t n = 0;

    switch (value) {
    case OPT_SEED:
        return a->is_study = 1;
    case OPT_JSON:
        return a->json = 1;
    case OPT_FROM:
        a->open.format = argument;
        return 1;
    case OPT_MEMORY:
        if (!dsn_number(argument, 1, &n) || n > 1 << 20)
            return 0;
        a->open.memory = (size_t)n << 20;
        return 1;
    case OPT_WHAT_IF:
        a->what_if = argument;
        return 1;
    case OPT_SCAN:
        return a->scan = 1;
    case OPT_CURVE:
        return a->curve = 1;
    case OPT_MACHINE:
        if (strcmp(argument, STUDY) == 0)
            return a->is_study = 1;
        a->machine_spec = argument;
        return 1;
    case OPT_PROFILE:
        a->profile = argument;
        return 1;
    case OPT_SAVE:
        a->save = argument;
        return 1;
    case OPT_ESTIMATE:
        return a->estimate = 1;
    case OPT_BLOCK:
        a->curve_block = 0;
        if (!dsn_number(argument, 512, &a->curve_block) || a->curve_block > 1 << 30)
            return 0;
        a->machine.block = a->curve_block;
        return 1;
    default:
        return take_study_option(a, value, argument);
    }
}

int main(int argc, char **argv)
{
    struct dsn_simulate_arguments a = { .machine = dsn_cray_ymp_defaults };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &a);
    if (rc >= 0)
        return rc;
    a.operands = argv + optind;
    a.noperands = argc - optind;
    if (a.noperands == 0)
        return dsn_usage(&command, "no trace given");
    if (a.is_study + a.curve + (a.what_if || a.scan) != 1)
        return dsn_usage(&command, "give one of --what-if, --scan, --curve and --machine " STUDY);
    if (!a.is_study && a.study_options)
        return dsn_usage(&command, "options of the 1992 study's machine need --machine " STUDY);
    if (a.machine.series && !a.json)
        return dsn_usage(&command, "--series needs --json");
    if (a.is_study || a.curve) {
        if (a.machine_spec || a.profile || a.save || a.estimate)
            return dsn_usage(&command, "--machine, --profile, --save-profile and --estimate need --what-if or --scan");
        return a.is_study ? dsn_simulate_cray_ymp(&a) : dsn_simulate_curve(&a);
    }
    if (a.curve_block > 0)
        return dsn_usage(&command, "--block needs --curve or --machine " STUDY);
    if (a.profile && a.save)
        return dsn_usage(&command, "--save-profile writes a fit, which --profile would replace");
    if (!a.what_if)
        a.what_if = EXAMPLE;
    return dsn_simulate_what_if(&a);
}
