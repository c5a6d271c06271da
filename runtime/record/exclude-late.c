/* exclude-late.c - drops records of files that are found to be excluded at the end
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/exclude-late.h"

#include <stdbool.h>

#include "config/settings.h"
#include "record/exclude.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"

static bool is_off(enum dsn_module_index module)
{
    return dsn__config->disabled >> dsn__modules[module]->id & 1;
}

/* A disabled module has no records, even if it became known only later that it is disabled (when the rank became
 * known). */
static bool is_unwanted(enum dsn_module_index module, const struct dsn_name *name, int can_match)
{
    return is_off(module) || (can_match && dsn__modules[module]->path_named && dsn__path_match(module, name->text));
}

static void drop_excluded(enum dsn_module_index module, int can_match)
{
    struct dsn_record_state **link = &dsn__names->first_state[module];

    while (*link) {
        if (is_unwanted(module, (*link)->name, can_match))
            dsn__record_drop(dsn__names, module, link);
        else
            link = &(*link)->next;
    }
}

/* Names without any record left are dropped, too: an excluded file must not appear in the log. */
static void drop_names(void)
{
    struct dsn_names *n = dsn__names;
    struct dsn_name **link = &n->first, *name;

    while ((name = *link)) {
        if (name->records)
            link = &name->next;
        else
            *link = name->next;
    }
    n->last = link;
}

void dsn__exclude_late(void)
{
    int any = dsn__exclusions->undecided, can_match;

    for (int module = 0; module < DSN_NMODULES; module++)
        any |= is_off(module) && dsn__names->first_state[module];
    if (!any)
        return;
    can_match = dsn__exclusions->undecided && dsn__expressions_take();
    for (int module = 0; module < DSN_NMODULES; module++)
        drop_excluded(module, can_match);
    if (can_match)
        dsn__expressions_give();
    drop_names();
}
