/* import.h - interface of the importers of each kind of file
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_IMPORT_H
#define DSN_IMPORT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "accounting.h"

struct dsn_importing {
    struct dsn_accounting *a;
    const char *path;
    FILE *file;
    int64_t line, taken;
};

/* Reports an error in the file. Returns 0. */
int dsn_import_fail(struct dsn_importing *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Binds a name, or its pseudonym; NULL becomes NULL. */
void dsn_import_name(const struct dsn_importing *in, struct dsn_stmt *s, int at, const char *name);

/* Insert the file's contents. Return 0 if it is invalid, which was reported. */
int dsn_import_iostat(struct dsn_importing *in);
int dsn_import_fsstats(struct dsn_importing *in);
int dsn_import_pacct(struct dsn_importing *in);
int dsn_import_taskstats(struct dsn_importing *in);

#endif
