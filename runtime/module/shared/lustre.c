/* lustre.c - striping of files on Lustre
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the attribute is part of Lustre's user API (struct lov_user_md and lov_comp_md_v1 in lustre_user.h);
 * its integers are in host byte order. */
#include <config.h>

#include "module/shared/lustre.h"

#include <stdbool.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/kernel.h"
#include "base/pages.h"
#include "config/mounts.h"
#include "darshan-log-format/varying.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/span.h"

#define MOST_BYTES 65536 /* of an attribute: the kernel's limit */

#define MAGIC_V1   0x0BD10BD0u
#define MAGIC_V3   0x0BD30BD0u /* includes a pool name */
#define MAGIC_COMP 0x0BD60BD0u /* composite: entries, each of which refers to one of the above */

enum { V1_HEAD = 32, V3_HEAD = 48, OBJECT = 24, COMP_HEAD = 32, ENTRY = 48 };

#define FLAG_INIT        0x10u
#define PATTERN_MDT      0x100u
#define PATTERN_OVER     0x200u
#define PATTERN_FOREIGN  0x400u
#define PATTERN_RELEASED 0x80000000u /* released by HSM: there are no objects */

struct lustre_file {
    struct dsn_record_state state;
    struct dsn_lustre_comp *comps; /* the number is in the record; their OSTs follow */
    size_t room;                   /* allocated bytes */
};

/* Contents of an attribute. If comps is NULL it is only measured. */
struct layout {
    size_t ncomps, nosts;
    struct dsn_lustre_comp *comps;
    int64_t *osts;
    int is_growing; /* some components are not instantiated yet */
};

static uint16_t get16(const char *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t get32(const char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t get64(const char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

/* Converts to the values in the log: those of Lustre's llapi. */
static int64_t pattern_of(uint32_t pattern)
{
    if (pattern & PATTERN_FOREIGN)
        return 8;
    if (pattern & PATTERN_OVER)
        return 4;
    return pattern & PATTERN_MDT ? 2 : 0;
}

/* Parses one component's striping of `n` bytes; `place` says where it lies in the file. Returns false if it is invalid. */
static bool take_component(const char *p, size_t n, const struct dsn_lustre_comp *place, struct layout *layout)
{
    const uint32_t magic = n >= V1_HEAD ? get32(p) : 0, pattern = magic ? get32(p + 4) : 0;
    const size_t head = magic == MAGIC_V3 ? V3_HEAD : V1_HEAD;
    size_t count;

    if ((magic != MAGIC_V1 && magic != MAGIC_V3) || n < head)
        return false;
    count = pattern & (PATTERN_MDT | PATTERN_RELEASED | PATTERN_FOREIGN) ? 0 : get16(p + 28);
    if (count > (n - head) / OBJECT)
        return false;
    if (layout->comps) {
        struct dsn_lustre_comp *c = &layout->comps[layout->ncomps];

        *c = *place;
        c->stripe_size = get32(p + 24);
        c->stripe_count = (int64_t)count;
        c->pattern = pattern_of(pattern);
        if (magic == MAGIC_V3)
            memcpy(c->pool, p + V1_HEAD, sizeof c->pool);
        for (size_t i = 0; i < count; i++)
            layout->osts[layout->nosts + i] = get32(p + head + i * OBJECT + 20);
    }
    layout->ncomps++;
    layout->nosts += count;
    return true;
}

static bool take_entry(const char *p, size_t n, const char *entry, struct layout *layout)
{
    const uint32_t flags = get32(entry + 4), offset = get32(entry + 24), size = get32(entry + 28);
    const uint64_t end = get64(entry + 16);
    const struct dsn_lustre_comp place = {
        .flags = flags,
        .start = (int64_t)get64(entry + 8),
        .end = end > INT64_MAX ? -1 : (int64_t)end,
        .mirror = get32(entry) >> 16 & 0x7fff,
    };

    if (!(flags & FLAG_INIT)) {
        layout->is_growing = 1;
        return true;
    }
    return offset <= n && size <= n - offset && take_component(p + offset, size, &place, layout);
}

/* Parses an attribute of `n` bytes. Returns false if it is invalid. */
static bool take_layout(const char *p, size_t n, struct layout *layout)
{
    const struct dsn_lustre_comp whole = { .end = -1 };
    size_t count;

    layout->ncomps = layout->nosts = 0;
    if (n < COMP_HEAD || get32(p) != MAGIC_COMP)
        return take_component(p, n, &whole, layout);
    count = get16(p + 14);
    if (count > (n - COMP_HEAD) / ENTRY)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_entry(p, n, p + COMP_HEAD + i * ENTRY, layout))
            return false;
    return true;
}

/* Allocates what was measured; the record is locked. */
static bool make_room(struct lustre_file *f, const struct layout *layout)
{
    const size_t size = layout->ncomps * sizeof f->comps[0] + layout->nosts * sizeof(int64_t);
    void *p;

    if (size <= f->room)
        return true;
    p = dsn__alloc(size);
    if (!p) {
        atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << DSN_LUSTRE_MODULE);
        return false;
    }
    f->comps = p;
    f->room = size;
    return true;
}

static void store_layout(struct dsn_name *name, const char *p, size_t n, struct layout *layout)
{
    struct lustre_file *f = (struct lustre_file *)dsn__record_of_name(DSN_INDEX_LUSTRE, name);

    if (!f || !dsn__lock(&f->state))
        return;
    if (make_room(f, layout)) {
        layout->comps = f->comps;
        layout->osts = (int64_t *)(f->comps + layout->ncomps);
        take_layout(p, n, layout);
        f->state.rec->v[LUSTRE_NUM_COMPONENTS].i = (int64_t)layout->ncomps;
        f->state.rec->v[LUSTRE_NUM_STRIPES].i = (int64_t)layout->nosts;
    }
    dsn__unlock(&f->state);
}

void dsn__lustre_ask(int fd, struct dsn_name *name, atomic_int *done)
{
    struct layout layout = { 0 };
    char *p;
    ssize_t n;

    if (!dsn__may_be_on_lustre(fd)) {
        atomic_store_explicit(done, 1, memory_order_relaxed);
        return;
    }
    p = dsn__pages(MOST_BYTES);
    n = p ? fgetxattr(fd, "lustre.lov", p, MOST_BYTES) : -1;
    if (n > 0 && take_layout(p, (size_t)n, &layout) && layout.ncomps > 0)
        store_layout(name, p, (size_t)n, &layout);
    if (p && (n <= 0 || !layout.is_growing))
        atomic_store_explicit(done, 1, memory_order_relaxed);
    dsn__pages_free(p);
}

static size_t tail(const struct dsn_record_state *state, const struct dsn_recording *r, void *out)
{
    const struct lustre_file *f = (const struct lustre_file *)state;
    const size_t size = (size_t)state->rec->v[LUSTRE_NUM_COMPONENTS].i * sizeof f->comps[0] +
                        (size_t)state->rec->v[LUSTRE_NUM_STRIPES].i * sizeof(int64_t);

    (void)r;
    if (out && size > 0)
        memcpy(out, f->comps, size);
    return size;
}

static void load(struct dsn_record_state *state, const void *bytes, size_t size)
{
    struct lustre_file *f = (struct lustre_file *)state;

    f->comps = (struct dsn_lustre_comp *)(uintptr_t)bytes;
    f->room = size;
    if (tail(state, NULL, NULL) > size)
        state->rec->v[LUSTRE_NUM_COMPONENTS].i = state->rec->v[LUSTRE_NUM_STRIPES].i = 0;
}

static enum dsn_salvage_result salvage(struct dsn_record_state *state, const struct dsn_salvaged *r)
{
    struct lustre_file *f = (struct lustre_file *)state;
    const union dsn_val *v = state->rec->v;
    const int64_t most = INT64_C(1) << 20;

    if (v[LUSTRE_NUM_COMPONENTS].i < 0 || v[LUSTRE_NUM_COMPONENTS].i > most || v[LUSTRE_NUM_STRIPES].i < 0 ||
        v[LUSTRE_NUM_STRIPES].i > most)
        return DSN_LOST;
    f->comps = dsn__salvaged_claim(r, f->comps, tail(state, NULL, NULL));
    return f->comps || tail(state, NULL, NULL) == 0 ? DSN_WHOLE : DSN_LOST;
}

static bool wanted(const struct dsn_rec *rec)
{
    return rec->v[LUSTRE_NUM_COMPONENTS].i > 0;
}

const struct dsn_module_info dsn__lustre_module = {
    .id = DSN_LUSTRE_MODULE,
    .state_size = sizeof(struct lustre_file),
    .sharing = DSN_ANY_RANK,
    .path_named = 1,
    .is_never_aggregated = 1,
    .wanted = wanted,
    .salvage = salvage,
    .tail = tail,
    .load = load,
};
