/* stack.c - a stack for work that needs more of it than the application may have left
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "core/image.h"

#define ENOUGH ((size_t)256 << 10) /* bytes; a log takes some 30 KiB, and expressions of settings what they need */
#define USUAL  ((size_t)8 << 20)   /* what a stack without a limit has at least */

/* At the lower end of the new stack, behind a page that nobody may touch. */
struct call {
    ucontext_t there, back;
    void (*work)(void *context);
    void *context;
};

/* The kernel lays the bytes that AT_RANDOM points to at the upper end of the first thread's stack. */
static int has_enough(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = getauxval(AT_RANDOM);
    struct rlimit limit;
    stack_t other;
    size_t size;

#if defined __SANITIZE_THREAD__
    return 1; /* it does not follow from one stack to another */
#endif
    if (here >= top || getrlimit(RLIMIT_STACK, &limit) != 0 || sigaltstack(NULL, &other) != 0)
        return 0;
    size = limit.rlim_cur < USUAL ? (size_t)limit.rlim_cur : USUAL;
    return top - here + ENOUGH < size && !(other.ss_flags & SS_ONSTACK);
}

static void begin(unsigned high, unsigned low)
{
    struct call *c = (struct call *)(uintptr_t)((uint64_t)high << 32 | low); /* makecontext gives numbers on only */

    c->work(c->context);
}

static int call_on(char *stack, void (*work)(void *context), void *context)
{
    struct call *c = (struct call *)(void *)(stack + DSN_PAGE);
    const uint64_t at = (uintptr_t)c;

    if (mprotect(stack, DSN_PAGE, PROT_NONE) != 0 || getcontext(&c->there) != 0)
        return 0;
    c->work = work;
    c->context = context;
    c->there.uc_link = &c->back;
    c->there.uc_stack.ss_sp = c + 1;
    c->there.uc_stack.ss_size = ENOUGH - sizeof *c;
    makecontext(&c->there, (void (*)(void))begin, 2, (unsigned)(at >> 32), (unsigned)at);
    return swapcontext(&c->back, &c->there) == 0;
}

/* A thread that is cancelled is unwound, which ends where a stack begins. */
void dsn__with_stack(void (*work)(void *context), void *context)
{
    const size_t size = DSN_PAGE + ENOUGH;
    char *stack = MAP_FAILED;
    int before;

    if (!has_enough())
        stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
        work(context);
        return;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (!call_on(stack, work, context))
        work(context);
    munmap(stack, size);
    pthread_setcancelstate(before, NULL);
}
