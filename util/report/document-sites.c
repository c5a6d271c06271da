/* document-sites.c - JSON: lines of the program that make its calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document-parts.h"
#include "json.h"
#include "phases.h"
#include "sites.h"

#define SHOWN 100

static void add_frame(void *context, const char *where, int is_own)
{
    json_array_append_new(context, json_pack("{s:o, s:b}", "where", dsn_json_text(where), "is_own", is_own));
}

static json_t *site_of(const struct dsn_report *r, const struct dsn_sites *s, const struct dsn_site *p)
{
    char room[DSN_NAME_ROOM];
    const char *file = p->file != DSN_IDMAP_NONE ? dsn_report_name(r, &r->files[p->file], room) : NULL;
    json_t *stack = json_array();

    if (p->stack)
        dsn_site_frames(s, p->stack, add_frame, stack);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o}", "where",
                     p->stack ? dsn_json_text(p->where) : json_null(), "no_line_because",
                     p->why ? json_string(p->why) : json_null(), "seconds", dsn_json_f64(p->seconds), "share",
                     dsn_json_known(s->seconds > 0 ? p->seconds / s->seconds : -1), "work", dsn__work(&p->work),
                     "metadata_calls", (json_int_t)p->work_metas, "layers", dsn__layers_of_work(p->at, p->metas),
                     "files", (json_int_t)p->files, "file", file ? dsn_json_text(file) : json_null(), "file_seconds",
                     p->file != DSN_IDMAP_NONE ? dsn_json_f64(p->file_seconds) : json_null(), "stack", stack);
}

/* null: the log has none. */
json_t *dsn__sites_part(const struct dsn_report *r, const struct dsn_sites *s)
{
    json_t *rows;

    if (s->n == 0)
        return json_null();
    rows = json_array();
    for (size_t i = 0; i < s->n && i < SHOWN; i++)
        json_array_append_new(rows, site_of(r, s, s->order[i]));
    return json_pack("{s:I, s:o, s:o}", "places", (json_int_t)s->n, "seconds", dsn_json_f64(s->seconds), "rows", rows);
}
