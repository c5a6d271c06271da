/* accounting.c - error messages about the database, and the time zone, for all parts of darshan-accounting
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "accounting.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"

int dsn_db_complain(const struct dsn_accounting *a)
{
    dsn_warn(DSN_ACCOUNTING, dsn_db_name(a->db), "%s", dsn_db_error(a->db) ? dsn_db_error(a->db) : "out of memory");
    return 1;
}

/* "Europe/Berlin" of ":Europe/Berlin", or of the file of that zone. */
static const char *zone_name(const char *from)
{
    const char *zone = strstr(from, "zoneinfo/");

    zone = zone ? zone + strlen("zoneinfo/") : from[0] == ':' ? from + 1 : from;
    return zone[0] && zone[0] != '/' ? zone : "UTC";
}

const char *dsn_zone(void)
{
    static char target[PATH_MAX];
    const char *set = getenv("TZ");
    const ssize_t n = set ? -1 : readlink("/etc/localtime", target, sizeof target - 1);

    if (!set)
        target[n > 0 ? n : 0] = '\0';
    return zone_name(set ? set : target);
}
