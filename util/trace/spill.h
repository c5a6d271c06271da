/* spill.h - a temporary file without a name, for data that does not fit into memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is in $TMPDIR or /tmp, and disappears when it is closed, however the process ends. It is written sequentially and
 * read randomly; it is not mapped, because pages of a mapping count as the process's memory. Private to util/trace. */
#ifndef DSN_TRACE_SPILL_H
#define DSN_TRACE_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct dsn__spill {
    int fd;
    uint64_t size;         /* including the buffer */
    uint64_t most;         /* limit (RLIMIT_FSIZE), beyond which the process would get a signal */
    unsigned char *buffer; /* data not written yet: the last `used` bytes */
    size_t used;
};

/* Returns 1, or 0 if no file can be created. A zeroed struct, or one that could not be opened, may be closed. */
int dsn__spill_open(struct dsn__spill *s);
void dsn__spill_close(struct dsn__spill *s);

/* Appends bytes. Returns 0 if they cannot be written: then only flushed data is valid. */
int dsn__spill_put(struct dsn__spill *s, const void *bytes, size_t n);

/* Writes the buffer and frees it. Returns like dsn__spill_put(). */
int dsn__spill_flush(struct dsn__spill *s);

/* Reads exactly n flushed bytes at `at`. Returns 0 on an error. */
int dsn__spill_get(const struct dsn__spill *s, uint64_t at, void *bytes, size_t n);

#endif
