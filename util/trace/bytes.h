/* bytes.h - unaligned integers of either byte order
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/trace. */
#ifndef DSN_TRACE_BYTES_H
#define DSN_TRACE_BYTES_H

#include <stdint.h>

static inline uint16_t dsn__le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t dsn__le32(const unsigned char *p)
{
    return dsn__le16(p) | (uint32_t)dsn__le16(p + 2) << 16;
}

static inline uint64_t dsn__le64(const unsigned char *p)
{
    return dsn__le32(p) | (uint64_t)dsn__le32(p + 4) << 32;
}

static inline void dsn__put_le32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static inline void dsn__put_le64(unsigned char *p, uint64_t v)
{
    dsn__put_le32(p, (uint32_t)v);
    dsn__put_le32(p + 4, (uint32_t)(v >> 32));
}

#endif
