/* logutils.c - source of the enumerations of darshan-logutils.h; only preprocessed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * logutils.awk turns the arrays of counter names into enumerations. */
#include "compat-names.c"

/* clang-format off */
const char *const module_counter_names[] = {
#define M(symbol, id, name, key, version)        "DARSHAN_" #symbol "_MOD = " #id,
#define T(symbol, id, name, key, version, table) "DARSHAN_" #symbol "_MOD = " #id,
#include "darshan-log-format/modules.def"
};
