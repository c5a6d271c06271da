/* emit.h - the records of a module as rows of text
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One emitter serves all modules: which values a record has, what they are called and how they are printed comes from
 * the table's rows. */
#ifndef DSN_EMIT_H
#define DSN_EMIT_H

#include "darshan-log-format/table.h"
#include "text.h"

/* Lines of one module: made once, then used for every record. */
struct dsn_emit {
    struct dsn_text *text;
    const struct dsn_table *table;
    struct dsn_emit_row {
        const char *name;
        uint16_t length; /* of the name */
        uint8_t kind, unit;
    } row[DSN_MAX_VALUES];
};

/* What stands at the end of each of a record's lines. */
struct dsn_emit_file {
    const char *name; /* NULL: not known */
    const char *mount, *type;
};

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t);

/* One line a value: "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n". */
void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_emit_file *file);

/* One line a value: "total_<counter>: <value>\n". Ids are printed signed here, as they have always been. */
void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r);

#endif
