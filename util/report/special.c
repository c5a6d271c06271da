/* special.c - modules that are no layer of files: the partition of a Blue Gene/Q, the key-value store MDHIM
 * SPDX-License-Identifier: BSD-3-Clause */
#include "special.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layer.h"
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

static int read_module(struct dsn_report *r, unsigned module,
                       void (*add_record)(struct dsn_report *, const struct dsn_rec *, const struct dsn_tail *))
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err = { 0 };
    const struct dsn_rec *rec;

    if (darshan_reader_header(r->log)->mod[module].len == 0)
        return DSN_ERR_OK;
    if (darshan_reader_begin(r->log, module, &it, &err) == DSN_ERR_OK) {
        while ((rec = darshan_reader_next(it, &err)) != NULL)
            add_record(r, rec, darshan_reader_tail(it));
        darshan_reader_end(it);
    }
    if (err.code == DSN_ERR_MEMORY)
        return err.code;
    if (err.code != DSN_ERR_OK && r->f.damage.code == DSN_ERR_OK)
        r->f.damage = err;
    return DSN_ERR_OK;
}

int dsn__special_read(struct dsn_report *r)
{
    const int rc = read_module(r, DSN_BGQ_MODULE, add_partition);

    return rc == DSN_ERR_OK ? read_module(r, DSN_MDHIM_MODULE, add_store) : rc;
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
