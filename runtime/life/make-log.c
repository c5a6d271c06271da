/* make-log.c - from records in memory to a log on disk
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that writes a log adds the exit records left to it (log/participants.h). Survival files (survive/survival.h)
 * are kept until the log is on disk.
 *
 * Ranks communicate in four sweeps over a tree, whatever the number of modules and files: rank summaries up to rank 0,
 * including the ids that all ranks know (reduce/plan.h); the plan down; then, in one message per rank, the shared
 * records of all modules, reduced on the way up, and all other records, concatenated on the way (log/region.h); at last
 * rank 0 tells all whether the log is on disk (the verdict). A log too large for that is written by several ranks: each
 * collects the records of its group, two more sweeps compute the offsets, each writes with POSIX calls, and a sweep tells
 * rank 0 whether all succeeded.
 *
 * A rank may enter MPI_Finalize long before another one, and waits for it as long as that is known to live: because it runs on the same
 * node (survive/dead-peer.h), or because it waits, too, and gives signs of life. One that was killed, or has ended
 * without MPI_Finalize, is noticed on its node; on another one it has given no sign of life for a part of
 * DARSHAN_FINALIZE_TIMEOUT. Then all leave what they have, and the last one of each node writes a log of that, as it does
 * when no rank reaches MPI_Finalize. Once all are known to have arrived, DARSHAN_FINALIZE_TIMEOUT limits everything.
 * After a time-out or the loss of a rank, messages may still be in flight: their buffers are never freed.
 *
 * Memory comes from dsn__pages rather than malloc; what is needed to tell the others that there is none comes from the
 * stack. */
#include <config.h>

#include "life/make-log.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mpi.h"
#include "base/pages.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/warn.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "darshan-log-format/index.h"
#include "life/state.h"
#include "log/log-file.h"
#include "log/rank-data.h"
#include "log/participants.h"
#include "log/region.h"
#include "log/timing.h"
#include "log/writer.h"
#include "record/module.h"
#include "record/names.h"
#include "record/span.h"
#include "reduce/plan.h"
#include "reduce/reduce.h"
#include "reduce/tree.h"
#include "survive/add-participants.h"
#include "survive/dead-peer.h"
#include "survive/exit-record.h"
#include "survive/leftovers.h"
#include "survive/liveness.h"
#include "survive/process-tree.h"
#include "survive/recover.h"
#include "survive/survival.h"

struct log_making {
    struct dsn_rank_tree tree;
    struct dsn_participants *participants;
    struct dsn_record_source own;
    struct dsn_participant own_participant;
    struct dsn_who who;
    struct dsn_rank_summary *summary; /* of this rank's subtree; on rank 0 of all ranks */
    struct dsn_plan *plan;
    int plan_is_mine; /* allocated with dsn__pages, not by the shim */
    struct dsn_rank_row row;
    struct dsn_shared_block shared; /* no bytes: as long as this rank's records are in no block yet */
    int block_came;                 /* its bytes are a message, that malloc has allocated; else they are dsn__pages */
    struct dsn_regions regions;  /* of this rank and those below it; on rank 0 of all ranks, from finalize_rank_0 on */
    struct dsn_regions below;    /* rank 0: the other ranks' regions, until its own shared records are final */
    struct dsn_log_identity log; /* rank 0 */
    struct dsn_log_file *file;   /* rank 0 */
    struct dsn_writer *writer;   /* rank 0 */
    struct dsn_scan *scan;
    int write_error;    /* errno of writing this rank's regions */
    int64_t begin, met; /* when all ranks had arrived */
    int participates;
    int file_open;      /* rank 0: the log file was created */
    int is_written;     /* the log has its final name; known to all ranks in the end */
    const char *reason; /* why this rank would give up */
};

/* Bytes that MPI may allocate for itself. Without memory it may block forever: a rank with less left does not
 * communicate. */
#define MPI_ROOM ((size_t)4 << 20)

static int64_t finalize_timeout(void)
{
    return dsn__config->finalize_timeout * 1000000000;
}

/* How long a rank on another node may give no sign of life: a fifth of the limit, but not for a moment only, because a
 * rank gives such signs no more often than once a second, and may have to share its processor. */
static int64_t patience(void)
{
    const int64_t least = 5000000000, fifth = finalize_timeout() / 5;

    return fifth > least ? fifth : least < finalize_timeout() ? least : finalize_timeout();
}

static bool is_rank_0(const struct log_making *m)
{
    return m->tree.rank == 0;
}

static void warn_no_log(const struct log_making *m, int error)
{
    const int is_dated = m->log.directory && !m->log.is_flat && !m->log.logfile[0],
              has_no_place = error == EACCES || error == EPERM || error == EROFS || error == ENOENT;
    const char *what_to_do =
        is_dated && has_no_place
            ? "create the directories with darshan-mk-log-dirs, or set DARSHAN_LOGPATH to another one"
            : "set DARSHAN_LOGPATH to another directory";
    const char *where = !m->file ? "memory" : m->file->path[0] ? m->file->path : "no directory, or too long a path";

    if (dsn__process_tree_has_other_root()) { /* what it makes itself must not be mistaken for the job's log */
        dsn__say("the records of process %d are not in any log: %s", (int)dsn__run->pid, strerror(error));
        return;
    }
    if (dsn__origin->logfile[0])
        what_to_do = "set DARSHAN_LOGFILE to another file";
    if (error == ETIMEDOUT)
        what_to_do = "set DARSHAN_FINALIZE_TIMEOUT to allow more";
    else if (error == ENOMEM)
        what_to_do = "on this rank or another one";
    dsn__warn("no log of this job: %s: %s (%s)%s", where, strerror(error), what_to_do,
              dsn__survival->is_file ? "; darshan-recover --mine can still make it" : "");
}

/* A process that execs another program after doing I/O, or after starting processes, keeps its first name: a shell
 * script is not named after its last command. A program that only starts another, such as env, does not give its
 * name. */
static const struct dsn_who *named_by(const struct dsn_participants *participants)
{
    const struct dsn_process_row *p = participants->processes;

    while (p && (!p->who->names_job || p->who->member.number != dsn__member->number))
        p = p->next;
    return p && !dsn__member->is_mpi ? p->who : NULL;
}

static void identify(struct dsn_log_identity *log, const struct dsn_participants *participants)
{
    const struct dsn_who *first = named_by(participants);

    *log = (struct dsn_log_identity){ .user = dsn__origin->user,
                                      .program = first ? first->origin.program : dsn__origin->program,
                                      .exe = first ? first->exe : dsn__run->exe,
                                      .hints = dsn__config->loghints,
                                      .jobid = dsn__origin->jobid,
                                      .jobid_is_pid = dsn__origin->jobid_is_pid,
                                      .machine = dsn__origin->machine,
                                      .pid = dsn__run->pid,
                                      .key = dsn__process_tree_log_key(dsn__member, dsn__origin->key),
                                      .run = dsn__run_of(dsn__member, dsn__origin),
                                      .step = dsn__origin->step,
                                      .restart = dsn__origin->restart,
                                      .start = dsn__run->start_local,
                                      .logfile = dsn__config->logfile,
                                      .log_of = (enum dsn_log_of)dsn__origin->log_of };
    log->directory = dsn__log_directory(dsn__config, &log->is_flat);
}

/* The log file is created only when all ranks have arrived: a job one of whose ranks never does leaves no file. */
static void open_log(struct log_making *m)
{
    int error = ENOMEM;

    if (!m->log.stands_in)
        identify(&m->log, m->participants);
    m->file = dsn__pages(sizeof *m->file);
    if (m->file)
        error = dsn__log_file_create(m->file, &m->log);
    m->file_open = error == 0;
    if (error) {
        warn_no_log(m, error);
        dsn__rank_tree_give_up(&m->tree);
    }
}

/* ------------------------------------------------------------------ rank summaries and plan */

static bool join_summary(void *context, void **theirs, size_t size)
{
    struct log_making *m = context;
    struct dsn_rank_summary *joined = size < sizeof *joined ? NULL : dsn__rank_summary_join(m->summary, *theirs);

    if (joined)
        m->summary = joined;
    return joined != NULL;
}

static const void *give_summary(void *context, size_t *size)
{
    const struct log_making *m = context;

    *size = dsn__rank_summary_size(m->summary);
    return m->summary;
}

/* Joins the summaries of all participants, and then those of all ranks on rank 0. */
static int meet_ranks(struct log_making *m)
{
    static const struct dsn_cargo cargo = { join_summary, give_summary };
    const bool with_ids = m->participates && (m->tree.mpi || (m->participants->first && m->participants->first->next));

    for (struct dsn_participant *participant = m->participants->first; participant; participant = participant->next) {
        struct dsn_rank_summary *one = participant->summary
                                           ? dsn__rank_summary_copy(participant->source, participant->summary, with_ids)
                                           : NULL,
                                *joined = one && m->summary ? dsn__rank_summary_join(m->summary, one) : one;

        if (joined != one)
            dsn__pages_free(one);
        if (!joined)
            dsn__pages_free(m->summary);
        m->summary = joined;
        if (!joined)
            break;
    }
    if (!m->summary)
        dsn__rank_tree_give_up(&m->tree);
    dsn__rank_tree_up(&m->tree, &cargo, m);
    return m->tree.failed ? -1 : 0; /* a rank that gives up must take part in the next step, to learn of it */
}

/* Bytes of the names that all ranks, rank 0 among them, know. */
static uint64_t shared_names(const struct dsn_record_source *s, const struct dsn_rank_summary *summary)
{
    uint64_t n = 0;

    for (uint64_t i = 0; summary->lowest_records && i < summary->nids; i++)
        n += sizeof(uint64_t) + strlen(dsn__record_source_find(s, dsn__rank_summary_ids(summary)[i].id)->text) + 1;
    return n;
}

/* The processes of a tree that is no MPI job are reduced as ranks are, unless some that a launcher has announced left
 * nothing: what all of the others share is not what all ranks do. */
static void make_plan(struct log_making *m)
{
    const struct dsn_participant *first = m->participants->first;
    const int reduce = (m->tree.mpi || (first->next && m->participants->nabsent == 0)) && !dsn__config->no_reduction;
    const int64_t ranks_per_writer =
        !m->tree.mpi ? 0
                     : dsn__plan_ranks_per_writer(m->summary, reduce, shared_names(first->source, m->summary),
                                                  (uint64_t)dsn__config->gather_limit, dsn__config->writers);
    char path[PATH_MAX];
    const char *log_path = ranks_per_writer > 0 ? dsn__log_admit_writers(m->file, path, sizeof path) : NULL;

    m->plan = dsn__plan_make(m->summary, reduce, log_path ? ranks_per_writer : 0, log_path);
    m->plan_is_mine = 1;
    if (!m->plan)
        dsn__rank_tree_give_up(&m->tree);
}

static int agree_on_plan(struct log_making *m)
{
    const int64_t second = 1000000000;
    void *data;
    size_t size;

    if (is_rank_0(m) && m->tree.given_up && !m->tree.lost)
        warn_no_log(m, ENOMEM); /* on this rank, or the one that reported it */
    if (is_rank_0(m) && !m->tree.given_up)
        open_log(m);
    if (is_rank_0(m) && !m->tree.given_up)
        make_plan(m);
    data = m->plan;
    size = m->plan ? dsn__plan_size(m->plan) : 0;
    if (dsn__rank_tree_bcast(&m->tree, &data, &size) != 0) {
        if (m->tree.lost)
            dsn__rank_tree_leave(&m->tree, dsn__now() + second);
        return -1;
    }
    m->plan = data;
    for (struct dsn_participant *participant = m->participants->first; participant; participant = participant->next)
        participant->row->v[RANK_NODE].i = (int64_t)dsn__node_number(m->plan, participant->node);
    return 0;
}

/* ------------------------------------------------------------------ shared and other records */

/* The first region that is sent to the parent: a rank that writes for its group sends only the table of ranks, which is
 * rank 0's. */
static int first_region(const struct log_making *m)
{
    return m->plan->ranks_per_writer > 0 && m->tree.rank % m->plan->ranks_per_writer == 0 ? DSN_REGION_RANKS : 0;
}

/* This rank's shared records into a block. */
static void add_shared(struct log_making *m, char *block)
{
    const struct dsn_participant *first = m->participants->first;

    m->shared.bytes = block;
    if (block && m->participates)
        dsn__block_add(m->plan, block, first->rank, dsn__source_record, dsn__source_values, first->source);
}

/* Into one of their own, if they are in none yet. False if there is no memory. */
static bool make_block_if_needed(struct log_making *m)
{
    if (m->shared.size > 0 && !m->shared.bytes)
        add_shared(m, dsn__pages(m->shared.size));
    return m->shared.size == 0 || m->shared.bytes;
}

/* The first message that comes becomes the block: there is no other one then. */
static bool merge_subtree(void *context, void **theirs, size_t size)
{
    struct log_making *m = context;
    struct dsn_regions *to = is_rank_0(m) ? &m->below : &m->regions;

    if (size < m->shared.size || !dsn__regions_join(to, (const char *)*theirs + m->shared.size, size - m->shared.size))
        return false;
    if (m->shared.size > 0 && m->shared.bytes) {
        dsn__block_merge(m->plan, *theirs, m->shared.bytes);
    } else if (m->shared.size > 0) {
        add_shared(m, *theirs);
        m->block_came = 1;
        *theirs = NULL;
    }
    return true;
}

static const void *subtree_message(void *context, size_t *size)
{
    struct log_making *m = context;
    char *message;

    if (!make_block_if_needed(m) || (first_region(m) > 0 && !dsn__regions_flush(&m->regions)))
        return NULL;
    message = dsn__regions_message(&m->regions, first_region(m), m->shared.bytes, m->shared.size,
                                   m->block_came ? realloc : dsn__pages_grow, size);
    if (message)
        m->shared.bytes = message; /* it begins with the block */
    return message;
}

/* Rank 0's own regions are finalized last, because they contain the shared records; but they come first in the log. */
static bool finalize_rank_0(struct log_making *m)
{
    const struct dsn_participant *first = m->participants->first;
    struct dsn_regions own = { 0 };
    int ok = make_block_if_needed(m);

    if (ok && m->plan->reduce)
        dsn__block_finalize(m->plan, &m->shared);
    ok = ok && dsn__rank_data_fill(&own, first->source, m->plan, m->plan->reduce ? &m->shared : NULL, first->row) &&
         dsn__regions_append(&own, &m->below) && dsn__regions_flush(&own);
    dsn__regions_free(&m->below);
    m->regions = own;
    return ok;
}

/* Adds the records of participants other than the first: shared records to the block, the others at the end. */
static bool add_other_participants(struct log_making *m)
{
    const struct dsn_participant *others = m->participants->first->next;
    char *block = others && m->shared.size > 0 ? dsn__pages(m->shared.size) : NULL;
    struct dsn_regions regions = { 0 };
    int ok = !others || m->shared.size == 0 || (block && make_block_if_needed(m));

    for (const struct dsn_participant *participant = others; participant && ok; participant = participant->next) {
        dsn__regions_empty(&regions);
        if (block) {
            memset(block, 0, m->shared.size);
            dsn__block_add(m->plan, block, participant->rank, dsn__source_record, dsn__source_values,
                           participant->source);
            dsn__block_merge(m->plan, block, m->shared.bytes);
        }
        ok = dsn__rank_data_fill(&regions, participant->source, m->plan, NULL, participant->row) &&
             dsn__regions_append(&m->below, &regions);
    }
    dsn__regions_free(&regions);
    dsn__pages_free(block);
    return ok;
}

static int gather_records(struct log_making *m)
{
    static const struct dsn_cargo cargo = { merge_subtree, subtree_message };
    const struct dsn_participant *first = m->participants->first;
    int ok;

    m->shared.size = m->plan->reduce ? dsn__block_bytes(m->plan) : 0;
    if (!is_rank_0(m))
        ok = dsn__rank_data_fill(&m->regions, first->source, m->plan, NULL, first->row);
    else
        ok = (m->writer = dsn__log_begin(m->file, &m->log, m->summary, m->participants, m->tree.deadline)) != NULL &&
             add_other_participants(m);
    if (!ok)
        dsn__rank_tree_give_up(&m->tree);
    dsn__rank_tree_up(&m->tree, &cargo, m);
    if (is_rank_0(m) && !m->tree.failed && !m->tree.given_up && !finalize_rank_0(m))
        dsn__rank_tree_give_up(&m->tree);
    return m->tree.failed || (m->tree.given_up && m->plan->ranks_per_writer == 0) ? -1 : 0;
}

/* ------------------------------------------------------------------ writing */

static void lay_out_regions(void *context, const uint64_t *sums, uint64_t *begins)
{
    struct log_making *m = context;

    dsn__log_lay_out(m->writer, sums, begins);
}

static bool is_success(void *context, void **theirs, size_t size)
{
    (void)context;
    (void)theirs;
    return size == sizeof "+";
}

static const void *give_success(void *context, size_t *size)
{
    const struct log_making *m = context;

    *size = sizeof "+"; /* it succeeded */
    return m->write_error == 0 ? "+" : NULL;
}

/* The lowest rank of each group writes what its group has; rank 0 learns whether all of it was written. */
static int write_together(struct log_making *m)
{
    static const struct dsn_cargo verdict = { is_success, give_success };
    const int every = (int)m->plan->ranks_per_writer;

    if (m->tree.rank % every != 0)
        return 0;
    m->tree = (struct dsn_rank_tree){ .mpi = m->tree.mpi,
                                      .rank = m->tree.rank / every,
                                      .size = (m->tree.size + every - 1) / every,
                                      .every = every,
                                      .deadline = m->tree.deadline,
                                      .given_up = m->tree.given_up,
                                      .lost = m->tree.lost };
    if (is_rank_0(m))
        dsn__say("%d ranks write the log", m->tree.size);
    m->scan = dsn__pages(sizeof *m->scan);
    if (!m->scan)
        dsn__rank_tree_give_up(&m->tree);
    for (int region = 0; region < DSN_NHEADER_REGIONS && m->scan; region++)
        m->scan->own[region] = m->regions.of[region].packed;
    if (dsn__rank_tree_scan(&m->tree, m->scan, DSN_NHEADER_REGIONS, lay_out_regions, m) != 0)
        return -1;
    m->write_error = dsn__log_write_regions(dsn__plan_path(m->plan), &m->regions, m->scan->own, m->tree.deadline);
    m->reason = "a rank could not write its part (DARSHAN_GATHERMEM makes one rank write more)";
    if (is_rank_0(m) && m->write_error != 0)
        dsn__rank_tree_give_up(&m->tree);
    return dsn__rank_tree_up(&m->tree, &verdict, m);
}

static int write_log(struct log_making *m)
{
    int64_t seconds;
    int error = 0;

    if (m->plan->ranks_per_writer > 0 && write_together(m) != 0)
        return -1;
    if (!is_rank_0(m))
        return 0;
    if (m->shared.bytes) {
        size_t size;
        const void *figures = dsn__block_figures(m->plan, &m->shared, &size);

        dsn__log_sharing_figures(m->writer, figures, size);
    }
    error = dsn__log_end(m->writer, &m->regions, m->plan->ranks_per_writer > 0);
    m->writer = NULL;
    seconds = (dsn__now() - m->begin) / 1000000000 + 1;
    if (error)
        dsn__log_file_discard(m->file);
    else
        error = dsn__log_file_publish(m->file, seconds);
    m->file_open = 0;
    if (error)
        warn_no_log(m, error);
    else
        dsn__say("log: %s", m->file->path);
    m->is_written = error == 0;
    if (dsn__config->timing)
        dsn__timing_print(m->summary, &m->regions, m->file, dsn__now() - m->met + m->file->took_open);
    return error ? -1 : 0;
}

/* Survival files may be removed only when the log is on disk. */
static void tell_all(struct log_making *m)
{
    void *verdict = &m->is_written;
    size_t size = sizeof m->is_written;
    struct dsn_rank_tree tree = { .mpi = m->tree.mpi,
                                  .rank = dsn__run->rank,
                                  .size = dsn__run->nprocs,
                                  .deadline = m->tree.deadline ? m->tree.deadline : dsn__now() + finalize_timeout(),
                                  .failed = m->tree.failed,
                                  .given_up = m->tree.lost,
                                  .lost = m->tree.lost };

    if (!tree.mpi || tree.size == 1)
        return;
    if (dsn__rank_tree_bcast(&tree, &verdict, &size) == 0 && tree.rank > 0) {
        if (size == sizeof m->is_written)
            memcpy(&m->is_written, verdict, size);
        free(verdict);
    }
    m->tree.failed = tree.failed;
    m->tree.lost = tree.lost;
}

static void run_steps(struct log_making *m)
{
    static const struct {
        const char *name;
        int (*step)(struct log_making *m);
        int is_timed; /* all ranks are known to have arrived */
    } steps[] = {
        { "meeting", meet_ranks, 0 },                     /* rank 0 learns which ids all ranks know */
        { "agreeing on shared files", agree_on_plan, 0 }, /* rank 0 creates the file; all learn the plan */
        { "gathering records", gather_records, 1 },       /* rank 0 writes the job region, and then has all regions */
        { "writing", write_log, 1 }, /* regions, extension, at last the header; then the final name */
    };
    int failed = 0;

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && !failed; i++) {
        if (steps[i].is_timed && m->met == 0)
            m->met = dsn__now();
        if (steps[i].is_timed && m->tree.deadline == 0 && m->tree.mpi)
            m->tree.deadline = m->met + finalize_timeout();
        failed = steps[i].step(m) != 0;
        if (failed && m->file_open && !m->tree.lost)
            dsn__warn("no log of this job: %s failed: %s", steps[i].name,
                      m->tree.failed ? "another rank did not answer (DARSHAN_FINALIZE_TIMEOUT)" : m->reason);
    }
    if (m->file_open)
        dsn__log_file_discard(m->file);
    tell_all(m);
}

/* Frees everything, unless a message may still be in flight. */
static void free_making(struct log_making *m)
{
    if (m->tree.failed || m->tree.lost) {
        if (m->tree.mpi)
            m->tree.mpi->take_what_comes();
        return;
    }
    dsn__pages_free(m->summary);
    if (m->plan_is_mine)
        dsn__pages_free(m->plan);
    else
        free(m->plan);
    if (m->block_came)
        free(m->shared.bytes);
    else
        dsn__pages_free(m->shared.bytes);
    dsn__regions_free(&m->regions);
    dsn__regions_free(&m->below);
    dsn__pages_free(m->writer);
    dsn__pages_free(m->scan);
    dsn__pages_free(m->own_participant.summary);
    if (m->tree.mpi)
        m->tree.mpi->detach();
}

/* ------------------------------------------------------------------ whose log */

/* Lists this process as a participant, and those that have left it something. Scanning all survival files of the
 * directory, including those of the node's ranks, is only for a rank that has started processes, or has an exit record: a
 * killed one has left no more than its survival file. Leftovers are listed before exit records are read: a process that ends
 * in between has left an exit record by then. */
static bool find_participants(struct log_making *m)
{
    struct dsn_participants *participants = m->participants;
    struct dsn_participant *own = &m->own_participant;
    const int is_rank = m->tree.mpi != NULL;
    int are_left = m->participates && dsn__survival->directory[0]; /* without a survival file, there may have been one
                                                                     * before an exec */
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];

    dsn__tree_path(exit_records, sizeof exit_records, dsn__member->number, DSN_EXIT_RECORDS_SUFFIX);
    dsn__record_source_of(&m->own, &dsn__recording);
    *own = (struct dsn_participant){ .rank = dsn__run->rank,
                                     .source = &m->own,
                                     .summary = dsn__rank_summary_make(&m->own, m->participates, 0, &m->row),
                                     .row = &m->row };
    dsn__who(&m->who, &dsn__recording, dsn__survival->created);
    if (!own->summary)
        return false;
    if (are_left && is_rank && !dsn__has_started_processes()) {
        dsn__participants_add_exit_records(participants, exit_records);
        are_left = participants->exit_records || participants->are_unread;
        participants->exit_records = NULL;
    }
    if (are_left) {
        dsn__leftovers_add_mine(participants);
        dsn__participants_add_exit_records(participants, exit_records);
        dsn__participants_sort(participants);
        m->row.v[RANK_MISSED].i += participants->are_unread;
    }
    return dsn__participants_assign_ranks(participants, own, &m->who, is_rank);
}

bool dsn__make_log(struct dsn_participants *participants, const struct dsn_log_identity *identity, char *path,
                   size_t size)
{
    struct log_making m = { .begin = dsn__now(),
                            .reason = "out of memory",
                            .participants = participants,
                            .log = *identity,
                            .participates = 1 };

    m.tree = (struct dsn_rank_tree){ .rank = 0, .size = 1 };
    run_steps(&m);
    if (m.is_written)
        dsn__format(path, size, "%s", m.file->path);
    free_making(&m);
    return m.is_written;
}

void dsn__make_log_of_ended_ranks(void)
{
    char path[1024];

    if (dsn__recover(dsn__survival->directory, dsn__origin->key, NULL, dsn__make_log, path, sizeof path) ==
        DSN_RECOVERED)
        dsn__say(
            "a rank has ended before the log was written, or gave no sign of life (DARSHAN_FINALIZE_TIMEOUT): it is "
            "made from what the ranks of this node have left");
}

/* The tree of all ranks; without MPI, of this process alone. */
static struct dsn_rank_tree ranks_of_job(void)
{
    if (!dsn__mpi->attached)
        return (struct dsn_rank_tree){ .rank = 0, .size = 1 };
    return (struct dsn_rank_tree){ .mpi = dsn__mpi->table, .rank = dsn__run->rank, .size = dsn__run->nprocs };
}

void dsn__make_log_of_job(int participates, int64_t begin)
{
    static int neighbours[DSN_NEIGHBOURS_MAX];
    struct dsn_participants participants = { 0 };
    struct log_making m = {
        .begin = begin, .reason = "out of memory", .participants = &participants, .participates = participates
    };
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];

    m.tree = ranks_of_job();
    if (m.tree.mpi)
        m.tree.mpi->watch(dsn__rank_life, patience(), neighbours, dsn__rank_tree_neighbours(&m.tree, neighbours));
    if (!find_participants(&m) || (m.tree.mpi && !dsn__pages_are_there(MPI_ROOM)))
        dsn__rank_tree_give_up(&m.tree);
    run_steps(&m);
    dsn__tree_path(exit_records, sizeof exit_records, dsn__member->number, DSN_EXIT_RECORDS_SUFFIX);
    if (m.is_written) { /* what it was made from */
        if (participants.survival_files)
            dsn__participants_remove(&participants, 0, 1);
        if (participants.exit_records && !participants.are_unread)
            unlink(exit_records);
        dsn__survival_drop();
    } else if (dsn__survival->is_file &&
               dsn__exit_record_write(DSN_FOR_ITSELF, DSN_ENDED)) { /* less than the survival file */
        dsn__survival_drop();
    }
    free_making(&m);
    if (m.tree.lost && !m.is_written)
        dsn__make_log_of_ended_ranks();
}

void dsn__refuse_log_of_job(void)
{
    struct dsn_participants participants = { 0 };
    struct log_making m = { .begin = dsn__now(), .reason = "a system call filter", .participants = &participants };

    m.tree = ranks_of_job();
    m.tree.deadline = m.begin + finalize_timeout();
    dsn__rank_tree_give_up(&m.tree);
    m.tree.lost = 1; /* the others leave their records, too, as if this rank had ended */
    run_steps(&m);
    free_making(&m);
}
