/* waited.c - time that a log's ranks waited for I/O, and which ranks moved data
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "waited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/command/common.h"
#include "util/report/answer.h"
#include "util/report/file-patterns.h"
#include "util/report/findings.h"
#include "util/report/name-parts.h"
#include "util/report/phases.h"
#include "util/report/sites.h"
#include "util/report/read.h"
#include "util/report/report.h"
#include "util/report/turns.h"

/* The bytes known for a rank may be less than it moved. */
static void note_bytes(const struct dsn_report *r, struct dsn_waited *out)
{
    double most = 0;

    for (size_t i = 0; i < r->nranks; i++) {
        const double bytes = dsn_work_bytes(&r->ranks[i].work);

        most = bytes > most ? bytes : most;
    }
    out->busiest_bytes = most < 9e18 ? (int64_t)most : INT64_MAX;
    out->ranks_with_bytes = r->movers > 0 || (r->f.bytes_read == 0 && r->f.bytes_written == 0) ? r->movers : -1;
}

/* Processes that are no ranks ran when they did, not all the time. */
static void note_processes(const struct dsn_report *r, struct dsn_waited *out)
{
    const double runtime = r->f.runtime > 0 ? r->f.runtime : 0;

    out->is_tree = r->is_tree;
    out->width = !r->is_tree ? r->f.present : r->at_once > 0 ? r->at_once : 1;
    out->process_seconds = r->is_tree && r->at_once > 0 ? r->process_seconds : runtime * (double)out->width;
}

static int note_finding(const struct dsn_report *r, struct dsn_waited *out)
{
    struct dsn_findings *all = dsn_findings_make(r);
    const struct dsn_finding *worst = all ? dsn_worst(all) : NULL;

    out->finding = worst ? worst->row->id : NULL;
    out->saves = !worst ? -1 : worst->saveable >= 0 ? worst->saveable : worst->at_most >= 0 ? worst->at_most : -1;
    free(all);
    return all ? DSN_ERR_OK : DSN_ERR_MEMORY;
}

/* The pattern's name with a mark for each number, but for those of the suffix. NULL: no memory. */
static char *name_of_pattern(const struct dsn_report *r, const struct dsn_file_pattern *p)
{
    char name[DSN_NAME_ROOM], masked[DSN_NAME_ROOM], suffix[DSN_NAME_ROOM], *whole = NULL;
    const char *end;

    dsn_pattern_name(r, p, name);
    end = dsn_name_suffix(name);
    snprintf(suffix, sizeof suffix, "%s", end);
    name[end - name] = '\0';
    if (dsn_name_mask(name, masked, sizeof masked) > 0 && asprintf(&whole, "%s%s", masked, suffix) < 0)
        return NULL;
    return whole ? whole : strdup(name);
}

static int note_patterns(const struct dsn_report *r, struct dsn_waited *out)
{
    struct dsn_file_patterns all;
    int rc = dsn_file_patterns_make(r, &all);

    for (size_t i = 0; rc == DSN_ERR_OK && i < all.n && i < DSN_NOTED_PATTERNS; i++) {
        const struct dsn_file_pattern *p = &all.list[i];
        struct dsn_noted_pattern *to = &out->pattern[i];

        *to = (struct dsn_noted_pattern){ .name = name_of_pattern(r, p),
                                          .files = p->files,
                                          .opens = p->opens,
                                          .work = p->work,
                                          .read_size = p->timed_size,
                                          .read_bytes = p->timed_read,
                                          .largest = p->most };
        snprintf(to->file_system, sizeof to->file_system, "%s", r->mounts[r->files[p->first].mount].type);
        out->npatterns++;
        rc = to->name ? DSN_ERR_OK : DSN_ERR_MEMORY;
    }
    dsn_file_patterns_free(&all);
    return rc;
}

static int note_phases(const struct dsn_report *r, struct dsn_waited *out)
{
    struct dsn_phases all;
    int rc = dsn_phases_make(r, &all);

    for (size_t i = 0; rc == DSN_ERR_OK && i < all.n && i < DSN_NOTED_PHASES; i++) {
        const struct dsn_phase *p = &all.list[i];

        out->phase[i] = (struct dsn_noted_phase){ .name = strdup(p->name),
                                                  .entered = p->entered,
                                                  .processes = p->processes,
                                                  .work = p->work,
                                                  .time = p->time,
                                                  .longest = p->longest,
                                                  .io_time = dsn_phase_io_time(p),
                                                  .slowest = p->slowest };
        out->nphases++;
        rc = out->phase[i].name ? DSN_ERR_OK : DSN_ERR_MEMORY;
    }
    dsn_phases_free(&all);
    return rc;
}

/* Programs of users are not opened. */
static int note_sites(const struct dsn_report *r, struct dsn_waited *out)
{
    struct dsn_sites all;
    const int rc = dsn_sites_make(r, DSN_AS_ADDRESSES, &all);

    for (size_t i = 0; rc == DSN_ERR_OK && i < all.n && all.order[i]->stack && i < DSN_NOTED_SITES; i++) {
        const struct dsn_site *p = all.order[i];
        struct dsn_noted_site *to = &out->site[out->nsites++];

        *to = (struct dsn_noted_site){
            .files = p->files, .metas = p->work_metas, .work = p->work, .io_time = p->seconds
        };
        memcpy(to->where, p->where, sizeof to->where);
    }
    dsn_sites_free(&all);
    return rc;
}

void dsn_waited_free(struct dsn_waited *w)
{
    for (size_t i = 0; i < w->npatterns; i++)
        free(w->pattern[i].name);
    for (size_t i = 0; i < w->nphases; i++)
        free(w->phase[i].name);
    w->npatterns = w->nphases = 0;
}

static int note_uncounted(const struct dsn_report *r, struct dsn__idmap *not_counted)
{
    for (size_t i = 0; i < r->nfiles; i++)
        if (dsn_is_of_mpi_itself(&r->files[i]) && dsn__idmap_add(not_counted, r->files[i].id, 0) == DSN_IDMAP_NONE)
            return DSN_ERR_MEMORY;
    return DSN_ERR_OK;
}

int dsn_waited_thresholds(void)
{
    char error[160];
    const char *path = dsn_thresholds_of_site(error, sizeof error);

    if (*error)
        dsn_warn("darshan-accounting", path, "%s; all names are in darshan-job-summary(1)", error);
    return !*error;
}

int dsn_waited_read(struct darshan_reader *log, struct dsn_figures *figures, struct dsn_waited *out,
                    struct dsn__idmap *not_counted)
{
    struct dsn_report r;
    int rc = dsn_report_read(&r, log, 0);

    if (rc == DSN_ERR_OK) {
        *figures = r.f;
        *out = (struct dsn_waited){ .time = r.waits.all,
                                    .wait = dsn_waiting(&r.waits),
                                    .meta = r.waits.meta,
                                    .slowest_at_least = r.waits.least,
                                    .slowest = r.waits.most,
                                    .passed = dsn_io_passed(&r),
                                    .written = r.written,
                                    .mapped = r.mapped.all,
                                    .mapped_files = r.mapped.n,
                                    .cufile = r.cufile.all,
                                    .cufile_files = r.cufile.n };
        note_bytes(&r, out);
        note_processes(&r, out);
        rc = note_finding(&r, out);
    }
    if (rc == DSN_ERR_OK)
        rc = note_patterns(&r, out);
    if (rc == DSN_ERR_OK)
        rc = note_phases(&r, out);
    if (rc == DSN_ERR_OK)
        rc = note_sites(&r, out);
    if (rc == DSN_ERR_OK)
        rc = note_uncounted(&r, not_counted);
    dsn_report_free(&r);
    return rc;
}
