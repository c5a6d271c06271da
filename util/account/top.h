/* top.h - questions about the programs at the top of the ranking alone
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The top set are the first programs of program-ranking: a number of them, or those up to the knee of their curve. A
 * question of them is the question with the tables of logs and programs reduced to these, by common table expressions of
 * the same names; shares are of what is left. */
#ifndef DSN_ACCOUNT_TOP_H
#define DSN_ACCOUNT_TOP_H

#include "accounting.h"
#include "question.h"

#define DSN_TOP_KNEE (-1) /* of a->top */

/* Parses "80" or "knee". Returns 0 if it is neither. */
int dsn_top_read(const char *text, int64_t *top);

/* Why a question cannot be asked of these programs alone; NULL: it can. */
const char *dsn_top_misuse(const struct dsn_question *q);

/* Whether any program is ranked. */
int dsn_top_exists(const struct dsn_accounting *a);

/* The question's SQL for these programs; to be freed. NULL: no memory. */
char *dsn_top_sql(const struct dsn_accounting *a, const struct dsn_question *q);

#endif
