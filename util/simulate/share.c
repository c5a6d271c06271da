/* share.c - requests that share something, and the order of what happens next
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "share.h"

#include <math.h>
#include <stdlib.h>

#include "util/trace/pairmap.h"

/* Seconds: who ends by then ends now. Late in a long run, when less cannot be told from nothing, it is more. */
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
        s->done = 0; /* else what is left of a request would be lost in a large number */
    else
        s->done += (now - s->since) * s->speed;
    s->since = now;
}

int dsn_share_add(struct dsn_share *s, double work, uint32_t request)
{
    const double end = s->done + (work > 0 ? work : 0);
    void *grown = s->heap;
    size_t i = s->n;

    if (!dsn__grow(&grown, &s->room, sizeof *s->heap, i))
        return 0;
    s->heap = grown;
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

int dsn_agenda_init(struct dsn_agenda *a, size_t n)
{
    *a = (struct dsn_agenda){ .n = n };
    a->time = malloc(n * sizeof *a->time);
    a->heap = malloc(n * sizeof *a->heap);
    a->at = malloc(n * sizeof *a->at);
    if (!a->time || !a->heap || !a->at)
        return 0;
    for (size_t i = 0; i < n; i++) {
        a->time[i] = INFINITY;
        a->heap[i] = a->at[i] = (uint32_t)i;
    }
    return 1;
}

void dsn_agenda_free(struct dsn_agenda *a)
{
    free(a->time);
    free(a->heap);
    free(a->at);
    *a = (struct dsn_agenda){ 0 };
}

static int before(const struct dsn_agenda *a, uint32_t x, uint32_t y)
{
    return a->time[x] < a->time[y] || (a->time[x] == a->time[y] && x < y);
}

static void place(struct dsn_agenda *a, size_t i, uint32_t thing)
{
    a->heap[i] = thing;
    a->at[thing] = (uint32_t)i;
}

void dsn_agenda_set(struct dsn_agenda *a, uint32_t thing, double time)
{
    size_t i = a->at[thing], child;

    a->time[thing] = time;
    for (; i > 0 && before(a, thing, a->heap[(i - 1) / 2]); i = (i - 1) / 2)
        place(a, i, a->heap[(i - 1) / 2]);
    while ((child = 2 * i + 1) < a->n) {
        child += child + 1 < a->n && before(a, a->heap[child + 1], a->heap[child]);
        if (!before(a, a->heap[child], thing))
            break;
        place(a, i, a->heap[child]);
        i = child;
    }
    place(a, i, thing);
}
