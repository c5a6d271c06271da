/* store.c - the files whose writes are logged, and what concerns all of them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/store.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/closing.h"
#include "lbio/interrupt.h"
#include "lbio/state.h"

#define SOME_FILES 64 /* allocated at a time */

struct lbio_store lbio__store = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                  .work = PTHREAD_COND_INITIALIZER,
                                  .progress = PTHREAD_COND_INITIALIZER };

static struct lbio_store *const s = &lbio__store;

static void lock(void)
{
    pthread_mutex_lock(&s->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ files */

static struct lbio_file **bucket_of(uint64_t dev, uint64_t ino)
{
    return &s->bucket[(ino * 0x9e3779b97f4a7c15ULL + dev) >> 32 & (LBIO_BUCKETS - 1)];
}

static struct lbio_file *find(uint64_t dev, uint64_t ino)
{
    struct lbio_file *f = *bucket_of(dev, ino);

    while (f && (f->dev != dev || f->ino != ino))
        f = f->next;
    return f;
}

int lbio__file_set_path(struct lbio_file *f, const char *path)
{
    const size_t size = strlen(path) + 1;
    char *to = size <= sizeof f->short_path ? f->short_path : dsn__pages(size);

    if (!to)
        return 0;
    memcpy(to, path, size);
    if (f->path && f->path != f->short_path)
        dsn__pages_free(f->path);
    f->path = to;
    return 1;
}

static struct lbio_file *unused_file(void)
{
    struct lbio_file *f = s->unused;

    if (!f) {
        struct lbio_file *some = dsn__pages(SOME_FILES * sizeof *some);

        for (int i = 0; some && i < SOME_FILES; i++) {
            some[i].next = i + 1 < SOME_FILES ? &some[i + 1] : NULL;
            pthread_mutex_init(&some[i].gate, NULL);
            pthread_mutex_init(&some[i].lock, NULL);
            pthread_mutex_init(&some[i].marking, NULL);
        }
        f = some;
    }
    if (f)
        s->unused = f->next;
    return f;
}

static void release_memory(struct lbio_file *f)
{
    if (f->path != f->short_path)
        dsn__pages_free(f->path);
    lbio__tree_free(&f->tree);
    lbio__tree_free(&f->spell);
    f->path = NULL;
    f->next = s->unused;
    s->unused = f;
}

static struct lbio_file *new_file(const struct stat *st, const char *path)
{
    struct lbio_file *f = unused_file(), **bucket = bucket_of(st->st_dev, st->st_ino);

    if (!f)
        return NULL;
    f->path = NULL;
    if (!lbio__file_set_path(f, path)) {
        f->next = s->unused;
        s->unused = f;
        return NULL;
    }
    f->dev = st->st_dev;
    f->ino = st->st_ino;
    f->own = -1;
    f->number = 0;
    f->failed_at = f->replayed_end = f->replayed_at = 0;
    atomic_init(&f->pending, 0);
    f->is_kept = 0;
    f->refs = f->is_writing = f->is_logged = f->is_counted = f->in_flight = f->is_paused = f->drains = f->is_due = 0;
    f->must_sync = f->error = f->is_stopped = f->has_failed = 0;
    atomic_init(&f->direct, LBIO_IS_LOGGED);
    atomic_init(&f->is_shared, 0);
    f->failures = 0;
    f->left = (struct lbio_left){ 0, 0, 0 };
    f->has_marker = f->is_said_closed = 0;
    f->marker.fd = -1;
    f->marker.is_brief = 0;
    f->written = (struct timespec){ 0, 0 };
    if (lbio__openers_matter(s->options) && lbio__openers_set(f->dev, f->ino, LBIO_IS_OPEN, 1) != 0) {
        lbio__file_direct(f, LBIO_NO_ROOM);
    }
    f->next = *bucket;
    *bucket = f;
    atomic_fetch_add(&s->files, 1);
    return f;
}

int lbio__file_release(struct lbio_file *f)
{
    struct lbio_file **at = bucket_of(f->dev, f->ino);
    const int own = f->own;

    if (f->refs > 0 || f->pending > 0 || f->in_flight || lbio__file_log_drained(f) != 0)
        return -1;
    if (f->has_marker) { /* it could not be removed, by this user for example: it is tried again */
        f->own = -1;
        return own;
    }
    lbio__spell_end(f);
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    lbio__openers_set(f->dev, f->ino, LBIO_IS_OPEN, 0);
    atomic_store(&s->released_at, dsn__now());
    atomic_fetch_sub(&s->files, 1);
    release_memory(f);
    return own;
}

void lbio__close_own(int own)
{
    if (own >= 0)
        lbio__target_calls.close(own);
}

struct lbio_file *lbio__file_get(const struct stat *st, const char *path, int make)
{
    struct lbio_file *f;

    if (!make && !lbio__store_has_files())
        return NULL;
    lock();
    f = find(st->st_dev, st->st_ino);
    if (!f && make && !s->is_ended && s->options && !s->log_failed)
        f = new_file(st, path);
    if (f)
        f->refs++;
    unlock();
    return f;
}

/* A file that is not open and has no pending data needs no marker either. */
void lbio__file_put(struct lbio_file *f)
{
    int is_last, own;

    lock();
    is_last = f->refs == 1 && f->pending == 0;
    unlock();
    if (is_last)
        lbio__unmark(f);
    lock();
    f->refs--;
    own = lbio__file_release(f);
    unlock();
    lbio__close_own(own);
}

void lbio__file_keep(struct lbio_file *f)
{
    lock();
    f->refs += !f->is_kept;
    f->is_kept = 1;
    unlock();
}

int lbio__store_released_since(int64_t since)
{
    return atomic_load(&s->released_at) >= since;
}

int lbio__store_has_files(void)
{
    return atomic_load_explicit(&s->files, memory_order_relaxed) > 0;
}

/* ------------------------------------------------------------------ all files */

/* Waits use the monotonic clock. */
static void start(const struct lbio_options *o)
{
    pthread_condattr_t monotonic;

    memset(s, 0, sizeof *s);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, &monotonic);
    pthread_cond_init(&s->progress, &monotonic);
    s->options = o;
    s->token = (struct lbio_token)LBIO_NO_TOKEN;
}

void lbio__store_start(const struct lbio_options *o)
{
    start(o);
    if (lbio__openers_matter(o))
        lbio__openers_start();
}

void lbio__store_counts(struct lbio_counts *out)
{
    lock();
    *out = s->counts;
    unlock();
}

#define MOST_IN_BUCKET 512

/* Calls perform(f) for each known file. */
static void each_file(void (*perform)(struct lbio_file *f))
{
    struct lbio_file *some[MOST_IN_BUCKET];

    for (size_t b = 0; b < LBIO_BUCKETS && lbio__store_has_files(); b++) {
        size_t n = 0;

        lock();
        for (struct lbio_file *f = s->bucket[b]; f && n < MOST_IN_BUCKET; f = f->next) {
            f->refs++;
            some[n++] = f;
        }
        unlock();
        for (size_t i = 0; i < n; i++) {
            perform(some[i]);
            lbio__file_put(some[i]);
        }
    }
}

static void try_again(struct lbio_file *f)
{
    lock();
    f->is_stopped = 0;
    unlock();
}

static int first_error; /* of each_file(note_drained); protected by the store's lock */

static void note_drained(struct lbio_file *f)
{
    lock();
    s->counts.incomplete_files += f->pending > 0;
    if (f->pending > 0 && first_error == 0)
        first_error = f->error; /* 0: written again meanwhile */
    else if (f->pending == 0)
        lbio__file_log_drained(f);
    unlock();
    lbio__unmark(f);
}

int lbio__store_drain(void)
{
    const int64_t begun = dsn__now();
    uint64_t number;
    int error;

    if (!lbio__store_has_files())
        return 0;
    each_file(try_again);
    lock();
    s->drains++;
    number = s->log.number;
    while (lbio__replay_can_move(number) || s->is_replaying) {
        lbio__replay_wake();
        lbio__replay_wait();
        unlock();
        lbio__signals_deliver();
        lock();
    }
    s->drains -= s->drains > 0; /* 0 in a child forked by a signal handler */
    s->counts.drain_seconds += (double)(dsn__now() - begun) * 1e-9;
    first_error = 0;
    s->counts.incomplete_files = 0;
    unlock();
    each_file(note_drained);
    lock();
    error = first_error;
    unlock();
    return error;
}

static void unmark_if_idle(struct lbio_file *f)
{
    struct timespec now, written;
    int64_t end;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    pthread_mutex_lock(&f->lock);
    end = lbio__tree_end(&f->tree);
    written = f->written;
    pthread_mutex_unlock(&f->lock);
    if (end == 0 && now.tv_sec > written.tv_sec + 1)
        lbio__unmark(f);
}

void lbio__unmark_idle(void)
{
    each_file(unmark_if_idle);
}

static void make_direct(struct lbio_file *f, enum lbio_reason why)
{
    lbio__file_enter(f);
    lbio__file_go_direct(f, why);
    lbio__file_leave(f);
}

static void stop_for_async(struct lbio_file *f)
{
    make_direct(f, LBIO_BY_ASYNC);
}

static void stop_for_room(struct lbio_file *f)
{
    make_direct(f, LBIO_NO_ROOM);
}

static void stop_at_end(struct lbio_file *f)
{
    make_direct(f, LBIO_HAS_ENDED);
}

void lbio__store_all_direct(enum lbio_reason why)
{
    lbio__store_drain();
    each_file(why == LBIO_BY_ASYNC ? stop_for_async : stop_for_room);
}

int lbio__store_is_pending(void)
{
    int is_pending;

    lock();
    is_pending = s->pending_bytes > 0;
    unlock();
    return is_pending;
}

void lbio__store_handed_out(void)
{
    lock();
    s->handed_out++;
    unlock();
}

void lbio__store_visible(int64_t ns, int is_logged_write)
{
    const double seconds = (double)ns * 1e-9;

    lock();
    s->counts.visible_seconds += seconds;
    if (is_logged_write) {
        s->counts.write_seconds += seconds;
        s->counts.write_squares += seconds * seconds;
        if (seconds > s->counts.longest_write)
            s->counts.longest_write = seconds;
    }
    unlock();
}

void lbio__store_give(dsn_figure *take, void *context)
{
    struct lbio_counts since;

    lock();
    lbio__counts_since(&s->counts, &s->given, &since);
    s->given = s->counts;
    unlock();
    lbio__counts_give(&since, take, context);
}

static void end_spell(struct lbio_file *f)
{
    pthread_mutex_lock(&f->lock);
    lock();
    lbio__spell_end(f);
    unlock();
    pthread_mutex_unlock(&f->lock);
}

int lbio__rank_number(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = dsn__environment_get(names[i]);

        if (rank && *rank)
            return (int)dsn__number_in(rank);
    }
    return -1;
}

/* Takes what has not been reported yet, for a process that has written something since; other threads may go on. */
static int take_report(struct lbio_report *report, struct lbio_counts *since)
{
    int has_any;

    lock();
    lbio__counts_since(&s->counts, &s->reported, since);
    has_any = since->writes > 0 || since->direct_files > 0;
    if (has_any) {
        *report = s->report;
        memset(&s->report, 0, sizeof s->report);
        s->reported = s->counts;
    }
    unlock();
    return has_any;
}

static void write_report(void)
{
    const char *closing = dsn__environment_get(LBIO_CLOSING);
    struct lbio_counts since;
    struct lbio_report report;

    if (s->options->report[0])
        each_file(end_spell);
    if (!take_report(&report, &since))
        return;
    if (s->options->report[0] && since.writes > 0)
        lbio__report_write(&report, s->options->report, lbio__rank_number(), &since);
    if (closing && *closing)
        lbio__closing_append(closing, &since);
}

static void count_incomplete(struct lbio_file *f)
{
    lock();
    s->counts.incomplete_files += f->pending > 0;
    unlock();
}

void lbio__store_leave(void)
{
    lock();
    s->counts.incomplete_files = 0;
    unlock();
    each_file(count_incomplete);
    write_report();
}

/* From its beginning other threads write directly, so that nothing is logged after the drain: a call that is logging
 * has entered its file, and stop_at_end waits for it. */
int lbio__store_end(void)
{
    int error;

    lock();
    s->is_ended = 1;
    unlock();
    error = lbio__store_drain();
    each_file(stop_at_end);
    lbio__replay_end();
    lock();
    if (s->log.is_open)
        lbio__log_close(&s->log, s->first == s->end);
    unlock();
    write_report();
    return error;
}

void lbio__store_renamed(void)
{
    each_file(lbio__file_renamed);
}

int lbio__store_owns(int fd)
{
    int owns;

    lock();
    owns = (s->log.is_open && s->log.map == fd) || lbio__token_owns(&s->token, fd) || lbio__token_owns_own(fd);
    for (unsigned i = 0; i < s->log.count && !owns; i++) {
        const struct lbio_segment *segment = &s->log.segment[(s->log.first + i) % LBIO_SEGMENTS];

        owns = segment->data == fd || segment->meta == fd;
    }
    for (size_t b = 0; b < LBIO_BUCKETS && !owns; b++)
        for (const struct lbio_file *f = s->bucket[b]; f && !owns; f = f->next)
            owns = f->own == fd || f->marker.fd == fd;
    unlock();
    return owns;
}

static void forget_number(struct lbio_file *f)
{
    lock();
    f->number = 0;
    f->is_logged = 0;
    unlock();
}

void lbio__store_rest(void)
{
    int is_removed = 0;

    lock();
    if (s->log.is_open && s->first == s->end && !s->is_replaying && s->writers == 0 && lbio__log_empty(&s->log)) {
        lbio__log_close(&s->log, 1);
        is_removed = 1;
    }
    unlock();
    if (is_removed)
        each_file(forget_number);
    write_report();
}

/* Closes the parent's descriptors in the child. */
void lbio__store_forget(void)
{
    const struct lbio_options *o = s->options;

    for (size_t b = 0; b < LBIO_BUCKETS; b++)
        for (struct lbio_file *f = s->bucket[b]; f; f = f->next) {
            if (f->own >= 0)
                dsn__sys_close(f->own);
            lbio__marker_close(&f->marker);
        }
    for (unsigned i = 0; s->log.is_open && i < s->log.count; i++) {
        dsn__sys_close(s->log.segment[(s->log.first + i) % LBIO_SEGMENTS].data);
        dsn__sys_close(s->log.segment[(s->log.first + i) % LBIO_SEGMENTS].meta);
    }
    if (s->log.is_open)
        dsn__sys_close(s->log.map);
    lbio__openers_forget();
    lbio__token_forget(&s->token);
    lbio__token_forget_own();
    start(o);
}
