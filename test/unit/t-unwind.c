/* t-unwind.c - stacks are walked as the compiler's own unwinder walks them, and tables with anything in them do no harm
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/unwind.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "unit.h"

#define MOST      200
#define NMUTATION 400000

struct chain {
    int n;
    uintptr_t at[MOST], sp[MOST];
};

static _Unwind_Reason_Code take(struct _Unwind_Context *c, void *argument)
{
    struct chain *const all = argument;

    if (_Unwind_GetIP(c) == 0 || all->n == MOST)
        return _URC_NORMAL_STOP;
    all->sp[all->n] = _Unwind_GetCFA(c);
    all->at[all->n++] = _Unwind_GetIP(c);
    return _URC_NO_REASON;
}

static int compared; /* walks, of at least so many frames: */
static int fewest;

/* On AArch64 the kernel's frame of a signal has no tables (Linux 5.8), so that only what is above it is known. */
#ifdef __aarch64__
#define GOES_THROUGH_SIGNALS 0
#else
#define GOES_THROUGH_SIGNALS 1
#endif
static int is_in_handler;

/* Both begin in this function, at different instructions. */
static __attribute__((noinline)) void compare(void)
{
    struct chain theirs = { 0 }, ours = { 0 };
    struct dsn_unwinding u;

    _Unwind_Backtrace(take, &theirs);
    dsn__unwind_begin(&u);
    do {
        ours.sp[ours.n] = u.reg[DSN_UNWIND_SP];
        ours.at[ours.n++] = u.at;
    } while (ours.n < MOST && dsn__unwind_step(&u));
    if (is_in_handler && !GOES_THROUGH_SIGNALS)
        ck_assert_int_lt(ours.n, theirs.n);
    else
        ck_assert_int_eq(ours.n, theirs.n);
    for (int i = 1; i < ours.n; i++) {
        ck_assert_uint_eq(ours.at[i], theirs.at[i]);
        ck_assert_uint_eq(ours.sp[i], theirs.sp[i]);
    }
    compared++;
    if (fewest == 0 || ours.n < fewest)
        fewest = ours.n;
}

/* Frames of changing size, some of which are found by an expression, for they are aligned to more than the stack is. */
static __attribute__((noinline)) int down(int n)
{
    _Alignas(128) volatile char aligned[128];
    char *const more = alloca((size_t)n * 24 + 1);

    aligned[0] = (char)n;
    memset(more, n, (size_t)n * 24 + 1);
    if (n > 0)
        return down(n - 1) + more[0] + aligned[0];
    compare();
    return more[0];
}

static int by_value(const void *a, const void *b)
{
    compare();
    return *(const int *)a - *(const int *)b;
}

static void *in_thread(void *unused)
{
    down(10);
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    is_in_handler = 1;
    down(3);
    is_in_handler = 0;
}

/* A signal at a function's first instruction: the one before it is not the function's. */
#ifdef __x86_64__
#define NO_INSTRUCTION "ud2\n"
#else
#define NO_INSTRUCTION ".4byte 0\n"
#endif
void stops_at_once(void);
__asm__(".text\n.globl stops_at_once\n.type stops_at_once, %function\n" NO_INSTRUCTION
        "stops_at_once:\n.cfi_startproc\n" NO_INSTRUCTION ".cfi_endproc\n.size stops_at_once, . - stops_at_once\n");

static sigjmp_buf before;

static void on_no_instruction(int number)
{
    (void)number;
    is_in_handler = 1;
    compare();
    is_in_handler = 0;
    siglongjmp(before, 1);
}

static ucontext_t outside, inside;

static void in_context(void)
{
    down(5);
}

START_TEST(walks_as_the_compiler_does)
{
    int numbers[] = { 3, 1, 2 };
    char *const stack = mmap(NULL, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t other = { .ss_sp = stack, .ss_size = 1 << 16 };
    const struct sigaction handled = { .sa_handler = on_signal },
                           elsewhere = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK },
                           faulted = { .sa_handler = on_no_instruction };
    pthread_t thread;

    dsn__objects_start();
    compare();
    down(0);
    down(50);
    qsort(numbers, 3, sizeof *numbers, by_value);
    ck_assert(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    ck_assert(sigaction(SIGUSR1, &handled, NULL) == 0 && raise(SIGUSR1) == 0);
    ck_assert(sigaltstack(&other, NULL) == 0 && sigaction(SIGUSR1, &elsewhere, NULL) == 0 && raise(SIGUSR1) == 0);
    ck_assert(sigaction(SIGILL, &faulted, NULL) == 0);
    if (sigsetjmp(before, 1) == 0)
        stops_at_once();
    ck_assert(getcontext(&inside) == 0);
    inside.uc_stack = (stack_t){ .ss_sp = stack + (1 << 16), .ss_size = 1 << 16 };
    inside.uc_link = &outside;
    makecontext(&inside, in_context, 0);
    ck_assert(swapcontext(&outside, &inside) == 0);
    ck_assert_int_ge(compared, 10);
    ck_assert_int_ge(fewest, 3);
    munmap(stack, 1 << 17);
}
END_TEST

/* Where a return address leads to no object, or the stack ends, there is no caller. */
START_TEST(stops)
{
    struct dsn_unwinding u;

    dsn__unwind_begin(&u);
    u.at = (uintptr_t)&u;
    ck_assert(!dsn__unwind_step(&u));
    dsn__unwind_begin(&u);
    u.reg[DSN_UNWIND_SP] = 4096; /* no memory is there */
    u.reg[DSN_UNWIND_SP - 1] = 4096;
#ifdef __x86_64__
    ck_assert(!dsn__unwind_step(&u));
#endif
}
END_TEST

/* ------------------------------------------------------------------ tables with anything in them */

static uint64_t state = 1;

/* Source: Sebastiano Vigna, splitmix64 (public domain). */
static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

#define CIE  20
#define FDE  64
#define CODE 200 /* addresses that the table has a function for */
#define SIZE 256

static void put(unsigned char *to, uint32_t v)
{
    memcpy(to, &v, sizeof v);
}

/* .eh_frame_hdr with one entry, a CIE, an FDE with any instructions; numbers by the sources in base/unwind.h. */
static void make_tables(unsigned char *t, int is_wild)
{
    static const unsigned char common[] = {
        1, 'z', 'R', 0, 1, 0x78, DSN_UNWIND_RETURN, 1, 0x1b, 0x0c, DSN_UNWIND_SP, 8, 0x80 + DSN_UNWIND_RETURN, 1
    };

    memset(t, 0, SIZE);
    t[0] = 1;
    t[1] = 0x1b;
    t[2] = 0x03;
    t[3] = 0x3b;
    put(t + 4, CIE - 4); /* where .eh_frame begins */
    put(t + 8, 1);
    put(t + 12, CODE);
    put(t + 16, FDE);
    put(t + CIE, FDE - CIE - 4);
    put(t + CIE + 4, 0);
    memcpy(t + CIE + 8, common, sizeof common);
    put(t + FDE, CODE - FDE - 4);
    put(t + FDE + 4, FDE + 4 - CIE);
    put(t + FDE + 8, (uint32_t)(CODE - (FDE + 8)));
    put(t + FDE + 12, SIZE - CODE);
    for (int i = FDE + 17; is_wild && i < CODE; i++)
        t[i] = (unsigned char)next();
    for (uint64_t n = is_wild ? next() % 4 : 0; n > 0; n--)
        t[next() % CODE] = (unsigned char)next();
}

static int step_in(unsigned char *t, uintptr_t *stack)
{
    struct dsn_unwinding u;

    dsn__unwind_begin(&u);
    u.object = (struct dsn_object){ .start = (uintptr_t)t, .end = (uintptr_t)t + SIZE, .unwind_tables = t };
    u.at = (uintptr_t)t + CODE + 1;
    for (int i = 0; i < DSN_UNWIND_NUMBERS; i++)
        u.reg[i] = (uintptr_t)stack;
    return dsn__unwind_step(&u) && u.at == stack[0];
}

START_TEST(any_tables)
{
    /* where the caller's frame begins: 8 + the stack pointer */
    static const unsigned char by_expression[] = { 0x0f, 4, 0x38, 0x70 + DSN_UNWIND_SP, 0, 0x22 };
    unsigned char *const t = malloc(SIZE);
    uintptr_t stack[64];
    int went_on = 0;

    for (int i = 0; i < 64; i++)
        stack[i] = (uintptr_t)&stack[i];
    make_tables(t, 0);
    ck_assert(step_in(t, stack)); /* they are understood, */
    memcpy(t + FDE + 17, by_expression, sizeof by_expression);
    ck_assert(step_in(t, stack)); /* and an expression that says the same, */
    t[FDE + 19]--;
    ck_assert(!step_in(t, stack)); /* but not one that says something else */
    for (int i = 0; i < NMUTATION; i++) {
        make_tables(t, 1);
        went_on += step_in(t, stack);
    }
    ck_assert_int_gt(went_on, 0);
    ck_assert_int_lt(went_on, NMUTATION);
    free(t);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "walks_as_the_compiler_does", walks_as_the_compiler_does, 0 },
        { "stops", stops, 0 },
        { "any_tables", any_tables, 0 },
        { NULL, NULL, 0 },
    };

    return DSN_UNWINDS ? unit_run("unwind", tests) : 0;
}
