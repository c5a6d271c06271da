/* mpi-edges.c - the less usual calls of MPI; counters for 4 ranks in mpi-edges.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In place, between two groups, to nobody, of nothing, types of one's own, persistent requests, collective calls that do
 * not block, windows without a partner, two threads. */
#include "work.h"

#include <limits.h>
#include <pthread.h>

#define OK(call) CHECK((call) == MPI_SUCCESS)
#define WORLD    MPI_COMM_WORLD
#define ROOM     65536

static int rank, next, last;
static int *buffer, *other;

static void wait_for(MPI_Request *request)
{
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* ---- point to point */

static void buffered(void)
{
    static char room[4096];
    void *given;
    int size;
    MPI_Request request, sent;

    OK(MPI_Buffer_attach(room, sizeof room));
    OK(MPI_Bsend(buffer, 3, MPI_INT, next, 1, WORLD));
    OK(MPI_Recv(other, 3, MPI_INT, last, 1, WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Irecv(other, 1, MPI_INT, last, 2, WORLD, &request));
    OK(MPI_Ibsend(buffer, 1, MPI_INT, next, 2, WORLD, &sent));
    wait_for(&request);
    wait_for(&sent);
    OK(MPI_Buffer_detach(&given, &size));
}

/* The receive is there before the message. */
static void ready(void)
{
    MPI_Request request, sent;

    OK(MPI_Irecv(other, 2, MPI_INT, last, 3, WORLD, &request));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Rsend(buffer, 2, MPI_INT, next, 3, WORLD));
    wait_for(&request);
    OK(MPI_Irecv(other, 2, MPI_INT, last, 4, WORLD, &request));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Irsend(buffer, 2, MPI_INT, next, 4, WORLD, &sent));
    wait_for(&request);
    wait_for(&sent);
}

/* More bytes than an int holds: a buffer may be said to be larger than the message. */
static void large(void)
{
    if (rank % 2 == 0) {
        OK(MPI_Ssend(buffer, 5, MPI_INT, next, 5, WORLD));
        OK(MPI_Send(buffer, 1, MPI_INT, next, 6, WORLD));
    } else {
        OK(MPI_Recv(other, 5, MPI_INT, last, 5, WORLD, MPI_STATUS_IGNORE));
#if MPI_VERSION >= 4
        OK(MPI_Recv_c(other, INT_MAX, MPI_DOUBLE, last, 6, WORLD, MPI_STATUS_IGNORE));
#else
        OK(MPI_Recv(other, INT_MAX, MPI_DOUBLE, last, 6, WORLD, MPI_STATUS_IGNORE));
#endif
    }
}

static void nothing(void)
{
    OK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 7, WORLD));
    OK(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 7, WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(buffer, 10, MPI_INT, MPI_PROC_NULL, 7, other, 10, MPI_INT, MPI_PROC_NULL, 7, WORLD,
                    MPI_STATUS_IGNORE));
    OK(MPI_Bcast(NULL, 0, MPI_INT, 0, WORLD));
}

/* What is started again and again is waited for, and no more is known of it. */
static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    OK(MPI_Send_init(buffer, 6, MPI_INT, next, 8, WORLD, &requests[0]));
    OK(MPI_Recv_init(other, 6, MPI_INT, last, 8, WORLD, &requests[1]));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, statuses));
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void types(void)
{
    const int lengths[2] = { 1, 1 };
    const MPI_Aint places[2] = { 0, 8 };
    const MPI_Datatype parts[2] = { MPI_INT, MPI_DOUBLE };
    MPI_Datatype pair, empty, wide;

    OK(MPI_Type_create_struct(2, lengths, places, parts, &pair));
    OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    OK(MPI_Type_create_resized(MPI_INT, 0, 16, &wide));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Type_commit(&empty));
    OK(MPI_Type_commit(&wide));
    OK(MPI_Sendrecv(buffer, 3, pair, next, 9, other, 3, pair, last, 9, WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(buffer, 5, empty, next, 9, other, 5, empty, last, 9, WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Bcast(buffer, 5, wide, 0, WORLD));
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&empty));
    OK(MPI_Type_free(&wide));
}

/* ---- collective */

static int one_each[4] = { 1, 1, 1, 1 }, two_each[4] = { 2, 2, 2, 2 }, more[4] = { 1, 2, 3, 4 },
           at[4] = { 0, 100, 200, 300 };
static int at_bytes[4] = { 0, 400, 800, 1200 };
static MPI_Datatype ints[4];

static void in_place(void)
{
    OK(MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, other, 2, MPI_INT, WORLD));
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, other, one_each, at, MPI_INT, WORLD));
    OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, other, two_each, at_bytes, ints, WORLD));
    OK(MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, other, 3, MPI_INT, WORLD));
    OK(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : buffer, other, 5, MPI_INT, MPI_MAX, 0, WORLD));
    OK(MPI_Scan(MPI_IN_PLACE, other, 5, MPI_INT, MPI_MAX, WORLD));
    OK(MPI_Exscan(MPI_IN_PLACE, other, 6, MPI_INT, MPI_MAX, WORLD));
    OK(MPI_Reduce_scatter(MPI_IN_PLACE, other, more, MPI_INT, MPI_MAX, WORLD));
    OK(MPI_Scatter(buffer, 7, MPI_INT, rank == 1 ? MPI_IN_PLACE : other, 7, MPI_INT, 1, WORLD));
}

/* Ranks 0 and 1 are one group, 2 and 3 the other one. */
static int root_in(int group, int root)
{
    return rank / 2 != group ? 0 : rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void between_groups(void)
{
    MPI_Comm own, both;

    OK(MPI_Comm_split(WORLD, rank / 2, rank, &own));
    OK(MPI_Intercomm_create(own, 0, WORLD, rank < 2 ? 2 : 0, 10, &both));
    OK(MPI_Barrier(both));
    OK(MPI_Bcast(buffer, 8, MPI_INT, root_in(0, 0), both));
    OK(MPI_Allgather(buffer, 2, MPI_INT, other, 2, MPI_INT, both));
    OK(MPI_Alltoall(buffer, 3, MPI_INT, other, 3, MPI_INT, both));
    OK(MPI_Reduce(buffer, other, 4, MPI_INT, MPI_MAX, root_in(1, 2), both));
    OK(MPI_Gather(buffer, 9, MPI_INT, other, 9, MPI_INT, root_in(0, 0), both));
    OK(MPI_Allreduce(buffer, other, 2, MPI_INT, MPI_MAX, both));
    OK(MPI_Comm_free(&both));
    OK(MPI_Comm_free(&own));
}

static void without_blocking(void)
{
    MPI_Request r;

#define NOW(call) CHECK((call) == MPI_SUCCESS && MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    NOW(MPI_Ibcast(buffer, 10, MPI_INT, 0, WORLD, &r));
    NOW(MPI_Igather(buffer, 2, MPI_INT, other, 2, MPI_INT, 0, WORLD, &r));
    NOW(MPI_Igatherv(buffer, rank + 1, MPI_INT, other, more, at, MPI_INT, 0, WORLD, &r));
    NOW(MPI_Iscatter(buffer, 3, MPI_INT, other, 3, MPI_INT, 0, WORLD, &r));
    NOW(MPI_Iscatterv(buffer, more, at, MPI_INT, other, rank + 1, MPI_INT, 0, WORLD, &r));
    NOW(MPI_Iscan(buffer, other, 4, MPI_INT, MPI_MAX, WORLD, &r));
    NOW(MPI_Iexscan(buffer, other, 5, MPI_INT, MPI_MAX, WORLD, &r));
    NOW(MPI_Iallgather(buffer, 6, MPI_INT, other, 6, MPI_INT, WORLD, &r));
    NOW(MPI_Iallgatherv(buffer, rank + 1, MPI_INT, other, more, at, MPI_INT, WORLD, &r));
    NOW(MPI_Ireduce(buffer, other, 7, MPI_INT, MPI_MAX, 0, WORLD, &r));
    NOW(MPI_Iallreduce(buffer, other, 8, MPI_INT, MPI_MAX, WORLD, &r));
    NOW(MPI_Ireduce_scatter(buffer, other, more, MPI_INT, MPI_MAX, WORLD, &r));
    NOW(MPI_Ialltoall(buffer, 2, MPI_INT, other, 2, MPI_INT, WORLD, &r));
    NOW(MPI_Ialltoallv(buffer, one_each, at, MPI_INT, other, one_each, at, MPI_INT, WORLD, &r));
    NOW(MPI_Ialltoallw(buffer, two_each, at_bytes, ints, other, two_each, at_bytes, ints, WORLD, &r));
    NOW(MPI_Ibarrier(WORLD, &r));
}

/* ---- one-sided */

static void passive(MPI_Win win)
{
    int one = 1, zero = 0, before;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Put(buffer, 10, MPI_INT, next, 0, 10, MPI_INT, win));
    OK(MPI_Win_flush_local(next, win));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(buffer, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win));
    OK(MPI_Get(other, 5, MPI_INT, next, 0, 5, MPI_INT, win));
    OK(MPI_Accumulate(buffer, 0, MPI_INT, next, 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, other, 1, MPI_INT, next, 64, 1, MPI_INT, MPI_NO_OP, win));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Fetch_and_op(&one, &before, MPI_INT, next, 64, MPI_SUM, win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Compare_and_swap(&one, &zero, &before, MPI_INT, next, 68, win));
    OK(MPI_Win_flush_local_all(win));
    OK(MPI_Win_sync(win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(WORLD));
}

static void one_sided(void)
{
    MPI_Group world, to, from;
    int *memory;
    MPI_Win win;

    OK(MPI_Win_allocate(4096, 1, MPI_INFO_NULL, WORLD, &memory, &win));
    passive(win);
    OK(MPI_Comm_group(WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &to));
    OK(MPI_Group_incl(world, 1, &last, &from));
    OK(MPI_Win_post(from, 0, win));
    OK(MPI_Win_start(to, 0, win));
    OK(MPI_Put(buffer, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&world));
    OK(MPI_Win_free(&win));
}

/* ---- two threads, each with a communicator of its own */

static void *thread(void *comm)
{
    int mine = rank, all, theirs;

    for (int i = 0; i < 50; i++) {
        OK(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm));
        OK(MPI_Sendrecv(&mine, 1, MPI_INT, next, 11, &theirs, 1, MPI_INT, last, 11, *(MPI_Comm *)comm,
                        MPI_STATUS_IGNORE));
        CHECK(all == 6 && theirs == last);
    }
    return NULL;
}

static void threads(void)
{
    MPI_Comm comms[2];
    pthread_t id;

    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_dup(WORLD, &comms[i]));
    CHECK(pthread_create(&id, NULL, thread, &comms[0]) == 0);
    thread(&comms[1]);
    CHECK(pthread_join(id, NULL) == 0);
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
}

int main(int argc, char **argv)
{
    int level, size;

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    CHECK(level == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(WORLD, &rank));
    OK(MPI_Comm_size(WORLD, &size));
    CHECK(size == 4);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    buffer = (int *)(void *)work_buffer(ROOM);
    other = (int *)(void *)work_buffer(ROOM);
    for (int i = 0; i < 4; i++)
        ints[i] = MPI_INT;
    buffered();
    ready();
    large();
    nothing();
    persistent();
    types();
    in_place();
    between_groups();
    without_blocking();
    one_sided();
    threads();
    return work_end();
}
