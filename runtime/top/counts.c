/* counts.c - sums of a process's records, with each file counted in its highest layer
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/counts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"
#include "record/module.h"
#include "record/names.h"

enum { LEVEL_BELOW, LEVEL_SYSTEM, LEVEL_MPIIO, LEVEL_LIBRARY };

/* The bytes of a PnetCDF file are also those of its variables; what DFS has of DAOS's objects is in its own records. */
static const struct layer {
    enum dsn_module_index module;
    const char *name;
    int level, moves_bytes;
} layers[] = {
    { DSN_INDEX_POSIX, "POSIX", LEVEL_SYSTEM, 1 },
    { DSN_INDEX_STDIO, "STDIO", LEVEL_SYSTEM, 1 },
    { DSN_INDEX_DFS, "DFS", LEVEL_SYSTEM, 1 },
    { DSN_INDEX_DAOS, "DAOS", LEVEL_BELOW, 1 },
    { DSN_INDEX_MPIIO, "MPI-IO", LEVEL_MPIIO, 1 },
    { DSN_INDEX_H5F, "HDF5", LEVEL_LIBRARY, 0 },
    { DSN_INDEX_H5D, "HDF5", LEVEL_LIBRARY, 1 },
    { DSN_INDEX_PNETCDF_FILE, "PnetCDF", LEVEL_LIBRARY, 0 },
    { DSN_INDEX_PNETCDF_VAR, "PnetCDF", LEVEL_LIBRARY, 1 },
};
#define NLAYERS (sizeof layers / sizeof layers[0])

/* Metadata calls without a role. POSIX counts dup and fileno as opens, too. */
static const struct {
    enum dsn_module_index module;
    int at, sign;
} metadata[] = {
    { DSN_INDEX_POSIX, POSIX_FILENOS, -1 }, { DSN_INDEX_POSIX, POSIX_DUPS, -1 },
    { DSN_INDEX_POSIX, POSIX_STATS, 1 },    { DSN_INDEX_POSIX, POSIX_RENAME_SOURCES, 1 },
    { DSN_INDEX_STDIO, STDIO_FDOPENS, -1 }, { DSN_INDEX_PNETCDF_FILE, PNETCDF_FILE_CREATES, 1 },
    { DSN_INDEX_DFS, DFS_GET_SIZES, 1 },    { DSN_INDEX_DFS, DFS_PUNCHES, 1 },
    { DSN_INDEX_DFS, DFS_REMOVES, 1 },      { DSN_INDEX_DFS, DFS_STATS, 1 },
};

static int count_of(const struct dsn_row *row, const struct layer *layer)
{
    switch (row->role) {
    case DSN_OPENS:
        return row->at == PNETCDF_VAR_OPENS && layer->module == DSN_INDEX_PNETCDF_VAR ? -1 : DSN_TOP_METADATA;
    case DSN_R_OPS:
        return DSN_TOP_READS;
    case DSN_W_OPS:
        return DSN_TOP_WRITES;
    case DSN_R_BYTES:
        return layer->moves_bytes ? DSN_TOP_READ : -1;
    case DSN_W_BYTES:
        return layer->moves_bytes ? DSN_TOP_WRITTEN : -1;
    case DSN_R_TIME:
    case DSN_W_TIME:
    case DSN_M_TIME:
        return DSN_TOP_SECONDS;
    default:
        return -1;
    }
}

static void add_to(double *to, double n)
{
    *to += n > 0 ? n : 0;
}

static void count_record(const struct layer *layer, const struct dsn_rec *rec, struct dsn_top_record *out)
{
    const struct dsn_table *t = dsn_table(dsn__modules[layer->module]->id);
    double signedly = 0;

    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *row = &t->rows[i];
        const int count = row->at >= 0 ? count_of(row, layer) : -1;

        if (count == DSN_TOP_METADATA)
            signedly += (double)rec->v[row->at].i;
        else if (count >= 0)
            add_to(&out->count[count], row->kind == DSN_F64 ? rec->v[row->at].f : (double)rec->v[row->at].i);
        if (row->at >= 0 && row->role == DSN_OWNER)
            out->file = (uint64_t)rec->v[row->at].i;
    }
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0]; i++)
        if (metadata[i].module == layer->module)
            signedly += metadata[i].sign * (double)rec->v[metadata[i].at].i;
    add_to(&out->count[DSN_TOP_METADATA], signedly);
}

static int by_file(const void *a, const void *b)
{
    const struct dsn_top_record *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->module != y->module)
        return x->module - y->module;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Handles the records of one file, up to `end`: only those of its highest layer are shown; all get its name. */
static void show_highest(struct dsn_top_record *begin, const struct dsn_top_record *end)
{
    const char *name = NULL;
    int highest = LEVEL_BELOW;

    for (const struct dsn_top_record *f = begin; f < end; f++) {
        if (f->moves_bytes && f->level > highest)
            highest = f->level;
        if (f->id == f->file)
            name = f->name;
    }
    for (struct dsn_top_record *f = begin; f < end; f++) {
        f->is_shown = f->level == highest;
        f->name = name ? name : f->name;
    }
}

static int64_t number_of_records(const struct dsn_recording *r)
{
    int64_t n = 0;

    for (size_t i = 0; i < NLAYERS; i++)
        n += r->names->count[layers[i].module];
    return n;
}

int64_t dsn__top_records(const struct dsn_recording *r, struct dsn_top_record **records, size_t *room)
{
    const size_t most = (size_t)number_of_records(r);
    int64_t n = 0;

    if (most > *room) {
        struct dsn_top_record *grown = realloc(*records, 2 * most * sizeof *grown);

        if (!grown)
            return -1;
        *records = grown;
        *room = 2 * most;
    }
    for (size_t i = 0; i < NLAYERS; i++) {
        const struct dsn_module_info *info = dsn__modules[layers[i].module];

        if (layers[i].level == LEVEL_BELOW && r->names->count[DSN_INDEX_DFS] > 0)
            continue;
        for (const struct dsn_record_state *state = r->names->first_state[layers[i].module]; state && n < (int64_t)most;
             state = state->next) {
            struct dsn_top_record *f = &(*records)[n];

            if (info->wanted && !info->wanted(state->rec))
                continue;
            *f = (struct dsn_top_record){ .id = state->name->id,
                                          .file = state->name->id,
                                          .name = state->name->text,
                                          .layer = layers[i].name,
                                          .module = (int)layers[i].module,
                                          .level = layers[i].level,
                                          .moves_bytes = layers[i].moves_bytes };
            count_record(&layers[i], state->rec, f);
            n += f->file != 0; /* a dataset of an unknown file: the layers below are shown */
        }
    }
    if (n > 0)
        qsort(*records, (size_t)n, sizeof **records, by_file);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && (*records)[end].file == (*records)[begin].file; end++)
            ;
        show_highest(&(*records)[begin], &(*records)[end]);
    }
    return n;
}

void dsn__top_beside(const struct dsn_recording *r, double count[DSN_TOP_NCOUNTS])
{
    for (int i = 0; i < DSN_TOP_NCOUNTS; i++)
        count[i] = 0;
    for (int i = 0; i < DSN_NRECORDLESS; i++) {
        add_to(&count[DSN_TOP_METADATA], (double)atomic_load(&r->recordless[i].calls));
        add_to(&count[DSN_TOP_SECONDS], dsn__clock_seconds(r->clock, atomic_load(&r->recordless[i].ticks)));
    }
}
