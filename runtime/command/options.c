/* options.c - how the commands of the runtime are called: their options, one line on stderr, help
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "command/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/header.h"

#define MOST_OPTIONS 32

static const struct dsn_command *command;

/* ------------------------------------------------------------------ help */

static _Noreturn void print_and_exit(void)
{
    if (fflush(stdout) == 0)
        exit(0);
    dsn__shown_error("cannot write the output: %s", strerror(errno));
    exit(1);
}

static _Noreturn void print_help(void)
{
    fputs(command->usage, stdout);
    for (unsigned i = 0; i < command->nrows; i++) {
        const struct dsn_option *row = &command->rows[i];
        char option[40];

        snprintf(option, sizeof option, "%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  -%c, --%-18s  %s\n", row->letter, option, row->help);
    }
    printf("\nLooks in the directory that DARSHAN_MMAP_LOGPATH names, or else in /dev/shm and /tmp.\n");
    print_and_exit();
}

static _Noreturn void print_version(void)
{
    printf("%s " PACKAGE_VERSION " (compatible with Darshan " DSN_COMPAT_RELEASE ")\n", command->name);
    print_and_exit();
}

/* ------------------------------------------------------------------ wrong usage */

_Noreturn void dsn__command_misused(const char *format, ...)
{
    char what[PATH_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    dsn__shown_error("%s; see '%s --help'", what, command->name);
    exit(2);
}

static const struct dsn_option *row_of(int letter)
{
    for (unsigned i = 0; i < command->nrows; i++)
        if (command->rows[i].letter == letter)
            return &command->rows[i];
    return NULL;
}

_Noreturn void dsn__command_invalid(int letter, const char *argument)
{
    const struct dsn_option *row = row_of(letter);

    dsn__command_misused("--%s %s: invalid %s (%s)", row->name, argument, row->argument, row->help);
}

/* An option that getopt_long does not understand. */
static _Noreturn void end_unknown(int value, const char *word)
{
    const struct dsn_option *row = row_of(optopt);

    if (row && value == ':')
        dsn__command_misused("--%s needs an argument, %s", row->name, row->argument);
    if (row)
        dsn__command_misused("--%s takes no argument", row->name);
    if (optopt)
        dsn__command_misused("unknown option -%c", optopt);
    dsn__command_misused("unknown option %s", word);
}

/* ------------------------------------------------------------------ options */

int dsn__command_begin(const struct dsn_command *c, int argc, char **argv, void *context)
{
    struct option options[MOST_OPTIONS + 1] = { { 0 } };
    char letters[2 * MOST_OPTIONS + 2] = ":"; /* so that getopt distinguishes missing arguments from unknown options */
    size_t n = 1;
    int value;

    command = c;
    dsn__shown_command(c->name);
    for (unsigned i = 0; i < c->nrows && i < MOST_OPTIONS; i++) {
        const struct dsn_option *row = &c->rows[i];

        options[i] = (struct option){ row->name, row->argument ? required_argument : no_argument, NULL, row->letter };
        letters[n++] = (char)row->letter;
        if (row->argument)
            letters[n++] = ':';
    }
    opterr = 0;
    while ((value = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (value == '?' || value == ':')
            end_unknown(value, argv[optind - 1]);
        if (value == 'h')
            print_help();
        if (value == 'V')
            print_version();
        c->take(context, value, optarg);
    }
    return optind;
}

long long dsn__command_number(int letter, const char *argument, long long least, long long most)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(argument, &end, 10);
    if (errno || end == argument || *end || v < least || v > most)
        dsn__command_invalid(letter, argument);
    return v;
}
