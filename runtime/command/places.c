/* places.c - where commands look for survival files, and whose there are
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "command/places.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/as-user.h"
#include "config/settings.h"

unsigned dsn__command_bases(const char *bases[2])
{
    const char *base = dsn__config->loaded ? dsn__config->mmap_logpath : getenv("DARSHAN_MMAP_LOGPATH");

    bases[0] = base && *base ? base : "/dev/shm";
    bases[1] = base && *base ? NULL : "/tmp";
    return bases[1] ? 2 : 1;
}

/* The user of a directory as dsn__survival_directory() names it, in the one way there is: each is asked for once. */
static bool user_of(const char *name, uid_t *uid)
{
    char again[32];
    unsigned long number;

    if (strncmp(name, "darshan-", 8) != 0)
        return false;
    number = strtoul(name + 8, NULL, 10);
    *uid = (uid_t)number;
    snprintf(again, sizeof again, "darshan-%lu", number);
    return number < UINT32_MAX && strcmp(name, again) == 0;
}

bool dsn__command_users(const char *base, bool (*visit)(void *context, const char *base, uid_t uid), void *context)
{
    DIR *d = opendir(base);
    struct dirent *e;
    int ok = 1;

    while (d && (e = readdir(d)) != NULL) {
        uid_t uid, owner;

        if (user_of(e->d_name, &uid) && dsn__owner_at(dirfd(d), e->d_name, 0, &owner) && owner == uid)
            ok &= visit(context, base, uid);
    }
    if (d)
        closedir(d);
    return ok;
}
