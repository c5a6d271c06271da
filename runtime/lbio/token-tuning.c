/* token-tuning.c - finds the number of tokens with which all writers together are fastest
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-tuning.h"

static void set_best(struct lbio_tuning *t, double rate)
{
    t->best = rate;
    t->best_tokens = t->tokens;
    t->age = 0;
}

void lbio__tuning_step(struct lbio_tuning *t, double rate, int64_t most)
{
    const int was_halved = t->before > 0;

    if (rate > t->best || (was_halved && rate <= t->before))
        set_best(t, rate);
    t->before = 0;
    if (++t->age > LBIO_TUNING_AGE) {
        t->tokens = t->best_tokens > 1 ? t->best_tokens / 2 : 1;
        set_best(t, 0);
    } else if (rate < 0.75 * t->best && t->tokens > 1) {
        t->before = rate;
        t->tokens /= 2;
    } else if (rate < 0.9 * t->best && t->tokens != t->best_tokens) {
        t->tokens += t->tokens < t->best_tokens ? 1 : -1;
    } else if (t->tokens < most) {
        t->tokens++;
    }
}
