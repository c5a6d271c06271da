/* answer.c - the first line of every report
 * SPDX-License-Identifier: BSD-3-Clause */
#include "answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

int dsn_is_uncounted(const struct darshan_reader *log)
{
    const struct dsn_header *h = darshan_reader_header(log);

    return h->mod[DSN_DFS_MODULE].len > 0 || h->mod[DSN_DAOS_MODULE].len > 0;
}

int dsn_is_idle(const struct dsn_figures *f)
{
    return f->slowest_time <= 0 && f->bytes_read == 0 && f->bytes_written == 0;
}

/* What most of the I/O time went into. */
static const char *mostly(double read, double write, double meta)
{
    const double half = (read + write + meta) / 2;

    if (read > half)
        return "mostly reading";
    if (write > half)
        return "mostly writing";
    if (meta > half)
        return "mostly metadata";
    return "of mixed kinds";
}

static void idle(const struct dsn_figures *f, const char *subject, char to[DSN_ANSWER_MAX])
{
    if (f->damage.code != DSN_ERR_OK)
        snprintf(to, DSN_ANSWER_MAX, "Unknown: what could be read of this damaged log tells of no %s.", subject);
    else if (f->files.total == 0)
        snprintf(to, DSN_ANSWER_MAX, "No %s: the job opened no file.", subject);
    else
        snprintf(to, DSN_ANSWER_MAX, "No %s: the job opened %" PRId64 " file%s, but moved no data.", subject,
                 f->files.total, f->files.total == 1 ? "" : "s");
}

void dsn_answer(const struct dsn_report *r, char to[DSN_ANSWER_MAX])
{
    const struct dsn_figures *f = &r->f;
    const int uncounted = dsn_is_uncounted(r->log);
    const char *subject = uncounted ? "POSIX I/O" : "I/O";
    const double share = dsn_figures_slowest_share(f, f->slowest_time);
    const double mean = dsn_figures_mean_share(f, f->read_time + f->write_time + f->meta_time);
    const char *what = f->exact ? mostly(f->slowest_read, f->slowest_write, f->slowest_meta)
                                : mostly(f->read_time, f->write_time, f->meta_time);
    const struct dsn_short_text shown = dsn_share_text(share);
    const char *much = share > 1 ? "all" : shown.s;

    if (dsn_is_idle(f))
        idle(f, subject, to);
    else if (share < 0)
        snprintf(to, DSN_ANSWER_MAX, "%s took %s on the slowest rank, %s.", subject,
                 dsn_seconds_text(f->slowest_time).s, what);
    else if (uncounted) /* the mean would not fit */
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the slowest rank's run time, %s.", subject, much, what);
    else if (f->nprocs == 1)
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the run time, %s.", subject, much, what);
    else
        snprintf(to, DSN_ANSWER_MAX, "%s took %s of the slowest rank's run time (mean %s), %s.", subject, much,
                 dsn_share_text(mean).s, what);
}

int dsn_recovered(const struct darshan_reader *log, struct darshan_reader_metadata *m)
{
    size_t pos = 0;

    while (darshan_reader_metadata(log, &pos, m))
        if (m->key_length == 9 && memcmp(m->key, "recovered", 9) == 0)
            return 1;
    return 0;
}

/* Records are missing in a way that sums depend on: others' logs drop files when there is no memory. */
int dsn_is_cut(const struct dsn_report *r)
{
    const uint64_t counted = (uint64_t)1 << DSN_POSIX_MODULE | (uint64_t)1 << DSN_STDIO_MODULE;

    return r->f.damage.code != DSN_ERR_OK || ((darshan_reader_header(r->log)->partial & counted) && r->f.folded == 0);
}

/* Whether sums of slowest ranks are the slowest rank's sum: only if one record has all of it. */
enum dsn_confidence dsn_slowest_confidence(const struct dsn_report *r)
{
    const struct dsn_figures *f = &r->f;

    return f->exact || f->nprocs == 1 || f->shared_time <= 0 ||
                   (f->unique_time <= 0 && f->shared_time <= f->slowest_file.seconds)
               ? DSN_EXACT
               : DSN_BOUNDED;
}

const struct dsn_finding *dsn_worst(const struct dsn_findings *f)
{
    return f->n == 0 || f->list[0].severity >= DSN_MINOR ? NULL : &f->list[0];
}
