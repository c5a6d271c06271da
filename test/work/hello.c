/* hello.c - writes a file, prints its pid, and exits with the given status
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * hello DIRECTORY [STATUS [null|nofinalize]]: null calls MPI_Init(NULL, NULL), nofinalize ends without MPI_Finalize. */
#include "work.h"

int main(int argc, char **argv)
{
    const char *how = argc > 3 ? argv[3] : "";
    int fd;

#ifdef WITH_MPI
    if (strcmp(how, "null") == 0)
        CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
    else
        CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
#endif
    CHECK(argc >= 2);
    work_dir = argv[1];
    CHECK((fd = open(work_path("hello.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    CHECK(write(fd, "ten bytes\n", 10) == 10 && close(fd) == 0);
    printf("%ld\n", (long)getpid());
    if (strcmp(how, "nofinalize") != 0)
        work_end();
    return argc > 2 ? atoi(argv[2]) : 0;
}
