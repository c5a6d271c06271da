/* sites.h - which places of the program make its calls (DARSHAN_CALLSITES)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For each file, layer and chain of calls there is a record (darshan-log-format/site.def), which is reduced over the ranks as a
 * file's is; dsn__count_beside() counts in it. A chain's own record has its text in its name.
 *
 * A stack is walked (base/unwind.h) when a place is new. It is known again by the return addresses that lie where they lay, so that
 * each call is counted where it belongs; for lines of Python a stack is looked at as often as 3 % of the time in calls allow. Of
 * calls of less than a microsecond, after the first thousand of a thread, one in 16 is looked at, and stands
 * for 16. */
#ifndef DSN_MODULE_SHARED_SITES_H
#define DSN_MODULE_SHARED_SITES_H

#include <stdbool.h>

/* When recording begins, or begins anew; and when a forked child starts over. `is_asked_for`: else nothing is counted. */
void dsn__sites_start(bool is_asked_for);

/* In a forked child, before anything else here: what may hang in it is not done there. `had_threads`: when it was forked. */
void dsn__sites_child_begins(bool had_threads);

/* Whether a name is the text of a chain of calls; it begins behind these bytes. */
#define DSN_STACK_NAME "stack:"

#endif
