/* lustre.h - how files on Lustre are striped
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout is asked for just before a file is closed, for components come into being as a file is written; once all
 * are there it is not asked for again. It is read as the extended attribute "lustre.lov", which is what Lustre's own
 * library does: neither that library nor its version is needed, and static programs have it, too. Where no file system
 * of the mount table is Lustre nothing is asked; elsewhere, once of each file, for a symbolic link may lead to it;
 * without a table, once of each file that is there. Files that are never closed have no record. */
#ifndef DSN_SHARED_LUSTRE_H
#define DSN_SHARED_LUSTRE_H

#include <stdatomic.h>

#include "config/mounts.h"
#include "record/module.h"

/* Asks for the layout of `file`, which `fd` is open on. *done becomes 1 if there is nothing more to be asked. */
void dsn__lustre_ask(int fd, struct dsn_file *file, atomic_int *done);

/* `fd` is about to be closed; no lock is held. */
static inline void dsn__lustre_closing(int fd, struct dsn_file *file, atomic_int *done)
{
    if (__builtin_expect(dsn__file_systems->has_lustre, 0) && !atomic_load_explicit(done, memory_order_relaxed))
        dsn__lustre_ask(fd, file, done);
}

#endif
