/* many-logs.c - darshan-job-summary for several logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "many-logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"
#include "util/command/common.h"
#include "util/report/compare.h"
#include "util/report/document.h"
#include "util/report/many.h"
#include "save-pages.h"
#include "util/report/json.h"
#include "util/report/read.h"

struct pass {
    const struct dsn_many_settings *s;
    struct dsn_briefs all;
    int failed; /* an error was reported */
};

static int no_memory(const struct pass *p, const char *log)
{
    dsn_warn(p->s->command, log, "%s", dsn_err_text(DSN_ERR_MEMORY));
    return 1;
}

static int add_report(struct pass *p, struct darshan_reader *log, const char *name)
{
    struct dsn_findings *f = NULL;
    struct dsn_report r;
    int rc = dsn_report_read(&r, log, p->s->nodes);

    r.storage = p->s->storage;

    if (rc == DSN_ERR_OK && r.f.damage.code != DSN_ERR_OK) {
        dsn_complain(p->s->command, name, &r.f.damage, 0);
        p->failed = 1;
    }
    if (rc == DSN_ERR_OK)
        f = dsn_findings_make(&r);
    if (rc == DSN_ERR_OK)
        rc = f ? dsn_briefs_add(&p->all, &r, f, name) : DSN_ERR_MEMORY;
    free(f);
    dsn_report_free(&r);
    return rc == DSN_ERR_OK ? 0 : no_memory(p, name);
}

/* A log that cannot be read is reported, and the others are processed. */
static int add_log(void *context, const char *name)
{
    struct pass *p = context;
    struct darshan_reader_error err;
    struct darshan_reader *log;
    int rc = 0;

    if (darshan_reader_open(name, &log, &err) != DSN_ERR_OK) {
        dsn_complain(p->s->command, name, &err, 0);
        p->failed = 1;
        p->all.unreadable++;
        return err.code == DSN_ERR_MEMORY;
    }
    if (!p->s->of_job || darshan_reader_job(log)->jobid == p->s->job)
        rc = add_report(p, log, name);
    darshan_reader_close(log);
    return rc;
}

static int print_document(const struct pass *p, const char *name)
{
    json_t *document;
    int rc;

    dsn_document_begin();
    document = dsn_many_document(&p->all, p->s->compare);
    rc = document && !dsn_document_failed() ? dsn_document_print(document) : DSN_ERR_MEMORY;
    json_decref(document);
    return rc == DSN_ERR_OK ? 0 : no_memory(p, name);
}

static int has_folder(char *const *names, int n)
{
    struct stat st;

    for (int i = 0; i < n; i++)
        if (stat(names[i], &st) == 0 && S_ISDIR(st.st_mode))
            return 1;
    return 0;
}

static int print(struct pass *p, const char *name)
{
    const int is_terminal = isatty(STDOUT_FILENO);

    if (p->s->of_job || p->s->list)
        dsn_briefs_by_start(&p->all);
    else if (!p->s->compare)
        dsn_briefs_rank(&p->all);
    if (p->s->pages)
        return dsn_save_pages(&(struct dsn_saved_pages){ p->s->command, p->s->pages, p->s->nodes, p->s->full_trace,
                                                         p->s->compare, p->s->storage },
                              &p->all);
    if (p->s->json)
        return print_document(p, name);
    if (p->s->list)
        dsn_list_print(&p->all, is_terminal);
    else if (p->s->compare)
        dsn_compare_print(&p->all, is_terminal);
    else if (dsn_many_print(&p->all, is_terminal) != DSN_ERR_OK)
        return no_memory(p, name);
    return 0;
}

/* Whether there are enough logs; otherwise reports it. */
static int are_enough(const struct pass *p, const char *name)
{
    if (p->all.n >= (p->s->compare ? 2u : 1u))
        return 1;
    if (p->failed && p->all.unreadable > 0) /* already reported */
        return 0;
    if (p->s->of_job)
        dsn_warn(p->s->command, name, "has no log of job %lld", (long long)p->s->job);
    else if (p->s->compare)
        dsn_warn(p->s->command, name, "cannot be compared with anything: give at least two logs");
    else
        dsn_warn(p->s->command, name, "has no logs (files named *.darshan)");
    return 0;
}

int dsn_summarize_many(const struct dsn_many_settings *s, char *const *names, int n)
{
    struct pass p = { .s = s };
    int rc = dsn_collect(s->command, names, n, add_log, &p);

    if (s->compare && has_folder(names, n)) { /* if logs are given individually, the user chose their order */
        dsn_briefs_by_start(&p.all);
        dsn_briefs_of_last_program(&p.all);
    }
    if (rc == 0 && !are_enough(&p, names[0]))
        rc = 1;
    else if (p.all.n >= (s->compare ? 2u : 1u))
        rc |= print(&p, names[0]);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: cannot write the output: %s\n", s->command, strerror(errno));
        rc = 1;
    }
    dsn_briefs_free(&p.all);
    return rc || p.failed;
}
