/* screen-parts.c - text report: reliability, and the tables of --verbose
 * SPDX-License-Identifier: BSD-3-Clause */
#include "screen-parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "answer.h"
#include "layer.h"
#include "trust.h"
#include "units.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ how far to trust it */

/* "DARSHAN_MODMEM=12": in MiB, rounded up. */
static struct dsn_short_text memory_setting(int64_t bytes)
{
    struct dsn_short_text t;

    if (bytes > 0)
        snprintf(t.s, sizeof t.s, "DARSHAN_MODMEM=%" PRId64, (bytes - 1) / (1 << 20) + 1);
    else
        snprintf(t.s, sizeof t.s, "a larger DARSHAN_MODMEM, or room in /dev/shm");
    return t;
}

/* Logs of our runtime lose nothing when memory is full: files without a record are aggregated. */
static void add_aggregated(struct dsn_lines *l, const struct dsn_figures *f, const char *modules)
{
    const int by_memory = f->aggregated_opens > f->limited;
    char records[48] = "";

    if (f->enough_records > 0)
        snprintf(records, sizeof records, "MAX_RECORDS of %" PRId64, f->enough_records);
    dsn_lines_add(l, DSN_YELLOW, "Incomplete", "%s %s: %" PRId64 " opens of further files", modules,
                  by_memory ? "ran out of memory" : "reached MAX_RECORDS", f->aggregated_opens);
    dsn_lines_add(l, DSN_PLAIN, "", "are counted by kind (sums %s); enough: %s%s%s",
                  f->missed > 0 ? "nearly exact" : "exact", by_memory ? memory_setting(f->enough_memory).s : "",
                  by_memory && *records ? ", " : "", records);
}

static void add_untraced(struct dsn_lines *l, const struct dsn_figures *f)
{
    dsn_lines_add(l, DSN_YELLOW, "Incomplete", "traces leave out %" PRId64 " operations for lack of memory;",
                  f->untraced);
    dsn_lines_add(l, DSN_PLAIN, "", "room for more: MAX_RECORDS <KiB> DXT_POSIX,DXT_MPIIO");
}

void dsn__screen_incomplete(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const uint64_t partial = darshan_reader_header(r->log)->partial;
    const uint64_t counted = (uint64_t)1 << DSN_POSIX_MODULE | (uint64_t)1 << DSN_STDIO_MODULE;
    const uint64_t traced = (uint64_t)1 << DSN_DXT_POSIX_MODULE | (uint64_t)1 << DSN_DXT_MPIIO_MODULE;
    struct darshan_reader_metadata m;
    char text[DSN_COLUMNS] = "";

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        const size_t used = strlen(text);

        if (traced >> i & 1 && f->untraced > 0) /* from our runtime: some operations are missing, and their number is
                                                 * known */
            continue;
        if (partial >> i & 1 && i != DSN_NULL_MODULE && dsn_module_name(i) && used < 30)
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", dsn_module_name(i));
    }
    if (f->untraced > 0)
        add_untraced(l, f);
    if (!*text)
        return;
    if (f->aggregated_opens > 0) {
        add_aggregated(l, f, text);
        return;
    }
    if (dsn_recovered(r->log, &m)) /* already printed */
        return;
    dsn_lines_add(l, DSN_YELLOW, "Incomplete", "%s ran out of memory while the job ran:", text);
    dsn_lines_add(l, DSN_PLAIN, "", "%s",
                  partial & counted ? "there was more I/O than is shown here."
                                    : "the figures here do not depend on it and are complete.");
}

void dsn__screen_trust(struct dsn_lines *l, const struct dsn_report *r)
{
    struct dsn_warning w[DSN_MAX_WARNINGS];
    const size_t n = dsn_warnings(r, w);

    for (size_t i = 0; i < n; i++)
        if (strcmp(w[i].label, "Incomplete") != 0) /* which comes after the answer */
            dsn_lines_add(l, DSN_YELLOW, w[i].label, "%s", w[i].text);
}

/* "12 processes". Those of MPI's ranks include what these have started; the log may have them of one rank only. */
static void processes_text(const struct dsn_report *r, char to[96])
{
    const char *several = r->processes == 1 ? "" : "es";

    if (!dsn_has_ranks(r) && r->processes <= r->f.nprocs)
        snprintf(to, 96, "%" PRId64 " process%s", r->processes, several);
    else if (r->processes_rank >= 0)
        snprintf(to, 96, "%" PRId64 " process%s of rank %" PRId64, r->processes, several, r->processes_rank);
    else
        snprintf(to, 96, "%" PRId64 " process%s of the ranks", r->processes, several);
}

void dsn__screen_notes(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    struct darshan_reader_metadata m;
    char text[96];

    if (dsn_slowest_confidence(r) != DSN_EXACT && r->waits.most > 1.01 * r->waits.least)
        dsn_lines_add(l, DSN_FAINT, "Bounds", "%s I/O time is at least %s, at most %s",
                      dsn_has_ranks(r) ? "the slowest rank's"
                      : r->is_tree     ? "the busiest process's"
                                       : "the",
                      dsn_seconds_text(r->waits.least).s, dsn_seconds_text(r->waits.most).s);
    if (f->whole_seconds && f->runtime > 0 && f->runtime < 20 && r->waits.most > 0)
        dsn_lines_add(l, DSN_FAINT, "Note", "run time known to the second only: shares of it are rough");
    if (r->waits.is_bounded)
        dsn_lines_add(l, DSN_FAINT, "Threads", "calls at once add up to more than the run, which is the bound");
    if (f->deletes.calls + f->renames.calls > 0) {
        dsn_names_text(f, text);
        dsn_lines_add(l, DSN_FAINT, "Names", "%s%s; not in the rate", text, dsn_of_all(r));
    }
    if (f->map_syncs.calls > 0)
        dsn_lines_add(l, DSN_FAINT, "Mapped", "msync %" PRId64 " time%s %s%s; not in the rate", f->map_syncs.calls,
                      f->map_syncs.calls == 1 ? "" : "s", dsn_seconds_text(f->map_syncs.time).s, dsn_of_all(r));
    if (r->waits.elsewhere >= 0.1)
        dsn_lines_add(l, DSN_FAINT, "Not I/O", "%s%s: standard streams, pipes and devices",
                      dsn_seconds_text(r->waits.elsewhere).s, dsn_of_all(r));
    if (dsn_is_unseen(r))
        dsn_lines_add(l, DSN_FAINT, "Not seen", "files below /usr, /var, /opt and the like: NAME_INCLUDE, darshan(7)");
    if (r->killed > 0 && !dsn_recovered(r->log, &m)) {
        processes_text(r, text);
        dsn_lines_add(l, DSN_FAINT, "Workers", "%" PRId64 " of %s ended by a signal before the program did", r->killed,
                      text);
    }
    if (dsn_thresholds_file())
        dsn_lines_add(l, DSN_FAINT, "Thresholds", "those of %s", dsn_thresholds_file());
    if (f->missed > 0)
        dsn_lines_add(l, DSN_FAINT, "Missed",
                      "%" PRId64
                      " calls at unsafe moments, records of killed processes or ends of processes with a system "
                      "call filter were not counted",
                      f->missed);
}

/* ------------------------------------------------------------------ tables */

static void add_layers(struct dsn_lines *l, const struct dsn_report *r)
{
    dsn_lines_add(l, DSN_BOLD, NULL, "%-18s%10s%10s%10s%11s%11s%10s", dsn_has_ranks(r) ? "Layer, all ranks" : "Layer",
                  "read", "write", "metadata", "bytes read", "written", "calls");
    for (size_t i = 0; i < r->nlayers; i++) {
        const struct dsn_work *w = &r->layer[i].work;

        dsn_lines_add(l, DSN_PLAIN, NULL, "%-18s%10s%10s%10s%11s%11s%10s", r->layer[i].label,
                      dsn_seconds_text(w->read).s, dsn_seconds_text(w->write).s, dsn_seconds_text(w->meta).s,
                      dsn_bytes_text((double)w->bytes_read).s, dsn_bytes_text((double)w->bytes_written).s,
                      dsn_number_text((double)w->reads + (double)w->writes).s);
    }
}

static void add_spread(struct dsn_lines *l, const char *what, const struct dsn_spread *s,
                       struct dsn_short_text (*text)(double))
{
    dsn_lines_add(l, DSN_PLAIN, NULL, "%-14s%11s%11s%11s%11s%11s%9.2f", what, text(s->min).s, text(s->q1).s,
                  text(s->median).s, text(s->q3).s, text(s->max).s, s->gini);
}

static void add_ranks(struct dsn_lines *l, const struct dsn_report *r)
{
    if (r->nranks < 2)
        return;
    if (r->time_spread.n > 0 || r->byte_spread.n > 0) {
        dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
        dsn_lines_add(l, DSN_BOLD, NULL, "%-14s%11s%11s%11s%11s%11s%9s", r->is_tree ? "Processes" : "Ranks, storage",
                      "least", "quarter", "median", "3 quarters", "most", "Gini");
    }
    if (r->time_spread.n > 0)
        add_spread(l, "I/O time", &r->time_spread, dsn_seconds_text);
    if (r->byte_spread.n > 0)
        add_spread(l, "bytes", &r->byte_spread, dsn_bytes_text);
    if (r->rank_times != DSN_EXACT || r->rank_bytes != DSN_EXACT)
        dsn_lines_add(l, DSN_PLAIN, NULL,
                      r->is_tree ? "for files shared by all processes only those that spend most and least are known"
                                 : "for files shared by all ranks only the slowest and the fastest rank are known");
}

static void add_size_table(struct dsn_lines *l, const struct dsn_report_layer *layer)
{
    dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
    dsn_lines_add(l, DSN_BOLD, NULL, "%-24s%12s%16s%12s%16s", layer->label, "reads", "bytes", "writes", "bytes");
    for (int i = 0; i < DSN_NSIZES; i++)
        if (layer->read_sizes.calls[i] > 0 || layer->write_sizes.calls[i] > 0)
            dsn_lines_add(l, DSN_PLAIN, NULL, "%-24s%12" PRId64 "%16s%12" PRId64 "%16s", dsn_size_label(i),
                          layer->read_sizes.calls[i], dsn_bytes_text(layer->read_sizes.bytes[i]).s,
                          layer->write_sizes.calls[i], dsn_bytes_text(layer->write_sizes.bytes[i]).s);
    if (layer->read_sizes.confidence != DSN_EXACT || layer->write_sizes.confidence != DSN_EXACT)
        dsn_lines_add(l, DSN_FAINT, NULL, "bytes by size are estimates within the sizes' bounds; their sum is exact");
}

static void add_direction(struct dsn_lines *l, const struct dsn_report *r, const char *what, int64_t calls,
                          int64_t first, unsigned consecutive, unsigned sequential)
{
    const double all = (double)calls, rest = (double)calls - (double)first;
    const double seq = (double)dsn_layer_total(r, DSN_POSIX_MODULE, sequential);
    const double consec = (double)dsn_layer_total(r, DSN_POSIX_MODULE, consecutive);

    if (calls > 0)
        dsn_lines_add(l, DSN_PLAIN, NULL, "%-15s%11" PRId64 "%14s%13s%12s%11s", what, calls,
                      dsn_share_text((double)first / all).s, dsn_share_text(consec / all).s,
                      dsn_share_text(seq > consec ? (seq - consec) / all : 0).s,
                      dsn_share_text(rest > seq ? (rest - seq) / all : 0).s);
}

static void add_access(struct dsn_lines *l, const struct dsn_report *r)
{
    const struct dsn_report_layer *posix = dsn_report_layer(r, DSN_POSIX_MODULE);
    int64_t first_reads = 0, first_writes = 0;

    if (!posix || posix->work.reads + posix->work.writes == 0)
        return;
    for (size_t i = 0; i < r->nfiles; i++) {
        first_reads = dsn__plus(first_reads, r->files[i].first_reads);
        first_writes = dsn__plus(first_writes, r->files[i].first_writes);
    }
    dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
    dsn_lines_add(l, DSN_BOLD, NULL, "%-15s%11s%14s%13s%12s%11s", "POSIX, order", "calls", "first of open",
                  "consecutive", "ascending", "other");
    add_direction(l, r, "reads", posix->work.reads, first_reads, POSIX_CONSEC_READS, POSIX_SEQ_READS);
    add_direction(l, r, "writes", posix->work.writes, first_writes, POSIX_CONSEC_WRITES, POSIX_SEQ_WRITES);
    dsn_lines_add(l, DSN_PLAIN, NULL,
                  "%" PRId64 " not aligned in the file, %" PRId64 " in memory; %" PRId64 " changes of direction",
                  dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_FILE_NOT_ALIGNED),
                  dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_MEM_NOT_ALIGNED),
                  dsn_layer_total(r, DSN_POSIX_MODULE, POSIX_RW_SWITCHES));
}

#define MOUNT_COLUMNS 36

static void add_mounts(struct dsn_lines *l, const struct dsn_report *r)
{
    dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
    dsn_lines_add(l, DSN_BOLD, NULL, "%-36s%9s%13s%13s", "Mount", "files", "bytes read", "written");
    for (size_t i = 0; i < r->nmounts; i++) {
        const struct dsn_report_mount *m = &r->mounts[i];
        char whole[4 * DSN_COLUMNS], name[4 * MOUNT_COLUMNS + 1];

        if (m->files == 0 && !(dsn_work_time(&m->work) > 0))
            continue;
        snprintf(whole, sizeof whole, "%s%s%s", m->path, *m->type ? " " : "", m->type);
        dsn_text_fit(name, sizeof name, MOUNT_COLUMNS, MOUNT_COLUMNS / 3, whole);
        dsn_lines_add(l, DSN_PLAIN, NULL, "%-36s%9" PRId64 "%13s%13s", name, m->files,
                      dsn_bytes_text((double)m->work.bytes_read).s, dsn_bytes_text((double)m->work.bytes_written).s);
    }
}

void dsn__screen_tables(struct dsn_lines *l, const struct dsn_report *r)
{
    if (r->nlayers == 0)
        return;
    dsn_lines_add(l, DSN_PLAIN, NULL, "%s", "");
    add_layers(l, r);
    add_ranks(l, r);
    for (size_t i = 0; i < r->nlayers; i++)
        if (r->layer[i].at.read_sizes >= 0 && r->layer[i].work.reads + r->layer[i].work.writes > 0)
            add_size_table(l, &r->layer[i]);
    add_access(l, r);
    add_mounts(l, r);
}
