/* striping.h - file layouts on Lustre, and the storage targets of an access
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_STRIPING_H
#define DSN_STRIPING_H

#include <stddef.h>
#include <stdint.h>

#include "idtable.h"
#include "log.h"

struct dsn_layout {
    size_t ncomps;
    const struct dsn_lustre_comp *comps;
    const int64_t *osts; /* of all components, in their order */
};

/* The layouts of a log's files, by record id. Memory: as large as the log's LUSTRE records. */
struct dsn_layouts {
    struct dsn__idtable table;
};

/* Initialises to no layouts; allocates nothing. */
void dsn_layouts_init(struct dsn_layouts *l);
void dsn_layouts_free(struct dsn_layouts *l);

/* Adds those of all LUSTRE records; of several with one id the last is used. Returns an enum dsn_err; layouts before an
 * error are kept. */
int dsn_layouts_read(struct dsn_layouts *l, struct darshan_reader *log, struct darshan_reader_error *err);

/* NULL: there is none. */
const struct dsn_layout *dsn_layouts_get(const struct dsn_layouts *l, uint64_t id);

/* Layout number i of l->table.n. */
static inline const struct dsn_layout *dsn_layouts_at(const struct dsn_layouts *l, size_t i)
{
    return (const struct dsn_layout *)l->table.elements + i;
}

/* Iterates over the storage targets of an access, in the order of its bytes. */
struct dsn_stripe_walk {
    const struct dsn_layout *layout;
    int64_t at, end; /* current offset in the file; end of the access */
    size_t comp;     /* the present component */
    int inside;      /* inside of its stripes: */
    int64_t k;       /* index of the next target */
    int64_t count;   /* targets returned so far, including earlier components */
    size_t base;     /* its first one in layout->osts */
};
void dsn_stripe_walk_begin(struct dsn_stripe_walk *w, const struct dsn_layout *layout, int64_t offset, int64_t length);

/* Returns 0 at the end. Each component returns a target at most once, because an access may be long. */
int dsn_stripe_walk_next(struct dsn_stripe_walk *w, int64_t *ost);

#endif
