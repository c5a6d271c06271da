/* conditions.c - the conditions behind findings.def
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A condition that is about files sums up those of them that are concerned; `part` says which these are, so that what
 * fires and what is blamed cannot differ. */
#include "conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

const struct dsn_thresholds dsn_thresholds = {
    .idle_share = 0.05,
    .high = 0.1,
    .warning = 0.01,
    .half = 0.5,
    .imbalance = 0.5,
    .one_rank = 0.95,
    .random = 0.2,
    .again = 2,
    .stdio = 0.1,
    .seeks = 0.9,
    .sieving = 0.01,
    .reopens = 10,
    .stats = 10,
    .flood = 10,
    .calls = 1000,
    .some_calls = 100,
    .bytes = 1 << 20,
    .bulk = 16 << 20,
    .large = 1 << 20,
    .large_stripe = 1 << 30,
    .many_ranks = 256,
    .assumed_rate = 200 << 20,
};

/* ------------------------------------------------------------------ facts and words */

static void fact(struct dsn_finding *f, const char *name, double value, enum dsn_fact_unit unit)
{
    if (f->nfacts < DSN_FINDING_FACTS)
        f->fact[f->nfacts++] = (struct dsn_fact){ name, value, unit };
}

static void __attribute__((format(printf, 2, 3))) say(struct dsn_finding *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

/* ------------------------------------------------------------------ sums over the files that are concerned */

struct sums {
    int64_t files;
    struct dsn_work work;
    double calls, opens, seeks, stats, syncs, small_reads, small_writes, random_reads, random_writes, unaligned;
    double mpi_independent, mpi_collective, read_extent, write_extent, most_times, mpi_bytes;
};

static struct sums sum_parts(const struct dsn__case *c,
                             double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    struct sums s = { 0 };

    for (size_t i = 0; i < c->r->nfiles; i++) {
        const struct dsn_report_file *f = &c->r->files[i];

        if (f->is_stream || !(part(c, f) > 0))
            continue;
        s.files++;
        dsn_work_add(&s.work, &f->work);
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

/* Seconds that remain of `time` if its bytes went at the rate of large requests. */
static double excess(double time, double bytes, double rate)
{
    return fmax(time - bytes / rate, 0);
}

/* ------------------------------------------------------------------ sizes */

/* Requests to shared files that should have been collective are a finding of their own, and so is fsync. */
static int is_independent(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double requests = (double)f->mpi_independent + (double)f->mpi_collective;

    return is_shared(c, f) && requests > 0 && (double)f->mpi_collective < requests / 10 &&
           ((double)f->mpi_read + (double)f->mpi_written) / requests < dsn_thresholds.large;
}

static int is_synced(const struct dsn_report_file *f)
{
    return f->syncs > 0 && 2 * f->syncs >= f->work.writes;
}

/* Read below MPI-IO, though the program only wrote. */
static int is_sieved(const struct dsn_report_file *f)
{
    return f->mpi_written > 0 && f->mpi_read == 0 &&
           (double)f->work.reads > dsn_thresholds.sieving * (double)f->work.writes;
}

static double small_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_reads <= dsn_thresholds.half * (double)f->work.reads ||
        is_independent(c, f) || is_sieved(f))
        return 0;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate);
}

static double small_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls == 0 || (double)f->small_writes <= dsn_thresholds.half * (double)f->work.writes ||
        is_independent(c, f) || is_synced(f))
        return 0;
    return excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int small_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, small_reads_part);

    if (s.small_reads < dsn_thresholds.calls)
        return 0;
    fact(f, "reads of up to 100 KiB", s.small_reads, DSN_FACT_COUNT);
    fact(f, "all reads of these files", (double)s.work.reads, DSN_FACT_COUNT);
    fact(f, "bytes read", (double)s.work.bytes_read, DSN_FACT_BYTES);
    fact(f, "seconds reading, all ranks", s.work.read, DSN_FACT_SECONDS);
    fact(f, c->own_read_rate ? "rate of this job's large reads" : "assumed rate of large reads", c->read_rate,
         DSN_FACT_RATE);
    say(f, "%.0f of %" PRId64 " reads are of up to 100 KiB, %s in the mean.", s.small_reads, s.work.reads,
        dsn_bytes_text((double)s.work.bytes_read / (double)s.work.reads).s);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static int small_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, small_writes_part);

    if (s.small_writes < dsn_thresholds.calls)
        return 0;
    fact(f, "writes of up to 100 KiB", s.small_writes, DSN_FACT_COUNT);
    fact(f, "all writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    fact(f, "bytes written", (double)s.work.bytes_written, DSN_FACT_BYTES);
    fact(f, "seconds writing, all ranks", s.work.write, DSN_FACT_SECONDS);
    fact(f, c->own_write_rate ? "rate of this job's large writes" : "assumed rate of large writes", c->write_rate,
         DSN_FACT_RATE);
    say(f, "%.0f of %" PRId64 " writes are of up to 100 KiB, %s in the mean.", s.small_writes, s.work.writes,
        dsn_bytes_text((double)s.work.bytes_written / (double)s.work.writes).s);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double independent_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (!is_independent(c, f))
        return 0;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int independent(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, independent_part);

    if (s.mpi_independent < dsn_thresholds.calls)
        return 0;
    fact(f, "independent requests", s.mpi_independent, DSN_FACT_COUNT);
    fact(f, "collective requests", s.mpi_collective, DSN_FACT_COUNT);
    fact(f, "mean request", s.mpi_bytes / (s.mpi_independent + s.mpi_collective), DSN_FACT_BYTES);
    fact(f, "seconds in POSIX below, all ranks", dsn_work_time(&s.work), DSN_FACT_SECONDS);
    say(f, "%.0f independent MPI-IO requests of %s in the mean to shared files, %.0f collective.", s.mpi_independent,
        dsn_bytes_text(s.mpi_bytes / (s.mpi_independent + s.mpi_collective)).s, s.mpi_collective);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

/* ------------------------------------------------------------------ data that move more than once */

static double sieving_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return is_sieved(f) ? f->work.read : 0;
}

static int sieving(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, sieving_part);

    if ((double)s.work.reads < dsn_thresholds.some_calls)
        return 0;
    fact(f, "reads below MPI-IO", (double)s.work.reads, DSN_FACT_COUNT);
    fact(f, "bytes of these", (double)s.work.bytes_read, DSN_FACT_BYTES);
    fact(f, "bytes written through MPI-IO", s.mpi_bytes, DSN_FACT_BYTES);
    fact(f, "seconds reading, all ranks", s.work.read, DSN_FACT_SECONDS);
    say(f, "%" PRId64 " reads for %" PRId64 " writes to files that are only written through MPI-IO.", s.work.reads,
        s.work.writes);
    return 1;
}

/* How many times over a file is read, or written. */
static double times_read(const struct dsn_report_file *f)
{
    return f->read_extent > 0 && (double)f->work.bytes_read >= dsn_thresholds.bytes
               ? (double)f->work.bytes_read / (double)f->read_extent
               : 0;
}

static int is_read_by_all(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return is_shared(c, f) && times_read(f) >= fmax(dsn_thresholds.again, (double)f->ranks / 2);
}

static double same_data_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return is_read_by_all(c, f) ? f->work.read * (1 - 1 / times_read(f)) : 0;
}

static double rereads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return times_read(f) >= dsn_thresholds.again && !is_read_by_all(c, f) ? f->work.read * (1 - 1 / times_read(f)) : 0;
}

static int again(const struct dsn__case *c, struct dsn_finding *f,
                 double (*part)(const struct dsn__case *, const struct dsn_report_file *), const char *who)
{
    const struct sums s = sum_parts(c, part);

    if (s.files == 0)
        return 0;
    fact(f, "bytes read", (double)s.work.bytes_read, DSN_FACT_BYTES);
    fact(f, "bytes up to the highest offset read", s.read_extent, DSN_FACT_BYTES);
    fact(f, "times over", (double)s.work.bytes_read / s.read_extent, DSN_FACT_COUNT);
    fact(f, "seconds reading, all ranks", s.work.read, DSN_FACT_SECONDS);
    say(f, "%s read %s out of %s of file%s: %.1f times over.", who, dsn_bytes_text((double)s.work.bytes_read).s,
        dsn_bytes_text(s.read_extent).s, s.files == 1 ? "" : "s", (double)s.work.bytes_read / s.read_extent);
    f->confidence = DSN_BOUNDED; /* the highest offset is no less than the length that was covered */
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

static double times_written(const struct dsn_report_file *f)
{
    return f->write_extent > 0 && (double)f->work.bytes_written >= dsn_thresholds.bytes
               ? (double)f->work.bytes_written / (double)f->write_extent
               : 0;
}

static double rewrites_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return times_written(f) >= dsn_thresholds.again ? f->work.write * (1 - 1 / times_written(f)) : 0;
}

static int rewrites(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, rewrites_part);

    if (s.files == 0)
        return 0;
    fact(f, "bytes written", (double)s.work.bytes_written, DSN_FACT_BYTES);
    fact(f, "bytes up to the highest offset written", s.write_extent, DSN_FACT_BYTES);
    fact(f, "times over", (double)s.work.bytes_written / s.write_extent, DSN_FACT_COUNT);
    fact(f, "seconds writing, all ranks", s.work.write, DSN_FACT_SECONDS);
    say(f, "%s were written into %s of file%s: %.1f times over.", dsn_bytes_text((double)s.work.bytes_written).s,
        dsn_bytes_text(s.write_extent).s, s.files == 1 ? "" : "s", (double)s.work.bytes_written / s.write_extent);
    f->confidence = DSN_BOUNDED;
    return 1;
}

/* ------------------------------------------------------------------ order and place of requests */

/* Small requests are a finding of their own, which says the same and knows what it costs. */
static double random_reads_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_reads / fmax((double)f->work.reads, 1);

    return share > dsn_thresholds.random && !(small_reads_part(c, f) > 0) ? f->work.read * share : 0;
}

static double random_writes_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->random_writes / fmax((double)f->work.writes, 1);

    return share > dsn_thresholds.random && !(small_writes_part(c, f) > 0) ? f->work.write * share : 0;
}

static int random_reads(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, random_reads_part);

    if ((double)s.work.reads < dsn_thresholds.calls)
        return 0;
    fact(f, "reads at a lower offset", s.random_reads, DSN_FACT_COUNT);
    fact(f, "all reads of these files", (double)s.work.reads, DSN_FACT_COUNT);
    fact(f, "seconds reading, all ranks", s.work.read, DSN_FACT_SECONDS);
    say(f, "%.0f of %" PRId64 " reads go back to a lower offset.", s.random_reads, s.work.reads);
    return 1;
}

static int random_writes(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, random_writes_part);

    if ((double)s.work.writes < dsn_thresholds.calls)
        return 0;
    fact(f, "writes at a lower offset", s.random_writes, DSN_FACT_COUNT);
    fact(f, "all writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    fact(f, "seconds writing, all ranks", s.work.write, DSN_FACT_SECONDS);
    say(f, "%.0f of %" PRId64 " writes go back to a lower offset.", s.random_writes, s.work.writes);
    return 1;
}

/* Of small requests most are unaligned, and their size is what is wrong with them. */
static double unaligned_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double share = (double)f->unaligned / fmax((double)f->posix_calls, 1);
    const double small = (double)f->small_reads + (double)f->small_writes;

    if (!is_shared(c, f) || share <= dsn_thresholds.half || small > dsn_thresholds.half * (double)f->posix_calls)
        return 0;
    return (f->work.read + f->work.write) * share;
}

static int unaligned(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, unaligned_part);
    int64_t block = 0;

    for (size_t i = 0; i < c->r->nfiles; i++)
        if (c->r->files[i].alignment > block && unaligned_part(c, &c->r->files[i]) > 0)
            block = c->r->files[i].alignment;
    if (s.unaligned < dsn_thresholds.some_calls)
        return 0;
    fact(f, "requests that do not begin at a block", s.unaligned, DSN_FACT_COUNT);
    fact(f, "all requests to these files", s.calls, DSN_FACT_COUNT);
    fact(f, "block of the file system", (double)block, DSN_FACT_BYTES);
    fact(f, "seconds reading and writing, all ranks", s.work.read + s.work.write, DSN_FACT_SECONDS);
    say(f, "%.0f of %.0f requests to shared files do not begin at a multiple of %s.", s.unaligned, s.calls,
        dsn_bytes_text((double)block).s);
    return 1;
}

static double syncs_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return is_synced(f) ? excess(f->work.write, (double)f->work.bytes_written, c->write_rate) : 0;
}

static int syncs(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, syncs_part);

    if (s.syncs < dsn_thresholds.some_calls)
        return 0;
    fact(f, "fsync and fdatasync calls", s.syncs, DSN_FACT_COUNT);
    fact(f, "writes of these files", (double)s.work.writes, DSN_FACT_COUNT);
    fact(f, "seconds writing and in fsync, all ranks", s.work.write, DSN_FACT_SECONDS);
    say(f, "%.0f fsync calls for %" PRId64 " writes.", s.syncs, s.work.writes);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double stdio_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    if (f->posix_calls > 0 || strcmp(dsn_file_interface(c->r, f), "STDIO") != 0)
        return 0;
    return excess(f->work.read, (double)f->work.bytes_read, c->read_rate) +
           excess(f->work.write, (double)f->work.bytes_written, c->write_rate);
}

static int stdio(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, stdio_part);
    const double all = (double)c->r->f.bytes_read + (double)c->r->f.bytes_written, bytes = dsn_work_bytes(&s.work);

    if (bytes < dsn_thresholds.bulk || bytes < dsn_thresholds.stdio * all)
        return 0;
    fact(f, "bytes through streams", bytes, DSN_FACT_BYTES);
    fact(f, "share of all bytes", bytes / all, DSN_FACT_SHARE);
    fact(f, "calls", (double)s.work.reads + (double)s.work.writes, DSN_FACT_COUNT);
    fact(f, "seconds, all ranks", dsn_work_time(&s.work), DSN_FACT_SECONDS);
    say(f, "%s, %s of all bytes, pass through streams.", dsn_bytes_text(bytes).s, dsn_share_text(bytes / all).s);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

/* ------------------------------------------------------------------ metadata */

/* Metadata calls of a file; a close goes with each open. */
static double metadata_calls(const struct dsn_report_file *f)
{
    return 2 * (double)f->opens + (double)f->seeks + (double)f->stats;
}

/* Share of a file's metadata time that calls of one kind have, by their number. */
static double meta_of(const struct dsn_report_file *f, double calls)
{
    const double all = metadata_calls(f);

    return all > 0 ? f->work.meta * fmin(calls / all, 1) : 0;
}

static double reopens_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    if ((double)f->opens <= dsn_thresholds.reopens * (double)f->ranks)
        return 0;
    return meta_of(f, 2 * ((double)f->opens - (double)f->ranks));
}

static int reopens(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, reopens_part);

    if (s.opens < dsn_thresholds.some_calls)
        return 0;
    fact(f, "opens", s.opens, DSN_FACT_COUNT);
    fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%.0f opens of %" PRId64 " file%s.", s.opens, s.files, s.files == 1 ? "" : "s");
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double seeks_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return (double)f->seeks >= dsn_thresholds.seeks * ((double)f->work.reads + (double)f->work.writes)
               ? meta_of(f, (double)f->seeks)
               : 0;
}

static int seeks(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, seeks_part);

    if (s.seeks < dsn_thresholds.calls)
        return 0;
    fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    fact(f, "reads and writes of these files", (double)s.work.reads + (double)s.work.writes, DSN_FACT_COUNT);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%.0f seeks for %" PRId64 " reads and writes.", s.seeks, s.work.reads + s.work.writes);
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double stats_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return (double)f->stats > dsn_thresholds.stats * fmax((double)f->opens, 1)
               ? meta_of(f, (double)f->stats - (double)f->ranks)
               : 0;
}

static int stats(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, stats_part);

    if (s.stats < dsn_thresholds.calls)
        return 0;
    fact(f, "stat calls", s.stats, DSN_FACT_COUNT);
    fact(f, "opens of these files", s.opens, DSN_FACT_COUNT);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%.0f stat calls on %" PRId64 " file%s.", s.stats, s.files, s.files == 1 ? "" : "s");
    f->confidence = DSN_ESTIMATED;
    return 1;
}

static double small_files_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->work.bytes_written > 0 && (double)f->work.bytes_written < dsn_thresholds.large &&
                   !(reopens_part(c, f) > 0)
               ? f->work.meta
               : 0;
}

static int small_files(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, small_files_part);
    const double per_rank = (double)s.files / (double)c->r->f.nprocs;

    if (per_rank <= dsn_thresholds.flood || (double)s.files < dsn_thresholds.some_calls)
        return 0;
    fact(f, "small files written", (double)s.files, DSN_FACT_COUNT);
    fact(f, "files a rank", per_rank, DSN_FACT_COUNT);
    fact(f, "mean bytes of a file", (double)s.work.bytes_written / (double)s.files, DSN_FACT_BYTES);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%" PRId64 " files are written, %s each in the mean.", s.files,
        dsn_bytes_text((double)s.work.bytes_written / (double)s.files).s);
    f->confidence = DSN_BOUNDED; /* one file has to be opened still */
    return 1;
}

static double file_per_process_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_file_sharing(c->r, f) == DSN_OF_ONE_RANK && f->work.bytes_written > 0 && c->r->f.nprocs > 1
               ? f->work.meta
               : 0;
}

static int file_per_process(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, file_per_process_part);
    const double ranks = (double)c->r->f.nprocs;

    if (ranks < dsn_thresholds.many_ranks || (double)s.files < dsn_thresholds.half * ranks ||
        (double)c->active < dsn_thresholds.half * ranks)
        return 0;
    fact(f, "files of one rank that are written", (double)s.files, DSN_FACT_COUNT);
    fact(f, "ranks", ranks, DSN_FACT_COUNT);
    fact(f, "bytes written to them", (double)s.work.bytes_written, DSN_FACT_BYTES);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%.0f ranks write %" PRId64 " files of their own.", ranks, s.files);
    f->confidence = DSN_BOUNDED;
    return 1;
}

static double untouched_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->work.bytes_read == 0 && f->work.bytes_written == 0 && f->opens > 0 ? f->work.meta : 0;
}

static int untouched(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, untouched_part);

    if ((double)s.files < dsn_thresholds.some_calls ||
        (double)s.files < dsn_thresholds.half * (double)c->r->f.files.total)
        return 0;
    fact(f, "files opened without data moving", (double)s.files, DSN_FACT_COUNT);
    fact(f, "all files", (double)c->r->f.files.total, DSN_FACT_COUNT);
    fact(f, "opens of these", s.opens, DSN_FACT_COUNT);
    fact(f, "seconds in metadata calls, all ranks", s.work.meta, DSN_FACT_SECONDS);
    say(f, "%" PRId64 " of %" PRId64 " files are opened, but nothing is read or written.", s.files,
        c->r->f.files.total);
    f->confidence = DSN_BOUNDED;
    return 1;
}

static double metadata_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return f->work.meta;
}

/* Most of a metadata time is saved if one file is opened where there are many. */
static int metadata(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, metadata_part);

    if (!(c->meta > dsn_thresholds.half * c->time))
        return 0;
    fact(f, "seconds of the slowest rank in metadata calls", c->meta, DSN_FACT_SECONDS);
    fact(f, "of its I/O time", c->meta / c->time, DSN_FACT_SHARE);
    fact(f, "opens", s.opens, DSN_FACT_COUNT);
    fact(f, "stat calls", s.stats, DSN_FACT_COUNT);
    fact(f, "seeks", s.seeks, DSN_FACT_COUNT);
    fact(f, "files", (double)s.files, DSN_FACT_COUNT);
    f->saveable = s.files > 1 ? c->meta * (1 - 1 / (double)s.files) : -1;
    f->at_most = c->meta;
    f->confidence = DSN_ESTIMATED;
    say(f, "%s of the slowest rank's I/O time: %.0f opens, %.0f stats, %.0f seeks of %" PRId64 " file%s.",
        dsn_share_text(c->meta / c->time).s, s.opens, s.stats, s.seeks, s.files, s.files == 1 ? "" : "s");
    return 1;
}

/* ------------------------------------------------------------------ ranks */

static double time_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn_work_time(&f->work);
}

/* The rank that v is largest of. */
static size_t largest(const struct dsn_report *r, double (*v)(const struct dsn_work *))
{
    size_t most = 0;

    for (size_t i = 1; i < r->nranks; i++)
        if (v(&r->ranks[i].work) > v(&r->ranks[most].work))
            most = i;
    return most;
}

static double mean_of(const struct dsn_report *r, double (*v)(const struct dsn_work *))
{
    double sum = 0;

    for (size_t i = 0; i < r->nranks; i++)
        sum += v(&r->ranks[i].work);
    return sum / (double)r->nranks;
}

int dsn__is_collective(const struct dsn_report *r)
{
    double bytes = 0;

    for (size_t i = 0; i < r->nfiles; i++)
        if (r->files[i].mpi_collective > 0 && r->files[i].mpi_collective >= r->files[i].mpi_independent)
            bytes += dsn_work_bytes(&r->files[i].work);
    return bytes > dsn_thresholds.half * ((double)r->f.bytes_read + (double)r->f.bytes_written);
}

/* Seconds of the slowest rank above the mean; 0 if ranks are balanced well enough, or not known. */
static double imbalance(const struct dsn__case *c)
{
    const struct dsn_report *r = c->r;
    double slowest, mean;

    if (r->nranks < 2 || dsn__is_collective(r))
        return 0;
    slowest = dsn_work_time(&r->ranks[largest(r, dsn_work_time)].work);
    mean = mean_of(r, dsn_work_time);
    return slowest > 0 && 1 - mean / slowest > dsn_thresholds.imbalance ? slowest - mean : 0;
}

static void balance_facts(const struct dsn__case *c, struct dsn_finding *f, double saved)
{
    const struct dsn_report *r = c->r;
    const size_t slowest = largest(r, dsn_work_time);

    f->rank[0] = (int64_t)slowest;
    f->nranks = 1;
    f->saveable = saved;
    f->at_most = c->time;
    f->confidence = r->rank_times;
    fact(f, "slowest rank", (double)slowest, DSN_FACT_RANK);
    fact(f, "its I/O time", dsn_work_time(&r->ranks[slowest].work), DSN_FACT_SECONDS);
    fact(f, "mean I/O time of ranks", mean_of(r, dsn_work_time), DSN_FACT_SECONDS);
    fact(f, "bytes of the slowest rank", dsn_work_bytes(&r->ranks[slowest].work), DSN_FACT_BYTES);
    fact(f, "mean bytes of ranks", mean_of(r, dsn_work_bytes), DSN_FACT_BYTES);
    fact(f, "ranks without I/O", (double)r->time_spread.zero, DSN_FACT_COUNT);
}

static int one_rank(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    const double all = (double)r->f.bytes_read + (double)r->f.bytes_written;
    size_t rank;
    double bytes, time;

    if (r->nranks < 2 || all < dsn_thresholds.bytes || dsn__is_collective(r))
        return 0;
    rank = largest(r, dsn_work_bytes);
    bytes = dsn_work_bytes(&r->ranks[rank].work);
    time = dsn_work_time(&r->ranks[rank].work);
    if (bytes < dsn_thresholds.one_rank * all)
        return 0;
    f->rank[0] = (int64_t)rank;
    f->nranks = 1;
    f->at_most = time;
    f->saveable = fmax(time - mean_of(r, dsn_work_time), 0);
    f->confidence = DSN_ESTIMATED;
    fact(f, "rank", (double)rank, DSN_FACT_RANK);
    fact(f, "its bytes", bytes, DSN_FACT_BYTES);
    fact(f, "share of all bytes", bytes / all, DSN_FACT_SHARE);
    fact(f, "its I/O time", time, DSN_FACT_SECONDS);
    fact(f, "mean I/O time of ranks", mean_of(r, dsn_work_time), DSN_FACT_SECONDS);
    say(f, "Rank %zu moves %s of all bytes while %zu others hardly do any I/O.", rank, dsn_share_text(bytes / all).s,
        r->nranks - 1);
    return 1;
}

static int is_uneven(const struct dsn_report *r)
{
    const size_t slowest = largest(r, dsn_work_time);

    return dsn_work_bytes(&r->ranks[slowest].work) > 2 * mean_of(r, dsn_work_bytes);
}

static int uneven(const struct dsn__case *c, struct dsn_finding *f)
{
    const double saved = imbalance(c);

    if (!(saved > 0) || !is_uneven(c->r))
        return 0;
    balance_facts(c, f, saved);
    say(f, "Rank %" PRId64 " spends %s on I/O, a rank in the mean %s; it moves %.3g times the mean bytes.", f->rank[0],
        dsn_seconds_text(f->fact[1].value).s, dsn_seconds_text(f->fact[2].value).s,
        f->fact[4].value > 0 ? f->fact[3].value / f->fact[4].value : 0);
    return 1;
}

static int straggler(const struct dsn__case *c, struct dsn_finding *f)
{
    const double saved = imbalance(c);

    if (!(saved > 0) || is_uneven(c->r))
        return 0;
    balance_facts(c, f, saved);
    say(f, "Rank %" PRId64 " spends %s on I/O, a rank in the mean %s, and moves no more than others.", f->rank[0],
        dsn_seconds_text(f->fact[1].value).s, dsn_seconds_text(f->fact[2].value).s);
    return 1;
}

/* Time and bytes of the ranks of node `node`, or of all others. */
static double node_mean(const struct dsn_report *r, int64_t node, int others, double (*v)(const struct dsn_work *))
{
    double sum = 0;
    int64_t n = 0;

    for (size_t i = 0; i < r->nranks; i++)
        if ((r->ranks[i].node == node) != others) {
            sum += v(&r->ranks[i].work);
            n++;
        }
    return n > 0 ? sum / (double)n : 0;
}

/* The node of the slowest rank is the one to look at: no other could be slower. */
static int slow_node(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    size_t slowest;
    int64_t node;
    double time, others;

    if (r->nranks < 3 || r->f.nodes < 3)
        return 0;
    slowest = largest(r, dsn_work_time);
    node = r->ranks[slowest].node;
    if (node < 0)
        return 0;
    time = node_mean(r, node, 0, dsn_work_time);
    others = node_mean(r, node, 1, dsn_work_time);
    if (!(time > 2 * others) || node_mean(r, node, 0, dsn_work_bytes) > 1.5 * node_mean(r, node, 1, dsn_work_bytes))
        return 0;
    f->rank[0] = (int64_t)slowest;
    f->nranks = 1;
    f->saveable = time - others;
    f->at_most = time;
    f->confidence = r->rank_times;
    fact(f, "number of the node", (double)node, DSN_FACT_COUNT);
    fact(f, "mean I/O time of its ranks", time, DSN_FACT_SECONDS);
    fact(f, "mean I/O time of other ranks", others, DSN_FACT_SECONDS);
    say(f, "Ranks on the node of rank %zu spend %s on I/O, others %s.", slowest, dsn_seconds_text(time).s,
        dsn_seconds_text(others).s);
    return 1;
}

/* A rank counts as aggregator if it moves at least a tenth of what the busiest one does. */
static int few_aggregators(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    double most;
    int64_t n = 0;

    if (r->nranks < 2 || r->f.nodes < 2 || r->rank_bytes != DSN_EXACT || !dsn__is_collective(r))
        return 0;
    most = dsn_work_bytes(&r->ranks[largest(r, dsn_work_bytes)].work);
    for (size_t i = 0; i < r->nranks; i++)
        n += dsn_work_bytes(&r->ranks[i].work) >= most / 10;
    if (n >= r->f.nodes)
        return 0;
    f->at_most = c->read + c->write;
    fact(f, "ranks that move the data", (double)n, DSN_FACT_COUNT);
    fact(f, "compute nodes", (double)r->f.nodes, DSN_FACT_COUNT);
    say(f, "%" PRId64 " rank%s all data of collective calls to and from storage, on %" PRId64 " compute nodes.", n,
        n == 1 ? " moves" : "s move", r->f.nodes);
    return 1;
}

/* Ranks that move data: the first k of all, or every k-th. 0: they are not so regular. */
static int64_t regular_ranks(const struct dsn_report *r, int64_t *stride)
{
    int64_t n = 0, last = -1;

    *stride = 0;
    for (size_t i = 0; i < r->nranks; i++) {
        if (!(dsn_work_bytes(&r->ranks[i].work) > 0))
            continue;
        if (n == 0 && i != 0)
            return 0;
        if (n == 1)
            *stride = (int64_t)i - last;
        if (n > 1 && (int64_t)i - last != *stride)
            return 0;
        last = (int64_t)i;
        n++;
    }
    return n;
}

static int aggregation(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct dsn_report *r = c->r;
    int64_t stride, n;

    if (r->nranks < 4 || r->rank_bytes != DSN_EXACT || dsn_report_layer(r, DSN_MPIIO_MODULE) ||
        (double)r->f.bytes_read + (double)r->f.bytes_written < dsn_thresholds.bytes)
        return 0;
    n = regular_ranks(r, &stride);
    if (n < 2 || (double)n > dsn_thresholds.half * (double)r->nranks)
        return 0;
    fact(f, "ranks that move data", (double)n, DSN_FACT_COUNT);
    fact(f, "all ranks", (double)r->nranks, DSN_FACT_COUNT);
    fact(f, "distance between them", (double)stride, DSN_FACT_COUNT);
    say(f, "%" PRId64 " of %zu ranks move data, every %" PRId64 "%s.", n, r->nranks, stride,
        stride == 1   ? "st"
        : stride == 2 ? "nd"
        : stride == 3 ? "rd"
                      : "th");
    return 1;
}

/* ------------------------------------------------------------------ storage and time */

static int is_narrow(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_layout *layout = f->layout >= 0 ? &r->layouts.layout[f->layout] : NULL;
    int64_t most = 0;

    for (size_t i = 0; layout && i < layout->ncomps; i++)
        most = layout->comps[i].stripe_count > most ? layout->comps[i].stripe_count : most;
    return layout && most == 1;
}

static double striping_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const double length = fmax((double)f->read_extent, (double)f->write_extent);

    return is_shared(c, f) && length >= dsn_thresholds.large_stripe && is_narrow(c->r, f) ? f->work.read + f->work.write
                                                                                          : 0;
}

static int striping(const struct dsn__case *c, struct dsn_finding *f)
{
    const struct sums s = sum_parts(c, striping_part);

    if (s.files == 0)
        return 0;
    fact(f, "large shared files with one stripe", (double)s.files, DSN_FACT_COUNT);
    fact(f, "bytes moved", dsn_work_bytes(&s.work), DSN_FACT_BYTES);
    fact(f, "seconds reading and writing, all ranks", s.work.read + s.work.write, DSN_FACT_SECONDS);
    say(f, "%" PRId64 " shared file%s of 1 GiB or more on a single storage target each.", s.files,
        s.files == 1 ? "" : "s");
    return 1;
}

static int burst(const struct dsn__case *c, struct dsn_finding *f)
{
    if (c->r->peak < 0.9 || c->run < 2 || c->r->wall < 0)
        return 0;
    fact(f, "share of bytes in the busiest twentieth of the run", c->r->peak, DSN_FACT_SHARE);
    fact(f, "seconds in which data moved", c->r->wall, DSN_FACT_SECONDS);
    fact(f, "run time", c->run, DSN_FACT_SECONDS);
    say(f, "%s of the bytes move in a twentieth of the run time.", dsn_share_text(c->r->peak).s);
    return 1;
}

/* ------------------------------------------------------------------ the rows */

const struct dsn__condition *dsn__condition(enum dsn_finding_id id)
{
#define ROW(symbol, fires, part, is_saveable, covers) [DSN_FINDING_##symbol] = { fires, part, is_saveable, covers }
#define BIT(symbol)                                   (1u << DSN_FINDING_##symbol)
    static const struct dsn__condition rows[DSN_NFINDINGS] = {
        ROW(ONE_RANK, one_rank, time_part, 0, BIT(UNEVEN) | BIT(STRAGGLER)),
        ROW(UNEVEN, uneven, time_part, 0, 0),
        ROW(STRAGGLER, straggler, time_part, 0, 0),
        ROW(SMALL_READS, small_reads, small_reads_part, 1, 0),
        ROW(SMALL_WRITES, small_writes, small_writes_part, 1, 0),
        ROW(INDEPENDENT, independent, independent_part, 1, 0),
        ROW(SIEVING, sieving, sieving_part, 1, 0),
        ROW(SAME_DATA, same_data, same_data_part, 1, 0),
        ROW(REREADS, rereads, rereads_part, 1, 0),
        ROW(REWRITES, rewrites, rewrites_part, 1, 0),
        ROW(RANDOM_READS, random_reads, random_reads_part, 0, 0),
        ROW(RANDOM_WRITES, random_writes, random_writes_part, 0, 0),
        ROW(UNALIGNED, unaligned, unaligned_part, 0, 0),
        ROW(SYNCS, syncs, syncs_part, 1, 0),
        ROW(STDIO, stdio, stdio_part, 1, 0),
        ROW(SMALL_FILES, small_files, small_files_part, 1, BIT(METADATA) | BIT(FILE_PER_PROCESS)),
        ROW(FILE_PER_PROCESS, file_per_process, file_per_process_part, 1, BIT(METADATA)),
        ROW(REOPENS, reopens, reopens_part, 1, BIT(METADATA)),
        ROW(SEEKS, seeks, seeks_part, 1, BIT(METADATA)),
        ROW(STATS, stats, stats_part, 1, BIT(METADATA)),
        ROW(UNTOUCHED, untouched, untouched_part, 1, BIT(METADATA)),
        ROW(METADATA, metadata, metadata_part, 0, 0),
        ROW(STRIPING, striping, striping_part, 0, 0),
        ROW(SLOW_NODE, slow_node, NULL, 0, BIT(STRAGGLER)),
        ROW(FEW_AGGREGATORS, few_aggregators, NULL, 0, 0),
        ROW(AGGREGATION, aggregation, NULL, 0, 0),
        ROW(BURST, burst, NULL, 0, 0),
    };
#undef BIT
#undef ROW

    return &rows[id];
}
