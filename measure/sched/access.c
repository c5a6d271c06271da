/* access.c - the ways of reading a block with POSIX and MPI-IO
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/sched/parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ POSIX */

static int begin_posix(struct darshan_sched *s, struct dsn_buffer *b)
{
    b->aio = (struct aiocb){ .aio_fildes = s->fd,
                             .aio_buf = b->data,
                             .aio_nbytes = (size_t)b->bytes,
                             .aio_offset = dsn_sched_place(s, b->block) };
    return aio_read(&b->aio) == 0 || dsn_sched_fail(s, "aio_read: %s", strerror(errno));
}

static int finish_posix(struct darshan_sched *s, struct dsn_buffer *b)
{
    const struct aiocb *const all[] = { &b->aio };
    int rc;

    while ((rc = aio_error(&b->aio)) == EINPROGRESS)
        aio_suspend(all, 1, NULL);
    b->got = aio_return(&b->aio);
    return rc == 0 || dsn_sched_fail(s, "cannot be read: %s", strerror(rc));
}

/* ------------------------------------------------------------------ MPI-IO, each process for itself */

static int begin_async(struct darshan_sched *s, struct dsn_buffer *b)
{
    return dsn_sched_mpi(
        s, MPI_File_iread_at(s->file, dsn_sched_place(s, b->block), b->data, (int)b->bytes, MPI_BYTE, &b->request),
        "MPI_File_iread_at");
}

static int take_count(struct dsn_buffer *b, const MPI_Status *status)
{
    int n = 0;

    MPI_Get_count(status, MPI_BYTE, &n);
    b->got = n;
    return 1;
}

static int finish_async(struct darshan_sched *s, struct dsn_buffer *b)
{
    MPI_Status status;
    int rc;

    rc = MPI_Wait(&b->request, &status); /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): begun by begin_async() */
    return dsn_sched_mpi(s, rc, "MPI_File_iread_at") && take_count(b, &status);
}

static int start_atomic(struct darshan_sched *s)
{
    return dsn_sched_mpi(s, MPI_File_set_atomicity(s->file, 1), "MPI_File_set_atomicity");
}

/* A shared file pointer starts where the view does. */
static int start_shared(struct darshan_sched *s)
{
    return dsn_sched_mpi(s, MPI_File_set_view(s->file, s->plan.begin, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
                         "MPI_File_set_view");
}

static int begin_shared(struct darshan_sched *s, struct dsn_buffer *b)
{
    MPI_Status status;

    return dsn_sched_mpi(s, MPI_File_read_shared(s->file, b->data, (int)b->bytes, MPI_BYTE, &status),
                         "MPI_File_read_shared") &&
           take_count(b, &status);
}

/* ------------------------------------------------------------------ all processes at the same time */

static int begin_collective(struct darshan_sched *s, struct dsn_buffer *b)
{
    MPI_Status status;
    const MPI_Offset at = b->bytes > 0 ? dsn_sched_place(s, b->block) : 0;

    return dsn_sched_mpi(s, MPI_File_read_at_all(s->file, at, b->data, (int)b->bytes, MPI_BYTE, &status),
                         "MPI_File_read_at_all") &&
           take_count(b, &status);
}

static int begin_ordered(struct darshan_sched *s, struct dsn_buffer *b)
{
    MPI_Status status;

    return dsn_sched_mpi(s, MPI_File_read_ordered(s->file, b->data, (int)b->bytes, MPI_BYTE, &status),
                         "MPI_File_read_ordered") &&
           take_count(b, &status);
}

/* Broadcasts all blocks of this cycle one after another. A block that could not be read has -1 instead of its bytes. */
static int begin_broadcast(struct darshan_sched *s, struct dsn_buffer *b)
{
    const int64_t first = s->cycle * s->workers;
    int whole = 1;

    b->got = 0; /* unless it has a block in this cycle */
    for (int i = 0; i < s->workers && first + i < s->blocks; i++) {
        char *to = i == s->rank ? b->data : s->scratch;
        int64_t bytes = dsn_sched_bytes(s, first + i);

        if (s->rank == 0 && pread(s->fd, to, (size_t)bytes, dsn_sched_place(s, first + i)) != bytes)
            bytes = -1;
        MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, s->comm);
        if (bytes >= 0)
            MPI_Bcast(to, (int)bytes, MPI_BYTE, 0, s->comm);
        if (i == s->rank)
            b->got = bytes;
        whole = whole && bytes >= 0;
    }
    return whole || dsn_sched_fail(s, "a block cannot be read by rank 0");
}

/* ------------------------------------------------------------------ all of them */

static const struct dsn_access ways[DARSHAN_SCHED_NMODES] = {
    [DARSHAN_SCHED_POSIX] = { .name = "posix", .begin = begin_posix, .finish = finish_posix },
    [DARSHAN_SCHED_ASYNC] = { .name = "async", .is_mpi = 1, .begin = begin_async, .finish = finish_async },
    [DARSHAN_SCHED_ATOMIC] = { .name = "atomic",
                               .is_mpi = 1,
                               .start = start_atomic,
                               .begin = begin_async,
                               .finish = finish_async },
    [DARSHAN_SCHED_SHARED] = { .name = "shared",
                               .is_mpi = 1,
                               .is_unnumbered = 1,
                               .start = start_shared,
                               .begin = begin_shared },
    [DARSHAN_SCHED_COLLECTIVE] = { .name = "collective", .is_mpi = 1, .is_collective = 1, .begin = begin_collective },
    [DARSHAN_SCHED_ORDERED] = { .name = "ordered",
                                .is_mpi = 1,
                                .is_collective = 1,
                                .start = start_shared,
                                .begin = begin_ordered },
    [DARSHAN_SCHED_BROADCAST] = { .name = "broadcast", .is_collective = 1, .begin = begin_broadcast },
};

const struct dsn_access *dsn_sched_access(unsigned mode)
{
    return mode < DARSHAN_SCHED_NMODES ? &ways[mode] : NULL;
}
