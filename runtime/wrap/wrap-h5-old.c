/* wrap-h5-old.c - wrappers of HDF5 calls that newer versions deprecate
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A separate member of the archive: programs linked with a library without these calls do not need it. */
#include <config.h>

#include "wrap/wrap-h5.h"

#define H5_SINCE 6
#include "wrap/h5.wrap"
