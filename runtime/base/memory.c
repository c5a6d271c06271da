/* memory.c - memcpy, memmove and memset of our own, which nothing else in the process sees; libdarshan.so only
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * ThreadSanitizer replaces those of the C library and takes what they write for the application's. It knows nothing of
 * the locks under which names and records are written here, so that it would report races to a user who has none. What
 * it sees us read is no race while it sees none of our writes. Calls that the compiler makes come here, too. Where the
 * archive is linked these names are the program's. */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* In a loop: the compiler would see that it is a memcpy, and call it. */
#define NO_IDIOM __asm__ volatile("" ::: "memory")

#define LONG 128 /* bytes from which on the processor's own loop is the faster one */

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

    if ((uintptr_t)to - (uintptr_t)from >= n) /* a copy that begins in front never writes what it has yet to read */
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
