/* writer.h - writes the log file on rank 0
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_LOG_WRITER_H
#define DSN_LOG_WRITER_H

#include "log/log-file.h"
#include "log/participants.h"
#include "log/region.h"
#include "reduce/plan.h"

struct dsn_writer;

/* Writes the job. `identity` and `summary` must stay valid until dsn__log_end. Errors are reported at the end. NULL if there
 * is no memory. */
struct dsn_writer *dsn__log_begin(struct dsn_log_file *f, const struct dsn_log_identity *identity,
                                  const struct dsn_rank_summary *summary, const struct dsn_participants *participants,
                                  int64_t deadline);

/* Offsets of names and modules with these lengths (DSN_NHEADER_REGIONS of each), for ranks that write them themselves. */
void dsn__log_lay_out(struct dsn_writer *w, const uint64_t *lengths, uint64_t *begins);

/* A rank that is given such places writes its names and modules there, past no `deadline` (dsn__now(); 0: none): the
 * file `path`, to which others write at the same time, on other nodes, too. Plain calls at places that nobody else
 * writes to: of MPI they ask nothing. They are synchronous (O_DSYNC), for then NFS writes these bytes and no others;
 * its clients write whole pages otherwise, with zeros where others have written. Returns 0 or an errno. */
int dsn__log_write_regions(const char *path, const struct dsn_regions *r, const uint64_t *begins, int64_t deadline);

/* The figures of shared records, for the extension section: `size` bytes, see dsn__block_figures(). They stay the caller's. */
void dsn__log_sharing_figures(struct dsn_writer *w, const void *figures, size_t size);

/* Writes the rest: names and modules of `r`, which are all compressed, unless their ranks have written them already;
 * the extension section; the header. Frees `w`. Returns 0 or an errno. */
int dsn__log_end(struct dsn_writer *w, const struct dsn_regions *r, int is_written);

#endif
