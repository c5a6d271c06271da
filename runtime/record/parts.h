/* parts.h - the parts of a record that many threads use at a time
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that often wait for a record's lock get parts of their own of it: full records of the same file, in the
 * module's list, too. Each counts there, in memory that no other thread writes. What depends on the order of calls
 * (consecutive and sequential accesses, strides, switches) is then the order in one thread. Once all records and parts are final,
 * the parts are joined, as records of several ranks are; only cumulative times are the whole's from the beginning
 * (dsn__add_time_later).
 *
 * The joined record has a place of its own, so that the process may be killed at any moment: until it is complete, the
 * whole and its parts are what is recovered, and from then on only it. */
#ifndef DSN_RECORD_PARTS_H
#define DSN_RECORD_PARTS_H

/* Joins the parts of all records, which are final. */
struct dsn_recording;
void dsn__parts_join(const struct dsn_recording *r);

#endif
