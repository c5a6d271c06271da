/* processes.c - the processes of a log that started each other, and which of them ran one after another
 * SPDX-License-Identifier: BSD-3-Clause */
#include "processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/extension.h"
#include "grow.h"
#include "idmap.h"

#define MOST_RANKS (1 << 20) /* of a tree; more are damage */

static double smaller(double a, double b) /* fmin and fmax would need libm */
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Field `number` of a line; "" if there are fewer. */
static const char *word_of(const char *line, const char *end, int number)
{
    for (; number > 0 && line; number--) {
        line = memchr(line, '\t', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    return line ? line : "";
}

static int is_word(const char *word, const char *is)
{
    return strncmp(word, is, strlen(is)) == 0 && strchr("\t\n", word[strlen(is)]);
}

/* The field that says how it ended; the command line is the next one. */
static int state_of(const struct dsn_processes *p)
{
    return p->version < 2 ? 4 : 5;
}

const char *dsn_process_command(const struct dsn_processes *p, const char **at, size_t *length)
{
    const char *line = *at ? *at : p->lines, *end, *command;

    if (!line || !*line)
        return NULL;
    end = line + strcspn(line, "\n");
    command = word_of(line, end, state_of(p) + 1);
    *length = *command ? (size_t)(end - command) : 0;
    *at = *end ? end + 1 : end;
    return command;
}

/* Lines: rank, process, parent, begin, since version 2 end, how it ended, command line. A process that executed several
 * programs has a line for each that was recorded. */
static int read_lines(struct dsn_processes *out)
{
    struct dsn__idmap index; /* by process id */
    size_t room = 0;
    int rc = DSN_ERR_OK;

    dsn__idmap_init(&index);
    for (const char *line = out->lines, *end; rc == DSN_ERR_OK && *line; line = *end ? end + 1 : end) {
        const int64_t rank = (int64_t)strtoul(line, NULL, 10);
        const char *how;
        double begin, ended;
        struct dsn_listed_process *p;
        uint32_t parent, at;

        end = line + strcspn(line, "\n");
        how = word_of(line, end, state_of(out));
        begin = strtod(word_of(line, end, 3), NULL);
        ended = strtod(word_of(line, end, 4), NULL);
        parent = dsn__idmap_get(&index, strtoull(word_of(line, end, 2), NULL, 10));
        out->is_tree |= parent != DSN_IDMAP_NONE && out->list[parent].rank != rank;
        out->killed += is_word(how, "killed");
        at = dsn_grow(&out->list, &room, sizeof *out->list, out->n) && out->n < DSN_IDMAP_NONE - 1
                 ? dsn__idmap_add(&index, strtoull(word_of(line, end, 1), NULL, 10), (uint32_t)out->n)
                 : DSN_IDMAP_NONE;
        if (at == DSN_IDMAP_NONE) {
            rc = DSN_ERR_MEMORY;
            break;
        }
        p = &out->list[at];
        if (at == out->n) {
            out->n++;
            *p = (struct dsn_listed_process){ rank, 1, 0, -1 };
        }
        p->is_gone &= is_word(how, "executed");
        if (out->version < 2 || !isfinite(begin) || !isfinite(ended) || ended < begin)
            continue;
        p->begin = p->end < p->begin ? begin : smaller(begin, p->begin);
        p->end = larger(ended, p->end);
    }
    dsn__idmap_free(&index);
    return rc;
}

int dsn_processes_read(struct darshan_reader *log, struct dsn_processes *out)
{
    struct darshan_reader_error err;
    void *bytes;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < darshan_reader_parts(log); i++) {
        const struct dsn_ext_part *part = darshan_reader_part(log, i);

        if (strcmp(part->name, DSN_EXT_PROCESSES) != 0 || darshan_reader_part_bytes(log, i, &bytes, &err) != DSN_ERR_OK)
            continue;
        out->lines = bytes;
        out->version = part->version;
        return read_lines(out);
    }
    return DSN_ERR_OK;
}

void dsn_processes_free(struct dsn_processes *p)
{
    free(p->list);
    free(p->lines);
}

/* ------------------------------------------------------------------ one after another */

int dsn_turns_make(const struct dsn_processes *p, size_t nranks, struct dsn_turn **out, size_t *n)
{
    struct dsn_turn *t;

    *n = 0;
    *out = NULL;
    if (!p->is_tree || nranks > MOST_RANKS)
        return DSN_ERR_OK;
    t = *out = calloc(nranks + 1, sizeof *t);
    if (!t)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++) {
        const struct dsn_listed_process *one = &p->list[i];
        struct dsn_turn *turn = one->rank >= 0 && (uint64_t)one->rank < nranks ? &t[one->rank] : NULL;

        if (turn && one->end > one->begin) { /* from the first of its processes to the last */
            turn->begin = turn->end > turn->begin ? smaller(turn->begin, one->begin) : one->begin;
            turn->end = larger(turn->end, one->end);
        }
    }
    for (size_t i = 0; i < nranks; i++)
        if (t[i].end > t[i].begin) {
            t[*n] = t[i];
            t[(*n)++].rank = i;
        }
    return DSN_ERR_OK;
}

static int by_end(const void *a, const void *b)
{
    const struct dsn_turn *x = a, *y = b;

    return (x->end > y->end) - (x->end < y->end);
}

/* How many of n, in order of their ends, ended no later than that. */
static size_t ended_by(const struct dsn_turn *t, size_t n, double time)
{
    size_t low = 0;

    while (low < n) {
        const size_t middle = low + (n - low) / 2;

        if (t[middle].end <= time)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

double dsn_turns_longest(struct dsn_turn *t, size_t n)
{
    if (n > 0)
        qsort(t, n, sizeof *t, by_end);
    for (size_t i = 0; i < n; i++) {
        t[i].before = ended_by(t, i, t[i].begin);
        t[i].most = smaller(t[i].seconds, t[i].end - t[i].begin) + (t[i].before > 0 ? t[t[i].before - 1].most : 0);
        t[i].most = larger(t[i].most, i > 0 ? t[i - 1].most : 0);
    }
    return n > 0 ? t[n - 1].most : 0;
}

const struct dsn_turn *dsn_turns_next(const struct dsn_turn *t, size_t *i)
{
    while (*i > 0) {
        const struct dsn_turn *last = &t[*i - 1];
        const int is_in = *i == 1 || last->most > t[*i - 2].most;

        *i = is_in ? last->before : *i - 1;
        if (is_in)
            return last;
    }
    return NULL;
}
