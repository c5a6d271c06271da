/* direction.h - read or write
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_SHARED_DIRECTION_H
#define DSN_SHARED_DIRECTION_H

enum dsn_direction { DSN_READ, DSN_WRITE };

#endif
