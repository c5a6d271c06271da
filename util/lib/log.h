/* log.h - reading a Darshan log: the public interface of libdarshan-util
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct darshan_reader *log;
 *     struct darshan_reader_error err;
 *     struct darshan_reader_records *it;
 *     const darshan_log_record *rec;
 *
 *     if (darshan_reader_open("a.darshan", &log, &err) != DARSHAN_ERR_OK)
 *         ...                                                        err.text says what is wrong
 *     if (darshan_reader_begin(log, DARSHAN_POSIX_MOD, &it, &err) == DARSHAN_ERR_OK) {
 *         while ((rec = darshan_reader_next(it, &err)) != NULL)
 *             printf("%s %lld\n", darshan_reader_name(log, rec->id), (long long)rec->v[POSIX_BYTES_READ].i);
 *         darshan_reader_end(it);                                    err.code: why it ended
 *     }
 *     darshan_reader_close(log);
 *
 * Logs of every version, byte order and compression look the same: records come in the newest layout and native byte
 * order, described by darshan_module_table(). A log is not trusted: whatever it says is checked against the file; a
 * damaged one gives all that can still be read, then an error. Names, paths and texts are bytes as they stand in
 * the log, with any control character in them, and are for the caller to make safe before showing them.
 *
 * Nothing here prints, exits or keeps state outside the handle. One handle is for one thread at a time; different
 * handles are independent. Memory: each name's length and some 30 bytes, and a fixed amount for each module being read.
 */
#ifndef DARSHAN_LOG_H
#define DARSHAN_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"
#include "darshan-log-format/varying.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types described in the headers of darshan-log-format, under public names: the log's header and job; a record, and its
 * tail; the table of a module, and its rows, one per counter; the header of APMPI's records; a trace's head and
 * segments; a part of the extension section; a CPU time of its part "cpu". */
typedef struct dsn_header darshan_log_header;
typedef struct dsn_job darshan_log_job;
typedef struct dsn_rec darshan_log_record;
typedef struct dsn_tail darshan_log_tail;
typedef struct dsn_table darshan_log_table;
typedef struct dsn_row darshan_log_row;
typedef struct dsn_apmpi_header darshan_log_apmpi;
typedef struct dsn_dxt_head darshan_log_trace;
typedef struct dsn_dxt_segment darshan_log_segment;
typedef struct dsn_ext_part darshan_log_part;
typedef struct dsn_cpu_stamp darshan_cpu_stamp;

/* clang-format off */
#define X(code, text) DARSHAN_ERR_##code = DSN_ERR_##code,
enum darshan_error { DSN_ERR_MAP(X) DARSHAN_NERRORS };
#undef X
#define M(symbol, id, name, key, version)        DARSHAN_##symbol##_MOD = (id),
#define T(symbol, id, name, key, version, table) DARSHAN_##symbol##_MOD = (id),
enum darshan_module {
#include "darshan-log-format/modules.def"
    DARSHAN_KNOWN_MODULES };
#undef M
#undef T
/* clang-format on */
enum darshan_compression { DARSHAN_ZLIB = DSN_ZLIB, DARSHAN_BZIP2 = DSN_BZIP2 };

/* The message of an error, without a subject: "is not a Darshan log". Never NULL, whatever the code. */
const char *darshan_error_text(int code);

/* The structure of a module's records; NULL if it has no counters (DXT), or is unknown. Constant. */
const darshan_log_table *darshan_module_table(unsigned module);

/* The printed name, such as "MPI-IO"; NULL if unknown. Constant. */
const char *darshan_module_name(unsigned module);

struct darshan_reader;
struct darshan_reader_records;

/* An error. `text` has no subject and no full stop: "is not a Darshan log". */
struct darshan_reader_error {
    int code; /* enum darshan_error; DARSHAN_ERR_OK: nothing */
    char text[200];
};

/* Opens a log and reads everything except the modules' records. Returns an enum darshan_error; on success close *out
 * with darshan_reader_close(), otherwise *out is NULL. `err` may be NULL, here and everywhere. */
int darshan_reader_open(const char *path, struct darshan_reader **out, struct darshan_reader_error *err);

/* The same for callers that need no names, such as sums over records: the names are checked for damage, but not kept.
 * Takes less time and memory; darshan_reader_name() then finds none. */
int darshan_reader_open_nameless(const char *path, struct darshan_reader **out, struct darshan_reader_error *err);

/* End all iterations with darshan_reader_end() before. NULL is allowed. */
void darshan_reader_close(struct darshan_reader *log);

/* Damage that did not prevent opening: in the mount table, the name table or the extension section. What could be read
 * of them is available. Returns the code of the first such damage, or DARSHAN_ERR_OK. */
int darshan_reader_damage(const struct darshan_reader *log, struct darshan_reader_error *err);

/* The results are valid as long as the handle, and never NULL. */
const darshan_log_header *darshan_reader_header(const struct darshan_reader *log);
const darshan_log_job *darshan_reader_job(const struct darshan_reader *log);
const char *darshan_reader_exe(const struct darshan_reader *log); /* the command line; "" if the log does not have it */

/* Run time of the job in seconds, according to the log; may be 0 or, in a damaged log, anything. */
double darshan_reader_runtime(const struct darshan_reader *log);

/* Bytes of the job region in the file. */
uint64_t darshan_reader_job_length(const struct darshan_reader *log);

/* Iterates over the job's metadata lines "key=value". Start with *pos = 0; returns 0 at the end. The strings are not
 * NUL-terminated. */
struct darshan_reader_metadata {
    const char *key, *value;
    size_t key_length, value_length;
};
int darshan_reader_metadata(const struct darshan_reader *log, size_t *pos, struct darshan_reader_metadata *out);

/* Mounted file systems, longest path first. */
struct darshan_reader_mount {
    const char *path, *type;
};
size_t darshan_reader_mounts(const struct darshan_reader *log, const struct darshan_reader_mount **out);

/* The innermost mount that contains a file of that name, by comparing components of paths; both strings are "UNKNOWN" if there is none. */
const struct darshan_reader_mount *darshan_reader_mount_of(const struct darshan_reader *log, const char *name);

/* The name of a record id, valid as long as the handle; NULL if the log has none. */
const char *darshan_reader_name(const struct darshan_reader *log, uint64_t id);

/* All names, in the order of their first occurrence in the log: i = 0, 1, ... darshan_reader_names() - 1. */
size_t darshan_reader_names(const struct darshan_reader *log);
const char *darshan_reader_name_at(const struct darshan_reader *log, size_t i, uint64_t *id);

/* Starts reading the records of a module that has a darshan_module_table(). Returns DARSHAN_ERR_OK (also if the module
 * has no data), MODVERSION (also for a module without a table), BZIP2 or MEMORY. On success end *out with
 * darshan_reader_end(). Several iterations may be active at once, also of one module. */
int darshan_reader_begin(struct darshan_reader *log, unsigned module, struct darshan_reader_records **out,
                         struct darshan_reader_error *err);

/* The next record, valid until the next call. NULL at the end; err->code says whether that is the proper end
 * (DARSHAN_ERR_OK) or damage. */
const darshan_log_record *darshan_reader_next(struct darshan_reader_records *it, struct darshan_reader_error *err);
void darshan_reader_end(struct darshan_reader_records *it);

/* The tail of the record that darshan_reader_next() last returned (LUSTRE, HEATMAP, MDHIM); valid as long as the
 * record. HEATMAP: all records have as many bins as the first if they differ by only one. */
const darshan_log_tail *darshan_reader_tail(const struct darshan_reader_records *it);

/* HEATMAP: from now on records have the same bins as in the file. Call it before the first record is read. */
void darshan_reader_as_written(struct darshan_reader_records *it);

/* The header that precedes APMPI's records; NULL if there is none (see err), or if `it` reads another module. May be
 * called at any time; valid as long as `it`. */
const darshan_log_apmpi *darshan_reader_apmpi(struct darshan_reader_records *it, struct darshan_reader_error *err);

/* Traces (DXT_POSIX, DXT_MPIIO). Memory is bounded (64 MiB) however long a trace is: segments are taken piece by piece.
 *
 *     if (darshan_dxt_begin(log, DARSHAN_DXT_POSIX_MOD, &it, &err) == DARSHAN_ERR_OK) {
 *         while ((head = darshan_dxt_next(it, &err)) != NULL)
 *             while ((n = darshan_dxt_segments(it, segments, 256, &err)) > 0)
 *                 ...                         the first head->nwrites of them are writes, the others reads
 *         darshan_dxt_end(it);                err.code: why it ended
 *     }
 */
struct darshan_dxt;

/* Returns as darshan_reader_begin(). */
int darshan_dxt_begin(struct darshan_reader *log, unsigned module, struct darshan_dxt **out,
                      struct darshan_reader_error *err);

/* The head of the next record, valid until the next call; segments of the last record that were not read are skipped.
 * NULL: at the end, or damage (err). */
const darshan_log_trace *darshan_dxt_next(struct darshan_dxt *it, struct darshan_reader_error *err);

/* Reads up to `max` of the record's next segments. Returns their number; 0: at the end, or damage (err). */
size_t darshan_dxt_segments(struct darshan_dxt *it, darshan_log_segment *out, size_t max,
                            struct darshan_reader_error *err);

/* Whether the log has the thread of each segment. */
int darshan_dxt_has_threads(const struct darshan_dxt *it);

/* Number of threads in the record's segments; call it before the first of them is read. 1 if the log does not say, or
 * there are no segments. -1: out of memory (err). */
int64_t darshan_dxt_threads(struct darshan_dxt *it, struct darshan_reader_error *err);
void darshan_dxt_end(struct darshan_dxt *it);

/* The extension section (darshan-log-format/extension.h); other implementations' logs have none. Both return the number
 * of elements, 0 if the part is missing or damaged (see darshan_reader_damage()). Valid as long as the handle. */
size_t darshan_reader_nodes(const struct darshan_reader *log, const char *const **names);

/* Totals of every rank: n records with the values of rank.def (RANK_AGGREGATED, ...); record i is rank i's. */
size_t darshan_reader_ranks(const struct darshan_reader *log);
const darshan_log_record *darshan_reader_rank(const struct darshan_reader *log, size_t i);

/* Per-rank figures of shared records: n records with the values of shared.def (SHARED_READERS, ...), by module and id.
 * The last function returns the one of a shared record; NULL if the log does not contain it. */
size_t darshan_reader_shared(const struct darshan_reader *log);
const darshan_log_record *darshan_reader_shared_row(const struct darshan_reader *log, size_t i);
const darshan_log_record *darshan_reader_shared_of(const struct darshan_reader *log, unsigned module, uint64_t id);

/* What opens for writing found, and times that records of POSIX, MPI-IO and STDIO contain: n records with the values of
 * file.def (FILE_CREATED, ...), by module, id and rank. Read at the first call, for there may be very many; the row of a
 * record of the module is NULL if that is an ordinary one (darshan-log-format/extension.h). The first function returns 0 if
 * the log tells nothing of that. */
int darshan_reader_tells_files(struct darshan_reader *log);
size_t darshan_reader_files(struct darshan_reader *log);
const darshan_log_record *darshan_reader_file_row(const struct darshan_reader *log, size_t i);
const darshan_log_record *darshan_reader_file_of(struct darshan_reader *log, unsigned module,
                                                 const darshan_log_record *record);

/* Files that were mapped into memory, and what loads and stores touched of them: n records with the values of mapped.def
 * (MAPPED_TOUCHED, ...), by id and rank; a file may have some of ranks and one of all, -1. Read at the first call. */
size_t darshan_reader_mapped(struct darshan_reader *log);
const darshan_log_record *darshan_reader_mapped_row(const struct darshan_reader *log, size_t i);

/* Where the program calls I/O functions, if it was run so that this is recorded: n records with the values of site.def
 * (SITE_FILE, ...), in no order, and the chains of calls that they are about, each once, by id. A text may be any bytes, with a
 * NUL behind them; darshan-log-format/extension.h says what it should be. Read at the first call. */
typedef struct darshan_log_stack {
    uint64_t id;
    const char *text; /* valid as long as the log */
} darshan_log_stack;
size_t darshan_reader_sites(struct darshan_reader *log);
const darshan_log_record *darshan_reader_site(const struct darshan_reader *log, size_t i);
size_t darshan_reader_stacks(struct darshan_reader *log, const darshan_log_stack **stacks);
const char *darshan_reader_stack(struct darshan_reader *log, uint64_t id); /* NULL: there is none */
/* Files that cuFile (GPUDirect Storage) has accessed: n records with the values of cufile.def (enum dsn_cufile_index), by id and
 * rank; one of them may be that of buffers. They are read at the first call. */
size_t darshan_reader_cufile(struct darshan_reader *log);
const darshan_log_record *darshan_reader_cufile_row(const struct darshan_reader *log, size_t i);

/* What log-based I/O did in each rank that used it: n records with the values of lbio.def (LBIO_BYTES, ...), by rank. */
size_t darshan_reader_lbio(const struct darshan_reader *log);
const darshan_log_record *darshan_reader_lbio_row(const struct darshan_reader *log, size_t i);

/* What was called in the phases that the program has named: n records with the values of phase.def (PHASE_POSIX_READS, ...),
 * in no order. A phase that all ranks were in has one, of rank -1, another one of each rank that was in it. The name ends
 * within 64 bytes, which may be any. */
size_t darshan_reader_phases(const struct darshan_reader *log);
const darshan_log_record *darshan_reader_phase(const struct darshan_reader *log, size_t i);
const char *darshan_reader_phase_name(const darshan_log_record *phase);

/* Any part of the section, including those that this release does not know. The bytes are as in the file, in the byte
 * order of the header, and are freed by the caller. Returns DARSHAN_ERR_OK, EXTENSION or MEMORY. */
size_t darshan_reader_parts(const struct darshan_reader *log);
const darshan_log_part *darshan_reader_part(const struct darshan_reader *log, size_t i);
int darshan_reader_part_bytes(const struct darshan_reader *log, size_t i, void **bytes,
                              struct darshan_reader_error *err);

/* The CPU times of threads beside traces: n of them in no order, in native byte order, to be freed by the caller; none,
 * if the log has none. Any values may be in them. Returns DARSHAN_ERR_OK, EXTENSION or MEMORY. */
int darshan_reader_cpu_stamps(const struct darshan_reader *log, darshan_cpu_stamp **out, size_t *n,
                              struct darshan_reader_error *err);

#ifdef __cplusplus
}
#endif

#endif
