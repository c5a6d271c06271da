/* wrap-dfs.c - wrappers of the calls of DFS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of the archive, for programs linked with libdfs. */
#include <config.h>

#include <errno.h>

#include "wrap/wrap-daos.h"

#define LAYER     DSN_BY_DFS
#define NOT_FOUND ENOSYS

#define F(name)

#include "wrap/dfs.wrap"

/* The id of what is removed is known only to the call: it is asked for even if the program does not want it. */
DSN_DAOS_DECL(dfs_remove, (void *mount, void *parent, const char *name, bool is_forced, struct dsn_daos_oid *oid))
DSN_EXPORT int DSN_SYM(dfs_remove)(void *mount, void *parent, const char *name, bool is_forced,
                                   struct dsn_daos_oid *oid);
DSN_EXPORT int DSN_SYM(dfs_remove)(void *mount, void *parent, const char *name, bool is_forced,
                                   struct dsn_daos_oid *oid)
{
    const uintptr_t outer = dsn__thread.daos[LAYER];
    struct dsn_daos_oid removed = { 0, 0 };
    struct dsn_span s;
    int ret;

    if (!DSN_DAOS_FIND(dfs_remove))
        return NOT_FOUND;
    if (dsn__is_inside(outer, &s) || !dsn__span_open(&s))
        return DSN_REAL(dfs_remove)(mount, parent, name, is_forced, oid);
    dsn__span_before(&s);
    dsn__dfs_opens(parent, name);
    dsn__span_close(&s);
    dsn__thread.daos[LAYER] = (uintptr_t)&s;
    s.start = dsn__ticks();
    ret = DSN_REAL(dfs_remove)(mount, parent, name, is_forced, oid ? oid : &removed);
    dsn__span_returned(&s);
    dsn__thread.daos[LAYER] = outer;
    dsn__dfs_remove(&s, ret, mount, parent, name, oid ? oid : &removed);
    dsn__span_close(&s);
    return ret;
}
