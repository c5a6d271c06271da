/* ring.h - pages of the kernel's ring buffer of events, and the events of block devices in them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the fields of an event stand is read from its `format` in tracefs. Bytes are not trusted: whatever they say is checked.
 * Private to util/block. */
#ifndef DSN_BLOCK_RING_H
#define DSN_BLOCK_RING_H

#include <stddef.h>
#include <stdint.h>

struct dsn_event_field {
    unsigned offset, size; /* size 0: the event has no such field */
};

/* Fields of block_rq_issue and block_rq_complete; bytes and comm are of the first, error of the second. */
enum dsn_block_field {
    DSN_FIELD_PID,
    DSN_FIELD_DEVICE,
    DSN_FIELD_SECTOR,
    DSN_FIELD_SECTORS,
    DSN_FIELD_BYTES,
    DSN_FIELD_ERROR,
    DSN_FIELD_WHAT,
    DSN_NFIELDS
};

struct dsn_event_format {
    unsigned id;
    struct dsn_event_field field[DSN_NFIELDS];
};

/* Reads the text of `format`. Returns 0 if it is none, or lacks what every request has. */
int dsn_event_format(const char *text, struct dsn_event_format *out);

/* Where a page's time, length and data begin: the text of events/header_page. Returns 0 if it is none. */
struct dsn_page_format {
    struct dsn_event_field time, commit, data;
};
int dsn_page_format(const char *text, struct dsn_page_format *out);

struct dsn_block_event {
    uint64_t time, sector;
    uint32_t device, bytes, process;
    int is_complete, failed;
    char what[11]; /* "WSM" */
};

struct dsn_ring_formats {
    struct dsn_page_format page;
    struct dsn_event_format issue, complete;
};

/* Hands over every event of a page of n bytes. Returns 0 if it is damaged, which ends it. */
int dsn_ring_page(const struct dsn_ring_formats *f, const unsigned char *page, size_t n,
                  int (*take)(void *context, const struct dsn_block_event *e), void *context);

#endif
