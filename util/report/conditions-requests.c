/* conditions-requests.c - conditions of findings.def about the size, order and repetition of requests
 * SPDX-License-Identifier: BSD-3-Clause */
#include "conditions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "units.h"

/* ------------------------------------------------------------------ sizes */

/* Requests to shared files that should have been collective, and fsync, are findings of their own. */
int dsn__is_independent(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double requests = (double)f->mpi_independent + (double)f->mpi_collective;

    return dsn__is_shared(c, f) && requests > 0 && (double)f->mpi_collective < requests / 10 &&
           ((double)f->mpi_read + (double)f->mpi_written) / requests < dsn_thresholds.large;
}

/* Most of the write time is in fsync or fflush: there is one call for every two writes; or at least some, and one for
 * every few writes (a database transaction consists of several); or the time in excess of the rate of large writes is
 * too long for writes into a cache, and plausible for a device. */
int dsn__is_synced(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double calls = (double)f->syncs + (double)f->flushes;
    const double left = dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate);

    if (f->is_synchronous && f->work.writes > 0)
        return 1;
    if (f->syncs == 0 && (f->flushes <= f->opens || f->is_aggregated)) /* as fclose does; which of them is not known */
        return 0;
    if (calls > 0 && 2 * calls >= (double)f->work.writes)
        return 1;
    if ((double)f->syncs >= dsn_thresholds.some_calls &&
        dsn_thresholds.synced * (double)f->syncs >= (double)f->work.writes)
        return 1;
    return (double)f->syncs >= dsn_thresholds.few_calls && 2 * left > f->work.write &&
           left >= dsn_thresholds.sync_seconds * (double)f->syncs;
}

/* Whether it is one of many small files that are read or written whole, with few calls at each open. */
int dsn__is_small_file(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double opens = fmax((double)f->opens, 1), calls = dsn_data_reads(f) + (double)f->work.writes;
    const double extent = f->is_aggregated ? dsn_work_bytes(&f->work) / opens : dsn_extent(f);

    return f->kind == DSN_FILE_DATA && !dsn__is_of_server(c, f) && dsn_work_bytes(&f->work) > 0 && extent > 0 &&
           extent < dsn_thresholds.large && calls <= dsn_thresholds.whole * opens &&
           2 * dsn_work_bytes(&f->work) >= extent * opens && f->mpi_collective == 0;
}

double dsn__small_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_reads <= dsn_thresholds.half * dsn_data_reads(f) ||
        (c->independent && dsn__is_independent(c, f)) || dsn__is_sieved(f) || dsn__is_small_file(c, f) ||
        (double)f->random_reads > dsn_thresholds.disorder * (double)f->work.reads)
        return DSN_UNCONCERNED;
    return dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate);
}

double dsn__small_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_writes <= dsn_thresholds.half * (double)f->work.writes ||
        (c->independent && dsn__is_independent(c, f)) || dsn__is_synced(c, f) || dsn__is_small_file(c, f) ||
        (double)f->random_writes > dsn_thresholds.disorder * (double)f->work.writes)
        return DSN_UNCONCERNED;
    return dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

/* Few, but slow enough to matter: each waits for a device, which no counter tells of. */
static int are_slow(const struct dsn__case *c, double calls, double seconds, double at_rate)
{
    const double ranks = (double)c->r->f.present;

    return calls >= dsn_thresholds.some_calls && (seconds - at_rate) / ranks >= dsn_thresholds.seconds &&
           (seconds - at_rate) / ranks >= dsn_thresholds.high * c->run;
}

static const char *rate_name(enum dsn_rate_source from, int writing)
{
    static const char *const name[][2] = {
        { "rate of this job's large reads", "rate of this job's large writes" },
        { "storage profile's rate of large reads", "storage profile's rate of large writes" },
        { "assumed rate of large reads", "assumed rate of large writes" },
    };

    return name[from][writing];
}

int dsn__examine_small_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__small_reads_part);

    if (s.small_reads < dsn_thresholds.calls &&
        !are_slow(c, s.small_reads, s.work.read, (double)s.work.bytes_read / c->read_rate))
        return 0;
    dsn__fact(f, "reads of up to 100 KiB", s.small_reads, DSN_FACT_COUNT);
    dsn__fact(f, "all reads of these files that returned data", s.data_reads, DSN_FACT_COUNT);
    dsn__fact(f, "bytes read", (double)s.work.bytes_read, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading", s.work.read);
    dsn__fact(f, rate_name(c->read_rate_from, 0), c->read_rate, DSN_FACT_RATE);
    dsn__remark(f, "%.0f of %.0f reads are of up to 100 KiB, %s on average.", s.small_reads, s.data_reads,
                dsn_bytes_text((double)s.work.bytes_read / fmax(s.data_reads, 1)).s);
    f->confidence = DSN_ESTIMATED;
    f->advice = dsn__is_of_database(c, dsn__small_reads_part)       ? f->row->advice.database
                : s.extent < dsn_thresholds.large * (double)s.files ? f->row->advice.whole
                                                                    : NULL;
    return 1;
}

int dsn__examine_small_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__small_writes_part);

    if (s.small_writes < dsn_thresholds.calls &&
        !are_slow(c, s.small_writes, s.work.write, (double)s.work.bytes_written / c->write_rate))
        return 0;
    dsn__fact(f, "writes of up to 100 KiB", s.small_writes, DSN_FACT_COUNT);
    dsn__fact(f, "all writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    dsn__fact(f, "bytes written", (double)s.work.bytes_written, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds writing", s.work.write);
    dsn__fact(f, rate_name(c->write_rate_from, 1), c->write_rate, DSN_FACT_RATE);
    dsn__remark(f, "%.0f of %" PRId64 " writes are of up to 100 KiB, %s on average.", s.small_writes, s.work.writes,
                dsn_bytes_text((double)s.work.bytes_written / (double)s.work.writes).s);
    f->confidence = DSN_ESTIMATED;
    f->advice = dsn__is_of_database(c, dsn__small_writes_part)      ? f->row->advice.database
                : s.extent < dsn_thresholds.large * (double)s.files ? f->row->advice.whole
                                                                    : NULL;
    return 1;
}

double dsn__uncombined_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double requests = (double)f->work.reads + (double)f->work.writes;
    const double small = (double)f->small_reads + (double)f->small_writes;

    if (f->posix_calls == 0 || !dsn__is_collective_file(c->r, f) || small <= dsn_thresholds.half * requests ||
        requests <= dsn_thresholds.split * ((double)f->mpi_collective + (double)f->mpi_independent))
        return DSN_UNCONCERNED;
    return dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

int dsn__examine_uncombined(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__uncombined_part);
    const double small = s.small_reads + s.small_writes, requests = (double)s.work.reads + (double)s.work.writes;

    if (small < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "collective calls of ranks", s.mpi_collective, DSN_FACT_COUNT);
    dsn__fact(f, "requests to storage for these files", requests, DSN_FACT_COUNT);
    dsn__fact(f, "of these up to 100 KiB", small, DSN_FACT_COUNT);
    dsn__fact(f, "bytes", dsn_work_bytes(&s.work), DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds in POSIX below", dsn_work_time(&s.work));
    dsn__remark(f, "%.0f collective calls became %.0f requests to storage, of %s on average.", s.mpi_collective,
                requests, dsn_bytes_text(dsn_work_bytes(&s.work) / requests).s);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

double dsn__independent_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (!dsn__is_independent(c, f))
        return DSN_UNCONCERNED;
    return dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

int dsn__examine_independent(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__independent_part);

    if (s.mpi_independent < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "independent requests", s.mpi_independent, DSN_FACT_COUNT);
    dsn__fact(f, "collective requests", s.mpi_collective, DSN_FACT_COUNT);
    dsn__fact(f, "mean request", s.mpi_bytes / (s.mpi_independent + s.mpi_collective), DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds in POSIX below", dsn_work_time(&s.work));
    dsn__remark(f, "%.0f independent MPI-IO requests of %s on average to shared files, %.0f collective.",
                s.mpi_independent, dsn_bytes_text(s.mpi_bytes / (s.mpi_independent + s.mpi_collective)).s,
                s.mpi_collective);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

/* ------------------------------------------------------------------ data that move more than once */

double dsn__sieving_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn__is_sieved(f) ? f->work.read : DSN_UNCONCERNED;
}

int dsn__examine_sieving(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__sieving_part);

    if ((double)s.work.reads < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "reads below MPI-IO", (double)s.work.reads, DSN_FACT_COUNT);
    dsn__fact(f, "bytes of these", (double)s.work.bytes_read, DSN_FACT_BYTES);
    dsn__fact(f, "bytes written through MPI-IO", s.mpi_bytes, DSN_FACT_BYTES);
    dsn__fact(f, "bytes written below it", (double)s.work.bytes_written, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading", s.work.read);
    if (s.mpi_bytes > 0 && (double)s.work.bytes_written > 1.5 * s.mpi_bytes)
        dsn__remark(f,
                    "The MPI library reads what lies between the pieces, to write whole blocks: %" PRId64
                    " reads took %s%s, and %s that the program wrote became %s.",
                    s.work.reads, dsn_seconds_text(s.work.read).s, dsn_of_all(c->r), dsn_bytes_text(s.mpi_bytes).s,
                    dsn_bytes_text((double)s.work.bytes_written).s);
    else
        dsn__remark(f, "%" PRId64 " reads of %s for %" PRId64 " writes to files that are only written through MPI-IO.",
                    s.work.reads, dsn_bytes_text((double)s.work.bytes_read / (double)s.work.reads).s, s.work.writes);
    f->confidence = DSN_ESTIMATED; /* without it, the writes may take longer */
    return 1;
}

/* How many times the file is read, or written. */
static double times_read(const struct dsn_report_file *f)
{
    return !dsn__is_sieved(f) && f->read_extent > 0 && (double)f->work.bytes_read >= dsn_thresholds.bytes
               ? (double)f->work.bytes_read / (double)f->read_extent
               : 0;
}

static int is_read_by_all(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_has_ranks(c->r) && dsn__is_shared(c, f) &&
           times_read(f) >= fmax(dsn_thresholds.again, (double)f->ranks / 2);
}

/* Seconds of all but the first reading or writing. That requests are small is a finding of its own, with its own cost. */
static double repeated(double seconds, double excess_of_small, double times)
{
    return (seconds - excess_of_small) * (1 - 1 / times);
}

static double reread(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const int are_small = (double)f->small_reads > dsn_thresholds.half * (double)f->work.reads;
    const double small = are_small ? dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate) : 0;

    return repeated(f->work.read, small, times_read(f));
}

double dsn__same_data_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return is_read_by_all(c, f) ? reread(c, f) : DSN_UNCONCERNED;
}

double dsn__rereads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return times_read(f) >= dsn_thresholds.again && !is_read_by_all(c, f) ? reread(c, f) : DSN_UNCONCERNED;
}

static int again(const struct dsn__case *c, struct dsn_finding *f,
                 double (*part)(const struct dsn__case *, const struct dsn_report_file *), const char *who)
{
    const struct dsn__sums s = dsn__sum_parts(c, part);

    if (s.files == 0)
        return 0;
    dsn__fact(f, "bytes read", (double)s.work.bytes_read, DSN_FACT_BYTES);
    dsn__fact(f, "bytes up to the highest offset read", s.read_extent, DSN_FACT_BYTES);
    dsn__fact(f, "times over", (double)s.work.bytes_read / s.read_extent, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds reading", s.work.read);
    dsn__remark(f, "%s read %s out of %s of file%s: %.1f times over.", who, dsn_bytes_text((double)s.work.bytes_read).s,
                dsn_bytes_text(s.read_extent).s, s.files == 1 ? "" : "s", (double)s.work.bytes_read / s.read_extent);
    f->confidence = DSN_BOUNDED; /* the highest offset is at least the number of distinct bytes */
    return 1;
}

int dsn__examine_same_data(const struct dsn__case *c, struct dsn_finding *f)
{
    return again(c, f, dsn__same_data_part, "Ranks together");
}

int dsn__examine_rereads(const struct dsn__case *c, struct dsn_finding *f)
{
    return again(c, f, dsn__rereads_part, "The job");
}

/* By what is written between an open and the next: a file that is opened again, after it was truncated, renamed or deleted, is
 * another version, or a new file. */
static double times_written(const struct dsn_report_file *f)
{
    const double versions = fmax(floor((double)f->opens / fmax((double)f->ranks, 1)), (double)f->renamed);

    return !dsn__is_sieved(f) && f->write_extent > 0 && (double)f->work.bytes_written >= dsn_thresholds.bytes
               ? (double)f->work.bytes_written / (double)f->write_extent / fmax(versions, 1)
               : 0;
}

double dsn__rewrites_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const int are_small = (double)f->small_writes > dsn_thresholds.half * (double)f->work.writes;
    const double small = are_small ? dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate) : 0;

    return times_written(f) >= dsn_thresholds.rewritten && !dsn__is_synced(c, f)
               ? repeated(f->work.write, small, times_written(f))
               : DSN_UNCONCERNED;
}

int dsn__examine_rewrites(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__rewrites_part);

    if (s.files == 0)
        return 0;
    dsn__fact(f, "bytes written", (double)s.work.bytes_written, DSN_FACT_BYTES);
    dsn__fact(f, "bytes up to the highest offset written", s.write_extent, DSN_FACT_BYTES);
    dsn__fact(f, "times over", (double)s.work.bytes_written / s.write_extent, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds writing", s.work.write);
    dsn__remark(f, "%s were written into %s of file%s: %.1f times over.",
                dsn_bytes_text((double)s.work.bytes_written).s, dsn_bytes_text(s.write_extent).s,
                s.files == 1 ? "" : "s", (double)s.work.bytes_written / s.write_extent);
    f->confidence = DSN_BOUNDED;
    return 1;
}

/* ------------------------------------------------------------------ order and place of requests */

/* Small requests are a finding of their own, with a better estimate. */
double dsn__random_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_reads / fmax((double)f->work.reads, 1);

    return share > dsn_thresholds.random && dsn__small_reads_part(c, f) < 0 && !dsn__is_small_file(c, f)
               ? f->work.read * share
               : DSN_UNCONCERNED;
}

double dsn__random_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_writes / fmax((double)f->work.writes, 1);

    return share > dsn_thresholds.random && dsn__small_writes_part(c, f) < 0 && !dsn__is_synced(c, f) &&
                   !dsn__is_small_file(c, f)
               ? f->work.write * share
               : DSN_UNCONCERNED;
}

int dsn__examine_random_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__random_reads_part);

    if ((double)s.work.reads < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "reads that do not begin beyond the end of the previous one", s.random_reads, DSN_FACT_COUNT);
    dsn__fact(f, "all reads of these files", (double)s.work.reads, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds reading", s.work.read);
    dsn__remark(f, "%.0f of %" PRId64 " reads, %s on average, do not begin beyond the end of the previous one.",
                s.random_reads, s.work.reads, dsn_bytes_text((double)s.work.bytes_read / fmax(s.data_reads, 1)).s);
    f->advice = dsn__is_of_database(c, dsn__random_reads_part) ? f->row->advice.database : NULL;
    return 1;
}

int dsn__examine_random_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__random_writes_part);

    if ((double)s.work.writes < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "writes that do not begin beyond the end of the previous one", s.random_writes, DSN_FACT_COUNT);
    dsn__fact(f, "all writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds writing", s.work.write);
    dsn__remark(f, "%.0f of %" PRId64 " writes, %s on average, do not begin beyond the end of the previous one.",
                s.random_writes, s.work.writes, dsn_bytes_text((double)s.work.bytes_written / (double)s.work.writes).s);
    f->advice = dsn__is_of_database(c, dsn__random_writes_part) ? f->row->advice.database : NULL;
    return 1;
}

/* A request that does not start at a block boundary has at most two partial blocks, whose bytes are affected. */
static double edges_of(const struct dsn_report_file *f)
{
    const double bytes = dsn_work_bytes(&f->work);

    return bytes > 0 ? fmin(2 * (double)f->unaligned * (double)f->alignment / bytes, 1) : 0;
}

/* Small requests are mostly unaligned; their size is the problem, not their alignment. */
double dsn__unaligned_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->unaligned / fmax((double)f->posix_calls, 1);
    const double small = (double)f->small_reads + (double)f->small_writes;

    if (!dsn__is_shared(c, f) || dsn__is_sieved(f) || share <= dsn_thresholds.half ||
        small > dsn_thresholds.half * (double)f->posix_calls || edges_of(f) < dsn_thresholds.edges)
        return DSN_UNCONCERNED;
    return (f->work.read + f->work.write) * fmin(share, edges_of(f));
}

int dsn__examine_unaligned(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__unaligned_part);
    int64_t block = 0;

    for (size_t i = 0; i < c->r->nfiles; i++)
        if (c->r->files[i].alignment > block && dsn__concern(c, dsn__unaligned_part, &c->r->files[i]) >= 0)
            block = c->r->files[i].alignment;
    if (s.unaligned < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "requests that do not start at a block", s.unaligned, DSN_FACT_COUNT);
    dsn__fact(f, "all requests to these files", s.calls, DSN_FACT_COUNT);
    dsn__fact(f, "block of the file system", (double)block, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading and writing", s.work.read + s.work.write);
    dsn__remark(f, "%.0f of %.0f requests to shared files do not start at a multiple of %s.", s.unaligned, s.calls,
                dsn_bytes_text((double)block).s);
    return 1;
}

/* fsync waits for the device, as does each write of a file that was opened for that; fflush passes on what is in a stream's
 * buffer, and waits for nothing: files of different ways are not counted together. */
static enum dsn_sync_way way_of(const struct dsn_report_file *f)
{
    return f->is_synchronous && 2 * f->syncs < f->work.writes ? DSN_BY_OPEN
           : f->syncs > 0                                     ? DSN_BY_FSYNC
                                                              : DSN_BY_FFLUSH;
}

static double forced_part(const struct dsn__case *c, const struct dsn_report_file *f, enum dsn_sync_way way)
{
    return way_of(f) == way && dsn__is_synced(c, f)
               ? dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate)
               : DSN_UNCONCERNED;
}

double dsn__syncs_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return forced_part(c, f, c->forced_by);
}

void dsn__weigh_syncs(struct dsn__case *c)
{
    double most = -1;

    for (int way = 0; way < DSN_SYNC_WAYS; way++) {
        double seconds = -1;

        for (size_t i = 0; i < c->r->nfiles; i++) {
            const struct dsn_report_file *f = &c->r->files[i];
            const double s = f->is_exempt ? -1 : forced_part(c, f, (enum dsn_sync_way)way);

            seconds = s < 0 ? seconds : fmax(seconds, 0) + s;
        }
        c->forced_by = seconds > most ? (enum dsn_sync_way)way : c->forced_by;
        most = fmax(most, seconds);
    }
}

int dsn__examine_syncs(const struct dsn__case *c, struct dsn_finding *f)
{
    static const struct {
        const char *title, *calls, *seconds, *call; /* NULL: as of all; none */
    } ways[DSN_SYNC_WAYS] = {
        [DSN_BY_FSYNC] = { NULL, "fsync and fdatasync calls", "seconds writing and in fsync", "fsync" },
        [DSN_BY_FFLUSH] = { "Streams are flushed after few writes", "fflush calls", "seconds writing and in fflush",
                            "fflush" },
        [DSN_BY_OPEN] = { "Each write waits for the device", "writes that wait", "seconds writing", NULL },
    };
    const enum dsn_sync_way by = c->forced_by;
    const struct dsn__sums s = dsn__sum_parts(c, dsn__syncs_part);
    const double calls = by == DSN_BY_OPEN ? (double)s.work.writes : by == DSN_BY_FFLUSH ? s.flushes : s.syncs;
    const double left = dsn__excess(s.work.write, (double)s.work.bytes_written, c->write_rate);

    if (calls < dsn_thresholds.few_calls ||
        (calls < dsn_thresholds.some_calls && left < dsn_thresholds.sync_seconds * calls))
        return 0;
    f->title = ways[by].title ? ways[by].title : f->title;
    dsn__fact(f, ways[by].calls, calls, DSN_FACT_COUNT);
    if (by != DSN_BY_OPEN)
        dsn__fact(f, "writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    dsn__fact(f, "bytes written", (double)s.work.bytes_written, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, ways[by].seconds, s.work.write);
    if (by == DSN_BY_OPEN)
        dsn__remark(f, "%.0f writes of files opened with O_SYNC or O_DSYNC: each takes %s more than the data needs.",
                    calls, dsn_about_text(left / calls).s);
    else
        dsn__remark(f, "%.0f %s calls for %" PRId64 " writes: %s per call more than the data needs.", calls,
                    ways[by].call, s.work.writes, dsn_about_text(left / calls).s);
    f->advice = by == DSN_BY_FFLUSH                                         ? f->row->advice.flushing
                : dsn__is_of_database(c, dsn__syncs_part)                   ? f->row->advice.database
                : by == DSN_BY_OPEN                                         ? f->row->advice.through
                : s.files >= dsn_thresholds.few_calls && s.syncs <= s.opens ? f->row->advice.each
                                                                            : NULL;
    f->confidence = DSN_ESTIMATED;
    return 1;
}

double dsn__stdio_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double calls = (double)f->work.reads + (double)f->work.writes;

    if (f->posix_calls > 0 || strcmp(dsn_file_interface(c->r, f), "STDIO") != 0 ||
        dsn_work_bytes(&f->work) >=
            dsn_thresholds.stream_buffer * calls) /* the C library passes these on as they are */
        return DSN_UNCONCERNED;
    return dsn__excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           dsn__excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

int dsn__examine_stdio(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn__sums s = dsn__sum_parts(c, dsn__stdio_part);
    const double all = (double)c->r->f.bytes_read + (double)c->r->f.bytes_written, bytes = dsn_work_bytes(&s.work);

    if (bytes < dsn_thresholds.bulk || bytes < dsn_thresholds.stdio * all)
        return 0;
    dsn__fact(f, "bytes through streams", bytes, DSN_FACT_BYTES);
    dsn__fact(f, "share of all bytes", bytes / all, DSN_FACT_SHARE);
    dsn__fact(f, "calls", (double)s.work.reads + (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds", dsn_work_time(&s.work));
    dsn__remark(f, "%s, %s of all bytes, pass through streams.", dsn_bytes_text(bytes).s,
                dsn_share_text(bytes / all).s);
    f->confidence = DSN_ESTIMATED;
    return 1;
}
