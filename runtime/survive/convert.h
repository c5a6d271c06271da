/* convert.h - what killed processes have left, made readable
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An image is read (record/remains.h), and used by the very code that would have run in its process. Since that replaces the
 * state of the process that does it, and since an application may have spoiled its image before it died, each image is
 * converted in a process of its own, which changes nothing but the file that it appends to. */
#ifndef DSN_CONVERT_H
#define DSN_CONVERT_H

#include <stddef.h>
#include <stdint.h>

/* Appends what is in the image at `path` to the file of spools at `spools`, and takes the image away. Where there is no
 * room for that it becomes one of the spools of `m`, and the image stays until dsn__members_remove. 0: it cannot be read,
 * and stays. */
struct dsn_members;
int dsn__convert(const char *path, const char *spools, struct dsn_members *m);

/* Whether killed processes have left anything to this one. */
int dsn__is_any_left(void);

/* Converts what they have left, as above. */
void dsn__convert_left(struct dsn_members *m);

#endif
