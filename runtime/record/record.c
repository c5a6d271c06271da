/* record.c - looks up, creates and aggregates records
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/record.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/text.h"
#include "config/mounts.h"
#include "config/settings.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/varying.h"
#include "record/arena.h"
#include "record/exclude.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pattern.h"
#include "record/recording.h"
#include "record/span.h"
#include "record/times.h"

_Static_assert(DSN_NMODULES <= sizeof((struct dsn_mount *)NULL)->aggregated_into / sizeof(struct dsn_record_state *),
               "one a slot");

static uint64_t id_of(const char *name)
{
    return dsn_hash(name, strlen(name), 0);
}

/* The table rejects most unknown names without dereferencing a known one: besides the offset in the arena (in units of
 * 8 bytes, from 1 on) an entry holds 24 bits of the id; 0 is a free entry. */
#define TAG_SHIFT 40
#define AT_MASK   (((uint64_t)1 << TAG_SHIFT) - 1)

static struct dsn_name *name_at_entry(uint64_t entry)
{
    return (struct dsn_name *)(dsn__arena->base + ((entry & AT_MASK) - 1) * 8);
}

/* The entry of an id, or the free one where it would go; there always is one. */
static uint64_t *slot_of(struct dsn_names *n, uint64_t id)
{
    size_t i = id & (n->nentries - 1);

    while (n->entry[i] && (n->entry[i] >> TAG_SHIFT != id >> TAG_SHIFT || name_at_entry(n->entry[i])->id != id))
        i = (i + 1) & (n->nentries - 1);
    return &n->entry[i];
}

static uint64_t entry_for(const struct dsn_name *name, uint64_t hash)
{
    return (hash >> TAG_SHIFT << TAG_SHIFT) | ((size_t)((const char *)name - dsn__arena->base) / 8 + 1);
}

static void put_entry(struct dsn_names *n, const struct dsn_name *name)
{
    *slot_of(n, name->id) = entry_for(name, name->id);
}

/* Rehashes all names. If this is left by longjmp, the next call starts over. */
static void fill_table(struct dsn_names *n)
{
    memset(n->entry, 0, n->nentries * sizeof n->entry[0]);
    for (const struct dsn_name *name = n->first; name; name = name->next)
        put_entry(n, name);
    atomic_signal_fence(memory_order_seq_cst);
    n->is_filled = 1;
}

static uint64_t *entry_of(struct dsn_names *n, uint64_t id)
{
    if (!n->is_filled)
        fill_table(n);
    return slot_of(n, id);
}

bool dsn__names_to_arena(void)
{
    const struct dsn_arena *a = dsn__arena;

    if (!dsn__backing->make_anonymous(a->base, a->first))
        return false;
    dsn__names->entry = (uint64_t *)(void *)a->base;
    atomic_store_explicit(&dsn__lookup->are_many_known, 1, memory_order_relaxed);
    return true;
}

/* Most processes have few names: their table is one page of its capacity. */
static bool make_room_for_name(struct dsn_names *n)
{
    if (n->nnames < n->nentries / 4 * 3)
        return true;
    if (n->nentries == n->most)
        return false;
    n->is_filled = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (n->entry == dsn__lookup->few_names && !dsn__names_to_arena())
        return false;
    n->nentries *= 2;
    fill_table(n);
    return true;
}

struct dsn_name *dsn__name_by_id(uint64_t id)
{
    const uint64_t entry = *entry_of(dsn__names, id);

    return entry ? name_at_entry(entry) : NULL;
}

static struct dsn_name *add_name(struct dsn_names *n, uint64_t id, const char *text, dsn_allocator alloc)
{
    const size_t len = strlen(text) + 1;
    const unsigned spare = dsn__lookup->spare;
    struct dsn_name *name = make_room_for_name(n) ? alloc(sizeof *name + len + spare) : NULL;

    if (!name)
        return NULL;
    memcpy(name->text, text, len);
    if (spare > 0)
        memcpy(name->text + len, &spare, sizeof spare);
    name->id = id;
    n->nnames++;
    put_entry(n, name);
    *n->last = name;
    n->last = &name->next;
    return name;
}

struct dsn_record_state *dsn__record_make_state(struct dsn_names *n, enum dsn_module_index module,
                                                struct dsn_name *name, dsn_allocator alloc, int all_at_once)
{
    const struct dsn_module_info *info = dsn__modules[module];
    const size_t rec = info->need_size ? 0 : dsn__record_size(module);
    struct dsn_record_state *state = alloc(info->state_size + rec);

    if (!state)
        return NULL;
    state->name = name;
    if (rec > 0)
        state->rec = (struct dsn_rec *)((char *)state + info->state_size);
    if (info->init && !info->init(state, alloc, all_at_once))
        return NULL;
    *n->last_state[module] = state;
    n->last_state[module] = &state->next;
    return state;
}

static struct dsn_record_state *add_state(struct dsn_names *n, enum dsn_module_index module, struct dsn_name *name,
                                          dsn_allocator alloc)
{
    struct dsn_record_state *state = dsn__record_make_state(n, module, name, alloc, alloc == dsn__alloc_reserved);

    if (!state)
        return NULL;
    n->count[module]++;
    dsn__name_add_record(name, module, state);
    return state;
}

static bool is_limit_reached(enum dsn_module_index module)
{
    const unsigned id = dsn__modules[module]->id;
    const int64_t most = dsn_table(id) ? dsn__config->max_records.of[id] : 0; /* a trace is limited by memory alone */

    return most > 0 && dsn__names->count[module] >= most;
}

/* Whether its names are of files, not of what is in them or below them. */
static bool is_of_files(enum dsn_module_index module)
{
    return module != DSN_INDEX_H5D && module != DSN_INDEX_PNETCDF_VAR && module != DSN_INDEX_DAOS;
}

/* Whether any module has a record of this name. */
static bool has_record(const struct dsn_name *name)
{
    return name && atomic_load_explicit(&name->records, memory_order_relaxed);
}

/* Returns the record of a name, allocated with `alloc` if it is new. The caller holds the lock. If the name fits but
 * the record does not, the name is kept: it is small, and the next module may find room. An aggregated record is
 * created regardless of the module's limit. */
static struct dsn_record_state *obtain(enum dsn_module_index module, const char *text, uint64_t id, dsn_allocator alloc)
{
    struct dsn_names *n = dsn__names;
    struct dsn_name *name = dsn__name_by_id(id);
    struct dsn_record_state *state = name ? dsn__name_record(name, module) : NULL;
    int was_aggregated;

    if (state)
        return state;
    if (alloc == dsn__alloc_file && is_limit_reached(module))
        return NULL;
    was_aggregated = is_of_files(module) && dsn__aggregated_has(&dsn__lookup->aggregated, id) && !has_record(name);
    if (!name)
        name = add_name(n, id, text, alloc);
    if (name)
        state = add_state(n, module, name, alloc);
    if (state)
        dsn__incomplete->lacking.files -= was_aggregated;
    return state;
}

/* Counts the file, and how large its record would have been, to tell the user which setting would have made room for it. */
static void note_aggregated(enum dsn_module_index module, const char *name, uint64_t id)
{
    const struct dsn_module_info *info = dsn__modules[module];
    struct dsn_aggregated *f = &dsn__incomplete->lacking;
    const enum dsn_aggregated_news news = dsn__aggregated_add(&dsn__lookup->aggregated, id, (int)module);

    f->files += news == DSN_NEW_FILE && is_of_files(module) && !has_record(dsn__name_by_id(id));
    f->unknown += news == DSN_UNKNOWN && is_of_files(module);
    if (is_limit_reached(module)) {
        const int64_t limit = dsn__config->max_records.of[info->id];

        f->limited++;
        f->beyond += news != DSN_OLD;
        f->limit = limit > f->limit ? limit : f->limit;
        return;
    }
    if (news == DSN_OLD)
        return;
    f->bytes += (int64_t)(info->state_size + info->need_size + dsn__record_size(module) + 64);
    if (!dsn__name_by_id(id))
        f->bytes += (int64_t)(sizeof(struct dsn_name) + strlen(name) + 8);
}

/* The record of the name's pattern, beyond `fixed` bytes of the directory without its numbers; of a new one only if `least` bytes
 * of the reserve are left. */
static struct dsn_record_state *record_of_pattern(enum dsn_module_index module, const char *name, size_t fixed,
                                                  size_t least)
{
    char *pattern = dsn__lookup->pattern;
    const int has_pattern = dsn__pattern_of(name, fixed, pattern, sizeof dsn__lookup->pattern);
    const uint64_t id = has_pattern ? id_of(pattern) : 0;
    const struct dsn_name *known = has_pattern ? dsn__name_by_id(id) : NULL;
    struct dsn_record_state *state = known ? dsn__name_record(known, module) : NULL;

    if (state || !has_pattern || atomic_load(&dsn__arena->reserve) < least)
        return state;
    return obtain(module, pattern, id, dsn__alloc_reserved);
}

static struct dsn_record_state *record_of_mount(enum dsn_module_index module, struct dsn_mount *m)
{
    char name[sizeof m->path + 32];

    if (!m->aggregated_into[module]) {
        dsn__format(name, sizeof name, "%s/<other files>", strcmp(m->path, "/") == 0 ? "" : m->path);
        m->aggregated_into[module] = obtain(module, name, id_of(name), dsn__alloc_reserved);
    }
    return m->aggregated_into[module];
}

/* Returns the record into which a file without one of its own is aggregated: that of its directory and suffix, or, where there
 * are too many, of directories that differ in numbers, or of its mount point. The first two use a quarter of the reserve each.
 * The caller holds the lock. */
static struct dsn_record_state *aggregate(enum dsn_module_index module, const char *name, uint64_t id)
{
    const size_t eighth = dsn__arena_reserve(dsn__arena) / 8;
    struct dsn_record_state *state;
    struct dsn_mount *m;

    dsn__mounts_load(dsn__mounts);
    m = dsn__mount_of(dsn__mounts, name);
    if (!m)
        m = &dsn__mounts->none;
    atomic_fetch_add(&dsn__incomplete->aggregated, 1);
    atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << dsn__modules[module]->id);
    if (!dsn__is_pattern(name))
        note_aggregated(module, name, id);
    state = record_of_pattern(module, name, SIZE_MAX, 6 * eighth);
    if (!state)
        state = record_of_pattern(module, name, m->len, 4 * eighth);
    return state ? state : record_of_mount(module, m);
}

/* Replaces "//" and "/./" by "/". Nothing else is resolved, so that ids agree with those in other logs. */
static void squeeze_path(char *name)
{
    char *to = name;

    while (*to && (to[0] != '/' || (to[1] != '/' && (to[1] != '.' || to[2] != '/'))))
        to++;
    for (const char *from = to; *from;) {
        if (from[0] == '/' && from[1] == '/')
            from++;
        else if (from[0] == '/' && from[1] == '.' && from[2] == '/')
            from += 2;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

/* How many files may be asked one by one for their file system: two calls each, which an NFS client may pass on to the
 * server. */
#define FEW_FILES 32

static void find_file_systems(void)
{
    if (!atomic_load_explicit(&dsn__file_systems->by_file, memory_order_relaxed) || dsn__names->nnames >= FEW_FILES)
        dsn__file_systems_by_table();
}

/* The record of a cleaned name, or the one that its file is aggregated into; the caller holds the lock. */
static struct dsn_record_state *obtain_or_aggregate(enum dsn_module_index module, const char *name, uint64_t id)
{
    struct dsn_record_state *state;

    if (dsn__path_excluded(module, name))
        return NULL;
    if (name[0] == '/')
        find_file_systems();
    state = obtain(module, name, id, dsn__alloc_file);
    if (!state && dsn__modules[module]->may_use_reserve)
        state = obtain(module, name, id, dsn__alloc_reserved);
    if (!state && dsn__modules[module]->is_never_aggregated) {
        atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << dsn__modules[module]->id);
        return NULL;
    }
    if (!state)
        state = aggregate(module, name, id);
    if (!state)
        atomic_fetch_add(&dsn__incomplete->missed, 1);
    return state;
}

bool dsn__lock_names(void)
{
    if (!dsn__spin(&dsn__names->lock)) {
        atomic_fetch_add(&dsn__incomplete->missed, 1);
        return false;
    }
    if (atomic_load(&dsn__switch.mode) == DSN_ON)
        return true;
    dsn__unspin(&dsn__names->lock);
    return false;
}

void dsn__unlock_names(void)
{
    dsn__unspin(&dsn__names->lock);
}

/* The path of the directory behind a descriptor: from its record, or, if it is not tracked, from the kernel. Returns 0
 * if unknown. */
static size_t directory_path(int dirfd, char *out, size_t size)
{
    const struct dsn_description *dir = dsn__fd_description(dirfd);
    char link[32];
    ssize_t n;

    if (dir && !dsn__description_is_unidentified(dir)) {
        n = dsn__format(out, size, "%s", dsn__description_state(dir)->name->text);
    } else {
        dsn__format(link, sizeof link, "/proc/self/fd/%d", dirfd);
        n = dsn__sys_readlink(link, out, size);
    }
    return n > 0 && (size_t)n < size && out[0] == '/' ? (size_t)n : 0;
}

/* Reads the path of a descriptor's file from /proc/self/fd. The kernel appends " (deleted)" to the path of a deleted
 * file. Returns false if it has no path. */
static bool path_of(int fd, int is_deleted, char *out, size_t size)
{
    static const char deleted[] = " (deleted)", memory[] = "/memfd:";
    char link[32];
    ssize_t n;

    dsn__format(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, out, size);
    if (n <= 0 || (size_t)n >= size || out[0] != '/')
        return false;
    out[n] = '\0';
    if (is_deleted && (size_t)n >= sizeof deleted && strcmp(out + n - (sizeof deleted - 1), deleted) == 0)
        out[n - (ssize_t)(sizeof deleted - 1)] = '\0';
    return !is_deleted || !dsn__begins_with(out, memory);
}

/* Resolves a path relative to a directory's descriptor; uses the buffer that the lock guards, because the stack may be
 * a signal handler's. */
static bool path_below(int dirfd, const char *path, char *out, size_t size)
{
    const size_t a = directory_path(dirfd, out, size), b = strlen(path) + 1;

    if (a == 0 || b > size - a - 1)
        return false;
    out[a] = '/';
    memcpy(out + a + 1, path, b);
    squeeze_path(out);
    return true;
}

/* ------------------------------------------------------------------ files opened repeatedly */

static uint64_t word_at(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes all of a path, sixteen bytes at a time; the last sixteen may overlap those before them. */
static inline uint64_t path_hash(const char *path, size_t len)
{
    const uint64_t odd = 0x9e3779b97f4a7c15;
    uint64_t h = len, word = 0;

    if (len < 16) {
        memcpy(&word, path, len < 8 ? len : 8);
        h = mixed(h ^ word, odd);
        word = 0;
        memcpy(&word, path + (len < 8 ? len : 8), len < 8 ? 0 : len - 8);
        h = mixed(h ^ word, odd);
    } else {
        const char *last = path + len - 16;

        for (; path < last; path += 16)
            h = mixed(word_at(path) ^ odd, word_at(path + 8) ^ h);
        h = mixed(word_at(last) ^ odd, word_at(last + 8) ^ h);
    }
    return h;
}

/* An entry here has 24 bits of the path's hash, so that a path that is new is not compared with another one's name, which
 * is seldom in the processor's cache. */
static inline _Atomic(uint64_t) *known_place(uint64_t h)
{
    return atomic_load_explicit(&dsn__lookup->are_many_known, memory_order_relaxed)
               ? &dsn__known[h & (DSN_KNOWN - 1)]
               : &dsn__lookup->few_known[h & (DSN_FEW_KNOWN - 1)];
}

/* The record of a cleaned absolute path that was looked up before, without a lock; NULL: look it up. */
static inline __attribute__((always_inline)) struct dsn_record_state *known_record(enum dsn_module_index module,
                                                                                   const char *path)
{
    const uint64_t h = path_hash(path, strlen(path));
    const uint64_t entry = atomic_load_explicit(known_place(h), memory_order_acquire);
    struct dsn_name *name;

    if (entry == 0 || entry >> TAG_SHIFT != h >> TAG_SHIFT)
        return NULL;
    name = name_at_entry(entry);
    if (strcmp(name->text, path) != 0)
        return NULL;
    return dsn__name_record(name, module);
}

static void now_known(struct dsn_record_state *state, const char *path)
{
    const uint64_t h = path_hash(path, strlen(path));

    if (state && strcmp(state->name->text, path) == 0)
        atomic_store_explicit(known_place(h), entry_for(state->name, h), memory_order_release);
}

/* ------------------------------------------------------------------ lookup */

/* Cleans a path into the scratch buffer and returns that; NULL if the path is too long or its directory is unknown. */
static const char *name_at(int dirfd, const char *path)
{
    char *name = dsn__lookup->scratch;
    const size_t size = sizeof dsn__lookup->scratch;
    int ok;

    if (path[0] == '/' || dirfd == AT_FDCWD)
        ok = dsn__clean_path(path, name, size);
    else
        ok = path_below(dirfd, path, name, size);
    return ok ? name : NULL;
}

/* Obtains a pending verdict on the name in the scratch buffer. The lock, which the caller holds, is released meanwhile;
 * lock and buffer are restored. Returns false if the lock cannot be had again. The name is saved on the stack, which cannot
 * be a signal handler's here. */
__attribute__((noinline)) static bool decide(enum dsn_module_index module)
{
    char name[sizeof dsn__lookup->scratch];

    memcpy(name, dsn__lookup->scratch, strlen(dsn__lookup->scratch) + 1);
    dsn__unlock_names();
    dsn__path_decide(module, name);
    if (!dsn__lock_names())
        return false;
    memcpy(dsn__lookup->scratch, name, strlen(name) + 1);
    return true;
}

/* "<STDIN>" and the like: looked up once in each process, so that the tables need not be touched for it. */
static bool is_stream_name(int dirfd, const char *path)
{
    return path[0] == '<' && dirfd == AT_FDCWD;
}

struct dsn_record_state *dsn__record_at(enum dsn_module_index module, int dirfd, const char *path)
{
    struct dsn_record_state *state;
    const char *name;

    if (!path || dsn__path_known_excluded(module, path))
        return NULL;
    state = path[0] == '/' ? known_record(module, path) : NULL;
    if (is_stream_name(dirfd, path) && dsn__path_is_undecided(module, path))
        dsn__path_decide(module, path);
    if (state || !dsn__lock_names())
        return state;
    name = is_stream_name(dirfd, path) ? path : name_at(dirfd, path);
    if (name && path[0] != '/' && name != path)
        state = known_record(module, name);
    if (name && !state && name != path && dsn__path_is_undecided(module, name) && !decide(module))
        return NULL;
    if (name && !state) {
        state = obtain_or_aggregate(module, name, id_of(name));
        now_known(state, name);
    }
    dsn__unlock_names();
    return state;
}

struct dsn_record_state *dsn__record_if_there(enum dsn_module_index module, int dirfd, const char *path)
{
    const struct dsn_name *known = NULL;
    struct dsn_record_state *state;
    const char *name;

    if (!path || path[0] == '\0' || dsn__path_known_excluded(module, path))
        return NULL;
    state = path[0] == '/' ? known_record(module, path) : NULL;
    if (state || !dsn__lock_names())
        return state;
    name = name_at(dirfd, path);
    if (name && path[0] != '/')
        state = known_record(module, name);
    if (name && !state)
        known = dsn__name_by_id(id_of(name));
    dsn__unlock_names();
    return known ? dsn__name_record(known, module) : state;
}

struct dsn_record_state *dsn__record(enum dsn_module_index module, const char *path)
{
    return dsn__record_at(module, AT_FDCWD, path);
}

struct dsn_record_state *dsn__record_named(enum dsn_module_index module, const char *name)
{
    struct dsn_record_state *state;

    if (dsn__path_is_undecided(module, name))
        dsn__path_decide(module, name);
    if (!dsn__lock_names())
        return NULL;
    state = obtain_or_aggregate(module, name, id_of(name));
    dsn__unlock_names();
    return state;
}

struct dsn_record_state *dsn__record_by_id(enum dsn_module_index module, uint64_t id, const char *name, unsigned spare)
{
    struct dsn_record_state *state;

    if (!dsn__lock_names())
        return NULL;
    dsn__lookup->spare = spare > 0 && spare < sizeof spare ? sizeof spare : spare;
    state = obtain_or_aggregate(module, name, id);
    dsn__lookup->spare = 0;
    dsn__unlock_names();
    return state;
}

void dsn__name_set_text(struct dsn_name *name, const char *from, const char *to)
{
    const size_t len = strlen(from) + 1;
    unsigned spare;

    if (!dsn__lock_names())
        return;
    if (strcmp(name->text, from) == 0) {
        memcpy(&spare, name->text + len, sizeof spare);
        if (strlen(to) < len + spare)
            memcpy(name->text, to, strlen(to) + 1);
    }
    dsn__unlock_names();
}

struct dsn_record_state *dsn__record_named_if_there(enum dsn_module_index module, const char *name)
{
    const struct dsn_name *known;

    if (!dsn__lock_names())
        return NULL;
    known = dsn__name_by_id(id_of(name));
    dsn__unlock_names();
    return known ? dsn__name_record(known, module) : NULL;
}

struct dsn_record_state *dsn__record_of_descriptor(enum dsn_module_index module, int fd, int is_deleted)
{
    char *name = dsn__lookup->scratch;
    struct dsn_record_state *state = NULL;

    if (!dsn__lock_names())
        return NULL;
    if (path_of(fd, is_deleted, name, sizeof dsn__lookup->scratch)) {
        if (dsn__path_is_undecided(module, name) && !decide(module))
            return NULL;
        state = obtain_or_aggregate(module, name, id_of(name));
    }
    dsn__unlock_names();
    return state;
}

struct dsn_record_state *dsn__record_of_name(enum dsn_module_index module, struct dsn_name *name)
{
    struct dsn_record_state *state;

    if (name && dsn__path_is_undecided(module, name->text))
        dsn__path_decide(module, name->text);
    if (!name || !dsn__lock_names())
        return NULL;
    state = dsn__name_record(name, module);
    if (!state)
        state = obtain_or_aggregate(module, name->text, name->id);
    dsn__unlock_names();
    return state;
}

/* Appends a record to a salvaged survival file. */
static struct dsn_record_state *add_late(const struct dsn_recording *r, enum dsn_module_index module, const char *text)
{
    const size_t len = strlen(text) + 1, state_size = (dsn__modules[module]->state_size + 7) & ~(size_t)7;
    struct dsn_names *n = r->names;
    struct dsn_name *name = dsn__bump(r->memory, sizeof *name + len);
    struct dsn_record_state *state = dsn__bump(r->memory, state_size + dsn__record_size(module));

    if (!name || !state || (r->config->disabled >> dsn__modules[module]->id & 1))
        return NULL;
    memcpy(name->text, text, len);
    name->id = id_of(text);
    state->name = name;
    state->rec = (struct dsn_rec *)(void *)((char *)state + state_size);
    dsn__name_add_record(name, module, state);
    *n->last = name;
    n->last = &name->next;
    *n->last_state[module] = state;
    n->last_state[module] = &state->next;
    n->count[module]++;
    return state;
}

struct dsn_record_state *dsn__record_late(const struct dsn_recording *r, enum dsn_module_index module, const char *name)
{
    if (r->memory)
        return add_late(r, module, name);
    if (dsn__path_is_undecided(module, name))
        dsn__path_decide(module, name);
    return dsn__path_excluded(module, name) ? NULL : obtain(module, name, id_of(name), dsn__alloc_reserved);
}

void dsn__record_drop(struct dsn_names *n, enum dsn_module_index module, struct dsn_record_state **link)
{
    struct dsn_record_state *state = *link;

    *link = state->next;
    if (n->last_state[module] == &state->next)
        n->last_state[module] = link;
    if (dsn__name_record(state->name, module) != state) /* a shard of it */
        return;
    dsn__name_drop_record(state->name, state);
    n->count[module]--;
}

struct dsn_record_state *dsn__record_aggregated(enum dsn_module_index module, const struct dsn_name *name)
{
    struct dsn_record_state *state;

    if (!dsn__lock_names())
        return NULL;
    state = aggregate(module, name->text, name->id);
    dsn__unlock_names();
    if (!state)
        atomic_fetch_add(&dsn__incomplete->missed, 1);
    return state;
}

/* ------------------------------------------------------------------ paths and mount points */

bool dsn__clean_path(const char *path, char *out, size_t size)
{
    const size_t len = strlen(path) + 1;
    size_t at = 0;

    if (path[0] != '/' && path[0] != '<' && path[0] != '\0') {
        if (!dsn__sys_getcwd(out, size)) /* an unreachable directory has no absolute path */
            return false;
        at = strlen(out);
        out[at++] = '/';
    }
    if (at >= size || len > size - at)
        return false;
    memcpy(out + at, path, len);
    if (path[0] != '<')
        squeeze_path(out);
    return true;
}
