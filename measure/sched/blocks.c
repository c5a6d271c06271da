/* blocks.c - reads blocks ahead while the current one is processed
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/sched/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/sched/parts.h"

int dsn_sched_fail(struct darshan_sched *s, const char *format, ...)
{
    va_list args;

    if (s->error[0] != '\0')
        return 0;
    va_start(args, format);
    vsnprintf(s->error, sizeof s->error, format, args);
    va_end(args);
    return 0;
}

int dsn_sched_mpi(struct darshan_sched *s, int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    if (rc == MPI_SUCCESS)
        return 1;
    MPI_Error_string(rc, text, &n);
    return dsn_sched_fail(s, "%s: %.180s", what, text);
}

int64_t dsn_sched_bytes(const struct darshan_sched *s, int64_t block)
{
    const int64_t left = s->plan.records - block * s->plan.per_block;

    return (left < 0 ? 0 : left < s->plan.per_block ? left : s->plan.per_block) * s->plan.record;
}

int64_t dsn_sched_place(const struct darshan_sched *s, int64_t block)
{
    return s->plan.begin + block * s->plan.per_block * s->plan.record;
}

const char *darshan_sched_how_name(unsigned how)
{
    const struct dsn_assignment *a = dsn_sched_assignment(how);

    return a ? a->name : NULL;
}

const char *darshan_sched_mode_name(unsigned mode)
{
    const struct dsn_access *a = dsn_sched_access(mode);

    return a ? a->name : NULL;
}

int darshan_sched_fits(enum darshan_sched_how how, enum darshan_sched_mode mode)
{
    const struct dsn_access *a = dsn_sched_access((unsigned)mode);

    return a && dsn_sched_assignment((unsigned)how) &&
           (how == DARSHAN_SCHED_STATIC || (!a->is_collective && !a->is_unnumbered));
}

/* ------------------------------------------------------------------ open */

/* Checks the plan. */
static int check(struct darshan_sched *s)
{
    const struct darshan_sched_plan *p = &s->plan;
    int64_t block, all, end;

    if (!p->path || p->begin < 0 || p->record < 1 || p->records < 1 || p->per_block < 1 || p->buffers < 0 ||
        p->buffers > DSN_SCHED_NBUFFERS)
        return dsn_sched_fail(s, "the plan has no file, or a number that is too small or too large");
    if (!darshan_sched_fits(p->how, p->mode))
        return dsn_sched_fail(s, "this mode does not support this assignment of blocks");
    if (__builtin_mul_overflow(p->record, p->per_block, &block) || block > INT_MAX)
        return dsn_sched_fail(s, "a block has 2 GiB or more; use fewer records per block");
    if (__builtin_mul_overflow(p->record, p->records, &all) || __builtin_add_overflow(all, p->begin, &end) ||
        end > INT64_MAX - block)
        return dsn_sched_fail(s, "the records exceed the maximum size of a file");
    if (dsn_sched_assignment((unsigned)p->how)->has_master && s->ranks < 2)
        return dsn_sched_fail(s, "a master needs at least one other process");
    return 1;
}

static int prepare(struct darshan_sched *s)
{
    const size_t block = (size_t)(s->plan.record * s->plan.per_block);

    s->access = dsn_sched_access((unsigned)s->plan.mode);
    s->assignment = dsn_sched_assignment((unsigned)s->plan.how);
    s->workers = s->ranks - s->assignment->has_master;
    s->blocks = (s->plan.records - 1) / s->plan.per_block + 1;
    s->has_all = s->rank >= s->workers;
    s->nbuffers = s->access->is_collective || s->plan.buffers == 1 ? 1 : DSN_SCHED_NBUFFERS;
    for (int i = 0; i < s->nbuffers && !s->has_all; i++)
        if (!(s->buffer[i].data = malloc(block)))
            return dsn_sched_fail(s, "out of memory for blocks of %zu bytes", block);
    if (s->access->is_collective && !(s->scratch = malloc(block)))
        return dsn_sched_fail(s, "out of memory for blocks of %zu bytes", block);
    return 1;
}

/* Checks that the file is long enough. With a shared file pointer it must end with the last record. */
static int check_length(struct darshan_sched *s)
{
    const int64_t end = s->plan.begin + s->plan.record * s->plan.records;
    struct stat st;

    if (s->rank != 0)
        return 1;
    if (stat(s->plan.path, &st) != 0)
        return dsn_sched_fail(s, "%s", strerror(errno));
    if (st.st_size < end)
        return dsn_sched_fail(s, "has %lld bytes, but its records end at %lld", (long long)st.st_size, (long long)end);
    if (s->access->is_unnumbered && st.st_size > end)
        return dsn_sched_fail(s, "is longer than its records, which a shared file pointer does not allow");
    return 1;
}

/* Collective: returns 0, with the error of the first failed rank, if any rank failed. */
static int agree(struct darshan_sched *s, int is_well)
{
    int mine = is_well ? s->ranks : s->rank, first;

    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, s->comm);
    if (first < s->ranks)
        MPI_Bcast(s->error, sizeof s->error, MPI_CHAR, first, s->comm);
    return first == s->ranks;
}

static int open_file(struct darshan_sched *s)
{
    if (!agree(s, check_length(s)))
        return 0;
    if (s->access->is_mpi) /* of all ranks, as MPI requires */
        return agree(s, dsn_sched_mpi(s, MPI_File_open(s->comm, s->plan.path, MPI_MODE_RDONLY, MPI_INFO_NULL, &s->file),
                                      "MPI_File_open") &&
                            (!s->access->start || s->access->start(s)));
    s->fd = open(s->plan.path, O_RDONLY | O_CLOEXEC);
    return agree(s, s->fd >= 0 || dsn_sched_fail(s, "%s", strerror(errno)));
}

static void release(struct darshan_sched *s)
{
    if (s->assignment && s->assignment->end)
        s->assignment->end(s);
    if (s->file != MPI_FILE_NULL)
        MPI_File_close(&s->file);
    if (s->fd >= 0)
        close(s->fd);
    for (int i = 0; i < DSN_SCHED_NBUFFERS; i++)
        free(s->buffer[i].data);
    free(s->scratch);
    MPI_Comm_free(&s->comm);
    free(s);
}

struct darshan_sched *darshan_sched_open(MPI_Comm comm, const struct darshan_sched_plan *plan, char *error, size_t room)
{
    struct darshan_sched *s = calloc(1, sizeof *s);
    int has_memory = s != NULL, all_have;

    MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, comm);
    if (!s || !all_have) {
        snprintf(error, room, "out of memory");
        free(s);
        return NULL;
    }
    s->plan = *plan;
    s->fd = -1;
    s->file = MPI_FILE_NULL;
    s->window = MPI_WIN_NULL;
    MPI_Comm_dup(comm, &s->comm);
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    for (int i = 0; i < DSN_SCHED_NBUFFERS; i++)
        s->buffer[i].block = -1;
    if (agree(s, check(s)) && agree(s, prepare(s)) && open_file(s) &&
        agree(s, !s->assignment->start || s->assignment->start(s)))
        return s;
    snprintf(error, room, "%s", s->error);
    release(s);
    return NULL;
}

/* ------------------------------------------------------------------ next */

static int64_t next_block(struct darshan_sched *s)
{
    if (!s->has_begun) {
        s->has_begun = 1;
        return s->rank;
    }
    return s->assignment->next(s);
}

/* Gets the next block, and starts reading it. Returns 0 on an error. */
static int begin_read(struct darshan_sched *s, struct dsn_buffer *b)
{
    const double start = MPI_Wtime();
    int rc = 1;

    b->block = -1;
    if (!s->has_all) {
        const int64_t block = next_block(s);
        const int is_last = s->access->is_collective ? s->cycle * s->workers >= s->blocks : block >= s->blocks;

        /* with a shared file pointer, the end of the file shows that it is the last */
        s->has_all = is_last && !s->access->is_unnumbered;
        if (!s->has_all) {
            b->block = block;
            b->bytes = dsn_sched_bytes(s, s->access->is_unnumbered ? 0 : block);
            b->got = -1;
            b->not_before = s->plan.not_before && b->bytes > 0 ? s->plan.not_before(s->plan.context, b->bytes) : 0;
            s->counts.calls++;
            rc = s->access->begin(s, b);
        }
    }
    s->counts.begin_seconds += MPI_Wtime() - start;
    return rc;
}

static void wait_until(double time)
{
    double left;

    while (time > 0 && (left = time - MPI_Wtime()) > 0) {
        const struct timespec t = { .tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left)) };

        nanosleep(&t, NULL);
    }
}

/* Returns 0 if the data is not what was requested. */
static int finish_read(struct darshan_sched *s, struct dsn_buffer *b)
{
    const double start = MPI_Wtime();
    int rc = 1;

    if (b->block >= 0) {
        rc = !s->access->finish || s->access->finish(s, b);
        if (rc && b->got != b->bytes && (!s->access->is_unnumbered || b->got % s->plan.record != 0))
            rc = dsn_sched_fail(s, "a read of %lld bytes returned %lld: the file has been truncated",
                                (long long)b->bytes, (long long)b->got);
        wait_until(b->not_before);
    }
    s->counts.wait_seconds += MPI_Wtime() - start;
    return rc;
}

static int failed(struct darshan_sched *s, struct dsn_buffer *b)
{
    s->has_failed = 1;
    b->block = -1;
    return -1;
}

/* In collective modes a block of this cycle may be empty: it exists only because other processes have one. */
static int hand_out(struct darshan_sched *s, struct dsn_buffer *b, struct darshan_sched_block *out)
{
    const int has_data = b->block >= 0 && b->got > 0;

    if (b->block >= 0 && s->access->is_unnumbered && !has_data)
        s->has_all = 1;
    if (!has_data)
        return 0;
    out->data = b->data;
    out->first = s->access->is_unnumbered ? -1 : b->block * s->plan.per_block;
    out->count = b->got / s->plan.record;
    s->counts.blocks++;
    s->counts.bytes += b->got;
    return 1;
}

int darshan_sched_next(struct darshan_sched *s, struct darshan_sched_block *out)
{
    struct dsn_buffer *b = &s->buffer[s->current];

    if (s->has_failed)
        return -1;
    if (s->assignment->serve && s->rank == s->workers) {
        s->assignment->serve(s);
        return 0;
    }
    if ((s->nbuffers == 1 || !s->has_begun) && !begin_read(s, b))
        return failed(s, b);
    if (!finish_read(s, b))
        return failed(s, b);
    if (!hand_out(s, b, out))
        return 0;
    if (s->nbuffers > 1) {
        s->current = 1 - s->current;
        if (!begin_read(s, &s->buffer[s->current]))
            failed(s, &s->buffer[s->current]); /* reported when this block is processed */
    }
    return 1;
}

const char *darshan_sched_error(const struct darshan_sched *s)
{
    return s->error;
}

/* ------------------------------------------------------------------ close */

/* Completes pending reads, takes part in collective calls, and notifies the master. */
static void leave(struct darshan_sched *s)
{
    for (int i = 0; i < s->nbuffers; i++) {
        struct dsn_buffer *b = &s->buffer[i];

        if (b->block >= 0 && b->got < 0 && s->access->finish)
            s->access->finish(s, b);
    }
    while (s->access->is_collective && !s->has_all)
        begin_read(s, &s->buffer[0]);
    if (!s->has_all && s->rank < s->blocks && s->assignment->leave)
        s->assignment->leave(s);
}

void darshan_sched_close(struct darshan_sched *s, struct darshan_sched_counts *counts)
{
    if (!s)
        return;
    if (s->rank < s->workers)
        leave(s);
    if (counts)
        *counts = s->counts;
    release(s);
}
