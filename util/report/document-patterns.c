/* document-patterns.c - JSON: patterns of files, and what each storage target holds
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "document-parts.h"
#include "file-patterns.h"
#include "json.h"
#include "targets.h"

#define TARGETS_LISTED 100

static json_t *users_of(const struct dsn_report *r, const struct dsn_pattern_users *u)
{
    const int known = u->files > u->unknown;
    char text[96];

    dsn_pattern_users_text(r, u, text);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:s}", "files", (json_int_t)u->files, "unknown",
                     (json_int_t)u->unknown, "least", known ? json_integer(u->least) : json_null(), "most",
                     known ? json_integer(u->most) : json_null(), "rank",
                     known && u->rank >= 0 ? json_integer(u->rank) : json_null(), "different",
                     u->ranks > 0 ? json_integer(u->ranks) : json_null(), "text", text);
}

static json_t *size_of(const struct dsn_file_pattern *p)
{
    return json_pack("{s:I, s:o, s:o, s:o}", "known", (json_int_t)p->sized, "least",
                     p->sized > 0 ? dsn_json_f64(p->least) : json_null(), "most",
                     p->sized > 0 ? dsn_json_f64(p->most) : json_null(), "mean",
                     p->sized > 0 ? dsn_json_f64(p->sizes / (double)p->sized) : json_null());
}

static json_t *row_of(const struct dsn_report *r, const struct dsn_file_pattern *p)
{
    char name[DSN_NAME_ROOM];

    dsn_pattern_name(r, p, name);
    return json_pack("{s:o, s:I, s:b, s:I, s:o, s:o, s:I, s:o, s:o, s:o}", "pattern", dsn_json_text(name), "files",
                     (json_int_t)p->files, "further_files", p->aggregated > 0, "opens", (json_int_t)p->opens, "size",
                     size_of(p), "times_read", dsn_json_known(dsn_pattern_times(p)), "times_known_of",
                     (json_int_t)p->timed, "readers", users_of(r, &p->readers), "writers", users_of(r, &p->writers),
                     "work", dsn__work(&p->work));
}

json_t *dsn__file_patterns_part(const struct dsn_report *r)
{
    struct dsn_file_patterns all;
    json_t *rows = json_array(), *part = NULL;

    if (dsn_file_patterns_make(r, &all) == DSN_ERR_OK) {
        for (size_t i = 0; i < all.n; i++)
            json_array_append_new(rows, row_of(r, &all.list[i]));
        part = json_pack("{s:o, s:I, s:I, s:{s:I, s:I, s:o}, s:{s:I, s:o}}", "rows", rows, "total", (json_int_t)all.of,
                         "of_several_files", (json_int_t)all.multiple, "rest", "patterns", (json_int_t)(all.of - all.n),
                         "files", (json_int_t)all.rest_files, "work", dsn__work(&all.rest), "in_none", "files",
                         (json_int_t)all.left_files, "work", dsn__work(&all.left));
    } else
        json_decref(rows);
    dsn_file_patterns_free(&all);
    return part;
}

static json_t *target_of(const struct dsn_report *r, const struct dsn_target *t)
{
    return json_pack("{s:o, s:I, s:I, s:o, s:o}", "mount", dsn_json_text(r->mounts[t->mount].path), "ost",
                     (json_int_t)t->ost, "files", (json_int_t)t->files, "bytes_read", dsn_json_f64(t->bytes_read),
                     "bytes_written", dsn_json_f64(t->bytes_written));
}

/* null: the log has no layouts of files. */
json_t *dsn__targets_part(const struct dsn_report *r)
{
    struct dsn_targets all;
    json_t *rows, *part = NULL;
    double rest = 0;

    if (r->layouts.table.n == 0)
        return json_null();
    rows = json_array();
    if (dsn_targets_make(r, &all) == DSN_ERR_OK) {
        for (size_t i = 0; i < all.n; i++)
            if (i < TARGETS_LISTED)
                json_array_append_new(rows, target_of(r, &all.list[i]));
            else
                rest += dsn_target_bytes(&all.list[i]);
        part = json_pack("{s:I, s:o, s:I, s:I, s:o, s:o, s:o}", "used", (json_int_t)all.n, "of_at_least",
                         all.there > 0 ? json_integer(all.there) : json_null(), "files", (json_int_t)all.files,
                         "undivided_files", (json_int_t)all.undivided, "undivided_bytes",
                         dsn_json_f64(all.undivided_bytes), "rows", rows, "rest_bytes", dsn_json_f64(rest));
    } else
        json_decref(rows);
    free(all.list);
    return part;
}
