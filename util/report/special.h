/* special.h - modules that are no layer of files: Blue Gene/Q's partition, MDHIM's key-value store, APMPI's messages
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/report. */
#ifndef DSN_SPECIAL_H
#define DSN_SPECIAL_H

#include "report.h"

/* Fills r->partition, r->store, r->communication and r->lbio. Damage is noted and got over. Returns DSN_ERR_OK or MEMORY. */
int dsn__special_read(struct dsn_report *r);

#define DSN_SPECIAL_TEXT 256

/* "128 nodes of 16.0 GiB, 16 ranks each, 1 I/O node, torus 2x2x4x4x2"; "" if the log has no such record. */
void dsn__partition_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);

/* "100 puts of up to 4.00 KiB (slowest 0.1 s), 20 gets of up to 1.00 KiB (slowest 0.02 s) on 4 servers"; "" likewise. */
void dsn__store_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);

/* "mean rank: compute 40 %, communication 35 %, I/O 25 %", its seconds by kinds of calls, and in all; "" likewise. */
void dsn__communication_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__messages_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__most_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);

/* Log-based I/O: "1.2 GiB in 300 calls returned in 0.4 s"; "replayed in 8.1 s, 7.9 s of it beside computing (97
 * %)"; what the program waited for; what the log did besides; errors; "" likewise. */
void dsn__lbio_calls_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__lbio_replay_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__lbio_waits_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__lbio_log_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__lbio_direct_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);
void dsn__lbio_errors_text(const struct dsn_report *r, char to[DSN_SPECIAL_TEXT]);

#endif
