/* options.c - command line options from a table, and the usage text
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "command-line/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/shown.h"

#define MAX_OPTIONS 48

enum { OPT_HELP = 'h', OPT_VERSION = 'V', NCOMMON = 2 };

/* The i-th row: the command's own options, then the common ones. */
static const struct dsn_option *option(const struct dsn_command *c, size_t i)
{
    static const struct dsn_option common[NCOMMON] = {
        { "help", NULL, "print this text and exit", OPT_HELP },
        { "version", NULL, "print the version and exit", OPT_VERSION },
    };

    return i < c->noptions ? &c->options[i] : &common[i - c->noptions];
}

static int has_letter(const struct dsn_option *o)
{
    return (o->value >= 'a' && o->value <= 'z') || (o->value >= 'A' && o->value <= 'Z') ||
           (o->value >= '0' && o->value <= '9');
}

static int width_of(const struct dsn_option *o)
{
    return (int)(strlen(o->name) + (o->argument ? 1 + strlen(o->argument) : 0) + (has_letter(o) ? strlen("-o, ") : 0));
}

/* ------------------------------------------------------------------ help, in lines of at most WIDTH columns */

#define WIDTH 80

/* Prints words, from column `at` on; further lines begin at column `left`. A word longer than a line is not cut. */
static void print_words(const char *text, size_t n, int at, int left)
{
    const char *end = text + n;
    int empty = 1;

    while (text < end) {
        size_t length = 0;

        while (text < end && *text == ' ')
            text++;
        while (text + length < end && text[length] != ' ' && text[length] != '\n')
            length++;
        if (!empty && at + 1 + (int)length > WIDTH) {
            printf("\n%*s", left, "");
            at = left;
            empty = 1;
        }
        at += printf("%s%.*s", empty || length == 0 ? "" : " ", (int)length, text);
        empty = 0;
        text += length + (text + length < end && text[length] == '\n');
    }
    putchar('\n');
}

/* Prints text: paragraphs, and lists, whose lines begin with blanks. A line of a list continues below its last column, which two
 * blanks precede. */
static void print_text(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), left = 0;

        if (*text == ' ') {
            for (left = n; left > 2 && !(text[left - 1] == ' ' && text[left - 2] == ' ');)
                left--;
            printf("%.*s", (int)left, text);
        } else {
            while (n > 0 && text[n] && text[n + 1] && text[n + 1] != ' ' && text[n + 1] != '\n')
                n += 1 + strcspn(text + n + 1, "\n");
        }
        print_words(text + left, n - left, (int)left, (int)left);
        text += n + (text[n] == '\n');
    }
}

static void print_usage(const struct dsn_command *c)
{
    const char *operands = c->operands;
    int width = 0;

    for (size_t i = 0; i < c->noptions + NCOMMON; i++)
        width = width_of(option(c, i)) > width ? width_of(option(c, i)) : width;
    while (*operands) { /* a line for each way to call it */
        const size_t n = strcspn(operands, "\n");
        const int named = printf("%s %s ", operands == c->operands ? "Usage:" : "      ", c->name);

        print_words(operands, n, named, named);
        operands += n + (operands[n] == '\n');
    }
    putchar('\n');
    print_text(c->purpose);
    putchar('\n');
    for (size_t i = 0; i < c->noptions + NCOMMON; i++) {
        const struct dsn_option *o = option(c, i);

        if (has_letter(o))
            printf("  -%c, ", o->value);
        printf("%s--%s%s%s%*s  ", has_letter(o) ? "" : "  ", o->name, o->argument ? " " : "",
               o->argument ? o->argument : "", width - width_of(o), "");
        print_words(o->help, strlen(o->help), width + 6, width + 6);
    }
    if (c->note) {
        putchar('\n');
        print_text(c->note);
    }
}

/* ------------------------------------------------------------------ wrong usage */

/* How many letters two words differ by: of inserting, removing, replacing one (Levenshtein 1966). */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[32];
    const size_t n = strlen(b);

    if (n >= sizeof row / sizeof row[0])
        return UINT_MAX;
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const unsigned above = row[j];
            unsigned least = diagonal + (a[i - 1] != b[j - 1]);

            least = above + 1 < least ? above + 1 : least;
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            diagonal = above;
        }
    }
    return row[n];
}

void dsn_nearest(struct dsn_nearest *n, const char *candidate)
{
    const unsigned far = strlen(n->word) < 4 ? 2 : 3, by = distance(n->word, candidate);

    if (by < (n->name ? n->differs : far)) {
        n->name = candidate;
        n->differs = by;
    }
}

int dsn_usage(const struct dsn_command *c, const char *format, ...)
{
    char what[512], line[512];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    dsn_text_fit(line, sizeof line, 300, 100, what);
    fprintf(stderr, "%s: %s; see '%s --help'\n", c->name, line, c->name);
    return 2;
}

int dsn_unknown(const struct dsn_command *c, const struct dsn_nearest *n)
{
    return n->name ? dsn_usage(c, "%s: unknown command, the nearest is %s", n->word, n->name)
                   : dsn_usage(c, "%s: unknown command", n->word);
}

/* Success includes that the output could be written. */
static int end_output(const struct dsn_command *c)
{
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "%s: cannot write the output: %s\n", c->name, strerror(errno));
    return 1;
}

static int help(const struct dsn_command *c)
{
    print_usage(c);
    return end_output(c);
}

static int version(const struct dsn_command *c)
{
    printf("%s " PACKAGE_VERSION " (compatible with Darshan " DSN_COMPAT_RELEASE ")\n", c->name);
    return end_output(c);
}

/* An invalid option. */
static int misused(const struct dsn_command *c, int value, const char *word)
{
    const struct dsn_option *o = NULL;
    char letter[] = { '-', (char)optopt, '\0' }, name[300];
    struct dsn_nearest nearest = { .word = name };

    for (size_t i = 0; i < c->noptions + NCOMMON; i++)
        if (optopt != 0 && option(c, i)->value == optopt)
            o = option(c, i);
    if (value == ':' && o)
        return dsn_usage(c, "--%s needs an argument, %s", o->name, o->argument);
    if (o)
        return dsn_usage(c, "--%s takes no argument", o->name);
    if (optopt != 0)
        return dsn_usage(c, "unknown option %s", letter);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < c->noptions + NCOMMON; i++)
        dsn_nearest(&nearest, option(c, i)->name);
    if (nearest.name)
        return dsn_usage(c, "unknown option --%s, the nearest is --%s", name, nearest.name);
    return dsn_usage(c, "unknown option %s", word);
}

/* An argument that `take` rejects. */
static int unusable(const struct dsn_command *c, int value, const char *argument)
{
    size_t i = 0;

    while (option(c, i)->value != value)
        i++;
    if (!argument)
        return dsn_usage(c, "--%s cannot be given here", option(c, i)->name);
    return dsn_usage(c, "--%s %s: invalid %s (%s)", option(c, i)->name, argument, option(c, i)->argument,
                     option(c, i)->help);
}

int dsn_options(const struct dsn_command *c, int argc, char **argv,
                int (*take)(void *context, int value, const char *argument), void *context)
{
    struct option rows[MAX_OPTIONS + 1] = { { 0 } };
    char letters[2 * MAX_OPTIONS + 3] = "+:"; /* `:`: getopt distinguishes missing arguments from unknown options */
    const int runs_another = strstr(c->operands, "[--]") != NULL; /* its first operand begins a command with options */
    size_t n = 2;
    int value;

    for (size_t i = 0; i < c->noptions + NCOMMON && i < MAX_OPTIONS; i++) {
        const struct dsn_option *o = option(c, i);

        rows[i] = (struct option){ .name = o->name,
                                   .has_arg = o->argument ? required_argument : no_argument,
                                   .val = o->value };
        if (!has_letter(o))
            continue;
        letters[n++] = (char)o->value;
        if (o->argument)
            letters[n++] = ':';
    }
    opterr = 0;
    while ((value = getopt_long(argc, argv, letters + !runs_another, rows, NULL)) != -1) {
        if (value == OPT_VERSION)
            return version(c);
        if (value == OPT_HELP)
            return help(c);
        if (value == '?' || value == ':')
            return misused(c, value, argv[optind - 1]);
        if (!take(context, value, optarg))
            return unusable(c, value, optarg);
    }
    return -1;
}

int dsn_number(const char *text, int64_t least, int64_t *out)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    *out = v;
    return errno == 0 && end != text && *end == '\0' && v >= least;
}
