/* direct.c - this library's own system calls, past the wrapper of syscall() that libdarshan.so has
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * libdarshan.so counts what a program does by syscall(); what goes to the log and comes from it is not the program's. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/kernel.h"

#ifndef LBIO_EMULATES
/* Of slow.so (test/bench/lbio), whose file system is slow for these calls, too. */
extern long lbio_emulated_call(long number, const long a[6]) __attribute__((weak, visibility("default")));
#endif

/* Only the kernel knows how many arguments there are: what is read here beyond them is no error for sanitizers. */
__attribute__((no_sanitize("address", "thread"))) long dsn__direct_call(long number, ...)
{
    va_list args;
    long a[6], ret;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
#ifndef LBIO_EMULATES
    if (lbio_emulated_call)
        return lbio_emulated_call(number, a);
#endif
#if defined __x86_64__
    {
        register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];

        __asm__ volatile("syscall"
                         : "=a"(ret)
                         : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                         : "rcx", "r11", "memory");
    }
#elif defined __aarch64__
    {
        register long x8 __asm__("x8") = number, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1];
        register long x2 __asm__("x2") = a[2], x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4],
                         x5 __asm__("x5") = a[5];

        __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
        ret = x0;
    }
#else /* where libdarshan.so does not wrap it */
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
#endif
    if (ret >= 0 || ret < -4095)
        return ret;
    errno = (int)-ret;
    return -1;
}
