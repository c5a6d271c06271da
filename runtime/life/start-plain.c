/* life/start-plain.c - start and end of a process without MPI
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/warn.h"
#include "config/config.h"
#include "config/job.h"
#include "config/settings.h"
#include "life/events.h"
#include "life/start.h"
#include "life/state.h"
#include "record/module-events.h"
#include "record/span.h"
#include "survive/process-tree.h"

/* They may become ranks of an MPI job when they call MPI_Init. */
bool dsn__speaks(void)
{
    static const char *const numbers[] = { "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };

    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *number = secure_getenv(numbers[i]);

        if (number)
            return strcmp(number, "0") == 0;
    }
    return true;
}

static void explain(const char *why_no_log)
{
    dsn__no_log_because(dsn__speaks() ? why_no_log : NULL);
}

static void start_alone(int argc, char **argv)
{
    const int64_t begin = dsn__now();
    int started;

    dsn__state.process.is_without_mpi = 1;
    started = dsn__start(argc, argv);
    if (!dsn__config->disable && dsn__config_has_report(dsn__config) && dsn__speaks() && dsn__process_tree_is_first())
        dsn__config_report(dsn__config, dsn__modules_present());
    if (dsn__config->disable)
        explain("DARSHAN_DISABLE is set");
    else if (dsn__state.process.is_excluded)
        explain("it is excluded by DARSHAN_APP_EXCLUDE, and nothing that it has started was recorded");
    if (started) {
        dsn__watch_forks();
        dsn__switch_on();
    }
    dsn__run->took_init = dsn__now() - begin;
}

#ifdef DSN_PRELOAD

/* Handlers of exit() run last to first, and the one that runs all destructors was registered when the program was about
 * to begin: a handler that was registered before that, by a library loaded with the program, runs after all
 * destructors, including those that do I/O. Registered without a library handle, which would have it run with that
 * library's destructors. Source: __libc_start_main of glibc, which registers _dl_fini. */
extern int __cxa_atexit(void (*handler)(void *), void *argument, void *library);

static void end_last(void *unused)
{
    (void)unused;
    dsn__end_process();
}

#endif

/* Not static: the linker is asked for this symbol (--undefined), in case nothing else refers to this member of
 * libdarshan.a. A program that has been running for a while may have changed its argv: then /proc is read instead. */
__attribute__((constructor)) void dsn__process_begins(int argc, char **argv)
{
    const int before = dsn__own_begin(), error = errno;
    int is_first = 0;

#ifdef DSN_PRELOAD
    is_first = dsn__find_early();
    dsn__state.process.ends_last = is_first && __cxa_atexit(end_last, NULL, NULL) == 0;
#endif
    if (dsn__has_inherited_filter()) {
        dsn__own_end(before);
        return;
    }
    dsn__know_stderr();
    if (dsn__config_flag(offsetof(struct dsn_config, verbose))) {
        dsn__set_verbose(1);
        dsn__keep_stderr();
    }
    if (dsn__config_flag(offsetof(struct dsn_config, nonmpi)) || dsn__process_tree_is_there())
        start_alone(is_first ? argc : 0, argv);
    else
        explain(dsn__config_flag(offsetof(struct dsn_config, disable))
                    ? "DARSHAN_DISABLE is set"
                    : "it has not called MPI_Init, and DARSHAN_ENABLE_NONMPI is not set");
    errno = error;
    dsn__own_end(before);
}

__attribute__((destructor)) static void end(void)
{
    if (!dsn__state.process.ends_last)
        dsn__end_process();
}
