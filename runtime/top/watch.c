/* watch.c - samples the instrumented processes on this node
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/watch.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/names-in.h"
#include "config/who.h"
#include "survive/identity.h"

#define MOST_OF_ONE ((size_t)256 << 20) /* limit of the bytes read from a process's records */
#define MOST_OF_ALL ((size_t)2 << 30)   /* and from all */

const char *dsn__top_event(enum dsn_top_event event)
{
    static const char *const names[] = { "running", "began", "ending", "ended", "killed", "executed" };

    return names[event];
}

/* ------------------------------------------------------------------ a file that is cut off while it is read */

static sigjmp_buf truncated;
static volatile sig_atomic_t is_reading;

static void on_bus(int number)
{
    if (is_reading)
        siglongjmp(truncated, 1);
    signal(number, SIG_DFL);
    raise(number);
}

/* The file is mapped: truncating it meanwhile raises a signal. */
static int look_into(struct dsn_salvage *s, int fd, off_t size, size_t most)
{
    int ok = 0;

    if (sigsetjmp(truncated, 1) == 0) {
        is_reading = 1;
        ok = dsn__salvage_look(s, fd, size, most);
        is_reading = 0;
        return ok;
    }
    is_reading = 0;
    dsn__salvage_free(s);
    return 0;
}

/* ------------------------------------------------------------------ one process */

static void free_process(struct dsn_top_process *p)
{
    dsn__salvage_free(&p->salvage);
    free(p->records);
    free(p->flow);
    free(p);
}

static int by_file(const struct dsn_top_record *x, const struct dsn_top_record *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->module != y->module)
        return x->module - y->module;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Increase per second since the last sample. Counters never decrease: one that does is damaged. */
static void set_rates(double rate[DSN_TOP_NCOUNTS], const double now[DSN_TOP_NCOUNTS],
                      const double before[DSN_TOP_NCOUNTS], int64_t took)
{
    for (int i = 0; i < DSN_TOP_NCOUNTS; i++) {
        const double more = now[i] - (before ? before[i] : 0);

        rate[i] = more > 0 && took > 0 ? more / ((double)took * 1e-9) : 0;
    }
}

/* A record that is new since the last sample starts from 0; one that could not be read consistently keeps its last
 * values and rate. Both lists have the same order. */
static int64_t join(struct dsn_top_process *p, struct dsn_top_flow *flow, int64_t nrecords, int64_t now)
{
    int64_t n = 0, old = 0, new = 0;

    while (old < p->nflow || new < nrecords) {
        const int order = old == p->nflow ? 1 : new == nrecords ? -1 : by_file(&p->flow[old].now, &p->records[new]);
        struct dsn_top_flow *f = &flow[n++];

        if (order < 0) {
            *f = p->flow[old++];
            continue;
        }
        f->now = p->records[new ++];
        f->at = now;
        if (order == 0) {
            set_rates(f->rate, f->now.count, p->flow[old].now.count, now - p->flow[old].at);
            old++;
        } else {
            set_rates(f->rate, f->now.count, NULL, p->at > 0 ? now - p->at : 0);
        }
    }
    return n;
}

/* Names are in the memory of the sample, which stays at its address. 0: no memory. */
static int take_counts(struct dsn_top_process *p, int64_t now)
{
    const int64_t n = dsn__top_records(&p->salvage.salvaged.of, &p->records, &p->records_room);
    struct dsn_top_flow *flow = n >= 0 ? malloc((size_t)(n + p->nflow + 1) * sizeof *flow) : NULL;
    double beside[DSN_TOP_NCOUNTS];

    if (!flow)
        return 0;
    p->nflow = join(p, flow, n, now);
    free(p->flow);
    p->flow = flow;
    dsn__top_beside(&p->salvage.salvaged.of, beside);
    set_rates(p->beside_rate, beside, p->beside, p->at > 0 ? now - p->at : 0);
    memcpy(p->beside, beside, sizeof beside);
    return 1;
}

static void take_identity(struct dsn_top_process *p)
{
    const struct dsn_survival_head *head = p->salvage.head;

    p->pid = dsn__pid_of(head->member.number);
    p->rank = head->member.rank;
    p->jobid = head->origin.jobid;
    p->key = head->origin.key;
    memcpy(p->program, head->origin.program, sizeof p->program);
    p->program[sizeof p->program - 1] = '\0';
    p->is_incomplete = atomic_load(&p->salvage.salvaged.of.incomplete->missed) > 0;
}

static void note_past(struct dsn_top_watch *w, const struct dsn_top_process *p, enum dsn_top_event event)
{
    if (w->npast == w->past_room) {
        const size_t room = w->past_room ? 2 * w->past_room : 64;
        struct dsn_top_past *grown = realloc(w->past, room * sizeof *grown);

        if (!grown)
            return;
        w->past = grown;
        w->past_room = room;
    }
    w->past[w->npast] = (struct dsn_top_past){ .pid = p->pid, .rank = p->rank, .jobid = p->jobid, .event = event };
    memcpy(w->past[w->npast].user, p->user, sizeof p->user);
    memcpy(w->past[w->npast].program, p->program, sizeof p->program);
    w->npast++;
}

/* Whether anything was counted since the last sample, so that the process need not be checked for being alive. */
static bool is_busy(const struct dsn_top_process *p)
{
    for (int64_t i = 0; i < p->nflow; i++)
        for (int c = 0; c < DSN_TOP_NCOUNTS; c++)
            if (p->flow[i].rate[c] > 0)
                return true;
    return false;
}

/* It was not sampled: nothing is known to have happened. With `no_names` the memory that names are in was freed. */
static void stop_flow(struct dsn_top_process *p, int no_names)
{
    for (int64_t i = 0; i < p->nflow; i++) {
        memset(p->flow[i].rate, 0, sizeof p->flow[i].rate);
        if (no_names)
            p->flow[i].now.name = NULL;
    }
    memset(p->beside_rate, 0, sizeof p->beside_rate);
}

/* After an exec in the same file counting starts from 0. */
static void forget_counts(struct dsn_top_process *p)
{
    p->nflow = 0;
    p->at = 0;
    p->looks = 0;
    memset(p->beside, 0, sizeof p->beside);
}

/* It cannot be sampled: it is about to end, is dead, or its file is damaged. */
static enum dsn_top_event what_became(const struct dsn_survival_identity *identity)
{
    if (dsn__owner_is_dead(&identity->owner))
        return identity->is_empty ? DSN_TOP_ENDED : DSN_TOP_KILLED;
    return identity->owner.executes ? DSN_TOP_EXECUTED : DSN_TOP_ENDING;
}

static int look_at(struct dsn_top_watch *w, struct dsn_top_process *p, int dir, const char *name, int fd, off_t size)
{
    struct dsn_survival_identity f;
    const size_t most = w->left < MOST_OF_ONE ? w->left : MOST_OF_ONE;
    int64_t now;

    p->is_seen = 1;
    if (!look_into(&p->salvage, fd, size, most)) {
        stop_flow(p, 1);
        if (dsn__survival_read_identity(dir, name, p->uid, &f))
            p->event = what_became(&f);
        w->unreadable += p->event == DSN_TOP_RUNS || p->event == DSN_TOP_BEGAN;
        return 1;
    }
    now = dsn__now();
    w->left -= atomic_load(&p->salvage.salvaged.of.arena->used);
    if (p->looks > 0 && p->salvage.head->survival_file.created != p->created) {
        note_past(w, p, DSN_TOP_EXECUTED);
        forget_counts(p);
    }
    p->created = p->salvage.head->survival_file.created;
    take_identity(p);
    if (p->looks == 0 && w->looks > 0) { /* it started after the last sample */
        p->at = w->at;
        p->event = DSN_TOP_BEGAN;
    } else {
        p->event = DSN_TOP_RUNS;
    }
    if (!take_counts(p, now))
        return 0;
    p->at = now;
    p->looks++;
    if (p->salvage.head->survival_file.executes)
        p->event = DSN_TOP_EXECUTED;
    if (!is_busy(p) && dsn__survival_read_identity(dir, name, p->uid, &f) && dsn__owner_is_dead(&f.owner))
        p->event = DSN_TOP_KILLED;
    return 1;
}

/* ------------------------------------------------------------------ all of them */

static int by_inode(const void *a, const void *b)
{
    const struct dsn_top_process *x = *(struct dsn_top_process *const *)a, *y = *(struct dsn_top_process *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Searches the first `known` ones, which are sorted. */
static struct dsn_top_process *find(const struct dsn_top_watch *w, size_t known, const struct stat *st)
{
    const struct dsn_top_process key = { .device = st->st_dev, .inode = st->st_ino }, *wanted = &key;
    struct dsn_top_process **p = known > 0 ? bsearch(&wanted, w->process, known, sizeof *w->process, by_inode) : NULL;

    return p ? *p : NULL;
}

void dsn__top_user_name(uid_t uid, char name[33])
{
    const struct passwd *user = getpwuid(uid);

    if (user)
        snprintf(name, 33, "%.32s", user->pw_name);
    else
        snprintf(name, 33, "%u", (unsigned)uid);
}

/* Adds a process seen for the first time; NULL: it is not selected, or no memory. */
static struct dsn_top_process *make_process(struct dsn_top_watch *w, int dir, const char *name, uid_t uid,
                                            const struct stat *st)
{
    struct dsn_survival_identity f;
    struct dsn_top_process *p;

    if (!dsn__survival_read_identity(dir, name, uid, &f)) {
        w->foreign++;
        return NULL;
    }
    if (f.is_empty || dsn__owner_is_dead(&f.owner) || (w->pid && dsn__pid_of(f.pid) != w->pid))
        return NULL;
    if (w->n == w->room) {
        const size_t room = w->room ? 2 * w->room : 64;
        struct dsn_top_process **grown = realloc(w->process, room * sizeof *grown);

        if (!grown)
            return NULL;
        w->process = grown;
        w->room = room;
    }
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->device = st->st_dev;
    p->inode = st->st_ino;
    p->uid = uid;
    p->pid = dsn__pid_of(f.pid);
    p->rank = f.rank;
    p->jobid = f.jobid;
    dsn__top_user_name(p->uid, p->user);
    return w->process[w->n++] = p;
}

static int look_at_file(struct dsn_top_watch *w, size_t known, int dir, const char *name, uid_t uid)
{
    struct dsn_top_process *p;
    struct stat st;
    int fd, ok = 1;

    if (!dsn__is_survival_file(name) || dsn__survival_is_aside(name))
        return 1;
    fd = dsn__survival_open_at(dir, name, uid, &st);
    if (fd < 0)
        return 1;
    p = find(w, known, &st);
    if (!p)
        p = make_process(w, dir, name, uid, &st);
    if (p && !p->is_seen)
        ok = look_at(w, p, dir, name, fd, st.st_size);
    close(fd);
    return ok;
}

static int look_at_user(struct dsn_top_watch *w, size_t known, const char *base, uid_t uid)
{
    char path[PATH_MAX];
    struct dsn_names_in *names;
    int dir, ok = 1;

    if (!dsn__survival_directory(base, uid, 0, path, sizeof path))
        return 1;
    dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return 1;
    names = dsn__names_in(dir);
    for (const char *name = NULL; ok && names && (name = dsn__next_name(names, name));)
        ok = look_at_file(w, known, dir, name, uid);
    dsn__names_in_free(names);
    close(dir);
    return ok;
}

/* Whether the process has exec'ed since. */
static bool has_successor(const struct dsn_top_watch *w, const struct dsn_top_process *p)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->process[i] != p && w->process[i]->pid == p->pid && w->process[i]->is_seen)
            return true;
    return false;
}

/* The file of this process is gone. One that still runs is kept for one more sample: if it is executing another program,
 * that one has a file by then. */
static void await_successor(struct dsn_top_watch *w, struct dsn_top_process *p)
{
    if (has_successor(w, p)) {
        p->event = DSN_TOP_EXECUTED;
    } else if (!p->is_awaited && !dsn__process_is_dead(p->pid, p->created)) {
        stop_flow(p, 0);
        p->event = DSN_TOP_ENDING;
        p->is_awaited = p->is_seen = 1;
    } else {
        p->event = DSN_TOP_ENDED;
    }
}

static void drop_past(struct dsn_top_watch *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->n; i++) {
        struct dsn_top_process *p = w->process[i];

        if (!p->is_seen)
            await_successor(w, p);
        else
            p->is_awaited = 0;
        p->is_seen = p->is_seen && p->event != DSN_TOP_KILLED && p->event != DSN_TOP_ENDED;
    }
    for (size_t i = 0; i < w->n; i++) {
        struct dsn_top_process *p = w->process[i];

        if (!p->is_seen && p->looks > 0)
            note_past(w, p, p->event);
        if (p->is_seen && p->looks > 0)
            w->process[kept++] = p;
        else
            free_process(p);
    }
    w->n = kept;
}

static int by_tree(const void *a, const void *b)
{
    const struct dsn_top_process *x = *(struct dsn_top_process *const *)a, *y = *(struct dsn_top_process *const *)b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Without a scheduler's job id each rank has its own: the job gets that of the lowest rank, as in its log. */
static void unite_jobs(struct dsn_top_watch *w)
{
    struct dsn_top_process **p = malloc((w->n + 1) * sizeof *p);

    if (!p)
        return;
    memcpy(p, w->process, w->n * sizeof *p);
    qsort(p, w->n, sizeof *p, by_tree);
    for (size_t i = 1; i < w->n; i++)
        if (p[i]->key == p[i - 1]->key)
            p[i]->jobid = p[i - 1]->jobid;
    free(p);
}

void dsn__top_watch_start(void)
{
    signal(SIGBUS, on_bus);
}

int dsn__top_watch_look(struct dsn_top_watch *w)
{
    const size_t known = w->n;
    const int64_t now = dsn__now();
    int ok = 1;

    w->npast = w->unreadable = w->foreign = 0;
    w->left = MOST_OF_ALL;
    for (size_t i = 0; i < w->n; i++)
        w->process[i]->is_seen = 0;
    for (size_t i = 0; ok && i < sizeof w->base / sizeof w->base[0]; i++)
        ok = !w->base[i] || look_at_user(w, known, w->base[i], w->uid);
    drop_past(w);
    if (w->n > 0) {
        qsort(w->process, w->n, sizeof *w->process, by_inode);
        unite_jobs(w);
    }
    w->interval = w->looks > 0 ? now - w->at : 0;
    w->at = now;
    w->looks++;
    return ok;
}

void dsn__top_watch_end(struct dsn_top_watch *w)
{
    for (size_t i = 0; i < w->n; i++)
        free_process(w->process[i]);
    free(w->process);
    free(w->past);
    w->process = NULL;
    w->past = NULL;
    w->n = w->room = w->npast = w->past_room = 0;
}
