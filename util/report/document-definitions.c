/* document-definitions.c - JSON: how figures are computed
 * SPDX-License-Identifier: BSD-3-Clause */
#include "document-parts.h"

json_t *dsn__definitions_part(const struct dsn_report *r)
{
    static const struct definition {
        const char *figure, *formula, *counters, *source, *link;
    } definitions[] = {
#define DEFINITION(...) { __VA_ARGS__ },
#include "definitions.def"
#undef DEFINITION
    };
    json_t *all = json_array();

    (void)r;
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        const struct definition *d = &definitions[i];

        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s}", "figure", d->figure, "formula", d->formula,
                                             "counters", d->counters, "source", d->source, "link", d->link));
    }
    return all;
}
