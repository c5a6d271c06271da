/* question.h - a named query
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_QUESTION_H
#define DSN_QUESTION_H

#include <stddef.h>

/* A block of queries.sql. */
struct dsn_question {
    int of_study;
    char name[40], title[160];
    char topic[24], takes[160]; /* of the study: its section on the page, and the data it requires */
    const char *sql;            /* `length` bytes */
    size_t length;
};

#endif
