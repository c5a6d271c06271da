/* program.c - the name of the program, from a command line
 * SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Removes the directories of the word of n bytes at *word. */
static size_t without_folder(const char **word, size_t n)
{
    size_t first = n;

    while (first > 0 && (*word)[first - 1] != '/')
        first--;
    *word += first;
    return n - first;
}

/* The name may be followed by a version: python3.11. */
static int is_name_of_one(const char *word, size_t n)
{
    static const char *const names[] = { "python", "julia", "perl", "ruby", "Rscript", "node", "java", "octave", "R" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t m = strlen(names[i]);

        if (n >= m && memcmp(word, names[i], m) == 0 && strspn(word + m, "0123456789.") >= n - m)
            return 1;
    }
    return 0;
}

int dsn_is_interpreter(const char *command)
{
    const char *word = command;
    const size_t n = without_folder(&word, strcspn(command, " "));

    return (n >= 3 && memcmp(word + n - 3, ".py", 3) == 0) || is_name_of_one(word, n);
}

/* The script an interpreter runs: its first argument, unless it is an option, because only the interpreter knows its
 * meaning. */
static size_t script_of(const char **at)
{
    *at += strcspn(*at, " ");
    *at += strspn(*at, " ");
    return **at == '-' ? 0 : without_folder(at, strcspn(*at, " "));
}

void dsn_program_name(const char *command, char to[DSN_PROGRAM_NAME])
{
    const char *word = command, *script = command;
    const size_t n = without_folder(&word, strcspn(command, " "));
    const size_t m = is_name_of_one(word, n) ? script_of(&script) : 0;
    const int most = DSN_PROGRAM_NAME - 1;

    snprintf(to, DSN_PROGRAM_NAME, "%.*s%s%.*s", n < (size_t)most ? (int)n : most, word, m > 0 ? " " : "",
             m < (size_t)most ? (int)m : most, script);
}
