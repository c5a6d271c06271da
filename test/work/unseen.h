/* unseen.h - system calls that the tool does not see, for what a test does beside what is counted
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef UNSEEN_H
#define UNSEEN_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As syscall(), which the tool wraps. */
static inline long unseen_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long x8 __asm__("x8") = number, result __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;

    __asm__ volatile("svc #0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#else /* there it is not wrapped */
    return syscall(number, a, b, c, d, e, f);
#endif
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

#define UNSEEN(number, a, b, c, d, e, f, ...)                                                                          \
    unseen_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define unseen(...) UNSEEN(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
