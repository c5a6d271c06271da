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

/* Keys of the document; values of -1 do not occur. */
static const struct {
    const char *key;
    uint16_t at;
    int is_seconds;
} lbio_keys[] = {
    { "files", LBIO_FILES, 0 },
    { "calls", LBIO_WRITES, 0 },
    { "bytes", LBIO_BYTES, 0 },
    { "replayed_calls", LBIO_REPLAYED_WRITES, 0 },
    { "replayed_bytes", LBIO_REPLAYED_BYTES, 0 },
    { "reads_from_log", LBIO_LOGGED_READS, 0 },
    { "reads_from_file", LBIO_FILE_READS, 0 },
    { "waits_for_space", LBIO_WAITS, 0 },
    { "tokens", LBIO_TOKENS, 0 },
    { "direct_files", LBIO_DIRECT_FILES, 0 },
    { "errors", LBIO_ERRORS, 0 },
    { "incomplete_files", LBIO_INCOMPLETE_FILES, 0 },
    { "largest_log", LBIO_LOG_HIGH, 0 },
    { "write_seconds", LBIO_F_WRITE_TIME, 1 },
    { "visible_seconds", LBIO_F_VISIBLE_TIME, 1 },
    { "space_seconds", LBIO_F_FULL_TIME, 1 },
    { "drain_seconds", LBIO_F_DRAIN_TIME, 1 },
    { "replay_seconds", LBIO_F_REPLAY_TIME, 1 },
    { "token_seconds", LBIO_F_TOKEN_TIME, 1 },
};

json_t *dsn__lbio_part(const struct dsn_report *r)
{
    const struct dsn_lbio *l = &r->lbio;
    json_t *all;

    if (l->ranks == 0)
        return json_null();
    all = json_pack("{s:I, s:I, s:o, s:o}", "ranks", (json_int_t)l->ranks, "longest_replay_rank", (json_int_t)l->rank,
                    "longest_replay_hidden_seconds", dsn_json_f64(l->hidden), "longest_replay_hidden_share",
                    dsn_json_known(l->longest > 0 ? l->hidden / l->longest : -1));
    for (size_t i = 0; i < sizeof lbio_keys / sizeof lbio_keys[0]; i++)
        json_object_set_new(all, lbio_keys[i].key,
                            lbio_keys[i].is_seconds ? dsn_json_f64(l->seconds[lbio_keys[i].at])
                                                    : json_integer((json_int_t)l->count[lbio_keys[i].at]));
    return all;
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
