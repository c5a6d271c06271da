/* participants.c - assigns processes to ranks of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/participants.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "config/who.h"
#include "darshan-log-format/extension.h"
#include "record/module.h"

/* ------------------------------------------------------------------ ranks */

/* Sets a time to the later one of two, or, `sign` -1, to the earlier one. */
static void extend(int64_t *sec, int64_t *nsec, int64_t s, int64_t n, int sign)
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
static void add_summary(struct dsn_participant *to, const struct dsn_rank_summary *summary,
                        const struct dsn_rank_row *row)
{
    extend(&to->summary->start_sec, &to->summary->start_nsec, summary->start_sec, summary->start_nsec, -1);
    extend(&to->summary->end_sec, &to->summary->end_nsec, summary->end_sec, summary->end_nsec, 1);
    to->summary->ended = summary->ended > to->summary->ended ? summary->ended : to->summary->ended;
    to->summary->active |= summary->active;
    to->summary->partial |= summary->partial;
    to->summary->bytes += summary->bytes;
    add_values(&dsn_rank_table, to->row->v, row->v);
    add_values(&dsn_lbio_table, to->row->lbio, row->lbio);
}

static struct dsn_participant *participant_of(const struct dsn_participants *participants, int64_t rank)
{
    struct dsn_participant *at = participants->first;

    while (at && at->rank != rank)
        at = at->next;
    return at;
}

static void insert(struct dsn_participants *participants, struct dsn_participant *new)
{
    struct dsn_participant **at =
        participants->last && participants->last->rank < new->rank ? &participants->last->next : &participants->first;

    while (*at && (*at)->rank < new->rank)
        at = &(*at)->next;
    new->next = *at;
    *at = new;
    if (!new->next)
        participants->last = new;
}

/* Slot of a process in the table of the last rows of each, by number: of one that has exec'ed there are several. May be
 * free. */
static struct dsn_process_row **last_row_of(const struct dsn_participants *participants, int64_t pid)
{
    uint64_t at = (uint64_t)pid * 0x9e3779b97f4a7c15 >> 20;

    while (participants->last_rows[at & (participants->room - 1)] &&
           participants->last_rows[at & (participants->room - 1)]->who->member.number != pid)
        at++;
    return &participants->last_rows[at & (participants->room - 1)];
}

static bool make_room(struct dsn_participants *participants)
{
    size_t n = 1;

    for (const struct dsn_exit_record *record = participants->exit_records; record; record = record->next)
        n++;
    for (participants->room = 2; participants->room < 2 * n; participants->room *= 2)
        ;
    participants->last_rows = dsn__bump(&participants->memory, participants->room * sizeof participants->last_rows[0]);
    return participants->last_rows != NULL;
}

/* The participant with the same rank, because it is the same process or was started by an MPI rank; NULL: it becomes a
 * new one, of *rank. */
static struct dsn_participant *participant_for(const struct dsn_participants *participants, const struct dsn_who *who,
                                               int64_t nlaunched, int64_t *rank)
{
    const struct dsn_process_row *before = *last_row_of(participants, who->member.number);
    const struct dsn_process_row *root = *last_row_of(participants, who->member.root);

    if (!before || !before->executed)
        before = root && root->who->member.is_mpi && !who->member.is_mpi ? root : NULL;
    if (before)
        return (struct dsn_participant *)(uintptr_t)before->participant;
    *rank = nlaunched > 0 && who->member.rank >= 0 && who->member.nranks == nlaunched ? who->member.rank
                                                                                      : participants->nranks;
    return *rank < participants->nranks ? participant_of(participants, *rank) : NULL;
}

static bool is_of_program(const struct dsn_process_row *p, const struct dsn_who *who)
{
    return p && p->who->member.number == who->member.number && p->who->start_sec == who->start_sec &&
           p->who->start_nsec == who->start_nsec;
}

/* The existing row of the same program: one whose exec failed has left several exit records. */
static struct dsn_process_row *row_of(const struct dsn_participants *participants, const struct dsn_who *who)
{
    struct dsn_process_row *before = *last_row_of(participants, who->member.number);

    if (is_of_program(before, who))
        return before;
    return is_of_program(participants->processes, who) ? participants->processes
                                                       : NULL; /* this process is listed first */
}

/* Of several exit records the last one's data is used. */
static bool list_process(struct dsn_participants *participants, const struct dsn_who *who,
                         struct dsn_participant *participant)
{
    struct dsn_process_row *p = row_of(participants, who);

    if (p && p->who->created > who->created)
        return true;
    if (p) {
        p->who = who;
        p->executed = who->executed != 0;
        participants->nkilled += who->was_killed != 0;
        participants->nrunning += who->runs != 0;
        return true;
    }
    p = dsn__bump(&participants->memory, sizeof *p);
    if (!p)
        return false;
    *p = (struct dsn_process_row){ .who = who, .participant = participant, .executed = who->executed != 0 };
    if (participants->last_process)
        participants->last_process->next = p;
    else
        participants->processes = p;
    participants->last_process = p;
    *last_row_of(participants, who->member.number) = p;
    participants->nkilled += who->was_killed != 0;
    participants->nrunning += who->runs != 0;
    return true;
}

static bool add_exit_record(struct dsn_participants *participants, struct dsn_exit_record *record,
                            struct dsn_participant *own, int64_t nlaunched)
{
    int64_t rank = 0;
    struct dsn_participant *participant = own ? own : participant_for(participants, record->who, nlaunched, &rank);

    if (participant) {
        add_summary(participant, record->summary, &record->row);
        return dsn__record_source_adopt(participant->source, &record->source, &participants->memory) &&
               list_process(participants, record->who, participant);
    }
    participant = dsn__bump(&participants->memory, sizeof *participant);
    if (!participant)
        return false;
    participant->rank = rank;
    insert(participants, participant);
    participant->source = &record->source;
    participant->summary = record->summary;
    participant->row = &record->row;
    record->source.rank = rank;
    participants->nranks = rank >= participants->nranks ? rank + 1 : participants->nranks;
    return list_process(participants, record->who, participant);
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
static bool add_absent(struct dsn_participants *participants)
{
    struct dsn_participant **at = &participants->first;

    if (participants->nranks > MOST_ABSENT) {
        participants->nabsent = participants->nranks;
        for (const struct dsn_participant *p = participants->first; p; p = p->next)
            participants->nabsent--;
        return true;
    }
    for (int64_t rank = 0; rank < participants->nranks; rank++) {
        if (!*at || (*at)->rank > rank) {
            struct dsn_participant *absent = make_absent(&participants->memory, rank);

            if (!absent)
                return false;
            absent->next = *at;
            *at = absent;
            participants->nabsent++;
        }
        participants->last = *at;
        at = &(*at)->next;
    }
    return true;
}

/* Sets the rank in all records, summaries and rows. */
static void set_rank(struct dsn_participant *participant)
{
    participant->row->rank = participant->rank;
    participant->source->rank = participant->rank;
    for (int module = 0; module < DSN_NMODULES; module++)
        for (struct dsn_record_state *state = participant->source->first_state[module]; state; state = state->next)
            state->rec->rank = participant->rank;
    for (uint64_t i = 0; i < participant->summary->nnodes; i++) {
        dsn__rank_summary_nodes(participant->summary)[i].rank = participant->rank;
        participant->node = dsn__rank_summary_nodes(participant->summary)[i].hash;
    }
}

static int64_t launched_ranks(const struct dsn_participants *participants, const struct dsn_who *who)
{
    if (who && who->member.nranks > 0)
        return who->member.nranks;
    for (const struct dsn_exit_record *record = participants->exit_records; record; record = record->next)
        if (record->who->member.nranks > 0)
            return record->who->member.nranks;
    return 0;
}

bool dsn__participants_assign_ranks(struct dsn_participants *participants, struct dsn_participant *own,
                                    const struct dsn_who *who, int is_rank)
{
    const int64_t nlaunched = launched_ranks(participants, who);

    if (!make_room(participants))
        return false;
    if (own) {
        if (!is_rank)
            own->rank = nlaunched > 0 && who->member.rank >= 0 ? who->member.rank : nlaunched; /* behind all of those */
        insert(participants, own);
        if (!list_process(participants, who, own))
            return false;
    }
    participants->nranks = nlaunched > 0 ? nlaunched : own ? own->rank + 1 : 0;
    if (own && own->rank >= participants->nranks)
        participants->nranks = own->rank + 1;
    for (struct dsn_exit_record *record = participants->exit_records; record; record = record->next) {
        const int is_own =
            own && (is_rank || record->who->member.number == who->member.number); /* or from before an exec */

        if (!(own && dsn__is_twice(record->who, who)) &&
            !add_exit_record(participants, record, is_own ? own : NULL, nlaunched))
            return false;
    }
    if (!is_rank && !add_absent(participants))
        return false;
    for (struct dsn_participant *at = participants->first; at; at = at->next) {
        set_rank(at);
        at->source->leads = at->rank == 0;
    }
    return true;
}
