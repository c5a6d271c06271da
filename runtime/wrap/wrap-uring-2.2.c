/* wrap-uring-2.2.c - wrappers of calls since liburing 2.2
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of libdarshan.a: it can be linked only where liburing has them. */
#include <config.h>

#include "wrap/wrap-uring.h"

#include "wrap/uring-2.2.wrap"
