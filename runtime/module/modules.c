/* modules.c - the modules that have records at run time
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "module/posix.h"
#include "module/stdio.h"
#include "record/fd.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/record.h"

const struct dsn_module_info *const dsn__modules[DSN_NMODULES] = {
    [DSN_INDEX_POSIX] = &dsn__posix_module,
    [DSN_INDEX_MPIIO] = &dsn__mpiio_module,
    [DSN_INDEX_H5F] = &dsn__h5f_module,
    [DSN_INDEX_H5D] = &dsn__h5d_module,
    [DSN_INDEX_PNETCDF_FILE] = &dsn__pnetcdf_file_module,
    [DSN_INDEX_PNETCDF_VAR] = &dsn__pnetcdf_var_module,
    [DSN_INDEX_LUSTRE] = &dsn__lustre_module,
    [DSN_INDEX_STDIO] = &dsn__stdio_module,
    [DSN_INDEX_DXT_POSIX] = &dsn__dxt_posix_module,
    [DSN_INDEX_DXT_MPIIO] = &dsn__dxt_mpiio_module,
    [DSN_INDEX_APMPI] = &dsn__apmpi_module,
    [DSN_INDEX_HEATMAP] = &dsn__heatmap_module,
    [DSN_INDEX_DFS] = &dsn__dfs_module,
    [DSN_INDEX_DAOS] = &dsn__daos_module,
    [DSN_INDEX_PHASE] = &dsn__phase_module,
    [DSN_INDEX_MAPPED] = &dsn__mapped_module,
    [DSN_INDEX_SITE] = &dsn__site_module,
    [DSN_INDEX_CUFILE] = &dsn__cufile_module,
};

void dsn__modules_start(void)
{
    dsn__stdio_start();
    dsn__posix_start();
}

struct dsn_description *dsn__modules_identify(int fd)
{
    return dsn__posix_identify(fd, 0, 0);
}

void dsn__modules_note_channel(struct dsn_name *name, mode_t channel)
{
    dsn__posix_note_channel(name, channel);
}

/* A file that only streams have used has no record of POSIX. */
void dsn__modules_note_gone(int dirfd, const char *path, bool is_renamed)
{
    dsn__posix_gone(dsn__record_if_there(DSN_INDEX_POSIX, dirfd, path), is_renamed);
    dsn__stdio_gone(dsn__record_if_there(DSN_INDEX_STDIO, dirfd, path), is_renamed);
}

void dsn__modules_note_dup(int fd, int from)
{
    dsn__stdio_redirected(fd, from);
}

uint64_t dsn__modules_present(void)
{
    uint64_t all = 0;

    for (int module = 0; module < DSN_INDEX_PHASE; module++)
        all |= (uint64_t)1 << dsn__modules[module]->id;
    return all;
}
