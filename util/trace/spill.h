/* spill.h - what does not fit into memory: a temporary file that has no name
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It lies in $TMPDIR, else in /tmp, and is gone when it is closed, however the process ends. It is written at its end
 * and read anywhere, not mapped: pages of a mapping count as the process's memory. Private to util/trace. */
#ifndef DSN_TRACE_SPILL_H
#define DSN_TRACE_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct dsn__spill {
    int fd;
    uint64_t size;         /* with what is still in the buffer */
    uint64_t most;         /* more would end the process by a signal (RLIMIT_FSIZE) */
    unsigned char *buffer; /* what is not written yet: the last `used` bytes */
    size_t used;
};

/* Returns 1, or 0 if no file can be made. What is all zeros, or could not be opened, may be closed. */
int dsn__spill_open(struct dsn__spill *s);
void dsn__spill_close(struct dsn__spill *s);

/* Adds bytes at the end. Returns 0 if they cannot be written: then only what was flushed before is of any use. */
int dsn__spill_put(struct dsn__spill *s, const void *bytes, size_t n);

/* Writes what is in the buffer, and gives its memory back. Returns as dsn__spill_put(). */
int dsn__spill_flush(struct dsn__spill *s);

/* Reads exactly n bytes, which were flushed, at `at`. Returns 0 if that cannot be done. */
int dsn__spill_get(const struct dsn__spill *s, uint64_t at, void *bytes, size_t n);

#endif
