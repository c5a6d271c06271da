/* simulate.h - what the parts of darshan-simulate share
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TOOLS_SIMULATE_H
#define DSN_TOOLS_SIMULATE_H

#include "util/lib/text.h"
#include "util/simulate/spec.h"
#include "util/simulate/striping.h"
#include "util/simulate/workload.h"
#include "util/simulate/seed.h"

#define DSN_SIMULATE "darshan-simulate"

struct dsn_simulate_arguments {
    char **operands;
    int noperands;
    struct darshan_trace_options open;
    int seed, json, scan, curve, estimate;
    const char *what_if, *machine_spec, *profile, *save;
    int64_t curve_block;             /* bytes; 0: as suits */
    struct dsn_seed_options machine; /* of the study */
    const char *warm;
    int seed_options; /* one that is for --seed only was given */
};

/* Reads the traces: apart, a machine's programs; else as one job. Says what is wrong, and what is odd. */
int dsn_simulate_read(const struct dsn_simulate_arguments *a, struct dsn_load *job, int apart);

/* One line on stderr about the traces. Returns 1. */
int dsn_simulate_complain(const struct dsn_simulate_arguments *a, const char *text);

/* Says that an option's argument is wrong, and what it should be. Returns 2. */
int dsn_simulate_misused(const char *option, const char *argument, const char *what);

/* Lines about other striping, and the same as JSON (a new json_t). */
void dsn_simulate_put_striping(struct dsn_text *out, const struct dsn_striping *s);
struct json_t *dsn_simulate_striping(const struct dsn_striping *s);

/* What the counters of a log say that has no traces, if the question is about striping and there is such a log: 1, with the exit
 * status in *rc. Otherwise 0. */
int dsn_simulate_by_counters(const struct dsn_simulate_arguments *a, const struct dsn_spec *spec, int *rc);

/* Each returns the exit status. */
int dsn_simulate_seed(const struct dsn_simulate_arguments *a);
int dsn_simulate_what_if(const struct dsn_simulate_arguments *a);
int dsn_simulate_curve(const struct dsn_simulate_arguments *a);

#endif
