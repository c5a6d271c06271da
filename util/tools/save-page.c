/* save-page.c - writes a report as a page
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "save-page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/command/common.h"
#include "util/command/save.h"
#include "util/report/document.h"
#include "util/report/findings.h"
#include "util/report/page.h"
#include "util/report/json.h"

static int put(const char *bytes, size_t n, void *out)
{
    dsn_text_bytes(out, bytes, n);
    return 0;
}

static void write_document(struct dsn_text *out, const void *document)
{
    json_dump_callback(document, put, out, JSON_COMPACT);
}

struct page {
    const struct dsn_report *r;
    const char *file;
    int full_trace;
    const json_t *document;
    struct darshan_reader_error *damage;
};

static int write_page(struct dsn_text *out, const void *context)
{
    const struct page *p = context;

    return dsn_page_write(out, p->r, p->file, p->full_trace, write_document, p->document, p->damage) !=
               DSN_ERR_MEMORY &&
           !dsn_document_failed();
}

int dsn_save_page(const char *command, const char *path, int full_trace, struct dsn_report *r, const char *file)
{
    struct dsn_findings *findings = dsn_findings_make(r);
    json_t *document = findings ? dsn_document_make(r, findings, file) : NULL;
    struct darshan_reader_error damage = { .code = DSN_ERR_OK };
    const struct page page = { r, file, full_trace, document, &damage };
    const int error = document ? dsn_save(path, write_page, &page) : ENOMEM;

    json_decref(document);
    free(findings);
    if (error != 0) {
        dsn_warn(command, path, "cannot write the page: %s; choose a file in a writable directory with free space",
                 strerror(error));
        r->f.damage.code = DSN_ERR_OK; /* one line is enough */
        return 1;
    }
    if (r->f.damage.code == DSN_ERR_OK)
        r->f.damage = damage;
    return 0;
}
