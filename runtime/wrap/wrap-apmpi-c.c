/* wrap-apmpi-c.c - the same with large counts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member of libdarshan.a of its own, for programs that use them: not every MPI has them to link with. */
#include <config.h>

#include "wrap/wrap-apmpi.h"

#include "wrap/apmpi-c.wrap"
