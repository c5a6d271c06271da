/* common.h - what the commands share: messages, and the comment block at the head of their output
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_COMMON_H
#define DSN_COMMON_H

#include "util/lib/log.h"
#include "util/lib/text.h"

/* The release whose output and behaviour ours matches; scripts and PyDarshan ask for it. */
#define DSN_COMPAT_VERSION DSN_COMPAT_RELEASE

/* To be called first by every command: a standard stream that it was started without must not become a file that it
 * opens, or output and messages would go there. Writing to stdout still fails then. */
void dsn_begin(void);

/* One line on stderr: "<command>: <file>: <what is wrong>; <what to do>". `more`: number of further errors of the same
 * log, which are not told one by one. */
void dsn_complain(const char *command, const char *file, const struct darshan_reader_error *err, int more);

/* One line on stderr: "<command>: <file>: <message>". */
void dsn_warn(const char *command, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes out what is left. Returns the exit status: 1 if not all could be written, which it says. */
int dsn_end_output(struct dsn_text *out, const char *command);

/* Job, regions and mounts as comment lines (spec parser-output.md 2.2). */
void dsn_print_header(struct dsn_text *out, const struct darshan_reader *log);

/* Banner of a module's part of the output, between lines of `width` stars. Each command has its own width, as in the
 * original. */
#define DSN_PARSER_BANNER 55
#define DSN_DXT_BANNER    51
void dsn_print_banner(struct dsn_text *out, unsigned module, int width);

/* Says that a module lost data: in the output if what there is of it is to be shown, else on stderr. Returns 0 if the
 * module must not be printed. */
int dsn_print_incomplete(struct dsn_text *out, const char *command, const char *file, unsigned module, unsigned show);

/* ------------------------------------------------------------------ commands that print logs, one after the other */

struct dsn_printing {
    const char *command;
    int comments;                         /* the output has comments: of several logs, each is named before it */
    int (*print)(struct dsn_printing *p); /* prints p->file; returns the exit status. What it could not read it tells
                                           * dsn_note(), and goes on */
    const char *file;
    int several; /* logs */
    struct dsn_text out;
    struct darshan_reader_error first; /* of the present log's errors */
    int nerrors;
};

/* Notes an error of the present log. The first one is reported after all output for the log, with the number of
 * others. */
void dsn_note(struct dsn_printing *p, const struct darshan_reader_error *err);

/* Prints every log to p->out, made by dsn_text_init(). Returns the exit status: 1 if any of them had an error. */
int dsn_print_logs(struct dsn_printing *p, char **files, int n);

#endif
