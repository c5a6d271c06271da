/* record.h - a recording of what reaches devices, live, in blktrace's format
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events block_rq_issue and block_rq_complete of an instance of tracefs that is removed at the end. What stands in the file is what
 * blktrace would have written of issues and completions (D and C), so that blkparse and btt read it, and the messages of notes.h.
 * Private to util/block and its command. */
#ifndef DSN_BLOCK_RECORD_H
#define DSN_BLOCK_RECORD_H

#include <signal.h>
#include <stdint.h>

struct dsn_recording {
    const char *output;
    const char *device;   /* "/dev/sda", or a partition; NULL: all */
    char *const *command; /* runs meanwhile; NULL: until a signal comes, or `seconds` have passed */
    double seconds;       /* 0: no end */
    uint64_t buffer_kib;  /* of each processor */
    uint64_t events, lost;
    int status; /* exit status of the command, also if there is no recording of it; 0 if it was not started */
    char error[256];
};

/* Returns 0 with r->error. */
int dsn_record(struct dsn_recording *r);

/* Set to the number of a signal: ends a recording that has no command, and is passed on to one unless it is SIGINT or SIGQUIT, which
 * terminals send to both. */
extern volatile sig_atomic_t dsn_record_stop;

#endif
