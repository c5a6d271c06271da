/* writer.c - regions, extension section and header
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/open-file.h"
#include "base/pages.h"
#include "base/sort.h"
#include "base/text.h"
#include "config/job.h"
#include "config/mounts.h"
#include "config/who.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"
#include "log/pack.h"
#include "record/module.h"

/* State of the log being written. */
struct dsn_writer {
    struct dsn_log_file *file;
    const struct dsn_log_identity *identity;
    const struct dsn_rank_summary *summary;
    const struct dsn_participants *participants;
    const void *sharing; /* figures of shared records: records of dsn_sharing_table */
    size_t sharing_size;
    struct dsn_header header;
    struct dsn_job job;
    uint64_t end;     /* end of the data written */
    int64_t deadline; /* of dsn__now(); 0: none */
    int error;        /* the first errno; nothing is written after it */
};

/* Returns 0 or an errno. */
static int write_until(int fd, const void *bytes, size_t size, uint64_t at, int64_t deadline)
{
    const size_t most = 4 << 20; /* so that the time limit is checked regularly */
    const char *p = bytes;

    while (size > 0) {
        ssize_t n;

        if (deadline && dsn__now() > deadline)
            return ETIMEDOUT;
        n = dsn__write_at(fd, p, size < most ? size : most, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        p += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static void put(struct dsn_writer *w, const void *bytes, size_t size, uint64_t at)
{
    if (w->error == 0)
        w->error = write_until(w->file->fd, bytes, size, at, w->deadline);
}

/* Whether the file contains these bytes: what it was made from is about to be removed. */
static void verify(struct dsn_writer *w, const void *bytes, size_t size, uint64_t at)
{
    const size_t large = 64 * 1024;
    char few[4096], *many = size > large ? dsn__pages(large) : NULL, *const piece = many ? many : few;
    const size_t most = many ? large : sizeof few;
    const char *p = bytes;

    while (size > 0 && w->error == 0) {
        const ssize_t n = pread(w->file->fd, piece, size < most ? size : most, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || memcmp(piece, p, (size_t)n) != 0) {
            w->error = n < 0 ? errno : EIO;
            break;
        }
        p += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    dsn__pages_free(many);
}

/* ------------------------------------------------------------------ job */

/* Made of what processes have left, of which some were killed, or of only some of the ranks: those of one node. */
static bool is_incomplete(const struct dsn_participants *participants)
{
    return participants->is_recovered &&
           (participants->nkilled > 0 || (participants->nabsent > 0 && participants->nrunning == 0));
}

/* Which run of a program the log is of, and which of its ranks: logs of nodes, and of tasks, belong together. */
static void add_run_and_ranks(struct dsn_writer *w)
{
    const struct dsn_log_identity *identity = w->identity;
    const int64_t all = w->participants->nranks, here = all - w->participants->nabsent;
    const struct dsn_node *node = dsn__rank_summary_nodes(w->summary);
    char text[64];

    dsn__format(text, sizeof text, "%016llx", (unsigned long long)identity->run);
    if (identity->run != 0)
        dsn__metadata_add(&w->job, "run", text);
    dsn__format(text, sizeof text, "%lld", (long long)identity->step);
    if (identity->step >= 0)
        dsn__metadata_add(&w->job, "step", text);
    dsn__format(text, sizeof text, "%lld", (long long)identity->restart);
    if (identity->restart > 0)
        dsn__metadata_add(&w->job, "restart", text);
    dsn__format(text, sizeof text, "%lld of %lld", (long long)here, (long long)all);
    if (here < all)
        dsn__metadata_add(&w->job, "ranks", text);
    if (here < all && w->summary->nnodes == 1)
        dsn__metadata_add(&w->job, "node", node->name);
}

static void fill_job(struct dsn_writer *w)
{
    const struct dsn_rank_summary *summary = w->summary;
    char number[32];

    w->job.start_sec = summary->start_sec;
    w->job.start_nsec = summary->start_nsec;
    w->job.end_sec = summary->end_sec;
    w->job.end_nsec = summary->end_nsec;
    w->job.uid = (int64_t)getuid();
    w->job.nprocs = summary->ranks;
    w->job.jobid = w->identity->jobid;
    dsn__format(number, sizeof number, "%llu", (unsigned long long)summary->nnodes);
    dsn__metadata_add(&w->job, "lib_ver", DSN_COMPAT_RELEASE);
    if (w->identity->hints && w->identity->hints[0])
        dsn__metadata_add(&w->job, "h", w->identity->hints);
    dsn__metadata_add(&w->job, "nnodes", number);
    if (w->identity->machine && w->identity->machine[0])
        dsn__metadata_add(&w->job, "machine", w->identity->machine);
    if (w->identity->jobid_is_pid)
        dsn__metadata_add(&w->job, "jobid_from", "pid");
    dsn__metadata_add(&w->job, "writer", PACKAGE_NAME "-" PACKAGE_VERSION);
    add_run_and_ranks(w);
    if (is_incomplete(w->participants)) {
        dsn__format(number, sizeof number, "%lld", (long long)w->participants->nkilled);
        dsn__metadata_add(&w->job, "recovered", number);
    }
    if (is_incomplete(w->participants) && w->participants->nabsent > 0) {
        dsn__format(number, sizeof number, "%lld of %lld", (long long)w->participants->nabsent,
                    (long long)w->participants->nranks);
        dsn__metadata_add(&w->job, "missing_ranks", number);
    }
    if (w->participants->nrunning > 0) {
        dsn__format(number, sizeof number, "%lld", (long long)w->participants->nrunning);
        dsn__metadata_add(&w->job, "running", number);
    }
}

static void write_job(struct dsn_writer *w)
{
    char *region = dsn__pages(DSN_JOB_REGION_MAX), *stream = NULL;
    size_t packed = 0;

    dsn__mounts_load(dsn__mounts);
    if (region)
        stream = dsn__pack(region, dsn__job_region(&w->job, w->identity->exe, dsn__mounts, region), &packed);
    if (!stream)
        w->error = w->error ? w->error : ENOMEM;
    else
        put(w, stream, packed, DSN_HEADER_SIZE);
    dsn__pages_free(stream);
    dsn__pages_free(region);
    w->end = DSN_HEADER_SIZE + packed;
}

/* ------------------------------------------------------------------ regions */

static struct dsn_map *map_of(struct dsn_header *h, int region)
{
    return region == DSN_REGION_NAMES ? &h->names : &h->mod[dsn__modules[dsn__module_of_region(region)]->id];
}

/* Assigns offsets to regions: names first, then modules by id, without gaps. */
static void lay_out(struct dsn_writer *w, const uint64_t *lengths)
{
    for (int region = 0; region < DSN_NHEADER_REGIONS; region++) {
        struct dsn_map *map = map_of(&w->header, region);

        if (region != DSN_REGION_NAMES && !(w->summary->active >> dsn__module_of_region(region) & 1))
            continue;
        map->off = w->end;
        map->len = lengths[region];
        w->end += map->len;
        if (region != DSN_REGION_NAMES)
            w->header.mod_version[dsn__modules[dsn__module_of_region(region)]->id] =
                dsn_module_version(dsn__modules[dsn__module_of_region(region)]->id);
    }
}

static void write_header_regions(struct dsn_writer *w, const struct dsn_regions *r)
{
    for (int region = 0; region < DSN_NHEADER_REGIONS; region++)
        put(w, r->of[region].bytes, r->of[region].packed, map_of(&w->header, region)->off);
}

/* ------------------------------------------------------------------ extension section */

/* A part that is compressed already. */
static void put_ext(struct dsn_writer *w, struct dsn_ext *ext, const struct dsn_ext_part *kind, const void *stored)
{
    struct dsn_ext_part *part = &ext->part[ext->nparts++];

    *part = *kind;
    part->off = w->end;
    part->sum = dsn_hash(stored, part->stored, 0);
    put(w, stored, part->stored, w->end);
    w->end += part->stored;
}

static int by_rank(const void *a, const void *b)
{
    const struct dsn_node *x = *(const struct dsn_node *const *)a, *y = *(const struct dsn_node *const *)b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* NUL-terminated host names, in the order of their lowest ranks; NULL if there is no memory. */
static char *name_nodes(const struct dsn_rank_summary *summary, size_t *size)
{
    const struct dsn_node *node = dsn__rank_summary_nodes(summary);
    const struct dsn_node **sorted = dsn__pages(summary->nnodes * sizeof sorted[0]);
    char *text = dsn__pages(summary->nnodes * sizeof node->name), *to = text;

    if (sorted && text) {
        for (uint64_t i = 0; i < summary->nnodes; i++)
            sorted[i] = &node[i];
        dsn__sort(sorted, summary->nnodes, sizeof sorted[0], by_rank);
        for (uint64_t i = 0; i < summary->nnodes; i++)
            to = stpcpy(to, sorted[i]->name) + 1;
    } else {
        dsn__pages_free(text);
        text = NULL;
    }
    *size = (size_t)(to - text);
    dsn__pages_free(sorted);
    return text;
}

/* Writes a part of `part->raw` bytes; NULL: there was no memory. */
static void put_bytes(struct dsn_writer *w, struct dsn_ext *ext, struct dsn_ext_part *part, const void *bytes)
{
    size_t packed = 0;
    char *stream = bytes ? dsn__pack(bytes, part->raw, &packed) : NULL;

    part->stored = packed;
    if (stream)
        put_ext(w, ext, part, stream);
    else
        w->error = w->error ? w->error : ENOMEM;
    dsn__pages_free(stream);
}

/* A part of text (dsn__pages), which is freed. */
static void put_text(struct dsn_writer *w, struct dsn_ext *ext, struct dsn_ext_part *part, char *text)
{
    put_bytes(w, ext, part, text);
    dsn__pages_free(text);
}

static void write_nodes(struct dsn_writer *w, struct dsn_ext *ext)
{
    struct dsn_ext_part part = { .name = DSN_EXT_NODES, .version = 1 };
    size_t raw = 0;
    char *text = name_nodes(w->summary, &raw);

    part.raw = raw;
    put_text(w, ext, &part, text);
}

/* A line per process, in the order of start times. */
static size_t name_processes(const struct dsn_participants *participants, char *out)
{
    static const char *const endings[] = {
        [DSN_ENDED] = "ended", [DSN_KILLED] = "killed", [DSN_EXECUTES] = "executed", [DSN_RUNS] = "running"
    };
    size_t size = 0;

    for (const struct dsn_process_row *p = participants->processes; p; p = p->next) {
        const struct dsn_who *who = p->who;
        const struct dsn_rank_summary *summary = p->participant->summary;
        char head[160];
        const int n = dsn__format(head, sizeof head, "%lld\t%lld\t%lld\t%lld.%09lld\t%lld.%09lld\t%s\t",
                                  (long long)p->participant->rank, (long long)dsn__pid_of(who->member.number),
                                  (long long)dsn__pid_of(who->member.parent), (long long)who->start_sec,
                                  (long long)who->start_nsec, (long long)summary->end_sec, (long long)summary->end_nsec,
                                  endings[who->was_killed ? DSN_KILLED
                                          : who->runs     ? DSN_RUNS
                                          : who->executed ? DSN_EXECUTES
                                                          : DSN_ENDED]);

        if (out) {
            memcpy(out + size, head, (size_t)n);
            memcpy(out + size + n, who->exe, strlen(who->exe));
            out[size + (size_t)n + strlen(who->exe)] = '\n';
        }
        size += (size_t)n + strlen(who->exe) + 1;
    }
    return size;
}

/* Not needed if ranks and processes correspond. */
static void write_processes(struct dsn_writer *w, struct dsn_ext *ext)
{
    struct dsn_ext_part part = { .name = DSN_EXT_PROCESSES, .version = 2 };
    const struct dsn_participants *participants = w->participants;
    char *text;

    if (!participants->processes ||
        (!participants->processes->next && participants->nkilled == 0 && participants->nrunning == 0))
        return;
    part.raw = name_processes(participants, NULL);
    text = dsn__pages(part.raw);
    if (text)
        name_processes(participants, text);
    put_text(w, ext, &part, text);
}

static void write_sharing(struct dsn_writer *w, struct dsn_ext *ext)
{
    struct dsn_ext_part part = { .name = DSN_EXT_SHARED, .version = dsn_sharing_table.version, .raw = w->sharing_size };

    if (w->sharing_size > 0)
        put_bytes(w, ext, &part, w->sharing);
}

/* A part that only some jobs have. */
static void write_extension_region(struct dsn_writer *w, struct dsn_ext *ext, const char *name, unsigned version,
                                   const struct dsn_region *region)
{
    struct dsn_ext_part part = { .version = version, .raw = region->whole, .stored = region->packed };

    dsn__format(part.name, sizeof part.name, "%s", name);
    if (region->packed > 0)
        put_ext(w, ext, &part, region->bytes);
}

static void write_extension(struct dsn_writer *w, const struct dsn_regions *r)
{
    const struct dsn_region *ranks = &r->of[DSN_REGION_RANKS];
    const struct dsn_ext_part part = { .name = DSN_EXT_RANKS,
                                       .version = dsn_rank_table.version,
                                       .raw = (uint64_t)w->summary->ranks * dsn_rec_size(&dsn_rank_table),
                                       .stored = ranks->packed };
    struct dsn_ext *ext = dsn__pages(sizeof *ext + DSN_EXT_MAX_PARTS * DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE);

    if (ext) {
        write_nodes(w, ext);
        put_ext(w, ext, &part, ranks->bytes);
        write_extension_region(w, ext, DSN_EXT_CPU, 1, &r->of[DSN_REGION_STAMPS]);
        write_processes(w, ext);
        write_sharing(w, ext);
        write_extension_region(w, ext, DSN_EXT_LBIO, dsn_lbio_table.version, &r->of[DSN_REGION_LBIO]);
        write_extension_region(w, ext, DSN_EXT_FILES, dsn_files_table.version, &r->of[DSN_REGION_FILES]);
        write_extension_region(w, ext, DSN_EXT_PHASES, dsn_phases_table.version, &r->of[DSN_REGION_PHASES]);
        write_extension_region(w, ext, DSN_EXT_MAPPED, dsn_mapped_table.version, &r->of[DSN_REGION_MAPPED]);
        write_extension_region(w, ext, DSN_EXT_SITES, dsn_sites_table.version, &r->of[DSN_REGION_SITES]);
        write_extension_region(w, ext, DSN_EXT_STACKS, 1, &r->of[DSN_REGION_STACKS]);
        write_extension_region(w, ext, DSN_EXT_CUFILE, dsn_cufile_table.version, &r->of[DSN_REGION_CUFILE]);
    } else {
        w->error = w->error ? w->error : ENOMEM;
    }
    if (w->error == 0) {
        char *const tail = (char *)(ext + 1);

        dsn_ext_store(ext, w->end, tail);
        put(w, tail, dsn_ext_tail_size(ext->nparts), w->end);
    }
    dsn__pages_free(ext);
}

/* ------------------------------------------------------------------ the whole */

/* Bits of modules' ids, from bits of their indices. */
static uint64_t ids_of_modules(uint64_t modules)
{
    uint64_t ids = 0;

    for (int module = 0; module < DSN_INDEX_PHASE; module++)
        if (modules >> module & 1)
            ids |= (uint64_t)1 << dsn__modules[module]->id;
    return ids;
}

struct dsn_writer *dsn__log_begin(struct dsn_log_file *f, const struct dsn_log_identity *identity,
                                  const struct dsn_rank_summary *summary, const struct dsn_participants *participants,
                                  int64_t deadline)
{
    struct dsn_writer *w = dsn__pages(sizeof *w);
    const int64_t begin = dsn__now();

    if (!w)
        return NULL;
    w->file = f;
    w->identity = identity;
    w->summary = summary;
    w->participants = participants;
    w->deadline = deadline;
    w->header.compression = DSN_ZLIB;
    w->header.partial = summary->partial & ~(UINT64_C(1) << DSN_NO_MODULE);
    if (is_incomplete(participants)) /* of a killed process the last call may be missing */
        w->header.partial |= ids_of_modules(summary->active);
    fill_job(w);
    write_job(w);
    f->took_job = dsn__now() - begin;
    return w;
}

void dsn__log_lay_out(struct dsn_writer *w, const uint64_t *lengths, uint64_t *begins)
{
    lay_out(w, lengths);
    for (int region = 0; region < DSN_NHEADER_REGIONS; region++)
        begins[region] = map_of(&w->header, region)->off;
}

int dsn__log_write_regions(const char *path, const struct dsn_regions *r, const uint64_t *begins, int64_t deadline)
{
    const int fd = dsn__open_file(AT_FDCWD, path, O_WRONLY | O_DSYNC, 0);
    int error = fd < 0 ? errno : 0;

    for (int region = 0; region < DSN_NHEADER_REGIONS && error == 0; region++)
        error = write_until(fd, r->of[region].bytes, r->of[region].packed, begins[region], deadline);
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

void dsn__log_sharing_figures(struct dsn_writer *w, const void *figures, size_t size)
{
    w->sharing = figures;
    w->sharing_size = size;
}

int dsn__log_end(struct dsn_writer *w, const struct dsn_regions *r, int is_written)
{
    char header[DSN_HEADER_SIZE];
    uint64_t lengths[DSN_NHEADER_REGIONS];
    int64_t begin;
    int error;

    if (!is_written) {
        for (int region = 0; region < DSN_NHEADER_REGIONS; region++)
            lengths[region] = r->of[region].packed;
        lay_out(w, lengths);
        write_header_regions(w, r);
    }
    write_extension(w, r);
    dsn_header_store(&w->header, header);
    begin = dsn__now();
    put(w, header, sizeof header, 0); /* last: without it the file is not a log */
    verify(w, header, sizeof header, 0);
    for (int region = 0; region < DSN_NHEADER_REGIONS && !is_written; region++)
        verify(w, r->of[region].bytes, r->of[region].packed, map_of(&w->header, region)->off);
    w->file->took_header = dsn__now() - begin;
    error = w->error;
    dsn__pages_free(w);
    return error;
}
