/* liveness.h - whether the process that a survival file is of still runs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Containers of a node may share the directory of survival files, and not the numbers of processes: the number of a process that
 * runs in one of them is nobody's in another one, or somebody else's. So a process holds its survival file, by a lock of the open
 * file description (F_OFD_SETLK). No descriptor is needed for that: the mapping keeps the description, and with it the
 * lock, until the process ends or executes another program, in whatever way; the kernel then drops it. Whoever can open
 * the file sees the lock, in any space of process numbers and without /proc.
 *
 * A child that was made by a bare system call has the mapping, too, as long as it executes nothing: the survival file is held until
 * both are dead. A file system that maps another file than was opened (overlayfs) keeps no lock; there, and where locks
 * are refused, a survival file says in which space of numbers its process has its own, and only those who live in the same
 * space know whether it runs. All others take it for running. */
#ifndef DSN_SURVIVE_LIVENESS_H
#define DSN_SURVIVE_LIVENESS_H

#include <stdint.h>

/* Of a file system's type (struct statfs), what is known of it. */
enum dsn_fs {
    DSN_FS_NEAR = 1, /* memory, or a disk of this node */
    DSN_FS_LOCKS = 2 /* a mapping keeps the locks of what was opened */
};
int dsn__fs_of(long type);

enum dsn_liveness {
    DSN_LIVENESS_UNKNOWN, /* on this file system, or to this process, locks say nothing */
    DSN_LIVENESS_NOBODY,
    DSN_LIVENESS_SOMEBODY,
    DSN_LIVENESS_REFUSED /* of dsn__liveness_lock: the file is about to be removed by one who has found it held by nobody */
};

/* Holds the file as long as what is mapped by this descriptor is. */
enum dsn_liveness dsn__liveness_lock(int fd);

/* Whether any process holds it. */
enum dsn_liveness dsn__liveness_ask(int fd);

/* Until the descriptor, which is open for writing, is closed nobody can hold it. 0: somebody does. */
int dsn__liveness_refuse(int fd);

/* A number for the space of process numbers that this process lives in; 0: it is not known. */
int64_t dsn__pid_space(void);

/* ns of CLOCK_BOOTTIME */
int64_t dsn__boot_time(void);

/* Whether the process of this number, in the space of this process, that was there at `created` (of dsn__boot_time) runs no
 * more: a process of the same number that began later is another one. */
int dsn__process_is_dead(int64_t pid, int64_t created);

/* How many threads this process has; 0: it is not known. */
int64_t dsn__threads(void);

/* Whether the process has a file of this name mapped, by /proc; 0 as well if that cannot be known. */
int dsn__process_maps(int64_t pid, const char *name);

/* What a survival file says of its process. */
struct dsn_owner {
    enum dsn_liveness hold;
    int is_locked;      /* the process has held it when it was made */
    int64_t executes;   /* since then (dsn__boot_time) another program, which does not hold it; 0: it does not */
    int64_t pid, space; /* 0: not known */
    int64_t created;
};

/* Whether it runs no more. Only what is known for sure makes it 1. */
int dsn__owner_is_dead(const struct dsn_owner *h);

#endif
