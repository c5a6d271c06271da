/* daos-mpiio.c - a program with MPI-IO; compiled with -DDRIVER, a library that stands in for MPI-IO on DFS, as ROMIO has it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library is preloaded behind the tool, so that calls of MPI-IO come to it, and it calls DFS. 1 rank or more: each writes 10 blocks
 * of 1,000,000 bytes, and reads one. */
#include "work.h"

#include "daos-facts.h"

#define BLOCK 1000000

#ifdef DRIVER

static dfs_t *dfs;
static dfs_obj_t *file;

int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *out)
{
    const char *name = strrchr(path, '/');

    (void)comm;
    (void)mode;
    (void)info;
    CHECK(name && dfs_connect("pool", NULL, "container", O_RDWR, NULL, &dfs) == 0);
    CHECK(dfs_open(dfs, NULL, name + 1, S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file) == 0);
    *out = (MPI_File)file;
    return MPI_SUCCESS;
}

static d_sg_list_t *list_of(void *at, d_iov_t *iov, d_sg_list_t *list)
{
    *iov = (d_iov_t){ at, BLOCK, BLOCK };
    *list = (d_sg_list_t){ 1, 0, iov };
    return list;
}

int MPI_File_write_at(MPI_File f, MPI_Offset offset, const void *buf, int count, MPI_Datatype type, MPI_Status *status)
{
    d_iov_t iov;
    d_sg_list_t list;

    (void)f;
    (void)type;
    (void)status;
    CHECK(count == BLOCK);
    return dfs_write(dfs, file, list_of((void *)(uintptr_t)buf, &iov, &list), (daos_off_t)offset, NULL);
}

int MPI_File_read_at(MPI_File f, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Status *status)
{
    daos_size_t size;
    d_iov_t iov;
    d_sg_list_t list;

    (void)f;
    (void)type;
    (void)status;
    CHECK(count == BLOCK);
    return dfs_read(dfs, file, list_of(buf, &iov, &list), (daos_off_t)offset, &size, NULL);
}

int MPI_File_close(MPI_File *f)
{
    CHECK(dfs_release(file) == 0 && dfs_disconnect(dfs) == 0);
    *f = MPI_FILE_NULL;
    return MPI_SUCCESS;
}

#else

static char block[BLOCK];

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    MPI_File file;
    int rank;

    work_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(MPI_File_open(MPI_COMM_WORLD, work_path_in(path, "dump"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
    for (int i = 0; i < 10; i++)
        CHECK(MPI_File_write_at(file, (MPI_Offset)(rank * 10 + i) * BLOCK, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) ==
              MPI_SUCCESS);
    CHECK(MPI_File_read_at(file, (MPI_Offset)rank * 10 * BLOCK, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
    CHECK(MPI_File_close(&file) == MPI_SUCCESS);
    return work_end();
}

#endif
