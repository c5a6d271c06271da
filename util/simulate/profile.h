/* profile.h - storage profiles as JSON: the file system model of one run, to be used for others
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     {"format": "darshan-storage-profile", "version": 1,
 *      "read":  {"latency_seconds": 0.0005, "bytes_per_second": 1.2e9, "total_bytes_per_second": 9e9},
 *      "write": {"latency_seconds": 0.0008, "bytes_per_second": 8e8, "total_bytes_per_second": 9e9},
 *      "node_bytes_per_second": 2.5e10}
 *
 * Rates are those of a single request, and of as many concurrent requests as maximize it; the second, and the node's,
 * are optional: without them there is no limit. Other keys are ignored. Private to util/simulate. */
#ifndef DSN_SIMULATE_PROFILE_H
#define DSN_SIMULATE_PROFILE_H

#include "machine.h"

/* Returns 0 with a message in `error` (n bytes). */
int dsn_profile_read(const char *path, struct dsn_file_system *out, char *error, size_t n);
int dsn_profile_write(const char *path, const struct dsn_file_system *fs, char *error, size_t n);

#endif
