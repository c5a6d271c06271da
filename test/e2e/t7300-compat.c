/* t7300-compat.c - a program as they are written for Darshan's own library: what it prints of a log, darshan-parser does, too
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "darshan-logutils.h"

static void print_posix(darshan_fd log)
{
    struct darshan_posix_file *file = NULL;

    while (darshan_log_get_record(log, DARSHAN_POSIX_MOD, (void **)&file) >= 1) {
        for (int i = 0; i < POSIX_NUM_INDICES; i++)
            if (i != POSIX_RENAMED_FROM)
                printf("POSIX\t%ld\t%lu\t%s\t%ld\n", (long)file->base_rec.rank, (unsigned long)file->base_rec.id,
                       posix_counter_names[i], (long)file->counters[i]);
        for (int i = 0; i < POSIX_F_NUM_INDICES; i++)
            printf("POSIX\t%ld\t%lu\t%s\t%f\n", (long)file->base_rec.rank, (unsigned long)file->base_rec.id,
                   posix_f_counter_names[i], file->fcounters[i]);
        if (file->counters[POSIX_BYTES_READ] + file->counters[POSIX_BYTES_WRITTEN] > 0 &&
            file->fcounters[POSIX_F_READ_TIME] + file->fcounters[POSIX_F_WRITE_TIME] < 0)
            puts("a time that cannot be");
        darshan_free(file);
        file = NULL;
    }
}

static int sum(darshan_fd log)
{
    struct darshan_derived_metrics sums;
    struct darshan_posix_file *file = NULL;
    darshan_accumulator all;

    if (darshan_accumulator_create(DARSHAN_POSIX_MOD, 1, &all) != 0)
        return 0;
    while (darshan_log_get_record(log, DARSHAN_POSIX_MOD, (void **)&file) >= 1) {
        darshan_accumulator_inject(all, file, 1);
        darshan_free(file);
        file = NULL;
    }
    darshan_accumulator_emit(all, &sums, NULL);
    darshan_accumulator_destroy(all);
    printf("# total_bytes: %ld\n# agg_perf_by_slowest: %f # MiB/s\n", (long)sums.total_bytes, sums.agg_perf_by_slowest);
    printf(
        "# total: %ld %ld %ld\n", (long)sums.category_counters[0].count,
        (long)(sums.category_counters[0].total_read_volume_bytes + sums.category_counters[0].total_write_volume_bytes),
        (long)sums.category_counters[0].max_offset_bytes);
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argv[argc - 1];
    darshan_fd log = darshan_log_open(path);
    struct darshan_job job;
    double runtime;
    char exe[4096];

    if (!log || darshan_log_get_job(log, &job) != 0 || darshan_log_get_job_runtime(log, job, &runtime) != 0 ||
        darshan_log_get_exe(log, exe) != 0)
        return 1;
    printf("# exe: %s\n# nprocs: %ld\n# run time: %.4f\n", exe, (long)job.nprocs, runtime);
    print_posix(log);
    if (!sum(log))
        return 1;
    darshan_log_close(log);
    return 0;
}
