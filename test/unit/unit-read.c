/* unit-read.c - reads a log completely, and keeps the results
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "darshan-log-format/hash.h"
#include "unit.h"
#include "util/lib/log.h"

static void digest(struct unit_found *f, const void *bytes, size_t n)
{
    f->digest = dsn_hash(bytes, n, f->digest);
}

/* Job, names, nodes. */
static void read_rest(struct unit_found *f, const struct darshan_reader *log)
{
    const char *const *nodes;
    const size_t n = darshan_reader_nodes(log, &nodes);

    digest(f, darshan_reader_job(log), sizeof(struct dsn_job));
    digest(f, darshan_reader_exe(log), strlen(darshan_reader_exe(log)));
    for (size_t i = 0; i < darshan_reader_names(log); i++) {
        uint64_t id;
        const char *name = darshan_reader_name_at(log, i, &id);

        digest(f, &id, sizeof id);
        digest(f, name, strlen(name));
    }
    for (size_t i = 0; i < n; i++)
        digest(f, nodes[i], strlen(nodes[i]));
    for (size_t i = 0; i < darshan_reader_ranks(log); i++)
        digest(f, darshan_reader_rank(log, i), dsn_rec_size(&dsn_rank_table));
}

static void read_tail(struct unit_found *f, const struct dsn_tail *tail)
{
    for (int k = 0; k < 2; k++)
        if (tail->values[k])
            digest(f, tail->values[k], tail->n * sizeof *tail->values[k]);
    if (tail->ncomps > 0)
        digest(f, tail->comps, tail->ncomps * sizeof *tail->comps);
}

static void read_records(struct unit_found *f, struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_records *it;
    struct darshan_reader_error err;
    const struct dsn_rec *r;

    if (darshan_reader_begin(log, module, &it, &err) != DSN_ERR_OK) {
        f->error = 1;
        return;
    }
    while ((r = darshan_reader_next(it, &err)) != NULL) {
        digest(f, r, dsn_rec_size(dsn_table(module)));
        if (dsn_table_varies(dsn_table(module)))
            read_tail(f, darshan_reader_tail(it));
        f->records++;
    }
    f->error |= err.code != DSN_ERR_OK;
    darshan_reader_end(it);
}

static void read_traces(struct unit_found *f, struct darshan_reader *log, unsigned module)
{
    struct dsn_dxt_segment segment[7];
    struct darshan_dxt *it;
    struct darshan_reader_error err;
    const struct dsn_dxt_head *head;
    size_t n;

    if (darshan_dxt_begin(log, module, &it, &err) != DSN_ERR_OK) {
        f->error = 1;
        return;
    }
    while ((head = darshan_dxt_next(it, &err)) != NULL) {
        const int64_t threads = darshan_dxt_threads(it, &err);

        digest(f, head, sizeof *head);
        digest(f, &threads, sizeof threads);
        while ((n = darshan_dxt_segments(it, segment, 7, &err)) > 0) {
            digest(f, segment, n * sizeof segment[0]);
            f->segments += (int)n;
        }
        f->records += err.code == DSN_ERR_OK;
    }
    f->error |= err.code != DSN_ERR_OK;
    darshan_dxt_end(it);
}

struct unit_found unit_read_everything(const char *path)
{
    struct unit_found f = { .records = 0 };
    struct darshan_reader_error err;
    struct darshan_reader *log;

    if (darshan_reader_open(path, &log, &err) != DSN_ERR_OK) {
        ck_assert_int_ne(err.code, DSN_ERR_OK);
        ck_assert_uint_gt(strlen(err.text), 0);
        ck_assert_ptr_null(log);
        f.error = 1;
        return f;
    }
    f.error = darshan_reader_damage(log, NULL) != DSN_ERR_OK;
    read_rest(&f, log);
    for (unsigned module = 0; module < DSN_MODULE_SLOTS; module++)
        if (dsn_table(module))
            read_records(&f, log, module);
        else if (dsn_dxt_segment_size(module, 1) > 0)
            read_traces(&f, log, module);
    darshan_reader_close(log);
    return f;
}
