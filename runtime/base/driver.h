/* driver.h - file names with a ROMIO driver prefix
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_DRIVER_H
#define DSN_BASE_DRIVER_H

#include <string.h>

/* Strips a file system driver as in "ufs:/path"; a single letter before the colon is part of the name. */
static inline const char *dsn__without_driver(const char *path)
{
    const char *colon = strchr(path, ':');

    return colon && colon - path >= 2 ? colon + 1 : path;
}

#endif
