/* salvage.c - what is left of another process's image
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/salvage.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "record/arena.h"
#include "record/remains.h"
#include "survive/image.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

static uint64_t page_of(const struct dsn_remains *r, uint64_t at)
{
    return (at - r->base) / DSN_PAGE;
}

/* All pages that have a part of [from, to). */
static void lose(struct dsn_remains *r, uint64_t from, uint64_t to)
{
    const uint64_t begin = r->base + dsn__arena->first, end = r->base + r->size;

    from = from > begin ? from : begin;
    to = to < end ? to : end;
    if (from >= to)
        return;
    r->any_lost = 1;
    for (uint64_t page = page_of(r, from); page <= page_of(r, to - 1); page++)
        r->lost[page / 64] |= (uint64_t)1 << page % 64;
}

/* Of more cuts than the image can name it says only some: what the file has not, was cut or never used. */
static int knows_cuts(void)
{
    return dsn__image->ncuts < DSN_IMAGE_CUTS;
}

static void lose_cuts(struct dsn_remains *r)
{
    const struct dsn_image *m = dsn__image;

    for (unsigned i = 0; i < m->ncuts && i < DSN_IMAGE_CUTS; i++)
        if (m->cut[i].at >= m->base && m->cut[i].at - m->base < m->size)
            lose(r, m->cut[i].at, m->cut[i].size < m->size ? m->cut[i].at + m->cut[i].size : UINT64_MAX);
}

static int read_piece(const struct dsn_remains *r, int fd, off_t at, off_t end)
{
    while (at < end) {
        const ssize_t n = dsn__sys_pread(fd, (char *)(uintptr_t)r->base + (at - (off_t)dsn__image_state_size),
                                         (size_t)(end - at), at);

        if (n == 0)
            return 1; /* zeros then, as behind it */
        if (n < 0 && errno != EINTR)
            return 0;
        at += n > 0 ? n : 0;
    }
    return 1;
}

off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end)
{
    const off_t begin = lseek(fd, at, SEEK_DATA), hole = begin >= 0 ? lseek(fd, begin, SEEK_HOLE) : -1;

    *piece_end = hole > begin && hole < end ? hole : end;
    if (begin >= 0)
        return begin < end ? begin : end;
    return errno == ENXIO ? end : at;
}

/* By read, not by mapping it: a look at a page that the file has not would ask its file system for one, and a full one ends
 * the process then. */
static int read_pieces(struct dsn_remains *r, int fd)
{
    const off_t end = (off_t)(dsn__image_state_size + r->size);
    off_t piece_end;

    for (off_t at = (off_t)(dsn__image_state_size + dsn__arena->first), begin; at < end; at = piece_end) {
        begin = dsn__next_piece(fd, at, end, &piece_end);
        if (!knows_cuts())
            lose(r, r->base + (uint64_t)at - dsn__image_state_size, r->base + (uint64_t)begin - dsn__image_state_size);
        if (begin < end && !read_piece(r, fd, begin, piece_end))
            return 0;
    }
    return 1;
}

int dsn__remains_read(struct dsn_remains *r, int fd)
{
    const struct dsn_image *m = dsn__image;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *const at = (void *)(uintptr_t)m->base;

    *r = (struct dsn_remains){ .base = m->base, .size = m->size };
    r->lost = dsn__pages(m->size / DSN_PAGE / 8 + 2 * sizeof r->lost[0]);
    if (!r->lost || dsn__sys_mmap(at, m->size, PROT_READ | PROT_WRITE, flags, -1, 0) != at)
        return 0;
    lose_cuts(r);
    return read_pieces(r, fd);
}
