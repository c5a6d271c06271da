/* direction.h - reading or writing
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_DIRECTION_H
#define DSN_DIRECTION_H

enum dsn_direction { DSN_READ, DSN_WRITE };

#endif
