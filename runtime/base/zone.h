/* zone.h - how far local time is from UTC, without the C library
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * localtime_r allocates, locks, and brings 200 KB of the C library into memory that most programs have no use for. */
#ifndef DSN_BASE_ZONE_H
#define DSN_BASE_ZONE_H

#include <stdint.h>

/* Seconds that local time (of TZ and the files of zones, RFC 8536) is ahead of UTC at `now` (seconds since 1970), into
 * *from_utc. Returns 0 if only localtime_r can tell: TZ holds a rule of its own, the file only a rule for times as late
 * as this, leap seconds are counted, or there is no file. */
int dsn__from_utc(int64_t now, int64_t *from_utc);

#endif
