/* pnetcdf.h - what PnetCDF calls mean for the records of a file and its variables
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-pnetcdf.c inside a span, after the real call; `result` is what that returned, and calls that failed do
 * not count but for waits. Nothing is linked against PnetCDF: the wrappers hand over the few functions that are asked,
 * all of which answer from memory. A variable's number means something together with its file's only. */
#ifndef DSN_MODULE_PNETCDF_H
#define DSN_MODULE_PNETCDF_H

#include "base/mpi-abi.h"
#include "record/fd.h"
#include "record/span.h"

#define DSN_NC_MAX_NAME 256
#define DSN_NC_MAX_DIMS 1024 /* a variable with more is counted by bytes that are not known: 0 */

/* The functions that are asked: C(name, parameters) */
#define DSN_NC_CALLS                                                                                                   \
    C(ncmpi_inq_varndims, (int file, int var, int *n))                                                                 \
    C(ncmpi_inq_var, (int file, int var, char *name, int *type, int *ndims, int *dims, int *nattributes))              \
    C(ncmpi_inq_unlimdim, (int file, int *dim))                                                                        \
    C(ncmpi_inq_dimlen, (int file, int dim, dsn_offset *length))                                                       \
    C(ncmpi_inq_get_size, (int file, dsn_offset *bytes))                                                               \
    C(ncmpi_inq_put_size, (int file, dsn_offset *bytes))

struct dsn_nc {
#define C(name, p) int(*name) p;
    DSN_NC_CALLS
#undef C
};

enum dsn_nc_kind { DSN_NC_get, DSN_NC_put, DSN_NC_iget, DSN_NC_iput, DSN_NC_bput };
enum dsn_nc_how { DSN_NC_INDEP, DSN_NC_COLL, DSN_NC_NB };
enum dsn_nc_shape { DSN_NC_var, DSN_NC_var1, DSN_NC_vara, DSN_NC_vars, DSN_NC_varm, DSN_NC_varn, DSN_NC_vard };

/* A call that moves data, named as in the names of the functions; what a shape does not have is 0. */
struct dsn_nc_io {
    int file, var;
    enum dsn_nc_kind kind;
    enum dsn_nc_how how;
    enum dsn_nc_shape shape;
    const dsn_offset *count, *stride;
    int num;
    dsn_offset *const *counts;
    dsn_handle type;
};
void dsn__nc_io(const struct dsn_nc *nc, const struct dsn_span *s, int result, const struct dsn_nc_io *io);

/* `counter` is the index of the operations' counter, -1: there is none. */
void dsn__nc_open(const struct dsn_span *s, int result, const char *path, const int *file, int counter);
void dsn__nc_meta(const struct dsn_span *s, int result, int file, int counter);
void dsn__nc_wait(const struct dsn_span *s, int result, int file, int counter);
void dsn__nc_var_open(const struct dsn_nc *nc, const struct dsn_span *s, int result, int file, const int *var);

/* ncmpi_close, before and after: before, for the library forgets how much it moved. */
struct dsn_nc_file;
struct dsn_nc_file *dsn__nc_release(const struct dsn_nc *nc, int file);
void dsn__nc_close(const struct dsn_span *s, struct dsn_nc_file *released);

struct dsn_pnetcdf_handles {
    struct dsn_small *free_files, *free_vars;
    struct dsn_handle_map files, vars;
};

/* Part of what life/state.h composes. */
extern struct dsn_pnetcdf_handles *const dsn__pnetcdf __attribute__((visibility("hidden")));

#endif
