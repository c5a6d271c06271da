/* name-parts.h - the parts of a file's name in which names of one pattern differ: numbers, and random letters
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A number is a run of digits. Random is a word (letters and digits) that a program made up: at least 8 hexadecimal digits
 * of one case with a letter and a digit among them, the 36 characters of a UUID, or at least 6 characters in which capitals, small
 * letters and digits alternate, as mkstemp() makes them. A random word of letters only
 * is not recognised. '#' is a number, too: it stands for one in the runtime's names for what has no record of its own. */
#ifndef DSN_NAME_PARTS_H
#define DSN_NAME_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define DSN_NAME_PARTS 63 /* of a name; further ones always count as different */

/* The next such part of `name`, of which `at` is a position at the start or behind a part: its start, its length, and the mark
 * that stands for it, '#' or '*'; at the end of the name NULL. */
const char *dsn_name_part(const char *name, const char *at, size_t *length, char *mark);

/* The name with marks instead of these parts, in `to` of `room` bytes. Returns its length; 0: it does not fit. */
size_t dsn_name_mask(const char *name, char *to, size_t room);

/* Two names that are the same but for these parts, up to their byte number `na` and `nb`: adds those that differ to `differ`, bit i
 * for part i. Returns 0 if there is another difference. */
int dsn_name_compare(const char *a, size_t na, const char *b, size_t nb, uint64_t *differ);

/* The first `n` bytes of a name, with marks for the parts in `differ`. `to` is cut to `room` bytes. */
void dsn_name_show(const char *name, size_t n, uint64_t differ, char *to, size_t room);

/* What a file's kind goes by: its directory, which includes the last slash, and its suffix, which includes the dot; "" if it has
 * none. A suffix has at most 8 letters and digits, at least one letter, and is not random; but for the last the runtime's kinds are the same
 * (runtime/record/pattern.h). */
size_t dsn_name_directory(const char *name);
const char *dsn_name_suffix(const char *name);

#endif
