/* family.h - which process collects what, and under which names it is left
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The first instrumented process and all that descend from it are one family: the first one, its host, makes the log of
 * all. The ranks of an MPI job are one family with a host each. All files of a family lie in one directory of the user
 * (survive/image.h), named by the family's key and the number of a process:
 *
 *     k<key>-<pid>.image     what a process has counted, while it runs or after it was killed
 *     k<key>-<pid>.spools    what those have left behind that ended before this host: spools (survive/spool.h), one after
 *                            the other
 *
 * Where containers share the directory several processes of a family may have the same number, each in a space of its own:
 * the one that comes later adds DSN_NUMBER_STEP, as often as need be. All numbers below are of this kind.
 *
 * A program that is executed finds its family by the environment: DARSHAN_FAMILY is set by the host. */
#ifndef DSN_CORE_FAMILY_H
#define DSN_CORE_FAMILY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DSN_FAMILY_VARIABLE "DARSHAN_FAMILY"

/* Whether a program that is executed belongs to a family that is there: then it records. */
int dsn__family_is_there(void);

/* Finds the family of a process that starts, or founds one; its clock, which runs, goes on from that of the family.
 * `forked`: it has the state of its parent. */
void dsn__family_join(int forked);

/* The process has become a rank of MPI: one of the family `key`, as a host. */
void dsn__family_rank(uint64_t key, int rank, int nranks);

/* The same by what the launcher of MPI has put into the environment. 0: it has not. */
int dsn__family_session(void);

/* The processes to which this one may leave what it has counted: to the first of them that is there to take it. Returns
 * how many; 0: it makes a log. */
#define DSN_HEIRS 2
int dsn__family_heirs(int64_t pids[DSN_HEIRS]);

/* Appends `size` bytes to the spools of `heir`, unless it has stopped collecting. 0: that is so, or they cannot be
 * written. */
int dsn__family_leave(int64_t heir, const void *bytes, size_t size);

/* Appends `size` bytes to a file of the family, in one piece; 0: they cannot be written. */
int dsn__family_append(const char *path, const void *bytes, size_t size);

/* This process, of whose image `fd` is the file (-1: it is not there any more), stops collecting: those that end after
 * it make logs of their own. Who is writing to its spools is waited for. */
void dsn__family_close(int fd);

#endif
