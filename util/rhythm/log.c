/* log.c - collects the operations of a log: of its traces, otherwise of its heat map
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "gather.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Sorting the events of a long trace takes most of the time, and a temporary file of 88 bytes for each. Only CPU times
 * need the order of all of them. */
static int take_traces(struct dsn_rhythm_input *in, const char *path, int as_found, struct darshan_trace_error *wrong)
{
    const struct darshan_trace_options options = { .format = "dxt", .as_found = as_found };
    struct darshan_trace *t;
    int rc;

    if (!darshan_trace_open(path, &options, &t, wrong))
        return -1;
    in->has_no_cpu = as_found;
    rc = dsn_rhythm_take_trace(in, t, wrong);
    darshan_trace_close(t);
    return rc;
}

static int has_cpu_times(struct darshan_reader *log)
{
    darshan_cpu_stamp *stamps;
    size_t n;

    if (darshan_reader_cpu_stamps(log, &stamps, &n, NULL) != DSN_ERR_OK)
        return 0;
    free(stamps);
    return n > 0;
}

int dsn_rhythm_take_log(struct dsn_rhythm_input *in, const char *path, struct darshan_reader *log, int64_t operations,
                        struct darshan_reader_error *err)
{
    struct darshan_trace_error wrong;
    int rc = 1;

    err->code = DSN_ERR_OK;
    if (has(log, DSN_DXT_POSIX_MODULE) || has(log, DSN_DXT_MPIIO_MODULE))
        rc = take_traces(in, path, operations > (int64_t)in->most && !has_cpu_times(log), &wrong);
    if (rc < 0)
        damaged(err, wrong.text);
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
