/* pnetcdf.h - what PnetCDF calls count in the records of a file and its variables
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-pnetcdf.c inside a span, after the real call; `result` is that call's, and failed calls are not
 * counted, except waits. We do not link against PnetCDF: the wrappers pass the few query functions, all of which answer
 * from memory. A variable's id is unique only within its file. */
#ifndef DSN_MODULE_PNETCDF_H
#define DSN_MODULE_PNETCDF_H

#include "base/mpi-abi.h"
#include "record/fd.h"
#include "record/span.h"

#define DSN_NC_MAX_NAME 256
#define DSN_NC_MAX_DIMS 1024 /* accesses to a variable with more dimensions count 0 bytes */

/* The query functions: C(name, parameters) */
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

/* A call that moves data, described by the parts of its name; 0 for what its shape does not have. */
struct dsn_nc_io {
    int file, var;
    enum dsn_nc_kind kind;
    enum dsn_nc_how how;
    enum dsn_nc_shape shape;
    const dsn_offset *count, *stride;
    int num;
    dsn_offset *const *counts;
    dsn_handle type;
    const int *request; /* of a nonblocking call: the number that it has been given */
};
void dsn__nc_io(const struct dsn_nc *nc, const struct dsn_span *s, int result, const struct dsn_nc_io *io);

/* `counter` is the index of the operation's counter, -1: none. */
void dsn__nc_open(const struct dsn_span *s, int result, const char *path, const int *file, int counter);
void dsn__nc_meta(const struct dsn_span *s, int result, int file, int counter);
void dsn__nc_wait(const struct dsn_span *s, int result, int file, int counter);

/* Nonblocking requests count when they are made. Before ncmpi_wait and its like (`n` requests, or all of a kind) they are no
 * longer remembered; before ncmpi_cancel, and before ncmpi_close, those that have not been waited for no longer count. */
enum dsn_nc_end { DSN_NC_WAITED, DSN_NC_CANCELLED };
void dsn__nc_end(int file, int n, const int *requests, enum dsn_nc_end how);
void dsn__nc_var_open(const struct dsn_nc *nc, const struct dsn_span *s, int result, int file, const int *var);

/* ncmpi_close, before and after: PnetCDF forgets the number of bytes moved at close. */
struct dsn_nc_file;
struct dsn_nc_file *dsn__nc_release(const struct dsn_nc *nc, int file);
void dsn__nc_close(const struct dsn_span *s, struct dsn_nc_file *released);

struct dsn_pnetcdf_handles {
    struct dsn_small *free_files, *free_vars;
    struct dsn_handle_map files, vars;
};

/* Member of the state that life/state.h composes. */
extern struct dsn_pnetcdf_handles *const dsn__pnetcdf __attribute__((visibility("hidden")));

#endif
