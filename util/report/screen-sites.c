/* screen-sites.c - text report: lines of the program that make its calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/shown.h"
#include "screen-parts.h"
#include "sites.h"
#include "units.h"

#define SHOWN 3
#define MANY  20
#define WHERE 40 /* columns */

static void add_place(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *s,
                      const struct dsn_site *p, int verbose)
{
    char shown[4 * WHERE + 1], name[4 * DSN_COLUMNS + 1], room[DSN_NAME_ROOM];
    const size_t columns = dsn_text_fit(shown, sizeof shown, WHERE - 1, WHERE / 2, p->where);
    const char *file = p->file != DSN_IDMAP_NONE ? dsn_report_name(r, &r->files[p->file], room) : NULL;

    dsn_lines_add(l, DSN_FAINT, "", "%s%*s%9s%8s%9" PRId64, shown, (int)(WHERE - columns), "",
                  dsn_seconds_text(p->seconds).s, dsn_share_text(s->seconds > 0 ? p->seconds / s->seconds : 0).s,
                  p->work.reads + p->work.writes + p->work_metas);
    if (!verbose || !p->stack)
        return;
    if (p->why)
        dsn_lines_add(l, DSN_FAINT, "", "  no line: %s", p->why);
    if (p->work.reads > 0)
        dsn_lines_add(l, DSN_FAINT, "", "  %" PRId64 " read%s, %s each", p->work.reads, p->work.reads == 1 ? "" : "s",
                      dsn_bytes_text((double)p->work.bytes_read / (double)p->work.reads).s);
    if (p->work.writes > 0)
        dsn_lines_add(l, DSN_FAINT, "", "  %" PRId64 " write%s, %s each", p->work.writes,
                      p->work.writes == 1 ? "" : "s",
                      dsn_bytes_text((double)p->work.bytes_written / (double)p->work.writes).s);
    if (file) {
        dsn_text_fit(name, sizeof name, DSN_COLUMNS - DSN_LABEL - 24, (DSN_COLUMNS - DSN_LABEL - 24) / 3, file);
        if (p->files > 1)
            dsn_lines_add(l, DSN_FAINT, "", "  %s and %" PRId64 " more", name, p->files - 1);
        else
            dsn_lines_add(l, DSN_FAINT, "", "  %s", name);
    }
}

void dsn__screen_sites(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *s, int weight,
                       int verbose)
{
    const size_t most = verbose ? MANY : SHOWN;

    if (s->n == 0)
        return;
    dsn_lines_block(l, weight);
    dsn_lines_add(l, DSN_FAINT, "Lines", "%-*s%9s%8s%9s", WHERE,
                  r->f.nprocs == 1 ? ""
                  : r->is_tree     ? "of all processes"
                                   : "of all ranks",
                  "time", "share", "calls");
    for (size_t i = 0; i < s->n && i < most; i++)
        add_place(l, r, s, s->order[i], verbose);
    if (s->n > most)
        dsn_lines_add(l, DSN_FAINT, "", "and %zu more", s->n - most);
    if (s->is_silent_python)
        dsn_lines_add(l, DSN_FAINT, "", "no lines of the script: this release of Python does not tell them");
    if (darshan_reader_cufile(r->log) > 0)
        dsn_lines_add(l, DSN_FAINT, "", "calls of cuFile are not among them");
}

void dsn__screen_blame(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_sites *s,
                       const struct dsn_finding *f)
{
    char line[sizeof s->list->where + 64];
    double share;
    const struct dsn_site *p = dsn_sites_blame(r, s, f, &share);

    if (!p)
        return;
    snprintf(line, sizeof line, "%s (%s of %s time)", p->where, dsn_share_text(share).s,
             f->files == 1 ? "this" : "their");
    dsn_lines_wrap(l, 6, "at ", line);
}
