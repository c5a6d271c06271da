/* clock.h - ticks: what calls are timed with
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tick is a count of the processor's time stamp counter where the kernel itself keeps time by it, as most virtual
 * machines' kernels do by way of their host (kvm-clock), and a nanosecond of CLOCK_MONOTONIC elsewhere. While a record is counted its times are whole ticks (timestamps: since the library was
 * initialised, and at least 1); they become seconds when the log is made, by what a tick has turned out to last over
 * the whole run. Now and then the counter is compared with the kernel's clock. When it does not hold it is dropped:
 * from then on ticks are made from the kernel's nanoseconds, at the rate and from the value that the counter had when
 * it was last seen to be right, so that all ticks of a run are on one scale. */
#ifndef DSN_BASE_CLOCK_H
#define DSN_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

/* The same moment on both clocks. */
struct dsn_moment {
    int64_t ticks, ns;
};

struct dsn_clock {
    _Atomic(int64_t) check_at; /* ticks: when the counter is to be compared next; INT64_MAX: never */
    atomic_int by_counter;     /* ticks are the processor's counter */
    atomic_flag checking;
    struct dsn_moment origin; /* time zero */
    struct dsn_moment good;   /* the latest at which the counter was seen to be right */
    _Atomic(double) rate;     /* ticks a nanosecond; 0: not known yet */
    int64_t reading;          /* ns that it took to read both clocks at time zero */
    int64_t (*counter)(void); /* tests put one of their own here; NULL: the processor's */
};

/* Nanoseconds of a clock that never goes back. Calls are timed in ticks. */
int64_t dsn__now(void);

/* Time zero is now. `may_count`: the counter may be used if it can be read, and the kernel, or a process that goes by
 * it, trusts it: one of the next two is called before anything is timed. */
void dsn__clock_start(struct dsn_clock *c, int may_count);

enum dsn_clock_by { DSN_CLOCK_ASK, DSN_CLOCK_COUNTER, DSN_CLOCK_KERNEL };

/* Asks the kernel, or goes by the clock that is given: by the counter only where a program may read it. */
void dsn__clock_trust(struct dsn_clock *c, enum dsn_clock_by by);

/* Whether the counter is what the kernel keeps time by: `source` is the name of its clock, a line, `reading` the ns that
 * reading it takes, `invariant` what the processor says of its counter. */
int dsn__clock_is_counter(const char *source, int64_t reading, int invariant);

/* Time zero, which has just been, becomes the earlier one of another process of this machine, on whose clock
 * (`by_counter`) this one goes on. `rate`: what that process knows of it, 0: nothing yet; where the counter does not go
 * on so, it is dropped. */
void dsn__clock_go_on(struct dsn_clock *c, const struct dsn_moment *zero, int by_counter, double rate);

/* Compares the counter with the kernel's clock, and drops it if it does not hold. For one thread at a time: others
 * return at once. */
void dsn__clock_check(struct dsn_clock *c);

/* What comes after this belongs to no record: fixes how long a tick is. */
void dsn__clock_end(struct dsn_clock *c);

/* Seconds that a number of ticks lasts. */
double dsn__clock_seconds(const struct dsn_clock *c, int64_t ticks);

/* Ticks made from the kernel's clock. */
int64_t dsn__clock_kernel(const struct dsn_clock *c);

/* Now, in ticks. */
static inline int64_t dsn__clock_ticks(const struct dsn_clock *c)
{
#if defined __x86_64__
    if (__builtin_expect(atomic_load_explicit(&c->by_counter, memory_order_relaxed), 1))
        return (int64_t)__rdtsc();
#endif
    return dsn__clock_kernel(c);
}

/* Part of what life/state.h composes. */
extern struct dsn_clock *const dsn__clock __attribute__((visibility("hidden")));

#endif
