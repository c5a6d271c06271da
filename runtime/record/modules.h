/* modules.h - what each module tells the core of itself
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MODULES_H
#define DSN_MODULES_H

#include "record/module.h"

extern const struct dsn_slot_info dsn__posix_slot, dsn__mpiio_slot, dsn__lustre_slot, dsn__stdio_slot;
extern const struct dsn_slot_info dsn__h5f_slot, dsn__h5d_slot;
extern const struct dsn_slot_info dsn__pnetcdf_file_slot, dsn__pnetcdf_var_slot;
extern const struct dsn_slot_info dsn__dxt_posix_slot, dsn__dxt_mpiio_slot, dsn__heatmap_slot;

#endif
