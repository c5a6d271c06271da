/* iostat.h - samples of block devices, as sysstat's iostat prints them
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_IOSTAT_H
#define DSN_IOSTAT_H

#include <jansson.h>
#include <stdint.h>

/* What a device moved in the `seconds` that ended at `time` (since 1970). */
struct dsn_sample {
    int64_t time;
    const char *host, *device;
    double seconds, read_kib, write_kib, busy_percent;
    double await_ms; /* of a request on average; -1: not known, or there was none */
};

/* Hands every sample of a document of `iostat -k -t -o JSON` to `take`. `seconds`: what every report is about, if the
 * caller knows it; 0: the time from one report to the next, so that the first, which is about the time since the
 * machine was started, is left out, as is one whose time is not after that before. Returns NULL, or a sentence on what
 * is wrong with the document. */
const char *dsn_iostat_samples(json_t *document, double seconds,
                               void (*take)(void *context, const struct dsn_sample *s), void *context);

#endif
