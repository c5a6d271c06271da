/* extras.c - the extension section: compute nodes and totals of ranks
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/hash.h"

/* Limits of the decompressed size: deflate's best ratio, and an absolute one. */
#define MAX_RATIO 1100
#define MAX_PART  ((uint64_t)1 << 30)

/* Is the section missing that a log of this implementation has? Such a log names its writer, and something follows its
 * last region, but not a whole section. Other tools that copy a log leave out all of it. */
static int is_cut_off(const struct darshan_reader *log)
{
    const struct dsn_header *h = &log->header;
    uint64_t end = h->names.off + h->names.len;
    struct darshan_reader_metadata line;
    size_t at = 0;

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        if (h->mod[i].len > 0 && h->mod[i].off + h->mod[i].len > end)
            end = h->mod[i].off + h->mod[i].len;
    if (end == 0) /* no names, no records: where the job's data end is not told */
        return 0;
    while (darshan_reader_metadata(log, &at, &line))
        if (line.key_length == strlen("nnodes") && memcmp(line.key, "nnodes", strlen("nnodes")) == 0)
            return log->file.size > end;
    return 0;
}

/* Reads the directory of the section. 0: missing, or damaged (which is recorded). */
static int read_directory(struct darshan_reader *log, struct dsn_ext *ext)
{
    unsigned char footer[DSN_EXT_FOOTER_SIZE], bytes[DSN_EXT_MAX_PARTS * DSN_EXT_ENTRY_SIZE];
    struct dsn_ext_directory where;

    if (log->file.size < sizeof footer ||
        !dsn__file_read(&log->file, log->file.size - sizeof footer, footer, sizeof footer) ||
        !dsn_ext_find(footer, log->file.size, log->header.swap, &where)) {
        if (is_cut_off(log))
            dsn__damage(log, DSN_ERR_EXTENSION, "cut off");
        return 0;
    }
    if (!dsn__file_read(&log->file, where.off, bytes, where.len) ||
        dsn_ext_load(bytes, &where, log->header.swap, ext) != DSN_ERR_OK) {
        dsn__damage(log, DSN_ERR_EXTENSION, NULL);
        ext->nparts = 0;
        return 0;
    }
    return 1;
}

static int sum_is_right(const struct darshan_reader *log, const struct dsn_ext_part *part)
{
    unsigned char *stored = malloc(part->stored ? part->stored : 1);
    int ok = stored && dsn__file_read(&log->file, part->off, stored, part->stored) &&
             dsn_hash(stored, part->stored, 0) == part->sum;

    free(stored);
    return ok;
}

/* Decompresses a part and appends a NUL; NULL if it is damaged. The caller frees it. */
static unsigned char *read_part(const struct darshan_reader *log, const struct dsn_ext_part *part)
{
    const struct dsn__file file = { .fd = log->file.fd, .size = log->file.size, .compression = DSN_ZLIB };
    const struct dsn_map region = { part->off, part->stored };
    struct dsn__zio *z;
    unsigned char *bytes;
    size_t n;

    if (part->raw > MAX_PART || part->raw > part->stored * MAX_RATIO || !sum_is_right(log, part))
        return NULL;
    bytes = malloc(part->raw + 1);
    if (!bytes || dsn__zio_begin(&file, region, &z) != DSN_ERR_OK) {
        free(bytes);
        return NULL;
    }
    n = dsn__zio_read(z, bytes, part->raw + 1); /* one byte more, to detect a part that is too long */
    if (n != part->raw || dsn__zio_error(z) != DSN_ERR_OK) {
        free(bytes);
        bytes = NULL;
    } else {
        bytes[n] = '\0';
    }
    dsn__zio_end(z);
    return bytes;
}

/* A list of NUL-terminated host names. */
static int read_nodes(struct darshan_reader *log, const struct dsn_ext_part *part)
{
    struct dsn__extras *x = &log->extras;
    size_t n = 0;

    x->node_text = (char *)read_part(log, part);
    if (!x->node_text)
        return 0;
    for (uint64_t i = 0; i < part->raw; i++)
        n += x->node_text[i] == '\0';
    x->nodes = malloc((n + 1) * sizeof *x->nodes);
    if (!x->nodes)
        return 0;
    for (const char *p = x->node_text; x->nnodes < n; p += strlen(p) + 1)
        x->nodes[x->nnodes++] = p;
    return 1;
}

/* Reads a table's records and converts them to the newest version. */
static int read_records(const struct darshan_reader *log, const struct dsn_ext_part *part, const struct dsn_table *t,
                        unsigned char **records, size_t *nrecords)
{
    const size_t stored = dsn_rec_disk_size(t, (unsigned)part->version), size = dsn_rec_size(t);
    unsigned char *bytes = read_part(log, part);
    const size_t n = part->raw / stored;
    int ok = bytes && part->raw % stored == 0;

    if (ok && !(*records = calloc(n + 1, size)))
        ok = 0;
    for (size_t i = 0; ok && i < n; i++)
        dsn_rec_load(t, (unsigned)part->version, log->header.swap, bytes + i * stored,
                     (struct dsn_rec *)(void *)(*records + i * size));
    if (ok)
        *nrecords = n;
    free(bytes);
    return ok;
}

/* Reads the newest version of a part that the log has. */
static void read_table(struct darshan_reader *log, const char *name, const struct dsn_table *t, unsigned char **records,
                       size_t *n)
{
    const struct dsn_ext_part *part = NULL;

    for (uint64_t version = t->version; version > 0 && !part; version--)
        part = dsn_ext_part(&log->extras.directory, name, version);
    if (part && !read_records(log, part, t, records, n))
        dsn__damage(log, DSN_ERR_EXTENSION, name);
}

/* Whatever the file has, a name ends within its place. */
static void read_phases(struct darshan_reader *log)
{
    struct dsn__extras *x = &log->extras;
    const size_t size = dsn_rec_size(&dsn_phases_table);

    read_table(log, DSN_EXT_PHASES, &dsn_phases_table, &x->phases, &x->nphases);
    for (size_t i = 0; i < x->nphases; i++) {
        struct dsn_rec *r = (struct dsn_rec *)(void *)(x->phases + i * size);

        ((char *)&r->v[PHASE_NAME_7])[sizeof r->v[0] - 1] = '\0';
    }
}

void dsn__extras_read(struct darshan_reader *log)
{
    const struct dsn_ext *ext = &log->extras.directory;
    const struct dsn_ext_part *part;

    if (!read_directory(log, &log->extras.directory))
        return;
    part = dsn_ext_part(ext, DSN_EXT_NODES, 1);
    if (part && !read_nodes(log, part))
        dsn__damage(log, DSN_ERR_EXTENSION, "nodes");
    read_table(log, DSN_EXT_RANKS, &dsn_rank_table, &log->extras.ranks, &log->extras.nranks);
    read_table(log, DSN_EXT_SHARED, &dsn_sharing_table, &log->extras.shared, &log->extras.nshared);
    read_table(log, DSN_EXT_LBIO, &dsn_lbio_table, &log->extras.lbio, &log->extras.nlbio);
    read_phases(log);
}

void dsn__extras_free(struct dsn__extras *x)
{
    free(x->node_text);
    free(x->nodes);
    free(x->ranks);
    free(x->shared);
    free(x->lbio);
    free(x->files);
    free(x->phases);
    free(x->mapped);
    free(x->cufile);
    free(x->sites);
    free(x->stack_text);
    free(x->stacks);
}

size_t darshan_reader_nodes(const struct darshan_reader *log, const char *const **names)
{
    *names = log->extras.nodes;
    return log->extras.nnodes;
}

size_t darshan_reader_ranks(const struct darshan_reader *log)
{
    return log->extras.nranks;
}

const struct dsn_rec *darshan_reader_rank(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(log->extras.ranks + i * dsn_rec_size(&dsn_rank_table));
}

size_t darshan_reader_shared(const struct darshan_reader *log)
{
    return log->extras.nshared;
}

const struct dsn_rec *darshan_reader_shared_row(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.shared + i * dsn_rec_size(&dsn_sharing_table));
}

static int by_module_and_id(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->v[SHARED_MODULE].i != y->v[SHARED_MODULE].i)
        return x->v[SHARED_MODULE].i < y->v[SHARED_MODULE].i ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

const struct dsn_rec *darshan_reader_shared_of(const struct darshan_reader *log, unsigned module, uint64_t id)
{
    union dsn_any_rec key = { .rec = { .id = id } };

    key.rec.v[SHARED_MODULE].i = (int64_t)module;
    return log->extras.nshared == 0 ? NULL
                                    : bsearch(&key, log->extras.shared, log->extras.nshared,
                                              dsn_rec_size(&dsn_sharing_table), by_module_and_id);
}

size_t darshan_reader_lbio(const struct darshan_reader *log)
{
    return log->extras.nlbio;
}

const struct dsn_rec *darshan_reader_lbio_row(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.lbio + i * dsn_rec_size(&dsn_lbio_table));
}

size_t darshan_reader_phases(const struct darshan_reader *log)
{
    return log->extras.nphases;
}

const struct dsn_rec *darshan_reader_phase(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.phases + i * dsn_rec_size(&dsn_phases_table));
}

const char *darshan_reader_phase_name(const struct dsn_rec *phase)
{
    return (const char *)&phase->v[PHASE_NAME];
}

static int by_record(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->v[FILE_MODULE].i != y->v[FILE_MODULE].i)
        return x->v[FILE_MODULE].i < y->v[FILE_MODULE].i ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* By the totals of all ranks: some may have been merged from a log that does not tell. A log of some files has none. */
static int tells_files(const struct darshan_reader *log)
{
    const struct dsn_ext *ext = &log->extras.directory;

    for (size_t i = 0; i < log->extras.nranks; i++)
        if (!(darshan_reader_rank(log, i)->v[RANK_F_OPEN_TIME].f >= 0))
            return 0;
    for (uint64_t i = 0; log->extras.nranks == 0 && i < ext->nparts; i++)
        if (strcmp(ext->part[i].name, DSN_EXT_FILES) == 0)
            return 1;
    return log->extras.nranks > 0;
}

int darshan_reader_tells_files(struct darshan_reader *log)
{
    if (log->extras.tells_files == 0)
        log->extras.tells_files = tells_files(log) ? 1 : -1;
    return log->extras.tells_files > 0;
}

size_t darshan_reader_files(struct darshan_reader *log)
{
    struct dsn__extras *x = &log->extras;

    if (x->has_read_files)
        return x->nfiles;
    x->has_read_files = 1;
    read_table(log, DSN_EXT_FILES, &dsn_files_table, &x->files, &x->nfiles);
    if (x->nfiles > 0)
        qsort(x->files, x->nfiles, dsn_rec_size(&dsn_files_table), by_record);
    return x->nfiles;
}

const struct dsn_rec *darshan_reader_file_row(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.files + i * dsn_rec_size(&dsn_files_table));
}

const struct dsn_rec *darshan_reader_file_of(struct darshan_reader *log, unsigned module, const struct dsn_rec *r)
{
    union dsn_any_rec key = { .rec = { .id = r->id, .rank = r->rank } };

    key.rec.v[FILE_MODULE].i = (int64_t)module;
    return darshan_reader_files(log) == 0
               ? NULL
               : bsearch(&key, log->extras.files, log->extras.nfiles, dsn_rec_size(&dsn_files_table), by_record);
}

static int by_id_and_rank(const void *a, const void *b)
{
    const struct dsn_rec *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

size_t darshan_reader_mapped(struct darshan_reader *log)
{
    struct dsn__extras *x = &log->extras;

    if (x->has_read_mapped)
        return x->nmapped;
    x->has_read_mapped = 1;
    read_table(log, DSN_EXT_MAPPED, &dsn_mapped_table, &x->mapped, &x->nmapped);
    if (x->nmapped > 0)
        qsort(x->mapped, x->nmapped, dsn_rec_size(&dsn_mapped_table), by_id_and_rank);
    return x->nmapped;
}

const struct dsn_rec *darshan_reader_mapped_row(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.mapped + i * dsn_rec_size(&dsn_mapped_table));
}

size_t darshan_reader_cufile(struct darshan_reader *log)
{
    struct dsn__extras *x = &log->extras;

    if (x->has_read_cufile)
        return x->ncufile;
    x->has_read_cufile = 1;
    read_table(log, DSN_EXT_CUFILE, &dsn_cufile_table, &x->cufile, &x->ncufile);
    if (x->ncufile > 0)
        qsort(x->cufile, x->ncufile, dsn_rec_size(&dsn_cufile_table), by_id_and_rank);
    return x->ncufile;
}

const struct dsn_rec *darshan_reader_cufile_row(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.cufile + i * dsn_rec_size(&dsn_cufile_table));
}

static int by_stack_id(const void *a, const void *b)
{
    const darshan_log_stack *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* Entries of an id and a text with its NUL; several ranks may have written the same. */
static int read_stacks(struct darshan_reader *log, const struct dsn_ext_part *part)
{
    struct dsn__extras *x = &log->extras;
    size_t n = 0, kept = 0;

    x->stack_text = (char *)read_part(log, part);
    if (!x->stack_text)
        return 0;
    x->stacks = malloc((part->raw / (sizeof(uint64_t) + 1) + 1) * sizeof *x->stacks);
    if (!x->stacks)
        return 0;
    for (uint64_t at = 0; part->raw > at + sizeof(uint64_t); n++) { /* behind the part there is a NUL */
        const char *text = x->stack_text + at + sizeof(uint64_t);

        x->stacks[n] = (darshan_log_stack){ dsn_u64_at(x->stack_text + at, log->header.swap), text };
        at += sizeof(uint64_t) + strlen(text) + 1;
    }
    qsort(x->stacks, n, sizeof *x->stacks, by_stack_id);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || x->stacks[kept - 1].id != x->stacks[i].id)
            x->stacks[kept++] = x->stacks[i];
    x->nstacks = kept;
    return 1;
}

size_t darshan_reader_sites(struct darshan_reader *log)
{
    struct dsn__extras *x = &log->extras;
    const struct dsn_ext_part *part;

    if (x->has_read_sites)
        return x->nsites;
    x->has_read_sites = 1;
    read_table(log, DSN_EXT_SITES, &dsn_sites_table, &x->sites, &x->nsites);
    part = dsn_ext_part(&x->directory, DSN_EXT_STACKS, 1);
    if (part && !read_stacks(log, part))
        dsn__damage(log, DSN_ERR_EXTENSION, DSN_EXT_STACKS);
    return x->nsites;
}

const struct dsn_rec *darshan_reader_site(const struct darshan_reader *log, size_t i)
{
    return (const struct dsn_rec *)(const void *)(log->extras.sites + i * dsn_rec_size(&dsn_sites_table));
}

size_t darshan_reader_stacks(struct darshan_reader *log, const darshan_log_stack **stacks)
{
    darshan_reader_sites(log);
    *stacks = log->extras.stacks;
    return log->extras.nstacks;
}

const char *darshan_reader_stack(struct darshan_reader *log, uint64_t id)
{
    const darshan_log_stack key = { .id = id }, *stacks, *found;
    const size_t n = darshan_reader_stacks(log, &stacks);

    found = n > 0 ? bsearch(&key, stacks, n, sizeof key, by_stack_id) : NULL;
    return found ? found->text : NULL;
}

size_t darshan_reader_parts(const struct darshan_reader *log)
{
    return log->extras.directory.nparts;
}

const struct dsn_ext_part *darshan_reader_part(const struct darshan_reader *log, size_t i)
{
    return &log->extras.directory.part[i];
}

int darshan_reader_part_bytes(const struct darshan_reader *log, size_t i, void **bytes,
                              struct darshan_reader_error *err)
{
    const struct dsn_ext_part *part = &log->extras.directory.part[i];

    *bytes = read_part(log, part);
    return *bytes ? dsn__fail(err, DSN_ERR_OK, NULL) : dsn__fail(err, DSN_ERR_EXTENSION, part->name);
}

/* A part with an incomplete stamp is damaged. */
static int stamps_of(const struct darshan_reader *log, size_t i, darshan_cpu_stamp **out, size_t *n,
                     struct darshan_reader_error *err)
{
    const struct dsn_ext_part *part = darshan_reader_part(log, i);
    void *bytes;
    const int rc = darshan_reader_part_bytes(log, i, &bytes, err);

    if (rc != DSN_ERR_OK)
        return rc;
    if (part->raw % sizeof **out != 0) {
        free(bytes);
        return dsn__fail(err, DSN_ERR_EXTENSION, part->name);
    }
    if (log->header.swap)
        for (uint64_t *word = bytes; (char *)word < (char *)bytes + part->raw; word++)
            *word = __builtin_bswap64(*word);
    *out = bytes;
    *n = part->raw / sizeof **out;
    return DSN_ERR_OK;
}

int darshan_reader_cpu_stamps(const struct darshan_reader *log, darshan_cpu_stamp **out, size_t *n,
                              struct darshan_reader_error *err)
{
    *out = NULL;
    *n = 0;
    for (size_t i = 0; i < darshan_reader_parts(log); i++) {
        const struct dsn_ext_part *part = darshan_reader_part(log, i);

        if (strcmp(part->name, DSN_EXT_CPU) == 0 && part->version == 1)
            return stamps_of(log, i, out, n, err);
    }
    return dsn__fail(err, DSN_ERR_OK, NULL);
}
