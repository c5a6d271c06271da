/* record.h - names and records: found, made, aggregated when memory is used up
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_RECORD_H
#define DSN_RECORD_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "record/module.h"

/* The record of `module` for a name, made if there is none. `path` is what the application gave: it is cleaned here
 * (spec runtime.md 5.1). NULL when it is excluded, or nothing can be recorded. When memory is used up the record is
 * the one that all further files of the same mount point share. */
struct dsn_record_state *dsn__record(enum dsn_module_index module, const char *path);

/* The same for a path that may be relative to a directory's descriptor, as openat has it. */
struct dsn_record_state *dsn__record_at(enum dsn_module_index module, int dirfd, const char *path);

/* The same for a name that is not a path: it stays what it is. */
struct dsn_record_state *dsn__record_named(enum dsn_module_index module, const char *name);

/* The name with an id, or NULL. Caller holds the lock of the names, or is alone. */
struct dsn_file *dsn__file_by_id(uint64_t id);

/* The same if there is one already; none is made. */
struct dsn_record_state *dsn__record_known(enum dsn_module_index module, int dirfd, const char *path);

/* The record of `module` for the regular file behind a descriptor, by what the kernel calls it, which is asked; NULL:
 * it has no path, or is excluded. `is_deleted`: it has no name any more. */
struct dsn_record_state *dsn__record_of_descriptor(enum dsn_module_index module, int fd, int is_deleted);

/* The record of `module` for a name that another module knows already. */
struct dsn_record_state *dsn__record_of_file(enum dsn_module_index module, struct dsn_file *file);

/* When the log is being made: the record of a name that is not a path, made from the last of the memory; NULL if there
 * is not even that. */
struct dsn_recording;
struct dsn_record_state *dsn__record_late(const struct dsn_recording *r, enum dsn_module_index module,
                                          const char *name);

/* Takes a record out of its module's list, and the file's knowledge of it; `link` is what points to it there. The log
 * is being made. */
struct dsn_names;
void dsn__record_drop(struct dsn_names *n, enum dsn_module_index module, struct dsn_record_state **link);

/* The record that stands for all files of the mount point of `file` for which there is no memory; NULL if there is not
 * even that. */
struct dsn_record_state *dsn__record_aggregated(enum dsn_module_index module, const struct dsn_file *file);

/* Cleans `path` into `out` (of `size` bytes). 0 if it does not fit or the working directory is not known. */
int dsn__clean_path(const char *path, char *out, size_t size);

/* The table of names is as large as it becomes, for a process that can make no system calls any more. Caller holds the
 * lock. */
void dsn__names_grow(void);

/* The table of names takes its place in the arena, where it can grow; empty. 0: it cannot. */
int dsn__names_to_arena(void);

#endif
