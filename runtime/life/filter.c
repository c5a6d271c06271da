/* filter.c - processes that install a system call filter
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/filter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "life/ending.h"
#include "life/state.h"
#include "record/names.h"
#include "record/span.h"
#include "survive/process-tree.h"
#include "survive/survival.h"

/* Value of DSN_TREE_VARIABLE for programs that this process executes. */
static const char under_filter[] = "sandbox";

static char tree_before[DSN_SURVIVAL_PATH_MAX + 64];

int dsn__filter_begin(void)
{
    const char *tree;
    int before;

    if (!dsn__is_on() || dsn__is_another_process())
        return 0;
    before = dsn__own_begin();
    tree = getenv(DSN_TREE_VARIABLE);
    dsn__format(tree_before, sizeof tree_before, "%s", tree ? tree : "");
    dsn__environment_set(DSN_TREE_VARIABLE, under_filter);
    dsn__state.process.is_filtered = 1;
    atomic_fetch_add(&dsn__incomplete->missed, 1);
    dsn__own_end(before);
    dsn__end_process();
    return 1;
}

void dsn__filter_failed(int ended)
{
    if (!ended)
        return;
    dsn__state.process.is_filtered = 0;
    dsn__environment_set(DSN_TREE_VARIABLE, tree_before);
    dsn__begin_again();
}

int dsn__has_inherited_filter(void)
{
    const char *tree = secure_getenv(DSN_TREE_VARIABLE);

    return tree && strcmp(tree, under_filter) == 0;
}
