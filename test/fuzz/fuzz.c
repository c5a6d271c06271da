/* fuzz.c - calls all functions of the reader on bytes as a log file
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/lib/accum.h"
#include "util/lib/emit.h"

#define MANY_NAMES    ((size_t)100)
#define SOME_SEGMENTS ((size_t)97)

volatile uint64_t fuzz_sink;

static void need(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort(); /* nothing that the input could be blamed for: the fuzzer itself cannot go on */
}

const char *fuzz_file(const void *bytes, size_t n)
{
    static int fd = -1;
    static char name[40];

    if (fd < 0) {
        fd = memfd_create("log", MFD_CLOEXEC);
        need(fd >= 0, "memfd_create");
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    }
    need(ftruncate(fd, 0) == 0, "ftruncate");
    need(n == 0 || pwrite(fd, bytes, n, 0) == (ssize_t)n, "pwrite");
    return name;
}

static void put(unsigned char *to, uint64_t v, unsigned size, int big)
{
    for (unsigned i = 0; i < size; i++)
        to[big ? size - 1 - i : i] = (unsigned char)(v >> 8 * i);
}

const char *fuzz_log(unsigned module, unsigned version, int big, const uint8_t *region, size_t n)
{
    static unsigned char *log;
    static size_t room;
    static const char exe[] = "./program\nnfs\t/home\next4\t/\n", entry[] = "\1\0\0\0\0\0\0\0/home/file";
    const size_t job = DSN_HEADER_SIZE, names = job + DSN_JOB_REGION_MAX, data = names + sizeof entry;

    if (room < data + n) {
        room = data + n;
        log = realloc(log, room);
        need(log != NULL, "realloc");
    }
    memset(log, 0, data);
    memcpy(log, "3.41", 4);
    put(log + 8, DSN_MAGIC, 8, big);
    log[16] = DSN_UNCOMPRESSED;
    put(log + 32, names, 8, big);
    put(log + 40, sizeof entry, 8, big);
    put(log + 48 + 16 * module, data, 8, big);
    put(log + 56 + 16 * module, n, 8, big);
    put(log + 1072 + 4 * module, version, 4, big);
    put(log + job + 40, 4, 8, big);
    memcpy(log + job + DSN_JOB_SIZE, exe, sizeof exe);
    memcpy(log + names, entry, sizeof entry);
    if (big)
        put(log + names, 1, 8, 1);
    memcpy(log + data, region, n);
    return fuzz_file(log, data + n);
}

/* ------------------------------------------------------------------ reading */

/* Printing ends nowhere; the buffer of the text is the fuzzer's own. */
static struct dsn_text *nowhere(void)
{
    static struct dsn_text text;

    if (!text.buffer) {
        const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

        need(fd >= 0 && dsn_text_init(&text, fd), "/dev/null");
    }
    text.safe = !text.safe; /* now and then as on a terminal */
    return &text;
}

static void finish(struct dsn_accum *a)
{
    struct dsn_file_count files[DSN_NCATEGORIES];
    struct dsn_perf perf;

    dsn_accum_files(a, files);
    dsn_accum_perf(a, NULL, 0, &perf);
    fuzz_sink += (uint64_t)files[0].files + (uint64_t)perf.bytes + (uint64_t)dsn_accum_total(a)->v[0].i;
    dsn_accum_free(a);
}

void fuzz_records(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const struct dsn_table *t = dsn_table(module);
    const struct dsn_apmpi_header *head;
    const struct dsn_rec *r;
    struct dsn_emit emit;
    struct dsn_accum a;

    if (darshan_reader_begin(log, module, &it, &err) != DSN_ERR_OK)
        return;
    dsn_emit_init(&emit, nowhere(), t);
    dsn_accum_init(&a, t, DSN_ACCUM_TOTAL | DSN_ACCUM_FILES | DSN_ACCUM_PERF);
    head = module == DSN_APMPI_MODULE ? darshan_reader_apmpi(it, &err) : NULL;
    emit.sync = head && head->sync;
    while ((r = darshan_reader_next(it, &err)) != NULL) {
        const char *name = darshan_reader_name(log, r->id);
        const struct darshan_reader_mount *mount = darshan_reader_mount_of(log, name);
        const struct dsn_emit_file file = { name, mount->path, mount->type };

        dsn_emit_record(&emit, r, darshan_reader_tail(it), &file);
        if (dsn_accum_add(&a, r) != DSN_ERR_OK)
            break;
    }
    dsn_text_flush(emit.text);
    finish(&a);
    darshan_reader_end(it);
}

void fuzz_dxt(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_dxt *it;
    const struct dsn_dxt_head *head;
    struct dsn_dxt_segment segments[SOME_SEGMENTS];
    size_t n;

    if (darshan_dxt_begin(log, module, &it, &err) != DSN_ERR_OK)
        return;
    while ((head = darshan_dxt_next(it, &err)) != NULL) {
        fuzz_sink += (uint64_t)head->nwrites;
        if (head->rank & 1)
            fuzz_sink += (uint64_t)darshan_dxt_threads(it, &err);
        while ((n = darshan_dxt_segments(it, segments, SOME_SEGMENTS, &err)) > 0 && !(head->rank & 2))
            fuzz_sink += (uint64_t)segments[n - 1].length;
    }
    darshan_dxt_end(it);
}

int fuzz_region(const uint8_t *bytes, size_t n, unsigned module, void (*read)(struct darshan_reader *, unsigned))
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    const char *name = fuzz_log(module, bytes[1] % 8, bytes[2] & 1, bytes + FUZZ_CHOICES, n - FUZZ_CHOICES);

    if (darshan_reader_open(name, &log, &err) != DSN_ERR_OK)
        return 0;
    read(log, module);
    darshan_reader_close(log);
    return 0;
}
