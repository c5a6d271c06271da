/* details.h - data of a log's records besides their counters, as rows of tables
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts of files on Lustre, servers of MDHIM, heat maps, ranks that did I/O on shared files, log-based I/O. One table describes the
 * rows, for inserting, deleting and pseudonyms. */
#ifndef DSN_DETAILS_H
#define DSN_DETAILS_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/varying.h"
#include "util/lib/log.h"

enum dsn_detail_kind {
    DSN_LUSTRE_COMPONENT,
    DSN_LUSTRE_STRIPE,
    DSN_MDHIM_SERVER,
    DSN_HEATMAP_BIN,
    DSN_HEATMAP_TOTAL,
    DSN_SHARED_FILE,
    DSN_LOG_BASED_IO,
    DSN_FILE_PATTERN,
    DSN_NAMED_PHASE,
    DSN_CALL_SITE,
    DSN_NDETAILS
};

#define DSN_DETAIL_VALUES 12
#define DSN_DETAIL_TEXT   40 /* also of a pseudonym */

struct dsn_detail_row {
    union dsn_val v[DSN_DETAIL_VALUES];
    char text[DSN_DETAIL_TEXT]; /* "": unknown */
    uint32_t name;              /* of form p: offset in dsn_taken.text; 0: unknown */
};

struct dsn_detail {
    struct dsn_detail_row *row;
    size_t n, room;
};

/* Describes a table. All have record_id (see DSN_RECORDS_A_LOG) and log_id before these columns. */
struct dsn_detail_table {
    const char *name, *columns;
    const char *form; /* a letter per column: x file id, i integer, f real, t text, n name (replaced by a pseudonym),
                       * p name or pattern of names of any length (likewise) */
    int is_total;     /* kept forever, like totals */
};
extern const struct dsn_detail_table dsn_detail_tables[DSN_NDETAILS];

/* Bins of a log's heat maps, summed over ranks; initially 0. */
#define DSN_HEAT_LAYERS 5
struct dsn_heat_sum {
    struct dsn_heat_layer {
        double width; /* of a bin, in seconds */
        size_t n;
        int64_t *read, *written;
        int64_t ranks, others; /* ranks with this width and number of bins, and other ranks */
    } layer[DSN_HEAT_LAYERS];
};

/* Adds a pattern of files as a row. Returns 0 if out of memory. */
struct dsn_noted_pattern;
int dsn_details_pattern(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_pattern *p, uint32_t name);

/* The same for a phase. */
struct dsn_noted_phase;
int dsn_details_phase(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_phase *p, uint32_t name);

/* The same for a place in the program. */
struct dsn_noted_site;
int dsn_details_site(struct dsn_detail details[DSN_NDETAILS], const struct dsn_noted_site *p, uint32_t name);

/* Adds a record's tail as rows, or to `heat`. At most `most` rows are kept per table. Returns 0 if out of memory. */
int dsn_details_add(struct dsn_detail details[DSN_NDETAILS], struct dsn_heat_sum *heat, int64_t most,
                    const struct dsn_table *table, const struct dsn_rec *r, const struct dsn_tail *tail);

/* Adds the log's per-rank figures of shared records as rows. Returns 0 if out of memory. */
int dsn_details_shared(struct dsn_detail details[DSN_NDETAILS], int64_t most, const struct darshan_reader *log);

/* Adds a row of what log-based I/O did, if the log tells it. Returns 0 if out of memory. */
int dsn_details_lbio(struct dsn_detail details[DSN_NDETAILS], const struct darshan_reader *log);

/* Adds rows of the heat maps, after all records. Returns 0 if out of memory. */
int dsn_details_finish(struct dsn_detail details[DSN_NDETAILS], struct dsn_heat_sum *heat, int64_t most);
void dsn_heat_free(struct dsn_heat_sum *heat);

#endif
