/* environment.c - get and set environment variables
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/environment.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

/* Declared weak: glibc has it since 2.32. Only the C library knows about threads that we did not see start. */
extern char __libc_single_threaded __attribute__((weak));

/* A Bloom filter of the names that are set. */
static struct {
    int are_noted;
    uint64_t bits[16];
} names;

/* Hashes the first bytes of the name after the prefix that most of our variables share. */
static uint64_t *bits_of(const char *name, uint64_t *bit)
{
    const char *at = dsn__begins_with(name, "DARSHAN_") ? name + 8 : name;
    unsigned h = (unsigned)(at - name);

    for (int i = 0; i < 4 && at[i] && at[i] != '='; i++)
        h = h * 31 + (unsigned char)at[i];
    *bit = (uint64_t)1 << (h & 63);
    return &names.bits[h >> 6 & 15];
}

void dsn__environment_note(void)
{
    memset(&names, 0, sizeof names);
    for (char **e = environ; e && *e; e++) {
        uint64_t bit, *bits = bits_of(*e, &bit);

        *bits |= bit;
    }
    names.are_noted = 1;
}

void dsn__environment_forget(void)
{
    names.are_noted = 0;
}

static bool may_be_there(const char *name)
{
    uint64_t bit;
    const uint64_t *bits = bits_of(name, &bit);

    return name[0] && (!names.are_noted || *bits & bit);
}

const char *dsn__environment_get(const char *name)
{
    return may_be_there(name) ? secure_getenv(name) : NULL;
}

static size_t count_of(char **variables)
{
    size_t n = 0;

    while (variables && variables[n])
        n++;
    return n;
}

/* Returns the environ entry of NAME=..., or NULL if it is not set. */
static char **find(const char *name)
{
    const size_t length = strlen(name);

    for (char **v = environ; v && *v; v++)
        if (dsn__begins_with(*v, name) && (*v)[length] == '=')
            return v;
    return NULL;
}

/* Appends an entry to a copy of environ. The memory is never freed: environ outlives the library, and the next setenv
 * makes another copy. */
static bool append_to_environ(const char *name, const char *value)
{
    const size_t n = count_of(environ), list = (n + 2) * sizeof environ[0];
    char **more, *text;

    more =
        mmap(NULL, list + strlen(name) + strlen(value) + 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED)
        return false;
    text = (char *)more + list;
    stpcpy(stpcpy(stpcpy(text, name), "="), value);
    if (n > 0)
        memcpy(more, environ, n * sizeof more[0]);
    more[n] = text;
    more[n + 1] = NULL;
    environ = more;
    return true;
}

bool dsn__environment_set(const char *name, const char *value)
{
    char **at = find(name);

    if (at && strcmp(*at + strlen(name) + 1, value) == 0)
        return true;
    if (!at && environ && &__libc_single_threaded && __libc_single_threaded)
        return append_to_environ(name, value);
    return setenv(name, value, 1) == 0;
}
