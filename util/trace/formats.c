/* formats.c - the formats of traces, a row each
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "source.h"

#include "list.h"
#include "seed.h"

/* clang-format off */
#define READS(part)  .probe = dsn__##part##_probe, .open = dsn__##part##_open, .next = dsn__##part##_next, .close = dsn__##part##_close
#define WRITES(part) .begin = dsn__##part##_begin, .put = dsn__##part##_put, .end = dsn__##part##_end, .release = dsn__##part##_release

const struct dsn__row dsn__rows[] = {
    { { "seed", "text of the seed study: a line of up to ten numbers a record", 1, 1,
        "times below its tick (10 us, 1 us of what is imported)" },
      DSN__ORDERED | DSN__CPU, READS(seed), WRITES(seed) },
    { { "csv", "a line of comma separated values an event, all that is known of it", 0, 1, NULL }, 0, WRITES(csv) },
    { { "list", "a table for people", 0, 1, NULL }, 0, WRITES(list) },
};
/* clang-format on */
const size_t dsn__nrows = sizeof dsn__rows / sizeof dsn__rows[0];

const struct dsn__row *dsn__row_named(const char *name)
{
    for (size_t i = 0; i < dsn__nrows; i++)
        if (strcmp(dsn__rows[i].about.name, name) == 0)
            return &dsn__rows[i];
    return NULL;
}

const struct darshan_trace_format *darshan_trace_format(size_t i)
{
    return i < dsn__nrows ? &dsn__rows[i].about : NULL;
}
