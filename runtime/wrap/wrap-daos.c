/* wrap-daos.c - wrappers of the calls of DAOS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of the archive, for programs linked with libdaos. */
#include <config.h>

#include "wrap/wrap-daos.h"

#define LAYER     DSN_BY_DAOS
#define NOT_FOUND (-1010) /* -DER_NOSYS */

#include "wrap/daos.wrap"
