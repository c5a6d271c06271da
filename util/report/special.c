/* special.c - what is not a file I/O layer: Blue Gene/Q's partition, MDHIM's store, APMPI's messages, log-based I/O
 * SPDX-License-Identifier: BSD-3-Clause */
#include "special.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "darshan-log-format/extension.h"
#include "layer.h"
#include "trust.h"
#include "units.h"

static void add_partition(struct dsn_report *r, const struct dsn_rec *rec, const struct dsn_tail *tail)
{
    struct dsn_partition *p = &r->partition;

    (void)tail;
    p->nodes = dsn__count(rec, BGQ_NNODES);
    p->ranks_per_node = dsn__count(rec, BGQ_RANKSPERNODE);
    p->node_mib = dsn__count(rec, BGQ_DDRPERNODE);
    p->io_nodes = dsn__count(rec, BGQ_INODES);
    for (int i = 0; i < DSN_TORUS; i++)
        p->torus[i] = dsn__count(rec, BGQ_ANODES + i);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_store(struct dsn_report *r, const struct dsn_rec *rec, const struct dsn_tail *tail)
{
    struct dsn_store *s = &r->store;
    const double put = dsn__seconds(rec, MDHIM_F_PUT_MAX_DURATION), get = dsn__seconds(rec, MDHIM_F_GET_MAX_DURATION);

    s->records++;
    s->puts = dsn__plus(s->puts, dsn__count(rec, MDHIM_PUTS));
    s->gets = dsn__plus(s->gets, dsn__count(rec, MDHIM_GETS));
    s->largest_put = larger(s->largest_put, dsn__count(rec, MDHIM_PUT_MAX_SIZE));
    s->largest_get = larger(s->largest_get, dsn__count(rec, MDHIM_GET_MAX_SIZE));
    s->servers = larger(s->servers, dsn__count(rec, MDHIM_SERVERS));
    s->slowest_put = put > s->slowest_put ? put : s->slowest_put;
    s->slowest_get = get > s->slowest_get ? get : s->slowest_get;
    for (size_t i = 0; tail->values[0] && i < tail->n; i++) {
        const int64_t n = dsn__limited(tail->values[0][i]);

        s->of_servers = dsn__plus(s->of_servers, n);
        s->busiest_server = larger(s->busiest_server, n);
    }
}

/* Sum of the total times of calls from `from` up to, but not including, another. */
static double times_of(const struct dsn_rec *rec, int from, int to)
{
    const int next = MPI_SSEND_TOTAL_TIME - MPI_SEND_TOTAL_TIME;
    double sum = 0;

    for (int at = from; at < to; at += next)
        sum += dsn__seconds(rec, at);
    return sum;
}

/* The record's total is computed when a log is finalized; if it was not, it is the sum of the parts. */
static void add_communication(struct dsn_report *r, const struct dsn_rec *rec, const struct dsn_tail *tail)
{
    struct dsn_communication *c = &r->communication;
    const double messages = times_of(rec, MPI_SEND_TOTAL_TIME, MPI_PROBE_TOTAL_TIME),
                 completion = times_of(rec, MPI_PROBE_TOTAL_TIME, MPI_BARRIER_TOTAL_TIME),
                 collective = times_of(rec, MPI_BARRIER_TOTAL_TIME, MPI_PUT_TOTAL_TIME),
                 one_sided = times_of(rec, MPI_PUT_TOTAL_TIME, MPI_BARRIER_TOTAL_SYNC_TIME);
    const double waiting = r->communication.is_waiting_known ? dsn__seconds(rec, MPI_TOTAL_COMM_SYNC_TIME) : 0;
    const double all = messages + completion + collective + one_sided + waiting;

    (void)tail;
    c->ranks++;
    c->messages += messages;
    c->completion += completion;
    c->collective += collective + waiting;
    c->one_sided += one_sided;
    c->waiting += waiting;
    c->all += all;
    if (all > c->most || c->ranks == 1) {
        c->most = all;
        c->rank = rec->rank;
    }
}

static int read_module(struct dsn_report *r, unsigned module,
                       void (*add_record)(struct dsn_report *, const struct dsn_rec *, const struct dsn_tail *))
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err = { 0 };
    const struct dsn_rec *rec;

    if (darshan_reader_header(r->log)->mod[module].len == 0)
        return DSN_ERR_OK;
    if (darshan_reader_begin(r->log, module, &it, &err) == DSN_ERR_OK) {
        while ((rec = darshan_reader_next(it, &err)) != NULL) {
            if (module == DSN_APMPI_MODULE && darshan_reader_apmpi(it, NULL))
                r->communication.is_waiting_known = darshan_reader_apmpi(it, NULL)->sync != 0;
            add_record(r, rec, darshan_reader_tail(it));
        }
        darshan_reader_end(it);
    }
    if (err.code == DSN_ERR_MEMORY)
        return err.code;
    if (err.code != DSN_ERR_OK && r->f.damage.code == DSN_ERR_OK)
        r->f.damage = err;
    return DSN_ERR_OK;
}

void dsn_lbio_add(struct dsn_lbio *l, const struct dsn_rec *rec)
{
    const double replay = dsn__seconds(rec, LBIO_F_REPLAY_TIME),
                 waited = dsn__seconds(rec, LBIO_F_FULL_TIME) + dsn__seconds(rec, LBIO_F_DRAIN_TIME);

    for (unsigned i = 0; i < dsn_lbio_table.nrows; i++) {
        const struct dsn_row *row = &dsn_lbio_table.rows[i];

        if (row->kind == DSN_F64)
            l->seconds[row->at] = fmax(l->seconds[row->at], dsn__seconds(rec, row->at));
        else if (row->red == DSN_MAX)
            l->count[row->at] = larger(l->count[row->at], dsn__count(rec, row->at));
        else
            l->count[row->at] = dsn__plus(l->count[row->at], dsn__count(rec, row->at));
    }
    l->waited = fmax(l->waited, waited);
    if (replay > l->longest || l->ranks == 0) {
        l->rank = rec->rank;
        l->longest = replay;
        l->hidden = fmax(replay - waited, 0);
    }
    l->ranks++;
}

int dsn__special_read(struct dsn_report *r)
{
    int rc = read_module(r, DSN_BGQ_MODULE, add_partition);

    for (size_t i = 0; i < darshan_reader_lbio(r->log); i++)
        dsn_lbio_add(&r->lbio, darshan_reader_lbio_row(r->log, i));
    r->communication.is_beside_io = dsn_is_own(r->log);
    if (rc == DSN_ERR_OK)
        rc = read_module(r, DSN_MDHIM_MODULE, add_store);
    return rc == DSN_ERR_OK ? read_module(r, DSN_APMPI_MODULE, add_communication) : rc;
}

double dsn_communication_mean(const struct dsn_report *r)
{
    const struct dsn_communication *c = &r->communication;

    return c->ranks > 0 && c->is_beside_io ? c->all / (double)c->ranks : -1;
}

double dsn_compute_mean(const struct dsn_report *r)
{
    const double io = r->waits.all / (double)r->f.present;

    return r->f.runtime > 0 ? fmax(r->f.runtime - io - fmax(dsn_communication_mean(r), 0), 0) : -1;
}

/* ------------------------------------------------------------------ as text */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

void dsn__partition_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_partition *p = &r->partition;
    size_t n;

    *to = '\0';
    if (p->nodes == 0)
        return;
    n = (size_t)snprintf(to, DSN_SPECIAL_TEXT, "%" PRId64 " node%s of %s", p->nodes, plural(p->nodes),
                         dsn_bytes_text((double)p->node_mib * (1 << 20)).s);
    n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %" PRId64 " rank%s each", p->ranks_per_node,
                          plural(p->ranks_per_node));
    if (p->io_nodes > 0)
        n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %" PRId64 " I/O node%s", p->io_nodes,
                              plural(p->io_nodes));
    for (int i = 0; i < DSN_TORUS && p->torus[0] > 0 && n < DSN_SPECIAL_TEXT; i++)
        n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, "%s%" PRId64, i ? "x" : ", torus ", p->torus[i]);
}

static size_t add_kind(char *to, size_t n, const char *what, int64_t calls, int64_t largest, double slowest)
{
    size_t used = (size_t)snprintf(to, n, "%" PRId64 " %s%s", calls, what, plural(calls));

    if (largest > 0 && used < n)
        used += (size_t)snprintf(to + used, n - used, " of up to %s", dsn_bytes_text((double)largest).s);
    if (slowest > 0 && used < n)
        used += (size_t)snprintf(to + used, n - used, " (slowest %s)", dsn_seconds_text(slowest).s);
    return used < n ? used : n;
}

void dsn__store_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_store *s = &r->store;
    size_t n;

    *to = '\0';
    if (s->records == 0)
        return;
    n = add_kind(to, DSN_SPECIAL_TEXT, "put", s->puts, s->largest_put, s->slowest_put);
    if (n < DSN_SPECIAL_TEXT)
        n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, ", ");
    if (n < DSN_SPECIAL_TEXT)
        n += add_kind(to + n, DSN_SPECIAL_TEXT - n, "get", s->gets, s->largest_get, s->slowest_get);
    if (s->servers > 0 && n < DSN_SPECIAL_TEXT)
        n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %" PRId64 " server%s", s->servers, plural(s->servers));
    if (s->of_servers > 0 && n < DSN_SPECIAL_TEXT)
        snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %s on the busiest",
                 dsn_share_text((double)s->busiest_server / (double)s->of_servers).s);
}

void dsn__communication_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const double run = r->f.runtime, communication = dsn_communication_mean(r);

    *to = '\0';
    if (communication >= 0 && run > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "mean rank: compute %s, communication %s, I/O %s",
                 dsn_share_text(dsn_compute_mean(r) / run).s, dsn_share_text(communication / run).s,
                 dsn_share_text(r->waits.all / (double)r->f.present / run).s);
    else if (r->communication.ranks > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "of these times some are inside of MPI-IO's calls, too:");
}

void dsn__messages_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_communication *c = &r->communication;
    const double n = (double)c->ranks;

    *to = '\0';
    if (c->ranks > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "collective %s, messages %s, waits %s, one-sided %s",
                 dsn_seconds_text(c->collective / n).s, dsn_seconds_text(c->messages / n).s,
                 dsn_seconds_text(c->completion / n).s, dsn_seconds_text(c->one_sided / n).s);
}

void dsn__most_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_communication *c = &r->communication;
    const double n = (double)c->ranks;

    *to = '\0';
    if (c->ranks > 0 && c->is_waiting_known)
        snprintf(to, DSN_SPECIAL_TEXT, "%s in all, %s for late ranks; most: rank %" PRId64 ", %s",
                 dsn_seconds_text(c->all / n).s, dsn_seconds_text(c->waiting / n).s, c->rank,
                 dsn_seconds_text(c->most).s);
    else if (c->ranks > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "%s in all; most: rank %" PRId64 ", %s", dsn_seconds_text(c->all / n).s, c->rank,
                 dsn_seconds_text(c->most).s);
}

/* ------------------------------------------------------------------ log-based I/O */

void dsn__lbio_calls_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_lbio *l = &r->lbio;
    const int64_t calls = l->count[LBIO_WRITES];

    *to = '\0';
    if (l->ranks > 0 && calls == 0)
        snprintf(to, DSN_SPECIAL_TEXT, "nothing was logged");
    else if (l->ranks > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "%s in %" PRId64 " call%s returned in %s",
                 dsn_bytes_text((double)l->count[LBIO_BYTES]).s, calls, plural(calls),
                 dsn_seconds_text(l->seconds[LBIO_F_WRITE_TIME]).s);
}

void dsn__lbio_replay_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_lbio *l = &r->lbio;

    *to = '\0';
    if (l->longest > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "replayed in %s, %s of it beside computing (%s)", dsn_seconds_text(l->longest).s,
                 dsn_seconds_text(l->hidden).s, dsn_share_text(l->hidden / l->longest).s);
}

void dsn__lbio_waits_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_lbio *l = &r->lbio;

    *to = '\0';
    if (l->ranks > 0 && l->count[LBIO_WRITES] > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "waited for replay: %s, for space in the log: %s",
                 dsn_seconds_text(l->seconds[LBIO_F_DRAIN_TIME]).s, dsn_seconds_text(l->seconds[LBIO_F_FULL_TIME]).s);
}

void dsn__lbio_log_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_lbio *l = &r->lbio;
    const int64_t replayed = l->count[LBIO_REPLAYED_WRITES], reads = l->count[LBIO_LOGGED_READS],
                  tokens = l->count[LBIO_TOKENS];
    size_t n;

    *to = '\0';
    if (l->ranks == 0 || l->count[LBIO_WRITES] == 0)
        return;
    n = (size_t)snprintf(to, DSN_SPECIAL_TEXT, "merged into %" PRId64 " call%s", replayed, plural(replayed));
    if (reads > 0)
        n += (size_t)snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %" PRId64 " read%s from the log", reads, plural(reads));
    if (tokens > 0)
        snprintf(to + n, DSN_SPECIAL_TEXT - n, ", %s for %" PRId64 " token%s",
                 dsn_seconds_text(l->seconds[LBIO_F_TOKEN_TIME]).s, tokens, plural(tokens));
}

/* Each rank counts. */
void dsn__lbio_direct_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const int64_t files = r->lbio.count[LBIO_DIRECT_FILES];

    *to = '\0';
    if (files > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "%" PRId64 " file%s written directly: streams, locked, shared through HDF5, ...",
                 files, plural(files));
}

void dsn__lbio_errors_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT])
{
    const struct dsn_lbio *l = &r->lbio;
    const int64_t errors = l->count[LBIO_ERRORS], files = l->count[LBIO_INCOMPLETE_FILES];

    *to = '\0';
    if (errors > 0 || files > 0)
        snprintf(to, DSN_SPECIAL_TEXT, "%" PRId64 " error%s of replay, %" PRId64 " file%s incomplete%s", errors,
                 plural(errors), files, plural(files), files > 0 ? ": lbio recover" : "");
}
