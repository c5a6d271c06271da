/* sites.h - which lines of the program make its I/O calls (site.def)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of logs of runs with DARSHAN_CALLSITES. A chain of calls is shown as its innermost function that is the program's own: not of
 * MPI, of HDF5, of the C library and the like, and of Python not one of installed packages. */
#ifndef DSN_REPORT_SITES_H
#define DSN_REPORT_SITES_H

#include "finding.h"
#include "phases.h"
#include "report.h"

/* A place in the program, with all calls that it makes, directly or through libraries. */
struct dsn_site {
    char where[400];   /* "write_particles, io.f90:212"; "solver+0x1a2b" without debugging information */
    const char *why;   /* NULL, or why there is no line: "compiled without -g", ... */
    const char *stack; /* the chain of calls with most time, as in the log; NULL: not looked at */
    double seconds;    /* in calls: of STDIO, and of the layer with most of the others, which contain each other */
    struct dsn_work at[DSN_PHASE_LAYERS];
    int64_t metas[DSN_PHASE_LAYERS];
    struct dsn_work work; /* at storage: of POSIX, STDIO and DFS, */
    int64_t work_metas;   /* and their metadata calls */
    int64_t files;        /* of which there is a record */
    uint32_t file;        /* that it spends most on: index into report.files; DSN_IDMAP_NONE: unknown */
    double file_seconds;
};

struct dsn_sites {
    struct dsn_site *list;
    const struct dsn_site **order; /* by seconds; the last may be of what was not looked at */
    size_t n;
    struct dsn_work work; /* of all */
    int64_t metas;
    double seconds;
    int is_silent_python;      /* a run of Python whose release does not tell lines: places are of the interpreter */
    struct dsn_site_row *rows; /* what they are made of */
    size_t nrows;
    struct dsn_source *source;
};

/* As functions and lines, for which programs and libraries are opened, or as the log has them. */
enum dsn_sites_as { DSN_AS_LINES, DSN_AS_ADDRESSES };

/* Returns DSN_ERR_OK, or DSN_ERR_MEMORY; without call sites there are none. Of a report of some files: those of these files. */
int dsn_sites_make(const struct dsn_report *r, enum dsn_sites_as as, struct dsn_sites *out);
void dsn_sites_free(struct dsn_sites *s);

/* What a finding concerns: the place that takes most of the time of such calls on its files, and its share of that. NULL: there
 * is none that is known. */
const struct dsn_site *dsn_sites_blame(const struct dsn_report *r, const struct dsn_sites *s,
                                       const struct dsn_finding *f, double *share);

/* Calls `take` for each function of a chain, innermost first: what is shown of it, and whether it is the program's own. */
typedef void (*dsn_take_frame)(void *context, const char *where, int is_own);
void dsn_site_frames(const struct dsn_sites *s, const char *stack, dsn_take_frame take, void *context);

#endif
