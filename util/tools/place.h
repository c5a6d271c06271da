/* place.h - what a record's object is called and where it lies, as it is printed
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PLACE_H
#define DSN_PLACE_H

#include "util/lib/emit.h"
#include "util/lib/log.h"

/* The strings, and room for those that are made of the record's values: not to be copied, for `file` points into it. */
struct dsn_place {
    struct dsn_emit_file file;
    char name[2 * DSN_INT_MAX + 2], mount[2 * 36 + 2];
};

/* Name, mount point and type of file system (spec parser-output.md 2.5). Lives as long as log and place. */
void dsn_locate(const struct darshan_reader *log, const struct dsn_table *t, const struct dsn_rec *r,
                struct dsn_place *out);

#endif
