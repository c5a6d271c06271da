/* environment.h - get and set environment variables
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_ENVIRONMENT_H
#define DSN_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* As secure_getenv(name). */
const char *dsn__environment_get(const char *name);

/* Most variables looked up at start are not set, and scanning the whole environment for each takes longer than all
 * other handling of settings. Between these two calls, and while the application sets none, one scan answers for all
 * that are not set. */
void dsn__environment_note(void);
void dsn__environment_forget(void);

/* As setenv(name, value, 1), but a single-threaded process does not call malloc for it: a program that never allocates
 * would get a heap for this variable alone. Returns false if there is no memory. */
bool dsn__environment_set(const char *name, const char *value);

#endif
