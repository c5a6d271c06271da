/* figures.c - figures of a log, computed in one pass
 * SPDX-License-Identifier: BSD-3-Clause */
#include "figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/extension.h"
#include "idtable.h"
#include "kind.h"
#include "processes.h"

#define MIB          1048576.0
#define MOST_SECONDS 1e36 /* more is damage */

struct file {
    int is_only_new_name;
    int64_t rank; /* of the first record */
    int64_t bytes_read, bytes_written;
    enum dsn_file_kind kind;
    int several, is_reduced, is_aggregated, is_elsewhere;
};

/* I/O time of one rank, in seconds. */
struct rank {
    double own;                              /* on its own (not shared) records of storage */
    double else_read, else_write, else_meta; /* on what is not storage, not included in `own` */
};

/* The same of the rank's totals, without what its threads did at once. */
struct exact {
    double read, write, meta, overlap;
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
    struct source source[4], cufile;
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

static void init_source(struct source *s, const struct dsn_table *table, int slowest_rank, int slowest_time)
{
    s->table = table;
    s->slowest_rank = slowest_rank;
    s->slowest_time = slowest_time;
    for (int role = DSN_NONE + 1; role < DSN_NROLES; role++)
        s->role[role].n = dsn_role_rows(s->table, (enum dsn_role)role, s->role[role].at, 4);
}

/* Unavailable values (-1) count as 0, and so do impossible ones. */
static int64_t role_i64(const struct source *s, const struct dsn_rec *r, enum dsn_role role)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < s->role[role].n; i++)
        if (r->v[s->role[role].at[i]].i > 0 && r->v[s->role[role].at[i]].i < DSN_MOST_COUNT)
            sum = dsn_plus(sum, r->v[s->role[role].at[i]].i);
    return sum;
}

/* 0 for what the log does not know, and for what no clock can have said. */
static double seconds(const struct dsn_rec *r, unsigned at)
{
    return r->v[at].f > 0 && r->v[at].f < MOST_SECONDS ? r->v[at].f : 0;
}

static double role_f64(const struct source *s, const struct dsn_rec *r, enum dsn_role role)
{
    double sum = 0;

    for (unsigned i = 0; i < s->role[role].n; i++)
        sum += seconds(r, s->role[role].at[i]);
    return sum;
}

/* What was written under one name and renamed is a file of that name; the record of its new name has no more than that. */
static int is_only_new_name(const struct source *s, const struct dsn_rec *r, int64_t bytes)
{
    return s->table->id == DSN_POSIX_MODULE && r->v[POSIX_RENAME_TARGETS].i > 0 && r->v[POSIX_OPENS].i <= 0 &&
           bytes <= 0;
}

/* NULL: no memory. */
static const struct file *add_file(struct dsn_figures_pass *p, const struct source *s, const struct dsn_rec *r,
                                   int64_t bytes_read, int64_t bytes_written)
{
    int fresh;
    struct file *file = dsn__idtable_element(&p->files, r->id, &fresh);

    if (!file)
        return NULL;
    if (fresh) {
        const char *name = darshan_reader_name(p->log, r->id);

        file->rank = r->rank;
        file->kind = dsn_file_kind_of(p->log, name);
        file->is_aggregated = dsn_name_is_aggregated(name);
        file->is_elsewhere = dsn_kind_is_elsewhere(file->kind);
        file->is_only_new_name = 1;
    }
    file->is_only_new_name &= is_only_new_name(s, r, dsn_plus(bytes_read, bytes_written));
    if (dsn_record_is_channel(s->table->id, r)) {
        file->kind = DSN_FILE_DEVICE;
        file->is_elsewhere = 1;
    }
    file->bytes_read = dsn_plus(file->bytes_read, bytes_read);
    file->bytes_written = dsn_plus(file->bytes_written, bytes_written);
    file->is_reduced |= r->rank == -1;
    file->several |= r->rank != file->rank;
    return file;
}

static struct rank *rank_of(struct dsn_figures_pass *p, int64_t rank)
{
    int fresh;

    return dsn__idtable_element(&p->ranks, (uint64_t)rank, &fresh);
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

/* Of a shared record only the slowest rank's sum is known: that rank's share of each kind is taken to be that of all. */
static int add_elsewhere(struct dsn_figures_pass *p, const struct source *s, const struct dsn_rec *r, int64_t bytes,
                         int64_t calls, double read, double write, double meta)
{
    const double all = read + write + meta;
    const int is_shared = r->rank < 0;
    const int64_t owner = is_shared ? r->v[s->slowest_rank].i : r->rank;
    const double share = !is_shared ? 1 : all > 0 ? seconds(r, (unsigned)s->slowest_time) / all : 0;
    struct rank *rank = owner >= 0 ? rank_of(p, owner) : NULL;

    p->f.elsewhere_bytes = dsn_plus(p->f.elsewhere_bytes, bytes);
    p->f.elsewhere_calls = dsn_plus(p->f.elsewhere_calls, calls);
    p->f.elsewhere_time += all;
    if (owner < 0)
        return DSN_ERR_OK;
    if (!rank)
        return DSN_ERR_MEMORY;
    rank->else_read += share * read;
    rank->else_write += share * write;
    rank->else_meta += share * meta;
    return DSN_ERR_OK;
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
    const int64_t reads = role_i64(s, r, DSN_R_OPS), writes = role_i64(s, r, DSN_W_OPS);
    const struct file *file = add_file(p, s, r, bytes_read, bytes_written);
    struct rank *rank;

    if (!file)
        return DSN_ERR_MEMORY;
    f->bytes_read = dsn_plus(f->bytes_read, bytes_read);
    f->bytes_written = dsn_plus(f->bytes_written, bytes_written);
    f->reads = dsn_plus(f->reads, reads);
    f->writes = dsn_plus(f->writes, writes);
    if (file->is_elsewhere)
        return add_elsewhere(p, s, r, dsn_plus(bytes_read, bytes_written), dsn_plus(reads, writes), read, write, meta);
    f->read_time += read;
    f->write_time += write;
    f->meta_time += meta;
    if (r->rank >= 0) {
        note_slowest_file(f, r, r->rank, time);
        rank = rank_of(p, r->rank);
        if (rank)
            rank->own += time;
        return rank ? DSN_ERR_OK : DSN_ERR_MEMORY;
    }
    f->shared_time += seconds(r, (unsigned)s->slowest_time);
    f->open_to_last += open_to_last(s, r);
    note_slowest_file(f, r, r->v[s->slowest_rank].i, seconds(r, (unsigned)s->slowest_time));
    return DSN_ERR_OK;
}

/* What cuFile has moved beside POSIX, whoever reads the log. */
static int add_cufile(struct dsn_figures_pass *p)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < darshan_reader_cufile(p->log) && rc == DSN_ERR_OK; i++) {
        const struct dsn_rec *r = darshan_reader_cufile_row(p->log, i);
        const int64_t queued[] = { r->v[CUFILE_QUEUED_READ].i, r->v[CUFILE_QUEUED_WRITTEN].i };

        if (r->id == dsn_cufile_buffers())
            continue;
        rc = add_record(p, &p->cufile, r);
        for (int d = 0; d < 2; d++)
            if (queued[d] > 0 && queued[d] < DSN_MOST_COUNT)
                p->f.untimed_bytes = dsn_plus(p->f.untimed_bytes, queued[d]);
    }
    return rc;
}

/* ------------------------------------------------------------------ what follows from the records */

static void count_file(struct dsn_figures *f, const struct file *file)
{
    struct dsn_file_kinds *k = &f->files;
    const int was_read = file->bytes_read > 0, was_written = file->bytes_written > 0;

    if (file->is_only_new_name ||
        !dsn_is_counted(file->kind, file->is_aggregated, dsn_plus(file->bytes_read, file->bytes_written)))
        return;
    k->total++;
    ++*(was_read ? (was_written ? &k->read_write : &k->read_only) : was_written ? &k->write_only : &k->untouched);
    /* a job of one rank has shared records, but no shared files */
    ++*(f->nprocs == 1 ? &k->unique : file->is_reduced ? &k->shared : file->several ? &k->partly_shared : &k->unique);
}

/* Of logs that do not have them they are -1. Times of each record are rounded to microseconds: parts may exceed the whole. */
static void add_times_apart(struct dsn_times_apart *t, const struct dsn_rec *r)
{
    const double open = seconds(r, RANK_F_OPEN_TIME), close = seconds(r, RANK_F_CLOSE_TIME),
                 meta = seconds(r, RANK_F_META_TIME), part = open + close > meta ? meta / (open + close) : 1,
                 sync = seconds(r, RANK_F_SYNC_TIME), write = seconds(r, RANK_F_WRITE_TIME);

    if (!(r->v[RANK_F_OPEN_TIME].f >= 0))
        return;
    t->open += open * part;
    t->close += close * part;
    t->meta += meta;
    t->sync += sync < write ? sync : write;
    t->write += write;
}

static void add_traffic(struct dsn_storage_traffic *t, const struct dsn_rec *r, int is_first)
{
    t->known = (is_first || t->known) && r->v[RANK_MAJOR_FAULTS].i >= 0;
    if (!t->known)
        return;
    t->faults = dsn_plus(t->faults, r->v[RANK_MAJOR_FAULTS].i);
    t->read = dsn_plus(t->read, r->v[RANK_STORAGE_READ].i);
    t->dirtied = dsn_plus(t->dirtied, r->v[RANK_STORAGE_DIRTIED].i);
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

/* Ranks may have the same files: the number is known if one has all of them, else it is at least the largest. */
static void add_folded_files(struct dsn_figures *f, const struct dsn_rec *rank)
{
    const int64_t files = rank->v[RANK_AGGREGATED_FILES].i;

    if (rank->v[RANK_AGGREGATED].i <= 0)
        return;
    f->aggregated_files_exact = f->aggregated_files == 0 && files >= 0 && rank->v[RANK_AGGREGATED_UNKNOWN].i == 0;
    f->aggregated_files = larger(f->aggregated_files, files);
}

/* Values that an older log does not have are -1. */
static int64_t plus_known(int64_t sum, int64_t value)
{
    return value > 0 ? dsn_plus(sum, value) : sum;
}

static void add_calls(struct dsn_timed_calls *sum, int64_t calls, double time)
{
    sum->calls = plus_known(sum->calls, calls);
    sum->time += time;
}

/* A process cannot do I/O for longer than it runs. */
static double within_run(double seconds, double runtime)
{
    return runtime > 0 && seconds > runtime ? runtime : seconds;
}

static double without(double all, double part)
{
    return all > part ? all - part : 0;
}

double dsn_figures_overlap(const struct dsn_rec *rank, double runtime, double storage, double elsewhere)
{
    const double passed = rank ? within_run(seconds(rank, RANK_F_IO_TIME), runtime) : 0;
    const double sum = passed > 0 ? storage + elsewhere : storage, most = passed > 0 ? passed : runtime;

    return most > 0 && sum > most ? sum / most : 1;
}

static struct exact exact_of(const struct dsn_figures_pass *p, size_t i)
{
    static const struct rank none = { 0 };
    const struct dsn_rec *r = darshan_reader_rank(p->log, i);
    const struct rank *found = dsn__idtable_find(&p->ranks, i), *rank = found ? found : &none;
    const double read = without(seconds(r, RANK_F_READ_TIME), rank->else_read);
    const double write = without(seconds(r, RANK_F_WRITE_TIME), rank->else_write);
    const double meta = without(seconds(r, RANK_F_META_TIME), rank->else_meta);
    const double elsewhere = rank->else_read + rank->else_write + rank->else_meta;
    const double overlap = dsn_figures_overlap(r, p->f.runtime, read + write + meta, elsewhere);

    return (struct exact){ read / overlap, write / overlap, meta / overlap, overlap };
}

/* The exact slowest rank, from the per-rank totals of the extension section. What threads did at the same time is taken off
 * all ranks. */
static void find_slowest_exact(struct dsn_figures_pass *p)
{
    struct dsn_figures *f = &p->f;
    const size_t n = darshan_reader_ranks(p->log);
    double most = -1;

    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *r = darshan_reader_rank(p->log, i);
        const struct exact x = exact_of(p, i);
        const double read = x.read, write = x.write, meta = x.meta, overlap = x.overlap;

        f->aggregated_opens = dsn_plus(f->aggregated_opens, r->v[RANK_AGGREGATED].i);
        f->missed = dsn_plus(f->missed, r->v[RANK_MISSED].i);
        f->limited = plus_known(f->limited, r->v[RANK_LIMITED].i);
        add_folded_files(f, r);
        f->cpu_user += without(seconds(r, RANK_F_CPU_USER), 0);
        f->cpu_system += without(seconds(r, RANK_F_CPU_SYSTEM), 0);
        f->cpu_unknown += !(seconds(r, RANK_F_CPU_USER) + seconds(r, RANK_F_CPU_SYSTEM) > 0);
        f->untraced = plus_known(f->untraced, r->v[RANK_UNTRACED].i);
        add_calls(&f->deletes, r->v[RANK_DELETES].i, seconds(r, RANK_F_DELETE_TIME));
        add_calls(&f->renames, r->v[RANK_RENAMES].i, seconds(r, RANK_F_RENAME_TIME));
        add_calls(&f->map_syncs, r->v[RANK_MAP_SYNCS].i, seconds(r, RANK_F_MAP_SYNC_TIME));
        add_calls(&f->other_metas, r->v[RANK_OTHER_METAS].i, seconds(r, RANK_F_OTHER_META_TIME));
        add_times_apart(&f->apart, r);
        add_traffic(&f->traffic, r, i == 0);
        f->enough_memory = larger(f->enough_memory, r->v[RANK_ENOUGH_MEMORY].i);
        f->enough_records = larger(f->enough_records, r->v[RANK_ENOUGH_RECORDS].i);
        f->read_time = without(f->read_time, (overlap - 1) * read);
        f->write_time = without(f->write_time, (overlap - 1) * write);
        f->meta_time = without(f->meta_time, (overlap - 1) * meta);
        f->is_bounded |= overlap > 1 && !(seconds(r, RANK_F_IO_TIME) > 0);
        if (!(read + write + meta > most))
            continue;
        most = read + write + meta;
        f->slowest_rank = (int64_t)i;
        f->slowest_read = read;
        f->slowest_write = write;
        f->slowest_meta = meta;
    }
    if (darshan_reader_header(p->log)->mod[DSN_DFS_MODULE].len > 0) /* whose opens and closes are in none of them */
        f->apart = (struct dsn_times_apart){ 0 };
    /* the totals do not include DAOS, which counts in logs without DFS */
    f->exact = n > 0 && most >= 0 &&
               (darshan_reader_header(p->log)->mod[DSN_DFS_MODULE].len > 0 ||
                darshan_reader_header(p->log)->mod[DSN_DAOS_MODULE].len == 0);
    if (f->exact)
        f->slowest_time = most;
}

/* Bounds of different records, and sums over threads in logs of other versions, may exceed the run time, which nothing that
 * happened can. */
static void keep_within_run(struct dsn_figures *f)
{
    const double slowest = f->slowest_read + f->slowest_write + f->slowest_meta;
    const double of_slowest = slowest > 0 ? within_run(slowest, f->runtime) / slowest : 1;

    f->is_bounded |= within_run(f->slowest_time, f->runtime) < f->slowest_time;
    f->slowest_time = within_run(f->slowest_time, f->runtime);
    f->slowest_read *= of_slowest;
    f->slowest_write *= of_slowest;
    f->slowest_meta *= of_slowest;
    f->slowest_file.seconds = within_run(f->slowest_file.seconds, f->runtime);
}

/* Without totals of ranks, what is known of a process is its own files. */
static int find_passed(struct dsn_figures_pass *p)
{
    struct dsn_figures *f = &p->f;
    struct dsn_processes all = { .n = 0 };
    struct dsn_turn *turn = NULL;
    size_t n = 0;
    int rc = f->nprocs > 1 ? dsn_processes_read(p->log, &all) : DSN_ERR_OK;

    if (rc == DSN_ERR_OK && all.is_tree)
        rc = dsn_turns_make(&all, (size_t)f->nprocs, &turn, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rank *rank = dsn__idtable_find(&p->ranks, turn[i].rank);
        const struct exact x = f->exact ? exact_of(p, turn[i].rank) : (struct exact){ rank ? rank->own : 0, 0, 0, 1 };

        turn[i].seconds = x.read + x.write + x.meta;
    }
    f->passed = dsn_turns_longest(turn, n);
    f->passed = f->passed > f->slowest_time ? f->passed : f->slowest_time;
    free(turn);
    dsn_processes_free(&all);
    return rc;
}

int dsn_find_metadata(const struct darshan_reader *log, const char *key, struct darshan_reader_metadata *m)
{
    const size_t length = strlen(key);
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, m))
        if (m->key_length == length && memcmp(m->key, key, length) == 0)
            return 1;
    return 0;
}

int dsn_has_no_job(const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;

    return dsn_find_metadata(log, "jobid_from", &m) && m.value_length == 3 && memcmp(m.value, "pid", 3) == 0;
}

/* The number with which a value of the job's metadata begins, alone or before a blank; 0 if there is none. */
static int64_t number_of_metadata(const struct darshan_reader *log, const char *key)
{
    struct darshan_reader_metadata m;
    char digits[48], *end;
    long long n;

    if (!dsn_find_metadata(log, key, &m) || m.value_length >= sizeof digits)
        return 0;
    memcpy(digits, m.value, m.value_length);
    digits[m.value_length] = '\0';
    errno = 0;
    n = strtoll(digits, &end, 10);
    return end != digits && (*end == '\0' || *end == ' ') && errno == 0 && n > 0 ? n : 0;
}

static void find_nodes(const struct darshan_reader *log, int64_t given, struct dsn_figures *f)
{
    const char *const *names;

    f->nodes = given;
    f->nodes_source = DSN_NODES_GIVEN;
    if (f->nodes > 0)
        return;
    f->nodes = number_of_metadata(log, "nnodes");
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
    p->f.present = number_of_metadata(log, "ranks");
    if (p->f.present <= 0 || p->f.present > p->f.nprocs)
        p->f.present = p->f.nprocs;
    p->f.runtime = darshan_reader_runtime(log);
    p->f.whole_seconds = darshan_reader_header(log)->minor < 41;
    darshan_reader_damage(log, &p->f.damage);
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (dsn_figures_counts(log, counted[i].module))
            init_source(&p->source[p->nsources++], dsn_table(counted[i].module), counted[i].slowest_rank,
                        counted[i].slowest_time);
    init_source(&p->cufile, &dsn_cufile_table, CUFILE_SLOWEST_RANK, CUFILE_F_SLOWEST_RANK_TIME);
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

int dsn_figures_end(struct dsn_figures_pass *p, int64_t nodes, struct dsn_figures *out)
{
    int rc = add_cufile(p);

    if (rc != DSN_ERR_OK) {
        release(p);
        return rc;
    }
    for (size_t i = 0; i < p->files.n; i++)
        count_file(&p->f, (const struct file *)p->files.elements + i);
    find_slowest_estimate(p);
    find_slowest_exact(p);
    keep_within_run(&p->f);
    rc = find_passed(p);
    find_nodes(p->log, nodes, &p->f);
    *out = p->f;
    release(p);
    return rc;
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
        rc = dsn_figures_end(p, nodes, out);
    else if (p)
        release(p);
    return rc;
}

/* ------------------------------------------------------------------ ratios */

double dsn_figures_bytes(const struct dsn_figures *f)
{
    return (double)f->bytes_read + (double)f->bytes_written - (double)f->elsewhere_bytes;
}

double dsn_figures_timed_bytes(const struct dsn_figures *f)
{
    return dsn_figures_bytes(f) - (double)f->untimed_bytes;
}

double dsn_figures_rate(const struct dsn_figures *f)
{
    const double bytes = dsn_figures_timed_bytes(f);

    return f->passed > 0 ? bytes / MIB / f->passed : -1;
}

double dsn_figures_rate_per_node(const struct dsn_figures *f)
{
    return f->nodes > 0 && f->passed > 0 ? dsn_figures_rate(f) / (double)f->nodes : -1;
}
