/* units.h - figures as short text: bytes, seconds, shares, rates
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to the reports. Made by value, so that several can stand in one call of printf. */
#ifndef DSN_UNITS_H
#define DSN_UNITS_H

struct dsn_short_text {
    char s[48];
};

struct dsn_short_text dsn_bytes_text(double bytes);         /* "16.0 MiB" */
struct dsn_short_text dsn_seconds_text(double s);           /* "0.2646 s", "284 s", "3.5 h" */
struct dsn_short_text dsn_share_text(double share);         /* "3.3 %"; "unknown" if negative */
struct dsn_short_text dsn_rate_text(double mib_per_second); /* "484" */
struct dsn_short_text dsn_number_text(double v);            /* "314219", "2.2" */

/* Whose rate of large requests an estimate goes by. */
enum dsn_rate_source { DSN_RATE_OWN, DSN_RATE_PROFILE, DSN_RATE_ASSUMED };

/* "this job's own 484 MiB/s", "the storage profile's 610 MiB/s", "an assumed 200 MiB/s". */
struct dsn_short_text dsn_large_rate_text(double bytes_per_second, enum dsn_rate_source from);

/* Seconds to two digits, for what is estimated: "210 s". */
struct dsn_short_text dsn_about_text(double s);

/* A bin of dsn_size_bin(): "1-4 MiB". */
const char *dsn_size_label(int bin);

struct dsn_figures;

/* "3 deletes 0.02 s, 1 rename 4 us": those that there were; "" if none. */
void dsn_names_text(const struct dsn_figures *f, char to[96]);

#endif
