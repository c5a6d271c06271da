/* simulate-curve.c - darshan-simulate --curve: misses of caches of every size
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/command/common.h"
#include "util/simulate/curve.h"
#include "util/simulate/machine.h"
#include "util/simulate/spec.h"

#define POLICY_USES 20000000u /* maximum for simulating the other policies, too */
#define MAX_SIZES   64
#define USUAL_USES  16000000u /* maximum for the default block size; --block overrides it */

/* The block uses of all processes, as if they were on one node, by start. */
struct uses {
    const struct dsn_load *load;
    uint64_t block, *key, n;
};

/* Calls `use` for each; stops if it returns 0, and returns that. */
static int each(const struct uses *u, int (*use)(void *context, uint64_t key, int is_write), void *context)
{
    for (size_t i = 0; i < u->load->nops; i++) {
        const struct dsn_load_op *op = &u->load->ops[u->load->order[i]];

        if (op->length == 0 || op->flags & (DSN_LOAD_SYNC | DSN_LOAD_NO_OFFSET))
            continue;
        for (uint64_t b = op->offset / u->block; b <= (op->offset + op->length - 1) / u->block; b++)
            if (!use(context, u->key[op->file] + b, (op->flags & DSN_LOAD_WRITE) != 0))
                return 0;
    }
    return 1;
}

static int on_curve(void *context, uint64_t key, int is_write)
{
    return dsn_curve_use(context, key, is_write);
}

/* ------------------------------------------------------------------ other policies */

/* The sequence of uses, and for each the next use of its block. */
struct sequence {
    struct dsn_blocks blocks;
    uint32_t *block;
    unsigned char *is_write;
    uint32_t *next; /* UINT32_MAX: never */
    size_t n;
};

static int on_sequence(void *context, uint64_t key, int is_write)
{
    struct sequence *s = context;

    s->block[s->n] = dsn_blocks_add(&s->blocks, key);
    s->is_write[s->n] = (unsigned char)is_write;
    return s->block[s->n++] != DSN_BLOCK_NONE;
}

static void free_sequence(struct sequence *s)
{
    dsn_blocks_free(&s->blocks);
    free(s->block);
    free(s->is_write);
    free(s->next);
}

static int make_sequence(const struct uses *u, struct sequence *s)
{
    uint32_t *last;

    *s = (struct sequence){ .n = 0 };
    dsn_blocks_init(&s->blocks, SIZE_MAX);
    s->block = malloc(u->n * sizeof *s->block + 1);
    s->is_write = malloc(u->n + 1);
    s->next = malloc(u->n * sizeof *s->next + 1);
    if (!s->block || !s->is_write || !s->next || !each(u, on_sequence, s))
        return 0;
    last = malloc(s->blocks.used * sizeof *last + 1);
    if (!last)
        return 0;
    for (size_t i = 0; i < s->blocks.used; i++)
        last[i] = UINT32_MAX;
    for (size_t i = s->n; i-- > 0;) {
        s->next[i] = last[s->block[i]];
        last[s->block[i]] = (uint32_t)i;
    }
    free(last);
    return 1;
}

/* The share of reads that miss; negative: no memory. */
static double policy_misses(const struct sequence *s, const struct dsn_policy *policy, uint64_t size)
{
    struct dsn_cache c;
    uint64_t reads = 0, misses = 0;
    const int ok = dsn_cache_init(&c, policy, (size_t)size, s->blocks.used);

    for (size_t i = 0; ok && i < s->n; i++) {
        const int hit = dsn_cache_use(&c, s->block[i], s->next[i] == UINT32_MAX ? UINT64_MAX : s->next[i]);

        reads += !s->is_write[i];
        misses += !s->is_write[i] && !hit;
    }
    dsn_cache_free(&c);
    return ok ? reads > 0 ? (double)misses / (double)reads : 0 : -1;
}

/* ------------------------------------------------------------------ what is printed */

struct table {
    const struct dsn_curve *curve;
    uint64_t block, sizes[MAX_SIZES];
    size_t nsizes;
    double misses[MAX_SIZES][8]; /* of each policy; negative: not simulated */
    double error[MAX_SIZES];
};

static void choose_sizes(struct table *t)
{
    const uint64_t largest = dsn_curve_largest(t->curve);

    for (uint64_t size = 1; t->nsizes < MAX_SIZES - 1; size *= 2) {
        t->sizes[t->nsizes++] = size < largest ? size : largest > 0 ? largest : 1;
        if (size >= largest)
            break;
    }
}

static int fill(struct table *t, const struct uses *u)
{
    struct sequence s;
    int ok = 1;

    choose_sizes(t);
    for (size_t i = 0; i < t->nsizes; i++) {
        t->misses[i][0] = dsn_curve_misses(t->curve, t->sizes[i], 0, &t->error[i]);
        for (size_t p = 1; dsn_policy(p); p++)
            t->misses[i][p] = -1;
    }
    if (u->n > POLICY_USES)
        return 1;
    ok = make_sequence(u, &s);
    for (size_t i = 0; ok && i < t->nsizes; i++)
        for (size_t p = 1; ok && dsn_policy(p); p++)
            ok = (t->misses[i][p] = policy_misses(&s, dsn_policy(p), t->sizes[i])) >= 0;
    free_sequence(&s);
    return ok;
}

static void put_text(struct dsn_text *out, const struct table *t, const struct uses *u)
{
    char text[48];
    double least, error;
    const uint64_t largest = dsn_curve_largest(t->curve);

    least = dsn_curve_misses(t->curve, largest, 0, &error);
    if (u->load->bytes[0] == 0)
        dsn_text_string(out, "Nothing is read: a cache has no effect.\n");
    else if (largest == 0)
        dsn_text_string(out, "Nothing is read or written twice: a cache of any size misses every read.\n");
    else
        dsn_text_printf(out, "With %s or more a cache misses only first reads: %.1f %% of the blocks read.\n",
                        dsn_spec_size((double)largest * (double)t->block, text, sizeof text), 100 * least);
    dsn_text_printf(out, "\nMiss ratio of blocks read, %% (%" PRIu64 " accesses to blocks of %s%s)\n", u->n,
                    dsn_spec_size((double)t->block, text, sizeof text),
                    t->curve->ngroups > 1 ? ", sampled: +- is its standard error" : "");
    dsn_text_printf(out, "%-10s", "cache");
    for (size_t p = 0; dsn_policy(p); p++)
        dsn_text_printf(out, " %8s", dsn_policy(p)->name);
    dsn_text_string(out, "\n");
    for (size_t i = 0; i < t->nsizes; i++) {
        dsn_text_printf(out, "%-10s", dsn_spec_size((double)t->sizes[i] * (double)t->block, text, sizeof text));
        for (size_t p = 0; dsn_policy(p); p++)
            if (t->misses[i][p] >= 0)
                dsn_text_printf(out, " %8.2f", 100 * t->misses[i][p]);
        if (t->error[i] > 0)
            dsn_text_printf(out, " +- %.2f", 100 * t->error[i]);
        dsn_text_string(out, "\n");
    }
}

static void put_json(struct dsn_text *out, const struct table *t, const struct uses *u)
{
    dsn_text_printf(out,
                    "{\"block_bytes\": %" PRIu64 ", \"uses\": %" PRIu64 ", \"exact\": %s, \"enough_bytes\": %" PRIu64
                    ", \"sizes\": [",
                    t->block, u->n, t->curve->ngroups > 1 ? "false" : "true", dsn_curve_largest(t->curve) * t->block);
    for (size_t i = 0; i < t->nsizes; i++) {
        dsn_text_printf(out, "%s{\"bytes\": %" PRIu64 ", \"error\": %.6f", i ? ", " : "", t->sizes[i] * t->block,
                        t->error[i]);
        for (size_t p = 0; dsn_policy(p); p++)
            if (t->misses[i][p] >= 0)
                dsn_text_printf(out, ", \"%s\": %.6f", dsn_policy(p)->name, t->misses[i][p]);
        dsn_text_string(out, "}");
    }
    dsn_text_string(out, "]}\n");
}

static int print(const struct dsn_simulate_arguments *a, const struct table *t, const struct uses *u)
{
    struct dsn_text out;
    int rc;

    if (!dsn_text_init(&out, STDOUT_FILENO))
        return dsn_simulate_complain(a, "does not fit into memory");
    (a->json ? put_json : put_text)(&out, t, u);
    rc = dsn_end_output(&out, DSN_SIMULATE);
    dsn_text_free(&out);
    return rc;
}

static int draw(const struct dsn_simulate_arguments *a, const struct dsn_load *load)
{
    struct uses u = { .load = load };
    struct dsn_curve curve;
    static struct table t;
    int rc;

    u.block = a->curve_block > 0 ? (uint64_t)a->curve_block : dsn_machine_block(load, USUAL_USES);
    u.key = dsn_machine_keys(load, u.block);
    for (size_t i = 0; i < load->nops; i++)
        if (load->ops[i].length > 0 && !(load->ops[i].flags & (DSN_LOAD_SYNC | DSN_LOAD_NO_OFFSET)))
            u.n += (load->ops[i].offset + load->ops[i].length - 1) / u.block - load->ops[i].offset / u.block + 1;
    dsn_curve_init(&curve, u.n);
    t = (struct table){ .curve = &curve, .block = u.block };
    if (!u.key || !each(&u, on_curve, &curve)) {
        rc = dsn_simulate_complain(a, "has too many blocks for the memory: use a larger --block");
    } else {
        dsn_curve_end(&curve);
        rc = fill(&t, &u) ? print(a, &t, &u) : dsn_simulate_complain(a, "does not fit into memory");
    }
    dsn_curve_free(&curve);
    free(u.key);
    return rc;
}

int dsn_simulate_curve(const struct dsn_simulate_arguments *a)
{
    struct dsn_load load;
    int rc = 1;

    if (dsn_simulate_read(a, &load, 0))
        rc = draw(a, &load);
    dsn_load_free(&load);
    return rc;
}
