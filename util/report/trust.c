/* trust.c - what affects the reliability of a log's figures
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trust.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int dsn_is_past_posix(const struct darshan_reader *log)
{
    const struct dsn_header *h = darshan_reader_header(log);

    return h->mod[DSN_DFS_MODULE].len > 0 || h->mod[DSN_DAOS_MODULE].len > 0;
}

int dsn_recovered(const struct darshan_reader *log, struct darshan_reader_metadata *m)
{
    return dsn_find_metadata(log, "recovered", m);
}

int dsn_is_unseen(const struct dsn_report *r)
{
    return dsn_is_own(r->log) && r->f.files.total == 0 && r->waits.most > 0;
}

int dsn_is_own(const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;

    return dsn_find_metadata(log, "writer", &m);
}

/* Modules that do not contribute to figures: traces and heat maps. */
static uint64_t traces(void)
{
    return (uint64_t)1 << DSN_DXT_POSIX_MODULE | (uint64_t)1 << DSN_DXT_MPIIO_MODULE |
           (uint64_t)1 << DSN_HEATMAP_MODULE | 1;
}

int dsn_is_cut(const struct dsn_report *r)
{
    struct darshan_reader_metadata m;

    return r->f.damage.code != DSN_ERR_OK || dsn_recovered(r->log, &m) ||
           ((darshan_reader_header(r->log)->partial & ~traces()) && r->f.aggregated_opens == 0);
}

int dsn_lacks_processes(const struct dsn_report *r)
{
    return r->f.present < r->f.nprocs || r->gone > 0;
}

size_t dsn_warnings(const struct dsn_report *r, struct dsn_warning w[DSN_MAX_WARNINGS])
{
    const uint64_t partial = darshan_reader_header(r->log)->partial & ~traces();
    struct darshan_reader_metadata m;
    size_t n = 0;

    if (dsn_recovered(r->log, &m) && m.value[0] != '0') {
        w[n].label = "Recovered";
        snprintf(w[n++].text, sizeof w->text, "the job was killed: figures cover the run until then (%.*s process%s)",
                 m.value_length < 40 ? (int)m.value_length : 40, m.value,
                 m.value_length == 1 && m.value[0] == '1' ? "" : "es");
    }
    if (dsn_find_metadata(r->log, "missing_ranks", &m)) {
        w[n].label = "Partial";
        snprintf(w[n++].text, sizeof w->text, "no records of %.*s ranks: one node's part of the job",
                 m.value_length < 40 ? (int)m.value_length : 40, m.value);
    }
    if (dsn_find_metadata(r->log, "running", &m)) {
        w[n].label = "Running";
        snprintf(w[n++].text, sizeof w->text, "the job had not ended: figures cover the run so far (%.*s running)",
                 m.value_length < 40 ? (int)m.value_length : 40, m.value);
    }
    if (partial && r->f.aggregated_opens > 0) {
        w[n].label = "Incomplete";
        snprintf(w[n++].text, sizeof w->text, "files without a record of their own were aggregated: sums are %s",
                 r->f.missed > 0 ? "nearly exact" : "exact");
    } else if (partial && n == 0) {
        w[n].label = "Incomplete";
        snprintf(w[n++].text, sizeof w->text, "there was more I/O than shown here: memory for records ran out");
    }
    if (r->f.present < r->f.nprocs && !dsn_find_metadata(r->log, "missing_ranks", &m)) {
        w[n].label = "Partial";
        snprintf(w[n++].text, sizeof w->text, "no records of %" PRId64 " of %" PRId64 " ranks: part of a run",
                 r->f.nprocs - r->f.present, r->f.nprocs);
    }
    if (r->gone > 0) {
        w[n].label = "Partial";
        snprintf(w[n++].text, sizeof w->text,
                 "%" PRId64 " of %" PRId64 " processes executed a program that is not recorded", r->gone, r->processes);
    }
    if (r->f.damage.code != DSN_ERR_OK) {
        w[n].label = "Damaged";
        snprintf(w[n++].text, sizeof w->text, "the figures cover only what could be read of this log");
    }
    return n;
}
