/* wrap-h5.c - wrappers of HDF5 calls in all supported versions
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "wrap/wrap-h5.h"

#define H5_SINCE 10
#include "wrap/h5.wrap"

#ifndef DSN_PRELOAD

#define C(r, name, p) extern r name p;
#define X(r, name, p)
#define O(r, name, p) extern r name p __attribute__((weak));
#include "module/h5-calls.def"
#undef C
#undef X
#undef O

#define C(r, name, p) .name = name,
#define X(r, name, p) .name = __real_##name,
#define O(r, name, p) .name = name,
struct dsn_h5 dsn__h5_linked = { .calls = {
#include "module/h5-calls.def"
                                 } };

#endif
