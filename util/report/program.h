/* program.h - what ran, by a command line
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_PROGRAM_H
#define DSN_PROGRAM_H

/* Whether it is an interpreter, such as Python, or a script of one: these seek, stat and buffer by themselves, and their
 * users cannot call pread. */
int dsn_is_interpreter(const char *command);

#define DSN_PROGRAM_NAME 64

/* "train.x", or of an interpreter with what it runs "python3 train.py": without folders. */
void dsn_program_name(const char *command, char to[DSN_PROGRAM_NAME]);

#endif
