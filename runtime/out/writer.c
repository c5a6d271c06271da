/* writer.c - regions, extension section and header
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/job.h"
#include "core/pages.h"
#include "core/state.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"

/* What is known while the log is being written. */
struct writer {
    struct dsn_log_file *file;
    struct dsn_header header;
    struct dsn_job job;
    struct dsn_part_row *rows;
    int nranks;
    uint64_t next[DSN_NPARTS]; /* where the next rank's part of each region goes */
    uint64_t end;              /* end of what is written */
    char *nodes;               /* host names, each once, with their NULs */
    size_t nodes_size;
    int nnodes;
    int64_t deadline; /* of dsn__now(); 0: none */
    int error;        /* the first errno; nothing is written after it */
};

static void put(struct writer *w, const void *bytes, size_t size, uint64_t at)
{
    const char *p = bytes;

    while (size > 0 && w->error == 0) {
        const size_t most = 4 << 20; /* so that the time limit is looked at now and then */
        ssize_t n;

        if (w->deadline && dsn__now() > w->deadline) {
            w->error = ETIMEDOUT;
            return;
        }
        n = pwrite(w->file->fd, p, size < most ? size : most, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            w->error = n < 0 ? errno : EIO;
            return;
        }
        p += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
}

/* ------------------------------------------------------------------ facts of the whole job */

static int earlier(int64_t s1, int64_t n1, int64_t s2, int64_t n2)
{
    return s1 < s2 || (s1 == s2 && n1 < n2);
}

static void gather_times(struct writer *w)
{
    struct dsn_job *j = &w->job;
    int first = 1;

    for (int i = 0; i < w->nranks; i++) {
        const struct dsn_part_row *r = &w->rows[i];

        if (!r->participates)
            continue;
        if (first || earlier(r->start_sec, r->start_nsec, j->start_sec, j->start_nsec)) {
            j->start_sec = r->start_sec;
            j->start_nsec = r->start_nsec;
        }
        if (first || earlier(j->end_sec, j->end_nsec, r->end_sec, r->end_nsec)) {
            j->end_sec = r->end_sec;
            j->end_nsec = r->end_nsec;
        }
        first = 0;
        w->header.partial |= r->partial;
    }
}

struct host_row {
    const char *host;
    int rank;
};

static int by_host(const void *a, const void *b)
{
    const struct host_row *x = a, *y = b;
    const int order = strcmp(x->host, y->host);

    return order ? order : x->rank - y->rank;
}

/* Numbers the nodes by their lowest rank: sorts ranks by host, lets each host's lowest rank lead, and counts leaders
 * in rank order. */
static int number_nodes(struct writer *w)
{
    struct host_row *sorted = dsn__pages((size_t)w->nranks * sizeof sorted[0]);
    int *leader = dsn__pages((size_t)w->nranks * sizeof leader[0]);

    w->nodes = dsn__pages((size_t)w->nranks * DSN_HOST_NAME_MAX);
    if (!sorted || !leader || !w->nodes) {
        dsn__pages_free(sorted);
        dsn__pages_free(leader);
        return 0;
    }
    for (int i = 0; i < w->nranks; i++)
        sorted[i] = (struct host_row){ w->rows[i].host, i };
    qsort(sorted, (size_t)w->nranks, sizeof sorted[0], by_host);
    for (int i = 0; i < w->nranks; i++) {
        const int same = i > 0 && strcmp(sorted[i].host, sorted[i - 1].host) == 0;

        leader[sorted[i].rank] = same ? leader[sorted[i - 1].rank] : sorted[i].rank;
    }
    for (int i = 0; i < w->nranks; i++) {
        union dsn_val *node = &w->rows[i].totals.v[RANK_NODE];
        const size_t n = strlen(w->rows[i].host) + 1;

        if (leader[i] != i) {
            node->i = w->rows[leader[i]].totals.v[RANK_NODE].i;
            continue;
        }
        node->i = w->nnodes++;
        memcpy(w->nodes + w->nodes_size, w->rows[i].host, n);
        w->nodes_size += n;
    }
    dsn__pages_free(sorted);
    dsn__pages_free(leader);
    return 1;
}

static void fill_job(struct writer *w)
{
    char number[32];

    w->job.uid = (int64_t)getuid();
    w->job.nprocs = w->nranks;
    w->job.jobid = dsn__job_id();
    snprintf(number, sizeof number, "%d", w->nnodes);
    dsn__metadata_add(&w->job, "lib_ver", DSN_COMPAT_RELEASE);
    if (dsn__state.config.loghints[0])
        dsn__metadata_add(&w->job, "h", dsn__state.config.loghints);
    dsn__metadata_add(&w->job, "nnodes", number);
    dsn__metadata_add(&w->job, "writer", PACKAGE_NAME "-" PACKAGE_VERSION);
}

/* ------------------------------------------------------------------ regions */

static void write_job(struct writer *w)
{
    char *region = dsn__pages(DSN_JOB_REGION_MAX), *stream = NULL;
    size_t packed = 0;

    dsn__mounts_load(&dsn__state.mounts);
    if (region)
        stream = dsn__pack(region, dsn__job_region(&w->job, dsn__state.exe, &dsn__state.mounts, region), 0, &packed);
    if (!stream)
        w->error = w->error ? w->error : ENOMEM;
    else
        put(w, stream, packed, DSN_HEADER_SIZE);
    dsn__pages_free(stream);
    dsn__pages_free(region);
    w->end = DSN_HEADER_SIZE + packed;
}

/* Gives each region its place: names first, then modules by id, without gaps. */
static void lay_out(struct writer *w)
{
    uint64_t active = 0;

    for (int i = 0; i < w->nranks; i++)
        active |= w->rows[i].active;
    for (int part = 0; part < DSN_NPARTS; part++) {
        struct dsn_map *map = part == 0 ? &w->header.names : &w->header.mod[dsn__slots[part - 1]->id];

        if (part > 0 && !(active >> (part - 1) & 1))
            continue;
        map->off = w->next[part] = w->end;
        for (int i = 0; i < w->nranks; i++)
            map->len += w->rows[i].length[part];
        w->end += map->len;
        if (part > 0)
            w->header.mod_version[dsn__slots[part - 1]->id] = dsn_module_version(dsn__slots[part - 1]->id);
    }
}

static void write_part(struct writer *w, int rank, const char *bytes)
{
    for (int part = 0; part < DSN_NPARTS; part++) {
        const uint64_t n = w->rows[rank].length[part];

        put(w, bytes, n, w->next[part]);
        w->next[part] += n;
        bytes += n;
    }
}

static uint64_t part_size(const struct dsn_part_row *row)
{
    uint64_t n = 0;

    for (int part = 0; part < DSN_NPARTS; part++)
        n += row->length[part];
    return n;
}

static void receive_parts(struct writer *w, struct dsn_tree *t)
{
    for (int rank = 1; rank < w->nranks && !t->failed; rank++) {
        void *bytes = NULL;
        size_t size = 0;

        if (part_size(&w->rows[rank]) == 0)
            continue;
        if (t->mpi->recv(&bytes, &size, rank, t->deadline) != 0) {
            t->failed = 1;
            w->error = w->error ? w->error : ETIMEDOUT;
            return;
        }
        if (size != part_size(&w->rows[rank]))
            w->error = w->error ? w->error : EPROTO;
        else
            write_part(w, rank, bytes);
        free(bytes); /* of the shim */
    }
}

/* ------------------------------------------------------------------ extension section */

static void add_ext(struct writer *w, struct dsn_ext *ext, const char *name, unsigned version, const void *raw,
                    size_t size, size_t stride)
{
    struct dsn_ext_part *part = &ext->part[ext->nparts];
    size_t packed = 0;
    char *stream = dsn__pack(raw, size, stride, &packed);

    if (!stream) {
        w->error = w->error ? w->error : ENOMEM;
        return;
    }
    memset(part, 0, sizeof *part);
    snprintf(part->name, sizeof part->name, "%s", name);
    part->version = version;
    part->off = w->end;
    part->stored = packed;
    part->raw = size;
    part->sum = dsn_hash(stream, packed, 0);
    put(w, stream, packed, w->end);
    w->end += packed;
    ext->nparts++;
    dsn__pages_free(stream);
}

static void write_extension(struct writer *w)
{
    const size_t each = dsn_rec_size(&dsn_rank_table);
    char *ranks = dsn__pages((size_t)w->nranks * each);
    struct dsn_ext *ext = dsn__pages(sizeof *ext);
    char tail[2 * DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE];

    if (!ranks || !ext) {
        w->error = w->error ? w->error : ENOMEM;
    } else {
        for (int i = 0; i < w->nranks; i++)
            memcpy(ranks + (size_t)i * each, &w->rows[i].totals, each);
        add_ext(w, ext, DSN_EXT_NODES, 1, w->nodes, w->nodes_size, 0);
        add_ext(w, ext, DSN_EXT_RANKS, dsn_rank_table.version, ranks, (size_t)w->nranks * each, each);
    }
    if (w->error == 0) {
        dsn_ext_store(ext, w->end, tail);
        put(w, tail, dsn_ext_tail_size(ext->nparts), w->end);
    }
    dsn__pages_free(ranks);
    dsn__pages_free(ext);
}

int dsn__log_write(struct dsn_log_file *f, struct dsn_part_row *rows, int nranks, const struct dsn_part *mine,
                   struct dsn_tree *t)
{
    struct writer *w = dsn__pages(sizeof *w);
    char header[DSN_HEADER_SIZE];
    int64_t begin;
    int error;

    if (!w)
        return ENOMEM;
    w->file = f;
    w->rows = rows;
    w->nranks = nranks;
    w->deadline = t ? t->deadline : 0;
    w->header.compression = DSN_ZLIB;
    gather_times(w);
    if (!number_nodes(w))
        w->error = ENOMEM;
    fill_job(w);
    begin = dsn__now();
    write_job(w);
    f->took_job = dsn__now() - begin;
    lay_out(w);
    write_part(w, 0, mine->bytes);
    if (t)
        receive_parts(w, t);
    write_extension(w);
    dsn_header_store(&w->header, header);
    begin = dsn__now();
    put(w, header, sizeof header, 0); /* last: a file without it is no log */
    f->took_header = dsn__now() - begin;
    error = w->error;
    dsn__pages_free(w->nodes);
    dsn__pages_free(w);
    return error;
}
