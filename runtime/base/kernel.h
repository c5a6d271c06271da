/* kernel.h - direct system calls for the library's own files, memory and signals
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They behave as the C library's functions of the same names: -1 and errno on error. The C library's functions are
 * avoided for three reasons. Some of these symbols resolve to this library's own wrappers. Others are interposed by
 * other tools in the process (mmap and munmap by libraries that register memory, stat and geteuid by fakeroot), which
 * would see or change calls that are not the application's. And getpid may return the parent's pid in C libraries that
 * cache it.
 *
 * Where the kernel's structures and offsets may differ from the C library's (32-bit systems), or the kernel's call has
 * another signature, the C library's function is called. */
#ifndef DSN_BASE_KERNEL_H
#define DSN_BASE_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* libdarshan.so, which counts calls by number, knows its own by the thread's mark. */
#ifdef DSN_DIRECT_CALLS
long dsn__direct_call(long number, ...) __attribute__((visibility("hidden")));
#define dsn__syscall dsn__direct_call
#else
#define dsn__syscall syscall
#endif

/* For kernel headers and C libraries that are older than those at run time. */
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef SYS_close_range /* these numbers are the same on every processor */
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* ------------------------------------------------------------------ files */

static inline int dsn__sys_openat(int dir, const char *path, int flags, mode_t mode)
{
    return (int)dsn__syscall(SYS_openat, dir, path, flags | O_LARGEFILE, mode);
}

/* For reading. Does not block if the path is a FIFO. */
static inline int dsn__sys_open(const char *path, int flags)
{
    return dsn__sys_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags, 0);
}

static inline int dsn__sys_close(int fd)
{
    return (int)dsn__syscall(SYS_close, fd);
}

static inline ssize_t dsn__sys_write(int fd, const void *bytes, size_t size)
{
    return dsn__syscall(SYS_write, fd, bytes, size);
}

static inline int dsn__sys_flock(int fd, int operation)
{
    return (int)dsn__syscall(SYS_flock, fd, operation);
}

/* Gives each of the two files the name of the other one. */
static inline int dsn__sys_exchange(const char *path, const char *other)
{
    const int exchange = 2; /* RENAME_EXCHANGE */

    return (int)dsn__syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, exchange);
}

static inline int dsn__sys_unlink(const char *path)
{
    return (int)dsn__syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static inline ssize_t dsn__sys_read(int fd, void *bytes, size_t size)
{
    return dsn__syscall(SYS_read, fd, bytes, size);
}

static inline ssize_t dsn__sys_readlink(const char *path, char *out, size_t size)
{
    return dsn__syscall(SYS_readlinkat, AT_FDCWD, path, out, size);
}

/* Writes the working directory to `out`. Returns false if it has no path or does not fit. */
static inline bool dsn__sys_getcwd(char *out, size_t size)
{
    return dsn__syscall(SYS_getcwd, out, size) > 0 && out[0] == '/';
}

/* Returns the file status flags, -1 if the descriptor is not open. */
static inline int dsn__sys_flags(int fd)
{
#ifdef SYS_fcntl
    return (int)dsn__syscall(SYS_fcntl, fd, F_GETFL);
#else
    return fcntl(fd, F_GETFL);
#endif
}

/* Returns the file position, -1 if the file has none. */
static inline off_t dsn__sys_position(int fd)
{
#if defined __LP64__ && defined SYS_lseek
    return dsn__syscall(SYS_lseek, fd, 0, SEEK_CUR);
#else
    return lseek(fd, 0, SEEK_CUR);
#endif
}

/* Whether the descriptor is open. */
static inline bool dsn__sys_is_open(int fd)
{
#ifdef SYS_fcntl
    return dsn__syscall(SYS_fcntl, fd, F_GETFD) >= 0;
#else
    return fcntl(fd, F_GETFD) >= 0;
#endif
}

#if defined __LP64__ && defined SYS_newfstatat && defined SYS_fstat && defined SYS_fstatfs && defined SYS_statfs &&    \
    defined SYS_mmap

static inline ssize_t dsn__sys_pread(int fd, void *bytes, size_t size, off_t at)
{
    return dsn__syscall(SYS_pread64, fd, bytes, size, at);
}

static inline ssize_t dsn__sys_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    return dsn__syscall(SYS_pwrite64, fd, bytes, size, at);
}

static inline int dsn__sys_ftruncate(int fd, off_t size)
{
    return (int)dsn__syscall(SYS_ftruncate, fd, size);
}

static inline int dsn__sys_fallocate(int fd, off_t at, off_t size)
{
    return (int)dsn__syscall(SYS_fallocate, fd, 0, at, size);
}

static inline int dsn__sys_lock(int fd, int command, struct flock *lock)
{
    return (int)dsn__syscall(SYS_fcntl, fd, command, lock);
}

/* Before glibc 2.33 stat() and its like are no functions of the shared C library, and those of this one, which are for
 * programs, would be called. */
static inline int dsn__sys_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return (int)dsn__syscall(SYS_newfstatat, dir, path, st, flags);
}

/* The C library's fstat passes an empty path from a page that may otherwise never be touched. */
static inline int dsn__sys_fstat(int fd, struct stat *st)
{
    return (int)dsn__syscall(SYS_fstat, fd, st);
}

static inline int dsn__sys_fstatfs(int fd, struct statfs *st)
{
    return (int)dsn__syscall(SYS_fstatfs, fd, st);
}

static inline int dsn__sys_statfs(const char *path, struct statfs *st)
{
    return (int)dsn__syscall(SYS_statfs, path, st);
}

static inline int dsn__sys_getrlimit(int what, struct rlimit *limit)
{
    return (int)dsn__syscall(SYS_prlimit64, 0, what, NULL, limit);
}

static inline int dsn__sys_getrusage(int who, struct rusage *use)
{
    return (int)dsn__syscall(SYS_getrusage, who, use);
}

static inline void *dsn__sys_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
#ifdef __s390x__
    const unsigned long arguments[] = { (unsigned long)at,         size,
                                        (unsigned long)protection, (unsigned long)flags,
                                        (unsigned long)fd,         (unsigned long)offset };
    const long p = dsn__syscall(SYS_mmap, arguments);
#else
    const long p = dsn__syscall(SYS_mmap, at, size, protection, flags, fd, offset);
#endif

    return p == -1 ? MAP_FAILED : (void *)p; /* NOLINT(performance-no-int-to-ptr) */
}

#else

static inline ssize_t dsn__sys_pread(int fd, void *bytes, size_t size, off_t at)
{
    return pread(fd, bytes, size, at);
}

static inline ssize_t dsn__sys_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    return pwrite(fd, bytes, size, at);
}

static inline int dsn__sys_ftruncate(int fd, off_t size)
{
    return ftruncate(fd, size);
}

static inline int dsn__sys_fallocate(int fd, off_t at, off_t size)
{
    return fallocate(fd, 0, at, size);
}

static inline int dsn__sys_lock(int fd, int command, struct flock *lock)
{
    return fcntl(fd, command, lock);
}

static inline int dsn__sys_fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return fstatat(dir, path, st, flags);
}

static inline int dsn__sys_fstat(int fd, struct stat *st)
{
    return fstat(fd, st);
}

static inline int dsn__sys_fstatfs(int fd, struct statfs *st)
{
    return fstatfs(fd, st);
}

static inline int dsn__sys_statfs(const char *path, struct statfs *st)
{
    return statfs(path, st);
}

static inline int dsn__sys_getrlimit(int what, struct rlimit *limit)
{
    return getrlimit(what, limit);
}

static inline int dsn__sys_getrusage(int who, struct rusage *use)
{
    return getrusage(who, use);
}

static inline void *dsn__sys_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return mmap(at, size, protection, flags, fd, offset);
}

#endif

static inline int dsn__sys_lstat(const char *path, struct stat *st)
{
    return dsn__sys_fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* ------------------------------------------------------------------ memory */

static inline int dsn__sys_munmap(void *at, size_t size)
{
    return (int)dsn__syscall(SYS_munmap, at, size);
}

static inline int dsn__sys_madvise(void *at, size_t size, int advice)
{
    return (int)dsn__syscall(SYS_madvise, at, size, advice);
}

static inline int dsn__sys_sigaltstack(const stack_t *next, stack_t *before)
{
    return (int)dsn__syscall(SYS_sigaltstack, next, before);
}

/* Reads at most `size` bytes of this process's own memory, as far as there is any. Returns how many; -1: none. */
static inline ssize_t dsn__sys_read_memory(const char *from, char *to, size_t size)
{
    const size_t page = 4096, first = page - (uintptr_t)from % page; /* the kernel stops between the pieces of a read */
    const struct iovec here = { to, size };
    const struct iovec there[2] = { { (char *)(uintptr_t)from, first < size ? first : size },
                                    { (char *)(uintptr_t)from + first, first < size ? size - first : 0 } };

    return (ssize_t)dsn__syscall(SYS_process_vm_readv, dsn__syscall(SYS_getpid), &here, 1, there, 2, 0);
}

/* ------------------------------------------------------------------ signals */

/* The kernel's sigset: the C library's is larger. */
struct dsn_signal_set {
    unsigned long word[(_NSIG - 1) / (8 * sizeof(unsigned long))];
};

/* Sets the signal mask of this thread. */
static inline int dsn__sys_sigmask(int how, const struct dsn_signal_set *next, struct dsn_signal_set *before)
{
    return (int)dsn__syscall(SYS_rt_sigprocmask, how, next, before, sizeof *next);
}

static inline int dsn__sys_sigpending(struct dsn_signal_set *set)
{
    return (int)dsn__syscall(SYS_rt_sigpending, set, sizeof *set);
}

/* Removes one pending signal of the set. Returns its number, -1 if none was pending. */
static inline int dsn__sys_sigtake(const struct dsn_signal_set *set)
{
    const long long at_once[2] = { 0, 0 }; /* a struct timespec, whatever the width of its fields */

    return (int)dsn__syscall(SYS_rt_sigtimedwait, set, NULL, at_once, sizeof *set);
}

/* ------------------------------------------------------------------ the process */

static inline pid_t dsn__sys_getpid(void)
{
    return (pid_t)dsn__syscall(SYS_getpid);
}

static inline uid_t dsn__sys_geteuid(void)
{
    return (uid_t)dsn__syscall(SYS_geteuid);
}

static inline uid_t dsn__sys_getuid(void)
{
    return (uid_t)dsn__syscall(SYS_getuid);
}

/* Only the type and the number of links, as far as they are known here: no file system asks its servers for them. */
static inline int dsn__sys_fstat_known(int fd, struct stat *st)
{
#if defined __LP64__ && defined SYS_statx && defined AT_STATX_DONT_SYNC
    struct statx x;

    if (dsn__syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK, &x) == 0) {
        st->st_mode = x.stx_mode;
        st->st_nlink = x.stx_nlink;
        return 0;
    }
#endif
    return dsn__sys_fstat(fd, st);
}

/* Of a file that has been opened: what tells whether it is new. */
struct dsn_birth {
    mode_t mode;
    int64_t size, block;    /* `block`: preferred size of requests */
    int64_t born, modified; /* ns since 1970; `born` 0: the file system does not tell */
};

/* If it need not be exact, no file system asks its servers. */
static inline int dsn__sys_birth(int fd, bool is_exact, struct dsn_birth *b)
{
    struct stat st;
#if defined __LP64__ && defined SYS_statx && defined AT_STATX_DONT_SYNC
    const int flags = AT_EMPTY_PATH | (is_exact ? AT_STATX_SYNC_AS_STAT : AT_STATX_DONT_SYNC);
    struct statx x;

    if (dsn__syscall(SYS_statx, fd, "", flags, STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_BTIME, &x) == 0) {
        const bool has_birth = (x.stx_mask & STATX_BTIME) != 0;

        *b = (struct dsn_birth){ .mode = x.stx_mode,
                                 .size = (int64_t)x.stx_size,
                                 .block = x.stx_blksize,
                                 .born = has_birth ? x.stx_btime.tv_sec * 1000000000 + x.stx_btime.tv_nsec : 0,
                                 .modified = x.stx_mtime.tv_sec * 1000000000 + x.stx_mtime.tv_nsec };
        return 0;
    }
#endif
    (void)is_exact;
    if (dsn__sys_fstat(fd, &st) != 0)
        return -1;
    *b = (struct dsn_birth){ .mode = st.st_mode, .size = (int64_t)st.st_size, .block = (int64_t)st.st_blksize };
    return 0;
}

#endif
