/* common.h - shared by the commands: messages, and the comment block at the start of their output
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMON_H
#define DSN_COMMON_H

#include "util/lib/log.h"
#include "util/lib/text.h"

/* The original's release with which output and behaviour are compatible; scripts and PyDarshan ask for it. */
#define DSN_COMPAT_VERSION DSN_COMPAT_RELEASE

/* Call this first in every command: a standard stream that is closed must not become a file that the command opens, or
 * output and messages would be written to that. Writing to stdout then still fails. */
void dsn_begin(void);

/* Prints a line on stderr: "<command>: <file>: <what is wrong>; <what to do>". `more`: number of further errors in the
 * same log, which are not printed. */
void dsn_complain(const char *command, const char *file, const struct darshan_reader_error *err, int more);

/* Prints a line on stderr: "<command>: <file>: <message>". */
void dsn_warn(const char *command, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Flushes the output. Returns the exit status: 1 on a write error, which is reported. */
int dsn_end_output(struct dsn_text *out, const char *command);

/* Prints job, regions and mounts as comment lines (spec parser-output.md 2.2). */
void dsn_print_header(struct dsn_text *out, const struct darshan_reader *log);

/* Heading of a module's part of the output, between lines of `width` asterisks. The width depends on the command, as in
 * the original. */
#define DSN_PARSER_BANNER 55
#define DSN_DXT_BANNER    51
void dsn_print_banner(struct dsn_text *out, unsigned module, int width);

/* Reports that a module lost data: in the output if the remaining data is to be shown, else on stderr. Returns 0 if the
 * module must not be printed. */
int dsn_print_incomplete(struct dsn_text *out, const char *command, const char *file, unsigned module, unsigned show);

/* ------------------------------------------------------------------ commands that print logs, one after the other */

struct dsn_printing {
    const char *command;
    int comments;                         /* the output has comments: if there are several logs, they are named */
    int (*print)(struct dsn_printing *p); /* prints p->file and returns the exit status; reports errors by dsn_note(),
                                           * and continues */
    const char *file;
    int several; /* logs */
    struct dsn_text out;
    struct darshan_reader_error first; /* the current log's errors */
    int nerrors;
};

/* Records an error of the current log. The first one is reported after all output for the log, with the number of
 * others. */
void dsn_note(struct dsn_printing *p, const struct darshan_reader_error *err);

/* Prints every log to p->out, which was initialised by dsn_text_init(). Returns the exit status: 1 if any of them had
 * an error. */
int dsn_print_logs(struct dsn_printing *p, char **files, int n);

#endif
