/* exclude-late.h - records of files that turn out to be excluded
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_EXCLUDE_LATE_H
#define DSN_RECORD_EXCLUDE_LATE_H

/* Records that have been made of files that are excluded after all leave their modules' lists. The library is draining,
 * and records are frozen. */
void dsn__exclude_late(void);

#endif
