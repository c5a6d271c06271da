/* config.h - the runtime's settings, as described by option.def
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Precedence: environment, then the file that DARSHAN_CONFIG_PATH names, then defaults. Read once, when a process
 * starts. Expressions are compiled then, too; only this calls malloc. */
#ifndef DSN_CONFIG_CONFIG_H
#define DSN_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

/* Fills `c`, which is all zero or has been freed by dsn__config_free. Strings are copied into `store` (`size` bytes),
 * from its end; a setting for whose string there is no room is reported and ignored. */
void dsn__config_load(struct dsn_config *c, char *store, unsigned size);

/* The same, with `n` bytes at `text` instead of the configuration file; `name` appears in messages. */
void dsn__config_load_text(struct dsn_config *c, char *store, unsigned size, const char *name, const char *text,
                           size_t n);

/* Frees what the settings own outside of `c` and `store`. */
void dsn__config_free(struct dsn_config *c);

/* Prints one line on stderr for each invalid setting, and all settings if that is requested. To be called in one
 * process of a job. `modules`: bitmap of the ids of modules that are recorded, unless a setting disables them. */
void dsn__config_report(const struct dsn_config *c, uint64_t modules);

/* Whether dsn__config_report would print anything. */
bool dsn__config_has_report(const struct dsn_config *c);

/* Whether the variable of the FLAG at offset `at` of struct dsn_config is set; cheaper than loading everything. */
bool dsn__config_flag(unsigned at);

/* Whether a program with this command line, or this rank of MPI_COMM_WORLD, is excluded from recording. */
bool dsn__config_skips_program(const struct dsn_config *c, const char *command_line);
bool dsn__config_skips_rank(const struct dsn_config *c, int rank);

/* Whether this is darshan-recover, which is never recorded. */
bool dsn__config_is_own_program(const char *command_line);

/* Prints all settings to `out`, truncated to its size. Returns the length. */
size_t dsn__config_dump(const struct dsn_config *c, uint64_t modules, char *out, size_t size);

#endif
