/* sandbox.h - processes under a seccomp filter that may kill them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program may install a system call filter (seccomp) that kills it for a call that is not allowed: the filter knows
 * the program's calls, not this library's. From then on the library makes none: files whose memory is already allocated
 * are counted on, further files are aggregated, and the records stay in the survival file (survive/survival.h), from
 * which the root process or darshan-recover makes the log. A filter that returns errors needs none of this, because
 * errors are handled everywhere. A filter installed before the first program of the process tree is not known; those of
 * containers return errors. */
#ifndef DSN_LIFE_SANDBOX_H
#define DSN_LIFE_SANDBOX_H

struct sock_fprog;

/* Whether the filter kills the process for a call that this library makes, or may do so depending on arguments.
 * `filter` is the application's pointer, and may be invalid: the kernel will report that. */
int dsn__filter_ends(const struct sock_fprog *filter);

enum dsn_sandbox {
    DSN_NO_SANDBOX, /* recording continues unchanged */
    DSN_SANDBOX,    /* no system calls are made from now on */
    DSN_SANDBOX_END /* the log has been written, because there is no survival file to leave records in */
};

/* Such a filter is about to be installed. */
enum dsn_sandbox dsn__sandbox_begin(const struct sock_fprog *filter);

/* Installing it failed. */
void dsn__sandbox_failed(enum dsn_sandbox begun);

/* System calls are allowed again: MPI makes more kinds of calls than this library. */
void dsn__sandbox_forget(void);

/* Whether this program was executed by a process in a sandbox, and so runs in the same one: it is not recorded. */
int dsn__is_sandboxed(void);

#endif
