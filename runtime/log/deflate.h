/* deflate.h - records as zlib streams, faster and smaller than by a compressor that knows nothing of records
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands in a log is mostly arrays of records of one size, in which a value is most often that of the record
 * before, or of its neighbour. So a match is looked for at these distances, at that of the last match, and where the
 * same bytes stood; zeros, through which a general compressor follows chains of places by the thousand, need none of
 * that. Which match is best depends on what it takes in the codes that the block will have, guessed from what it has used
 * so far. The stream is an ordinary one of RFC 1950 and 1951; every zlib reads it. Measured on 1,024 POSIX records of
 * files that were written once: 5 % smaller than zlib's level 6 in less than half of its instructions; what level 9
 * makes of them in six times as many is as large. Names of files: 12 % smaller than level 6, 3 % than level 9. */
#ifndef DSN_DEFLATE_H
#define DSN_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#define DSN_DEFLATE_TOKENS  32768 /* a block */
#define DSN_DEFLATE_PLACES  4096  /* a power of two */
#define DSN_DEFLATE_SYMBOLS 288
#define DSN_DEFLATE_DISTS   30

/* Memory for the work; its contents do not matter. What little input needs of it lies together. */
struct dsn_deflate {
    unsigned ntokens, place_bits; /* the latter: of `place` 2 to that are used */
    struct dsn_deflate_code {
        uint32_t count[DSN_DEFLATE_SYMBOLS];
        uint16_t bits[DSN_DEFLATE_SYMBOLS];
        uint16_t cost[DSN_DEFLATE_SYMBOLS]; /* sixteenths of a bit, as long as there is no code */
        uint8_t length[DSN_DEFLATE_SYMBOLS];
    } symbols, distances, lengths;
    uint16_t length_cost[259];
    struct {
        uint32_t four, eight; /* where so many bytes stood last, plus 1; by a hash */
    } place[DSN_DEFLATE_PLACES];
    uint32_t token[DSN_DEFLATE_TOKENS]; /* a byte, or length << 16 | distance - 1 */
    uint16_t back[32768];               /* how far it is from there to where the same eight stood before; 0: too far */
};

/* Bytes that a stream of so many may take at most. */
size_t dsn__deflate_bound(size_t size);

/* Compresses `size` bytes, of records of `stride` bytes each (0: nothing is known), into `out`, which has room for
 * dsn__deflate_bound(size). Returns the bytes of the stream. */
size_t dsn__deflate(struct dsn_deflate *d, const void *bytes, size_t size, size_t stride, void *out);

/* Memory of a compressor (dsn__pages), once it was needed; part of what life/state.h composes. */
extern struct dsn_deflate **const dsn__deflate_work __attribute__((visibility("hidden")));

#endif
