/* stamps.h - CPU times of threads, known at some of their operations, told for each of them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Between two moments at which it is known, the time between a thread's operations is taken for CPU time, as far as the
 * later one allows. Private to util/trace. */
#ifndef DSN_TRACE_STAMPS_H
#define DSN_TRACE_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"

struct dsn__stamps;

/* Of a log's stamps, which it takes and frees. NULL with *why: they cannot be told by the numbers that the trace has for
 * threads, or there is no memory. */
struct dsn__stamps *dsn__stamps_new(darshan_cpu_stamp *stamps, size_t n, const char **why);
void dsn__stamps_free(struct dsn__stamps *s);

/* The number of a thread, which may have no stamps. UINT32_MAX: there is no memory. */
uint32_t dsn__stamps_thread(struct dsn__stamps *s, int64_t rank, uint64_t thread);

/* What the thread has used since it was asked about last, up to an operation; ns as in the log. To be asked in the order
 * of their starts. */
uint64_t dsn__stamps_used(struct dsn__stamps *s, uint32_t thread, uint64_t start, uint64_t duration);

#endif
