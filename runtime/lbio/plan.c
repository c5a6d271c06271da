/* plan.c - merges logged writes into larger ones for the file system
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/plan.h"

static int64_t end_of(const struct lbio_run *r)
{
    return r->off + r->len;
}

static int overlap(const struct lbio_run *a, const struct lbio_run *b)
{
    return a->file == b->file && a->off < end_of(b) && b->off < end_of(a);
}

static int can_join(const struct lbio_run *r, const struct lbio_run *w, int64_t largest)
{
    const int64_t from = r->off < w->off ? r->off : w->off, to = end_of(r) > end_of(w) ? end_of(r) : end_of(w);

    return r->file == w->file && (end_of(r) == w->off || overlap(r, w)) && to - from <= largest;
}

static void join(struct lbio_run *r, const struct lbio_run *w)
{
    const int64_t to = end_of(r) > end_of(w) ? end_of(r) : end_of(w);

    r->off = r->off < w->off ? r->off : w->off;
    r->len = to - r->off;
}

/* The run that `w` may join, or `runs`: none. Later runs would be sent after it although written before `w`. */
static size_t find(const struct lbio_run *run, size_t runs, const struct lbio_run *w, enum lbio_merge how,
                   int64_t largest)
{
    const size_t stop = how == LBIO_MERGE_WINDOW || runs == 0 ? 0 : runs - 1;

    for (size_t i = runs; i > stop; i--) {
        if (can_join(&run[i - 1], w, largest)) {
            struct lbio_run both = run[i - 1];
            size_t later = i;

            join(&both, w);
            while (later < runs && !overlap(&run[later], &both))
                later++;
            if (later == runs)
                return i - 1;
        }
        if (overlap(&run[i - 1], w))
            break;
    }
    return runs;
}

size_t lbio__plan(struct lbio_run *run, size_t n, enum lbio_merge how, int64_t largest)
{
    size_t runs = 0;

    if (how == LBIO_MERGE_OFF)
        return n;
    for (size_t i = 0; i < n; i++) {
        const struct lbio_run w = run[i];
        const size_t r = find(run, runs, &w, how, largest);

        if (r < runs)
            join(&run[r], &w);
        else
            run[runs++] = w;
    }
    return runs;
}
