/* page.c - device requests as an HTML page: the figures of the study of 1996, and others
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <stdlib.h>

#include "tell.h"
#include "util/page/shell.h"
#include "util/report/json.h"

#define COLUMNS 200 /* of the disk, and of the time in scatter plots */
#define ROWS    120
#define SIZES   64
#define DISKS   8 /* disks with figures */

/* ------------------------------------------------------------------ points */

/* Requests in the cells of a figure: [time, place, reads, writes] of those that are not empty. */
struct cells {
    size_t rows;
    uint64_t n[2][COLUMNS * (ROWS > SIZES ? ROWS : SIZES)];
};

static size_t column_of(const struct dsn_block *b, const struct dsn_block_request *r)
{
    return (size_t)((double)(r->start - b->begin) / ((double)(b->end - b->begin) + 1) * COLUMNS);
}

static json_t *filled(const struct cells *c)
{
    json_t *list = json_array();

    for (size_t i = 0; i < COLUMNS * c->rows; i++)
        if (c->n[0][i] + c->n[1][i] > 0)
            json_array_append_new(list, json_pack("[I, I, I, I]", (json_int_t)(i / c->rows), (json_int_t)(i % c->rows),
                                                  (json_int_t)c->n[0][i], (json_int_t)c->n[1][i]));
    return list;
}

/* Sizes are binned by powers of two. */
static json_t *sizes(const struct dsn_block *b, struct cells *c)
{
    *c = (struct cells){ .rows = SIZES };
    for (size_t i = 0; i < b->nrequests; i++) {
        const struct dsn_block_request *r = &b->requests[i];
        const unsigned power = r->bytes > 0 ? 31 - (unsigned)__builtin_clz(r->bytes) : 0;

        c->n[r->where & 1][column_of(b, r) * SIZES + power]++;
    }
    return filled(c);
}

/* ------------------------------------------------------------------ disks */

struct column {
    uint64_t requests;
    struct dsn_block_sector hottest;
};

/* For each part of a disk: [first sector, requests, its hottest sector, number of accesses to that]. */
static json_t *columns(const struct dsn_block *b, size_t first, size_t end, uint64_t width)
{
    struct column column[COLUMNS] = { { 0 } };
    struct dsn_block_sector s;
    json_t *list = json_array();
    size_t n = 0;

    for (size_t i = first; i < end;) {
        const size_t at = (size_t)(b->requests[i].sector / width);

        i = dsn_block_sector(b, i, &s);
        if (at >= COLUMNS)
            continue;
        n = at + 1;
        column[at].requests += s.accesses;
        if (s.accesses > column[at].hottest.accesses)
            column[at].hottest = s;
    }
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("[I, I, I, I]", (json_int_t)i * (json_int_t)width,
                                              (json_int_t)column[i].requests, (json_int_t)column[i].hottest.sector,
                                              (json_int_t)column[i].hottest.accesses));
    return list;
}

/* Columns are bands, or groups of them if there are too many. */
static json_t *disk(const struct dsn_block *b, size_t device, struct cells *c)
{
    const struct dsn_block_device *d = &b->devices[device];
    char label[DSN_BLOCK_LABEL];
    const uint64_t bands = d->last_sector / DSN_BLOCK_BAND + 1;
    const uint64_t width = (bands + COLUMNS - 1) / COLUMNS * DSN_BLOCK_BAND;
    const double height = (double)d->last_sector + 1;
    size_t end, first = dsn_block_range(b, device, 0, UINT64_MAX, &end);

    *c = (struct cells){ .rows = ROWS };
    for (size_t i = first; i < end; i++) {
        const struct dsn_block_request *r = &b->requests[i];
        const size_t row = (size_t)((double)r->sector / height * ROWS);

        c->n[r->where & 1][column_of(b, r) * ROWS + (row < ROWS ? row : ROWS - 1)]++;
    }
    dsn_block_label(b, device, label, sizeof label);
    return json_pack("{s:o, s:I, s:I, s:o, s:o}", "disk", dsn_json_text(label), "sectors",
                     (json_int_t)d->last_sector + 1, "column_sectors", (json_int_t)width, "columns",
                     columns(b, first, end, width), "points", filled(c));
}

static json_t *pictures(const struct dsn_block *b)
{
    struct cells *c = malloc(sizeof *c);
    json_t *disks = json_array(), *o;

    if (!c) {
        json_decref(disks);
        return NULL;
    }
    for (size_t i = 0; i < b->ndevices && i < DISKS; i++)
        json_array_append_new(disks, disk(b, i, c));
    o = json_pack("{s:i, s:i, s:o, s:o}", "time_columns", COLUMNS, "rows", ROWS, "disks", disks, "sizes", sizes(b, c));
    free(c);
    return o;
}

/* ------------------------------------------------------------------ the page */

static int put(const char *bytes, size_t n, void *out)
{
    dsn_text_bytes(out, bytes, n);
    return 0;
}

static void write_document(struct dsn_text *out, const void *document)
{
    json_dump_callback(document, put, out, JSON_COMPACT);
}

int dsn_block_page(struct dsn_text *out, const void *report)
{
    const struct dsn_block_report *r = report;
    json_t *document = dsn_block_document(r);
    int ok = document && json_object_set_new(document, "pictures", pictures(r->run)) == 0;

    dsn_page_begin(out, &dsn_block_js, "What reached the device",
                   "This page is drawn by a script in this file. Without scripts, use "
                   "darshan-block on a terminal.");
    ok = ok && dsn_page_data(out, "block", write_document, document);
    dsn_page_end(out, &dsn_block_js);
    json_decref(document);
    return ok;
}
