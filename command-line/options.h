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
    const char *name;     /* "darshan-parser" */
    const char *operands; /* "[options] LOG..."; several ways to call it: a line for each */
    const char *purpose;  /* a sentence; a list's lines begin with blanks. Lines are broken when it is printed */
    const struct dsn_option *options; /* except --help (-h) and --version (-V), which every command has */
    size_t noptions;
    const char *note; /* printed behind the options; NULL: none */
};

/* Prints a line on stderr: what is wrong with the command line, and how to get help. Returns the exit status, 2. */
int dsn_usage(const struct dsn_command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The candidate that a misspelt word is nearest to: one call for each. `name` is NULL while none is near. */
struct dsn_nearest {
    const char *word, *name;
    unsigned differs; /* letters */
};
void dsn_nearest(struct dsn_nearest *n, const char *candidate);

/* dsn_usage() for a word that is not among the candidates. */
int dsn_unknown(const struct dsn_command *c, const struct dsn_nearest *n);

/* Calls `take` for every option, with its argument or NULL; `take` returns 0 if it is invalid. Returns -1 to continue
 * (optind is the first operand), else the exit status. A command without options has no `take`. */
int dsn_options(const struct dsn_command *c, int argc, char **argv,
                int (*take)(void *context, int value, const char *argument), void *context);

/* Parses a decimal integer of at least `least`. Returns 0 if it is invalid. */
int dsn_number(const char *text, int64_t least, int64_t *out);

#endif
