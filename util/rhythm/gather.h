/* gather.h - collects the operations of a trace
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/rhythm. */
#ifndef DSN_RHYTHM_GATHER_H
#define DSN_RHYTHM_GATHER_H

#include "rhythm.h"
#include "util/trace/pairmap.h"
#include "util/trace/texts.h"

struct dsn_rhythm_input {
    struct dsn_rhythm_op *ops;
    size_t n, room, most;
    uint64_t closest; /* ns: closer operations of the same kind and process were merged; 0: none */
    int is_full;      /* merging did not make room */
    struct {
        uint64_t step, when[8];
    } only;        /* operations are taken that begin in these of 512 steps of so many ns; 0: all */
    int is_heat;   /* operations are bins of a heat map */
    double width;  /* of these, in seconds */
    size_t nprocs; /* of the job with the heat map */
    const char *source;
    int cpu;        /* enum darshan_trace_cpu */
    int has_no_cpu; /* events come in no order, so that CPU times cannot be estimated */
    int is_by_cpu;  /* start and end of operations are CPU times */
    uint64_t epoch, others, failed, left_out;
    struct dsn__pairmap process_index; /* ids */
    struct dsn__pairmap use_index;     /* (process, file id of the trace) */
    uint32_t *use_file, *use_text;
    size_t use_file_room, use_text_room;
    struct dsn__texts paths, names;
    struct dsn__pairmap file_index; /* (number of the path, 1), or (process, id), or (device, 2) */
    struct dsn_rhythm_file *files;
    size_t files_room;
    struct dsn__pairmap kind_index; /* (file and direction, size) */
    struct dsn__pairmap like_index; /* the same, with the file's name without numbers */
    struct dsn_rhythm_kind *kinds;
    uint32_t *like; /* by number of the kind */
    size_t kinds_room, like_room;
};

#endif
