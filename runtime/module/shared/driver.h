/* driver.h - names of files that begin with that of a file system driver
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SHARED_DRIVER_H
#define DSN_SHARED_DRIVER_H

#include <string.h>

/* "ufs:/path" names a file system driver before the colon; a single letter before it is part of the name. */
static inline const char *dsn__without_driver(const char *path)
{
    const char *colon = strchr(path, ':');

    return colon && colon - path >= 2 ? colon + 1 : path;
}

#endif
