/* striping.c - bounds on the gain of striping files over more storage targets
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "striping.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NUMBER 65535 /* of a target; larger ones are invalid */
#define MOST_LENGTH 9.2e18

/* Bytes moved per target, and existing targets. */
struct load {
    double *bytes;
    unsigned char *used;
    int64_t largest;
};

static double stripe_of(const struct dsn_layout *l)
{
    for (size_t i = 0; i < l->ncomps; i++)
        if (l->comps[i].stripe_size > 0)
            return (double)l->comps[i].stripe_size;
    return 0;
}

/* Iterates over the targets of a file's bytes, and adds to each its share of the bytes. Returns the number of
 * targets. */
static size_t go_over(const struct dsn_striped *f, struct load *to, double share)
{
    struct dsn_stripe_walk w;
    size_t n = 0;
    int64_t ost;

    dsn_stripe_walk_begin(&w, f->layout, 0, (int64_t)fmin(fmax(f->extent, 1), MOST_LENGTH));
    while (dsn_stripe_walk_next(&w, &ost)) {
        n++;
        if (ost < 0 || ost > MOST_NUMBER)
            continue;
        to->used[ost] = 1;
        to->bytes[ost] += share;
        to->largest = ost > to->largest ? ost : to->largest;
    }
    return n;
}

/* Bytes of the busiest target, and number of targets used. */
static double busiest(const struct load *l, size_t *used)
{
    double most = 0;

    *used = 0;
    for (int64_t k = 0; k <= l->largest; k++) {
        *used += l->used[k];
        most = fmax(most, l->bytes[k]);
    }
    return most;
}

/* The new maximum of bytes per target over the old one, at best. */
static double relief(const struct dsn_striped *files, size_t n, const struct load *l, double targets, size_t *used)
{
    const double most = busiest(l, used);
    double all = 0, places = 0, least = 0;

    for (size_t i = 0; i < n; i++)
        if (files[i].were > 0) {
            all += files[i].bytes;
            places += (double)files[i].are;
            least = fmax(least, files[i].bytes / (double)files[i].are);
        }
    places = fmin(places, fmax(targets, (double)l->largest + 1));
    if (places >= 1)
        least = fmax(least, all / places);
    return most > 0 ? fmin(1, least / most) : 0;
}

static void add_up(const struct dsn_striped *f, struct dsn_striping *out)
{
    if (f->were == 0 || f->bytes <= 0)
        return;
    out->files++;
    if (f->were == f->are)
        return;
    out->fewest = out->changed == 0 || f->were < out->fewest ? f->were : out->fewest;
    out->widest = f->were > out->widest ? f->were : out->widest;
    out->changed++;
    out->bytes += f->bytes;
}

int dsn_striping_change(struct dsn_striped *files, size_t n, double targets, double size, struct dsn_striping *out)
{
    struct load l = { calloc(MOST_NUMBER + 1, sizeof *l.bytes), calloc(MOST_NUMBER + 1, 1), -1 };
    const int ok = l.bytes && l.used;
    double least;

    *out = (struct dsn_striping){ 0 };
    for (size_t i = 0; ok && i < n; i++) {
        struct dsn_striped *f = &files[i];
        const double stripe = size > 0 ? size : f->layout ? stripe_of(f->layout) : 0;

        f->factor = 1;
        f->were = f->are = 0;
        if (!f->layout || stripe <= 0 || (f->were = go_over(f, &l, 0)) == 0)
            continue;
        go_over(f, &l, f->bytes / (double)f->were);
        f->are = (size_t)fmin(targets, fmax(1, ceil(f->extent / stripe)));
    }
    least = ok ? relief(files, n, &l, targets, &out->targets) : 0;
    for (size_t i = 0; ok && i < n; i++) {
        struct dsn_striped *f = &files[i];

        if (f->were > 0 && f->are != f->were)
            f->factor = (double)f->were / (double)f->are;
        if (f->are > f->were)
            f->factor = fmax(f->factor, least);
        add_up(f, out);
    }
    free(l.bytes);
    free(l.used);
    return ok;
}
