/* miller-read.c - reads Miller's text format
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "miller.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/lib/grow.h"
#include "util/lib/idmap.h"
#include "pairmap.h"

#define FIELDS     10
#define LETTERLESS 40 /* numbers of 3 digits of base 16: one in 10^24 sets of them has no letter */

/* Returned by numbers() instead of their number. */
enum { NO_NUMBER = -1, TOO_LARGE = -2, TOO_MANY = -3 };

struct process {
    uint64_t id, last_file, cpu; /* ticks */
    int has_file;
    char *host;
};

/* Values of a file that later records may omit. */
struct history {
    uint64_t offset, length, call;
};

struct miller {
    int base, figure;
    uint64_t tick; /* ns */
    uint64_t now;  /* ticks */
    struct dsn__idmap process_index;
    struct process *processes;
    size_t processes_room;
    uint32_t current; /* process of the last record; DSN_IDMAP_NONE: none */
    struct dsn__pairmap file_index;
    struct history *files; /* by number of the pair */
    size_t files_room;
    struct dsn__idmap name_index;
    char **names;
    size_t names_room;
};

/* ------------------------------------------------------------------ numbers */

/* Digit + 1; 0: none. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Its value; greater than any base if it is not a digit. */
static inline unsigned digit_of(char c)
{
    return digits[(unsigned char)c] - 1u;
}

/* Parses the integers of a line into `v`. */
static inline int numbers_in(const char *p, size_t n, const unsigned base, uint64_t *v)
{
    const char *const end = p + n;
    int count = 0;

    for (;;) {
        const char *begin;
        uint64_t value = 0;
        unsigned d;

        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (p == end)
            return count;
        if (count == FIELDS)
            return TOO_MANY;
        for (begin = p; p < end && (d = digit_of(*p)) < base; p++) {
            if (value > (UINT64_MAX - d) / base)
                return TOO_LARGE;
            value = value * base + d;
        }
        if (p == begin || (p < end && *p != ' ' && *p != '\t'))
            return NO_NUMBER;
        v[count++] = value;
    }
}

static int numbers(const char *p, size_t n, int base, uint64_t *v)
{
    return base == 10 ? numbers_in(p, n, 10, v) : numbers_in(p, n, 16, v);
}

/* Length of the first token of a line. */
static size_t token(const char **p, size_t *n)
{
    size_t length = 0;

    while (*n > 0 && (**p == ' ' || **p == '\t')) {
        ++*p;
        --*n;
    }
    while (length < *n && (*p)[length] != ' ' && (*p)[length] != '\t')
        length++;
    return length;
}

/* "ff" in any base and spelling; "255" in base 10. */
static int is_comment(const char *p, size_t length, int base)
{
    while (length > 2 && *p == '0') {
        p++;
        length--;
    }
    if (length == 2)
        return (p[0] == 'f' || p[0] == 'F') && (p[1] == 'f' || p[1] == 'F');
    return base != 16 && length == 3 && memcmp(p, "255", 3) == 0;
}

static int is_word(const char *p, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(p, word, length) == 0;
}

/* A comment whose first word is a directive, after any number of blanks. */
static int is_directive(const char *line, size_t n, int base, const char *word)
{
    size_t length = token(&line, &n);

    if (length == 0 || !is_comment(line, length, base))
        return 0;
    line += length;
    n -= length;
    length = token(&line, &n);
    return is_word(line, length, word);
}

/* ------------------------------------------------------------------ the first bytes */

/* Complete lines of the first bytes; the last one may be truncated. */
static int next_line(const char **p, const char *end, const char **line, size_t *n)
{
    const char *lf;

    if (*p >= end)
        return 0;
    lf = memchr(*p, '\n', (size_t)(end - *p));
    *line = *p;
    *n = (size_t)((lf ? lf : end) - *p);
    *p = lf ? lf + 1 : end;
    if (*n > 0 && (*line)[*n - 1] == '\r')
        --*n;
    return 1;
}

static unsigned fields_of(unsigned compression)
{
    const unsigned absent = compression & (DSN__MILLER_NO_OFFSET | DSN__MILLER_NO_LENGTH | DSN__MILLER_NO_CALL |
                                           DSN__MILLER_NO_FILE | DSN__MILLER_NO_PROCESS);

    return FIELDS - (unsigned)__builtin_popcount(absent);
}

/* Whether numbers without any letter are decimal: they fit the records only then, or they are so many different ones of
 * several digits that by chance some of base 16 would have a letter. */
static int is_decimal(const char *p, size_t all)
{
    const char *const end = p + all, *line;
    uint64_t v[FIELDS], last = 0;
    size_t n, length, wrong[2] = { 0, 0 }, different = 0;

    while (next_line(&p, end, &line, &n)) {
        length = token(&line, &n);
        if (length == 0 || is_comment(line, length, 0) || (p >= end && end[-1] != '\n')) /* truncated */
            continue;
        for (int i = 0; i < 2; i++) {
            const int count = numbers(line, n, i ? 16 : 10, v);

            wrong[i] += count < 2 || v[0] > 255 || v[1] > 255 || (unsigned)count != fields_of((unsigned)v[1]);
            if (i == 0 && count > 2) {
                different += v[2] > 99 && v[2] != last;
                last = v[2];
            }
        }
    }
    return wrong[0] == 0 && (wrong[1] > 0 || different >= LETTERLESS);
}

/* Guesses the base of the numbers if it is not given: letters imply base 16, and so does a type of two digits. */
static int guess_base(const char *p, size_t all)
{
    const char *const end = p + all, *const first = p;
    const char *line;
    size_t n, length;
    int three = 0;

    while (next_line(&p, end, &line, &n)) {
        length = token(&line, &n);
        if (length > 0 && is_comment(line, length, 0))
            continue;
        three |= length == 3 && line[0] != '0';
        for (size_t i = 0; i < n; i++)
            if (digit_of(line[i]) >= 10 && digit_of(line[i]) < 16)
                return 16;
    }
    return three || is_decimal(first, all) ? 10 : 16;
}

int dsn__miller_probe(const unsigned char *head, size_t n)
{
    const char *p = (const char *)head, *const end = p + n, *line;
    const int base = guess_base(p, n);
    uint64_t v[FIELDS];
    size_t left, length;
    int found = DSN__NO, records = 0, count;

    while (records < 8 && next_line(&p, end, &line, &left)) {
        length = token(&line, &left);
        if (length == 0)
            continue;
        if (is_comment(line, length, base)) {
            if (is_directive(line, left, base, "!iotrace"))
                return DSN__SURELY;
            found = found ? found : DSN__MAYBE;
            continue;
        }
        count = numbers(line, left, base, v);
        if (p >= end && records > 0) /* may be truncated */
            break;
        if (count < 3 || v[0] > 255 || v[1] > 255)
            return records > 0 ? found : DSN__NO;
        found = (unsigned)count == fields_of((unsigned)v[1]) && found != DSN__NO + 1 ? DSN__LIKELY : DSN__MAYBE;
        records++;
    }
    return found;
}

/* Whether the first records contain device requests: then operation numbers link them to calls. */
static int has_physical(const char *p, size_t all, int base)
{
    const char *const end = p + all, *line;
    size_t n, length;
    uint64_t v[FIELDS];

    while (next_line(&p, end, &line, &n)) {
        length = token(&line, &n);
        if (length > 0 && !is_comment(line, length, base) && numbers(line, length, base, v) == 1 && v[0] < 256 &&
            !(v[0] & DSN__MILLER_LOGICAL))
            return 1;
    }
    return 0;
}

/* The same for all of the file, if the trace is one. */
static int has_late_physical(const struct dsn__source *s, size_t head, int base)
{
    struct dsn__input in;
    const char *line;
    size_t n, length;
    uint64_t v[FIELDS];
    int found = 0, fd;

    if (head < DSN__INPUT_WINDOW / 2 || strcmp(s->path, "-") == 0 || (fd = open(s->path, O_RDONLY | O_CLOEXEC)) < 0 ||
        !dsn__input_open(&in, fd))
        return 0;
    while (!found && dsn__input_line(&in, &line, &n) > 0) {
        length = token(&line, &n);
        found = length > 0 && length <= 3 && !is_comment(line, length, base) && numbers(line, length, base, v) == 1 &&
                !(v[0] & DSN__MILLER_LOGICAL);
    }
    dsn__input_close(&in);
    return found;
}

static int has_batches(const char *p, size_t all, int base)
{
    const char *const end = p + all, *line;
    size_t n;

    while (next_line(&p, end, &line, &n))
        if (is_directive(line, n, base, "!batch"))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ directives */

/* A decimal number of a directive. */
static int take_number(const char **p, size_t *n, uint64_t *out)
{
    const size_t length = token(p, n);

    if (length == 0 || numbers_in(*p, length, 10, out) != 1)
        return 0;
    *p += length;
    *n -= length;
    return 1;
}

static struct process *process_of(struct miller *d, uint64_t id, uint32_t *index)
{
    const uint32_t at = dsn__idmap_add(&d->process_index, id, (uint32_t)d->process_index.used);

    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&d->processes, &d->processes_room, sizeof *d->processes, at))
        return NULL;
    d->processes[at].id = id;
    *index = at;
    return &d->processes[at];
}

/* Replaces a name by the rest of a line. Returns 0 if out of memory. */
static int take_text(const char *p, size_t n, char **to)
{
    char *copy;

    if (n > 0) { /* the separator; further blanks are part of the name */
        p++;
        n--;
    }
    copy = malloc(n + 1);
    if (!copy)
        return 0;
    memcpy(copy, p, n);
    copy[n] = '\0';
    free(*to);
    *to = copy;
    return 1;
}

static int take_name(struct miller *d, const char *p, size_t n)
{
    uint64_t id, size;
    uint32_t at;

    if (!take_number(&p, &n, &id) || !take_number(&p, &n, &size))
        return 1; /* an ordinary comment */
    at = dsn__idmap_add(&d->name_index, id, (uint32_t)d->name_index.used);
    if (at == DSN_IDMAP_NONE || !dsn_grow_zeroed(&d->names, &d->names_room, sizeof *d->names, at))
        return 0;
    return take_text(p, n, &d->names[at]);
}

static int take_host(struct miller *d, const char *p, size_t n)
{
    struct process *process;
    uint64_t id;
    uint32_t at;

    if (!take_number(&p, &n, &id))
        return 1;
    process = process_of(d, id, &at);
    return process && take_text(p, n, &process->host);
}

static const char *name_of(const struct miller *d, uint64_t id)
{
    const uint32_t at = dsn__idmap_get(&d->name_index, id);

    return at == DSN_IDMAP_NONE ? NULL : d->names[at];
}

/* A call that moves no data, for which the study's records have no type: 1 with an event; 0: invalid. */
static int take_call(struct dsn__source *s, const char *p, size_t n, struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    const size_t length = token(&p, &n);
    uint64_t v[8];
    unsigned op = 0;
    uint32_t at;
    struct process *process;

    while (op < DARSHAN_TRACE_NOPS &&
           (strlen(darshan_trace_op_name(op)) != length || memcmp(p, darshan_trace_op_name(op), length) != 0))
        op++;
    p += length;
    n -= length;
    for (int i = 0; i < 8; i++)
        if (!take_number(&p, &n, &v[i]))
            return 0;
    if (op == DARSHAN_TRACE_NOPS || v[0] > UINT64_MAX / 2 / d->tick || v[1] > UINT64_MAX / 2 / d->tick ||
        v[7] > UINT64_MAX / 2 / d->tick || v[6] > UINT16_MAX)
        return 0;
    process = process_of(d, v[3], &at);
    if (!process)
        return 0;
    *e = (struct darshan_trace_event){ .start = v[0] * d->tick,
                                       .duration = v[1] * d->tick,
                                       .cpu = v[7] * d->tick,
                                       .file = v[2],
                                       .process = v[3],
                                       .offset = v[4],
                                       .length = v[5],
                                       .op = (uint8_t)op,
                                       .flags = (uint16_t)v[6],
                                       .batch = s->info.batch,
                                       .path = name_of(d, v[2]),
                                       .host = process->host };
    return 1;
}

/* Resets times and omitted values, but keeps names. */
static void begin_batch(struct dsn__source *s, uint64_t number)
{
    struct miller *d = s->state;

    s->info.batch = (uint32_t)number;
    d->now = 0;
    d->current = DSN_IDMAP_NONE;
    for (size_t i = 0; i < d->process_index.used; i++) {
        d->processes[i].cpu = 0;
        d->processes[i].has_file = 0;
    }
    dsn__pairmap_free(&d->file_index);
    dsn__pairmap_init(&d->file_index);
}

/* Directives with a number. */
static void take_setting(struct dsn__source *s, const char *word, size_t length, uint64_t v)
{
    struct miller *d = s->state;

    if (is_word(word, length, "!base") && (v == 10 || v == 16) && s->options.base == 0)
        s->info.base = d->base = (int)v;
    else if (is_word(word, length, "!tick_us") && v > 0 && v <= 1000000000 && s->options.tick_us == 0) {
        s->info.tick_us = (uint32_t)v;
        d->tick = v * 1000;
    } else if (is_word(word, length, "!epoch_us") && v <= UINT64_MAX / 2 / 1000) {
        s->info.epoch = v * 1000;
    } else if (is_word(word, length, "!left_out")) {
        s->info.thinned = 1;
        s->info.left_out += v;
    } else if (is_word(word, length, "!batch") && v <= UINT32_MAX)
        begin_batch(s, v);
}

static int is_known(const char *word, size_t length)
{
    static const char *const known[] = { "!iotrace", "!base", "!tick_us", "!epoch_us", "!left_out",
                                         "!batch",   "!call", "!file",    "!host",     "!cpu" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is_word(word, length, known[i]))
            return 1;
    return 0;
}

/* A comment line after its first token. Returns 1 if it is an event, else 0; -1: no memory. */
static int comment(struct dsn__source *s, const char *p, size_t n, struct darshan_trace_event *e)
{
    const char *const all = n > 0 ? p + 1 : p; /* after the blank */
    const size_t nall = n > 0 ? n - 1 : 0, length = token(&p, &n);
    const char *const word = p;
    uint64_t v;

    if (length < 2 || *word != '!' || !is_known(word, length)) {
        if (s->comments && !dsn__comments_add(s->comments, all, nall))
            dsn__note(&s->notes, "comments beyond the first 4 MiB are left out");
        return 0;
    }
    s->info.directives = 1;
    p += length;
    n -= length;
    if (is_word(word, length, "!call"))
        return take_call(s, p, n, e);
    if (is_word(word, length, "!file") ? !take_name(s->state, p, n)
                                       : is_word(word, length, "!host") && !take_host(s->state, p, n))
        return dsn__wrong(s, "has too many names for the memory");
    if (is_word(word, length, "!cpu")) {
        const size_t kind = token(&p, &n);

        s->info.cpu = is_word(p, kind, "estimated") ? DARSHAN_TRACE_CPU_ESTIMATED
                      : is_word(p, kind, "none")    ? DARSHAN_TRACE_CPU_NONE
                                                    : DARSHAN_TRACE_CPU_RECORDED;
    } else if (take_number(&p, &n, &v))
        take_setting(s, word, length, v);
    return 0;
}

/* ------------------------------------------------------------------ records */

/* The fields of a record that are present, in order. */
struct record {
    unsigned type, compression;
    const uint64_t *next;
    int scaled; /* offsets are in blocks whatever the flags */
};

static uint64_t field(struct record *r)
{
    return *r->next++;
}

/* An offset or length in bytes. Returns 0 if it is too large. */
static int place(struct record *r, unsigned in_blocks, uint64_t *out)
{
    const uint64_t unit = r->scaled || (r->compression & in_blocks) ? DSN__MILLER_BLOCK : 1;
    const uint64_t v = field(r);

    if (v > UINT64_MAX / unit)
        return 0;
    *out = v * unit;
    return 1;
}

static void remark(struct dsn__source *s, const struct record *r)
{
    const unsigned c = r->compression;

    if (r->type & DSN__MILLER_UNASSIGNED)
        dsn__note(&s->notes, "some records have the bit 04 of the type set, which means nothing and is ignored");
    if (((c & DSN__MILLER_OFFSET_IN_BLOCKS) && (r->scaled || (c & DSN__MILLER_NO_OFFSET))) ||
        ((c & DSN__MILLER_LENGTH_IN_BLOCKS) && (r->scaled || (c & DSN__MILLER_NO_LENGTH))))
        dsn__note(&s->notes,
                  "some records say that an absent field, or one of a device, is in blocks, which is ignored");
}

/* Arranges the values of a record in the order of the table, whatever their order in the line. Returns 0 if they are
 * invalid (reported). */
static int arrange(struct dsn__source *s, uint64_t *v, int count, struct record *r)
{
    const struct miller *d = s->state;
    unsigned need;

    if (count < 2 || v[0] > 255 || v[1] > 255)
        return dsn__wrong_line(s, "does not begin with a type and a compression, numbers of at most 255"), 0;
    r->type = (unsigned)v[0];
    r->compression = (unsigned)v[1];
    if (r->compression & DSN__MILLER_RESERVED)
        return dsn__wrong_line(s, "has the bit 10 of its compression set, which must not be"), 0;
    need = fields_of(r->compression) - (d->figure ? 1 : 0);
    if ((unsigned)count != need)
        return dsn__wrong_line(s, "has %d values after the two bit sets, %u are required", count - 2, need - 2), 0;
    if (d->figure) {
        if (r->compression != 0)
            return dsn__wrong_line(s, "leaves fields out, which those of the study's figure do not"), 0;
        const uint64_t file = v[6];

        v[6] = v[7]; /* file, operation */
        v[7] = file;
        v[9] = 0;
    }
    r->next = v + 2;
    r->scaled = !(r->type & DSN__MILLER_LOGICAL);
    return 1;
}

static int add_up_to(uint64_t *sum, uint64_t v, uint64_t most)
{
    if (v > most || *sum > most - v)
        return 0;
    *sum += v;
    return 1;
}

/* Process and file, which come after the times, with omitted values taken from the previous record. NULL: invalid
 * (reported). */
static struct process *whose(struct dsn__source *s, const struct record *r, const uint64_t *behind,
                             struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    const unsigned c = r->compression;
    const uint64_t *p = behind + !(c & DSN__MILLER_NO_CALL);
    struct process *process;

    e->file = c & DSN__MILLER_NO_FILE ? 0 : *p++;
    if (c & DSN__MILLER_NO_PROCESS) {
        if (d->current == DSN_IDMAP_NONE) {
            dsn__wrong_line(s, "is the first record and says no process");
            return NULL;
        }
    } else if ((d->current == DSN_IDMAP_NONE || d->processes[d->current].id != *p) && !process_of(d, *p, &d->current)) {
        dsn__wrong(s, "has too many processes for the memory");
        return NULL;
    }
    process = &d->processes[d->current];
    if (c & DSN__MILLER_NO_FILE) {
        if (!process->has_file) {
            dsn__wrong_line(s, "is the first record of its process and says no file");
            return NULL;
        }
        e->file = process->last_file;
    }
    e->process = process->id;
    return process;
}

/* Values of the file's last record. */
static struct history *history_of(struct dsn__source *s, const struct darshan_trace_event *e, int physical, int *known)
{
    struct miller *d = s->state;
    const size_t before = d->file_index.used;
    const uint32_t n = dsn__pairmap_add(&d->file_index, physical ? 0 : e->process, e->file, (uint32_t)physical);

    if (n == DSN__PAIR_NONE || !dsn_grow_zeroed(&d->files, &d->files_room, sizeof *d->files, n))
        return NULL;
    *known = n < before;
    if (!*known)
        d->files[n] = (struct history){ 0 };
    return &d->files[n];
}

/* Offset, length and operation. */
static int what(struct dsn__source *s, struct record *r, const uint64_t *call, struct darshan_trace_event *e)
{
    const unsigned c = r->compression;
    int known = 0;
    struct history *const h = history_of(s, e, r->scaled, &known);

    if (!h)
        return dsn__wrong(s, "has too many files for the memory");
    if (!known && (c & (DSN__MILLER_NO_OFFSET | DSN__MILLER_NO_LENGTH)))
        return dsn__wrong_line(s, "leaves out offset or length, but is the first record of its file");
    if (c & DSN__MILLER_NO_OFFSET ? __builtin_add_overflow(h->offset, h->length, &e->offset)
                                  : !place(r, DSN__MILLER_OFFSET_IN_BLOCKS, &e->offset))
        return dsn__wrong_line(s, "has an offset beyond 2^64 bytes");
    if (c & DSN__MILLER_NO_LENGTH)
        e->length = h->length;
    else if (!place(r, DSN__MILLER_LENGTH_IN_BLOCKS, &e->length))
        return dsn__wrong_line(s, "has a length beyond 2^64 bytes");
    e->call = c & DSN__MILLER_NO_CALL ? h->call : *call;
    *h = (struct history){ e->offset, e->length, e->call };
    return 1;
}

static int times(struct dsn__source *s, const uint64_t *start, uint64_t cpu, struct process *process,
                 struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    const uint64_t most = UINT64_MAX / 2 / d->tick;

    if (!add_up_to(&d->now, start[0], most) || start[1] > most || !add_up_to(&process->cpu, cpu, most))
        return dsn__wrong_line(s, "has a time beyond 292 years");
    e->start = d->now * d->tick;
    e->duration = start[1] * d->tick;
    e->cpu = process->cpu * d->tick;
    return 1;
}

static int decode(struct dsn__source *s, uint64_t *v, int count, struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    struct process *process;
    struct record r = { 0 };
    const uint64_t *start;

    if (!arrange(s, v, count, &r))
        return -1;
    remark(s, &r);
    start = r.next + !(r.compression & DSN__MILLER_NO_OFFSET) + !(r.compression & DSN__MILLER_NO_LENGTH);
    process = whose(s, &r, start + 2, e);
    if (!process || what(s, &r, start + 2, e) < 0 || times(s, start, d->figure ? 0 : v[count - 1], process, e) < 0)
        return -1;
    process->last_file = e->file;
    process->has_file = 1;
    e->op = r.type & DSN__MILLER_WRITE ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ;
    e->kind = r.type & DSN__MILLER_CLASS;
    e->flags =
        (uint16_t)((r.scaled ? DARSHAN_TRACE_PHYSICAL : 0) | (r.type & DSN__MILLER_ASYNC ? DARSHAN_TRACE_ASYNC : 0) |
                   (r.type & DSN__MILLER_MISS ? DARSHAN_TRACE_MISS : 0) |
                   (r.type & DSN__MILLER_AHEAD_HIT ? DARSHAN_TRACE_AHEAD_HIT : 0));
    e->batch = s->info.batch;
    e->path = !r.scaled && d->name_index.used ? name_of(d, e->file) : NULL;
    e->host = process->host;
    return 1;
}

int dsn__miller_next(struct dsn__source *s, struct darshan_trace_event *e)
{
    struct miller *d = s->state;
    uint64_t v[FIELDS];
    const char *line;
    size_t n, length;
    int rc, count;

    while ((rc = dsn__line(s, &line, &n)) > 0) {
        length = token(&line, &n);
        if (length == 0)
            continue;
        if (length >= 2 && is_comment(line, length, d->base)) {
            rc = comment(s, line + length, n - length, e);
            if (rc != 0)
                return rc;
            continue;
        }
        count = numbers(line, n, d->base, v);
        if (count == NO_NUMBER)
            return dsn__wrong_line(s, "has something else than whole numbers of base %d", d->base);
        if (count == TOO_LARGE)
            return dsn__wrong_line(s, "has a number beyond 2^64");
        if (count == TOO_MANY)
            return dsn__wrong_line(s, "has more than %d numbers", FIELDS);
        return decode(s, v, count, e);
    }
    return rc;
}

int dsn__miller_open(struct dsn__source *s)
{
    struct miller *d = calloc(1, sizeof *d);
    const char *head;
    size_t n;

    if (!d) {
        dsn__wrong(s, "does not fit into memory");
        return 0;
    }
    s->state = d;
    dsn__idmap_init(&d->process_index);
    dsn__idmap_init(&d->name_index);
    dsn__pairmap_init(&d->file_index);
    d->current = DSN_IDMAP_NONE;
    d->figure = s->options.figure;
    head = (const char *)dsn__input_peek(&s->in, &n);
    d->base = s->options.base ? s->options.base : guess_base(head, n);
    s->info.base = d->base;
    s->info.tick_us = s->options.tick_us ? s->options.tick_us : DSN__MILLER_TICK_US;
    s->info.physical = has_physical(head, n, d->base) || (s->options.whole && has_late_physical(s, n, d->base));
    s->unordered = has_batches(head, n, d->base); /* times start again in each batch */
    s->info.cpu = DARSHAN_TRACE_CPU_RECORDED;
    d->tick = (uint64_t)s->info.tick_us * 1000;
    return 1;
}

void dsn__miller_close(struct dsn__source *s)
{
    struct miller *d = s->state;

    if (!d)
        return;
    for (size_t i = 0; i < d->process_index.used && i < d->processes_room; i++)
        free(d->processes[i].host);
    for (size_t i = 0; i < d->name_index.used && i < d->names_room; i++)
        free(d->names[i]);
    free(d->processes);
    free(d->files);
    free(d->names);
    dsn__idmap_free(&d->process_index);
    dsn__idmap_free(&d->name_index);
    dsn__pairmap_free(&d->file_index);
    free(d);
}
