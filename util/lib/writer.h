/* writer.h - writing a Darshan log: the public interface of libdarshan-util
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     struct darshan_writer *w;
 *     struct darshan_reader_error err;
 *
 *     if (darshan_writer_create("b.darshan", DARSHAN_ZLIB, &w, &err) != DARSHAN_ERR_OK)
 *         ...
 *     darshan_writer_job(w, &job, "./app -x", mounts, nmounts);
 *     darshan_writer_name(w, id, "/scratch/a.dat");
 *     darshan_writer_record(w, DARSHAN_POSIX_MOD, &rec, NULL);
 *     if (darshan_writer_finish(w, &err) != DARSHAN_ERR_OK)
 *         ...                                             err.text says what went wrong, in this or an earlier call
 *
 * A log of the newest version (3.41, newest versions of all modules, native byte order) is written from front to back:
 * job, names, modules by ascending id, extension parts. Each region is one stream of the log's compression. Memory does
 * not grow with the log. What darshan_reader_* gave is taken as it is, so that reading what was written gives the same
 * values again.
 *
 * All functions but create return an enum darshan_error: DARSHAN_ERR_OK; USE if parts come in another order or do not
 * agree with each other; WRITE, MEMORY. After the first error nothing more is written, every call returns it, and
 * darshan_writer_finish() tells it: calls in between need no check.
 *
 * The file is made under another name in the same directory and renamed when it is complete and synced, header last;
 * until then, and if anything goes wrong, nothing of it stands under the final name. Its mode is 0400.
 *
 * Nothing here prints, exits or keeps state outside the handle. One handle is for one thread at a time. */
#ifndef DARSHAN_WRITER_H
#define DARSHAN_WRITER_H

#include "log.h"

#ifdef __cplusplus
extern "C" {
#endif

struct darshan_writer;

/* Creates a log; `compression` is DARSHAN_ZLIB or, if supported by the build, DARSHAN_BZIP2. An existing file is
 * replaced at the end; it must be a regular file (not a link) that the caller may write. On success pass *out to
 * darshan_writer_finish() or darshan_writer_abandon(), otherwise *out is NULL. `err` may be NULL, here and
 * everywhere. */
int darshan_writer_create(const char *path, int compression, struct darshan_writer **out,
                          struct darshan_reader_error *err);

/* The job: called first, once. Mounts are in the order of darshan_reader_mounts(), longest path first. Job record,
 * command line and mounts must fit into DSN_JOB_REGION_MAX bytes: a command line that is too long is truncated
 * ("<TRUNCATED>"), mounts that do not fit are left out, the longest paths first. A command line without any mount is
 * written, but the format cannot represent that: it reads as "". */
int darshan_writer_job(struct darshan_writer *w, const darshan_log_job *job, const char *exe,
                       const struct darshan_reader_mount *mounts, size_t nmounts);

/* Modules that lost data, bit i for module i. May be called at any time. */
int darshan_writer_partial(struct darshan_writer *w, uint64_t mask);

/* The name of a record id. Each id is named once. */
int darshan_writer_name(struct darshan_writer *w, uint64_t id, const char *name);

/* A record of a module that has a darshan_module_table(). `tail`: data after its values (LUSTRE, HEATMAP, MDHIM), else
 * NULL. */
int darshan_writer_record(struct darshan_writer *w, unsigned module, const darshan_log_record *rec,
                          const darshan_log_tail *tail);

/* The header that precedes APMPI's records. */
int darshan_writer_apmpi(struct darshan_writer *w, const darshan_log_apmpi *header);

/* A DXT record: its head, then as many segments as the head says, in any number of calls. */
int darshan_writer_trace(struct darshan_writer *w, unsigned module, const darshan_log_trace *head);
int darshan_writer_segments(struct darshan_writer *w, const darshan_log_segment *segments, size_t n);

/* A part of the extension section: n bytes, in native byte order. */
int darshan_writer_extension(struct darshan_writer *w, const char *name, uint64_t version, const void *bytes, size_t n);

/* The first error so far, or DARSHAN_ERR_OK. */
int darshan_writer_error(const struct darshan_writer *w, struct darshan_reader_error *err);

/* Completes the log and gives it its name. Frees the handle in any case. */
int darshan_writer_finish(struct darshan_writer *w, struct darshan_reader_error *err);

/* Discards everything and frees the handle. NULL is allowed. */
void darshan_writer_abandon(struct darshan_writer *w);

#ifdef __cplusplus
}
#endif

#endif
