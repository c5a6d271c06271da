/* rank-data.c - records and names of this rank in the format of the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/rank-data.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/sort.h"
#include "base/text.h"
#include "config/job.h"
#include "config/settings.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/varying.h"
#include "log/pack.h"
#include "module/apmpi.h"
#include "module/shared/dxt.h"
#include "module/shared/sites.h"
#include "module/stdio.h"
#include "record/finalize.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/times.h"

#define FEW        64   /* most processes have at most this many records of a module */
#define NOTICEABLE 1e-3 /* seconds of opens or closes of a file that its own row tells */

/* ------------------------------------------------------------------ rank summary */

/* Adds a row over all records; -1 counts as nothing. */
static void add_to_sum(union dsn_val *sum, const struct dsn_record_state *first, const struct dsn_row *row)
{
    for (const struct dsn_record_state *state = first; state; state = state->next) {
        const union dsn_val v = state->rec->v[row->at];

        if (row->kind == DSN_F64)
            sum->f += v.f != -1.0 ? v.f : 0;
        else
            sum->i += v.i != -1 ? v.i : 0;
    }
}

/* Times that are parts of those. */
static void add_parts_of_times(union dsn_val *sum, const struct dsn_record_source *s, enum dsn_module_index module)
{
    const int at = dsn_table(dsn__modules[module]->id)->nvalues;

    for (const struct dsn_record_state *state = s->first_state[module]; state; state = state->next) {
        const union dsn_val *v = &state->rec->v[at];

        sum[RANK_F_OPEN_TIME].f += v[FILE_F_OPEN_TIME].f;
        sum[RANK_F_CLOSE_TIME].f += v[FILE_F_CLOSE_TIME].f;
        sum[RANK_F_SYNC_TIME].f += v[FILE_F_SYNC_TIME].f;
    }
}

/* Bytes are counted only for POSIX, STDIO, DFS, and what cuFile moves beside these: those of MPI-IO reach these below, those of
 * DAOS come from above. */
static void add_totals(union dsn_val *sum, const struct dsn_record_source *s, enum dsn_module_index module)
{
    static const struct {
        uint8_t role, of_rank;
    } totals[] = { { DSN_R_BYTES, RANK_BYTES_READ },
                   { DSN_W_BYTES, RANK_BYTES_WRITTEN },
                   { DSN_R_TIME, RANK_F_READ_TIME },
                   { DSN_W_TIME, RANK_F_WRITE_TIME },
                   { DSN_M_TIME, RANK_F_META_TIME } };
    const struct dsn_table *t = dsn__counted_table(module);

    for (unsigned i = 0; s->first_state[module] && i < t->nrows; i++)
        for (unsigned k = 0; t->rows[i].role && t->rows[i].at >= 0 && k < sizeof totals / sizeof totals[0]; k++)
            if (totals[k].role == t->rows[i].role)
                add_to_sum(&sum[totals[k].of_rank], s->first_state[module], &t->rows[i]);
}

/* Files that standard streams are redirected to have a record whether or not these are used. */
static bool is_stream(const struct dsn_record_state *stdio)
{
    return stdio && dsn__modules[DSN_INDEX_STDIO]->wanted(stdio->rec);
}

static bool is_used_by_dfs(const struct dsn_record_state *file)
{
    return file && dsn__modules[DSN_INDEX_DFS]->wanted(file->rec);
}

static int64_t count_files(const struct dsn_record_source *s)
{
    int64_t n = 0;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        n += (dsn__name_record(name, DSN_INDEX_POSIX) || is_stream(dsn__name_record(name, DSN_INDEX_STDIO)) ||
              is_used_by_dfs(dsn__name_record(name, DSN_INDEX_DFS))) &&
             !dsn__is_standard_stream(name->id);
    return n;
}

/* More values than the record has counters for. For another process's records, and for joined ones, only the counters
 * are known. */
static unsigned values_of(const struct dsn_record_source *s, enum dsn_module_index module,
                          const struct dsn_record_state *state, int at, struct dsn_value_count out[DSN_VALUES_MAX])
{
    const uintptr_t where = (uintptr_t)state;

    if (!dsn__modules[module]->values || atomic_load(&state->shards) || where < (uintptr_t)s->states ||
        where >= (uintptr_t)s->states_end)
        return 0;
    return dsn__modules[module]->values(state, at, out);
}

static bool has_more_values(const struct dsn_record_source *s, enum dsn_module_index module,
                            const struct dsn_record_state *state)
{
    struct dsn_value_count values[DSN_VALUES_MAX];
    uint16_t at[DSN_BLOCK_GROUPS];
    unsigned n = 0;

    for (unsigned i = dsn__block_groups(module, at); i > 0; i--)
        n += values_of(s, module, state, at[i - 1], values);
    return n > 0;
}

/* Records that this rank did not use go into no log, and make no record a shared one. */
static uint64_t modules_of(const struct dsn_record_source *s, const struct dsn_name *name)
{
    uint64_t modules = 0;

    for (const struct dsn_record_state *state = name->records; state; state = state->next_of_name) {
        const enum dsn_module_index module = state->module;

        if (dsn__modules[module]->wanted && !dsn__modules[module]->wanted(state->rec))
            continue;
        modules |= (uint64_t)1 << module;
        if (has_more_values(s, module, state))
            modules |= DSN_MORE_VALUES << module;
    }
    return modules;
}

static int by_id(const void *a, const void *b)
{
    const struct dsn_known_id *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static uint64_t count_ids(const struct dsn_record_source *s)
{
    uint64_t n = 0;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        n += modules_of(s, name) != 0;
    return n;
}

static void add_ids(const struct dsn_record_source *s, struct dsn_rank_summary *summary)
{
    struct dsn_known_id *known = dsn__rank_summary_ids(summary);
    uint64_t n = 0;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        if (modules_of(s, name))
            known[n++] = (struct dsn_known_id){ name->id, modules_of(s, name) };
    dsn__sort(known, n, sizeof known[0], by_id);
}

static void add_node(struct dsn_rank_summary *summary, int64_t rank)
{
    struct dsn_node *node = dsn__rank_summary_nodes(summary);

    dsn__host_name(node->name, sizeof node->name);
    node->hash = dsn_hash(node->name, strlen(node->name), 0);
    node->rank = rank;
}

static size_t tail_of(const struct dsn_record_source *s, enum dsn_module_index module,
                      const struct dsn_record_state *state, void *out)
{
    return dsn__modules[module]->tail ? dsn__modules[module]->tail(state, s->of, out) : 0;
}

/* Without the bins of heat maps, whose number depends on the end of the job. */
static uint64_t count_bytes(const struct dsn_record_source *s)
{
    uint64_t n = 0;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        n += sizeof name->id + strlen(name->text) + 1;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        for (const struct dsn_record_state *state = s->first_state[module]; state; state = state->next)
            n += dsn__record_size(module) + tail_of(s, module, state, NULL);
    return n;
}

static void add_times(struct dsn_rank_summary *summary, const struct dsn_run *run)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    summary->start_sec = run->start_sec;
    summary->start_nsec = run->start_nsec;
    summary->end_sec = now.tv_sec;
    summary->end_nsec = now.tv_nsec;
    summary->ended = run->ended;
    summary->took_init = run->took_init;
}

static void add_mpi_times(const struct dsn_record_source *s, struct dsn_rank_summary *summary)
{
    const struct dsn_record_state *mpi = s->first_state[DSN_INDEX_APMPI];

    if (!mpi)
        return;
    summary->comm = (struct dsn_time_spread){ 1, mpi->rec->v[MPI_TOTAL_COMM_TIME].f, 0 };
    summary->sync = (struct dsn_time_spread){ 1, mpi->rec->v[MPI_TOTAL_COMM_SYNC_TIME].f, 0 };
}

/* Else no setting would have helped. */
static bool has_memory_of_settings(const struct dsn_recording *r)
{
    const int64_t set = r->config->record_memory + r->config->name_memory;

    return atomic_load(&r->arena->may_grow) && (int64_t)r->arena->wanted >= set;
}

static void make_row(const struct dsn_record_source *s, struct dsn_rank_row *row)
{
    const struct dsn_recording *r = s->of;
    const struct dsn_incomplete *lacks = r->incomplete;

    add_totals(row->v, s, DSN_INDEX_POSIX);
    add_totals(row->v, s, DSN_INDEX_STDIO);
    add_totals(row->v, s, DSN_INDEX_DFS);
    add_totals(row->v, s, DSN_INDEX_CUFILE);
    add_parts_of_times(row->v, s, DSN_INDEX_POSIX);
    add_parts_of_times(row->v, s, DSN_INDEX_STDIO);
    row->v[RANK_FILES].i = count_files(s);
    row->v[RANK_AGGREGATED].i = atomic_load(&lacks->aggregated);
    row->v[RANK_MISSED].i = atomic_load(&lacks->missed);
    row->v[RANK_LIMITED].i = lacks->lacking.limited;
    row->v[RANK_AGGREGATED_FILES].i = lacks->lacking.files;
    row->v[RANK_AGGREGATED_UNKNOWN].i = lacks->lacking.unknown;
    if (has_memory_of_settings(r))
        row->v[RANK_ENOUGH_MEMORY].i = dsn__aggregated_memory(&lacks->lacking, r->config->record_memory);
    row->v[RANK_ENOUGH_RECORDS].i = dsn__aggregated_records(&lacks->lacking);
    row->v[RANK_UNTRACED].i = dsn__trace_left_out(r);
    for (int i = 0; i < DSN_NRECORDLESS; i++) {
        row->v[RANK_DELETES + i].i = atomic_load(&r->recordless[i].calls);
        row->v[RANK_F_DELETE_TIME + i].f = dsn__finalized_seconds(r->clock, atomic_load(&r->recordless[i].ticks));
    }
    row->v[RANK_F_IO_TIME].f = dsn__finalized_seconds(r->clock, dsn__io_ticks(r->io_time));
    if (r == &dsn__recording) { /* not that of a process that has been killed */
        int64_t used[DSN_NUSED];

        dsn__process_used(used);
        for (int i = 0; i < DSN_NUSED; i++)
            used[i] -= r->run->used_before[i];
        row->v[RANK_F_CPU_USER].f = (double)used[DSN_USED_USER] * 1e-6;
        row->v[RANK_F_CPU_SYSTEM].f = (double)used[DSN_USED_SYSTEM] * 1e-6;
        row->v[RANK_MAJOR_FAULTS].i = used[DSN_USED_FAULTS];
        row->v[RANK_STORAGE_READ].i = used[DSN_USED_READ];
        row->v[RANK_STORAGE_DIRTIED].i = used[DSN_USED_DIRTIED];
    }
    memcpy(row->lbio, r->lbio, sizeof row->lbio);
}

_Static_assert(offsetof(struct dsn_rank_row, lbio) == 2 * sizeof(uint64_t) + RANK_NVALUES * sizeof(union dsn_val),
               "a record of dsn_rank_table");
_Static_assert(RANK_MAP_SYNCS == RANK_DELETES + DSN_MAP_SYNCS &&
                   RANK_F_MAP_SYNC_TIME == RANK_F_DELETE_TIME + DSN_MAP_SYNCS,
               "in the order of enum dsn_recordless");

struct dsn_rank_summary *dsn__rank_summary_make(const struct dsn_record_source *source, int participates, bool with_ids,
                                                struct dsn_rank_row *row)
{
    struct dsn_rank_summary *summary = dsn__rank_summary_new(participates && with_ids ? count_ids(source) : 0, 1);

    memset(row, 0, sizeof *row);
    row->rank = source->rank;
    if (!summary)
        return NULL;
    summary->ranks = 1;
    add_node(summary, source->rank);
    if (!participates)
        return summary;
    summary->participants = summary->lowest_records = 1;
    add_times(summary, source->of->run);
    summary->partial = atomic_load(&source->of->incomplete->partial);
    for (int i = 0; i < DSN_NMODULES; i++)
        summary->active |= source->first_state[i] || summary->partial >> dsn__modules[i]->id & 1 ? (uint64_t)1 << i : 0;
    summary->bytes = count_bytes(source);
    add_mpi_times(source, summary);
    if (with_ids)
        add_ids(source, summary);
    make_row(source, row);
    return summary;
}

struct dsn_rank_summary *dsn__rank_summary_copy(const struct dsn_record_source *s,
                                                const struct dsn_rank_summary *summary, bool with_ids)
{
    const uint64_t n = with_ids ? count_ids(s) : 0;
    struct dsn_rank_summary *with = dsn__rank_summary_new(n, summary->nnodes);

    if (!with)
        return NULL;
    *with = *summary;
    with->nids = n;
    memcpy(dsn__rank_summary_nodes(with), dsn__rank_summary_nodes(summary), summary->nnodes * sizeof(struct dsn_node));
    if (with_ids)
        add_ids(s, with);
    return with;
}

const struct dsn_rec *dsn__source_record(void *context, enum dsn_module_index module, uint64_t id)
{
    return dsn__name_record(dsn__record_source_find(context, id), module)->rec;
}

unsigned dsn__source_values(void *context, enum dsn_module_index module, uint64_t id, int at,
                            struct dsn_value_count out[DSN_VALUES_MAX])
{
    return values_of(context, module, dsn__name_record(dsn__record_source_find(context, id), module), at, out);
}

/* ------------------------------------------------------------------ regions */

static char *put_name(char *to, uint64_t id, const char *name)
{
    const size_t n = strlen(name) + 1;

    memcpy(to, &id, sizeof id);
    memcpy(to + sizeof id, name, n);
    return to + sizeof id + n;
}

/* Whether this rank writes the header that precedes all records of the module. */
static bool has_header(const struct dsn_record_source *s, enum dsn_module_index module, const struct dsn_plan *plan)
{
    return s->leads && module == DSN_INDEX_APMPI && plan->comm.n > 0;
}

static char *put_header(const struct dsn_plan *plan, char *to)
{
    const double n = (double)plan->comm.n;
    struct dsn_apmpi_header header;

    dsn__apmpi_header(plan->comm.squares / n, plan->sync.squares / n, plan->sync.sum > 0, &header);
    memcpy(to, &header, sizeof header);
    return to + sizeof header;
}

static bool is_stack(const struct dsn_name *name)
{
    return dsn__name_record(name, DSN_INDEX_SITE) && dsn__begins_with(name->text, DSN_STACK_NAME);
}

/* The names of phases are in their records, those of call sites say what is there, and that of buffers of cuFile is known;
 * chains of calls are a part of their own. */
static bool is_named(const struct dsn_name *name)
{
    return !dsn__name_record(name, DSN_INDEX_PHASE) && !dsn__name_record(name, DSN_INDEX_SITE) &&
           !(dsn__name_record(name, DSN_INDEX_CUFILE) && strcmp(name->text, DSN_CUFILE_BUFFERS) == 0);
}

/* What was only opened on the way to files of DFS, such as directories, and so has no record in the log. */
static bool is_passed_by(const struct dsn_record_source *s, const struct dsn_name *name)
{
    return (dsn__name_record(name, DSN_INDEX_DFS) || dsn__name_record(name, DSN_INDEX_DAOS)) &&
           modules_of(s, name) == 0;
}

/* Rank 0 names all its files, the others only those that are not shared by all ranks. */
static bool is_named_by(const struct dsn_record_source *s, const struct dsn_plan *plan, const struct dsn_name *name)
{
    return s->leads || !dsn__shared_modules(plan, name->id);
}

static bool fill_stacks(struct dsn_regions *r, const struct dsn_record_source *s, const struct dsn_plan *plan)
{
    size_t size = 0;
    char *bytes, *to;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        size += is_stack(name) ? sizeof name->id + strlen(name->text) + 1 : 0;
    if (size == 0)
        return true;
    to = bytes = dsn__region_room(r, DSN_REGION_STACKS, size);
    if (!bytes)
        return false;
    for (const struct dsn_name *name = s->first; name; name = name->next)
        if (is_stack(name) && is_named_by(s, plan, name))
            to = put_name(to, name->id, name->text + strlen(DSN_STACK_NAME));
    return dsn__region_added(r, DSN_REGION_STACKS, (size_t)(to - bytes));
}

static bool fill_names(struct dsn_regions *r, const struct dsn_record_source *s, const struct dsn_plan *plan)
{
    size_t size = sizeof(uint64_t) + sizeof DSN_APMPI_HEADER_NAME;
    char *bytes, *to;

    for (const struct dsn_name *name = s->first; name; name = name->next)
        size += sizeof name->id + strlen(name->text) + 1;
    to = bytes = dsn__region_room(r, DSN_REGION_NAMES, size);
    if (!bytes)
        return false;
    for (const struct dsn_name *name = s->first; name; name = name->next)
        if (is_named(name) && !is_passed_by(s, name) && is_named_by(s, plan, name))
            to = put_name(to, name->id, name->text);
    if (has_header(s, DSN_INDEX_APMPI, plan))
        to = put_name(to, dsn_hash(DSN_APMPI_HEADER_NAME, strlen(DSN_APMPI_HEADER_NAME), 0), DSN_APMPI_HEADER_NAME);
    return dsn__region_added(r, DSN_REGION_NAMES, (size_t)(to - bytes));
}

static int by_record_id(const void *a, const void *b)
{
    const struct dsn_record_state *x = *(struct dsn_record_state *const *)a, *y = *(struct dsn_record_state *const *)b;

    return x->rec->id < y->rec->id ? -1 : x->rec->id > y->rec->id;
}

/* Whether there is one record of all ranks instead of one of each. */
static bool is_shared(enum dsn_module_index module, const struct dsn_plan *plan, const struct dsn_rec *rec)
{
    return plan->reduce && dsn__modules[module]->sharing != DSN_ALL_RANKS &&
           (dsn__shared_modules(plan, rec->id) >> module & 1);
}

/* Whether this rank writes its own record. A shared one is in the block, or, if all ranks have the same, rank 0's. */
static bool is_own(const struct dsn_record_source *s, enum dsn_module_index module, const struct dsn_plan *plan,
                   const struct dsn_rec *rec)
{
    if (dsn__modules[module]->wanted && !dsn__modules[module]->wanted(rec))
        return false;
    return !is_shared(module, plan, rec) || (dsn__modules[module]->sharing == DSN_ANY_RANK && s->leads);
}

/* Whether there are records of the module in the block. */
static bool has_shared(enum dsn_module_index module, const struct dsn_plan *plan)
{
    const struct dsn_known_id *known = plan->reduce ? dsn__plan_shared_ids(plan) : NULL;

    for (uint64_t i = 0; known && i < plan->n && dsn__modules[module]->sharing == DSN_REDUCED; i++)
        if (known[i].modules >> module & 1)
            return true;
    return false;
}

/* This rank's own records of a module (its shared ones are in the block), in the order of the format: by id if the
 * module has shared records, else in order of creation. Returns their number. */
static size_t own_records(const struct dsn_record_source *s, enum dsn_module_index module, const struct dsn_plan *plan,
                          struct dsn_record_state **out)
{
    size_t n = 0;

    for (struct dsn_record_state *state = s->first_state[module]; state; state = state->next)
        if (is_own(s, module, plan, state->rec))
            out[n++] = state;
    if (has_shared(module, plan))
        dsn__sort(out, n, sizeof out[0], by_record_id);
    return n;
}

/* Completes the module's records by what is known only now: the end of all ranks, and which records are all ranks'. */
static void complete_records(const struct dsn_record_source *s, enum dsn_module_index module,
                             const struct dsn_plan *plan)
{
    for (struct dsn_record_state *state = s->first_state[module]; state; state = state->next) {
        if (dsn__modules[module]->agreed)
            dsn__modules[module]->agreed(state, plan->ended);
        if (dsn__modules[module]->sharing == DSN_ANY_RANK && is_shared(module, plan, state->rec))
            state->rec->rank = -1;
    }
}

/* Records being written to a region. Large amounts are compressed record by record, without another copy. */
struct filling {
    int is_stream;
    size_t whole; /* bytes of a stream so far */
    char *piece;  /* of a stream the record that is written; else all */
};

/* Everything before `end` is complete. Returns where the next record is written. */
static char *written(struct filling *f, char *end)
{
    if (!f->is_stream)
        return end;
    f->whole += (size_t)(end - f->piece);
    dsn__pack_more(f->piece, (size_t)(end - f->piece));
    return f->piece;
}

/* Whether a shared record goes into the log. */
static bool is_wanted(enum dsn_module_index module, const void *shared)
{
    return !dsn__modules[module]->wanted || dsn__modules[module]->wanted(shared);
}

/* Shared records follow rank 0's own. */
static char *put_shared(struct filling *f, enum dsn_module_index module, const char *block, size_t n, char *to)
{
    const size_t each = dsn__logged_size(module);

    for (size_t i = 0; i < n; i++, block += dsn__record_size(module)) {
        if (!is_wanted(module, block))
            continue;
        memcpy(to, block, each);
        to = written(f, to + each);
    }
    return to;
}

/* Whether the record need not be in the part "files", see darshan-log-format/extension.h. */
static bool is_ordinary(const struct dsn_rec *rec, int64_t written, const union dsn_val *v)
{
    const bool is_created = v[FILE_CREATED].i == 1 && v[FILE_WRITE_OPENS].i == 1;
    const bool is_left_alone = v[FILE_CREATED].i == 0 && v[FILE_WRITE_OPENS].i == 0;

    return (written > 0 && !dsn__is_standard_stream(rec->id) ? is_created : is_left_alone) && v[FILE_DELETED].i == 0 &&
           v[FILE_TRUNCATED].i == 0 && v[FILE_F_SYNC_TIME].f <= 0 && v[FILE_F_OPEN_TIME].f < NOTICEABLE &&
           v[FILE_F_CLOSE_TIME].f < NOTICEABLE;
}

/* What that part has of a record; its values stand behind the `logged` bytes of the record. */
static char *put_file(const struct dsn_rec *rec, size_t logged, int64_t written, char *to)
{
    const union dsn_val *v = (const union dsn_val *)(const void *)((const char *)rec + logged);
    struct dsn_rec *row = (struct dsn_rec *)(void *)to;

    if (is_ordinary(rec, written, v))
        return to;
    row->id = rec->id;
    row->rank = rec->rank;
    memcpy(row->v, v, FILE_NVALUES * sizeof *v);
    row->v[FILE_SIZE_BEFORE].i--;
    for (int i = FILE_F_OPEN_TIME; i <= FILE_F_SYNC_TIME; i++) /* lower bits are noise, which does not compress */
        row->v[i].f = v[i].f < NOTICEABLE && i != FILE_F_SYNC_TIME ? 0 : (float)v[i].f;
    return to + dsn_rec_size(&dsn_files_table);
}

/* For a module of whose records that part has something. */
static bool fill_files(struct dsn_regions *r, enum dsn_module_index module, struct dsn_record_state *const *own,
                       size_t n, const char *block, size_t nshared)
{
    const size_t each = dsn__record_size(module), logged = dsn__logged_size(module);
    char *const begin =
        each > logged ? dsn__region_room(r, DSN_REGION_FILES, (n + nshared) * dsn_rec_size(&dsn_files_table)) : NULL;
    const int written = module == DSN_INDEX_POSIX ? POSIX_BYTES_WRITTEN : STDIO_BYTES_WRITTEN;
    char *to = begin;

    if (!begin)
        return each == logged;
    for (size_t i = 0; i < n; i++)
        to = put_file(own[i]->rec, logged, module == DSN_INDEX_MPIIO ? 0 : own[i]->rec->v[written].i, to);
    for (size_t i = 0; i < nshared; i++, block += each) {
        const struct dsn_rec *rec = (const struct dsn_rec *)(const void *)block;

        if (is_wanted(module, rec))
            to = put_file(rec, logged, module == DSN_INDEX_MPIIO ? 0 : rec->v[written].i, to);
    }
    return dsn__region_added(r, DSN_REGION_FILES, (size_t)(to - begin));
}

static bool fill_module(struct dsn_regions *r, const struct dsn_record_source *s, enum dsn_module_index module,
                        const struct dsn_plan *plan, const struct dsn_shared_block *shared,
                        struct dsn_record_state **own)
{
    const size_t each = dsn__logged_size(module), header = sizeof(struct dsn_apmpi_header);
    size_t nshared = 0, most = each > header ? each : header, size = header, n, packed;
    const char *block = shared && s->leads ? dsn__block_module(plan, shared, module, &nshared) : NULL;
    struct filling f = { 0 };
    char *to;

    complete_records(s, module, plan);
    n = own_records(s, module, plan, own);
    for (size_t i = 0; i < n; i++) {
        const size_t with_tail = each + tail_of(s, module, own[i], NULL);

        most = with_tail > most ? with_tail : most;
        size += with_tail;
    }
    size += nshared * each;
    f.is_stream = size >= DSN_WORTH_A_STREAM;
    to = f.piece = dsn__region_room(r, dsn__region_of(module), f.is_stream ? most : size);
    if (!to || (f.is_stream && !dsn__pack_begin(size)))
        return false;
    if (has_header(s, module, plan))
        to = written(&f, put_header(plan, to));
    for (size_t i = 0; i < n; i++) {
        memcpy(to, own[i]->rec, each);
        to = written(&f, to + each + tail_of(s, module, own[i], to + each));
    }
    to = put_shared(&f, module, block, nshared, to);
    if (f.is_stream) {
        to = dsn__pack_end(&packed);
        if (!to || !dsn__region_packed(r, dsn__region_of(module), to, packed, f.whole))
            return false;
    } else if (!dsn__region_added(r, dsn__region_of(module), (size_t)(to - f.piece))) {
        return false;
    }
    return fill_files(r, module, own, n, block, nshared);
}

static bool fill_row(struct dsn_regions *r, struct dsn_rank_row *row)
{
    const size_t size = offsetof(struct dsn_rank_row, lbio);
    char *to = dsn__region_room(r, DSN_REGION_RANKS, size);

    if (!to)
        return false;
    memcpy(to, row, size);
    return dsn__region_added(r, DSN_REGION_RANKS, size);
}

/* Only of ranks that have used log-based I/O. */
static bool fill_lbio(struct dsn_regions *r, const struct dsn_rank_row *row)
{
    const size_t size = dsn_rec_size(&dsn_lbio_table);
    struct dsn_rec *to;

    if (row->lbio[LBIO_WRITES].i == 0 && row->lbio[LBIO_DIRECT_FILES].i == 0)
        return true;
    to = (struct dsn_rec *)(void *)dsn__region_room(r, DSN_REGION_LBIO, size);
    if (!to)
        return false;
    to->id = 0;
    to->rank = row->rank;
    memcpy(to->v, row->lbio, sizeof row->lbio);
    return dsn__region_added(r, DSN_REGION_LBIO, size);
}

/* CPU times beside traces; of too many only some, for each is valid without the others. */
static bool fill_stamps(struct dsn_regions *r, const struct dsn_record_source *s, const struct dsn_plan *plan)
{
    static const enum dsn_module_index traces[] = { DSN_INDEX_DXT_POSIX, DSN_INDEX_DXT_MPIIO };
    struct dsn_cpu_stamp *stamp;
    size_t n = 0, kept = 0, step;

    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
        n += dsn__trace_stamps(s->first_state[traces[i]], s->of, NULL);
    if (n == 0)
        return true;
    stamp = (struct dsn_cpu_stamp *)(void *)dsn__region_room(r, DSN_REGION_STAMPS, n * sizeof *stamp);
    if (!stamp)
        return false;
    n = 0;
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
        n += dsn__trace_stamps(s->first_state[traces[i]], s->of, stamp + n);
    step = (n + (size_t)plan->stamps - 1) / (size_t)plan->stamps;
    for (size_t i = 0; i < n; i += step) {
        stamp[kept] = stamp[i];
        stamp[kept++].rank = s->rank;
    }
    return dsn__region_added(r, DSN_REGION_STAMPS, kept * sizeof *stamp);
}

static size_t most_records(const struct dsn_record_source *s)
{
    size_t most = 0;

    for (int module = 0; module < DSN_NMODULES; module++) {
        size_t n = 0;

        for (const struct dsn_record_state *state = s->first_state[module]; state; state = state->next)
            n++;
        most = n > most ? n : most;
    }
    return most;
}

bool dsn__rank_data_fill(struct dsn_regions *r, const struct dsn_record_source *s, const struct dsn_plan *plan,
                         const struct dsn_shared_block *shared, struct dsn_rank_row *row)
{
    const size_t most = most_records(s);
    struct dsn_record_state *few[FEW], **own = most <= FEW ? few : dsn__pages(most * sizeof own[0]);
    int64_t before = dsn__now(), now;
    int ok = own != NULL;

    for (int region = 0; region < DSN_NHEADER_REGIONS && ok; region++, before = now) {
        if (region == DSN_REGION_NAMES)
            ok = fill_names(r, s, plan);
        else if (s->first_state[dsn__module_of_region(region)] || has_header(s, dsn__module_of_region(region), plan))
            ok = fill_module(r, s, dsn__module_of_region(region), plan, shared, own);
        now = dsn__now();
        r->took[region] = now - before;
    }
    for (enum dsn_module_index module = DSN_INDEX_PHASE; module < DSN_NMODULES && ok; module++)
        if (s->first_state[module])
            ok = fill_module(r, s, module, plan, shared, own);
    if (own != few)
        dsn__pages_free(own);
    return ok && fill_stacks(r, s, plan) && fill_row(r, row) && fill_stamps(r, s, plan) && fill_lbio(r, row);
}
