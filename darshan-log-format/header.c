/* header.c - header and job record, field by field
 * SPDX-License-Identifier: BSD-3-Clause */
#include "header.h"

#include <string.h>

#include "err.h"

/* A cursor over file bytes; `swap` matters for reading only, because we write native order. */
struct cursor {
    const unsigned char *in;
    unsigned char *out;
    int swap;
};

static uint64_t get64(struct cursor *c)
{
    const uint64_t v = dsn_u64_at(c->in, c->swap);

    c->in += sizeof v;
    return v;
}

static uint32_t get32(struct cursor *c)
{
    const uint32_t v = dsn_u32_at(c->in, c->swap);

    c->in += sizeof v;
    return v;
}

static void put64(struct cursor *c, uint64_t v)
{
    memcpy(c->out, &v, sizeof v);
    c->out += sizeof v;
}

static void put32(struct cursor *c, uint32_t v)
{
    memcpy(c->out, &v, sizeof v);
    c->out += sizeof v;
}

/* Parses "<int>.<int>" at the start of 8 bytes; leading zeros and trailing bytes are ignored. Returns 0 if there is
 * none. */
static int scan_version(const char v[8], int *major, int *minor)
{
    int *part[2] = { major, minor };
    int i = 0;

    for (int k = 0; k < 2; k++) {
        int digits = 0;

        for (*part[k] = 0; i < 8 && v[i] >= '0' && v[i] <= '9'; i++, digits++)
            *part[k] = *part[k] * 10 + (v[i] - '0');
        if (digits == 0 || (k == 0 && (i == 8 || v[i++] != '.')))
            return 0;
    }
    return 1;
}

static int is_new(int minor)
{
    return minor == 41;
}

static int known_version(int major, int minor)
{
    return major == 3 && (minor == 0 || minor == 10 || minor == 20 || minor == 21 || minor == 41);
}

/* Old versions lack a module in their numbering: moves those from `at` on up by one. */
static void insert_slot(struct dsn_header *h, unsigned at)
{
    const uint64_t below = ((uint64_t)1 << at) - 1;

    memmove(&h->mod[at + 1], &h->mod[at], (DSN_MODULE_SLOTS - 1 - at) * sizeof h->mod[0]);
    memmove(&h->mod_version[at + 1], &h->mod_version[at], (DSN_MODULE_SLOTS - 1 - at) * sizeof h->mod_version[0]);
    memset(&h->mod[at], 0, sizeof h->mod[at]);
    h->mod_version[at] = 0;
    h->partial = (h->partial & below) | (h->partial & ~below) << 1;
}

int dsn_header_load(const void *bytes, size_t n, struct dsn_header *h)
{
    struct cursor c = { .in = bytes };
    const uint64_t magic = DSN_MAGIC;
    uint64_t found;
    int major, minor, is_new_header;
    unsigned slots;

    if (n < 16)
        return DSN_ERR_SHORT;
    memset(h, 0, sizeof *h);
    memcpy(h->version, c.in, sizeof h->version);
    c.in += sizeof h->version;
    found = get64(&c);
    h->swap = found == __builtin_bswap64(magic);
    if (found != magic && !h->swap)
        return DSN_ERR_MAGIC;
    if (!scan_version(h->version, &major, &minor) || !known_version(major, minor))
        return DSN_ERR_VERSION;
    h->minor = minor;
    is_new_header = is_new(minor);
    h->size = is_new_header ? DSN_HEADER_SIZE : DSN_OLD_HEADER_SIZE;
    if (n < h->size)
        return DSN_ERR_SHORT;
    c.swap = h->swap;
    h->compression = *c.in;
    if (h->compression > DSN_UNCOMPRESSED)
        return DSN_ERR_COMPRESSION;
    c.in += is_new_header ? 8 : 4; /* the method's byte and padding */
    h->partial = is_new_header ? get64(&c) : get32(&c);
    slots = is_new_header ? DSN_MODULE_SLOTS : 16;
    h->names.off = get64(&c);
    h->names.len = get64(&c);
    for (unsigned i = 0; i < slots; i++) {
        h->mod[i].off = get64(&c);
        h->mod[i].len = get64(&c);
    }
    for (unsigned i = 0; i < slots; i++)
        h->mod_version[i] = get32(&c);
    if (minor < 20)
        insert_slot(h, 4); /* H5D */
    if (minor < 41)
        insert_slot(h, 6); /* PNETCDF_VAR */
    return DSN_ERR_OK;
}

void dsn_header_store(const struct dsn_header *h, void *bytes)
{
    struct cursor c = { .out = bytes };

    memset(bytes, 0, DSN_HEADER_SIZE);
    memcpy(c.out, DSN_LOG_VERSION, sizeof DSN_LOG_VERSION);
    c.out += 8;
    put64(&c, DSN_MAGIC);
    *c.out = h->compression;
    c.out += 8;
    put64(&c, h->partial);
    put64(&c, h->names.off);
    put64(&c, h->names.len);
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        put64(&c, h->mod[i].off);
        put64(&c, h->mod[i].len);
    }
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        put32(&c, h->mod_version[i]);
}

size_t dsn_job_size(const struct dsn_header *h)
{
    return is_new(h->minor) ? DSN_JOB_SIZE : DSN_OLD_JOB_SIZE;
}

void dsn_job_load(const struct dsn_header *h, const void *bytes, struct dsn_job *job)
{
    struct cursor c = { .in = bytes, .swap = h->swap };
    const int ns = is_new(h->minor);

    job->uid = (int64_t)get64(&c);
    job->start_sec = (int64_t)get64(&c);
    job->start_nsec = ns ? (int64_t)get64(&c) : 0;
    job->end_sec = (int64_t)get64(&c);
    job->end_nsec = ns ? (int64_t)get64(&c) : 0;
    job->nprocs = (int64_t)get64(&c);
    job->jobid = (int64_t)get64(&c);
    memcpy(job->metadata, c.in, sizeof job->metadata);
    job->metadata[sizeof job->metadata - 1] = '\0';
}

void dsn_job_store(const struct dsn_job *job, void *bytes)
{
    struct cursor c = { .out = bytes };

    put64(&c, (uint64_t)job->uid);
    put64(&c, (uint64_t)job->start_sec);
    put64(&c, (uint64_t)job->start_nsec);
    put64(&c, (uint64_t)job->end_sec);
    put64(&c, (uint64_t)job->end_nsec);
    put64(&c, (uint64_t)job->nprocs);
    put64(&c, (uint64_t)job->jobid);
    memcpy(c.out, job->metadata, sizeof job->metadata);
}

double dsn_job_runtime(const struct dsn_header *h, const struct dsn_job *job)
{
    if (!is_new(h->minor))
        return (double)job->end_sec - (double)job->start_sec + 1;
    return ((double)job->end_sec + (double)job->end_nsec / 1e9) -
           ((double)job->start_sec + (double)job->start_nsec / 1e9);
}
