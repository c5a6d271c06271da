/* summary.h - totals over the processes of a run, from their report
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_SUMMARY_H
#define LBIO_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

/* Prints the report. Returns the number of bytes that several processes wrote concurrently, or -1 and errno; EBADMSG:
 * it is not a report. */
int64_t lbio__summary_print(const char *report, FILE *to);

#endif
