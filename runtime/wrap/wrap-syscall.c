/* wrap-syscall.c - syscall(), to count calls that programs make by number, and to see seccomp
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs make calls by number that the C library has no function for, as libseccomp does, or whose function does more
 * than they want: libuv closes descriptors so. Numbers that are counted have a row in syscall.def, whose function is
 * called. For all others the wrapper jumps to the real function, as in wrap-vfork.c, because a call may return on another
 * stack, or twice. Until the real functions have been looked up, the system call is made here: allocators call it before
 * any constructor. On architectures without code below, filters are seen only if they are installed by prctl, and calls
 * by number are not counted. */
#include <config.h>

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "life/events.h"
#include "wrap/wrap.h"

#if defined __x86_64__ || defined __aarch64__

#ifdef DSN_PRELOAD
DSN_REAL_DECL(long, syscall, (long number, ...))
#define NAME "syscall"
#else
extern long __real_syscall(long number, ...);
#define NAME "__wrap_syscall"
#endif

#define NEW_LISTENER 8U /* SECCOMP_FILTER_FLAG_NEW_LISTENER: the result is a descriptor */

/* `call`: SYS_seccomp. */
__attribute__((used, visibility("hidden"))) long dsn__seccomp(long call, unsigned operation, unsigned flags,
                                                              void *filter)
{
    const int before = errno;
    const int forbids_calls = (operation == SECCOMP_SET_MODE_STRICT && flags == 0 && !filter) ||
                              (operation == SECCOMP_SET_MODE_FILTER && filter);
    const int ended = forbids_calls && dsn__filter_begin();
    long ret;
    int error;

    errno = before;
#ifdef DSN_PRELOAD
    ret = DSN_REAL_FIND(syscall) ? DSN_REAL(syscall)(call, operation, flags, filter) : -1;
#else
    ret = __real_syscall(call, operation, flags, filter);
#endif
    error = errno;
    if (ret < 0 || (ret > 0 && !(flags & NEW_LISTENER))) /* the tid of a thread that could not be synchronised */
        dsn__filter_failed(ended);
    errno = error;
    return ret;
}

__attribute__((used, visibility("hidden"))) long dsn__syscall_failed(long error)
{
    errno = (int)error;
    return -1;
}

/* In wrap-posix.c. */
void *dsn__syscall_row(long number) __attribute__((visibility("hidden")));

/* Where the wrapper jumps to; NULL: to what passes the call on. */
__attribute__((used, visibility("hidden"))) void *dsn__syscall_begin(long number)
{
    return number == SYS_seccomp ? (void *)dsn__seccomp : dsn__syscall_row(number);
}

/* clang-format off */
__asm__(".text\n"
        ".globl " NAME "\n"
        ".type " NAME ", %function\n" NAME ":\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "push %rdi\n" ".cfi_adjust_cfa_offset 8\n"
        "push %rsi\n" ".cfi_adjust_cfa_offset 8\n"
        "push %rdx\n" ".cfi_adjust_cfa_offset 8\n"
        "push %rcx\n" ".cfi_adjust_cfa_offset 8\n"
        "push %r8\n" ".cfi_adjust_cfa_offset 8\n"
        "push %r9\n" ".cfi_adjust_cfa_offset 8\n"
        "sub $8, %rsp\n" ".cfi_adjust_cfa_offset 8\n"
        "call dsn__syscall_begin\n"
        "add $8, %rsp\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %r9\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %r8\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %rcx\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %rdx\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %rsi\n" ".cfi_adjust_cfa_offset -8\n"
        "pop %rdi\n" ".cfi_adjust_cfa_offset -8\n"
        "test %rax, %rax\n"
        "je dsn__syscall_on\n"
        "jmp *%rax\n"
#else
        "stp x29, x30, [sp, #-80]!\n" ".cfi_adjust_cfa_offset 80\n"
        ".cfi_offset x29, -80\n" ".cfi_offset x30, -72\n"
        "stp x0, x1, [sp, #16]\n"
        "stp x2, x3, [sp, #32]\n"
        "stp x4, x5, [sp, #48]\n"
        "str x6, [sp, #64]\n"
        "bl dsn__syscall_begin\n"
        "mov x16, x0\n"
        "ldp x0, x1, [sp, #16]\n"
        "ldp x2, x3, [sp, #32]\n"
        "ldp x4, x5, [sp, #48]\n"
        "ldr x6, [sp, #64]\n"
        "ldp x29, x30, [sp], #80\n" ".cfi_adjust_cfa_offset -80\n"
        ".cfi_restore x29\n" ".cfi_restore x30\n"
        "cbz x16, dsn__syscall_on\n"
        "br x16\n"
#endif
        ".cfi_endproc\n"
        ".size " NAME ", . - " NAME "\n"

        ".globl dsn__syscall_on\n"
        ".hidden dsn__syscall_on\n"
        ".type dsn__syscall_on, %function\n"
        "dsn__syscall_on:\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
#ifdef DSN_PRELOAD
        "mov real_syscall(%rip), %rax\n"
        "test %rax, %rax\n"
        "je 1f\n"
        "jmp *%rax\n"
        "1: mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "mov %rdx, %rsi\n"
        "mov %rcx, %rdx\n"
        "mov %r8, %r10\n"
        "mov %r9, %r8\n"
        "mov 8(%rsp), %r9\n"
        "syscall\n"
        "cmp $-4095, %rax\n"
        "jae 2f\n"
        "ret\n"
        "2: neg %rax\n"
        "mov %rax, %rdi\n"
        "jmp dsn__syscall_failed\n"
#else
        "jmp __real_syscall\n"
#endif
#else
#ifdef DSN_PRELOAD
        "adrp x16, real_syscall\n"
        "ldr x16, [x16, #:lo12:real_syscall]\n"
        "cbz x16, 1f\n"
        "br x16\n"
        "1: mov x8, x0\n"
        "mov x0, x1\n"
        "mov x1, x2\n"
        "mov x2, x3\n"
        "mov x3, x4\n"
        "mov x4, x5\n"
        "mov x5, x6\n"
        "svc #0\n"
        "cmn x0, #4095\n"
        "b.cs 2f\n"
        "ret\n"
        "2: neg x0, x0\n"
        "b dsn__syscall_failed\n"
#else
        "b __real_syscall\n"
#endif
#endif
        ".cfi_endproc\n"
        ".size dsn__syscall_on, . - dsn__syscall_on\n");
/* clang-format on */

#endif
