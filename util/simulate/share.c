/* share.c - processor sharing, and an agenda of events
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "share.h"

#include <math.h>
#include <stdlib.h>

#include "util/lib/grow.h"
#include "util/trace/pairmap.h"

/* Seconds within which requests end together. Increases late in a long run, when smaller differences are lost to
 * rounding. */
static double nearly(double now)
{
    return 1e-9 + now * 4e-15;
}

void dsn_share_free(struct dsn_share *s)
{
    free(s->heap);
    *s = (struct dsn_share){ 0 };
}

void dsn_share_advance(struct dsn_share *s, double now)
{
    if (s->n == 0)
        s->done = 0; /* otherwise small remainders would be lost in a large number */
    else
        s->done += (now - s->since) * s->speed;
    s->since = now;
}

int dsn_share_add(struct dsn_share *s, double work, uint32_t request)
{
    const double end = s->done + (work > 0 ? work : 0);
    size_t i = s->n;

    if (!dsn_grow_zeroed(&s->heap, &s->room, sizeof *s->heap, i))
        return 0;
    s->n++;
    for (; i > 0 && end < s->heap[(i - 1) / 2].end; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = (struct dsn_share_end){ end, request };
    return 1;
}

double dsn_share_next(const struct dsn_share *s)
{
    double left;

    if (s->n == 0)
        return INFINITY;
    left = s->heap[0].end - s->done;
    if (left <= 0)
        return s->since;
    return s->speed > 0 ? s->since + left / s->speed : INFINITY;
}

int dsn_share_take(struct dsn_share *s, uint32_t *request)
{
    struct dsn_share_end last;
    size_t i = 0, child;

    if (s->n == 0 || s->heap[0].end - s->done > nearly(s->since) * s->speed)
        return 0;
    *request = s->heap[0].request;
    last = s->heap[--s->n];
    while ((child = 2 * i + 1) < s->n) {
        child += child + 1 < s->n && s->heap[child + 1].end < s->heap[child].end;
        if (s->heap[child].end >= last.end)
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return 1;
}

/* ------------------------------------------------------------------ what happens next */

int dsn_agenda_init(struct dsn_agenda *a, size_t things)
{
    *a = (struct dsn_agenda){ .heap = malloc(things * sizeof *a->heap), .at = calloc(things, sizeof *a->at) };
    return a->heap && a->at;
}

void dsn_agenda_free(struct dsn_agenda *a)
{
    free(a->heap);
    free(a->at);
    *a = (struct dsn_agenda){ 0 };
}

static int before(const struct dsn_agenda_entry *x, const struct dsn_agenda_entry *y)
{
    return x->time < y->time || (x->time == y->time && x->thing < y->thing);
}

static void place(struct dsn_agenda *a, size_t i, struct dsn_agenda_entry e)
{
    a->heap[i] = e;
    a->at[e.thing] = (uint32_t)i + 1;
}

/* Inserts an entry into the heap, starting at the free index i. */
static void insert_at(struct dsn_agenda *a, size_t i, struct dsn_agenda_entry e)
{
    size_t child;

    for (; i > 0 && before(&e, &a->heap[(i - 1) / 2]); i = (i - 1) / 2)
        place(a, i, a->heap[(i - 1) / 2]);
    while ((child = 2 * i + 1) < a->n) {
        child += child + 1 < a->n && before(&a->heap[child + 1], &a->heap[child]);
        if (!before(&a->heap[child], &e))
            break;
        place(a, i, a->heap[child]);
        i = child;
    }
    place(a, i, e);
}

void dsn_agenda_set(struct dsn_agenda *a, uint32_t thing, double time)
{
    const size_t at = a->at[thing];
    struct dsn_agenda_entry last;

    if (time < INFINITY) {
        insert_at(a, at > 0 ? at - 1 : a->n++, (struct dsn_agenda_entry){ time, thing });
    } else if (at > 0) {
        last = a->heap[--a->n];
        a->at[thing] = 0;
        if (last.thing != thing)
            insert_at(a, at - 1, last);
    }
}
