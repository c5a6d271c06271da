/* profile.c - reads the best number of writers from a storage profile
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/profile.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define MOST 4096 /* of option.def */

/* 0: not measured */
static json_int_t best_of(json_t *profile, const char *files)
{
    json_int_t best = 0;

    if (json_unpack(profile, "{s:{s:{s:{s:{s:I}}}}}", "found", "workers", "write", files, "best", &best) != 0)
        return 0;
    return best < 1 ? 0 : best > MOST ? MOST : best;
}

int lbio__profile_tokens(const char *path, char *why, size_t n)
{
    json_error_t error;
    json_t *profile = json_load_file(path, 0, &error);
    json_int_t one, each;
    const char *format = "";

    if (!profile) {
        snprintf(why, n, "%s", error.line > 0 ? "is not valid JSON; darshan-sweep writes profiles" : error.text);
        return 0;
    }
    json_unpack(profile, "{s:s}", "format", &format);
    if (strcmp(format, "darshan-storage-profile") != 0) {
        snprintf(why, n, "%s", "is not a storage profile; darshan-sweep --json writes one");
        json_decref(profile);
        return 0;
    }
    one = best_of(profile, "one_file");
    each = best_of(profile, "file_each");
    json_decref(profile);
    snprintf(why, n, "%s", "does not have the best number of writers; darshan-sweep measures it");
    return (int)(one == 0 || (each > 0 && each < one) ? each : one);
}
