/* many-logs.h - darshan-job-summary for several logs, directories of logs, or one job's logs
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_MANY_LOGS_H
#define DSN_MANY_LOGS_H

#include <stdint.h>

struct dsn_storage;

struct dsn_many_settings {
    const char *command;
    int64_t nodes;                     /* 0: not given */
    const struct dsn_storage *storage; /* NULL: unknown */
    const char *pages;                 /* the file, or for several logs the directory, for pages; NULL: no pages */
    int full_trace;                    /* pages contain each operation of a trace, as far as they fit */
    int json;
    int list;    /* print a line a log, newest first */
    int compare; /* compare the first log with the last, instead of ranking all by possible savings */
    int of_job;  /* only logs of job `job`, by their start */
    int64_t job;
};

/* Reads and prints all logs. Returns the exit status. */
int dsn_summarize_many(const struct dsn_many_settings *s, char *const *names, int n);

#endif
