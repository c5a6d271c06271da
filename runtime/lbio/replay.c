/* replay.c - writes logged data to its files
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Works in batches, in the order of the log: a batch is planned as runs; each run is sent with its current content in
 * the tree, then forgotten by the tree; then its space in the log is released. Until then the log contains it, so that
 * after a failure or a kill it can be sent again. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/pages.h"
#include "base/signals.h"
#include "lbio/calls.h"
#include "lbio/interrupt.h"
#include "lbio/state.h"

#define SECOND     INT64_C(1000000000)
#define PATIENCE   (SECOND / 4) /* interval at which the age of entries is checked */
#define FIRST_ROOM 256          /* entries */
#define PIECES     64           /* of a run, per lookup */

static struct lbio_store *const s = &lbio__store;

static void lock(void)
{
    pthread_mutex_lock(&s->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ the queue */

int lbio__queue_reserve(void)
{
    struct lbio_entry *more;
    const size_t n = s->end - s->first;
    size_t room = s->room > 0 ? s->room : FIRST_ROOM;

    if (s->end < s->room)
        return 1;
    if (s->first > 0 && n <= s->room / 2) {
        memmove(s->entry, s->entry + s->first, n * sizeof *s->entry);
    } else {
        room = s->room > 0 ? 2 * s->room : FIRST_ROOM;
        more = dsn__pages_grow(s->entry, room * sizeof *more);
        if (!more)
            return 0;
        s->entry = more;
        s->room = room;
        memmove(s->entry, s->entry + s->first, n * sizeof *s->entry);
    }
    s->first = 0;
    s->end = n;
    return 1;
}

/* Whether the write continues `last`, in the file and in the log, and replay has not started with that. */
static int continues(const struct lbio_entry *last, const struct lbio_entry *e)
{
    return last->file == e->file && !last->is_picked && last->segment == e->segment &&
           last->off + last->len == e->off && last->pos + last->len == e->pos &&
           last->first_number + last->writes == e->first_number && last->len + e->len <= s->options->merge;
}

void lbio__queue_push(const struct lbio_entry *e)
{
    struct lbio_entry *last = s->end > s->first ? &s->entry[s->end - 1] : NULL;

    if (!last)
        s->oldest = dsn__now();
    s->pending_bytes += e->len;
    if (last && s->options->order != LBIO_MERGE_OFF && continues(last, e)) {
        last->len += e->len;
        last->writes++;
    } else {
        s->entry[s->end++] = *e;
    }
}

static int is_movable(const struct lbio_entry *e)
{
    return e->file && !e->is_picked && !e->file->is_stopped && !e->file->is_paused;
}

int lbio__replay_can_move(uint64_t number)
{
    for (size_t i = s->first; i < s->end && s->entry[i].first_number <= number; i++)
        if (s->entry[i].file && !s->entry[i].file->is_stopped)
            return 1;
    return 0;
}

/* Selects entries of files that somebody waits for, if there are any; up to the number of bytes for which a token is
 * held. */
static size_t pick_some(size_t *picked, int only_awaited)
{
    const int64_t most = !s->options->slots[0] ? INT64_MAX : s->options->hold;
    int64_t bytes = 0;
    size_t n = 0;

    for (size_t i = s->first; i < s->end && n < LBIO_BATCH && (n == 0 || bytes < most); i++) {
        struct lbio_entry *e = &s->entry[i];

        if (is_movable(e) && (!only_awaited || e->file->drains > 0)) {
            e->is_picked = e->file->in_flight = 1;
            e->file->has_failed = e->file->is_sent = 0;
            bytes += e->len;
            picked[n++] = i - s->first;
        }
    }
    return n;
}

static size_t pick(struct lbio_entry *batch, size_t *picked)
{
    size_t n = s->drains > 0 ? pick_some(picked, 1) : 0;

    if (n == 0)
        n = pick_some(picked, 0);
    for (size_t i = 0; i < n; i++)
        batch[i] = s->entry[s->first + picked[i]];
    return n;
}

/* ------------------------------------------------------------------ to the files */

static int open_again(const struct lbio_file *f)
{
    const int fd = lbio__target_calls.open(f->path, O_WRONLY | O_NOFOLLOW, 0);

    if (fd < 0 || lbio__file_is_at(f, fd))
        return fd >= 0 ? lbio__out_of_the_way(fd) : -1;
    lbio__target_calls.close(fd);
    errno = ESTALE;
    return -1;
}

/* The descriptor, if it still is the file's. */
static int own_descriptor(struct lbio_file *f)
{
    int fd;

    lock();
    fd = f->own;
    unlock();
    if (!lbio__file_is_at(f, fd)) {
        fd = open_again(f);
        lock();
        f->own = fd;
        unlock();
    }
    return fd;
}

/* Reads consecutive data of the log into the buffer. 0, or -1 and errno. */
static int load(char *to, const struct lbio_extent *e)
{
    int64_t done = 0;

    while (done < e->len) {
        const struct lbio_segment *found;
        struct lbio_segment part = { 0 };
        int64_t here;

        lock();
        found = lbio__log_find(&s->log, e->pos + done);
        if (found)
            part = *found;
        unlock();
        here = found ? part.start + part.size - (e->pos + done) : 0;
        here = here < e->len - done ? here : e->len - done;
        if (here <= 0 ||
            lbio__read_all(&lbio__log_calls, part.data, to + done, (size_t)here, e->pos + done - part.start) != here) {
            errno = EIO;
            return -1;
        }
        done += here;
    }
    return 0;
}

/* Reads the pending data of the run from `off` on, up to a gap or the size of the buffer. Returns the number of bytes,
 * the first of which is at *from; 0: nothing; -1: errno. */
static int64_t gather(struct lbio_file *f, int64_t off, int64_t end, int64_t *from)
{
    struct lbio_extent e[PIECES];
    int64_t size = 0;
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = lbio__tree_lookup(&f->tree, off, end - off, e, PIECES);
    if (n > 0 && !f->is_sent) {
        lbio__file_sending(f, &e[0]);
        f->is_sent = 1;
    }
    pthread_mutex_unlock(&f->lock);
    for (size_t i = 0; i < n && size < s->buffer_size; i++) {
        if (size > 0 && e[i].off != *from + size)
            break;
        if (size == 0)
            *from = e[i].off;
        if (e[i].len > s->buffer_size - size)
            e[i].len = s->buffer_size - size;
        if (load(s->buffer + size, &e[i]) != 0)
            return -1;
        size += e[i].len;
    }
    return size;
}

static void note_end(struct lbio_file *f, int64_t end)
{
    pthread_mutex_lock(&f->lock);
    if (f->replayed_end < end)
        f->replayed_end = end;
    pthread_mutex_unlock(&f->lock);
}

/* 0, or an errno */
static int send_run(const struct lbio_run *r, struct lbio_counts *counts)
{
    struct lbio_file *f = (struct lbio_file *)(uintptr_t)r->file;
    const int64_t end = r->off + r->len;
    int64_t from = r->off, n;

    for (int64_t at = r->off; at < end; at = from + n) {
        const int fd = own_descriptor(f);

        n = gather(f, at, end, &from);
        if (n == 0)
            break;
        if (n < 0 || fd < 0 || lbio__write_all(&lbio__target_calls, fd, s->buffer, (size_t)n, from) != 0)
            return errno ? errno : EIO;
        note_end(f, from + n);
        lbio__token_renew(&s->token);
        counts->replayed_writes++;
        counts->replayed_bytes += (uint64_t)n;
    }
    return 0;
}

static void fail(struct lbio_file *f, int error)
{
    f->has_failed = 1;
    lock();
    f->error = error;
    f->is_stopped = 1;
    f->failed_at = dsn__now();
    f->failures++;
    s->counts.errors++;
    unlock();
}

/* ------------------------------------------------------------------ done */

/* Data counts as written only after fsync on file systems that report errors late. */
static void sync_files(const struct lbio_entry *batch, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct lbio_file *f = batch[i].file;
        size_t same = 0;

        while (batch[same].file != f)
            same++;
        if (same == i && f->must_sync && !f->has_failed && lbio__target_calls.sync(f->own) != 0)
            fail(f, errno);
    }
}

/* Moves the start of the queue, and records up to where recovery can skip. */
static void advance(void)
{
    struct lbio_record r = { .kind = LBIO_DONE };

    while (s->first < s->end && !s->entry[s->first].file)
        s->first++;
    if (s->first == s->end)
        s->first = s->end = 0;
    r.off = (int64_t)(s->end > s->first ? s->entry[s->first].first_number - 1 : s->log.number);
    s->oldest = dsn__now();
    if (s->log.is_open && s->log.count > 0)
        lbio__log_record(&s->log, NULL, &r); /* without this record recovery repeats more */
}

/* Nothing of the file is pending any more. Call with the lock held. */
static void all_done(struct lbio_file *f)
{
    struct timespec now;

    f->error = 0;
    if (!f->is_writing)
        lbio__openers_set(f->dev, f->ino, LBIO_IS_PENDING, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    f->spell_ended = (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static void complete(const struct lbio_entry *batch, const size_t *picked, size_t n)
{
    unsigned char is_done[LBIO_BATCH];

    for (size_t i = 0; i < n; i++) {
        struct lbio_file *f = batch[i].file;

        is_done[i] = !f->has_failed;
        if (!is_done[i])
            continue;
        pthread_mutex_lock(&f->lock);
        is_done[i] = (unsigned char)lbio__tree_forget(&f->tree, batch[i].off, batch[i].len, batch[i].pos);
        f->replayed_at = dsn__now();
        pthread_mutex_unlock(&f->lock);
    }
    lock();
    for (size_t i = 0; i < n; i++) {
        struct lbio_entry *e = &s->entry[s->first + picked[i]];

        e->is_picked = 0;
        if (!is_done[i])
            continue;
        s->pending_bytes -= e->len;
        e->file->pending -= (int64_t)e->writes;
        if (e->file->pending == 0)
            all_done(e->file);
        e->file = NULL;
    }
    advance();
    for (size_t i = 0; i < n; i++)
        if (is_done[i])
            lbio__log_release(&s->log, batch[i].segment, (int64_t)batch[i].writes);
    unlock();
}

/* Releases files that are not open and have no pending data. Call without locks. */
static void release_files(const struct lbio_entry *batch, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct lbio_file *f = batch[i].file;
        size_t same = 0;
        int is_left, own = -1;

        while (batch[same].file != f)
            same++;
        if (same < i)
            continue;
        lbio__file_is_shared(f);
        lock();
        is_left = (f->refs == 0 || f->is_due || f->is_shared) && f->pending == 0;
        f->is_due &= !is_left;
        unlock();
        if (is_left)
            lbio__unmark(f);
        lock();
        f->in_flight = 0;
        own = lbio__file_release(f);
        unlock();
        if (own >= 0)
            lbio__target_calls.close(own);
    }
}

static void send_batch(const struct lbio_entry *batch, size_t n, struct lbio_counts *counts)
{
    struct lbio_run run[LBIO_BATCH];
    size_t runs;

    for (size_t i = 0; i < n; i++)
        run[i] = (struct lbio_run){ batch[i].file, batch[i].off, batch[i].len };
    runs = lbio__plan(run, n, (enum lbio_merge)s->options->order, s->options->merge);
    for (size_t i = 0; i < runs; i++) {
        struct lbio_file *f = (struct lbio_file *)(uintptr_t)run[i].file;
        int error;

        if (f->has_failed)
            continue;
        error = send_run(&run[i], counts);
        if (error)
            fail(f, error);
    }
    sync_files(batch, n);
    for (size_t i = 0; i < n; i++) {
        if (batch[i].file->is_sent)
            lbio__file_left(batch[i].file);
        batch[i].file->is_sent = 0;
    }
}

/* ------------------------------------------------------------------ tokens */

/* If there can be no token, continues without. */
static void hold_token(struct lbio_counts *counts)
{
    const int64_t begun = dsn__now();

    if (!s->options->slots[0] || lbio__token_is_held(&s->token))
        return;
    counts->without_token = !lbio__token_hold(&s->token, s->options->slots, s->options->tokens);
    s->token_bytes = 0;
    counts->tokens = lbio__token_is_held(&s->token);
    counts->token_seconds = (double)(dsn__now() - begun) * 1e-9;
}

static void release_token(void)
{
    lbio__token_release(&s->token);
    s->token_bytes = 0;
}

static void spend_token(int64_t bytes)
{
    s->token_bytes += bytes;
    if (s->token_bytes >= s->options->hold)
        release_token();
}

/* Replays a batch, releasing the lock meanwhile. Returns whether there was one. */
static int replay(void)
{
    struct lbio_entry batch[LBIO_BATCH];
    size_t picked[LBIO_BATCH];
    struct lbio_counts counts = { 0 };
    const int64_t begun = dsn__now();
    const size_t n = s->is_replaying ? 0 : pick(batch, picked);

    if (n == 0)
        return 0;
    s->is_replaying = 1;
    unlock();
    hold_token(&counts);
    send_batch(batch, n, &counts);
    complete(batch, picked, n);
    release_files(batch, n);
    spend_token((int64_t)counts.replayed_bytes);
    lock();
    s->counts.tokens += counts.tokens;
    s->counts.without_token += counts.without_token;
    s->counts.token_seconds += counts.token_seconds;
    s->counts.replayed_writes += counts.replayed_writes;
    s->counts.replayed_bytes += counts.replayed_bytes;
    s->counts.replay_seconds += (double)(dsn__now() - begun) * 1e-9;
    s->is_replaying = 0;
    pthread_cond_broadcast(&s->progress);
    return 1;
}

/* ------------------------------------------------------------------ the thread */

/* What failed a second ago may succeed now: full file system, quota. */
static void try_failed_again(void)
{
    const int64_t now = dsn__now();

    for (size_t i = s->first; i < s->end; i++) {
        struct lbio_file *f = s->entry[i].file;

        if (f && f->is_stopped && now - f->failed_at > SECOND)
            f->is_stopped = 0;
    }
}

/* Other processes wait for pending data of a file: it is due. */
static void look_for_waiting(void)
{
    const struct lbio_file *last = NULL;

    if (!lbio__openers_matter(s->options))
        return;
    for (size_t i = s->first; i < s->end; i++) {
        struct lbio_file *f = s->entry[i].file;

        if (f && f != last && lbio__openers_others(f->dev, f->ino, LBIO_IS_AWAITED))
            f->is_due = s->is_due = 1;
        last = f;
    }
}

static int is_time(void)
{
    look_for_waiting();
    return s->pressed > 0 || s->drains > 0 || s->is_due || s->pending_bytes > s->options->threshold ||
           (s->end > s->first && dsn__now() - s->oldest > SECOND);
}

static void sleep_until(pthread_cond_t *condition, int64_t ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    pthread_cond_timedwait(condition, &s->lock, &until);
}

static void *work(void *unused)
{
    int is_busy = 0;

    dsn__signals_let_library();
    lock();
    while (!s->quits) {
        if ((is_busy || is_time()) && replay()) {
            is_busy = 1; /* until nothing is pending */
            continue;
        }
        is_busy = s->is_due = 0;
        release_token();
        if (s->end > s->first || s->markers > 0)
            sleep_until(&s->work, PATIENCE);
        else
            pthread_cond_wait(&s->work, &s->lock);
        try_failed_again();
        if (s->end == s->first && s->markers > 0 && !s->quits) {
            unlock();
            lbio__unmark_idle();
            lock();
        }
    }
    release_token();
    s->has_quit = 1;
    pthread_cond_broadcast(&s->progress);
    unlock();
    return unused;
}

/* The thread inherits the caller's mask, which blocks all signals. */
void lbio__replay_wake(void)
{
    static char little[16384]; /* in case there is no memory */

    if (!s->buffer) {
        s->buffer = dsn__pages((size_t)s->options->merge);
        s->buffer_size = s->buffer ? s->options->merge : (int64_t)sizeof little;
        s->buffer = s->buffer ? s->buffer : little;
    }
    if (!s->has_thread && !s->quits)
        s->has_thread = pthread_create(&s->thread, NULL, work, NULL) == 0;
    pthread_cond_signal(&s->work);
}

void lbio__replay_wait(void)
{
    lbio__signals_obey();
    if (!s->has_thread && replay()) {
        release_token();
        return;
    }
    sleep_until(&s->progress, PATIENCE);
}

void lbio__replay_end(void)
{
    int has_thread;

    lock();
    s->quits = 1;
    has_thread = s->has_thread;
    s->has_thread = 0;
    pthread_cond_broadcast(&s->work);
    while (has_thread && !s->has_quit) {
        lbio__signals_obey();
        sleep_until(&s->progress, PATIENCE);
    }
    unlock();
    if (has_thread)
        pthread_join(s->thread, NULL);
}
