/* compat-layout.c - sizes and member offsets of the structs of compat.h, on which bindings of other languages depend
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers: spec consumers.md 1, modules-io.md 1.2, modules-other.md. They never change. */
#include "compat.h"

#include <stddef.h>

#include "log.h"

#define SIZE(type, bytes)     _Static_assert(sizeof(struct type) == (bytes), #type " has its size for ever")
#define AT(type, member, off) _Static_assert(offsetof(struct type, member) == (off), #type "." #member " has its place")

/* clang-format off */
SIZE(darshan_job, 1080);                    AT(darshan_job, uid, 0);
AT(darshan_job, start_time_sec, 8);         AT(darshan_job, start_time_nsec, 16);
AT(darshan_job, end_time_sec, 24);          AT(darshan_job, end_time_nsec, 32);
AT(darshan_job, nprocs, 40);                AT(darshan_job, jobid, 48);
AT(darshan_job, metadata, 56);

SIZE(darshan_mnt_info, 6030);               AT(darshan_mnt_info, mnt_path, 3015);
SIZE(darshan_mod_info, 24);                 AT(darshan_mod_info, name, 0);
AT(darshan_mod_info, len, 8);               AT(darshan_mod_info, ver, 12);
AT(darshan_mod_info, idx, 16);              AT(darshan_mod_info, partial_flag, 20);
SIZE(darshan_name_record, 16);              AT(darshan_name_record, name, 8);
SIZE(darshan_base_record, 16);              AT(darshan_base_record, rank, 8);

/* Records with the layout of a table: offsets of the integers and the doubles, size. */
#define RECORD(type, ints, doubles, bytes, first_double, values)                                                       \
    SIZE(type, bytes); AT(type, counters, ints); AT(type, fcounters, doubles);                                         \
    _Static_assert((doubles) == 16 + 8 * (first_double) && (bytes) == 16 + 8 * (values), #type " is the table's")
RECORD(darshan_posix_file,    16, 568,  704, POSIX_F_OPEN_START_TIMESTAMP,        POSIX_NVALUES);
RECORD(darshan_mpiio_file,    16, 424,  560, MPIIO_F_OPEN_START_TIMESTAMP,        MPIIO_NVALUES);
RECORD(darshan_stdio_file,    16, 128,  248, STDIO_F_META_TIME,                   STDIO_NVALUES);
RECORD(darshan_hdf5_file,     16,  40,   80, H5F_F_OPEN_START_TIMESTAMP,          H5F_NVALUES);
RECORD(darshan_hdf5_dataset,  24, 776,  912, H5D_F_OPEN_START_TIMESTAMP,          H5D_NVALUES);
RECORD(darshan_pnetcdf_file,  16,  88,  152, PNETCDF_FILE_F_OPEN_START_TIMESTAMP, PNETCDF_FILE_NVALUES);
RECORD(darshan_pnetcdf_var,   24, 984, 1120, PNETCDF_VAR_F_OPEN_START_TIMESTAMP,  PNETCDF_VAR_NVALUES);
RECORD(darshan_bgq_record,    16, 104,  112, BGQ_F_TIMESTAMP,                     BGQ_NVALUES);
RECORD(darshan_dfs_file,      16, 432,  584, DFS_F_OPEN_START_TIMESTAMP,          DFS_NVALUES);
RECORD(darshan_daos_object,   16, 528,  696, DAOS_F_OPEN_START_TIMESTAMP,         DAOS_NVALUES);
RECORD(darshan_apmpi_record,  16, 3184, 5232, MPI_SEND_TOTAL_TIME,                APMPI_NVALUES);
AT(darshan_hdf5_dataset, file_rec_id, 16);  AT(darshan_pnetcdf_var, file_rec_id, 16);
AT(darshan_dfs_file, pool_uuid, 552);       AT(darshan_dfs_file, cont_uuid, 568);
AT(darshan_daos_object, pool_uuid, 648);    AT(darshan_daos_object, cont_uuid, 664);
AT(darshan_daos_object, oid_hi, 680);       AT(darshan_daos_object, oid_lo, 688);
AT(darshan_apmpi_record, fsynccounters, 4960);
AT(darshan_apmpi_record, fglobalcounters, 5088);
AT(darshan_apmpi_record, node_name, 5104);

/* Records with arrays. */
SIZE(darshan_lustre_component, 72);         AT(darshan_lustre_component, pool_name, 56);
SIZE(darshan_lustre_record, 48);            AT(darshan_lustre_record, num_comps, 16);
AT(darshan_lustre_record, num_stripes, 24); AT(darshan_lustre_record, comps, 32);
AT(darshan_lustre_record, ost_ids, 40);
SIZE(darshan_heatmap_record, 48);           AT(darshan_heatmap_record, bin_width_seconds, 16);
AT(darshan_heatmap_record, nbins, 24);      AT(darshan_heatmap_record, write_bins, 32);
AT(darshan_heatmap_record, read_bins, 40);
SIZE(darshan_mdhim_record, 96);             AT(darshan_mdhim_record, counters, 16);
AT(darshan_mdhim_record, fcounters, 56);    AT(darshan_mdhim_record, server_ops, 88);
SIZE(darshan_apmpi_header, 48);             AT(darshan_apmpi_header, magic, 16);
AT(darshan_apmpi_header, sync_flag, 24);    AT(darshan_apmpi_header, time_variance, 32);
AT(darshan_apmpi_header, sync_variance, 40);
SIZE(darshan_dxt_file, 104);                AT(darshan_dxt_file, shared_record, 16);
AT(darshan_dxt_file, hostname, 24);         AT(darshan_dxt_file, write_count, 88);
AT(darshan_dxt_file, read_count, 96);
SIZE(darshan_dxt_segment, 40);              AT(darshan_dxt_segment, length, 8);
AT(darshan_dxt_segment, start_time, 16);    AT(darshan_dxt_segment, end_time, 24);
AT(darshan_dxt_segment, thread_id, 32);

SIZE(darshan_file_category_counters, 64);
AT(darshan_file_category_counters, count, 0);
AT(darshan_file_category_counters, total_read_volume_bytes, 8);
AT(darshan_file_category_counters, total_write_volume_bytes, 16);
AT(darshan_file_category_counters, max_read_volume_bytes, 24);
AT(darshan_file_category_counters, max_write_volume_bytes, 32);
AT(darshan_file_category_counters, total_max_offset_bytes, 40);
AT(darshan_file_category_counters, max_offset_bytes, 48);
AT(darshan_file_category_counters, nprocs, 56);
SIZE(darshan_derived_metrics, 512);
AT(darshan_derived_metrics, total_bytes, 0);
AT(darshan_derived_metrics, unique_io_total_time_by_slowest, 8);
AT(darshan_derived_metrics, unique_rw_only_time_by_slowest, 16);
AT(darshan_derived_metrics, unique_md_only_time_by_slowest, 24);
AT(darshan_derived_metrics, unique_io_slowest_rank, 32);
AT(darshan_derived_metrics, shared_io_total_time_by_slowest, 40);
AT(darshan_derived_metrics, agg_perf_by_slowest, 48);
AT(darshan_derived_metrics, agg_time_by_slowest, 56);
AT(darshan_derived_metrics, category_counters, 64);
/* clang-format on */

_Static_assert(sizeof(struct darshan_dxt_segment) == sizeof(struct dsn_dxt_segment) &&
                   sizeof(struct darshan_dxt_file) == sizeof(struct dsn_dxt_head) &&
                   sizeof(struct darshan_apmpi_header) == sizeof(struct dsn_apmpi_header) &&
                   sizeof(struct darshan_lustre_component) == sizeof(struct dsn_lustre_comp),
               "these are copied as they are");
_Static_assert(offsetof(struct darshan_mdhim_record, server_ops) == 16 + 8 * MDHIM_NVALUES, "so is what is before it");
