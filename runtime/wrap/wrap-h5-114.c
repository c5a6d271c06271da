/* wrap-h5-114.c - wrappers of the HDF5 calls that came with HDF5 1.14
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A member of the archive of its own: a library that lacks these calls has no programs that need it. */
#include <config.h>

#include "wrap/wrap-h5.h"

#define H5_SINCE 14
#include "wrap/h5.wrap"
