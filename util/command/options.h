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
    const struct dsn_option *options; /* all but --help (-h) and --version (-V), which every command has */
    size_t noptions;
    /* 0, or, of a command that the original has, too: with what it ends there when it is called wrongly. Its --help prints on
     * stderr then, with exit status 1. */
    int original_status;
};

/* One line on stderr: what is wrong with how the command was called, and where to read how it is done. Returns the exit
 * status: 2, or the original's. */
int dsn_usage(const struct dsn_command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Hands every option to `take`, with its argument or NULL; `take` returns 0 if it cannot be that. Returns -1 to go on
 * (optind is the first operand), else the exit status. A command without options has no `take`. */
int dsn_options(const struct dsn_command *c, int argc, char **argv,
                int (*take)(void *context, int value, const char *argument), void *context);

/* Reads an argument that must be a whole decimal number of at least `least`. Returns 0 if it is none. */
int dsn_number(const char *text, int64_t least, int64_t *out);

#endif
