/* plan.h - what rank 0 learns of all ranks in one sweep up, and what it tells them in one sweep down
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Pure functions over blocks of bytes (dsn__pages), the same for 2 ranks and for simulated millions. Up go the rank
 * summaries: the ids that all ranks of the subtree know, and sums over them. Down goes the plan: which ids are shared
 * and in which modules (spec reductions.md 1), what number each node has, and who writes the log. */
#ifndef DSN_REDUCE_PLAN_H
#define DSN_REDUCE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define DSN_HOST_NAME_MAX 64

/* A record id and the modules (bit: enum dsn_module_index) that have a record of it; above them DSN_MORE_VALUES. */
struct dsn_known_id {
    uint64_t id, modules;
};

#define DSN_ID_MODULES ((UINT64_C(1) << 32) - 1)
#define DSN_MORE_VALUES                                                                                                \
    (UINT64_C(1) << 32) /* << module index: some rank's record has more frequent values than a record holds */

/* A compute node, by its name's hash and by the lowest rank on it. */
struct dsn_node {
    uint64_t hash;
    int64_t rank;
    char name[DSN_HOST_NAME_MAX];
};

/* ------------------------------------------------------------------ rank summaries */

/* Of a time that each of n ranks has: sum, and sum of the squares of the differences to the mean. */
struct dsn_time_spread {
    int64_t n;
    double sum, squares;
};

/* The head of a block; followed by the known ids, ascending, then the nodes by ascending hash. */
struct dsn_rank_summary {
    int64_t ranks, participants;                      /* all; and those that record: the others have no ids */
    int64_t start_sec, start_nsec, end_sec, end_nsec; /* Unix time: the first to start, the last to end */
    int64_t ended;     /* ns from the start of a rank to the end of its records, on the rank where that is longest */
    int64_t took_init; /* largest initialisation time of the library in ns */
    int64_t lowest_records;            /* whether the lowest of these ranks records */
    uint64_t active;                   /* bit: module index in use */
    uint64_t partial;                  /* bit: module id */
    uint64_t bytes;                    /* of names and records before compression, if nothing was shared */
    struct dsn_time_spread comm, sync; /* seconds in MPI, and of these waiting; of ranks with an APMPI record */
    uint64_t nids, nnodes;
};

struct dsn_known_id *dsn__rank_summary_ids(const struct dsn_rank_summary *summary);
struct dsn_node *dsn__rank_summary_nodes(const struct dsn_rank_summary *summary);
size_t dsn__rank_summary_size(const struct dsn_rank_summary *summary);

/* A zeroed block with room for this many ids and nodes; NULL if there is no memory. */
struct dsn_rank_summary *dsn__rank_summary_new(uint64_t nids, uint64_t nnodes);

/* Merges two summaries, `theirs` of higher ranks; frees `mine`. NULL if there is no memory; `mine` is then
 * unchanged. */
struct dsn_rank_summary *dsn__rank_summary_join(struct dsn_rank_summary *mine, const struct dsn_rank_summary *theirs);

/* ------------------------------------------------------------------ the plan */

/* The head of a block; followed by the shared ids, ascending, the nodes' numbers by ascending hash, and the path. */
struct dsn_plan {
    int64_t reduce; /* shared records are to be reduced */
    int64_t ended;  /* as in the summaries, over all ranks */
    /* 0: rank 0 writes everything; else the lowest of this many ranks (a power of two) writes for all of them */
    int64_t ranks_per_writer;
    int64_t stamps;                    /* CPU times beside traces, per rank at most */
    struct dsn_time_spread comm, sync; /* as in the summaries, over all ranks */
    uint64_t n;                        /* ids */
    uint64_t nnodes;
    uint64_t path_size; /* of the log that is being written, with its NUL; 0 if rank 0 writes it */
};

struct dsn_node_number {
    uint64_t hash, number;
};

const struct dsn_known_id *dsn__plan_shared_ids(const struct dsn_plan *p);
const struct dsn_node_number *dsn__plan_nodes(const struct dsn_plan *p);
const char *dsn__plan_path(const struct dsn_plan *p);
size_t dsn__plan_size(const struct dsn_plan *p);

/* Ranks per writer for these summaries: logs that take up to about `limit` bytes are written by rank 0 (0), others by
 * about `writers` ranks of each node, or fewer, so that each has about a 16th of the limit at least. `names` are the bytes of a
 * rank's names of what all know. */
int64_t dsn__plan_ranks_per_writer(const struct dsn_rank_summary *summary, int reduce, uint64_t names, uint64_t limit,
                                   int64_t writers);

/* Makes the plan for these summaries; `path` may be NULL. Nothing is shared if rank 0, which writes shared records,
 * records nothing. NULL if there is no memory. */
struct dsn_plan *dsn__plan_make(const struct dsn_rank_summary *summary, int reduce, int64_t ranks_per_writer,
                                const char *path);

/* The modules in which all ranks share an id; 0: none. */
uint64_t dsn__shared_modules(const struct dsn_plan *p, uint64_t id);

/* The number of a node; nodes are numbered by their lowest rank. 0 for an unknown one. */
uint64_t dsn__node_number(const struct dsn_plan *p, uint64_t hash);

#endif
