/* lbio-figures.c - what log-based I/O did in this process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/lbio-figures.h"

#include <string.h>

#include "base/figures.h"
#include "darshan-log-format/index.h"
#include "life/state.h"

/* The tables of this library have no names (DSN_WITHOUT_TEXTS). */
#define I(name, unit, reduction, role, since, meaning) { #name, name, 0 },
#define F(name, unit, reduction, role, since, meaning) { #name, name, 1 },
static const struct {
    const char *name;
    uint8_t at;
    uint8_t is_seconds;
} figures[] = {
#include "darshan-log-format/lbio.def"
};
#undef I
#undef F

/* The state may contain some already: of the time before an exec that failed. */
static void add_figure(void *context, const char *name, int64_t count, double seconds)
{
    union dsn_val *v = context;

    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const int at = figures[i].at;

        if (strcmp(figures[i].name, name) != 0)
            continue;
        if (figures[i].is_seconds)
            v[at].f += seconds;
        else if (at == LBIO_LOG_HIGH || at == LBIO_INCOMPLETE_FILES)
            v[at].i = count;
        else
            v[at].i += count;
        return;
    }
}

void dsn__lbio_figures_add(void)
{
    if (lbio_figures && dsn__is_on())
        lbio_figures(add_figure, dsn__state.lbio);
}
