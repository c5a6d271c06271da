/* options.h - how the commands of the runtime are called: their options, one line on stderr, help
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMAND_OPTIONS_H
#define DSN_COMMAND_OPTIONS_H

#include <sys/types.h>

#include "base/shown.h"

struct dsn_option {
    const char *name;
    int letter;
    const char *argument, *help; /* argument NULL: it takes none */
};

/* A command: --help and --version are options of all of them, and stand in the rows, as 'h' and 'V'. */
struct dsn_command {
    const char *name, *usage; /* what --help says before the options */
    const struct dsn_option *rows;
    unsigned nrows;
    void (*take)(void *context, int letter, const char *argument);
};

/* Makes it the one whose name error lines begin with, reads its options, and hands each to `take`. Returns the index of
 * the first word that is none. Ends the process, with status 2, if it is called in another way, and after --help and
 * --version. */
int dsn__command_begin(const struct dsn_command *c, int argc, char **argv, void *context);

/* How it was called is wrong: one line that says what, and where to read on; status 2. The second: of an option's
 * argument. */
_Noreturn void dsn__command_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void dsn__command_invalid(int letter, const char *argument);

/* An argument as a number in [least, most]. */
long long dsn__command_number(int letter, const char *argument, long long least, long long most);

#endif
