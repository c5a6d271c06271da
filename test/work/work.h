/* work.h - what the programs with known I/O have in common
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To be included first, for it asks for all that the C library has. A program takes the directory to work in as its
 * first argument. Compiled with -DWITH_MPI it is an MPI program, else it is a plain one that has one rank. A call that
 * fails where it must not ends the program with status 1, so that wrong counters are never the fault of the program's
 * surroundings. */
#ifndef WORK_H
#define WORK_H

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#define CHECK(holds)                                                                                                   \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #holds, errno);                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char *work_dir;

static inline void work_start(int *argc, char ***argv)
{
#ifdef WITH_MPI
    CHECK(MPI_Init(argc, argv) == MPI_SUCCESS);
#endif
    CHECK(*argc >= 2);
    work_dir = (*argv)[1];
}

static inline int work_end(void)
{
#ifdef WITH_MPI
    CHECK(MPI_Finalize() == MPI_SUCCESS);
#endif
    return 0;
}

/* "<work_dir>/<name>", in a buffer of PATH_MAX bytes, which is returned. */
static inline const char *work_path_in(char *buffer, const char *name)
{
    snprintf(buffer, PATH_MAX, "%s/%s", work_dir, name);
    return buffer;
}

/* The same for one thread at a time. The string lives until the next call but three. */
static inline const char *work_path(const char *name)
{
    static char path[4][PATH_MAX];
    static unsigned next;

    return work_path_in(path[next++ % 4], name);
}

/* Memory aligned to a page, filled with something. */
static inline char *work_buffer(size_t size)
{
    void *p;

    CHECK(posix_memalign(&p, 4096, size) == 0);
    memset(p, 'd', size);
    return p;
}

#endif
