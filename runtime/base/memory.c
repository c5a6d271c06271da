/* memory.c - private memcpy, memmove and memset; libdarshan.so only
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ThreadSanitizer intercepts the C library's and attributes their stores to the application. It does not know the locks
 * under which names and records are written here, and would report races to its user. Our loads alone are no race as
 * long as it sees none of our stores. Calls that the compiler generates resolve here, too. In the archive these names
 * would collide with the program's. */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* Keeps the compiler from recognising the loop as a memcpy, and calling it. */
#define NO_IDIOM __asm__ volatile("" ::: "memory")

#define LONG 128 /* bytes from which the processor's own loop (rep movsb) is faster */

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    char *out = to;
    const char *in = from;

#ifdef __x86_64__
    if (n >= LONG) {
        __asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(n)::"memory");
        return to;
    }
#endif
    for (; n >= sizeof(word); n -= sizeof(word), out += sizeof(word), in += sizeof(word)) {
        *(word *)out = *(const word *)in;
        NO_IDIOM;
    }
    for (; n > 0; n--) {
        *out++ = *in++;
        NO_IDIOM;
    }
    return to;
}

HIDDEN void *memmove(void *to, const void *from, size_t n)
{
    char *out = (char *)to + n;
    const char *in = (const char *)from + n;

    if ((uintptr_t)to - (uintptr_t)from >= n) /* a forward copy to a lower address never overwrites what it has yet to
                                               * read */
        return memcpy(to, from, n);
    for (; n >= sizeof(word); n -= sizeof(word)) {
        out -= sizeof(word);
        in -= sizeof(word);
        *(word *)out = *(const word *)in;
        NO_IDIOM;
    }
    for (; n > 0; n--) {
        *--out = *--in;
        NO_IDIOM;
    }
    return to;
}

HIDDEN void *memset(void *to, int byte, size_t n)
{
    const word bytes = 0x0101010101010101 * (unsigned char)byte;
    char *out = to;

#ifdef __x86_64__
    if (n >= LONG) {
        __asm__ volatile("rep stosb" : "+D"(out), "+c"(n) : "a"(byte) : "memory");
        return to;
    }
#endif
    for (; n >= sizeof(word); n -= sizeof(word), out += sizeof(word)) {
        *(word *)out = bytes;
        NO_IDIOM;
    }
    for (; n > 0; n--) {
        *out++ = (char)byte;
        NO_IDIOM;
    }
    return to;
}
