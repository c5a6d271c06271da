/* mapped.c - what loads and stores do with files that are mapped into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A mapping first counts with its length, as far as the file reaches: so a process that is killed has told the most that
 * it can have touched. When the mapping ends, this is replaced by the number of pages that are in the process's page
 * table then. The kernel tells that in 2 to 4 ns a page; to read what is dirty, it goes through all memory of the process,
 * some 12 ns a page that is there. A budget for the life of the process bounds both. */
#include <config.h>

#include "module/shared/mapped.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/kernel.h"
#include "base/open-file.h"
#include "config/job.h"
#include "record/mappings.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/span.h"

#define PRESENT       (UINT64_C(1) << 63)
#define SWAPPED       (UINT64_C(1) << 62)
#define PAGES_AT_ONCE 256
#define PER_LOOK      1024                /* what it costs to open such a file, in pages */
#define MOST_AT_ONCE  (INT64_C(4) << 20)  /* pages of one mapping that are looked at: 16 GiB */
#define LOOKS_IN_ALL  (INT64_C(16) << 20) /* pages */
#define INEXACT_PAGES 32768 /* by which the number of pages in memory may be wrong: each processor counts */
#define PER_SMAPS     4096  /* likewise */
#define DIRTY_IN_ALL  (INT64_C(4) << 20) /* pages that the process has in memory, each time */

struct mapped_file {
    struct dsn_record_state state;
    unsigned char is_of_many; /* an aggregated record */
    int64_t now;              /* bytes mapped */
    int64_t at_end;           /* what was dirty of those that the process had at its end */
};

/* Pages that may still be looked at, of this process and the children that it forks later. */
static _Atomic(int64_t) looks_left = LOOKS_IN_ALL, dirty_left = DIRTY_IN_ALL;

static uintptr_t page_size(void)
{
    return getauxval(AT_PAGESZ);
}

static uintptr_t up_to_page(uintptr_t n)
{
    return (n + page_size() - 1) & ~(page_size() - 1);
}

static int64_t length(uintptr_t begin, uintptr_t end)
{
    return end > begin ? (int64_t)(end - begin) : 0;
}

/* ------------------------------------------------------------------ what the kernel tells */

/* What was seen of a mapping, up to `end`; what is behind it are at most so many bytes. */
struct seen {
    uintptr_t end;
    int64_t touched, most_behind;
};

/* Pages of the process that are in memory; -1: not known. */
static int64_t resident_pages(void)
{
    char text[128];
    const int fd = dsn__open_file(AT_FDCWD, "/proc/self/statm", O_RDONLY, 0);
    const ssize_t n = fd >= 0 ? dsn__sys_read(fd, text, sizeof text - 1) : -1;
    const char *p = text;
    int64_t pages = 0;

    if (fd >= 0)
        dsn__sys_close(fd);
    text[n > 0 ? n : 0] = '\0';
    p = strchr(text, ' ');
    for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9'; p++)
        pages = 10 * pages + (*p - '0');
    return n > 0 ? pages : -1;
}

static int64_t resident_at_most(void)
{
    const int64_t pages = resident_pages();

    return pages >= 0 ? (pages + INEXACT_PAGES) * (int64_t)page_size() : INT64_MAX;
}

/* Counts bytes of pages that are in the page table. */
static struct seen look_at_pages(uintptr_t begin, uintptr_t end)
{
    const uintptr_t page = page_size();
    const int64_t most = atomic_load(&looks_left) < MOST_AT_ONCE ? atomic_load(&looks_left) : MOST_AT_ONCE;
    struct seen seen = { begin, 0, INT64_MAX };
    uint64_t entry[PAGES_AT_ONCE];
    int fd;

    fd = most > 0 ? dsn__open_file(AT_FDCWD, "/proc/self/pagemap", O_RDONLY, 0) : -1;
    while (fd >= 0 && seen.end < end && length(begin, seen.end) / (int64_t)page < most) {
        const uintptr_t left = (end - seen.end) / page, wanted = left < PAGES_AT_ONCE ? left : PAGES_AT_ONCE;
        const ssize_t got =
            dsn__sys_pread(fd, entry, wanted * sizeof entry[0], (off_t)(seen.end / page * sizeof entry[0]));

        if (got <= 0)
            break;
        for (size_t i = 0; i < (size_t)got / sizeof entry[0]; i++)
            seen.touched += entry[i] & (PRESENT | SWAPPED) ? (int64_t)page : 0;
        seen.end += (size_t)got / sizeof entry[0] * page;
    }
    if (fd >= 0) {
        dsn__sys_close(fd);
        atomic_fetch_sub(&looks_left, PER_LOOK + length(begin, seen.end) / (int64_t)page);
    }
    if (seen.end < end)
        seen.most_behind = resident_at_most();
    return seen;
}

static uintptr_t hexadecimal(const char **p)
{
    uintptr_t n = 0;

    for (;; ++*p)
        if (**p >= '0' && **p <= '9')
            n = 16 * n + (uintptr_t)(**p - '0');
        else if (**p >= 'a' && **p <= 'f')
            n = 16 * n + (uintptr_t)(**p - 'a' + 10);
        else
            return n;
}

/* A part of the process's memory, as smaps lists them. */
struct area {
    uintptr_t begin, end;
};

/* What is dirty of a mapping. */
struct piece {
    struct dsn_mapping *m;
    int64_t dirty;
};

/* What to do with an area of which so many bytes are dirty. */
typedef void (*dirty_visitor)(const struct area *a, int64_t bytes, void *context);

static void read_line(const char *line, struct area *a, dirty_visitor visit, void *context)
{
    static const char *const dirty[] = { "Shared_Dirty:", "Private_Dirty:" };
    const char *p = line;
    const uintptr_t begin = hexadecimal(&p);

    if (*p == '-' && p > line) {
        p++;
        *a = (struct area){ begin, hexadecimal(&p) };
        return;
    }
    for (size_t i = 0; i < sizeof dirty / sizeof dirty[0]; i++)
        if (strncmp(line, dirty[i], strlen(dirty[i])) == 0) {
            int64_t kib = 0;

            for (p = line + strlen(dirty[i]); *p == ' '; p++)
                ;
            for (; *p >= '0' && *p <= '9'; p++)
                kib = 10 * kib + (*p - '0');
            if (kib > 0)
                visit(a, 1024 * kib, context);
        }
}

/* Visits areas with dirty pages in ascending order, at least those below `end`, as long as the budget suffices. */
static void look_for_dirty(uintptr_t end, dirty_visitor visit, void *context)
{
    const int64_t pages = atomic_load(&dirty_left) > 0 ? resident_pages() : -1, cost = PER_SMAPS + pages;
    struct area a = { 0, 0 };
    char text[2048];
    size_t kept = 0;
    ssize_t got;
    int fd;

    if (pages < 0 || cost > atomic_load(&dirty_left))
        return;
    atomic_fetch_sub(&dirty_left, cost);
    fd = dsn__open_file(AT_FDCWD, "/proc/self/smaps", O_RDONLY, 0);
    while (fd >= 0 && a.begin < end && (got = dsn__sys_read(fd, text + kept, sizeof text - 1 - kept)) > 0) {
        char *line = text, *newline;

        text[kept + (size_t)got] = '\0';
        for (; (newline = strchr(line, '\n')) != NULL; line = newline + 1) {
            *newline = '\0';
            read_line(line, &a, visit, context);
        }
        kept = strlen(line);
        kept = kept < sizeof text / 2 ? kept : 0; /* in the middle of a path: no line begins like that */
        memmove(text, line, kept);
    }
    if (fd >= 0)
        dsn__sys_close(fd);
}

/* Neighbours may be one area: then it is nobody's. */
static void add_within(const struct area *a, int64_t bytes, void *piece)
{
    struct dsn_mapping *m = ((struct piece *)piece)->m;

    if (m->begin <= a->begin && a->end <= m->end)
        ((struct piece *)piece)->dirty += bytes;
}

/* Bytes of a mapping that are dirty, or fewer. */
static int64_t dirty_of(struct dsn_mapping *m)
{
    struct piece piece = { m, 0 };

    if (m->of && m->shows_stores)
        look_for_dirty(m->end, add_within, &piece);
    return piece.dirty;
}

/* Whether a mapping before place `end` of the table has some of these bytes of the file, too. */
static bool is_mapped_twice(const struct dsn_mapping *m, int end)
{
    struct dsn_mapping other;

    for (int next = 0; dsn__mappings_next(&next, &other) && next < end;)
        if (other.of == m->of && other.shows_stores && other.offset < m->offset + length(m->begin, m->end) &&
            m->offset < other.offset + length(other.begin, other.end))
            return true;
    return false;
}

/* Once no other thread counts any more. */
static void add_to_file(const struct area *a, int64_t bytes, void *unused)
{
    struct dsn_mapping m;

    (void)unused;
    for (int next = 0; dsn__mappings_next(&next, &m);)
        if (m.begin <= a->begin && a->end <= m.end) {
            if (m.of && m.shows_stores && !is_mapped_twice(&m, next))
                ((struct mapped_file *)m.of)->at_end += bytes;
            return;
        }
}

/* Bytes of pages that the process has made dirty, in files of storage, by stores and by calls. */
static int64_t made_dirty(void)
{
    int64_t used[DSN_NUSED];

    dsn__process_used(used);
    return used[DSN_USED_DIRTIED] - dsn__run->used_before[DSN_USED_DIRTIED];
}

/* ------------------------------------------------------------------ the record */

/* A page may be dirty because of a call, or of another process: no more than this one can have made dirty is its own. The
 * most that was dirty at a time are different bytes of the file. */
static void note_dirty(struct mapped_file *f, int64_t dirty)
{
    union dsn_val *v = &f->state.rec->v[MAPPED_DIRTY];
    const int64_t most = dirty > v->i ? made_dirty() : 0;

    dirty = dirty < most ? dirty : most;
    v->i = dirty > v->i ? dirty : v->i;
}

/* The caller holds the record's lock, or is the only one, here and below. `by`: 1, or -1. */
static void count_length(struct mapped_file *f, const struct dsn_mapping *m, int by)
{
    const int64_t known = by * length(m->begin, m->known);
    union dsn_val *v = f->state.rec->v;

    v[MAPPED_TOUCHED].i += known;
    v[MAPPED_UNEXAMINED].i += known;
    v[MAPPED_WRITABLE].i += m->is_writable ? known : 0;
}

/* `size`: that of the file, or how far the mapping reaches in it. */
static void count_begin(struct mapped_file *f, const struct dsn_mapping *m, int64_t size)
{
    union dsn_val *v = f->state.rec->v;
    int64_t most;

    count_length(f, m, 1);
    f->now += length(m->begin, m->known);
    most = f->is_of_many || f->now < size ? f->now : size;
    if (most > v[MAPPED_BYTES].i)
        v[MAPPED_BYTES].i = most;
}

/* What has been looked at counts by its pages instead of its length, and the rest with no more than the process has. */
static void count_pages(struct mapped_file *f, const struct dsn_mapping *m, const struct seen *seen)
{
    struct dsn_mapping counted = *m;
    const int64_t behind = length(seen->end, m->known), more = behind - seen->most_behind;
    union dsn_val *v = f->state.rec->v;

    counted.known = seen->end < m->known ? seen->end : m->known;
    count_length(f, &counted, -1);
    counted.begin = 0;
    counted.known = more > 0 ? (uintptr_t)more : 0;
    count_length(f, &counted, -1);
    v[MAPPED_TOUCHED].i += seen->touched;
    v[MAPPED_WRITABLE].i += m->is_writable ? seen->touched : 0;
    if (seen->touched > v[MAPPED_BYTES].i) /* the file has grown */
        v[MAPPED_BYTES].i = seen->touched;
}

static bool init(struct dsn_record_state *state, dsn_allocator alloc, int all_at_once)
{
    (void)alloc;
    ((struct mapped_file *)state)->is_of_many = all_at_once != 0;
    return true;
}

/* At the end of this process: what is still mapped. A file that it has only inherited, and not touched, has no record. */
static void examine_all(const struct dsn_recording *r)
{
    struct dsn_mapping m;
    uintptr_t highest = 0;

    if (r != &dsn__recording)
        return;
    for (int next = 0; dsn__mappings_next(&next, &m);)
        highest = m.shows_stores && m.end > highest ? m.end : highest;
    if (highest > 0)
        look_for_dirty(highest, add_to_file, NULL);
    for (int next = 0; dsn__mappings_next(&next, &m);)
        if (m.of) {
            const struct seen seen = look_at_pages(m.begin, m.end);

            count_pages((struct mapped_file *)m.of, &m, &seen);
        }
    for (struct dsn_record_state **link = &r->names->first_state[DSN_INDEX_MAPPED]; *link;) {
        struct mapped_file *f = (struct mapped_file *)*link;
        const union dsn_val *v = f->state.rec->v;

        note_dirty(f, f->at_end);
        if (v[MAPPED_MAPPINGS].i == 0 && v[MAPPED_TOUCHED].i == 0)
            dsn__record_drop(r->names, DSN_INDEX_MAPPED, link);
        else
            link = &(*link)->next;
    }
}

static bool is_used(const struct dsn_record_state *state)
{
    return state->rec->v[MAPPED_MAPPINGS].i > 0;
}

const struct dsn_module_info dsn__mapped_module = {
    .id = DSN_NO_MODULE,
    .state_size = sizeof(struct mapped_file),
    .path_named = 1,
    .init = init,
    .choose = examine_all,
    .is_used = is_used,
};

/* ------------------------------------------------------------------ calls */

/* In file systems in memory every page is dirty, and stays so. */
static bool shows_stores(int fd)
{
    struct statfs fs;

    return dsn__sys_fstatfs(fd, &fs) == 0 && fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC &&
           fs.f_type != HUGETLBFS_MAGIC;
}

/* Its end was not seen: the memory was unmapped by a bare system call. */
static void forget_before(const struct dsn_mapping *m)
{
    struct dsn_mapping old;

    while (dsn__mappings_take(m->begin, m->end, &old)) {
        struct mapped_file *f = (struct mapped_file *)old.of;

        if (f && dsn__lock(&f->state)) {
            f->now -= length(old.begin, old.known);
            dsn__unlock(&f->state);
        }
    }
}

void dsn__mapped_begins(struct dsn_name *name, int fd, const void *at, size_t size, int protection, int flags,
                        int64_t offset)
{
    struct dsn_mapping m = { .begin = (uintptr_t)at, .end = (uintptr_t)at + up_to_page(size), .offset = offset };
    struct mapped_file *f;
    struct stat st;
    int64_t left;

    if ((protection & PROT_EXEC) || dsn__sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    f = (struct mapped_file *)dsn__record_of_name(DSN_INDEX_MAPPED, name);
    if (!f)
        return;
    left = st.st_size > offset ? st.st_size - offset : 0;
    m.known = (uint64_t)left < size ? m.begin + up_to_page((uintptr_t)left) : m.end;
    m.of = &f->state;
    m.is_writable = (flags & MAP_TYPE) != MAP_PRIVATE && (protection & PROT_WRITE);
    m.shows_stores = m.is_writable && shows_stores(fd);
    if (dsn__mappings_may_have(at, size))
        forget_before(&m);
    dsn__mappings_add(&m); /* if there is no room, it counts with its length */
    if (!dsn__lock(&f->state))
        return;
    f->state.rec->v[MAPPED_MAPPINGS].i++;
    count_begin(f, &m, (int64_t)up_to_page((uintptr_t)st.st_size));
    dsn__unlock(&f->state);
}

void dsn__mapped_ends(const void *at, size_t size)
{
    const uintptr_t begin = (uintptr_t)at, behind = begin + up_to_page(size);
    struct dsn_mapping m;

    while (begin % page_size() == 0 && dsn__mappings_take(begin, behind, &m)) {
        struct mapped_file *f = (struct mapped_file *)m.of;
        const int64_t dirty = dirty_of(&m);
        const struct seen seen = f ? look_at_pages(m.begin, m.end) : (struct seen){ m.begin, 0, INT64_MAX };

        if (!f || !dsn__lock(&f->state))
            continue;
        count_pages(f, &m, &seen);
        f->now -= length(m.begin, m.known);
        note_dirty(f, dirty);
        dsn__unlock(&f->state);
    }
}

/* What has grown is counted with its length. */
void dsn__mapped_moves(const void *from, size_t old_size, const void *to, size_t size)
{
    const uintptr_t begin = (uintptr_t)from, end = begin + up_to_page(old_size), target = (uintptr_t)to;
    struct dsn_mapping m;

    while (dsn__mappings_take(begin, end, &m)) {
        struct mapped_file *f = (struct mapped_file *)m.of;
        struct dsn_mapping grown = m;

        if (m.end == end && size > old_size) {
            grown.begin = m.end;
            grown.end = grown.known = begin + up_to_page(size);
            m.end = grown.end;
            m.known = m.known == grown.begin ? m.end : m.known;
            if (f && m.known == m.end && dsn__lock(&f->state)) {
                count_begin(f, &grown, m.offset + length(m.begin, m.end));
                dsn__unlock(&f->state);
            }
        }
        m.known = target + (m.known - begin);
        m.end = target + (m.end - begin);
        m.begin = target + (m.begin - begin);
        if (!dsn__mappings_add(&m) || begin == target)
            return; /* it has not moved: what was taken is there again */
    }
}

void dsn__mapped_syncs(const void *at, size_t size, struct dsn_mapped_sync *sync)
{
    const uintptr_t begin = (uintptr_t)at, end = begin + up_to_page(size);
    struct dsn_mapping m;

    *sync = (struct dsn_mapped_sync){ NULL, 0 };
    for (int next = 0; !sync->of && dsn__mappings_next(&next, &m);)
        if (m.shows_stores && m.of && begin <= m.begin && m.end <= end) {
            sync->of = m.of;
            sync->dirty = dirty_of(&m);
        }
}

void dsn__mapped_synced(const struct dsn_mapped_sync *sync, int result)
{
    struct mapped_file *f = (struct mapped_file *)sync->of;

    if (result != 0 || sync->dirty == 0 || !dsn__lock(&f->state))
        return;
    note_dirty(f, sync->dirty);
    dsn__unlock(&f->state);
}

/* It counts with its length until it ends, but not as a mapping that was made. */
void dsn__mapped_inherit(int place, const char *name)
{
    struct mapped_file *f = (struct mapped_file *)dsn__record(DSN_INDEX_MAPPED, name);
    struct dsn_mapping m;

    if (!f || !dsn__mappings_next(&place, &m) || !dsn__lock(&f->state))
        return;
    count_begin(f, &m, m.offset + length(m.begin, m.known));
    dsn__unlock(&f->state);
    dsn__mappings_give_record(place - 1, &f->state);
}
