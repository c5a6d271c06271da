/* conditions-metadata.c - conditions of findings.def about metadata calls and numbers of files
 * SPDX-License-Identifier: BSD-3-Clause */
#include "conditions.h"

#include <inttypes.h>
#include <math.h>

#include "units.h"
#include "waits.h"

/* Metadata calls of a file; each open has a close. */
static double metadata_calls(const struct dsn_report_file *f)
{
    return 2 * (double)f->opens + (double)f->seeks + (double)f->stats;
}

/* Share of a file's metadata time spent in one kind of calls, by their number: at least this for opens and stats,
 * because most seeks need no system call; at most this for seeks. */
static double meta_of(const struct dsn_report_file *f, double calls)
{
    const double all = metadata_calls(f);

    return all > 0 ? f->work.meta * fmin(calls / all, 1) : 0;
}

double dsn__reopens_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if ((double)f->opens <= dsn_thresholds.reopens * (double)f->ranks ||
        (c->small_files >= dsn_thresholds.some_calls && dsn__is_small_file(c, f)))
        return DSN_UNCONCERNED;
    return meta_of(f, 2 * ((double)f->opens - (double)f->ranks));
}

int dsn__examine_reopens(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__reopens_part);

    if (s.opens < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "opens", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f opens of %" PRId64 " file%s.", s.opens, s.files, s.files == 1 ? "" : "s");
    f->advice = dsn__is_of_database(c, dsn__reopens_part) ? f->row->advice.database : NULL;
    f->confidence = DSN_ESTIMATED;
    return 1;
}

double dsn__seeks_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return (double)f->seeks >= dsn_thresholds.seeks * ((double)f->work.reads + (double)f->work.writes)
               ? meta_of(f, (double)f->seeks)
               : DSN_UNCONCERNED;
}

int dsn__examine_seeks(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__seeks_part);

    if (s.seeks < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    dsn__fact(f, "reads and writes of these files", (double)s.work.reads + (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f seeks for %" PRId64 " reads and writes.", s.seeks, s.work.reads + s.work.writes);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

double dsn__stats_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->kind == DSN_FILE_CODE || (c->r->runs_interpreter && f->opens == 0)) /* it looks for modules in directories */
        return DSN_UNCONCERNED;
    return (double)f->stats > dsn_thresholds.stats * fmax((double)f->opens, 1)
               ? meta_of(f, (double)f->stats - (double)f->ranks)
               : DSN_UNCONCERNED;
}

int dsn__examine_stats(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__stats_part);

    if (s.stats < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "stat calls", s.stats, DSN_FACT_COUNT);
    dsn__fact(f, "opens of these files", s.opens, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f stat calls on %" PRId64 " file%s.", s.stats, s.files, s.files == 1 ? "" : "s");
    f->confidence = DSN_ESTIMATED;
    return 1;
}

/* All but what the bytes take in large requests. */
double dsn__small_files_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (!dsn__is_small_file(c, f))
        return DSN_UNCONCERNED;
    return f->work.meta + dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           (f->syncs > 0 ? 0 : dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate));
}

/* Those with a record each: how many files a kind has, and of which sizes, is not in its record. */
static double known_small_files(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return f->is_aggregated ? DSN_UNCONCERNED : dsn__small_files_part(c, f);
}

int dsn__examine_small_files(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, known_small_files);
    const double files = (double)s.files, per_rank = files / (double)c->r->f.present;
    const double again = (double)s.work.bytes_read / fmax(s.extent, 1);
    const int is_read = s.work.bytes_read > s.work.bytes_written, is_written = s.work.bytes_written > 0;

    if ((dsn_has_ranks(c->r) && per_rank <= dsn_thresholds.flood) || files < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, is_read ? "small files" : "small files written", files, DSN_FACT_COUNT);
    dsn__fact(f, dsn_has_ranks(c->r) ? "files per rank" : "files per process", per_rank, DSN_FACT_COUNT);
    dsn__fact(f, "mean bytes of a file", s.extent / files, DSN_FACT_BYTES);
    dsn__fact(f, "opens", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "reads that returned data", s.data_reads, DSN_FACT_COUNT);
    dsn__fact(f, "writes", (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__seconds_of_all(f, "seconds reading and writing", s.work.read + s.work.write);
    if (again >= 1.95)
        dsn__remark(f, "%s%.0f files of %s on average are read whole, each %.3g times.", dsn__over(c, 1), files,
                    dsn_bytes_text(s.extent / files).s, again);
    else
        dsn__remark(f, "%s%.0f files of %s on average are %s whole, each with few calls.", dsn__over(c, 1), files,
                    dsn_bytes_text(s.extent / files).s,
                    s.work.bytes_read == 0 ? "written"
                    : is_written           ? "read or written"
                                           : "read");
    f->advice = is_read ? f->row->advice.reading : NULL;
    f->confidence = DSN_ESTIMATED; /* one open per file remains */
    return 1;
}

double dsn__file_per_process_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_file_sharing(c->r, f) == DSN_OF_ONE_RANK && f->work.bytes_written > 0 && c->r->f.nprocs > 1
               ? f->work.meta
               : DSN_UNCONCERNED;
}

int dsn__examine_file_per_process(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__file_per_process_part);
    const double ranks = (double)c->r->f.present;

    if (ranks < dsn_thresholds.many_ranks || (double)s.files < dsn_thresholds.half * ranks ||
        (double)c->active < dsn_thresholds.half * ranks)
        return 0;
    dsn__fact(f, "files of one rank that are written", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "ranks", ranks, DSN_FACT_COUNT);
    dsn__fact(f, "bytes written to them", (double)s.work.bytes_written, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f ranks write %" PRId64 " files of their own.", ranks, s.files);
    f->confidence = DSN_BOUNDED;
    return 1;
}

/* What is mapped is used, though nothing counts how much of it. */
double dsn__untouched_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn_work_bytes(&f->work) == 0 && f->opens > 0 && f->mmaps == 0 ? f->work.meta : DSN_UNCONCERNED;
}

int dsn__examine_untouched(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__untouched_part);

    if ((double)s.files < dsn_thresholds.some_calls ||
        (double)s.files < dsn_thresholds.half * (double)c->r->f.files.total)
        return 0;
    dsn__fact(f, "files opened without data transfer", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "all files", (double)c->r->f.files.total, DSN_FACT_COUNT);
    dsn__fact(f, "opens of these", s.opens, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%" PRId64 " of %" PRId64 " files are opened, but nothing is read or written.", s.files,
                c->r->f.files.total);
    f->confidence = DSN_BOUNDED;
    return 1;
}

double dsn__metadata_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->work.meta;
}

int dsn__examine_metadata(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__metadata_part);
    static const struct {
        const char *who, *seconds;
    } words[2][2] = { { { "the mean process's", "seconds of a process in metadata calls, mean" },
                        { "the busiest process's", "seconds of the busiest process in metadata calls" } },
                      { { "the mean rank's", "seconds of a rank in metadata calls, mean" },
                        { "the slowest rank's", "seconds of the slowest rank in metadata calls" } } };
    const int is_one = c->r->f.nprocs == 1, is_known = c->r->waits.parts_known, has_ranks = dsn_has_ranks(c->r);
    const char *who = is_one ? "the" : words[has_ranks][is_known].who;

    if (!(c->meta > dsn_thresholds.half * c->waited))
        return 0;
    dsn__fact(f, is_one ? "seconds in metadata calls" : words[has_ranks][is_known].seconds, c->meta, DSN_FACT_SECONDS);
    dsn__fact(f, "of its I/O time", c->meta / c->waited, DSN_FACT_SHARE);
    dsn__fact(f, "opens", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "stat calls", s.stats, DSN_FACT_COUNT);
    dsn__fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    f->at_most = c->meta; /* some calls remain */
    f->confidence = DSN_ESTIMATED;
    dsn__remark(f, "%s of %s I/O time%s %.0f opens, %.0f stats, %.0f seeks of %s%" PRId64 " file%s.",
                dsn_share_text(c->meta / c->waited).s, who,
                is_one      ? ":"
                : has_ranks ? "; all ranks together make"
                            : "; all processes together make",
                s.opens, s.stats, s.seeks, dsn__over(c, 0), s.files, s.files == 1 ? "" : "s");
    if (c->r->waits.unsure > dsn_thresholds.half * c->r->waits.meta) {
        f->advice = f->row->advice.blind;
        dsn__remark(
            f,
            "%s of %s I/O time: collective opens and closes of files that have no records below MPI-IO. Whether "
            "ranks wait for the file system or for each other is not known.",
            dsn_share_text(c->meta / c->waited).s, who);
    }
    return 1;
}

/* Opens in MPI-IO, over all ranks. Open MPI makes and deletes up to three files of its own at each. */
static double mpiio_opens(const struct dsn_report *r)
{
    double opens = 0;

    for (size_t i = 0; i < r->nstacks; i++)
        opens += (double)r->stacks[i].opens_together + (double)r->stacks[i].opens_alone;
    return opens;
}

/* Deletes and renames of names have no record: they are sums of the job. */
int dsn__examine_names(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_figures *g = &c->r->f;
    const double each = c->r->is_tree ? 1 : (double)g->present;
    const double seconds = (g->deletes.time + g->renames.time) / each;
    int writes_database = 0;
    char text[96];

    if (seconds < dsn_thresholds.seconds || seconds < dsn_thresholds.warning * c->run ||
        (double)(g->deletes.calls + g->renames.calls) < dsn_thresholds.few_calls)
        return 0;
    dsn__fact(f, "deletes", (double)g->deletes.calls, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds of deletes", g->deletes.time);
    dsn__fact(f, "renames", (double)g->renames.calls, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds of renames", g->renames.time);
    f->at_most = seconds;
    for (size_t i = 0; i < c->r->nfiles; i++)
        writes_database |= c->r->files[i].work.bytes_written > 0 && dsn__is_database(c, &c->r->files[i]);
    f->advice = g->deletes.time < g->renames.time                   ? f->row->advice.reading
                : writes_database                                   ? f->row->advice.database
                : (double)g->deletes.calls <= 3 * mpiio_opens(c->r) ? f->row->advice.mpiio
                                                                    : NULL;
    dsn_names_text(g, text);
    dsn__remark(f, "%s%s.", text, dsn_of_all(c->r));
    return 1;
}

/* Of the time in metadata calls of HDF5 or PnetCDF, that in which these read and write through MPI-IO. */
double dsn__library_meta_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const struct dsn_stack *s = dsn_stack_of(c->r, f->id);

    return s && s->as_metadata > 0 ? s->as_metadata : DSN_UNCONCERNED;
}

int dsn__examine_library_meta(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_waits *w = &c->r->waits;
    double inside = 0, moved = 0, collective = 0, mean;

    for (size_t i = 0; i < c->r->nstacks; i++) {
        const struct dsn_stack *s = &c->r->stacks[i];

        inside += s->as_metadata;
        moved += s->as_metadata > 0 ? s->level[DSN_LEVEL_MPIIO].read + s->level[DSN_LEVEL_MPIIO].write : 0;
        collective += s->as_metadata > 0 ? (double)s->collective : 0;
    }
    mean = inside / (double)c->r->f.present;
    if (!(inside > dsn_thresholds.half * w->all) || mean < dsn_thresholds.seconds ||
        mean < dsn_thresholds.warning * c->run)
        return 0;
    f->at_most = mean;
    dsn__seconds_of_all(f, "seconds of these in metadata calls of the library", inside);
    dsn__seconds_of_all(f, "seconds of MPI-IO in reads and writes of these files", moved);
    dsn__fact(f, "collective requests", collective, DSN_FACT_COUNT);
    dsn__remark(
        f,
        "At least %s of a rank's I/O time, mean, are %sreads and writes that metadata calls of the library make "
        "(create, "
        "flush, close), not those of the program's data.",
        dsn_seconds_text(mean).s, collective > 0 ? "collective " : "");
    f->confidence = DSN_BOUNDED;
    return 1;
}
