/* config.h - the settings of the runtime, as parsed from option.def
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_CORE_CONFIG_H
#define DSN_CORE_CONFIG_H

#include <stdint.h>

#define DSN_TYPE_FLAG int64_t
#define DSN_TYPE_MIB  int64_t
#define DSN_TYPE_INT  int64_t
#define DSN_TYPE_TEXT const char *

struct dsn_config {
#define O(field, type, variable, fallback, least, most, help) DSN_TYPE_##type field;
#include "option.def"
#undef O
    uint64_t bad; /* bit: number of a row whose value was not understood */
};

/* Fills `c` with the defaults and what the environment says. Texts point into the environment or are literals: they
 * live as long as the process does not change its environment, so they are copied into `store`, of `size` bytes; one
 * that finds no room keeps its default. */
void dsn__config_load(struct dsn_config *c, char *store, unsigned size);

/* Names on stderr what was not understood, a line each: for one process of a job. */
void dsn__config_report(const struct dsn_config *c);

/* Whether the variable of the FLAG at offset `at` of struct dsn_config exists; cheaper than loading all. */
int dsn__config_flag(unsigned at);

/* Whether a text of the settings came from the user, not from the defaults. */
int dsn__config_given(const char *text);

#endif
