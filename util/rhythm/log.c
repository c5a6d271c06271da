/* log.c - collects the operations of a log: of its traces, otherwise of its heat map
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "gather.h"

#include <stdio.h>

static int has(const struct darshan_reader *log, unsigned module)
{
    return darshan_reader_header(log)->mod[module].len > 0;
}

static void damaged(struct darshan_reader_error *err, const char *text)
{
    if (err->code != DSN_ERR_OK)
        return;
    err->code = DSN_ERR_RECORD;
    snprintf(err->text, sizeof err->text, "%.199s", text);
}

int dsn_rhythm_take_log(struct dsn_rhythm_input *in, const char *path, struct darshan_reader *log,
                        struct darshan_reader_error *err)
{
    const struct darshan_trace_options options = { .format = "dxt" };
    struct darshan_trace_error wrong;
    struct darshan_trace *t;
    int rc = 1;

    err->code = DSN_ERR_OK;
    if (has(log, DSN_DXT_POSIX_MODULE) || has(log, DSN_DXT_MPIIO_MODULE)) {
        if (darshan_trace_open(path, &options, &t, &wrong)) {
            rc = dsn_rhythm_take_trace(in, t, &wrong);
            darshan_trace_close(t);
        } else {
            rc = -1;
        }
        if (rc < 0)
            damaged(err, wrong.text);
    }
    if (rc != 0 && in->n == 0 && has(log, DSN_HEATMAP_MODULE)) {
        struct darshan_reader_error of_heat;

        dsn_rhythm_take_heat(in, log, &of_heat);
        if (of_heat.code == DSN_ERR_MEMORY)
            rc = 0;
        else if (of_heat.code != DSN_ERR_OK)
            damaged(err, of_heat.text);
    }
    return rc != 0;
}
