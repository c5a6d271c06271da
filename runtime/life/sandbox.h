/* sandbox.h - a process that may be ended for a system call
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program may install a filter of system calls (seccomp) that ends it at a call that is not allowed: it knows its own
 * calls, not those of this library. From then on the library makes none: what has its memory already is counted on,
 * further files are counted together, and what was counted stays in its survival file (survive/survival.h), of which
 * the root process or darshan-recover makes the log. A filter that answers with an error needs none of that, for errors
 * are expected everywhere. Nothing is known of one that was there before the first program of the process tree; those
 * of containers answer with errors. */
#ifndef DSN_LIFE_SANDBOX_H
#define DSN_LIFE_SANDBOX_H

struct sock_fprog;

/* Whether the filter ends a process for one of the calls that this library makes, or may do so by their arguments.
 * `filter` is the application's, and may lead nowhere: the kernel will say so. */
int dsn__filter_ends(const struct sock_fprog *filter);

enum dsn_sandbox {
    DSN_NO_SANDBOX, /* nothing has changed */
    DSN_SANDBOX,    /* no calls are made from now on */
    DSN_SANDBOX_END /* the log was made, for there is no survival file in which to leave what is counted */
};

/* Such a filter is about to be installed. */
enum dsn_sandbox dsn__sandbox_begin(const struct sock_fprog *filter);

/* It was not. */
void dsn__sandbox_failed(enum dsn_sandbox begun);

/* Calls are made again: MPI makes more of them than this library. */
void dsn__sandbox_forget(void);

/* Whether this program was executed by a process in a sandbox, which is one for it, too: it is not recorded. */
int dsn__is_sandboxed(void);

#endif
