/* leftovers.c - collects survival files of killed processes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/leftovers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names-in.h"
#include "base/text.h"
#include "config/origin.h"
#include "config/who.h"
#include "survive/add-participants.h"
#include "survive/exit-record.h"
#include "survive/identity.h"
#include "survive/salvage.h"
#include "survive/survival.h"

/* The records are packed into an exit record and unpacked at once, in memory: from here on they are like those of a
 * process that ended, and the salvaged copy can be freed. */
bool dsn__leftover_add(const char *path, struct dsn_participants *participants, int runs)
{
    struct stat st;
    const int fd = dsn__survival_open_at(AT_FDCWD, path, geteuid(), &st);
    struct dsn_exit_record_room here;
    struct dsn_salvage s;
    struct dsn_end end;
    bool is_added = false;
    void *packed;
    size_t size = 0;

    if (fd < 0)
        return false;
    if (dsn__salvage(&s, fd, st.st_size, runs)) {
        end.created = s.head->survival_file.created;
        if (runs)
            end.how = DSN_RUNS;
        else if (dsn__survival_is_aside(path) || s.head->survival_file.executes) /* it was not killed */
            end.how = DSN_EXECUTES;
        else
            end.how = DSN_KILLED;
        packed = dsn__exit_record_pack(&s.salvaged.of, &end, &here, &size);
        is_added = packed && dsn__participants_add_survival_file(participants, path, packed, size);
        dsn__exit_record_free(packed, &here);
        dsn__salvage_free(&s);
    }
    close(fd);
    return is_added;
}

/* ------------------------------------------------------------------ those that belong to this process */

static bool is_left_to_me(const struct dsn_survival_identity *identity)
{
    const struct dsn_member *me = dsn__member;
    char path[sizeof dsn__survival->path];

    if (identity->is_empty || (identity->root != me->number && identity->parent != me->number))
        return false;
    if (identity->root != me->number) { /* its root process, if it has one, takes precedence */
        dsn__tree_path(path, sizeof path, identity->root, DSN_SURVIVAL_SUFFIX);
        if (access(path, F_OK) == 0)
            return false;
    }
    return dsn__owner_is_dead(&identity->owner);
}

/* Returns whether the file belongs to this process, and adds it then; `participants` NULL: adds nothing. An empty one is
 * removed in any case. */
static bool examine_leftover(struct dsn_participants *participants, int dir, const char *name, int64_t number)
{
    const bool is_aside = dsn__survival_is_aside(name), has_own_number = number == dsn__member->number;
    struct dsn_survival_identity identity;
    char path[sizeof dsn__survival->path];
    bool is_left;

    if ((has_own_number && !is_aside) || !dsn__survival_read_identity(dir, name, geteuid(), &identity))
        return false;

    /* Left by a process that exec'ed a program without the library, or was killed before it counted anything. A program
     * that is exec'ed takes over the survival file with its pid; in another PID namespace than its root process, it may
     * have got another number before. */
    if (identity.is_empty && !has_own_number &&
        (dsn__owner_is_dead(&identity.owner) ||
         (number >= DSN_NUMBER_STEP && identity.owner.hold == DSN_LIVENESS_NOBODY && identity.owner.was_locked))) {
        dsn__survival_remove_empty(dir, name);
        return false;
    }

    /* one aside is of a program that has executed another one: nobody counts in it, though the process may live */
    is_left = is_aside ? identity.root == dsn__member->number : is_left_to_me(&identity);
    /* one that cannot be read is kept for inspection */
    if (is_left && participants &&
        (size_t)dsn__format(path, sizeof path, "%s/%s", dsn__survival->directory, name) < sizeof path)
        dsn__leftover_add(path, participants, 0);
    return is_left;
}

/* Returns their number. */
static int examine_leftovers(struct dsn_participants *participants)
{
    char prefix[32];
    struct dsn_names_in *names;
    int dir = -1, n = 0;

    if (dsn__survival->directory[0])
        dir = open(dsn__survival->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return 0;
    dsn__format(prefix, sizeof prefix, "k%016llx-", (unsigned long long)dsn__origin->key);
    names = dsn__names_in(dir);
    for (const char *name = NULL; names && (name = dsn__next_name(names, name));)
        if (strncmp(name, prefix, strlen(prefix)) == 0 && strstr(name, DSN_SURVIVAL_SUFFIX))
            n += examine_leftover(participants, dir, name, dsn__number_in(name + strlen(prefix)));
    dsn__names_in_free(names);
    close(dir);
    return n;
}

void dsn__leftovers_add_mine(struct dsn_participants *participants)
{
    examine_leftovers(participants);
}

bool dsn__leftovers_find_mine(void)
{
    return examine_leftovers(NULL) > 0;
}
