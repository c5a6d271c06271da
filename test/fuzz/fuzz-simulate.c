/* fuzz-simulate.c - any bytes as a description of a machine (-DMODULE=spec) or as a storage profile (-DMODULE=profile)
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is accepted is a machine on which a small run comes to its end, after a time that is a number. A profile that is
 * written again says the same. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "util/simulate/profile.h"
#include "util/simulate/spec.h"

#define TEXT(x)  #x
#define VALUE(x) TEXT(x)
#define OPS      24
#define NEARLY   1e-9

static void wrong(const char *what)
{
    fprintf(stderr, "ERROR: %s\n", what);
    abort();
}

static struct dsn_load_op op[2 * OPS];
static size_t order[2 * OPS];
static struct dsn_load_process process[2] = { { .first = 0, .n = OPS }, { .node = 1, .first = OPS, .n = OPS } };
static char path[] = "/scratch/a";
static struct dsn_load_file file[2] = { { .extent = 1 << 22, .path = path }, { .extent = 1 << 22 } };
static const struct dsn_load load = { .ops = op,
                                      .nops = 2 * OPS,
                                      .order = order,
                                      .processes = process,
                                      .nprocesses = 2,
                                      .files = file,
                                      .nfiles = 2,
                                      .nnodes = 2 };

/* Two processes on two nodes, each of which writes a little, syncs, computes and reads some of it. */
static void run(const struct dsn_machine *m)
{
    struct dsn_shape shape;
    struct dsn_outcome o;

    for (size_t i = 0; i < 2 * OPS; i++) {
        const size_t k = i % OPS;

        op[i] = (struct dsn_load_op){ .start = k * 1000000 + k / 12 * 50000000 + i,
                                      .duration = 900000,
                                      .offset = k % 12 << 16,
                                      .length = k % 5 << 14,
                                      .file = i >= OPS,
                                      .flags = k < 12    ? DSN_LOAD_WRITE
                                               : k == 12 ? DSN_LOAD_SYNC
                                                         : 0 };
        order[2 * k + i / OPS] = i;
    }
    if (!dsn_shape_make(&load, &shape))
        wrong("no memory for the shape of a small run");
    if (!dsn_machine_run(&load, &shape, m, &o))
        wrong("a small run does not end");
    if (!(o.elapsed >= 0) || !(o.visible >= 0) || !(o.left >= 0) || !(o.fs_bytes[0] >= 0) || !(o.drained >= 0))
        wrong("a sum that is no number");
    dsn_outcome_free(&o);
    dsn_shape_free(&shape);
}

static const struct dsn_file_system usual = { { 1e-3, 1e-3 }, { 1e-9, 1e-9 }, { .1, .1 }, 0 };

static struct dsn_machine machine_of(const struct dsn_file_system *fs)
{
    return (struct dsn_machine){ .fs = *fs,
                                 .cache = { .policy = dsn_policy(0), .expiry = 30, .latency = 1e-6, .byte = 1e-10 },
                                 .block = 4096 };
}

static void spec(const uint8_t *bytes, size_t n)
{
    unsigned char pinned[2] = { 0 };
    struct dsn_machine m = machine_of(&usual);
    char *text = malloc(n + 1);
    struct dsn_spec s;

    if (!text)
        return;
    memcpy(text, bytes, n);
    text[n] = '\0';
    if (dsn_spec_parse(text, &s)) {
        dsn_spec_apply(&s, &load, &m, pinned);
        run(&m);
    } else if (!s.error[0]) {
        wrong("refused without a reason");
    }
    dsn_spec_free(&s);
    free(text);
}

static int same(double a, double b)
{
    return fabs(a - b) <= NEARLY * fabs(a);
}

static void profile(const uint8_t *bytes, size_t n)
{
    const char *name = fuzz_file(bytes, n);
    struct dsn_file_system fs, again;
    struct dsn_machine m;
    char error[160] = "", place[64];

    if (!dsn_profile_read(name, &fs, error, sizeof error)) {
        if (!error[0])
            wrong("refused without a reason");
        return;
    }
    m = machine_of(&fs);
    run(&m);
    snprintf(place, sizeof place, "/tmp/fuzz-profile-%ld", (long)getpid());
    if (!dsn_profile_write(place, &fs, error, sizeof error) || !dsn_profile_read(place, &again, error, sizeof error))
        wrong(error);
    unlink(place);
    for (int d = 0; d < 2; d++)
        if (!same(fs.latency[d], again.latency[d]) || !same(fs.byte[d], again.byte[d]) ||
            !same(fs.crowd[d], again.crowd[d]))
            wrong("a profile is another one when it is written again");
    if (!same(fs.link, again.link))
        wrong("the rate of a node is another one when it is written again");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    (strcmp(VALUE(MODULE), "spec") == 0 ? spec : profile)(bytes, n);
    return 0;
}
