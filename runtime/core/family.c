/* family.c - who belongs together, and who takes what others leave
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/family.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/open-file.h"
#include "core/running.h"
#include "core/state.h"
#include "core/text.h"
#include "darshan-log-format/hash.h"
#include "out/convert.h"

#define PATIENCE INT64_C(2000000000) /* ns that another process is waited for that writes spools */

/* ------------------------------------------------------------------ joining */

void dsn__family_path(char *out, size_t size, int64_t pid, const char *suffix)
{
    dsn__format(out, size, "%s/k%016llx-%lld.%s", dsn__state.image.directory, (unsigned long long)dsn__state.origin.key,
                (long long)pid, suffix);
}

/* "<key>:<pid of the host>:<directory>", as the host has put it there. Returns the directory, NULL: it is none. */
static const char *read_variable(uint64_t *key, int64_t *host)
{
    const char *at = secure_getenv(DSN_FAMILY_VARIABLE);

    at = at ? dsn__hex_number(at, key) : NULL;
    at = at && *at == ':' ? dsn__number(at + 1, host) : NULL;
    return at && *at == ':' && *host > 0 && at[1] == '/' && strlen(at + 1) < DSN_IMAGE_PATH_MAX ? at + 1 : NULL;
}

int dsn__family_is_there(void)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    uint64_t key;
    int64_t host;
    const char *directory = read_variable(&key, &host);

    if (!directory)
        return 0;
    dsn__format(path, sizeof path, "%s/k%016llx-%lld.image", directory, (unsigned long long)key, (long long)host);
    return access(path, F_OK) == 0;
}

/* What the host says of itself, in the memory of which *s is the state; *is_other: it runs, so that it is not what this
 * process was before it executed this program. */
struct host {
    struct dsn_image image;
    struct dsn_family family;
    struct dsn_clock clock;
};

static int read_host(const struct dsn_state *s, struct host *host, int *is_other)
{
    const size_t first = offsetof(struct host, clock);
    char path[DSN_IMAGE_PATH_MAX + 64];
    int fd, ok;

    _Static_assert(offsetof(struct host, family) == offsetof(struct dsn_state, family), "the first part of the state");
    dsn__family_path(path, sizeof path, s->family.host, "image");
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ok = fd >= 0 && pread(fd, host, first, 0) == (ssize_t)first && host->image.layout == dsn__image_layout() &&
         pread(fd, &host->clock, sizeof host->clock, offsetof(struct dsn_state, clock)) == (ssize_t)sizeof host->clock;
    *is_other = ok && dsn__pid_of(s->family.host) == s->family.pid && !host->image.executes &&
                dsn__hold_ask(fd) == DSN_HOLD_SOMEBODY;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* What the host knows of the processor's counter, the kernel need not be asked for once more. */
static void take_clock(struct dsn_state *s, const struct host *host, double *rate)
{
    s->family.zero = host->family.zero;
    s->family.by_counter = host->family.by_counter && atomic_load(&host->clock.by_counter);
    *rate = s->family.by_counter ? atomic_load(&host->clock.rate) : 0;
}

/* Who has the number of the host is the host, unless that is in another space of numbers. */
static int find_family(struct dsn_state *s, double *rate)
{
    uint64_t key = 0;
    struct host host;
    int there, is_other;
    int64_t pid = 0;
    const char *directory = read_variable(&key, &pid);

    if (!directory)
        return 0;
    memcpy(s->image.directory, directory, strlen(directory) + 1);
    s->origin.key = key;
    s->family.host = pid;
    there = read_host(s, &host, &is_other);
    if (dsn__pid_of(pid) == s->family.pid)
        s->family.pid = is_other ? pid + DSN_NUMBER_STEP : pid;
    if (!there)
        return pid == s->family.pid;
    take_clock(s, &host, rate);
    s->family.from_utc = host.family.from_utc;
    return 1;
}

/* A rank of MPI has executed this program: it is the same rank still. What it was before is in its image. */
static void remain_rank(struct dsn_family *f)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    struct dsn_image_facts before;

    if (f->host != f->pid)
        return;
    dsn__family_path(path, sizeof path, f->pid, "image");
    if (!dsn__image_ask(AT_FDCWD, path, geteuid(), &before) || before.is_empty || !before.is_mpi)
        return;
    f->is_mpi = 1;
    f->rank = before.rank;
    f->nranks = before.nranks;
}

static void set_variable(const struct dsn_state *s)
{
    char text[DSN_IMAGE_PATH_MAX + 64];

    dsn__format(text, sizeof text, "%016llx:%lld:%s", (unsigned long long)s->origin.key, (long long)s->family.host,
                s->image.directory);
    dsn__environment_set(DSN_FAMILY_VARIABLE, text);
}

/* Ranks that a launcher other than MPI's has given. Source: the variables that torchrun and Slurm's srun set. */
static void ask_launcher(struct dsn_family *f)
{
    static const struct {
        const char *rank, *size;
    } launchers[] = { { "RANK", "WORLD_SIZE" },
                      { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
                      { "SLURM_PROCID", "SLURM_NTASKS" } };

    f->rank = f->nranks = -1;
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *rank = secure_getenv(launchers[i].rank), *size = secure_getenv(launchers[i].size);
        int64_t r, n;

        rank = rank ? dsn__number(rank, &r) : NULL;
        size = size ? dsn__number(size, &n) : NULL;
        if (!rank || !size || *rank || *size || r < 0 || r >= n || n > INT32_MAX)
            continue;
        f->rank = r;
        f->nranks = n;
        return;
    }
}

/* Whether this program was executed by the host of the family that the environment names, which has left its image; not
 * so the library that is loaded once more, when the log of its first life has been made. */
static int goes_on(void)
{
    uint64_t key;
    int64_t host;

    return read_variable(&key, &host) && dsn__pid_of(host) == getpid() && dsn__family_is_there();
}

static void begin_time(struct dsn_state *s)
{
    dsn__clock_trust(&s->clock);
    s->family.zero = s->clock.origin;
    s->family.by_counter = atomic_load(&s->clock.by_counter);
}

static void found(struct dsn_state *s)
{
    s->family.host = s->family.pid;
    begin_time(s);
    if (!dsn__image_find_directory(&s->image))
        s->image.directory[0] = '\0';
}

void dsn__family_join(int forked)
{
    struct dsn_state *s = &dsn__state;
    const struct dsn_family parent = s->family;
    const uint64_t own_key = s->origin.key;
    double rate = 0;

    s->family.pid = s->pid;
    s->family.parent = forked ? parent.pid : getppid();
    s->family.pid_space = 0;
    s->family.is_mpi = 0;
    if (!forked)
        ask_launcher(&s->family);
    s->began = 0;
    s->family.zero.ns = 0;
    if (s->config.log_per_process && (forked || !goes_on())) { /* after exec it is the same process */
        found(s);
    } else if (forked && s->image.directory[0]) {
        dsn__clock_trust(&s->clock);
        s->family.zero = parent.zero;
        if (s->family.pid == s->family.host)
            s->family.pid += DSN_NUMBER_STEP;
    } else if (!forked && find_family(s, &rate)) {
        remain_rank(&s->family);
    } else {
        s->origin.key = own_key;
        found(s);
    }
    if (s->family.zero.ns == 0) /* the host's image is gone: this program goes on as the host */
        begin_time(s);
    s->began = s->clock.origin.ns - s->family.zero.ns;
    dsn__clock_go_on(&s->clock, &s->family.zero, s->family.by_counter, rate);
    if (s->image.directory[0] && !forked)
        set_variable(s);
}

void dsn__family_rank(uint64_t key, int rank, int nranks)
{
    struct dsn_state *s = &dsn__state;

    s->family.rank = rank;
    s->family.nranks = nranks;
    s->family.is_mpi = 1;
    s->family.host = s->family.pid;
    s->family.pid_space = dsn__pid_space();
    s->origin.key = key;
    if (!s->image.is_file)
        return;
    dsn__image_rename();
    s->family.host = s->family.pid;
    set_variable(s);
}

/* Ranks of one start of a launcher; by what they have in common. Source: the variables of PMI (MPICH's Hydra), PMIx and
 * Open MPI's mpirun. */
int dsn__family_session(void)
{
    static const struct {
        const char *job, *rank, *size;
    } launchers[] = { { "PMIX_NAMESPACE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE" },
                      { "PMI_FD", "PMI_RANK", "PMI_SIZE" },
                      { "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };

    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *job = secure_getenv(launchers[i].job), *rank = secure_getenv(launchers[i].rank),
                   *size = secure_getenv(launchers[i].size);
        const int r = rank ? (int)dsn__number_in(rank) : -1, n = size ? (int)dsn__number_in(size) : 0;
        uint64_t key;

        if (!job || r < 0 || r >= n)
            continue;
        /* descriptors of Hydra differ by rank: its proxy, the parent of all, does not */
        key = strcmp(launchers[i].job, "PMI_FD") == 0 ? (uint64_t)getppid() : dsn_hash(job, strlen(job), 0);
        key = dsn_hash((const char *)&key, sizeof key, (uint64_t)n);
        dsn__family_rank(key, r, n);
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------ leaving */

/* 0: it cannot be had. */
static int lock(int fd)
{
    const int64_t begin = dsn__now();
    const struct timespec nap = { 0, 200000 };

    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || dsn__now() - begin > PATIENCE)
            return 0;
        nanosleep(&nap, NULL);
    }
    return 1;
}

static int is_collecting(int fd)
{
    int closed = 1;

    return pread(fd, &closed, sizeof closed, (off_t)offsetof(struct dsn_state, image.closed)) == sizeof closed &&
           !closed;
}

int dsn__family_heirs(int64_t pids[DSN_HEIRS])
{
    const struct dsn_family *f = &dsn__state.family;
    int n = 0;

    if (!dsn__state.image.directory[0] || f->host == f->pid || dsn__state.config.log_per_process)
        return 0;
    pids[n++] = f->host;
    if (f->parent > 0 && f->parent != f->pid && f->parent != f->host)
        pids[n++] = f->parent;
    return n;
}

uint64_t dsn__family_log_key(const struct dsn_family *f, uint64_t key)
{
    return f->is_mpi || f->host == f->pid ? key : dsn_hash((const char *)&f->pid, sizeof f->pid, key);
}

int dsn__family_append(const char *path, const void *bytes, size_t size)
{
    const int fd = dsn__open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    int ok;

    if (fd < 0)
        return 0;
    ok = write(fd, bytes, size) == (ssize_t)size;
    return close(fd) == 0 && ok;
}

int dsn__family_leave(int64_t heir, const void *bytes, size_t size)
{
    char path[DSN_IMAGE_PATH_MAX + 64], spools[DSN_IMAGE_PATH_MAX + 64];
    int fd, ok;

    dsn__family_path(path, sizeof path, heir, "image");
    dsn__family_path(spools, sizeof spools, heir, "spools");
    fd = dsn__open_file(AT_FDCWD, path, O_RDWR, 0);
    if (fd < 0)
        return 0;
    ok = lock(fd) && is_collecting(fd) && dsn__family_append(spools, bytes, size);
    close(fd);
    return ok;
}

void dsn__family_close(int fd)
{
    struct dsn_image *m = &dsn__state.image;

    if (!m->is_file || m->is_copy)
        return;
    if (fd >= 0)
        lock(fd);
    atomic_store(&m->closed, 1);
}
