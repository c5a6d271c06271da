/* report.c - queries on a report
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dsn_confidence_name(enum dsn_confidence c)
{
    static const char *const name[] = { "exact", "bounded", "estimated" };

    return name[c];
}

const struct dsn_report_layer *dsn_report_layer(const struct dsn_report *r, unsigned module)
{
    for (size_t i = 0; i < r->nlayers; i++)
        if (r->layer[i].table->id == module)
            return &r->layer[i];
    return NULL;
}

enum dsn_sharing dsn_file_sharing(const struct dsn_report *r, const struct dsn_report_file *f)
{
    if (r->f.nprocs == 1) /* it has shared records, but no shared files */
        return DSN_OF_ONE_RANK;
    return f->is_reduced ? DSN_OF_ALL_RANKS : f->ranks > 1 ? DSN_OF_SOME_RANKS : DSN_OF_ONE_RANK;
}

/* A stream's descriptor that is given to fsync or fstat has a record of POSIX, too, which says nothing of the data. */
static int moves_data_by_streams_only(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_report_layer *streams = dsn_report_layer(r, DSN_STDIO_MODULE);

    return streams && f->layers & streams->bit && f->posix_calls == 0 && f->work.reads + f->work.writes > 0;
}

const char *dsn_file_interface(const struct dsn_report *r, const struct dsn_report_file *f)
{
    static const struct {
        unsigned module;
        const char *name;
    } highest[] = { { DSN_H5F_MODULE, "HDF5" },
                    { DSN_H5D_MODULE, "HDF5" },
                    { DSN_PNETCDF_FILE_MODULE, "PnetCDF" },
                    { DSN_PNETCDF_VAR_MODULE, "PnetCDF" },
                    { DSN_MPIIO_MODULE, "MPI-IO" },
                    { DSN_REPORT_CUFILE, "cuFile" },
                    { DSN_POSIX_MODULE, "POSIX" },
                    { DSN_DFS_MODULE, "DFS" },
                    { DSN_DAOS_MODULE, "DAOS" } };

    for (size_t i = 0; i < sizeof highest / sizeof highest[0]; i++) {
        const struct dsn_report_layer *l = dsn_report_layer(r, highest[i].module);

        if (l && f->layers & l->bit && !(highest[i].module == DSN_POSIX_MODULE && moves_data_by_streams_only(r, f)))
            return highest[i].name;
    }
    return "STDIO";
}

const char *dsn_report_name(const struct dsn_report *r, const struct dsn_report_file *f, char room[DSN_NAME_ROOM])
{
    const char *name = darshan_reader_name(r->log, f->id), *base = name ? strrchr(name, '/') : NULL;
    const int n = base && f->is_aggregated ? (int)strlen(base) - 3 : 0; /* without "/<" and ">" */

    if (!base || !f->is_aggregated)
        return name;
    if (strcmp(base, "/<other files>") == 0)
        snprintf(room, DSN_NAME_ROOM, "%.*s/** (further files)", (int)(base - name), name);
    else
        snprintf(room, DSN_NAME_ROOM, "%.*s/%.*s (further files)", (int)(base - name), name, n, base + 2);
    return room;
}

static int by_weight(const void *a, const void *b)
{
    const struct dsn_report_file *x = *(const struct dsn_report_file *const *)a;
    const struct dsn_report_file *y = *(const struct dsn_report_file *const *)b;
    const double bx = dsn_work_bytes(&x->work), by = dsn_work_bytes(&y->work);

    if (dsn_is_of_mpi_itself(x) != dsn_is_of_mpi_itself(y)) /* last */
        return dsn_is_of_mpi_itself(x) - dsn_is_of_mpi_itself(y);
    if (x->slowest != y->slowest)
        return (x->slowest < y->slowest) - (x->slowest > y->slowest);
    return bx != by ? (bx < by) - (bx > by) : (x->id > y->id) - (x->id < y->id);
}

const struct dsn_report_file **dsn_report_order(const struct dsn_report *r, size_t *n)
{
    const struct dsn_report_file **order = malloc((r->nfiles + 1) * sizeof(void *));

    *n = 0;
    if (!order)
        return NULL;
    for (size_t i = 0; i < r->nfiles; i++)
        if (!dsn_is_standard(&r->files[i]))
            order[(*n)++] = &r->files[i];
    if (*n > 0)
        qsort(order, *n, sizeof *order, by_weight);
    return order;
}
