/* calibrate.h - measures with how many writers a file system has its highest bandwidth
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_CALIBRATE_H
#define LBIO_CALIBRATE_H

#include <stdint.h>
#include <stdio.h>

struct lbio_calibration {
    int64_t size; /* bytes of all writers of a measurement */
    int most;     /* writers */
    int rounds;   /* measurements of each number, of which the median counts */
};

/* Measures 1, 2, 4 ... writers, each with a file of its own in the directory, that write `size` bytes together; prints a
 * line for each number, and at the end "tokens=N". The files have no names; nothing stays. Returns N, or -1 and
 * errno. */
int lbio__calibrate(const struct lbio_calibration *c, const char *directory, FILE *to);

#endif
