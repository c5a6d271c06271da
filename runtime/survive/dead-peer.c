/* dead-peer.c - detects ranks of this node that will not reach MPI_Finalize
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/dead-peer.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/names-in.h"
#include "base/pages.h"
#include "base/text.h"
#include "config/origin.h"
#include "darshan-log-format/hash.h"
#include "survive/exit-record.h"
#include "survive/identity.h"
#include "survive/liveness.h"
#include "survive/survival.h"

#define FIRST_PAUSE INT64_C(1000000000) /* ns between two scans of the directory; doubles after each */
#define LAST_PAUSE  INT64_C(60000000000)

/* The last rank asked for, and where it was found. */
static struct {
    int rank, is_known;
    struct dsn_survival_identity summary;
    int64_t next_look, pause;
} sought = { .rank = -1 };

/* ------------------------------------------------------------------ processes */

static struct {
    int rank;
    struct dsn_peer peer;
} peers[32];
static unsigned npeers;

static uint64_t boot_number(void)
{
    char text[64];
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;

    if (fd >= 0)
        close(fd);
    return n > 0 ? dsn_hash(text, (size_t)n, 0) : 0;
}

void dsn__peer_self(struct dsn_peer *p)
{
    *p = (struct dsn_peer){ boot_number(), dsn__pid_space(), getpid(), dsn__boot_time() };
}

void dsn__peer_note(int rank, const struct dsn_peer *p)
{
    if (npeers == sizeof peers / sizeof peers[0])
        return;
    peers[npeers].rank = rank;
    peers[npeers++].peer = *p;
}

/* By its pid, if that says anything here. */
static enum dsn_peer_life life_of_process(int rank)
{
    struct dsn_peer self;

    dsn__peer_self(&self);
    for (unsigned i = 0; i < npeers && self.boot != 0 && self.space != 0; i++) {
        const struct dsn_peer *p = &peers[i].peer;

        if (peers[i].rank == rank && p->boot == self.boot && p->space == self.space)
            return dsn__process_is_dead(p->pid, p->since) ? DSN_PEER_DEAD : DSN_PEER_ALIVE;
    }
    return DSN_PEER_UNKNOWN;
}

/* ------------------------------------------------------------------ the directory */

/* Calls `is_it` with the names of the process tree's files with this suffix until it returns true. */
static bool any_file(const char *suffix, bool (*is_it)(int dir, const char *name, void *context), void *context)
{
    char prefix[32];
    struct dsn_names_in *names;
    const size_t m = strlen(suffix);
    int found = 0, dir = -1;

    if (dsn__survival->is_file)
        dir = open(dsn__survival->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return false;
    dsn__format(prefix, sizeof prefix, "k%016llx-", (unsigned long long)dsn__origin->key);
    names = dsn__names_in(dir);
    for (const char *name = NULL; names && !found && (name = dsn__next_name(names, name));) {
        const size_t n = strlen(name);

        found = n > m && strcmp(name + n - m, suffix) == 0 && strncmp(name, prefix, strlen(prefix)) == 0 &&
                is_it(dir, name, context);
    }
    dsn__names_in_free(names);
    close(dir);
    return found;
}

static bool is_rank_here(int dir, const char *name, struct dsn_survival_identity *identity)
{
    return !dsn__survival_is_aside(name) && dsn__survival_read_identity(dir, name, geteuid(), identity) &&
           !identity->is_empty && identity->is_mpi;
}

static bool is_sought(int dir, const char *name, void *context)
{
    struct dsn_survival_identity *identity = context;

    return is_rank_here(dir, name, identity) && identity->rank == sought.rank;
}

/* A rank leaves an exit record when it is done with the others, or will never reach them. One that has exec'ed another
 * program may go on. */
static bool has_exit_record(int dir, const char *name, void *context)
{
    const int rank = *(const int *)context;
    char path[DSN_SURVIVAL_PATH_MAX + 64];
    struct dsn_bump memory = { 0 };
    struct dsn_exit_record *exit_records = NULL;
    int found = 0;

    (void)dir;
    if ((size_t)dsn__format(path, sizeof path, "%s/%s", dsn__survival->directory, name) >= sizeof path)
        return false;
    dsn__exit_records_read(path, &exit_records, &memory);
    for (const struct dsn_exit_record *record = exit_records; record; record = record->next) {
        found |= record->who->member.is_mpi && record->who->member.rank == rank && !record->who->executed;
    }
    dsn__bump_free(&memory);
    return found;
}

/* ------------------------------------------------------------------ one rank */

static bool is_time(int64_t now)
{
    if (now < sought.next_look)
        return false;
    sought.pause = sought.pause == 0 ? FIRST_PAUSE : sought.pause < LAST_PAUSE ? 2 * sought.pause : LAST_PAUSE;
    sought.next_look = now + sought.pause;
    return true;
}

/* Checks the survival file found before. Returns false if it no longer exists: its process has left an exit record, or its
 * log is written. */
static bool ask_again(void)
{
    char path[DSN_SURVIVAL_PATH_MAX + 64];

    dsn__tree_path(path, sizeof path, sought.summary.pid, DSN_SURVIVAL_SUFFIX);
    return is_sought(AT_FDCWD, path, &sought.summary);
}

static enum dsn_peer_life life_of_owner(const struct dsn_owner *owner)
{
    if (dsn__owner_is_dead(owner))
        return DSN_PEER_DEAD;
    return owner->hold == DSN_LIVENESS_SOMEBODY ? DSN_PEER_ALIVE : DSN_PEER_UNKNOWN;
}

enum dsn_peer_life dsn__rank_life(int rank)
{
    const enum dsn_peer_life process = life_of_process(rank);

    if (rank != sought.rank) {
        memset(&sought, 0, sizeof sought);
        sought.rank = rank;
    }
    if (process == DSN_PEER_DEAD)
        return DSN_PEER_DEAD;
    if (sought.is_known && ask_again())
        return life_of_owner(&sought.summary.owner);
    sought.is_known = 0;
    if (!is_time(dsn__now()))
        return process;
    sought.is_known = any_file(DSN_SURVIVAL_SUFFIX, is_sought, &sought.summary);
    if (sought.is_known)
        return life_of_owner(&sought.summary.owner);
    return any_file(DSN_EXIT_RECORDS_SUFFIX, has_exit_record, &sought.rank) ? DSN_PEER_DEAD : process;
}
