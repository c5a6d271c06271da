/* record.h - a recording of what reaches devices, live, in blktrace's format
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events block_rq_issue and block_rq_complete of an instance of tracefs that is removed at the end. What stands in the file is what
 * blktrace would have written of issues and completions (D and C), so that blkparse and btt read it; a message at its end says how
 * many events were lost. Private to util/block and its command. */
#ifndef DSN_BLOCK_RECORD_H
#define DSN_BLOCK_RECORD_H

#include <signal.h>
#include <stdint.h>

struct dsn_recording {
    const char *output;
    const char *device;   /* "/dev/sda"; NULL: all */
    char *const *command; /* runs meanwhile; NULL: until a signal comes, or `seconds` have passed */
    double seconds;       /* 0: no end */
    uint64_t buffer_kib;  /* of each processor */
    uint64_t events, lost;
    int status; /* exit status of the command */
    char error[256];
};

/* Returns 0 with r->error. */
int dsn_record(struct dsn_recording *r);

/* Set by a signal. */
extern volatile sig_atomic_t dsn_record_stop;

/* What the ends of a recording say: events lost, seconds that it lasted. Returns 0 if it is none of ours. */
int dsn_record_ends(const char *path, uint64_t *lost, double *seconds);

#endif
