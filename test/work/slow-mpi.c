/* slow-mpi.c - MPI calls that take 0.2 s longer, a deletion or a seek that fails 2 s; to be preloaded
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE

#include <mpi.h>
#include <unistd.h>

#define SLOW(name, parameters, arguments)                                                                              \
    int MPI_File_##name parameters                                                                                     \
    {                                                                                                                  \
        usleep(200000);                                                                                                \
        return PMPI_File_##name arguments;                                                                             \
    }

int MPI_File_seek(MPI_File fh, MPI_Offset off, int whence)
{
    usleep(off < 0 ? 2000000 : 200000);
    return PMPI_File_seek(fh, off, whence);
}

int MPI_File_delete(const char *path, MPI_Info info)
{
    usleep(2000000);
    return PMPI_File_delete(path, info);
}

SLOW(seek_shared, (MPI_File fh, MPI_Offset off, int whence), (fh, off, whence))
SLOW(get_position_shared, (MPI_File fh, MPI_Offset *off), (fh, off))
SLOW(get_size, (MPI_File fh, MPI_Offset *size), (fh, size))
SLOW(set_size, (MPI_File fh, MPI_Offset size), (fh, size))
SLOW(preallocate, (MPI_File fh, MPI_Offset size), (fh, size))
SLOW(set_atomicity, (MPI_File fh, int flag), (fh, flag))
SLOW(set_info, (MPI_File fh, MPI_Info info), (fh, info))
SLOW(write_all_end, (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
SLOW(write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
SLOW(write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
SLOW(read_all_end, (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
SLOW(read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
SLOW(read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
