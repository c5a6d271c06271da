/* screen-patterns.c - text report: patterns of files, and storage targets
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file-patterns.h"
#include "screen-parts.h"
#include "targets.h"
#include "units.h"
#include "util/lib/text.h"

#define SHOWN        3
#define SHOWN_OF_ALL 10   /* with --verbose */
#define LEAST_SHARE  0.01 /* of time or bytes, of what is shown */
#define LEAST_FILES  3    /* of a pattern that is shown before the slowest file */
#define TARGETS      5
#define UNEVEN       1.5  /* bytes of the fullest target by the mean, */
#define LEAST_MOST   0.05 /* and its share, if it is said */

void dsn__screen_selection(struct dsn_lines *l, const struct dsn_report *r)
{
    char text[4 * DSN_COLUMNS + 1], whole[DSN_NAME_ROOM] = "";
    size_t used = 0;

    for (size_t i = 0; r->selection && i < r->selection->n && used < sizeof whole; i++)
        used +=
            (size_t)snprintf(whole + used, sizeof whole - used, "%s%s", i > 0 ? ", " : "", r->selection->patterns[i]);
    if (!r->selection)
        return;
    dsn_text_fit(text, sizeof text, DSN_COLUMNS - DSN_LABEL, DSN_COLUMNS - DSN_LABEL - 10, whole);
    dsn_lines_add(l, DSN_YELLOW, "Only files", "%s", text);
    dsn_lines_add(l, DSN_PLAIN, "", "all figures but the run time are of these files alone");
}

/* " of 64.0 MiB", " of 1.0 KiB to 3.2 GiB"; "" if no size is known. */
static struct dsn_short_text size_text(const struct dsn_file_pattern *p)
{
    const struct dsn_short_text least = dsn_bytes_text(p->least), most = dsn_bytes_text(p->most);
    struct dsn_short_text t = { "" };

    if (p->sized > 0 && strcmp(least.s, most.s) == 0)
        snprintf(t.s, sizeof t.s, " of %.20s", least.s);
    else if (p->sized > 0)
        snprintf(t.s, sizeof t.s, " of %.16s to %.16s", least.s, most.s);
    return t;
}

static void moved_text(const struct dsn_report *r, const char *what, int64_t bytes, const struct dsn_pattern_users *u,
                       char to[160])
{
    char who[96];

    dsn_pattern_users_text(r, u, who);
    if (bytes > 0)
        snprintf(to, 160, "; %s %s%s%s", dsn_bytes_text((double)bytes).s, what, *who ? " by " : "", who);
    else
        to[0] = '\0';
}

static void add_pattern(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_file_pattern *p,
                        const char *label)
{
    char whole[DSN_NAME_ROOM], name[4 * DSN_COLUMNS + 1], written[160], read[160], times[64] = "";

    dsn_pattern_name(r, p, whole);
    dsn_text_fit(name, sizeof name, DSN_COLUMNS - DSN_LABEL, (DSN_COLUMNS - DSN_LABEL) / 3, whole);
    moved_text(r, "written", p->work.bytes_written, &p->writers, written);
    moved_text(r, "read", p->work.bytes_read, &p->readers, read);
    if (dsn_pattern_times(p) >= 0)
        snprintf(times, sizeof times, ", %s time%s", dsn_number_text(dsn_pattern_times(p)).s,
                 strcmp(dsn_number_text(dsn_pattern_times(p)).s, "1") == 0 ? "" : "s");
    dsn_lines_add(l, DSN_FAINT, label, "%s", name);
    dsn_lines_add(l, DSN_FAINT, "", "%s%" PRId64 " file%s%s%s%s%s", p->aggregated > 0 ? "over " : "", p->files,
                  p->files == 1 ? "" : "s", size_text(p).s, written, read, times);
}

/* What an interpreter loads is no data, and what aggregated records count is said where the files are counted. */
static int is_worth_a_line(const struct dsn_report *r, const struct dsn_file_pattern *p, double time, double bytes)
{
    return dsn_pattern_is_multiple(p) && p->aggregated == 0 && r->files[p->first].kind != DSN_FILE_CODE &&
           dsn_work_bytes(&p->work) > 0 &&
           (dsn_work_time(&p->work) >= LEAST_SHARE * time || dsn_work_bytes(&p->work) >= LEAST_SHARE * bytes);
}

/* A slowest file tells less than what many files have in common. */
static int is_most(const struct dsn_file_pattern *p, double time, double bytes)
{
    return p->files >= LEAST_FILES && (dsn_work_time(&p->work) >= time / 2 || dsn_work_bytes(&p->work) >= bytes / 2);
}

static void add_patterns(struct dsn_lines *l, const struct dsn_report *r, const struct dsn_file_patterns *all, int main,
                         int others, int many)
{
    double time = dsn_work_time(&all->rest), bytes = dsn_work_bytes(&all->rest);
    int shown = 0;

    for (size_t i = 0; i < all->n; i++) {
        time += dsn_work_time(&all->list[i].work);
        bytes += dsn_work_bytes(&all->list[i].work);
    }
    for (size_t i = 0; i < all->n && shown < (many ? SHOWN_OF_ALL : SHOWN); i++)
        if (is_worth_a_line(r, &all->list[i], time, bytes)) {
            dsn_lines_block(l, is_most(&all->list[i], time, bytes) ? main : others);
            add_pattern(l, r, &all->list[i], shown == 0 ? "Patterns" : "");
            shown++;
        }
}

/* If targets hold alike, the number of them says it all. */
static void add_targets(struct dsn_lines *l, const struct dsn_report *r, int weight, int many)
{
    struct dsn_targets t;
    double all = 0, most;
    int is_uneven;

    if (dsn_targets_make(r, &t) == DSN_ERR_OK && t.n > 0) {
        for (size_t i = 0; i < t.n; i++)
            all += dsn_target_bytes(&t.list[i]);
        most = dsn_target_bytes(&t.list[0]) / all;
        is_uneven = t.n > 1 && most * (double)t.n >= UNEVEN && most >= LEAST_MOST;
        dsn_lines_block(l, weight);
        if (is_uneven)
            dsn_lines_add(l, DSN_FAINT, "Targets",
                          "%zu of at least %" PRId64 " on Lustre used; about %s of the bytes on OST %" PRId64, t.n,
                          t.there, dsn_share_text(most).s, t.list[0].ost);
        else
            dsn_lines_add(l, DSN_FAINT, "Targets", "%zu of at least %" PRId64 " on Lustre used%s", t.n, t.there,
                          t.n > 1 && most * (double)t.n < UNEVEN ? ", about evenly" : "");
        for (size_t i = 1; i < t.n && i < TARGETS && many && is_uneven; i++)
            dsn_lines_add(l, DSN_FAINT, "", "OST %" PRId64 ": about %s of the bytes", t.list[i].ost,
                          dsn_share_text(dsn_target_bytes(&t.list[i]) / all).s);
    }
    free(t.list);
}

void dsn__screen_patterns(struct dsn_lines *l, const struct dsn_report *r, int main, int others, int many)
{
    struct dsn_file_patterns all;

    if (dsn_file_patterns_make(r, &all) == DSN_ERR_OK)
        add_patterns(l, r, &all, main, others, many);
    dsn_file_patterns_free(&all);
    add_targets(l, r, others, many);
}
