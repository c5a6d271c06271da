/* modules.c - the modules that have records at run time
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/config.h"
#include "module/posix.h"
#include "module/stdio.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/modules.h"

const struct dsn_slot_info *const dsn__slots[DSN_NSLOTS] = {
    [DSN_SLOT_POSIX] = &dsn__posix_slot,
    [DSN_SLOT_MPIIO] = &dsn__mpiio_slot,
    [DSN_SLOT_H5F] = &dsn__h5f_slot,
    [DSN_SLOT_H5D] = &dsn__h5d_slot,
    [DSN_SLOT_PNETCDF_FILE] = &dsn__pnetcdf_file_slot,
    [DSN_SLOT_PNETCDF_VAR] = &dsn__pnetcdf_var_slot,
    [DSN_SLOT_LUSTRE] = &dsn__lustre_slot,
    [DSN_SLOT_STDIO] = &dsn__stdio_slot,
    [DSN_SLOT_DXT_POSIX] = &dsn__dxt_posix_slot,
    [DSN_SLOT_DXT_MPIIO] = &dsn__dxt_mpiio_slot,
    [DSN_SLOT_HEATMAP] = &dsn__heatmap_slot,
};

void dsn__modules_start(void)
{
    dsn__stdio_start();
    dsn__posix_start();
}

struct dsn_open *dsn__modules_identify(int fd)
{
    return dsn__posix_identify(fd, 0, 0);
}

struct dsn_open *dsn__modules_inherit(int fd, const char *name)
{
    return dsn__posix_inherit(fd, name);
}

uint64_t dsn__modules_present(void)
{
    uint64_t all = 0;

    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        all |= (uint64_t)1 << dsn__slots[slot]->id;
    return all;
}
