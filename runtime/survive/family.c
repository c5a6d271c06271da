/* family.c - who belongs together, and who takes what others leave
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/family.h"

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

#include "base/environment.h"
#include "base/kernel.h"
#include "base/names-in.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "survive/running.h"
#include "life/state.h"
#include "base/text.h"
#include "darshan-log-format/hash.h"
#include "survive/convert.h"

#define PATIENCE INT64_C(2000000000) /* ns that another process is waited for that writes spools */

/* ------------------------------------------------------------------ joining */

void dsn__family_path(char *out, size_t size, int64_t pid, const char *suffix)
{
    dsn__format(out, size, "%s/k%016llx-%lld.%s", dsn__state.image.directory, (unsigned long long)dsn__state.origin.key,
                (long long)pid, suffix);
}

/* "<key>:<pid of the host>:<directory>", as the host has put it there. Returns what stands for the directory: "none", if
 * there can be no images; NULL: there is no such variable. */
static const char *read_all(uint64_t *key, int64_t *host)
{
    const char *at = secure_getenv(DSN_FAMILY_VARIABLE);

    at = at ? dsn__hex_number(at, key) : NULL;
    at = at && *at == ':' ? dsn__number(at + 1, host) : NULL;
    return at && *at == ':' && *host > 0 ? at + 1 : NULL;
}

/* The directory, NULL: there is none. */
static const char *read_variable(uint64_t *key, int64_t *host)
{
    const char *at = read_all(key, host);

    return at && *at == '/' && strlen(at) < DSN_IMAGE_PATH_MAX ? at : NULL;
}

/* A program that was executed by the host, whose image is not there, or by another process of the family. */
static int log_of_program(int64_t pid)
{
    uint64_t key;
    int64_t host;

    if (!read_all(&key, &host))
        return DSN_FIRST_LOG;
    return dsn__pid_of(host) == pid ? DSN_NEXT_LOG : DSN_OTHER_LOG;
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

/* What an image says of its process, as the first part of the state. */
struct relative {
    struct dsn_image image;
    struct dsn_family family;
    struct dsn_clock clock;
    enum dsn_hold hold;
};

/* The image of process `number` of the family. */
static int read_image(int64_t number, struct relative *r)
{
    const size_t first = offsetof(struct relative, clock);
    char path[DSN_IMAGE_PATH_MAX + 64];
    int fd, ok;

    _Static_assert(offsetof(struct relative, family) == offsetof(struct dsn_state, family),
                   "the first part of the state");
    dsn__family_path(path, sizeof path, number, "image");
    fd = dsn__sys_open(path, O_NOFOLLOW);
    ok = fd >= 0 && dsn__sys_pread(fd, r, first, 0) == (ssize_t)first && r->image.layout == dsn__image_layout() &&
         dsn__sys_pread(fd, &r->clock, sizeof r->clock, offsetof(struct dsn_state, clock)) == (ssize_t)sizeof r->clock;
    r->hold = ok && dsn__pid_of(number) == dsn__sys_getpid() ? dsn__hold_ask(fd) : DSN_HOLD_UNKNOWN;
    if (fd >= 0)
        dsn__sys_close(fd);
    return ok;
}

/* What this process was before it executed this program. */
static int read_before(struct relative *r)
{
    const int64_t pid = dsn__state.family.pid;

    return read_image(pid, r) && r->image.executes != 0 && r->hold != DSN_HOLD_SOMEBODY &&
           !dsn__process_is_gone(dsn__pid_of(pid), r->image.created);
}

static int is_collecting(int fd)
{
    int closed = 1;

    return dsn__sys_pread(fd, &closed, sizeof closed, (off_t)offsetof(struct dsn_state, image.closed)) ==
               sizeof closed &&
           !closed;
}

static int takes(int64_t number)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    int fd, open_for_us;

    if (number <= 0 || number == dsn__state.family.pid)
        return 0;
    dsn__family_path(path, sizeof path, number, "image");
    fd = dsn__sys_open(path, O_NOFOLLOW);
    open_for_us = fd >= 0 && is_collecting(fd);
    if (fd >= 0)
        dsn__sys_close(fd);
    return open_for_us;
}

/* The host has ended, or is not known. What this process was before it executed this program says who it was; else it
 * is of those whose host its parent is by now. */
static int find_rest(struct dsn_state *s, struct relative *r)
{
    const int64_t parent = getppid();

    if (read_before(r)) {
        s->family.host = r->family.host;
        return 1;
    }
    if (!takes(parent) || !read_image(parent, r) || dsn__process_is_gone(parent, r->image.created))
        return 0;
    s->family.host = r->family.host == s->family.host || !takes(r->family.host) ? parent : r->family.host;
    return 1;
}

/* Of the images of this user, which are of all families, whether this is that of process `pid`: in another space of numbers
 * somebody else may have that number. */
static int is_image_of(const char *name, int64_t pid)
{
    const char *at = *name == 'k' ? dsn__hex_number(name + 1, &dsn__state.origin.key) : NULL;
    struct relative r;

    if (!at || *at != '-' || dsn__number_in(at + 1) != pid || !strstr(at, ".image") || dsn__image_is_aside(name))
        return 0;
    return pid == dsn__state.family.pid ? read_before(&r) : dsn__process_maps(pid, name);
}

/* The environment was not passed on, or not all of it: the image of this process, from before it executed this program,
 * or its parent's says which family it is. */
static int find_by_number(struct dsn_state *s)
{
    const int64_t numbers[] = { s->family.pid, getppid() };
    struct dsn_names_in *names = NULL;
    int dir = -1, found = 0;

    if (dsn__image_find_directory(&s->image))
        dir = dsn__sys_open(s->image.directory, O_DIRECTORY | O_NOFOLLOW);
    if (dir >= 0)
        names = dsn__names_in(dir);
    for (int i = 0; i < 2 && !found; i++)
        for (const char *name = NULL; names && !found && (name = dsn__next_name(names, name));)
            found = is_image_of(name, numbers[i]);
    dsn__names_free(names);
    if (dir >= 0)
        dsn__sys_close(dir);
    return found;
}

/* What the host knows of the processor's counter, the kernel need not be asked for once more. */
static void take_time(struct dsn_state *s, const struct relative *r, double *rate)
{
    s->family.zero = r->family.zero;
    s->family.from_utc = r->family.from_utc;
    s->family.by_counter = r->family.by_counter && atomic_load(&r->clock.by_counter);
    *rate = s->family.by_counter ? atomic_load(&r->clock.rate) : 0;
}

/* The family that the environment names. Who has the number of the host is the host, unless that runs: then it is in another
 * space of numbers. */
static int find_by_name(struct dsn_state *s, const char *directory, struct relative *r)
{
    const int64_t host = s->family.host;
    int there;

    memcpy(s->image.directory, directory, strlen(directory) + 1);
    there = read_image(host, r);
    if (dsn__pid_of(host) == s->family.pid && there && !r->image.executes && r->hold == DSN_HOLD_SOMEBODY)
        s->family.pid = host + DSN_NUMBER_STEP;
    else if (dsn__pid_of(host) == s->family.pid)
        s->family.pid = host;
    return there;
}

static int find_family(struct dsn_state *s, double *rate)
{
    struct relative r;
    int there;
    const char *directory;

    s->family.host = 0;
    directory = read_variable(&s->origin.key, &s->family.host);
    if (directory && !dsn__image_may_use(directory)) /* this program was executed with the rights of another user */
        return 0;
    if (!directory && !find_by_number(s))
        return 0;
    there = directory && find_by_name(s, directory, &r);
    if (there || find_rest(s, &r)) {
        take_time(s, &r, rate);
        return 1;
    }
    if (directory && s->family.host == s->family.pid)
        return 1;
    s->image.directory[0] = '\0';
    return 0;
}

/* A rank of MPI has executed this program: it is the same rank still. What it was before is in its image. */
static void remain_rank(struct dsn_family *f)
{
    char path[DSN_IMAGE_PATH_MAX + 64];
    struct dsn_image_facts before;

    if (f->host != f->pid)
        return;
    dsn__family_path(path, sizeof path, f->pid, "image");
    if (!dsn__image_ask(AT_FDCWD, path, dsn__sys_geteuid(), &before) || before.is_empty || !before.is_mpi)
        return;
    f->is_mpi = 1;
    f->rank = before.rank;
    f->nranks = before.nranks;
}

/* Where there can be no images the first process of all stays the one that is named there. */
static void set_variable(const struct dsn_state *s)
{
    char text[DSN_IMAGE_PATH_MAX + 64];

    if (!s->image.directory[0] && s->origin.log_of != DSN_FIRST_LOG)
        return;
    dsn__format(text, sizeof text, "%016llx:%lld:%s", (unsigned long long)s->origin.key, (long long)s->family.host,
                s->image.directory[0] ? s->image.directory : "none");
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
        const char *rank = dsn__environment_get(launchers[i].rank),
                   *size = rank ? dsn__environment_get(launchers[i].size) : NULL;
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

    return read_variable(&key, &host) && dsn__pid_of(host) == dsn__sys_getpid() && dsn__family_is_there();
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
    if (!s->image.directory[0])
        dsn__image_find_directory(&s->image);
}

/* Told cheaply where it runs, for each child asks. */
static int has_ended(int64_t host)
{
    return kill((pid_t)dsn__pid_of(host), 0) != 0 && errno == ESRCH && !takes(host);
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
    s->origin.log_of = forked ? DSN_OTHER_LOG : log_of_program(s->pid);
    if (!forked)
        ask_launcher(&s->family);
    if (!forked || s->config.log_per_process)
        s->image.directory[0] = '\0';
    s->began = 0;
    s->family.zero.ns = 0;
    if (s->config.log_per_process && (forked || !goes_on())) { /* after exec it is the same process */
        found(s);
    } else if (forked && s->image.directory[0]) {
        dsn__clock_trust(&s->clock);
        s->family.zero = parent.zero;
        if (parent.host != parent.pid && has_ended(parent.host) && takes(parent.pid))
            s->family.host = parent.pid;
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
    if (!forked)
        set_variable(s);
}

void dsn__family_rank(uint64_t key, int rank, int nranks)
{
    struct dsn_state *s = &dsn__state;

    s->family.rank = rank;
    s->family.nranks = nranks;
    s->family.is_mpi = 1;
    s->origin.log_of = DSN_FIRST_LOG;
    s->family.host = s->family.pid;
    s->family.pid_space = dsn__pid_space();
    s->origin.key = key;
    if (dsn__spin(&s->names.lock)) {
        dsn__file_systems_by_table();
        dsn__unspin(&s->names.lock);
    }
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

    while (dsn__sys_flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || dsn__now() - begin > PATIENCE)
            return 0;
        nanosleep(&nap, NULL);
    }
    return 1;
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

/* Where there was room for a part only, `n` bytes, it is taken away again, unless others have appended theirs meanwhile. */
static void take_back(const char *path, int fd, ssize_t n)
{
    const off_t end = lseek(fd, 0, SEEK_CUR), begin = n > 0 ? end - n : end;
    struct stat st;

    if (end < 0 || dsn__sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (n > 0 && st.st_size != end))
        return;
    if (n > 0 ? begin == 0 : st.st_size == 0)
        dsn__sys_unlink(path);
    else if (n > 0)
        dsn__sys_ftruncate(fd, begin);
}

/* What would be another user's file nobody would take. */
int dsn__family_append(const char *path, const void *bytes, size_t size)
{
    const int is_ours = dsn__image_may_use(dsn__state.image.directory),
              fd = is_ours ? dsn__open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0600) : -1;
    ssize_t n;

    if (fd < 0)
        return 0;
    n = dsn__sys_write(fd, bytes, size);
    if (n != (ssize_t)size)
        take_back(path, fd, n);
    return dsn__sys_close(fd) == 0 && n == (ssize_t)size;
}

/* What others have left to this process while its host was gone, or seemed to be, goes the same way. */
static void pass_on(const char *spools)
{
    char own[DSN_IMAGE_PATH_MAX + 64];
    struct stat st;
    char *all = NULL;
    int fd;

    dsn__family_path(own, sizeof own, dsn__state.family.pid, "spools");
    fd = dsn__sys_open(own, O_NOFOLLOW);
    if (fd < 0)
        return;
    if (dsn__sys_fstat(fd, &st) == 0 && st.st_size > 0)
        all = dsn__pages((size_t)st.st_size);
    if (all && read(fd, all, (size_t)st.st_size) == (ssize_t)st.st_size &&
        dsn__family_append(spools, all, (size_t)st.st_size))
        dsn__sys_unlink(own);
    dsn__pages_free(all);
    dsn__sys_close(fd);
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
    if (ok && dsn__state.image.closed)
        pass_on(spools);
    dsn__sys_close(fd);
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
    if (fd >= 0)
        dsn__sys_flock(fd, LOCK_UN); /* to close it would not do: the copy is mapped by it */
}
