/* emulation.h - the model of a slow shared file system, for all processes of a node
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Aggregate bandwidth depends on the number of transfers in service: it rises up to 16 of them and falls beyond, as has
 * been published of file servers; the figures of the curve are invented. Only opening, closing and writing take time,
 * in the thread that does it.
 *
 * The state is in memory shared by all processes. A transfer in service is an entry of a table, held by a robust mutex,
 * so that one whose thread has died counts for a tenth of a second at most. */
#ifndef LBIO_EMULATION_H
#define LBIO_EMULATION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LBIO_MOST_TRANSFERS    1024
#define LBIO_EMULATION_NAME    "LBIO_EMULATION" /* environment variable: path of the shared memory */
#define LBIO_EMULATION_VERSION 1

struct lbio_model {
#define N(key, value, least, most, help) int64_t key;
#include "emulation.def"
#undef N
};

struct lbio_emulation {
    uint32_t version, size; /* of this struct */
    struct lbio_model model;
    char directory[1024]; /* an absolute path without symbolic links: the files below it are slow */

    _Atomic(int64_t) writes, opens, closes;
    _Atomic(int64_t) bytes, charged; /* of writes; charged: at least `unit` each */
    _Atomic(int64_t) ns;             /* of all waits, as computed */
    atomic_int most;                 /* transfers in service at once */
    _Atomic(uint64_t) seed;
    _Atomic(int64_t) swept; /* when those of dead threads were looked for */
    atomic_int used;        /* entries of the table, at most */
    atomic_uchar is_busy[LBIO_MOST_TRANSFERS];
    pthread_mutex_t transfer[LBIO_MOST_TRANSFERS];
};

/* Reads "DIRECTORY[,KEY=VALUE...]". 0, or -1 with the reason in `why` (n bytes). */
int lbio__emulation_read(const char *text, struct lbio_model *m, char *directory, size_t size, char *why, size_t n);

/* Creates the shared memory, and its name in `path` (size bytes). NULL: errno. */
struct lbio_emulation *lbio__emulation_create(const struct lbio_model *m, const char *directory, char *path,
                                              size_t size);

/* The shared memory of this name. NULL: there is none, or it is not ours. */
struct lbio_emulation *lbio__emulation_attach(const char *path);

/* Each waits as long as the call would take in the emulated file system. */
void lbio__emulate_write(struct lbio_emulation *e, int64_t bytes);
void lbio__emulate_open(struct lbio_emulation *e);
void lbio__emulate_close(struct lbio_emulation *e);

/* The number of transfers in service, without those of dead threads if `exactly`. */
int lbio__emulation_served(struct lbio_emulation *e, int exactly);

/* Nanoseconds that one part of `bytes` takes while n transfers are served. */
int64_t lbio__emulation_time(const struct lbio_model *m, int64_t bytes, int n);

#endif
