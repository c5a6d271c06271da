/* sweep-nodes.c - measures points with processes on all nodes; the part of sweep-mpi that serves them (mpi.h)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process has a part of the file, or a file, that it fills and writes; it reads that of the next process, which is
 * on another node if there are several. Processes take part in the order in which nodes fill evenly: two are on two
 * nodes. Seconds are measured on each node from a barrier on, so that clocks of nodes are never compared. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "measure/sweep/files.h"
#include "measure/sweep/mpi.h"

#define BUFFER_ALIGN 4096
#define FILL_BYTES   ((size_t)1 << 20)
#define LEAST_CALLS  10
#define NO_FILES     (-1)
#define CANNOT_WRITE "a file in the directory cannot be written"
#define NOT_SHARED   "is not the same directory on all nodes; choose one of a file system that they share"

struct host {
    char name[65], type[32];
    int processes;
};

struct file {
    int fd, direct; /* -1: not open */
};

struct nodes {
    const char *directory;
    uint64_t part, reserve;
    int rank, ranks;
    int host, hosts; /* of this process; their number */
    int place;       /* of this process in the order in which processes take part */
    int is_first;    /* of its host */
    int *host_of;    /* of each rank, on rank 0 */
    struct host *host_list;
    unsigned align;         /* for direct I/O; 0: not supported here */
    int is_each;            /* which files are open: 1 a file each, 0 one, NO_FILES none */
    struct file mine, next; /* the same file if it is shared */
    MPI_Comm same_host;
};

/* What a process has done at a point. */
struct share {
    double bytes, seconds, resident, takes_part;
};

static _Noreturn void quit(const char *what, const char *why)
{
    char name[65] = "";

    gethostname(name, sizeof name - 1);
    fprintf(stderr, "darshan-sweep: %s: %s%s%s\n", name, what, why ? ": " : "", why ? why : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *need(void *memory)
{
    if (!memory)
        quit("out of memory", NULL);
    return memory;
}

/* Numbers the hosts in the order of their first processes, and finds this process's turn: first a process of each host,
 * then the second of each, and so on. */
static void find_hosts(struct nodes *n)
{
    const size_t room = sizeof n->host_list->name;
    char own[65] = "", *names = need(calloc((size_t)n->ranks, room));
    int *nth = need(calloc((size_t)n->ranks, sizeof *nth));

    n->host_of = need(calloc((size_t)n->ranks, sizeof *n->host_of));
    n->host_list = need(calloc((size_t)n->ranks, sizeof *n->host_list));
    gethostname(own, sizeof own - 1);
    MPI_Allgather(own, (int)room, MPI_CHAR, names, (int)room, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = 0; r < n->ranks; r++) {
        int h = 0;

        while (h < n->hosts && strcmp(n->host_list[h].name, names + (size_t)r * room) != 0)
            h++;
        if (h == n->hosts)
            memcpy(n->host_list[n->hosts++].name, names + (size_t)r * room, room);
        n->host_of[r] = h;
        nth[r] = n->host_list[h].processes++;
    }
    n->host = n->host_of[n->rank];
    n->is_first = nth[n->rank] == 0;
    for (int r = 0; r < n->ranks; r++)
        n->place += nth[r] < nth[n->rank] || (nth[r] == nth[n->rank] && n->host_of[r] < n->host);
    MPI_Comm_split(MPI_COMM_WORLD, n->host, n->rank, &n->same_host);
    free(names);
    free(nth);
}

/* What the directory is on each host; its first process asks. */
static void know_directory(struct nodes *n)
{
    struct dsn_sweep_place place = { .align = 0 };
    char *types = need(calloc((size_t)n->ranks, sizeof place.type));

    if (access(n->directory, F_OK) != 0 && errno == ENOENT)
        quit(n->directory, NOT_SHARED);
    if (n->is_first && !dsn_place_open(&place, n->directory, BUFFER_ALIGN, n->reserve))
        quit(n->directory, place.error);
    if (n->is_first)
        dsn_place_close(&place);
    n->align = place.align;
    MPI_Bcast(&n->align, 1, MPI_UNSIGNED, 0, n->same_host);
    MPI_Allgather(place.type, sizeof place.type, MPI_CHAR, types, sizeof place.type, MPI_CHAR, MPI_COMM_WORLD);
    for (int r = n->ranks - 1; r >= 0; r--)
        if (types[(size_t)r * sizeof place.type])
            memcpy(n->host_list[n->host_of[r]].type, types + (size_t)r * sizeof place.type, sizeof place.type);
    free(types);
}

/* ------------------------------------------------------------------ files */

static void close_file(struct file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->direct >= 0)
        close(f->direct);
    f->fd = f->direct = -1;
}

static void close_files(struct nodes *n)
{
    if (n->is_each == 1)
        close_file(&n->next);
    if (n->is_each != NO_FILES)
        close_file(&n->mine);
    n->is_each = NO_FILES;
}

static void name_file(const struct nodes *n, int number, char *name, size_t room)
{
    snprintf(name, room, "%s/part%d", n->directory, number);
}

static int open_named(const struct nodes *n, int number, int flags)
{
    char name[4400];
    int fd;

    name_file(n, number, name, sizeof name);
    fd = open(name, O_RDWR | O_CLOEXEC | flags, 0600);
    if (fd < 0 && errno == ENOENT)
        quit(n->directory, NOT_SHARED);
    if (fd < 0)
        quit("a file in the directory cannot be opened", strerror(errno));
    return fd;
}

static struct file open_file(const struct nodes *n, int number)
{
    return (struct file){ .fd = open_named(n, number, 0),
                          .direct = n->align > 0 ? open_named(n, number, O_DIRECT) : -1 };
}

static void fill_part(const struct nodes *n, int fd, uint64_t first)
{
    char *buffer = need(malloc(FILL_BYTES));

    dsn_fill_random(buffer, FILL_BYTES, (uint64_t)n->rank + 1);
    for (uint64_t at = 0; at < n->part;) {
        const size_t size = n->part - at < FILL_BYTES ? (size_t)(n->part - at) : FILL_BYTES;
        const ssize_t got = pwrite(fd, buffer, size, (off_t)(first + at));

        if (got <= 0 && errno != EINTR)
            quit(CANNOT_WRITE, strerror(errno));
        at += got > 0 ? (uint64_t)got : 0;
    }
    if (fsync(fd) != 0 || close(fd) != 0)
        quit(CANNOT_WRITE, strerror(errno));
    free(buffer);
}

/* Makes the one file, or a file of each process, and fills it. Clients of a network file system are sure to see what
 * others have written only if they open a file after that, so all do; then its name is removed. */
static void make_files(struct nodes *n, int is_each)
{
    const int own = is_each ? n->place : 0, creates = is_each || n->place == 0;
    const uint64_t size = n->part * (is_each ? 1 : (uint64_t)n->ranks);
    struct statvfs fs;
    char name[4400];
    int fd = -1;

    if (n->is_each == is_each)
        return;
    close_files(n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (n->rank == 0 && statvfs(n->directory, &fs) == 0 &&
        (double)fs.f_bavail * (double)fs.f_frsize < (double)n->part * n->ranks + (double)n->reserve)
        quit("the file system has too little space left", "give a smaller --file or --reserve");
    if (creates) {
        fd = open_named(n, own, O_CREAT | O_EXCL);
        if (ftruncate(fd, (off_t)size) != 0)
            quit(CANNOT_WRITE, strerror(errno));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!creates)
        fd = open_named(n, own, 0);
    fill_part(n, fd, is_each ? 0 : (uint64_t)n->place * n->part);
    MPI_Barrier(MPI_COMM_WORLD);
    n->mine = open_file(n, own);
    n->next = is_each ? open_file(n, (n->place + 1) % n->ranks) : n->mine;
    n->is_each = is_each;
    MPI_Barrier(MPI_COMM_WORLD);
    name_file(n, own, name, sizeof name);
    if (creates)
        unlink(name);
}

/* ------------------------------------------------------------------ a point */

/* Requests one after another, until the time is over; without direct I/O only once, for then the cache has all of it. */
static void move_part(const struct nodes *n, const struct dsn_mpi_point *p, char *buffer, struct share *s)
{
    const struct file *f = p->is_write ? &n->mine : &n->next;
    const int fd = n->align > 0 ? f->direct : f->fd, place = (n->place + !p->is_write) % n->ranks;
    const uint64_t first = n->is_each ? 0 : (uint64_t)place * n->part, calls = n->part / p->request;
    const double begin = MPI_Wtime();

    if (calls == 0)
        quit("a request is larger than a process's part of the file", NULL);
    for (uint64_t done = 0; done < calls || n->align > 0;) {
        const off_t at = (off_t)(first + done % calls * p->request);
        const ssize_t got = p->is_write ? pwrite(fd, buffer, p->request, at) : pread(fd, buffer, p->request, at);

        if (got <= 0)
            quit(p->is_write ? CANNOT_WRITE : "a file in the directory cannot be read",
                 got < 0 ? strerror(errno) : "it ends early");
        s->bytes += (double)got;
        if (++done >= LEAST_CALLS && MPI_Wtime() - begin > p->seconds)
            break;
    }
    if (p->is_write && n->align == 0 && fsync(fd) != 0)
        quit(CANNOT_WRITE, strerror(errno));
    s->seconds = MPI_Wtime() - begin;
}

static void measure(struct nodes *n, const struct dsn_mpi_point *p)
{
    struct share s = { .takes_part = n->place < p->processes }, *all = NULL;
    const struct file *f = p->is_write ? &n->mine : &n->next;
    /* A file that is shared is looked at once on each host. */
    const int looks = n->is_each ? s.takes_part > 0 : n->is_first;
    const uint64_t size = n->part * (n->is_each ? 1 : (uint64_t)n->ranks);
    void *buffer = NULL;

    if (posix_memalign(&buffer, BUFFER_ALIGN, p->request) != 0)
        quit("out of memory", NULL);
    dsn_fill_random(buffer, p->request, (uint64_t)n->rank + 1);
    if (looks && !p->is_write) {
        dsn_file_drop(f->fd);
        s.resident = dsn_file_resident(f->fd, size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (s.takes_part > 0)
        move_part(n, p, buffer, &s);
    MPI_Barrier(MPI_COMM_WORLD);
    if (looks && p->is_write)
        s.resident = dsn_file_resident(f->fd, size);
    free(buffer);
    if (n->rank == 0)
        all = need(calloc((size_t)n->ranks, sizeof *all));
    MPI_Gather(&s, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int h = 0; all && h < n->hosts; h++) {
        struct share sum = { .bytes = 0 };

        for (int r = 0; r < n->ranks; r++)
            if (n->host_of[r] == h) {
                sum.takes_part += all[r].takes_part;
                sum.bytes += all[r].bytes;
                sum.seconds = all[r].seconds > sum.seconds ? all[r].seconds : sum.seconds;
                /* what is not known of one process (-1) is not known of its host */
                if (sum.resident >= 0 && (all[r].resident < 0 || all[r].resident > sum.resident))
                    sum.resident = all[r].resident;
            }
        if (sum.takes_part > 0)
            printf("share %d %.0f %.9f %.6f\n", h, sum.bytes, sum.seconds, sum.resident);
    }
    if (n->rank == 0)
        puts("done");
    free(all);
}

void dsn_mpi_serve(const char *directory, uint64_t size, uint64_t reserve)
{
    struct nodes n = { .directory = directory, .reserve = reserve, .is_each = NO_FILES };

    MPI_Comm_rank(MPI_COMM_WORLD, &n.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n.ranks);
    n.part = size / (uint64_t)n.ranks / BUFFER_ALIGN * BUFFER_ALIGN;
    if (n.part < (uint64_t)DSN_SWEEP_PART_CALLS * BUFFER_ALIGN)
        quit("the file is too small for so many processes", "give a larger --file or --limit");
    find_hosts(&n);
    know_directory(&n);
    for (int h = 0; n.rank == 0 && h < n.hosts; h++)
        printf("host %d %s %s\n", n.host_list[h].processes, n.host_list[h].type, n.host_list[h].name);
    if (n.rank == 0)
        puts("ready");
    for (;;) {
        struct dsn_mpi_point p = { .processes = 0 };
        char line[128];

        fflush(stdout);
        if (n.rank == 0 && (!fgets(line, sizeof line, stdin) || !dsn_mpi_point_read(line, &p)))
            p.processes = 0;
        MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (p.processes == 0)
            break;
        make_files(&n, p.is_each);
        measure(&n, &p);
    }
    close_files(&n);
    MPI_Comm_free(&n.same_host);
    free(n.host_of);
    free(n.host_list);
}
