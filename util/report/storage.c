/* storage.c - the performance of a site's file system, from a storage profile
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "storage.h"

#include <stdlib.h>
#include <unistd.h>

#include "finding.h"
#include "util/simulate/profile.h"

int dsn_storage_read(const char *path, struct dsn_storage *out, char *error, size_t n)
{
    struct dsn_file_system fs;

    if (!dsn_profile_read(path, &fs, error, n))
        return 0;
    for (int k = 0; k < 2; k++) {
        const double rate = dsn_thresholds.large / (fs.latency[k] + dsn_thresholds.large * fs.byte[k]);

        out->large[k] = rate;
        out->total[k] = fs.crowd[k] > 0 ? 1 / fs.byte[k] / fs.crowd[k] : 0;
    }
    return 1;
}

const char *dsn_storage_of_site(void)
{
    const char *named = getenv("DARSHAN_STORAGE_PROFILE");

    if (named)
        return *named ? named : NULL;
    return access(DSN_STORAGE_PROFILE, F_OK) == 0 ? DSN_STORAGE_PROFILE : NULL;
}
