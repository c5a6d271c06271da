/* conditions.c - the conditions of findings.def, and its rows
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A condition about files adds up those concerned, as decided by `part`: the same function decides which files are
 * blamed. */
#include "conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"
#include "waits.h"

#define UNCONCERNED (-1.0) /* instead of seconds: the file is not concerned */

/* ------------------------------------------------------------------ sums over the files that are concerned */

struct sums {
    int64_t files;
    struct dsn_work work;
    double data_reads, extent, most_opens;
    double calls, opens, seeks, stats, syncs, small_reads, small_writes, random_reads, random_writes, unaligned;
    double mpi_independent, mpi_collective, read_extent, write_extent, mpi_bytes, flushes, mmaps;
};

static int is_of_server(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether the program itself makes the calls, rather than a library on top, or a database. */
static int is_own_call(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const char *interface = dsn_file_interface(c->r, f);

    return !c->r->runs_interpreter && !is_of_server(c, f) &&
           (strcmp(interface, "POSIX") == 0 || strcmp(interface, "STDIO") == 0);
}

double dsn__concern(const struct dsn__case *c, double (*part)(const struct dsn__case *, const struct dsn_report_file *),
                    const struct dsn_report_file *f)
{
    const double seconds = part(c, f);

    if (seconds < 0 || c->needs == 0)
        return seconds;
    if ((c->needs & DSN_NEEDS_OWN_CALLS && !is_own_call(c, f)) ||
        (c->needs & DSN_NEEDS_SEPARATE && dsn__is_collective_file(c->r, f)) ||
        (c->needs & DSN_NEEDS_ONE_FILE && f->is_folded) || (c->needs & DSN_NEEDS_DATA && f->kind == DSN_FILE_CODE))
        return UNCONCERNED;
    return seconds;
}

static struct sums sum_parts(const struct dsn__case *c,
                             double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    struct sums s = { 0 };

    for (size_t i = 0; i < c->r->nfiles; i++) {
        const struct dsn_report_file *f = &c->r->files[i];

        if (f->is_exempt || dsn__concern(c, part, f) < 0)
            continue;
        s.files++;
        s.flushes += (double)f->flushes;
        s.mmaps += (double)f->mmaps;
        dsn_work_add(&s.work, &f->work);
        s.data_reads += dsn_data_reads(f);
        s.extent += dsn_extent(f);
        s.most_opens = fmax(s.most_opens, (double)f->opens);
        s.calls += (double)f->posix_calls;
        s.opens += (double)f->opens;
        s.seeks += (double)f->seeks;
        s.stats += (double)f->stats;
        s.syncs += (double)f->syncs;
        s.small_reads += (double)f->small_reads;
        s.small_writes += (double)f->small_writes;
        s.random_reads += (double)f->random_reads;
        s.random_writes += (double)f->random_writes;
        s.unaligned += (double)f->unaligned;
        s.mpi_independent += (double)f->mpi_independent;
        s.mpi_collective += (double)f->mpi_collective;
        s.mpi_bytes += (double)f->mpi_read + (double)f->mpi_written;
        s.read_extent += (double)f->read_extent;
        s.write_extent += (double)f->write_extent;
    }
    return s;
}

static int is_shared(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_file_sharing(c->r, f) != DSN_OF_ONE_RANK;
}

/* "over ", where files without a record of their own may be more of them. */
static const char *over(const struct dsn__case *c, int at_start)
{
    return c->r->f.folded == 0 ? "" : at_start ? "Over " : "over ";
}

/* Seconds saved if `time` were spent at the rate of large requests. Small requests that are faster than this do not
 * wait for storage: they hit a cache, which would be faster for large ones, too. */
static double excess(double time, double bytes, double rate)
{
    if (bytes > rate * time)
        rate = fmax(rate, dsn_thresholds.cache_rate);
    return fmax(time - bytes / rate, 0);
}

/* ------------------------------------------------------------------ sizes */

/* Requests to shared files that should have been collective, and fsync, are findings of their own. */
int dsn__is_independent(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double requests = (double)f->mpi_independent + (double)f->mpi_collective;

    return is_shared(c, f) && requests > 0 && (double)f->mpi_collective < requests / 10 &&
           ((double)f->mpi_read + (double)f->mpi_written) / requests < dsn_thresholds.large;
}

/* Most of the write time is in fsync or fflush: there is one call for every two writes; or at least some, and one for
 * every few writes (a database transaction consists of several); or the time in excess of the rate of large writes is
 * too long for writes into a cache, and plausible for a device. */
int dsn__is_synced(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double calls = (double)f->syncs + (double)f->flushes;
    const double left = excess(f->work.write, (double)f->work.bytes_written, c->write_rate);

    if (f->is_synchronous && f->work.writes > 0)
        return 1;
    if (f->syncs == 0 && (f->flushes <= f->opens || f->is_folded)) /* as fclose does; which of them is not known */
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
    const double extent = f->is_folded ? dsn_work_bytes(&f->work) / opens : dsn_extent(f);

    return f->kind == DSN_FILE_DATA && !is_of_server(c, f) && dsn_work_bytes(&f->work) > 0 && extent > 0 &&
           extent < dsn_thresholds.large && calls <= dsn_thresholds.whole * opens &&
           2 * dsn_work_bytes(&f->work) >= extent * opens && f->mpi_collective == 0;
}

/* Read below MPI-IO, although the program only wrote. */
static int is_sieved(const struct dsn_report_file *f)
{
    return f->mpi_written > 0 && f->mpi_read == 0 &&
           (double)f->work.reads > dsn_thresholds.sieving * (double)f->work.writes;
}

static double small_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_reads <= dsn_thresholds.half * dsn_data_reads(f) ||
        (c->independent && dsn__is_independent(c, f)) || is_sieved(f) || dsn__is_small_file(c, f) ||
        (double)f->random_reads > dsn_thresholds.disorder * (double)f->work.reads)
        return UNCONCERNED;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate);
}

static double small_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_writes <= dsn_thresholds.half * (double)f->work.writes ||
        (c->independent && dsn__is_independent(c, f)) || dsn__is_synced(c, f) || dsn__is_small_file(c, f) ||
        (double)f->random_writes > dsn_thresholds.disorder * (double)f->work.writes)
        return UNCONCERNED;
    return excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
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

static int is_database(const struct dsn__case *c, const struct dsn_report_file *f);

/* Whether most of the seconds that a finding is about are a database's. */
static int is_of_database(const struct dsn__case *c,
                          double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    double all = 0, of_database = 0;

    for (size_t i = 0; i < c->r->nfiles; i++) {
        const double seconds = c->r->files[i].is_exempt ? 0 : dsn__concern(c, part, &c->r->files[i]);

        all += fmax(seconds, 0);
        of_database += seconds > 0 && is_database(c, &c->r->files[i]) ? seconds : 0;
    }
    return of_database > all / 4;
}

static int small_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, small_reads_part);

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
    f->advice = is_of_database(c, small_reads_part)                 ? f->row->advice.database
                : s.extent < dsn_thresholds.large * (double)s.files ? f->row->advice.whole
                                                                    : NULL;
    return 1;
}

static int small_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, small_writes_part);

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
    f->advice = is_of_database(c, small_writes_part)                ? f->row->advice.database
                : s.extent < dsn_thresholds.large * (double)s.files ? f->row->advice.whole
                                                                    : NULL;
    return 1;
}

static double uncombined_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double requests = (double)f->work.reads + (double)f->work.writes;
    const double small = (double)f->small_reads + (double)f->small_writes;

    if (f->posix_calls == 0 || !dsn__is_collective_file(c->r, f) || small <= dsn_thresholds.half * requests ||
        requests <= dsn_thresholds.split * ((double)f->mpi_collective + (double)f->mpi_independent))
        return UNCONCERNED;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int uncombined(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, uncombined_part);
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

static double independent_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (!dsn__is_independent(c, f))
        return UNCONCERNED;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int independent(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, independent_part);

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

static double sieving_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return is_sieved(f) ? f->work.read : UNCONCERNED;
}

static int sieving(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, sieving_part);

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
    return !is_sieved(f) && f->read_extent > 0 && (double)f->work.bytes_read >= dsn_thresholds.bytes
               ? (double)f->work.bytes_read / (double)f->read_extent
               : 0;
}

static int is_read_by_all(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_has_ranks(c->r) && is_shared(c, f) && times_read(f) >= fmax(dsn_thresholds.again, (double)f->ranks / 2);
}

/* Seconds of all but the first reading or writing. That requests are small is a finding of its own, with its own cost. */
static double repeated(double seconds, double excess_of_small, double times)
{
    return (seconds - excess_of_small) * (1 - 1 / times);
}

static double reread(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const int are_small = (double)f->small_reads > dsn_thresholds.half * (double)f->work.reads;
    const double small = are_small ? excess(f->work.read, (double)f->work.bytes_read, c->read_rate) : 0;

    return repeated(f->work.read, small, times_read(f));
}

static double same_data_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return is_read_by_all(c, f) ? reread(c, f) : UNCONCERNED;
}

static double rereads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return times_read(f) >= dsn_thresholds.again && !is_read_by_all(c, f) ? reread(c, f) : UNCONCERNED;
}

static int again(const struct dsn__case *c, struct dsn_finding *f,
                 double (*part)(const struct dsn__case *, const struct dsn_report_file *), const char *who)
{
    const struct sums s = sum_parts(c, part);

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

static int same_data(const struct dsn__case *c, struct dsn_finding *f)
{
    return again(c, f, same_data_part, "Ranks together");
}

static int rereads(const struct dsn__case *c, struct dsn_finding *f)
{
    return again(c, f, rereads_part, "The job");
}

/* By what is written between an open and the next: a file that is opened again, after it was truncated, renamed or deleted, is
 * another version, or a new file. */
static double times_written(const struct dsn_report_file *f)
{
    const double versions = fmax(floor((double)f->opens / fmax((double)f->ranks, 1)), (double)f->renamed);

    return !is_sieved(f) && f->write_extent > 0 && (double)f->work.bytes_written >= dsn_thresholds.bytes
               ? (double)f->work.bytes_written / (double)f->write_extent / fmax(versions, 1)
               : 0;
}

static double rewrites_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const int are_small = (double)f->small_writes > dsn_thresholds.half * (double)f->work.writes;
    const double small = are_small ? excess(f->work.write, (double)f->work.bytes_written, c->write_rate) : 0;

    return times_written(f) >= dsn_thresholds.rewritten && !dsn__is_synced(c, f)
               ? repeated(f->work.write, small, times_written(f))
               : UNCONCERNED;
}

static int rewrites(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, rewrites_part);

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
static double random_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_reads / fmax((double)f->work.reads, 1);

    return share > dsn_thresholds.random && small_reads_part(c, f) < 0 && !dsn__is_small_file(c, f)
               ? f->work.read * share
               : UNCONCERNED;
}

static double random_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_writes / fmax((double)f->work.writes, 1);

    return share > dsn_thresholds.random && small_writes_part(c, f) < 0 && !dsn__is_synced(c, f) &&
                   !dsn__is_small_file(c, f)
               ? f->work.write * share
               : UNCONCERNED;
}

static int random_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, random_reads_part);

    if ((double)s.work.reads < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "reads that do not begin beyond the end of the previous one", s.random_reads, DSN_FACT_COUNT);
    dsn__fact(f, "all reads of these files", (double)s.work.reads, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds reading", s.work.read);
    dsn__remark(f, "%.0f of %" PRId64 " reads, %s on average, do not begin beyond the end of the previous one.",
                s.random_reads, s.work.reads, dsn_bytes_text((double)s.work.bytes_read / fmax(s.data_reads, 1)).s);
    f->advice = is_of_database(c, random_reads_part) ? f->row->advice.database : NULL;
    return 1;
}

static int random_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, random_writes_part);

    if ((double)s.work.writes < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "writes that do not begin beyond the end of the previous one", s.random_writes, DSN_FACT_COUNT);
    dsn__fact(f, "all writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds writing", s.work.write);
    dsn__remark(f, "%.0f of %" PRId64 " writes, %s on average, do not begin beyond the end of the previous one.",
                s.random_writes, s.work.writes, dsn_bytes_text((double)s.work.bytes_written / (double)s.work.writes).s);
    f->advice = is_of_database(c, random_writes_part) ? f->row->advice.database : NULL;
    return 1;
}

/* A request that does not start at a block boundary has at most two partial blocks, whose bytes are affected. */
static double edges_of(const struct dsn_report_file *f)
{
    const double bytes = dsn_work_bytes(&f->work);

    return bytes > 0 ? fmin(2 * (double)f->unaligned * (double)f->alignment / bytes, 1) : 0;
}

/* Small requests are mostly unaligned; their size is the problem, not their alignment. */
static double unaligned_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->unaligned / fmax((double)f->posix_calls, 1);
    const double small = (double)f->small_reads + (double)f->small_writes;

    if (!is_shared(c, f) || is_sieved(f) || share <= dsn_thresholds.half ||
        small > dsn_thresholds.half * (double)f->posix_calls || edges_of(f) < dsn_thresholds.edges)
        return UNCONCERNED;
    return (f->work.read + f->work.write) * fmin(share, edges_of(f));
}

static int unaligned(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, unaligned_part);
    int64_t block = 0;

    for (size_t i = 0; i < c->r->nfiles; i++)
        if (c->r->files[i].alignment > block && dsn__concern(c, unaligned_part, &c->r->files[i]) >= 0)
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

static int ends_with(const char *s, const char *with)
{
    const size_t n = strlen(s), m = strlen(with);

    return n >= m && strcmp(s + n - m, with) == 0;
}

/* Files of PostgreSQL beside its tables, which show that there is one. */
static int is_beside_tables(const char *name)
{
    return strstr(name, "/pg_wal/") || strstr(name, "/pg_xact/") || strstr(name, "/pg_multixact/") ||
           ends_with(name, "/PG_VERSION") || ends_with(name, "/global/pg_control");
}

/* Tables and indexes of PostgreSQL: base/DATABASE/NUMBER and global/NUMBER, both with _fsm, _vm or .SEGMENT behind. */
static int is_table(const char *name)
{
    const char *slash = strrchr(name, '/'), *at = slash;
    const size_t digits = slash ? strspn(slash + 1, "0123456789") : 0;

    if (digits == 0 || (slash[1 + digits] != '\0' && slash[1 + digits] != '_' && slash[1 + digits] != '.'))
        return 0;
    if (slash - name >= 7 && strncmp(slash - 7, "/global", 7) == 0)
        return 1;
    while (at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at < slash && at - name >= 6 && strncmp(at - 6, "/base/", 6) == 0;
}

void dsn__find_postgresql(struct dsn__case *c)
{
    for (size_t i = 0; i < c->r->nfiles && !c->has_postgresql; i++) {
        const char *name = darshan_reader_name(c->r->log, c->r->files[i].id);

        c->has_postgresql = name && is_beside_tables(name);
    }
}

/* Whether it is one of the files that a server makes for its own purposes: how many, and how they are opened, is not in the
 * hands of who uses it. */
static int is_of_server(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const char *name = c->has_postgresql ? darshan_reader_name(c->r->log, f->id) : NULL;

    return name && (is_beside_tables(name) || is_table(name));
}

/* Journals and tables of databases, by their customary names: SQLite, InnoDB, Aria, RocksDB and LevelDB, PostgreSQL, LMDB, Redis. */
static int is_database(const struct dsn__case *c, const struct dsn_report_file *f)
{
    static const char *const ends[] = { "-journal", "-wal", ".ibd", ".ibu", ".db",  ".sqlite", ".sqlite3", ".db3",
                                        ".MAI",     ".MAD", ".sst", ".ldb", ".mdb", ".wal",    ".aof" };
    static const char *const starts[] = { "ib_logfile", "ibdata",   "#ib_",      "#innodb", "undo",
                                          "ibtmp",      "aria_log", "MANIFEST-", "binlog.", "mysql-bin." };
    const char *name = darshan_reader_name(c->r->log, f->id), *slash = name ? strrchr(name, '/') : NULL;
    const char *base = slash ? slash + 1 : name ? name : "";
    const char *dot = strrchr(base, '.'), *dash = strrchr(base, '-');

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = *ends[i] == '.' ? dot : dash;

        if (end && end[1] == ends[i][1] && strcmp(end, ends[i]) == 0)
            return 1;
    }
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (*base == *starts[i] && strncmp(base, starts[i], strlen(starts[i])) == 0)
            return 1;
    return (strspn(base, "0123456789") == 6 && strcmp(base + 6, ".log") == 0) || is_of_server(c, f);
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
               ? excess(f->work.write, (double)f->work.bytes_written, c->write_rate)
               : UNCONCERNED;
}

static double syncs_part(const struct dsn__case *c, const struct dsn_report_file *f)
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

static int syncs(const struct dsn__case *c, struct dsn_finding *f)
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
    const struct sums s = sum_parts(c, syncs_part);
    const double calls = by == DSN_BY_OPEN ? (double)s.work.writes : by == DSN_BY_FFLUSH ? s.flushes : s.syncs;
    const double left = excess(s.work.write, (double)s.work.bytes_written, c->write_rate);

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
                : is_of_database(c, syncs_part)                             ? f->row->advice.database
                : by == DSN_BY_OPEN                                         ? f->row->advice.through
                : s.files >= dsn_thresholds.few_calls && s.syncs <= s.opens ? f->row->advice.each
                                                                            : NULL;
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double stdio_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double calls = (double)f->work.reads + (double)f->work.writes;

    if (f->posix_calls > 0 || strcmp(dsn_file_interface(c->r, f), "STDIO") != 0 ||
        dsn_work_bytes(&f->work) >=
            dsn_thresholds.stream_buffer * calls) /* the C library passes these on as they are */
        return UNCONCERNED;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int stdio(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, stdio_part);
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

/* ------------------------------------------------------------------ metadata */

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

static double reopens_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if ((double)f->opens <= dsn_thresholds.reopens * (double)f->ranks ||
        (c->small_files >= dsn_thresholds.some_calls && dsn__is_small_file(c, f)))
        return UNCONCERNED;
    return meta_of(f, 2 * ((double)f->opens - (double)f->ranks));
}

static int reopens(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, reopens_part);

    if (s.opens < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "opens", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f opens of %" PRId64 " file%s.", s.opens, s.files, s.files == 1 ? "" : "s");
    f->advice = is_of_database(c, reopens_part) ? f->row->advice.database : NULL;
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double seeks_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return (double)f->seeks >= dsn_thresholds.seeks * ((double)f->work.reads + (double)f->work.writes)
               ? meta_of(f, (double)f->seeks)
               : UNCONCERNED;
}

static int seeks(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, seeks_part);

    if (s.seeks < dsn_thresholds.calls)
        return 0;
    dsn__fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    dsn__fact(f, "reads and writes of these files", (double)s.work.reads + (double)s.work.writes, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in metadata calls", s.work.meta);
    dsn__remark(f, "%.0f seeks for %" PRId64 " reads and writes.", s.seeks, s.work.reads + s.work.writes);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double stats_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->kind == DSN_FILE_CODE || (c->r->runs_interpreter && f->opens == 0)) /* it looks for modules in directories */
        return UNCONCERNED;
    return (double)f->stats > dsn_thresholds.stats * fmax((double)f->opens, 1)
               ? meta_of(f, (double)f->stats - (double)f->ranks)
               : UNCONCERNED;
}

static int stats(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, stats_part);

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
static double small_files_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (!dsn__is_small_file(c, f))
        return UNCONCERNED;
    return f->work.meta + excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           (f->syncs > 0 ? 0 : excess(f->work.write, (double)f->work.bytes_written, c->write_rate));
}

/* Those with a record each: how many files a kind has, and of which sizes, is not in its record. */
static double known_small_files(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return f->is_folded ? UNCONCERNED : small_files_part(c, f);
}

static int small_files(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, known_small_files);
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
        dsn__remark(f, "%s%.0f files of %s on average are read whole, each %.3g times.", over(c, 1), files,
                    dsn_bytes_text(s.extent / files).s, again);
    else
        dsn__remark(f, "%s%.0f files of %s on average are %s whole, each with few calls.", over(c, 1), files,
                    dsn_bytes_text(s.extent / files).s,
                    s.work.bytes_read == 0 ? "written"
                    : is_written           ? "read or written"
                                           : "read");
    f->advice = is_read ? f->row->advice.reading : NULL;
    f->confidence = DSN_ESTIMATED; /* one open per file remains */
    return 1;
}

static double file_per_process_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_file_sharing(c->r, f) == DSN_OF_ONE_RANK && f->work.bytes_written > 0 && c->r->f.nprocs > 1
               ? f->work.meta
               : UNCONCERNED;
}

static int file_per_process(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, file_per_process_part);
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
static double untouched_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn_work_bytes(&f->work) == 0 && f->opens > 0 && f->mmaps == 0 ? f->work.meta : UNCONCERNED;
}

static int untouched(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, untouched_part);

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

static double metadata_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->work.meta;
}

static int metadata(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, metadata_part);
    static const struct {
        const char *who, *seconds;
    } words[2][2] = { { { "the mean process's", "seconds of a process in metadata calls, mean" },
                        { "the busiest process's", "seconds of the busiest process in metadata calls" } },
                      { { "the mean rank's", "seconds of a rank in metadata calls, mean" },
                        { "the slowest rank's", "seconds of the slowest rank in metadata calls" } } };
    const int is_one = c->r->f.nprocs == 1, is_known = c->r->waits.parts_known, has_ranks = dsn_has_ranks(c->r);
    const char *who = is_one ? "the" : words[has_ranks][is_known].who;

    if (!(c->meta > dsn_thresholds.half * c->all))
        return 0;
    dsn__fact(f, is_one ? "seconds in metadata calls" : words[has_ranks][is_known].seconds, c->meta, DSN_FACT_SECONDS);
    dsn__fact(f, "of its I/O time", c->meta / c->all, DSN_FACT_SHARE);
    dsn__fact(f, "opens", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "stat calls", s.stats, DSN_FACT_COUNT);
    dsn__fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    f->at_most = c->meta; /* some calls remain */
    f->confidence = DSN_ESTIMATED;
    dsn__remark(f, "%s of %s I/O time%s %.0f opens, %.0f stats, %.0f seeks of %s%" PRId64 " file%s.",
                dsn_share_text(c->meta / c->all).s, who,
                is_one      ? ":"
                : has_ranks ? "; all ranks together make"
                            : "; all processes together make",
                s.opens, s.stats, s.seeks, over(c, 0), s.files, s.files == 1 ? "" : "s");
    if (c->r->waits.unsure > dsn_thresholds.half * c->r->waits.meta) {
        f->advice = f->row->advice.blind;
        dsn__remark(
            f,
            "%s of %s I/O time: collective opens and closes of files that have no records below MPI-IO. Whether "
            "ranks wait for the file system or for each other is not known.",
            dsn_share_text(c->meta / c->all).s, who);
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
static int names(const struct dsn__case *c, struct dsn_finding *f)
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
        writes_database |= c->r->files[i].work.bytes_written > 0 && is_database(c, &c->r->files[i]);
    f->advice = g->deletes.time < g->renames.time                   ? f->row->advice.reading
                : writes_database                                   ? f->row->advice.database
                : (double)g->deletes.calls <= 3 * mpiio_opens(c->r) ? f->row->advice.mpiio
                                                                    : NULL;
    dsn_names_text(g, text);
    dsn__remark(f, "%s%s.", text, dsn_of_all(c->r));
    return 1;
}

/* Of the time in metadata calls of HDF5 or PnetCDF, that in which these read and write through MPI-IO. */
static double library_meta_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const struct dsn_stack *s = dsn_stack_of(c->r, f->id);

    return s && s->as_metadata > 0 ? s->as_metadata : UNCONCERNED;
}

static int library_meta(const struct dsn__case *c, struct dsn_finding *f)
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

static double time_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn_work_time(&f->work);
}

/* ------------------------------------------------------------------ storage */

int dsn__is_narrow(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;
    int64_t most = 0;

    for (size_t i = 0; layout && i < layout->ncomps; i++)
        most = layout->comps[i].stripe_count > most ? layout->comps[i].stripe_count : most;
    return layout && most == 1;
}

static double striping_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double length = fmax((double)f->read_extent, (double)f->write_extent);

    return is_shared(c, f) && length >= dsn_thresholds.large_stripe && dsn__is_narrow(c->r, f)
               ? f->work.read + f->work.write
               : UNCONCERNED;
}

static int striping(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, striping_part);

    if (s.files == 0)
        return 0;
    dsn__fact(f, "large shared files with one stripe", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "bytes moved", dsn_work_bytes(&s.work), DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading and writing", s.work.read + s.work.write);
    dsn__remark(f, "%" PRId64 " shared file%s of 1 GiB or more on a single storage target each.", s.files,
                s.files == 1 ? "" : "s");
    return 1;
}

/* Bytes and time of files on one storage target only. */
struct target {
    int64_t ost, files;
    double bytes, seconds;
};

#define MAX_TARGETS 4096

/* Requests must be large enough to be limited by the target. */
static int64_t single_target(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const double calls = (double)f->work.reads + (double)f->work.writes;
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;

    if (!layout || layout->ncomps != 1 || !layout->osts || !dsn__is_narrow(r, f) || !(calls > 0) ||
        dsn_work_bytes(&f->work) / calls < dsn_thresholds.large / 2)
        return -1;
    return layout->osts[0];
}

static size_t find_targets(const struct dsn_report *r, struct target *t)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nfiles; i++) {
        const int64_t ost = single_target(r, &r->files[i]);
        size_t at = 0;

        if (ost < 0)
            continue;
        while (at < n && t[at].ost != ost)
            at++;
        if (at == MAX_TARGETS)
            continue;
        if (at == n)
            t[n++] = (struct target){ .ost = ost };
        t[at].files++;
        t[at].bytes += dsn_work_bytes(&r->files[i].work);
        t[at].seconds += r->files[i].work.read + r->files[i].work.write;
    }
    return n;
}

static int by_rate(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    const double rx = x->bytes / x->seconds, ry = y->bytes / y->seconds;

    return (rx > ry) - (rx < ry);
}

/* The slowest target, and the median rate of all; 0: too few targets. */
static int slow_target_of(const struct dsn_report *r, struct target *slow, double *median, size_t *targets)
{
    struct target *t = r->layouts.table.n > 0 ? calloc(MAX_TARGETS, sizeof *t) : NULL;
    size_t n = t ? find_targets(r, t) : 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        if (t[i].bytes >= dsn_thresholds.bulk && t[i].seconds > 0)
            t[kept++] = t[i];
    if (kept >= 3) {
        qsort(t, kept, sizeof *t, by_rate);
        *slow = t[0];
        *median = t[kept / 2].bytes / t[kept / 2].seconds;
        *targets = kept;
    }
    free(t);
    return kept >= 3 && slow->bytes / slow->seconds < dsn_thresholds.slow_target * *median;
}

static double slow_target_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (single_target(c->r, f) < 0 || single_target(c->r, f) != c->slow_ost)
        return UNCONCERNED;
    return fmax(f->work.read + f->work.write - dsn_work_bytes(&f->work) / c->median_rate, 0);
}

void dsn__find_slow_target(struct dsn__case *c)
{
    struct target slow;
    size_t n;

    c->slow_ost = -1;
    if (slow_target_of(c->r, &slow, &c->median_rate, &n))
        c->slow_ost = slow.ost;
}

static int slow_target(const struct dsn__case *c, struct dsn_finding *f)
{
    struct target slow;
    double median;
    size_t n;

    if (c->slow_ost < 0 || !slow_target_of(c->r, &slow, &median, &n))
        return 0;
    dsn__fact(f, "number of the storage target", (double)slow.ost, DSN_FACT_COUNT);
    dsn__fact(f, "files on it alone", (double)slow.files, DSN_FACT_COUNT);
    dsn__fact(f, "bytes of these", slow.bytes, DSN_FACT_BYTES);
    dsn__seconds_of_all(f, "seconds reading and writing", slow.seconds);
    dsn__fact(f, "its rate", slow.bytes / slow.seconds, DSN_FACT_RATE);
    dsn__fact(f, "median rate of all targets", median, DSN_FACT_RATE);
    dsn__fact(f, "storage targets compared", (double)n, DSN_FACT_COUNT);
    dsn__remark(f, "OST %" PRId64 " moves %s at %s MiB/s, the median of the others is %s MiB/s (%zu compared).",
                slow.ost, dsn_bytes_text(slow.bytes).s, dsn_rate_text(slow.bytes / slow.seconds / (1 << 20)).s,
                dsn_rate_text(median / (1 << 20)).s, n);
    f->confidence = DSN_ESTIMATED;
    snprintf(f->basis, sizeof f->basis, "the other targets' %s MiB/s", dsn_rate_text(median / (1 << 20)).s);
    return 1;
}

/* ------------------------------------------------------------------ what a program is made of */

static double interpreter_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->kind == DSN_FILE_CODE ? f->work.read + f->work.meta : UNCONCERNED;
}

static int interpreter(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, interpreter_part);

    if (s.opens < dsn_thresholds.some_calls)
        return 0;
    dsn__fact(f, "opens of modules and libraries", s.opens, DSN_FACT_COUNT);
    dsn__fact(f, "different files", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "stat calls on them", s.stats, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds for these", s.work.read + s.work.meta);
    dsn__remark(f, "%.0f opens and %.0f stats of %" PRId64 " modules and libraries (.py, .so, site-packages).", s.opens,
                s.stats, s.files);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double mapped_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->mmaps > 0 && f->kind == DSN_FILE_DATA ? 0 : UNCONCERNED;
}

static int mapped(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, mapped_part);

    const struct dsn_figures *g = &c->r->f;
    char syncs[64];

    if (s.files == 0)
        return 0;
    dsn__fact(f, "mmap calls", s.mmaps, DSN_FACT_COUNT);
    dsn__fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    dsn__fact(f, "msync calls", (double)g->map_syncs.calls, DSN_FACT_COUNT);
    dsn__seconds_of_all(f, "seconds in msync", g->map_syncs.time);
    f->at_most = g->map_syncs.time / (c->r->is_tree ? 1 : (double)g->present);
    snprintf(syncs, sizeof syncs, " %" PRId64 " msync%s took %s.", g->map_syncs.calls,
             g->map_syncs.calls == 1 ? "" : "s", dsn_seconds_text(g->map_syncs.time).s);
    dsn__remark(f, "%.0f mapping%s of %" PRId64 " file%s: bytes and time of accesses through them are not counted.%s",
                s.mmaps, s.mmaps == 1 ? "" : "s", s.files, s.files == 1 ? "" : "s",
                g->map_syncs.calls > 0 ? syncs : "");
    return 1;
}

/* ------------------------------------------------------------------ the rows */

const struct dsn_finding_row *dsn_finding_row(enum dsn_finding_id id)
{
#define ADVICE(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define COVERS(symbol)       (UINT64_C(1) << DSN_FINDING_##symbol)
#define FINDING(symbol, ...) [DSN_FINDING_##symbol] = { __VA_ARGS__ },
    static const struct dsn_finding_row rows[DSN_NFINDINGS] = {
#include "findings.def"
    };
#undef FINDING
#undef COVERS
#undef ADVICE

    return &rows[id];
}
