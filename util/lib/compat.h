/* compat.h - the interface that programs written for Darshan's own library load: PyDarshan, and what is built on it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * New programs are better served by log.h: it streams, tells what is wrong in words, and hands out every module's
 * records by name. This one has the functions, structures and arrays of names that exist for PyDarshan's sake; their
 * layout never changes (spec consumers.md 1). Damaged logs give all that can be read, then an error, as in log.h.
 *
 *     void *log = darshan_log_open("a.darshan");
 *     struct darshan_posix_file *file = NULL;
 *
 *     while (log && darshan_log_get_record(log, 1, (void **)&file) >= 1) {
 *         printf("%lld\n", (long long)file->counters[0]);
 *         darshan_free(file);
 *         file = NULL;
 *     }
 *     darshan_log_close(log);
 *
 * Nothing here prints, exits, or keeps state outside the handles. One handle is for one thread at a time; different
 * handles are independent. Memory that a function allocates for the caller must be freed with darshan_free().
 *
 * A handle may be NULL, as darshan_log_open() returns for a file that is not a log, and so may each output argument:
 * then there is nothing, -1 or no elements, and what can be set is set to that (0, NULL, an empty text). */
#ifndef DARSHAN_COMPAT_H
#define DARSHAN_COMPAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ structures */

struct darshan_job {
    int64_t uid;
    int64_t start_time_sec, start_time_nsec; /* Unix time */
    int64_t end_time_sec, end_time_nsec;
    int64_t nprocs;
    int64_t jobid;
    char metadata[1024]; /* "key=value\n" lines, NUL-terminated */
};

struct darshan_mnt_info {
    char mnt_type[3015];
    char mnt_path[3015];
};

struct darshan_mod_info {
    const char *name; /* lives as long as the library */
    int len;          /* bytes of the region in the file; INT_MAX if there are more */
    int ver;
    int idx;          /* the module's number */
    int partial_flag; /* 1: it lost data */
};

struct darshan_name_record {
    uint64_t id;
    char *name;
};

/* Records. Every one begins like this. */
struct darshan_base_record {
    uint64_t id;
    int64_t rank; /* -1: reduced over all ranks */
};

struct darshan_posix_file {
    struct darshan_base_record base_rec;
    int64_t counters[69];
    double fcounters[17];
};

struct darshan_mpiio_file {
    struct darshan_base_record base_rec;
    int64_t counters[51];
    double fcounters[17];
};

struct darshan_stdio_file {
    struct darshan_base_record base_rec;
    int64_t counters[14];
    double fcounters[15];
};

struct darshan_hdf5_file {
    struct darshan_base_record base_rec;
    int64_t counters[3];
    double fcounters[5];
};

struct darshan_hdf5_dataset {
    struct darshan_base_record base_rec;
    uint64_t file_rec_id;
    int64_t counters[94];
    double fcounters[17];
};

struct darshan_pnetcdf_file {
    struct darshan_base_record base_rec;
    int64_t counters[9];
    double fcounters[8];
};

struct darshan_pnetcdf_var {
    struct darshan_base_record base_rec;
    uint64_t file_rec_id;
    int64_t counters[120];
    double fcounters[17];
};

struct darshan_bgq_record {
    struct darshan_base_record base_rec;
    int64_t counters[11];
    double fcounters[1];
};

struct darshan_dfs_file {
    struct darshan_base_record base_rec;
    int64_t counters[52];
    double fcounters[15];
    unsigned char pool_uuid[16];
    unsigned char cont_uuid[16];
};

struct darshan_daos_object {
    struct darshan_base_record base_rec;
    int64_t counters[64];
    double fcounters[15];
    unsigned char pool_uuid[16];
    unsigned char cont_uuid[16];
    uint64_t oid_hi;
    uint64_t oid_lo;
};

struct darshan_lustre_component {
    int64_t counters[7]; /* named by lustre_comp_counter_names */
    char pool_name[16];  /* NUL-padded */
};

/* Both pointers lead into the memory that the record stands in. */
struct darshan_lustre_record {
    struct darshan_base_record base_rec;
    int64_t num_comps;
    int64_t num_stripes;
    struct darshan_lustre_component *comps;
    int64_t *ost_ids; /* of all components, one after the other */
};

/* Likewise. */
struct darshan_heatmap_record {
    struct darshan_base_record base_rec;
    double bin_width_seconds;
    int64_t nbins;
    int64_t *write_bins; /* bytes */
    int64_t *read_bins;
};

/* MDHIM and APMPI have the layout of the log format's newest version (doc/log-format.md); nothing is known of how
 * PyDarshan declares them, and there are no arrays of their counters' names: dsn_table() has these. */
struct darshan_mdhim_record {
    struct darshan_base_record base_rec;
    int64_t counters[5]; /* the last one: number of servers */
    double fcounters[4];
    int64_t server_ops[1]; /* as many as there are servers, but one at least */
};

/* The first record of APMPI, and the only one of its kind. */
struct darshan_apmpi_header {
    struct darshan_base_record base_rec;
    int64_t magic;
    uint32_t sync_flag; /* 1: fsynccounters were measured */
    uint32_t unused;
    double time_variance, sync_variance; /* over ranks */
};

/* All others. */
struct darshan_apmpi_record {
    struct darshan_base_record base_rec;
    uint64_t counters[396];
    double fcounters[222];
    double fsynccounters[16];
    double fglobalcounters[2];
    char node_name[128]; /* NUL-padded */
};

/* Followed at once by the segments: the writes, then the reads. */
struct darshan_dxt_file {
    struct darshan_base_record base_rec;
    int64_t shared_record; /* 0 */
    char hostname[64];
    int64_t write_count;
    int64_t read_count;
};

struct darshan_dxt_segment {
    int64_t offset;
    int64_t length;
    double start_time;
    double end_time;
    uint64_t thread_id; /* 0 unless DXT_POSIX is of version 2, DXT_MPIIO of version 3 */
};

/* ------------------------------------------------------------------ names of counters */

/* Each ends with "<key>_NUM_INDICES" or "<key>_F_NUM_INDICES". */
extern const char *const posix_counter_names[], *const posix_f_counter_names[];
extern const char *const mpiio_counter_names[], *const mpiio_f_counter_names[];
extern const char *const stdio_counter_names[], *const stdio_f_counter_names[];
extern const char *const h5f_counter_names[], *const h5f_f_counter_names[];
extern const char *const h5d_counter_names[], *const h5d_f_counter_names[];
extern const char *const pnetcdf_file_counter_names[], *const pnetcdf_file_f_counter_names[];
extern const char *const pnetcdf_var_counter_names[], *const pnetcdf_var_f_counter_names[];
extern const char *const bgq_counter_names[], *const bgq_f_counter_names[];
extern const char *const dfs_counter_names[], *const dfs_f_counter_names[];
extern const char *const daos_counter_names[], *const daos_f_counter_names[];
extern const char *const lustre_comp_counter_names[];

/* ------------------------------------------------------------------ logs */

/* The release that this interface is compatible with, "3.5.0". Lives as long as the library. */
char *darshan_log_get_lib_version(void);

/* Returns a handle, or NULL (errno: why the file cannot be opened, ENOMEM, or EINVAL if it is not a readable log).
 * A handle begins with the log's format version: char version[8], as text. */
void *darshan_log_open(const char *path);

/* Records that were handed out live on. */
void darshan_log_close(void *fd);

/* What went wrong last on this handle, as a sentence without a subject; "no error" if nothing did. Damage that opening
 * got over is an error, too. Lives until the next call. */
const char *darshan_log_get_error(void *fd);

/* These return 0, or -1 if there is no memory. */
int darshan_log_get_job(void *fd, struct darshan_job *job);
int darshan_log_get_job_runtime(void *fd, struct darshan_job job, double *runtime); /* seconds */
int darshan_log_get_exe(void *fd, char *buf);                                       /* buf has 4096 bytes */
int darshan_log_get_mounts(void *fd, struct darshan_mnt_info **mnt_data_array, int *count);

/* Modules that have data. Only those with a number that this release knows, for consumers index a list by it. */
void darshan_log_get_modules(void *fd, struct darshan_mod_info **mods, int *count);

/* All names, or those of the n ids that the log has. Each name is the caller's to free, then the array. */
void darshan_log_get_name_records(void *fd, struct darshan_name_record **name_records, int *count);
void darshan_log_get_filtered_name_records(void *fd, struct darshan_name_record **name_records, int *count,
                                           uint64_t *ids, int n);

/* Programs of old look up names in a hash table, of a library of which nothing is known here. There is none: -1, and
 * *hash is NULL. The names are to be had from the two functions above. */
int darshan_log_get_namehash(void *fd, void **hash);

/* The next record of a module, in native byte order and the newest version's layout, in memory of its own. Returns 1;
 * 0: there are no more, and the next call begins with the first again; -1: they cannot be read (any further), or the
 * module has no structure above (NULL, APXC, unknown ones). *buf, which is not looked at before, is NULL then. */
int darshan_log_get_record(void *fd, int mod_idx, void **buf);

void darshan_free(void *ptr);

/* ------------------------------------------------------------------ sums over records */

/* Files of a kind. */
struct darshan_file_category_counters {
    int64_t count;
    int64_t total_read_volume_bytes;
    int64_t total_write_volume_bytes;
    int64_t max_read_volume_bytes; /* of one file */
    int64_t max_write_volume_bytes;
    int64_t total_max_offset_bytes; /* sum of the files' highest offsets; -1 if one is not known */
    int64_t max_offset_bytes;       /* the highest of them; -1 where the module does not keep any */
    int64_t nprocs;                 /* processes that have records of these files; -1: all */
};

/* What darshan-parser prints with --perf, and the kinds of files that it counts with --file. Layout and names are those
 * of release 3.5.0. */
struct darshan_derived_metrics {
    int64_t total_bytes;                    /* read and written */
    double unique_io_total_time_by_slowest; /* of the rank that spent most on records of its own, seconds */
    double unique_rw_only_time_by_slowest;  /* of that: reading and writing */
    double unique_md_only_time_by_slowest;  /* of that: in metadata calls */
    int unique_io_slowest_rank;             /* that rank */
    double shared_io_total_time_by_slowest; /* sum over shared records of their slowest rank's time */
    double agg_perf_by_slowest;             /* MiB a second */
    double agg_time_by_slowest;             /* unique_io_total_time + shared_io_total_time */
    /* all, only read, only written, read and written, unique, shared, partially shared */
    struct darshan_file_category_counters category_counters[7];
};

typedef struct darshan_accumulator_st *darshan_accumulator;

/* For records of POSIX, MPI-IO, STDIO, DFS or DAOS. Returns 0; another module, or no memory: -1, *out is NULL. */
int darshan_accumulator_create(int mod_id, int64_t nprocs, darshan_accumulator *out);

/* n records, packed one behind the other. 0, or -1: no records or no accumulator given (nothing has changed), or no
 * memory (the sums are not to be used). */
int darshan_accumulator_inject(darshan_accumulator acc, void *records, int n);

/* The figures, and all records in one; of both, NULL is left out. 0, or -1: no memory, or no accumulator (nothing is
 * written). May be called again after more records. */
int darshan_accumulator_emit(darshan_accumulator acc, struct darshan_derived_metrics *metrics, void *summary_record);

/* NULL is allowed. Always 0. */
int darshan_accumulator_destroy(darshan_accumulator acc);

#ifdef __cplusplus
}
#endif

#endif
