/* config.h - the settings of the runtime, as parsed from option.def
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Defaults, then the file that DARSHAN_CONFIG_PATH names, then the environment; read once, when a process starts.
 * Expressions are compiled then, too, which is the only time that malloc is called. */
#ifndef DSN_CONFIG_CONFIG_H
#define DSN_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

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

/* Bit: id of a module that this release has records of; module/modules.c says so. */
uint64_t dsn__modules_present(void);

#endif
