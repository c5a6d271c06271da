/* clock.c - decides whether the TSC can be trusted, and calibrates its rate
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/clock.h"

#if defined __x86_64__
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <time.h>

int64_t dsn__now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define FIRST_CHECK (INT64_C(1) << 24) /* ticks: a few milliseconds */
#define LATER_CHECK 1000000000         /* ns */
#define SHORT       5000000            /* ns: an interval too short to calibrate the rate from during the run */
#define SLACK       100000             /* ns: worst error of a paired reading of both clocks */
#define PER_MILLE   1                  /* more than NTP can slew the kernel's clock by */

#if defined __x86_64__

static bool can_read_counter(void)
{
    int mode = 0;

    return syscall(SYS_prctl, PR_GET_TSC, &mode, 0L, 0L, 0L) == 0 && mode == PR_TSC_ENABLE;
}

/* CPUID's invariant-TSC bit: the counter never stops and its rate is constant. */
static bool is_invariant(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}

/* Kernel clocksources that are derived from the TSC. The kernel selects "tsc" only where the counter is constant,
 * non-stop and synchronised between processors, and abandons it when that turns out to be false. The others are
 * paravirtual: the hypervisor publishes scale and offset in a shared page. Where they can be read without a system
 * call, the hypervisor vouches for synchronised counters; a live migration to another host is noticed within a second
 * (dsn__clock_check). */
static const struct source {
    const char *name;
    int is_host; /* paravirtual: the hypervisor vouches for the TSC if reading is fast and the TSC is invariant */
} sources[] = { { "tsc\n", 0 }, { "kvm-clock\n", 1 }, { "hyperv_clocksource_tsc_page\n", 1 } };

#define FAST 100 /* ns: reading a clock in the vDSO, without a system call */

bool dsn__clock_is_counter(const char *source, int64_t reading, int invariant)
{
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (strcmp(source, sources[i].name) == 0)
            return !sources[i].is_host || (reading < FAST && invariant);
    return false;
}

static bool kernel_trusts_counter(const struct dsn_clock *c)
{
    char name[40] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (read(fd, name, sizeof name - 1) < 0)
        name[0] = '\0';
    close(fd);
    return dsn__clock_is_counter(name, c->reading, is_invariant());
}

static int64_t read_counter(const struct dsn_clock *c)
{
    return c->counter ? c->counter() : (int64_t)__rdtsc();
}

#else

static bool can_read_counter(void)
{
    return false;
}

bool dsn__clock_is_counter(const char *source, int64_t reading, int invariant)
{
    (void)source, (void)reading, (void)invariant;
    return false;
}

static bool kernel_trusts_counter(const struct dsn_clock *c)
{
    (void)c;
    return false;
}

static int64_t read_counter(const struct dsn_clock *c)
{
    return c->counter ? c->counter() : 0;
}

#endif

/* Reads both clocks as a pair, the TSC between two readings of the kernel's, and keeps the least disturbed of several
 * tries. Returns the width of that try in nanoseconds. */
static int64_t read_both(const struct dsn_clock *c, struct dsn_moment *m)
{
    int64_t best = INT64_MAX;

    for (int i = 0; i < 4 && best > 200; i++) {
        const int64_t before = dsn__now(), ticks = read_counter(c), after = dsn__now();

        if (after - before < best) {
            best = after - before;
            m->ticks = ticks;
            m->ns = before + (after - before) / 2;
        }
    }
    return best;
}

static double rate_between(const struct dsn_moment *a, const struct dsn_moment *b)
{
    return (double)(b->ticks - a->ticks) / (double)(b->ns - a->ns);
}

static void go_by_kernel(struct dsn_clock *c)
{
    c->rate = 1;
    c->origin.ticks = c->origin.ns;
    atomic_store(&c->check_at, INT64_MAX);
    atomic_store(&c->by_counter, 0);
}

void dsn__clock_start(struct dsn_clock *c, int may_count)
{
    c->rate = 0;
    atomic_flag_clear(&c->checking);
    if (may_count && (c->counter || can_read_counter())) {
        c->reading = read_both(c, &c->origin);
        atomic_store(&c->check_at, c->origin.ticks + FIRST_CHECK);
        atomic_store(&c->by_counter, 1);
    } else {
        c->origin.ns = dsn__now();
        go_by_kernel(c);
    }
    c->good = c->origin;
}

void dsn__clock_trust(struct dsn_clock *c, enum dsn_clock_by by)
{
    if (!atomic_load(&c->by_counter) || by == DSN_CLOCK_COUNTER ||
        (by == DSN_CLOCK_ASK && (c->counter || kernel_trusts_counter(c))))
        return;
    go_by_kernel(c);
    c->good = c->origin;
}

void dsn__clock_go_on(struct dsn_clock *c, const struct dsn_moment *zero, int by_counter, double rate)
{
    if (zero->ns == c->origin.ns)
        return;
    c->origin = *zero;
    c->rate = rate;
    if (!by_counter || !atomic_load(&c->by_counter))
        go_by_kernel(c);
    c->good = c->origin;
}

/* Returns whether the counter ran from `good` to `m` at the rate it had before. Rates outside of 0.1 to 20 GHz are not
 * plausible. */
static bool agrees_with_kernel(const struct dsn_clock *c, const struct dsn_moment *m, int64_t disturbance)
{
    const int64_t ns = m->ns - c->good.ns;
    const double rate = c->rate > 0 ? c->rate : rate_between(&c->origin, m);
    const double wrong = (double)(m->ticks - c->good.ticks) - (double)ns * rate;
    const double allowed = ((double)ns * PER_MILLE / 1000 + SLACK + (double)disturbance) * rate;

    return rate > 0.1 && rate < 20 && wrong <= allowed && wrong >= -allowed;
}

static void abandon_counter(struct dsn_clock *c)
{
    if (c->rate <= 0)
        c->rate = 1;
    atomic_store(&c->check_at, INT64_MAX);
    atomic_store(&c->by_counter, 0);
}

static void compare(struct dsn_clock *c, int at_end)
{
    struct dsn_moment m;
    const int64_t disturbance = read_both(c, &m);

    if (m.ns - c->origin.ns < SHORT && !at_end) {
        atomic_store(&c->check_at, m.ticks + FIRST_CHECK);
        return;
    }
    if (!agrees_with_kernel(c, &m, disturbance)) {
        abandon_counter(c);
        return;
    }
    c->rate = rate_between(&c->origin, &m);
    c->good = m;
    atomic_store(&c->check_at, m.ticks + (int64_t)(LATER_CHECK * c->rate));
}

void dsn__clock_check(struct dsn_clock *c)
{
    if (atomic_flag_test_and_set_explicit(&c->checking, memory_order_acquire))
        return;
    if (atomic_load(&c->by_counter))
        compare(c, 0);
    atomic_flag_clear_explicit(&c->checking, memory_order_release);
}

void dsn__clock_end(struct dsn_clock *c)
{
    if (atomic_load(&c->by_counter))
        compare(c, 1);
}

double dsn__clock_seconds(const struct dsn_clock *c, int64_t ticks)
{
    return (double)ticks / (c->rate > 0 ? c->rate : 1) * 1e-9;
}

int64_t dsn__clock_kernel(const struct dsn_clock *c)
{
    return c->good.ticks + (int64_t)((double)(dsn__now() - c->good.ns) * c->rate);
}
