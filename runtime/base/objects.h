/* objects.h - the programs and libraries that the process has loaded
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_OBJECTS_H
#define DSN_BASE_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct dsn_object {
    uintptr_t base;                     /* what addresses in it are relative to */
    uintptr_t start, end;               /* of what is mapped of it */
    const char *path;                   /* "": the program */
    const unsigned char *unwind_tables; /* PT_GNU_EH_FRAME; NULL: none */
    const ElfW(Phdr) * headers;
    unsigned nheaders; /* 0: unknown */
};

/* When the library starts. */
void dsn__objects_start(void);

/* Whether dsn__object_at() takes no lock: with glibc 2.35 and later. Else it takes that of dl_iterate_phdr, which in a forked child
 * may be that of a thread that is not there any more. */
bool dsn__objects_are_lockless(void);

/* The object that an address is in. Returns false if it is in none. */
bool dsn__object_at(uintptr_t address, struct dsn_object *out);

#endif
