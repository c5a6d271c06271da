/* open-file.c - keeps the library's files off descriptors 0 to 2
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/open-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/kernel.h"

static bool make_room(int plug[4])
{
    for (int i = 0; i < 4; i++)
        if (plug[i] > STDERR_FILENO) {
            dsn__sys_close(plug[i]);
            plug[i] = -1;
            return true;
        }
    return false;
}

/* While a standard stream is closed, its number is occupied by a placeholder that can be neither read nor written. If
 * the descriptor that was found was the last one the process may have, the placeholder makes room. */
int dsn__open_file(int dir, const char *path, int flags, mode_t mode)
{
    int plug[4] = { -1, -1, -1, -1 }, n = 0, fd, error;

    for (int i = STDIN_FILENO; i <= STDERR_FILENO && n == 0; i++)
        n = !dsn__sys_is_open(i);
    for (int i = 0; n > 0 && i < 4 && (i == 0 || (plug[i - 1] >= 0 && plug[i - 1] <= STDERR_FILENO)); i++)
        plug[i] = dsn__sys_open("/", O_PATH);
    fd = dsn__sys_openat(dir, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EMFILE && make_room(plug))
        fd = dsn__sys_openat(dir, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    error = errno;
    for (int i = 0; i < 4; i++)
        if (plug[i] >= 0)
            dsn__sys_close(plug[i]);
    errno = error;
    return fd;
}

bool dsn__is_refused(int error)
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
