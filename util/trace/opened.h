/* opened.h - descriptors of processes, as a trace of their system calls lets one follow them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_OPENED_H
#define DSN_TRACE_OPENED_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/idmap.h"

#define DSN__MAX_DESCRIPTOR 65535

/* An open file, which several descriptors may be of. */
struct dsn__opened {
    uint64_t refs;
    uint64_t id;       /* a new one for every open */
    uint64_t position; /* of the cursor */
    uint64_t size;     /* as far as the trace tells */
    int seekable;      /* it has places */
    int appends;       /* what is written goes to its end */
    int sized;         /* its size is known */
    char *path;        /* NULL: not known */
};

struct dsn__descriptors; /* of a process, or of several that share them */

struct dsn__processes {
    struct dsn__idmap index;
    struct dsn__process {
        uint64_t id;
        struct dsn__descriptors *of;
        char *pending; /* the beginning of a call whose end is another line; NULL: none */
        uint64_t pending_start;
    } * all;
    size_t room;
    uint64_t last_id; /* given to a file */
};

void dsn__processes_init(struct dsn__processes *p);
void dsn__processes_free(struct dsn__processes *p);

/* NULL: there is no memory. Valid until the next call. */
struct dsn__process *dsn__process_of(struct dsn__processes *p, uint64_t id);

/* The open file behind a descriptor; NULL: none, or not known. */
struct dsn__opened *dsn__opened(const struct dsn__process *p, uint64_t fd);

/* A file that was opened; what the descriptor was before is closed. NULL: no memory, or no such descriptor can be. */
struct dsn__opened *dsn__open(struct dsn__processes *all, struct dsn__process *p, uint64_t fd, const char *path,
                              size_t length);
void dsn__close(struct dsn__process *p, uint64_t fd);

/* Returns 0 if there is no memory. */
int dsn__duplicate(struct dsn__process *p, uint64_t from, uint64_t to);

/* A process that begins with the descriptors of another one, or shares them. Returns 0 if there is no memory. */
int dsn__inherit(struct dsn__processes *p, uint64_t parent, uint64_t child, int shared);

/* All of its descriptors are closed. */
void dsn__exit(struct dsn__process *p);

#endif
