/* config.h - the settings of the runtime, as parsed from option.def
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Defaults, then the file that DARSHAN_CONFIG_PATH names, then the environment; read once, when a process starts.
 * Expressions are compiled then, too, which is the only time that malloc is called. */
#ifndef DSN_CORE_CONFIG_H
#define DSN_CORE_CONFIG_H

#include <regex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "darshan-log-format/index.h"

#define DSN_ALL_MODULES (((uint64_t)1 << DSN_KNOWN_MODULES) - 1)
#define DSN_MAX_RULES   128
#define DSN_VERDICTS    1024

/* Expressions for names of files, each for some modules. */
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
    const char *path_by_env;    /* names of variables that name the log's directory, as the site configured them */
    uint64_t disabled;          /* bit: module id; from mod_disable, mod_enable and what is off unless asked for */
    _Atomic(uint64_t) *verdict; /* with name_exclude or name_include: see exclude.h */
    unsigned nbad;              /* what was not understood, of which */
    char bad[1024];             /* the first few are kept: lines */
};

/* Fills `c`, whose former contents dsn__config_free has taken back (or which is all zero). Texts are copied into
 * `store`, of `size` bytes, from its end on; one that finds no room is named and left out. */
void dsn__config_load(struct dsn_config *c, char *store, unsigned size);

/* The same, with `n` bytes at `text` as the contents of the file `name`; the file that the environment names is not
 * read. */
void dsn__config_load_text(struct dsn_config *c, char *store, unsigned size, const char *name, const char *text,
                           size_t n);

/* Gives back what the settings hold outside of `c` and `store`. */
void dsn__config_free(struct dsn_config *c);

/* Names on stderr what was not understood, a line each, and prints all settings if they say so: for one process of a
 * job. */
void dsn__config_report(const struct dsn_config *c);

/* Whether there is anything of that. */
int dsn__config_has_report(const struct dsn_config *c);

/* Whether the variable of the FLAG at offset `at` of struct dsn_config exists; cheaper than loading all. */
int dsn__config_flag(unsigned at);

/* Whether a program with this command line, or this rank of MPI_COMM_WORLD, is to be left alone. */
int dsn__config_skips_program(const struct dsn_config *c, const char *command_line);
int dsn__config_skips_rank(const struct dsn_config *c, int rank);

/* All settings as text, for people, into `out`. Returns its length; what does not fit is cut. */
size_t dsn__config_dump(const struct dsn_config *c, char *out, size_t size);

#endif
