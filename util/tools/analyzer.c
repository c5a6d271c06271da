/* analyzer.c - darshan-analyzer: how the jobs in a directory of logs access files
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The output is parsed by scripts: spec parser-output.md 8. */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "walk.h"

#define COMMAND  "darshan-analyzer"
#define NBUCKETS 5

static const struct dsn_option options[] = {
    { "mean", NULL, "divide the I/O time by the number of processes", 'm' },
};

static const struct dsn_command command = {
    COMMAND,
    "[--mean] DIRECTORY",
    "Prints how the jobs whose Darshan logs are in a directory, or below it, access files.",
    options,
    1,
    NULL,
};

enum kind { SHARED, PER_PROCESS, MPIO, PNETCDF, HDF5, NKINDS };

struct tally {
    int mean;
    int64_t logs, kind[NKINDS], bucket[NBUCKETS];
    int64_t unreadable;
    char unreadable_name[1024]; /* of the first */
    struct darshan_reader_error why;
};

static void note_unreadable(struct tally *t, const char *file, const struct darshan_reader_error *err)
{
    if (t->unreadable++ > 0)
        return;
    snprintf(t->unreadable_name, sizeof t->unreadable_name, "%s", file);
    t->why = *err;
}

static int has_data(const struct darshan_reader *log, unsigned module)
{
    return darshan_reader_header(log)->mod[module].len > 0;
}

/* Seconds in POSIX I/O, summed over ranks; and the kinds of records. */
static double read_posix(struct darshan_reader *log, int has[NKINDS], struct darshan_reader_error *err)
{
    const struct dsn_table *t = dsn_table(DSN_POSIX_MODULE);
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    double seconds = 0;

    if (darshan_reader_begin(log, t->id, &it, err) != DSN_ERR_OK)
        return 0;
    while ((r = darshan_reader_next(it, err)) != NULL) {
        seconds += r->v[POSIX_F_READ_TIME].f + r->v[POSIX_F_WRITE_TIME].f + r->v[POSIX_F_META_TIME].f;
        has[r->rank == -1 ? SHARED : PER_PROCESS] = 1;
    }
    darshan_reader_end(it);
    return seconds;
}

/* NaN is in no bucket. */
static void count_ratio(struct tally *t, double ratio)
{
    static const double limit[NBUCKETS - 1] = { 0.2, 0.4, 0.6, 0.8 };

    for (int i = 0; i < NBUCKETS - 1; i++)
        if (ratio <= limit[i]) {
            t->bucket[i]++;
            return;
        }
    t->bucket[NBUCKETS - 1] += ratio > limit[NBUCKETS - 2];
}

/* Counts every file, even if it is not a log. Returns 0 or ENOMEM. */
static int count_log(void *context, const char *path)
{
    struct tally *t = context;
    struct darshan_reader_error err;
    struct darshan_reader *log;
    int has[NKINDS] = { 0 };
    double ratio = 0;

    if (darshan_reader_open(path, &log, &err) == DSN_ERR_OK) {
        const int64_t nprocs = darshan_reader_job(log)->nprocs;
        const double seconds = read_posix(log, has, &err);

        has[MPIO] = has_data(log, DSN_MPIIO_MODULE);
        has[PNETCDF] = has_data(log, DSN_PNETCDF_FILE_MODULE) || has_data(log, DSN_PNETCDF_VAR_MODULE);
        has[HDF5] = has_data(log, DSN_H5F_MODULE) || has_data(log, DSN_H5D_MODULE);
        if (has[SHARED] || has[PER_PROCESS])
            ratio = seconds / (double)(t->mean && nprocs > 0 ? nprocs : 1) / darshan_reader_runtime(log);
        darshan_reader_close(log);
    }
    if (err.code == DSN_ERR_MEMORY)
        return ENOMEM;
    if (err.code != DSN_ERR_OK)
        note_unreadable(t, path, &err);
    t->logs++;
    for (int i = 0; i < NKINDS; i++)
        t->kind[i] += has[i];
    count_ratio(t, ratio);
    return 0;
}

static void print_tally(const struct tally *t, const char *dir)
{
    static const char *const label[NKINDS] = { [SHARED] = "shared file",
                                               [PER_PROCESS] = "file-per-proccess", /* sic: scripts search for it */
                                               [MPIO] = "mpio",
                                               [PNETCDF] = "pnetcdf",
                                               [HDF5] = "hdf5" };

    printf("log dir: %s\ntotal logs: %" PRId64 "\n", dir, t->logs);
    for (int i = 0; i < NKINDS; i++) {
        printf("%17s access: ", label[i]);
        if (t->logs > 0)
            printf("%f", (double)t->kind[i] / (double)t->logs);
        else
            printf("-nan"); /* as in the original */
        printf(" [%" PRId64 "]\n", t->kind[i]);
    }
    printf("\nI/O percentage of runtime:\n");
    for (int i = 0; i < NBUCKETS; i++)
        printf("%.2f-%.2f: %" PRId64 "\n", 0.2 * i, 0.2 * (i + 1), t->bucket[i]);
}

static int take_option(void *context, int value, const char *argument)
{
    (void)value;
    (void)argument;
    ((struct tally *)context)->mean = 1;
    return 1;
}

int main(int argc, char **argv)
{
    struct tally t = { 0 };
    const char *dir;
    int error, rc;

    dsn_begin();
    rc = dsn_options(&command, argc, argv, take_option, &t);
    if (rc >= 0)
        return rc;
    if (optind != argc - 1)
        return dsn_usage(&command, optind < argc ? "give one directory" : "no directory given");
    dir = argv[optind];
    error = dsn_walk(dir, count_log, &t);
    if (error != 0) {
        dsn_warn(COMMAND, dir, "cannot be scanned: %s", strerror(error));
        return 1;
    }
    print_tally(&t, dir);
    if (fflush(stdout) != 0) {
        fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(errno));
        return 1;
    }
    if (t.unreadable > 0)
        dsn_complain(COMMAND, t.unreadable_name, &t.why, t.unreadable > 1000000 ? 1000000 : (int)t.unreadable - 1);
    return 0;
}
