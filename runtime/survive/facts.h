/* facts.h - what an image says of its process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_FACTS_H
#define DSN_FACTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "survive/running.h"

/* Beginnings of an image's contents. */
struct dsn_image_facts {
    struct dsn_holder holder;
    int64_t pid, host, parent;
    int64_t rank, nranks;
    int is_mpi;
    uint64_t key;
    int64_t jobid;
    int is_empty; /* it has nothing in it: but for the holder the rest is not known */
};

/* What an image says of itself. 0: it is none of this release, or not this user's (`uid`). */
int dsn__image_ask(int dir, const char *name, unsigned uid, struct dsn_image_facts *facts);

/* Removes one that has nothing in it, unless its process is just about to begin. */
void dsn__image_remove_empty(int dir, const char *name);

/* Whether an image was put aside by the program that its process went on as. */
int dsn__image_is_aside(const char *name);

/* The file, for reading, if it is a regular one of this user; -1: it is not. */
int dsn__image_open_at(int dir, const char *name, unsigned uid, struct stat *st);

#endif
