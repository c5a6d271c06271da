/* summary.h - what the processes of a run have done together, from the report that they wrote
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_SUMMARY_H
#define LBIO_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

/* Prints it. Returns how many bytes several processes have written at a time, or -1: errno, EBADMSG: it is no report. */
int64_t lbio__summary_print(const char *report, FILE *to);

#endif
