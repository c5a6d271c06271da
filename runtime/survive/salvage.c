/* salvage.c - reads another process's survival file
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/salvage.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "config/job.h"
#include "config/settings.h"
#include "log/record-source.h"
#include "module/shared/auxiliary.h"
#include "module/shared/heatmap.h"
#include "record/arena.h"
#include "record/finalize.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/shards.h"

#define LOOKS_AT_ONE 1000 /* copies of a record, one of which should be consistent */

/* ------------------------------------------------------------------ reading */

/* Sets a range: `size` bytes at `base`, according to the file, of which `in_file` are in it. */
static void set_range(struct dsn_salvaged *r, int i, const void *base, size_t size, size_t used, size_t in_file)
{
    const uint64_t begin = (uintptr_t)base;

    if (begin < r->base || begin - r->base > r->size || size > r->size - (begin - r->base))
        return;
    r->any_lost |= used > in_file;
    r->range[i] = (struct dsn_salvaged_range){ begin, begin + (size < in_file ? size : in_file) };
}

static void set_ranges(struct dsn_salvaged *r)
{
    const struct dsn_arena *a = r->of.arena;
    const struct dsn_auxiliary *s = r->of.auxiliary;
    const size_t threads = s->thread ? DSN_TRACE_THREADS * sizeof s->thread[0] : 0;
    int i = 0;

    set_range(r, i, a->base, a->size, atomic_load(&a->used), atomic_load(&a->in_file));
    r->range[i++].begin += a->first; /* the table of names before it is in no file */
    set_range(r, i++, s->thread, threads, threads, s->threads_are_anonymous ? 0 : threads);
    for (int t = 0; t < DSN_NTRACES; t++)
        set_range(r, i++, s->trace[t].base, s->trace[t].size, atomic_load(&s->trace[t].used),
                  atomic_load(&s->trace[t].in_file));
}

static bool read_piece(int fd, char *to, off_t at, off_t end)
{
    while (at < end) {
        const ssize_t n = dsn__sys_pread(fd, to, (size_t)(end - at), at);

        if (n == 0)
            return true; /* zeros, as beyond the end */
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        to += n > 0 ? n : 0;
    }
    return true;
}

off_t dsn__next_piece(int fd, off_t at, off_t end, off_t *piece_end)
{
    const off_t begin = lseek(fd, at, SEEK_DATA), hole = begin >= 0 ? lseek(fd, begin, SEEK_HOLE) : -1;

    *piece_end = hole > begin && hole < end ? hole : end;
    if (begin >= 0)
        return begin < end ? begin : end;
    return errno == ENXIO ? end : at;
}

/* Reads instead of mapping: touching a missing page allocates it, and on a full file system kills the process. */
static bool read_pieces(const struct dsn_salvaged *r, int fd, size_t size)
{
    const off_t state = (off_t)dsn__survival_state_size, end = state + (off_t)size;
    off_t piece_end;

    for (off_t at = state + (off_t)r->of.arena->first, begin; at < end; at = piece_end) {
        begin = dsn__next_piece(fd, at, end, &piece_end);
        if (begin < end && !read_piece(fd, r->here + (begin - state), begin, piece_end))
            return false;
        if (begin < end && r->running)
            dsn__snapshot_has(r->running, (uint64_t)(begin - state), (uint64_t)(piece_end - state));
    }
    return true;
}

/* The state does not fill whole pages of the file: it is mapped, too. */
static bool map_running(struct dsn_salvage *s, int fd, unsigned tries)
{
    struct dsn_snapshot *running = dsn__bump(&s->for_reading, sizeof *running);

    s->mapped_size = dsn__survival_state_size + s->salvaged.size;
    s->mapped = running ? dsn__sys_mmap(NULL, s->mapped_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (s->mapped == MAP_FAILED) {
        s->mapped = NULL;
        return false;
    }
    running->map = (const char *)s->mapped + dsn__survival_state_size;
    running->size = s->salvaged.size;
    running->tries = tries;
    running->only_steady = tries != DSN_SNAPSHOT_TRIES;
    running->present = dsn__bump(&s->for_reading, dsn__snapshot_words(running->size) * sizeof running->present[0]);
    s->salvaged.running = running;
    return running->present != NULL;
}

static bool is_sound(const struct dsn_salvage *s, off_t size)
{
    const struct dsn_survival *survival = &s->head->survival_file;
    const struct dsn_recording *of = &s->salvaged.of;
    const struct dsn_arena *a = of->arena;
    const struct dsn_auxiliary *auxiliary = of->auxiliary;
    const size_t threads = DSN_TRACE_THREADS * sizeof auxiliary->thread[0];

    return survival->magic == DSN_SURVIVAL_MAGIC && survival->size >= threads &&
           survival->layout == dsn__survival_layout() && survival->size == (uint64_t)size - dsn__survival_state_size &&
           (uintptr_t)a->base == survival->base && a->size <= survival->size &&
           (!auxiliary->heat ||
            ((char *)auxiliary->heat == a->base + a->size && DSN_HEAT_BYTES <= survival->size - a->size)) &&
           (!auxiliary->thread || ((uintptr_t)auxiliary->thread % 8 == 0 &&
                                   (uintptr_t)auxiliary->thread - survival->base <= survival->size - threads)) &&
           a->first <= a->size && a->first % 8 == 0;
}

static bool read_state(struct dsn_salvage *s, int fd, off_t size)
{
    return size >= (off_t)dsn__survival_state_size && read_piece(fd, s->state, 0, (off_t)dsn__survival_state_size) &&
           is_sound(s, size);
}

/* Allocates memory for reading. `tries`: per record of a running process, see record/snapshot.h; 0: it is not
 * running. */
static bool prepare(struct dsn_salvage *s, int fd, unsigned tries)
{
    const struct dsn_survival *survival = &s->head->survival_file;
    struct dsn_salvaged *r = &s->salvaged;
    void *here;

    /* A zero behind it ends a name that was sampled before and has lost its own. */
    here = dsn__sys_mmap(NULL, survival->size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                         -1, 0);
    if (here == MAP_FAILED)
        return false;
    r->base = survival->base;
    r->size = survival->size;
    r->here = here;
    r->claimed = dsn__bump(&s->for_reading, dsn__salvaged_bits(r->size));
    return r->claimed && (tries == 0 || map_running(s, fd, tries));
}

static bool read_file(struct dsn_salvage *s, int fd, off_t size, int runs)
{
    if (!read_state(s, fd, size) || !prepare(s, fd, runs ? DSN_SNAPSHOT_TRIES : 0))
        return false;
    set_ranges(&s->salvaged);
    return read_pieces(&s->salvaged, fd, s->salvaged.size);
}

/* ------------------------------------------------------------------ names and records */

#define SNAPSHOTS_OF_ONE 8

/* Including its NUL. */
static struct dsn_name *name_at(const struct dsn_salvaged *r, const struct dsn_name *theirs)
{
    struct dsn_name *name = dsn__salvaged_address(r, theirs, sizeof *name + 1);
    const char *end = name ? memchr(name->text, '\0', (size_t)(r->here + r->size - name->text)) : NULL;

    return end ? dsn__salvaged_claim(r, theirs, (size_t)(end + 1 - (const char *)name)) : NULL;
}

/* Later elements of a list were created later, and lie behind: a list ends where that does not hold. */
static void salvage_names(struct dsn_names *n, const struct dsn_salvaged *r)
{
    struct dsn_name **link = &n->first, *before = NULL, *name;

    for (n->nnames = 0; *link > before && (name = name_at(r, *link)); n->nnames++) {
        before = *link;
        atomic_store(&name->records, NULL);
        *link = name;
        link = &name->next;
    }
    *link = NULL;
    n->last = link;
}

/* A record that was allocated at the end may lie outside of the arena. */
static bool is_elsewhere(const struct dsn_salvaged *r, const void *theirs)
{
    return (uintptr_t)theirs < r->base || (uintptr_t)theirs >= r->base + r->size;
}

/* Its address in the other process. */
static const void *there(const struct dsn_salvaged *r, const void *here)
{
    return (const void *)(uintptr_t)(r->base + (uint64_t)((const char *)here - r->here));
}

/* The shards of a contended record; NULL if it has none or they are lost. What they are joined into is claimed as the
 * record, or, if that is still to be made, here. */
static struct dsn_shards *shards_of(enum dsn_module_index module, struct dsn_record_state *state,
                                    const struct dsn_salvaged *r)
{
    struct dsn_shards *const theirs = atomic_load(&state->shards);
    const size_t size = sizeof *theirs + dsn__record_size(module);
    struct dsn_shards *shards = theirs ? dsn__salvaged_address(r, theirs, size) : NULL;

    if (shards &&
        !dsn__salvaged_claim(r, theirs, atomic_load(&shards->is_joined) ? offsetof(struct dsn_shards, joined) : size))
        shards = NULL;
    return shards;
}

static enum dsn_salvage_result salvage_record(enum dsn_module_index module, struct dsn_record_state *state,
                                              const struct dsn_record_source *names, const struct dsn_salvaged *r)
{
    const struct dsn_module_info *info = dsn__modules[module];
    const int has_none = info->need_size && is_elsewhere(r, state->rec),
              has_shards = atomic_load(&state->shards) != NULL;
    const struct dsn_record_state *whole;
    enum dsn_salvage_result result = DSN_WHOLE, of_module;

    state->lock = 0;
    state->name = dsn__salvaged_address(r, state->name, sizeof *state->name);
    if (!state->name || dsn__record_source_find(names, state->name->id) != state->name)
        return DSN_LOST;
    whole = dsn__name_record(state->name, module);
    if (whole && (!atomic_load(&whole->shards) || has_shards))
        return DSN_LOST;
    atomic_store(&state->shards, shards_of(module, state, r));
    if (has_shards && !atomic_load(&state->shards))
        result = DSN_IN_PART;
    state->rec = has_none ? NULL : dsn__salvaged_address(r, state->rec, dsn__record_size(module));
    if (!state->rec && !has_none)
        return DSN_LOST;
    of_module = info->salvage ? info->salvage(state, r) : DSN_WHOLE;
    result = of_module < result ? of_module : result;
    if (has_shards && state->shards && atomic_load(&state->shards->is_joined))
        state->rec = &state->shards->joined;
    if (state->rec && !dsn__salvaged_claim(r, there(r, state->rec), dsn__record_size(module)))
        return DSN_LOST;
    return result;
}

/* For a record in use: salvages a consistent copy, and, if more belongs to it by then, another one. */
static enum dsn_salvage_result salvage_running_record(enum dsn_module_index module, struct dsn_record_state *state,
                                                      const struct dsn_record_source *names,
                                                      const struct dsn_salvaged *r)
{
    struct dsn_snapshot *s = r->running;
    const size_t size = dsn__modules[module]->state_size;
    const uint64_t at = (uint64_t)((const char *)state - r->here);
    enum dsn_salvage_result result;
    int is_steady = 1;

    s->is_taking = 1;
    dsn__snapshot_begin(s, at, state, size);
    result = salvage_record(module, state, names, r);
    for (int again = 0; s->has_grown && is_steady && again < SNAPSHOTS_OF_ONE; again++) {
        is_steady = dsn__snapshot_copy(s);
        dsn__salvaged_again(r);
        dsn__salvaged_mark_claimed(r, state, size);
        dsn__snapshot_fill(s, at, state, size);
        result = salvage_record(module, state, names, r);
    }
    s->unsteady += !is_steady;
    s->is_taking = 0;
    return is_steady || !s->only_steady ? result : DSN_LOST;
}

static void salvage_records(enum dsn_module_index module, const struct dsn_record_source *names,
                            const struct dsn_salvaged *r)
{
    const size_t size = dsn__modules[module]->state_size;
    struct dsn_names *n = r->of.names;
    const unsigned all = n->count[module];
    struct dsn_record_state **link = &n->first_state[module], *before = NULL, *state;
    int is_partial = 0;

    n->count[module] = 0;
    while (*link > before && (state = dsn__salvaged_claim(r, *link, size))) {
        const enum dsn_salvage_result result =
            r->running ? salvage_running_record(module, state, names, r) : salvage_record(module, state, names, r);

        before = *link;
        is_partial |= result == DSN_IN_PART;
        if (result == DSN_LOST) {
            *link = state->next;
            continue;
        }
        if (!dsn__name_record(state->name, module)) {
            dsn__name_add_record(state->name, module, state);
            n->count[module]++;
        }
        *link = state;
        link = &state->next;
    }
    *link = NULL;
    n->last_state[module] = link;
    if (r->any_lost && all > n->count[module]) {
        atomic_fetch_add(&r->of.incomplete->missed, all - n->count[module]);
        is_partial = 1;
    }
    if (is_partial)
        atomic_fetch_or(&r->of.incomplete->partial, (unsigned long long)1 << dsn__modules[module]->id);
}

/* ------------------------------------------------------------------ the rest */

static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
}

/* Strings of settings were local to that process. */
static void salvage_config(struct dsn_config *c)
{
    memset(&c->bad, 0, sizeof c->bad);
    c->name_exclude = c->name_include = NULL;
    c->verdict = NULL;
    c->loghints = c->logpath = c->logfile = c->path_by_env = "";
}

/* Rejects implausible times: more than thirty years. */
static void salvage_run(struct dsn_run *run)
{
    const int64_t most = INT64_C(1000000000000000000);

    end_text(run->exe, sizeof run->exe);
    run->began = run->began < 0 || run->began > most ? 0 : run->began;
    run->start_nsec = run->start_nsec < 0 || run->start_nsec > 999999999 ? 0 : run->start_nsec;
}

static void salvage_moment(struct dsn_moment *m)
{
    const int64_t most = INT64_MAX / 2;

    if (m->ticks < 0 || m->ticks > most || m->ns < 0 || m->ns > most)
        *m = (struct dsn_moment){ 0 };
}

static void salvage_clock(struct dsn_clock *c)
{
    const double rate = atomic_load(&c->rate), least = 0.01, most = 1e6; /* ticks per nanosecond */

    c->counter = NULL;
    atomic_flag_clear(&c->checking);
    salvage_moment(&c->origin);
    salvage_moment(&c->good);
    if (!(rate > least && rate < most))
        atomic_store(&c->rate, 0);
}

static void salvage_auxiliary(struct dsn_auxiliary *s, const struct dsn_salvaged *r)
{
    if (s->heat) {
        s->heat = (void *)(r->here + r->of.arena->size);
        dsn__salvaged_mark_claimed(r, (const void *)s->heat, DSN_HEAT_BYTES);
    }
    if (s->thread) { /* zeros if it is lost */
        s->thread = (void *)(r->here + ((uintptr_t)s->thread - r->base));
        dsn__salvaged_mark_claimed(r, (const void *)s->thread, DSN_TRACE_THREADS * sizeof s->thread[0]);
    }
}

/* Returns false if there is no memory. */
static bool salvage_all(struct dsn_salvage *s)
{
    struct dsn_survival_head *head = (struct dsn_survival_head *)(void *)s->state;
    struct dsn_recording *of = &s->salvaged.of;
    struct dsn_record_source names;

    end_text(head->origin.directory, sizeof head->origin.directory);
    end_text(head->origin.logfile, sizeof head->origin.logfile);
    end_text(head->origin.user, sizeof head->origin.user);
    end_text(head->origin.program, sizeof head->origin.program);
    salvage_config((struct dsn_config *)(uintptr_t)of->config);
    salvage_run(of->run);
    salvage_clock(of->clock);
    of->arena->base = s->salvaged.here;
    salvage_auxiliary(of->auxiliary, &s->salvaged);
    dsn__finalize_put_back(of->finalizing, &s->salvaged);
    salvage_names(of->names, &s->salvaged);
    dsn__record_source_of(&names, of);
    if (!dsn__record_source_index(&names, &s->memory))
        return false;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        salvage_records(module, &names, &s->salvaged);
    if (dsn__heat_is_anonymous(of->auxiliary))
        atomic_fetch_or(&of->incomplete->partial, (unsigned long long)1 << DSN_HEATMAP_MODULE);
    return true;
}

/* For records whose times are in seconds already. */
static int64_t last_moment(const struct dsn_names *n)
{
    double last = 0;

    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++) {
        const struct dsn_table *t = dsn__counted_table(module);

        for (const struct dsn_record_state *state = n->first_state[module]; t && state; state = state->next)
            for (unsigned i = 0; i < t->nrows; i++)
                if (t->rows[i].at >= 0 && t->rows[i].unit == DSN_TIMESTAMP && state->rec->v[t->rows[i].at].f > last)
                    last = state->rec->v[t->rows[i].at].f;
    }
    return last < 1e9 ? (int64_t)(last * 1e9) : 0;
}

/* Whether the process is still the same and has not begun to end: then its records are finalized in place. */
static bool still_counts(const struct dsn_salvage *s)
{
    struct dsn_recording now;

    dsn__survival_recording(s->mapped, &now);
    return ((const struct dsn_survival_head *)s->mapped)->survival_file.magic == DSN_SURVIVAL_MAGIC &&
           ((const struct dsn_survival_head *)s->mapped)->survival_file.created == s->head->survival_file.created &&
           !atomic_load(&now.finalizing->has_begun);
}

/* The current time on the clock of its process tree. */
static int64_t so_far(const struct dsn_clock *c, const struct dsn_names *n)
{
    const int64_t now = dsn__now() - c->origin.ns, last = last_moment(n);

    return now > last ? now : last;
}

static bool make_state(struct dsn_salvage *s)
{
    *s = (struct dsn_salvage){ .state = dsn__pages(dsn__survival_state_size) };
    s->head = (const struct dsn_survival_head *)(void *)s->state;
    if (!s->state)
        return false;
    dsn__survival_recording(s->state, &s->salvaged.of);
    s->salvaged.of.memory = &s->memory;
    return true;
}

bool dsn__salvage(struct dsn_salvage *s, int fd, off_t size, int runs)
{
    struct dsn_recording *of = &s->salvaged.of;

    if (!make_state(s))
        return false;
    if (!read_file(s, fd, size, runs) || !salvage_all(s) || (runs && !still_counts(s))) {
        dsn__salvage_free(s);
        return false;
    }
    dsn__finalize_records(of);
    of->run->ended = runs ? so_far(of->clock, of->names) : last_moment(of->names);
    if (of->run->ended < of->run->began)
        of->run->ended = of->run->began;
    if (runs)
        dsn__heat_catch_up(of, of->run->ended);
    return true;
}

/* ------------------------------------------------------------------ repeated samples */

/* Only records with counters are needed. */
static void drop_what_has_no_counters(const struct dsn_recording *of)
{
    of->auxiliary->heat = NULL;
    of->auxiliary->thread = NULL;
    for (int t = 0; t < DSN_NTRACES; t++)
        of->auxiliary->trace[t].base = NULL;
    for (enum dsn_module_index module = 0; module < DSN_NMODULES; module++)
        if (!dsn__counted_table(module) || module == DSN_INDEX_HEATMAP)
            of->names->first_state[module] = NULL;
}

/* Drops what was found in the file the last time. */
static bool forget(struct dsn_salvage *s, size_t used)
{
    struct dsn_salvaged *r = &s->salvaged;
    const struct dsn_survival *survival = &s->head->survival_file;

    if (survival->base != r->base || survival->size != r->size)
        return false;
    memset(r->claimed, 0, dsn__salvaged_bits(used));
    memset(r->running->present, 0, dsn__snapshot_words(used) * sizeof r->running->present[0]);
    memset(r->range, 0, sizeof r->range);
    r->any_lost = 0;
    r->running->unsteady = 0;
    dsn__bump_clear(&s->memory);
    return true;
}

bool dsn__salvage_look(struct dsn_salvage *s, int fd, off_t size, size_t most)
{
    struct dsn_recording *of = &s->salvaged.of;
    const int is_first = !s->state;
    size_t used;

    if (is_first && !make_state(s))
        return false;
    if (read_state(s, fd, size)) {
        drop_what_has_no_counters(of);
        used = atomic_load(&of->arena->used);
        used = used < of->arena->size ? used : of->arena->size;
        atomic_store(&of->arena->used, used);
        of->arena->size = used;
        if (used >= of->arena->first && used <= most && (is_first ? prepare(s, fd, LOOKS_AT_ONE) : forget(s, used))) {
            set_ranges(&s->salvaged);
            if (read_pieces(&s->salvaged, fd, used) && salvage_all(s) && still_counts(s)) {
                dsn__finalize_records(of);
                return true;
            }
        }
    }
    dsn__salvage_free(s);
    return false;
}

void dsn__salvage_free(struct dsn_salvage *s)
{
    if (s->salvaged.here)
        dsn__sys_munmap(s->salvaged.here, s->salvaged.size + 1);
    if (s->mapped)
        dsn__sys_munmap(s->mapped, s->mapped_size);
    dsn__bump_free(&s->memory);
    dsn__bump_free(&s->for_reading);
    dsn__pages_free(s->state);
    *s = (struct dsn_salvage){ 0 };
}
