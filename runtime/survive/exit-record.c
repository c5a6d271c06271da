/* exit-record.c - packs records into bytes, and unpacks them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/exit-record.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/who.h"
#include "log/pack.h"
#include "record/module.h"
#include "record/names.h"
#include "record/recording.h"
#include "survive/identity.h"
#include "survive/process-tree.h"
#include "survive/salvage.h"
#include "survive/survival.h"

#define MAGIC           UINT64_C(0x354c4f4f50536e64) /* "dnSPOOL5", of which the last character is the version */
#define WITHOUT_VERSION UINT64_C(0x00ffffffffffffff)

/* Up to this size they are not compressed: most short processes leave less, and compression would dominate the cost of
 * their end. */
#define SMALL 16384

/* Precedes the packed bytes. */
struct head {
    uint64_t magic, layout, packed, raw, sum;
    uint64_t is_packed; /* 1: a zlib stream; 0: not compressed */
};

/* Begins the packed data. The process's identity follows, then the names, then the records by module. */
struct body {
    struct dsn_rank_summary summary; /* without ids, for the one node */
    struct dsn_node node;
    struct dsn_rank_row row;
    struct contents {
        uint64_t texts;         /* bytes of the strings at the end of struct dsn_who, with padding */
        uint64_t nnames, names; /* bytes, with padding */
        uint64_t nrecords[DSN_NMODULES];
    } has;
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* Checksum of the packed data. Every process computes it, and the process that writes the log computes all of them
 * again: the hash of record ids would take more than twice as long. */
static uint64_t sum_of(const char *bytes, size_t size)
{
    uint64_t h = size, word;

    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, bytes, size);
    return (h ^ word) * 0x9e3779b97f4a7c15;
}

/* The strings' buffers have kilobytes, of which a few bytes are used. */
#define WITHOUT_TEXTS offsetof(struct dsn_who, origin.directory)

static void who_without_texts(struct dsn_who *w, const struct dsn_recording *r, int64_t created)
{
    const struct tm *t = &r->run->start_local;
    const int64_t local[6] = { t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec };

    memset(w, 0, WITHOUT_TEXTS);
    w->member = *r->member;
    w->created = created;
    w->start_sec = r->run->start_sec;
    w->start_nsec = r->run->start_nsec;
    memcpy(w->local_start, local, sizeof local);
    w->uid = (int64_t)dsn__sys_getuid();
    memcpy(&w->origin, r->origin, offsetof(struct dsn_origin, directory));
}

void dsn__who(struct dsn_who *w, const struct dsn_recording *r, int64_t created)
{
    who_without_texts(w, r, created);
    memcpy(w->origin.directory, r->origin->directory, sizeof w->origin.directory);
    memcpy(w->origin.logfile, r->origin->logfile, sizeof w->origin.logfile);
    memcpy(w->exe, r->run->exe, sizeof w->exe);
}

/* ------------------------------------------------------------------ packing */

static size_t put_tail(const struct dsn_recording *r, enum dsn_module_index module,
                       const struct dsn_record_state *state, void *out)
{
    const struct dsn_module_info *info = dsn__modules[module];

    if (info->store)
        return info->store(state, r, out);
    return info->tail ? info->tail(state, r, out) : 0;
}

static bool is_worth(enum dsn_module_index module, const struct dsn_record_state *state)
{
    return !dsn__modules[module]->wanted || dsn__modules[module]->wanted(state->rec);
}

/* Names without a record worth keeping are left out. */
static bool is_named(const struct dsn_name *name)
{
    for (const struct dsn_record_state *state = name->records; state; state = state->next_of_name)
        if (is_worth(state->module, state))
            return true;
    return false;
}

static size_t measure(const struct dsn_recording *r, struct contents *has)
{
    size_t size = sizeof(struct body) + padded(WITHOUT_TEXTS);

    has->texts = padded(strlen(r->origin->directory) + strlen(r->origin->logfile) + strlen(r->run->exe) + 3);
    size += has->texts;
    for (const struct dsn_name *name = r->names->first; name; name = name->next)
        if (is_named(name)) {
            has->nnames++;
            has->names += padded(sizeof name->id + strlen(name->text) + 1);
        }
    size += has->names;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = r->names->first_state[module]; state; state = state->next)
            if (is_worth(module, state)) {
                has->nrecords[module]++;
                size += dsn__record_size(module) + sizeof(uint64_t) + padded(put_tail(r, module, state, NULL));
            }
    return size;
}

static char *put_text(char *to, const char *text)
{
    const size_t n = strlen(text) + 1;

    memcpy(to, text, n);
    return to + n;
}

/* Returns the end. */
static char *put_who(char *to, const struct dsn_recording *r, const struct contents *has, const struct dsn_end *end)
{
    struct dsn_who *w = (struct dsn_who *)(void *)to;
    char *text = to + padded(WITHOUT_TEXTS), *const behind = text + has->texts;

    who_without_texts(w, r, end->created);
    w->was_killed = end->how == DSN_KILLED;
    w->runs = end->how == DSN_RUNS;
    w->executed = end->how == DSN_EXECUTES;
    w->names_job = w->executed && r->run->names_job;
    text = put_text(text, r->origin->directory);
    text = put_text(text, r->origin->logfile);
    put_text(text, r->run->exe);
    return behind;
}

/* Names and records. */
static void fill(const struct dsn_recording *r, char *to)
{
    for (const struct dsn_name *name = r->names->first; name; name = name->next)
        if (is_named(name)) {
            memcpy(to, &name->id, sizeof name->id);
            memcpy(to + sizeof name->id, name->text, strlen(name->text) + 1);
            to += padded(sizeof name->id + strlen(name->text) + 1);
        }
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = r->names->first_state[module]; state; state = state->next) {
            const size_t each = dsn__record_size(module);
            uint64_t behind;

            if (!is_worth(module, state))
                continue;
            memcpy(to, state->rec, each);
            behind = put_tail(r, module, state, to + each + sizeof behind);
            memcpy(to + each, &behind, sizeof behind);
            to += each + sizeof behind + padded(behind);
        }
}

static char *deflated(const char *bytes, struct head *h)
{
    char *stream = dsn__pack(bytes, h->raw, &h->packed);
    char *whole = stream ? dsn__pages(sizeof *h + h->packed) : NULL;

    if (whole)
        memcpy(whole + sizeof *h, stream, h->packed);
    dsn__pages_free(stream);
    return whole;
}

/* Completes the exit record in a block with room for the head before the body; frees the block if it returns
 * another. */
static void *pack(char *block, const struct dsn_exit_record_room *here, size_t raw, size_t *size)
{
    struct head h = {
        .magic = MAGIC, .layout = dsn__survival_layout(), .packed = raw, .raw = raw, .is_packed = raw > SMALL
    };
    char *whole = block;

    if (h.is_packed) {
        whole = deflated(block + sizeof h, &h);
        dsn__exit_record_free(block, here);
    }
    if (!whole)
        return NULL;
    h.sum = sum_of(whole + sizeof h, h.packed);
    memcpy(whole, &h, sizeof h);
    *size = sizeof h + h.packed;
    return whole;
}

/* When the process was killed, or has executed another program, is unknown: the end of the last recorded call. */
static void end_with_records(struct dsn_rank_summary *summary, const struct dsn_run *run)
{
    const int64_t ns = summary->start_nsec + run->ended - run->began;

    summary->end_sec = summary->start_sec + ns / 1000000000;
    summary->end_nsec = ns % 1000000000;
}

static void make_body(struct body *b, const struct dsn_recording *r, struct dsn_rank_summary *summary,
                      const struct dsn_end *end)
{
    if (r != &dsn__recording && end->how != DSN_RUNS) /* from a survival file */
        end_with_records(summary, r->run);
    b->summary = *summary;
    b->node = *dsn__rank_summary_nodes(summary);
    fill(r, put_who((char *)(b + 1), r, &b->has, end));
}

/* Zeroes where head and body will be. */
static char *make_block(struct dsn_exit_record_room *here, size_t raw)
{
    const size_t size = sizeof(struct head) + raw;

    if (size > sizeof here->bytes)
        return dsn__pages(size);
    memset(here->bytes, 0, size);
    return here->bytes;
}

void dsn__exit_record_free(void *packed, const struct dsn_exit_record_room *here)
{
    if (packed != here)
        dsn__pages_free(packed);
}

void *dsn__exit_record_pack(const struct dsn_recording *r, const struct dsn_end *end, struct dsn_exit_record_room *here,
                            size_t *size)
{
    struct contents has = { 0 };
    struct dsn_rank_row row;
    struct dsn_record_source own;
    struct dsn_rank_summary *summary;
    struct body *b;
    size_t raw;
    char *block;

    dsn__record_source_of(&own, r);
    summary = dsn__rank_summary_make(&own, 1, 0, &row);
    raw = measure(r, &has);
    block = summary ? make_block(here, raw) : NULL;
    if (block) {
        b = (struct body *)(void *)(block + sizeof(struct head));
        b->row = row;
        b->has = has;
        make_body(b, r, summary, end);
        block = pack(block, here, raw, size);
    }
    dsn__pages_free(summary);
    return block;
}

/* ------------------------------------------------------------------ unpacking */

static void *take_pages(void *opaque, unsigned items, unsigned size)
{
    (void)opaque;
    return dsn__pages((size_t)items * size);
}

static void give_pages(void *opaque, void *block)
{
    (void)opaque;
    dsn__pages_free(block);
}

static bool inflate_all(const void *from, size_t packed, void *to, size_t raw)
{
    z_stream z = { .zalloc = take_pages, .zfree = give_pages };
    int ok;

    if (packed > UINT32_MAX || raw > UINT32_MAX || inflateInit(&z) != Z_OK)
        return false;
    z.next_in = (unsigned char *)(uintptr_t)from;
    z.avail_in = (unsigned)packed;
    z.next_out = to;
    z.avail_out = (unsigned)raw;
    ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    return ok;
}

/* Remainder of a body. */
struct reader {
    char *at;
    size_t left;
};

static void *take_bytes(struct reader *r, size_t size)
{
    void *p = r->at;

    if (size > r->left)
        return NULL;
    r->at += size;
    r->left -= size;
    return p;
}

static size_t state_size(int module)
{
    const struct dsn_module_info *info = dsn__modules[module];

    return info->load ? info->state_size : sizeof(struct dsn_record_state);
}

static bool read_names(struct dsn_record_source *s, const struct body *b, struct reader *r, struct dsn_bump *memory)
{
    struct dsn_name **last = &s->first;

    for (uint64_t i = 0; i < b->has.nnames; i++) {
        const size_t most = r->left > sizeof(uint64_t) ? r->left - sizeof(uint64_t) : 0;
        const size_t n = most > 0 ? strnlen(r->at + sizeof(uint64_t), most) : 0;
        const char *entry = n < most ? take_bytes(r, padded(sizeof(uint64_t) + n + 1)) : NULL;
        struct dsn_name *name = entry ? dsn__bump(memory, sizeof *name + n + 1) : NULL;

        if (!name)
            return false;
        memcpy(&name->id, entry, sizeof name->id);
        memcpy(name->text, entry + sizeof name->id, n + 1);
        *last = name;
        last = &name->next;
    }
    return dsn__record_source_index(s, memory);
}

static bool read_record(struct dsn_record_source *s, int module, struct reader *r, struct dsn_bump *memory,
                        struct dsn_record_state ***last)
{
    struct dsn_rec *rec = take_bytes(r, dsn__record_size((enum dsn_module_index)module));
    const uint64_t *behind = rec ? take_bytes(r, sizeof *behind) : NULL;
    const void *bytes = behind && *behind <= r->left ? take_bytes(r, padded(*behind)) : NULL;
    struct dsn_name *name = bytes ? dsn__record_source_find(s, rec->id) : NULL;
    struct dsn_record_state *state;

    if (!name || dsn__name_record(name, (enum dsn_module_index)module))
        return false;
    state = dsn__bump(memory, state_size(module));
    if (!state)
        return false;
    state->name = name;
    state->rec = rec;
    if (dsn__modules[module]->load)
        dsn__modules[module]->load(state, bytes, *behind);
    dsn__name_add_record(name, (enum dsn_module_index)module, state);
    **last = state;
    *last = &state->next;
    return true;
}

static bool take_text(struct reader *r, char *out, size_t size)
{
    const size_t n = strnlen(r->at, r->left);

    if (n == r->left || n >= size)
        return false;
    memcpy(out, take_bytes(r, n + 1), n + 1);
    return true;
}

static const struct dsn_who *read_who(const struct body *b, struct reader *r, struct dsn_bump *memory)
{
    const void *first = take_bytes(r, padded(WITHOUT_TEXTS));
    struct reader texts = { first ? take_bytes(r, b->has.texts) : NULL, b->has.texts };
    struct dsn_who *w = texts.at ? dsn__bump(memory, sizeof *w) : NULL;

    if (!w)
        return NULL;
    memcpy(w, first, WITHOUT_TEXTS);
    return take_text(&texts, w->origin.directory, sizeof w->origin.directory) &&
                   take_text(&texts, w->origin.logfile, sizeof w->origin.logfile) &&
                   take_text(&texts, w->exe, sizeof w->exe)
               ? w
               : NULL;
}

static bool read_summary(struct dsn_exit_record *record, const struct body *b, struct dsn_bump *memory)
{
    record->summary = dsn__bump(memory, sizeof b->summary + sizeof b->node);
    if (!record->summary)
        return false;
    *record->summary = b->summary;
    record->summary->nids = 0;
    record->summary->nnodes = 1;
    *dsn__rank_summary_nodes(record->summary) = b->node;
    record->row = b->row;
    return true;
}

/* Returns false if it is invalid, or there is no memory. */
static bool read_body(struct dsn_exit_record *record, char *bytes, size_t raw, struct dsn_bump *memory)
{
    struct reader r = { bytes, raw };
    struct body *b = take_bytes(&r, sizeof *b);

    if (!b || b->has.nnames > r.left || b->has.texts != padded(b->has.texts) || !read_summary(record, b, memory))
        return false;
    record->who = read_who(b, &r, memory);
    if (!record->who || !read_names(&record->source, b, &r, memory))
        return false;
    for (int module = 0; module < DSN_NMODULES; module++) {
        struct dsn_record_state **last = &record->source.first_state[module];

        for (uint64_t i = 0; i < b->has.nrecords[module]; i++)
            if (!read_record(&record->source, module, &r, memory, &last))
                return false;
    }
    return true;
}

static bool unpack(const struct head *h, const char *packed, char *bytes)
{
    if (h->is_packed)
        return inflate_all(packed, h->packed, bytes, h->raw);
    memcpy(bytes, packed, h->raw);
    return true;
}

static struct dsn_exit_record *read_exit_record(const struct head *h, const char *packed, struct dsn_bump *memory)
{
    struct dsn_exit_record *record = dsn__bump(memory, sizeof *record);
    char *bytes = record ? dsn__bump(memory, h->raw) : NULL;

    if (!bytes || !unpack(h, packed, bytes))
        return NULL;
    return read_body(record, bytes, h->raw, memory) ? record : NULL;
}

/* Whether the sizes in the head are plausible: a packed byte expands to at most 1,032. */
static bool is_one(const struct head *h, uint64_t layout, const char *packed, size_t left)
{
    return h->magic == MAGIC && h->layout == layout && h->packed <= left && h->raw <= UINT32_MAX &&
           (h->is_packed ? h->raw / 1032 <= h->packed + 1 : h->raw == h->packed) && sum_of(packed, h->packed) == h->sum;
}

static size_t next_magic(const char *bytes, size_t at, size_t end)
{
    const uint64_t magic = MAGIC;
    const char *found = at < end ? memmem(bytes + at, end - at, &magic, sizeof magic) : NULL;

    return found ? (size_t)(found - bytes) : end;
}

/* Unpacks the exit records that start in [*at, end) of `size` bytes; sets *at behind the last one. */
static struct dsn_exit_record **scan(const char *bytes, size_t *at, size_t end, size_t size,
                                     struct dsn_exit_record **last, struct dsn_bump *memory)
{
    const uint64_t layout = dsn__survival_layout();

    while (*at < end && size - *at >= sizeof(struct head)) {
        const char *packed = bytes + *at + sizeof(struct head);
        struct head h;
        struct dsn_exit_record *record = NULL;

        memcpy(&h, bytes + *at, sizeof h);
        if (is_one(&h, layout, packed, size - *at - sizeof h))
            record = read_exit_record(&h, packed, memory);
        if (record) {
            *last = record;
            last = &record->next;
            *at += sizeof h + h.packed;
        } else {
            *at = next_magic(bytes, *at + 1, end); /* the start of the next one is unknown */
        }
    }
    return last;
}

struct dsn_exit_record **dsn__exit_records_of(const char *bytes, size_t size, struct dsn_exit_record **last,
                                              struct dsn_bump *memory)
{
    size_t at = 0;

    return scan(bytes, &at, size, size, last, memory);
}

/* Reads instead of mapping: a file that is truncated while mapped kills the process. Holes are skipped, and take no
 * memory here. */
static bool read_file(int fd, char *bytes, off_t size)
{
    off_t end = 0;

    for (off_t at = 0; at < size; at = end) {
        ssize_t n = 1;

        at = dsn__next_piece(fd, at, size, &end);
        for (; at < end && n > 0; at += n)
            n = dsn__sys_pread(fd, bytes + at, (size_t)(end - at), at);
        if (n < 0)
            return false;
    }
    return true;
}

/* Scans a file that was read, without its holes, which would take as long. */
static void scan_file(int fd, const char *bytes, off_t size, struct dsn_exit_record **last, struct dsn_bump *memory)
{
    size_t at = 0;
    off_t end = 0;

    for (off_t begin = 0; begin < size; begin = end) {
        begin = dsn__next_piece(fd, begin, size, &end);
        at = at > (size_t)begin ? at : (size_t)begin;
        last = scan(bytes, &at, (size_t)end, (size_t)size, last, memory);
    }
}

bool dsn__exit_records_read(const char *path, struct dsn_exit_record **last, struct dsn_bump *memory)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *bytes = NULL;
    bool is_read = true;
    struct stat st;
    off_t end;

    if (fd < 0)
        return errno == ENOENT || errno == ELOOP; /* a link is not ours */
    if (dsn__sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == dsn__sys_geteuid() && st.st_size > 0) {
        bytes = dsn__pages((size_t)st.st_size);
        if (bytes && read_file(fd, bytes, st.st_size))
            scan_file(fd, bytes, st.st_size, last, memory);
        else
            is_read = dsn__next_piece(fd, 0, st.st_size, &end) >= st.st_size; /* there are but holes */
    }
    dsn__pages_free(bytes);
    close(fd);
    return is_read;
}

bool dsn__exit_records_are_foreign(int dir, const char *name)
{
    struct stat st;
    struct head h;
    const int fd = dsn__survival_open_at(dir, name, dsn__sys_geteuid(), &st);
    const bool has_head = fd >= 0 && dsn__sys_pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h;

    if (fd >= 0)
        close(fd);
    return has_head && ((h.magic ^ MAGIC) & WITHOUT_VERSION) == 0 &&
           (h.magic != MAGIC || h.layout != dsn__survival_layout());
}

bool dsn__exit_record_write(enum dsn_exit_record_for to, enum dsn_ending ending)
{
    const struct dsn_end end = { ending, dsn__survival->created };
    const int64_t own = dsn__member->number;
    int64_t pids[DSN_COLLECTORS + 1];
    int n = to == DSN_FOR_ITSELF ? 0 : dsn__collectors(pids), ok = 0;
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    struct dsn_exit_record_room here;
    size_t size = 0;
    void *packed;

    if (to != DSN_FOR_COLLECTOR)
        pids[n++] = own;
    packed = n > 0 ? dsn__exit_record_pack(&dsn__recording, &end, &here, &size) : NULL;
    dsn__tree_path(path, sizeof path, own, DSN_EXIT_RECORDS_SUFFIX);
    for (int i = 0; packed && i < n && !ok; i++)
        ok = pids[i] == own ? dsn__process_tree_append(path, packed, size)
                            : dsn__process_tree_append_for(pids[i], packed, size);
    dsn__exit_record_free(packed, &here);
    return ok;
}
