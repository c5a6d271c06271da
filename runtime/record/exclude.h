/* exclude.h - decides which files are excluded
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Precedence (spec runtime.md 5.2): a path below one of prefixes.def, or one that matches NAME_EXCLUDE, is excluded,
 * unless it lies below the burst buffers' mount point or matches NAME_INCLUDE. A disabled module excludes everything.
 *
 * Expressions are matched once per name; verdicts are cached in a table of hashes, from which entries may be evicted.
 * regexec calls malloc and takes a lock of its own. So no lock of ours is held during a match: an allocator may open
 * files, and so wait for us while others wait for it. And a match must not run in a signal handler that interrupted
 * malloc or regexec. Whether a thread is in a handler cannot be known for certain, but a handler runs with its signal
 * blocked. So while any signal is blocked, or another thread matches for long, nothing is matched: the file is recorded
 * as if it were not excluded, and its records are dropped before the log is written (dsn__exclude_late). */
#ifndef DSN_RECORD_EXCLUDE_H
#define DSN_RECORD_EXCLUDE_H

#include <stdbool.h>

#include "config/settings.h"
#include "record/module.h"

/* Whether the verdict on this cleaned name is still open, and expressions can be matched now. */
bool dsn__path_is_undecided(enum dsn_module_index module, const char *cleaned_path);

/* Matches the expressions. The caller holds no lock, and has marked the thread as inside our own work or a note. */
void dsn__path_decide(enum dsn_module_index module, const char *cleaned_path);

/* Whether this cleaned name is excluded in a module, as far as that is decided. The caller holds the names' lock. */
bool dsn__path_excluded(enum dsn_module_index module, const char *cleaned_path);

/* Whether the path has a cached verdict of exclusion. Only if there are expressions. */
bool dsn__path_verdict_excluded(enum dsn_module_index module, const char *path);

/* For dropping records at the end (record/exclude-late.h): takes the expressions for this thread, if they are free, and
 * matches. */
bool dsn__expressions_take(void);
void dsn__expressions_give(void);
bool dsn__path_match(enum dsn_module_index module, const char *cleaned_path);

/* Excludes everything: nothing more is recorded, and nothing that was recorded goes into the log. */
void dsn__exclude_all(void);

/* Whether a path as given (readable, not NULL) lies below one of prefixes.def: a few nanoseconds. May miss a path that
 * is excluded once cleaned, never the other way round. Only if there is no NAME_INCLUDE. */
static inline bool dsn__path_builtin_excluded(const char *path)
{
    if (path[0] != '/')
        return false;
    /* clang-format off */
    switch (path[1]) {
    case 'b': return path[2] == 'i' ? path[3] == 'n' && path[4] == '/'
                                    : path[2] == 'o' && path[3] == 'o' && path[4] == 't' && path[5] == '/';
    case 'd': return path[2] == 'e' && path[3] == 'v' && path[4] == '/';
    case 'e': return path[2] == 't' && path[3] == 'c' && path[4] == '/';
    case 'l': return path[2] == 'i' && path[3] == 'b' && path[4] == '/';
    case 'o': return path[2] == 'p' && path[3] == 't' && path[4] == '/';
    case 'p': return path[2] == 'r' && path[3] == 'o' && path[4] == 'c' && path[5] == '/';
    case 's': return path[2] == 'y' ? path[3] == 's' && path[4] == '/'
                                    : path[2] == 'b' && path[3] == 'i' && path[4] == 'n' && path[5] == '/';
    case 'u': return path[2] == 's' && path[3] == 'r' && path[4] == '/';
    /* what may become /var/opt/cray/dws/mounts/ is left to the full test */
    case 'v': return path[2] == 'a' && path[3] == 'r' && path[4] == '/' &&
                     path[5] != 'o' && path[5] != '/' && path[5] != '.';
    default: return false;
    }
    /* clang-format on */
}

/* The same, if no setting adds expressions. */
static inline bool dsn__path_plainly_excluded(const char *path)
{
    return dsn__path_builtin_excluded(path) && dsn__config->verdict == NULL;
}

/* Whether a path as given is known to be excluded: without locks, system calls or malloc. */
static inline bool dsn__path_known_excluded(enum dsn_module_index module, const char *path)
{
    const struct dsn_config *c = dsn__config;

    if (__builtin_expect(c->disabled != 0, 0) && c->disabled >> dsn__modules[module]->id & 1)
        return true;
    if (__builtin_expect(c->verdict != NULL, 0))
        return dsn__modules[module]->path_named && dsn__path_verdict_excluded(module, path);
    return dsn__path_builtin_excluded(path) && dsn__modules[module]->path_named;
}

/* Whether Open MPI made the file for itself: one in a session directory, HOST and uid behind its first word
 * (/tmp/ompi.n1.1000/..., /tmp/prterun.n1.7713.1000/...), or below Slurm in that of the step, or FILE.locktest.RANK,
 * with which each open of a file tries out locks. */
bool dsn__path_is_of_mpi(const char *name);

struct dsn_exclusions {
    atomic_int matching; /* a thread is matching */
    int undecided;       /* some recorded file has no verdict yet */
};

/* Member of the state that life/state.h composes. */
extern struct dsn_exclusions *const dsn__exclusions __attribute__((visibility("hidden")));

#endif
