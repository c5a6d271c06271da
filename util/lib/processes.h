/* processes.h - the processes of a log that started each other, as a script and its commands do, and when they ran
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_PROCESSES_H
#define DSN_PROCESSES_H

#include <stdint.h>

#include "log.h"

struct dsn_listed_process {
    int64_t rank;
    int is_gone;       /* it executed a program that is not in the log */
    double begin, end; /* while it recorded, seconds since 1970; 0, -1: unknown */
};

/* What the part "processes" says; n 0: there is none, or it is damaged, which affects no figure. */
struct dsn_processes {
    struct dsn_listed_process *list;
    size_t n;
    int is_tree;    /* they are ranks themselves; what an MPI rank starts has the number of that rank */
    int64_t killed; /* by a signal */
    char *lines;    /* for dsn_process_command() */
    unsigned version;
};

/* Returns DSN_ERR_OK or MEMORY; free it in either case. */
int dsn_processes_read(struct darshan_reader *log, struct dsn_processes *out);
void dsn_processes_free(struct dsn_processes *p);

/* The next command line, not NUL-terminated, of one that was executed by one of them; *at: NULL at first. NULL: the last was
 * before. */
const char *dsn_process_command(const struct dsn_processes *p, const char **at, size_t *length);

/* A rank that does I/O for so many seconds, within the time in which it runs. */
struct dsn_turn {
    double begin, end, seconds;
    size_t rank;
    double most;   /* of the best sequence among this and all that ended before */
    size_t before; /* how many had ended when it began */
};

/* Ranks of a tree whose times are known; *n of them, without seconds. Returns DSN_ERR_OK or MEMORY; free *out. */
int dsn_turns_make(const struct dsn_processes *p, size_t nranks, struct dsn_turn **out, size_t *n);

/* Processes that did not run at once cannot have waited at once. Of all sequences of such: the seconds of the one with most of
 * them, which have passed, then, at least. Sorts by end. */
double dsn_turns_longest(struct dsn_turn *t, size_t n);

/* One of this sequence, from the last to the first: *i is n at first. NULL: the last was before. */
const struct dsn_turn *dsn_turns_next(const struct dsn_turn *t, size_t *i);

#endif
