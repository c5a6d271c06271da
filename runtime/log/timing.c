/* timing.c - durations of the library's own work
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/timing.h"

#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "record/module.h"

struct report {
    char text[2048];
    size_t used;
    int nranks;
};

static void add_line(struct report *r, const char *op, const char *suffix, int64_t ns)
{
    const size_t room = sizeof r->text - r->used;
    const int n =
        snprintf(r->text + r->used, room, "darshan:%s%s\t%d\t%.9f\n", op, suffix, r->nranks, (double)ns * 1e-9);

    if (n > 0 && (size_t)n < room)
        r->used += (size_t)n;
}

void dsn__timing_print(const struct dsn_rank_summary *summary, const struct dsn_regions *r,
                       const struct dsn_log_file *f, int64_t shutdown)
{
    struct report report = { .text = "#darshan:<op>\t<nprocs>\t<time>\n", .nranks = (int)summary->ranks };

    report.used = strlen(report.text);
    add_line(&report, "init", "", summary->took_init);
    add_line(&report, "log_open", "", f->took_open);
    add_line(&report, "job_write", "", f->took_job);
    add_line(&report, "hash_write", "", r->took[DSN_REGION_NAMES]);
    add_line(&report, "header_write", "", f->took_header);
    for (int module = 0; module < DSN_INDEX_PHASE; module++)
        if (summary->active >> module & 1)
            add_line(&report, dsn_module_name(dsn__modules[module]->id), "_shutdown", r->took[dsn__region_of(module)]);
    add_line(&report, "core_shutdown", "", shutdown);
    dsn__print(report.text, report.used);
}
