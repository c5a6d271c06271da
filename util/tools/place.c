/* place.c - location of a record's object: usually from its name and the mounts, sometimes from the record
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UUID_LENGTH 36 /* as text */

static void format_uuid(char *to, const union dsn_val v[2])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];

    memcpy(bytes, v, sizeof bytes);
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        *to++ = hex[bytes[i] >> 4];
        *to++ = hex[bytes[i] & 15];
    }
}

/* "<pool>:<container>" */
static void use_pool(struct dsn_place *p, const union dsn_val pool[2], const union dsn_val container[2])
{
    format_uuid(p->mount, pool);
    p->mount[UUID_LENGTH] = ':';
    format_uuid(p->mount + UUID_LENGTH + 1, container);
    p->mount[2 * UUID_LENGTH + 1] = '\0';
    p->file.mount = p->mount;
    p->file.type = "N/A";
}

static int is_zero(const union dsn_val v[2])
{
    return v[0].i == 0 && v[1].i == 0;
}

static void locate_dfs(const struct dsn_rec *r, struct dsn_place *p)
{
    use_pool(p, &r->v[DFS_POOL_UUID], &r->v[DFS_CONT_UUID]);
    if (is_zero(&r->v[DFS_POOL_UUID]) || is_zero(&r->v[DFS_CONT_UUID]))
        p->file.mount = "UNKNOWN";
}

static void locate_daos(const struct dsn_rec *r, struct dsn_place *p)
{
    snprintf(p->name, sizeof p->name, "%" PRIu64 ".%" PRIu64, (uint64_t)r->v[DAOS_OID_HI].i,
             (uint64_t)r->v[DAOS_OID_LO].i);
    p->file.name = p->name;
    use_pool(p, &r->v[DAOS_POOL_UUID], &r->v[DAOS_CONT_UUID]);
}

void dsn_locate(const struct darshan_reader *log, const struct dsn_table *t, const struct dsn_rec *r,
                struct dsn_place *out)
{
    const struct darshan_reader_mount *mount;

    if (t->id == DSN_APMPI_MODULE) {
        out->file = (struct dsn_emit_file){ "", "", "" };
        return;
    }
    out->file.name = darshan_reader_name(log, r->id);
    if (!out->file.name && t->id == DSN_BGQ_MODULE)
        out->file.name = "darshan-bgq-record";
    if (t->id == DSN_DFS_MODULE) {
        locate_dfs(r, out);
    } else if (t->id == DSN_DAOS_MODULE) {
        locate_daos(r, out);
    } else {
        mount = darshan_reader_mount_of(log, out->file.name);
        out->file.mount = mount->path;
        out->file.type = mount->type;
    }
}
