/* save.c - writes a file atomically
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* errno, or 0. */
static int write_to(int fd, int (*write)(struct dsn_text *out, const void *context), const void *context)
{
    struct dsn_text out;
    int error;

    if (!dsn_text_init(&out, fd))
        return ENOMEM;
    if (!write(&out, context))
        out.error = out.error ? out.error : ENOMEM;
    dsn_text_flush(&out);
    error = out.error;
    dsn_text_free(&out);
    return error;
}

/* An incomplete regular file is removed; a device or a pipe is not. */
int dsn_save(const char *path, int (*write)(struct dsn_text *out, const void *context), const void *context)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct stat st = { 0 };
    int error;

    if (fd < 0)
        return errno;
    error = fstat(fd, &st) == 0 ? write_to(fd, write, context) : errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error != 0 && S_ISREG(st.st_mode))
        unlink(path);
    return error;
}
