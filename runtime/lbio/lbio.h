/* lbio.h - log-based I/O: output that returns at the speed of a local disk and is written to its files later
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Link with -llbio, or run a program that knows nothing of it under `lbio run --files REGEX -- PROGRAM`. See lbio(3) for
 * what is promised and what is not. All functions return 0, or -1 and errno. */
#ifndef LBIO_H
#define LBIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Files whose absolute path matches `pattern` (POSIX extended regular expression) are logged from now on when they are
 * opened. `options`: "key=value,..." as in LBIO_OPTS, or NULL. EALREADY: it has been called, or LBIO_PATTERN is set;
 * EINVAL: pattern or options are not right. */
int lbio_init(const char *pattern, const char *options);

/* All that has been written to the file (NULL: to all files) is in it. Fails with the error that the file system gave;
 * what could not be written stays in the log. */
int lbio_drain(const char *path);

/* Drains all; what is written later goes to the files at once. Done by itself when the process ends. Fails as
 * lbio_drain(NULL). */
int lbio_finalize(void);

/* Waits until this process holds one of `tokens` tokens, of which the file of the absolute path `path`, made if it is not
 * there, has one in each of its first bytes: a lock, which is free when the process is gone. With the options slots=path and
 * tokens replay shares them. A process can hold one: EBUSY. */
int lbio_token_acquire(const char *path, int tokens);
int lbio_token_release(void);

/* What this process has done so far. */
struct lbio_statistics {
    uint64_t writes, bytes;                   /* logged */
    uint64_t replayed_writes, replayed_bytes; /* sent to the files; what was written over before is not */
    uint64_t reads_logged, reads_remote;      /* pieces of reads that came from the log, and from the file */
    uint64_t waits;                           /* writes that waited for room in the log */
    uint64_t direct_files;                    /* that are not logged any more: mapped, locked, appended to, ... */
    uint64_t errors;                          /* of replay */
    uint64_t log_high;                        /* most bytes that the log held */
    double visible_seconds, replay_seconds, wait_seconds, drain_seconds;
};

/* `size`: sizeof *out; a later version has more members behind these. */
int lbio_stats(struct lbio_statistics *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
