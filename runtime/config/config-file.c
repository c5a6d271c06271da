/* config-file.c - reads lines of text from files that may not be text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/config-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/pages.h"

#define FILE_MAX       ((size_t)1 << 20)
#define LINE_MAX_BYTES 4095

/* `text` has room for one more byte. */
static void take_lines(char *text, size_t n, const struct dsn_line_callbacks *to)
{
    unsigned number = 1;
    char *end;

    if (memchr(text, '\0', n)) {
        to->wrong(to->context, 0, "is not a text file and ignored");
        return;
    }
    text[n] = '\0';
    for (char *line = text; line < text + n; line = end + 1, number++) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        if (end - line > LINE_MAX_BYTES)
            to->wrong(to->context, number, "is longer than 4,095 bytes and ignored");
        else
            to->line(to->context, number, line);
    }
}

/* Opening a FIFO blocks, and opening a device may have side effects: the type is checked before opening and again on
 * the descriptor. Returns -1 with errno 0 if it is not a regular file. */
static int open_regular(const char *path)
{
    struct stat st;
    int fd;

    if (dsn__sys_fstatat(AT_FDCWD, path, &st, 0) != 0)
        return -1;
    if (!S_ISREG(st.st_mode)) {
        errno = 0;
        return -1;
    }
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (dsn__sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = 0;
        fd = -1;
    }
    return fd;
}

/* Reads up to `size` bytes. Returns the number, or -1. */
static ssize_t read_all(int fd, char *to, size_t size)
{
    size_t len = 0;
    ssize_t n;

    while (len < size) {
        n = read(fd, to + len, size - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

void dsn__lines_of_file(const char *path, const struct dsn_line_callbacks *to)
{
    const int fd = open_regular(path);
    char *text = fd >= 0 ? dsn__pages(FILE_MAX + 1) : NULL;
    const ssize_t n = text ? read_all(fd, text, FILE_MAX + 1) : -1;

    if (n < 0)
        to->wrong(to->context, 0, errno ? strerror(errno) : "is not a regular file and ignored");
    else if ((size_t)n > FILE_MAX)
        to->wrong(to->context, 0, "is larger than 1 MiB and ignored");
    else
        take_lines(text, (size_t)n, to);
    if (fd >= 0)
        close(fd);
    dsn__pages_free(text);
}

void dsn__lines_of_text(const char *text, size_t n, const struct dsn_line_callbacks *to)
{
    char *copy = dsn__pages(n + 1);

    if (!copy) {
        to->wrong(to->context, 0, strerror(ENOMEM));
        return;
    }
    memcpy(copy, text, n);
    take_lines(copy, n, to);
    dsn__pages_free(copy);
}
