/* record.h - looks up, creates and aggregates records
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_RECORD_H
#define DSN_RECORD_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/module.h"

/* Returns the record of `module` for a name, created if need be. `path` is the application's; it is cleaned here (spec
 * runtime.md 5.1). NULL if the file is excluded or nothing can be recorded. When memory is full, returns the record
 * that all further files of the same kind share (record/pattern.h), or of the same mount point. */
struct dsn_record_state *dsn__record(enum dsn_module_index module, const char *path);

/* The same for a path relative to a directory's descriptor, as in openat. */
struct dsn_record_state *dsn__record_at(enum dsn_module_index module, int dirfd, const char *path);

/* The same for a name that is not a path, and is stored as it is. */
struct dsn_record_state *dsn__record_named(enum dsn_module_index module, const char *name);

/* The same for what has an id that is not made from its name. `spare`: a new name can become one that is longer by so many
 * bytes (0: it never becomes another one). */
struct dsn_record_state *dsn__record_by_id(enum dsn_module_index module, uint64_t id, const char *name, unsigned spare);

/* Gives a name that was made with the text `from` and a `spare` another text. Does nothing if it has another one already,
 * or there is too little room. */
void dsn__name_set_text(struct dsn_name *name, const char *from, const char *to);

/* As dsn__record_named if there is one, else NULL. */
struct dsn_record_state *dsn__record_named_if_there(enum dsn_module_index module, const char *name);

/* The name with an id, or NULL. The caller holds the lock of the names, or is the only thread. */
struct dsn_name *dsn__name_by_id(uint64_t id);

/* As dsn__record_at, but creates no record. */
struct dsn_record_state *dsn__record_if_there(enum dsn_module_index module, int dirfd, const char *path);

/* The record of `module` for the regular file behind a descriptor, by the path that the kernel reports; NULL if it has
 * none or is excluded. `is_deleted`: the file has been unlinked. */
struct dsn_record_state *dsn__record_of_descriptor(enum dsn_module_index module, int fd, int is_deleted);

/* The record of `module` for a name that another module has registered. */
struct dsn_record_state *dsn__record_of_name(enum dsn_module_index module, struct dsn_name *name);

/* While the log is written: creates the record of a name that is not a path, from the reserve if need be; NULL if even
 * that is used up. */
struct dsn_recording;
struct dsn_record_state *dsn__record_late(const struct dsn_recording *r, enum dsn_module_index module,
                                          const char *name);

/* Removes a record from its module's list and from its name; `link` points to it in the list. Only while the log is
 * written. */
struct dsn_names;
void dsn__record_drop(struct dsn_names *n, enum dsn_module_index module, struct dsn_record_state **link);

/* The record into which files of the kind of the one with this name are aggregated; NULL if there is no memory even for that. */
struct dsn_record_state *dsn__record_aggregated(enum dsn_module_index module, const struct dsn_name *name);

/* Takes the lock of the names, if anything may be recorded at all. Returns false otherwise, or if it cannot be had. */
bool dsn__lock_names(void);
void dsn__unlock_names(void);

/* Makes the state of a record of a name, and the record, unless the module has a need_size. It is the last in the module's list,
 * and not yet among the records of its name. `all_at_once`: it must never need memory later. NULL if there is no
 * memory. The caller holds the lock of the names. */
struct dsn_record_state *dsn__record_make_state(struct dsn_names *n, enum dsn_module_index module,
                                                struct dsn_name *name, dsn_allocator alloc, int all_at_once);

/* Cleans `path` into `out` (`size` bytes). Returns false if it does not fit or the working directory is unknown. */
bool dsn__clean_path(const char *path, char *out, size_t size);

/* Moves the table of names, which is empty, to the arena, where it can grow. Returns false on failure. */
bool dsn__names_to_arena(void);

#endif
