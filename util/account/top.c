/* top.c - questions about the programs at the top of the ranking alone
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command-line/options.h"
#include "top.h"

/* The tables and views that are reduced: by the name of the program, or by the log. Not program_last, of which queries
 * take the whole that shares "of all" refer to. */
static const struct {
    const char *name;
    int is_by_log;
} reduced[] = {
    { "log", 0 },         { "log_known", 0 },    { "log_case", 0 },       { "log_use", 1 },        { "file_use", 1 },
    { "program_run", 0 }, { "program_rank", 0 }, { "program_period", 0 }, { "process_family", 0 },
};
#define NREDUCED (sizeof reduced / sizeof reduced[0])

int dsn_top_read(const char *text, int64_t *top)
{
    if (strcmp(text, "knee") == 0) {
        *top = DSN_TOP_KNEE;
        return 1;
    }
    return dsn_number(text, 1, top);
}

static int is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the query takes something from a table or view of this name. */
static int takes_from(const struct dsn_question *q, const char *name)
{
    const size_t n = strlen(name);

    for (const char *at = q->sql; (at = memmem(at, (size_t)(q->sql + q->length - at), name, n)) != NULL; at += n)
        if (!is_of_name(at[-1]) && at[-1] != '.' && !is_of_name(at[n]) && at[n] != '.')
            return 1;
    return 0;
}

const char *dsn_top_misuse(const struct dsn_question *q)
{
    int takes = 0;

    if (takes_from(q, "job_logged"))
        return "counts jobs, and of those without a log the program is not known: leave --top out";
    for (size_t i = 0; i < NREDUCED; i++)
        takes |= takes_from(q, reduced[i].name);
    return takes ? NULL : "is about no program: leave --top out";
}

int dsn_top_exists(const struct dsn_accounting *a)
{
    struct dsn_stmt *s = dsn_db_prepare(a->db, "SELECT count(*) FROM program_rank WHERE machine = ?1");
    int any;

    dsn_bind_text(s, 1, a->machine);
    any = dsn_stmt_step(s) && dsn_column_i64(s, 0) > 0;
    dsn_stmt_free(s);
    return any;
}

/* SQLite takes a name within its own definition for itself, unless the name has its schema; in PostgreSQL it is that of
 * the table. */
char *dsn_top_sql(const struct dsn_accounting *a, const struct dsn_question *q)
{
    const char *schema = dsn_db_on_server(a->file) ? "" : "main.";
    const int has_with = strncmp(q->sql, "WITH ", 5) == 0;
    char *sql = NULL;
    size_t size;
    FILE *to = open_memstream(&sql, &size);

    if (!to)
        return NULL;
    fprintf(to, "WITH top_set AS MATERIALIZED (SELECT program FROM %sprogram_rank WHERE machine = :machine AND ",
            schema);
    if (a->top == DSN_TOP_KNEE)
        fprintf(to,
                "k <= (SELECT k FROM %sprogram_rank WHERE machine = :machine "
                "ORDER BY share_of_bytes - share_of_programs DESC, k LIMIT 1))",
                schema);
    else
        fprintf(to, "k <= %" PRId64 ")", a->top);
    for (size_t i = 0; i < NREDUCED; i++) {
        if (!takes_from(q, reduced[i].name))
            continue;
        fprintf(to, ",\n%s AS (SELECT * FROM %s%s WHERE ", reduced[i].name, schema, reduced[i].name);
        if (reduced[i].is_by_log)
            fprintf(to, "log_id IN (SELECT log_id FROM %slog WHERE program IN (SELECT program FROM top_set)))", schema);
        else
            fprintf(to, "program IN (SELECT program FROM top_set))");
    }
    fprintf(to, has_with ? ",\n%.*s" : "\n%.*s", (int)q->length - 5 * has_with, q->sql + 5 * has_with);
    if (fclose(to) != 0) {
        free(sql);
        return NULL;
    }
    return sql;
}
