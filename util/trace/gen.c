/* gen.c - generates events of the study's applications
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each cycle writes the data set about once and reads it in proportion to reads and writes. Requests of a kind have the
 * same size. Only integer arithmetic is used, so that the events are the same on every machine. */
#include <config.h>
#include "gen.h"

#include <stdlib.h>

#define MAX_FILES   6
#define TICK        10000u  /* ns */
#define TICKS       100000u /* per second */
#define BLOCK       512u
#define FIRST_BURST 100000u /* ticks: of reads, if reads come once */
#define LATER_BURST 200000u /* of writes, likewise */

/* clang-format off */
static const struct dsn_trace_application applications[] = {
    /* name    seconds cycles files    reads  writes read_blocks write_blocks data_blocks once asynchronous */
    { "bvi",      1258,    39,    4, 1147866, 232591,         28,          59,     350208,   0,           0 },
    { "ccm",       205,    70,    4,   27783,  26342,         64,          63,      23756,   0,           0 },
    { "forma",     206,    39,    3,  413491,  62335,         64,          39,      61440,   0,           0 },
    { "gcm",      1897,    19,    2,     645,   7308,         64,          64,     468992,   1,           0 },
    { "les",       146,    16,    4,   10687,  11697,        664,         637,     458752,   0,           1 },
    { "upw",       596,     1,    2,      22,   1818,         66,          67,     125952,   1,           0 },
    { "venus",     379,   101,    6,   22763,  12141,        901,         941,     113049,   0,           0 },
};
/* clang-format on */

const struct dsn_trace_application *dsn_trace_application(size_t i)
{
    return i < sizeof applications / sizeof applications[0] ? &applications[i] : NULL;
}

/* State of a program: consecutive bursts with operations. */
struct program {
    uint64_t process;
    uint64_t burst; /* index of the current one */
    uint64_t begin, length;
    uint64_t reads, writes, done, done_writes; /* in the current one */
    uint64_t position[2][MAX_FILES];
    unsigned turn[2];
    uint64_t cpu, start, before; /* ticks; `before`: duration of the previous operation */
    int any;
    struct darshan_trace_event next;
    int has_next;
};

struct dsn_trace_generator {
    struct dsn_trace_application a;
    struct dsn_trace_making m;
    size_t nprograms;
    struct program programs[];
};

/* The k-th cycle's share of n. */
static uint64_t share(const struct dsn_trace_application *a, uint64_t k, uint64_t n)
{
    return (k + 1) * n / a->cycles - k * n / a->cycles;
}

/* The next burst that is not empty. Returns 0 if there is none. */
static int next_burst(const struct dsn_trace_generator *g, struct program *p)
{
    const struct dsn_trace_application *a = &g->a;
    const uint64_t all = (uint64_t)a->seconds * TICKS, bursts = a->cycles + (a->once ? 1u : 0u);

    for (; p->burst < bursts; p->burst++) {
        const uint64_t k = p->burst - (a->once ? 1 : 0);
        const uint64_t begin = all * k / a->cycles, end = all * (k + 1) / a->cycles;

        if (a->once && p->burst == 0) {
            p->begin = 0;
            p->length = FIRST_BURST;
            p->reads = a->reads;
            p->writes = 0;
        } else {
            p->length = a->once ? LATER_BURST : (end - begin) / g->m.burst;
            p->begin = end - p->length;
            p->reads = a->once ? 0 : share(a, k, a->reads);
            p->writes = share(a, k, a->writes);
        }
        p->done = p->done_writes = 0;
        if (p->reads + p->writes > 0) {
            p->burst++;
            return 1;
        }
    }
    return 0;
}

/* Whether the next operation of the burst is a write: reads first, or interleaved. */
static int writes_next(const struct dsn_trace_generator *g, const struct program *p)
{
    if (!g->m.mix)
        return p->done >= p->reads;
    return (p->done + 1) * p->writes / (p->reads + p->writes) > p->done_writes;
}

static void make(struct dsn_trace_generator *g, struct program *p)
{
    const struct dsn_trace_application *a = &g->a;
    const uint64_t size = a->data_blocks / a->files, n = p->reads + p->writes;
    const uint64_t at = p->begin + p->length * (p->done + 1) / n;
    const int write = writes_next(g, p);
    const unsigned file = p->turn[write];
    const uint64_t blocks = write ? a->write_blocks : a->read_blocks;
    const uint64_t computed = at - p->cpu;

    if (p->position[write][file] + blocks > size)
        p->position[write][file] = 0;
    p->start += computed + (p->any && !a->asynchronous ? p->before : 0);
    p->cpu = at;
    p->before = 4 + blocks / 16;
    p->any = 1;
    p->next = (struct darshan_trace_event){
        .start = p->start * TICK,
        .duration = p->before * TICK,
        .cpu = at * TICK,
        .offset = p->position[write][file] * BLOCK,
        .length = blocks * BLOCK,
        .file = file + 1,
        .process = p->process,
        .op = write ? DARSHAN_TRACE_WRITE : DARSHAN_TRACE_READ,
        .flags = a->asynchronous ? DARSHAN_TRACE_ASYNC : 0,
    };
    p->position[write][file] += blocks;
    p->turn[write] = (file + 1) % a->files;
    p->done++;
    p->done_writes += (uint64_t)write;
}

static void advance(struct dsn_trace_generator *g, struct program *p)
{
    p->has_next = p->done < p->reads + p->writes || next_burst(g, p);
    if (p->has_next)
        make(g, p);
}

static unsigned part(unsigned n, unsigned scale)
{
    return n / scale > 0 ? n / scale : 1;
}

struct dsn_trace_generator *dsn_trace_generator_new(const struct dsn_trace_application *a,
                                                    const struct dsn_trace_making *m)
{
    const size_t copies = m->copies ? m->copies : 1;
    struct dsn_trace_generator *g = calloc(1, sizeof *g + copies * sizeof g->programs[0]);

    if (!g)
        return NULL;
    g->a = *a;
    g->m = *m;
    g->nprograms = copies;
    if (g->m.burst == 0)
        g->m.burst = 5;
    if (g->m.scale > 1) {
        const unsigned most = a->files * (a->read_blocks > a->write_blocks ? a->read_blocks : a->write_blocks);

        g->a.reads = part(a->reads, g->m.scale);
        g->a.writes = part(a->writes, g->m.scale);
        g->a.data_blocks = part(a->data_blocks, g->m.scale);
        if (g->a.data_blocks < most)
            g->a.data_blocks = most;
    }
    for (size_t i = 0; i < copies; i++) {
        g->programs[i].process = (m->pid ? m->pid : 1) + i;
        advance(g, &g->programs[i]);
    }
    return g;
}

void dsn_trace_generator_free(struct dsn_trace_generator *g)
{
    free(g);
}

int dsn_trace_generate(struct dsn_trace_generator *g, struct darshan_trace_event *e)
{
    struct program *first = NULL;

    for (size_t i = 0; i < g->nprograms; i++) {
        struct program *p = &g->programs[i];

        if (p->has_next && (!first || p->next.start < first->next.start))
            first = p;
    }
    if (!first)
        return 0;
    *e = first->next;
    advance(g, first);
    return 1;
}
