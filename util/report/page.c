/* page.c - a job's report as one page
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/report/page.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/page/embedded.h"
#include "util/report/phases.h"
#include "util/report/timeline.h"
#include "util/report/traces.h"

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
    "form-action 'none'; style-src ";
static const char head_end[] = "\">\n"
                               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                               "<meta name=\"referrer\" content=\"no-referrer\">\n"
                               "<title>I/O report</title>\n"
                               "<style>";
static const char body[] = "</style>\n"
                           "</head>\n"
                           "<body>\n"
                           "<noscript>This report is drawn by a script that stands in this very file, and needs it. "
                           "Without one, darshan-job-summary prints it on a terminal.</noscript>\n";

static void write_file(struct dsn_text *out, const struct dsn_embedded *file)
{
    dsn_text_bytes(out, file->bytes, dsn_embedded_size(file));
}

/* In a script element, "<" could begin its end, or a comment; JSON has another way to write it, and it can only stand
 * in a string. U+2028 and U+2029 would end a line of a script. */
static void write_escaped(struct dsn_text *out, const char *bytes, size_t n)
{
    size_t done = 0;

    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];

        if (c != '<' && c != '>' && c != '&' && c != 0xe2)
            continue;
        dsn_text_bytes(out, bytes + done, i - done);
        done = i + 1;
        if (c != 0xe2)
            dsn_text_printf(out, "\\u%04x", c);
        else if (n - i > 2 && (unsigned char)bytes[i + 1] == 0x80 && ((unsigned char)bytes[i + 2] | 1) == 0xa9) {
            dsn_text_printf(out, "\\u%04x", 0x2028 + ((unsigned char)bytes[i + 2] & 1));
            done = i + 3;
            i += 2;
        } else
            done = i; /* some other character */
    }
    dsn_text_bytes(out, bytes + done, n - done);
}

/* What was written to a file, escaped. 0: it could not be read. */
static int copy_escaped(struct dsn_text *out, int fd)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *bytes;

    if (size <= 0)
        return size == 0;
    bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return 0;
    write_escaped(out, bytes, (size_t)size);
    munmap(bytes, (size_t)size);
    return 1;
}

/* ------------------------------------------------------------------ data for charts */

struct series {
    struct darshan_reader *log;
    struct dsn_timelines timelines;
    struct dsn_traces traces;
    struct dsn_phases phases;
};

/* Phases first: what they need is gone again when the traces are added up. */
static int make_series(struct series *s, const struct dsn_report *r)
{
    if (dsn_timelines_make(r, &s->timelines) != DSN_ERR_OK)
        return 0;
    if (dsn_phases_make(s->log, &s->timelines, &s->phases) == DSN_ERR_OK) {
        if (dsn_traces_make(s->log, &s->traces) == DSN_ERR_OK)
            return 1;
        dsn_phases_free(&s->phases);
    }
    dsn_timelines_free(&s->timelines);
    return 0;
}

static void free_series(struct series *s)
{
    dsn_timelines_free(&s->timelines);
    dsn_phases_free(&s->phases);
    dsn_traces_free(&s->traces);
}

static void write_series(struct dsn_text *out, struct series *s)
{
    dsn_text_string(out, "{\"timeline\":");
    dsn_timelines_write(out, &s->timelines);
    dsn_text_string(out, ",\"traces\":");
    if (s->traces.operations > 0)
        dsn_traces_write(out, s->log, &s->traces);
    else
        dsn_text_string(out, "null");
    dsn_text_string(out, ",\"phases\":");
    dsn_phases_write(out, &s->phases);
    dsn_text_string(out, "}");
}

/* ------------------------------------------------------------------ the page */

static void write_head(struct dsn_text *out)
{
    dsn_text_string(out, head);
    dsn_text_string(out, dsn_page_css.hash);
    dsn_text_printf(out, "; script-src %s %s", dsn_charts_js.hash, dsn_page_js.hash);
    dsn_text_string(out, head_end);
    write_file(out, &dsn_page_css);
    dsn_text_string(out, body);
}

static void write_scripts(struct dsn_text *out)
{
    if (dsn_embedded_size(&dsn_charts_js) > 0) {
        dsn_text_string(out, "<script>");
        write_file(out, &dsn_charts_js);
        dsn_text_string(out, "</script>\n");
    }
    dsn_text_string(out, "<script>");
    write_file(out, &dsn_page_js);
    dsn_text_string(out, "</script>\n</body>\n</html>\n");
}

/* A document as a script element that is no script. 0: it could not be made. */
static int write_document(struct dsn_text *out, const char *id, struct series *s, dsn_page_document *document,
                          const void *context)
{
    const int fd = memfd_create(id, MFD_CLOEXEC);
    struct dsn_text plain;
    int ok;

    if (fd < 0)
        return 0;
    ok = dsn_text_init(&plain, fd);
    if (ok) {
        if (document)
            document(&plain, context);
        else
            write_series(&plain, s);
        ok = dsn_text_flush(&plain);
        dsn_text_free(&plain);
    }
    dsn_text_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
    ok = ok && copy_escaped(out, fd);
    dsn_text_string(out, "</script>\n");
    close(fd);
    return ok;
}

static void tell(const struct series *s, struct darshan_reader_error *err)
{
    const struct darshan_reader_error *const damage[] = { &s->timelines.damage, &s->phases.damage, &s->traces.damage };

    for (size_t i = 0; i < sizeof damage / sizeof damage[0] && err->code == DSN_ERR_OK; i++)
        *err = *damage[i];
}

int dsn_page_write(struct dsn_text *out, const struct dsn_report *r, dsn_page_document *document, const void *context,
                   struct darshan_reader_error *err)
{
    struct series s = { .log = r->log };
    int ok;

    memset(err, 0, sizeof *err);
    if (!make_series(&s, r)) {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
        return err->code;
    }
    write_head(out);
    ok = write_document(out, "report", &s, document, context) && write_document(out, "series", &s, NULL, NULL);
    write_scripts(out);
    if (ok) {
        tell(&s, err);
    } else {
        err->code = DSN_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "%s", dsn_err_text(err->code));
    }
    free_series(&s);
    return err->code;
}
