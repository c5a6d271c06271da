/* wrap-calls.c - wrappers that cannot be rows: variable arguments, many descriptors, other processes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <linux/fs.h>
#include <mntent.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wordexp.h>
#ifdef __GLIBC__
#include <fts.h>
#endif

#include "base/kernel.h"
#include "base/mpi-abi.h"
#include "base/next.h"
#include "lbio/calls.h"
#include "lbio/wrap.h"

/* ------------------------------------------------------------------ descriptors */

static int has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_in(int flags, va_list args)
{
    return has_mode(flags) ? va_arg(args, mode_t) : 0;
}

#define OPEN_CALL(name, p, dir, call)                                                                                  \
    LBIO_EXPORT int name p                                                                                             \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        mode_t mode;                                                                                                   \
        va_list args;                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, flags);                                                                                         \
        mode = mode_in(flags, args);                                                                                   \
        va_end(args);                                                                                                  \
        if (!NEXT_IS(name))                                                                                            \
            return -1;                                                                                                 \
        lbio__call_clear(&c);                                                                                          \
        if (lbio__is_served(&c, lbio__begin_open(&c, dir, path, flags)))                                               \
            ret = (int)c.ret;                                                                                          \
        else                                                                                                           \
            do                                                                                                         \
                ret = call;                                                                                            \
            while (ret < 0 && lbio__make_room(&c));                                                                    \
        lbio__call_end(&c, ret);                                                                                       \
        if (c.is_refused) {                                                                                            \
            close(ret);                                                                                                \
            errno = EIO;                                                                                               \
            return -1;                                                                                                 \
        }                                                                                                              \
        return ret;                                                                                                    \
    }

#define OPEN(name)                                                                                                     \
    NEXT_DECL(int, name, (const char *path, int flags, ...))                                                           \
    OPEN_CALL(name, (const char *path, int flags, ...), AT_FDCWD, NEXT(name)(path, flags, mode))

#define OPENAT(name)                                                                                                   \
    NEXT_DECL(int, name, (int dir, const char *path, int flags, ...))                                                  \
    OPEN_CALL(name, (int dir, const char *path, int flags, ...), dir, NEXT(name)(dir, path, flags, mode))

OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPENAT(openat)
OPENAT(openat64)

#define CLOSE(name)                                                                                                    \
    NEXT_DECL(int, name, (int fd))                                                                                     \
    LBIO_EXPORT int name(int fd)                                                                                       \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!NEXT_IS(name))                                                                                            \
            return -1;                                                                                                 \
        lbio__call_clear(&c);                                                                                          \
        ret = lbio__is_served(&c, lbio__begin_close(&c, fd)) ? (int)c.ret : NEXT(name)(fd);                            \
        lbio__call_end(&c, ret);                                                                                       \
        return ret;                                                                                                    \
    }

CLOSE(close)
CLOSE(__close)

/* Except the descriptors of the log and of replay. */
static int close_numbers(unsigned first, unsigned last, int flags, int (*real)(unsigned, unsigned, int))
{
    int least, most, ret = 0;

    lbio__forget_numbers(first, last, flags);
    lbio__own_numbers(&least, &most);
    if (!lbio__is_on() || least > most || last < (unsigned)least || first > (unsigned)most)
        return real(first, last, flags);
    if (first < (unsigned)least)
        ret = real(first, (unsigned)least - 1, flags);
    for (int fd = least; fd <= most && ret == 0; fd++)
        if ((unsigned)fd >= first && (unsigned)fd <= last && !lbio__owns(fd))
            ret = real((unsigned)fd, (unsigned)fd, flags);
    return ret == 0 && last > (unsigned)most ? real((unsigned)most + 1, last, flags) : ret;
}

NEXT_DECL(int, close_range, (unsigned first, unsigned last, int flags))

LBIO_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!NEXT_IS(close_range))
        return -1;
    return close_numbers(first, last, flags, NEXT(close_range));
}

NEXT_DECL(void, closefrom, (int first))

LBIO_EXPORT void closefrom(int first)
{
    if (!NEXT_IS(closefrom) || !NEXT_IS(close_range)) /* C libraries have both or neither */
        return;
    if (!lbio__is_on())
        NEXT(closefrom)(first);
    else
        close_numbers(first > 0 ? (unsigned)first : 0, UINT_MAX, 0, NEXT(close_range));
}

/* A duplicate is managed, too. Locks and leases need the file itself; with O_APPEND etc. writes go to the file directly
 * from then on. */
static int begin_control(struct lbio_call *c, int fd, int command, long arg)
{
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return lbio__begin_dup(c, fd);
    case F_GETFD:
    case F_SETFD:
    case F_GETFL:
        return 0;
    case F_SETFL:
        return arg & (O_APPEND | O_DIRECT) ? lbio__begin_direct(c, fd, -1, LBIO_OPENED_SO) : 0;
    default:
        return lbio__begin_direct(c, fd, -1, LBIO_IS_LOCKED);
    }
}

/* The descriptor that is cloned from; -1: the call is another one. */
static int source_of(unsigned long command, long arg)
{
    if (command == FICLONE)
        return (int)arg;
    if (command == FICLONERANGE && arg)
        return (int)((const struct file_clone_range *)arg)->src_fd; /* NOLINT(performance-no-int-to-ptr) */
    return -1;
}

#define CONTROL(name, type)                                                                                            \
    NEXT_DECL(int, name, (int fd, type command, ...))                                                                  \
    LBIO_EXPORT int name(int fd, type command, ...)                                                                    \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        va_list args;                                                                                                  \
        long arg;                                                                                                      \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, command);                                                                                       \
        arg = va_arg(args, long);                                                                                      \
        va_end(args);                                                                                                  \
        if (!NEXT_IS(name))                                                                                            \
            return -1;                                                                                                 \
        lbio__call_clear(&c);                                                                                          \
        ret = lbio__is_served(&c, begin_##name(&c, fd, command, arg)) ? (int)c.ret : NEXT(name)(fd, command, arg);     \
        lbio__call_end(&c, ret);                                                                                       \
        return ret;                                                                                                    \
    }

#define begin_fcntl(c, fd, command, arg)   begin_control(c, fd, command, arg)
#define begin_fcntl64(c, fd, command, arg) begin_control(c, fd, command, arg)
#define begin___fcntl(c, fd, command, arg) begin_control(c, fd, command, arg)
#define begin_ioctl(c, fd, command, arg)                                                                               \
    (lbio__begin_direct(c, fd, source_of(command, arg), LBIO_IS_LOGGED), 0) /* sizes, flags */

CONTROL(fcntl, int)
CONTROL(fcntl64, int)
CONTROL(__fcntl, int)
CONTROL(ioctl, unsigned long)

/* A mapped file is read and changed without any calls. */
#define MAP(name, offset)                                                                                              \
    NEXT_DECL(void *, name, (void *at, size_t size, int protection, int flags, int fd, offset off))                    \
    LBIO_EXPORT void *name(void *at, size_t size, int protection, int flags, int fd, offset off)                       \
    {                                                                                                                  \
        struct lbio_call c;                                                                                            \
        void *ret;                                                                                                     \
                                                                                                                       \
        if (!(flags & MAP_ANONYMOUS) && lbio__is_managed(fd)) {                                                        \
            lbio__call_clear(&c);                                                                                      \
            lbio__is_served(&c, lbio__begin_mapped(&c, fd));                                                           \
            ret = dsn__sys_mmap(at, size, protection, flags, fd, off);                                                 \
            lbio__call_end(&c, 0);                                                                                     \
            return ret;                                                                                                \
        }                                                                                                              \
        return NEXT_IS(name) ? NEXT(name)(at, size, protection, flags, fd, off)                                        \
                             : dsn__sys_mmap(at, size, protection, flags, fd, off);                                    \
    }

MAP(mmap, off_t)
MAP(mmap64, off64_t)

/* A descriptor that is passed to another process. */
NEXT_DECL(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags))

LBIO_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (!NEXT_IS(sendmsg))
        return -1;
    if (message && message->msg_controllen > 0)
        lbio__drain_all();
    return NEXT(sendmsg)(fd, message, flags);
}

NEXT_DECL(int, sendmmsg, (int fd, struct mmsghdr *message, unsigned n, int flags))

LBIO_EXPORT int sendmmsg(int fd, struct mmsghdr *message, unsigned n, int flags)
{
    if (!NEXT_IS(sendmmsg))
        return -1;
    for (unsigned i = 0; message && i < n; i++)
        if (message[i].msg_hdr.msg_controllen > 0) {
            lbio__drain_all();
            break;
        }
    return NEXT(sendmmsg)(fd, message, n, flags);
}

/* ------------------------------------------------------------------ printing on a descriptor */

static int print_on(int fd, const char *format, va_list args)
{
    lbio__make_direct(fd, LBIO_BY_STREAM);
    return vdprintf(fd, format, args);
}

LBIO_EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = print_on(fd, format, args);
    va_end(args);
    return ret;
}

int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list args);

LBIO_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list args;
    int ret;

    lbio__make_direct(fd, LBIO_BY_STREAM);
    va_start(args, format);
    ret = __vdprintf_chk(fd, flag, format, args);
    va_end(args);
    return ret;
}

/* ------------------------------------------------------------------ other processes see the files */

/* clang-format off */
LBIO_BEFORE(int, system, (const char *command), (command), -1, lbio__drain_all())
LBIO_BEFORE(FILE *, popen, (const char *command, const char *mode), (command, mode), NULL, lbio__drain_all())
LBIO_BEFORE(int, posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]), (pid, path, actions, attributes, argv, env), ENOSYS, lbio__drain_all())
LBIO_BEFORE(int, posix_spawnp, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]), (pid, file, actions, attributes, argv, env), ENOSYS, lbio__drain_all())
LBIO_BEFORE(int, pidfd_spawn, (int *pidfd, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]), (pidfd, file, actions, attributes, argv, env), ENOSYS, lbio__drain_all())
LBIO_BEFORE(int, pidfd_spawnp, (int *pidfd, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]), (pidfd, file, actions, attributes, argv, env), ENOSYS, lbio__drain_all())
LBIO_BEFORE(int, execve, (const char *path, char *const argv[], char *const env[]), (path, argv, env), -1, lbio__leave(1))
LBIO_BEFORE(int, execv, (const char *path, char *const argv[]), (path, argv), -1, lbio__leave(1))
LBIO_BEFORE(int, execvp, (const char *file, char *const argv[]), (file, argv), -1, lbio__leave(1))
LBIO_BEFORE(int, execvpe, (const char *file, char *const argv[], char *const env[]), (file, argv, env), -1, lbio__leave(1))
LBIO_BEFORE(int, fexecve, (int fd, char *const argv[], char *const env[]), (fd, argv, env), -1, lbio__leave(1))
LBIO_BEFORE(int, execveat, (int dir, const char *path, char *const argv[], char *const env[], int flags), (dir, path, argv, env, flags), -1, lbio__leave(1))
LBIO_BEFORE(int, daemon, (int stays, int keeps), (stays, keeps), -1, lbio__leave(1))
LBIO_BEFORE(int, unshare, (int flags), (flags), -1, lbio__drain_all())

/* reads files, or their sizes, internally */
LBIO_BEFORE(void *, dlopen, (const char *path, int flags), (path, flags), NULL, lbio__drain_all())
LBIO_BEFORE(int, ftw, (const char *path, __ftw_func_t each, int most), (path, each, most), -1, lbio__drain_all())
LBIO_BEFORE(int, ftw64, (const char *path, __ftw64_func_t each, int most), (path, each, most), -1, lbio__drain_all())
LBIO_BEFORE(int, nftw, (const char *path, __nftw_func_t each, int most, int flags), (path, each, most, flags), -1, lbio__drain_all())
LBIO_BEFORE(int, nftw64, (const char *path, __nftw64_func_t each, int most, int flags), (path, each, most, flags), -1, lbio__drain_all())
LBIO_BEFORE(int, glob, (const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict found), (pattern, flags, failed, found), GLOB_ABORTED, lbio__drain_all())
LBIO_BEFORE(int, scandir, (const char *path, struct dirent ***list, int (*select)(const struct dirent *), int (*compare)(const struct dirent **, const struct dirent **)), (path, list, select, compare), -1, lbio__drain_all())
LBIO_BEFORE(FILE *, setmntent, (const char *path, const char *mode), (path, mode), NULL, lbio__drain_all())
LBIO_BEFORE(int, wordexp, (const char *restrict words, wordexp_t *restrict found, int flags), (words, found, flags), WRDE_NOSPACE, lbio__drain_all())
#ifdef __GLIBC__
LBIO_BEFORE(int, glob64, (const char *restrict pattern, int flags, int (*failed)(const char *, int), glob64_t *restrict found), (pattern, flags, failed, found), GLOB_ABORTED, lbio__drain_all())
LBIO_BEFORE(int, scandir64, (const char *path, struct dirent64 ***list, int (*select)(const struct dirent64 *), int (*compare)(const struct dirent64 **, const struct dirent64 **)), (path, list, select, compare), -1, lbio__drain_all())
LBIO_BEFORE(int, scandirat, (int dir, const char *path, struct dirent ***list, int (*select)(const struct dirent *), int (*compare)(const struct dirent **, const struct dirent **)), (dir, path, list, select, compare), -1, lbio__drain_all())
LBIO_BEFORE(int, scandirat64, (int dir, const char *path, struct dirent64 ***list, int (*select)(const struct dirent64 *), int (*compare)(const struct dirent64 **, const struct dirent64 **)), (dir, path, list, select, compare), -1, lbio__drain_all())
LBIO_BEFORE(FTS *, fts_open, (char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **)), (paths, options, compare), NULL, lbio__drain_all())
LBIO_BEFORE(FTS64 *, fts64_open, (char *const *paths, int options, int (*compare)(const FTSENT64 **, const FTSENT64 **)), (paths, options, compare), NULL, lbio__drain_all())
#endif

/* accesses files outside of the wrappers */
LBIO_BEFORE(int, aio_read, (struct aiocb *block), (block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, aio_write, (struct aiocb *block), (block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, aio_fsync, (int operation, struct aiocb *block), (operation, block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, aio_read64, (struct aiocb64 *block), (block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, aio_write64, (struct aiocb64 *block), (block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, aio_fsync64, (int operation, struct aiocb64 *block), (operation, block), -1, lbio__make_direct(block->aio_fildes, LBIO_BY_ASYNC))
LBIO_BEFORE(int, lio_listio, (int mode, struct aiocb *const blocks[], int count, struct sigevent *event), (mode, blocks, count, event), -1, lbio__give_up_logging())
LBIO_BEFORE(int, lio_listio64, (int mode, struct aiocb64 *const blocks[], int count, struct sigevent *event), (mode, blocks, count, event), -1, lbio__give_up_logging())
LBIO_BEFORE(int, io_setup, (unsigned events, void *context), (events, context), -ENOSYS, lbio__give_up_logging())
LBIO_BEFORE(int, io_uring_queue_init, (unsigned entries, void *ring, unsigned flags), (entries, ring, flags), -ENOSYS, lbio__give_up_logging())
LBIO_BEFORE(int, io_uring_queue_init_params, (unsigned entries, void *ring, void *params), (entries, ring, params), -ENOSYS, lbio__give_up_logging())
LBIO_BEFORE(int, io_uring_setup, (unsigned entries, void *params), (entries, params), -ENOSYS, lbio__give_up_logging())
/* clang-format on */

NEXT_DECL(void, sync, (void))

LBIO_EXPORT void sync(void)
{
    lbio__drain_all();
    if (NEXT_IS(sync))
        NEXT(sync)();
}

NEXT_DECL(int, clone, (int (*work)(void *), void *stack, int flags, void *argument, ...))

LBIO_EXPORT int clone(int (*work)(void *), void *stack, int flags, void *argument, ...)
{
    va_list args;
    void *more[3];

    va_start(args, argument);
    for (int i = 0; i < 3; i++)
        more[i] = va_arg(args, void *);
    va_end(args);
    if (!NEXT_IS(clone))
        return -1;
    if (!(flags & CLONE_THREAD))
        lbio__drain_all();
    return NEXT(clone)(work, stack, flags, argument, more[0], more[1], more[2]);
}

/* Counts the arguments before NULL, of which the first is given. */
static size_t count(const char *first, va_list args)
{
    size_t n = 0;

    for (const char *word = first; word; word = va_arg(args, char *))
        n++;
    return n;
}

/* The arguments are on the stack, as in the C library: no memory may be allocated between fork and exec. */
#define EXEC(name, call, wants_env)                                                                                    \
    LBIO_EXPORT int name(const char *path, const char *arg, ...)                                                       \
    {                                                                                                                  \
        const char *volatile first = arg; /* the header declares it nonnull */                                         \
        char *const *env = environ;                                                                                    \
        va_list args;                                                                                                  \
        size_t n;                                                                                                      \
                                                                                                                       \
        va_start(args, arg);                                                                                           \
        n = count(first, args);                                                                                        \
        va_end(args);                                                                                                  \
        char *word[n + 1];                                                                                             \
        word[0] = (char *)(uintptr_t)arg;                                                                              \
        va_start(args, arg);                                                                                           \
        for (size_t i = 1; i <= n; i++)                                                                                \
            word[i] = va_arg(args, char *);                                                                            \
        if (wants_env)                                                                                                 \
            env = va_arg(args, char *const *);                                                                         \
        va_end(args);                                                                                                  \
        return call(path, word, env);                                                                                  \
    }

EXEC(execl, execve, 0)
EXEC(execle, execve, 1)
EXEC(execlp, execvpe, 0)

/* ------------------------------------------------------------------ the end */

#define EXIT(name)                                                                                                     \
    static void (*_Atomic next_##name)(int);                                                                           \
    LBIO_EXPORT __attribute__((noreturn)) void name(int status)                                                        \
    {                                                                                                                  \
        lbio__end();                                                                                                   \
        if (NEXT_IS(name))                                                                                             \
            NEXT(name)(status);                                                                                        \
        while (1)                                                                                                      \
            syscall(SYS_exit_group, status);                                                                           \
    }

EXIT(_exit)
EXIT(_Exit)

/* Both names: a tool that wraps one may call the other, as Fortran bindings do. */
#define FINALIZE(name)                                                                                                 \
    NEXT_DECL(int, name, (void))                                                                                       \
    LBIO_EXPORT int name(void);                                                                                        \
    LBIO_EXPORT int name(void)                                                                                         \
    {                                                                                                                  \
        lbio__drain_at_finalize();                                                                                     \
        return NEXT_IS(name) ? NEXT(name)() : 0;                                                                       \
    }

FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

/* ------------------------------------------------------------------ files of several MPI processes */

/* By the MPI library that the call went to. */
static int size_of(dsn_handle comm, const void *mpi_function)
{
    int (*size)(dsn_handle, int *) = NULL, n = 1;

    *(void **)&size = dsn__next_function("MPI_Comm_size", mpi_function);
    return size && size(comm, &n) == DSN_MPI_SUCCESS ? n : 1;
}

#define FILE_OPEN(name)                                                                                                \
    NEXT_DECL(int, name, (dsn_handle comm, const char *path, int amode, dsn_handle info, void *fh))                    \
    LBIO_EXPORT int name(dsn_handle comm, const char *path, int amode, dsn_handle info, void *fh);                     \
    LBIO_EXPORT int name(dsn_handle comm, const char *path, int amode, dsn_handle info, void *fh)                      \
    {                                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        if (!NEXT_IS(name))                                                                                            \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        ret = NEXT(name)(comm, path, amode, info, fh);                                                                 \
        if (ret == DSN_MPI_SUCCESS && size_of(comm, (void *)NEXT(name)) > 1)                                           \
            lbio__opened_together(path);                                                                               \
        return ret;                                                                                                    \
    }

FILE_OPEN(MPI_File_open)
FILE_OPEN(PMPI_File_open)

/* ------------------------------------------------------------------ vfork: the child has our memory */

#if defined __x86_64__ || defined __aarch64__

static pid_t (*_Atomic next_vfork)(void);

static pid_t no_vfork(void)
{
    errno = ENOSYS;
    return -1;
}

typedef pid_t (*function)(void);

__attribute__((used, visibility("hidden"))) function lbio__vfork_begin(void)
{
    lbio__drain_all();
    return NEXT_IS(vfork) ? NEXT(vfork) : no_vfork;
}

/* After returning in the child, a function has no stack frame to return to in the parent, so this one jumps. */
__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, %function\n"
        "vfork:\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call lbio__vfork_begin\n"
        "add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "jmp *%rax\n"
#else
        "stp x29, x30, [sp, #-16]!\n"
        "bl lbio__vfork_begin\n"
        "ldp x29, x30, [sp], #16\n"
        "br x0\n"
#endif
        ".cfi_endproc\n"
        ".size vfork, . - vfork\n");

#endif
