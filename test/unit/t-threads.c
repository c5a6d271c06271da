/* t-threads.c - many threads record calls at a time: on one file, on many, with new names, and while the log is written
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * test/run has it built with ThreadSanitizer, too. Nothing is really read or written: the notes are what is tested. */
#include <config.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "life/events.h"
#include "life/state.h"
#include "module/posix.h"
#include "module/stdio.h"
#include "note.h"
#include "record/arena.h"
#include "record/fd.h"
#include "record/finalize.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/shards.h"
#include "record/span.h"
#include "record/times.h"
#include "unit.h"

enum { THREADS = 8, CALLS = 4000, FILES = 300 };

static char buffer[64];
static pthread_barrier_t gate;

static void note_open(int fd, const char *path)
{
    NOTE(dsn__posix_open(&s, fd, AT_FDCWD, path, O_RDWR, 0600));
}

static void note_close(int fd)
{
    NOTE(dsn__posix_close(&s, dsn__posix_release(fd)));
}

static void note_write(int fd, int n)
{
    NOTE(dsn__posix_write(&s, fd, buffer, n, DSN_AT_CURSOR));
}

static void note_read(int fd, int n)
{
    NOTE(dsn__posix_read(&s, fd, buffer, n, n));
}

static void start(const char *memory, const char *names)
{
    setenv("DARSHAN_LOGFILE", "threads.darshan", 1);
    setenv("DARSHAN_MODMEM", memory, 1);
    setenv("DARSHAN_NAMEMEM", names, 1);
    unlink("threads.darshan");
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__switch_on();
}

/* All threads do `work` at a time; its argument is the thread's number. */
static void together(void *(*work)(void *number))
{
    pthread_t thread[THREADS];

    pthread_barrier_init(&gate, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&gate);
}

/* Of a counter over all POSIX records. */
/* After the shutdown, when records are complete. Those of files that were never accessed are gone then. */
static int64_t total(int counter)
{
    const char *arena = dsn__arena->base;
    int64_t sum = 0;

    for (const struct dsn_record_state *l = dsn__names->first_state[DSN_INDEX_POSIX]; l; l = l->next) {
        const char *rec = (const char *)l->rec;

        if (rec >= arena && rec < arena + dsn__arena->size)
            sum += l->rec->v[counter].i;
    }
    return sum;
}

static void check_log(void)
{
    ck_assert_int_eq(access("threads.darshan", R_OK), 0);
}

/* ------------------------------------------------------------------ one file, and one each */

static void *one_and_own(void *number)
{
    const int own = 10 + (int)(intptr_t)number, shared = 5;
    char path[32];

    snprintf(path, sizeof path, "/work/own%d", own);
    pthread_barrier_wait(&gate);
    note_open(own, path);
    for (int i = 0; i < CALLS; i++) {
        note_write(shared, 1 + i % 40);
        note_read(own, 2);
        NOTE(dsn__posix_seek(&s, shared, i));
    }
    note_close(own);
    return NULL;
}

START_TEST(shared_file)
{
    start("4", "1");
    note_open(5, "/work/shared");
    together(one_and_own);
    dsn__finalize_mpi();
    ck_assert_int_eq(total(POSIX_WRITES), THREADS * CALLS);
    ck_assert_int_eq(total(POSIX_BYTES_WRITTEN), THREADS * (CALLS / 40) * (40 * 41 / 2));
    ck_assert_int_eq(total(POSIX_READS), THREADS * CALLS);
    ck_assert_int_eq(total(POSIX_SEEKS), THREADS * CALLS);
    ck_assert_int_eq(atomic_load(&dsn__incomplete->missed), 0);
    check_log();
}
END_TEST

/* ------------------------------------------------------------------ a record for which all would wait */

/* Each call lasts 100 ticks, each thread's begins 10 after the one before: together 170. */
static void note_overlapping_write(int fd, int64_t start, int64_t offset)
{
    struct dsn_span s;

    if (dsn__span_open(&s)) {
        s.start = start;
        s.end = start + 100;
        dsn__span_mark(&s);
        dsn__posix_write(&s, fd, buffer, sizeof buffer, offset);
        dsn__span_close(&s);
    }
}

static pthread_barrier_t step; /* nobody is far ahead, as in real time */
static int64_t begin;

static void *contend(void *number)
{
    const int me = (int)(intptr_t)number;

    pthread_barrier_wait(&gate);
    for (int i = 0; i < CALLS; i++) {
        note_overlapping_write(5, begin + i * 1000 + me * 10, (me * CALLS + i) * (int64_t)sizeof buffer);
        if (i % 100 == 0)
            NOTE(dsn__posix_seek(&s, 5, i));
        if (i % 32 == 31)
            pthread_barrier_wait(&step);
    }
    return NULL;
}

/* How many shards there are. */
static int count_shards(const struct dsn_record_state *f)
{
    const struct dsn_shards *shards = atomic_load(&f->shards);
    int n = 0;

    for (int i = 0; shards && i < DSN_THREADS; i++)
        n += atomic_load(&shards->of[i]) != NULL;
    return n;
}

/* A thread that finds the record locked, once more, and makes the first shard as soon as it is not. */
static void *meet(void *unused)
{
    dsn__thread.waits = 15;
    pthread_barrier_wait(&gate);
    note_write(5, 100);
    return unused;
}

static void *keep_locked(void *f)
{
    struct dsn_record_state *whole = f;

    ck_assert(dsn__spin(&whole->lock));
    pthread_barrier_wait(&gate);
    while (!atomic_load(&dsn__names->lock))
        usleep(1000);
    ck_assert_int_eq(count_shards(whole), 0);
    dsn__unspin(&whole->lock);
    return NULL;
}

START_TEST(contended)
{
    struct dsn_record_state *f;
    pthread_t thread[THREADS];
    const union dsn_val *v;
    int64_t before;

    start("4", "1");
    note_open(5, "/work/contended");
    before = dsn__ticks();
    note_write(5, 100);
    f = dsn__description_state(dsn__fd_description(5));
    dsn__calls_overlap();
    pthread_barrier_init(&gate, NULL, 2);
    pthread_create(&thread[0], NULL, keep_locked, f);
    pthread_create(&thread[1], NULL, meet, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(count_shards(f), 1);
    begin = dsn__ticks();
    pthread_barrier_init(&gate, NULL, THREADS);
    pthread_barrier_init(&step, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, contend, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(count_shards(f), 1 + THREADS);
    dsn__finalize_mpi();
    ck_assert_ptr_eq(dsn__names->first_state[DSN_INDEX_POSIX], f);
    ck_assert_ptr_null(f->next);
    v = f->rec->v;
    ck_assert_int_eq(v[POSIX_OPENS].i, 1);
    ck_assert_int_eq(v[POSIX_WRITES].i, 2 + THREADS * CALLS);
    ck_assert_int_eq(v[POSIX_BYTES_WRITTEN].i, 200 + THREADS * CALLS * (int64_t)sizeof buffer);
    ck_assert_int_eq(v[POSIX_MAX_BYTE_WRITTEN].i, THREADS * CALLS * (int64_t)sizeof buffer - 1);
    ck_assert_int_eq(v[POSIX_CONSEC_WRITES].i, THREADS * (CALLS - 1));
    ck_assert_int_eq(v[POSIX_SEEKS].i, THREADS * CALLS / 100);
    ck_assert_int_eq(v[POSIX_SIZE_WRITE_0_100].i, 2 + THREADS * CALLS);
    ck_assert_int_eq(v[POSIX_ACCESS1_ACCESS].i, sizeof buffer);
    ck_assert_int_eq(v[POSIX_ACCESS1_COUNT].i, THREADS * CALLS);
    ck_assert_double_ge(v[POSIX_F_WRITE_TIME].f, dsn__finalized_seconds(dsn__clock, CALLS * 170) - 1e-9);
    ck_assert_double_le(v[POSIX_F_WRITE_TIME].f, /* the first two writes took what they took */
                        dsn__finalized_seconds(dsn__clock, CALLS * 170 + begin - before) + 1e-9);
    ck_assert_int_eq(atomic_load(&dsn__incomplete->missed), 0);
    check_log();
}
END_TEST

/* ------------------------------------------------------------------ names that are new to all at a time */

static void *new_names(void *number)
{
    const int fd = 10 + (int)(intptr_t)number;
    char path[64];

    pthread_barrier_wait(&gate);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, i % 2 ? "/work/all%d" : "/work/own%d.%d", i, fd);
        note_open(fd, path);
        note_write(fd, 3);
        NOTE(dsn__posix_stat(&s, 0, AT_FDCWD, path, S_IFREG));
        note_close(fd);
    }
    return NULL;
}

START_TEST(many_files)
{
    start("16", "1");
    together(new_names);
    dsn__finalize_mpi();
    ck_assert_int_eq(total(POSIX_WRITES), THREADS * FILES);
    ck_assert_uint_eq(dsn__names->count[DSN_INDEX_POSIX], FILES / 2 + THREADS * FILES / 2);
    ck_assert_int_eq(atomic_load(&dsn__incomplete->aggregated), 0);
    check_log();
}
END_TEST

START_TEST(aggregated)
{
    start("0.25", "64K");
    together(new_names);
    dsn__finalize_mpi();
    ck_assert_int_eq(total(POSIX_WRITES), THREADS * FILES);
    ck_assert_int_eq(total(POSIX_BYTES_WRITTEN), THREADS * FILES * 3);
    ck_assert_int_gt(atomic_load(&dsn__incomplete->aggregated), 0);
    ck_assert_int_eq(atomic_load(&dsn__incomplete->missed), 0);
    check_log();
}
END_TEST

START_TEST(excluded)
{
    FILE *f = fopen("threads.conf", "w");

    fputs("NAME_EXCLUDE /own[0-9.]*$ POSIX\n", f);
    fclose(f);
    setenv("DARSHAN_CONFIG_PATH", "threads.conf", 1);
    start("4", "1");
    together(new_names);
    dsn__finalize_mpi();
    ck_assert_int_eq(total(POSIX_WRITES), THREADS * FILES / 2);
    check_log();
}
END_TEST

/* ------------------------------------------------------------------ descriptors that are pulled away */

/* Every thread opens, copies, uses and closes the same few numbers: calls may land in either file, but all is bounded
 * and nothing is lost for ever. */
static void *same_numbers(void *number)
{
    const int me = (int)(intptr_t)number;

    pthread_barrier_wait(&gate);
    for (int i = 0; i < CALLS; i++) {
        const int fd = 20 + (i + me) % 3, other = 20 + i % 5;

        switch ((i * 7 + me) % 5) {
        case 0:
            note_open(fd, i % 2 ? "/work/a" : "/work/b");
            break;
        case 1:
            NOTE(dsn__posix_dup(&s, other, fd));
            break;
        case 2:
            note_close(other);
            break;
        default:
            note_write(fd, 1);
        }
    }
    return NULL;
}

START_TEST(raced_descriptors)
{
    const struct dsn_record_state *after;

    start("4", "1");
    together(same_numbers);
    for (int fd = 20; fd < 25; fd++)
        note_close(fd);
    note_open(30, "/work/after"); /* what was given back can be used again */
    note_write(30, 7);
    after = dsn__description_state(dsn__fd_description(30));
    dsn__finalize_mpi();
    ck_assert_int_le(total(POSIX_WRITES), THREADS * CALLS / 5 * 2 + THREADS * 2 + 1);
    ck_assert_int_gt(total(POSIX_WRITES), 1);
    ck_assert_int_eq(after->rec->v[POSIX_BYTES_WRITTEN].i, 7);
    check_log();
}
END_TEST

/* ------------------------------------------------------------------ streams and handles */

static FILE *shared_stream;

static void *streams(void *number)
{
    char path[32];
    FILE *own = fopen("/dev/null", "w");

    snprintf(path, sizeof path, "/work/stream%d", (int)(intptr_t)number);
    pthread_barrier_wait(&gate);
    for (int i = 0; i < CALLS; i++) {
        NOTE(dsn__stdio_io(&s, DSN_WRITE, shared_stream, 2));
        if (i % 100 == 0)
            NOTE(dsn__stdio_open(&s, own, path, "w"));
        NOTE(dsn__stdio_io(&s, DSN_READ, own, 1));
        if (i % 100 == 99)
            NOTE(dsn__stdio_close(&s, dsn__stdio_release(own)));
    }
    fclose(own);
    return NULL;
}

START_TEST(shared_stream_too)
{
    int64_t reads = 0, writes = 0;

    start("4", "1");
    ck_assert_ptr_nonnull(shared_stream = fopen("/dev/null", "w"));
    NOTE(dsn__stdio_open(&s, shared_stream, "/work/stream", "w"));
    together(streams);
    for (const struct dsn_record_state *l = dsn__names->first_state[DSN_INDEX_STDIO]; l; l = l->next) {
        reads += l->rec->v[STDIO_READS].i;
        writes += l->rec->v[STDIO_WRITES].i;
    }
    ck_assert_int_eq(writes, THREADS * CALLS);
    ck_assert_int_eq(reads, THREADS * CALLS);
    dsn__finalize_mpi();
    check_log();
    fclose(shared_stream);
}
END_TEST

static struct dsn_handle_map map;

static void *handles(void *number)
{
    static int value[THREADS];
    const uintptr_t me = (uintptr_t)number;

    pthread_barrier_wait(&gate);
    for (uintptr_t i = 0; i < CALLS; i++) {
        const uintptr_t own = 64 * (1 + i % 50) + me, both = 7;

        dsn__handle_set(&map, own, &value[me]);
        dsn__handle_set(&map, both, &value[me]);
        ck_assert_ptr_eq(dsn__handle_get(&map, own), &value[me]);
        ck_assert_ptr_eq(dsn__handle_take(&map, own), &value[me]);
        dsn__handle_take(&map, both);
    }
    return NULL;
}

START_TEST(handle_map)
{
    start("4", "1");
    together(handles);
    dsn__finalize_mpi();
}
END_TEST

/* ------------------------------------------------------------------ while the log is made */

static atomic_int busy;

static void *until_off(void *number)
{
    const int fd = 10 + (int)(intptr_t)number;
    char path[32];

    for (int i = 0; dsn__is_on(); i++) {
        snprintf(path, sizeof path, "/work/%d.%d", fd, i % 200);
        note_open(fd, path);
        note_write(5, 1);
        note_write(fd, 1);
        note_close(fd);
        if (i == 100)
            atomic_fetch_add(&busy, 1);
    }
    return NULL;
}

START_TEST(shutdown_amid)
{
    pthread_t thread[THREADS];

    start("4", "1");
    note_open(5, "/work/shared");
    for (intptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, until_off, (void *)i), 0);
    while (atomic_load(&busy) < THREADS)
        usleep(100);
    dsn__finalize_mpi();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    check_log();
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "one file, and one each", shared_file, 0 },
        { "a contended file", contended, 0 },
        { "new names", many_files, 0 },
        { "folded", aggregated, 0 },
        { "excluded", excluded, 0 },
        { "descriptors that are pulled away", raced_descriptors, 0 },
        { "streams", shared_stream_too, 0 },
        { "handles", handle_map, 0 },
        { "shutdown amid notes", shutdown_amid, 5 },
        { NULL, NULL, 0 },
    };

    return unit_run("threads", tests);
}
