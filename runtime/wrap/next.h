/* next.h - the functions behind this library, many of them at once
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What dlsym(RTLD_NEXT, name) would find, for a quarter of its work, without memory or locks, so that it can be done at the
 * first call of a function, wherever that is. It is found in the hash tables that the loader itself searches, in the order
 * in which it does. What is not plain there is left to dlsym. */
#ifndef DSN_WRAP_NEXT_H
#define DSN_WRAP_NEXT_H

#include <stdint.h>

#define DSN_NEXT_OBJECTS 32 /* no program needs to look further: the C library comes early */

/* The table of one object's exported symbols. */
struct dsn_next_object {
    uintptr_t base;
    const uintptr_t *filter; /* what is not in it is not in the table, as most names are not in most objects */
    uint32_t filter_mask, shift;
    uint32_t nbuckets, first_symbol;
    const uint32_t *bucket, *chain;
    const void *symbols; /* ElfW(Sym)[] */
    const char *names;
    const uint16_t *version; /* NULL: it has none */
};

struct dsn_next {
    unsigned n;
    int is_all; /* the last one is the C library: what is not found is none of its */
    struct dsn_next_object object[DSN_NEXT_OBJECTS];
};

/* Those behind the object whose dynamic section is `dynamic`, up to the C library: they have come with the program, and
 * stay. While a program starts, or in a constructor: nothing is loaded or unloaded meanwhile. */
void dsn__next_objects(struct dsn_next *next, const void *dynamic);

/* The address of a function, or NULL: dlsym has to be asked. It may be called in a signal handler. */
void *dsn__next_function(const struct dsn_next *next, const char *name);

#endif
