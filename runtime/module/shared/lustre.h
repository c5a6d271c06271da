/* lustre.h - striping of files on Lustre
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout is read just before a file is closed, because components are instantiated as a file is written; once all
 * of them are, it is not read again. It is read as the extended attribute "lustre.lov", as Lustre's llapi does: neither
 * that library nor its version matters, and static programs have it, too. Nothing is read if the mount table has no
 * Lustre; otherwise once per file on any file system, because a symbolic link may lead to Lustre; without a mount
 * table, once per file. Files that are never closed have no record. */
#ifndef DSN_SHARED_LUSTRE_H
#define DSN_SHARED_LUSTRE_H

#include <stdatomic.h>

#include "config/mounts.h"
#include "record/module.h"

/* Reads the layout of the file `name`, open as `fd`. Sets *done to 1 once there is nothing more to read. */
void dsn__lustre_ask(int fd, struct dsn_name *name, atomic_int *done);

/* `fd` is about to be closed; no lock is held. */
static inline void dsn__lustre_closing(int fd, struct dsn_name *name, atomic_int *done)
{
    if (__builtin_expect(atomic_load_explicit(&dsn__file_systems->has_lustre, memory_order_relaxed), 0) &&
        !atomic_load_explicit(done, memory_order_relaxed))
        dsn__lustre_ask(fd, name, done);
}

#endif
