/* wrap-h5-112.c - wrappers of the HDF5 calls that came with HDF5 1.12
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member of the archive of its own: a library that lacks these calls has no programs that need it. */
#include <config.h>

#include "wrap/wrap-h5.h"

#define H5_SINCE 12
#include "wrap/h5.wrap"
