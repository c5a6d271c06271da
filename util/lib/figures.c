/* figures.c - figures of a log, computed in one pass
 * SPDX-License-Identifier: BSD-3-Clause */
#include "figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idtable.h"

#define MIB 1048576.0

struct file {
    int64_t rank; /* of the first record */
    int64_t bytes_read, bytes_written;
    int several, all, stream, input;
};

/* I/O time of one rank, in seconds. */
struct rank {
    double own;   /* on its own (not shared) records */
    double input; /* on standard input, not included in `own` */
};

/* A module in this pass: its table, with the rows looked up once. */
struct source {
    const struct dsn_table *table;
    int slowest_rank, slowest_time;
    struct {
        uint16_t at[4];
        unsigned n;
    } role[DSN_NROLES];
};

/* State of the pass. */
struct dsn_figures_pass {
    struct darshan_reader *log;
    struct dsn_figures f;
    struct dsn__idtable files;
    struct dsn__idtable ranks;
    struct source source[4];
    unsigned nsources;
};

/* Modules whose volume and time are counted: none of them calls another. DAOS counts only in logs without DFS, which is
 * on top of it. */
static const struct {
    unsigned module;
    int slowest_rank, slowest_time;
    unsigned above; /* 0: none */
} counted[] = {
    { DSN_POSIX_MODULE, POSIX_SLOWEST_RANK, POSIX_F_SLOWEST_RANK_TIME, 0 },
    { DSN_STDIO_MODULE, STDIO_SLOWEST_RANK, STDIO_F_SLOWEST_RANK_TIME, 0 },
    { DSN_DFS_MODULE, DFS_SLOWEST_RANK, DFS_F_SLOWEST_RANK_TIME, 0 },
    { DSN_DAOS_MODULE, DAOS_SLOWEST_RANK, DAOS_F_SLOWEST_RANK_TIME, DSN_DFS_MODULE },
};

static void init_source(struct source *s, unsigned module, int slowest_rank, int slowest_time)
{
    s->table = dsn_table(module);
    s->slowest_rank = slowest_rank;
    s->slowest_time = slowest_time;
    for (int role = DSN_NONE + 1; role < DSN_NROLES; role++)
        s->role[role].n = dsn_role_rows(s->table, (enum dsn_role)role, s->role[role].at, 4);
}

/* Unavailable values (-1) count as 0. */
static int64_t role_i64(const struct source *s, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < s->role[role].n; i++)
        if (r->v[s->role[role].at[i]].i != -1)
            sum = dsn_plus(sum, r->v[s->role[role].at[i]].i);
    return sum;
}

static double role_f64(const struct source *s, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < s->role[role].n; i++)
        if (r->v[s->role[role].at[i]].f != -1)
            sum += r->v[s->role[role].at[i]].f;
    return sum;
}

static int is_stream(const char *name)
{
    return name && (strcmp(name, "<STDIN>") == 0 || strcmp(name, "<STDOUT>") == 0 || strcmp(name, "<STDERR>") == 0);
}

/* NULL: no memory. */
static const struct file *add_file(struct dsn_figures_pass *p, const struct dsn_rec *r, int64_t bytes_read,
                                   int64_t bytes_written)
{
    int fresh;
    struct file *file = dsn__idtable_element(&p->files, r->id, &fresh);

    if (!file)
        return NULL;
    if (fresh) {
        const char *name = darshan_reader_name(p->log, r->id);

        file->rank = r->rank;
        file->stream = is_stream(name);
        file->input = file->stream && strcmp(name, "<STDIN>") == 0;
    }
    file->bytes_read = dsn_plus(file->bytes_read, bytes_read);
    file->bytes_written = dsn_plus(file->bytes_written, bytes_written);
    file->all |= r->rank == -1;
    file->several |= r->rank != file->rank;
    return file;
}

static int add_rank(struct dsn_figures_pass *p, int64_t rank, double time, double input)
{
    int fresh;
    struct rank *sum = dsn__idtable_element(&p->ranks, (uint64_t)rank, &fresh);

    if (!sum)
        return DSN_ERR_MEMORY;
    sum->own += time;
    sum->input += input;
    return DSN_ERR_OK;
}

/* Seconds from a shared record's first open to its last access. */
static double open_to_last(const struct source *s, const struct dsn_rec *r)
{
    const double first = role_f64(s, r, DSN_FIRST_OPEN);
    double last = 0;

    for (unsigned i = 0; i < s->role[DSN_LAST_IO].n; i++)
        if (r->v[s->role[DSN_LAST_IO].at[i]].f > last)
            last = r->v[s->role[DSN_LAST_IO].at[i]].f;
    return last > first ? last - first : 0;
}

static void note_slowest_file(struct dsn_figures *f, const struct dsn_rec *r, int64_t rank, double time)
{
    if (time <= f->slowest_file.seconds)
        return;
    f->slowest_file = (struct dsn_slowest_file){ .id = r->id, .rank = rank, .seconds = time };
}

/* For a shared record the time of the slowest rank is known. */
static int add_input(struct dsn_figures_pass *p, const struct source *s, const struct dsn_rec *r, int64_t bytes,
                     double time)
{
    const int64_t slowest = r->v[s->slowest_rank].i;

    p->f.input_bytes = dsn_plus(p->f.input_bytes, bytes);
    p->f.input_time += time;
    if (r->rank >= 0)
        return add_rank(p, r->rank, 0, time);
    return slowest >= 0 ? add_rank(p, slowest, 0, r->v[s->slowest_time].f) : DSN_ERR_OK;
}

static int add_record(struct dsn_figures_pass *p, const struct source *s, const struct dsn_rec *r)
{
    struct dsn_figures *f = &p->f;
    const int64_t bytes_read = role_i64(s, r, DSN_R_BYTES);
    const int64_t bytes_written = role_i64(s, r, DSN_W_BYTES);
    const double read = role_f64(s, r, DSN_R_TIME);
    const double write = role_f64(s, r, DSN_W_TIME);
    const double meta = role_f64(s, r, DSN_M_TIME);
    const double time = meta + read + write;
    const struct file *file = add_file(p, r, bytes_read, bytes_written);

    if (!file)
        return DSN_ERR_MEMORY;
    f->bytes_read = dsn_plus(f->bytes_read, bytes_read);
    f->bytes_written = dsn_plus(f->bytes_written, bytes_written);
    f->reads = dsn_plus(f->reads, role_i64(s, r, DSN_R_OPS));
    f->writes = dsn_plus(f->writes, role_i64(s, r, DSN_W_OPS));
    if (file->input)
        return add_input(p, s, r, bytes_read, time);
    f->read_time += read;
    f->write_time += write;
    f->meta_time += meta;
    if (r->rank >= 0) {
        note_slowest_file(f, r, r->rank, time);
        return add_rank(p, r->rank, time, 0);
    }
    f->shared_time += r->v[s->slowest_time].f;
    f->open_to_last += open_to_last(s, r);
    note_slowest_file(f, r, r->v[s->slowest_rank].i, r->v[s->slowest_time].f);
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ what follows from the records */

static void count_file(struct dsn_figures *f, const struct file *file)
{
    struct dsn_file_kinds *k = &f->files;
    const int was_read = file->bytes_read > 0, was_written = file->bytes_written > 0;

    if (file->stream)
        return;
    k->total++;
    ++*(was_read ? (was_written ? &k->read_write : &k->read_only) : was_written ? &k->write_only : &k->untouched);
    /* a job of one rank has shared records, but no shared files */
    ++*(f->nprocs == 1 ? &k->unique : file->all ? &k->shared : file->several ? &k->partly_shared : &k->unique);
}

static void find_slowest_estimate(struct dsn_figures_pass *p)
{
    struct dsn_figures *f = &p->f;

    for (size_t i = 0; i < p->ranks.n; i++) {
        const double time = ((const struct rank *)p->ranks.elements)[i].own;
        const int64_t rank = (int64_t)p->ranks.index.keys[i];

        if (time > f->unique_time || (time == f->unique_time && time > 0 && rank < f->unique_rank)) {
            f->unique_time = time;
            f->unique_rank = rank;
        }
    }
    f->slowest_time = f->unique_time + f->shared_time;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Values that an older log does not have are -1. */
static int64_t plus_known(int64_t sum, int64_t value)
{
    return value > 0 ? dsn_plus(sum, value) : sum;
}

static void add_calls(struct dsn_timed_calls *sum, int64_t calls, double time)
{
    sum->calls = plus_known(sum->calls, calls);
    if (time > 0)
        sum->time += time;
}

/* Seconds a rank waited for standard input, which its totals include in the read time. */
static double input_time(const struct dsn_figures_pass *p, size_t rank)
{
    const struct rank *r = dsn__idtable_find(&p->ranks, rank);

    return r ? r->input : 0;
}

/* The exact slowest rank, from the per-rank totals of the extension section. */
static void find_slowest_exact(struct dsn_figures_pass *p)
{
    struct dsn_figures *f = &p->f;
    const size_t n = darshan_reader_ranks(p->log);
    double most = -1;

    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *r = darshan_reader_rank(p->log, i);
        const double all_read = r->v[RANK_F_READ_TIME].f, write = r->v[RANK_F_WRITE_TIME].f;
        const double input = input_time(p, i), read = all_read > input ? all_read - input : 0;
        const double meta = r->v[RANK_F_META_TIME].f;

        f->folded = dsn_plus(f->folded, r->v[RANK_FOLDED].i);
        f->missed = dsn_plus(f->missed, r->v[RANK_MISSED].i);
        f->limited = plus_known(f->limited, r->v[RANK_LIMITED].i);
        f->untraced = plus_known(f->untraced, r->v[RANK_UNTRACED].i);
        add_calls(&f->deletes, r->v[RANK_DELETES].i, r->v[RANK_F_DELETE_TIME].f);
        add_calls(&f->renames, r->v[RANK_RENAMES].i, r->v[RANK_F_RENAME_TIME].f);
        add_calls(&f->other_metas, r->v[RANK_OTHER_METAS].i, r->v[RANK_F_OTHER_META_TIME].f);
        f->enough_memory = larger(f->enough_memory, r->v[RANK_ENOUGH_MEMORY].i);
        f->enough_records = larger(f->enough_records, r->v[RANK_ENOUGH_RECORDS].i);
        if (!(read + write + meta > most))
            continue;
        most = read + write + meta;
        f->slowest_rank = (int64_t)i;
        f->slowest_read = read;
        f->slowest_write = write;
        f->slowest_meta = meta;
    }
    /* the totals do not include DFS and DAOS */
    f->exact = n > 0 && most >= 0 && darshan_reader_header(p->log)->mod[DSN_DFS_MODULE].len == 0 &&
               darshan_reader_header(p->log)->mod[DSN_DAOS_MODULE].len == 0;
    if (f->exact)
        f->slowest_time = most;
}

/* "nnodes" of the job's metadata; 0 if missing or not a number. */
static int64_t nodes_of_metadata(const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, &m)) {
        char digits[20];
        char *end;
        long long n;

        if (m.key_length != 6 || memcmp(m.key, "nnodes", 6) != 0 || m.value_length >= sizeof digits)
            continue;
        memcpy(digits, m.value, m.value_length);
        digits[m.value_length] = '\0';
        errno = 0;
        n = strtoll(digits, &end, 10);
        return end != digits && *end == '\0' && errno == 0 && n > 0 ? n : 0;
    }
    return 0;
}

static void find_nodes(const struct darshan_reader *log, int64_t given, struct dsn_figures *f)
{
    const char *const *names;

    f->nodes = given;
    f->nodes_source = DSN_NODES_GIVEN;
    if (f->nodes > 0)
        return;
    f->nodes = nodes_of_metadata(log);
    f->nodes_source = DSN_NODES_METADATA;
    if (f->nodes > 0)
        return;
    f->nodes = (int64_t)darshan_reader_nodes(log, &names);
    f->nodes_source = f->nodes > 0 ? DSN_NODES_EXTENSION : DSN_NODES_UNKNOWN;
}

/* ------------------------------------------------------------------ passes */

int dsn_figures_counts(const struct darshan_reader *log, unsigned module)
{
    const struct dsn_header *h = darshan_reader_header(log);

    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (counted[i].module == module)
            return counted[i].above == 0 || h->mod[counted[i].above].len == 0;
    return 0;
}

struct dsn_figures_pass *dsn_figures_begin(struct darshan_reader *log)
{
    const struct dsn_job *job = darshan_reader_job(log);
    struct dsn_figures_pass *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->log = log;
    p->f.nprocs = job->nprocs > 0 ? job->nprocs : 1;
    p->f.runtime = darshan_reader_runtime(log);
    p->f.whole_seconds = darshan_reader_header(log)->minor < 41;
    darshan_reader_damage(log, &p->f.damage);
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (dsn_figures_counts(log, counted[i].module))
            init_source(&p->source[p->nsources++], counted[i].module, counted[i].slowest_rank, counted[i].slowest_time);
    dsn__idtable_init(&p->files, sizeof(struct file));
    dsn__idtable_init(&p->ranks, sizeof(struct rank));
    return p;
}

int dsn_figures_add(struct dsn_figures_pass *p, const struct dsn_table *t, const struct dsn_rec *r)
{
    for (unsigned i = 0; i < p->nsources; i++)
        if (p->source[i].table == t)
            return add_record(p, &p->source[i], r);
    return DSN_ERR_OK;
}

static void release(struct dsn_figures_pass *p)
{
    dsn__idtable_free(&p->files);
    dsn__idtable_free(&p->ranks);
    free(p);
}

void dsn_figures_end(struct dsn_figures_pass *p, int64_t nodes, struct dsn_figures *out)
{
    for (size_t i = 0; i < p->files.n; i++)
        count_file(&p->f, (const struct file *)p->files.elements + i);
    find_slowest_estimate(p);
    find_slowest_exact(p);
    find_nodes(p->log, nodes, &p->f);
    *out = p->f;
    release(p);
}

/* Adds all records of a module. Damage is recorded, but is not an error. */
static int read_module(struct dsn_figures_pass *p, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int rc = darshan_reader_begin(p->log, module, &it, &err);

    if (rc == DSN_ERR_OK) {
        while (rc == DSN_ERR_OK && (r = darshan_reader_next(it, &err)) != NULL)
            rc = dsn_figures_add(p, dsn_table(module), r);
        darshan_reader_end(it);
    }
    if (rc == DSN_ERR_MEMORY)
        return rc;
    if (err.code != DSN_ERR_OK && p->f.damage.code == DSN_ERR_OK)
        p->f.damage = err;
    return DSN_ERR_OK;
}

int dsn_figures_make(struct darshan_reader *log, int64_t nodes, struct dsn_figures *out)
{
    struct dsn_figures_pass *p = dsn_figures_begin(log);
    int rc = p ? DSN_ERR_OK : DSN_ERR_MEMORY;

    for (unsigned i = 0; rc == DSN_ERR_OK && i < p->nsources; i++)
        rc = darshan_reader_header(log)->mod[p->source[i].table->id].len > 0 ||
                     p->source[i].table->id == DSN_POSIX_MODULE || p->source[i].table->id == DSN_STDIO_MODULE
                 ? read_module(p, p->source[i].table->id)
                 : DSN_ERR_OK;
    if (rc == DSN_ERR_OK)
        dsn_figures_end(p, nodes, out);
    else if (p)
        release(p);
    return rc;
}

/* ------------------------------------------------------------------ ratios */

double dsn_figures_bytes(const struct dsn_figures *f)
{
    return (double)f->bytes_read + (double)f->bytes_written - (double)f->input_bytes;
}

double dsn_figures_rate(const struct dsn_figures *f)
{
    const double bytes = dsn_figures_bytes(f);

    return f->slowest_time > 0 ? bytes / MIB / f->slowest_time : -1;
}

double dsn_figures_rate_per_node(const struct dsn_figures *f)
{
    return f->nodes > 0 && f->slowest_time > 0 ? dsn_figures_rate(f) / (double)f->nodes : -1;
}

double dsn_figures_slowest_share(const struct dsn_figures *f, double seconds)
{
    return f->runtime > 0 ? seconds / f->runtime : -1;
}

double dsn_figures_mean_share(const struct dsn_figures *f, double seconds)
{
    return f->runtime > 0 ? seconds / (double)f->nprocs / f->runtime : -1;
}
