/* zone.c - offset of local time from UTC, without the C library
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/zone.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pages.h"
#include "base/text.h"

#define FILE_MOST   ((size_t)64 << 10)
#define HEAD_SIZE   44
#define TYPE_SIZE   6
#define TIME_SIZE   8 /* in the second of the two blocks of a TZif file */
#define COUNTS_AT   20
#define LEAP_SIZE_1 8
#define TIME_SIZE_1 4

/* Counts in the header, in their order. */
enum { IS_UTC, IS_STANDARD, LEAPS, TIMES, TYPES, CHARACTERS, NCOUNTS };

struct block {
    size_t count[NCOUNTS];
    const unsigned char *times, *type_of, *types, *footer;
};

static uint64_t big_endian(const unsigned char *p, int size)
{
    uint64_t n = 0;

    for (int i = 0; i < size; i++)
        n = n << 8 | p[i];
    return n;
}

/* Reads the counts of the header at `at`. Returns false if there is no header. */
static bool read_head(const unsigned char *bytes, size_t size, size_t at, size_t count[NCOUNTS])
{
    if (size < HEAD_SIZE || at > size - HEAD_SIZE || memcmp(bytes + at, "TZif", 4) != 0 || bytes[at + 4] < '2')
        return false;
    for (int i = 0; i < NCOUNTS; i++) {
        count[i] = big_endian(bytes + at + COUNTS_AT + 4 * i, 4);
        if (count[i] > FILE_MOST)
            return false;
    }
    return true;
}

/* Reads the block of 64-bit times, which follows that of 32-bit times. */
static bool read_block(const unsigned char *bytes, size_t size, struct block *b)
{
    size_t *c = b->count, at = HEAD_SIZE, end;

    if (!read_head(bytes, size, 0, c))
        return false;
    at += c[TIMES] * (TIME_SIZE_1 + 1) + c[TYPES] * TYPE_SIZE + c[CHARACTERS] + c[LEAPS] * LEAP_SIZE_1 +
          c[IS_STANDARD] + c[IS_UTC];
    if (!read_head(bytes, size, at, c) || c[LEAPS] > 0 || c[TYPES] == 0)
        return false;
    at += HEAD_SIZE;
    end = at + c[TIMES] * (TIME_SIZE + 1) + c[TYPES] * TYPE_SIZE + c[CHARACTERS] + c[IS_STANDARD] + c[IS_UTC];
    if (end >= size)
        return false;
    b->times = bytes + at;
    b->type_of = b->times + c[TIMES] * TIME_SIZE;
    b->types = b->type_of + c[TIMES];
    b->footer = bytes + end;
    return true;
}

/* After the last transition the footer's rule applies: one with a comma has daylight saving time. */
static bool find(const struct block *b, size_t left, int64_t now, int64_t *from_utc)
{
    size_t next = 0, type = 0;

    while (next < b->count[TIMES] && (int64_t)big_endian(b->times + next * TIME_SIZE, TIME_SIZE) <= now)
        next++;
    if (next == b->count[TIMES] && memchr(b->footer, ',', left))
        return false;
    if (next > 0)
        type = b->type_of[next - 1];
    if (type >= b->count[TYPES])
        return false;
    *from_utc = (int32_t)big_endian(b->types + type * TYPE_SIZE, 4);
    return true;
}

/* The path of the file that TZ names; returns false if it does not name one. */
static bool path_of_zone(char *path, size_t size)
{
    const char *name = dsn__environment_get("TZ");

    if (name && *name == ':')
        name++;
    if (!name)
        name = "/etc/localtime";
    else if (!*name || dsn__environment_get("TZDIR"))
        return false;
    return (size_t)dsn__format(path, size, "%s%s", *name == '/' ? "" : "/usr/share/zoneinfo/", name) < size;
}

bool dsn__from_utc(int64_t now, int64_t *from_utc)
{
    char path[PATH_MAX];
    unsigned char *bytes;
    ssize_t size = -1;
    struct block b;
    int fd, found;

    if (!path_of_zone(path, sizeof path))
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bytes = fd >= 0 ? dsn__pages(FILE_MOST) : NULL;
    if (bytes)
        size = read(fd, bytes, FILE_MOST);
    if (fd >= 0)
        close(fd);
    found = size > 0 && (size_t)size < FILE_MOST && read_block(bytes, (size_t)size, &b) &&
            find(&b, (size_t)(bytes + size - b.footer), now, from_utc);
    dsn__pages_free(bytes);
    return found;
}
