/* start.c - start and end of the library with the process; the functions of lbio.h
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/lbio.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/environment.h"
#include "base/figures.h"
#include "lbio/intercept.h"
#include "lbio/token.h"
#include "lbio/wrap.h"

__attribute__((constructor(101))) static void process_begins(void)
{
    const char *pattern = dsn__environment_get("LBIO_PATTERN");
    const int error = errno;

    if (pattern && *pattern)
        lbio__intercept_start(pattern, dsn__environment_get("LBIO_OPTS"));
    errno = error;
}

__attribute__((destructor)) static void process_ends(void)
{
    lbio__end();
}

/* Linked behind the C library, or loaded by dlopen, it gets none of the program's calls. */
static int gets_calls(void)
{
    const void *first = dlsym(RTLD_DEFAULT, "fopen"), *next = dlsym(RTLD_NEXT, "fopen"); /* not in libpthread */

    return next && first != next;
}

LBIO_EXPORT int lbio_init(const char *pattern, const char *options)
{
    if (!pattern) {
        errno = EINVAL;
        return -1;
    }
    if (!gets_calls()) {
        errno = ENOTSUP;
        return -1;
    }
    return lbio__intercept_start(pattern, options);
}

LBIO_EXPORT int lbio_drain(const char *path)
{
    return lbio__drain_path(path);
}

LBIO_EXPORT int lbio_finalize(void)
{
    return lbio__leave(0);
}

LBIO_EXPORT int lbio_token_acquire(const char *path, int tokens)
{
    if (!path || path[0] != '/' || tokens < 1) {
        errno = EINVAL;
        return -1;
    }
    return lbio__token_acquire(path, tokens);
}

LBIO_EXPORT int lbio_token_release(void)
{
    lbio__token_give_back();
    return 0;
}

LBIO_EXPORT void lbio_figures(dsn_figure *take, void *context)
{
    lbio__figures(take, context);
}

LBIO_EXPORT int lbio_stats(struct lbio_statistics *out, size_t size)
{
    struct lbio_counts n;
    struct lbio_statistics all;

    lbio__store_counts(&n);
    memset(&all, 0, sizeof all);
    all.writes = n.writes;
    all.bytes = n.bytes;
    all.replayed_writes = n.replayed_writes;
    all.replayed_bytes = n.replayed_bytes;
    all.reads_logged = n.reads_logged;
    all.reads_remote = n.reads_remote;
    all.waits = n.waits;
    all.direct_files = n.direct_files;
    all.errors = n.errors;
    all.log_high = (uint64_t)n.log_high;
    all.visible_seconds = n.visible_seconds;
    all.replay_seconds = n.replay_seconds;
    all.wait_seconds = n.wait_seconds;
    all.drain_seconds = n.drain_seconds;
    memcpy(out, &all, size < sizeof all ? size : sizeof all);
    return 0;
}
