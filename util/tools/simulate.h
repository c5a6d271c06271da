/* simulate.h - shared by the parts of darshan-simulate
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_SIMULATE_H
#define DSN_TOOLS_SIMULATE_H

#include "util/lib/text.h"
#include "util/simulate/spec.h"
#include "util/simulate/striping.h"
#include "util/simulate/workload.h"
#include "util/simulate/cray-ymp.h"

#define DSN_SIMULATE       "darshan-simulate"
#define DSN_SIMULATE_SIZES 100

struct dsn_simulate_arguments {
    char **operands;
    int noperands;
    struct darshan_trace_options open;
    int is_study, json, scan, curve, estimate;
    const char *what_if, *machine_spec, *profile, *save;
    int64_t curve_block;                 /* bytes; 0: automatic */
    struct dsn_cray_ymp_options machine; /* of the study */
    double sizes[DSN_SIMULATE_SIZES];    /* of its cache, MiB */
    int nsizes;                          /* 0: the default */
    const char *warm;
    int study_options; /* an option that is only for the machine of the 1992 study was given */
};

/* Reads the traces: separately, as programs on one machine; otherwise merged, as one job. Reports errors and
 * anomalies. */
int dsn_simulate_read(const struct dsn_simulate_arguments *a, struct dsn_load *job, int apart);

/* Prints a line on stderr about the traces. Returns 1. */
int dsn_simulate_complain(const struct dsn_simulate_arguments *a, const char *text);

/* Reports an invalid argument of an option, and what it should be. Returns 2. */
int dsn_simulate_misused(const char *option, const char *argument, const char *what);

/* Prints a sentence: on a terminal in lines of at most 80 columns. */
void dsn_simulate_put_sentence(struct dsn_text *out, const char *text);

/* Prints lines about other striping, and returns the same as JSON (a new json_t). */
void dsn_simulate_put_striping(struct dsn_text *out, const struct dsn_striping *s);
struct json_t *dsn_simulate_striping(const struct dsn_striping *s);

/* Answers a question about striping from the counters of a log without traces, if there is one: 1, with the exit status
 * in *rc. Otherwise 0. */
int dsn_simulate_by_counters(const struct dsn_simulate_arguments *a, const struct dsn_spec *spec, int *rc);

/* Each returns the exit status. */
int dsn_simulate_cray_ymp(const struct dsn_simulate_arguments *a);
int dsn_simulate_what_if(const struct dsn_simulate_arguments *a);
int dsn_simulate_curve(const struct dsn_simulate_arguments *a);

#endif
