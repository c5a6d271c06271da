/* local-time.h - the moments that a local time without an offset may mean
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOCAL_TIME_H
#define DSN_LOCAL_TIME_H

#include <stdint.h>
#include <time.h>

/* Seconds since 1970 when clocks show it, `first` and `second`: at the end of daylight saving time an hour is repeated, else
 * they are the same. The answer depends on nothing else, unlike that of mktime(). Returns 0 if there is no such day, as 30
 * February. */
int dsn_local_times(const struct tm *tm, int64_t *first, int64_t *second);

/* Of things listed in order: the first of these that is not before the one listed before. */
int64_t dsn_local_time_after(int64_t first, int64_t second, int64_t before);

#endif
