/* storage.h - what a site's file system gives, of a storage profile, where the log itself has nothing to go by
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_STORAGE_H
#define DSN_STORAGE_H

#include <stddef.h>

struct dsn_storage {
    double large[2]; /* bytes a second of a large request alone: reads, writes */
    double total[2]; /* of all of them together; 0: no limit */
};

/* Reads a profile (doc/simulate.md). Returns 0 with what is wrong in `error`, which has room for n. */
int dsn_storage_read(const char *path, struct dsn_storage *out, char *error, size_t n);

/* Where the site has its profile: $DARSHAN_STORAGE_PROFILE, or a file of the installation if it is there. NULL: it has none. */
const char *dsn_storage_of_site(void);

#endif
