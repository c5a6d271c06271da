/* unit-log.c - records and logs made byte by byte
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

enum { POSIX = 1, MPIIO = 2, STDIO = 9 }; /* module ids, container.md 5.1 */

const char *const unit_names[3] = { "/scratch/run/shared.dat", "/home/user/a.txt", "<STDOUT>" };
size_t unit_log_end;

/* ------------------------------------------------------------------ bytes */

void unit_put(struct unit_bytes *b, const void *bytes, size_t n)
{
    unsigned char *bigger = realloc(b->p, b->n + n + 1);

    if (!bigger)
        ck_abort_msg("no memory");
    b->p = bigger;
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

/* ------------------------------------------------------------------ records: modules-io.md 3.4, 4.3, 5.3 */

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

unsigned unit_layout(unsigned module, unsigned version, int at[128])
{
    unsigned n = 0;

    if (module == POSIX && version == 4) {
        n = range(at, n, 0, 68);
        return doubles17(at, n, 69, 0);
    }
    if (module == POSIX) {
        n = range(at, n, 0, 0);
        n = range(at, n, 3, 7);
        for (int i = 0; version == 1 && i < 4; i++)
            at[n++] = -1;
        n = range(at, n, 8, 9);
        n = range(at, n, 13, 68);
        return doubles17(at, n, 69, version < 3);
    }
    if (module == MPIIO) {
        n = range(at, n, 0, 50);
        return doubles17(at, n, 51, version < 3);
    }
    n = range(at, n, 0, 0);
    if (version == 2)
        n = range(at, n, 1, 1);
    return range(at, n, 2, 28);
}

int unit_nints(unsigned module)
{
    return module == POSIX ? 69 : module == MPIIO ? 51 : 14;
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
    int at[128];
    const unsigned n = unit_layout(module, version, at);

    unit_put64(b, id);
    unit_put64(b, (uint64_t)rank);
    for (unsigned i = 0; i < n; i++)
        if (at[i] < 0)
            unit_put64(b, (uint64_t)gone);
        else if (at[i] < unit_nints(module))
            unit_put64(b, (uint64_t)unit_i64(at[i], seed));
        else
            unit_put_double(b, unit_f64(at[i], seed));
}

/* ------------------------------------------------------------------ logs: container.md */

/* One stream of the log's compression method. */
static void put_stream(struct unit_bytes *to, const struct unit_bytes *raw, int compression)
{
    unsigned char packed[65536];
    uLongf n = sizeof packed;

    if (compression == 0)
        ck_assert_int_eq(compress2(packed, &n, raw->p, raw->n, 6), Z_OK);
#ifdef HAVE_BZ2
    if (compression == 1) {
        unsigned m = sizeof packed;

        ck_assert_int_eq(BZ2_bzBuffToBuffCompress((char *)packed, &m, (char *)raw->p, (unsigned)raw->n, 9, 0, 30),
                         BZ_OK);
        n = m;
    }
#endif
    unit_put(to, compression == 2 ? raw->p : packed, compression == 2 ? raw->n : n);
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
static void put_header(struct unit_bytes *to, const struct unit_log *spec, int is_new, struct map names,
                       const struct map mod[64])
{
    const unsigned nslots = is_new ? 64 : 16;
    static const unsigned modules[3] = { POSIX, MPIIO, STDIO };
    const unsigned versions[3] = { spec->posix, spec->mpiio, spec->stdio };
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
    for (unsigned i = 0; i < nslots; i++) {
        uint32_t v = 0;

        for (int k = 0; k < 3; k++)
            if (slot(modules[k], spec->version) == i)
                v = versions[k];
        unit_put32(to, v);
    }
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

struct unit_bytes unit_make_log(const struct unit_log *spec)
{
    const int is_new = strcmp(spec->version, "3.41") == 0;
    static const unsigned modules[3] = { POSIX, MPIIO, STDIO };
    struct unit_bytes body = { .big = spec->big }, log = { .big = spec->big };
    struct map names, mod[64] = { { 0 } };
    const uint64_t start = is_new ? 1328 : 360;

    put_job(&body, spec, is_new);
    names.off = start + body.n;
    put_names(&body, spec);
    names.len = start + body.n - names.off;
    for (int i = 0; i < 3; i++) {
        struct map *m = &mod[slot(modules[i], spec->version)];

        m->off = start + body.n;
        put_records(&body, spec, modules[i]);
        m->len = start + body.n - m->off;
    }
    put_header(&log, spec, is_new, names, mod);
    ck_assert_uint_eq(log.n, start);
    unit_put(&log, body.p, body.n);
    free(body.p);
    unit_log_end = log.n;
    if (spec->extension)
        put_extension(&log, spec->big);
    return log;
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
