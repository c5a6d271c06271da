/* ring.h - parses pages of the kernel's ring buffer for block device events
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The positions of an event's fields are read from its `format` in tracefs. Data is untrusted: everything is checked.
 * Private to measure/block. */
#ifndef DSN_BLOCK_RING_H
#define DSN_BLOCK_RING_H

#include <stddef.h>
#include <stdint.h>

struct dsn_event_field {
    unsigned offset, size; /* size 0: the event lacks the field */
};

/* Fields of block_rq_issue and block_rq_complete; bytes and comm are only in the first, error in the second. */
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

/* Parses a `format`. Returns 0 if it is invalid, or lacks a required field. */
int dsn_event_format(const char *text, struct dsn_event_format *out);

/* Positions of a page's time, length and data, from events/header_page. Returns 0 if it is invalid. */
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

/* Calls the callback for every event of a page of n bytes. Returns 0 if it is damaged, which ends it. */
int dsn_ring_page(const struct dsn_ring_formats *f, const unsigned char *page, size_t n,
                  int (*take)(void *context, const struct dsn_block_event *e), void *context);

#endif
