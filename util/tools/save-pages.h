/* save-pages.h - the reports of several logs as pages, in a folder
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SAVE_PAGES_H
#define DSN_SAVE_PAGES_H

#include <stdint.h>

#include "util/report/brief.h"

struct dsn_pages {
    const char *command, *folder;
    int64_t nodes;                     /* of each job, if its log does not say; 0: not given */
    int full_trace;                    /* each operation of a trace, as far as there is room */
    int compare;                       /* the list says what changed from the first to the last */
    const struct dsn_storage *storage; /* NULL: none is known */
};

/* Writes a page of each log into the folder, which is made if it is not there, and index.html, which lists them. Pages
 * that are there already are replaced. Says on stderr what went wrong, and goes on. Returns the exit status. */
int dsn_save_pages(const struct dsn_pages *s, struct dsn_briefs *all);

#endif
