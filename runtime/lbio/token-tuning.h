/* token-tuning.h - finds the number of tokens with which all writers together are fastest
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Additive increase, multiplicative decrease: after each window of measurement the number grows by one; it is halved when
 * the rate is below 3/4 of the best. Three more rules:
 *
 *  - Below 9/10 of the best it does not grow, but goes back towards the number of the best, one by one. Otherwise it
 *    would spend its time between half and all of the number with which 3/4 are left.
 *  - If halving does not help, the file system has become slower: what is measured then is the best.
 *  - A best of LBIO_TUNING_AGE windows ago is forgotten, and the search begins again with half of its number. So a
 *    number below the best one is tried now and then even where no rate is bad enough for halving.
 *
 * With n writers getting a bandwidth B(n) that has one maximum and does not vary, the number comes to stay where B is
 * at least 9/10 of the maximum, apart from the window after each new beginning. */
#ifndef LBIO_TOKEN_TUNING_H
#define LBIO_TOKEN_TUNING_H

#include <stdint.h>

#define LBIO_TUNING_AGE 60

struct lbio_tuning {
    int64_t tokens;      /* the number now */
    double best;         /* highest rate; 0: not measured */
    int64_t best_tokens; /* and its number */
    double before;       /* the rate that has just led to a halving; 0: none */
    int age;             /* of the best, in windows */
};

/* Takes the rate (in any unit, of all writers together) of a window in which the number of tokens limited them, and sets
 * the number for the next one, at most `most`. */
void lbio__tuning_step(struct lbio_tuning *t, double rate, int64_t most);

#endif
