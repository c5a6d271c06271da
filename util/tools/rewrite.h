/* rewrite.h - records from one log into another: what darshan-convert and darshan-merge share
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_REWRITE_H
#define DSN_REWRITE_H

#include "util/lib/idmap.h"
#include "util/lib/log.h"
#include "util/lib/writer.h"

/* What changes on the way. */
struct dsn_rewrite {
    uint64_t only;                         /* the one record id that is taken; 0: all */
    const struct dsn__idmap *leave_out;    /* ids that are not taken; NULL: none */
    int hash_hosts;                        /* names of compute nodes become hashes */
    uint32_t key;                          /* of the hashes */
    const struct dsn_apmpi_header *header; /* APMPI: the one that is written; NULL: the log's own */
    int has_header;                        /* APMPI: it was written */
    uint64_t taken;                        /* out: records */
};

/* Whether records of the module can be read and written. */
int dsn_rewrite_can(unsigned module);

/* Writes the log's records of a module. Returns an enum dsn_err, of reading or of writing: darshan_writer_error() tells
 * which. */
int dsn_rewrite_module(struct darshan_reader *log, unsigned module, struct dsn_rewrite *how, struct darshan_writer *w,
                       struct darshan_reader_error *err);

/* The text in a field of `size` bytes becomes its hash, as a decimal number. */
void dsn_hash_text(char *text, size_t size, uint32_t key);

/* One line on stderr about an error of reading `in` or writing `out`, whichever it was. `w` may be NULL. */
void dsn_rewrite_complain(const char *command, const char *in, const char *out, const struct darshan_writer *w,
                          const struct darshan_reader_error *err);

#endif
