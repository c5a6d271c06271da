// cxx.cc - MPI and file streams of C++; counters in cxx.want
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || argc < 2)
        return 1;
    const std::string dir = argv[1];
    {
        std::ofstream stream(dir + "/stream.txt");
        stream << "twenty bytes of text";
        if (!stream.flush())
            return 1;
    }
    const int fd = open((dir + "/cxx.dat").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (fd < 0 || write(fd, "cxx", 3) != 3 || close(fd) != 0)
        return 1;
    MPI_File fh;
    if (MPI_File_open(MPI_COMM_WORLD, (dir + "/mpiio.dat").c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &fh) != MPI_SUCCESS)
        return 1;
    MPI_File_write_at(fh, 0, "four", 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    return MPI_Finalize();
}
