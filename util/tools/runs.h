/* runs.h - the directories into which `darshan run` has put logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Those without a place of their own are in darshan/runs below $XDG_DATA_HOME or ~/.local/share, named after the time,
 * the program and the process; the last DSN_MOST_RUNS stay. */
#ifndef DSN_RUNS_H
#define DSN_RUNS_H

#include <limits.h>
#include <stddef.h>

#define DSN_MOST_RUNS 100

/* Where they are; nothing is made. Returns 0 or an errno: ENOENT if there is no home. */
int dsn_runs_place(char place[PATH_MAX]);

/* Makes the directory of a run of `program`, which nothing else is in: below the user's runs, or below `given`. Returns 0 or
 * an errno. */
int dsn_run_make(const char *given, const char *program, char directory[PATH_MAX]);

/* Moves the logs below the directory, which are in folders by date, into it. Returns how many are there, and the path of
 * the only one. */
size_t dsn_run_logs(const char *directory, char only[PATH_MAX]);

/* Removes the directory if it is empty, and, if it is one of the user's runs, the logs of those beyond the last
 * DSN_MOST_RUNS. */
void dsn_runs_tidy(const char *directory, int is_given);

/* What a word means to the commands that read logs: a file or directory; "last", "last-1", ...; the id of a job. The log, or
 * the directory of several. Returns 0 if there is none. */
int dsn_runs_find(const char *word, char path[PATH_MAX]);

#endif
