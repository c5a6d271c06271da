/* open-file.c - descriptors that nobody writes to by mistake
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/open-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Meanwhile lower numbers are taken by descriptors that cannot be read or written, as if they were still closed. Where the
 * one that was found not to be among those was the last that the process may have, it makes room. */
int dsn__open_file(int dir, const char *path, int flags, mode_t mode)
{
    int plug[4], n = 0, fd, error;

    do
        plug[n] = open("/", O_PATH | O_CLOEXEC);
    while (plug[n] >= 0 && plug[n] <= STDERR_FILENO && ++n < 4);
    fd = openat(dir, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EMFILE && n < 4 && plug[n] > STDERR_FILENO) {
        close(plug[n]);
        plug[n] = -1;
        fd = openat(dir, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    }
    error = errno;
    for (int i = 0; i <= n && i < 4; i++)
        if (plug[i] >= 0)
            close(plug[i]);
    errno = error;
    return fd;
}

int dsn__fstat(int fd, struct stat *st)
{
#if defined SYS_fstat && defined __LP64__ /* where the kernel's structure is the C library's */
    return (int)syscall(SYS_fstat, fd, st);
#else
    return fstat(fd, st);
#endif
}

int dsn__is_refused(int error)
{
    return error == EPERM || error == ENOSYS || error == EINVAL || error == EOPNOTSUPP;
}

ssize_t dsn__write_at(int fd, const void *bytes, size_t size, off_t at)
{
    const ssize_t n = pwrite(fd, bytes, size, at);

    if (n >= 0 || !dsn__is_refused(errno) || lseek(fd, at, SEEK_SET) != at)
        return n;
    return write(fd, bytes, size);
}

int dsn__sync_file(int fd)
{
    return fsync(fd) == 0 || dsn__is_refused(errno) ? 0 : -1;
}
