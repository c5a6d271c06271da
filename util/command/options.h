/* options.h - the command line of a command, described once as rows
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_OPTIONS_H
#define DSN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct dsn_option {
    const char *name;     /* without the dashes */
    const char *argument; /* what it takes, as the usage calls it; NULL: nothing */
    const char *help;
    int value; /* what dsn_options() hands on: positive, and not '?'; a letter is the option's short form, too: -o */
};

struct dsn_command {
    const char *name;                 /* "darshan-parser" */
    const char *operands;             /* "[options] LOG..." */
    const char *purpose;              /* one sentence */
    const struct dsn_option *options; /* all but --help and --version, which every command has */
    size_t noptions;
    /* NULL for a command that the original has, too: --version prints the release that ours is compatible with, and
     * wrong usage and --help print the usage on stderr, with exit status 1. Else our version: --help prints on stdout
     * with exit status 0, and wrong usage has exit status 2. */
    const char *version;
};

/* Prints the usage on stderr, for it was wrong. Returns the exit status. */
int dsn_usage(const struct dsn_command *c);

/* Hands every option to `take`, with its argument or NULL; `take` returns 0 if that is wrong usage. Returns -1 to go on
 * (optind is the first operand), else the exit status. A command without options has no `take`. */
int dsn_options(const struct dsn_command *c, int argc, char **argv,
                int (*take)(void *context, int value, const char *argument), void *context);

/* Reads an argument that must be a whole decimal number of at least `least`. Returns 0 if it is none. */
int dsn_number(const char *text, int64_t least, int64_t *out);

#endif
