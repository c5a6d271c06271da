/* inherit.h - descriptors that a forked child has from its parent
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of those that a program is given when it is executed, standard input and output among them, nothing is known at
 * first: their entries lead to descriptions that stand for what they may be (dsn__fds->inherited), until one is used.
 * Then the kernel is asked, once (dsn__fd_known). */
#ifndef DSN_RECORD_INHERIT_H
#define DSN_RECORD_INHERIT_H

/* What the tables say, before they are forgotten (dsn__pages); NULL: nothing, or no memory. */
struct dsn_inherited *dsn__inherit_note(void);

/* The same descriptors, with records of this process's own. */
void dsn__inherit_take(struct dsn_inherited *from);

#endif
