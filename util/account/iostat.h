/* iostat.h - samples of block devices by sysstat's iostat
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_IOSTAT_H
#define DSN_IOSTAT_H

#include <jansson.h>
#include <stdint.h>

/* I/O of a device in the `seconds` before `time` (since 1970). */
struct dsn_device_sample {
    int64_t time;
    const char *host, *device;
    double seconds, read_kib, write_kib, busy_percent;
    double await_ms; /* mean per request; -1: unknown, or no requests */
};

/* Calls `take` for every sample in a document of `iostat -k -t -o JSON`. `seconds`: the duration of every report, if
 * known; 0: the time since the previous report. Then the first, which covers the time since boot, is skipped, as is any
 * whose time is not later than the previous one's. Returns NULL, or what is wrong with the document. */
const char *dsn_iostat_samples(json_t *document, double seconds,
                               void (*take)(void *context, const struct dsn_device_sample *s), void *context);

#endif
