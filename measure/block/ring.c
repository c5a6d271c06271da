/* ring.c - parses pages of the kernel's ring buffer for block device events
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR     512u
#define LENGTH     0xfffffffu /* above it: flag of lost events before the page */
#define MOST_FIELD 65536u

/* Types of entries; smaller ones are the length in words. */
enum { ENTRY_LONG = 0, ENTRY_PADDING = 29, ENTRY_EXTEND = 30, ENTRY_STAMP = 31 };

/* ------------------------------------------------------------------ formats */

/* Finds the position of a field in a format: "field:dev_t dev;    offset:8;       size:4;". */
static int find_field(const char *text, const char *name, struct dsn_event_field *out)
{
    const size_t n = strlen(name);

    for (const char *line = strstr(text, "field:"); line; line = strstr(line + 1, "field:")) {
        const size_t length = strcspn(line, ";\n");
        const char *bracket = memchr(line, '[', length), *end = bracket ? bracket : line + length;

        if (line[length] != ';' || (size_t)(end - line) < n + 1 || memcmp(end - n, name, n) != 0 ||
            (end[-(ptrdiff_t)n - 1] != ' ' && end[-(ptrdiff_t)n - 1] != '*'))
            continue;
        return sscanf(line + length, "; offset:%u; size:%u;", &out->offset, &out->size) == 2 &&
               out->offset < MOST_FIELD && out->size > 0 && out->size < MOST_FIELD;
    }
    *out = (struct dsn_event_field){ 0, 0 };
    return 0;
}

int dsn_event_format(const char *text, struct dsn_event_format *out)
{
    static const struct {
        const char *name;
        int needed;
        unsigned least, most; /* bytes */
    } fields[DSN_NFIELDS] = {
        [DSN_FIELD_PID] = { "common_pid", 1, 4, 4 },     [DSN_FIELD_DEVICE] = { "dev", 1, 4, 4 },
        [DSN_FIELD_SECTOR] = { "sector", 1, 4, 8 },      [DSN_FIELD_SECTORS] = { "nr_sector", 1, 4, 4 },
        [DSN_FIELD_BYTES] = { "bytes", 0, 4, 4 },        [DSN_FIELD_ERROR] = { "error", 0, 4, 4 },
        [DSN_FIELD_WHAT] = { "rwbs", 1, 1, MOST_FIELD },
    };
    const char *id = strstr(text, "ID: ");

    if (!id || sscanf(id, "ID: %u", &out->id) != 1 || out->id == 0)
        return 0;
    for (unsigned i = 0; i < DSN_NFIELDS; i++) {
        struct dsn_event_field *f = &out->field[i];

        if (!find_field(text, fields[i].name, f) && fields[i].needed)
            return 0;
        if (f->size > 0 && (f->size < fields[i].least || f->size > fields[i].most))
            return 0;
    }
    return 1;
}

int dsn_page_format(const char *text, struct dsn_page_format *out)
{
    return find_field(text, "timestamp", &out->time) && out->time.size == 8 &&
           find_field(text, "commit", &out->commit) && (out->commit.size == 8 || out->commit.size == 4) &&
           find_field(text, "data", &out->data);
}

/* ------------------------------------------------------------------ pages */

static uint32_t word(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t number(const unsigned char *p, const struct dsn_event_field *f)
{
    uint64_t v;

    if (f->size == 4)
        return word(p + f->offset);
    memcpy(&v, p + f->offset, sizeof v);
    return v;
}

/* Minimum length of an event. */
static size_t reach(const struct dsn_event_format *f)
{
    size_t most = 0;

    for (unsigned i = 0; i < DSN_NFIELDS; i++)
        if (f->field[i].offset + (size_t)f->field[i].size > most)
            most = f->field[i].offset + (size_t)f->field[i].size;
    return most;
}

/* Parses an event. Returns 0 if it is damaged, or the callback returned 0; events other than requests are skipped. */
static int take_event(const struct dsn_ring_formats *f, const unsigned char *p, size_t n, uint64_t time,
                      int (*take)(void *context, const struct dsn_block_event *e), void *context)
{
    const struct dsn_event_format *of;
    struct dsn_block_event e = { .time = time };
    uint16_t type;
    size_t room;

    if (n < sizeof type)
        return 0;
    memcpy(&type, p, sizeof type);
    e.is_complete = type == f->complete.id;
    if (!e.is_complete && type != f->issue.id)
        return 1;
    of = e.is_complete ? &f->complete : &f->issue;
    if (n < reach(of))
        return 0;
    e.process = (uint32_t)number(p, &of->field[DSN_FIELD_PID]);
    e.device = (uint32_t)number(p, &of->field[DSN_FIELD_DEVICE]);
    e.sector = number(p, &of->field[DSN_FIELD_SECTOR]);
    e.bytes = (uint32_t)number(p, &of->field[DSN_FIELD_SECTORS]) * SECTOR;
    if (of->field[DSN_FIELD_BYTES].size > 0)
        e.bytes = (uint32_t)number(p, &of->field[DSN_FIELD_BYTES]);
    e.failed = of->field[DSN_FIELD_ERROR].size > 0 && number(p, &of->field[DSN_FIELD_ERROR]) != 0;
    room = of->field[DSN_FIELD_WHAT].size < sizeof e.what - 1 ? of->field[DSN_FIELD_WHAT].size : sizeof e.what - 1;
    memcpy(e.what, p + of->field[DSN_FIELD_WHAT].offset, room);
    return take(context, &e);
}

/* Parses the entry at p (n bytes left). Returns its length, with its data in *data and *length (0: none); 0 if it is
 * damaged. */
static size_t entry(const unsigned char *p, size_t n, uint64_t *time, const unsigned char **data, size_t *length)
{
    const uint32_t head = word(p);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const unsigned kind = head & 31;
    const uint32_t delta = head >> 5;
#else
    const unsigned kind = head >> 27;
    const uint32_t delta = head & 0x7ffffff;
#endif
    size_t all = 8;

    *length = 0;
    if (kind == ENTRY_PADDING && delta == 0)
        return n; /* the rest of the page */
    if (kind > ENTRY_LONG && kind < ENTRY_PADDING)
        all = 4 + 4 * (size_t)kind;
    else if (n < 8)
        return 0;
    else if (kind == ENTRY_LONG || kind == ENTRY_PADDING)
        all = 4 + (size_t)word(p + 4);
    if (all > n || all < 8)
        return 0;
    if (kind == ENTRY_STAMP)
        *time = (*time & ~(((uint64_t)1 << 59) - 1)) | ((uint64_t)word(p + 4) << 27) | delta;
    else
        *time += kind == ENTRY_EXTEND ? ((uint64_t)word(p + 4) << 27) + delta : delta;
    if (kind < ENTRY_PADDING) {
        *data = p + (kind == ENTRY_LONG ? 8 : 4);
        *length = all - (kind == ENTRY_LONG ? 8 : 4);
    }
    return (all + 3) & ~(size_t)3;
}

int dsn_ring_page(const struct dsn_ring_formats *f, const unsigned char *page, size_t n,
                  int (*take)(void *context, const struct dsn_block_event *e), void *context)
{
    const size_t head = f->page.data.offset;
    uint64_t time;
    uint32_t commit;
    size_t end;

    if (n < head || n < f->page.time.offset + (size_t)8 || n < f->page.commit.offset + (size_t)f->page.commit.size)
        return 0;
    time = number(page, &f->page.time);
    commit = (uint32_t)number(page, &f->page.commit);
    end = head + (commit & LENGTH);
    if (end > n)
        return 0;
    for (size_t at = head; at + 4 <= end;) {
        const unsigned char *data = NULL;
        size_t length;
        const size_t all = entry(page + at, end - at, &time, &data, &length);

        if (all == 0 || (length > 0 && !take_event(f, data, length, time, take, context)))
            return 0;
        at += all;
    }
    return 1;
}
