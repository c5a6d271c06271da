/* document-special.c - JSON: modules that are not a file I/O layer
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document-parts.h"

json_t *dsn__partition_part(const struct dsn_report *r)
{
    const struct dsn_partition *p = &r->partition;
    json_t *torus;

    if (p->nodes == 0)
        return json_null();
    torus = json_array();
    for (int i = 0; i < DSN_TORUS; i++)
        json_array_append_new(torus, json_integer((json_int_t)p->torus[i]));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "nodes", (json_int_t)p->nodes, "ranks_per_node",
                     (json_int_t)p->ranks_per_node, "node_mib", (json_int_t)p->node_mib, "io_nodes",
                     (json_int_t)p->io_nodes, "torus", torus);
}

json_t *dsn__store_part(const struct dsn_report *r)
{
    const struct dsn_store *s = &r->store;

    if (s->records == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:o}", "puts", (json_int_t)s->puts, "gets",
                     (json_int_t)s->gets, "largest_put", (json_int_t)s->largest_put, "largest_get",
                     (json_int_t)s->largest_get, "slowest_put_seconds", dsn_json_f64(s->slowest_put),
                     "slowest_get_seconds", dsn_json_f64(s->slowest_get), "servers", (json_int_t)s->servers,
                     "busiest_server_share",
                     dsn_json_known(s->of_servers > 0 ? (double)s->busiest_server / (double)s->of_servers : -1));
}

json_t *dsn__communication_part(const struct dsn_report *r)
{
    const struct dsn_communication *c = &r->communication;
    const double n = (double)c->ranks;

    if (c->ranks == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "ranks", (json_int_t)c->ranks, "mean_seconds",
                     dsn_json_f64(c->all / n), "mean_collective", dsn_json_f64(c->collective / n), "mean_messages",
                     dsn_json_f64(c->messages / n), "mean_completion", dsn_json_f64(c->completion / n),
                     "mean_one_sided", dsn_json_f64(c->one_sided / n), "mean_waiting_for_ranks",
                     dsn_json_known(c->is_waiting_known ? c->waiting / n : -1), "most_seconds", dsn_json_f64(c->most),
                     "most_rank", (json_int_t)c->rank);
}
