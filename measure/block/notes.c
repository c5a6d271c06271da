/* notes.c - metadata in a recording of darshan-block
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "notes.h"

#include <inttypes.h>
#include <linux/blktrace_api.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/grow.h"
#include "util/trace/pairmap.h"

#define SAYS_LOST "darshan-block lost "
#define SAYS_DISK "darshan-block disk "
#define SAYS_SWAP "darshan-block swap "
#define MAGIC     (BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION)
#define TAIL      128 /* bytes that contain the last message */
#define MAX_NOTE  160
#define MOST      1024 /* limit of disks, and of swap areas, because files are untrusted */

/* ------------------------------------------------------------------ lists */

static void append(struct dsn_block_disk **list, size_t *n, size_t *room, const struct dsn_disk_part *part,
                   const char *name)
{
    if (*n == MOST || !dsn_grow_zeroed(list, room, sizeof **list, *n))
        return;
    (*list)[*n].part = *part;
    snprintf((*list)[*n].name, sizeof(*list)[*n].name, "%s", name);
    ++*n;
}

static void add_disk(struct dsn_block_notes *to, const struct dsn_disk_part *disk, const char *name)
{
    append(&to->disks, &to->ndisks, &to->disk_room, disk, name);
}

static void add_swap(struct dsn_block_notes *to, const struct dsn_disk_part *area)
{
    append(&to->swaps, &to->nswaps, &to->swap_room, area, "");
}

void dsn_block_notes_free(struct dsn_block_notes *n)
{
    free(n->disks);
    free(n->swaps);
}

const struct dsn_block_disk *dsn_block_find_disk(const struct dsn_block_notes *n, uint64_t disk)
{
    for (size_t i = 0; i < n->ndisks; i++)
        if (n->disks[i].part.disk == disk)
            return &n->disks[i];
    return NULL;
}

int dsn_block_is_swap(const struct dsn_block_notes *n, uint64_t disk, uint64_t sector)
{
    for (size_t i = 0; i < n->nswaps; i++) {
        const struct dsn_disk_part *p = &n->swaps[i].part;

        if (p->disk == disk && sector >= p->first && sector - p->first < p->sectors)
            return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------ of this machine */

struct taking {
    struct dsn_block_notes *to;
    uint64_t disk; /* 0: all */
};

static void take_disk(void *context, const struct dsn_disk_part *disk, const char *name)
{
    const struct taking *t = context;

    if (t->disk == 0 || t->disk == disk->disk)
        add_disk(t->to, disk, name);
}

static void take_swap(void *context, const struct dsn_disk_part *area)
{
    const struct taking *t = context;

    if (t->disk == 0 || t->disk == area->disk)
        add_swap(t->to, area);
}

void dsn_block_notes_take(struct dsn_block_notes *out, uint64_t disk)
{
    struct taking t = { out, disk };

    dsn_each_disk(take_disk, &t);
    dsn_each_swap(take_swap, &t);
}

/* ------------------------------------------------------------------ written */

static int put(FILE *out, uint32_t kind, uint64_t time, const void *data, size_t n)
{
    struct blk_io_trace b = {
        .magic = MAGIC, .time = time, .action = (uint32_t)BLK_TC_NOTIFY << BLK_TC_SHIFT | kind, .pdu_len = (uint16_t)n
    };

    return fwrite(&b, sizeof b, 1, out) == 1 && fwrite(data, n, 1, out) == 1;
}

static int put_text(FILE *out, uint64_t time, const char *text)
{
    return put(out, BLK_TN_MESSAGE & 0xffff, time, text, strlen(text));
}

int dsn_block_notes_begin(const struct dsn_block_notes *n, FILE *out, uint64_t time, const uint32_t stamp[2])
{
    char text[MAX_NOTE];
    int ok = put(out, BLK_TN_TIMESTAMP & 0xffff, time, stamp, 2 * sizeof *stamp);

    for (size_t i = 0; ok && i < n->ndisks; i++) {
        const struct dsn_disk_part *p = &n->disks[i].part;

        snprintf(text, sizeof text, SAYS_DISK "%" PRIu64 " %" PRIu64 " %s", p->disk, p->sectors, n->disks[i].name);
        ok = put_text(out, time, text);
    }
    for (size_t i = 0; ok && i < n->nswaps; i++) {
        const struct dsn_disk_part *p = &n->swaps[i].part;

        snprintf(text, sizeof text, SAYS_SWAP "%" PRIu64 " %" PRIu64 " %" PRIu64, p->disk, p->first, p->sectors);
        ok = put_text(out, time, text);
    }
    return ok;
}

int dsn_block_notes_end(const struct dsn_block_notes *n, FILE *out, uint64_t time)
{
    char text[MAX_NOTE];

    snprintf(text, sizeof text, SAYS_LOST "%" PRIu64, n->lost);
    return put_text(out, time, text);
}

/* ------------------------------------------------------------------ read */

static void take_text(struct dsn_block_notes *out, const char *text)
{
    struct dsn_disk_part p = { 0 };
    char name[DSN_DISK_NAME];

    if (sscanf(text, SAYS_DISK "%" SCNu64 " %" SCNu64 " %31s", &p.disk, &p.sectors, name) == 3)
        add_disk(out, &p, name);
    else if (sscanf(text, SAYS_SWAP "%" SCNu64 " %" SCNu64 " %" SCNu64, &p.disk, &p.first, &p.sectors) == 3)
        add_swap(out, &p);
}

/* Reads the messages at the start of the file. Returns the time of its first record. */
static uint64_t read_begin(FILE *in, struct dsn_block_notes *out)
{
    struct blk_io_trace b;
    uint64_t time = 0;
    int is_first = 1;

    while (fread(&b, sizeof b, 1, in) == 1 && b.magic == MAGIC && (b.action >> BLK_TC_SHIFT & BLK_TC_NOTIFY) != 0) {
        char text[MAX_NOTE] = "";

        if (is_first)
            time = b.time;
        is_first = 0;
        if (b.pdu_len >= sizeof text || fread(text, b.pdu_len, 1, in) != 1)
            break;
        take_text(out, text);
    }
    return time;
}

/* Reads the message at the end of the file. */
static void read_end(FILE *in, struct dsn_block_notes *out, uint64_t begin)
{
    const size_t n = strlen(SAYS_LOST);
    struct blk_io_trace last;
    char tail[TAIL] = "";
    size_t have;

    if (fseek(in, -(long)(sizeof tail - 1), SEEK_END) != 0)
        rewind(in); /* the file is shorter */
    have = fread(tail, 1, sizeof tail - 1, in);
    for (size_t at = sizeof last; at + n < have; at++)
        if (memcmp(tail + at, SAYS_LOST, n) == 0 && sscanf(tail + at + n, "%" SCNu64, &out->lost) == 1) {
            memcpy(&last, tail + at - sizeof last, sizeof last);
            out->seconds = last.time > begin ? (double)(last.time - begin) * 1e-9 : 0;
            out->is_there = 1;
            return;
        }
}

void dsn_block_notes_read(const char *path, struct dsn_block_notes *out)
{
    FILE *in = fopen(path, "re");
    struct blk_io_trace first;

    *out = (struct dsn_block_notes){ 0 };
    if (!in)
        return;
    if (fread(&first, sizeof first, 1, in) == 1 && first.magic == MAGIC) {
        rewind(in);
        read_end(in, out, read_begin(in, out));
    }
    fclose(in);
}
