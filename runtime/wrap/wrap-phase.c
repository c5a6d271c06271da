/* wrap-phase.c - calls by which a program names its phases: MPI_Pcontrol, and functions for all programs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The level and arguments of MPI_Pcontrol are the profiler's own matter (MPI 4.0, 15.2.4). Programs use what IPM made of it:
 * (1, "name") begins and (-1, "name") ends. 0, which switches profiling off, ends all. Fortran has only the level, which
 * from 3 on, and from -3 down, is a name by itself. */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "base/mpi-abi.h"
#include "base/text.h"
#include "darshan-log-format/shown.h"
#include "module/shared/phase.h"
#include "record/inner.h"
#include "wrap/wrap.h"

/* ------------------------------------------------------------------ functions for all programs */

/* A program that is linked with libdarshan-phase.a has functions of the first two names, which call the others. */
DSN_EXPORT __attribute__((weak)) void darshan_phase_begin(const char *name);
DSN_EXPORT __attribute__((weak)) void darshan_phase_end(void);
DSN_EXPORT void darshan_library_phase_begin(const char *name);
DSN_EXPORT void darshan_library_phase_end(void);

void darshan_library_phase_begin(const char *name)
{
    if (dsn__may_record())
        dsn__phase_begin(name);
}

void darshan_library_phase_end(void)
{
    if (dsn__is_on())
        dsn__phase_end(NULL);
}

void darshan_phase_begin(const char *name)
{
    darshan_library_phase_begin(name);
}

void darshan_phase_end(void)
{
    darshan_library_phase_end();
}

/* ------------------------------------------------------------------ MPI_Pcontrol */

#define LONGEST 256 /* bytes of what is taken for a name */

/* Whether a call that may have had no second argument had a name there: text, which is copied. */
static bool take_name(const char *name, char copy[LONGEST])
{
    const ssize_t n = name ? dsn__sys_read_memory(name, copy, LONGEST) : -1;
    const char *end = n > 0 ? memchr(copy, '\0', (size_t)n) : NULL;

    for (const char *c = copy; end && c < end;) {
        const size_t size = dsn_shown((const unsigned char *)c);

        if (size == 0)
            return false;
        c += size;
    }
    return end && end > copy;
}

static void note_level(int level)
{
    char name[32];

    dsn__format(name, sizeof name, "level %d", abs(level));
    if (level > 0)
        dsn__phase_begin(name);
    else
        dsn__phase_end(name);
}

static void note_control(int level, const char *name)
{
    const int error = errno;
    char copy[LONGEST];

    if (!dsn__may_record())
        return;
    if (level > 2 || (level < -2 && level > INT_MIN))
        note_level(level);
    else if (level == 0)
        dsn__phase_end_all();
    else if (level == 1 && take_name(name, copy))
        dsn__phase_begin(copy);
    else if (level == -1 && take_name(name, copy))
        dsn__phase_end(copy);
    errno = error;
}

/* Passes on what may be there: a profiler behind this one may take more than a name. Not doubles. */
#define PCONTROL(name, of_name)                                                                                        \
    DSN_REAL_DECL(int, name, (const int level, ...))                                                                   \
    DSN_EXPORT int DSN_SYM(name)(const int level, ...);                                                                \
    DSN_EXPORT int DSN_SYM(name)(const int level, ...)                                                                 \
    {                                                                                                                  \
        void *word[5];                                                                                                 \
        uintptr_t outer;                                                                                               \
        va_list args;                                                                                                  \
        int ret;                                                                                                       \
                                                                                                                       \
        va_start(args, level);                                                                                         \
        for (int i = 0; i < 5; i++)                                                                                    \
            word[i] = va_arg(args, void *);                                                                            \
        va_end(args);                                                                                                  \
        if (!DSN_REAL_FIND(name))                                                                                      \
            return DSN_MPI_ERR_OTHER;                                                                                  \
        if (!dsn__is_inner_call(&outer))                                                                               \
            note_control(level, of_name);                                                                              \
        outer = dsn__outer_begins(&outer);                                                                             \
        ret = DSN_REAL(name)(level, word[0], word[1], word[2], word[3], word[4]);                                      \
        dsn__outer_ends(outer);                                                                                        \
        return ret;                                                                                                    \
    }

/* Fortran's binding calls the second one, with the level alone. */
PCONTROL(MPI_Pcontrol, word[0])
PCONTROL(PMPI_Pcontrol, NULL)
