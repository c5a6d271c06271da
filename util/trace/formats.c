/* formats.c - table of trace formats
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "readers.h"

#include <strings.h>

#include "miller.h"
#include "writers.h"

/* clang-format off */
#define READS(part)  .probe = dsn__##part##_probe, .open = dsn__##part##_open, .next = dsn__##part##_next, .close = dsn__##part##_close
#define WRITES(part) .begin = dsn__##part##_begin, .put = dsn__##part##_put, .end = dsn__##part##_end, .release = dsn__##part##_release

const struct dsn__row dsn__rows[] = {
    { { "miller", "text of Miller's traces (1990): one line of up to ten numbers per record", 1, 1,
        "times below its tick (10 us, 1 us in imported traces); which calls failed" },
      DSN__ORDERED | DSN__CPU, .comment = "ff ", .also = " seed iotrace text ", READS(miller), WRITES(miller) },
    { { "calls", "files that programs write to the directory DARSHAN_TRACE, one per process", 1, 0,
        "failed calls; mapped files; calls on excluded files; stream calls other than reads, writes, opens, closes, seeks" },
      DSN__CPU | DSN__CPU_MORE, READS(calls) },
    { { "dxt", "traces in Darshan's logs", 1, 0, "opens, closes, seeks, syncs; CPU times in logs of others" },
      0, .also = " darshan ", READS(dxt) },
    { { "fio", "log of fio's write_iolog and read_iolog, versions 2 and 3; output: 3, one file per process", 1, 1,
        "how long requests took; processes; CPU times" },
      DSN__ORDERED, .also = " iolog ", READS(fio), WRITES(fio) },
    { { "strace", "output of strace -f or -ff with -ttt -T -y", 1, 0, "mapped files; offsets in files that were open before" },
      0, READS(strace) },
    { { "blktrace", "binary of blktrace, one file or NAME.blktrace.0 with those of the other processors", 1, 0,
        "files; steps of a request other than issue and completion" },
      DSN__CPU, READS(blktrace) },
    { { "blkparse", "text of blkparse", 1, 0, "files; steps of a request other than issue and completion" },
      DSN__CPU, READS(blkparse) },
    { { "ftrace", "text of trace-cmd report or tracefs, with block_rq_issue and block_rq_complete", 1, 0,
        "files; steps of a request other than issue and completion" },
      DSN__CPU, .also = " trace-cmd tracefs ", READS(ftrace) },
    { { "biosnoop", "table of biosnoop", 1, 0, "files" }, DSN__CPU, READS(biosnoop) },
    { { "msr", "CSV of the MSR Cambridge traces", 1, 0, "files, processes" }, DSN__CPU, .also = " msr-cambridge ", READS(msr) },
    { { "tencent", "CSV of Tencent's block storage traces", 1, 0, "files, processes, times below a second, durations" },
      DSN__CPU, READS(tencent) },
    { { "oracle", "libCacheSim's oracleGeneral", 1, 1, "read or write; offsets; durations; times below a second" },
      DSN__ORDERED | DSN__CPU, .also = " oraclegeneral ", READS(oracle), WRITES(oracle) },
    { { "vscsi", "VMware's vscsi, versions 1 and 2", 1, 0, "files, processes; in version 1 durations" },
      DSN__CPU, READS(vscsi) },
    { { "csv", "one line of comma-separated values per event, with everything known about it", 0, 1, NULL }, 0, WRITES(csv) },
    { { "chrome", "JSON for the trace viewers of Chrome and Perfetto", 0, 1, "CPU times" }, 0, .also = " perfetto json ", WRITES(chrome) },
    { { "ftio", "JSON lines for FTIO: bandwidth of each request over time", 0, 1, "files, offsets; the process" },
      0, .also = " jsonl ", WRITES(ftio) },
    { { "list", "a readable table", 0, 1, "hosts" }, 0, .comment = "# ", WRITES(list) },
};
/* clang-format on */
const size_t dsn__nrows = sizeof dsn__rows / sizeof dsn__rows[0];

/* Whether `name` is one of the words in `words`, ignoring case. */
static int is_among(const char *name, const char *words)
{
    const size_t n = strlen(name);

    for (; words && *words; words++)
        if (*words == ' ' && n > 0 && strncasecmp(words + 1, name, n) == 0 && words[1 + n] == ' ')
            return 1;
    return 0;
}

const struct dsn__row *dsn__row_named(const char *name)
{
    for (size_t i = 0; i < dsn__nrows; i++)
        if (strcasecmp(dsn__rows[i].about.name, name) == 0 || is_among(name, dsn__rows[i].also))
            return &dsn__rows[i];
    return NULL;
}

const struct darshan_trace_format *darshan_trace_format(size_t i)
{
    return i < dsn__nrows ? &dsn__rows[i].about : NULL;
}
