/* modules.h - the modules' descriptions of themselves
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_MODULES_H
#define DSN_RECORD_MODULES_H

#include "record/module.h"

extern const struct dsn_module_info dsn__posix_module, dsn__mpiio_module, dsn__lustre_module, dsn__stdio_module;
extern const struct dsn_module_info dsn__h5f_module, dsn__h5d_module;
extern const struct dsn_module_info dsn__pnetcdf_file_module, dsn__pnetcdf_var_module;
extern const struct dsn_module_info dsn__dxt_posix_module, dsn__dxt_mpiio_module, dsn__heatmap_module;
extern const struct dsn_module_info dsn__dfs_module, dsn__daos_module;
extern const struct dsn_module_info dsn__apmpi_module, dsn__cufile_module, dsn__mapped_module, dsn__phase_module,
    dsn__site_module;

#endif
