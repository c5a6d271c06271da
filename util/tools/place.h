/* place.h - name and location of a record's object, as printed
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PLACE_H
#define DSN_PLACE_H

#include "util/lib/emit.h"
#include "util/lib/log.h"

/* The strings, with buffers for those made from the record's values. Must not be copied, because `file` points into
 * it. */
struct dsn_place {
    struct dsn_emit_file file;
    char name[2 * DSN_INT_MAX + 2], mount[2 * 36 + 2];
};

/* Name, mount point and file system type (spec parser-output.md 2.5). Valid as long as the log and `p`. */
void dsn_locate(const struct darshan_reader *log, const struct dsn_table *t, const struct dsn_rec *r,
                struct dsn_place *out);

#endif
