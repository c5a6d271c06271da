/* unwind.h - walks the calling thread's stack by the tables that compilers make for exceptions (.eh_frame)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Not by the compiler's own unwinder (libgcc): that aborts the process where tables are not as it expects, as those of code that
 * LuaJIT makes, reads wherever they point to, and before glibc 2.35 takes locks. This one reads of the stack only what can be read,
 * and stops where it does not know how to go on; on AArch64 that is a signal's frame, too. Nothing allocates; no lock but that of
 * base/objects.h.
 *
 * Sources: DWARF 5, section 6.4; Linux Standard Base 5.0 core, section 10.6 (.eh_frame, .eh_frame_hdr); System V ABI, AMD64
 * supplement, figure 3.36 (numbers of registers); DWARF for the Arm 64-bit architecture, section 4.1. */
#ifndef DSN_BASE_UNWIND_H
#define DSN_BASE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/objects.h"

#if defined __x86_64__
#define DSN_UNWINDS        1
#define DSN_UNWIND_NUMBERS 17 /* registers, by their numbers in the tables: */
#define DSN_UNWIND_SP      7
#define DSN_UNWIND_RETURN  16
#elif defined __aarch64__
#define DSN_UNWINDS        1
#define DSN_UNWIND_NUMBERS 32
#define DSN_UNWIND_SP      31
#define DSN_UNWIND_RETURN  30
#else
#define DSN_UNWINDS        0
#define DSN_UNWIND_NUMBERS 1
#define DSN_UNWIND_SP      0
#define DSN_UNWIND_RETURN  0
#endif

/* A function that is being executed: where, with which registers. */
struct dsn_unwinding {
    uintptr_t at;       /* in the first one an instruction, in others where it goes on */
    uintptr_t at_place; /* where on the stack `at` lies; 0: nowhere */
    uintptr_t reg[DSN_UNWIND_NUMBERS];
    bool is_interrupted;      /* by a signal, or the first one: `at` itself is in the function, not behind a call */
    struct dsn_object object; /* the last one used */
    uintptr_t readable, readable_end; /* memory that was found readable */
};

/* Begins with the function that this is inlined into, which must not return before the last step. */
static inline __attribute__((always_inline)) void dsn__unwind_begin(struct dsn_unwinding *u)
{
    u->at_place = u->readable = u->readable_end = 0;
    u->object.start = u->object.end = 0;
    u->is_interrupted = true;
    for (int i = 0; i < DSN_UNWIND_NUMBERS; i++)
        u->reg[i] = 0;
#if defined __x86_64__
    __asm__ volatile("movq %%rbx, 24(%1)\n\t"
                     "movq %%rbp, 48(%1)\n\t"
                     "movq %%rsp, 56(%1)\n\t"
                     "movq %%r12, 96(%1)\n\t"
                     "movq %%r13, 104(%1)\n\t"
                     "movq %%r14, 112(%1)\n\t"
                     "movq %%r15, 120(%1)\n\t"
                     "leaq 0(%%rip), %0"
                     : "=&r"(u->at)
                     : "r"(u->reg)
                     : "memory");
#elif defined __aarch64__
    uintptr_t sp;

    __asm__ volatile("stp x19, x20, [%2, #152]\n\t"
                     "stp x21, x22, [%2, #168]\n\t"
                     "stp x23, x24, [%2, #184]\n\t"
                     "stp x25, x26, [%2, #200]\n\t"
                     "stp x27, x28, [%2, #216]\n\t"
                     "stp x29, x30, [%2, #232]\n\t"
                     "mov %1, sp\n\t"
                     "adr %0, ."
                     : "=&r"(u->at), "=&r"(sp)
                     : "r"(u->reg)
                     : "memory");
    u->reg[DSN_UNWIND_SP] = sp;
#else
    u->at = 0;
#endif
}

/* The end of the stack that the calling thread began with. */
uintptr_t dsn__stack_end(bool is_of_first_thread);

/* Goes on to the caller. Returns false at the end of the stack, or where nothing is known of it. */
bool dsn__unwind_step(struct dsn_unwinding *u);

#endif
