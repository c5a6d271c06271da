/* phase.h - phases that the program has named: what is called in each
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread has phases of its own; they may contain each other, and a call counts in the innermost one. A thread without
 * a phase pays for one comparison. What is counted goes to a record of the phase (darshan-log-format/phase.def), which is
 * reduced over the ranks as a file's is. */
#ifndef DSN_MODULE_SHARED_PHASE_H
#define DSN_MODULE_SHARED_PHASE_H

/* The thread begins a phase; ends the innermost one of that name, or, if it is NULL, the innermost one. */
void dsn__phase_begin(const char *name);
void dsn__phase_end(const char *name);

/* The thread ends all of its phases. */
void dsn__phase_end_all(void);

/* For a process that starts, or starts over: no thread is in a phase. */
void dsn__phase_forget(void);

#endif
