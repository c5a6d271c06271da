/* identity.h - reads the identity of a survival file's process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_IDENTITY_H
#define DSN_SURVIVE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "survive/liveness.h"

/* From the head of the file. */
struct dsn_survival_identity {
    struct dsn_owner owner;
    int64_t pid, root, parent;
    int64_t rank, nranks;
    int is_mpi;
    uint64_t key;
    int64_t jobid;
    int is_empty; /* it has no records: only `owner` is known */
};

/* Reads the identity. Returns false if the file belongs to another release or another user (`uid`). */
bool dsn__survival_read_identity(int dir, const char *name, unsigned uid, struct dsn_survival_identity *identity);

/* Removes an empty file, unless its owner is just starting. */
void dsn__survival_remove_empty(int dir, const char *name);

/* What a release calls the variable with the process tree, and how it ends the names of files. */
struct dsn_naming {
    const char *tree_variable, *survival_file, *exit_records;
};

/* This release, then earlier ones: there may be files of theirs as long as a node has not been started again, and processes
 * until the jobs have ended that began before an update. */
#define DSN_TREE_VARIABLE "DARSHAN_PROCESS_TREE"
#define DSN_NNAMINGS      2
extern const struct dsn_naming dsn__namings[DSN_NNAMINGS] __attribute__((visibility("hidden")));

/* Whether a file in the directory of survival files has the name of a survival file, or of exit records: of this release
 * or of one that called them otherwise. Such a release may have the same structs, and else its files are to be reported. */
bool dsn__is_survival_file(const char *name);
bool dsn__is_exit_records(const char *name);

/* Whether the file was renamed by the program that its owner has exec'ed since. */
bool dsn__survival_is_aside(const char *name);

/* Opens the file for reading if it is a regular file of this user; else -1. */
int dsn__survival_open_at(int dir, const char *name, unsigned uid, struct stat *st);

#endif
