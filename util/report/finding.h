/* finding.h - a problem of a job's I/O: its row, its figures, the files and ranks to blame
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FINDING_H
#define DSN_FINDING_H

#include "report.h"
#include "thresholds.h"

/* By the share of the run time that could be saved: from 10 %, from 1 %, below; or information only. The worst is the smallest
 * number, as findings are sorted by it. */
enum dsn_severity { DSN_HIGH, DSN_WARNING, DSN_MINOR, DSN_NOTE };
const char *dsn_severity_name(enum dsn_severity s);

/* Whether it is worth the trouble: a job with such a finding is not healthy. */
static inline int dsn_severity_matters(enum dsn_severity s)
{
    return s == DSN_HIGH || s == DSN_WARNING;
}

/* Whether anything is wrong, however little; a note is none of that. */
static inline int dsn_severity_is_problem(enum dsn_severity s)
{
    return s != DSN_NOTE;
}

enum dsn_finding_id {
#define FINDING(symbol, ...) DSN_FINDING_##symbol,
#include "findings.def"
#undef FINDING
    DSN_NFINDINGS
};

/* Advice by interface; the highest one through which the files are used is shown. */
struct dsn_advice {
    const char *posix, *mpiio, *hdf5, *pnetcdf; /* NULL: the same as for MPI-IO, whose default is POSIX's */
    const char *dfs;                            /* through DFS and DAOS; NULL: the same as for POSIX */
    const char *alone;      /* in a job of one rank, and to files of one rank; NULL: as if there were several */
    const char *alone_hdf5; /* the same with HDF5; NULL: the same as without */
    const char *whole;      /* for files smaller than the blocks that the others speak of; NULL: the same */
    const char *database;   /* for journals and tables of databases; NULL: the same */
    const char *reading;    /* if it is mostly about reads (of names: renames); NULL: the same */
    const char *blind;      /* to files that have no records of the calls below MPI-IO; NULL: the same */
    const char *each;       /* to many files, to each of which it happens once; NULL: the same */
    const char *flushing;   /* to streams that are flushed, and not synchronized; NULL: the same */
    const char *through;    /* to files that are opened so that each write waits for the device; NULL: the same */
};

/* What the seconds are that a finding concerns: an upper bound; saved without it; saved but for those that the same bytes take
 * at the rate of large requests. */
enum dsn_cost { DSN_COST_BOUND, DSN_COST_SAVED, DSN_COST_AT_RATES };

struct dsn__case;
struct dsn_finding;

struct dsn_finding_row {
    const char *id;        /* "small-writes": stable id for programs */
    const char *title;     /* "Small writes" */
    const char *condition; /* when it is one: for dsn_condition_text() */
    unsigned needs;        /* enum dsn_need */
    struct dsn_advice advice;
    const char *reference; /* where to read more */
    /* Whether it is one, by the condition; if so, writes its facts and its sentence (text), saveable or at_most if they do not
     * follow from files, and the advice if it is not that of the files' interface. */
    int (*examine)(const struct dsn__case *c, struct dsn_finding *f);
    /* Seconds of a file, summed over ranks, that the finding concerns; negative: it does not concern the file. NULL: the finding
     * is not about files. */
    double (*part)(const struct dsn__case *c, const struct dsn_report_file *f);
    enum dsn_cost cost;
    uint64_t covers; /* findings of which it is a special case, and which are then suppressed: bits 1 << id */
};
const struct dsn_finding_row *
dsn_finding_row(enum dsn_finding_id id); /* finding-rows.c: what findings.def expands to */

enum dsn_fact_unit { DSN_FACT_SECONDS, DSN_FACT_BYTES, DSN_FACT_COUNT, DSN_FACT_SHARE, DSN_FACT_RATE, DSN_FACT_RANK };
const char *dsn_fact_unit_name(enum dsn_fact_unit u);

/* Preconditions of a finding's advice, bits. Without one that is about the job there is no finding; without one that is about
 * files a file does not count for it: neither among its figures nor in its cost. */
enum dsn_need {
#define NEED(symbol, bit, text) DSN_NEEDS_##symbol = 1 << bit,
#include "needs.def"
#undef NEED
};
#define DSN_NNEEDS 5
const char *dsn_need_text(unsigned bit); /* of bit 1 << `bit`: "the job has several ranks" */

/* A figure that is evidence for a finding. */
struct dsn_fact {
    const char *name; /* "writes of up to 100 KiB" */
    double value;     /* seconds, bytes, a count, a share (0 to 1), bytes a second, or a rank */
    enum dsn_fact_unit unit;
    int is_of_all; /* summed over ranks: dsn_of_all() says so behind the name */
};

#define DSN_FINDING_FACTS 8
#define DSN_FINDING_FILES 10
#define DSN_FINDING_RANKS 10

struct dsn_finding {
    enum dsn_finding_id id;
    const struct dsn_finding_row *row;
    const char *title; /* the row's, unless it is about another kind of call */
    enum dsn_severity severity;
    double saveable;                /* seconds by which the slowest rank would be faster; negative: unknown */
    double at_most;                 /* seconds: upper bound */
    enum dsn_confidence confidence; /* of saveable */
    char basis[192];                /* what saveable or at_most is based on */
    char text[256];                 /* a sentence with the most important figures */
    struct dsn_fact fact[DSN_FINDING_FACTS];
    size_t nfacts;
    const struct dsn_report_file *file[DSN_FINDING_FILES]; /* the files with the largest shares, the worst first */
    double file_seconds[DSN_FINDING_FILES];                /* seconds that the finding concerns, summed over ranks */
    size_t nfiles;
    int64_t files;                   /* all files concerned */
    int64_t rank[DSN_FINDING_RANKS]; /* the ranks with the largest shares */
    size_t nranks;
    int are_awaited; /* these ranks: who spends most on the files waits there for them */
    const char *advice;
};

#endif
