/* select-files.c - restricts a log to files whose names match patterns
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All that makes reports reads the log, some of it more than once. A copy with fewer records spares each of them the question. */
#include <config.h>
#include "select-files.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "darshan-log-format/hash.h"
#include "rewrite.h"
#include "util/command/common.h"
#include "util/lib/idmap.h"
#include "util/lib/kind.h"
#include "util/lib/writer.h"

#define FRACTIONS_SINCE 41 /* minor version of logs with times below a second */
#define MOST_COLONS     64 /* of a name that are tried: FILE:PART */

/* ------------------------------------------------------------------ patterns */

/* The end of a bracket expression that begins there; NULL: it is an ordinary character. */
static const char *end_of_bracket(const char *at)
{
    const char *p = at + 1;

    p += *p == '!' || *p == '^';
    p += *p == ']';
    return strchr(p, ']');
}

/* Appends the expression for the next character of a pattern, and returns what is behind it. */
static const char *add_expression(const char *at, int crosses, FILE *to)
{
    const char *end = *at == '[' ? end_of_bracket(at) : NULL;

    if (end) {
        fprintf(to, "[%s%.*s", at[1] == '!' ? "^" : "", (int)(end - at - (at[1] == '!')), at + 1 + (at[1] == '!'));
        return end + 1;
    }
    if (*at == '\\' && at[1])
        at++;
    else if (*at == '*' || *at == '?' || *at == '#') {
        fputs(*at == '#' ? "[0-9]+" : *at == '?' ? "[^/]" : crosses ? ".*" : "[^/]*", to);
        return at + 1;
    }
    if (strchr(".^$+(){}|\\[*?", *at))
        fputc('\\', to);
    fputc(*at, to);
    return at + 1;
}

/* Returns 0 if it is no pattern, or out of memory. */
static int compile(const char *pattern, regex_t *out)
{
    const int has_slash = strchr(pattern, '/') != NULL;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    int ok;

    if (!to)
        return 0;
    fputs(!has_slash ? "^(.*/)?" : *pattern == '/' ? "^" : "^(.*/)?", to);
    for (const char *at = pattern; *at;)
        at = add_expression(at, has_slash, to);
    fputc('$', to);
    ok = fclose(to) == 0 && regcomp(out, text, REG_EXTENDED | REG_NOSUB) == 0;
    free(text);
    return ok;
}

int dsn_name_matches(const char *pattern, const char *name)
{
    regex_t expression;
    int matches;

    if (!compile(pattern, &expression))
        return -1;
    matches = regexec(&expression, name, 0, NULL, 0) == 0;
    regfree(&expression);
    return matches;
}

/* ------------------------------------------------------------------ names */

struct selecting {
    const struct dsn_selection *s;
    struct darshan_reader *log;
    struct darshan_writer *w;
    struct dsn__idmap keep; /* ids of files that match */
    regex_t expression[DSN_MOST_PATTERNS];
    int has_matched[DSN_MOST_PATTERNS];
};

/* What has no record of its own is counted as DIRECTORY/<*SUFFIX>, and matches without the brackets. */
static int matches(struct selecting *g, const char *name)
{
    const char *base = strrchr(name, '/');
    char *shown = dsn_name_is_folded(name) ? strdup(name) : NULL;
    int any = 0;

    if (shown && base[2] == '*') {
        const size_t at = (size_t)(base - name) + 1, n = strlen(shown + at + 1);

        memmove(shown + at, shown + at + 1, n + 1);
        shown[at + n - 1] = '\0';
    }
    for (size_t i = 0; i < g->s->n; i++)
        if (regexec(&g->expression[i], shown ? shown : name, 0, NULL, 0) == 0)
            any = g->has_matched[i] = 1;
    free(shown);
    return any;
}

/* Whether it is of a part of a file that matches. */
static int is_part(const struct selecting *g, const char *name)
{
    int n = 0;

    for (const char *colon = name; n < MOST_COLONS && (colon = strchr(colon, ':')) != NULL; colon++, n++)
        if (dsn__idmap_get(&g->keep, dsn_hash(name, (size_t)(colon - name), 0)) != DSN_IDMAP_NONE)
            return 1;
    return 0;
}

/* Returns 0 without memory. */
static int choose(struct selecting *g)
{
    const size_t n = darshan_reader_names(g->log);
    uint64_t id;

    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name_at(g->log, i, &id);

        if (*name && matches(g, name) && dsn__idmap_add(&g->keep, id, 1) == DSN_IDMAP_NONE)
            return 0;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name_at(g->log, i, &id);

        if (is_part(g, name) && dsn__idmap_add(&g->keep, id, 1) == DSN_IDMAP_NONE)
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ the copy */

/* The job's own, and of no file. */
static int is_of_job(unsigned module)
{
    return module == DSN_APMPI_MODULE || module == DSN_BGQ_MODULE;
}

static int copy_modules(struct selecting *g, struct darshan_reader_error *err)
{
    const struct dsn_header *h = darshan_reader_header(g->log);
    int rc = DSN_ERR_OK;

    for (unsigned i = 0; i < DSN_MODULE_SLOTS && rc == DSN_ERR_OK; i++) {
        struct dsn_rewrite how = { .keep = is_of_job(i) ? NULL : &g->keep };

        if (h->mod[i].len > 0 && dsn_rewrite_can(i) && i != DSN_HEATMAP_MODULE && i != DSN_MDHIM_MODULE)
            rc = dsn_rewrite_module(g->log, i, &how, g->w, err);
    }
    return rc;
}

static int copy_shared(const struct selecting *g)
{
    const size_t n = darshan_reader_shared(g->log), size = dsn_rec_size(&dsn_sharing_table);
    char *rows = malloc(n * size + 1), *end = rows;
    int rc = rows ? DSN_ERR_OK : DSN_ERR_MEMORY;

    for (size_t i = 0; rows && i < n; i++) {
        const struct dsn_rec *row = darshan_reader_shared_row(g->log, i);

        if (dsn__idmap_get(&g->keep, row->id) == DSN_IDMAP_NONE)
            continue;
        memcpy(end, row, size);
        end += size;
    }
    if (rows && end > rows)
        rc = darshan_writer_extension(g->w, DSN_EXT_SHARED, dsn_sharing_table.version, rows, (size_t)(end - rows));
    free(rows);
    return rc;
}

/* Hosts and processes are text, and the same for any file. */
static int copy_extension(const struct selecting *g, struct darshan_reader_error *err)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < darshan_reader_parts(g->log) && rc == DSN_ERR_OK; i++) {
        const struct dsn_ext_part *part = darshan_reader_part(g->log, i);
        void *bytes;

        if (strcmp(part->name, DSN_EXT_SHARED) == 0 && part->version <= dsn_sharing_table.version)
            rc = copy_shared(g);
        if (strcmp(part->name, DSN_EXT_NODES) != 0 && strcmp(part->name, DSN_EXT_PROCESSES) != 0)
            continue;
        rc = darshan_reader_part_bytes(g->log, i, &bytes, err);
        if (rc == DSN_ERR_OK)
            rc = darshan_writer_extension(g->w, part->name, part->version, bytes, part->raw);
        free(bytes);
    }
    return rc;
}

/* An older log's run time is known to the second, and is a second longer than from its start to its end: the copy, of the newest
 * version, says so in its end. */
static struct dsn_job job_of(const struct darshan_reader *log, struct dsn_selection *s)
{
    struct dsn_job job = *darshan_reader_job(log);

    s->whole_seconds = darshan_reader_header(log)->minor < FRACTIONS_SINCE;
    s->added_seconds = s->whole_seconds && job.end_sec >= job.start_sec && job.end_sec < INT64_MAX;
    job.end_sec += s->added_seconds;
    return job;
}

/* The writer completes the file in any case: with an error it leaves none. */
static int write_copy(struct selecting *g, struct dsn_selection *s, const char *path, struct darshan_reader_error *err)
{
    const struct dsn_job job = job_of(g->log, s);
    const struct darshan_reader_mount *mounts;
    const size_t nmounts = darshan_reader_mounts(g->log, &mounts), n = darshan_reader_names(g->log);
    int rc = darshan_writer_create(path, DSN_ZLIB, &g->w, err);

    if (rc != DSN_ERR_OK)
        return rc;
    darshan_writer_partial(g->w, darshan_reader_header(g->log)->partial);
    darshan_writer_job(g->w, &job, darshan_reader_exe(g->log), mounts, nmounts);
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(g->log, i, &id);

        if (dsn__idmap_get(&g->keep, id) != DSN_IDMAP_NONE)
            darshan_writer_name(g->w, id, name);
    }
    rc = copy_modules(g, err);
    if (rc == DSN_ERR_OK)
        rc = copy_extension(g, err);
    if (rc == DSN_ERR_OK && darshan_writer_error(g->w, NULL) == DSN_ERR_OK)
        return darshan_writer_finish(g->w, err);
    if (darshan_writer_error(g->w, NULL) != DSN_ERR_OK)
        rc = darshan_writer_error(g->w, err);
    darshan_writer_abandon(g->w);
    return rc;
}

/* The copy has no name as soon as it is open, so that it is gone with the process. */
static int open_copy(struct selecting *g, struct dsn_selection *s, struct darshan_reader **log,
                     struct darshan_reader_error *err)
{
    const char *place = getenv("TMPDIR");
    char directory[4000], path[sizeof directory + 20];
    int rc, fd;

    snprintf(directory, sizeof directory, "%s/darshan-files-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(directory)) {
        err->code = DSN_ERR_WRITE;
        snprintf(err->text, sizeof err->text, "no copy with fewer files can be made in %.80s: %s; set TMPDIR",
                 place && *place ? place : "/tmp", strerror(errno));
        return DSN_ERR_WRITE;
    }
    snprintf(path, sizeof path, "%s/log.darshan", directory);
    rc = write_copy(g, s, path, err);
    fd = rc == DSN_ERR_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    unlink(path);
    rmdir(directory);
    if (rc != DSN_ERR_OK)
        return rc;
    snprintf(s->path, sizeof s->path, "/proc/self/fd/%d", fd);
    return darshan_reader_open(s->path, log, err);
}

static int complain_of_pattern(const char *command, const char *file, const char *pattern, const char *why)
{
    dsn_warn(command, file, "%s \"%s\"%s", why, pattern,
             "; `darshan-parser --file-list LOG` prints names, and a pattern with * should be in quotes");
    return 1;
}

int dsn_select_files(const char *command, const char *file, struct dsn_selection *s, struct darshan_reader **log)
{
    struct selecting *g = calloc(1, sizeof *g);
    struct darshan_reader_error err = { .code = DSN_ERR_MEMORY };
    size_t n = 0;
    int status = 0;

    snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
    if (g) {
        g->s = s;
        dsn__idmap_init(&g->keep);
        for (; status == 0 && n < s->n; n++)
            if (!compile(s->patterns[n], &g->expression[n])) {
                status = complain_of_pattern(command, file, s->patterns[n], "not a pattern of names:");
                break;
            }
        if (status == 0)
            darshan_reader_open(file, &g->log, &err);
    }
    if (g && g->log) {
        darshan_reader_damage(g->log, &err);
        if (err.code == DSN_ERR_OK && !choose(g)) {
            err.code = DSN_ERR_MEMORY;
            snprintf(err.text, sizeof err.text, "%s", dsn_err_text(err.code));
        }
        for (size_t i = 0; err.code == DSN_ERR_OK && status == 0 && i < s->n; i++)
            if (!g->has_matched[i])
                status = complain_of_pattern(command, file, s->patterns[i], "no file's name matches");
        if (err.code == DSN_ERR_OK && status == 0)
            open_copy(g, s, log, &err);
        darshan_reader_close(g->log);
    }
    if (status == 0 && err.code != DSN_ERR_OK) {
        dsn_complain(command, file, &err, 0);
        status = 1;
    }
    for (size_t i = 0; g && i < n; i++)
        regfree(&g->expression[i]);
    if (g)
        dsn__idmap_free(&g->keep);
    free(g);
    return status;
}
