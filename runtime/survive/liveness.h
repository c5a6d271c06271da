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

#include <stdint.h>

/* Of a file system's type (struct statfs), what is known of it. */
enum dsn_fs {
    DSN_FS_NEAR = 1, /* memory, or a disk of this node */
    DSN_FS_LOCKS = 2 /* a mapping keeps the locks of what was opened */
};
int dsn__fs_of(long type);

enum dsn_liveness {
    DSN_LIVENESS_UNKNOWN, /* locks say nothing on this file system, or to this process */
    DSN_LIVENESS_NOBODY,
    DSN_LIVENESS_SOMEBODY,
    DSN_LIVENESS_REFUSED /* dsn__liveness_lock: another process is removing the file, which it has found unlocked */
};

/* Locks the file for as long as what is mapped by this descriptor. */
enum dsn_liveness dsn__liveness_lock(int fd);

/* Whether any process has it locked. */
enum dsn_liveness dsn__liveness_ask(int fd);

/* Opens a file that is to be removed or renamed and keeps others from locking it until the descriptor is closed. -1: it
 * cannot be opened, or with EAGAIN: somebody has locked it, or the name is another file's by now. */
int dsn__liveness_refuse(int dir, const char *name);

/* A number for the PID namespace of this process; 0: it is not known. */
int64_t dsn__pid_space(void);

/* ns of CLOCK_BOOTTIME */
int64_t dsn__boot_time(void);

/* Whether the process `pid` of this PID namespace that existed at `created` (dsn__boot_time) has ended; one of the same
 * number that began later is another process. */
int dsn__process_is_dead(int64_t pid, int64_t created);

/* How many threads this process has; 0: it is not known. */
int64_t dsn__threads(void);

/* Whether the process has a file of this name mapped, by /proc; 0 as well if that cannot be known. */
int dsn__process_maps(int64_t pid, const char *name);

/* What a survival file says of its owner. */
struct dsn_owner {
    enum dsn_liveness hold;
    int is_locked;      /* the process has held it when it was made */
    int64_t executes;   /* since then (dsn__boot_time) another program, which does not hold it; 0: it does not */
    int64_t pid, space; /* 0: not known */
    int64_t created;
};

/* Whether the owner is certain to have ended. */
int dsn__owner_is_dead(const struct dsn_owner *h);

#endif
