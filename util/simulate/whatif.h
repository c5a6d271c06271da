/* whatif.h - what a run would have gained, with bounds
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The run is simulated as it was, then with what the question says; the answer is what was measured, times the ratio of
 * the two, so that what the model gets wrong of both alike does no harm. Its bounds are those of ranks that are
 * independent and that are coupled (shape.h), each widened by how far the model is off on the run as it was. Where the
 * question is about what the run may already have had (a page cache, read-ahead, targets that are free), it may gain nothing,
 * and the worse bound is what was measured. Private to util/simulate. */
#ifndef DSN_SIMULATE_WHATIF_H
#define DSN_SIMULATE_WHATIF_H

#include "fit.h"
#include "spec.h"
#include "striping.h"

struct dsn_range {
    double low, high; /* seconds */
};

struct dsn_question {
    const char *text; /* of the change, as it was asked */
    struct dsn_spec change;
    const struct dsn_spec *had;            /* what the machine of the run is known to have had; NULL: nothing */
    const struct dsn_file_system *profile; /* NULL: fitted to the run's own operations */
};

struct dsn_answer {
    struct dsn_shape shape;
    struct dsn_fit_check check;
    struct dsn_machine machine, changed; /* of the run, of the question */
    unsigned char *pinned, *pinned_before;
    double *transfer; /* of each file, with other striping */
    struct dsn_striping
        striping; /* what other striping would change, as far as layouts are known; files 0: they are not */
    struct dsn_visible becomes; /* as simulated */
    struct dsn_range was, will; /* visible I/O: as measured, and what it becomes */
    double run;                 /* seconds from the trace's beginning to the end of the last operation */
    double cache_saves;         /* more page cache saves this at most; below 0: not said */
    double never_stalls;        /* bytes of a node's burst buffer with which no write waits for the drain */
    double drain_needed;        /* bytes a second of a node, with the size that was asked about */
    struct dsn_outcome outcome; /* of independent ranks, with the change */
    int at_most;                /* the run may already have what was asked about */
    uint64_t missing;           /* operations that the trace lacks; UINT64_MAX: some */
    uint32_t nodes;
    int hosts_known;
    char error[240];
};

/* Answers. Returns 0 with a->error if there is no memory, or the load does not say how files are striped. To be freed in
 * any case. */
int dsn_answer_make(const struct dsn_load *load, const struct dsn_question *q, struct dsn_answer *a);
void dsn_answer_free(struct dsn_answer *a);

/* The answer in one sentence, with a full stop. */
void dsn_answer_sentence(const struct dsn_answer *a, const struct dsn_question *q, char *to, size_t n);

/* What other striping changes: "Striping 3 files over 8 targets instead of 1". */
void dsn_striping_said(const struct dsn_spec *s, const struct dsn_striping *g, char *to, size_t n);

/* "31-55 s", or "12 s" if both are the same as far as they are said. */
const char *dsn_range_said(struct dsn_range r, char *to, size_t n);

/* ------------------------------------------------------------------ what matters */

#define DSN_SCAN_ROWS 6

struct dsn_scan {
    struct dsn_range base; /* visible I/O with what the question says */
    struct dsn_scan_row {
        const char *name; /* "twice the drain rate" */
        struct dsn_range will;
        double saves; /* seconds, in the middle */
        int asked;    /* it is of this question */
    } row[DSN_SCAN_ROWS];
    double least;     /* of the base: what saves less does not matter, or is not known to */
    int best, second; /* rows; -1: nothing saves so much */
    struct dsn_range both;
};

/* One thing more at a time, then the two best. Returns 0 if there is no memory. */
int dsn_scan_make(const struct dsn_load *load, const struct dsn_question *q, const struct dsn_answer *a,
                  struct dsn_scan *out);
void dsn_scan_sentence(const struct dsn_scan *s, const struct dsn_answer *a, const struct dsn_question *q, char *to,
                       size_t n);

#endif
