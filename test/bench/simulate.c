/* simulate.c - blocks per second of the miss curve and of each policy, requests per second: simulate BLOCKS USES
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tenth of the uses goes through a file in order, the rest is at random, half of it in a tenth of the blocks. Requests are
 * those of 64 processes on 4 nodes, a twentieth as many, each after a while of computing; half are writes. */
#include <config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util/simulate/curve.h"
#include "util/simulate/machine.h"
#include "util/simulate/policy.h"

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void tell(const char *what, size_t uses, double seconds, double bound)
{
    const double rate = (double)uses / seconds;

    printf("%-46s %8.3f %12.0f  ", what, seconds, rate);
    if (bound > 0)
        printf("%s %.0f\n", rate >= bound ? "bound" : "UNDER the bound", bound);
    else
        printf("\n");
}

enum { PROCESSES = 64, NODES = 4, LENGTH = 65536 };

static void simulate(const char *what, const struct dsn_load *load, const struct dsn_machine *m, double bound)
{
    struct dsn_shape shape;
    struct dsn_outcome outcome;
    double begin;

    if (!dsn_shape_make(load, &shape))
        exit(2);
    begin = cpu();
    if (!dsn_machine_run(load, &shape, m, &outcome))
        exit(2);
    tell(what, load->nops, cpu() - begin, bound);
    dsn_outcome_free(&outcome);
    dsn_shape_free(&shape);
}

/* One file system alone, with burst buffers, with page caches. */
static void simulate_all(size_t n)
{
    struct dsn_load load = { .nops = n, .nprocesses = PROCESSES, .nfiles = 1, .nnodes = NODES };
    struct dsn_machine m = { .fs = { { 1e-3, 1e-3 }, { 1e-9, 1e-9 }, { .02, .02 }, 0 },
                             .cache = { .policy = dsn_policy(0), .expiry = 30, .latency = 1e-6, .byte = 1e-10 },
                             .block = 65536 };
    static struct dsn_load_process processes[PROCESSES];
    static struct dsn_load_file file = { .extent = (uint64_t)PROCESSES << 32 };
    const size_t each = n / PROCESSES;

    load.nops = each * PROCESSES;
    load.ops = calloc(load.nops, sizeof *load.ops);
    load.order = calloc(load.nops, sizeof *load.order);
    if (!load.ops || !load.order)
        exit(2);
    load.processes = processes;
    load.files = &file;
    for (size_t i = 0; i < load.nops; i++) {
        const size_t p = i / each, k = i % each;

        load.ops[i] = (struct dsn_load_op){ .start = k * 4000000 + p * 1000,
                                            .duration = 2000000,
                                            .offset = (p << 32) + k / 4 % 1000 * LENGTH,
                                            .length = LENGTH,
                                            .flags = k / 1000 % 2 ? 0 : DSN_LOAD_WRITE };
        load.order[k * PROCESSES + p] = i;
        processes[p] = (struct dsn_load_process){ .node = (uint32_t)(p % NODES), .first = p * each, .n = each };
    }
    simulate("requests to a file system", &load, &m, 2e6);
    m.buffer = (struct dsn_burst_buffer){ .rate = 2e9, .size = 1e10, .drain = 1e9 };
    simulate("with burst buffers", &load, &m, 2e6);
    m.buffer.rate = 0;
    m.cache.size = 1e9;
    m.cache.ahead = 1 << 20;
    m.cache.write_back = 1;
    m.cache.background = .1;
    m.cache.limit = .2;
    simulate("with page caches", &load, &m, 2e6);
    free(load.ops);
    free(load.order);
}

int main(int argc, char **argv)
{
    const size_t blocks = argc > 2 ? (size_t)atol(argv[1]) : 0, uses = argc > 2 ? (size_t)atol(argv[2]) : 0;
    uint32_t *use = malloc(uses * sizeof *use + 1);
    uint64_t state = 1;
    struct dsn_curve curve;
    double begin;
    int ok = 1;

    if (blocks < 10 || uses == 0 || !use)
        return 2;
    for (size_t i = 0; i < uses; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        use[i] = (uint32_t)(i % 10 == 0 ? i / 10 % blocks : (state >> 33) % (state >> 63 ? blocks / 10 : blocks));
    }
    begin = cpu();
    dsn_curve_init(&curve, uses);
    for (size_t i = 0; i < uses; i++)
        ok &= dsn_curve_use(&curve, use[i], 0);
    dsn_curve_end(&curve);
    tell("exact curve, blocks", uses, cpu() - begin, 5e6);
    dsn_curve_free(&curve);
    for (size_t p = 0; dsn_policy(p); p++) {
        struct dsn_cache c;

        begin = cpu();
        ok &= dsn_cache_init(&c, dsn_policy(p), blocks / 4, blocks);
        for (size_t i = 0; ok && i < uses; i++)
            dsn_cache_use(&c, use[i], i + blocks);
        tell(dsn_policy(p)->name, uses, cpu() - begin, 0);
        dsn_cache_free(&c);
    }
    free(use);
    simulate_all(uses / 20);
    return !ok;
}
