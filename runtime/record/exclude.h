/* exclude.h - files that no record is made of
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In this order (spec runtime.md 5.2): a path below one of prefixes.def is excluded, or else one that an expression of
 * NAME_EXCLUDE matches; what is below the burst buffers' mount point, or matches one of NAME_INCLUDE, is not. And a
 * module that is switched off excludes everything.
 *
 * Expressions are matched once a name: verdicts are kept in a table of hashes (which may forget). regexec calls malloc
 * and takes a lock of its own. So none of our locks is held meanwhile: an allocator may open files, and so wait for us,
 * while it keeps others waiting. And it must not run in a signal handler that interrupted either. That cannot be told
 * for sure; but a handler runs with its signal blocked. So where any signal is blocked, or another thread matches for
 * long, nothing is matched: the file is recorded as if nothing excluded it, and its records are dropped before the log
 * is made (dsn__exclude_late). */
#ifndef DSN_RECORD_EXCLUDE_H
#define DSN_RECORD_EXCLUDE_H

#include "config/settings.h"
#include "record/module.h"

/* Whether expressions have yet to be asked about this cleaned name, and can be. */
int dsn__path_is_open(enum dsn_module_index module, const char *cleaned_path);

/* Asks them. Caller holds no lock, and has the mark of our own work, or of a note, set. */
void dsn__path_decide(enum dsn_module_index module, const char *cleaned_path);

/* Whether no record of this cleaned name is to be made in a module, as far as that is decided. Caller holds the names'
 * lock. */
int dsn__path_excluded(enum dsn_module_index module, const char *cleaned_path);

/* Whether the expressions have been asked about a path before, and excluded it. Only where there are any. */
int dsn__path_verdict_excluded(enum dsn_module_index module, const char *path);

/* For who drops what was recorded before it was decided (record/exclude-late.h): expressions for one thread, if it can
 * have them; and what they say. */
int dsn__expressions_take(void);
void dsn__expressions_give(void);
int dsn__path_match(enum dsn_module_index module, const char *cleaned_path);

/* Nothing more is recorded, and nothing of what was. */
void dsn__exclude_all(void);

/* Whether a path as given (not NULL, readable) lies below one of prefixes.def: some nanoseconds. May say 0 where
 * cleaning makes it 1, never the other way round. Only where there is no NAME_INCLUDE. */
static inline int dsn__path_builtin_excluded(const char *path)
{
    if (path[0] != '/')
        return 0;
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
    /* what may turn out to be /var/opt/cray/dws/mounts/ is left to the full test */
    case 'v': return path[2] == 'a' && path[3] == 'r' && path[4] == '/' &&
                     path[5] != 'o' && path[5] != '/' && path[5] != '.';
    default: return 0;
    }
    /* clang-format on */
}

/* The same, where the settings ask for nothing else. */
static inline int dsn__path_plainly_excluded(const char *path)
{
    return dsn__path_builtin_excluded(path) && dsn__config->verdict == NULL;
}

/* Whether a file is known to be excluded by its path as the application gave it: without locks, system calls and
 * malloc. */
static inline int dsn__path_known_excluded(enum dsn_module_index module, const char *path)
{
    const struct dsn_config *c = dsn__config;

    if (__builtin_expect(c->disabled != 0, 0) && c->disabled >> dsn__modules[module]->id & 1)
        return 1;
    if (__builtin_expect(c->verdict != NULL, 0))
        return dsn__modules[module]->path_named && dsn__path_verdict_excluded(module, path);
    return dsn__path_builtin_excluded(path) && dsn__modules[module]->path_named;
}

struct dsn_exclusions {
    atomic_int matching; /* an expression is being matched */
    int undecided;       /* of some file that was recorded it is not known whether it is excluded */
};

/* Part of what life/state.h composes. */
extern struct dsn_exclusions *const dsn__exclusions __attribute__((visibility("hidden")));

#endif
