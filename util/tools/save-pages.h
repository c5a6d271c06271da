/* save-pages.h - writes reports of several logs as pages in a directory
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_PAGES_H
#define DSN_SAVE_PAGES_H

#include <stdint.h>

#include "util/report/brief.h"

struct dsn_saved_pages {
    const char *command, *folder;
    int64_t nodes;                     /* of each job, if not in its log; 0: not given */
    int full_trace;                    /* each operation of a trace, as far as they fit */
    int compare;                       /* the list shows changes from the first to the last */
    const struct dsn_storage *storage; /* NULL: unknown */
};

/* Writes a page per log to the directory, which is created if necessary, and index.html, which lists them. Existing
 * pages are replaced. Reports errors on stderr, and continues. Returns the exit status. */
int dsn_save_pages(const struct dsn_saved_pages *s, struct dsn_briefs *all);

#endif
