/* filter.h - processes that install a system call filter
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program may install a filter (seccomp) that kills it for a call that it does not make: the filter knows the program's
 * calls, not this library's. A process that is about to install one therefore ends for this library: it writes its log, or
 * leaves its records to whoever writes it, and goes on as if the library were not there. Its log says that it is not
 * complete. Programs that it executes have the same filter, and are not recorded. Only filters of the process itself are
 * known: one that was installed before the first program of the process tree is not, and has to allow what the library
 * does, or fail it with an error, as those of containers do. */
#ifndef DSN_LIFE_FILTER_H
#define DSN_LIFE_FILTER_H

/* A filter is about to be installed. Returns whether that ended the recording. */
int dsn__filter_begin(void);

/* Installing it has failed: another recording begins if it was ended. */
void dsn__filter_failed(int ended);

/* Whether this program was executed by a process that had installed a filter. */
int dsn__has_inherited_filter(void);

#endif
