/* late.c - records of files that turn out to be excluded
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/late.h"

#include "config/settings.h"
#include "record/exclude.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"

static int is_off(enum dsn_slot slot)
{
    return dsn__config->disabled >> dsn__slots[slot]->id & 1;
}

/* Off means off from the start, though it may have become known late (the number of the rank). */
static int is_unwanted(enum dsn_slot slot, const struct dsn_file *f, int can_match)
{
    return is_off(slot) || (can_match && dsn__slots[slot]->path_named && dsn__path_match(slot, f->name));
}

static void drop(enum dsn_slot slot, int can_match)
{
    struct dsn_live **link = &dsn__names->live_first[slot];

    while (*link) {
        if (is_unwanted(slot, (*link)->file, can_match))
            dsn__record_drop(dsn__names, slot, link);
        else
            link = &(*link)->next;
    }
}

/* Names that have no record left would tell of files that were to be kept out of the log. */
static void drop_names(void)
{
    struct dsn_names *n = dsn__names;
    struct dsn_file **link = &n->first, *f;

    while ((f = *link)) {
        int used = 0;

        for (int slot = 0; slot < DSN_NSLOTS; slot++)
            used |= f->live[slot] != NULL;
        if (used)
            link = &f->next;
        else
            *link = f->next;
    }
    n->last = link;
}

void dsn__exclude_late(void)
{
    int any = dsn__exclusions->undecided, can_match;

    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        any |= is_off(slot) && dsn__names->live_first[slot];
    if (!any)
        return;
    can_match = dsn__exclusions->undecided && dsn__expressions_take();
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        drop(slot, can_match);
    if (can_match)
        dsn__expressions_give();
    drop_names();
}
