/* mpiio.h - what MPI-IO calls mean for the record of a file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Called by wrap-mpiio.c inside a span, after the real call. Handles of MPI are pointers in one MPI and ints in
 * another: here they are register-sized numbers, and whatever has to be asked about them goes through the shim. */
#ifndef DSN_MODULE_MPIIO_H
#define DSN_MODULE_MPIIO_H

#include "base/mpi-abi.h"
#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/span.h"

/* `result` is what the real call returned; calls that failed do not count. */
void dsn__mpiio_open(const struct dsn_span *s, int result, dsn_handle comm, const char *path, int amode,
                     dsn_handle info, const void *file);

/* Before a call on a file whose operations are traced: sets s->place, and the start again, for that takes time. The
 * call is at `offset` of the view, or at the individual file pointer (DSN_AT_POSITION), or, where `is_shared`, at the
 * shared one, of which it is not known where it is: others may move it meanwhile. */
void dsn__mpiio_place(struct dsn_span *s, dsn_handle file, int64_t offset, int is_shared);

/* A read or write of `count` elements of `type`; `counter` is the index of the operations' counter. */
void dsn__mpiio_io(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file, int64_t count,
                   dsn_handle type, int counter);

void dsn__mpiio_sync(const struct dsn_span *s, int result, dsn_handle file);
void dsn__mpiio_view(const struct dsn_span *s, int result, dsn_handle file, dsn_handle info);

/* The end of a split collective call, which was counted when it began: only its time. */
void dsn__mpiio_end(const struct dsn_span *s, int result, enum dsn_direction d, dsn_handle file);

/* MPI_File_close, before and after, as close of POSIX. `file` points to the application's handle. */
void *dsn__mpiio_release(const void *file);
void dsn__mpiio_close(const struct dsn_span *s, void *released);

/* Part of what life/state.h composes. */
extern struct dsn_handle_map *const dsn__mpi_files __attribute__((visibility("hidden")));

#endif
