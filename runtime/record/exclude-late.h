/* exclude-late.h - drops records of files that are found to be excluded at the end
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_EXCLUDE_LATE_H
#define DSN_RECORD_EXCLUDE_LATE_H

/* Removes the records of excluded files from their modules' lists. The library is draining, so records no longer
 * change. */
void dsn__exclude_late(void);

#endif
