/* module-events.h - what all modules, or the one concerned, do when something happens elsewhere: module/modules.c
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_RECORD_MODULE_EVENTS_H
#define DSN_RECORD_MODULE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct dsn_description;
struct dsn_name;

/* Bitmap of the modules' ids. */
uint64_t dsn__modules_present(void);

/* Called when the library has been enabled: the standard streams get their records. */
void dsn__modules_start(void);

/* A stream has opened a FIFO, a socket or a terminal (dsn__fd_channel): the POSIX record of its name says so. */
void dsn__modules_note_channel(struct dsn_name *name, mode_t channel);

/* The name of a file has been removed, or (`is_renamed`) given to another file or to none. */
void dsn__modules_note_gone(int dirfd, const char *path, bool is_renamed);

/* dup of `from` onto `fd`, which may be a standard stream's, before the table of descriptors knows it. */
void dsn__modules_note_dup(int fd, int from);

/* Looks up the file of an inherited descriptor at its first use. Returns the description, or NULL if it is not
 * counted. */
struct dsn_description *dsn__modules_identify(int fd);

#endif
