/* blocks.c - reads text output on device requests: blkparse, trace-cmd and tracefs, biosnoop
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "readers.h"

#include <stdlib.h>

#include "inflight.h"
#include "scan.h"
#include "texts.h"

#define SECTOR    512u
#define NS_DIGITS 9
#define MAX_NS    (UINT64_MAX / 4)

/* ------------------------------------------------------------------ what blkparse and trace points share */

struct lines {
    struct dsn__inflight requests;
    int any; /* there was one */
};

static int open_lines(struct dsn__source *s)
{
    struct lines *l = calloc(1, sizeof *l);

    s->state = l;
    if (!l)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__inflight_init(&l->requests);
    s->info.physical = 1;
    return 1;
}

static void close_lines(struct dsn__source *s)
{
    struct lines *l = s->state;

    if (l)
        dsn__inflight_free(&l->requests);
    free(l);
}

/* "7,0". Returns 0 if it is not a device. */
static int take_device(struct dsn__scan *s, uint64_t *device)
{
    uint64_t major, minor;

    if (!dsn__scan_u64(s, 10, &major) || !dsn__scan_byte(s, ',') || !dsn__scan_u64(s, 10, &minor) || major >= 4096)
        return 0;
    *device = dsn__device(major, minor);
    return 1;
}

/* "223490 + 8", in sectors. */
static int take_extent(struct dsn__scan *s, struct dsn__request *r)
{
    uint64_t sectors;

    if (!dsn__scan_u64(s, 10, &r->sector) || !dsn__scan_byte(s, ' ') || !dsn__scan_byte(s, '+') ||
        !dsn__scan_u64(s, 10, &sectors) || sectors > INT64_MAX / SECTOR)
        return 0;
    r->bytes = sectors * SECTOR;
    return 1;
}

/* Accepts the kernel's letters only: "WSM", "R", "N". */
static int take_what(struct dsn__scan *s, struct dsn__request *r)
{
    const struct dsn__word w = dsn__scan_word(s, "");

    for (size_t i = 0; i < w.n; i++)
        if (!strchr("RWDFNASMEVBP", w.p[i]) || w.p[i] == '\0')
            return 0;
    r->what = w.p;
    r->nwhat = w.n;
    return w.n > 0 && w.n < 9;
}

/* Parses lines until one results in an event; `none`: what is wrong with a text without any. */
static int next_of_lines(struct dsn__source *s, int (*parse)(const char *line, size_t n, struct dsn__request *r),
                         const char *none, struct darshan_trace_event *e)
{
    struct lines *l = s->state;
    const char *line;
    size_t n;
    int rc;

    while ((rc = dsn__line(s, &line, &n)) > 0) {
        struct dsn__request r = { .step = DSN__NOSTEP };

        if (!parse(line, n, &r))
            continue; /* other output of these tools: messages, totals, headings */
        rc = dsn__step(&l->requests, &r, e);
        if (rc < 0)
            return dsn__wrong(s, "has too many requests for the memory");
        if (rc > 0)
            return l->any = 1;
    }
    if (rc < 0)
        return rc;
    if (dsn__left(&l->requests, e))
        return l->any = 1;
    return l->any ? 0 : dsn__wrong(s, "%s", none);
}

/* How certain a parser is of the first lines. */
static int probe_lines(const unsigned char *head, size_t n,
                       int (*parse)(const char *line, size_t n, struct dsn__request *r))
{
    struct dsn__scan s = dsn__scan((const char *)head, n);
    struct dsn__word line;

    for (int i = 0; i < 50 && dsn__scan_line(&s, &line); i++) {
        struct dsn__request r = { .step = DSN__NOSTEP };

        if (parse(line.p, line.n, &r))
            return DSN__SURELY;
    }
    return DSN__NO;
}

/* ------------------------------------------------------------------ blkparse */

/* "  7,0    1       12     0.000123456  1234  D  WS 2048 + 128 [dd]" */
static int parse_blkparse(const char *line, size_t n, struct dsn__request *r)
{
    struct dsn__scan s = dsn__scan(line, n);
    struct dsn__word action;
    uint64_t ignored;

    if (!take_device(&s, &r->device) || !dsn__scan_u64(&s, 10, &ignored) || !dsn__scan_u64(&s, 10, &ignored) ||
        !dsn__scan_fixed(&s, NS_DIGITS, &r->time) || r->time > MAX_NS || !dsn__scan_u64(&s, 10, &r->process))
        return 0;
    action = dsn__scan_word(&s, "");
    if (action.n == 0 || action.n > 2)
        return 0;
    r->step = action.n == 1 ? dsn__step_of(*action.p) : DSN__NOSTEP;
    if (r->step == DSN__NOSTEP)
        return 1;
    if (!take_what(&s, r))
        return 0;
    if (!take_extent(&s, r)) { /* a flush has no offset */
        r->sector = r->bytes = 0;
        return 1;
    }
    if (r->step == DSN__COMPLETED && dsn__scan_word(&s, "").n > 0) { /* "[0]", or the error */
        const char *from = memrchr(line, '[', n);

        r->failed =
            from && from + 1 < line + n && from[1] != '0' && (from[1] == '-' || (from[1] > '0' && from[1] <= '9'));
    }
    return 1;
}

int dsn__blkparse_probe(const unsigned char *head, size_t n)
{
    return probe_lines(head, n, parse_blkparse);
}

int dsn__blkparse_open(struct dsn__source *s)
{
    return open_lines(s);
}

int dsn__blkparse_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    return next_of_lines(s, parse_blkparse,
                         "has no request issued (D) or completed (C) in a line as blkparse prints them without -f", e);
}

void dsn__blkparse_close(struct dsn__source *s)
{
    close_lines(s);
}

/* ------------------------------------------------------------------ trace points */

static const struct {
    const char *name;
    enum dsn__step step;
} points[] = {
    { "block_bio_queue:", DSN__QUEUED },       { "block_bio_backmerge:", DSN__MERGED },
    { "block_bio_frontmerge:", DSN__MERGED },  { "block_rq_issue:", DSN__ISSUED },
    { "block_rq_requeue:", DSN__REQUEUED },    { "block_rq_complete:", DSN__COMPLETED },
    { "block_bio_complete:", DSN__COMPLETED },
};

/* "dd-123 [001] d..1. 1234.567890: block_rq_issue: 7,0 W 65536 () 2048 + 128 none,0,0 [dd]" */
static int parse_ftrace(const char *line, size_t n, struct dsn__request *r)
{
    const char *event = memmem(line, n, ": block_", 8), *time, *bracket, *dash;
    struct dsn__scan s, t;
    struct dsn__word name;
    size_t i = 0;

    if (!event)
        return 0;
    for (time = event; time > line && time[-1] != ' ';)
        time--;
    t = dsn__scan(time, (size_t)(event - time));
    if (!dsn__scan_fixed(&t, NS_DIGITS, &r->time) || t.p != t.end || r->time > MAX_NS)
        return 0;
    bracket = memchr(line, '[', (size_t)(event - line));
    dash = bracket ? memrchr(line, '-', (size_t)(bracket - line)) : NULL;
    if (!dash)
        return 0;
    t = dsn__scan(dash + 1, (size_t)(bracket - dash - 1));
    if (!dsn__scan_u64(&t, 10, &r->process))
        return 0;
    s = dsn__scan(event + 2, (size_t)(line + n - event - 2));
    name = dsn__scan_word(&s, "");
    while (i < sizeof points / sizeof points[0] && !dsn__is(name, points[i].name))
        i++;
    if (i == sizeof points / sizeof points[0])
        return 1;
    if (!take_device(&s, &r->device) || !take_what(&s, r))
        return 0;
    bracket = memchr(s.p, ')', (size_t)(s.end - s.p)); /* after the bytes and the command */
    if (bracket)
        s.p = bracket + 1;
    if (!take_extent(&s, r))
        return 0;
    r->step = points[i].step;
    if (r->step == DSN__COMPLETED) {
        const char *from = memrchr(line, '[', n);

        r->failed =
            from && from + 1 < line + n && from[1] != '0' && (from[1] == '-' || (from[1] > '0' && from[1] <= '9'));
    }
    return 1;
}

int dsn__ftrace_probe(const unsigned char *head, size_t n)
{
    return probe_lines(head, n, parse_ftrace);
}

int dsn__ftrace_open(struct dsn__source *s)
{
    s->clock = DSN__ANYWHERE;
    return open_lines(s);
}

int dsn__ftrace_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    return next_of_lines(s, parse_ftrace,
                         "has no block_rq_issue or block_rq_complete: record with trace-cmd record -e block, and give "
                         "the output of trace-cmd report",
                         e);
}

void dsn__ftrace_close(struct dsn__source *s)
{
    close_lines(s);
}

/* ------------------------------------------------------------------ biosnoop */

/* Columns of its heading, which depend on the version. */
enum column { TIME, COMM, PID, DISK, WHAT, PLACE, BYTES, LATENCY, OTHER };

static const struct {
    const char *name;
    enum column column;
} headings[] = {
    { "TIME(s)", TIME }, { "TIMESTAMP", TIME }, { "COMM", COMM },   { "PID", PID },         { "DISK", DISK },
    { "T", WHAT },       { "SECTOR", PLACE },   { "BYTES", BYTES }, { "LAT(ms)", LATENCY },
};

#define MAX_COLUMNS 12

struct biosnoop {
    enum column columns[MAX_COLUMNS];
    size_t n, comm; /* columns; index of the program's name, which may contain blanks */
    struct dsn__texts disks;
};

/* Returns 0 if it is not a heading of biosnoop. */
static int take_heading(struct dsn__word line, struct biosnoop *b)
{
    struct dsn__scan s = dsn__scan(line.p, line.n);
    unsigned seen = 0;
    struct dsn__word w;

    b->n = 0;
    b->comm = MAX_COLUMNS;
    while ((w = dsn__scan_word(&s, "")).n > 0 && b->n < MAX_COLUMNS) {
        size_t i = 0;

        while (i < sizeof headings / sizeof headings[0] && !dsn__is(w, headings[i].name))
            i++;
        b->columns[b->n] = i < sizeof headings / sizeof headings[0] ? headings[i].column : OTHER;
        if (b->columns[b->n] == COMM)
            b->comm = b->n;
        seen |= 1u << b->columns[b->n++];
    }
    return (seen | 1u << OTHER | 1u << COMM) == (1u << (OTHER + 1)) - 1;
}

int dsn__biosnoop_probe(const unsigned char *head, size_t n)
{
    struct dsn__scan s = dsn__scan((const char *)head, n);
    struct dsn__word line;
    struct biosnoop b;

    for (int i = 0; i < 5 && dsn__scan_line(&s, &line); i++)
        if (take_heading(line, &b))
            return DSN__SURELY;
    return DSN__NO;
}

int dsn__biosnoop_open(struct dsn__source *s)
{
    struct biosnoop *b = calloc(1, sizeof *b);
    struct dsn__word line;

    s->state = b;
    if (!b)
        return dsn__wrong(s, "does not fit into memory") > 0;
    dsn__texts_init(&b->disks);
    s->info.physical = 1;
    while (dsn__line(s, &line.p, &line.n) > 0)
        if (take_heading(line, b))
            return 1;
    return dsn__wrong(s, "has no heading of biosnoop's, TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)") > 0;
}

void dsn__biosnoop_close(struct dsn__source *s)
{
    struct biosnoop *b = s->state;

    if (b)
        dsn__texts_free(&b->disks);
    free(b);
}

/* Splits a line into columns; words of the program's name are one. Returns 0 if there are too few. */
static int take_columns(const struct biosnoop *b, const char *line, size_t n, struct dsn__word *columns)
{
    struct dsn__word words[4 * MAX_COLUMNS];
    struct dsn__scan s = dsn__scan(line, n);
    size_t count = 0, more;

    while (count < 4 * MAX_COLUMNS && (words[count] = dsn__scan_word(&s, "")).n > 0)
        count++;
    if (count < b->n || (count > b->n && b->comm == MAX_COLUMNS))
        return 0;
    more = count - b->n;
    for (size_t i = 0; i < b->n; i++)
        columns[b->columns[i]] = words[i > b->comm ? i + more : i];
    return 1;
}

int dsn__biosnoop_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct biosnoop *b = s->state;
    struct dsn__word c[OTHER + 1] = { { 0 } };
    struct dsn__scan time, latency;
    uint64_t end, ns, place, bytes, process;
    uint32_t disk;
    const char *line;
    size_t n;
    int rc;

    do
        rc = dsn__line(s, &line, &n);
    while (rc > 0 && n == 0);
    if (rc <= 0)
        return rc;
    if (take_heading((struct dsn__word){ line, n }, &(struct biosnoop){ 0 }))
        return dsn__wrong_line(s, DSN__ANOTHER);
    if (!take_columns(b, line, n, c))
        return dsn__wrong_line(s, "has fewer columns than the heading");
    time = dsn__scan(c[TIME].p, c[TIME].n);
    latency = dsn__scan(c[LATENCY].p, c[LATENCY].n);
    if (!dsn__scan_fixed(&time, NS_DIGITS, &end) || !dsn__scan_fixed(&latency, 6, &ns) || end > MAX_NS || ns > MAX_NS ||
        !dsn__word_u64(c[BYTES], 10, &bytes) || !dsn__word_u64(c[PLACE], 10, &place) || place > INT64_MAX / SECTOR ||
        bytes > INT64_MAX / 2)
        return dsn__wrong_line(s, "has no numbers where the heading says so");
    if (!dsn__word_u64(c[PID], 10, &process))
        process = 0;
    disk = dsn__texts_add(&b->disks, c[DISK].p, c[DISK].n);
    if (disk == DSN__NO_TEXT)
        return dsn__wrong(s, "has too many disks for the memory");
    *e = (struct darshan_trace_event){ .start = end > ns ? end - ns : 0,
                                       .duration = ns,
                                       .offset = place * SECTOR,
                                       .length = bytes,
                                       .file = (uint64_t)disk + 1,
                                       .process = process,
                                       .op = c[WHAT].n > 0 && memchr(c[WHAT].p, 'W', c[WHAT].n) ? DARSHAN_TRACE_WRITE
                                                                                                : DARSHAN_TRACE_READ,
                                       .flags = DARSHAN_TRACE_PHYSICAL };
    return 1;
}
