/* select-files.c - restricts a log to files whose names match patterns
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All that makes reports reads the log, some of it more than once. A copy with fewer records spares each of them the question. */
#include <config.h>
#include "select-files.h"

#include <errno.h>
#include <fcntl.h>
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

/* Whether the expression from its '[' to its ']' has the character. */
static int is_in_bracket(const char *at, const char *end, char c)
{
    const int is_not = at[1] == '!' || at[1] == '^';
    int is_in = 0;

    for (const char *p = at + 1 + is_not; p < end; p++) {
        const int is_range = p[1] == '-' && p + 2 < end;

        is_in |=
            is_range ? (unsigned char)c >= (unsigned char)p[0] && (unsigned char)c <= (unsigned char)p[2] : c == *p;
        p += is_range ? 2 : 0;
    }
    return is_in != is_not && c != '/';
}

/* Matches what stands for one character or one number in the pattern: sets both to what follows. */
static int match_one(const char **pattern, const char **name)
{
    const char *p = *pattern, *end = *p == '[' ? end_of_bracket(p) : NULL;
    size_t n = 1;
    int is_like;

    if (**name == '\0')
        return 0;
    if (end)
        is_like = is_in_bracket(p, end, **name);
    else if (*p == '#') {
        n = strspn(*name, "0123456789");
        is_like = n > 0 || **name == '#'; /* of the runtime's names */
        n = n > 0 ? n : 1;
    } else if (*p == '?')
        is_like = **name != '/';
    else {
        p += *p == '\\' && p[1];
        is_like = *p == **name;
    }
    *pattern = end ? end + 1 : p + 1;
    *name += n;
    return is_like;
}

/* What does not fit is tried again with one character more for the last asterisk, which suffices. (fnmatch knows a number
 * only as a repetition, for which it tries every way to divide a row of digits.) */
static int matches_whole(const char *pattern, const char *name, int crosses)
{
    const char *star = NULL, *from = NULL;

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (*pattern == '\0' && *name == '\0')
            return 1;
        else if (*pattern == '\0' || !match_one(&pattern, &name)) {
            if (!star || *from == '\0' || (*from == '/' && !crosses))
                return 0;
            pattern = star;
            name = ++from;
        }
    }
}

int dsn_name_matches(const char *pattern, const char *name)
{
    const int has_slash = strchr(pattern, '/') != NULL;
    const char *at = strrchr(name, '/');

    if (!has_slash)
        return matches_whole(pattern, at ? at + 1 : name, 0);
    if (matches_whole(pattern, name, 1))
        return 1;
    for (at = name; *pattern != '/' && (at = strchr(at, '/')) != NULL;)
        if (matches_whole(pattern, ++at, 1))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------ names */

struct selecting {
    const struct dsn_selection *s;
    struct darshan_reader *log;
    struct darshan_writer *w;
    struct dsn__idmap keep; /* ids of files that match */
    int has_matched[DSN_MOST_PATTERNS];
};

/* What has no record of its own is counted as DIRECTORY/<*SUFFIX>, and matches without the brackets. */
static int matches(struct selecting *g, const char *name)
{
    const char *base = strrchr(name, '/');
    char *shown = dsn_name_is_aggregated(name) ? strdup(name) : NULL;
    int any = 0;

    if (shown && base[2] == '*') {
        const size_t at = (size_t)(base - name) + 1, n = strlen(shown + at + 1);

        memmove(shown + at, shown + at + 1, n + 1);
        shown[at + n - 1] = '\0';
    }
    for (size_t i = 0; i < g->s->n; i++)
        if (dsn_name_matches(g->s->patterns[i], shown ? shown : name))
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

static int without_memory(struct darshan_reader_error *err)
{
    err->code = DSN_ERR_MEMORY;
    snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
    return err->code;
}

/* Parts come after all files, for a name may stand before that of its file. */
static int choose(struct selecting *g, struct darshan_reader_error *err)
{
    const size_t n = darshan_reader_names(g->log);
    uint64_t id;

    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name_at(g->log, i, &id);

        if (*name && matches(g, name) && dsn__idmap_add(&g->keep, id, 1) == DSN_IDMAP_NONE)
            return without_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = darshan_reader_name_at(g->log, i, &id);

        if (is_part(g, name) && dsn__idmap_add(&g->keep, id, 1) == DSN_IDMAP_NONE)
            return without_memory(err);
    }
    return DSN_ERR_OK;
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

static int copy_rows(const struct selecting *g, const char *part, const struct dsn_table *t, size_t n,
                     const struct dsn_rec *(*row_of)(const struct darshan_reader *, size_t))
{
    const size_t size = dsn_rec_size(t);
    char *rows = malloc(n * size + 1), *end = rows;
    int rc = rows ? DSN_ERR_OK : DSN_ERR_MEMORY;

    for (size_t i = 0; rows && i < n; i++) {
        const struct dsn_rec *row = row_of(g->log, i);

        if (dsn__idmap_get(&g->keep, row->id) == DSN_IDMAP_NONE)
            continue;
        memcpy(end, row, size);
        end += size;
    }
    if (rows)
        rc = darshan_writer_extension(g->w, part, t->version, rows, (size_t)(end - rows));
    free(rows);
    return rc;
}

/* Call sites are by what file they use. */
static int copy_sites(const struct selecting *g)
{
    const size_t n = darshan_reader_sites(g->log), size = dsn_rec_size(&dsn_sites_table);
    char *rows = malloc(n * size + 1), *end = rows;
    int rc = rows ? DSN_ERR_OK : DSN_ERR_MEMORY;

    for (size_t i = 0; rows && i < n; i++) {
        const struct dsn_rec *row = darshan_reader_site(g->log, i);

        if (dsn__idmap_get(&g->keep, (uint64_t)row->v[SITE_FILE].i) == DSN_IDMAP_NONE)
            continue;
        memcpy(end, row, size);
        end += size;
    }
    if (rows)
        rc = darshan_writer_extension(g->w, DSN_EXT_SITES, dsn_sites_table.version, rows, (size_t)(end - rows));
    free(rows);
    return rc;
}

/* Hosts, processes and chains of calls are text, and the same for any file. */
static int copy_extension(const struct selecting *g, struct darshan_reader_error *err)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < darshan_reader_parts(g->log) && rc == DSN_ERR_OK; i++) {
        const struct dsn_ext_part *part = darshan_reader_part(g->log, i);
        void *bytes;

        if (strcmp(part->name, DSN_EXT_SHARED) == 0 && part->version <= dsn_sharing_table.version)
            rc = copy_rows(g, DSN_EXT_SHARED, &dsn_sharing_table, darshan_reader_shared(g->log),
                           darshan_reader_shared_row);
        if (strcmp(part->name, DSN_EXT_MAPPED) == 0 && part->version <= dsn_mapped_table.version)
            rc = copy_rows(g, DSN_EXT_MAPPED, &dsn_mapped_table, darshan_reader_mapped(g->log),
                           darshan_reader_mapped_row);
        if (strcmp(part->name, DSN_EXT_SITES) == 0 && part->version <= dsn_sites_table.version)
            rc = copy_sites(g);
        if (strcmp(part->name, DSN_EXT_NODES) != 0 && strcmp(part->name, DSN_EXT_PROCESSES) != 0 &&
            (strcmp(part->name, DSN_EXT_STACKS) != 0 || darshan_reader_header(g->log)->swap))
            if (strcmp(part->name, DSN_EXT_CUFILE) == 0 && part->version <= dsn_cufile_table.version)
                rc = copy_rows(g, DSN_EXT_CUFILE, &dsn_cufile_table, darshan_reader_cufile(g->log),
                               darshan_reader_cufile_row);
        continue;
        rc = darshan_reader_part_bytes(g->log, i, &bytes, err);
        if (rc == DSN_ERR_OK)
            rc = darshan_writer_extension(g->w, part->name, part->version, bytes, part->raw);
        free(bytes);
    }
    if (rc == DSN_ERR_OK &&
        darshan_reader_tells_files(g->log)) /* the copy has no totals of ranks, which tell so, too */
        rc = copy_rows(g, DSN_EXT_FILES, &dsn_files_table, darshan_reader_files(g->log), darshan_reader_file_row);
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

static int check_matches(const struct selecting *g, const char *command, const char *file)
{
    for (size_t i = 0; i < g->s->n; i++)
        if (!g->has_matched[i]) {
            dsn_warn(command, file,
                     "no file's name matches \"%s\"; `darshan-parser LOG` prints names, and a pattern with * "
                     "should be in quotes",
                     g->s->patterns[i]);
            return 1;
        }
    return 0;
}

int dsn_select_files(const char *command, const char *file, struct dsn_selection *s, struct darshan_reader **log)
{
    struct selecting *g = calloc(1, sizeof *g);
    struct darshan_reader_error err = { .code = DSN_ERR_OK };
    int rc, status = 0;

    if (!g) {
        dsn_warn(command, file, "%s", dsn_err_text(DSN_ERR_MEMORY));
        return 1;
    }
    g->s = s;
    dsn__idmap_init(&g->keep);
    rc = darshan_reader_open(file, &g->log, &err);
    if (rc == DSN_ERR_OK)
        rc = darshan_reader_damage(g->log, &err);
    if (rc == DSN_ERR_OK)
        rc = choose(g, &err);
    if (rc == DSN_ERR_OK)
        status = check_matches(g, command, file);
    if (status == 0 && rc == DSN_ERR_OK)
        rc = open_copy(g, s, log, &err);
    if (rc != DSN_ERR_OK && err.code != rc)
        without_memory(&err);
    if (rc != DSN_ERR_OK) {
        dsn_complain(command, file, &err, 0);
        status = 1;
    }
    darshan_reader_close(g->log);
    dsn__idmap_free(&g->keep);
    free(g);
    return status;
}
