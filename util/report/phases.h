/* phases.h - what the job did in each phase that its program has named (phase.def)
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PHASES_H
#define DSN_PHASES_H

#include "report.h"

enum dsn_phase_of {
    DSN_OF_POSIX,
    DSN_OF_STDIO,
    DSN_OF_MPIIO,
    DSN_OF_HDF5,
    DSN_OF_PNETCDF,
    DSN_OF_DFS,
    DSN_OF_DAOS,
    DSN_PHASE_LAYERS
};

struct dsn_phase {
    uint64_t id;
    const char *name;     /* any bytes; valid as long as the log */
    int64_t entered;      /* times, of all threads of all processes */
    int64_t processes;    /* that were in it */
    double time;          /* seconds in it, of all of these threads */
    double longest;       /* of the process that was in it longest */
    double slowest;       /* seconds in calls of POSIX, STDIO and DFS, of the process where it is most; */
    int64_t slowest_rank; /* its rank */
    struct dsn_work at[DSN_PHASE_LAYERS];
    int64_t metas[DSN_PHASE_LAYERS]; /* metadata calls */
    struct dsn_work work;            /* of POSIX, STDIO and DFS; of DAOS in a log without DFS */
    double step;      /* seconds of which each bit of the next stands for one, from the start of the job; */
    uint64_t when[8]; /* the process that was in it longest was in it then. All 0: not known */
};

struct dsn_phases {
    struct dsn_phase *list; /* by time in calls, then by time */
    size_t n;
    struct dsn_work outside; /* of these: what is in no phase; its times are not known, and 0 */
};

/* Returns DSN_ERR_OK or DSN_ERR_MEMORY. A report of some files has none: phases tell of all of them. */
int dsn_phases_make(const struct dsn_report *r, struct dsn_phases *out);
void dsn_phases_free(struct dsn_phases *p);

const char *dsn_phase_layer_name(enum dsn_phase_of layer);

/* Of what was called at each layer: seconds, at least: one layer calls another, and its time contains the other's, so that it is that of STDIO and of
 * the layer with most of the others, where POSIX, and DFS or DAOS, which do not call each other, are one. */
double dsn_layers_time(const struct dsn_work at[DSN_PHASE_LAYERS]);
double dsn_phase_io_time(const struct dsn_phase *p);

/* Whether the job's volume is counted at the layer. */
int dsn_layer_is_at_storage(const struct dsn_report *r, enum dsn_phase_of layer);

/* The share of the time in it. */
double dsn_phase_share(const struct dsn_phase *p);

/* Whether the process was in it in that step of 512. */
int dsn_phase_was(const struct dsn_phase *p, unsigned step);

#endif
