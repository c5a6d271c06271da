/* taken.c - reads a log for ingest in one pass: figures, totals of modules, users of files, and records
 * SPDX-License-Identifier: BSD-3-Clause */
#include "taken.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/accum.h"
#include "util/lib/grow.h"
#include "util/lib/idmap.h"

#define HASH_STEP 65536

struct file {
    int64_t bytes_read, bytes_written;
    double first_read, first_write; /* 0: none */
    int64_t nranks;                 /* ranks with a record of the current module */
    int64_t most;                   /* the maximum over modules */
    unsigned module;                /* the current one */
    int is_reduced, stream;         /* a record is reduced over all ranks; a standard stream */
    int not_counted;                /* an MPI library made it for itself */
    int interface;                  /* the highest */
};

struct pass {
    struct darshan_reader *log;
    struct dsn_taken *t;
    int64_t max_records;
    struct dsn__idmap file_index, not_counted;
    struct file *files;
    size_t nfiles, files_room;
    struct dsn_heat_sum heat;
};

int dsn_module_taken(unsigned module)
{
    const struct dsn_table *t = dsn_table(module);

    return t && module != DSN_HEATMAP_MODULE;
}

int dsn_hash_file(int fd, char hash[65])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char bytes[HASH_STEP], digest[EVP_MAX_MD_SIZE];
    int error = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) ? 0 : ENOMEM;
    ssize_t n = 0;

    for (off_t at = 0; error == 0 && (n = pread(fd, bytes, sizeof bytes, at)) > 0; at += n)
        error = EVP_DigestUpdate(context, bytes, (size_t)n) ? 0 : ENOMEM;
    if (error == 0 && n < 0)
        error = errno;
    if (error == 0 && !EVP_DigestFinal_ex(context, digest, NULL))
        error = ENOMEM;
    EVP_MD_CTX_free(context);
    for (int i = 0; error == 0 && i < 32; i++)
        snprintf(hash + 2 * i, 3, "%02x", digest[i]);
    return error;
}

/* ------------------------------------------------------------------ growing arrays */

static struct file *file_of(struct pass *p, uint64_t id)
{
    uint32_t at;

    if (p->nfiles >= DSN_IDMAP_NONE || !dsn_grow(&p->files, &p->files_room, sizeof *p->files, p->nfiles))
        return NULL;
    at = dsn__idmap_add(&p->file_index, id, (uint32_t)p->nfiles);
    if (at == DSN_IDMAP_NONE)
        return NULL;
    if (at == p->nfiles) {
        const char *name = darshan_reader_name(p->log, id);

        p->files[p->nfiles++] =
            (struct file){ .not_counted = dsn__idmap_get(&p->not_counted, id) != DSN_IDMAP_NONE,
                           .stream = name && (strcmp(name, "<STDIN>") == 0 || strcmp(name, "<STDOUT>") == 0 ||
                                              strcmp(name, "<STDERR>") == 0) };
    }
    return &p->files[at];
}

/* Appends a copy of `s` to the text; 0 if it is NULL, UINT32_MAX if out of memory. */
static uint32_t add_text(struct dsn_taken *t, const char *s)
{
    const size_t n = s ? strlen(s) + 1 : 0;
    const size_t at = t->text_used;

    if (n == 0)
        return 0;
    if (at + n > UINT32_MAX || !dsn_grow(&t->text, &t->text_room, 1, at + n - 1))
        return UINT32_MAX;
    memcpy(t->text + at, s, n);
    t->text_used += n;
    return (uint32_t)at;
}

/* ------------------------------------------------------------------ records */

static int interface_of(unsigned module)
{
    switch (module) {
    case DSN_STDIO_MODULE:
        return DSN_BY_STDIO;
    case DSN_POSIX_MODULE:
        return DSN_BY_POSIX;
    case DSN_DAOS_MODULE:
        return DSN_BY_DAOS;
    case DSN_DFS_MODULE:
        return DSN_BY_DFS;
    case DSN_MPIIO_MODULE:
        return DSN_BY_MPIIO;
    case DSN_PNETCDF_FILE_MODULE:
        return DSN_BY_PNETCDF;
    case DSN_H5F_MODULE:
        return DSN_BY_HDF5;
    default:
        return -1;
    }
}

static void keep_least(double *least, double time)
{
    if (time > 0 && (*least <= 0 || time < *least))
        *least = time;
}

static void note_times(struct file *f, const struct dsn_table *t, const struct dsn_rec *r)
{
    static const struct {
        unsigned module;
        int read, write;
    } first[] = { { DSN_POSIX_MODULE, POSIX_F_READ_START_TIMESTAMP, POSIX_F_WRITE_START_TIMESTAMP },
                  { DSN_STDIO_MODULE, STDIO_F_READ_START_TIMESTAMP, STDIO_F_WRITE_START_TIMESTAMP },
                  { DSN_DFS_MODULE, DFS_F_READ_START_TIMESTAMP, DFS_F_WRITE_START_TIMESTAMP },
                  { DSN_DAOS_MODULE, DAOS_F_READ_START_TIMESTAMP, DAOS_F_WRITE_START_TIMESTAMP } };

    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (first[i].module == t->id) {
            keep_least(&f->first_read, r->v[first[i].read].f);
            keep_least(&f->first_write, r->v[first[i].write].f);
        }
}

/* A file that was read before it was written existed before the job. (The data read may come from another file of that
 * name; and a file that is never read may have existed, too.) */
static int held_data(const struct file *f)
{
    return f->bytes_read > 0 && f->bytes_written > 0 && f->first_read > 0 && f->first_read < f->first_write;
}

/* Like the log's volume: without what is damage. */
static void add_bytes(int64_t *sum, int64_t n)
{
    if (n > 0 && n < DSN_MOST_COUNT)
        *sum = dsn_plus(*sum, n);
}

/* Records who accessed which file through what. Bytes are counted where the log's volume is; objects of DAOS count as
 * files if that is where. */
static int note_use(struct pass *p, const struct dsn_table *t, const struct dsn_rec *r)
{
    const int moves = dsn_figures_counts(p->log, t->id);
    const int64_t bytes_read = dsn_rec_role_i64(t, r, DSN_R_BYTES);
    const int64_t bytes_written = dsn_rec_role_i64(t, r, DSN_W_BYTES);
    const int interface = interface_of(t->id);
    struct file *f;

    if (interface < 0 || (interface == DSN_BY_DAOS && !moves))
        return 1;
    f = file_of(p, r->id);
    if (!f)
        return 0;
    if (interface > f->interface)
        f->interface = interface;
    if (f->module != t->id) {
        f->module = t->id;
        f->nranks = 0;
    }
    if (++f->nranks > f->most)
        f->most = f->nranks;
    f->is_reduced |= r->rank < 0;
    if (!moves)
        return 1;
    note_times(f, t, r);
    add_bytes(&f->bytes_read, bytes_read);
    add_bytes(&f->bytes_written, bytes_written);
    return 1;
}

static int keep_record(struct pass *p, const struct dsn_table *t, const struct dsn_rec *r)
{
    struct dsn_taken_module *m = &p->t->module[t->id];
    const size_t size = dsn_rec_size(t);
    const char *name = darshan_reader_name(p->log, r->id);
    const bool is_path = name && t->id != DSN_DFS_MODULE && t->id != DSN_DAOS_MODULE; /* of this machine */
    const struct darshan_reader_mount *mount = is_path ? darshan_reader_mount_of(p->log, name) : NULL;
    struct dsn_taken_name *n;

    if (!dsn_grow(&m->records, &m->records_room, size, (size_t)m->kept) ||
        !dsn_grow(&m->names, &m->names_room, sizeof *m->names, (size_t)m->kept))
        return 0;
    memcpy(m->records + (size_t)m->kept * size, r, size);
    n = &m->names[m->kept++];
    n->name = add_text(p->t, name);
    n->mount = add_text(p->t, mount ? mount->path : NULL);
    n->type = add_text(p->t, mount ? mount->type : NULL);
    p->t->nkept++;
    p->t->bytes += size + sizeof *n;
    return n->name != UINT32_MAX && n->mount != UINT32_MAX && n->type != UINT32_MAX;
}

static int read_record(struct pass *p, struct dsn_accum *total, const struct dsn_rec *r)
{
    if (!dsn_module_taken(total->table->id))
        return 1;
    p->t->module[total->table->id].n++;
    p->t->nrecords++;
    return dsn_accum_add(total, r) == DSN_ERR_OK && note_use(p, total->table, r) &&
           (p->t->nkept >= p->max_records || keep_record(p, total->table, r));
}

static void copy_total(struct dsn_taken_module *m, const struct dsn_accum *total)
{
    const size_t size = dsn_rec_size(total->table);

    m->total = malloc(size);
    if (m->total)
        memcpy(m->total, dsn_accum_total(total), size);
}

/* Returns DSN_ERR_OK or the error. */
static int read_module(struct pass *p, unsigned module, struct darshan_reader_error *err)
{
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    struct dsn_accum total;
    int ok = 1;

    if (darshan_reader_header(p->log)->mod[module].len == 0)
        return DSN_ERR_OK;
    if (darshan_reader_begin(p->log, module, &it, err) != DSN_ERR_OK)
        return err->code;
    dsn_accum_init(&total, dsn_table(module), DSN_ACCUM_TOTAL);
    while (ok && (r = darshan_reader_next(it, err)) != NULL)
        ok = read_record(p, &total, r) &&
             dsn_details_add(p->t->detail, &p->heat, p->max_records, total.table, r, darshan_reader_tail(it));
    if (p->t->module[module].n > 0) {
        copy_total(&p->t->module[module], &total);
        ok &= p->t->module[module].total != NULL;
    }
    dsn_accum_free(&total);
    darshan_reader_end(it);
    return ok ? err->code : DSN_ERR_MEMORY;
}

/* ------------------------------------------------------------------ what follows from the records */

static void sum_uses(struct pass *p)
{
    struct dsn_taken *t = p->t;

    for (size_t i = 0; i < p->nfiles; i++) {
        const struct file *f = &p->files[i];
        const int sharing = t->figures.nprocs == 1                          ? DSN_BY_ONE
                            : f->is_reduced || f->most >= t->figures.nprocs ? DSN_BY_ALL
                            : f->most > 1                                   ? DSN_BY_SOME
                                                                            : DSN_BY_ONE;
        struct dsn_use *use = &t->use[f->not_counted ? DSN_BY_LIBRARY : f->interface][sharing];
        const int counts = !f->stream && !f->not_counted;

        use->present = 1;
        use->files += counts;
        use->files_written += counts && f->bytes_written > 0;
        use->bytes_read = dsn_plus(use->bytes_read, f->bytes_read);
        use->bytes_written = dsn_plus(use->bytes_written, f->bytes_written);
        t->files_written += counts && f->bytes_written > 0;
        t->files_held_data += counts && held_data(f);
    }
}

/* Leaves it empty if the log does not say. */
static void copy_metadata(const struct darshan_reader *log, const char *key, char *out, size_t size)
{
    struct darshan_reader_metadata m;

    if (dsn_find_metadata(log, key, &m))
        snprintf(out, size, "%.*s", m.value_length < size ? (int)m.value_length : (int)size - 1, m.value);
}

/* What the log says of its machine, of its job's number, and of which ranks of a run it has. */
static void read_metadata(struct dsn_taken *t, const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;

    copy_metadata(log, "machine", t->machine, sizeof t->machine);
    t->jobid_is_pid = dsn_has_no_job(log);
    if (!dsn_find_metadata(log, "ranks", &m)) /* it has all */
        return;
    copy_metadata(log, "run", t->run, sizeof t->run);
    copy_metadata(log, "node", t->node, sizeof t->node);
}

static int copy_job(struct dsn_taken *t, const struct darshan_reader *log)
{
    const struct dsn_header *h = darshan_reader_header(log);
    const char *exe = darshan_reader_exe(log);
    const size_t first = strcspn(exe, " \t\n");
    size_t base = first;

    while (base > 0 && exe[base - 1] != '/')
        base--;
    t->job = *darshan_reader_job(log);
    read_metadata(t, log);
    t->start = (double)t->job.start_sec + (double)t->job.start_nsec / 1e9;
    t->end = (double)t->job.end_sec + (double)t->job.end_nsec / 1e9;
    t->partial = h->partial;
    memcpy(t->version, h->version, 8);
    t->exe = strdup(exe);
    t->program = strndup(exe + base, first - base);
    t->text_used = 1; /* 0 means no text */
    t->text_room = 4096;
    t->text = calloc(1, t->text_room);
    return t->exe && t->program && t->text;
}

/* Patterns are made of names, as records are, and kept as long. */
static int copy_patterns(struct pass *p)
{
    const struct dsn_waited *w = &p->t->waited;
    int ok = 1;

    for (size_t i = 0; ok && i < w->npatterns && (int64_t)i < p->max_records; i++) {
        const uint32_t name = add_text(p->t, w->pattern[i].name);

        ok = name != UINT32_MAX && dsn_details_pattern(p->t->detail, &w->pattern[i], name);
    }
    return ok;
}

static int copy_phases(struct pass *p)
{
    const struct dsn_waited *w = &p->t->waited;
    int ok = 1;

    for (size_t i = 0; ok && i < w->nphases; i++) {
        const uint32_t name = add_text(p->t, w->phase[i].name);

        ok = name != UINT32_MAX && dsn_details_phase(p->t->detail, &w->phase[i], name);
    }
    return ok;
}

static int copy_sites(struct pass *p)
{
    const struct dsn_waited *w = &p->t->waited;
    int ok = 1;

    for (size_t i = 0; ok && i < w->nsites; i++) {
        const uint32_t name = add_text(p->t, w->site[i].where);

        ok = name != UINT32_MAX && dsn_details_site(p->t->detail, &w->site[i], name);
    }
    return ok;
}

static int read_all(struct pass *p, struct darshan_reader_error *err)
{
    int rc = DSN_ERR_OK;

    for (unsigned module = 0; rc == DSN_ERR_OK && module < DSN_MODULE_SLOTS; module++)
        if (dsn_table(module))
            rc = read_module(p, module, err);
    if (rc != DSN_ERR_OK)
        return rc;
    if (!dsn_details_finish(p->t->detail, &p->heat, p->max_records) ||
        !dsn_details_shared(p->t->detail, p->max_records, p->log) || !dsn_details_lbio(p->t->detail, p->log) ||
        !copy_patterns(p) || !copy_phases(p) || !copy_sites(p))
        return DSN_ERR_MEMORY;
    sum_uses(p);
    for (int i = 0; i < DSN_NDETAILS; i++)
        p->t->bytes += p->t->detail[i].n * sizeof p->t->detail[i].row[0];
    p->t->bytes += sizeof *p->t + p->t->text_room + strlen(p->t->exe);
    return rc;
}

static int take_opened(struct pass *p, struct darshan_reader_error *err)
{
    int rc = darshan_reader_damage(p->log, err);

    if (rc != DSN_ERR_OK)
        return rc;
    rc = copy_job(p->t, p->log) ? dsn_waited_read(p->log, &p->t->figures, &p->t->waited, &p->not_counted)
                                : DSN_ERR_MEMORY;
    if (rc == DSN_ERR_OK)
        rc = read_all(p, err);
    dsn_heat_free(&p->heat);
    free(p->files);
    dsn__idmap_free(&p->file_index);
    dsn__idmap_free(&p->not_counted);
    return rc;
}

int dsn_take(const char *path, int64_t max_records, int64_t since, struct dsn_taken **out,
             struct darshan_reader_error *err)
{
    struct pass p = { .max_records = max_records };
    int rc = darshan_reader_open(path, &p.log, err);

    if (rc != DSN_ERR_OK)
        return rc;
    if (darshan_reader_job(p.log)->end_sec < since)
        p.max_records = 0;
    dsn__idmap_init(&p.file_index);
    dsn__idmap_init(&p.not_counted);
    p.t = calloc(1, sizeof *p.t);
    rc = p.t ? take_opened(&p, err) : DSN_ERR_MEMORY;
    darshan_reader_close(p.log);
    if (rc == DSN_ERR_OK) {
        *out = p.t;
        return rc;
    }
    if (rc == DSN_ERR_MEMORY)
        *err = (struct darshan_reader_error){ .code = rc, .text = "cannot be read: out of memory" };
    dsn_taken_free(p.t);
    return rc;
}

void dsn_taken_free(struct dsn_taken *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        free(t->module[i].total);
        free(t->module[i].records);
        free(t->module[i].names);
    }
    for (int i = 0; i < DSN_NDETAILS; i++)
        free(t->detail[i].row);
    dsn_waited_free(&t->waited);
    free(t->exe);
    free(t->program);
    free(t->user);
    free(t->text);
    free(t);
}
