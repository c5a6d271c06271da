/* fuzz-compat.c - any bytes as a log, through the interface used by PyDarshan
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "fuzz.h"
#include "util/lib/compat.h"

static void sum(int module, void *record)
{
    struct darshan_derived_metrics metrics;
    uint64_t summary[2 + DSN_MAX_VALUES];
    darshan_accumulator acc;

    if (darshan_accumulator_create(module, 4, &acc) != 0)
        return;
    darshan_accumulator_inject(acc, record, 1);
    darshan_accumulator_emit(acc, &metrics, summary);
    fuzz_sink += (uint64_t)metrics.total_bytes + summary[0];
    darshan_accumulator_destroy(acc);
}

static void use_tail(int module, void *record)
{
    const struct darshan_lustre_record *lustre = record;
    const struct darshan_heatmap_record *heatmap = record;
    const struct darshan_dxt_file *dxt = record;
    const struct darshan_mdhim_record *mdhim = record;
    const struct darshan_apmpi_header *header = record;
    const struct darshan_apmpi_record *apmpi = record;

    if (module == DSN_MDHIM_MODULE && mdhim->counters[4] > 0)
        fuzz_sink += (uint64_t)mdhim->server_ops[mdhim->counters[4] - 1];
    if (module == DSN_APMPI_MODULE)
        fuzz_sink += header->magic == DSN_APMPI_MAGIC ? header->sync_flag : (unsigned char)apmpi->node_name[127];
    if (module == DSN_LUSTRE_MODULE && lustre->num_stripes > 0)
        fuzz_sink += (uint64_t)lustre->ost_ids[lustre->num_stripes - 1] + (uint64_t)lustre->comps[0].counters[0];
    if (module == DSN_HEATMAP_MODULE && heatmap->nbins > 0)
        fuzz_sink += (uint64_t)heatmap->read_bins[heatmap->nbins - 1];
    if ((module == DSN_DXT_POSIX_MODULE || module == DSN_DXT_MPIIO_MODULE) && dxt->write_count + dxt->read_count > 0)
        fuzz_sink += ((const struct darshan_dxt_segment *)(dxt + 1))[dxt->write_count + dxt->read_count - 1].thread_id;
}

static void read_names(void *log)
{
    struct darshan_name_record *names;
    uint64_t first;
    int n;

    darshan_log_get_name_records(log, &names, &n);
    first = n > 0 ? names[0].id : 0;
    for (int i = 0; i < n; i++)
        darshan_free(names[i].name);
    darshan_free(names);
    darshan_log_get_filtered_name_records(log, &names, &n, &first, 1);
    for (int i = 0; i < n; i++)
        darshan_free(names[i].name);
    darshan_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char path[64], exe[4096];
    struct darshan_job job;
    struct darshan_mnt_info *mounts;
    struct darshan_mod_info *modules;
    double runtime;
    void *log, *record;
    int count;

    strcpy(path, fuzz_file(bytes, n));
    log = darshan_log_open(path);
    if (!log)
        return 0;
    darshan_log_get_job(log, &job);
    darshan_log_get_job_runtime(log, job, &runtime);
    darshan_log_get_exe(log, exe);
    darshan_log_get_mounts(log, &mounts, &count);
    darshan_free(mounts);
    read_names(log);
    darshan_log_get_modules(log, &modules, &count);
    for (int i = 0; i < count; i++)
        while (darshan_log_get_record(log, modules[i].idx, &record) >= 1) {
            sum(modules[i].idx, record);
            use_tail(modules[i].idx, record);
            darshan_free(record);
        }
    fuzz_sink += strlen(darshan_log_get_error(log)) + strlen(exe);
    darshan_free(modules);
    darshan_log_close(log);
    return 0;
}
