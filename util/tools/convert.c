/* convert.c - darshan-convert: converts a log of any version to the newest, optionally with changes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Options and results: spec parser-output.md 9. */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "lookup3.h"
#include "rewrite.h"

#define COMMAND   "darshan-convert"
#define MAX_NOTES 64

enum { JOBID = 1, UID = 2, EXE = 4, NAMES = 8, MOUNTS = 16, HOSTS = 32, USUAL = JOBID | UID | EXE | NAMES };

enum { OPT_BZIP2 = 256, OPT_KEY, OPT_ANNOTATE, OPT_FILE, OPT_RESET };

/* Values: what is obfuscated, or one of the above. */
static const struct dsn_option options[] = {
    { "bzip2", NULL, "compress with bzip2 (default: zlib)", OPT_BZIP2 },
    { "obfuscate", NULL, "replace job id, user id, command line and names by hashes", USUAL },
    { "obfuscate_jobid", NULL, "replace the job id by a hash", JOBID },
    { "obfuscate_uid", NULL, "replace the user id by a hash", UID },
    { "obfuscate_exe", NULL, "replace the command line by a hash", EXE },
    { "obfuscate_names", NULL, "replace the records' names by hashes, except for their mount points", NAMES },
    { "hash-mounts", NULL, "replace mount points by hashes, in names, too", MOUNTS },
    { "hash-hosts", NULL, "replace host names by hashes", HOSTS },
    { "key", "N", "initial value of all hashes (default 0)", OPT_KEY },
    { "annotate", "TEXT", "add lines to the metadata: key=value, separated by tabs", OPT_ANNOTATE },
    { "file", "ID", "only the records, and the name, of this record id", OPT_FILE },
    { "reset-md", NULL, "drop the log's metadata", OPT_RESET },
};

static const struct dsn_command command = { COMMAND,
                                            "[options] LOG NEW_LOG",
                                            "Converts a log to the newest format.",
                                            options,
                                            sizeof options / sizeof options[0],
                                            NULL };

struct run {
    const char *in, *out;
    unsigned hide; /* bit mask of JOBID etc. */
    int bzip2, reset;
    uint32_t key;
    uint64_t only; /* record id; 0: all */
    const char *notes[MAX_NOTES];
    size_t nnotes;
    struct darshan_reader *log;
    struct darshan_writer *w;
};

/* ------------------------------------------------------------------ job */

static uint32_t hash_text(const struct run *run, const char *text)
{
    return dsn_lookup3(text, strlen(text), run->key);
}

static int64_t hash_number(const struct run *run, int64_t v)
{
    return (int64_t)dsn_lookup3(&v, sizeof v, run->key);
}

/* Adds the lines of an annotation, separated by tabs; one that does not fit is omitted. */
static void annotate(const struct run *run, char *metadata, const char *note)
{
    for (const char *p = note; *p; p += *p == '\t') {
        const size_t length = strcspn(p, "\t"), used = strlen(metadata);

        if (length > 0 && used + length + 1 >= DSN_METADATA_MAX)
            dsn_warn(COMMAND, run->out, "no space in the metadata for: %.*s", length < 80 ? (int)length : 80, p);
        else if (length > 0) {
            memcpy(metadata + used, p, length);
            memcpy(metadata + used + length, "\n", 2);
        }
        p += length;
    }
}

/* Replaces the value of a line by its hash, in hexadecimal form. */
static void hash_line(const struct run *run, char *metadata, const char *key)
{
    const size_t n = strlen(key);
    char text[DSN_METADATA_MAX], value[DSN_METADATA_MAX], *line = metadata;
    int size;

    while (*line && (strncmp(line, key, n) != 0 || line[n] != '='))
        line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    if (!*line)
        return;
    line += n + 1;
    snprintf(value, sizeof value, "%.*s", (int)strcspn(line, "\n"), line);
    size = snprintf(text, sizeof text, "%.*s%08" PRIx32 "%s", (int)(line - metadata), metadata, hash_text(run, value),
                    line + strcspn(line, "\n"));
    if (size > 0 && (size_t)size < sizeof text)
        memcpy(metadata, text, (size_t)size + 1);
}

static void change_metadata(const struct run *run, char *metadata)
{
    const size_t used = strlen(metadata);

    if (used > 0 && metadata[used - 1] != '\n' && used + 1 < DSN_METADATA_MAX)
        memcpy(metadata + used, "\n", 2);
    for (size_t i = 0; i < run->nnotes; i++)
        annotate(run, metadata, run->notes[i]);
}

/* Hashing "/" would hide nothing. */
static int is_hashed(const struct run *run, const char *mount)
{
    return (run->hide & MOUNTS) && strcmp(mount, "/") != 0;
}

/* Longest path first; equal lengths keep their order, because the first of two mounts at the same place is used. */
static void sort_mounts(struct darshan_reader_mount *m, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct darshan_reader_mount x = m[i];
        size_t k = i;

        for (; k > 0 && strlen(m[k - 1].path) < strlen(x.path); k--)
            m[k] = m[k - 1];
        m[k] = x;
    }
}

/* The mounts to be written; the caller frees them. NULL: no memory. */
static struct darshan_reader_mount *changed_mounts(const struct run *run, size_t *n)
{
    const size_t hash_size = 16;
    const struct darshan_reader_mount *m;
    struct darshan_reader_mount *changed;
    char *text;

    *n = darshan_reader_mounts(run->log, &m);
    changed = malloc((*n + 1) * (sizeof *changed + hash_size));
    if (!changed)
        return NULL;
    text = (char *)(changed + *n);
    for (size_t i = 0; i < *n; i++, text += hash_size) {
        changed[i] = m[i];
        if (is_hashed(run, m[i].path)) {
            snprintf(text, hash_size, "/%" PRIu32, hash_text(run, m[i].path));
            changed[i].path = text;
        }
    }
    if (run->hide & MOUNTS)
        sort_mounts(changed, *n);
    return changed;
}

static int write_job(struct run *run)
{
    struct dsn_job job = *darshan_reader_job(run->log);
    const char *exe = darshan_reader_exe(run->log);
    struct darshan_reader_mount *mounts;
    char hash[16];
    size_t nmounts;

    if (run->reset)
        memset(job.metadata, 0, sizeof job.metadata);
    if ((run->hide & JOBID) && job.jobid != 0)
        job.jobid = hash_number(run, job.jobid);
    if (run->hide & UID)
        job.uid = hash_number(run, job.uid);
    if (run->hide & JOBID)
        hash_line(run, job.metadata, "run"); /* may be made of the job id */
    if (run->hide & (NAMES | HOSTS))
        hash_line(run, job.metadata, "node");
    change_metadata(run, job.metadata);
    snprintf(hash, sizeof hash, "%" PRIu32, hash_text(run, exe));
    mounts = changed_mounts(run, &nmounts);
    if (!mounts)
        return DSN_ERR_MEMORY;
    darshan_writer_partial(run->w, darshan_reader_header(run->log)->partial);
    darshan_writer_job(run->w, &job, run->hide & EXE ? hash : exe, mounts, nmounts);
    free(mounts);
    return darshan_writer_error(run->w, NULL);
}

/* ------------------------------------------------------------------ names */

static int starts_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* Names that are not paths. */
static int is_no_path(const char *name)
{
    static const char *const own[] = { "<STDIN>", "<STDOUT>", "<STDERR>", "heatmap:" };

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (starts_with(name, own[i]))
            return 1;
    return 0;
}

/* Writes a name: mount point and the rest, each possibly hashed. */
static int write_name(struct run *run, uint64_t id, const char *name)
{
    const struct darshan_reader_mount *mount = darshan_reader_mount_of(run->log, name);
    const char *place = starts_with(name, mount->path) ? mount->path : ""; /* otherwise it is on no mount */
    char hashed[16], *text;
    size_t size;
    int rc;

    if (is_no_path(name) || !(run->hide & (NAMES | MOUNTS)))
        return darshan_writer_name(run->w, id, name);
    size = strlen(name) + sizeof hashed + 32;
    text = malloc(size);
    if (!text)
        return DSN_ERR_MEMORY;
    snprintf(hashed, sizeof hashed, "/%" PRIu32, hash_text(run, place));
    if (run->hide & NAMES)
        snprintf(text, size, "%s%s%" PRIu32, is_hashed(run, place) && *place ? hashed : place, *place ? "/" : "",
                 hash_text(run, name));
    else
        snprintf(text, size, "%s%s", is_hashed(run, place) && *place ? hashed : place, name + strlen(place));
    rc = darshan_writer_name(run->w, id, text);
    free(text);
    return rc;
}

static int write_names(struct run *run)
{
    const size_t n = darshan_reader_names(run->log);
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < n && rc == DSN_ERR_OK; i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(run->log, i, &id);

        if (run->only == 0 || id == run->only)
            rc = write_name(run, id, name);
    }
    return rc;
}

/* ------------------------------------------------------------------ modules */

static int write_modules(struct run *run, struct darshan_reader_error *err)
{
    const struct dsn_header *h = darshan_reader_header(run->log);
    struct dsn_rewrite how = { .only = run->only, .hash_hosts = (run->hide & HOSTS) != 0, .key = run->key };
    uint64_t taken = 0;

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        if (h->mod[i].len == 0)
            continue;
        if (!dsn_rewrite_can(i)) {
            dsn_warn(COMMAND, run->in, "leaving out data of module %u (%s): this release cannot read it", i,
                     dsn_module_name(i) ? dsn_module_name(i) : "unknown");
            continue;
        }
        if (dsn_rewrite_module(run->log, i, &how, run->w, err) != DSN_ERR_OK)
            return err->code;
        taken += how.taken;
    }
    if (run->only != 0 && taken == 0)
        dsn_warn(COMMAND, run->in, "no record has the id %" PRIu64, run->only);
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ extension section */

/* Host names, hashed, each with its NUL. */
static int write_hashed_nodes(struct run *run)
{
    const size_t hash_size = 16;
    const char *const *names;
    const size_t n = darshan_reader_nodes(run->log, &names);
    char *text = malloc((n + 1) * hash_size);
    size_t at = 0;
    int rc;

    if (!text)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, hash_size, "%" PRIu32, hash_text(run, names[i])) + 1;
    rc = darshan_writer_extension(run->w, DSN_EXT_NODES, 1, text, at);
    free(text);
    return rc;
}

/* Totals of ranks include all files, so they are omitted if only one record is kept. */
static int write_ranks(struct run *run)
{
    const size_t n = darshan_reader_ranks(run->log);

    if (run->only != 0 || n == 0)
        return DSN_ERR_OK;
    return darshan_writer_extension(run->w, DSN_EXT_RANKS, dsn_rank_table.version, darshan_reader_rank(run->log, 0),
                                    n * dsn_rec_size(&dsn_rank_table));
}

/* Those of the records that are kept; they have ids, but no names. */
static int write_rows(struct run *run, const char *part, const struct dsn_table *t, size_t n,
                      const struct dsn_rec *(*row_of)(const struct darshan_reader *, size_t))
{
    const size_t size = dsn_rec_size(t);
    char *rows = malloc(n * size + 1), *end = rows;
    int rc = DSN_ERR_OK;

    if (!rows)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *row = row_of(run->log, i);

        if (run->only != 0 && row->id != run->only)
            continue;
        memcpy(end, row, size);
        end += size;
    }
    if (end > rows)
        rc = darshan_writer_extension(run->w, part, t->version, rows, (size_t)(end - rows));
    free(rows);
    return rc;
}

/* Of all files of the ranks: omitted if only one record is kept. */
static int write_lbio(struct run *run)
{
    const size_t n = darshan_reader_lbio(run->log);

    if (run->only != 0 || n == 0)
        return DSN_ERR_OK;
    return darshan_writer_extension(run->w, DSN_EXT_LBIO, dsn_lbio_table.version, darshan_reader_lbio_row(run->log, 0),
                                    n * dsn_rec_size(&dsn_lbio_table));
}

/* Omitted for a single file, whose trace needs samples of other operations. */
static int write_stamps(struct run *run, struct darshan_reader_error *err)
{
    darshan_cpu_stamp *stamps;
    size_t n;
    int rc = run->only ? DSN_ERR_OK : darshan_reader_cpu_stamps(run->log, &stamps, &n, err);

    if (run->only || rc != DSN_ERR_OK)
        return rc;
    rc = darshan_writer_extension(run->w, DSN_EXT_CPU, 1, stamps, n * sizeof *stamps);
    free(stamps);
    return rc;
}

/* Lines of text, whose last field is a command line. The numbers of the processes stay, for they say who started whom. */
static int write_processes(struct run *run, size_t i, struct darshan_reader_error *err)
{
    const struct dsn_ext_part *part = darshan_reader_part(run->log, i);
    const int tabs = part->version == 1 ? 5 : 6;
    const size_t most = part->raw * 6 + 16; /* a line is at least five tabs and its end; its hash at most ten digits */
    char *out = malloc(most), *end = out, *line, *next;
    void *bytes;
    int rc = darshan_reader_part_bytes(run->log, i, &bytes, err);

    for (line = bytes; rc == DSN_ERR_OK && out && *line; line = next) {
        char *field = line;

        next = line + strcspn(line, "\n");
        next += *next == '\n' ? (*next = '\0', 1) : 0;
        for (int tab = 0; tab < tabs; tab++)
            field += strcspn(field, "\t") + (field[strcspn(field, "\t")] == '\t');
        if (run->hide & EXE)
            end += snprintf(end, most - (size_t)(end - out), "%.*s%" PRIu32 "\n", (int)(field - line), line,
                            hash_text(run, field));
        else
            end += snprintf(end, most - (size_t)(end - out), "%s\n", line);
    }
    if (rc == DSN_ERR_OK)
        rc = !out ? DSN_ERR_MEMORY
                  : darshan_writer_extension(run->w, DSN_EXT_PROCESSES, part->version, out, (size_t)(end - out));
    free(bytes);
    free(out);
    return rc;
}

/* A part that this release does not know is copied, unless it may contain what is to be hidden or omitted. */
static int write_unknown(struct run *run, size_t i, struct darshan_reader_error *err)
{
    const struct dsn_ext_part *part = darshan_reader_part(run->log, i);
    void *bytes;
    int rc;

    if (darshan_reader_header(run->log)->swap || run->hide || run->only) {
        dsn_warn(COMMAND, run->in, "leaving out part \"%s\" of the extension section: this release does not know it",
                 part->name);
        return DSN_ERR_OK;
    }
    rc = darshan_reader_part_bytes(run->log, i, &bytes, err);
    if (rc == DSN_ERR_OK)
        rc = darshan_writer_extension(run->w, part->name, part->version, bytes, part->raw);
    free(bytes);
    return rc;
}

/* As for files: omitted if only one record is kept. What a program calls its phases may tell what it does. */
static int write_phases(struct run *run)
{
    const size_t n = darshan_reader_phases(run->log), size = dsn_rec_size(&dsn_phases_table);
    char *rows = n > 0 && run->only == 0 ? malloc(n * size) : NULL;
    int rc;

    if (n == 0 || run->only != 0)
        return DSN_ERR_OK;
    if (!rows)
        return DSN_ERR_MEMORY;
    memcpy(rows, darshan_reader_phase(run->log, 0), n * size);
    for (size_t i = 0; i < n && (run->hide & NAMES); i++) {
        struct dsn_rec *r = (struct dsn_rec *)(void *)(rows + i * size);
        char *name = (char *)&r->v[PHASE_NAME];
        const uint32_t hidden = hash_text(run, name);

        memset(name, 0, 8 * sizeof r->v[0]);
        snprintf(name, 8 * sizeof r->v[0], "%" PRIu32, hidden);
    }
    rc = darshan_writer_extension(run->w, DSN_EXT_PHASES, dsn_phases_table.version, rows, n * size);
    free(rows);
    return rc;
}

/* Left out if names are to be hidden, or only one record is kept: they tell of files, and have the names of the program's. */
static int write_stacks(struct run *run)
{
    const darshan_log_stack *stacks;
    const size_t n = darshan_reader_stacks(run->log, &stacks);
    size_t size = 0;
    char *bytes, *to;
    int rc;

    for (size_t i = 0; i < n; i++)
        size += sizeof stacks[i].id + strlen(stacks[i].text) + 1;
    bytes = to = malloc(size + 1);
    if (!bytes)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(stacks[i].text) + 1;

        memcpy(to, &stacks[i].id, sizeof stacks[i].id);
        memcpy(to + sizeof stacks[i].id, stacks[i].text, length);
        to += sizeof stacks[i].id + length;
    }
    rc = darshan_writer_extension(run->w, DSN_EXT_STACKS, 1, bytes, size);
    free(bytes);
    return rc;
}

static int write_extension(struct run *run, struct darshan_reader_error *err)
{
    int rc = DSN_ERR_OK;

    for (size_t i = 0; i < darshan_reader_parts(run->log) && rc == DSN_ERR_OK; i++) {
        const struct dsn_ext_part *part = darshan_reader_part(run->log, i);
        const int nodes = strcmp(part->name, DSN_EXT_NODES) == 0 && part->version == 1;

        if (nodes && (run->hide & (NAMES | HOSTS)))
            rc = write_hashed_nodes(run);
        else if (strcmp(part->name, DSN_EXT_RANKS) == 0 && part->version <= dsn_rank_table.version)
            rc = write_ranks(run);
        else if (strcmp(part->name, DSN_EXT_SHARED) == 0 && part->version <= dsn_sharing_table.version)
            rc = write_rows(run, DSN_EXT_SHARED, &dsn_sharing_table, darshan_reader_shared(run->log),
                            darshan_reader_shared_row);
        else if (strcmp(part->name, DSN_EXT_FILES) == 0 && part->version <= dsn_files_table.version)
            rc = write_rows(run, DSN_EXT_FILES, &dsn_files_table, darshan_reader_files(run->log),
                            darshan_reader_file_row);
        else if (strcmp(part->name, DSN_EXT_PHASES) == 0 && part->version <= dsn_phases_table.version)
            rc = write_phases(run);
        else if (strcmp(part->name, DSN_EXT_MAPPED) == 0 && part->version <= dsn_mapped_table.version)
            rc = write_rows(run, DSN_EXT_MAPPED, &dsn_mapped_table, darshan_reader_mapped(run->log),
                            darshan_reader_mapped_row);
        else if (strcmp(part->name, DSN_EXT_SITES) == 0 && part->version <= dsn_sites_table.version)
            rc = run->only || (run->hide & NAMES) ? DSN_ERR_OK
                                                  : write_rows(run, DSN_EXT_SITES, &dsn_sites_table,
                                                               darshan_reader_sites(run->log), darshan_reader_site);
        else if (strcmp(part->name, DSN_EXT_STACKS) == 0 && part->version == 1)
            rc = run->only || (run->hide & NAMES) ? DSN_ERR_OK : write_stacks(run);
        else if (strcmp(part->name, DSN_EXT_CUFILE) == 0 && part->version <= dsn_cufile_table.version)
            rc = write_rows(run, DSN_EXT_CUFILE, &dsn_cufile_table, darshan_reader_cufile(run->log),
                            darshan_reader_cufile_row);
        else if (strcmp(part->name, DSN_EXT_LBIO) == 0 && part->version <= dsn_lbio_table.version)
            rc = write_lbio(run);
        else if (strcmp(part->name, DSN_EXT_CPU) == 0 && part->version == 1)
            rc = write_stamps(run, err);
        else if (strcmp(part->name, DSN_EXT_PROCESSES) == 0 && part->version <= 2)
            rc = write_processes(run, i, err);
        else if (nodes) {
            void *bytes;

            rc = darshan_reader_part_bytes(run->log, i, &bytes, err);
            if (rc == DSN_ERR_OK)
                rc = darshan_writer_extension(run->w, part->name, part->version, bytes, part->raw);
            free(bytes);
        } else
            rc = write_unknown(run, i, err);
    }
    return rc;
}

/* ------------------------------------------------------------------ main */

static int write_all(struct run *run, struct darshan_reader_error *err)
{
    int rc = darshan_reader_damage(run->log, err);

    if (rc == DSN_ERR_OK)
        rc = darshan_writer_create(run->out, run->bzip2 ? DSN_BZIP2 : DSN_ZLIB, &run->w, err);
    if (rc != DSN_ERR_OK)
        return rc;
    rc = write_job(run);
    if (rc == DSN_ERR_OK)
        rc = write_names(run);
    if (rc == DSN_ERR_OK)
        rc = write_modules(run, err);
    if (rc == DSN_ERR_OK)
        rc = write_extension(run, err);
    if (rc != DSN_ERR_OK && darshan_writer_error(run->w, NULL) != DSN_ERR_OK)
        darshan_writer_error(run->w, err);
    else if (rc == DSN_ERR_MEMORY) {
        err->code = rc;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(rc));
    }
    return rc;
}

static int convert(struct run *run)
{
    struct darshan_reader_error err;
    int rc = darshan_reader_open(run->in, &run->log, &err);

    if (rc == DSN_ERR_OK)
        rc = write_all(run, &err);
    if (rc == DSN_ERR_OK) {
        rc = darshan_writer_finish(run->w, &err);
        run->w = NULL;
        if (rc != DSN_ERR_OK)
            dsn_warn(COMMAND, run->out, "%s; nothing was written", err.text);
    } else
        dsn_rewrite_complain(COMMAND, run->in, run->out, run->w, &err);
    darshan_writer_abandon(run->w);
    darshan_reader_close(run->log);
    return rc != DSN_ERR_OK;
}

/* Parses a number. */
static int number(const char *text, uint64_t *v)
{
    char *end;

    errno = 0;
    *v = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

static int take_option(void *context, int value, const char *argument)
{
    struct run *run = context;
    uint64_t v;

    switch (value) {
    case OPT_BZIP2:
        run->bzip2 = 1;
        return 1;
    case OPT_KEY:
        if (!number(argument, &v))
            return 0;
        run->key = (uint32_t)v;
        return 1;
    case OPT_ANNOTATE:
        if (run->nnotes == MAX_NOTES)
            return 0;
        run->notes[run->nnotes++] = argument;
        return 1;
    case OPT_FILE:
        return number(argument, &run->only);
    case OPT_RESET:
        run->reset = 1;
        return 1;
    default:
        run->hide |= (unsigned)value;
        return 1;
    }
}

int main(int argc, char **argv)
{
    struct run run = { .in = NULL };
    int rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &run);
    if (rc >= 0)
        return rc;
    if (argc - optind != 2)
        return dsn_usage(&command, "give two files: the log and the one to write");
    run.in = argv[optind];
    run.out = argv[optind + 1];
    return convert(&run);
}
