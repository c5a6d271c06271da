/* common.c - messages of the commands, and the header of their output
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "common.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/text.h"

void dsn_begin(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; /* without /dev/null nothing can be done */
}

/* Advice for each kind of error; NULL: the message is sufficient. */
static const char *advice(int code)
{
    switch (code) {
    case DSN_ERR_OPEN:
        return "check its name and permissions";
    case DSN_ERR_SHORT:
    case DSN_ERR_RANGE:
        return "copy the file again if its source is larger";
    case DSN_ERR_MAGIC:
        return "give a file whose name ends in .darshan";
    case DSN_ERR_VERSION:
    case DSN_ERR_MODVERSION:
        return "try a newer release of these tools";
    case DSN_ERR_BZIP2:
        return "configure with libbz2 (Debian package libbz2-dev)";
    case DSN_ERR_JOB:
    case DSN_ERR_MOUNTS:
    case DSN_ERR_NAMES:
    case DSN_ERR_INFLATE:
    case DSN_ERR_RECORD:
    case DSN_ERR_EXTENSION:
        return "what could be read is shown; compare the file with its source";
    default:
        return NULL;
    }
}

void dsn_warn(const char *command, const char *file, const char *format, ...)
{
    char name[512], message[512];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    dsn_text_fit(name, sizeof name, 120, 40, file);
    fprintf(stderr, "%s: %s: %s\n", command, name, message);
}

void dsn_complain(const char *command, const char *file, const struct darshan_reader_error *err, int more)
{
    const char *todo = advice(err->code);
    char others[48] = "";

    if (more > 0)
        snprintf(others, sizeof others, " and %d error%s more", more, more == 1 ? "" : "s");
    dsn_warn(command, file, "%s%s%s%s", err->text, others, todo ? "; " : "", todo ? todo : "");
}

int dsn_end_output(struct dsn_text *out, const char *command)
{
    dsn_text_flush(out);
    if (out->error)
        fprintf(stderr, "%s: cannot write the output: %s\n", command, strerror(out->error));
    return out->error != 0;
}

static void untrusted(struct dsn_text *out, const char *s)
{
    dsn_text_untrusted(out, s, strlen(s));
}

/* "Www Mmm dd hh:mm:ss yyyy" in local time; "unknown" if the time is out of the calendar's range. */
static void print_time(struct dsn_text *out, const char *key, int64_t seconds)
{
    const time_t t = (time_t)seconds;
    struct tm tm;
    char text[64];

    dsn_text_printf(out, "# %s_time: %" PRId64 "\n", key, seconds);
    if (!localtime_r(&t, &tm) || strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &tm) == 0)
        snprintf(text, sizeof text, "unknown");
    dsn_text_printf(out, "# %s_time_asci: %s\n", key, text);
}

static void print_job(struct dsn_text *out, const struct darshan_reader *log)
{
    static const char *const method[] = { [DSN_ZLIB] = "ZLIB", [DSN_BZIP2] = "BZIP2", [DSN_UNCOMPRESSED] = "NONE" };
    const struct dsn_header *h = darshan_reader_header(log);
    const struct dsn_job *job = darshan_reader_job(log);
    struct darshan_reader_metadata m;
    size_t pos = 0;

    if (h->minor == 20)
        dsn_text_string(out, "# The runtime of release 3.2.0, which wrote this log, damaged some counters:\n"
                             "# the most frequent access sizes (ACCESS*) are wrong, and maybe others.\n"
                             "# Read this log's figures with care.\n");
    dsn_text_string(out, "# darshan log version: ");
    dsn_text_untrusted(out, h->version, strnlen(h->version, sizeof h->version));
    dsn_text_printf(out, "\n# compression method: %s\n# exe: ", method[h->compression]);
    untrusted(out, darshan_reader_exe(log));
    dsn_text_printf(out, "\n# uid: %" PRId64 "\n# jobid: %" PRId64 "\n", job->uid, job->jobid);
    print_time(out, "start", job->start_sec);
    print_time(out, "end", job->end_sec);
    dsn_text_printf(out, "# nprocs: %" PRId64 "\n# run time: %.4f\n", job->nprocs, darshan_reader_runtime(log));
    while (darshan_reader_metadata(log, &pos, &m)) {
        dsn_text_string(out, "# metadata: ");
        dsn_text_untrusted(out, m.key, m.key_length);
        dsn_text_string(out, " = ");
        dsn_text_untrusted(out, m.value, m.value_length);
        dsn_text_string(out, "\n");
    }
}

static void print_regions(struct dsn_text *out, const struct darshan_reader *log)
{
    const struct dsn_header *h = darshan_reader_header(log);

    dsn_text_string(out, "\n# log file regions\n# -------------------------------------------------------\n");
    /* as in the original: today's header size, whatever the log's */
    dsn_text_printf(out, "# header: %d bytes (uncompressed)\n", DSN_HEADER_SIZE);
    dsn_text_printf(out, "# job data: %" PRIu64 " bytes (compressed)\n", darshan_reader_job_length(log));
    dsn_text_printf(out, "# record table: %" PRIu64 " bytes (compressed)\n", h->names.len);
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        if (h->mod[i].len == 0 && !(h->partial >> i & 1))
            continue;
        if (dsn_module_name(i))
            dsn_text_printf(out, "# %s module: ", dsn_module_name(i));
        else
            dsn_text_printf(out, "# <UNKNOWN> module (id %u): ", i);
        dsn_text_printf(out, "%" PRIu64 " bytes (compressed), ver=%" PRIu32 "\n", h->mod[i].len, h->mod_version[i]);
    }
}

static void print_mounts(struct dsn_text *out, const struct darshan_reader *log)
{
    const struct darshan_reader_mount *mount;
    const size_t n = darshan_reader_mounts(log, &mount);

    dsn_text_string(out, "\n# mounted file systems (mount point and fs type)\n"
                         "# -------------------------------------------------------\n");
    for (size_t i = 0; i < n; i++) {
        dsn_text_string(out, "# mount entry:\t");
        untrusted(out, mount[i].path);
        dsn_text_string(out, "\t");
        untrusted(out, mount[i].type);
        dsn_text_string(out, "\n");
    }
}

void dsn_print_header(struct dsn_text *out, const struct darshan_reader *log)
{
    print_job(out, log);
    print_regions(out, log);
    print_mounts(out, log);
}

void dsn_print_banner(struct dsn_text *out, unsigned module, int width)
{
    static const char stars[] = "*******************************************************";

    dsn_text_printf(out, "\n# %.*s\n# %s module data\n# %.*s\n", width, stars, dsn_module_name(module), width, stars);
}

int dsn_print_incomplete(struct dsn_text *out, const char *command, const char *file, unsigned module, unsigned show)
{
    const char *name = dsn_module_name(module);
    const int is_trace = module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE;

    if (show) {
        dsn_text_printf(out, "\n# *WARNING*: The %s module contains incomplete data!\n", name);
        dsn_text_string(out, "#            It ran out of memory for its records\n"
                             "#            while the application was running, or\n"
                             "#            the application was killed (recovered=).\n"
                             "\n"
                             "# To keep it from doing so next time, leave files that do not matter\n"
                             "# out of the log: DARSHAN_EXCLUDE_DIRS or a NAME_EXCLUDE line in the\n"
                             "# file that DARSHAN_CONFIG_PATH names; or give the tool more memory:\n");
        dsn_text_string(out, is_trace ? "# a line MAX_RECORDS <KiB> DXT_POSIX,DXT_MPIIO in that file.\n"
                                      : "# DARSHAN_MODMEM and DARSHAN_NAMEMEM (MiB).\n");
        return 1;
    }
    dsn_text_flush(out);
    dsn_warn(command, file,
             "*ERROR*: The %s module contains incomplete data: it ran out of memory for its records, or its "
             "processes were killed; use --show-incomplete to print what there is",
             name);
    return 0;
}

/* ------------------------------------------------------------------ log after log */

void dsn_note(struct dsn_printing *p, const struct darshan_reader_error *err)
{
    if (p->nerrors++ == 0)
        p->first = *err;
}

static int print_one(struct dsn_printing *p)
{
    int rc;

    p->nerrors = 0;
    if (p->several && p->comments) {
        dsn_text_string(&p->out, "# log: ");
        untrusted(&p->out, p->file);
        dsn_text_string(&p->out, "\n");
    }
    rc = p->print(p);
    if (p->nerrors == 0)
        return rc;
    dsn_text_flush(&p->out); /* before messages on stderr */
    dsn_complain(p->command, p->file, &p->first, p->nerrors - 1);
    return 1;
}

int dsn_print_logs(struct dsn_printing *p, char **files, int n)
{
    int rc = 0;

    p->several = n > 1;
    for (int i = 0; i < n && p->out.error == 0; i++) {
        p->file = files[i];
        rc |= print_one(p);
    }
    return rc;
}
