/* reader.c - opening a log: header, job, command line, mounts
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_header(struct darshan_reader *log)
{
    unsigned char bytes[DSN_HEADER_SIZE];
    const size_t n = log->file.size < sizeof bytes ? (size_t)log->file.size : sizeof bytes;
    int rc;

    if (!dsn__file_read(&log->file, 0, bytes, n))
        return DSN_ERR_READ;
    rc = dsn_header_load(bytes, n, &log->header);
    if (rc == DSN_ERR_OK)
        log->file.compression = log->header.compression;
    return rc;
}

/* The job region is not in the header's map: it extends to the next region. */
static int find_job(struct darshan_reader *log, struct dsn_map *job)
{
    const struct dsn_header *h = &log->header;
    uint64_t end = h->names.off;

    for (unsigned i = 0; i < DSN_MODULE_SLOTS && end == 0; i++)
        end = h->mod[i].off;
    if (end == 0)
        end = log->file.size;
    if (end < h->size)
        return DSN_ERR_JOB;
    job->off = h->size;
    job->len = log->job_length = end - h->size;
    return DSN_ERR_OK;
}

/* Decompresses the whole job region, so that its checksum is verified; `bytes` has room for one byte more than the
 * maximum. */
static int read_job(struct darshan_reader *log, unsigned char *bytes, size_t *n)
{
    struct dsn_map region;
    struct dsn__zio *z;
    int rc = find_job(log, &region);

    if (rc != DSN_ERR_OK)
        return rc;
    rc = dsn__zio_begin(&log->file, region, &z);
    if (rc != DSN_ERR_OK)
        return rc;
    *n = dsn__zio_read(z, bytes, DSN_JOB_REGION_MAX + 1);
    rc = dsn__zio_error(z);
    dsn__zio_end(z);
    if (rc == DSN_ERR_RANGE || rc == DSN_ERR_READ || rc == DSN_ERR_MEMORY)
        return rc;
    if (rc != DSN_ERR_OK || *n < dsn_job_size(&log->header))
        return DSN_ERR_JOB;
    if (*n > DSN_JOB_REGION_MAX)
        *n = DSN_JOB_REGION_MAX;
    return DSN_ERR_OK;
}

/* ------------------------------------------------------------------ mount table */

/* The type and path of a mount entry at p, separated by white space. The path may contain blanks: it ends with its line.
 * 0 if one of them is missing. */
static int mount_entry(char *p, const char *word[2], size_t length[2])
{
    static const char blank[] = " \t\n\v\f\r";

    for (int i = 0; i < 2; i++) {
        p += strspn(p, blank);
        word[i] = p;
        length[i] = strcspn(p, i == 0 ? blank : "\n");
        if (length[i] == 0)
            return 0;
        p += length[i];
    }
    return 1;
}

static char *copy_word(char **to, const char *text, size_t n)
{
    char *result = *to;

    memcpy(result, text, n);
    result[n] = '\0';
    *to += n + 1;
    return result;
}

/* Sorts by descending path length; equal lengths keep their order (insertion sort, because there are few). */
static void sort_mounts(struct darshan_reader_mount *m, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct darshan_reader_mount x = m[i];
        const size_t length = strlen(x.path);
        size_t k = i;

        for (; k > 0 && strlen(m[k - 1].path) < length; k--)
            m[k] = m[k - 1];
        m[k] = x;
    }
}

/* `text` is what follows the command line, lines of "type<blank>path". Entries and strings are in one allocation. */
static int read_mounts(struct darshan_reader *log, char *text)
{
    const char *word[2];
    size_t length[2], n = 0, bytes = 0, kept = 0;
    char *store;

    for (char *p = text; (p = strchr(p, '\n')) != NULL; p++, n++)
        if (mount_entry(p, word, length))
            bytes += length[0] + length[1] + 2; /* after an empty line the same words are counted twice: too much, never
                                                 * too little */
    if (n == 0)
        return DSN_ERR_OK;
    log->mounts = malloc(n * sizeof *log->mounts + bytes);
    if (!log->mounts)
        return DSN_ERR_MEMORY;
    store = (char *)(log->mounts + n);
    for (char *p = text; (p = strchr(p, '\n')) != NULL && mount_entry(p, word, length); p++) {
        log->mounts[kept].type = copy_word(&store, word[0], length[0]);
        log->mounts[kept].path = copy_word(&store, word[1], length[1]);
        kept++;
    }
    sort_mounts(log->mounts, kept);
    log->nmounts = kept;
    return kept == n ? DSN_ERR_OK : DSN_ERR_MOUNTS;
}

/* ------------------------------------------------------------------ open, close */

static int read_job_region(struct darshan_reader *log)
{
    unsigned char bytes[DSN_JOB_REGION_MAX + 1];
    size_t n, start = dsn_job_size(&log->header);
    char *line;
    int rc = read_job(log, bytes, &n);

    if (rc != DSN_ERR_OK)
        return rc;
    dsn_job_load(&log->header, bytes, &log->job);
    memcpy(log->job_text, bytes + start, n - start);
    log->job_text[n - start] = '\0';
    line = strchr(log->job_text, '\n');
    log->exe = line ? log->job_text : ""; /* as in the original: without a newline there is no command line */
    if (!line)
        return DSN_ERR_OK;
    rc = read_mounts(log, line);
    *line = '\0';
    if (rc == DSN_ERR_MOUNTS)
        dsn__damage(log, rc, NULL);
    return rc == DSN_ERR_MOUNTS ? DSN_ERR_OK : rc;
}

/* Returns NULL, or the reason why the file cannot be used. */
static const char *open_file(struct darshan_reader *log, const char *path)
{
    struct stat st;

    /* without O_NONBLOCK, opening a FIFO would block */
    log->file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (log->file.fd < 0 || fstat(log->file.fd, &st) != 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? "it is a directory" : "it is not a regular file";
    log->file.size = (uint64_t)st.st_size;
    return NULL;
}

static int read_all(struct darshan_reader *log, const char *path, struct darshan_reader_error *err)
{
    const char *reason = open_file(log, path);
    int rc;

    if (reason)
        return dsn__fail(err, DSN_ERR_OPEN, reason);
    rc = read_header(log);
    if (rc == DSN_ERR_OK)
        rc = read_job_region(log);
    if (rc != DSN_ERR_OK)
        return dsn__fail(err, rc, rc == DSN_ERR_RANGE ? "job" : NULL);
    rc = dsn__names_read(log);
    if (rc == DSN_ERR_MEMORY)
        return dsn__fail(err, rc, NULL);
    if (rc != DSN_ERR_OK)
        dsn__damage(log, rc, rc == DSN_ERR_RANGE ? "names" : NULL);
    dsn__extras_read(log);
    return DSN_ERR_OK;
}

static int open_log(const char *path, int nameless, struct darshan_reader **out, struct darshan_reader_error *err)
{
    struct darshan_reader *log = calloc(1, sizeof *log);
    int rc;

    *out = NULL;
    if (!log)
        return dsn__fail(err, DSN_ERR_MEMORY, NULL);
    log->file.fd = -1;
    log->exe = "";
    dsn__fail(&log->damage, DSN_ERR_OK, NULL);
    dsn__idtable_init(&log->names.table, sizeof(size_t));
    log->names.is_skimmed = nameless;
    rc = read_all(log, path, err);
    if (rc != DSN_ERR_OK) {
        darshan_reader_close(log);
        return rc;
    }
    dsn__fail(err, DSN_ERR_OK, NULL);
    *out = log;
    return DSN_ERR_OK;
}

int darshan_reader_open(const char *path, struct darshan_reader **out, struct darshan_reader_error *err)
{
    return open_log(path, 0, out, err);
}

int darshan_reader_open_nameless(const char *path, struct darshan_reader **out, struct darshan_reader_error *err)
{
    return open_log(path, 1, out, err);
}

void darshan_reader_close(struct darshan_reader *log)
{
    if (!log)
        return;
    if (log->file.fd >= 0)
        close(log->file.fd);
    dsn__extras_free(&log->extras);
    dsn__names_free(&log->names);
    free(log->mounts);
    free(log);
}

/* ------------------------------------------------------------------ errors */

int dsn__fail(struct darshan_reader_error *err, int code, const char *what)
{
    if (err) {
        err->code = code;
        snprintf(err->text, sizeof err->text, what && *what ? "%s (%s)" : "%s", dsn_err_text(code), what);
    }
    return code;
}

void dsn__damage(struct darshan_reader *log, int code, const char *what)
{
    if (log->damage.code == DSN_ERR_OK)
        dsn__fail(&log->damage, code, what);
}

int darshan_reader_damage(const struct darshan_reader *log, struct darshan_reader_error *err)
{
    if (err)
        *err = log->damage;
    return log->damage.code;
}

const char *darshan_error_text(int code)
{
    return dsn_err_text(code);
}

/* ------------------------------------------------------------------ what was read */

const darshan_log_table *darshan_module_table(unsigned module)
{
    return dsn_table(module);
}

const char *darshan_module_name(unsigned module)
{
    return dsn_module_name(module);
}

const struct dsn_header *darshan_reader_header(const struct darshan_reader *log)
{
    return &log->header;
}

const struct dsn_job *darshan_reader_job(const struct darshan_reader *log)
{
    return &log->job;
}

const char *darshan_reader_exe(const struct darshan_reader *log)
{
    return log->exe;
}

double darshan_reader_runtime(const struct darshan_reader *log)
{
    return dsn_job_runtime(&log->header, &log->job);
}

uint64_t darshan_reader_job_length(const struct darshan_reader *log)
{
    return log->job_length;
}

int darshan_reader_metadata(const struct darshan_reader *log, size_t *pos, struct darshan_reader_metadata *out)
{
    const char *p = log->job.metadata + *pos;

    while (*p) {
        const size_t length = strcspn(p, "\n");
        const char *equals = memchr(p, '=', length);
        const char *line = p;

        p += length + (p[length] == '\n');
        *pos = (size_t)(p - log->job.metadata);
        if (!equals)
            continue;
        out->key = line;
        out->key_length = (size_t)(equals - line);
        out->value = equals + 1;
        out->value_length = length - out->key_length - 1;
        return 1;
    }
    return 0;
}

size_t darshan_reader_mounts(const struct darshan_reader *log, const struct darshan_reader_mount **out)
{
    *out = log->mounts;
    return log->nmounts;
}

/* "/scratch2/a" is not below "/scratch". */
static int is_below(const char *name, const char *directory)
{
    const size_t n = strlen(directory);

    return strncmp(name, directory, n) == 0 && (name[n] == '/' || name[n] == '\0' || (n > 0 && name[n - 1] == '/'));
}

const struct darshan_reader_mount *darshan_reader_mount_of(const struct darshan_reader *log, const char *name)
{
    static const struct darshan_reader_mount unknown = { "UNKNOWN", "UNKNOWN" };

    for (size_t i = 0; name && i < log->nmounts; i++)
        if (is_below(name, log->mounts[i].path))
            return &log->mounts[i];
    return &unknown;
}
