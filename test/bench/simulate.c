/* simulate.c - blocks a second of the curve of misses, and of each policy: simulate BLOCKS USES
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tenth of the uses goes through a file in order, the rest is at random, half of it in a tenth of the blocks. */
#include <config.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util/simulate/curve.h"
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
    return !ok;
}
