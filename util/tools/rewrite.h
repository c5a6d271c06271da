/* rewrite.h - copies records from one log to another, for darshan-convert and darshan-merge
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_REWRITE_H
#define DSN_REWRITE_H

#include "util/lib/idmap.h"
#include "util/lib/log.h"
#include "util/lib/writer.h"

/* Changes to be made. */
struct dsn_rewrite {
    uint64_t only;                         /* copy only this record id; 0: all */
    const struct dsn__idmap *keep;         /* copy only these ids; NULL: all */
    const struct dsn__idmap *leave_out;    /* do not copy these ids; NULL: none */
    const struct dsn__idmap *leave_shared; /* do not copy the shared records of these ids; NULL: none */
    double later;                          /* seconds that the log began after the time that the new one counts from */
    int64_t ranks_before;                  /* added to ranks */
    int hash_hosts;                        /* replace host names by hashes */
    uint32_t key;                          /* of the hashes */
    const struct dsn_apmpi_header *header; /* APMPI: the header to write; NULL: the log's own */
    int has_header;                        /* APMPI: it was written */
    uint64_t taken;                        /* out: records copied */
};

/* Whether records of the module can be read and written. */
int dsn_rewrite_can(unsigned module);

/* Copies the log's records of a module. Returns an enum dsn_err, of reading or of writing: see
 * darshan_writer_error(). */
int dsn_rewrite_module(struct darshan_reader *log, unsigned module, struct dsn_rewrite *how, struct darshan_writer *w,
                       struct darshan_reader_error *err);

/* Moves a record's timestamps and ranks by that. A timestamp of 0 is that of nothing. */
void dsn_rewrite_move(const struct dsn_table *t, double later, int64_t ranks_before, struct dsn_rec *r);

/* Replaces the text in a field of `size` bytes by its hash, as a decimal number. */
void dsn_hash_text(char *text, size_t size, uint32_t key);

/* Prints a line on stderr about an error of reading `in` or writing `out`. `w` may be NULL. */
void dsn_rewrite_complain(const char *command, const char *in, const char *out, const struct darshan_writer *w,
                          const struct darshan_reader_error *err);

#endif
