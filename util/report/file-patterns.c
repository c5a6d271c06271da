/* file-patterns.c - files whose names differ only in numbers, or that only share directory and suffix, taken together
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each file belongs to the pattern of its masked name, and each pattern to a kind: its masked directory and suffix. When all files
 * are there, patterns that are of one file or of few of their kind's are merged into the kind, if there are several of them. */
#include "file-patterns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"
#include "layer.h"
#include "name-parts.h"
#include "util/lib/grow.h"

#define MOST        32768 /* patterns of masked names, and kinds */
#define NONE        UINT32_MAX
#define LEAST_HASH  6  /* digits of a name that is a hash */
#define LEAST_NAMES 3  /* different names that become a kind */
#define LARGE_PART  32 /* a pattern that has this part of its kind's files stays apart */

struct group {
    struct dsn_file_pattern p;
    uint32_t kind;        /* of a pattern: its kind */
    int says_no_more;     /* of a pattern: its name is its kind's, for names of its files are random as a whole */
    int64_t files, small; /* of a kind: files, and patterns to be merged */
    uint32_t into;        /* of a pattern: the kind that it is merged into; NONE: it stays */
    uint32_t place;       /* in the list; NONE: it is not there */
};

struct making {
    const struct dsn_report *r;
    struct group *leaves, *kinds;
    size_t nleaves, leaves_room, nkinds, kinds_room;
    struct dsn__idmap leaf_index, kind_index;
    uint32_t *of; /* by file: NONE, a pattern, or MOST plus a kind */
};

/* ------------------------------------------------------------------ users */

static void add_user(struct dsn_pattern_users *u, int64_t ranks, int64_t rank)
{
    u->files++;
    if (ranks < 0) {
        u->unknown++;
        return;
    }
    ranks = ranks > 0 ? ranks : 1;
    if (u->files - u->unknown == 1) {
        u->least = u->most = ranks;
        u->rank = ranks == 1 ? rank : -1;
    }
    u->least = ranks < u->least ? ranks : u->least;
    u->most = ranks > u->most ? ranks : u->most;
    u->rank = ranks == 1 && u->rank == rank ? rank : -1;
    u->unnamed += ranks == 1 && rank < 0;
}

static void merge_users(struct dsn_pattern_users *to, const struct dsn_pattern_users *from)
{
    const int is_first = to->files == to->unknown, adds = from->files > from->unknown;

    to->least = adds && (is_first || from->least < to->least) ? from->least : to->least;
    to->most = adds && (is_first || from->most > to->most) ? from->most : to->most;
    to->rank = !adds ? to->rank : is_first || to->rank == from->rank ? from->rank : -1;
    to->files += from->files;
    to->unknown += from->unknown;
    to->unnamed += from->unnamed;
}

void dsn_pattern_users_text(const struct dsn_report *r, const struct dsn_pattern_users *u, char to[96])
{
    const char *one = r->is_tree ? "process" : "rank", *several = r->is_tree ? "processes" : "ranks";
    const char *rest = u->unknown > 0 ? ", of some it is not known" : "";

    to[0] = '\0';
    if (u->files == 0 || r->f.nprocs == 1)
        return;
    if (u->unknown == u->files)
        snprintf(to, 96, "some or all of %" PRId64 " %s", r->f.nprocs, several);
    else if (u->least == r->f.nprocs)
        snprintf(to, 96, "all %" PRId64 " %s%s", u->least, several, rest);
    else if (u->most == 1 && u->rank >= 0)
        snprintf(to, 96, "%s %" PRId64 "%s", one, u->rank, rest);
    else if (u->most == 1 && u->ranks > 1 && u->ranks < u->files)
        snprintf(to, 96, "one %s each, %" PRId64 " in all%s", one, u->ranks, rest);
    else if (u->most == 1)
        snprintf(to, 96, "one %s%s%s", one, u->files > 1 ? " each" : "", rest);
    else if (u->least == u->most)
        snprintf(to, 96, "%" PRId64 " %s%s%s", u->least, several, u->files > 1 ? " each" : "", rest);
    else
        snprintf(to, 96, "%" PRId64 "-%" PRId64 " %s each%s", u->least, u->most, several, rest);
}

/* ------------------------------------------------------------------ names */

static const char *name_of(const struct dsn_report *r, uint32_t file)
{
    return darshan_reader_name(r->log, r->files[file].id);
}

/* The runtime's name for what has no record of its own is DIRECTORY/<*SUFFIX>, or MOUNT/<other files>. */
static const char *suffix_of(const struct dsn_report_file *f, const char *name, char to[DSN_NAME_ROOM])
{
    const char *base = name + dsn_name_directory(name);
    const size_t n = strlen(base);

    if (!f->is_aggregated)
        snprintf(to, DSN_NAME_ROOM, "%s", dsn_name_suffix(name));
    else if (strcmp(base, "<other files>") == 0)
        snprintf(to, DSN_NAME_ROOM, "*");
    else
        snprintf(to, DSN_NAME_ROOM, "%.*s", (int)(n > 3 ? n - 3 : 0), base + 2);
    return to;
}

/* Whether the suffixes of the pattern's files are the same to the letter. */
static int has_one_suffix(const char *name, uint64_t differ)
{
    const char *suffix = dsn_name_suffix(name), *at = name;
    unsigned i = 0;
    size_t n;
    char mark;

    for (; (at = dsn_name_part(name, at, &n, &mark)) != NULL; at += n, i++)
        if (at >= suffix && differ >> (i < DSN_NAME_PARTS ? i : DSN_NAME_PARTS) & 1)
            return 0;
    return 1;
}

void dsn_pattern_name(const struct dsn_report *r, const struct dsn_file_pattern *p, char to[DSN_NAME_ROOM])
{
    const char *name = name_of(r, p->first);
    char suffix[DSN_NAME_ROOM], masked[DSN_NAME_ROOM];
    size_t used;

    if (!p->is_kind) {
        dsn_name_show(name, strlen(name), p->differ, to, DSN_NAME_ROOM);
        return;
    }
    dsn_name_show(name, dsn_name_directory(name), p->differ, to, DSN_NAME_ROOM);
    suffix_of(&r->files[p->first], name, suffix);
    used = strlen(to);
    if (p->is_of_suffix || dsn_name_mask(suffix, masked, sizeof masked) == 0)
        snprintf(to + used, DSN_NAME_ROOM - used, "*%s", suffix);
    else
        snprintf(to + used, DSN_NAME_ROOM - used, "*%s", masked);
}

double dsn_pattern_times(const struct dsn_file_pattern *p)
{
    return p->timed_size > 0 ? p->timed_read / p->timed_size : -1;
}

/* ------------------------------------------------------------------ patterns and kinds */

static void add_file(const struct dsn_report *r, struct dsn_file_pattern *p, const struct dsn_report_file *f)
{
    const double size = f->is_aggregated ? 0 : dsn_extent(f);
    const int alone = r->f.nprocs == 1;

    p->files += !f->is_aggregated;
    p->aggregated += f->is_aggregated;
    p->opens = dsn__plus(p->opens, f->opens);
    p->mapped += f->mmaps > 0;
    dsn_work_add(&p->work, &f->work);
    if (size > 0) {
        p->least = p->sized == 0 || size < p->least ? size : p->least;
        p->most = size > p->most ? size : p->most;
        p->sizes += size;
        p->sized++;
    }
    if (size > 0 && f->work.bytes_read > 0 && f->mmaps == 0) {
        p->timed++;
        p->timed_read += (double)f->work.bytes_read;
        p->timed_size += size;
    }
    if (f->work.bytes_read > 0)
        add_user(&p->readers, f->is_aggregated ? -1 : alone ? 1 : f->readers, alone ? 0 : f->reader);
    if (f->work.bytes_written > 0)
        add_user(&p->writers, f->is_aggregated ? -1 : alone ? 1 : f->writers, alone ? 0 : f->writer);
}

/* A kind is named after its first file that has a record of its own. */
static void merge_names(const struct dsn_report *r, struct dsn_file_pattern *to, const struct dsn_file_pattern *from)
{
    const char *a = name_of(r, to->first), *b = name_of(r, from->first);
    char suffix_a[DSN_NAME_ROOM], suffix_b[DSN_NAME_ROOM];
    const int is_first = to->files + to->aggregated == 0;

    if (is_first)
        a = b;
    to->is_of_suffix = (is_first || to->is_of_suffix) && has_one_suffix(b, from->differ) &&
                       strcmp(suffix_of(&r->files[is_first ? from->first : to->first], a, suffix_a),
                              suffix_of(&r->files[from->first], b, suffix_b)) == 0;
    to->differ |= from->differ;
    dsn_name_compare(a, dsn_name_directory(a), b, dsn_name_directory(b), &to->differ);
    if (is_first || (r->files[to->first].is_aggregated && !r->files[from->first].is_aggregated))
        to->first = from->first;
}

static void merge(const struct dsn_report *r, struct dsn_file_pattern *to, const struct dsn_file_pattern *from)
{
    merge_names(r, to, from);
    to->files += from->files;
    to->aggregated += from->aggregated;
    to->opens = dsn__plus(to->opens, from->opens);
    to->mapped += from->mapped;
    dsn_work_add(&to->work, &from->work);
    to->least = from->sized > 0 && (to->sized == 0 || from->least < to->least) ? from->least : to->least;
    to->most = fmax(to->most, from->most);
    to->sizes += from->sizes;
    to->sized += from->sized;
    to->timed += from->timed;
    to->timed_read += from->timed_read;
    to->timed_size += from->timed_size;
    merge_users(&to->readers, &from->readers);
    merge_users(&to->writers, &from->writers);
}

/* The group of that key, which is made if it is not there. NONE: there are too many, or no memory (*failed). */
static uint32_t group_of(struct dsn__idmap *index, uint64_t key, struct group **all, size_t *n, size_t *room,
                         int *failed)
{
    uint32_t at = dsn__idmap_get(index, key);

    if (at != DSN_IDMAP_NONE || *n == MOST)
        return at == DSN_IDMAP_NONE ? NONE : at;
    if (!dsn_grow_zeroed(all, room, sizeof **all, *n) ||
        (at = dsn__idmap_add(index, key, (uint32_t)*n)) == DSN_IDMAP_NONE) {
        *failed = 1;
        return NONE;
    }
    (*all)[*n] = (struct group){ .kind = NONE, .into = NONE, .place = NONE };
    ++*n;
    return at;
}

/* Finds the file's kind by the masked name. */
static uint32_t kind_of(struct making *m, const struct dsn_report_file *f, const char *name, const char *masked,
                        int *failed)
{
    char suffix[DSN_NAME_ROOM], masked_suffix[DSN_NAME_ROOM];
    const size_t n = dsn_name_mask(suffix_of(f, name, suffix), masked_suffix, sizeof masked_suffix);
    const uint64_t key = dsn_hash(masked_suffix, n, dsn_hash(masked, dsn_name_directory(masked), 1));

    return group_of(&m->kind_index, key, &m->kinds, &m->nkinds, &m->kinds_room, failed);
}

/* Of a masked name: DIRECTORY/[any]SUFFIX. */
static int is_random_as_a_whole(const char *masked)
{
    const char *base = masked + dsn_name_directory(masked);

    return base[0] == '*' && base + 1 == dsn_name_suffix(masked);
}

/* Adds a file to the pattern of its name or, if that is one of too many, to its kind. Returns 0 without memory. */
static int place_file(struct making *m, uint32_t i, const char *name)
{
    const struct dsn_report_file *f = &m->r->files[i];
    struct dsn_file_pattern alone = { .first = i };
    char masked[DSN_NAME_ROOM];
    const size_t n = dsn_name_mask(name, masked, sizeof masked);
    int failed = 0;
    uint32_t leaf = NONE, kind;

    if (n == 0)
        return 1;
    if (!f->is_aggregated)
        leaf = group_of(&m->leaf_index, dsn_hash(masked, n, 0), &m->leaves, &m->nleaves, &m->leaves_room, &failed);
    if (leaf != NONE && m->leaves[leaf].p.files == 0) {
        m->leaves[leaf].p.first = i;
        m->leaves[leaf].kind = kind_of(m, f, name, masked, &failed);
        m->leaves[leaf].says_no_more = is_random_as_a_whole(masked);
    }
    if (leaf != NONE) {
        const char *first = name_of(m->r, m->leaves[leaf].p.first);

        if (!dsn_name_compare(first, strlen(first), name, strlen(name), &m->leaves[leaf].p.differ))
            leaf = NONE; /* two names with one hash */
    }
    kind = failed ? NONE : leaf != NONE ? m->leaves[leaf].kind : kind_of(m, f, name, masked, &failed);
    if (kind != NONE)
        m->kinds[kind].files++;
    if (leaf != NONE)
        add_file(m->r, &m->leaves[leaf].p, f);
    else if (kind != NONE) {
        add_file(m->r, &alone, f);
        merge(m->r, &m->kinds[kind].p, &alone);
        m->kinds[kind].p.is_kind = 1;
    }
    m->of[i] = leaf != NONE ? leaf : kind != NONE ? MOST + kind : NONE;
    return !failed;
}

/* Names of an anonymized log are numbers right below a mount point, which say nothing of kinds. */
static int is_only_number(const struct dsn_report *r, const struct dsn_report_file *f, const char *name)
{
    const char *path = r->mounts[f->mount].path;
    const size_t n = strncmp(name, path, strlen(path)) == 0 ? strlen(path) : 0;
    const char *rest = name + n + strspn(name + n, "/");

    return strlen(rest) >= LEAST_HASH && rest[strspn(rest, "0123456789")] == '\0';
}

static int place_files(struct making *m, struct dsn_file_patterns *out)
{
    for (size_t i = 0; i < m->r->nfiles; i++) {
        const struct dsn_report_file *f = &m->r->files[i];
        const char *name = darshan_reader_name(m->r->log, f->id);

        m->of[i] = NONE;
        if (!dsn_report_counts(f) && !(f->is_aggregated && !dsn_file_is_elsewhere(f)))
            continue;
        if (name && *name && !is_only_number(m->r, f, name) && !place_file(m, (uint32_t)i, name))
            return 0;
        if (m->of[i] == NONE) {
            out->left_files += !f->is_aggregated;
            dsn_work_add(&out->left, &f->work);
        }
    }
    return 1;
}

static int is_small(const struct group *leaf, const struct group *kind)
{
    return leaf->p.files == 1 || leaf->p.files * LARGE_PART < kind->files;
}

/* All files of a kind some of which have no record of their own are one pattern: the others may have any name. */
static void merge_small(struct making *m)
{
    for (size_t i = 0; i < m->nleaves; i++)
        if (m->leaves[i].kind != NONE)
            m->kinds[m->leaves[i].kind].small += is_small(&m->leaves[i], &m->kinds[m->leaves[i].kind]);
    for (size_t i = 0; i < m->nleaves; i++) {
        struct group *leaf = &m->leaves[i], *kind = leaf->kind == NONE ? NULL : &m->kinds[leaf->kind];

        if (!kind || (kind->p.aggregated == 0 && ((!is_small(leaf, kind) && !leaf->says_no_more) ||
                                                  (kind->small < LEAST_NAMES && kind->p.files == 0))))
            continue;
        leaf->into = leaf->kind;
    }
    for (size_t i = 0; i < m->nleaves; i++)
        if (m->leaves[i].into != NONE) {
            merge(m->r, &m->kinds[m->leaves[i].into].p, &m->leaves[i].p);
            m->kinds[m->leaves[i].into].p.is_kind = 1;
        }
}

/* ------------------------------------------------------------------ the list */

static int by_weight(const void *a, const void *b)
{
    const struct dsn_file_pattern *x = &(*(const struct group *const *)a)->p,
                                  *y = &(*(const struct group *const *)b)->p;
    const double tx = dsn_work_time(&x->work), ty = dsn_work_time(&y->work);
    const double bx = dsn_work_bytes(&x->work), by = dsn_work_bytes(&y->work);

    if (tx != ty)
        return (tx < ty) - (tx > ty);
    if (bx != by)
        return (bx < by) - (bx > by);
    if (x->files != y->files)
        return (x->files < y->files) - (x->files > y->files);
    return (x->first > y->first) - (x->first < y->first);
}

/* Lists the heaviest. */
static int list_patterns(struct making *m, struct dsn_file_patterns *out)
{
    struct group **order = malloc((m->nleaves + m->nkinds + 1) * sizeof *order);
    size_t n = 0;

    out->list = calloc(DSN_PATTERNS_LISTED, sizeof *out->list);
    if (!order || !out->list) {
        free(order);
        return 0;
    }
    for (size_t i = 0; i < m->nleaves; i++)
        if (m->leaves[i].into == NONE)
            order[n++] = &m->leaves[i];
    for (size_t i = 0; i < m->nkinds; i++)
        if (m->kinds[i].p.files + m->kinds[i].p.aggregated > 0)
            order[n++] = &m->kinds[i];
    if (n > 0)
        qsort(order, n, sizeof *order, by_weight);
    for (size_t i = 0; i < n; i++) {
        out->multiple += dsn_pattern_is_multiple(&order[i]->p);
        if (i < DSN_PATTERNS_LISTED) {
            order[i]->place = (uint32_t)i;
            out->list[out->n++] = order[i]->p;
        } else {
            out->rest_files += order[i]->p.files;
            dsn_work_add(&out->rest, &order[i]->p.work);
        }
    }
    out->of = n;
    free(order);
    return 1;
}

/* Where a file's pattern is in the list; NONE: nowhere. */
static uint32_t place_of(const struct making *m, size_t file)
{
    const uint32_t at = m->of[file];
    const struct group *g;

    if (at == NONE)
        return NONE;
    g = at >= MOST ? &m->kinds[at - MOST] : m->leaves[at].into != NONE ? &m->kinds[m->leaves[at].into] : &m->leaves[at];
    return g->place;
}

static int64_t note_rank(unsigned char *seen, int64_t rank)
{
    const int is_new = !(seen[rank / 8] >> (rank % 8) & 1);

    seen[rank / 8] |= (unsigned char)(1u << (rank % 8));
    return is_new;
}

/* Counts the different ranks of files that one rank each uses: a list's files are looked at together, so that one bitmap suffices. */
static int count_ranks(const struct making *m, struct dsn_file_patterns *out)
{
    const size_t bytes = m->r->nranks / 8 + 1;
    size_t starts[DSN_PATTERNS_LISTED + 1] = { 0 }, n = 0;
    uint32_t *order = malloc((m->r->nfiles + 1) * sizeof *order);
    unsigned char *seen = malloc(2 * bytes);

    if (!order || !seen) {
        free(order);
        free(seen);
        return 0;
    }
    for (size_t i = 0; i < m->r->nfiles; i++)
        if (place_of(m, i) != NONE)
            starts[place_of(m, i) + 1]++;
    for (size_t k = 0; k < DSN_PATTERNS_LISTED; k++)
        starts[k + 1] += starts[k];
    for (size_t i = m->r->nfiles; i-- > 0;)
        if (place_of(m, i) != NONE)
            order[--starts[place_of(m, i) + 1]] = (uint32_t)i;
    for (size_t k = 0; k < out->n; k++) {
        struct dsn_file_pattern *p = &out->list[k];
        const size_t end = n + (size_t)(p->files + p->aggregated);

        memset(seen, 0, 2 * bytes);
        for (; n < end; n++) {
            const struct dsn_report_file *f = &m->r->files[order[n]];

            if (f->readers == 1 && f->reader >= 0 && (size_t)f->reader < m->r->nranks)
                p->readers.ranks += note_rank(seen, f->reader);
            if (f->writers == 1 && f->writer >= 0 && (size_t)f->writer < m->r->nranks)
                p->writers.ranks += note_rank(seen + bytes, f->writer);
        }
        p->readers.ranks = p->readers.unnamed > 0 ? 0 : p->readers.ranks;
        p->writers.ranks = p->writers.unnamed > 0 ? 0 : p->writers.ranks;
    }
    free(order);
    free(seen);
    return 1;
}

int dsn_file_patterns_make(const struct dsn_report *r, struct dsn_file_patterns *out)
{
    struct making m = { .r = r, .of = malloc((r->nfiles + 1) * sizeof *m.of) };
    int ok;

    *out = (struct dsn_file_patterns){ 0 };
    dsn__idmap_init(&m.leaf_index);
    dsn__idmap_init(&m.kind_index);
    ok = m.of && place_files(&m, out);
    if (ok) {
        merge_small(&m);
        ok = list_patterns(&m, out) && count_ranks(&m, out);
    }
    free(m.of);
    free(m.leaves);
    free(m.kinds);
    dsn__idmap_free(&m.leaf_index);
    dsn__idmap_free(&m.kind_index);
    return ok ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

void dsn_file_patterns_free(struct dsn_file_patterns *p)
{
    free(p->list);
}
