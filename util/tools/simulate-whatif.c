/* simulate-whatif.c - darshan-simulate --what-if and --scan, as text and JSON
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "util/simulate/profile.h"
#include "util/simulate/whatif.h"

static const char *const kinds[] = { "reads", "writes" };

/* ------------------------------------------------------------------ text */

/* NAN: unknown. */
static const char *put_seconds(double s, char *to, size_t n)
{
    return isnan(s) ? "unknown" : dsn_range_said((struct dsn_range){ s, s }, to, n);
}

static void put_row(struct dsn_text *out, const char *what, double was, double predicted, double will)
{
    char a[48], b[48], c[48];

    dsn_text_printf(out, "%-34s %12s %12s %12s\n", what, put_seconds(was, a, sizeof a),
                    put_seconds(predicted, b, sizeof b), put_seconds(will, c, sizeof c));
}

static void put_times(struct dsn_text *out, const struct dsn_whatif_question *q, const struct dsn_answer *a)
{
    const struct dsn_visible unknown = { NAN, NAN };
    const struct dsn_visible *was = a->timeless ? &unknown : &a->shape.visible;
    const struct dsn_visible *predicted = a->timeless && !q->profile ? &unknown : &a->check.visible;

    dsn_text_printf(out, "\n%-34s %12s %12s %12s\n", "", "measured", "simulated", "changed");
    put_row(out, "visible I/O, ranks independent", was->independent, predicted->independent, a->becomes.independent);
    put_row(out, "visible I/O, ranks coupled", was->coupled, predicted->coupled, a->becomes.coupled);
    for (int d = 0; d < 2; d++)
        if (a->shape.moving[d] > 0)
            put_row(out, d ? "writes, all processes" : "reads, all processes", a->shape.moving[d],
                    a->check.figure[d].predicted, a->outcome.moving[d]);
}

static void put_fs(struct dsn_text *out, const char *label, const struct dsn_file_system *fs, int d)
{
    char rate[48], all[48];

    if (fs->latency[d] > 0 && fs->latency[d] < 1e-4)
        dsn_text_printf(out, "%-14s %s: %.3g us per request", label, kinds[d], 1e6 * fs->latency[d]);
    else
        dsn_text_printf(out, "%-14s %s: %.3g ms per request", label, kinds[d], 1e3 * fs->latency[d]);
    if (fs->byte[d] > 0)
        dsn_text_printf(out, ", %s alone", dsn_spec_rate(1 / fs->byte[d], rate, sizeof rate));
    if (fs->byte[d] > 0 && fs->crowd[d] > 1e-3)
        dsn_text_printf(out, ", all at most %s", dsn_spec_rate(1 / fs->byte[d] / fs->crowd[d], all, sizeof all));
    dsn_text_string(out, "\n");
}

static void put_model(struct dsn_text *out, const struct dsn_load *load, const struct dsn_whatif_question *q,
                      const struct dsn_answer *a)
{
    char text[48];
    int any = 0;

    dsn_text_string(out, "\n");
    for (int d = 0; d < 2; d++)
        if (a->shape.moving[d] > 0) {
            put_fs(out, any ? "" : "File system", &a->machine.fs, d);
            any = 1;
        }
    if (a->timeless)
        dsn_text_printf(out, "%-14s %s\n", "File system", q->profile ? "from the storage profile" : "unknown");
    else
        dsn_text_printf(out, "%-14s %s; at most %.1f %% off for it unchanged\n", "",
                        q->profile ? "from the storage profile" : "fitted to the run", 100 * a->check.error);
    dsn_text_printf(out, "%-14s %zu operation%s of %zu process%s on %u node%s, in %zu burst%s\n", "Trace", load->nops,
                    load->nops == 1 ? "" : "s", load->nprocesses, load->nprocesses == 1 ? "" : "es", a->nodes,
                    a->nodes == 1 ? "" : "s", a->shape.nbursts, a->shape.nbursts == 1 ? "" : "s");
    if (!a->hosts_known)
        dsn_text_printf(out, "%-14s it has no names of hosts: all processes count as on one node\n", "");
    if (a->changed.cache.size > 0)
        dsn_text_printf(out, "%-14s reads of %" PRIu64 " blocks of %s, of which %" PRIu64 " are hits\n", "Page cache",
                        a->outcome.hits + a->outcome.misses, dsn_spec_size(a->changed.block, text, sizeof text),
                        a->outcome.hits);
}

static void put_buffer(struct dsn_text *out, const struct dsn_answer *a)
{
    const struct dsn_burst_buffer *b = &a->changed.buffer;
    char size[48], rate[48], drain[48], text[48];

    if (b->rate <= 0)
        return;
    dsn_text_printf(out, "%-14s %s per node, %s, draining at %s", "Burst buffer",
                    dsn_spec_size(b->size, size, sizeof size), dsn_spec_rate(b->rate, rate, sizeof rate),
                    dsn_spec_rate(b->drain, drain, sizeof drain));
    if (a->nodes > 1)
        dsn_text_printf(out, ";\n%-14s %u nodes in total at %s", "", a->nodes,
                        dsn_spec_rate(b->drain * a->nodes, text, sizeof text));
    if (a->shape.fastest_burst[1] > 0)
        dsn_text_printf(out, "\n%-14s the file system took at most %s from this run, in a burst", "",
                        dsn_spec_rate(a->shape.fastest_burst[1], text, sizeof text));
    dsn_text_printf(out, "\n%-14s written to it %s, read from it %s", "",
                    dsn_spec_size(a->outcome.buffer_bytes[1], size, sizeof size),
                    dsn_spec_size(a->outcome.buffer_bytes[0], rate, sizeof rate));
    if (a->outcome.stalled > 0)
        dsn_text_printf(
            out, "; full for %s, summed over all nodes",
            dsn_range_said((struct dsn_range){ a->outcome.stalled, a->outcome.stalled }, text, sizeof text));
    dsn_text_string(out, "\n");
    if (a->outcome.left > 0)
        dsn_text_printf(
            out, "%-14s %s remain to be drained at the last operation, for %s\n", "",
            dsn_spec_size(a->outcome.left, size, sizeof size),
            dsn_range_said((struct dsn_range){ a->outcome.draining, a->outcome.draining }, text, sizeof text));
}

void dsn_simulate_put_striping(struct dsn_text *out, const struct dsn_striping *s)
{
    char size[48];

    dsn_text_printf(out, "%-14s %zu file%s on Lustre, on %zu target%s together", "Striping", s->files,
                    s->files == 1 ? "" : "s", s->targets, s->targets == 1 ? "" : "s");
    if (s->changed > 0)
        dsn_text_printf(out, ";\n%-14s %zu would be on others than now, with %s of what is moved\n", "", s->changed,
                        dsn_spec_size(s->bytes, size, sizeof size));
    else
        dsn_text_printf(out, ";\n%-14s all have as many stripes, or are shorter than one\n", "");
}

static void put_scan(struct dsn_text *out, const struct dsn_whatif_scan *s)
{
    char text[48];

    dsn_text_printf(out, "\n%-34s %s\n", "visible I/O", dsn_range_said(s->base, text, sizeof text));
    for (int i = 0; i < DSN_SCAN_ROWS; i++)
        if (s->row[i].asked)
            dsn_text_printf(out, "  with %-27s %s\n", s->row[i].name,
                            dsn_range_said(s->row[i].will, text, sizeof text));
    if (s->second >= 0)
        dsn_text_printf(out, "  with both of the best %12s %s\n", "", dsn_range_said(s->both, text, sizeof text));
}

/* ------------------------------------------------------------------ JSON */

static json_t *real(double v)
{
    return v < INFINITY && v > -INFINITY ? json_real(v) : json_null();
}

static json_t *range(struct dsn_range r)
{
    return json_pack("{s:o, s:o}", "low", real(r.low), "high", real(r.high));
}

static json_t *visible(const struct dsn_visible *v)
{
    return json_pack("{s:o, s:o}", "independent", real(v->independent), "coupled", real(v->coupled));
}

static json_t *file_system(const struct dsn_file_system *fs)
{
    json_t *o = json_object();

    for (int d = 0; d < 2; d++)
        json_object_set_new(o, d ? "write" : "read",
                            json_pack("{s:o, s:o, s:o}", "latency_seconds", real(fs->latency[d]), "bytes_per_second",
                                      fs->byte[d] > 0 ? real(1 / fs->byte[d]) : json_null(), "crowd",
                                      real(fs->crowd[d])));
    return o;
}

static json_t *calibration(const struct dsn_answer *a)
{
    json_t *o = json_array();

    for (int i = 0; i < DSN_FIT_FIGURES; i++)
        if (a->check.figure[i].name)
            json_array_append_new(o,
                                  json_pack("{s:s, s:o, s:o, s:b}", "what", a->check.figure[i].name, "measured",
                                            real(a->check.figure[i].measured), "predicted",
                                            real(a->check.figure[i].predicted), "counts", a->check.figure[i].counts));
    return o;
}

json_t *dsn_simulate_striping(const struct dsn_striping *s)
{
    if (s->files == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f}", "files", (json_int_t)s->files, "changed", (json_int_t)s->changed,
                     "fewest_targets", (json_int_t)s->fewest, "most_targets", (json_int_t)s->widest, "targets_of_all",
                     (json_int_t)s->targets, "changed_bytes", s->bytes);
}

static json_t *buffer(const struct dsn_answer *a)
{
    const struct dsn_burst_buffer *b = &a->changed.buffer;

    if (b->rate <= 0)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bytes", real(b->size), "bytes_per_second",
                     real(b->rate), "drain_bytes_per_second", real(b->drain), "never_stalls_bytes",
                     real(a->never_stalls), "drain_needed_bytes_per_second", real(a->drain_needed), "full_seconds",
                     real(a->outcome.stalled), "written_bytes", real(a->outcome.buffer_bytes[1]), "read_bytes",
                     real(a->outcome.buffer_bytes[0]), "left_bytes", real(a->outcome.left), "left_seconds",
                     real(a->outcome.draining));
}

static json_t *scan_part(const struct dsn_whatif_scan *s)
{
    json_t *rows = json_array();

    for (int i = 0; i < DSN_SCAN_ROWS; i++)
        if (s->row[i].asked)
            json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "with", s->row[i].name, "visible_seconds",
                                                  range(s->row[i].will), "saves_seconds", real(s->row[i].saves)));
    return json_pack("{s:o, s:o, s:o, s:o}", "rows", rows, "best",
                     s->best < 0 ? json_null() : json_string(s->row[s->best].name), "second",
                     s->second < 0 ? json_null() : json_string(s->row[s->second].name), "both_visible_seconds",
                     s->second < 0 ? json_null() : range(s->both));
}

static json_t *document(const struct dsn_load *load, const struct dsn_whatif_question *q, const struct dsn_answer *a,
                        const char *sentence)
{
    json_t *o = json_pack("{s:s, s:s, s:b, s:o, s:o}", "sentence", sentence, "what_if", q->text, "calibrated",
                          a->check.error <= DSN_FIT_GOOD, "error", real(a->check.error), "calibration", calibration(a));

    if (!o)
        return NULL;
    json_object_set_new(o, "missing_operations",
                        a->missing == UINT64_MAX ? json_null() : json_integer((json_int_t)a->missing));
    json_object_set_new(o, "operations", json_integer((json_int_t)load->nops));
    json_object_set_new(o, "processes", json_integer((json_int_t)load->nprocesses));
    json_object_set_new(o, "nodes", a->hosts_known ? json_integer(a->nodes) : json_null());
    json_object_set_new(o, "bursts", json_integer((json_int_t)a->shape.nbursts));
    json_object_set_new(o, "run_seconds", real(a->run));
    json_object_set_new(o, "visible_measured_seconds", a->timeless ? json_null() : visible(&a->shape.visible));
    json_object_set_new(o, "visible_simulated_seconds", visible(&a->check.visible));
    json_object_set_new(o, "visible_changed_seconds", visible(&a->becomes));
    json_object_set_new(o, "was_seconds", range(a->was));
    json_object_set_new(o, "will_seconds", range(a->will));
    json_object_set_new(o, "cache_saves_at_most_seconds", a->cache_saves < 0 ? json_null() : real(a->cache_saves));
    json_object_set_new(o, "file_system", file_system(&a->machine.fs));
    json_object_set_new(o, "burst_buffer", buffer(a));
    json_object_set_new(o, "striping", dsn_simulate_striping(&a->striping));
    json_object_set_new(o, "file_system_bytes",
                        json_pack("{s:o, s:o}", "read", real(a->outcome.fs_bytes[0]), "written",
                                  real(a->outcome.fs_bytes[1] + a->outcome.drained)));
    json_object_set_new(
        o, "file_system_requests",
        json_pack("{s:o, s:o}", "read", real(a->outcome.fs_requests[0]), "written", real(a->outcome.fs_requests[1])));
    json_object_set_new(o, "left_bytes", real(a->outcome.left));
    json_object_set_new(
        o, "blocks_read",
        json_pack("{s:I, s:I}", "hits", (json_int_t)a->outcome.hits, "misses", (json_int_t)a->outcome.misses));
    json_object_set_new(o, "elapsed_seconds", real(a->outcome.elapsed));
    json_object_set_new(o, "events", json_integer((json_int_t)a->outcome.events));
    return o;
}

/* ------------------------------------------------------------------ the command */

struct said {
    const struct dsn_simulate_arguments *a;
    const struct dsn_load *load;
    const struct dsn_whatif_question *q;
    const struct dsn_answer *answer;
    const struct dsn_whatif_scan *scan; /* NULL: not requested */
    char sentence[1200];
};

static int print_json(const struct said *s)
{
    json_t *o = document(s->load, s->q, s->answer, s->sentence);
    int rc;

    if (o && s->scan)
        json_object_set_new(o, "scan", scan_part(s->scan));
    rc = !o || json_dumpf(o, stdout, JSON_COMPACT) != 0 || fputc('\n', stdout) == EOF || fflush(stdout) != 0;
    json_decref(o);
    if (rc)
        fprintf(stderr, DSN_SIMULATE ": cannot write the output: %s\n", strerror(errno));
    return rc;
}

void dsn_simulate_put_sentence(struct dsn_text *out, const char *text)
{
    const size_t room = isatty(STDOUT_FILENO) ? 80 : SIZE_MAX;

    while (strlen(text) > room) {
        size_t n = room;

        while (n > 0 && text[n] != ' ')
            n--;
        n = n > 0 ? n : room;
        dsn_text_bytes(out, text, n);
        dsn_text_string(out, "\n");
        text += n + (text[n] == ' ');
    }
    dsn_text_printf(out, "%s\n", text);
}

static int print_text(const struct said *s)
{
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return dsn_simulate_complain(s->a, "does not fit into memory");
    dsn_simulate_put_sentence(&out, s->sentence);
    if (s->scan)
        put_scan(&out, s->scan);
    put_times(&out, s->q, s->answer);
    put_model(&out, s->load, s->q, s->answer);
    put_buffer(&out, s->answer);
    if (s->answer->striping.files > 0)
        dsn_simulate_put_striping(&out, &s->answer->striping);
    rc = dsn_end_output(&out, DSN_SIMULATE);
    dsn_text_free(&out);
    return rc;
}

static int say(struct said *s)
{
    struct dsn_whatif_scan scan;

    if (s->a->scan) {
        if (!dsn_scan_make(s->load, s->q, s->answer, &scan))
            return dsn_simulate_complain(s->a, "does not fit into memory");
        s->scan = &scan;
        dsn_scan_sentence(&scan, s->answer, s->q, s->sentence, sizeof s->sentence);
    } else {
        dsn_answer_sentence(s->answer, s->q, s->sentence, sizeof s->sentence);
    }
    return s->a->json ? print_json(s) : print_text(s);
}

/* A trace with missing operations is simulated only with --estimate. */
static int refuse(const struct dsn_simulate_arguments *a, const struct dsn_load *load)
{
    char text[200];

    if (a->estimate || (!load->thinned && load->left_out == 0))
        return 0;
    if (load->left_out > 0)
        snprintf(text, sizeof text,
                 "lacks %" PRIu64 " operations, which its collector dropped: no answer; --estimate gives one for "
                 "the operations that there are",
                 load->left_out);
    else
        snprintf(text, sizeof text,
                 "lacks operations, for which its collector had no memory: no answer; --estimate gives one for "
                 "the operations that there are");
    return dsn_simulate_complain(a, text);
}

static int ask(const struct dsn_simulate_arguments *a, const struct dsn_load *load, struct dsn_whatif_question *q)
{
    struct dsn_answer answer;
    struct said s = { .a = a, .load = load, .q = q, .answer = &answer };
    char error[160];
    int rc;

    if (!dsn_answer_make(load, q, &answer)) {
        rc = dsn_simulate_complain(a, answer.error);
    } else {
        rc = say(&s);
        if (a->save && answer.timeless)
            rc = dsn_simulate_complain(a, "has no durations, from which a storage profile could be made");
        else if (a->save && !dsn_profile_write(a->save, &answer.machine.fs, error, sizeof error)) {
            dsn_warn(DSN_SIMULATE, a->save, "%s", error);
            rc = 1;
        }
    }
    dsn_answer_free(&answer);
    return rc;
}

/* Reads the striping of files, if the question needs it. */
static int read_layouts(const struct dsn_simulate_arguments *a, const struct dsn_spec *s, struct dsn_load *load)
{
    for (int i = 0; s->has & DSN_SPEC_STRIPES && i < a->noperands; i++)
        if (!dsn_load_layouts(load, a->operands[i])) {
            dsn_simulate_complain(a, load->err.text);
            return 0;
        }
    return 1;
}

int dsn_simulate_what_if(const struct dsn_simulate_arguments *a)
{
    struct dsn_whatif_question q = { .text = a->what_if };
    struct dsn_file_system profile;
    struct dsn_spec had = { 0 };
    struct dsn_load load;
    char error[160];
    int rc = 1;

    dsn_load_init(&load);
    if (a->profile) {
        if (!dsn_profile_read(a->profile, &profile, error, sizeof error)) {
            dsn_warn(DSN_SIMULATE, a->profile, "%s", error);
            return 1;
        }
        q.profile = &profile;
    }
    if (!dsn_spec_parse(a->what_if, &q.change))
        rc = dsn_simulate_misused("--what-if", a->what_if, q.change.error);
    else if (a->machine_spec && !dsn_spec_parse(a->machine_spec, &had))
        rc = dsn_simulate_misused("--machine", a->machine_spec, had.error);
    else if (had.has & DSN_SPEC_STRIPES)
        rc = dsn_simulate_misused("--machine", a->machine_spec, "how files were striped the log says, or stripes=N/M");
    else if (!dsn_simulate_by_counters(a, &q.change, &rc)) {
        q.had = a->machine_spec ? &had : NULL;
        if (dsn_simulate_read(a, &load, 0) && !refuse(a, &load) && read_layouts(a, &q.change, &load))
            rc = ask(a, &load, &q);
    }
    dsn_load_free(&load);
    dsn_spec_free(&q.change);
    dsn_spec_free(&had);
    return rc;
}
