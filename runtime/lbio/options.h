/* options.h - the user's options
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_OPTIONS_H
#define LBIO_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define LBIO_TEXT_MAX 1024

typedef int64_t lbio_BYTES, lbio_WORD;
typedef char lbio_TEXT[LBIO_TEXT_MAX], lbio_PATH[LBIO_TEXT_MAX];

struct lbio_options {
#define O(key, type, value, least, most, words, help) lbio_##type key;
#include "lbio/option.def"
#undef O
};

enum { LBIO_FSYNC_DRAIN, LBIO_FSYNC_LOG };
enum { LBIO_MARKER_ON, LBIO_MARKER_OFF };
enum { LBIO_END_DRAIN, LBIO_END_LEAVE };
enum { LBIO_REUSE_ON, LBIO_REUSE_OFF };
enum { LBIO_SHARED_DIRECT, LBIO_SHARED_LOG };
enum { LBIO_VISIBILITY_DRAIN, LBIO_VISIBILITY_CLOSE };

/* Sets the defaults, then the options in `text` (may be NULL). Returns the offset of the first invalid option, or
 * -1. */
int lbio__options_read(struct lbio_options *o, const char *text);

/* The default log directory: that of the batch system, the user's, or /tmp. */
void lbio__options_logdir(struct lbio_options *o);

/* Names and description of option `i`, for --help and the manual. 0: no more. */
int lbio__option_help(size_t i, const char **key, const char **words, const char **help);

/* The number of bytes that n characters mean, such as 100, 64k, 4m, 1g; -1: they mean none. */
int64_t lbio__read_bytes(const char *text, size_t n);

#endif
