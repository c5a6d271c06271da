/* logutils.c - what the enumerations of darshan-logutils.h are made of; preprocessed only
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The counters are those of the arrays of names, which are turned into enumerations by logutils.awk. */
#include "compat-names.c"

/* clang-format off */
const char *const module_counter_names[] = {
#define M(symbol, id, name, key, version)        "DARSHAN_" #symbol "_MOD = " #id,
#define T(symbol, id, name, key, version, table) "DARSHAN_" #symbol "_MOD = " #id,
#include "darshan-log-format/modules.def"
};
