/* wrap-vfork.c - vfork, whose child runs in our memory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The child shares our memory but has descriptors of its own: what it opens and closes before exec is not the parent's.
 * The wrapper marks the thread and jumps to the real function: a C function that returned in the child would have no
 * frame left to return to in the parent. The next call that finds the mark determines which of the two it is
 * (dsn__span_recover). On architectures without code below, vfork is not seen. */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#define DSN_EARLY
#include "wrap/wrap.h"

#if defined __x86_64__ || defined __aarch64__

#ifdef DSN_PRELOAD
DSN_REAL_DECL(pid_t, vfork, (void))

static pid_t no_vfork(void)
{
    errno = ENOSYS;
    return -1;
}
#else
extern pid_t __real_vfork(void);
#endif

typedef pid_t (*function)(void);

__attribute__((used, visibility("hidden"))) function dsn__vfork_begin(void)
{
#ifdef DSN_PRELOAD
    if (!DSN_REAL_FIND(vfork))
        return no_vfork;
#endif
    if (dsn__begin_if_waiting())
        dsn__fds_pass_on();
    dsn__vfork_mark();
#ifdef DSN_PRELOAD
    return DSN_REAL(vfork);
#else
    return __real_vfork;
#endif
}

#ifdef DSN_PRELOAD
#define NAME "vfork"
#else
#define NAME "__wrap_vfork"
#endif

__asm__(".text\n"
        ".globl " NAME "\n"
        ".type " NAME ", %function\n" NAME ":\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call dsn__vfork_begin\n"
        "add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "jmp *%rax\n"
#else
        "stp x29, x30, [sp, #-16]!\n"
        "bl dsn__vfork_begin\n"
        "ldp x29, x30, [sp], #16\n"
        "br x0\n"
#endif
        ".cfi_endproc\n"
        ".size " NAME ", . - " NAME "\n");

#endif
