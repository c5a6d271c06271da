/* participants.c - assigns processes to ranks of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/participants.h"

#include <string.h>
#include <unistd.h>

#include "config/who.h"
#include "darshan-log-format/extension.h"
#include "record/module.h"

/* ------------------------------------------------------------------ ranks */

static void later(int64_t *sec, int64_t *nsec, int64_t s, int64_t n, int sign)
{
    if (sign * (s - *sec) > 0 || (s == *sec && sign * (n - *nsec) > 0)) {
        *sec = s;
        *nsec = n;
    }
}

/* Adds what one process did after the other: times add up, counts follow the table. */
static void add_values(const struct dsn_table *t, union dsn_val *to, const union dsn_val *v)
{
    for (unsigned i = 0; i < t->nrows; i++) {
        const int at = t->rows[i].at;

        if (at < 0 || t->rows[i].red == DSN_KEEP)
            continue;
        if (t->rows[i].kind == DSN_F64)
            to[at].f += v[at].f;
        else if (t->rows[i].red == DSN_MAX)
            to[at].i = v[at].i > to[at].i ? v[at].i : to[at].i;
        else
            to[at].i += v[at].i;
    }
}

/* Merges as if one process had done both. */
static void add_summary(struct dsn_participant *to, const struct dsn_rank_summary *f, const struct dsn_rank_row *row)
{
    later(&to->summary->start_sec, &to->summary->start_nsec, f->start_sec, f->start_nsec, -1);
    later(&to->summary->end_sec, &to->summary->end_nsec, f->end_sec, f->end_nsec, 1);
    to->summary->ended = f->ended > to->summary->ended ? f->ended : to->summary->ended;
    to->summary->active |= f->active;
    to->summary->partial |= f->partial;
    to->summary->bytes += f->bytes;
    add_values(&dsn_rank_table, to->row->v, row->v);
    add_values(&dsn_lbio_table, to->row->lbio, row->lbio);
}

static struct dsn_participant *participant_of(const struct dsn_participants *m, int64_t rank)
{
    struct dsn_participant *at = m->first;

    while (at && at->rank != rank)
        at = at->next;
    return at;
}

static void insert(struct dsn_participants *m, struct dsn_participant *new)
{
    struct dsn_participant **at = m->last && m->last->rank < new->rank ? &m->last->next : &m->first;

    while (*at && (*at)->rank < new->rank)
        at = &(*at)->next;
    new->next = *at;
    *at = new;
    if (!new->next)
        m->last = new;
}

/* Slot of a pid in the table of processes that have exec'ed another program; may be free. */
static struct dsn_process_row **going_on(const struct dsn_participants *m, int64_t pid)
{
    uint64_t at = (uint64_t)pid * 0x9e3779b97f4a7c15 >> 20;

    while (m->going_on[at & (m->room - 1)] && m->going_on[at & (m->room - 1)]->who->process_tree.pid != pid)
        at++;
    return &m->going_on[at & (m->room - 1)];
}

static int make_room(struct dsn_participants *m)
{
    size_t n = 1;

    for (const struct dsn_exit_record *s = m->exit_records; s; s = s->next)
        n++;
    for (m->room = 2; m->room < 2 * n; m->room *= 2)
        ;
    m->going_on = dsn__bump(&m->memory, m->room * sizeof m->going_on[0]);
    return m->going_on != NULL;
}

/* The participant with the same rank, because it is the same process or was started by an MPI rank; NULL: it becomes a
 * new one, of *rank. */
static struct dsn_participant *place_of(const struct dsn_participants *m, const struct dsn_who *who, int64_t launched,
                                        int64_t *rank)
{
    const struct dsn_process_row *before = *going_on(m, who->process_tree.pid);
    const struct dsn_process_row *root = *going_on(m, who->process_tree.root);

    if (!before || !before->goes_on)
        before = root && root->who->process_tree.is_mpi && !who->process_tree.is_mpi ? root : NULL;
    if (before)
        return (struct dsn_participant *)(uintptr_t)before->participant;
    *rank = launched > 0 && who->process_tree.rank >= 0 && who->process_tree.nranks == launched ? who->process_tree.rank
                                                                                                : m->nranks;
    return *rank < m->nranks ? participant_of(m, *rank) : NULL;
}

static int is_of_program(const struct dsn_process_row *p, const struct dsn_who *who)
{
    return p && p->who->process_tree.pid == who->process_tree.pid && p->who->start_sec == who->start_sec &&
           p->who->start_nsec == who->start_nsec;
}

/* The existing row of the same program: one whose exec failed has left several parts. */
static struct dsn_process_row *row_of(const struct dsn_participants *m, const struct dsn_who *who)
{
    struct dsn_process_row *before = *going_on(m, who->process_tree.pid);

    if (is_of_program(before, who))
        return before;
    return is_of_program(m->processes, who) ? m->processes : NULL; /* this process is listed first */
}

/* Of several parts the last one's data is used. */
static int list_process(struct dsn_participants *m, const struct dsn_who *who, struct dsn_participant *participant)
{
    struct dsn_process_row *p = row_of(m, who);

    if (p && p->who->created > who->created)
        return 1;
    if (p) {
        p->who = who;
        p->goes_on = who->goes_on != 0;
        m->nkilled += who->was_killed != 0;
        m->nrunning += who->runs != 0;
        return 1;
    }
    p = dsn__bump(&m->memory, sizeof *p);
    if (!p)
        return 0;
    *p = (struct dsn_process_row){ .who = who, .participant = participant, .goes_on = who->goes_on != 0 };
    if (m->last_process)
        m->last_process->next = p;
    else
        m->processes = p;
    m->last_process = p;
    *going_on(m, who->process_tree.pid) = p;
    m->nkilled += who->was_killed != 0;
    m->nrunning += who->runs != 0;
    return 1;
}

static int add_exit_record(struct dsn_participants *m, struct dsn_exit_record *s, struct dsn_participant *own,
                           int64_t launched)
{
    int64_t rank = 0;
    struct dsn_participant *place = own ? own : place_of(m, s->who, launched, &rank);

    if (place) {
        add_summary(place, s->summary, &s->row);
        return dsn__record_source_adopt(place->source, &s->source, &m->memory) && list_process(m, s->who, place);
    }
    place = dsn__bump(&m->memory, sizeof *place);
    if (!place)
        return 0;
    place->rank = rank;
    insert(m, place);
    place->source = &s->source;
    place->summary = s->summary;
    place->row = &s->row;
    s->source.rank = rank;
    m->nranks = rank >= m->nranks ? rank + 1 : m->nranks;
    return list_process(m, s->who, place);
}

#define MOST_ABSENT 16384

static struct dsn_participant *make_absent(struct dsn_bump *memory, int64_t rank)
{
    struct dsn_participant *absent = dsn__bump(memory, sizeof *absent);

    if (!absent || !(absent->row = dsn__bump(memory, sizeof *absent->row)) ||
        !(absent->source = dsn__bump(memory, sizeof *absent->source)) ||
        !(absent->summary = dsn__bump(memory, sizeof *absent->summary)))
        return NULL;
    absent->rank = rank;
    absent->summary->ranks = 1;
    return absent;
}

/* Ranks without data get a row, too, unless there are too many: their number comes from an environment variable, or
 * from a survival file, which may contain anything. */
static int add_absent(struct dsn_participants *m)
{
    struct dsn_participant **at = &m->first;

    if (m->nranks > MOST_ABSENT) {
        m->nabsent = m->nranks;
        for (const struct dsn_participant *p = m->first; p; p = p->next)
            m->nabsent--;
        return 1;
    }
    for (int64_t rank = 0; rank < m->nranks; rank++) {
        if (!*at || (*at)->rank > rank) {
            struct dsn_participant *absent = make_absent(&m->memory, rank);

            if (!absent)
                return 0;
            absent->next = *at;
            *at = absent;
            m->nabsent++;
        }
        m->last = *at;
        at = &(*at)->next;
    }
    return 1;
}

/* Sets the rank in all records, summaries and rows. */
static void number(struct dsn_participant *m)
{
    m->row->rank = m->rank;
    m->source->rank = m->rank;
    for (int module = 0; module < DSN_NMODULES; module++)
        for (struct dsn_record_state *l = m->source->first_state[module]; l; l = l->next)
            l->rec->rank = m->rank;
    for (uint64_t i = 0; i < m->summary->nnodes; i++) {
        dsn__rank_summary_nodes(m->summary)[i].rank = m->rank;
        m->node = dsn__rank_summary_nodes(m->summary)[i].hash;
    }
}

static int64_t launched_ranks(const struct dsn_participants *m, const struct dsn_who *who)
{
    if (who && who->process_tree.nranks > 0)
        return who->process_tree.nranks;
    for (const struct dsn_exit_record *s = m->exit_records; s; s = s->next)
        if (s->who->process_tree.nranks > 0)
            return s->who->process_tree.nranks;
    return 0;
}

int dsn__participants_rank(struct dsn_participants *m, struct dsn_participant *own, const struct dsn_who *who,
                           int is_rank)
{
    const int64_t launched = launched_ranks(m, who);

    if (!make_room(m))
        return 0;
    if (own) {
        if (!is_rank)
            own->rank = launched > 0 && who->process_tree.rank >= 0 ? who->process_tree.rank : launched;
        insert(m, own);
        if (!list_process(m, who, own))
            return 0;
    }
    m->nranks = launched > 0 ? launched : own ? own->rank + 1 : 0;
    if (own && own->rank >= m->nranks)
        m->nranks = own->rank + 1;
    for (struct dsn_exit_record *s = m->exit_records; s; s = s->next) {
        const int is_own =
            own && (is_rank || s->who->process_tree.pid == who->process_tree.pid); /* or from before an exec */

        if (!(own && dsn__is_twice(s->who, who)) && !add_exit_record(m, s, is_own ? own : NULL, launched))
            return 0;
    }
    if (!is_rank && !add_absent(m))
        return 0;
    for (struct dsn_participant *at = m->first; at; at = at->next) {
        number(at);
        at->source->leads = at->rank == 0;
    }
    return 1;
}
