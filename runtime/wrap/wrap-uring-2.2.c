/* wrap-uring-2.2.c - wrappers of what came with liburing 2.2
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member of libdarshan.a of its own, for it can only be linked where it is there. */
#include <config.h>

#include "wrap/wrap-uring.h"

#include "wrap/uring-2.2.wrap"
