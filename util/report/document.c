/* document.c - a report as JSON: log, job, answer and findings
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "document-parts.h"
#include "json.h"
#include "sites.h"
#include "trust.h"
#include "turns.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ log and job */

static json_t *metadata_of(const struct darshan_reader *log)
{
    struct darshan_reader_metadata m;
    json_t *all = json_array();
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, &m))
        json_array_append_new(all, json_pack("{s:o, s:o}", "key", dsn_json_bytes(m.key, m.key_length), "value",
                                             dsn_json_bytes(m.value, m.value_length)));
    return all;
}

static json_t *modules_of(const struct dsn_header *h)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        if (h->mod[i].len > 0 || h->partial >> i & 1)
            json_array_append_new(all, json_pack("{s:o, s:i, s:I, s:b}", "name",
                                                 dsn_module_name(i) ? json_string(dsn_module_name(i)) : json_null(),
                                                 "version", (int)h->mod_version[i], "bytes", (json_int_t)h->mod[i].len,
                                                 "incomplete", (int)(h->partial >> i & 1)));
    return all;
}

static json_t *log_of(const struct dsn_report *r, const char *file)
{
    const struct dsn_header *h = darshan_reader_header(r->log);

    return json_pack("{s:o, s:o, s:o, s:I, s:b}", "file", dsn_json_text(file), "version",
                     dsn_json_bytes(h->version, strnlen(h->version, sizeof h->version)), "modules", modules_of(h),
                     "names", (json_int_t)darshan_reader_names(r->log), "extension",
                     (int)(darshan_reader_parts(r->log) > 0));
}

static json_t *hosts_of(const struct darshan_reader *log)
{
    const char *const *names;
    const size_t n = darshan_reader_nodes(log, &names);
    json_t *all = json_array();

    for (size_t i = 0; i < n && i < DSN_DOCUMENT_BINS; i++)
        json_array_append_new(all, dsn_json_text(names[i]));
    return all;
}

/* null: the log has it of no rank */
static json_t *cpu_of(const struct dsn_figures *f)
{
    if (!(f->cpu_user + f->cpu_system > 0))
        return json_null();
    return json_pack("{s:o, s:o, s:I}", "user_seconds", dsn_json_f64(f->cpu_user), "system_seconds",
                     dsn_json_f64(f->cpu_system), "unknown_ranks", (json_int_t)f->cpu_unknown);
}

static json_t *job_of(const struct dsn_report *r)
{
    static const char *const from[] = { [DSN_NODES_UNKNOWN] = NULL,
                                        [DSN_NODES_GIVEN] = "given",
                                        [DSN_NODES_METADATA] = "job's metadata",
                                        [DSN_NODES_EXTENSION] = "log" };
    const struct dsn_job *job = darshan_reader_job(r->log);
    const struct dsn_figures *f = &r->f;
    const int64_t end = job->end_sec - (r->selection ? r->selection->added_seconds : 0);

    return json_pack(
        "{s:I, s:I, s:o, s:I, s:b, s:o, s:o, s:o, s:f, s:f, s:o, s:b, s:o, s:o}", "id", (json_int_t)job->jobid, "user",
        (json_int_t)job->uid, "command", dsn_json_text(darshan_reader_exe(r->log)), "ranks", (json_int_t)f->nprocs,
        "ranks_are_processes", r->is_tree, "nodes", f->nodes > 0 ? json_integer(f->nodes) : json_null(), "nodes_from",
        dsn_json_text(from[f->nodes_source]), "hosts", hosts_of(r->log), "start",
        (double)job->start_sec + 1e-9 * (double)job->start_nsec, "end", (double)end + 1e-9 * (double)job->end_nsec,
        "run_seconds", f->runtime > 0 ? dsn_json_f64(f->runtime) : json_null(), "whole_seconds", f->whole_seconds,
        "cpu", cpu_of(f), "metadata", metadata_of(r->log));
}

/* ------------------------------------------------------------------ the answer */

static double share_of(const struct dsn_report *r, double seconds)
{
    return r->f.runtime > 0 ? seconds / r->f.runtime : -1;
}

static json_t *shares_of(const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "slowest", dsn_json_known(share_of(r, w->most)), "slowest_at_least",
                     dsn_json_known(share_of(r, w->least)), "in_turn", dsn_json_known(share_of(r, dsn_io_passed(r))),
                     "mean", dsn_json_known(share_of(r, w->all / (double)r->f.present)), "wall",
                     dsn_json_known(r->wall >= 0 && r->f.runtime > 0 ? r->wall / r->f.runtime : -1));
}

/* How the mean rank spent the run time; null: the run time is unknown. */
static json_t *run_of(const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const double n = (double)r->f.present;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "compute", dsn_json_known(dsn_compute_mean(r)),
                     "communication", dsn_json_known(dsn_communication_mean(r)), "waiting_to_open",
                     dsn_json_f64(w->wait_open / n), "waiting_to_read", dsn_json_f64(w->wait_read / n),
                     "waiting_to_write", dsn_json_f64(w->wait_write / n), "read", dsn_json_f64(w->read / n), "write",
                     dsn_json_f64(w->write / n), "metadata", dsn_json_f64(w->meta / n));
}

/* The same for the slowest rank; null: unknown. */
static json_t *slowest_run_of(const struct dsn_report *r)
{
    const struct dsn_waits *w = &r->waits;
    const int known = w->parts_known;

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "compute",
                     dsn_json_known(known && r->f.runtime > 0 ? fmax(r->f.runtime - w->least, 0) : -1), "waiting",
                     dsn_json_known(known ? w->slowest.wait : -1), "read", dsn_json_known(known ? w->slowest.read : -1),
                     "write", dsn_json_known(known ? w->slowest.write : -1), "metadata",
                     dsn_json_known(known ? w->slowest.meta : -1));
}

/* The same of the processes that ran one after the other; null: there are none. */
static json_t *in_turn_run_of(const struct dsn_report *r)
{
    const struct dsn_wait_parts *p = &r->turns.parts;

    if (r->turns.n == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:f, s:f, s:f, s:f}", "processes", (json_int_t)r->turns.n, "compute",
                     dsn_json_known(r->f.runtime > 0 ? fmax(r->f.runtime - r->turns.seconds, 0) : -1), "waiting",
                     p->wait, "read", p->read, "write", p->write, "metadata", p->meta);
}

static json_t *seconds_of(const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_waits *w = &r->waits;
    const double n = (double)f->present;
    const int known = w->parts_known;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "slowest",
                     dsn_json_f64(w->most), "slowest_at_least", dsn_json_f64(w->least), "in_turn",
                     dsn_json_f64(dsn_io_passed(r)), "slowest_rank", w->rank >= 0 ? json_integer(w->rank) : json_null(),
                     "slowest_read", dsn_json_known(known ? w->slowest.read : -1), "slowest_write",
                     dsn_json_known(known ? w->slowest.write : -1), "slowest_metadata",
                     dsn_json_known(known ? w->slowest.meta : -1), "mean", dsn_json_f64(w->all / n), "mean_read",
                     dsn_json_f64(w->read / n), "mean_write", dsn_json_f64(w->write / n), "mean_metadata",
                     dsn_json_f64(w->meta / n), "mean_waiting", dsn_json_f64(dsn_waiting(w) / n), "slowest_at_storage",
                     dsn_json_f64(f->slowest_time), "by_open_to_last", dsn_json_f64(f->unique_time + f->open_to_last));
}

static json_t *answer_of(const struct dsn_report *r, const struct dsn_findings *all)
{
    const struct dsn_figures *f = &r->f;
    const struct dsn_finding *worst = dsn_worst(all);
    char sentence[DSN_ANSWER_MAX];

    dsn_answer(r, sentence);
    return json_pack("{s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:b}",
                     "sentence", dsn_json_text(sentence), "bound", dsn_bound_name(all->bound), "healthy", all->healthy,
                     "worst", worst ? json_string(worst->row->id) : json_null(), "share_of_run_time", shares_of(r),
                     "seconds", seconds_of(r), "run", run_of(r), "slowest_run", slowest_run_of(r), "in_turn_run",
                     in_turn_run_of(r), "bytes_read", (json_int_t)f->bytes_read, "bytes_written",
                     (json_int_t)f->bytes_written, "reads", (json_int_t)f->reads, "writes", (json_int_t)f->writes,
                     "bytes_asked_read", (json_int_t)r->waits.asked_read, "bytes_asked_written",
                     (json_int_t)r->waits.asked_written, "mib_per_second", dsn_json_known(dsn_figures_rate(&r->f)),
                     "mib_per_second_per_node", dsn_json_known(dsn_figures_rate_per_node(&r->f)), "past_posix",
                     dsn_is_past_posix(r->log));
}

/* ------------------------------------------------------------------ findings */

static json_t *facts_of(const struct dsn_report *r, const struct dsn_finding *f)
{
    json_t *all = json_array();

    for (size_t i = 0; i < f->nfacts; i++)
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:s}", "name",
                           json_sprintf("%s%s", f->fact[i].name, f->fact[i].is_of_all ? dsn_of_all(r) : ""), "value",
                           dsn_json_f64(f->fact[i].value), "unit", dsn_fact_unit_name(f->fact[i].unit)));
    return all;
}

static json_t *blamed_files(const struct dsn_report *r, const struct dsn_finding *f)
{
    char room[DSN_NAME_ROOM];
    json_t *all = json_array();

    for (size_t i = 0; i < f->nfiles; i++)
        json_array_append_new(all, json_pack("{s:o, s:o, s:o}", "id", dsn_json_id(f->file[i]->id), "name",
                                             dsn_json_text(dsn_report_name(r, f->file[i], room)), "seconds",
                                             dsn_json_f64(f->file_seconds[i])));
    return all;
}

static json_t *blamed_ranks(const struct dsn_finding *f)
{
    json_t *all = json_array();

    for (size_t i = 0; i < f->nranks; i++)
        json_array_append_new(all, json_integer(f->rank[i]));
    return all;
}

static json_t *needs_of(const struct dsn_finding *f)
{
    json_t *all = json_array();

    for (unsigned bit = 0; bit < DSN_NNEEDS; bit++)
        if (f->row->needs >> bit & 1)
            json_array_append_new(all, json_string(dsn_need_text(bit)));
    return all;
}

/* null: there is no line that is known to be to blame. */
static json_t *blamed_line(const struct dsn_report *r, const struct dsn_sites *s, const struct dsn_finding *f)
{
    double share;
    const struct dsn_site *p = dsn_sites_blame(r, s, f, &share);

    return p ? json_pack("{s:o, s:o}", "where", dsn_json_text(p->where), "share", dsn_json_f64(share)) : json_null();
}

static json_t *finding_of(const struct dsn_report *r, const struct dsn_sites *s, const struct dsn_finding *f)
{
    const double run = r->f.runtime;
    char condition[DSN_CONDITION_MAX];

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:s, s:s}", "id",
                     f->row->id, "title", f->title, "severity", dsn_severity_name(f->severity), "condition",
                     dsn_condition_text(f->row->condition, condition), "text", f->text, "saveable_seconds",
                     dsn_json_known(f->saveable), "saveable_share",
                     dsn_json_known(run > 0 && f->saveable >= 0 ? f->saveable / run : -1), "at_most_seconds",
                     dsn_json_known(f->at_most), "confidence", dsn_confidence_name(f->confidence), "rests_on", f->basis,
                     "needs", needs_of(f), "evidence", facts_of(r, f), "files_concerned", (json_int_t)f->files, "files",
                     blamed_files(r, f), "ranks", blamed_ranks(f), "line", blamed_line(r, s, f), "advice", f->advice,
                     "reference", f->row->reference);
}

static json_t *findings_of(const struct dsn_report *r, const struct dsn_sites *s, const struct dsn_findings *f)
{
    json_t *all = json_array();

    for (size_t i = 0; i < f->n; i++)
        json_array_append_new(all, finding_of(r, s, &f->list[i]));
    return all;
}

/* ------------------------------------------------------------------ all of it */

static const struct part {
    const char *name;
    json_t *(*make)(const struct dsn_report *r);
} parts[] = {
    { "layers", dsn__layers_part },
    { "modules", dsn__modules_part },
    { "ranks", dsn__ranks_part },
    { "sizes", dsn__sizes_part },
    { "access", dsn__access_part },
    { "sharing", dsn__sharing_part },
    { "files", dsn__files_part },
    { "written_files", dsn__written_part },
    { "mapped_files", dsn__mapped_part },
    { "gpudirect_storage", dsn__cufile_part },
    { "storage_traffic", dsn__traffic_part },
    { "times_apart", dsn__times_apart_part },
    { "file_patterns", dsn__file_patterns_part },
    { "named_phases", dsn__phases_part },
    { "mounts", dsn__mounts_part },
    { "targets", dsn__targets_part },
    { "blue_gene_q", dsn__partition_part },
    { "mdhim", dsn__store_part },
    { "lbio", dsn__lbio_part },
    { "communication", dsn__communication_part },
    { "quality", dsn__quality_part },
    { "definitions", dsn__definitions_part },
    { "glossary", dsn__glossary_part },
};

/* null: the report is of all files. */
static json_t *selection_of(const struct dsn_report *r)
{
    json_t *patterns = r->selection ? json_array() : json_null();

    for (size_t i = 0; r->selection && i < r->selection->n; i++)
        json_array_append_new(patterns, dsn_json_text(r->selection->patterns[i]));
    return r->selection ? json_pack("{s:o}", "patterns", patterns) : patterns;
}

json_t *dsn_document_make(const struct dsn_report *r, const struct dsn_findings *f, const char *file)
{
    struct dsn_sites sites;
    json_t *document;

    if (dsn_sites_make(r, DSN_AS_LINES, &sites) != DSN_ERR_OK)
        return NULL;
    dsn_document_begin();
    document = json_object();
    json_object_set_new(document, "schema", json_string(DSN_DOCUMENT_SCHEMA));
    json_object_set_new(document, "log", log_of(r, file));
    json_object_set_new(document, "selection", selection_of(r));
    json_object_set_new(document, "job", job_of(r));
    json_object_set_new(document, "answer", answer_of(r, f));
    json_object_set_new(document, "findings", findings_of(r, &sites, f));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        json_object_set_new(document, parts[i].name, parts[i].make(r));
    json_object_set_new(document, "call_sites", dsn__sites_part(r, &sites));
    dsn_sites_free(&sites);
    if (!dsn_document_failed() && json_object_size(document) == 7 + sizeof parts / sizeof parts[0])
        return document;
    json_decref(document);
    return NULL;
}
