/* convert.h - what killed processes have left, taken for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONVERT_H
#define DSN_CONVERT_H

struct dsn_members;

/* What is in the image at `path` becomes one of the spools of `m`; the image stays until dsn__members_remove. 0: it cannot be
 * read. */
int dsn__convert(const char *path, struct dsn_members *m);

/* Whether killed processes have left anything to this one. */
int dsn__is_any_left(void);

/* Takes what they have left, as above. */
void dsn__convert_left(struct dsn_members *m);

#endif
