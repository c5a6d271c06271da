/* unit-log.c - builds records and logs byte by byte
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_BZ2
#include <bzlib.h>
#endif

#include "darshan-log-format/hash.h"

/* Module ids, container.md 5.1. */
enum {
    POSIX = 1,
    MPIIO = 2,
    H5F = 3,
    H5D = 4,
    PNETCDF_FILE = 5,
    PNETCDF_VAR = 6,
    BGQ = 7,
    STDIO = 9,
    MDHIM = 12,
    APMPI = 14,
    HEATMAP = 15,
    DFS = 16,
    DAOS = 17
};

const char *const unit_names[3] = { "/scratch/run/shared.dat", "/home/user/a.txt", "<STDOUT>" };
size_t unit_log_end;

/* ------------------------------------------------------------------ bytes */

/* Powers of two, so that growing byte by byte costs little. */
static size_t room(size_t n)
{
    size_t size = 64;

    while (size <= n)
        size *= 2;
    return size;
}

void unit_put(struct unit_bytes *b, const void *bytes, size_t n)
{
    if (!b->p || room(b->n + n) > room(b->n)) {
        unsigned char *bigger = realloc(b->p, room(b->n + n));

        if (!bigger)
            ck_abort_msg("no memory");
        b->p = bigger;
    }
    if (n > 0)
        memcpy(b->p + b->n, bytes, n);
    b->n += n;
}

static void put(struct unit_bytes *b, uint64_t v, int size)
{
    unsigned char bytes[8];

    for (int i = 0; i < size; i++)
        bytes[b->big ? size - 1 - i : i] = (unsigned char)(v >> (8 * i));
    unit_put(b, bytes, (size_t)size);
}

void unit_put64(struct unit_bytes *b, uint64_t v)
{
    put(b, v, 8);
}

void unit_put32(struct unit_bytes *b, uint32_t v)
{
    put(b, v, 4);
}

void unit_put_double(struct unit_bytes *b, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    put(b, bits, 8);
}

int unit_is_foreign(int big)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return (first == 0) != (big != 0);
}

/* ------------------------------------------------------------------ records: modules-io.md 3 to 9, modules-other.md */

static unsigned range(int *at, unsigned n, int from, int to)
{
    for (int i = from; i <= to; i++)
        at[n++] = i;
    return n;
}

/* The 17 doubles of POSIX and MPI-IO; without CLOSE_START and OPEN_END (the fourth and fifth) if `old`. */
static unsigned doubles17(int *at, unsigned n, int first, int old)
{
    n = range(at, n, first, first + 2);
    if (!old)
        n = range(at, n, first + 3, first + 4);
    return range(at, n, first + 5, first + 16);
}

static unsigned posix_layout(unsigned version, int *at)
{
    unsigned n = 0;

    if (version == 4) {
        n = range(at, n, 0, 68);
        return doubles17(at, n, 69, 0);
    }
    n = range(at, n, 0, 0);
    n = range(at, n, 3, 7);
    for (int i = 0; version == 1 && i < 4; i++)
        at[n++] = -1;
    n = range(at, n, 8, 9);
    n = range(at, n, 13, 68);
    return doubles17(at, n, 69, version < 3);
}

/* Behind `nints` integers two (version 1), four (version 2) or all doubles: open and close began, open and close
 * ended. */
static unsigned open_close(int *at, unsigned n, const int place[4], unsigned version)
{
    for (int i = 0; i < 4; i++)
        if (version > 1 || i == 0 || i == 3)
            at[n++] = place[i];
    return n;
}

static unsigned h5f_layout(unsigned version, int *at)
{
    static const int place[4] = { 3, 4, 5, 6 };

    if (version == 3)
        return range(at, 0, 0, 7);
    return open_close(at, range(at, 0, 0, 0), place, version);
}

static unsigned pnetcdf_file_layout(unsigned version, int *at)
{
    static const int place[4] = { 9, 10, 12, 13 };

    if (version == 3)
        return range(at, 0, 0, 16);
    at[0] = at[1] = -1;
    return open_close(at, 2, place, version);
}

static unsigned stdio_layout(unsigned version, int *at)
{
    const unsigned n = range(at, 0, 0, version == 2);

    return range(at, n, 2, 28);
}

unsigned unit_layout(unsigned module, unsigned version, int at[UNIT_VALUES])
{
    switch (module) {
    case POSIX:
        return posix_layout(version, at);
    case MPIIO:
        return doubles17(at, range(at, 0, 0, 50), 51, version < 3);
    case STDIO:
        return stdio_layout(version, at);
    case H5F:
        return h5f_layout(version, at);
    case H5D: /* the file's id first */
        return range(at, 0, version == 1, 111);
    case PNETCDF_FILE:
        return pnetcdf_file_layout(version, at);
    case PNETCDF_VAR:
        return range(at, 0, 0, 137);
    case BGQ:
        at[0] = -1;
        return range(at, version == 1, 0, 11);
    case MDHIM:
        return range(at, 0, 0, 8);
    case APMPI:
        return range(at, 0, 0, 651);
    case HEATMAP:
        return range(at, 0, 0, 3);
    case DFS:
        return range(at, 0, 0, 70);
    case DAOS:
        return range(at, 0, 0, 84);
    default:
        ck_abort_msg("module %u has no such records", module);
    }
}

char unit_kind(unsigned module, int at)
{
    static const struct {
        unsigned module;
        int doubles, end, raw; /* the first double; behind the last one; how many raw values follow */
    } kinds[] = {
        { POSIX, 69, 86, 0 },       { MPIIO, 51, 68, 0 },         { H5F, 3, 8, 0 },   { H5D, 95, 112, 0 },
        { PNETCDF_FILE, 9, 17, 0 }, { PNETCDF_VAR, 121, 138, 0 }, { BGQ, 11, 12, 0 }, { STDIO, 14, 29, 0 },
        { MDHIM, 5, 9, 0 },         { APMPI, 396, 636, 16 },      { DFS, 52, 67, 4 }, { DAOS, 64, 79, 4 },
    };

    if (module == HEATMAP)
        return "firr"[at];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].module == module) {
            if (at < kinds[i].doubles || at >= kinds[i].end + kinds[i].raw)
                return 'i';
            return at < kinds[i].end ? 'f' : 'r';
        }
    ck_abort_msg("module %u has no such records", module);
}

int64_t unit_i64(int at, int seed)
{
    return (int64_t)1000000007 * seed + at; /* all eight bytes differ often enough to see a wrong order */
}

double unit_f64(int at, int seed)
{
    return 100.0 * seed + at + 0.25;
}

void unit_put_record(struct unit_bytes *b, unsigned module, unsigned version, uint64_t id, int64_t rank, int seed,
                     int64_t gone)
{
    int at[UNIT_VALUES];
    const unsigned n = unit_layout(module, version, at);

    unit_put64(b, id);
    unit_put64(b, (uint64_t)rank);
    for (unsigned i = 0; i < n; i++) {
        const int64_t v = at[i] < 0 ? gone : unit_i64(at[i], seed);

        if (at[i] >= 0 && unit_kind(module, at[i]) == 'f')
            unit_put_double(b, unit_f64(at[i], seed));
        else if (at[i] >= 0 && unit_kind(module, at[i]) == 'r')
            unit_put(b, &v, sizeof v); /* in either byte order the same */
        else
            unit_put64(b, (uint64_t)v);
    }
}

/* ------------------------------------------------------------------ logs: container.md */

/* One stream of the log's compression method. */
static void put_stream(struct unit_bytes *to, const struct unit_bytes *raw, int compression)
{
    uLongf n = compressBound(raw->n) + 1024; /* bzip2's bound is a little larger */
    unsigned char *packed = malloc(n);

    ck_assert_ptr_nonnull(packed);
    if (compression == 0)
        ck_assert_int_eq(compress2(packed, &n, raw->p, raw->n, raw->n < 1 << 20 ? 6 : 1), Z_OK);
#ifdef HAVE_BZ2
    if (compression == 1) {
        unsigned m = (unsigned)n;

        ck_assert_int_eq(BZ2_bzBuffToBuffCompress((char *)packed, &m, (char *)raw->p, (unsigned)raw->n, 9, 0, 30),
                         BZ_OK);
        n = m;
    }
#endif
    unit_put(to, compression == 2 ? raw->p : packed, compression == 2 ? raw->n : n);
    free(packed);
}

static void put_job(struct unit_bytes *to, const struct unit_log *spec, int is_new)
{
    static const char text[] = "./app -x\next4\t/\nlustre\t/scratch\nnfs\t/home";
    struct unit_bytes raw = { .big = spec->big };
    char metadata[1024] = "";

    snprintf(metadata, sizeof metadata, "%s", spec->metadata ? spec->metadata : "lib_ver=1.2.3\nh=a=b;c=d\n");
    unit_put64(&raw, 1000);
    unit_put64(&raw, 1600000000);
    if (is_new)
        unit_put64(&raw, 500000000);
    unit_put64(&raw, 1600000010);
    if (is_new)
        unit_put64(&raw, 750000000);
    unit_put64(&raw, 4);
    unit_put64(&raw, 77);
    unit_put(&raw, metadata, sizeof metadata);
    unit_put(&raw, text, sizeof text);
    put_stream(to, &raw, spec->compression);
    free(raw.p);
}

static void put_names(struct unit_bytes *to, const struct unit_log *spec)
{
    struct unit_bytes raw = { .big = spec->big };

    for (int i = 0; i < 3; i++) {
        const size_t n = strlen(unit_names[i]);

        unit_put64(&raw, dsn_hash(unit_names[i], n, 0));
        if (strcmp(spec->version, "3.00") == 0)
            unit_put32(&raw, (uint32_t)n);
        unit_put(&raw, unit_names[i], n + (strcmp(spec->version, "3.00") != 0));
    }
    put_stream(to, &raw, spec->compression);
    free(raw.p);
}

static void put_records(struct unit_bytes *to, const struct unit_log *spec, unsigned module)
{
    struct unit_bytes raw = { .big = spec->big };
    uint64_t id[3];

    for (int i = 0; i < 3; i++)
        id[i] = dsn_hash(unit_names[i], strlen(unit_names[i]), 0);
    if (module == POSIX) {
        unit_put_record(&raw, module, spec->posix, id[1], 0, 1, 0);
        unit_put_record(&raw, module, spec->posix, id[0], -1, 2, 0);
        put_stream(to, &raw, spec->compression); /* rank 0's; rank 1 did nothing; rank 2's: */
        raw.n = 0;
        unit_put_record(&raw, module, spec->posix, id[1], 2, 3, 0);
    } else if (module == MPIIO) {
        unit_put_record(&raw, module, spec->mpiio, id[0], -1, 4, 0);
    } else {
        unit_put_record(&raw, module, spec->stdio, id[2], 0, 5, 0);
    }
    put_stream(to, &raw, spec->compression);
    free(raw.p);
}

/* Slot on disk of a module of today's number. */
static unsigned slot(unsigned module, const char *version)
{
    if (strcmp(version, "3.41") == 0)
        return module;
    if (strcmp(version, "3.00") == 0 || strcmp(version, "3.10") == 0)
        return module > 6 ? module - 2 : module > 4 ? module - 1 : module;
    return module > 6 ? module - 1 : module;
}

struct map {
    uint64_t off, len;
};

/* 3.1 and 3.2 of container.md. */
static void put_header(struct unit_bytes *to, const struct unit_log *spec, struct map names, const struct map mod[64],
                       const uint32_t version[64])
{
    const int is_new = strcmp(spec->version, "3.41") == 0;
    const unsigned nslots = is_new ? 64 : 16;
    unsigned char text[8] = "", method[8] = { (unsigned char)spec->compression };
    uint64_t partial = 0;

    memcpy(text, spec->version, strlen(spec->version));
    unit_put(to, text, 8);
    unit_put64(to, 6567223);
    unit_put(to, method, is_new ? 8 : 4);
    for (unsigned i = 0; i < 18; i++)
        if (spec->partial >> i & 1)
            partial |= (uint64_t)1 << slot(i, spec->version);
    if (is_new)
        unit_put64(to, partial);
    else
        unit_put32(to, (uint32_t)partial);
    unit_put64(to, names.off);
    unit_put64(to, names.len);
    for (unsigned i = 0; i < nslots; i++) {
        unit_put64(to, mod[i].off);
        unit_put64(to, mod[i].len);
    }
    for (unsigned i = 0; i < nslots; i++)
        unit_put32(to, version[i]);
}

/* extension.h, field by field. */
static void put_extension(struct unit_bytes *to, int big)
{
    static const char nodes[] = "node-a\0node-b";
    struct unit_bytes part[2] = { { .big = big }, { .big = big } }, directory = { .big = big }, stored[2] = { { 0 } };
    static const char *const name[2] = { "nodes", "ranks" };
    uint64_t off;

    unit_put(&part[0], nodes, sizeof nodes);
    for (int rank = 0; rank < 4; rank++) {
        unit_put64(&part[1], 0);
        unit_put64(&part[1], (uint64_t)rank);
        for (int i = 0; i < 6; i++)
            unit_put64(&part[1], (uint64_t)(10 * rank + i));
        for (int i = 0; i < 3; i++)
            unit_put_double(&part[1], rank + i / 8.0);
    }
    for (int i = 0; i < 2; i++) {
        char padded[16] = "";

        put_stream(&stored[i], &part[i], 0);
        memcpy(padded, name[i], 5);
        unit_put(&directory, padded, 16);
        unit_put64(&directory, 1);
        unit_put64(&directory, to->n);
        unit_put64(&directory, stored[i].n);
        unit_put64(&directory, part[i].n);
        unit_put64(&directory, dsn_hash(stored[i].p, stored[i].n, 0));
        unit_put(to, stored[i].p, stored[i].n);
        free(stored[i].p);
        free(part[i].p);
    }
    off = to->n;
    unit_put(to, directory.p, directory.n);
    unit_put64(to, off);
    unit_put64(to, 2);
    unit_put64(to, dsn_hash(directory.p, directory.n, 0));
    unit_put(to, "DARSHAN EXT 1\0\0", 16);
    free(directory.p);
}

/* A log under construction: what stands behind the header, and the header's tables by slots on disk. */
struct parts {
    const struct unit_log *spec;
    uint64_t start;
    struct unit_bytes body;
    struct map names, mod[64];
    uint32_t version[64];
};

static void begin_parts(struct parts *p, const struct unit_log *spec)
{
    const int is_new = strcmp(spec->version, "3.41") == 0;

    memset(p, 0, sizeof *p);
    p->spec = spec;
    p->start = is_new ? 1328 : 360;
    p->body.big = spec->big;
    put_job(&p->body, spec, is_new);
    p->names.off = p->start + p->body.n;
    put_names(&p->body, spec);
    p->names.len = p->start + p->body.n - p->names.off;
}

static void begin_region(struct parts *p, unsigned module, unsigned version)
{
    p->mod[slot(module, p->spec->version)].off = p->start + p->body.n;
    p->version[slot(module, p->spec->version)] = version;
}

static void end_region(struct parts *p, unsigned module)
{
    struct map *m = &p->mod[slot(module, p->spec->version)];

    m->len = p->start + p->body.n - m->off;
}

static struct unit_bytes end_parts(struct parts *p)
{
    struct unit_bytes log = { .big = p->spec->big };

    put_header(&log, p->spec, p->names, p->mod, p->version);
    ck_assert_uint_eq(log.n, p->start);
    unit_put(&log, p->body.p, p->body.n);
    free(p->body.p);
    unit_log_end = log.n;
    if (p->spec->extension)
        put_extension(&log, p->spec->big);
    return log;
}

struct unit_bytes unit_make_log(const struct unit_log *spec)
{
    static const unsigned modules[3] = { POSIX, MPIIO, STDIO };
    const unsigned versions[3] = { spec->posix, spec->mpiio, spec->stdio };
    struct parts p;

    begin_parts(&p, spec);
    for (int i = 0; i < 3; i++) {
        begin_region(&p, modules[i], versions[i]);
        put_records(&p.body, spec, modules[i]);
        end_region(&p, modules[i]);
    }
    return end_parts(&p);
}

struct unit_bytes unit_make_regions(const struct unit_log *spec, const struct unit_region *regions, size_t n)
{
    struct parts p;

    begin_parts(&p, spec);
    for (size_t i = 0; i < n; i++) {
        begin_region(&p, regions[i].module, regions[i].version);
        put_stream(&p.body, &regions[i].raw, spec->compression);
        end_region(&p, regions[i].module);
    }
    return end_parts(&p);
}

const char *unit_write_file(const struct unit_bytes *b)
{
    static const char name[] = "unit.darshan";
    FILE *f = fopen(name, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(b->p, 1, b->n, f), b->n);
    ck_assert_int_eq(fclose(f), 0);
    return name;
}
