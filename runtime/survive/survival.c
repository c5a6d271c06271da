/* survival.c - the file that contains the records
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/survival.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "base/text.h"
#include "base/warn.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "module/shared/auxiliary.h"
#include "record/arena.h"
#include "record/names.h"
#include "record/span.h"
#include "survive/liveness.h"

#define MOST_NAMES 1000 /* names tried for a survival file: processes in containers of a node may have the same pid */

_Static_assert(sizeof(struct dsn_switch) % DSN_PAGE == 0, "nothing else is wiped");

/* ------------------------------------------------------------------ the directory */

/* Others cannot have created it, and cannot look into it. */
static bool is_own(const char *path, unsigned uid)
{
    struct stat st;

    return dsn__sys_lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid && (st.st_mode & 077) == 0;
}

bool dsn__survival_may_use(const char *directory)
{
    return is_own(directory, dsn__sys_geteuid());
}

bool dsn__survival_directory(const char *base, unsigned uid, int make, char *out, size_t size)
{
    const int n = dsn__format(out, size, "%s/darshan-%u", base, uid);

    if (base[0] != '/' || n < 0 || (size_t)n >= size)
        return false;
    if (make && mkdir(out, 0700) == 0)
        chmod(out, 0700); /* whatever the umask */
    return is_own(out, uid);
}

/* A mapping that changes all the time must not be on a network file system. */
static bool is_near(const char *directory)
{
    struct statfs st;

    return dsn__sys_statfs(directory, &st) == 0 && (dsn__fs_of((long)st.f_type) & DSN_FS_NEAR);
}

static bool find_directory(struct dsn_survival *survival)
{
    static const char *const usual[] = { "/dev/shm", "/tmp" };
    const char *given = dsn__config->mmap_logpath;

    if (given && strcmp(given, "none") == 0)
        return false;
    if (given && *given)
        return dsn__survival_directory(given, dsn__sys_geteuid(), 1, survival->directory, sizeof survival->directory);
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (dsn__survival_directory(usual[i], dsn__sys_geteuid(), 1, survival->directory, sizeof survival->directory) &&
            is_near(survival->directory))
            return true;
    return false;
}

bool dsn__survival_find_directory(struct dsn_survival *survival)
{
    const int found = find_directory(survival);

    if (!found)
        survival->directory[0] = '\0';
    return found;
}

void dsn__survival_path(char *out, size_t size, const char *directory, uint64_t key, int64_t pid, const char *suffix)
{
    dsn__format(out, size, "%s/k%016llx-%lld%s", directory, (unsigned long long)key, (long long)pid, suffix);
}

void dsn__tree_path(char *out, size_t size, int64_t pid, const char *suffix)
{
    dsn__survival_path(out, size, dsn__survival->directory, dsn__origin->key, pid, suffix);
}

/* ------------------------------------------------------------------ the mapping */

/* By the kernel's calls: other libraries interpose the C library's functions, to know which memory
 * there is, and not all of those can be called in a forked child, or know all flags. */
static void *map(void *at, size_t size, int flags, int fd, uint64_t offset)
{
    return dsn__sys_mmap(at, size, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset);
}

/* MADV_POPULATE_WRITE needs neither a path nor a descriptor, so it also works for a process that has changed its root
 * directory or its user. Kernels before 5.14 lack it: there fallocate reserves the space, and pages fault in one by one.
 * A file system that has neither cannot be used. `fd`: the file, or -1: it is opened. */
static bool populate(char *at, size_t size, int fd)
{
    const off_t begin = (off_t)(dsn__survival_state_size + ((uintptr_t)at - dsn__survival->base));
    int own = -1, done;

    if (dsn__sys_madvise(at, size, MADV_POPULATE_WRITE) == 0)
        return true;
    if (!dsn__is_refused(errno) || !dsn__survival->is_file)
        return false;
    if (fd < 0)
        fd = own = dsn__survival_open();
    done = fd >= 0 && dsn__sys_fallocate(fd, begin, (off_t)size) == 0;
    if (own >= 0)
        dsn__sys_close(own);
    return done;
}

/* Writes the state, so that its pages exist whatever happens to the file system. All of them will be used soon. */
static bool write_state(int fd)
{
    const ssize_t size = (ssize_t)dsn__survival_state_size;

    return dsn__sys_pwrite(fd, dsn__survival_state, dsn__survival_state_size, 0) == size ||
           dsn__write_at(fd, dsn__survival_state, dsn__survival_state_size, 0) == size;
}

/* Maps the beginning of the file over the static variable that the state is: from here on every store to it is one to the
 * file. */
static bool map_over_state(int fd)
{
    return map(dsn__survival_state, dsn__survival_state_size, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0) !=
           MAP_FAILED;
}

/* Respects RLIMIT_FSIZE: exceeding it would raise SIGXFSZ. */
static bool may_have(size_t size)
{
    struct rlimit limit;

    return dsn__sys_getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

static char *map_file(struct dsn_survival *survival, int fd, size_t size, size_t first, size_t at_once)
{
    char *base;

    if (!may_have(dsn__survival_state_size + size) ||
        dsn__sys_ftruncate(fd, (off_t)(dsn__survival_state_size + size)) != 0)
        return NULL;
    base = map(NULL, size, MAP_SHARED, fd, dsn__survival_state_size);
    if (base == MAP_FAILED)
        return NULL;
    survival->base = (uintptr_t)base;
    survival->size = size;
    survival->is_file = 1;
    if (populate(base + first, at_once, fd) && write_state(fd) && map_over_state(fd))
        return base;
    survival->is_file = 0;
    dsn__sys_munmap(base, size);
    return NULL;
}

static int open_new(const char *path)
{
    return dsn__open_file(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

static bool is_empty_file(int fd)
{
    uint64_t magic = 1;

    return dsn__sys_pread(fd, &magic, sizeof magic, 0) != (ssize_t)sizeof magic || magic == 0;
}

/* A name for a second file of a process: a number that no process has follows the pid. */
static void name_aside(char *aside, size_t size, const char *path)
{
    dsn__format(aside, size, "%.*s-%llx" DSN_SURVIVAL_SUFFIX, (int)(strlen(path) - strlen(DSN_SURVIVAL_SUFFIX)), path,
                (unsigned long long)dsn__boot_time());
}

/* Kernels before 3.15, and some file systems, cannot exchange names. */
static bool exchange(const char *path, const char *other)
{
    char aside[sizeof dsn__survival->path + 32];

    if (dsn__sys_exchange(path, other) == 0)
        return true;
    name_aside(aside, sizeof aside, other);
    return rename(other, aside) == 0 && rename(path, other) == 0;
}

/* Gives the process's own file `own`, which it has locked, the name `path`. The file that had it, of the program before an
 * exec or of a dead process, gets the other name, or goes if it is empty. In one step: whoever looks for the process finds
 * a file of it at any time. An unlocked, empty file may also belong to a process of another PID namespace that is just
 * starting: then this waits a moment. Returns false if the name could not be had, but may be free now. */
static bool take_name(const char *own, const char *path, int is_held)
{
    const struct timespec nap = { 0, 200000 };
    const int fd = is_held ? dsn__sys_open(path, O_NOFOLLOW) : dsn__liveness_prevent(AT_FDCWD, path);
    bool done = false;

    if (fd < 0 && errno != EAGAIN)
        return errno != ENOENT && exchange(own, path);
    if (fd >= 0 && !is_empty_file(fd))
        done = exchange(own, path);
    else if (fd >= 0 && !is_held)
        done = rename(own, path) == 0;
    else
        nanosleep(&nap, NULL);
    if (fd >= 0)
        dsn__sys_close(fd);
    return done;
}

int dsn__survival_open(void)
{
    const struct dsn_survival *survival = dsn__survival;
    const int fd =
        dsn__survival_may_use(survival->directory) ? dsn__open_file(AT_FDCWD, survival->path, O_RDWR, 0) : -1;
    struct stat st;

    if (fd >= 0 && (dsn__sys_fstat(fd, &st) != 0 || st.st_dev != survival->device || st.st_ino != survival->inode)) {
        dsn__sys_close(fd);
        return -1;
    }
    return fd;
}

/* Locks the new file at once, so that nobody who finds it empty takes it for a killed process's. Returns false if somebody
 * was faster, and removes it. */
static bool lock_new(struct dsn_survival *survival, int fd)
{
    const enum dsn_liveness hold = dsn__liveness_lock(fd);
    struct stat st;

    if (hold == DSN_LIVENESS_REFUSED)
        return false;
    survival->is_locked = hold == DSN_LIVENESS_SOMEBODY;
    if (!survival->is_locked)
        dsn__member->pid_space = dsn__pid_space();
    survival->device = survival->inode = 0;
    if (dsn__sys_fstat(fd, &st) != 0)
        return true;
    survival->device = st.st_dev;
    survival->inode = st.st_ino;
    return st.st_nlink > 0;
}

static enum dsn_liveness who_locks(const char *path)
{
    const int fd = dsn__sys_open(path, O_NOFOLLOW);
    const enum dsn_liveness hold = fd >= 0 ? dsn__liveness_of(fd) : DSN_LIVENESS_UNKNOWN;

    if (fd >= 0)
        dsn__sys_close(fd);
    return hold;
}

/* The name is taken. Returns whether the process's own file has it now; otherwise the next attempt may succeed. */
static bool replace_file(const char *own, const char *path)
{
    const int is_held = who_locks(path) == DSN_LIVENESS_SOMEBODY;
    struct dsn_member *me = dsn__member;

    /* a root process's file is this process's own, locked by a child; otherwise it belongs to a process of another PID
     * namespace */
    if (!is_held || (dsn__is_root_process(me) && !me->is_mpi))
        return take_name(own, path, is_held);
    me->number += DSN_NUMBER_STEP;
    return false;
}

/* A new file instead of the one that has this name. */
static int open_instead(struct dsn_survival *survival)
{
    char own[sizeof survival->path + 32];
    int fd;

    name_aside(own, sizeof own, survival->path);
    fd = open_new(own);
    if (fd < 0)
        return -1;
    if (lock_new(survival, fd) && replace_file(own, survival->path))
        return fd;
    dsn__sys_unlink(own);
    dsn__sys_close(fd);
    return -1;
}

static int open_named(struct dsn_survival *survival)
{
    for (int i = 0; i < MOST_NAMES; i++) {
        int fd;

        dsn__tree_path(survival->path, sizeof survival->path, dsn__member->number, DSN_SURVIVAL_SUFFIX);
        fd = open_new(survival->path);
        if (fd >= 0 && lock_new(survival, fd))
            return fd;
        if (fd >= 0)
            dsn__sys_close(fd);
        else if (errno != EEXIST)
            return -1;
        else if ((fd = open_instead(survival)) >= 0)
            return fd;
    }
    return -1;
}

static uint64_t mixed(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15;
    return h ^ h >> 32;
}

uint64_t dsn__survival_layout(void)
{
    const uint64_t sizes[] = { DSN_SURVIVAL_VERSION,         dsn__survival_state_size,
                               sizeof(struct dsn_name),      sizeof(struct dsn_record_state),
                               sizeof(struct dsn_auxiliary), sizeof(struct dsn_clock),
                               sizeof(struct dsn_member),    sizeof(struct dsn_survival),
                               dsn__state_offsets.config,    dsn__state_offsets.names,
                               dsn__state_offsets.whole };
    uint64_t h = 0;

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        h = mixed(h, sizes[i]);
    for (int module = 0; module < DSN_NMODULES; module++)
        h = mixed(mixed(h, dsn__modules[module]->state_size + dsn__modules[module]->need_size),
                  dsn__record_size((enum dsn_module_index)module));
    return h;
}

void dsn__survival_recording(char *state, struct dsn_recording *r)
{
    const struct dsn_state_offsets *at = &dsn__state_offsets;
    struct dsn_survival_head *head = (struct dsn_survival_head *)(void *)state;

    *r = (struct dsn_recording){ .names = (struct dsn_names *)(void *)(state + at->names),
                                 .incomplete = (struct dsn_incomplete *)(void *)(state + at->incomplete),
                                 .recordless = (struct dsn_call_sum *)(void *)(state + at->recordless),
                                 .io_time = (struct dsn_io_time *)(void *)(state + at->io_time),
                                 .lbio = (union dsn_val *)(void *)(state + at->lbio),
                                 .arena = (struct dsn_arena *)(void *)(state + at->arena),
                                 .auxiliary = (struct dsn_auxiliary *)(void *)(state + at->auxiliary),
                                 .finalizing = (struct dsn_finalizing *)(void *)(state + at->finalizing),
                                 .clock = &head->clock,
                                 .run = (struct dsn_run *)(void *)(state + at->run),
                                 .config = (const struct dsn_config *)(const void *)(state + at->config),
                                 .member = &head->member,
                                 .origin = &head->origin };
}

static char *make_file(struct dsn_survival *survival, size_t size, size_t first, size_t at_once)
{
    char *base;
    int fd;

    survival->layout = dsn__survival_layout();
    survival->created = dsn__boot_time();
    survival->executes = 0;
    fd = open_named(survival);
    if (fd < 0)
        return NULL;
    base = survival->inode != 0 ? map_file(survival, fd, size, first, at_once) : NULL;
    dsn__sys_close(fd);
    if (!base)
        dsn__sys_unlink(survival->path);
    return base;
}

static bool has_right_pages(void)
{
    return getauxval(AT_PAGESZ) <= DSN_PAGE && DSN_PAGE % getauxval(AT_PAGESZ) == 0;
}

/* Children created without our knowledge must not count into their parent's survival file. On kernels before 4.14 they
 * do: all others are detected (life/events.c). */
static bool wipe_switch_in_children(void)
{
    return dsn__sys_madvise(&dsn__switch, sizeof dsn__switch, MADV_WIPEONFORK) == 0 || dsn__is_refused(errno);
}

static bool make_anonymous(char *at, size_t size)
{
    if (!dsn__survival->is_file)
        return true;
    return map(at, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static atomic_flag is_replacing = ATOMIC_FLAG_INIT; /* pages of a full file system */

/* If the file system is full, replaces all from the first page without space on by anonymous memory, and returns that. Pages
 * that another thread has got meanwhile, and uses, stay: one thread at a time replaces. A signal handler that interrupts it
 * does not wait forever: it is its own thread, then, that is in here. */
static char *populate_in_file(char *at, size_t size, const char *end)
{
    char *page = (char *)((uintptr_t)at & ~(uintptr_t)(DSN_PAGE - 1));
    const char *behind = (const char *)(((uintptr_t)(at + size) + DSN_PAGE - 1) & ~(uintptr_t)(DSN_PAGE - 1));
    int turns = 100000;
    bool mine;

    if (populate(page, (size_t)(behind - page), -1) || !dsn__survival->is_file)
        return NULL;
    do
        mine = !atomic_flag_test_and_set(&is_replacing);
    while (!mine && turns-- > 0);
    while (page < behind && populate(page, DSN_PAGE, -1))
        page += DSN_PAGE;
    if (page < behind)
        make_anonymous(page, (size_t)(end - page));
    if (mine)
        atomic_flag_clear(&is_replacing);
    return page < behind ? page : NULL;
}

/* It is often /dev/shm, which programs pass their data through, and of 64 MiB in a container. */
static bool has_room(size_t size)
{
    const uint64_t plenty = UINT64_C(1) << 30;
    struct statfs st;
    uint64_t half, left;

    if (!dsn__survival->is_file)
        return true;
    if (dsn__sys_statfs(dsn__survival->directory, &st) != 0)
        return false;
    half = (uint64_t)st.f_blocks / 2 * (uint64_t)st.f_bsize;
    left = (uint64_t)st.f_bavail * (uint64_t)st.f_bsize;
    return st.f_blocks == 0 || /* without a limit */
           left > size + (half < plenty ? half : plenty);
}

char *dsn__survival_map(size_t size, size_t first, size_t at_once)
{
    static const struct dsn_backing backing = { populate_in_file, has_room, make_anonymous };
    struct dsn_survival *survival = dsn__survival;
    void *p;

    dsn__backing = &backing;
    survival->base = 0;
    if (survival->directory[0] && has_right_pages() && wipe_switch_in_children() &&
        make_file(survival, size, first, at_once)) {
        atomic_store(&dsn__survival->closed, 0);
        return (char *)(uintptr_t)survival->base;
    }
    survival->path[0] = '\0';
    p = map(NULL, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    survival->base = (uintptr_t)p;
    survival->size = size;
    return p;
}

/* ------------------------------------------------------------------ forked children */

/* Replaces the mapping by a copy; nothing is missing at any time. Where mremap is refused, this only thread copies it
 * back. Returns false if there is no memory, and the state is still the parent's. */
static bool own_state(void)
{
    void *copy = map(NULL, dsn__survival_state_size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, dsn__survival_state, dsn__survival_state_size);
    if (syscall(SYS_mremap, copy, dsn__survival_state_size, dsn__survival_state_size, MREMAP_MAYMOVE | MREMAP_FIXED,
                dsn__survival_state) != -1)
        return true;
    if (map(dsn__survival_state, dsn__survival_state_size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        return false;
    memcpy(dsn__survival_state, copy, dsn__survival_state_size);
    dsn__sys_munmap(copy, dsn__survival_state_size);
    return true;
}

bool dsn__survival_detach(int noting)
{
    struct dsn_survival *survival = dsn__survival;

    if (survival->is_file && !own_state())
        return false;
    if (!noting)
        atomic_flag_clear(&is_replacing); /* set by a thread that does not exist in this process */
    survival->is_file = 0;
    survival->keep = noting;
    survival->path[0] = '\0';
    return true;
}

void dsn__survival_unmap(void)
{
    struct dsn_survival *survival = dsn__survival;

    if (survival->base && !survival->keep)
        dsn__sys_munmap((void *)(uintptr_t)survival->base, survival->size);
    survival->base = 0;
    survival->keep = 0;
}

/* ------------------------------------------------------------------ what the file counts as */

void dsn__survival_set_empty(int is_empty)
{
    if (dsn__survival->is_file)
        dsn__survival->magic = is_empty ? 0 : DSN_SURVIVAL_MAGIC;
}

void dsn__survival_begin_again(void)
{
    dsn__survival->created = dsn__boot_time();
    dsn__survival_set_empty(0);
}

void dsn__survival_drop(void)
{
    struct dsn_survival *survival = dsn__survival;

    if (survival->is_file && survival->path[0] && dsn__sys_unlink(survival->path) != 0)
        dsn__survival_set_empty(1);
    survival->path[0] = '\0';
}

void dsn__survival_note_exec(int does)
{
    struct dsn_survival *survival = dsn__survival;

    if (!survival->is_file)
        return;
    if (dsn__member->pid_space == 0)
        dsn__member->pid_space = dsn__pid_space();
    survival->executes = does ? dsn__boot_time() : 0;
}

/* Unlike rename, link does not replace an existing file. On file systems without links, processes that share names have
 * not been seen. */
static bool give_name(const char *from, const char *to)
{
    if (link(from, to) == 0)
        return dsn__sys_unlink(from) == 0;
    return errno != EEXIST && rename(from, to) == 0;
}

/* As replace_file, for a file that has another name so far. */
static bool rename_over(const char *from, const char *to)
{
    char own[sizeof dsn__survival->path + 32];

    name_aside(own, sizeof own, to);
    if (link(from, own) != 0)
        return false;
    if (replace_file(own, to))
        return dsn__sys_unlink(from) == 0;
    dsn__sys_unlink(own);
    return false;
}

void dsn__survival_rename(void)
{
    struct dsn_survival *survival = dsn__survival;
    char path[sizeof survival->path];
    bool has_name = false;

    if (!survival->is_file || !survival->path[0])
        return;
    for (int i = 0; i < MOST_NAMES && !has_name; i++) {
        dsn__tree_path(path, sizeof path, dsn__member->number, DSN_SURVIVAL_SUFFIX);
        has_name = strcmp(survival->path, path) == 0 || give_name(survival->path, path);
        if (!has_name && errno != EEXIST)
            return;
        if (!has_name)
            has_name = rename_over(survival->path, path);
    }
    if (has_name)
        memcpy(survival->path, path, sizeof path);
}
