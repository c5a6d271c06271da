/* whatif.h - estimates with bounds how a change would affect a run
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The run is simulated unchanged, and with the change; the answer is the measured value times the ratio of the two, so
 * that errors of the model that affect both cancel. Its bounds are those of independent and of coupled ranks (shape.h),
 * each widened by the model's error for the unchanged run. If the run may already have what is asked about (a page
 * cache, read-ahead, idle targets), it may gain nothing, and the upper bound is the measured value. Private to
 * util/simulate. */
#ifndef DSN_SIMULATE_WHATIF_H
#define DSN_SIMULATE_WHATIF_H

#include "fit.h"
#include "spec.h"
#include "striping.h"

struct dsn_range {
    double low, high; /* seconds */
};

struct dsn_whatif_question {
    const char *text; /* of the change, as given */
    struct dsn_spec change;
    const struct dsn_spec *had;            /* what the run's machine is known to have; NULL: nothing */
    const struct dsn_file_system *profile; /* NULL: fitted to the run's operations */
};

struct dsn_answer {
    struct dsn_shape shape;
    struct dsn_fit_check check;
    struct dsn_machine machine, changed; /* of the run, with the change */
    unsigned char *pinned, *pinned_before;
    double *transfer;             /* per file, with other striping */
    struct dsn_striping striping; /* changes due to other striping, as far as layouts are known; files 0: unknown */
    struct dsn_visible becomes;   /* simulated */
    struct dsn_range was, will;   /* visible I/O: measured (see timeless), and with the change */
    double run;                   /* seconds from the start of the trace to the end of the last operation */
    double cache_saves;           /* upper bound of what more page cache saves; negative: not given */
    double never_stalls;          /* bytes of a node's burst buffer with which no write waits for the drain */
    double drain_needed;          /* bytes per second of a node, with the given size */
    struct dsn_outcome outcome;   /* of independent ranks, with the change */
    int timeless;                 /* the trace has no durations: `was` is simulated, too */
    int at_most;                  /* the run may already have had what is asked about */
    uint64_t missing;             /* operations missing from the trace; UINT64_MAX: some */
    uint32_t nodes;
    int hosts_known;
    char error[240];
};

/* Computes the answer. Returns 0 with a->error if out of memory, or if the load has no striping of files. Free it in
 * any case. */
int dsn_answer_make(const struct dsn_load *load, const struct dsn_whatif_question *q, struct dsn_answer *a);
void dsn_answer_free(struct dsn_answer *a);

/* The answer in one sentence, with a full stop. */
void dsn_answer_sentence(const struct dsn_answer *a, const struct dsn_whatif_question *q, char *to, size_t n);

/* Describes a change of striping: "Striping 3 files over 8 targets instead of 1". */
void dsn_striping_said(const struct dsn_spec *s, const struct dsn_striping *g, char *to, size_t n);

/* "31-55 s", or "12 s" if both ends are the same when rounded. */
const char *dsn_range_said(struct dsn_range r, char *to, size_t n);

/* ------------------------------------------------------------------ what matters */

#define DSN_SCAN_ROWS 6

struct dsn_whatif_scan {
    struct dsn_range base; /* visible I/O with the change in question */
    struct dsn_scan_row {
        const char *name; /* "twice the drain rate" */
        struct dsn_range will;
        double saves; /* seconds, mean of the bounds */
        int asked;    /* part of the question */
    } row[DSN_SCAN_ROWS];
    double least;     /* of the base: smaller savings do not matter, or are uncertain */
    int best, second; /* rows; -1: nothing saves so much */
    struct dsn_range both;
};

/* Tries one further change at a time, then the two best together. Returns 0 if out of memory. */
int dsn_scan_make(const struct dsn_load *load, const struct dsn_whatif_question *q, const struct dsn_answer *a,
                  struct dsn_whatif_scan *out);
void dsn_scan_sentence(const struct dsn_whatif_scan *s, const struct dsn_answer *a, const struct dsn_whatif_question *q,
                       char *to, size_t n);

#endif
