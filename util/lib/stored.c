/* stored.c - the name table in a temporary file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The names stand one behind the other as in the newest logs: id, text, NUL. The index is a hash table for each part
 * of a bigmap: slots of an id and where its name stands, open addressing with linear probing. */
#include "stored.h"

#include <stdlib.h>
#include <string.h>

#include "bigmap.h"
#include "darshan-log-format/err.h"
#include "spill.h"

#define ID_SIZE    sizeof(uint64_t)
#define LEAST      (ID_SIZE + 1) /* bytes of a name with its id: no two of them begin in the same nine bytes */
#define NOWHERE    UINT64_MAX
#define NEAR       ((size_t)4 << 10)  /* is read for one name, */
#define ALONG      ((size_t)64 << 10) /* and for many in a row */
#define AHEAD      16                 /* names that are looked at before the index is */
#define SOME_SLOTS 16                 /* are read at once */

/* What is known of an id while the table is filled. */
struct known {
    uint64_t id;
    uint64_t first; /* where its first name stands, */
    uint64_t text;  /* and its first that is not empty, or NOWHERE */
};

struct slot {
    uint64_t id;
    uint64_t next_to; /* 1 more than where the name stands; 0: the slot is free */
};

/* A name where it stands. */
struct found {
    uint64_t id;
    const char *text;
    uint64_t end; /* where the next one stands */
};

struct dsn__stored {
    struct dsn__spill names, index;
    struct dsn__bigmap ids; /* until it is finished */
    size_t count;
    struct {
        uint64_t at, slots; /* in the index; slots: a power of two */
    } part[DSN_BIGMAP_PARTS];
    unsigned nparts;
    unsigned char
        *again; /* a bit for every nine bytes of `names`: an id's second name, or third, ... NULL: there are none */
    size_t again_size;
    struct { /* a piece of `names` */
        unsigned char *bytes;
        uint64_t at;
        size_t n, room;
    } view;
    uint64_t last; /* where the name stands that was asked for last */
    struct {
        size_t i;
        uint64_t at; /* of name i, or of one in front of it that does not count */
    } walk;
    int failed;
};

/* ------------------------------------------------------------------ filling */

static void note_again(struct dsn__stored *s, uint64_t at)
{
    const uint64_t bit = at / LEAST;

    if (bit / 8 >= s->again_size) {
        const size_t size = (size_t)(bit / 8 + 1) * 2;
        unsigned char *bigger = realloc(s->again, size);

        if (!bigger) {
            s->failed = 1;
            return;
        }
        memset(bigger + s->again_size, 0, size - s->again_size);
        s->again = bigger;
        s->again_size = size;
    }
    s->again[bit / 8] |= (unsigned char)(1U << bit % 8);
}

static int is_again(const struct dsn__stored *s, uint64_t at)
{
    const uint64_t bit = at / LEAST;

    return bit / 8 < s->again_size && s->again[bit / 8] >> bit % 8 & 1;
}

static void merge_known(void *into, const void *later, void *context)
{
    struct known *k = into;
    const struct known *other = later;

    note_again(context, other->first);
    if (k->text == NOWHERE)
        k->text = other->text;
}

struct dsn__stored *dsn__stored_new(void)
{
    struct dsn__stored *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    dsn__bigmap_init(&s->ids, sizeof(struct known), merge_known, s);
    if (dsn__spill_open(&s->names))
        return s;
    dsn__stored_free(s);
    return NULL;
}

void dsn__stored_free(struct dsn__stored *s)
{
    if (!s)
        return;
    dsn__spill_close(&s->names);
    dsn__spill_close(&s->index);
    dsn__bigmap_free(&s->ids);
    free(s->again);
    free(s->view.bytes);
    free(s);
}

int dsn__stored_add(struct dsn__stored *s, uint64_t id, const char *text, size_t length)
{
    const uint64_t at = s->names.size;
    int fresh;
    struct known *k = dsn__bigmap_element(&s->ids, id, &fresh);

    if (!k)
        return 0;
    if (!fresh && (k->text != NOWHERE || length == 0))
        return 1;
    if (fresh) {
        k->first = at;
        k->text = NOWHERE;
    } else {
        note_again(s, at);
    }
    if (length > 0)
        k->text = at;
    s->count++;
    return dsn__spill_put(&s->names, &id, sizeof id) && dsn__spill_put(&s->names, text, length) &&
           dsn__spill_put(&s->names, "", 1) && !s->failed;
}

size_t dsn__stored_count(const struct dsn__stored *s)
{
    return s->count;
}

/* The table of a part, to the end of the index. */
static int put_table(struct dsn__stored *s, unsigned p, const struct known *known, size_t n)
{
    struct slot *table;
    size_t size = SOME_SLOTS;
    int ok;

    while (size / 4 * 3 < n)
        size *= 2;
    table = calloc(size, sizeof *table);
    if (!table)
        return 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = dsn__bigmap_hash(&s->ids, known[i].id) & (size - 1);

        while (table[at].next_to != 0)
            at = (at + 1) & (size - 1);
        table[at].id = known[i].id;
        table[at].next_to = (known[i].text == NOWHERE ? known[i].first : known[i].text) + 1;
    }
    s->part[p].at = s->index.size;
    s->part[p].slots = size;
    ok = dsn__spill_put(&s->index, table, size * sizeof *table);
    free(table);
    return ok;
}

int dsn__stored_finish(struct dsn__stored *s)
{
    size_t n;

    if (!dsn__spill_flush(&s->names) || !dsn__spill_open(&s->index))
        return 0;
    s->nparts = dsn__bigmap_parts(&s->ids);
    s->count = 0;
    for (unsigned p = 0; p < s->nparts; p++) {
        void *known;

        if (dsn__bigmap_read(&s->ids, p, &known, &n) != DSN_ERR_OK || !put_table(s, p, known, n))
            return 0;
        s->count += n;
    }
    dsn__bigmap_free(&s->ids); /* its hash function stays */
    return dsn__spill_flush(&s->index) && !s->failed;
}

/* ------------------------------------------------------------------ asking */

/* The name at `at`, if the view has all of it. */
static int parse(const struct dsn__stored *s, uint64_t at, struct found *f)
{
    const unsigned char *p = s->view.bytes + (at - s->view.at), *nul;
    size_t left;

    if (at < s->view.at || at - s->view.at >= s->view.n)
        return 0;
    left = s->view.n - (size_t)(at - s->view.at);
    nul = left > ID_SIZE ? memchr(p + ID_SIZE, '\0', left - ID_SIZE) : NULL;
    if (!nul)
        return 0;
    memcpy(&f->id, p, sizeof f->id);
    f->text = (const char *)p + ID_SIZE;
    f->end = at + (uint64_t)(nul - p) + 1;
    return 1;
}

/* Brings up to n bytes from `at` into the view. */
static int fill(struct dsn__stored *s, uint64_t at, size_t n)
{
    if (at >= s->names.size)
        return 0;
    if (n > s->names.size - at)
        n = (size_t)(s->names.size - at);
    if (n > s->view.room) {
        unsigned char *bigger = realloc(s->view.bytes, n);

        if (!bigger)
            return 0;
        s->view.bytes = bigger;
        s->view.room = n;
    }
    s->view.at = at;
    s->view.n = dsn__spill_get(&s->names, at, s->view.bytes, n) ? n : 0;
    return s->view.n > 0;
}

/* The name at `at`, where one begins. 0: the file cannot be read, which is noted. */
static int look(struct dsn__stored *s, uint64_t at, struct found *f)
{
    const uint64_t view_end = s->view.at + s->view.n;
    size_t want = at >= s->view.at && at <= view_end ? ALONG : NEAR, had = 0;

    for (; !parse(s, at, f); want *= 2) {
        if (!fill(s, at, want) || s->view.n == had) {
            s->failed = 1;
            return 0;
        }
        had = s->view.n;
    }
    return 1;
}

/* Where the index says that an id's name stands; NOWHERE: it has none, or the file cannot be read. */
static uint64_t find(struct dsn__stored *s, uint64_t id)
{
    const uint64_t hash = dsn__bigmap_hash(&s->ids, id);
    const unsigned p = s->nparts > 1 ? (unsigned)(hash >> 56) : 0;
    const uint64_t mask = s->part[p].slots - 1;
    struct slot some[SOME_SLOTS];

    /* slots are read in groups, from the beginning of the first one's */
    for (uint64_t i = hash & mask, read = 0; read <= mask + SOME_SLOTS; read += SOME_SLOTS) {
        const uint64_t group = i / SOME_SLOTS * SOME_SLOTS;

        if (!dsn__spill_get(&s->index, s->part[p].at + group * sizeof some[0], some, sizeof some)) {
            s->failed = 1;
            return NOWHERE;
        }
        for (; i < group + SOME_SLOTS; i++)
            if (some[i - group].next_to == 0)
                return NOWHERE;
            else if (some[i - group].id == id)
                return some[i - group].next_to - 1;
        i &= mask;
    }
    return NOWHERE;
}

/* The id's name if it is the one that was asked for last, or soon behind it. */
static int guess(struct dsn__stored *s, uint64_t id, struct found *f)
{
    uint64_t at = s->last;

    for (int i = 0; i < AHEAD && at < s->names.size; i++, at = f->end) {
        if (!(i < 2 ? look(s, at, f) : parse(s, at, f)))
            return 0;
        if (f->id != id)
            continue;
        s->last = at;
        return 1;
    }
    return 0;
}

const char *dsn__stored_get(struct dsn__stored *s, uint64_t id)
{
    struct found f;
    uint64_t at;

    if (!s->again && guess(s, id, &f))
        return f.text;
    at = find(s, id);
    if (at == NOWHERE || !look(s, at, &f))
        return NULL;
    s->last = at;
    return f.text;
}

const char *dsn__stored_at(struct dsn__stored *s, size_t i, uint64_t *id)
{
    const char *later;
    struct found f;

    if (i < s->walk.i)
        s->walk.i = s->walk.at = 0;
    for (;; s->walk.at = f.end) {
        const int counts = !is_again(s, s->walk.at);

        if (!look(s, s->walk.at, &f)) {
            *id = 0;
            return "";
        }
        if (counts && s->walk.i == i)
            break;
        s->walk.i += (size_t)counts;
    }
    *id = f.id;
    if (*f.text || !s->again)
        return f.text;
    later = dsn__stored_get(s, f.id);
    return later ? later : "";
}

int dsn__stored_failed(const struct dsn__stored *s)
{
    return s->failed;
}
