/* run.h - `darshan run`: a command is recorded, and when it has ended, its summary is printed
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RUN_H
#define DSN_RUN_H

struct dsn_program_run {
    char **argv;        /* the command, NULL at the end */
    const char *output; /* where the directory for the logs is made; NULL: among the user's runs */
    const char *page;   /* file for the report in HTML; NULL: none */
    int trace;          /* with single reads and writes */
    int where;          /* with the lines that make the calls */
    int quiet;          /* no summary */
};

/* Runs it. Returns its exit status, 127 if there is no such command; ends by the signal that ended it. What is printed
 * goes to stderr, after its end. */
int dsn_program_run(const struct dsn_program_run *run);

/* Replaces this process by another command of ours: that beside this one, or of PATH. Returns an exit status. */
int dsn_exec_own(const char *name, char *const *argv);

/* The same in a process of its own, with its output to a descriptor; -1: nowhere, as what it says on stderr. Returns its
 * exit status. */
int dsn_spawn_own(const char *name, char *const *argv, int to);

#endif
