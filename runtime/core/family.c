/* family.c - who belongs together, and who takes what others leave
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/family.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/gone.h"
#include "core/names-in.h"
#include "core/open-file.h"
#include "core/pages.h"
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

static int is_collecting(int fd)
{
    int closed = 1;

    return pread(fd, &closed, sizeof closed, (off_t)offsetof(struct dsn_state, image.closed)) == sizeof closed &&
           !closed;
}

static int takes(int64_t pid)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    int fd, open_for_us;

    if (pid <= 0 || pid == dsn__state.family.pid)
        return 0;
    dsn__family_path(path, sizeof path, pid, "image");
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    open_for_us = fd >= 0 && is_collecting(fd);
    if (fd >= 0)
        close(fd);
    return open_for_us;
}

/* What the image of process `pid` says of its family, and since when. */
static int read_image(int64_t pid, struct dsn_family *f, int64_t *created)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    struct dsn_image image;
    int fd, ok;

    dsn__family_path(path, sizeof path, pid, "image");
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ok = fd >= 0 && pread(fd, &image, sizeof image, 0) == (ssize_t)sizeof image &&
         image.layout == dsn__image_layout() &&
         pread(fd, f, sizeof *f, offsetof(struct dsn_state, family)) == (ssize_t)sizeof *f;
    if (fd >= 0)
        close(fd);
    *created = image.created;
    return ok;
}

/* The same of one that runs: another one may have had its number before. */
static int read_relative(int64_t pid, struct dsn_family *f)
{
    int64_t created;

    return read_image(pid, f, &created) && !dsn__family_is_gone(pid, created);
}

/* The host has ended, or is not known. What this process was before it executed this program says who it was; else it
 * is of those whose host its parent is by now. */
static int find_rest(struct dsn_state *s, struct dsn_family *relative)
{
    const int64_t parent = getppid();

    if (read_relative(s->family.pid, relative)) {
        s->family.host = relative->host;
        return 1;
    }
    if (!takes(parent) || !read_relative(parent, relative))
        return 0;
    s->family.host = relative->host == s->family.host || !takes(relative->host) ? parent : relative->host;
    return 1;
}

/* The environment was not passed on, or not all of it: the image of this process, from before it executed this program,
 * or its parent's says which family it is. */
static int find_by_number(struct dsn_state *s)
{
    const int64_t numbers[] = { s->family.pid, getppid() };
    struct dsn_names_in *names = NULL;
    int dir = -1, found = 0;

    if (dsn__image_find_directory(&s->image))
        dir = open(s->image.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0)
        names = dsn__names_in(dir);
    for (int i = 0; i < 2 && !found; i++)
        for (const char *name = NULL; names && !found && (name = dsn__next_name(names, name));) {
            const char *at = *name == 'k' ? dsn__hex_number(name + 1, &s->origin.key) : NULL;

            found = at && *at == '-' && dsn__number_in(at + 1) == numbers[i] && strstr(at, ".image") &&
                    !dsn__image_is_aside(name);
        }
    dsn__names_free(names);
    if (dir >= 0)
        close(dir);
    return found;
}

static int find_family(struct dsn_state *s)
{
    uint64_t key = 0;
    struct dsn_family relative;
    int64_t pid = 0, created;
    const char *directory = read_variable(&key, &pid);

    if (directory && !dsn__image_may_use(directory)) /* this program was executed with the rights of another user */
        return 0;
    if (directory) {
        memcpy(s->image.directory, directory, strlen(directory) + 1);
        s->origin.key = key;
        s->family.host = pid;
    } else if (!find_by_number(s)) {
        return 0;
    }
    if (!(directory && read_image(pid, &relative, &created)) && !find_rest(s, &relative))
        return directory && pid == s->family.pid;
    s->family.zero = relative.zero;
    s->family.by_counter = relative.by_counter;
    s->family.from_utc = relative.from_utc;
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
    setenv(DSN_FAMILY_VARIABLE, text, 1);
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

    return read_variable(&key, &host) && host == getpid() && dsn__family_is_there();
}

static void found(struct dsn_state *s)
{
    s->family.host = s->family.pid;
    s->family.zero = s->clock.origin;
    s->family.by_counter = atomic_load(&s->clock.by_counter);
    if (!dsn__image_find_directory(&s->image))
        s->image.directory[0] = '\0';
}

/* Told cheaply where it runs, for each child asks. */
static int has_ended(int64_t host)
{
    return kill((pid_t)host, 0) != 0 && errno == ESRCH && !takes(host);
}

void dsn__family_join(int forked)
{
    struct dsn_state *s = &dsn__state;
    const struct dsn_family parent = s->family;
    const uint64_t own_key = s->origin.key;

    s->family.pid = s->pid;
    s->family.parent = forked ? parent.pid : getppid();
    s->family.is_mpi = 0;
    if (!forked)
        ask_launcher(&s->family);
    s->began = 0;
    s->family.zero.ns = 0;
    if (s->config.log_per_process && (forked || !goes_on())) { /* after exec it is the same process */
        found(s);
    } else if (forked && s->image.directory[0]) {
        s->family.zero = parent.zero;
        if (parent.host != parent.pid && has_ended(parent.host) && takes(parent.pid))
            s->family.host = parent.pid;
    } else if (!forked && find_family(s)) {
        remain_rank(&s->family);
    } else {
        s->origin.key = own_key;
        found(s);
    }
    if (s->family.zero.ns == 0) { /* the host's image is gone: this program goes on as the host */
        s->family.zero = s->clock.origin;
        s->family.by_counter = atomic_load(&s->clock.by_counter);
    }
    s->began = s->clock.origin.ns - s->family.zero.ns;
    dsn__clock_go_on(&s->clock, &s->family.zero, s->family.by_counter);
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

static int64_t now_since_boot(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The field behind the one that ends at `at`, `n` further on; NULL: there is none. */
static const char *skip_fields(const char *at, int n)
{
    for (; at && n > 0; n--)
        at = strchr(at + 1, ' ');
    return at;
}

/* State, threads and start of a process by /proc, fields 3, 20 and 22 of proc(5); 0: it is not known. */
static int ask_kernel(int64_t pid, char *state, int64_t *threads, int64_t *started)
{
    char path[48], text[1024], *at;
    const char *field;
    int64_t ticks;
    ssize_t n = -1;
    int fd;

    dsn__format(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (n <= 0)
        return 0;
    text[n] = '\0';
    at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at || strlen(at) < 3)
        return 0;
    *state = at[2];
    field = skip_fields(at, 18);
    if (!field || !dsn__number(field, threads))
        return 0;
    field = skip_fields(field, 2);
    if (!field || !dsn__number(field, &ticks))
        return 0;
    *started = ticks * (1000000000 / sysconf(_SC_CLK_TCK));
    return 1;
}

/* A process of the same number that began after the image is another one. Ticks of the kernel are 10 ms. One whose first
 * thread has ended runs on in the others. */
int dsn__family_is_gone(int64_t pid, int64_t created)
{
    const int64_t slack = 50000000;
    int64_t started;
    int64_t threads;
    char state;

    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return 1;
    if (!ask_kernel(pid, &state, &threads, &started))
        return 0;
    return (state == 'Z' && threads <= 1) || state == 'X' || (started - slack > created && created <= now_since_boot());
}

/* The image of a process that collects, locked; -1: it does so no more. */
static int lock_image(const char *path)
{
    const int64_t begin = dsn__now();
    const struct timespec nap = { 0, 200000 };
    const int fd = dsn__open_file(AT_FDCWD, path, O_RDWR, 0);

    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || dsn__now() - begin > PATIENCE) {
            close(fd);
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return fd;
}

int64_t dsn__family_heir(void)
{
    const struct dsn_family *f = &dsn__state.family;

    if (!dsn__state.image.directory[0] || f->host == f->pid || dsn__state.config.log_per_process)
        return 0;
    if (takes(f->host))
        return f->host;
    return takes(f->parent) ? f->parent : 0;
}

uint64_t dsn__family_log_key(const struct dsn_family *f, uint64_t key)
{
    return f->is_mpi || f->host == f->pid ? key : dsn_hash((const char *)&f->pid, sizeof f->pid, key);
}

/* What would be another user's file nobody would take. */
int dsn__family_append(const char *path, const void *bytes, size_t size)
{
    const int is_ours = dsn__image_may_use(dsn__state.image.directory),
              fd = is_ours ? dsn__open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    int ok;

    if (fd < 0)
        return 0;
    ok = write(fd, bytes, size) == (ssize_t)size;
    return close(fd) == 0 && ok;
}

/* What others have left to this process while its host was gone, or seemed to be, goes the same way. */
static void pass_on(const char *spools)
{
    char own[DSN_IMAGE_PATH_MAX + 64];
    struct stat st;
    char *all = NULL;
    int fd;

    dsn__family_path(own, sizeof own, dsn__state.family.pid, "spools");
    fd = open(own, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (dsn__fstat(fd, &st) == 0 && st.st_size > 0)
        all = dsn__pages((size_t)st.st_size);
    if (all && read(fd, all, (size_t)st.st_size) == (ssize_t)st.st_size &&
        dsn__family_append(spools, all, (size_t)st.st_size))
        unlink(own);
    dsn__pages_free(all);
    close(fd);
}

int dsn__family_leave(int64_t heir, const void *bytes, size_t size)
{
    char path[DSN_IMAGE_PATH_MAX + 64], spools[DSN_IMAGE_PATH_MAX + 64];
    int fd, ok;

    dsn__family_path(path, sizeof path, heir, "image");
    dsn__family_path(spools, sizeof spools, heir, "spools");
    fd = lock_image(path);
    if (fd < 0)
        return 0;
    ok = is_collecting(fd) && dsn__family_append(spools, bytes, size);
    if (ok && dsn__state.image.closed)
        pass_on(spools);
    close(fd);
    return ok;
}

void dsn__family_close(void)
{
    struct dsn_image *m = &dsn__state.image;
    int fd;

    if (!m->is_file || m->is_copy)
        return;
    fd = lock_image(m->path);
    atomic_store(&m->closed, 1);
    if (fd >= 0)
        close(fd);
}
