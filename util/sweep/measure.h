/* measure.h - one sample of a point: threads that move bytes, and the time it takes them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who measures is a row of functions: a directory's file system, or a simulated machine, which knows the same points and no
 * directory. Private to util/sweep. */
#ifndef DSN_SWEEP_MEASURE_H
#define DSN_SWEEP_MEASURE_H

#include <signal.h>

#include "files.h"
#include "util/simulate/spec.h"

enum dsn_measured { DSN_MEASURED, DSN_MEASURED_STOPPED, DSN_MEASURED_FAILED, DSN_MEASURED_NOT_HERE };

struct dsn_meter {
    /* Fills in bytes, seconds and resident. NOT_HERE: the file system has no such way. FAILED: `error` says why. */
    enum dsn_measured (*measure)(struct dsn_meter *m, const struct dsn_point *p, struct dsn_sample *out);
    void (*close)(struct dsn_meter *m);
    const struct dsn_sweep_settings *settings;
    struct dsn_sweep_place place; /* of a real one */
    struct dsn_kept *kept;        /* files that the next point of the same sweep needs, too */
    struct dsn_spec spec;         /* of a simulated one */
    char error[DSN_SWEEP_ERROR];
};

/* Both return 0 with m->error. */
int dsn_meter_of_directory(struct dsn_meter *m, const struct dsn_sweep_settings *s);
int dsn_meter_of_machine(struct dsn_meter *m, const struct dsn_sweep_settings *s, const char *spec);

/* Set by a signal: samples end soon. */
extern volatile sig_atomic_t dsn_sweep_stop;

#endif
