/* pacct.c - parses the kernel's process accounting records (acct(5), version 3)
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pacct.h"

#include <math.h>
#include <string.h>

#define TICKS          100.0 /* per second: AHZ */
#define VERSION        3
#define BIG_ENDIAN_BIT 0x80 /* in the version: written on a big-endian machine */

/* Offsets in a record. */
enum {
    AT_VERSION = 1,
    AT_UID = 8,
    AT_PID = 16,
    AT_PPID = 20,
    AT_BEGAN = 24,
    AT_ELAPSED = 28,
    AT_USER = 32,
    AT_SYSTEM = 34,
    AT_BYTES = 38,
    AT_PROGRAM = 48
};

static uint32_t number(const unsigned char *at, unsigned size, int is_big)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < size; i++)
        v = v << 8 | at[is_big ? i : size - 1 - i];
    return v;
}

/* comp_t: a 13-bit mantissa, and an exponent to base 8 above it. */
static double expanded(const unsigned char *at, int is_big)
{
    const uint32_t v = number(at, 2, is_big);

    return ldexp((double)(v & 0x1fff), (int)(3 * (v >> 13)));
}

static double real(const unsigned char *at, int is_big)
{
    const uint32_t bits = number(at, 4, is_big);
    float v;

    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

const char *dsn_pacct_read(const unsigned char record[DSN_PACCT_SIZE], struct dsn_pacct *out)
{
    const int is_big = (record[AT_VERSION] & BIG_ENDIAN_BIT) != 0;
    double bytes;

    if ((record[AT_VERSION] & ~BIG_ENDIAN_BIT) != VERSION)
        return "is not a record of process accounting, version 3";
    memset(out, 0, sizeof *out);
    out->uid = number(record + AT_UID, 4, is_big);
    out->pid = number(record + AT_PID, 4, is_big);
    out->ppid = number(record + AT_PPID, 4, is_big);
    out->start = number(record + AT_BEGAN, 4, is_big);
    out->seconds = real(record + AT_ELAPSED, is_big) / TICKS;
    out->cpu_seconds = (expanded(record + AT_USER, is_big) + expanded(record + AT_SYSTEM, is_big)) / TICKS;
    bytes = expanded(record + AT_BYTES, is_big);
    out->bytes = bytes > 0 ? (int64_t)bytes : -1;
    memcpy(out->program, record + AT_PROGRAM, sizeof out->program - 1);
    if (!(out->seconds >= 0 && out->seconds < 1e9))
        return "has an invalid time";
    return NULL;
}
