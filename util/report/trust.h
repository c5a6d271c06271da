/* trust.h - caveats about a log that precede all figures
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TRUST_H
#define DSN_TRUST_H

#include "report.h"

/* Whether data bypassed POSIX and STDIO, through DFS or DAOS. */
int dsn_is_past_posix(const struct darshan_reader *log);

/* Whether the log was made from what a killed job left: then *m is the metadata line that says so. */
int dsn_recovered(const struct darshan_reader *log, struct darshan_reader_metadata *m);

/* Whether this project's runtime wrote the log. */
int dsn_is_own(const struct darshan_reader *log);

/* What must be known before any figure of a log is: that processes were killed or still ran, that it is damaged or incomplete.
 * Returns how many there are. */
struct dsn_warning {
    const char *label; /* "Recovered" */
    char text[160];
};
#define DSN_MAX_WARNINGS 6
size_t dsn_warnings(const struct dsn_report *r, struct dsn_warning w[DSN_MAX_WARNINGS]);

/* Whether the log knows of ranks, or programs that its processes executed, whose records it does not have. */
int dsn_lacks_processes(const struct dsn_report *r);

/* Whether no file is known, but there were calls for files: they may lie where nothing is recorded by default. */
int dsn_is_unseen(const struct dsn_report *r);

/* Whether records are missing in a way that affects sums: damage, or files for which another runtime had no memory. */
int dsn_is_cut(const struct dsn_report *r);

#endif
