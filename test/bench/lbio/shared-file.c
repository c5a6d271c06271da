/* shared-file.c - ranks that write one file through MPI-IO, with ROMIO's collective buffering or without
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * shared-file PATH block BYTES TIMES               a two-dimensional array (BLOCK, BLOCK), collectively, TIMES times, one
 *                                                  after the other
 * shared-file PATH strided BYTES TIMES MODE        TIMES records of BYTES bytes of each rank, in turn; MODE: collective,
 *                                                  or independent
 *
 * All ranks are aggregators, as they are where each has a node of its own. Prints one line of JSON, with seconds until
 * the file is closed (`visible`: of the slowest rank; `rank0`), until all of its data is in it (`total`), and a checksum
 * of it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void must(int error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &n);
    fprintf(stderr, "shared-file: %s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_File open_file(const char *path, int is_collective)
{
    char nodes[16];
    MPI_Info info;
    MPI_File f;

    snprintf(nodes, sizeof nodes, "%d", ranks);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", nodes);
    MPI_Info_set(info, "cb_config_list", "*:*");
    MPI_Info_set(info, "romio_cb_write", is_collective ? "enable" : "disable");
    MPI_Info_set(info, "romio_ds_write", "disable");
    must(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f), path);
    MPI_Info_free(&info);
    return f;
}

static void fill(char *array, long n, int time)
{
    for (long i = 0; i < n; i++)
        array[i] = (char)(rank * 13 + time * 7 + i % 251);
}

static void write_blocks(MPI_File f, long bytes, int times)
{
    int dims[2] = { 0, 0 }, side = 1, sizes[2], parts[2], starts[2];
    MPI_Datatype part;
    char *array;

    while ((long)(side + 1) * (side + 1) <= bytes)
        side++;
    MPI_Dims_create(ranks, 2, dims);
    for (int i = 0; i < 2; i++)
        sizes[i] = side / dims[i] * dims[i];
    parts[0] = sizes[0] / dims[0];
    parts[1] = sizes[1] / dims[1];
    starts[0] = rank / dims[1] * parts[0];
    starts[1] = rank % dims[1] * parts[1];
    array = malloc((size_t)parts[0] * (size_t)parts[1]);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &part);
    MPI_Type_commit(&part);
    for (int i = 0; array && i < times; i++) {
        fill(array, (long)parts[0] * parts[1], i);
        must(MPI_File_set_view(f, (MPI_Offset)sizes[0] * sizes[1] * i, MPI_BYTE, part, "native", MPI_INFO_NULL),
             "view");
        must(MPI_File_write_all(f, array, parts[0] * parts[1], MPI_BYTE, MPI_STATUS_IGNORE), "write");
    }
    MPI_Type_free(&part);
    free(array);
}

static void write_records(MPI_File f, long bytes, int times, int is_collective)
{
    char *record = malloc((size_t)bytes);

    for (int i = 0; record && i < times; i++) {
        const MPI_Offset off = ((MPI_Offset)i * ranks + rank) * bytes;

        fill(record, bytes, i);
        if (is_collective)
            must(MPI_File_write_at_all(f, off, record, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE), "write");
        else
            must(MPI_File_write_at(f, off, record, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    }
    free(record);
}

static uint64_t checksum(const char *path)
{
    static unsigned char piece[1 << 16];
    const int fd = open(path, O_RDONLY);
    uint64_t sum = 14695981039346656037U;
    ssize_t n;

    while ((n = read(fd, piece, sizeof piece)) > 0)
        for (ssize_t i = 0; i < n; i++)
            sum = (sum ^ piece[i]) * 1099511628211U;
    close(fd);
    return sum;
}

int main(int argc, char **argv)
{
    double begun, visible, slowest, total;
    int (*drain)(const char *), is_collective;
    MPI_File f;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    is_collective = argc < 6 || strcmp(argv[5], "collective") == 0;
    drain = (int (*)(const char *))dlsym(RTLD_DEFAULT, "lbio_drain");
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    f = open_file(argv[1], is_collective);
    if (strcmp(argv[2], "block") == 0)
        write_blocks(f, atol(argv[3]), atoi(argv[4]));
    else
        write_records(f, atol(argv[3]), atoi(argv[4]), is_collective);
    MPI_File_close(&f);
    visible = MPI_Wtime() - begun;
    if (drain && drain(NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    total = MPI_Wtime() - begun;
    MPI_Reduce(&visible, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"total\": %.6f, \"visible\": %.6f, \"rank0\": %.6f, \"sum\": \"%016llx\"}\n", total, slowest, visible,
               (unsigned long long)checksum(argv[1]));
    MPI_Finalize();
    return 0;
}
