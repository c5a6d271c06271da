/* extension.c - directory and footer of the extension section
 * SPDX-License-Identifier: BSD-3-Clause */
#include "extension.h"

#include <string.h>

#include "err.h"
#include "hash.h"
#include "index.h"

static const char footer_magic[16] = "DARSHAN EXT 1";

static uint64_t get64(const unsigned char **p, int swap)
{
    const uint64_t v = dsn_u64_at(*p, swap);

    *p += sizeof v;
    return v;
}

static void put64(unsigned char **p, uint64_t v)
{
    memcpy(*p, &v, sizeof v);
    *p += sizeof v;
}

size_t dsn_ext_tail_size(uint64_t nparts)
{
    return nparts * DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE;
}

void dsn_ext_store(const struct dsn_ext *ext, uint64_t off, void *bytes)
{
    unsigned char *p = bytes;

    for (uint64_t i = 0; i < ext->nparts; i++) {
        const struct dsn_ext_part *part = &ext->part[i];

        memcpy(p, part->name, sizeof part->name);
        p += sizeof part->name;
        put64(&p, part->version);
        put64(&p, part->off);
        put64(&p, part->stored);
        put64(&p, part->raw);
        put64(&p, part->sum);
    }
    put64(&p, off);
    put64(&p, ext->nparts);
    put64(&p, dsn_hash(bytes, ext->nparts * DSN_EXT_ENTRY_SIZE, 0));
    memcpy(p, footer_magic, sizeof footer_magic);
}

int dsn_ext_find(const void *footer, uint64_t file_size, int swap, struct dsn_ext_directory *where)
{
    const unsigned char *p = footer;
    uint64_t nparts;

    where->off = get64(&p, swap);
    nparts = get64(&p, swap);
    where->sum = get64(&p, swap);
    where->len = nparts * DSN_EXT_ENTRY_SIZE;
    return memcmp(p, footer_magic, sizeof footer_magic) == 0 && nparts <= DSN_EXT_MAX_PARTS &&
           file_size >= dsn_ext_tail_size(nparts) && where->off == file_size - dsn_ext_tail_size(nparts);
}

int dsn_ext_load(const void *directory, const struct dsn_ext_directory *where, int swap, struct dsn_ext *ext)
{
    const unsigned char *p = directory;

    if (dsn_hash(directory, where->len, 0) != where->sum)
        return DSN_ERR_EXTENSION;
    ext->nparts = where->len / DSN_EXT_ENTRY_SIZE;
    for (uint64_t i = 0; i < ext->nparts; i++) {
        struct dsn_ext_part *part = &ext->part[i];

        memcpy(part->name, p, sizeof part->name);
        part->name[sizeof part->name - 1] = '\0';
        p += sizeof part->name;
        part->version = get64(&p, swap);
        part->off = get64(&p, swap);
        part->stored = get64(&p, swap);
        part->raw = get64(&p, swap);
        part->sum = get64(&p, swap);
        if (part->off > where->off || part->stored > where->off - part->off)
            return DSN_ERR_EXTENSION;
    }
    return DSN_ERR_OK;
}

const struct dsn_ext_part *dsn_ext_part(const struct dsn_ext *ext, const char *name, uint64_t version)
{
    for (uint64_t i = 0; i < ext->nparts; i++)
        if (strcmp(ext->part[i].name, name) == 0 && ext->part[i].version == version)
            return &ext->part[i];
    return NULL;
}

uint64_t dsn_cufile_buffers(void)
{
    return dsn_hash(DSN_CUFILE_BUFFERS, sizeof DSN_CUFILE_BUFFERS - 1, 0);
}

int dsn_sharing_has_rows(const struct dsn_table *t)
{
    uint16_t at;

    return t && dsn_role_rows(t, DSN_R_BYTES, &at, 1) && dsn_role_rows(t, DSN_R_TIME, &at, 1);
}

void dsn_sharing_row(const struct dsn_table *t, const struct dsn_rec *r, int64_t rank, struct dsn_rec *row)
{
    union dsn_val *v = row->v;

    row->id = r->id;
    row->rank = -1;
    v[SHARED_MODULE].i = t->id;
    v[SHARED_RANKS].i = 1;
    v[SHARED_READERS].i = dsn_rec_role_i64(t, r, DSN_R_BYTES) > 0;
    v[SHARED_WRITERS].i = dsn_rec_role_i64(t, r, DSN_W_BYTES) > 0;
    v[SHARED_SLOWEST_RANK].i = rank;
    v[SHARED_F_SLOWEST_READ_TIME].f = dsn_rec_role_f64(t, r, DSN_R_TIME);
    v[SHARED_F_SLOWEST_WRITE_TIME].f = dsn_rec_role_f64(t, r, DSN_W_TIME);
    v[SHARED_F_SLOWEST_META_TIME].f = dsn_rec_role_f64(t, r, DSN_M_TIME);
    v[SHARED_F_SLOWEST_TIME].f =
        v[SHARED_F_SLOWEST_READ_TIME].f + v[SHARED_F_SLOWEST_WRITE_TIME].f + v[SHARED_F_SLOWEST_META_TIME].f;
}
