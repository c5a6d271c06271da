/* start-plain.c - start and end of a process without MPI, and forks
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/span.h"
#include "core/start.h"
#include "core/state.h"

/* A child shares no memory with its parent: the parent's records stay with the parent. In an MPI job the child is not
 * a rank and records nothing; otherwise it is a process with a log of its own. */
static void in_child(void)
{
    const int was_on = atomic_load(&dsn__state.mode) == DSN_ON;
    const int alone = dsn__state.mpi == NULL;
    const int before = dsn__own_begin();

    dsn__thread.self = 0; /* the child's thread has another number */
    dsn__state.process.is_child = 1;
    if (was_on || !alone)
        dsn__stop();
    if (was_on && alone && dsn__start(0, NULL))
        dsn__switch_on();
    dsn__own_end(before);
}

int dsn__watch_forks(void)
{
    return pthread_atfork(NULL, NULL, in_child) == 0;
}

/* Of processes that were launched together, and that may be ranks of an MPI job once they call MPI_Init, one speaks. */
static int speaks(void)
{
    static const char *const numbers[] = { "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID" };

    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *number = secure_getenv(numbers[i]);

        if (number)
            return strcmp(number, "0") == 0;
    }
    return 1;
}

static void start_alone(void)
{
    const int64_t begin = dsn__now();
    const int started = dsn__start(0, NULL);

    if (!dsn__state.config.disable && speaks())
        dsn__config_report(&dsn__state.config);
    if (started)
        dsn__switch_on();
    dsn__state.took_init = dsn__now() - begin;
}

__attribute__((constructor)) static void begin(void)
{
    const int before = dsn__own_begin();

#ifdef DSN_PRELOAD
    dsn__find_early();
#endif
    dsn__know_stderr();
    if (dsn__config_flag(offsetof(struct dsn_config, nonmpi)))
        start_alone();
    dsn__own_end(before);
}

/* An MPI program that ends without MPI_Finalize cannot make its log any more: the other ranks may be anywhere. */
__attribute__((destructor)) static void end(void)
{
    if (!dsn__state.mpi)
        dsn__shutdown();
}
