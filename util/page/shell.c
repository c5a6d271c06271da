/* shell.c - the common parts of HTML pages
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "util/page/shell.h"

#include <sys/mman.h>
#include <unistd.h>

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
                               "<title>";

static void write_file(struct dsn_text *out, const struct dsn_embedded *file)
{
    dsn_text_bytes(out, file->bytes, dsn_embedded_size(file));
}

/* In a script element "<" could start its end tag or a comment; in JSON it only occurs in strings, and can be escaped.
 * U+2028 and U+2029 are line terminators in scripts. */
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

/* Copies a file's content, escaped. 0: it could not be read. */
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

void dsn_page_begin(struct dsn_text *out, const struct dsn_embedded *script, const char *title, const char *without)
{
    dsn_text_string(out, head);
    dsn_text_string(out, dsn_page_css.hash);
    dsn_text_printf(out, "; script-src %s %s", dsn_charts_js.hash, script->hash);
    dsn_text_string(out, head_end);
    dsn_text_string(out, title);
    dsn_text_string(out, "</title>\n<style>");
    write_file(out, &dsn_page_css);
    dsn_text_string(out, "</style>\n</head>\n<body>\n<noscript>");
    dsn_text_string(out, without);
    dsn_text_string(out, "</noscript>\n");
}

int dsn_page_data(struct dsn_text *out, const char *id, dsn_page_document *document, const void *context)
{
    const int fd = memfd_create(id, MFD_CLOEXEC);
    struct dsn_text plain;
    int ok;

    if (fd < 0)
        return 0;
    ok = dsn_text_init(&plain, fd);
    if (ok) {
        document(&plain, context);
        ok = dsn_text_flush(&plain);
        dsn_text_free(&plain);
    }
    dsn_text_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
    ok = ok && copy_escaped(out, fd);
    dsn_text_string(out, "</script>\n");
    close(fd);
    return ok;
}

void dsn_page_end(struct dsn_text *out, const struct dsn_embedded *script)
{
    if (dsn_embedded_size(&dsn_charts_js) > 0) {
        dsn_text_string(out, "<script>");
        write_file(out, &dsn_charts_js);
        dsn_text_string(out, "</script>\n");
    }
    dsn_text_string(out, "<script>");
    write_file(out, script);
    dsn_text_string(out, "</script>\n</body>\n</html>\n");
}
