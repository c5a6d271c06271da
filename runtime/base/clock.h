/* clock.h - ticks, the unit in which calls are timed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tick is one count of the time stamp counter (TSC) where the kernel's own clocksource is derived from it, including
 * paravirtual ones (kvm-clock) in virtual machines; elsewhere it is a nanosecond of CLOCK_MONOTONIC. While the program
 * runs, times in records are integral ticks (timestamps: since initialisation of the library, and at least 1). They are
 * converted to seconds when the log is written, at the tick rate measured over the whole run.
 *
 * The TSC is periodically compared with the kernel's clock. If they diverge, the TSC is abandoned: later ticks are
 * computed from the kernel's clock, at the TSC's last good rate and from its last good value, so that all ticks of a
 * run are on one scale. */
#ifndef DSN_BASE_CLOCK_H
#define DSN_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

/* The same moment on both clocks. */
struct dsn_moment {
    int64_t ticks, ns;
};

struct dsn_clock {
    _Atomic(int64_t) check_at; /* ticks: when the counter is next compared; INT64_MAX: never */
    atomic_int by_counter;     /* whether ticks are TSC counts */
    atomic_flag checking;
    struct dsn_moment origin; /* time zero */
    struct dsn_moment good;   /* the last time the counter was found correct */
    _Atomic(double) rate;     /* ticks per nanosecond; 0: not yet known */
    int64_t reading;          /* ns it took to read both clocks at time zero */
    int64_t (*counter)(void); /* replaces the TSC in tests; NULL: the TSC */
};

/* CLOCK_MONOTONIC in nanoseconds. Calls are timed in ticks instead. */
int64_t dsn__now(void);

/* Sets time zero to now. `may_count`: the TSC may be used if it is readable and trusted, by the kernel or by a process
 * whose clock this one continues; one of the next two functions is called before anything is timed. */
void dsn__clock_start(struct dsn_clock *c, int may_count);

enum dsn_clock_by { DSN_CLOCK_ASK, DSN_CLOCK_COUNTER, DSN_CLOCK_KERNEL };

/* Chooses the clock: as the kernel's clocksource suggests, or the one given. The TSC is used only where user space may
 * read it. */
void dsn__clock_trust(struct dsn_clock *c, enum dsn_clock_by by);

/* Whether the kernel's clocksource is derived from the TSC. `source`: its name, one line; `reading`: cost of reading it
 * in ns; `invariant`: whether CPUID says the TSC is. */
bool dsn__clock_is_counter(const char *source, int64_t reading, int invariant);

/* Continues the clock (`by_counter`) of another process on this machine: time zero, just set, becomes that process's
 * earlier one. `rate` is what that process measured, 0 if nothing yet; if the TSC does not continue at that rate, it is
 * abandoned. */
void dsn__clock_go_on(struct dsn_clock *c, const struct dsn_moment *zero, int by_counter, double rate);

/* Compares the TSC with the kernel's clock and abandons it if they diverge. If another thread is already comparing,
 * returns at once. */
void dsn__clock_check(struct dsn_clock *c);

/* Fixes the tick rate for the conversion to seconds. Nothing timed later goes into a record. */
void dsn__clock_end(struct dsn_clock *c);

/* Converts ticks to seconds. */
double dsn__clock_seconds(const struct dsn_clock *c, int64_t ticks);

/* Ticks computed from the kernel's clock. */
int64_t dsn__clock_kernel(const struct dsn_clock *c);

/* The current time in ticks. */
static inline int64_t dsn__clock_ticks(const struct dsn_clock *c)
{
#if defined __x86_64__
    if (__builtin_expect(atomic_load_explicit(&c->by_counter, memory_order_relaxed), 1))
        return (int64_t)__rdtsc();
#endif
    return dsn__clock_kernel(c);
}

/* Member of the state that life/state.h composes. */
extern struct dsn_clock *const dsn__clock __attribute__((visibility("hidden")));

#endif
