/* option.h - the rows of option.def as data
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_OPTION_H
#define DSN_CONFIG_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

enum dsn_type {
    DSN_FLAG,
    DSN_TEXT,
    DSN_MIB,
    DSN_BYTE_COUNT,
    DSN_INT,
    DSN_SHARE,
    DSN_REGEX,
    DSN_RANKS,
    DSN_MODULES,
    DSN_NAMES,
    DSN_LIMITS
};

struct dsn_setting {
    const char *variable, *key; /* "": none; a key may be followed by an alternative spelling */
    size_t at, from;            /* offsets in struct dsn_config of the value and of its source */
    enum dsn_type type;
    int pair;
    int64_t number;   /* default, for numbers */
    const char *text; /* default, for TEXT */
    int64_t least, most;
};

extern const struct dsn_setting dsn__options[];
extern const unsigned dsn__noptions;

/* Address of the value. */
static inline void *dsn__option_value(const struct dsn_config *c, const struct dsn_setting *o)
{
    return (char *)c + o->at;
}

#endif
