/* record.h - records device requests, in blktrace's format
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the events block_rq_issue and block_rq_complete of a tracefs instance, which is removed at the end. The file
 * contains what blktrace would have written for issues and completions (D and C), so that blkparse and btt can read it,
 * and the messages of notes.h. Private to measure/block and its command. */
#ifndef DSN_BLOCK_RECORD_H
#define DSN_BLOCK_RECORD_H

#include <signal.h>
#include <stdint.h>

struct dsn_block_recording {
    const char *output;
    const char *device;   /* "/dev/sda", or a partition; NULL: all */
    char *const *command; /* recorded while it runs; NULL: until a signal arrives, or `seconds` have passed */
    double seconds;       /* 0: unlimited */
    uint64_t buffer_kib;  /* per processor */
    uint64_t events, lost;
    int status; /* exit status of the command, even if recording failed; 0 if it was not started */
    char error[256];
};

/* Returns 0 with r->error. */
int dsn_record(struct dsn_block_recording *r);

/* Set to the number of a signal: ends a recording without a command, or is forwarded to the command unless it is SIGINT
 * or SIGQUIT, which terminals send to both. */
extern volatile sig_atomic_t dsn_record_stop;

#endif
