/* names-in.c - reads a directory with getdents64(2)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/names-in.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pages.h"

#define PIECE ((size_t)64 * 1024)

struct dsn_names_in {
    size_t used, room;
    char text[]; /* NUL-terminated names, one after another */
};

/* struct linux_dirent64 */
struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short size;
    unsigned char type;
    char name[];
};

static struct dsn_names_in *add_name(struct dsn_names_in *n, const char *name)
{
    const size_t size = strlen(name) + 1;

    if (size > n->room - n->used) {
        struct dsn_names_in *larger = dsn__pages_grow(n, sizeof *n + n->room * 2);

        if (!larger) {
            dsn__pages_free(n);
            return NULL;
        }
        n = larger;
        n->room *= 2;
    }
    memcpy(n->text + n->used, name, size);
    n->used += size;
    return n;
}

struct dsn_names_in *dsn__names_in(int dir)
{
    struct dsn_names_in *n = dsn__pages(sizeof *n + PIECE);
    char *piece = dsn__pages(PIECE);
    long got = 0;

    if (n)
        n->room = PIECE;
    while (n && piece && (got = syscall(SYS_getdents64, dir, piece, PIECE)) > 0)
        for (long at = 0; n && at < got; at += ((struct entry *)(void *)(piece + at))->size)
            n = add_name(n, ((struct entry *)(void *)(piece + at))->name);
    dsn__pages_free(piece);
    return n;
}

const char *dsn__next_name(const struct dsn_names_in *n, const char *name)
{
    const char *next = name ? name + strlen(name) + 1 : n->text;

    return next < n->text + n->used ? next : NULL;
}

void dsn__names_in_free(struct dsn_names_in *n)
{
    dsn__pages_free(n);
}
