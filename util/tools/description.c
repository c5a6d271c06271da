/* description.c - prints the meaning of columns and counters, from the tables
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "description.h"

#include <string.h>

#include "darshan-log-format/index.h"

void dsn_print_columns(struct dsn_text *out)
{
    dsn_text_string(out, "\n# description of columns:\n"
                         "#   <module>: module that made the record.\n"
                         "#   <rank>: MPI rank that accessed the file; -1 if all ranks did and\n"
                         "#      their records were combined into one.\n"
                         "#   <record id>: hash of the record's name.\n"
                         "#   <counter> and <value>: a counter and what it says.\n"
                         "#      A value of -1 means that the counter was not available when\n"
                         "#      the log was written.\n"
                         "#   <file name>: full name of the file or object.\n"
                         "#   <mount pt>: mount point of the file system that the file lies on.\n"
                         "#   <fs type>: type of that file system.\n");
}

/* Name of a module's counters in the line above their description: usually their prefix. */
static const char *family(const struct dsn_table *t)
{
    switch (t->id) {
    case DSN_H5F_MODULE:
    case DSN_H5D_MODULE:
        return "HDF5";
    case DSN_PNETCDF_FILE_MODULE:
    case DSN_PNETCDF_VAR_MODULE:
        return "PnetCDF";
    case DSN_HEATMAP_MODULE:
        return "heatmap";
    default:
        return t->key;
    }
}

static int is_described(const struct dsn_row *row)
{
    return row->fate == DSN_ARRAY || (row->at >= 0 && row->role != DSN_PLACE);
}

/* Whether an earlier row has the same description. */
static int is_known(const struct dsn_table *t, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (t->rows[k].doc == t->rows[i].doc || strcmp(t->rows[k].doc, t->rows[i].doc) == 0)
            return 1;
    return 0;
}

/* Prints the description of a module's counters; those with the same one are on one line. */
void dsn_print_description(struct dsn_text *out, const struct dsn_table *t, unsigned version)
{
    dsn_text_printf(out, "\n# description of %s counters:\n", family(t));
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *first = &t->rows[i], *last = first;

        if (!is_described(first) || is_known(t, i))
            continue;
        for (unsigned k = i + 1; k < t->nrows && strcmp(t->rows[k].doc, first->doc) == 0; k++)
            last = &t->rows[k];
        dsn_text_printf(out, "#   %s%s%s: %s.\n", first->name, last == first ? "" : " ... ",
                        last == first ? "" : last->name, first->doc);
    }
    for (unsigned i = 0; i < t->nnotes; i++)
        if (version >= t->notes[i].since && (version <= t->notes[i].until || t->notes[i].until == 0))
            dsn_text_printf(out, "\n# Note: %s.\n", t->notes[i].text);
}
