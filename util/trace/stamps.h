/* stamps.h - CPU times of operations, from samples of the CPU time of their threads
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Between two samples, the time between a thread's operations counts as CPU time, up to the value of the later sample.
 * Private to util/trace. */
#ifndef DSN_TRACE_STAMPS_H
#define DSN_TRACE_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"

struct dsn__stamps;

/* Takes ownership of a log's samples. NULL with *why: they cannot be assigned to the threads of the trace, or there is no
 * memory. */
struct dsn__stamps *dsn__stamps_new(darshan_cpu_stamp *stamps, size_t n, const char **why);
void dsn__stamps_free(struct dsn__stamps *s);

/* The number of a thread, which may have no stamps. UINT32_MAX: there is no memory. */
uint32_t dsn__stamps_thread(struct dsn__stamps *s, int64_t rank, uint64_t thread);

/* CPU time used between the previous operation of the thread and this one, in ns. Operations must come in the order of
 * their starts. */
uint64_t dsn__stamps_used(struct dsn__stamps *s, uint32_t thread, uint64_t start, uint64_t duration);

#endif
