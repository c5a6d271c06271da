/* timing.c - how long the library's own work took
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "out/timing.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"

struct report {
    char text[2048];
    size_t used;
    int nranks;
};

static void add(struct report *r, const char *op, const char *suffix, int64_t ns)
{
    const size_t room = sizeof r->text - r->used;
    const int n =
        snprintf(r->text + r->used, room, "darshan:%s%s\t%d\t%.9f\n", op, suffix, r->nranks, (double)ns * 1e-9);

    if (n > 0 && (size_t)n < room)
        r->used += (size_t)n;
}

static int64_t longest(const struct dsn_part_row *rows, int nranks, int part)
{
    int64_t most = 0;

    for (int i = 0; i < nranks; i++)
        most = rows[i].took[part] > most ? rows[i].took[part] : most;
    return most;
}

void dsn__timing_print(const struct dsn_part_row *rows, int nranks, const struct dsn_log_file *f, int64_t shutdown)
{
    struct report r = { .text = "#darshan:<op>\t<nprocs>\t<time>\n", .nranks = nranks };
    uint64_t active = 0;
    int64_t init = 0;

    r.used = strlen(r.text);
    for (int i = 0; i < nranks; i++) {
        active |= rows[i].active;
        init = rows[i].took_init > init ? rows[i].took_init : init;
    }
    add(&r, "init", "", init);
    add(&r, "log_open", "", f->took_open);
    add(&r, "job_write", "", f->took_job);
    add(&r, "hash_write", "", longest(rows, nranks, 0));
    add(&r, "header_write", "", f->took_header);
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        if (active >> slot & 1)
            add(&r, dsn_module_name(dsn__slots[slot]->id), "_shutdown", longest(rows, nranks, 1 + slot));
    add(&r, "core_shutdown", "", shutdown);
    dsn__print(r.text, r.used);
}
