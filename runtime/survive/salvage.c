/* salvage.c - what is left of another process's image
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/salvage.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kernel.h"
#include "module/shared/side.h"
#include "record/arena.h"
#include "record/remains.h"
#include "survive/image.h"

/* `size` bytes at `base`, as the file says, of which `in_file` are in it. */
static void keep_part(struct dsn_remains *r, int i, const void *base, size_t size, size_t used, size_t in_file)
{
    const uint64_t begin = (uintptr_t)base;

    if (begin < r->base || begin - r->base > r->size || size > r->size - (begin - r->base))
        return;
    r->any_lost |= used > in_file;
    r->part[i] = (struct dsn_part_left){ begin, begin + (size < in_file ? size : in_file) };
}

static void keep_parts(struct dsn_remains *r)
{
    const struct dsn_arena *a = dsn__arena;
    const struct dsn_side *s = dsn__side;
    const size_t threads = s->thread ? DSN_TRACE_THREADS * sizeof s->thread[0] : 0;
    int i = 0;

    keep_part(r, i, a->base, a->size, atomic_load(&a->used), atomic_load(&a->in_file));
    r->part[i++].begin += a->first; /* before it is the table of names, which is in no file */
    keep_part(r, i++, s->thread, threads, threads, s->threads_left ? 0 : threads);
    for (int t = 0; t < DSN_NTRACES; t++)
        keep_part(r, i++, s->trace[t].base, s->trace[t].size, atomic_load(&s->trace[t].used),
                  atomic_load(&s->trace[t].in_file));
}

static int read_piece(const struct dsn_remains *r, int fd, off_t at, off_t end)
{
    while (at < end) {
        const ssize_t n = dsn__sys_pread(fd, r->here + (at - (off_t)dsn__image_state_size), (size_t)(end - at), at);

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
static int read_pieces(const struct dsn_remains *r, int fd)
{
    const off_t end = (off_t)(dsn__image_state_size + r->size);
    off_t piece_end;

    for (off_t at = (off_t)(dsn__image_state_size + dsn__arena->first), begin; at < end; at = piece_end) {
        begin = dsn__next_piece(fd, at, end, &piece_end);
        if (begin < end && !read_piece(r, fd, begin, piece_end))
            return 0;
    }
    return 1;
}

int dsn__remains_read(struct dsn_remains *r, int fd)
{
    const struct dsn_image *m = dsn__image;
    void *here =
        dsn__sys_mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (here == MAP_FAILED)
        return 0;
    *r = (struct dsn_remains){ .base = m->base, .size = m->size, .here = here };
    keep_parts(r);
    return read_pieces(r, fd);
}
