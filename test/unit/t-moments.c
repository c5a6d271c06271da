/* t-moments.c - heat maps and traces of many operations over a long time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ticks are nanoseconds here, and the clock's origin is 0. */
#include <config.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/job.h"
#include "darshan-log-format/varying.h"
#include "life/state.h"
#include "module/shared/auxiliary.h"
#include "module/shared/dxt.h"
#include "module/shared/heatmap.h"
#include "record/module.h"
#include "record/modules.h"
#include "record/names.h"
#include "record/record.h"
#include "record/span.h"
#include "unit.h"

#define SECOND INT64_C(1000000000)

static void start(void)
{
    memset(&dsn__state, 0, sizeof dsn__state);
    setenv("DARSHAN_MOD_ENABLE", "DXT_POSIX,DXT_MPIIO", 1);
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    atomic_store(&dsn__switch.mode, DSN_ON);
    dsn__run->pid = 0; /* no log at exit */
    dsn__clock->origin.ticks = dsn__clock->origin.ns = 0;
    dsn__clock->rate = 1;
}

static uint64_t next_random(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

/* ------------------------------------------------------------------ heat maps */

/* The only heat map there is, as it goes into the log. */
static int64_t *bins_of(enum dsn_heat_of of, int64_t ended, double *width, size_t *n)
{
    struct dsn_record_state *state;
    int64_t *out;
    size_t bytes;

    dsn__heatmap_module.choose(&dsn__recording);
    state = dsn__names->first_state[DSN_INDEX_HEATMAP];
    ck_assert_ptr_nonnull(state);
    ck_assert_ptr_null(state->next);
    ck_assert_str_eq(state->name->text, of == DSN_HEAT_STDIO ? "heatmap:STDIO" : "heatmap:POSIX");
    dsn__heatmap_module.agreed(state, ended);
    *width = state->rec->v[HEATMAP_F_BIN_WIDTH_SECONDS].f;
    *n = (size_t)state->rec->v[HEATMAP_NBINS].i;
    bytes = dsn__heatmap_module.tail(state, &dsn__recording, NULL);
    ck_assert_uint_eq(bytes, *n * 16);
    out = calloc(1, bytes);
    ck_assert_uint_eq(dsn__heatmap_module.tail(state, &dsn__recording, out), bytes);
    return out;
}

/* Ends of runs in seconds, and what widths and numbers of bins follow: ceil(end / width) with the smallest width of
 * 0.1 s * 2^k that needs no more than 200. */
static const struct {
    double end, width;
    size_t n;
} ends[] = {
    { 0.0001, 0.1, 1 },  { 0.1, 0.1, 1 },  { 0.11, 0.1, 2 },   { 19.95, 0.1, 200 },   { 20, 0.1, 200 },
    { 20.01, 0.2, 101 }, { 40, 0.2, 200 }, { 1000, 6.4, 157 }, { 86400, 819.2, 106 }, { 1e7, 52428.8, 191 },
};

START_TEST(shapes)
{
    const struct dsn_span s = { .start = 0, .end = 0 };
    struct dsn_heat h = { 0 };
    double width;
    size_t n;

    start();
    DSN_HEAT_ADD(&h, DSN_HEAT_STDIO, DSN_WRITE, &s, 5);
    dsn__heat_flush(&h, DSN_HEAT_STDIO, &dsn__recording);
    free(bins_of(DSN_HEAT_STDIO, (int64_t)(ends[_i].end * 1e9), &width, &n));
    ck_assert_double_eq_tol(width, ends[_i].width, 1e-9);
    ck_assert_uint_eq(n, ends[_i].n);
}
END_TEST

/* Operations of all lengths, one after the other or not: against shares that are worked out one by one. */
START_TEST(shares)
{
    static const double scale[] = { 1e-6, 1e-3, 0.3, 40, 4000 };
    const double length = scale[_i];
    double share[2][200] = { { 0 } }, width;
    int64_t at = 0, sum[2] = { 0, 0 }, *found;
    struct {
        int64_t start, end, n;
        enum dsn_direction d;
    } op[3000];
    struct dsn_heat h[2] = { { 0 }, { 0 } };
    size_t n;

    start();
    for (int i = 0; i < 3000; i++) {
        const int64_t gap = (int64_t)(length * (double)(next_random() % 1000) * 1e6);

        op[i].start = at + gap;
        op[i].end = op[i].start + (int64_t)(length * (double)(next_random() % 3000) * 1e6);
        op[i].n = (int64_t)(next_random() % 100000);
        op[i].d = next_random() % 2 ? DSN_READ : DSN_WRITE;
        at = next_random() % 4 ? op[i].end : op[i].start;
        const struct dsn_span s = { .start = op[i].start, .end = op[i].end };

        DSN_HEAT_ADD(&h[i % 2], DSN_HEAT_POSIX, op[i].d, &s, op[i].n);
        sum[op[i].d] += op[i].n;
    }
    for (int i = 0; i < 2; i++)
        dsn__heat_flush(&h[i], DSN_HEAT_POSIX, &dsn__recording);
    at += (int64_t)(length * 4e9);
    found = bins_of(DSN_HEAT_POSIX, at, &width, &n);
    for (int i = 0; i < 3000; i++)
        for (size_t bin = 0; bin < n; bin++) {
            const double a = fmax((double)bin * width * 1e9, (double)op[i].start);
            const double b = fmin((double)(bin + 1) * width * 1e9, (double)op[i].end);

            if (op[i].end == op[i].start)
                share[op[i].d][bin] += (size_t)((double)op[i].start / (width * 1e9)) == bin ? (double)op[i].n : 0;
            else if (b > a)
                share[op[i].d][bin] += (double)op[i].n * (b - a) / (double)(op[i].end - op[i].start);
        }
    for (size_t bin = 0; bin < n; bin++) {
        sum[DSN_WRITE] -= found[bin];
        sum[DSN_READ] -= found[n + bin];
        ck_assert_double_eq_tol((double)found[bin], share[DSN_WRITE][bin], 3000); /* less than a byte an operation */
        ck_assert_double_eq_tol((double)found[n + bin], share[DSN_READ][bin], 3000);
    }
    ck_assert_int_eq(sum[DSN_READ], 0);
    ck_assert_int_eq(sum[DSN_WRITE], 0);
    free(found);
}
END_TEST

/* ------------------------------------------------------------------ traces */

static struct dsn_trace *trace_of_file(void)
{
    static dsn_trace_ref ref;
    struct dsn_record_state *file;

    atomic_store(&ref, NULL);
    file = dsn__record(DSN_INDEX_POSIX, "/home/file");
    ck_assert_ptr_nonnull(file);
    return dsn__trace_of(DSN_TRACE_POSIX, &ref, file->name);
}

static struct dsn_dxt_head head;

/* The segments of the only trace. */
static struct dsn_dxt_segment *segments(void)
{
    struct dsn_record_state *state = dsn__names->first_state[DSN_INDEX_DXT_POSIX];
    struct dsn_dxt_segment *out;

    memset(&head, 0, sizeof head);
    state->rec = (struct dsn_rec *)&head;
    dsn__dxt_posix_module.finalize(state, &dsn__recording);
    out = malloc(dsn__dxt_posix_module.tail(state, &dsn__recording, NULL) + 1);
    dsn__dxt_posix_module.tail(state, &dsn__recording, out);
    return out;
}

static const int64_t extremes[][4] = {
    /* offset, length, start, duration */
    { 0, 0, 0, 0 },
    { INT64_MAX, (INT64_C(1) << 40) - 257, 3600 * SECOND, 1 },
    { -1, 1, 86400 * 30 * SECOND, (1 << 19) - 1 },
    { 4096, 12345678901, 5 * SECOND, 1 << 19 },
    { 1, 2, 3, 3 * SECOND + 7 },
    { 1, 2, 3, 86400 * 3 * SECOND + 1 },
};

START_TEST(extreme)
{
    const int64_t *e = extremes[_i];
    struct dsn_dxt_segment *s;
    struct dsn_span span = { .start = e[2], .end = e[2] + e[3] };
    const double exact = 1.0 / (1 << 25);

    start();
    dsn__trace_add(trace_of_file(), &span, DSN_READ, e[0], e[1]);
    s = segments();
    ck_assert_int_eq(head.nwrites, 0);
    ck_assert_int_eq(head.nreads, 1);
    ck_assert_int_eq(head.left_out, 0);
    ck_assert_int_eq(s->offset, e[0]);
    ck_assert_int_eq(s->length, e[1]);
    ck_assert_double_eq_tol(s->start, (double)e[2] * 1e-9, exact);
    ck_assert_double_eq_tol(s->end, (double)(e[2] + e[3]) * 1e-9, exact + (double)e[3] * 1e-9 / (1 << 18));
    ck_assert(s->end >= s->start);
    ck_assert_uint_eq(s->thread, (uintptr_t)pthread_self());
    free(s);
}
END_TEST

START_TEST(too_long)
{
    struct dsn_span span = { .start = 1, .end = 2 };
    struct dsn_trace *t;

    start();
    t = trace_of_file();
    dsn__trace_add(t, &span, DSN_WRITE, 0, INT64_C(1) << 40);
    dsn__trace_add(t, &span, DSN_WRITE, 0, (INT64_C(1) << 40) - 256);
    dsn__trace_add(t, &span, DSN_WRITE, 0, -1);
    dsn__trace_add(t, &span, DSN_WRITE, 0, 1);
    free(segments());
    ck_assert_int_eq(head.nwrites, 1);
    ck_assert_int_eq(head.left_out, 3);
    ck_assert_int_eq(dsn__trace_left_out(&dsn__recording), 3);
    ck_assert(atomic_load(&dsn__incomplete->partial) >> DSN_DXT_POSIX_MODULE & 1);
}
END_TEST

/* Numbers of operations: whatever they are, those stay that are multiples of a power of two. */
static const int64_t numbers[] = { 1, 8, 9, 76000, 77000, 100000, 1000000, 5000000 };

START_TEST(thinner)
{
    const int64_t n = numbers[_i];
    struct dsn_dxt_segment *s;
    struct dsn_trace *t;
    int64_t step;

    start();
    t = trace_of_file();
    for (int64_t i = 0; i < n; i++) {
        const struct dsn_span span = { .start = i * 1000, .end = i * 1000 + 10 };

        dsn__trace_add(t, &span, DSN_READ, i, 1);
    }
    s = segments();
    step = n > 1 ? s[1].offset : 1;
    ck_assert_int_eq(step & (step - 1), 0);
    ck_assert_int_eq(head.nreads, (n + step - 1) / step);
    ck_assert_int_eq(head.nreads + head.left_out, n);
    for (int64_t i = 0; i < head.nreads; i++)
        ck_assert_int_eq(s[i].offset, i * step);
    ck_assert(step == 1 || head.nreads > 30000); /* at least half of what there is room for */
    ck_assert(n > 70000 || step == 1);
    free(s);
}
END_TEST

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))
int main(void)
{
    const struct unit_test tests[] = {
        { "shapes", shapes, N(ends) },       { "shares", shares, 5 },
        { "extreme", extreme, N(extremes) }, { "too long", too_long, 0 },
        { "thinner", thinner, N(numbers) },  { NULL, NULL, 0 },
    };

    return unit_run("moments", tests);
}
