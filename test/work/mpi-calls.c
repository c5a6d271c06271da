/* mpi-calls.c - MPI calls other than I/O: point to point, collective, one-sided; counters for 4 ranks in mpi-calls.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#define OK(call) CHECK((call) == MPI_SUCCESS)
#define MOST     2000000

static int rank, size;
static char *buffer, *other;

/* A ring, with the ends of a line of ranks that have no neighbour; every size once. */
static void messages(void)
{
    static const int sizes[] = { 0, 256, 257, 1024, 8192, 8193, 262144, 1048576, 1048577 };
    const int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, last = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    MPI_Request requests[2];
    int done = 0, index, flag;

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        OK(MPI_Irecv(other, sizes[i], MPI_BYTE, last, 1, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Isend(buffer, sizes[i], MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    if (rank % 2 == 0)
        OK(MPI_Send(buffer, 10, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(other, 100, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(buffer, 300, MPI_INT, (rank + 1) % size, 3, other, 400, MPI_INT, (rank + size - 1) % size, 3,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv_replace(buffer, 5, MPI_INT, (rank + 1) % size, 4, (rank + size - 1) % size, 4, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    OK(MPI_Irecv(other, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Issend(buffer, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&requests[1 - index], MPI_STATUS_IGNORE));
    OK(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE)); /* null requests */
    OK(MPI_Waitsome(2, requests, &done, &index, MPI_STATUSES_IGNORE));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
}

/* A type of the program's own: 3 integers of 4. */
static void types(void)
{
    MPI_Datatype type;

    OK(MPI_Type_vector(1, 3, 4, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Bcast(buffer, 7, type, 0, MPI_COMM_WORLD));
    OK(MPI_Type_free(&type));
}

static void collective(void)
{
    int counts[64], at[64];
    MPI_Datatype each[64];
    MPI_Request request;

    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        at[i] = 1000 * i;
        each[i] = i % 2 ? MPI_BYTE : MPI_INT;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Gather(rank == 0 ? MPI_IN_PLACE : buffer, rank == 0 ? -7 : 10, rank == 0 ? MPI_DATATYPE_NULL : MPI_INT,
                  other, 10, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Gatherv(buffer, rank + 1, MPI_INT, other, rank == 1 ? counts : NULL, rank == 1 ? at : NULL, MPI_INT, 1,
                   MPI_COMM_WORLD));
    OK(MPI_Scatter(buffer, 6, MPI_INT, other, 6, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Scatterv(buffer, counts, at, MPI_INT, rank == 2 ? MPI_IN_PLACE : other, rank + 1, MPI_INT, 2,
                    MPI_COMM_WORLD));
    OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, other, counts, at, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Allgather(buffer, 50, MPI_INT, other, 50, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Reduce(buffer, other, 11, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    OK(MPI_Allreduce(MPI_IN_PLACE, other, 12, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter(buffer, other, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Scan(buffer, other, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Alltoall(buffer, 8, MPI_INT, other, 8, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        counts[i] = 3;
    OK(MPI_Alltoallv(buffer, counts, at, MPI_INT, other, counts, at, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        each[i] = rank % 2 == i % 2 ? MPI_INT : MPI_FLOAT;
    OK(MPI_Alltoallw(buffer, counts, at, each, other, counts, at, each, MPI_COMM_WORLD));
    OK(MPI_Iallreduce(buffer, other, 14, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void one_sided(void)
{
    int *memory, one = 1, before = 0;
    MPI_Win win;

    OK(MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(buffer, 100, MPI_INT, (rank + 1) % size, 0, 100, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(other, 200, MPI_INT, (rank + 1) % size, 0, 200, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(buffer, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, win));
    OK(MPI_Win_flush(0, win));
    OK(MPI_Win_unlock(0, win));
    OK(MPI_Win_free(&win));
}

/* What MPI-IO does of messages is MPI-IO's. */
static void files(void)
{
    MPI_File f;

    OK(MPI_File_open(MPI_COMM_WORLD, work_path("all.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    for (int i = 0; i < 8; i++)
        OK(MPI_File_write_at_all(f, 4000 * (4 * i + rank), buffer, 4000, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    buffer = work_buffer(MOST);
    other = work_buffer(MOST);
    messages();
    types();
    collective();
    one_sided();
    files();
    return work_end();
}
