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
#define DSN_EMIT_LOG   8200 /* longest of dsn_emit.log */

/* How records are written. One emitter makes all three: they differ in what stands before, between and behind name and
 * value. */
enum dsn_emit_form {
    DSN_EMIT_TEXT, /* "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n" */
    DSN_EMIT_CSV,  /* the same, as RFC 4180 has it, with the log's name in front */
    DSN_EMIT_JSON  /* an object a record, with an object of counters in it; what is no number (NaN) is null */
};

/* What stands at the end of each of a record's lines. */
struct dsn_emit_file {
    const char *name; /* NULL: not known */
    const char *mount, *type;
};

/* Lines of one module, or of none: made once, then used for every record. */
struct dsn_emit {
    struct dsn_text *text;
    const struct dsn_table *table; /* NULL: figures of the whole log only */
    int sync;                /* rows of role SYNC are printed, too; set by whoever knows that they were measured */
    enum dsn_emit_form form; /* TEXT at first; set by the caller, like the next two */
    const char *log;         /* CSV: what its first column says, ready to be printed */
    int several;             /* JSON: a record was printed before, of whatever module */
    int varies;              /* dsn_table_varies() */
    unsigned nrows;
    struct dsn__emit_row {
        const char *name;
        uint16_t length; /* of the name */
        uint16_t at;
        uint8_t kind, unit, role;
    } row[DSN_MAX_VALUES]; /* in the order in which they are printed */
    /* of the present record: */
    const struct dsn_emit_file *file;
    size_t nfront, nback, nbetween;
    int is_long;  /* what stands behind the value does not fit into `back` */
    int is_first; /* JSON: no counter of the record was printed yet */
    char between[4];
    char front[DSN_EMIT_LOG + 64 + 2 * DSN_INT_MAX], back[DSN_EMIT_SHORT];
};

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t);

/* Text of a log inside of quotes: CSV doubles quotes, and on a terminal has '?' for each control character; JSON
 * escapes what it must, and bytes that are no UTF-8 become the replacement character there. */
void dsn_emit_quoted(struct dsn_text *out, enum dsn_emit_form form, const char *s, size_t n);

/* One line a value, "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n", then one for each element of
 * its arrays. `tail` is needed if dsn_table_varies() only. */
void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_tail *tail,
                     const struct dsn_emit_file *file);

/* The same for the header in front of APMPI's records. */
void dsn_emit_apmpi(struct dsn_emit *e, const struct dsn_apmpi_header *h, const struct dsn_emit_file *file);

/* Figures that belong to no record stand in groups: TEXT has lines "<group>_<name>: <value>\n"; CSV has lines with
 * <group>_<name> as counter and nothing where a record's rank, id and file stand; JSON has the member
 * ,"<group>":{"<name>":<value>,...} of an object that the caller begins and ends. */
void dsn_emit_begin_group(struct dsn_emit *e, const char *group);
void dsn_emit_figure_i64(struct dsn_emit *e, const char *name, int64_t v);
void dsn_emit_figure_f64(struct dsn_emit *e, const char *name, double v);
void dsn_emit_figure_text(struct dsn_emit *e, const char *name, const char *text); /* NULL: not known */
void dsn_emit_end_group(struct dsn_emit *e);

/* The group "total": one figure a counter. Ids are printed signed here, as they have always been. */
void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r);

#endif
