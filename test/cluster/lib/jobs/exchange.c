/* exchange.c - the MPI program of t-lbio: ranks read what ranks of other nodes have just written
 * SPDX-License-Identifier: BSD-3-Clause */
/* exchange DIR ROUNDS: in each round each rank writes DIR/x.RANK, closes it, and, after a barrier, opens and reads that
   of a rank of another node. Rank 0 prints how many were wrong. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE  (1 << 20)
#define PIECE (1 << 16)

static char bytes[SIZE], got[SIZE];

static void fill(int round, int rank)
{
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)(31 * round + 7 * rank + i / 997);
}

static int write_own(const char *path)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644), ok = fd >= 0;

    for (int i = 0; ok && i < SIZE; i += PIECE)
        ok = write(fd, bytes + i, PIECE) == PIECE;
    return ok && close(fd) == 0;
}

static int is_there(const char *path)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = 0, m;

    while (n < SIZE && (m = read(fd, got + n, SIZE - n)) > 0)
        n += m;
    close(fd);
    return n == SIZE && memcmp(bytes, got, SIZE) == 0;
}

int main(int argc, char **argv)
{
    int rank, ranks, other, wrong = 0, all = 0;
    char path[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    other = (rank + ranks / 2) % ranks;
    for (int round = 0; round < atoi(argv[2]); round++) {
        fill(round, rank);
        snprintf(path, sizeof path, "%s/x.%d", argv[1], rank);
        if (!write_own(path))
            perror(path);
        MPI_Barrier(MPI_COMM_WORLD);
        fill(round, other);
        snprintf(path, sizeof path, "%s/x.%d", argv[1], other);
        wrong += !is_there(path);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
