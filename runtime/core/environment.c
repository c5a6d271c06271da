/* environment.c - a variable for the programs that this one starts
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the C library, since 2.32: it alone knows of threads that are not ours. */
extern char __libc_single_threaded __attribute__((weak));

static size_t count_of(char **variables)
{
    size_t n = 0;

    while (variables && variables[n])
        n++;
    return n;
}

/* Where NAME=... stands in the environment; NULL if it does not. */
static char **find(const char *name)
{
    const size_t length = strlen(name);

    for (char **v = environ; v && *v; v++)
        if (strncmp(*v, name, length) == 0 && (*v)[length] == '=')
            return v;
    return NULL;
}

/* The list with one more at its end. The memory is never given back: the environment stays when the library goes, and
 * whoever sets a variable later makes another list. */
static int put(const char *name, const char *value)
{
    const size_t n = count_of(environ), list = (n + 2) * sizeof environ[0];
    char **more, *text;

    more =
        mmap(NULL, list + strlen(name) + strlen(value) + 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED)
        return 0;
    text = (char *)more + list;
    stpcpy(stpcpy(stpcpy(text, name), "="), value);
    if (n > 0)
        memcpy(more, environ, n * sizeof more[0]);
    more[n] = text;
    more[n + 1] = NULL;
    environ = more;
    return 1;
}

int dsn__environment_set(const char *name, const char *value)
{
    char **at = find(name);

    if (at && strcmp(*at + strlen(name) + 1, value) == 0)
        return 1;
    if (!at && environ && &__libc_single_threaded && __libc_single_threaded)
        return put(name, value);
    return setenv(name, value, 1) == 0;
}
