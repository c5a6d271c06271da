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

/* The same of a machine's name; that of the import, if there is none. */
void dsn_import_machine(const struct dsn_importing *in, struct dsn_stmt *s, int at, const char *name);

/* Reads a time: seconds since 1970, or YYYY-MM-DD, YYYY-MM-DDTHH:MM or YYYY-MM-DDTHH:MM:SS, local or with an offset.
 * NO_TIME: Unknown, or None. */
enum dsn_time_kind { DSN_TIME, DSN_NO_TIME, DSN_BAD_TIME };
enum dsn_time_kind dsn_import_time(const char *text, int64_t *out);

/* The same: the two times that it may be in the hour that is repeated at the end of daylight saving time. */
enum dsn_time_kind dsn_import_times(const char *text, int64_t *first, int64_t *second);

/* Whether a device of that name consists of others (device mapper, md, drbd, ...). */
int dsn_is_stacked(const char *device);

/* How a field is converted. */
enum dsn_field_form {
    IS_TEXT,
    IS_NAME,         /* name of a person or thing: replaced in a database with pseudonyms */
    IS_NAME_OR_NONE, /* the same, but "" if missing */
    IS_NUMBER,
    IS_USER,    /* a uid */
    IS_TIME,    /* see dsn_import_time() */
    IS_MACHINE, /* that of the import, if it is missing */
    IS_STACKED, /* whether a device of that name consists of others */
};

struct dsn_field {
    const char *names[5]; /* accepted column headings */
    enum dsn_field_form form;
    int required;
};
#define DSN_MOST_FIELDS 20

/* Reads lines of fields below a line of headings, separated by '|' if that contains one, otherwise by commas. Calls
 * `take` for each, with the texts of `fields`; NULL: missing. Stops if that returns 0. Returns 0 after an error, which
 * was reported. */
int dsn_import_lines(struct dsn_importing *in, const struct dsn_field *fields, int nfields,
                     int (*take)(struct dsn_importing *in, void *context, char *const *text), void *context);

/* Insert the file's contents. Return 0 if it is invalid, which was reported. */
int dsn_import_jobs(struct dsn_importing *in);
int dsn_import_iostat(struct dsn_importing *in);
int dsn_import_fsstats(struct dsn_importing *in);
int dsn_import_pacct(struct dsn_importing *in);
int dsn_import_taskstats(struct dsn_importing *in);

#endif
