/* zone.h - offset of local time from UTC, without the C library
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * localtime_r allocates, locks, and brings 200 KB of the C library into memory that most programs do not use. */
#ifndef DSN_BASE_ZONE_H
#define DSN_BASE_ZONE_H

#include <stdbool.h>
#include <stdint.h>

/* Stores the offset of local time from UTC at `now` (seconds since 1970) in *from_utc, from TZ and the tz database (RFC
 * 8536). Returns false if only localtime_r can tell: TZ contains a rule, the file has only a rule for `now`, leap seconds
 * are counted, or there is no file. */
bool dsn__from_utc(int64_t now, int64_t *from_utc);

#endif
