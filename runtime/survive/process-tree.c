/* process-tree.c - membership in process trees, and collectors of what processes leave
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/process-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/kernel.h"
#include "base/names-in.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "base/text.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/hash.h"
#include "record/names.h"
#include "record/span.h"
#include "survive/identity.h"
#include "survive/liveness.h"
#include "survive/survival.h"

#define PATIENCE INT64_C(2000000000) /* ns to wait for another process that appends exit records */

/* ------------------------------------------------------------------ joining */

/* Parses "<key>:<pid of the root process>:<directory>", which the root process put there. Returns the directory part:
 * "none" if there are no survival files; NULL: the variable is not set. */
static const char *parse_variable(const char *variable, uint64_t *key, int64_t *root)
{
    const char *at = secure_getenv(variable);

    at = at ? dsn__hex_number(at, key) : NULL;
    at = at && *at == ':' ? dsn__number(at + 1, root) : NULL;
    return at && *at == ':' && *root > 0 ? at + 1 : NULL;
}

/* The directory; NULL: none. */
static const char *read_directory(const char *variable, uint64_t *key, int64_t *root)
{
    const char *at = parse_variable(variable, key, root);

    return at && *at == '/' && strlen(at) < DSN_SURVIVAL_PATH_MAX ? at : NULL;
}

/* This program was executed by the root process, whose survival file does not exist, or by another process of the
 * tree. */
static int log_of_program(int64_t pid)
{
    uint64_t key;
    int64_t root;

    for (int i = 0; i < DSN_NNAMINGS; i++)
        if (parse_variable(dsn__namings[i].tree_variable, &key, &root))
            return dsn__pid_of(root) == pid ? DSN_NEXT_LOG : DSN_OTHER_LOG;
    return DSN_FIRST_LOG;
}

bool dsn__process_tree_is_first(void)
{
    return dsn__origin->log_of == DSN_FIRST_LOG;
}

static bool is_there(const struct dsn_naming *of)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    uint64_t key;
    int64_t root;
    const char *directory = read_directory(of->tree_variable, &key, &root);

    if (!directory)
        return false;
    dsn__survival_path(path, sizeof path, directory, key, root, of->survival_file);
    return access(path, F_OK) == 0;
}

bool dsn__process_tree_is_there(void)
{
    for (int i = 0; i < DSN_NNAMINGS; i++)
        if (is_there(&dsn__namings[i]))
            return true;
    return false;
}

/* Another process of the process tree. */
struct relative {
    struct dsn_survival_head head;
    enum dsn_liveness hold;
};

/* Reads the survival file of process `number` of the process tree. */
static bool read_survival_file(int64_t number, struct relative *r)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    int fd, ok;

    dsn__tree_path(path, sizeof path, number, DSN_SURVIVAL_SUFFIX);
    fd = dsn__sys_open(path, O_NOFOLLOW);
    ok = fd >= 0 && dsn__sys_pread(fd, &r->head, sizeof r->head, 0) == (ssize_t)sizeof r->head &&
         r->head.survival_file.layout == dsn__survival_layout();
    r->hold = ok && dsn__pid_of(number) == dsn__sys_getpid() ? dsn__liveness_of(fd) : DSN_LIVENESS_UNKNOWN;
    if (fd >= 0)
        dsn__sys_close(fd);
    return ok;
}

/* Reads this process's own file from before it exec'ed this program. */
static bool read_own_before_exec(struct relative *r)
{
    const int64_t pid = dsn__member->number;

    return read_survival_file(pid, r) && r->head.survival_file.executes != 0 && r->hold != DSN_LIVENESS_SOMEBODY &&
           !dsn__process_is_dead(dsn__pid_of(pid), r->head.survival_file.created);
}

static bool is_accepting(int fd)
{
    int closed = 1;

    return dsn__sys_pread(fd, &closed, sizeof closed,
                          (off_t)offsetof(struct dsn_survival_head, survival_file.closed)) == sizeof closed &&
           !closed;
}

static bool accepts_exit_records(int64_t number)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    int fd, open_for_us;

    if (number <= 0 || number == dsn__member->number)
        return false;
    dsn__tree_path(path, sizeof path, number, DSN_SURVIVAL_SUFFIX);
    fd = dsn__sys_open(path, O_NOFOLLOW);
    open_for_us = fd >= 0 && is_accepting(fd);
    if (fd >= 0)
        dsn__sys_close(fd);
    return open_for_us;
}

/* The parent has ended, or is unknown. The file from before the exec identifies this process; otherwise it belongs to
 * those who share its present parent. */
static bool find_by_relatives(struct relative *r)
{
    const int64_t parent = getppid();

    if (read_own_before_exec(r)) {
        dsn__member->root = r->head.member.root;
        return true;
    }
    if (!accepts_exit_records(parent) || !read_survival_file(parent, r) ||
        dsn__process_is_dead(parent, r->head.survival_file.created))
        return false;
    dsn__member->root = r->head.member.root == dsn__member->root || !accepts_exit_records(r->head.member.root)
                            ? parent
                            : r->head.member.root;
    return true;
}

/* If this survival file, one of all process trees of this user, is that of process `pid`, this process is of its tree, and
 * has its key: in another PID namespace somebody else may have that number. The caller restores the key of a file that is
 * not. */
static bool adopt_key_of(const char *name, int64_t pid)
{
    const char *at = *name == 'k' ? dsn__hex_number(name + 1, &dsn__origin->key) : NULL;
    struct relative r;

    if (!at || *at != '-' || dsn__number_in(at + 1) != pid || !strstr(at, DSN_SURVIVAL_SUFFIX) ||
        dsn__survival_is_aside(name))
        return false;
    return pid == dsn__member->number ? read_own_before_exec(&r) : dsn__process_maps(pid, name);
}

/* The environment was not passed on completely: the process's own survival file from before the exec, or its parent's,
 * identifies the process tree. */
static bool find_by_number(void)
{
    const int64_t numbers[] = { dsn__member->number, getppid() };
    struct dsn_names_in *names = NULL;
    int dir = -1, found = 0;

    if (dsn__survival_find_directory(dsn__survival))
        dir = dsn__sys_open(dsn__survival->directory, O_DIRECTORY | O_NOFOLLOW);
    if (dir >= 0)
        names = dsn__names_in(dir);
    for (int i = 0; i < 2 && !found; i++)
        for (const char *name = NULL; names && !found && (name = dsn__next_name(names, name));)
            found = adopt_key_of(name, numbers[i]);
    dsn__names_in_free(names);
    if (dir >= 0)
        dsn__sys_close(dir);
    return found;
}

/* Finds the process tree that this program belongs to; false: it founds one. By, in this order:
 *   - the environment, which names the directory, the key and the root process;
 *   - without that, because it was not passed on: a survival file with this process's number, from before an exec, or with
 *     its parent's;
 *   - if the root process has no file (any more): the same two, of the tree that was named. */
static bool find_tree(double *rate)
{
    struct dsn_member *me = dsn__member;
    bool root_has_file = false;
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];
    const char *directory;
    struct relative r;

    me->root = 0;
    directory = read_directory(DSN_TREE_VARIABLE, &dsn__origin->key, &me->root);
    if (directory && !dsn__survival_may_use(directory)) /* executed with the privileges of another user */
        return false;
    if (!directory && !find_by_number())
        return false;

    if (directory) {
        memcpy(dsn__survival->directory, directory, strlen(directory) + 1);
        root_has_file = read_survival_file(me->root, &r);
        /* A process with the pid of the root process is the root process, unless that still runs: then this one is in
         * another PID namespace. */
        if (dsn__pid_of(me->root) == me->number) {
            const bool runs = root_has_file && !r.head.survival_file.executes && r.hold == DSN_LIVENESS_SOMEBODY;

            me->number = runs ? me->root + DSN_NUMBER_STEP : me->root;
        }
        /* Exec'ed by the root process, which had neither counted anything nor started others: the job begins now. */
        if (root_has_file && dsn__is_root_process(me) && r.head.survival_file.magic == 0 &&
            r.head.survival_file.executes != 0 && r.hold != DSN_LIVENESS_SOMEBODY) {
            dsn__tree_path(exit_records, sizeof exit_records, me->number, DSN_EXIT_RECORDS_SUFFIX);
            if (access(exit_records, F_OK) != 0)
                return true;
        }
    }
    if (root_has_file || find_by_relatives(&r)) {
        me->zero = r.head.member.zero;
        me->from_utc = r.head.member.from_utc;
        /* the root process's verdict on the TSC: the kernel need not be asked again */
        me->by_counter = r.head.member.by_counter && atomic_load(&r.head.clock.by_counter);
        *rate = me->by_counter ? atomic_load(&r.head.clock.rate) : 0;
        return true;
    }
    if (directory && dsn__is_root_process(me))
        return true;
    dsn__survival->directory[0] = '\0';
    return false;
}

/* An MPI rank exec'ed this program, which therefore is the same rank. Its former records are in its survival file. */
static void remain_rank(struct dsn_member *me)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    struct dsn_survival_identity before;

    if (!dsn__is_root_process(me))
        return;
    dsn__tree_path(path, sizeof path, me->number, DSN_SURVIVAL_SUFFIX);
    if (!dsn__survival_read_identity(AT_FDCWD, path, dsn__sys_geteuid(), &before) || before.is_empty || !before.is_mpi)
        return;
    me->is_mpi = 1;
    me->rank = before.rank;
    me->nranks = before.nranks;
}

/* Without survival files, the first process of all remains named there. */
static void set_variable(void)
{
    char text[DSN_SURVIVAL_PATH_MAX + 64];

    if (!dsn__survival->directory[0] && dsn__origin->log_of != DSN_FIRST_LOG)
        return;
    dsn__format(text, sizeof text, "%016llx:%lld:%s", (unsigned long long)dsn__origin->key,
                (long long)dsn__member->root, dsn__survival->directory[0] ? dsn__survival->directory : "none");
    dsn__environment_set(DSN_TREE_VARIABLE, text);
}

/* Ranks assigned by a launcher other than MPI's. Source: the environment of torchrun and Slurm's srun.
 * SLURM_NTASKS says nothing: a batch script has it, too, whose programs are no tasks. */
static void ask_launcher(struct dsn_member *me)
{
    static const struct {
        const char *rank, *size;
    } launchers[] = { { "RANK", "WORLD_SIZE" }, { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };

    me->rank = me->nranks = -1;
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *rank = dsn__environment_get(launchers[i].rank),
                   *size = rank ? dsn__environment_get(launchers[i].size) : NULL;
        int64_t r, n;

        rank = rank ? dsn__number(rank, &r) : NULL;
        size = size ? dsn__number(size, &n) : NULL;
        if (!rank || !size || *rank || *size || r < 0 || r >= n || n > INT32_MAX)
            continue;
        me->rank = r;
        me->nranks = n;
        return;
    }
}

/* Whether this program was exec'ed by the root process named in the environment, which has left its survival file; not
 * if the library is merely loaded again, after the first log has been written. */
static bool was_executed_by_root_process(void)
{
    uint64_t key;
    int64_t root;

    return read_directory(DSN_TREE_VARIABLE, &key, &root) && dsn__pid_of(root) == dsn__sys_getpid() &&
           is_there(&dsn__namings[0]);
}

static void choose_clock(void)
{
    dsn__clock_trust(dsn__clock, dsn__config->clock_kernel    ? DSN_CLOCK_KERNEL
                                 : dsn__config->clock_counter ? DSN_CLOCK_COUNTER
                                                              : DSN_CLOCK_ASK);
}

static void begin_time(void)
{
    choose_clock();
    dsn__member->zero = dsn__clock->origin;
    dsn__member->by_counter = atomic_load(&dsn__clock->by_counter);
}

static void become_root_process(void)
{
    dsn__member->root = dsn__member->number;
    begin_time();
    if (!dsn__survival->directory[0])
        dsn__survival_find_directory(dsn__survival);
}

/* Cheap while the process runs, because each child asks. */
static bool has_ended(int64_t root)
{
    return kill((pid_t)dsn__pid_of(root), 0) != 0 && errno == ESRCH && !accepts_exit_records(root);
}

void dsn__process_tree_join(int forked)
{
    const struct dsn_member parent = *dsn__member;
    const uint64_t own_key = dsn__origin->key;
    double rate = 0;

    dsn__member->number = dsn__run->pid;
    dsn__member->parent = forked ? parent.number : getppid();
    dsn__member->pid_space = 0;
    dsn__member->is_mpi = 0;
    dsn__origin->log_of = forked ? DSN_OTHER_LOG : log_of_program(dsn__run->pid);
    if (!forked)
        ask_launcher(dsn__member);
    if (!forked || dsn__config->log_per_process)
        dsn__survival->directory[0] = '\0';
    dsn__run->began = 0;
    dsn__member->zero.ns = 0;
    if (dsn__config->log_per_process &&
        (forked || !was_executed_by_root_process())) { /* after exec it is the same process */
        become_root_process();
    } else if (forked && dsn__survival->directory[0]) {
        choose_clock();
        dsn__member->zero = parent.zero;
        if (!dsn__is_root_process(&parent) && has_ended(parent.root) && accepts_exit_records(parent.number))
            dsn__member->root = parent.number;
        if (dsn__is_root_process(dsn__member))
            dsn__member->number += DSN_NUMBER_STEP;
    } else if (!forked && find_tree(&rate)) {
        remain_rank(dsn__member);
    } else {
        dsn__origin->key = own_key;
        become_root_process();
    }
    if (dsn__member->zero.ns ==
        0) /* the root process's survival file no longer exists: this program becomes the root process */
        begin_time();
    dsn__run->began = dsn__clock->origin.ns - dsn__member->zero.ns;
    dsn__clock_go_on(dsn__clock, &dsn__member->zero, dsn__member->by_counter, rate);
    if (!forked)
        set_variable();
}

void dsn__process_tree_rank(uint64_t key, int rank, int nranks)
{
    dsn__member->rank = rank;
    dsn__member->nranks = nranks;
    dsn__member->is_mpi = 1;
    dsn__origin->log_of = DSN_FIRST_LOG;
    dsn__member->root = dsn__member->number;
    dsn__member->pid_space = dsn__pid_space();
    dsn__origin->key = key;
    if (dsn__spin(&dsn__names->lock)) {
        dsn__file_systems_by_table();
        dsn__unspin(&dsn__names->lock);
    }
    if (!dsn__survival->is_file)
        return;
    dsn__survival_rename();
    dsn__member->root = dsn__member->number;
    set_variable();
}

/* Identifies the ranks of one launch by what they have in common. Source: the variables of PMI (MPICH's Hydra), PMIx
 * and Open MPI's mpirun. */
bool dsn__process_tree_session(void)
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
        /* Hydra's descriptors differ by rank: its proxy, the parent of all, does not */
        key = strcmp(launchers[i].job, "PMI_FD") == 0 ? (uint64_t)getppid() : dsn_hash(job, strlen(job), 0);
        key = dsn_hash((const char *)&key, sizeof key, (uint64_t)n);
        dsn__process_tree_rank(key, r, n);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ leaving */

/* Returns false on failure. */
static bool lock(int fd)
{
    const int64_t begin = dsn__now();
    const struct timespec nap = { 0, 200000 };

    while (dsn__sys_flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || dsn__now() - begin > PATIENCE)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

int dsn__collectors(int64_t pids[DSN_COLLECTORS])
{
    const struct dsn_member *me = dsn__member;
    int n = 0;

    if (!dsn__survival->directory[0] || dsn__is_root_process(me) || dsn__config->log_per_process)
        return 0;
    pids[n++] = me->root;
    if (me->parent > 0 && me->parent != me->number && me->parent != me->root)
        pids[n++] = me->parent;
    return n;
}

/* If there was room only for a part, `n` bytes, removes it again, unless others have appended theirs meanwhile. */
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

/* Nobody would collect a file of another user. */
bool dsn__process_tree_append(const char *path, const void *bytes, size_t size)
{
    const int is_ours = dsn__survival_may_use(dsn__survival->directory),
              fd = is_ours ? dsn__open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0600) : -1;
    ssize_t n;

    if (fd < 0)
        return false;
    n = dsn__sys_write(fd, bytes, size);
    if (n != (ssize_t)size)
        take_back(path, fd, n);
    return dsn__sys_close(fd) == 0 && n == (ssize_t)size;
}

/* Passes on what others have left to this process while its root process was dead, or seemed to be. */
static void pass_on(const char *exit_records)
{
    char own[DSN_SURVIVAL_PATH_MAX + 64];
    struct stat st;
    char *all = NULL;
    int fd;

    dsn__tree_path(own, sizeof own, dsn__member->number, DSN_EXIT_RECORDS_SUFFIX);
    fd = dsn__sys_open(own, O_NOFOLLOW);
    if (fd < 0)
        return;
    if (dsn__sys_fstat(fd, &st) == 0 && st.st_size > 0)
        all = dsn__pages((size_t)st.st_size);
    if (all && read(fd, all, (size_t)st.st_size) == (ssize_t)st.st_size &&
        dsn__process_tree_append(exit_records, all, (size_t)st.st_size))
        dsn__sys_unlink(own);
    dsn__pages_free(all);
    dsn__sys_close(fd);
}

bool dsn__process_tree_append_for(int64_t collector, const void *bytes, size_t size)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64], exit_records[DSN_SURVIVAL_PATH_MAX + 64];
    int fd, ok;

    dsn__tree_path(path, sizeof path, collector, DSN_SURVIVAL_SUFFIX);
    dsn__tree_path(exit_records, sizeof exit_records, collector, DSN_EXIT_RECORDS_SUFFIX);
    fd = dsn__open_file(AT_FDCWD, path, O_RDWR, 0);
    if (fd < 0)
        return false;
    ok = lock(fd) && is_accepting(fd) && dsn__process_tree_append(exit_records, bytes, size);
    if (ok && dsn__survival->closed)
        pass_on(exit_records);
    dsn__sys_close(fd);
    return ok;
}

bool dsn__process_tree_has_other_root(void)
{
    const struct dsn_member *me = dsn__member;

    return !me->is_mpi && !dsn__is_root_process(me) && !dsn__process_is_dead(dsn__pid_of(me->root), INT64_MAX);
}

bool dsn__close_for_exit_records(void)
{
    struct dsn_survival *survival = dsn__survival;
    int fd;

    if (!survival->is_file)
        return true;
    fd = dsn__survival_open();
    if (fd < 0 && dsn__process_tree_has_other_root())
        return false;
    if (fd >= 0)
        lock(fd);
    atomic_store(&survival->closed, 1);
    if (fd < 0)
        return true;
    dsn__sys_flock(fd, LOCK_UN);
    dsn__sys_close(fd);
    return true;
}
