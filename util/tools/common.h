/* common.h - what the commands share: messages, and the comment block at the head of their output
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMON_H
#define DSN_COMMON_H

#include "util/lib/log.h"
#include "util/lib/text.h"

/* The release whose output and behaviour ours matches; scripts and PyDarshan ask for it. */
#define DSN_COMPAT_VERSION DSN_COMPAT_RELEASE

/* One line on stderr: "<command>: <file>: <what is wrong>; <what to do>". `more`: number of further errors of the same
 * log, which are not told one by one. */
void dsn_complain(const char *command, const char *file, const struct darshan_reader_error *err, int more);

/* One line on stderr: "<command>: <file>: <message>". */
void dsn_warn(const char *command, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Job, regions and mounts as comment lines (spec parser-output.md 2.2). */
void dsn_print_header(struct dsn_text *out, const struct darshan_reader *log);

/* Banner of a module's part of the output, between lines of `width` stars. Each command has its own width, as ever. */
#define DSN_PARSER_BANNER 55
#define DSN_DXT_BANNER    51
void dsn_print_banner(struct dsn_text *out, unsigned module, int width);

/* Says that a module lost data: in the output if what there is of it is to be shown, else on stderr. Returns 0 if the
 * module must not be printed. */
int dsn_print_incomplete(struct dsn_text *out, const char *command, const char *file, unsigned module, unsigned show);

#endif
