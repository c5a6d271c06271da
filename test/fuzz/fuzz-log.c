/* fuzz-log.c - any bytes as a log: header, job, names, extension, then all modules
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "fuzz.h"
#include "util/lib/figures.h"

static void read_all(struct darshan_reader *log)
{
    struct darshan_reader_metadata m;
    const struct darshan_reader_mount *mounts;
    const char *const *nodes;
    struct dsn_figures figures;
    size_t pos = 0;
    uint64_t id;

    while (darshan_reader_metadata(log, &pos, &m))
        fuzz_sink += m.key_length + (m.value_length ? (unsigned char)m.value[m.value_length - 1] : 0);
    for (size_t i = 0; i < darshan_reader_names(log); i++)
        fuzz_sink += strlen(darshan_reader_name_at(log, i, &id));
    for (size_t i = 0, n = darshan_reader_mounts(log, &mounts); i < n; i++)
        fuzz_sink += strlen(mounts[i].path) + strlen(mounts[i].type);
    for (size_t i = 0, n = darshan_reader_nodes(log, &nodes); i < n; i++)
        fuzz_sink += strlen(nodes[i]);
    for (size_t i = 0, n = darshan_reader_ranks(log); i < n; i++)
        fuzz_sink += darshan_reader_rank(log, i)->id;
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        fuzz_records(log, i);
        fuzz_dxt(log, i);
    }
    fuzz_sink += (uint64_t)dsn_figures_make(log, 0, &figures);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;

    if (darshan_reader_open(fuzz_file(bytes, n), &log, &err) != DSN_ERR_OK)
        return 0;
    read_all(log);
    darshan_reader_close(log);
    return 0;
}
