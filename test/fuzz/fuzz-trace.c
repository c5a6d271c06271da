/* fuzz-trace.c - any bytes as a trace, for one reader (-DMODULE=<format>) or for format recognition
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whatever is read is written in every format and counted. Miller text of it, read again, is written as the same bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "util/trace/stat.h"
#include "util/trace/trace.h"

#define TEXT(x)  #x
#define VALUE(x) TEXT(x)
#define MOST     ((size_t)1 << 22) /* bytes of Miller text that are compared */

static const char *const formats[] = { "csv", "oracle", "chrome", "ftio", "fio", "list" };
#define NFORMATS (sizeof formats / sizeof formats[0])

static void wrong(const char *what)
{
    fprintf(stderr, "ERROR: %s\n", what);
    abort();
}

/* An empty file, the same each time, and its name. */
static int memory(int i, char *name, size_t room)
{
    static int fds[2];

    if (fds[i] == 0)
        fds[i] = memfd_create("miller", MFD_CLOEXEC);
    if (ftruncate(fds[i], 0) != 0 || lseek(fds[i], 0, SEEK_SET) != 0)
        wrong("no file in memory");
    snprintf(name, room, "/proc/self/fd/%d", fds[i]);
    return fds[i];
}

static void write_all(struct darshan_trace_writer **w, const struct darshan_trace_event *e)
{
    for (size_t i = 0; i < NFORMATS; i++)
        if (w[i] && !darshan_trace_put(w[i], e, NULL)) {
            darshan_trace_free(w[i]);
            w[i] = NULL;
        }
}

/* Reads a trace, and writes it as Miller text to `fd`. Returns 0 if it cannot be opened. */
static int copy(const char *name, const char *format, int fd, int everything)
{
    const struct darshan_trace_options options = { .format = format, .memory = 1 };
    struct dsn_trace_counting *counting = everything ? dsn_trace_counting_new() : NULL;
    struct darshan_trace_writer *seed = NULL, *others[NFORMATS] = { NULL };
    static int null = -1;
    struct darshan_trace *t;
    struct darshan_trace_event e;
    struct darshan_trace_error err;
    struct darshan_trace_info info;
    int rc;

    if (null < 0)
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!darshan_trace_open(name, &options, &t, &err)) {
        dsn_trace_counting_free(counting);
        if (!err.text[0])
            wrong("refused without a reason");
        return 0;
    }
    rc = darshan_trace_next(t, &e, &err);
    info = *darshan_trace_info(t);
    info.directives = 1;
    info.physical = 1; /* or calls would be told of only if there are requests to devices, which damage may hide */
    if (!darshan_trace_create(fd, "miller", NULL, &info, &seed, NULL))
        wrong("no Miller text");
    for (size_t i = 0; everything && i < NFORMATS; i++)
        darshan_trace_create(null, formats[i], NULL, &info, &others[i], NULL);
    for (; rc > 0; rc = darshan_trace_next(t, &e, &err)) {
        if (e.op >= DARSHAN_TRACE_NOPS || e.kind >= DARSHAN_TRACE_NCLASSES || !darshan_trace_put(seed, &e, NULL))
            wrong("an event that there cannot be");
        write_all(others, &e);
        if (counting && !dsn_trace_count(counting, &e))
            wrong("not counted");
    }
    if (rc < 0 && !err.text[0])
        wrong("damaged without a reason");
    for (size_t i = 0; i < darshan_trace_notes(t); i++)
        fuzz_sink += strlen(darshan_trace_note(t, i));
    for (size_t i = 0; i < NFORMATS; i++)
        if (others[i]) {
            darshan_trace_finish(others[i], NULL, NULL);
            darshan_trace_free(others[i]);
        }
    if (counting && !dsn_trace_counted(counting, 0))
        wrong("not counted");
    dsn_trace_counting_free(counting);
    if (!darshan_trace_finish(seed, darshan_trace_info(t), NULL))
        wrong("Miller text not written");
    darshan_trace_free(seed);
    darshan_trace_close(t);
    return 1;
}

static size_t content(int fd, char *to)
{
    const ssize_t n = pread(fd, to, MOST, 0);

    return n < 0 ? 0 : (size_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char first[MOST], again[MOST];
    char name[2][40];
    const int a = memory(0, name[0], sizeof name[0]), b = memory(1, name[1], sizeof name[1]);
#ifdef MODULE
    const char *const format = VALUE(MODULE);
#else
    const char *const format = NULL;
#endif
    size_t size;

    if (!copy(fuzz_file(bytes, n), format, a, 1))
        return 0;
    lseek(a, 0, SEEK_SET);
    if (!copy(name[0], "miller", b, 0))
        wrong("Miller text that was written is refused");
    size = content(a, first);
    if (size != content(b, again) || memcmp(first, again, size) != 0)
        wrong("Miller text is not the same when it is written again");
    return 0;
}
