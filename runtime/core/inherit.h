/* inherit.h - descriptors that a forked child has from its parent
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CORE_INHERIT_H
#define DSN_CORE_INHERIT_H

/* What the tables say, before they are forgotten (dsn__pages); NULL: nothing, or no memory. */
struct dsn_inherited *dsn__inherit_note(void);

/* The same descriptors, with records of this process's own. */
void dsn__inherit_take(struct dsn_inherited *from);

#endif
