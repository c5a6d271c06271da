/* local-time.c - the moments that a local time without an offset may mean
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "local-time.h"

int dsn_local_times(const struct tm *tm, int64_t *first, int64_t *second)
{
    struct tm any = *tm;
    int n = 0;

    any.tm_isdst = -1;
    *first = *second = mktime(&any); /* in the hour that is left out: as good as any */
    if (any.tm_mday != tm->tm_mday)
        return 0;
    for (int is_summer = 1; is_summer >= 0; is_summer--) {
        struct tm one = *tm;
        int64_t t;

        one.tm_isdst = is_summer;
        t = mktime(&one);
        if (one.tm_isdst != is_summer || one.tm_hour != tm->tm_hour || one.tm_min != tm->tm_min)
            continue;
        *first = n == 0 || t < *first ? t : *first;
        *second = n == 0 || t > *second ? t : *second;
        n++;
    }
    return 1;
}

int64_t dsn_local_time_after(int64_t first, int64_t second, int64_t before)
{
    return first < before && second >= before ? second : first;
}
