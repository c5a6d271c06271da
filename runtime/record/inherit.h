/* inherit.h - descriptors and mappings that a child inherits
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is known at first about descriptors inherited across exec, including standard input and output: their entries
 * point to placeholder descriptions (dsn__fds->unidentified) until one is used. Then the kernel is asked once
 * (dsn__fd_identified). Of those inherited across fork the child knows what its parent did: that is saved and restored. */
#ifndef DSN_RECORD_INHERIT_H
#define DSN_RECORD_INHERIT_H

/* Saves the tables before they are dropped (dsn__pages); NULL: empty, or no memory. */
struct dsn_inherited *dsn__inherit_save(void);

/* Restores the same descriptors and mappings, with records of this process. open() has the description of file `name`
 * made; NULL: none is counted. map() restores the mapping at a place of the table. */
struct dsn_description;
void dsn__inherit_restore(struct dsn_inherited *from, struct dsn_description *(*open)(int fd, const char *name),
                          void (*map)(int place, const char *name));

#endif
