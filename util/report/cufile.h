/* cufile.h - files that GPUDirect Storage accesses: what of it went by POSIX calls, and what is not known
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of logs whose extension section has the part "cufile". What moved beside POSIX is a layer of the report (layer.h) and in its
 * figures; this is the whole. */
#ifndef DSN_REPORT_CUFILE_H
#define DSN_REPORT_CUFILE_H

#include "report.h"

/* When all records are read. Returns DSN_ERR_OK, or DSN_ERR_MEMORY. */
int dsn_cufile_read(struct dsn_report *r);

/* Bytes of a file, or of all; those that POSIX calls moved, or, of what was queued, may have; and those at most. */
int64_t dsn_cufile_bytes(const struct dsn_cufile_file *f);
int64_t dsn_cufile_by_posix(const struct dsn_cufile_file *f);
int64_t dsn_cufile_unseen(const struct dsn_cufile_file *f);

/* Synchronous calls by which POSIX calls moved data: the library is in compatibility mode, for some files at least. */
int dsn_cufile_is_compatible(const struct dsn_report *r);

#endif
