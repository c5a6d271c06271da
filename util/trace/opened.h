/* opened.h - tracks descriptors of processes through a trace of system calls
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_OPENED_H
#define DSN_TRACE_OPENED_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/idmap.h"

#define DSN__MAX_DESCRIPTOR 65535

/* An open file description, which several descriptors may share. */
struct dsn__opened {
    uint64_t refs;
    uint64_t id;       /* unique per open */
    uint64_t position; /* file offset */
    uint64_t size;     /* as far as known */
    int seekable;      /* it can be seeked */
    int appends;       /* O_APPEND */
    int sized;         /* its size is known */
    char *path;        /* NULL: unknown */
};

struct dsn__descriptors; /* of a process, or shared by several */

struct dsn__processes {
    struct dsn__idmap index;
    struct dsn__process {
        uint64_t id;
        struct dsn__descriptors *of;
        char *pending; /* start of a call that continues on another line; NULL: none */
        uint64_t pending_start;
    } * all;
    size_t room;
    uint64_t last_id; /* last id assigned */
};

void dsn__processes_init(struct dsn__processes *p);
void dsn__processes_free(struct dsn__processes *p);

/* NULL: no memory. Valid until the next call. */
struct dsn__process *dsn__process_of(struct dsn__processes *p, uint64_t id);

/* The open file of a descriptor; NULL: none, or unknown. */
struct dsn__opened *dsn__opened(const struct dsn__process *p, uint64_t fd);

/* Opens a file; closes what the descriptor referred to. NULL: no memory, or invalid descriptor. */
struct dsn__opened *dsn__open(struct dsn__processes *all, struct dsn__process *p, uint64_t fd, const char *path,
                              size_t length);
void dsn__close(struct dsn__process *p, uint64_t fd);

/* Returns 0 if out of memory. */
int dsn__duplicate(struct dsn__process *p, uint64_t from, uint64_t to);

/* A process inherits the descriptors of another one, or shares them. Returns 0 if out of memory. */
int dsn__inherit(struct dsn__processes *p, uint64_t parent, uint64_t child, int shared);

/* Closes all descriptors of a process. */
void dsn__exit(struct dsn__process *p);

#endif
