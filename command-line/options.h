/* options.h - a command's options, as a table
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_OPTIONS_H
#define DSN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct dsn_option {
    const char *name;     /* without the dashes */
    const char *argument; /* name of the argument in the usage; NULL: none */
    const char *help;
    int value; /* passed to the callback: positive, and not '?'; a letter or digit is also the short form: -o */
};

struct dsn_command {
    const char *name;                 /* "darshan-parser" */
    const char *operands;             /* "[options] LOG..." */
    const char *purpose;              /* one sentence */
    const struct dsn_option *options; /* except --help (-h) and --version (-V), which every command has */
    size_t noptions;
    const char *note; /* printed behind the options; NULL: none */
};

/* Prints a line on stderr: what is wrong with the command line, and how to get help. Returns the exit status, 2. */
int dsn_usage(const struct dsn_command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls `take` for every option, with its argument or NULL; `take` returns 0 if it is invalid. Returns -1 to continue
 * (optind is the first operand), else the exit status. A command without options has no `take`. */
int dsn_options(const struct dsn_command *c, int argc, char **argv,
                int (*take)(void *context, int value, const char *argument), void *context);

/* Parses a decimal integer of at least `least`. Returns 0 if it is invalid. */
int dsn_number(const char *text, int64_t least, int64_t *out);

#endif
