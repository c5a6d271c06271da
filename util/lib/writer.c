/* writer.c - writes the regions, then the header, and renames the file
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "darshan-log-format/hash.h"
#include "reader.h"
#include "zout.h"

#define TRUNCATED "<TRUNCATED>"

/* The parts of a log in file order; module i is MODULES + i. */
enum { NOTHING, JOB, NAMES, MODULES, EXTENSION = MODULES + DSN_MODULE_SLOTS };

struct darshan_writer {
    char *path, *temporary;
    struct dsn__sink sink;
    struct dsn__zout *z; /* stream of the open region */
    int part;            /* the last one started */
    uint64_t segments;   /* of the current trace, still to be written */
    struct dsn_header header;
    struct dsn_ext ext;
    struct darshan_reader_error failed; /* the first error */
};

/* ------------------------------------------------------------------ errors */

static int fail(struct darshan_writer *w, int code, const char *what)
{
    if (w->failed.code == DSN_ERR_OK)
        dsn__fail(&w->failed, code, what);
    return w->failed.code;
}

static int cannot_write(struct darshan_writer *w)
{
    return fail(w, DSN_ERR_WRITE, strerror(w->sink.error));
}

int darshan_writer_error(const struct darshan_writer *w, struct darshan_reader_error *err)
{
    if (err)
        *err = w->failed;
    return w->failed.code;
}

/* ------------------------------------------------------------------ create */

/* NULL, or the reason why no log can be written to `path`. */
static const char *refuse(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? NULL : strerror(errno);
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? "it is a directory" : "what has that name is not a regular file";
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
        return NULL;
    return errno == EACCES && !(st.st_mode & 0222) ? "it is read-only, as logs are; remove it first" : strerror(errno);
}

/* "<directory of path>/.darshan-XXXXXX" */
static char *temporary_name(const char *path)
{
    static const char name[] = ".darshan-XXXXXX";
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *temporary = malloc(n + sizeof name);

    if (temporary) {
        memcpy(temporary, path, n);
        memcpy(temporary + n, name, sizeof name);
    }
    return temporary;
}

static int open_file(struct darshan_writer *w, const char *path)
{
    const char *reason = refuse(path);

    if (reason)
        return fail(w, DSN_ERR_WRITE, reason);
    w->path = strdup(path);
    w->temporary = temporary_name(path);
    if (!w->path || !w->temporary)
        return fail(w, DSN_ERR_MEMORY, NULL);
    w->sink.fd = mkostemp(w->temporary, O_CLOEXEC); /* O_EXCL, mode 0600 */
    if (w->sink.fd < 0) {
        fail(w, DSN_ERR_WRITE, strerror(errno));
        free(w->temporary);
        w->temporary = NULL;
    }
    return w->failed.code;
}

int darshan_writer_create(const char *path, int compression, struct darshan_writer **out,
                          struct darshan_reader_error *err)
{
    struct darshan_writer *w = calloc(1, sizeof *w);

    *out = NULL;
    if (!w)
        return dsn__fail(err, DSN_ERR_MEMORY, NULL);
    w->sink.fd = -1;
    w->sink.end = DSN_HEADER_SIZE;
    w->header.compression = (uint8_t)compression;
    dsn__fail(&w->failed, DSN_ERR_OK, NULL);
    if (compression != DSN_ZLIB && compression != DSN_BZIP2)
        fail(w, DSN_ERR_COMPRESSION, NULL);
#ifndef HAVE_BZ2
    if (compression == DSN_BZIP2)
        fail(w, DSN_ERR_BZIP2, NULL);
#endif
    if (w->failed.code == DSN_ERR_OK && open_file(w, path) == DSN_ERR_OK) {
        *out = w;
        return dsn__fail(err, DSN_ERR_OK, NULL);
    }
    if (err)
        *err = w->failed;
    compression = w->failed.code;
    darshan_writer_abandon(w);
    return compression;
}

/* ------------------------------------------------------------------ regions */

/* Ends the open region and records its location. */
static int end_region(struct darshan_writer *w)
{
    struct dsn_map *map = NULL;

    if (w->segments > 0)
        return fail(w, DSN_ERR_USE, "a trace lacks segments");
    if (!w->z)
        return w->failed.code;
    if (w->part == NAMES)
        map = &w->header.names;
    else if (w->part >= MODULES && w->part < EXTENSION)
        map = &w->header.mod[w->part - MODULES];
    if (!dsn__zout_end(w->z)) {
        w->z = NULL;
        return cannot_write(w);
    }
    w->z = NULL;
    if (map)
        map->len = w->sink.end - map->off;
    if (w->part == JOB) /* even if there are no names: the job region ends where the names start */
        w->header.names.off = w->sink.end;
    return w->failed.code;
}

/* Opens the region `part`, unless it is open. */
static int begin_region(struct darshan_writer *w, int part)
{
    int rc;

    if (w->failed.code != DSN_ERR_OK)
        return w->failed.code;
    if (part == w->part && w->z)
        return DSN_ERR_OK;
    if (part <= w->part || (part != JOB && w->part == NOTHING))
        return fail(w, DSN_ERR_USE, "regions are job, names, modules by id, extension");
    rc = end_region(w);
    if (rc == DSN_ERR_OK)
        rc = dsn__zout_begin(&w->sink, w->header.compression, &w->z);
    if (rc != DSN_ERR_OK)
        return fail(w, rc, NULL);
    w->part = part;
    if (part >= MODULES) {
        w->header.mod[part - MODULES].off = w->sink.end;
        w->header.mod_version[part - MODULES] = dsn_module_version((unsigned)(part - MODULES));
    }
    return DSN_ERR_OK;
}

static int put_bytes(struct darshan_writer *w, const void *bytes, size_t n)
{
    if (w->failed.code != DSN_ERR_OK)
        return w->failed.code;
    return dsn__zout_put(w->z, bytes, n) ? DSN_ERR_OK : cannot_write(w);
}

/* ------------------------------------------------------------------ job, names */

/* Appends command line and mounts, shortest path first, to the job record, from `at` on. Returns the end, leaving room
 * for a NUL. */
static size_t put_text(char *region, size_t at, const char *exe, const struct darshan_reader_mount *mounts,
                       size_t nmounts)
{
    const size_t end = DSN_JOB_REGION_MAX - 1;
    const size_t n = strcspn(exe, "\n"); /* a newline would start the mounts */
    size_t i = nmounts;

    if (n >= end - at) {
        memcpy(region + at, exe, end - at);
        memcpy(region + end - strlen(TRUNCATED), TRUNCATED, strlen(TRUNCATED));
        return end;
    }
    memcpy(region + at, exe, n);
    at += n;
    while (i > 0) {
        size_t first = i - 1; /* mounts of equal length keep their order, because the reader's sort is stable */
        const size_t length = strlen(mounts[first].path);

        while (first > 0 && strlen(mounts[first - 1].path) == length)
            first--;
        for (size_t k = first; k < i; k++) {
            const size_t size = strlen(mounts[k].type) + length + 2;

            if (size > end - at)
                return at;
            snprintf(region + at, size + 1, "\n%s\t%s", mounts[k].type, mounts[k].path);
            at += size;
        }
        i = first;
    }
    return at;
}

int darshan_writer_job(struct darshan_writer *w, const struct dsn_job *job, const char *exe,
                       const struct darshan_reader_mount *mounts, size_t nmounts)
{
    char region[DSN_JOB_REGION_MAX];
    struct dsn_job clean = *job;
    const size_t used = strnlen(clean.metadata, sizeof clean.metadata - 1);
    size_t end;

    if (begin_region(w, JOB) != DSN_ERR_OK)
        return w->failed.code;
    memset(clean.metadata + used, 0, sizeof clean.metadata - used);
    dsn_job_store(&clean, region);
    end = put_text(region, DSN_JOB_SIZE, exe, mounts, nmounts);
    region[end] = '\0';
    put_bytes(w, region, end + 1);
    return end_region(w);
}

int darshan_writer_partial(struct darshan_writer *w, uint64_t mask)
{
    w->header.partial = mask;
    return w->failed.code;
}

int darshan_writer_name(struct darshan_writer *w, uint64_t id, const char *name)
{
    if (begin_region(w, NAMES) != DSN_ERR_OK)
        return w->failed.code;
    put_bytes(w, &id, sizeof id);
    return put_bytes(w, name, strlen(name) + 1);
}

/* ------------------------------------------------------------------ records */

static int sums_up(const struct dsn_tail *tail)
{
    int64_t stripes = 0;

    for (size_t i = 0; i < tail->ncomps; i++)
        if (__builtin_add_overflow(stripes, tail->comps[i].stripe_count, &stripes))
            return 0;
    return stripes == (int64_t)tail->n;
}

/* Whether the values match the tail; otherwise the record could not be read back. */
static int agrees(unsigned module, const struct dsn_rec *r, const struct dsn_tail *tail)
{
    if (!tail || tail->n > DSN_MAX_TAIL / sizeof(int64_t))
        return 0;
    switch (module) {
    case DSN_HEATMAP_MODULE:
        return r->v[HEATMAP_NBINS].i == (int64_t)tail->n;
    case DSN_LUSTRE_MODULE:
        return r->v[LUSTRE_NUM_COMPONENTS].i == (int64_t)tail->ncomps &&
               r->v[LUSTRE_NUM_STRIPES].i == (int64_t)tail->n && sums_up(tail);
    default:
        return r->v[MDHIM_SERVERS].i == (int64_t)tail->n;
    }
}

static int put_tail(struct darshan_writer *w, unsigned module, const struct dsn_tail *tail)
{
    static const int64_t none = 0;

    if (module == DSN_LUSTRE_MODULE && tail->ncomps > 0)
        put_bytes(w, tail->comps, tail->ncomps * sizeof tail->comps[0]);
    if (tail->n > 0)
        put_bytes(w, tail->values[0], tail->n * sizeof tail->values[0][0]);
    if (module == DSN_HEATMAP_MODULE && tail->n > 0)
        put_bytes(w, tail->values[1], tail->n * sizeof tail->values[1][0]);
    if (module == DSN_MDHIM_MODULE && tail->n == 0) /* the array has at least one element */
        put_bytes(w, &none, sizeof none);
    return w->failed.code;
}

int darshan_writer_record(struct darshan_writer *w, unsigned module, const struct dsn_rec *rec,
                          const struct dsn_tail *tail)
{
    const struct dsn_table *t = dsn_table(module);

    if (!t || (dsn_table_varies(t) && !agrees(module, rec, tail)))
        return fail(w, DSN_ERR_USE, t ? t->name : dsn_module_name(module));
    if (module == DSN_APMPI_MODULE && w->part != MODULES + DSN_APMPI_MODULE)
        return fail(w, DSN_ERR_USE, "APMPI, header");
    if (begin_region(w, MODULES + (int)module) != DSN_ERR_OK)
        return w->failed.code;
    put_bytes(w, rec, dsn_rec_size(t));
    return dsn_table_varies(t) ? put_tail(w, module, tail) : w->failed.code;
}

int darshan_writer_apmpi(struct darshan_writer *w, const struct dsn_apmpi_header *header)
{
    if (w->part == MODULES + DSN_APMPI_MODULE)
        return fail(w, DSN_ERR_USE, "APMPI, header");
    if (begin_region(w, MODULES + DSN_APMPI_MODULE) != DSN_ERR_OK)
        return w->failed.code;
    return put_bytes(w, header, sizeof *header);
}

int darshan_writer_trace(struct darshan_writer *w, unsigned module, const struct dsn_dxt_head *head)
{
    if (dsn_dxt_segment_size(module, dsn_module_version(module)) != sizeof(struct dsn_dxt_segment) || w->segments > 0 ||
        head->nwrites < 0 || head->nreads < 0)
        return fail(w, DSN_ERR_USE, "DXT");
    if (begin_region(w, MODULES + (int)module) != DSN_ERR_OK)
        return w->failed.code;
    w->segments = (uint64_t)head->nwrites + (uint64_t)head->nreads;
    return put_bytes(w, head, sizeof *head);
}

int darshan_writer_segments(struct darshan_writer *w, const struct dsn_dxt_segment *segments, size_t n)
{
    if (n > w->segments)
        return fail(w, DSN_ERR_USE, "DXT");
    w->segments -= n;
    return n > 0 ? put_bytes(w, segments, n * sizeof *segments) : w->failed.code;
}

/* ------------------------------------------------------------------ extension section */

/* Computes the checksum of a part that was written. */
static int checksum(struct darshan_writer *w, struct dsn_ext_part *part)
{
    const struct dsn__file file = { .fd = w->sink.fd, .size = w->sink.end };
    void *stored = malloc(part->stored ? part->stored : 1);

    if (!stored)
        return fail(w, DSN_ERR_MEMORY, NULL);
    if (!dsn__file_read(&file, part->off, stored, part->stored))
        fail(w, DSN_ERR_WRITE, "it cannot be read back");
    else
        part->sum = dsn_hash(stored, part->stored, 0);
    free(stored);
    return w->failed.code;
}

int darshan_writer_extension(struct darshan_writer *w, const char *name, uint64_t version, const void *bytes, size_t n)
{
    struct dsn_ext_part *part = &w->ext.part[w->ext.nparts];
    struct dsn__zout *z;
    int rc = w->failed.code;

    if (rc != DSN_ERR_OK)
        return rc;
    if (w->part == NOTHING || w->ext.nparts == DSN_EXT_MAX_PARTS || strlen(name) >= sizeof part->name)
        return fail(w, DSN_ERR_USE, "extension");
    if (end_region(w) != DSN_ERR_OK)
        return w->failed.code;
    w->part = EXTENSION;
    memset(part, 0, sizeof *part);
    memcpy(part->name, name, strlen(name));
    part->version = version;
    part->off = w->sink.end;
    part->raw = n;
    rc = dsn__zout_begin(&w->sink, DSN_ZLIB, &z); /* whatever the compression of the regions */
    if (rc != DSN_ERR_OK)
        return fail(w, rc, NULL);
    dsn__zout_put(z, bytes, n);
    if (!dsn__zout_end(z))
        return cannot_write(w);
    part->stored = w->sink.end - part->off;
    w->ext.nparts++;
    return checksum(w, part);
}

static void put_directory(struct darshan_writer *w)
{
    unsigned char tail[DSN_EXT_MAX_PARTS * DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE];

    if (w->ext.nparts == 0)
        return;
    dsn_ext_store(&w->ext, w->sink.end, tail);
    if (!dsn__sink_put(&w->sink, tail, dsn_ext_tail_size(w->ext.nparts)))
        cannot_write(w);
}

/* ------------------------------------------------------------------ the end */

/* Writes the header, sets the mode, syncs, and renames the file. */
static void publish(struct darshan_writer *w)
{
    unsigned char header[DSN_HEADER_SIZE];

    dsn_header_store(&w->header, header);
    w->sink.end = 0;
    if (!dsn__sink_put(&w->sink, header, sizeof header)) {
        cannot_write(w);
        return;
    }
    if (fchmod(w->sink.fd, 0400) != 0 || fsync(w->sink.fd) != 0 || rename(w->temporary, w->path) != 0) {
        fail(w, DSN_ERR_WRITE, strerror(errno));
        return;
    }
    free(w->temporary);
    w->temporary = NULL;
}

int darshan_writer_finish(struct darshan_writer *w, struct darshan_reader_error *err)
{
    int rc;

    if (w->failed.code == DSN_ERR_OK && w->part == NOTHING)
        fail(w, DSN_ERR_USE, "there is no job");
    if (w->failed.code == DSN_ERR_OK && end_region(w) == DSN_ERR_OK)
        put_directory(w);
    if (w->failed.code == DSN_ERR_OK)
        publish(w);
    rc = darshan_writer_error(w, err);
    darshan_writer_abandon(w);
    return rc;
}

void darshan_writer_abandon(struct darshan_writer *w)
{
    if (!w)
        return;
    dsn__zout_end(w->z);
    if (w->sink.fd >= 0)
        close(w->sink.fd);
    if (w->temporary)
        unlink(w->temporary);
    free(w->temporary);
    free(w->path);
    free(w);
}
