/* liveness.c - whether the owner of a survival file still runs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/liveness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/open-file.h"
#include "base/text.h"

/* ns from an exec until the new program, if it is recorded, has a survival file: loading may take long */
#define EXEC_PATIENCE INT64_C(60000000000)

/* ------------------------------------------------------------------ locks */

int dsn__fs_of(long type)
{
    static const struct {
        long type;
        int is;
    } kinds[] = {
        { 0x01021994, DSN_FS_NEAR | DSN_FS_LOCKS }, /* tmpfs */
        { 0x858458f6, DSN_FS_NEAR | DSN_FS_LOCKS }, /* ramfs */
        { 0xef53, DSN_FS_NEAR | DSN_FS_LOCKS },     /* ext2 to ext4 */
        { 0x58465342, DSN_FS_NEAR | DSN_FS_LOCKS }, /* xfs */
        { 0x9123683e, DSN_FS_NEAR | DSN_FS_LOCKS }, /* btrfs */
        { 0x794c7630, DSN_FS_NEAR },                /* overlayfs: mmap maps another file than was opened */
    };

    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type)
            return kinds[i].is;
    return 0;
}

static bool keeps_locks(int fd)
{
    struct statfs st;

    return dsn__sys_fstatfs(fd, &st) == 0 && (dsn__fs_of((long)st.f_type) & DSN_FS_LOCKS);
}

#ifdef F_OFD_SETLK

static int lock_first_byte(int fd, int command, short type, short *found)
{
    struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };
    const int result = dsn__sys_lock(fd, command, &lock);

    *found = lock.l_type;
    return result;
}

enum dsn_liveness dsn__liveness_lock(int fd)
{
    short found;

    if (!keeps_locks(fd))
        return DSN_LIVENESS_UNKNOWN;
    if (lock_first_byte(fd, F_OFD_SETLK, F_RDLCK, &found) == 0)
        return DSN_LIVENESS_SOMEBODY;
    return errno == EAGAIN || errno == EACCES ? DSN_LIVENESS_REFUSED : DSN_LIVENESS_UNKNOWN;
}

enum dsn_liveness dsn__liveness_of(int fd)
{
    short found;

    if (!keeps_locks(fd) || lock_first_byte(fd, F_OFD_GETLK, F_WRLCK, &found) != 0)
        return DSN_LIVENESS_UNKNOWN;
    return found == F_UNLCK ? DSN_LIVENESS_NOBODY : DSN_LIVENESS_SOMEBODY;
}

static bool keep_from_locking(int fd)
{
    short found;

    return lock_first_byte(fd, F_OFD_SETLK, F_WRLCK, &found) == 0 || (errno != EAGAIN && errno != EACCES);
}

#else

enum dsn_liveness dsn__liveness_lock(int fd)
{
    (void)fd;
    return DSN_LIVENESS_UNKNOWN;
}

enum dsn_liveness dsn__liveness_of(int fd)
{
    (void)fd;
    return DSN_LIVENESS_UNKNOWN;
}

static bool keep_from_locking(int fd)
{
    (void)fd;
    return true;
}

#endif

/* Another process may have removed or renamed the file after it was opened here. */
static bool is_named(int fd, int dir, const char *name)
{
    struct stat opened, named;

    return dsn__sys_fstat(fd, &opened) == 0 && dsn__sys_fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

int dsn__liveness_prevent(int dir, const char *name)
{
    const int fd = dsn__open_file(dir, name, O_RDWR | O_NONBLOCK, 0);

    if (fd < 0 || (keep_from_locking(fd) && is_named(fd, dir, name)))
        return fd;
    dsn__sys_close(fd);
    errno = EAGAIN;
    return -1;
}

/* ------------------------------------------------------------------ numbers */

int64_t dsn__pid_space(void)
{
    struct stat st;

    return dsn__sys_fstatat(AT_FDCWD, "/proc/self/ns/pid", &st, 0) == 0 ? (int64_t)st.st_ino : 0;
}

int64_t dsn__boot_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The start of the field `n` fields after the one that ends at `at`; NULL if there is none. */
static const char *skip_fields(const char *at, int n)
{
    for (; at && n > 0; n--)
        at = strchr(at + 1, ' ');
    return at;
}

/* Reads state, threads and start time of a process from /proc: fields 3, 20 and 22 of proc(5). Returns false if unknown. */
static bool ask_kernel(int64_t pid, char *state, int64_t *threads, int64_t *started)
{
    char path[48], text[1024], *at;
    const char *field;
    int64_t ticks;
    ssize_t n = -1;
    int fd;

    dsn__format(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    fd = dsn__sys_open(path, 0);
    if (fd >= 0) {
        n = dsn__sys_read(fd, text, sizeof text - 1);
        dsn__sys_close(fd);
    }
    if (n <= 0)
        return false;
    text[n] = '\0';
    at = strrchr(text, ')'); /* the preceding name may contain any character */
    if (!at || strlen(at) < 3)
        return false;
    *state = at[2];
    field = skip_fields(at, 18);
    if (!field || !dsn__number(field, threads))
        return false;
    field = skip_fields(field, 2);
    if (!field || !dsn__number(field, &ticks))
        return false;
    *started = ticks * (1000000000 / sysconf(_SC_CLK_TCK));
    return true;
}

/* The kernel's ticks are 10 ms. A process whose first thread has ended goes on in the others. */
bool dsn__process_is_dead(int64_t pid, int64_t created)
{
    const int64_t slack = 50000000;
    int64_t started, threads;
    char state;

    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
        return true;
    if (!ask_kernel(pid, &state, &threads, &started))
        return false;
    return (state == 'Z' && threads <= 1) || state == 'X' || (started - slack > created && created <= dsn__boot_time());
}

int64_t dsn__threads(void)
{
    int64_t threads, started;
    char state;

    return ask_kernel(dsn__sys_getpid(), &state, &threads, &started) ? threads : 0;
}

/* Consecutive reads overlap by the length of the name. */
bool dsn__process_maps(int64_t pid, const char *name)
{
    char path[48], text[4096 + 1];
    const size_t keep = strlen(name);
    size_t kept = 0;
    int found = 0, fd;

    dsn__format(path, sizeof path, "/proc/%lld/maps", (long long)pid);
    fd = dsn__sys_open(path, 0);
    while (fd >= 0 && !found && keep < sizeof text / 2) {
        const ssize_t n = dsn__sys_read(fd, text + kept, sizeof text - 1 - kept);

        if (n <= 0)
            break;
        kept += (size_t)n;
        text[kept] = '\0';
        found = strstr(text, name) != NULL;
        if (kept > keep) {
            memmove(text, text + kept - keep, keep);
            kept = keep;
        }
    }
    if (fd >= 0)
        dsn__sys_close(fd);
    return found;
}

/* ------------------------------------------------------------------ the process of a survival file */

/* A lock that was let go says that the process has ended, unless it has executed another program: that releases the lock, and
 * is the same process. Then, and where a file cannot be locked, its number says so, to processes of the same PID
 * namespace; to all others it is alive, but for one that executed a program long ago and has no new file. */
bool dsn__owner_is_dead(const struct dsn_owner *h)
{
    const int is_near = h->space != 0 && h->space == dsn__pid_space();
    const int is_dead = is_near && dsn__process_is_dead(h->pid, h->created);
    const int was_let_go = h->hold == DSN_LIVENESS_NOBODY && h->was_locked;

    if (was_let_go && !h->executes)
        return true;
    if (is_near) /* if it is locked nevertheless, then by a child */
        return is_dead;
    return was_let_go && dsn__boot_time() - h->executes > EXEC_PATIENCE;
}
