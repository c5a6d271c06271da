/* arrival.c - a file with one byte per rank of this node, which the rank locks
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/arrival.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/open-file.h"
#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "record/span.h"
#include "survive/survival.h"

#define PATIENCE INT64_C(2000000000) /* ns */

static struct {
    int is_shown, fd, own, ranks;
    char path[DSN_SURVIVAL_PATH_MAX + 64];
} here = { .fd = -1 };

static int number_of(const char *variable)
{
    const char *text = secure_getenv(variable);
    int64_t n;

    text = text ? dsn__number(text, &n) : NULL;
    return text && *text == '\0' && n >= 0 && n < 1 << 20 ? (int)n : -1;
}

/* The peer of Hydra's socket is its proxy on this node, a process of this launch alone. */
static uint64_t hydra_job(void)
{
    const int fd = number_of("PMI_FD");
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;

    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0)
        return 0;
    return dsn_hash((const char *)&peer.pid, sizeof peer.pid, 1);
}

static uint64_t open_mpi_job(void)
{
    const char *job = secure_getenv("PMIX_NAMESPACE"), *uri = secure_getenv("PMIX_SERVER_URI2");

    return job ? dsn_hash(job, strlen(job), uri ? dsn_hash(uri, strlen(uri), 0) : 0) : 0;
}

/* Source: the environment of Open MPI's mpirun and MPICH's Hydra. Returns 0 for any other launcher. */
static uint64_t ask_launcher(int *own, int *ranks)
{
    *own = number_of("OMPI_COMM_WORLD_LOCAL_RANK");
    *ranks = number_of("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (*own >= 0 && *ranks > *own)
        return open_mpi_job();
    *own = number_of("MPI_LOCALRANKID");
    *ranks = number_of("MPI_LOCALNRANKS");
    return *own >= 0 && *ranks > *own ? hydra_job() : 0;
}

/* The settings have not been read yet: any directory common to all ranks will do, wherever survival files are. */
static bool find_directory(char *out, size_t size)
{
    const char *given = secure_getenv("DARSHAN_MMAP_LOGPATH");

    return dsn__survival_directory(given && *given ? given : "/dev/shm", dsn__sys_geteuid(), 1, out, size);
}

static bool set_lock(int fd, int own)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = own, .l_len = 1 };

    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool has_come(int rank)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1 };

    return rank == here.own || fcntl(here.fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* Uses a descriptor number out of the way of those that MPI and the program will get. */
static int open_here(const char *path)
{
    const int at_least = 48, fd = dsn__open_file(AT_FDCWD, path, O_RDWR | O_CREAT, 0600),
              high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, at_least) : -1;

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

static void show(void)
{
    char directory[DSN_SURVIVAL_PATH_MAX];
    const uint64_t job = ask_launcher(&here.own, &here.ranks);

    if (job == 0 || here.ranks < 2 || !find_directory(directory, sizeof directory))
        return;
    dsn__format(here.path, sizeof here.path, "%s/k%016llx.ranks", directory, (unsigned long long)job);
    here.fd = open_here(here.path);
    if (here.fd >= 0 && !set_lock(here.fd, here.own))
        dsn__arrival_end();
}

void dsn__arrival_show(void)
{
    const int before = dsn__own_begin(), error = errno;

    if (!here.is_shown)
        show();
    here.is_shown = 1;
    errno = error;
    dsn__own_end(before);
}

/* *is_first becomes 0 if a lower rank has arrived. */
static int count_missing(int *is_first)
{
    int missing = 0;

    for (int i = 0; i < here.ranks; i++)
        if (!has_come(i))
            missing++;
        else if (i < here.own)
            *is_first = 0;
    return missing;
}

/* Counts ranks that were ever seen: others may have waited long enough and left again. */
int dsn__arrival_missing(int64_t deadline, int *ranks, int *is_first)
{
    const struct timespec nap = { 0, 10000000 };
    const int64_t patience = dsn__now() + PATIENCE, until = patience < deadline ? patience : deadline;
    int least = here.ranks, missing;

    *ranks = here.ranks;
    *is_first = 1;
    if (here.fd < 0)
        return 0;
    while ((missing = count_missing(is_first)) > 0 && dsn__now() < until) {
        least = missing < least ? missing : least;
        nanosleep(&nap, NULL);
    }
    dsn__sys_unlink(here.path); /* ranks that have arrived keep it open */
    return missing < least ? missing : least;
}

void dsn__arrival_end(void)
{
    if (here.fd < 0)
        return;
    dsn__sys_unlink(here.path);
    dsn__sys_close(here.fd);
    here.fd = -1;
}
