/* pacct.h - parses the kernel's process accounting records (acct(5), version 3)
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PACCT_H
#define DSN_PACCT_H

#include <stdint.h>

#define DSN_PACCT_SIZE 64 /* bytes of a record */

struct dsn_pacct {
    int64_t start; /* seconds since 1970 */
    int64_t uid, pid, ppid;
    double seconds;     /* elapsed time */
    double cpu_seconds; /* user and system */
    int64_t bytes;      /* moved by its calls; -1: not counted by the kernel (Linux does not) */
    char program[17];
};

/* Parses a record of either byte order. Returns NULL, or what is wrong with it. */
const char *dsn_pacct_read(const unsigned char record[DSN_PACCT_SIZE], struct dsn_pacct *out);

#endif
