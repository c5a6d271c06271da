/* requests.c - reads published traces of block devices: MSR Cambridge, Tencent, VMware's vscsi
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "readers.h"

#include <stdlib.h>

#include "bytes.h"
#include "scan.h"
#include "texts.h"

#define SECTOR        512u
#define WINDOWS_EPOCH 116444736000000000u /* 1970 in units of 100 ns since 1601 */
#define MAX_UNITS     (UINT64_MAX / 2 / 100)
#define MAX_SECONDS   (UINT64_MAX / 2 / 1000000000u)

/* The fields of the first line. */
static size_t first_fields(const unsigned char *head, size_t n, struct dsn__word *fields, size_t most)
{
    struct dsn__scan s = dsn__scan((const char *)head, n);
    struct dsn__word line;

    return dsn__scan_line(&s, &line) ? dsn__scan_commas(line.p, line.n, fields, most) : 0;
}

static int all_numbers(const struct dsn__word *fields, size_t n)
{
    uint64_t v;

    for (size_t i = 0; i < n; i++)
        if (!dsn__word_u64(fields[i], 10, &v))
            return 0;
    return 1;
}

/* ------------------------------------------------------------------ MSR Cambridge */

/* Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; times in 100 ns. */
enum { MSR_TIME, MSR_HOST, MSR_DISK, MSR_TYPE, MSR_OFFSET, MSR_SIZE, MSR_RESPONSE, MSR_FIELDS };

/* -1: neither. */
static int msr_type(struct dsn__word w)
{
    if (dsn__is(w, "Read") || dsn__is(w, "read"))
        return DARSHAN_TRACE_READ;
    return dsn__is(w, "Write") || dsn__is(w, "write") ? DARSHAN_TRACE_WRITE : -1;
}

int dsn__msr_probe(const unsigned char *head, size_t n)
{
    struct dsn__word f[MSR_FIELDS];

    if (first_fields(head, n, f, MSR_FIELDS) != MSR_FIELDS)
        return DSN__NO;
    if (dsn__is(f[MSR_TIME], "Timestamp") && dsn__is(f[MSR_HOST], "Hostname"))
        return DSN__SURELY;
    return all_numbers(&f[MSR_TIME], 1) && all_numbers(&f[MSR_DISK], 1) && msr_type(f[MSR_TYPE]) >= 0 &&
                   all_numbers(&f[MSR_OFFSET], 3)
               ? DSN__SURELY
               : DSN__NO;
}

static int open_with_names(struct dsn__source *s)
{
    struct dsn__texts *names = calloc(1, sizeof *names);

    s->state = names;
    if (!names)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__texts_init(names);
    s->info.physical = 1;
    s->clock = DSN__CALENDAR;
    return 1;
}

int dsn__msr_open(struct dsn__source *s)
{
    return open_with_names(s);
}

void dsn__msr_close(struct dsn__source *s)
{
    if (s->state)
        dsn__texts_free(s->state);
    free(s->state);
}

int dsn__msr_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct dsn__word f[MSR_FIELDS];
    uint64_t time, disk, offset, size, response;
    const char *line;
    size_t n, count;
    uint32_t host;
    int rc;

    do {
        rc = dsn__line(s, &line, &n);
        if (rc <= 0)
            return rc;
        count = dsn__scan_commas(line, n, f, MSR_FIELDS);
    } while (n == 0 || (s->in.line == 1 && count == MSR_FIELDS && dsn__is(f[MSR_TIME], "Timestamp")));
    if (count != MSR_FIELDS || !dsn__word_u64(f[MSR_TIME], 10, &time) || !dsn__word_u64(f[MSR_DISK], 10, &disk) ||
        msr_type(f[MSR_TYPE]) < 0 || !dsn__word_u64(f[MSR_OFFSET], 10, &offset) ||
        !dsn__word_u64(f[MSR_SIZE], 10, &size) || !dsn__word_u64(f[MSR_RESPONSE], 10, &response))
        return dsn__wrong_line(s, "is not time,host,disk,Read or Write,offset,size,response time");
    if (time < WINDOWS_EPOCH || time - WINDOWS_EPOCH > MAX_UNITS || response > MAX_UNITS)
        return dsn__wrong_line(s, "has a time before 1970 or after 2262");
    host = dsn__texts_add(s->state, f[MSR_HOST].p, f[MSR_HOST].n);
    if (host == DSN__NO_TEXT)
        return dsn__wrong(s, "has too many hosts for the memory");
    *e = (struct darshan_trace_event){ .start = (time - WINDOWS_EPOCH) * 100,
                                       .duration = response * 100,
                                       .offset = offset,
                                       .length = size,
                                       .file = disk,
                                       .process = host,
                                       .op = (uint8_t)msr_type(f[MSR_TYPE]),
                                       .flags = DARSHAN_TRACE_PHYSICAL,
                                       .host = dsn__texts_text(s->state, host) };
    return 1;
}

/* ------------------------------------------------------------------ Tencent */

/* Timestamp,Offset,Size,IOType,VolumeID; seconds, offsets in sectors, 1 is a write. */
enum { TENCENT_TIME, TENCENT_OFFSET, TENCENT_SIZE, TENCENT_TYPE, TENCENT_VOLUME, TENCENT_FIELDS };

int dsn__tencent_probe(const unsigned char *head, size_t n)
{
    struct dsn__word f[TENCENT_FIELDS];
    uint64_t type;

    if (first_fields(head, n, f, TENCENT_FIELDS) != TENCENT_FIELDS)
        return DSN__NO;
    if (dsn__is(f[TENCENT_TIME], "Timestamp") && dsn__is(f[TENCENT_VOLUME], "VolumeID"))
        return DSN__SURELY;
    return all_numbers(f, TENCENT_FIELDS) && dsn__word_u64(f[TENCENT_TYPE], 10, &type) && type <= 1 ? DSN__LIKELY
                                                                                                    : DSN__NO;
}

int dsn__tencent_open(struct dsn__source *s)
{
    s->info.physical = 1;
    s->clock = DSN__CALENDAR;
    return 1;
}

void dsn__tencent_close(struct dsn__source *s)
{
    (void)s;
}

int dsn__tencent_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct dsn__word f[TENCENT_FIELDS];
    uint64_t v[TENCENT_FIELDS];
    const char *line;
    size_t n, count;
    int rc;

    do {
        rc = dsn__line(s, &line, &n);
        if (rc <= 0)
            return rc;
        count = dsn__scan_commas(line, n, f, TENCENT_FIELDS);
    } while (n == 0 || (s->in.line == 1 && count == TENCENT_FIELDS && dsn__is(f[TENCENT_TIME], "Timestamp")));
    for (size_t i = 0; i < TENCENT_FIELDS; i++)
        if (count != TENCENT_FIELDS || !dsn__word_u64(f[i], 10, &v[i]))
            return dsn__wrong_line(s, "is not time,offset,size,type,volume, all of them whole numbers");
    if (v[TENCENT_TYPE] > 1)
        return dsn__wrong_line(s, "is neither a read (0) nor a write (1)");
    if (v[TENCENT_TIME] > MAX_SECONDS || v[TENCENT_OFFSET] > INT64_MAX / SECTOR || v[TENCENT_SIZE] > INT64_MAX / SECTOR)
        return dsn__wrong_line(s, "has a time or a place that is too large");
    *e = (struct darshan_trace_event){ .start = v[TENCENT_TIME] * 1000000000u,
                                       .offset = v[TENCENT_OFFSET] * SECTOR,
                                       .length = v[TENCENT_SIZE] * SECTOR,
                                       .file = v[TENCENT_VOLUME],
                                       .op = v[TENCENT_TYPE] ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ,
                                       .flags = DARSHAN_TRACE_PHYSICAL };
    return 1;
}

/* ------------------------------------------------------------------ vscsi */

/* Two versions of a little-endian record: offsets of the fields used. */
static const struct vscsi {
    size_t size, command, version, length, block, time, response; /* response 0: none */
    unsigned number;
} vscsi[] = {
    { 32, 12, 14, 4, 16, 24, 0, 1 },
    { 40, 0, 2, 8, 16, 24, 32, 2 },
};

/* SCSI commands that transfer data, of 6, 10, 12 and 16 bytes. -1: another command. */
static int vscsi_op(unsigned command)
{
    switch (command & 0xff) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88:
        return DARSHAN_TRACE_READ;
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a:
        return DARSHAN_TRACE_WRITE;
    case 0x35:
    case 0x91:
        return DARSHAN_TRACE_SYNC;
    case 0x42:
        return DARSHAN_TRACE_DISCARD;
    }
    return -1;
}

static const struct vscsi *vscsi_version(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < sizeof vscsi / sizeof vscsi[0]; i++) {
        size_t k = 0;

        while ((k + 1) * vscsi[i].size <= n && k < 16 &&
               dsn__le16(head + k * vscsi[i].size + vscsi[i].version) >> 8 == vscsi[i].number &&
               dsn__le16(head + k * vscsi[i].size + vscsi[i].command) < 256)
            k++;
        if (k > 0 && (k == 16 || (k + 1) * vscsi[i].size > n))
            return &vscsi[i];
    }
    return NULL;
}

int dsn__vscsi_probe(const unsigned char *head, size_t n)
{
    return vscsi_version(head, n) ? DSN__LIKELY : DSN__NO;
}

int dsn__vscsi_open(struct dsn__source *s)
{
    size_t n;
    const unsigned char *head = dsn__input_peek(&s->in, &n);

    s->state = (void *)vscsi_version(head, n);
    if (!s->state)
        return dsn__wrong(s, "has no records of vscsi, version 1 or 2") > 0;
    s->clock = DSN__ANYWHERE;
    s->info.physical = 1;
    return 1;
}

void dsn__vscsi_close(struct dsn__source *s)
{
    (void)s;
}

int dsn__vscsi_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    const struct vscsi *v = s->state;
    const unsigned char *p;
    const char *failed;

    while ((p = dsn__input_bytes(&s->in, v->size)) != NULL) {
        const int op = vscsi_op(dsn__le16(p + v->command));
        const uint64_t block = dsn__le64(p + v->block), us = dsn__le64(p + v->time);
        const uint64_t response = v->response ? dsn__le64(p + v->response) : 0;

        if (dsn__le16(p + v->version) >> 8 != v->number || block > INT64_MAX / SECTOR || us > MAX_UNITS / 10 ||
            response > MAX_UNITS / 10)
            return dsn__wrong(s, "has no record at byte %llu", (unsigned long long)(s->in.taken - v->size));
        if (op < 0) {
            dsn__note(&s->notes, "commands of SCSI that move no data are left out");
            continue;
        }
        *e = (struct darshan_trace_event){ .start = us * 1000,
                                           .duration = response * 1000,
                                           .offset = block * SECTOR,
                                           .length = dsn__le32(p + v->length),
                                           .op = (uint8_t)op,
                                           .flags = DARSHAN_TRACE_PHYSICAL };
        return 1;
    }
    failed = dsn__input_failed(&s->in);
    if (failed || dsn__input_left(&s->in) > 0)
        return dsn__wrong(s, "%s, behind byte %llu", failed ? failed : "ends within a record",
                          (unsigned long long)s->in.taken);
    return 0;
}
