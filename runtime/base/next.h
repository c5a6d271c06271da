/* next.h - the function that a wrapper of this library stands before
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_NEXT_H
#define DSN_BASE_NEXT_H

/* The next function of the name in the loader's order; else, the one in the object that contains the address `caller`
 * or is linked with it: a library that was loaded for itself alone (RTLD_LOCAL) is not in that order. NULL: none. May
 * set errno. */
void *dsn__next_function(const char *name, const void *caller);

#endif
