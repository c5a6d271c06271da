/* stack.c - runs work on a stack that is large enough
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#if !defined __x86_64__ && !defined __aarch64__
#include <ucontext.h>
#endif

#include "base/kernel.h"
#include "base/pages.h"

#define ENOUGH ((size_t)256 << 10) /* bytes: writing a log takes some 50 KiB, regular expressions of settings more */
#define USUAL  ((size_t)8 << 20)   /* assumed size of an unlimited stack */

/* AT_RANDOM points to bytes that the kernel puts at the upper end of the first thread's stack. */
static bool has_enough(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = getauxval(AT_RANDOM);
    struct rlimit limit;
    stack_t other;
    size_t size;

#if defined __SANITIZE_THREAD__
    return true; /* ThreadSanitizer does not follow from one stack to another */
#endif
    if (here >= top || dsn__sys_getrlimit(RLIMIT_STACK, &limit) != 0 || sigaltstack(NULL, &other) != 0)
        return false;
    size = limit.rlim_cur < USUAL ? (size_t)limit.rlim_cur : USUAL;
    return top - here + ENOUGH < size && !(other.ss_flags & SS_ONSTACK);
}

/* Calls work(context) on the stack that ends at `top`. Not by swapcontext where it can be helped: the address sanitizer
 * of an application takes note of that, and warns of it. */
#if defined __x86_64__ || defined __aarch64__

void dsn__call_on(char *top, void (*work)(void *context), void *context) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".globl dsn__call_on\n"
        ".hidden dsn__call_on\n"
        ".type dsn__call_on, %function\n"
        "dsn__call_on:\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "mov %rdi, %rsp\n"
        "mov %rdx, %rdi\n"
        "call *%rsi\n"
        "mov %rbp, %rsp\n"
        "pop %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
#else
        "stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset 29, -16\n"
        ".cfi_offset 30, -8\n"
        "mov x29, sp\n"
        ".cfi_def_cfa_register 29\n"
        "mov sp, x0\n"
        "mov x0, x2\n"
        "blr x1\n"
        "mov sp, x29\n"
        "ldp x29, x30, [sp], #16\n"
        ".cfi_def_cfa sp, 0\n"
#endif
        "ret\n"
        ".cfi_endproc\n"
        ".size dsn__call_on, . - dsn__call_on\n");

#else

/* Lies at the upper end of the new stack. */
struct call {
    ucontext_t there, back;
    void (*work)(void *context);
    void *context;
};

static void run_on_new_stack(unsigned high, unsigned low)
{
    struct call *c = (struct call *)(uintptr_t)((uint64_t)high << 32 | low); /* makecontext passes ints only */

    c->work(c->context);
}

static void dsn__call_on(char *top, void (*work)(void *context), void *context)
{
    struct call *c = (struct call *)(void *)(top - (sizeof *c + 63) / 64 * 64);
    const uint64_t at = (uintptr_t)c;

    getcontext(&c->there);
    c->work = work;
    c->context = context;
    c->there.uc_link = &c->back;
    c->there.uc_stack.ss_sp = top - ENOUGH;
    c->there.uc_stack.ss_size = (size_t)((char *)c - (top - ENOUGH));
    makecontext(&c->there, (void (*)(void))run_on_new_stack, 2, (unsigned)(at >> 32), (unsigned)at);
    swapcontext(&c->back, &c->there);
}

#endif

/* With cancellation disabled, so that a pending one cannot interrupt an exit. */
void dsn__with_stack(void (*work)(void *context), void *context)
{
    const size_t size = DSN_PAGE + ENOUGH;
    char *stack = MAP_FAILED;
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (!has_enough())
        stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
        work(context);
    } else {
        mprotect(stack, DSN_PAGE, PROT_NONE);
        dsn__call_on(stack + size, work, context);
        dsn__sys_munmap(stack, size);
    }
    pthread_setcancelstate(before, NULL);
}
