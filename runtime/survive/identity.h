/* identity.h - what a survival file says of its process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SURVIVE_IDENTITY_H
#define DSN_SURVIVE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "survive/liveness.h"

/* Beginnings of a survival file's contents. */
struct dsn_survival_identity {
    struct dsn_owner owner;
    int64_t pid, root, parent;
    int64_t rank, nranks;
    int is_mpi;
    uint64_t key;
    int64_t jobid;
    int is_empty; /* it has nothing in it: but for the holder the rest is not known */
};

/* What a survival file says of itself. 0: it is none of this release, or not this user's (`uid`). */
int dsn__survival_ask(int dir, const char *name, unsigned uid, struct dsn_survival_identity *summary);

/* Removes one that has nothing in it, unless its process is just about to begin. */
void dsn__survival_remove_empty(int dir, const char *name);

/* Whether a survival file was put aside by the program that its process went on as. */
int dsn__survival_is_aside(const char *name);

/* The file, for reading, if it is a regular one of this user; -1: it is not. */
int dsn__survival_open_at(int dir, const char *name, unsigned uid, struct stat *st);

#endif
