/* process-tree.h - which process collects the records of which, and the names of the files that they are left in
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first instrumented process and its descendants are one process tree. The first one is its root process, which
 * makes the log of all. The ranks of an MPI job are one process tree in which every rank is a root process. All files
 * of a process tree lie in one directory of the user (survive/survival.h). Their names have the key of the tree and the
 * number of a process:
 *
 *     k<key>-<pid>.survival        the survival file of this process
 *     k<key>-<pid>.exit_records    for this process, their collector, by processes that have ended; or its own
 *                                  (survive/exit-record.h)
 *
 * Containers may share the directory but not their process numbers (PID namespaces). If two processes of one tree have
 * the same number, the later one adds DSN_NUMBER_STEP until it is unique. All numbers below are of this kind.
 *
 * The root process sets DARSHAN_PROCESS_TREE in the environment, by which programs that are executed find their process
 * tree. A program that a process of an earlier release executes, because a site has updated while a job runs, finds what that
 * one calls it (dsn__namings): it founds a tree of its own, but knows that it is not the first program. */
#ifndef DSN_SURVIVE_PROCESS_TREE_H
#define DSN_SURVIVE_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the environment names a process tree whose files exist: then this program is instrumented. */
bool dsn__process_tree_is_there(void);

/* Whether this program is the first of its process tree: it was not started by another one that was recorded, nor exec'ed
 * by itself. */
bool dsn__process_tree_is_first(void);

/* Joins the process tree of a process that starts, or founds one. The clock, which runs already, takes over the tree's
 * time zero. `forked`: the state is a copy of the parent's. */
void dsn__process_tree_join(int forked);

/* The process has become a rank of MPI: it moves to process tree `key`, as a root process. */
void dsn__process_tree_rank(uint64_t key, int rank, int nranks);

/* The same with what the launcher has put into the environment; false: nothing. */
bool dsn__process_tree_session(void);

/* The collectors of this process, in the order in which they are tried. Returns how many; 0: it makes a log. */
#define DSN_COLLECTORS 2
int dsn__collectors(int64_t pids[DSN_COLLECTORS]);

/* Whether another process is the root of the process tree, and still runs: it makes the log, and takes the survival files
 * that are left. */
bool dsn__process_tree_has_other_root(void);

/* Appends an exit record of `size` bytes for `collector`. false: it accepts none any more, or the file cannot be
 * written. */
bool dsn__process_tree_append_for(int64_t collector, const void *bytes, size_t size);

/* Appends `size` bytes to a file of exit records, in one piece; false: they cannot be written. */
bool dsn__process_tree_append(const char *path, const void *bytes, size_t size);

/* This process accepts no exit records any more; who is writing one is waited for. Processes that end later make logs
 * of their own. Returns false if it has another user's rights by now, or another root directory, and cannot reach its process
 * tree's files any more: its records stay in its survival file, which the root process takes. */
bool dsn__close_for_exit_records(void);

#endif
