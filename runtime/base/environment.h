/* environment.h - variables of the environment, read and set
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_ENVIRONMENT_H
#define DSN_BASE_ENVIRONMENT_H

/* As secure_getenv(name). */
const char *dsn__environment_get(const char *name);

/* Most variables that are asked for at the start are not there, and to go through the whole environment for each of
 * them takes longer than all else that is done with settings. Between these two, while the application does not set
 * any, it is gone through once for all that are not there. */
void dsn__environment_note(void);
void dsn__environment_forget(void);

/* As setenv(name, value, 1), but a process of one thread does not call malloc for it: a program that never does would
 * have a heap for this variable alone. Returns 0 where there is no memory. */
int dsn__environment_set(const char *name, const char *value);

#endif
