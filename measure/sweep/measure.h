/* measure.h - measures a sample of a point: threads that move bytes, and their time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A meter is a table of functions: for a directory's file system, or for a simulated machine, which has the same
 * points, but no directory. Private to measure/sweep. */
#ifndef DSN_SWEEP_MEASURE_H
#define DSN_SWEEP_MEASURE_H

#include <signal.h>

#include "files.h"
#include "util/simulate/spec.h"

enum dsn_measured { DSN_MEASURED, DSN_MEASURED_STOPPED, DSN_MEASURED_FAILED, DSN_MEASURED_NOT_HERE };

struct dsn_meter {
    /* Sets bytes, seconds and resident. NOT_HERE: not supported by the file system. FAILED: see `error`. */
    enum dsn_measured (*measure)(struct dsn_meter *m, const struct dsn_point *p, struct dsn_sample *out);
    void (*close)(struct dsn_meter *m);
    const struct dsn_sweep_settings *settings;
    struct dsn_sweep_place place; /* of a real one */
    struct dsn_kept *kept;        /* files also needed by the next point of the same sweep */
    struct dsn_spec spec;         /* of a simulated one */
    char error[DSN_SWEEP_ERROR];
};

/* Both return 0 with m->error. */
int dsn_meter_of_directory(struct dsn_meter *m, const struct dsn_sweep_settings *s);
int dsn_meter_of_machine(struct dsn_meter *m, const struct dsn_sweep_settings *s, const char *spec);

/* Set by a signal: samples end early. */
extern volatile sig_atomic_t dsn_sweep_stop;

#endif
