/* make-log.c - from records in memory to a log on disk
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that writes a log adds the exit records left to it (log/participants.h). Survival files (survive/survival.h)
 * are kept until the log is on disk.
 *
 * Ranks communicate in three sweeps over a tree, whatever the number of modules and files: rank summaries up to rank 0,
 * including the ids that all ranks know (reduce/plan.h); the plan down; then, in one message per rank, the shared
 * records of all modules, reduced on the way up, and all other records, concatenated on the way (log/region.h). A log
 * too large for that is written by several ranks: each collects the records of its group, two more sweeps compute the
 * offsets, each writes with POSIX calls, and a last sweep tells rank 0 whether all succeeded. A rank may enter
 * MPI_Finalize long before another one, and waits for it as long as that is known to live: because it runs on the same
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
#include "log/logname.h"
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
#include "survive/collect.h"
#include "survive/dead-peer.h"
#include "survive/exit-record.h"
#include "survive/leftovers.h"
#include "survive/liveness.h"
#include "survive/process-tree.h"
#include "survive/recover.h"
#include "survive/survival.h"

struct making {
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
    struct dsn_regions regions;
    struct dsn_regions below;    /* rank 0: the other ranks' regions, until its own shared records are final */
    struct dsn_log_identity log; /* rank 0 */
    struct dsn_log_file *file;   /* rank 0 */
    struct dsn_writer *writer;   /* rank 0 */
    struct dsn_scan *scan;
    int part_error;     /* errno of writing this rank's part */
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

static bool is_root(const struct making *d)
{
    return d->tree.rank == 0;
}

static void warn_no_log(const struct making *d, int error)
{
    const int is_dated = d->log.directory && !d->log.is_flat && !d->log.logfile[0],
              has_no_place = error == EACCES || error == EPERM || error == EROFS || error == ENOENT;
    const char *what_to_do =
        is_dated && has_no_place
            ? "create the directories with darshan-mk-log-dirs, or set DARSHAN_LOGPATH to another one"
            : "set DARSHAN_LOGPATH to another directory";
    const char *where = !d->file ? "memory" : d->file->path[0] ? d->file->path : "no directory, or too long a path";

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
static void open_log(struct making *d)
{
    int error = ENOMEM;

    if (!d->log.stands_in)
        identify(&d->log, d->participants);
    d->file = dsn__pages(sizeof *d->file);
    if (d->file)
        error = dsn__log_create(d->file, &d->log);
    d->file_open = error == 0;
    if (error) {
        warn_no_log(d, error);
        dsn__rank_tree_give_up(&d->tree);
    }
}

/* ------------------------------------------------------------------ rank summaries and plan */

static bool join_summary(void *context, void **theirs, size_t size)
{
    struct making *d = context;
    struct dsn_rank_summary *joined = size < sizeof *joined ? NULL : dsn__rank_summary_join(d->summary, *theirs);

    if (joined)
        d->summary = joined;
    return joined != NULL;
}

static const void *give_summary(void *context, size_t *size)
{
    const struct making *d = context;

    *size = dsn__rank_summary_size(d->summary);
    return d->summary;
}

/* Joins the summaries of all participants, and then those of all ranks on rank 0. */
static int join_summaries(struct making *d)
{
    static const struct dsn_cargo cargo = { join_summary, give_summary };
    const int masks = d->participates && (d->tree.mpi || (d->participants->first && d->participants->first->next));

    for (struct dsn_participant *participant = d->participants->first; participant; participant = participant->next) {
        struct dsn_rank_summary *one = participant->summary
                                           ? dsn__rank_summary_copy(participant->source, participant->summary, masks)
                                           : NULL,
                                *joined = one && d->summary ? dsn__rank_summary_join(d->summary, one) : one;

        if (joined != one)
            dsn__pages_free(one);
        if (!joined)
            dsn__pages_free(d->summary);
        d->summary = joined;
        if (!joined)
            break;
    }
    if (!d->summary)
        dsn__rank_tree_give_up(&d->tree);
    dsn__rank_tree_up(&d->tree, &cargo, d);
    return d->tree.failed ? -1 : 0; /* a rank that gives up must take part in the next step, to learn of it */
}

/* Bytes of the names that all ranks, rank 0 among them, know. */
static uint64_t shared_names(const struct dsn_record_source *s, const struct dsn_rank_summary *summary)
{
    uint64_t n = 0;

    for (uint64_t i = 0; summary->leads && i < summary->nmasks; i++)
        n += sizeof(uint64_t) + strlen(dsn__record_source_find(s, dsn__rank_summary_masks(summary)[i].id)->name) + 1;
    return n;
}

static void make_plan(struct making *d)
{
    const struct dsn_participant *first = d->participants->first;
    const int reduce = (d->tree.mpi || (first->next && d->participants->nabsent == 0)) && !dsn__config->no_reduction;
    const int64_t group = !d->tree.mpi ? 0
                                       : dsn__plan_group(d->summary, reduce, shared_names(first->source, d->summary),
                                                         (uint64_t)dsn__config->gather_limit, dsn__config->writers);
    char path[PATH_MAX];
    const char *shared = group > 0 ? dsn__log_admit_writers(d->file, path, sizeof path) : NULL;

    d->plan = dsn__plan_make(d->summary, reduce, shared ? group : 0, shared);
    d->plan_is_mine = 1;
    if (!d->plan)
        dsn__rank_tree_give_up(&d->tree);
}

static int agree(struct making *d)
{
    const int64_t second = 1000000000;
    void *data;
    size_t size;

    if (is_root(d) && d->tree.given_up && !d->tree.lost)
        warn_no_log(d, ENOMEM); /* on this rank, or the one that reported it */
    if (is_root(d) && !d->tree.given_up)
        open_log(d);
    if (is_root(d) && !d->tree.given_up)
        make_plan(d);
    data = d->plan;
    size = d->plan ? dsn__plan_size(d->plan) : 0;
    if (dsn__rank_tree_bcast(&d->tree, &data, &size) != 0) {
        if (d->tree.lost)
            dsn__rank_tree_leave(&d->tree, dsn__now() + second);
        return -1;
    }
    d->plan = data;
    for (struct dsn_participant *participant = d->participants->first; participant; participant = participant->next)
        participant->row->v[RANK_NODE].i = (int64_t)dsn__node_number(d->plan, participant->node);
    return 0;
}

/* ------------------------------------------------------------------ shared and other records */

/* The first region that is sent to the parent: a rank that writes for its group sends only the table of ranks, which is
 * rank 0's. */
static int first_region(const struct making *d)
{
    return d->plan->group > 0 && d->tree.rank % d->plan->group == 0 ? DSN_RANKS : 0;
}

/* This rank's shared records into a block. */
static void add_shared(struct making *d, char *block)
{
    const struct dsn_participant *first = d->participants->first;

    d->shared.bytes = block;
    if (block && d->participates)
        dsn__block_add(d->plan, block, first->rank, dsn__source_record, dsn__source_values, first->source);
}

/* Into one of their own, if they are in none yet. False if there is no memory. */
static bool have_block(struct making *d)
{
    if (d->shared.size > 0 && !d->shared.bytes)
        add_shared(d, dsn__pages(d->shared.size));
    return d->shared.size == 0 || d->shared.bytes;
}

/* The first message that comes becomes the block: there is no other one then. */
static bool merge_subtree(void *context, void **theirs, size_t size)
{
    struct making *d = context;
    struct dsn_regions *to = is_root(d) ? &d->below : &d->regions;

    if (size < d->shared.size || !dsn__regions_join(to, (const char *)*theirs + d->shared.size, size - d->shared.size))
        return false;
    if (d->shared.size > 0 && d->shared.bytes) {
        dsn__block_merge(d->plan, *theirs, d->shared.bytes);
    } else if (d->shared.size > 0) {
        add_shared(d, *theirs);
        d->block_came = 1;
        *theirs = NULL;
    }
    return true;
}

static const void *subtree_message(void *context, size_t *size)
{
    struct making *d = context;
    char *message;

    if (!have_block(d) || (first_region(d) > 0 && !dsn__regions_flush(&d->regions)))
        return NULL;
    message = dsn__regions_message(&d->regions, first_region(d), d->shared.bytes, d->shared.size,
                                   d->block_came ? realloc : dsn__pages_grow, size);
    if (message)
        d->shared.bytes = message; /* it begins with the block */
    return message;
}

/* Rank 0's own part is finalized last, because it contains the shared records; but it comes first in the log. */
static bool finalize_root(struct making *d)
{
    const struct dsn_participant *first = d->participants->first;
    struct dsn_regions own = { 0 };
    int ok = have_block(d);

    if (ok && d->plan->reduce)
        dsn__block_finalize(d->plan, &d->shared);
    ok = ok && dsn__rank_data_fill(&own, first->source, d->plan, d->plan->reduce ? &d->shared : NULL, first->row) &&
         dsn__regions_append(&own, &d->below) && dsn__regions_flush(&own);
    dsn__regions_free(&d->below);
    d->regions = own;
    return ok;
}

/* Adds the records of participants other than the first: shared records to the block, the others at the end. */
static bool add_participants(struct making *d)
{
    const struct dsn_participant *others = d->participants->first->next;
    char *block = others && d->shared.size > 0 ? dsn__pages(d->shared.size) : NULL;
    struct dsn_regions part = { 0 };
    int ok = !others || d->shared.size == 0 || (block && have_block(d));

    for (const struct dsn_participant *participant = others; participant && ok; participant = participant->next) {
        dsn__regions_empty(&part);
        if (block) {
            memset(block, 0, d->shared.size);
            dsn__block_add(d->plan, block, participant->rank, dsn__source_record, dsn__source_values,
                           participant->source);
            dsn__block_merge(d->plan, block, d->shared.bytes);
        }
        ok = dsn__rank_data_fill(&part, participant->source, d->plan, NULL, participant->row) &&
             dsn__regions_append(&d->below, &part);
    }
    dsn__regions_free(&part);
    dsn__pages_free(block);
    return ok;
}

static int gather(struct making *d)
{
    static const struct dsn_cargo cargo = { merge_subtree, subtree_message };
    const struct dsn_participant *first = d->participants->first;
    int ok;

    d->shared.size = d->plan->reduce ? dsn__block_bytes(d->plan) : 0;
    if (!is_root(d))
        ok = dsn__rank_data_fill(&d->regions, first->source, d->plan, NULL, first->row);
    else
        ok = (d->writer = dsn__log_begin(d->file, &d->log, d->summary, d->participants, d->tree.deadline)) != NULL &&
             add_participants(d);
    if (!ok)
        dsn__rank_tree_give_up(&d->tree);
    dsn__rank_tree_up(&d->tree, &cargo, d);
    if (is_root(d) && !d->tree.failed && !d->tree.given_up && !finalize_root(d))
        dsn__rank_tree_give_up(&d->tree);
    return d->tree.failed || (d->tree.given_up && d->plan->group == 0) ? -1 : 0;
}

/* ------------------------------------------------------------------ writing */

static void lay_out_regions(void *context, const uint64_t *sums, uint64_t *begins)
{
    struct making *d = context;

    dsn__log_lay_out(d->writer, sums, begins);
}

static bool take_verdict(void *context, void **theirs, size_t size)
{
    (void)context;
    (void)theirs;
    return size == sizeof "+";
}

static const void *give_verdict(void *context, size_t *size)
{
    const struct making *d = context;

    *size = sizeof "+"; /* it succeeded */
    return d->part_error == 0 ? "+" : NULL;
}

/* The lowest rank of each group writes what its group has; rank 0 learns whether all of it was written. */
static int write_together(struct making *d)
{
    static const struct dsn_cargo verdict = { take_verdict, give_verdict };
    const int every = (int)d->plan->group;

    if (d->tree.rank % every != 0)
        return 0;
    d->tree = (struct dsn_rank_tree){ .mpi = d->tree.mpi,
                                      .rank = d->tree.rank / every,
                                      .size = (d->tree.size + every - 1) / every,
                                      .every = every,
                                      .deadline = d->tree.deadline,
                                      .given_up = d->tree.given_up,
                                      .lost = d->tree.lost };
    if (is_root(d))
        dsn__say("%d ranks write the log", d->tree.size);
    d->scan = dsn__pages(sizeof *d->scan);
    if (!d->scan)
        dsn__rank_tree_give_up(&d->tree);
    for (int region = 0; region < DSN_NMAPPED && d->scan; region++)
        d->scan->own[region] = d->regions.of[region].packed;
    if (dsn__rank_tree_scan(&d->tree, d->scan, DSN_NMAPPED, lay_out_regions, d) != 0)
        return -1;
    d->part_error = dsn__log_write_part(dsn__plan_path(d->plan), &d->regions, d->scan->own, d->tree.deadline);
    d->reason = "a rank could not write its part (DARSHAN_GATHERMEM makes one rank write more)";
    if (is_root(d) && d->part_error != 0)
        dsn__rank_tree_give_up(&d->tree);
    return dsn__rank_tree_up(&d->tree, &verdict, d);
}

static int write_log(struct making *d)
{
    int64_t seconds;
    int error = 0;

    if (d->plan->group > 0 && write_together(d) != 0)
        return -1;
    if (!is_root(d))
        return 0;
    if (d->shared.bytes) {
        size_t size;
        const void *rows = dsn__block_rows(d->plan, &d->shared, &size);

        dsn__log_shared(d->writer, rows, size);
    }
    error = dsn__log_end(d->writer, &d->regions, d->plan->group > 0);
    d->writer = NULL;
    seconds = (dsn__now() - d->begin) / 1000000000 + 1;
    if (error)
        dsn__log_discard(d->file);
    else
        error = dsn__log_finish(d->file, seconds);
    d->file_open = 0;
    if (error)
        warn_no_log(d, error);
    else
        dsn__say("log: %s", d->file->path);
    d->is_written = error == 0;
    if (dsn__config->timing)
        dsn__timing_print(d->summary, &d->regions, d->file, dsn__now() - d->met + d->file->took_open);
    return error ? -1 : 0;
}

/* Survival files may be removed only when the log is on disk. */
static void tell_all(struct making *d)
{
    void *verdict = &d->is_written;
    size_t size = sizeof d->is_written;
    struct dsn_rank_tree tree = { .mpi = d->tree.mpi,
                                  .rank = dsn__run->rank,
                                  .size = dsn__run->nprocs,
                                  .deadline = d->tree.deadline ? d->tree.deadline : dsn__now() + finalize_timeout(),
                                  .failed = d->tree.failed,
                                  .given_up = d->tree.lost,
                                  .lost = d->tree.lost };

    if (!tree.mpi || tree.size == 1)
        return;
    if (dsn__rank_tree_bcast(&tree, &verdict, &size) == 0 && tree.rank > 0) {
        if (size == sizeof d->is_written)
            memcpy(&d->is_written, verdict, size);
        free(verdict);
    }
    d->tree.failed = tree.failed;
    d->tree.lost = tree.lost;
}

static void make(struct making *d)
{
    static const struct {
        const char *name;
        int (*step)(struct making *d);
        int is_timed; /* all ranks are known to have arrived */
    } steps[] = {
        { "meeting", join_summaries, 0 },         /* rank 0 learns which ids all ranks know */
        { "agreeing on shared files", agree, 0 }, /* rank 0 creates the file; all learn the plan */
        { "gathering records", gather, 1 },       /* rank 0 writes the job region, and then has all regions */
        { "writing", write_log, 1 },              /* regions, extension, at last the header; then the final name */
    };
    int failed = 0;

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && !failed; i++) {
        if (steps[i].is_timed && d->met == 0)
            d->met = dsn__now();
        if (steps[i].is_timed && d->tree.deadline == 0 && d->tree.mpi)
            d->tree.deadline = d->met + finalize_timeout();
        failed = steps[i].step(d) != 0;
        if (failed && d->file_open && !d->tree.lost)
            dsn__warn("no log of this job: %s failed: %s", steps[i].name,
                      d->tree.failed ? "another rank did not answer (DARSHAN_FINALIZE_TIMEOUT)" : d->reason);
    }
    if (d->file_open)
        dsn__log_discard(d->file);
    tell_all(d);
}

/* Frees everything, unless a message may still be in flight. */
static void free_making(struct making *d)
{
    if (d->tree.failed || d->tree.lost) {
        if (d->tree.mpi)
            d->tree.mpi->take_what_comes();
        return;
    }
    dsn__pages_free(d->summary);
    if (d->plan_is_mine)
        dsn__pages_free(d->plan);
    else
        free(d->plan);
    if (d->block_came)
        free(d->shared.bytes);
    else
        dsn__pages_free(d->shared.bytes);
    dsn__regions_free(&d->regions);
    dsn__regions_free(&d->below);
    dsn__pages_free(d->writer);
    dsn__pages_free(d->scan);
    dsn__pages_free(d->own_participant.summary);
    if (d->tree.mpi)
        d->tree.mpi->detach();
}

/* ------------------------------------------------------------------ whose log */

/* Lists this process as a participant, and those that have left it something. Scanning all survival files of the
 * directory, including those of the node's ranks, is only for a rank that has forked, or has an exit record. Leftovers
 * are listed before exit records are read: a process that ends in between has left an exit record by then. */
static bool find_participants(struct making *d)
{
    struct dsn_participants *participants = d->participants;
    struct dsn_participant *own = &d->own_participant;
    const int is_rank = d->tree.mpi != NULL;
    int are_left = d->participates && dsn__survival->directory[0]; /* without a survival file, there may have been one
                                                                     * before an exec */

    dsn__record_source_of(&d->own, &dsn__recording);
    *own = (struct dsn_participant){ .rank = dsn__run->rank,
                                     .source = &d->own,
                                     .summary = dsn__rank_summary_make(&d->own, d->participates, 0, &d->row),
                                     .row = &d->row };
    dsn__who(&d->who, &dsn__recording, dsn__survival->created);
    if (!own->summary)
        return false;
    if (are_left && is_rank && !dsn__state.process.has_forked) {
        dsn__participants_read(participants, dsn__survival->directory, dsn__origin->key, dsn__member->number);
        are_left = participants->exit_records != NULL;
        participants->exit_records = NULL;
    }
    if (are_left) {
        dsn__leftovers_add_mine(participants);
        dsn__participants_read(participants, dsn__survival->directory, dsn__origin->key, dsn__member->number);
        dsn__participants_sort(participants);
    }
    return dsn__participants_assign_ranks(participants, own, &d->who, is_rank);
}

bool dsn__make_log(struct dsn_participants *participants, const struct dsn_log_identity *identity, char *path,
                   size_t size)
{
    struct making d = { .begin = dsn__now(),
                        .reason = "out of memory",
                        .participants = participants,
                        .log = *identity,
                        .participates = 1 };

    d.tree = (struct dsn_rank_tree){ .rank = 0, .size = 1 };
    make(&d);
    if (d.is_written)
        dsn__format(path, size, "%s", d.file->path);
    free_making(&d);
    return d.is_written;
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
    struct making d = {
        .begin = begin, .reason = "out of memory", .participants = &participants, .participates = participates
    };
    char exit_records[DSN_SURVIVAL_PATH_MAX + 64];

    d.tree = ranks_of_job();
    if (d.tree.mpi)
        d.tree.mpi->watch(dsn__rank_life, patience(), neighbours, dsn__rank_tree_neighbours(&d.tree, neighbours));
    if (!find_participants(&d) || (d.tree.mpi && !dsn__pages_are_there(MPI_ROOM)))
        dsn__rank_tree_give_up(&d.tree);
    make(&d);
    dsn__tree_path(exit_records, sizeof exit_records, dsn__member->number, DSN_EXIT_RECORDS_SUFFIX);
    if (d.is_written) { /* what it was made from */
        if (participants.survival_files)
            dsn__participants_remove(&participants, 0, 1);
        if (participants.exit_records)
            unlink(exit_records);
        dsn__survival_drop();
    } else if (dsn__survival->is_file &&
               dsn__exit_record_write(DSN_FOR_ITSELF, DSN_ENDED)) { /* less than the survival file */
        dsn__survival_drop();
    }
    free_making(&d);
    if (d.tree.lost && !d.is_written)
        dsn__make_log_of_ended_ranks();
}

void dsn__refuse_log_of_job(void)
{
    struct dsn_participants participants = { 0 };
    struct making d = { .begin = dsn__now(), .reason = "a system call filter", .participants = &participants };

    d.tree = ranks_of_job();
    d.tree.deadline = d.begin + finalize_timeout();
    dsn__rank_tree_give_up(&d.tree);
    d.tree.lost = 1; /* the others leave their records, too, as if this rank had ended */
    make(&d);
    free_making(&d);
}
