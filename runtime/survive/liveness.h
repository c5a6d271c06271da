/* liveness.h - whether the owner of a survival file still runs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pid says little: containers of a node may share the directory of survival files but not the PID namespace, so that
 * the same number is another process elsewhere. Therefore the owner holds a lock of the open file description
 * (F_OFD_SETLK) on its file. It needs no descriptor for that: the mapping keeps the description, and with it the lock,
 * until the process ends or executes another program; then the kernel drops it. Whoever can open the file can ask for
 * the lock, in any PID namespace, without /proc.
 *
 * A child made by a bare system call shares the mapping until it executes something: the file is locked until both have
 * ended. Some file systems map another file than the one that was opened (overlayfs), or refuse locks. There the file
 * names its owner's PID namespace: processes of that namespace ask for the pid, all others take the owner to be
 * alive. */
#ifndef DSN_SURVIVE_LIVENESS_H
#define DSN_SURVIVE_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

/* Properties of a file system, by its statfs type. */
enum dsn_fs {
    DSN_FS_NEAR = 1, /* memory, or a disk of this node */
    DSN_FS_LOCKS = 2 /* a mapping keeps the locks of what was opened */
};
int dsn__fs_of(long type);

enum dsn_liveness {
    DSN_LIVENESS_UNKNOWN, /* locks say nothing on this file system, or in this process */
    DSN_LIVENESS_NOBODY,
    DSN_LIVENESS_SOMEBODY,
    DSN_LIVENESS_REFUSED /* dsn__liveness_lock: another process is removing the file, which it found unlocked */
};

/* Locks the file for as long as the mapping of this descriptor exists. */
enum dsn_liveness dsn__liveness_lock(int fd);

/* Whether any process has locked it. */
enum dsn_liveness dsn__liveness_of(int fd);

/* Opens a file that is about to be removed or renamed, and prevents locking by others until the descriptor is closed.
 * Returns -1 if it cannot be opened; errno is EAGAIN if it is locked, or the name now belongs to another file. */
int dsn__liveness_prevent(int dir, const char *name);

/* A number that identifies the PID namespace of this process; 0: unknown. */
int64_t dsn__pid_space(void);

/* ns of CLOCK_BOOTTIME */
int64_t dsn__boot_time(void);

/* Whether the process `pid` of this PID namespace that existed at `created` (dsn__boot_time) has ended; a later process
 * with the same pid is another one. */
bool dsn__process_is_dead(int64_t pid, int64_t created);

/* Number of threads of this process; 0: unknown. */
int64_t dsn__threads(void);

/* Whether the process has mapped a file of this name, according to /proc; false also if unknown. */
bool dsn__process_maps(int64_t pid, const char *name);

/* The owner according to its survival file. */
struct dsn_owner {
    enum dsn_liveness hold;
    int was_locked;     /* the process locked it when it created it: then the lock says whether it still has it */
    int64_t executes;   /* time (dsn__boot_time) of an exec to a program that does not lock it; 0: none */
    int64_t pid, space; /* 0: unknown */
    int64_t created;
};

/* Whether the owner is certain to have ended. */
bool dsn__owner_is_dead(const struct dsn_owner *h);

#endif
