/* folded.c - how much more would have been needed, so that nothing had been counted together
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/folded.h"

#define MARGIN 1.1 /* three standard deviations of the estimate */

/* The natural logarithm of x >= 1; the library does without libm. */
static double logarithm(double x)
{
    const double ln2 = 0.69314718055994530942;
    double sum = 0, power, z;
    int halvings = 0;

    while (x > 1.5) {
        x /= 2;
        halvings++;
    }
    z = (x - 1) / (x + 1); /* ln x = 2 artanh z; |z| <= 1/5 here */
    power = z;
    for (int i = 1; i < 24; i += 2, power *= z * z)
        sum += power / i;
    return halvings * ln2 + 2 * sum;
}

void dsn__distinct_add(struct dsn_distinct *d, uint64_t hash)
{
    unsigned char *run = &d->run[hash % DSN_FOLDED_REGISTERS];
    const uint64_t rest = hash / DSN_FOLDED_REGISTERS | (uint64_t)1 << 53;
    const unsigned char n = (unsigned char)(__builtin_ctzll(rest) + 1);

    if (n > *run)
        *run = n;
}

double dsn__distinct_count(const struct dsn_distinct *d)
{
    const double m = DSN_FOLDED_REGISTERS, bias = 0.7213 / (1 + 1.079 / m);
    double sum = 0, estimate;
    int empty = 0;

    for (int i = 0; i < DSN_FOLDED_REGISTERS; i++) {
        sum += 1.0 / (double)((uint64_t)1 << d->run[i]);
        empty += d->run[i] == 0;
    }
    estimate = bias * m * m / sum;
    return estimate <= 2.5 * m && empty > 0 ? m * logarithm(m / empty) : estimate;
}

/* A sixteenth of the memory is kept for records that others are folded into, and the table of names takes up to a
 * thirty-second. */
int64_t dsn__folded_memory(const struct dsn_folded *f, int64_t present)
{
    if (f->uses == 0)
        return 0;
    return present +
           (int64_t)(MARGIN * 32 / 29 * dsn__distinct_count(&f->unfit) * ((double)f->bytes / (double)f->uses));
}

int64_t dsn__folded_records(const struct dsn_folded *f)
{
    if (f->limited == 0)
        return 0;
    return f->limit + (int64_t)(MARGIN * dsn__distinct_count(&f->beyond)) + 1;
}
