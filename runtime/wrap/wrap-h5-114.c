/* wrap-h5-114.c - wrappers of HDF5 calls since 1.14
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of the archive: programs linked with an older library do not need it. */
#include <config.h>

#include "wrap/wrap-h5.h"

#define H5_SINCE 14
#include "wrap/h5.wrap"
