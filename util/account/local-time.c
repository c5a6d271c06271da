/* local-time.c - the moments that a local time without an offset may mean
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "local-time.h"

#define SOME_HOURS 10800 /* more than clocks are ever set back */

static long offset_at(int64_t time)
{
    const time_t t = (time_t)time;
    struct tm tm = { 0 };

    localtime_r(&t, &tm);
    return tm.tm_gmtoff;
}

int dsn_local_times(const struct tm *tm, int64_t *first, int64_t *second)
{
    struct tm any = *tm, wall = *tm;
    int64_t shown;
    long before, after;

    any.tm_isdst = -1;
    *first = *second = mktime(&any); /* in the hour that is left out: as good as any */
    if (any.tm_mday != tm->tm_mday)
        return 0;
    shown = timegm(&wall); /* as if of UTC */
    before = offset_at(*first - SOME_HOURS);
    after = offset_at(*first + SOME_HOURS);
    if (before > after && offset_at(shown - before) == before && offset_at(shown - after) == after) {
        *first = shown - before;
        *second = shown - after;
    }
    return 1;
}

int64_t dsn_local_time_after(int64_t first, int64_t second, int64_t before)
{
    return first < before && second >= before ? second : first;
}
