/* summary.c - totals over the processes of a run
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports are untrusted: a line that cannot be parsed makes them invalid. */
#include <config.h>

#include "lbio/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "lbio/report.h"

#define MOST_SHOWN 20 /* conflicts */
#define PROCESS    400

struct process {
    char name[PROCESS]; /* host, pid, rank */
};

struct piece {
    const char *path; /* interned: the same pointer means the same path */
    int64_t off, end, begun, ended;
    size_t process;
};

struct summary {
    struct process *process;
    char **path;
    struct piece *piece;
    size_t processes, paths, pieces, process_room, path_room, piece_room;
    double *total, *most; /* per column */
    int is_partial;
    int64_t begun, ended; /* of the current spell */
    const char *spell;
};

/* Makes room for one more element of `size` bytes. 0: no memory. */
static int grow(void *things, size_t n, size_t *room, size_t size)
{
    void **block = things, *more;

    if (n < *room)
        return 1;
    more = reallocarray(*block, *room > 0 ? 2 * *room : 64, size);
    if (!more)
        return 0;
    *room = *room > 0 ? 2 * *room : 64;
    *block = more;
    return 1;
}

/* ------------------------------------------------------------------ reading */

static int read_column(struct summary *s, const char *word, size_t n)
{
    const char *equals = memchr(word, '=', n);
    const struct lbio_column *column;
    size_t columns;

    column = lbio__report_columns(&columns);
    for (size_t i = 0; equals && i < columns; i++) {
        if (strlen(column[i].name) == (size_t)(equals - word) &&
            memcmp(column[i].name, word, (size_t)(equals - word)) == 0) {
            const double value = strtod(equals + 1, NULL);

            s->total[i] += value;
            if (value > s->most[i])
                s->most[i] = value;
        }
    }
    return equals != NULL; /* may be from a later version */
}

static int read_process(struct summary *s, const char *line)
{
    const char *at = line;
    int64_t pid = 0, rank = 0;
    const size_t host = strcspn(line, " ");
    int n;

    at = dsn__number(line + host, &pid);
    at = at ? dsn__number(at, &rank) : NULL;
    if (!at || host == 0 || host > 255 ||
        !grow((void *)&s->process, s->processes, &s->process_room, sizeof *s->process))
        return 0;
    n = snprintf(s->process[s->processes].name, PROCESS, "process %" PRId64 " on %.*s", pid, (int)host, line);
    if (rank >= 0)
        snprintf(s->process[s->processes].name + n, PROCESS - (size_t)n, " (rank %" PRId64 ")", rank);
    s->processes++;
    while (*at == ' ') {
        const size_t word = strcspn(at + 1, " ");

        if (!read_column(s, at + 1, word))
            return 0;
        at += 1 + word;
    }
    return *at == '\0';
}

static int read_spell(struct summary *s, const char *line)
{
    const char *at = dsn__number(line, &s->begun);

    at = at ? dsn__number(at, &s->ended) : NULL;
    if (!at || at[0] != ' ' || at[1] != '/' || s->processes == 0)
        return 0;
    for (size_t i = 0; i < s->paths; i++)
        if (strcmp(s->path[i], at + 1) == 0) {
            s->spell = s->path[i];
            return 1;
        }
    if (!grow((void *)&s->path, s->paths, &s->path_room, sizeof *s->path))
        return 0;
    s->path[s->paths] = strdup(at + 1);
    s->spell = s->path[s->paths];
    return s->path[s->paths++] != NULL;
}

static int read_bytes(struct summary *s, const char *line)
{
    int64_t off = 0, len = 0;
    const char *at = dsn__number(line, &off);

    at = at ? dsn__number(at, &len) : NULL;
    if (!at || *at || off < 0 || len <= 0 || len > INT64_MAX - off || !s->spell ||
        !grow((void *)&s->piece, s->pieces, &s->piece_room, sizeof *s->piece))
        return 0;
    s->piece[s->pieces++] = (struct piece){ s->spell, off, off + len, s->begun, s->ended, s->processes - 1 };
    return 1;
}

static int read_line(struct summary *s, const char *line)
{
    for (const char *at = line; *at; at++)
        if ((unsigned char)*at < 32 || *at == 127)
            return 0;
    if (dsn__begins_with(line, "process "))
        return read_process(s, line + strlen("process "));
    if (dsn__begins_with(line, "spell "))
        return read_spell(s, line + strlen("spell "));
    if (dsn__begins_with(line, "bytes "))
        return read_bytes(s, line + strlen("bytes "));
    s->is_partial |= strcmp(line, "cut") == 0;
    return strcmp(line, "cut") == 0;
}

static int read_report(struct summary *s, FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    int ok = 1;

    while (ok && (n = getline(&line, &size, f)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        ok = read_line(s, line);
    }
    free(line);
    if (ok && !ferror(f) && s->processes > 0)
        return 1;
    errno = ferror(f) ? errno : EBADMSG;
    return 0;
}

/* ------------------------------------------------------------------ conflicts */

static int by_place(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;

    if (p->path != q->path)
        return p->path < q->path ? -1 : 1;
    return p->off < q->off ? -1 : p->off > q->off;
}

static int is_conflict(const struct piece *p, const struct piece *q)
{
    return p->process != q->process && p->begun <= q->ended && q->begun <= p->ended;
}

static void print_conflict(const struct summary *s, const struct piece *p, const struct piece *q, int64_t bytes,
                           FILE *to)
{
    fprintf(to, "  %s: %" PRId64 " bytes at %" PRId64 ": %s, %s\n", p->path, bytes, q->off, s->process[p->process].name,
            s->process[q->process].name);
}

/* Finds pairs of pieces that overlap; a long piece may overlap many. */
static int64_t print_conflicts(struct summary *s, FILE *to)
{
    int64_t bytes = 0;
    size_t found = 0;

    if (s->pieces > 0)
        qsort(s->piece, s->pieces, sizeof *s->piece, by_place);
    for (size_t i = 0; i < s->pieces; i++) {
        const struct piece *p = &s->piece[i];

        for (size_t k = i + 1; k < s->pieces && s->piece[k].path == p->path && s->piece[k].off < p->end; k++) {
            const struct piece *q = &s->piece[k];
            const int64_t both = (p->end < q->end ? p->end : q->end) - q->off;

            if (!is_conflict(p, q))
                continue;
            if (found++ == 0)
                fputs("written by several processes at a time; which of them stays is not certain:\n", to);
            if (found <= MOST_SHOWN)
                print_conflict(s, p, q, both, to);
            bytes += both;
        }
    }
    if (found > MOST_SHOWN)
        fprintf(to, "  and %zu more\n", found - MOST_SHOWN);
    if (found == 0)
        fputs("no bytes were written by several processes at a time\n", to);
    if (s->is_partial)
        fputs("not all bytes could be compared: there were too many pieces\n", to);
    return bytes;
}

/* ------------------------------------------------------------------ all */

static double figure_of(const double *from, const char *name)
{
    const struct lbio_column *column;
    size_t columns;

    column = lbio__report_columns(&columns);
    for (size_t i = 0; i < columns; i++)
        if (strcmp(column[i].name, name) == 0)
            return from[i];
    return 0;
}

/* A program whose writes vary waits for the process that was unlucky. */
static void print_write(const struct summary *s, FILE *to)
{
    const double n = figure_of(s->total, "writes"), mean = figure_of(s->total, "write") / n;
    const double variance = figure_of(s->total, "write_squares") / n - mean * mean;

    fprintf(to, "a write took %.6f s on average, with a standard deviation of %.6f s; the longest one took %.3f s\n",
            mean, variance > 0 ? sqrt(variance) : 0, figure_of(s->most, "longest_write"));
}

static void print_totals(const struct summary *s, FILE *to)
{
    const struct lbio_column *column;
    size_t columns;

    column = lbio__report_columns(&columns);
    fprintf(to, "%-16s %18s %18s\n", "", "all processes", "the largest one");
    fprintf(to, "%-16s %18zu\n", "processes", s->processes);
    for (size_t i = 0; i < columns; i++) {
        const int digits = column[i].kind == LBIO_SECONDS ? 3 : 0;

        if (column[i].unit)
            fprintf(to, "%-16s %18.*f %18.*f %s\n", column[i].name, digits, s->total[i], digits, s->most[i],
                    column[i].unit);
    }
    if (figure_of(s->total, "replayed_writes") > 0)
        fprintf(to, "%-16s %18.2f\n", "merged", figure_of(s->total, "writes") / figure_of(s->total, "replayed_writes"));
    if (figure_of(s->total, "writes") > 0)
        print_write(s, to);
    if (figure_of(s->total, "without_token") > 0)
        fputs("data was replayed without tokens: their file could not be used, or its owners made no progress\n", to);
}

/* Refuses FIFOs, which could block for ever. */
static FILE *open_report(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fdopen(fd, "r");
    if (fd >= 0) {
        close(fd);
        errno = EBADMSG;
    }
    return NULL;
}

int64_t lbio__summary_print(const char *report, FILE *to)
{
    FILE *f = open_report(report);
    struct summary s = { 0 };
    int64_t bytes = -1;
    size_t columns;
    int error;

    if (!f)
        return -1;
    lbio__report_columns(&columns);
    s.total = calloc(columns, sizeof *s.total);
    s.most = calloc(columns, sizeof *s.most);
    if (s.total && s.most && read_report(&s, f)) {
        print_totals(&s, to);
        bytes = print_conflicts(&s, to);
    }
    error = errno;
    for (size_t i = 0; i < s.paths; i++)
        free(s.path[i]);
    free(s.path);
    free(s.process);
    free(s.piece);
    free(s.total);
    free(s.most);
    fclose(f);
    errno = error;
    return bytes;
}
