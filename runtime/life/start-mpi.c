/* life/start-mpi.c - start of an MPI rank; determines the MPI implementation
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/text.h"
#include "base/warn.h"
#include "config/config.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "life/arrival.h"
#include "life/events.h"
#include "life/rendezvous.h"
#include "life/start.h"
#include "life/state.h"
#include "module/apmpi.h"
#include "record/exclude.h"
#include "record/module-events.h"
#include "record/span.h"
#include "survive/process-tree.h"

#ifdef DSN_PRELOAD

/* MPI implementations by the text of MPI_Get_library_version, and the shim that was compiled for their ABI. */
static const struct implementation {
    const char *says, *shim;
} implementations[] = {
    { "Open MPI", "darshan-mpi-openmpi.so" },
    { "MPICH", "darshan-mpi-mpich.so" },
    { "Intel(R) MPI", "darshan-mpi-mpich.so" },
    { "MVAPICH", "darshan-mpi-mpich.so" },
};

/* Version text of the MPI library `mpi`; empty if there is none. */
static void ask_version(void *mpi, char text[8192]) /* MPI_MAX_LIBRARY_VERSION_STRING of all of them */
{
    int (*version)(char *text, int *len) = (int (*)(char *, int *))dlsym(mpi, "PMPI_Get_library_version");
    int len = 0;

    text[0] = '\0';
    if (version && version(text, &len) != DSN_MPI_SUCCESS)
        text[0] = '\0';
}

/* File name of the matching shim, or NULL. */
static const char *shim_for(const char *version)
{
    for (unsigned i = 0; i < sizeof implementations / sizeof implementations[0]; i++)
        if (strstr(version, implementations[i].says))
            return implementations[i].shim;
    return NULL;
}

/* Shims lie in "darshan" beside this library, wherever that was installed or moved to. */
static const struct dsn_mpi *load_shim(const char *file)
{
    char path[PATH_MAX];
    const char *slash;
    Dl_info self;
    void *shim;

    if (!dladdr(&dsn__state, &self) || !(slash = strrchr(self.dli_fname, '/')))
        return NULL;
    if ((size_t)dsn__format(path, sizeof path, "%.*s/darshan/%s", (int)(slash - self.dli_fname), self.dli_fname,
                            file) >= sizeof path)
        return NULL;
    shim = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!shim)
        dsn__say("cannot load %s: %s", path, dlerror());
    return shim ? dlsym(shim, DSN_MPI_SHIM_SYMBOL) : NULL;
}

/* The library that contains a function, with its symbols made global. */
static void *library_of(const void *function)
{
    Dl_info info;

    if (!function || !dladdr(function, &info) || !info.dli_fname)
        return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* Called in one process of the job, which goes without a log; the version text begins with name and version. */
static void warn_unknown(char *version)
{
    version[strcspn(version, ",\n")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    if (dsn__speaks() && !dsn__config->disable)
        dsn__warn("Darshan was built without support for this MPI (%.80s): no log of all ranks of this job",
                  version[0] ? version : "unknown");
}

/* The shim's MPI symbols are resolved from the application's MPI library, which is made global if it was loaded with
 * RTLD_LOCAL for a plug-in, as Python does. */
static const struct dsn_mpi *find_mpi(void *real_init)
{
    const struct dsn_mpi *found = NULL;
    void *mpi = library_of(real_init);
    char version[8192] = "";
    const char *file;

    /* the next MPI_Init may be a profiler's, which need not be linked to MPI */
    if (!mpi || !dlsym(mpi, "PMPI_Get_library_version"))
        mpi = library_of(dlsym(RTLD_NEXT, "PMPI_Get_library_version"));
    if (mpi)
        ask_version(mpi, version);
    file = shim_for(version);
    if (file)
        found = load_shim(file);
    if (!found)
        warn_unknown(version);
    return found;
}

#else

extern const struct dsn_mpi dsn_mpi_shim; /* linked from the same archive */

static const struct dsn_mpi *find_mpi(void *real_init)
{
    (void)real_init;
    return &dsn_mpi_shim;
}

#endif

/* Bytes of address space reserved for shutdown, for MPI and the log, in a rank under RLIMIT_AS. */
#define SPACE_FOR_SHUTDOWN ((size_t)8 << 20)

/* Whether ranks of this node do not have the library: then no rank waits for the others. */
static bool are_ranks_missing(int64_t deadline)
{
    int ranks, is_first;
    const int missing = dsn__arrival_missing(deadline, &ranks, &is_first);

    if (missing > 0 && is_first && !dsn__config->disable)
        dsn__warn(
            "no log of this job: only %d of its %d ranks on this node have Darshan; these run as programs without MPI",
            ranks - missing, ranks);
    return missing > 0;
}

/* Barriers before collective calls, if all ranks make them: a rank that does not would block the others forever. */
static bool wants_to_wait(int enabled)
{
    return enabled && dsn__config->mpi_waits && !(dsn__config->disabled >> DSN_APMPI_MODULE & 1);
}

/* Returns how many ranks record; -1: some rank has not arrived, or the MPI is unknown. */
static int join_ranks(const struct dsn_mpi *mpi, int enabled, struct dsn_agreed *common, int *waits, int *rank,
                      int *size)
{
    const struct dsn_config *c = dsn__config;
    const int64_t limit = c->init_timeout < c->finalize_timeout ? c->init_timeout : c->finalize_timeout,
                  deadline = dsn__now() + limit * 1000000000;
    int recording = -1;

    if (!mpi || are_ranks_missing(deadline))
        return -1;
    if (mpi->attach(rank, size, deadline) == 0)
        recording = dsn__rendezvous(mpi, enabled, common, waits, *rank, *size, deadline);
    if (recording < 0 && *rank == 0)
        dsn__warn("no log of this job: a rank was lost in MPI_Init, or does not have Darshan (DARSHAN_INIT_TIMEOUT)");
    return recording;
}

void dsn__start_mpi(int argc, char **argv, void *real_init)
{
    const int was_on = dsn__begin_if_waiting(), before = dsn__own_begin(), error = errno;
    const int64_t begin = dsn__now();
    const int enabled = was_on ? !dsn__state.process.is_excluded : dsn__start(argc, argv);
    const struct dsn_mpi *mpi = find_mpi(real_init);
    struct dsn_agreed common = { dsn__origin->key, dsn__origin->jobid };
    int rank = 0, size = 1, waits = wants_to_wait(enabled), recording;

    recording = join_ranks(mpi, enabled, &common, &waits, &rank, &size);
    dsn__arrival_end();
    dsn__no_log_because(enabled || recording < 0 || rank != 0 ? NULL
                        : dsn__config->disable                ? "DARSHAN_DISABLE is set"
                                                              : "it is excluded by DARSHAN_APP_EXCLUDE");
    if (recording >= 0 && rank == 0 && !was_on && !dsn__config->disable)
        dsn__config_report(dsn__config, dsn__modules_present());
    if (recording > 0) {
        dsn__mpi->table = mpi;
        dsn__mpi->attached = 1;
        dsn__mpi->waits = waits;
        dsn__pages_keep(SPACE_FOR_SHUTDOWN);
        dsn__run->rank = rank;
        dsn__run->nprocs = size;
        if (enabled && dsn__origin->jobid_is_pid) /* no scheduler has given one: the same on all nodes */
            dsn__origin->jobid = common.jobid;
        if (enabled)
            dsn__process_tree_rank(common.key, rank, size);
        if (dsn__config_skips_rank(dsn__config, rank))
            dsn__exclude_all();
        if (enabled && !was_on) {
            dsn__watch_forks();
            dsn__switch_on();
        }
        dsn__apmpi_start();
        dsn__run->took_init += dsn__now() - begin;
    } else {
        dsn__mpi->calls = DSN_CALLS_PASSED_ON;
        if (recording == 0)
            mpi->detach();
        if (was_on)
            dsn__mpi->table = mpi; /* a program that uses MPI-IO without MPI_Init */
        if (enabled && !was_on) {
            dsn__survival_drop();
            dsn__stop();
        }
    }
    errno = error;
    dsn__own_end(before);
}

void dsn__start_session(void *real_init)
{
    const int was_on = dsn__begin_if_waiting(), before = dsn__own_begin(), error = errno;

    if (!dsn__mpi->table && (was_on || dsn__start(0, NULL))) {
        dsn__mpi->table = find_mpi(real_init);
        if (dsn__process_tree_session() && dsn__config_skips_rank(dsn__config, (int)dsn__member->rank))
            dsn__exclude_all();
        if (!was_on) {
            dsn__watch_forks();
            dsn__switch_on();
        }
        dsn__apmpi_start();
    }
    errno = error;
    dsn__own_end(before);
}
