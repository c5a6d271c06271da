/* calls.h - every call into a file of its process (darshan-log-format/calls.h), where DARSHAN_TRACE names a directory
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is made at the first call. It is mapped, and has no descriptor but while it is made, cut or given room by
 * old kernels. Each thread writes to a chunk of its own, without a lock or a system call; for every 4 to 32 KiB of
 * records the kernel is asked for pages, which is where a full file system answers with an error instead of a signal,
 * and where a slow one would hold up the thread. A thread that was held up for more than a twentieth of its time, and a
 * quarter of a second, collects nothing until that is made good: calls are left out then, as they are where there is no
 * room, and counted. Full chunks are unmapped in effect: they are the kernel's to write.
 *
 * All of this is called inside of a span, with no lock held. */
#ifndef DSN_MODULE_CALLS_H
#define DSN_MODULE_CALLS_H

#include "darshan-log-format/calls.h"
#include "record/module.h"
#include "record/span.h"

static inline int dsn__is_collecting(void)
{
    return __builtin_expect(dsn__switch.collects, 0);
}

/* As the settings say; the library is about to be switched on. */
void dsn__calls_start(void);

/* A call that is over. `length` 0 but of reads and writes. */
void dsn__calls_add(const struct dsn_span *s, enum dsn_call call, uint32_t file, int64_t offset, int64_t length);

/* The number of a file that has none yet; it is written with the file's name. */
uint32_t dsn__calls_number(const struct dsn_span *s, const char *name);

/* The process is about to end, or to execute another program: no more chunks are taken, and the file ends behind those
 * that were. Should it go on all the same, it does so in another file. */
void dsn__calls_end(void);

/* In a forked child, which has nothing to do with the file of its parent. `noting`: it goes on in the middle of a note,
 * and may store to where its parent does. */
void dsn__calls_forget(int noting);

#endif
