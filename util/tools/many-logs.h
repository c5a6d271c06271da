/* many-logs.h - darshan-job-summary of several logs, of folders of logs, of one job's
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MANY_LOGS_H
#define DSN_MANY_LOGS_H

#include <stdint.h>

struct dsn_storage;

struct dsn_many_settings {
    const char *command;
    int64_t nodes;                     /* 0: not given */
    const struct dsn_storage *storage; /* NULL: none is known */
    const char *pages; /* where the page, or of several logs the folder of pages, is to be; NULL: nowhere */
    int full_trace;    /* pages have each operation of a trace, as far as there is room */
    int json;
    int compare; /* what changed from the first log to the last, instead of all by what could be saved */
    int of_job;  /* only logs of the job `job`, in the order in which they began */
    int64_t job;
};

/* Reads all of them, one after the other, and prints. Returns the exit status. */
int dsn_summarize_many(const struct dsn_many_settings *s, char *const *names, int n);

#endif
