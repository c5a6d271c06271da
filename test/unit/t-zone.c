/* t-zone.c - offset of local time from UTC: files created here, and the system's, compared with localtime_r
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/zone.h"
#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void put(FILE *f, uint64_t n, int size)
{
    while (size-- > 0)
        fputc((int)(n >> 8 * size & 0xff), f);
}

/* A block of RFC 8536: an hour ahead of UTC, two hours from 1000 to 2000. */
static void put_block(FILE *f, int time_size)
{
    static const int counts[6] = { 0, 0, 0, 2, 2, 8 };

    fputs("TZif2", f);
    fwrite("\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 1, 15, f);
    for (int i = 0; i < 6; i++)
        put(f, (uint64_t)counts[i], 4);
    put(f, 1000, time_size);
    put(f, 2000, time_size);
    put(f, 0x0100, 2);
    put(f, 3600, 4);
    put(f, 0x0000, 2);
    put(f, 7200, 4);
    put(f, 0x0104, 2);
    fwrite("ONE\0TWO\0", 1, 8, f);
}

/* The file, of which `size` bytes are kept (0: all). */
static void make(const char *path, const char *footer, long size)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    put_block(f, 4);
    put_block(f, 8);
    fputs(footer, f);
    ck_assert_int_eq(fclose(f), 0);
    if (size > 0)
        ck_assert_int_eq(truncate(path, size), 0);
}

static void set_zone(const char *zone)
{
    if (zone)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
}

static const struct {
    const char *footer;
    int64_t now;
    int known;
    int64_t want;
} made[] = {
    { "\nONE-1\n", -5, 1, 3600 },
    { "\nONE-1\n", 999, 1, 3600 },
    { "\nONE-1\n", 1000, 1, 7200 },
    { "\nONE-1\n", 1999, 1, 7200 },
    { "\nONE-1\n", 2000, 1, 3600 },
    { "\nONE-1\n", 1800000000, 1, 3600 },
    { "\nONE-1TWO,M3.5.0,M10.5.0\n", 1500, 1, 7200 },
    { "\nONE-1TWO,M3.5.0,M10.5.0\n", 1800000000, 0, 0 },
};

START_TEST(own_file)
{
    const char *dir = getenv("TMPDIR");
    char path[4096];
    int64_t got = -1;

    snprintf(path, sizeof path, "%s/t-zone.XXXXXX", dir ? dir : "/tmp");
    close(mkstemp(path));
    set_zone(path);
    make(path, made[_i].footer, 0);
    ck_assert_int_eq(dsn__from_utc(made[_i].now, &got), made[_i].known);
    if (made[_i].known)
        ck_assert_int_eq(got, made[_i].want);
    for (long size = 1; size < 180; size++) { /* whatever is missing at its end, nothing is read beyond it */
        make(path, "", size);
        dsn__from_utc(1500, &got);
    }
    unlink(path);
}
END_TEST

static const char *const zones[] = { NULL,
                                     "",
                                     "UTC",
                                     "Europe/Berlin",
                                     ":Europe/Berlin",
                                     "America/New_York",
                                     "America/St_Johns",
                                     "Asia/Kolkata",
                                     "Asia/Kathmandu",
                                     "Australia/Lord_Howe",
                                     "Pacific/Kiritimati",
                                     "Africa/Casablanca",
                                     "right/Europe/Berlin",
                                     "EST5EDT,M3.2.0,M11.1.0",
                                     "JST-9",
                                     "no/such",
                                     "/no/such" };

/* Where it says that it knows, it is what the C library says; hours apart over 60 years. */
START_TEST(systems)
{
    int known = 0;

    set_zone(zones[_i]);
    for (int64_t now = 0; now < 1900000000; now += 1234567) {
        const time_t t = (time_t)now;
        int64_t got;
        struct tm tm;

        if (!dsn__from_utc(now, &got))
            continue;
        known++;
        ck_assert_ptr_nonnull(localtime_r(&t, &tm));
        ck_assert_int_eq(got, tm.tm_gmtoff);
    }
    if (zones[_i] && strcmp(zones[_i], "Europe/Berlin") == 0 && access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0)
        ck_assert_int_gt(known, 500);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "own file", own_file, N(made) },
        { "the system's", systems, N(zones) },
        { NULL, NULL, 0 },
    };

    return unit_run("zone", tests);
}
