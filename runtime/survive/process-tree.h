/* process-tree.h - which process collects what, and under which names it is left
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first instrumented process and all that descend from it are one process tree: the first one, its root process, makes the log of
 * all. The ranks of an MPI job are one process tree with a root process each. All files of a process tree lie in one directory of the user
 * (survive/survival.h), named by the process tree's key and the number of a process:
 *
 *     k<key>-<pid>.image     what a process has counted, while it runs or after it was killed
 *     k<key>-<pid>.spools    what those have left behind that ended before this root process: exit records (survive/exit-record.h), one after
 *                            the other
 *
 * Where containers share the directory several processes of a process tree may have the same number, each in a space of its own:
 * the one that comes later adds DSN_NUMBER_STEP, as often as need be. All numbers below are of this kind.
 *
 * A program that is executed finds its process tree by the environment: DARSHAN_FAMILY is set by the root process. */
#ifndef DSN_SURVIVE_PROCESS_TREE_H
#define DSN_SURVIVE_PROCESS_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DSN_TREE_VARIABLE "DARSHAN_FAMILY"

/* Whether a program that is executed belongs to a process tree that is there: then it records. */
int dsn__process_tree_is_there(void);

/* Finds the process tree of a process that starts, or founds one; its clock, which runs, goes on from that of the process tree.
 * `forked`: it has the state of its parent. */
void dsn__process_tree_join(int forked);

/* The process has become a rank of MPI: one of the process tree `key`, as a root process. */
void dsn__process_tree_rank(uint64_t key, int rank, int nranks);

/* The same by what the launcher of MPI has put into the environment. 0: it has not. */
int dsn__process_tree_session(void);

/* The processes to which this one may leave what it has counted: to the first of them that is there to take it. Returns
 * how many; 0: it makes a log. */
#define DSN_COLLECTORS 2
int dsn__collectors(int64_t pids[DSN_COLLECTORS]);

/* Appends `size` bytes to the exit records of `collector`, unless it has stopped collecting. 0: that is so, or they cannot be
 * written. */
int dsn__process_tree_leave(int64_t collector, const void *bytes, size_t size);

/* Appends `size` bytes to a file of the process tree, in one piece; 0: they cannot be written. */
int dsn__process_tree_append(const char *path, const void *bytes, size_t size);

/* This process, of whose survival file `fd` is the file (-1: it is not there any more), stops collecting: those that end after
 * it make logs of their own. Who is writing to its exit records is waited for. */
void dsn__process_tree_close(int fd);

#endif
