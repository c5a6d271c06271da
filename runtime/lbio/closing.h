/* closing.h - what `lbio run` says at its end: what was logged on this node, and what was not, and why
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_CLOSING_H
#define LBIO_CLOSING_H

#include <stdio.h>

#include "lbio/counts.h"

/* Environment variable: the file to which each process appends its figures. */
#define LBIO_CLOSING "LBIO_CLOSING"

struct lbio_figures {
    uint64_t size; /* of this struct: of the same release */
    struct lbio_counts counts;
};

/* For the library (report.c): appends them, if the file is there and this user's. */
void lbio__closing_append(const char *path, const struct lbio_counts *counts);

/* Creates a file for them in this directory; `path`: of `size` bytes. 0, or -1 and errno. */
int lbio__closing_create(const char *directory, char *path, size_t size);

/* Prints the line about what they say, and removes the file. `pattern`: of the files that were to be logged. */
void lbio__closing_print(const char *path, const char *pattern, FILE *to);

#endif
