/* file.c - one file: logged writes, reads, markers, drain, size and name
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/interrupt.h"
#include "lbio/marker.h"
#include "lbio/state.h"
#include "lbio/store.h"

#define LEAST_LOG (INT64_C(1) << 20)
#define NFS       0x6969
#define USUAL_LOG (INT64_C(1) << 30)

#define STATUS_FLAGS (O_APPEND | O_ASYNC | O_DIRECT | O_DSYNC | O_NOATIME | O_NONBLOCK | O_SYNC)

static struct lbio_store *const s = &lbio__store;

static void lock(void)
{
    pthread_mutex_lock(&s->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ attributes */

static int is_one_of(unsigned type, const unsigned *types, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (type == types[i])
            return 1;
    return 0;
}

/* Network file systems may report a lack of space only on fsync. A marker must be seen by other nodes: NFS writes it when
 * it is unlocked, other file systems when it is closed. */
static void find_kind(struct lbio_file *f)
{
    static const unsigned kept_here[] = {
        0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010
    };
    struct statfs fs = { 0 };
    const int is_known = dsn__sys_fstatfs(f->own, &fs) == 0;
    const unsigned type = (unsigned)fs.f_type;

    f->must_sync = !is_known || s->options->fsync == LBIO_FSYNC_LOG ||
                   !is_one_of(type, kept_here, sizeof kept_here / sizeof kept_here[0]);
    f->opening.is_stale_while_open = !is_known || lbio__is_stale_while_open(type);
    f->marker.is_brief = f->opening.is_stale_while_open && type != NFS;
}

int lbio__file_is_at(const struct lbio_file *f, int fd)
{
    struct stat st;

    return fd >= 0 && lbio__identify(fd, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino;
}

/* A later open by another user, or of a file whose mode has changed, may be refused. */
static void note_opening(struct lbio_file *f)
{
    struct stat st = { 0 };

    dsn__sys_fstat(f->own, &st);
    f->opening.mode = st.st_mode;
    f->opening.uid = st.st_uid;
    f->opening.gid = st.st_gid;
    f->opening.by_uid = dsn__sys_geteuid();
    f->opening.by_gid = (unsigned)dsn__syscall(SYS_getegid);
    f->opening.handed_out = s->handed_out;
}

/* Of a process that can open few files only some are logged. */
void lbio__file_opened(struct lbio_file *f, int fd)
{
    int own = -1;

    lock();
    if (f->own < 0 && !f->direct) {
        own = (int)dsn__syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
        own = own >= 0 ? lbio__out_of_the_way(own) : -1;
        if (own >= 0 && lbio__is_spare(own)) {
            f->own = own;
            own = -1;
            find_kind(f);
            note_opening(f);
        } else if (f->pending == 0) {
            lbio__file_direct(f, LBIO_NO_ROOM);
        }
    }
    unlock();
    lbio__close_own(own);
}

/* Whether opening the file again would give what `own` is. Its offset is not the application's: that has closed the file,
 * and no other process got it. Call with the lock held. */
static int is_reusable(const struct lbio_file *f, const struct stat *st, int flags)
{
    const struct lbio_opening *o = &f->opening;
    const int own_flags = f->own >= 0 ? dsn__sys_flags(f->own) : -1;

    return f->refs == 1 && f->pending > 0 && st->st_nlink == 1 && !f->direct && !o->is_stale_while_open &&
           own_flags >= 0 && (own_flags & (O_ACCMODE | STATUS_FLAGS)) == (flags & O_ACCMODE) &&
           o->handed_out == s->handed_out && o->mode == st->st_mode && o->uid == st->st_uid && o->gid == st->st_gid &&
           o->by_uid == dsn__sys_geteuid() && o->by_gid == (unsigned)dsn__syscall(SYS_getegid) &&
           lbio__file_is_at(f, f->own);
}

int lbio__file_reuse(struct lbio_file *f, const struct stat *st, int flags)
{
    int fd = -1;

    lock();
    if (s->options->reuse == LBIO_REUSE_ON && is_reusable(f, st, flags))
        fd = (int)dsn__syscall(SYS_fcntl, f->own, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
    if (fd >= 0) {
        dsn__syscall(SYS_lseek, fd, 0, SEEK_SET);
        s->counts.opens_saved++;
    }
    unlock();
    return fd;
}

void lbio__file_enter(struct lbio_file *f)
{
    pthread_mutex_lock(&f->gate);
}

void lbio__file_leave(struct lbio_file *f)
{
    pthread_mutex_unlock(&f->gate);
}

int lbio__file_is_direct(const struct lbio_file *f)
{
    return f->direct;
}

int lbio__file_is_clean(const struct lbio_file *f)
{
    return atomic_load_explicit(&f->pending, memory_order_acquire) == 0;
}

int lbio__file_refs(struct lbio_file *f)
{
    int refs;

    lock();
    refs = f->refs;
    unlock();
    return refs;
}

int lbio__file_error(struct lbio_file *f)
{
    int error;

    lock();
    error = f->error;
    unlock();
    return error;
}

void lbio__file_overlay(struct lbio_file *f, int64_t since, struct lbio_overlay *out)
{
    pthread_mutex_lock(&f->lock);
    out->end = lbio__tree_end(&f->tree);
    out->bytes = f->tree.bytes;
    if (f->replayed_at >= since && f->replayed_end > out->end)
        out->end = f->replayed_end;
    out->written = out->end > 0 ? f->written : (struct timespec){ 0, 0 };
    pthread_mutex_unlock(&f->lock);
}

/* ------------------------------------------------------------------ the log */

static int64_t most_log(void)
{
    struct statfs fs;
    int64_t most = s->options->maxlog > 0 ? s->options->maxlog : USUAL_LOG;

    if (dsn__sys_statfs(s->options->logdir, &fs) == 0) {
        const int64_t free_bytes = (int64_t)fs.f_bavail * fs.f_bsize;

        if (s->options->maxlog == 0 && most > free_bytes / 5 * 4)
            most = free_bytes / 5 * 4;
    }
    return most > LEAST_LOG ? most : LEAST_LOG;
}

static const char *job_name(void)
{
    static const char *const names[] = { "LBIO_JOBID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = dsn__environment_get(names[i]);

        if (name && *name && strlen(name) < 60 &&
            strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_-") == strlen(name))
            return name;
    }
    return "none";
}

/* Creates the log if necessary, and records this file in it. Call with the lock held. */
static int know_in_log(struct lbio_file *f)
{
    if (s->log_failed || s->is_ended)
        return 0;
    if (!s->log.is_open &&
        lbio__log_open(&s->log, s->options->logdir, job_name(), lbio__rank_number(), most_log()) != 0) {
        s->log_failed = 1;
        return 0;
    }
    if (f->number == 0)
        f->number = lbio__log_file(&s->log, f->dev, f->ino, f->path);
    return f->number > 0;
}

static int set_marked(struct lbio_file *f, int has_marker)
{
    lock();
    s->markers += has_marker - f->has_marker;
    f->has_marker = has_marker;
    unlock();
    return has_marker;
}

static int mark(struct lbio_file *f)
{
    int ok = 1;

    pthread_mutex_lock(&f->marking);
    if (!f->has_marker && s->options->marker == LBIO_MARKER_ON)
        ok = set_marked(f, lbio__marker_put(f->path, s->log.directory, 0, &f->marker) == 0);
    if (ok && f->marker.size < 0 && lbio__openers_matter(s->options)) { /* processes of other nodes, or killed ones */
        f->is_shared = 1;
        ok = 0;
    }
    pthread_mutex_unlock(&f->marking);
    return ok;
}

/* Call with `marking` held. */
static void remove_marker(struct lbio_file *f)
{
    if (f->has_marker && lbio__marker_remove(f->path, (int)dsn__sys_getpid(), s->log.directory, &f->marker) == 0)
        f->is_said_closed = set_marked(f, 0);
}

/* From here on others may write the file, and so may this process when it has forgotten it: recovery must not repeat
 * what was written before. */
void lbio__unmark(struct lbio_file *f)
{
    int is_done;

    pthread_mutex_lock(&f->marking);
    lock();
    is_done = f->pending == 0 && !f->is_writing && lbio__file_log_drained(f) == 0;
    unlock();
    if (is_done)
        remove_marker(f);
    pthread_mutex_unlock(&f->marking);
}

int lbio__file_is_alone(struct lbio_file *f)
{
    int is_alone;

    pthread_mutex_lock(&f->marking);
    is_alone = f->has_marker && lbio__marker_is_own(&f->marker);
    pthread_mutex_unlock(&f->marking);
    return is_alone;
}

/* Gives the file, and then its marker, priority in replay. */
static int make_due(struct lbio_file *f)
{
    int is_pending;

    lock();
    is_pending = f->pending > 0;
    if (is_pending) {
        f->is_due = s->is_due = 1;
        lbio__replay_wake();
    }
    unlock();
    return is_pending;
}

void lbio__file_closed(struct lbio_file *f)
{
    if (s->options->visibility != LBIO_VISIBILITY_CLOSE || f->direct || lbio__file_is_clean(f))
        return;
    pthread_mutex_lock(&f->marking);
    if (f->has_marker && !f->is_said_closed)
        f->is_said_closed = lbio__marker_put(f->path, s->log.directory, 1, &f->marker) == 0;
    pthread_mutex_unlock(&f->marking);
    if (!make_due(f))
        lbio__unmark(f);
}

/* ------------------------------------------------------------------ drain */

/* Call with the lock held. Recovery does not know an event that could not be logged. */
static int log_event(struct lbio_file *f, enum lbio_kind kind, int64_t off, int64_t len)
{
    struct lbio_record r = { .kind = kind, .file = f->number, .off = off, .len = len };

    if (!s->log.is_open || s->log.count == 0 || f->number == 0)
        return 0;
    return lbio__log_record(&s->log, NULL, &r);
}

/* Call with the lock held. Without the record recovery puts pending data beside the file. */
static void log_left(struct lbio_file *f, struct lbio_segment *segment)
{
    struct lbio_record r = { .kind = LBIO_LEFT, .file = f->number, .off = f->left.size, .len = f->left.time };

    if (s->log.is_open && f->number > 0 && lbio__log_record(&s->log, segment, &r) == 0)
        f->left.segment = segment->serial;
}

void lbio__file_left(struct lbio_file *f)
{
    struct stat st;

    if (dsn__sys_fstat(f->own, &st) != 0 || st.st_dev != f->dev || st.st_ino != f->ino)
        return;
    lock();
    f->left = (struct lbio_left){ st.st_size, st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec, 0 };
    if (!lbio__openers_matter(s->options))
        f->left.size = -1;
    if (f->pending > 0 && s->log.count > 0)
        log_left(f, &s->log.segment[(s->log.first + s->log.count - 1) % LBIO_SEGMENTS]);
    unlock();
}

void lbio__file_sending(struct lbio_file *f, const struct lbio_extent *first)
{
    struct timespec now;
    struct lbio_record r = { .kind = LBIO_SENDING, .file = f->number, .off = first->off, .len = first->len };

    clock_gettime(CLOCK_REALTIME, &now);
    r.pos = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    lock();
    if (s->log.is_open && s->log.count > 0 && f->number > 0)
        lbio__log_record(&s->log, NULL, &r);
    unlock();
}

/* Call with the lock held. Returns 0 or an errno. */
static int wait_until_drained(struct lbio_file *f)
{
    const unsigned failures = f->failures;
    const int64_t begun = dsn__now();

    if (f->pending == 0 && !f->in_flight)
        return 0;
    f->is_stopped = 0;
    f->drains++;
    s->drains++;
    while ((f->pending > 0 || f->in_flight) && (!f->is_stopped || f->failures == failures)) {
        lbio__replay_wake();
        lbio__replay_wait();
    }
    f->drains--;
    s->drains--;
    s->counts.drain_seconds += (double)(dsn__now() - begun) * 1e-9;
    return f->pending > 0 ? f->error : 0;
}

int lbio__file_log_drained(struct lbio_file *f)
{
    if (f->is_logged && log_event(f, LBIO_DRAINED, 0, 0) != 0)
        return errno;
    f->is_logged = 0;
    return 0;
}

/* An event that cannot be logged is not needed if the log is empty. Call with the lock held. Returns 0 or an errno. */
static int empty_log(void)
{
    const int error = errno;

    s->drains++;
    while (s->first < s->end && (lbio__replay_can_move(UINT64_MAX) || s->is_replaying)) {
        lbio__replay_wake();
        lbio__replay_wait();
    }
    s->drains--;
    return lbio__log_empty(&s->log) ? 0 : error;
}

static int drain(struct lbio_file *f)
{
    int error;

    lock();
    error = wait_until_drained(f);
    if (error == 0 && lbio__file_log_drained(f) != 0)
        error = empty_log();
    unlock();
    if (error == 0)
        lbio__unmark(f);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

int lbio__file_drain(struct lbio_file *f)
{
    return f->direct ? 0 : drain(f);
}

void lbio__file_direct(struct lbio_file *f, enum lbio_reason why)
{
    f->direct = (int)why;
    if (why == LBIO_HAS_ENDED)
        return;
    s->counts.direct_files++;
    s->counts.direct[why]++;
}

int lbio__file_go_direct(struct lbio_file *f, enum lbio_reason why)
{
    int own;

    if (f->direct)
        return 0;
    if (drain(f) != 0)
        return -1;
    lock();
    own = f->own;
    f->own = -1;
    lbio__file_direct(f, why);
    unlock();
    lbio__close_own(own);
    return 0;
}

int lbio__file_sync(struct lbio_file *f)
{
    int ret = 0;

    if (s->options->fsync == LBIO_FSYNC_DRAIN || f->direct)
        return lbio__file_drain(f);
    lock();
    if (f->pending > 0)
        ret = lbio__log_sync(&s->log);
    unlock();
    return ret == 0 ? 0 : lbio__file_drain(f);
}

/* ------------------------------------------------------------------ write */

static int64_t total_of(const struct iovec *iov, int count)
{
    int64_t n = 0;

    for (int i = 0; i < count; i++)
        n += (int64_t)iov[i].iov_len;
    return n;
}

/* Reserves n bytes of the log, waiting if necessary; -1: impossible. Call with the lock held. */
static int64_t reserve(int64_t n, struct lbio_segment **segment)
{
    int64_t pos = lbio__log_reserve(&s->log, n, segment);

    if (pos < 0) {
        const int64_t begun = dsn__now();

        s->counts.waits++;
        s->pressed++;
        while (pos < 0 && !s->is_ended && lbio__replay_can_move(UINT64_MAX)) {
            lbio__replay_wake();
            lbio__replay_wait();
            pos = lbio__log_reserve(&s->log, n, segment);
        }
        s->pressed--;
        s->counts.wait_seconds += (double)(dsn__now() - begun) * 1e-9;
        if (pos < 0)
            pos = lbio__log_reserve(&s->log, n, segment);
    }
    return pos;
}

/* Writes everything, or returns -1 and errno: partial data is ignored without its record, and programs do not expect
 * short writes to files. */
static ssize_t log_bytes(const struct lbio_segment *segment, const struct iovec *iov, int count, int64_t pos)
{
    ssize_t done = 0;

    for (int i = 0; i < count; i++) {
        size_t at = 0;

        while (at < iov[i].iov_len) {
            const ssize_t n =
                lbio__log_data(segment, (const char *)iov[i].iov_base + at, iov[i].iov_len - at, pos + done);

            if (n <= 0)
                return n < 0 ? -1 : (errno = ENOSPC, -1);
            done += n;
            at += (size_t)n;
        }
    }
    return done;
}

static int64_t since_1970(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void lbio__spell_end(struct lbio_file *f)
{
    if (f->spell.count == 0)
        return;
    lbio__report_spell(&s->report, f->path, &f->spell, f->spell_begun, f->pending > 0 ? since_1970() : f->spell_ended);
    lbio__tree_truncate(&f->spell, 0);
}

/* For the report. Call with the file's and the store's lock held. */
static void note_bytes(struct lbio_file *f, int64_t off, int64_t len)
{
    if (!s->options->report[0])
        return;
    if (f->pending == 0) {
        lbio__spell_end(f);
        f->spell_begun = since_1970();
    }
    if (!lbio__tree_reserve(&f->spell, 3) || !lbio__tree_insert(&f->spell, off, len, off))
        s->report.is_partial = 1;
}

/* A write is complete when its record is. Call with the file's and the store's lock held. */
static int commit(struct lbio_file *f, struct lbio_segment *segment, int64_t off, int64_t len, int64_t pos)
{
    struct lbio_record r = { .kind = LBIO_WRITE, .file = f->number, .off = off, .len = len, .pos = pos };
    struct lbio_entry e = { .file = f, .off = off, .len = len, .pos = pos, .segment = segment, .writes = 1 };

    if (!lbio__queue_reserve()) {
        errno = ENOMEM;
        return -1;
    }
    if (f->left.segment != segment->serial)
        log_left(f, segment);
    e.first_number = s->log.number + 1;
    if (lbio__log_record(&s->log, segment, &r) != 0)
        return -1;
    lbio__queue_push(&e);
    note_bytes(f, off, len);
    f->pending++;
    f->is_logged = 1;
    s->counts.files += !f->is_counted;
    f->is_counted = 1;
    s->counts.writes++;
    s->counts.bytes += (uint64_t)len;
    s->counts.log_high = s->log.high;
    if (s->pending_bytes > s->options->threshold || s->is_due ||
        s->end - s->first == 1) /* it may sleep, without a time */
        lbio__replay_wake();
    return 0;
}

/* Writes reserved data to the log, and commits it. */
static ssize_t log_reserved(struct lbio_file *f, struct lbio_segment *segment, const struct iovec *iov, int count,
                            int64_t off, int64_t pos)
{
    ssize_t done = log_bytes(segment, iov, count, pos);
    int error = errno;

    pthread_mutex_lock(&f->lock);
    lock();
    if (done > 0 && commit(f, segment, off, done, pos) != 0) {
        error = errno;
        done = -1;
    }
    if (done < 0)
        lbio__log_release(&s->log, segment, 1);
    unlock();
    if (done > 0) {
        lbio__tree_insert(&f->tree, off, done, pos);
        clock_gettime(CLOCK_REALTIME_COARSE, &f->written);
    }
    pthread_mutex_unlock(&f->lock);
    errno = error;
    return done;
}

/* While nothing is pending others may change the file. */
static int begins_spell(struct lbio_file *f)
{
    int begins;

    lock();
    begins = f->pending == 0;
    unlock();
    return begins;
}

int lbio__file_is_shared(struct lbio_file *f)
{
    if (!f->is_shared && lbio__openers_matter(s->options) && lbio__openers_others(f->dev, f->ino, LBIO_IS_OPEN))
        f->is_shared = 1;
    return f->is_shared;
}

/* Only this process has the file open: others that open it from now on wait for what is pending. */
static int claim(struct lbio_file *f)
{
    if (lbio__openers_matter(s->options))
        lbio__openers_set(f->dev, f->ino, LBIO_IS_PENDING, 1);
    return !lbio__file_is_shared(f);
}

static int has_memory(struct lbio_file *f)
{
    int ok;

    pthread_mutex_lock(&f->lock);
    ok = lbio__tree_reserve(&f->tree, 3);
    pthread_mutex_unlock(&f->lock);
    return ok;
}

/* LBIO_DIRECT: it could not be logged, for whatever reason: the file accepts or refuses it. */
static ssize_t try_to_log(struct lbio_file *f, const struct iovec *iov, int count, int64_t off)
{
    struct lbio_segment *segment = NULL;
    int64_t pos = -1;
    ssize_t done = -1;

    lock();
    if (know_in_log(f)) {
        f->is_writing = 1; /* keeps the marker */
        s->writers++;
        unlock();
        if (has_memory(f) && (!begins_spell(f) || claim(f)) && mark(f)) {
            if (begins_spell(f))
                lbio__file_left(f);
            lock();
            pos = reserve(total_of(iov, count), &segment);
            unlock();
        }
        if (pos >= 0)
            done = log_reserved(f, segment, iov, count, off, pos);
        lock();
        f->is_writing = 0;
        s->writers--;
        if (f->pending == 0)
            lbio__openers_set(f->dev, f->ino, LBIO_IS_PENDING, 0);
    }
    unlock();
    return done < 0 ? LBIO_DIRECT : done;
}

static int has_no_log(void)
{
    int has_failed;

    lock();
    has_failed = s->log_failed;
    unlock();
    return has_failed;
}

ssize_t lbio__file_write(struct lbio_file *f, const struct iovec *iov, int count, int64_t off)
{
    const int error = lbio__file_error(f);
    ssize_t done = LBIO_DIRECT;

    if (error) {
        errno = error;
        return -1;
    }
    if (!f->direct && !f->is_shared && f->own >= 0)
        done = try_to_log(f, iov, count, off);
    if (done == LBIO_DIRECT && (f->is_shared   ? lbio__file_go_direct(f, LBIO_IS_SHARED)
                                : has_no_log() ? lbio__file_go_direct(f, LBIO_NO_ROOM)
                                               : lbio__file_drain(f)) != 0)
        return -1;
    return done;
}

/* ------------------------------------------------------------------ read */

/* Reads from the log, possibly from two segments. The file's lock keeps the data there. */
static ssize_t read_log(char *to, int64_t n, int64_t pos)
{
    int64_t done = 0;

    while (done < n) {
        struct lbio_segment part = { 0 };
        const struct lbio_segment *found;
        int64_t here;

        lock();
        found = lbio__log_find(&s->log, pos + done);
        if (found)
            part = *found;
        unlock();
        if (!found) {
            errno = EIO;
            return -1;
        }
        here = part.start + part.size - (pos + done);
        here = here < n - done ? here : n - done;
        if (lbio__read_all(&lbio__log_calls, part.data, to + done, (size_t)here, pos + done - part.start) != here) {
            errno = errno == EFAULT ? EFAULT : EIO;
            return -1;
        }
        done += here;
    }
    return done;
}

/* Reads data that is not logged: from the file, and zeros beyond its end. */
static ssize_t read_file(int fd, char *to, int64_t n, int64_t off)
{
    const ssize_t got = lbio__read_all(&lbio__target_calls, fd, to, (size_t)n, off);

    if (got >= 0 && got < n)
        memset(to + got, 0, (size_t)(n - got));
    return got < 0 ? -1 : n;
}

static int64_t read_piece(struct lbio_file *f, int fd, char *to, int64_t n, int64_t off)
{
    struct lbio_extent e;
    const int has_extent = lbio__tree_lookup(&f->tree, off, n, &e, 1) == 1;
    ssize_t got;

    lock();
    if (has_extent && e.off == off)
        s->counts.reads_logged++;
    else
        s->counts.reads_remote++;
    unlock();
    if (has_extent && e.off == off)
        got = read_log(to, e.len, e.pos);
    else
        got = read_file(fd, to, has_extent ? e.off - off : n, off);
    return got;
}

ssize_t lbio__file_read(struct lbio_file *f, int fd, void *to, size_t size, int64_t off)
{
    struct stat st;
    int64_t end, n = size < SSIZE_MAX ? (int64_t)size : SSIZE_MAX, done = 0;

    pthread_mutex_lock(&f->lock);
    end = lbio__tree_end(&f->tree);
    if (off < 0 || end == 0 || dsn__sys_fstat(fd, &st) != 0) {
        pthread_mutex_unlock(&f->lock);
        return LBIO_DIRECT;
    }
    end = end > st.st_size ? end : st.st_size;
    n = off >= end ? 0 : n < end - off ? n : end - off;
    while (done < n) {
        const int64_t got = read_piece(f, fd, (char *)to + done, n - done, off + done);

        if (got <= 0) {
            done = done > 0 ? done : got;
            break;
        }
        done += got;
    }
    pthread_mutex_unlock(&f->lock);
    return done;
}

/* ------------------------------------------------------------------ size and name */

/* Keeps replay away from the file until it is resumed. */
static void pause_replay(struct lbio_file *f)
{
    lock();
    f->is_paused = 1;
    while (f->in_flight)
        lbio__replay_wait();
    unlock();
}

static void resume_replay(struct lbio_file *f)
{
    lock();
    f->is_paused = 0;
    pthread_cond_broadcast(&s->work);
    unlock();
}

int lbio__truncation_begin(struct lbio_truncation *t, struct lbio_file *f, int64_t size)
{
    int ret = 0;

    *t = (struct lbio_truncation){ f, size, 0 };
    if (f->direct)
        return 0;
    pause_replay(f);
    lock();
    if (f->is_logged) { /* recovery may repeat what is in the file already */
        ret = log_event(f, LBIO_TRUNCATE, size, 0);
        t->is_logged = ret == 0;
    }
    unlock();
    if (ret == 0)
        return 0;
    resume_replay(f);
    ret = drain(f);
    if (ret == 0)
        pause_replay(f);
    return ret;
}

void lbio__truncation_end(const struct lbio_truncation *t, int is_done)
{
    struct lbio_file *f = t->file;
    int is_reported = 1;

    if (f->direct)
        return;
    pthread_mutex_lock(&f->lock);
    if (is_done) {
        lbio__tree_truncate(&f->tree, t->size);
        f->replayed_end = f->replayed_end < t->size ? f->replayed_end : t->size;
    }
    pthread_mutex_unlock(&f->lock);
    if (t->is_logged) {
        if (is_done)
            lbio__file_left(f);
        lock();
        is_reported = log_event(f, LBIO_TRUNCATED, t->size, is_done) == 0;
        unlock();
    }
    resume_replay(f);
    if (!is_reported)
        drain(f);
}

int lbio__file_truncate(struct lbio_file *f, int fd, int64_t size)
{
    struct lbio_truncation t;
    int ret, error;

    if (size < 0)
        return lbio__target_calls.truncate(fd, size);
    if (lbio__truncation_begin(&t, f, size) != 0)
        return -1;
    ret = lbio__target_calls.truncate(fd, size);
    error = errno;
    lbio__truncation_end(&t, ret == 0);
    errno = error;
    return ret;
}

void lbio__file_discard(struct lbio_file *f)
{
    if (f->direct)
        return;
    pause_replay(f);
    pthread_mutex_lock(&f->lock);
    lbio__tree_truncate(&f->tree, 0);
    pthread_mutex_unlock(&f->lock);
    lock();
    f->is_stopped = 0;
    lbio__file_log_drained(f);
    unlock();
    pthread_mutex_lock(&f->marking);
    remove_marker(f);
    pthread_mutex_unlock(&f->marking);
    resume_replay(f);
}

/* The kernel's current path; that of a file that has been removed stays, for its marker has the old name. Call with the
 * lock held. */
static void find_path(struct lbio_file *f)
{
    char link[32], path[LBIO_PATH_MAX];
    struct stat st;
    ssize_t n;

    dsn__format(link, sizeof link, "/proc/self/fd/%d", f->own);
    n = f->own >= 0 ? dsn__sys_readlink(link, path, sizeof path - 1) : -1;
    if (n > 0) {
        path[n] = '\0';
        if (dsn__sys_lstat(path, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino)
            lbio__file_set_path(f, path);
    }
    f->number = 0; /* its next write assigns another one, with this path */
}

/* Files written meanwhile keep their number, which their pending data refers to. Other threads use the path of a file
 * without pending data for its marker only. */
void lbio__file_renamed(struct lbio_file *f)
{
    lbio__unmark(f); /* its marker has the old name */
    pthread_mutex_lock(&f->marking);
    lock();
    if (f->pending == 0 && !f->is_writing && !f->has_marker)
        find_path(f);
    unlock();
    pthread_mutex_unlock(&f->marking);
}
