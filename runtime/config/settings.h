/* settings.h - struct of all settings; members from option.def
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CONFIG_SETTINGS_H
#define DSN_CONFIG_SETTINGS_H

#include <regex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/index.h"

#define DSN_ALL_MODULES (((uint64_t)1 << DSN_KNOWN_MODULES) - 1)
#define DSN_MAX_RULES   128
#define DSN_VERDICTS    1024

/* Regular expressions for file names, each for a set of modules. */
struct dsn_rules {
    unsigned n;
    struct dsn_rule {
        regex_t compiled;
        const char *text;
        uint64_t modules; /* bit: module id */
    } rule[DSN_MAX_RULES];
};

struct dsn_limits {
    int64_t of[DSN_KNOWN_MODULES]; /* 0: none */
};

#define DSN_TYPE_FLAG    int64_t
#define DSN_TYPE_TEXT    const char *
#define DSN_TYPE_MIB     int64_t
#define DSN_TYPE_BYTES   int64_t
#define DSN_TYPE_INT     int64_t
#define DSN_TYPE_SHARE   double
#define DSN_TYPE_REGEX   const char *
#define DSN_TYPE_RANKS   const char *
#define DSN_TYPE_MODULES uint64_t
#define DSN_TYPE_NAMES   struct dsn_rules *
#define DSN_TYPE_LIMITS  struct dsn_limits

enum dsn_source { DSN_BY_DEFAULT, DSN_BY_FILE, DSN_BY_ENVIRONMENT };

struct dsn_config {
#define O(field, type, variable, key, fallback, least, most, help) DSN_TYPE_##type field;
#define L(field, type, variable, key, pair, help)                  DSN_TYPE_##type field;
#include "option.def"
#undef O
#undef L
    struct {
#define O(field, type, variable, key, fallback, least, most, help) unsigned char field;
#define L(field, type, variable, key, pair, help)                  unsigned char field;
#include "option.def"
#undef O
#undef L
    } from; /* enum dsn_source of each */

    int loaded;
    const char *path_by_env;    /* names of environment variables that contain the log directory, from configure */
    int64_t mem_mask;           /* of mem_alignment */
    uint64_t disabled;          /* bitmap of module ids: mod_disable, minus mod_enable, plus those disabled by
                                 * default */
    _Atomic(uint64_t) *verdict; /* if there are name_exclude or name_include: the cache of verdicts, see exclude.h */
    unsigned nbad;              /* number of invalid settings, of which */
    char bad[1024];             /* the first few are kept, as lines */
};

/* Bits that no multiple of a power of two has. For another alignment all bits: then a division decides. An unknown
 * alignment (0 or less) has none, and counts as met. */
static inline int64_t dsn__alignment_mask(int64_t alignment)
{
    if (alignment <= 0)
        return 0;
    return (alignment & (alignment - 1)) == 0 ? alignment - 1 : -1;
}

static inline bool dsn__is_multiple(int64_t number, int64_t alignment, int64_t mask)
{
    return __builtin_expect((number & mask) == 0, 1) || (mask == -1 && number % alignment == 0);
}

/* Member of the state that life/state.h composes. */
extern struct dsn_config *const dsn__config __attribute__((visibility("hidden")));

#endif
