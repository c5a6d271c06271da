/* mpiio.h - what MPI-IO calls count in the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-mpiio.c inside a span, after the real call. MPI handles are pointers in one implementation and ints in
 * another: here they are register-sized integers, and queries about them go through the shim. */
#ifndef DSN_MODULE_MPIIO_H
#define DSN_MODULE_MPIIO_H

#include "base/mpi-abi.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* `result` is the real call's; failed calls are not counted. */
void dsn__mpiio_open(const struct dsn_span *s, int result, dsn_handle comm, const char *path, int amode,
                     dsn_handle info, const void *file);

/* Before a call on a file that is traced: sets s->place, and restarts the clock, because the query takes time. The
 * access is at `offset` in the view, at the individual file pointer (DSN_AT_POSITION), or, if `is_shared`, at the
 * shared file pointer, whose position is unknown because other ranks may move it. */
void dsn__mpiio_place(struct dsn_span *s, dsn_handle file, int64_t offset, int is_shared);

/* A read or write of `count` elements of `type`; `counter` is the index of the operation's counter. */
void dsn__mpiio_io(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file, int64_t count,
                   dsn_handle type, int counter);

void dsn__mpiio_sync(const struct dsn_span *s, int result, dsn_handle file);
void dsn__mpiio_view(const struct dsn_span *s, int result, dsn_handle file, dsn_handle info);

/* The end of a split collective call: adds its time only, because the call was counted when it began. */
void dsn__mpiio_end(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file);

/* MPI_File_close in two steps, as for POSIX close. `file` points to the application's handle. */
void *dsn__mpiio_release(const void *file);
void dsn__mpiio_close(const struct dsn_span *s, void *released);

/* Member of the state that life/state.h composes. */
extern struct dsn_handle_map *const dsn__mpi_files __attribute__((visibility("hidden")));

#endif
