/* folded.h - how much more would have been needed, so that nothing had been counted together
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that finds no place for its record is seen again and again, and cannot be remembered. What can: 1 KiB of the
 * longest runs of zeros in hashes, which tells the number of different files to some 3 % (HyperLogLog; Flajolet and
 * others, 2007), however many there are. */
#ifndef DSN_CORE_FOLDED_H
#define DSN_CORE_FOLDED_H

#include <stdint.h>

#define DSN_FOLDED_REGISTERS 1024

struct dsn_distinct {
    unsigned char run[DSN_FOLDED_REGISTERS];
};

struct dsn_folded {
    int64_t uses, bytes; /* times that memory was the reason, and what those records and names would have taken */
    int64_t limited;     /* times that a module's MAX_RECORDS was */
    int64_t limit;       /* the largest of these that was reached */
    struct dsn_distinct unfit, beyond; /* files of each reason */
};

/* One more value, by its 64-bit hash; and about how many different ones there were. */
void dsn__distinct_add(struct dsn_distinct *d, uint64_t hash);
double dsn__distinct_count(const struct dsn_distinct *d);

/* DARSHAN_MODMEM, in bytes, that would have been enough beside the `present` one; a MAX_RECORDS that would. Both are
 * rather too high than too low; 0: what there was is enough. */
int64_t dsn__folded_memory(const struct dsn_folded *f, int64_t present);
int64_t dsn__folded_records(const struct dsn_folded *f);

#endif
