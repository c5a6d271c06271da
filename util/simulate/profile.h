/* profile.h - what a file system does, as JSON: written from one run, used for others
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     {"format": "darshan-storage-profile", "version": 1,
 *      "read":  {"latency_seconds": 0.0005, "bytes_per_second": 1.2e9, "total_bytes_per_second": 9e9},
 *      "write": {"latency_seconds": 0.0008, "bytes_per_second": 8e8, "total_bytes_per_second": 9e9},
 *      "node_bytes_per_second": 2.5e10}
 *
 * Rates are of one request alone and of as many at once as make it most; the second, and the node's, may be left out: then
 * there is no such limit. Further keys are for others. Private to util/simulate. */
#ifndef DSN_SIMULATE_PROFILE_H
#define DSN_SIMULATE_PROFILE_H

#include "machine.h"

/* Returns 0 with what is wrong in `error`, which has room for n. */
int dsn_profile_read(const char *path, struct dsn_file_system *out, char *error, size_t n);
int dsn_profile_write(const char *path, const struct dsn_file_system *fs, char *error, size_t n);

#endif
