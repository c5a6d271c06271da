/* environment.h - a variable for the programs that this one starts
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CORE_ENVIRONMENT_H
#define DSN_CORE_ENVIRONMENT_H

/* As setenv(name, value, 1), but a process of one thread does not call malloc for it: a program that never does would
 * have a heap for this variable alone. Returns 0 where there is no memory. */
int dsn__environment_set(const char *name, const char *value);

#endif
