/* wrap-syscall.c - syscall(), to see seccomp
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The C library has no function for seccomp: programs, and libseccomp, make the call by number. The wrapper jumps to
 * the real function, as in wrap-vfork.c, because a call may return on another stack, or twice. Until the real functions
 * have been looked up, the system call is made here: allocators call it before any constructor. On architectures
 * without code below, filters are seen only if they are installed by prctl. */
#include <config.h>

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSN_EARLY
#include "life/ending.h"
#include "life/sandbox.h"
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

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

/* `call`: SYS_seccomp. */
__attribute__((used, visibility("hidden"))) long dsn__seccomp(long call, unsigned operation, unsigned flags,
                                                              void *filter)
{
    const int before = errno;
    enum dsn_sandbox begun = DSN_NO_SANDBOX;
    const int ends = operation == SECCOMP_SET_MODE_STRICT && flags == 0 && !filter && dsn__is_on();
    long ret;
    int error;

    if (operation == SECCOMP_SET_MODE_FILTER)
        begun = dsn__sandbox_begin(filter);
    if (ends)
        dsn__end_process();
    errno = before;
#ifdef DSN_PRELOAD
    ret = DSN_REAL_FIND(syscall) ? DSN_REAL(syscall)(call, operation, flags, filter) : -1;
#else
    ret = __real_syscall(call, operation, flags, filter);
#endif
    error = errno;
    if (ret < 0 || (ret > 0 && !(flags & NEW_LISTENER))) /* the tid of a thread that could not be synchronised */
        dsn__sandbox_failed(begun);
    if (ends && ret != 0)
        dsn__begin_again();
    errno = error;
    return ret;
}

__attribute__((used, visibility("hidden"))) long dsn__syscall_failed(long error)
{
    errno = (int)error;
    return -1;
}

__asm__(".text\n"
        ".globl " NAME "\n"
        ".type " NAME ", %function\n" NAME ":\n"
        ".cfi_startproc\n"
#ifdef __x86_64__
        "endbr64\n"
        "cmp $" TEXT(__NR_seccomp) ", %rdi\n"
                                   "je dsn__seccomp\n"
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
        "cmp x0, #" TEXT(__NR_seccomp) "\n"
                                       "b.eq dsn__seccomp\n"
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
                                   ".size " NAME ", . - " NAME "\n");

#endif
