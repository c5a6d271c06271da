/* emit.h - the records of a module as rows of text
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One emitter serves all modules: which values a record has, what they are called and how they are printed comes from
 * the table's rows. */
#ifndef DSN_EMIT_H
#define DSN_EMIT_H

#include "darshan-log-format/table.h"
#include "darshan-log-format/varying.h"
#include "text.h"

#define DSN_EMIT_SHORT 4096 /* the end of a line is copied as a whole if it is no longer than that */

/* What stands at the end of each of a record's lines. */
struct dsn_emit_file {
    const char *name; /* NULL: not known */
    const char *mount, *type;
};

/* Lines of one module: made once, then used for every record. */
struct dsn_emit {
    struct dsn_text *text;
    const struct dsn_table *table;
    int sync;   /* rows of role SYNC are printed, too; set by whoever knows that they were measured */
    int varies; /* dsn_table_varies() */
    unsigned nrows;
    struct dsn__emit_row {
        const char *name;
        uint16_t length; /* of the name */
        uint16_t at;
        uint8_t kind, unit, role;
    } row[DSN_MAX_VALUES]; /* in the order in which they are printed */
    /* of the present record: */
    const struct dsn_emit_file *file;
    size_t nfront, nback;
    char front[64 + 2 * DSN_INT_MAX], back[DSN_EMIT_SHORT];
};

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t);

/* One line a value, "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n", then one for each element of
 * its arrays. `tail` is needed if dsn_table_varies() only. */
void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_tail *tail,
                     const struct dsn_emit_file *file);

/* The same for the header in front of APMPI's records. */
void dsn_emit_apmpi(struct dsn_emit *e, const struct dsn_apmpi_header *h, const struct dsn_emit_file *file);

/* One line a counter: "total_<counter>: <value>\n". Ids are printed signed here, as they have always been. */
void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r);

#endif
