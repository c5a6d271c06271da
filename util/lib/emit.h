/* emit.h - prints the records of a module
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One emitter serves all modules: the values of a record, their names and formats come from the table's rows. */
#ifndef DSN_EMIT_H
#define DSN_EMIT_H

#include "darshan-log-format/table.h"
#include "darshan-log-format/varying.h"
#include "text.h"

#define DSN_EMIT_SHORT 4096 /* the end of a line is copied as a whole if it is no longer than that */
#define DSN_EMIT_LOG   8200 /* longest of dsn_emit.log */

/* Output formats. One emitter serves all three: they differ in what precedes, separates and follows names and
 * values. */
enum dsn_emit_form {
    DSN_EMIT_TEXT, /* "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n" */
    DSN_EMIT_CSV,  /* the same as RFC 4180 CSV, with the log's name in front */
    DSN_EMIT_JSON  /* an object per record, which contains an object of counters; NaN is null */
};

/* What each of a record's lines ends with. */
struct dsn_emit_file {
    const char *name; /* NULL: unknown */
    const char *mount, *type;
};

/* Prints lines of one module, or of none: set up once, then used for every record. */
struct dsn_emit {
    struct dsn_text *text;
    const struct dsn_table *table; /* NULL: figures of the whole log only */
    int sync;                /* also print rows of role SYNC; set by a caller that knows that they were measured */
    enum dsn_emit_form form; /* initially TEXT; set by the caller, like the next two */
    const char *log;         /* CSV: the first column, already escaped */
    unsigned version; /* of the log's module: what later ones have is unknown, null in JSON and empty in CSV; 0: all */
    int several;      /* JSON: a record has been printed before, of any module */
    int varies;       /* dsn_table_varies() */
    unsigned nrows;
    struct dsn__emit_row {
        const char *name;
        uint16_t length; /* of the name */
        uint16_t at;
        uint8_t kind, unit, role, since;
    } row[DSN_MAX_VALUES]; /* in printing order */
    /* of the current record: */
    const struct dsn_emit_file *file;
    size_t nfront, nback, nbetween;
    int is_long;  /* the text after the value does not fit into `back` */
    int is_first; /* JSON: no counter of the record has been printed yet */
    char between[4];
    char front[DSN_EMIT_LOG + 64 + 2 * DSN_INT_MAX], back[DSN_EMIT_SHORT];
};

void dsn_emit_init(struct dsn_emit *e, struct dsn_text *text, const struct dsn_table *t);

/* Prints text of a log inside quotes: CSV doubles quotes, and on a terminal prints '?' for control characters; JSON
 * escapes as necessary, and replaces bytes that are not UTF-8 by the replacement character. */
void dsn_emit_quoted(struct dsn_text *out, enum dsn_emit_form form, const char *s, size_t n);

/* One line a value, "<module>\t<rank>\t<id>\t<counter>\t<value>\t<name>\t<mount>\t<fs>\n", then one for each element of
 * its arrays. `tail` is needed if dsn_table_varies() only. */
void dsn_emit_record(struct dsn_emit *e, const struct dsn_rec *r, const struct dsn_tail *tail,
                     const struct dsn_emit_file *file);

/* The same for the header that precedes APMPI's records. */
void dsn_emit_apmpi(struct dsn_emit *e, const struct dsn_apmpi_header *h, const struct dsn_emit_file *file);

/* Figures that belong to no record are grouped: TEXT prints lines "<group>_<name>: <value>\n"; CSV lines with
 * <group>_<name> as counter and empty rank, id and file; JSON the member ,"<group>":{"<name>":<value>,...} of an object
 * that the caller begins and ends. */
void dsn_emit_begin_group(struct dsn_emit *e, const char *group);
void dsn_emit_figure_i64(struct dsn_emit *e, const char *name, int64_t v);
void dsn_emit_figure_f64(struct dsn_emit *e, const char *name, double v);
void dsn_emit_figure_text(struct dsn_emit *e, const char *name, const char *text); /* NULL: not known */
void dsn_emit_end_group(struct dsn_emit *e);

/* The group "total": one figure per counter. Ids are printed as signed here, as in the original. */
void dsn_emit_totals(struct dsn_emit *e, const struct dsn_rec *r);

#endif
