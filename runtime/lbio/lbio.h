/* lbio.h - log-based I/O: writes go to a log on a local disk, and later to their files
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Link with -llbio, or run an unmodified program under `lbio run --files REGEX -- PROGRAM`. See lbio(3) for guarantees
 * and limits. All functions return 0, or -1 and errno. */
#ifndef LBIO_H
#define LBIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, files are logged when they are opened if their absolute path matches `pattern` (a POSIX extended regular
 * expression). `options`: "key=value,..." as in LBIO_OPTS, or NULL. EALREADY: it has been called before, or
 * LBIO_PATTERN is set; EINVAL: invalid pattern or options; ENOTSUP: the program's calls do not reach the library, because
 * it is linked behind the C library, or was loaded by dlopen. */
int lbio_init(const char *pattern, const char *options);

/* Returns when all data written to the file (NULL: to all files) is in it. Fails with the file system's error; data
 * that could not be written stays in the log. */
int lbio_drain(const char *path);

/* Drains all files; later writes go to the files directly. Implied by the end of the process. Fails like
 * lbio_drain(NULL). */
int lbio_finalize(void);

/* Waits until this process holds one of `tokens` tokens: locks on the first bytes of the file at the absolute path
 * `path`, which is created if necessary. A lock is released when the process ends. With the options slots=path and
 * tokens, replay uses the same ones. A process can hold one: EBUSY. */
int lbio_token_acquire(const char *path, int tokens);
int lbio_token_release(void);

/* Statistics of this process. */
struct lbio_statistics {
    uint64_t writes, bytes;                   /* logged */
    uint64_t replayed_writes, replayed_bytes; /* written to the files; overwritten data is not */
    uint64_t reads_logged, reads_remote;      /* parts of reads served by the log, and by the file */
    uint64_t waits;                           /* writes that waited for space in the log */
    uint64_t direct_files;                    /* not logged any more: mapped, locked, appended to, ... */
    uint64_t errors;                          /* of replay */
    uint64_t log_high;                        /* maximum size of the log in bytes */
    double visible_seconds, replay_seconds, wait_seconds, drain_seconds;
};

/* `size`: sizeof *out; later versions append members. */
int lbio_stats(struct lbio_statistics *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
