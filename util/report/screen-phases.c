/* screen-phases.c - text report: phases that the program has named
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "darshan-log-format/shown.h"
#include "phases.h"
#include "screen-parts.h"
#include "units.h"

#define SHOWN 5
#define NAME  20 /* columns */

static void add_line(struct dsn_lines *l, const char *label, const char *name, const char *time, const char *share,
                     const struct dsn_work *w)
{
    char shown[4 * NAME + 1];
    const size_t columns = dsn_text_fit(shown, sizeof shown, NAME - 1, NAME - 6, name);

    dsn_lines_add(l, DSN_FAINT, label, "%s%*s%9s%8s%10s%10s%9" PRId64, shown, (int)(NAME - columns), "", time, share,
                  dsn_bytes_text((double)w->bytes_read).s, dsn_bytes_text((double)w->bytes_written).s,
                  w->reads + w->writes);
}

void dsn__screen_phases(struct dsn_lines *l, const struct dsn_report *r, int weight, int many)
{
    struct dsn_phases all;
    struct dsn_work left = { 0 };
    size_t shown;

    if (dsn_phases_make(r, &all) != DSN_ERR_OK || all.n == 0)
        return;
    shown = many || all.n <= SHOWN ? all.n : SHOWN - 1;
    dsn_lines_block(l, weight);
    dsn_lines_add(l, DSN_FAINT, "Phases", "%*s%9s%8s%10s%10s%9s", NAME, "", r->f.nprocs > 1 ? "longest" : "time",
                  "in I/O", "read", "written", "calls");
    for (size_t i = 0; i < shown; i++)
        add_line(l, "", all.list[i].name, dsn_seconds_text(all.list[i].longest).s,
                 dsn_share_text(dsn_phase_share(&all.list[i])).s, &all.list[i].work);
    for (size_t i = shown; i < all.n; i++)
        dsn_work_add(&left, &all.list[i].work);
    if (shown < all.n) {
        char name[32];

        snprintf(name, sizeof name, "%zu others", all.n - shown);
        add_line(l, "", name, "", "", &left);
    }
    if (all.outside.reads + all.outside.writes > 0)
        add_line(l, "", "in none", "", "", &all.outside);
    dsn_phases_free(&all);
}
