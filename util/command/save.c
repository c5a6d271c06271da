/* save.c - new files that appear under their names only when they are complete
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of a file that open() creates. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

int dsn_file_begin(struct dsn_new_file *f, const char *path)
{
    struct stat st;
    const int is_there = stat(path, &st) == 0;

    *f = (struct dsn_new_file){ .fd = -1 };
    if (!is_there && errno != ENOENT)
        return errno;
    if (is_there && access(path, W_OK) != 0)
        return errno;
    f->path = is_there ? realpath(path, NULL) : strdup(path);
    if (!f->path)
        return errno;
    if (!is_there || S_ISREG(st.st_mode)) {
        if (asprintf(&f->temporary, "%s.XXXXXX", f->path) < 0)
            f->temporary = NULL;
        else if ((f->fd = mkostemp(f->temporary, O_CLOEXEC)) >= 0)
            fchmod(f->fd, is_there ? st.st_mode & 07777 : usual_mode());
        else {
            free(f->temporary);
            f->temporary = NULL;
        }
    }
    if (f->fd < 0 && (f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0) {
        const int error = errno;

        free(f->path);
        return error;
    }
    return 0;
}

int dsn_file_end(struct dsn_new_file *f, int error)
{
    if (f->fd >= 0 && close(f->fd) != 0 && error == 0)
        error = errno;
    if (f->temporary && error == 0 && rename(f->temporary, f->path) != 0)
        error = errno;
    if (f->temporary && error != 0)
        unlink(f->temporary);
    free(f->temporary);
    free(f->path);
    return error;
}

int dsn_save(const char *path, int (*write)(struct dsn_text *out, const void *context), const void *context)
{
    struct dsn_new_file f;
    struct dsn_text out;
    int error = dsn_file_begin(&f, path);

    if (error != 0)
        return error;
    if (!dsn_text_init(&out, f.fd))
        return dsn_file_end(&f, ENOMEM);
    if (!write(&out, context))
        out.error = out.error ? out.error : ENOMEM;
    dsn_text_flush(&out);
    error = out.error;
    dsn_text_free(&out);
    return dsn_file_end(&f, error);
}
