/* forms.c - shared by commands that print logs as JSON or CSV
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <inttypes.h>
#include <string.h>

#include "util/command/common.h"
#include "forms.h"

void dsn_json_quoted(struct dsn_text *out, const char *before, const char *s)
{
    dsn_text_string(out, before);
    dsn_emit_quoted(out, DSN_EMIT_JSON, s, strlen(s));
}

static void print_metadata(struct dsn_text *out, const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;
    const char *comma = "";
    size_t pos = 0;

    for (; darshan_reader_metadata(log, &pos, &m); comma = ",") {
        dsn_text_string(out, comma);
        dsn_emit_quoted(out, DSN_EMIT_JSON, m.key, m.key_length);
        dsn_text_string(out, ":");
        dsn_emit_quoted(out, DSN_EMIT_JSON, m.value, m.value_length);
    }
}

void dsn_json_begin_log(struct dsn_text *out, const struct darshan_reader *log, const char *file, int is_first)
{
    const struct dsn_job *job = darshan_reader_job(log);
    const struct darshan_reader_mount *mount;
    const size_t n = darshan_reader_mounts(log, &mount);
    const struct dsn_header *h = darshan_reader_header(log);

    dsn_json_quoted(out, is_first ? "{\"log\":" : ",{\"log\":", file);
    dsn_text_string(out, ",\"version\":");
    dsn_emit_quoted(out, DSN_EMIT_JSON, h->version, strnlen(h->version, sizeof h->version));
    dsn_json_quoted(out, ",\"exe\":", darshan_reader_exe(log));
    dsn_text_printf(out, ",\n\"uid\":%" PRId64 ",\"jobid\":%" PRId64 ",\"start_time\":%" PRId64, job->uid, job->jobid,
                    job->start_sec);
    dsn_text_printf(out, ",\"end_time\":%" PRId64 ",\"nprocs\":%" PRId64 ",\"run_time\":%.4f,\n\"metadata\":{",
                    job->end_sec, job->nprocs, darshan_reader_runtime(log));
    print_metadata(out, log);
    dsn_text_string(out, "},\n\"mounts\":[");
    for (size_t i = 0; i < n; i++) {
        dsn_json_quoted(out, i > 0 ? ",{\"mount\":" : "{\"mount\":", mount[i].path);
        dsn_json_quoted(out, ",\"fs\":", mount[i].type);
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "]");
}

void dsn_csv_column(char *column, size_t size, const char *file)
{
    char *p = column, *end = p + size - 4;

    *p++ = '"';
    for (const char *s = file; *s && p < end; s++) {
        if (*s == '"')
            *p++ = '"';
        *p++ = *s;
    }
    *p++ = '"';
    *p = '\0';
}

int dsn_print_forms(struct dsn_printing *p, enum dsn_emit_form form, char **files, int n)
{
    const int is_list = n > 1 && form == DSN_EMIT_JSON;
    int rc;

    p->comments = form == DSN_EMIT_TEXT;
    if (is_list)
        dsn_text_string(&p->out, "[");
    rc = dsn_print_logs(p, files, n);
    if (is_list)
        dsn_text_string(&p->out, "]\n");
    return rc;
}
