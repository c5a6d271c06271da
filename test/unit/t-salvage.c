/* t-salvage.c - survival files of killed processes with missing pages: the rest is exact, missing parts are counted
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process notes calls, loses the end of its survival file as it would where the file system is full, and is killed. */
#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pages.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/varying.h"
#include "life/start.h"
#include "life/state.h"
#include "log/participants.h"
#include "module/posix.h"
#include "module/shared/access.h"
#include "module/shared/auxiliary.h"
#include "module/shared/shape.h"
#include "note.h"
#include "record/arena.h"
#include "record/module.h"
#include "record/record.h"
#include "record/salvaged.h"
#include "record/span.h"
#include "survive/add-participants.h"
#include "survive/identity.h"
#include "survive/leftovers.h"
#include "survive/process-tree.h"
#include "survive/survival.h"
#include "unit.h"

enum { FILES = 300, WRITES = 7, MANY = 3000, OPERATIONS = MANY + (FILES - 1) * WRITES };

static char directory[64];

/* ------------------------------------------------------------------ the process that is killed */

/* File i has WRITES writes of i + 1 bytes, the first one MANY of one byte. */
static void count(void)
{
    char path[64], byte = 0;

    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "/data/%d", i);
        NOTE(dsn__posix_open(&s, 7, AT_FDCWD, path, O_RDWR, 0600));
        for (int n = i > 0 ? WRITES : MANY; n > 0; n--)
            NOTE(dsn__posix_write(&s, 7, &byte, i + 1, DSN_AT_CURSOR));
        NOTE(dsn__posix_close(&s, dsn__posix_release(7)));
    }
}

/* What has been from this page on, up to `end`, is not in the file any more. */
static void lose(const char *page, const char *end)
{
    const off_t at = (off_t)(dsn__survival_state_size + ((uintptr_t)page - dsn__survival->base));
    const int fd = open(dsn__survival->path, O_RDWR);

    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, end - page) != 0)
        _exit(3);
    close(fd);
}

static char *any_page(char *base, size_t from, size_t used)
{
    const size_t first = from / DSN_PAGE, end = (used + DSN_PAGE - 1) / DSN_PAGE;

    return base + (first + (size_t)rand() % (end - first)) * DSN_PAGE;
}

/* The file system was full from some time on. */
static void lose_end(int of_trace)
{
    struct dsn_auxiliary_pool *p = &dsn__auxiliary->trace[DSN_TRACE_POSIX];
    struct dsn_arena *a = dsn__arena;
    char *page;

    if (of_trace && atomic_load(&p->used) > 0) {
        page = any_page(p->base, 0, atomic_load(&p->used));
        dsn__limit_in_file(&p->in_file, p->base, page);
        lose(page, p->base + p->size);
    } else {
        page = any_page(a->base, a->first, atomic_load(&a->used));
        dsn__limit_in_file(&a->in_file, a->base, page);
        lose(page, a->base + a->size);
    }
}

static void be_killed(void (*spoil)(int n), int n, int is_traced)
{
    setenv("DARSHAN_MMAP_LOGPATH", directory, 1);
    setenv("DARSHAN_MOD_DISABLE", "STDIO", 1);
    if (is_traced)
        setenv("DXT_ENABLE_IO_TRACE", "1", 1);
    if (!dsn__start(0, NULL) || !dsn__survival->is_file)
        _exit(2);
    dsn__switch_on();
    count();
    spoil(n);
    raise(SIGKILL);
}

/* ------------------------------------------------------------------ what is left of it */

static const struct dsn_exit_record *exit_record;
static struct dsn_participants participants;

static int is_survival_file(const char *name)
{
    struct dsn_survival_identity f;

    return dsn__survival_read_identity(AT_FDCWD, name, geteuid(), &f) && !f.is_empty;
}

/* The path of its survival file, for which it needs its number. */
static void survival_file_of(pid_t pid, char *path, size_t size)
{
    char command[256];
    FILE *found;

    snprintf(command, sizeof command, "ls %s/*/*-%d.survival", directory, (int)pid);
    found = popen(command, "r");
    ck_assert(found && fgets(path, (int)size, found));
    pclose(found);
    path[strcspn(path, "\n")] = '\0';
}

static void convert(void (*spoil)(int n), int n, int is_traced)
{
    char survival_file[256];
    pid_t pid;
    int status;

    strcpy(directory, "/tmp/t-salvage-XXXXXX");
    ck_assert(mkdtemp(directory) != NULL);
    pid = fork();
    if (pid == 0)
        be_killed(spoil, n, is_traced);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    survival_file_of(pid, survival_file, sizeof survival_file);
    ck_assert(is_survival_file(survival_file));
    snprintf(dsn__survival->directory, sizeof dsn__survival->directory, "%s/darshan-%d", directory, (int)geteuid());
    ck_assert(dsn__leftover_add(survival_file, &participants, 0));
    ck_assert_int_eq(access(survival_file, F_OK), 0);
    dsn__participants_remove(&participants, pid, 0);
    ck_assert_int_ne(access(survival_file, F_OK), 0);
    dsn__participants_sort(&participants);
    exit_record = participants.exit_records;
    ck_assert_ptr_nonnull(exit_record);
    ck_assert_ptr_null(exit_record->next);
}

static void clean(void)
{
    char command[128];

    dsn__bump_free(&participants.memory);
    snprintf(command, sizeof command, "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}

static int64_t left_of_posix(void)
{
    int64_t n = 0;

    for (const struct dsn_record_state *l = exit_record->source.first_state[DSN_INDEX_POSIX]; l; l = l->next, n++) {
        const int i = atoi(l->name->text + strlen("/data/")), writes = i > 0 ? WRITES : MANY;

        ck_assert_int_eq(l->rec->v[POSIX_OPENS].i, 1);
        ck_assert_int_eq(l->rec->v[POSIX_WRITES].i, writes);
        ck_assert_int_eq(l->rec->v[POSIX_BYTES_WRITTEN].i, writes * (i + 1));
        ck_assert_int_eq(l->rec->v[POSIX_ACCESS1_ACCESS].i, i + 1);
        ck_assert_int_eq(l->rec->v[POSIX_ACCESS1_COUNT].i, writes);
    }
    return n;
}

static int64_t left_of_traces(int64_t *operations)
{
    int64_t n = 0;

    for (const struct dsn_record_state *l = exit_record->source.first_state[DSN_INDEX_DXT_POSIX]; l; l = l->next, n++) {
        const struct dsn_dxt_head *head = (const struct dsn_dxt_head *)l->rec;
        const int i = atoi(l->name->text + strlen("/data/"));

        ck_assert_int_eq(head->nwrites + head->left_out, i > 0 ? WRITES : MANY);
        *operations += head->nwrites;
    }
    return n;
}

static int is_partial(unsigned module)
{
    return exit_record->summary->partial >> module & 1;
}

/* ------------------------------------------------------------------ tests */

/* `n`: 0, or bits: 1 of the arena, 2 of the traces */
static void lose_ends(int n)
{
    if (n & 1)
        lose_end(0);
    if (n & 2)
        lose_end(1);
}

START_TEST(nothing_is_lost)
{
    int64_t operations = 0;

    convert(lose_ends, 0, 1);
    ck_assert_int_eq(left_of_posix(), FILES);
    ck_assert_int_eq(left_of_traces(&operations), FILES);
    ck_assert_int_eq(operations, OPERATIONS);
    ck_assert_int_eq(exit_record->row.v[RANK_MISSED].i, 0);
    ck_assert_uint_eq(exit_record->summary->partial, 0);
    clean();
}
END_TEST

START_TEST(records_are_lost)
{
    int64_t left;

    srand((unsigned)_i);
    convert(lose_ends, 1, 0);
    left = left_of_posix();
    ck_assert_int_eq(left + exit_record->row.v[RANK_MISSED].i, FILES);
    ck_assert_int_eq(is_partial(DSN_POSIX_MODULE), left < FILES);
    clean();
}
END_TEST

/* A trace of which no operation is left has no record, but what it leaves out is counted. */
START_TEST(traces_are_lost)
{
    int64_t operations = 0, records, traces;

    srand((unsigned)_i);
    convert(lose_ends, 1 + _i % 3, 1);
    records = left_of_posix();
    traces = left_of_traces(&operations);
    ck_assert_int_le(records + traces + exit_record->row.v[RANK_MISSED].i, 2 * FILES);
    ck_assert_int_le(operations + exit_record->row.v[RANK_UNTRACED].i, OPERATIONS);
    if (exit_record->row.v[RANK_MISSED].i == 0)
        ck_assert_int_eq(operations + exit_record->row.v[RANK_UNTRACED].i, OPERATIONS);
    ck_assert(operations == OPERATIONS || is_partial(DSN_DXT_POSIX_MODULE));
    clean();
}
END_TEST

static void lose_all(int n)
{
    struct dsn_arena *a = dsn__arena;

    (void)n;
    dsn__limit_in_file(&a->in_file, a->base, a->base + a->first);
    lose(a->base + a->first, a->base + a->size);
}

START_TEST(everything_is_lost)
{
    convert(lose_all, 0, 1);
    for (int module = 0; module < DSN_NMODULES;
         module++) /* bins of the heat map lie beside the arena: a slow process has some */
        ck_assert(module == DSN_INDEX_HEATMAP || !exit_record->source.first_state[module]);
    for (const struct dsn_name *name = exit_record->source.first; name; name = name->next)
        ck_assert_ptr_nonnull(dsn__name_record(name, DSN_INDEX_HEATMAP));
    ck_assert_int_eq(exit_record->row.v[RANK_MISSED].i, 2 * FILES);
    ck_assert(is_partial(DSN_POSIX_MODULE) && is_partial(DSN_DXT_POSIX_MODULE));
    clean();
}
END_TEST

/* Pages 1 and 3 of 4 are lost. */
START_TEST(bytes)
{
    static char here[4 * DSN_PAGE];
    const uint64_t base = 0x10000000;
    const struct dsn_salvaged r = { .base = base,
                                    .size = sizeof here,
                                    .here = here,
                                    .range = { { base, base + DSN_PAGE },
                                               { base + 2 * DSN_PAGE, base + 3 * DSN_PAGE } },
                                    .any_lost = 1 };
    const struct {
        uint64_t from, size;
        int is_left;
    } pieces[] = {
        { 0, DSN_PAGE, 1 },
        { 0, DSN_PAGE + 1, 0 },
        { DSN_PAGE, 8, 0 },
        { 2 * DSN_PAGE - 8, 16, 0 },
        { 2 * DSN_PAGE, DSN_PAGE, 1 },
        { 3 * DSN_PAGE - 8, 16, 0 },
        { 4 * DSN_PAGE, 8, 0 },
        { 0, UINT64_MAX, 0 },
        { 4, 8, 0 },
        { (uint64_t)-8, 8, 0 },
        { 2 * DSN_PAGE, 2 * DSN_PAGE, 0 },
    };

    for (unsigned i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        const void *at = dsn__salvaged_address(&r, (const void *)(uintptr_t)(base + pieces[i].from), pieces[i].size);

        ck_assert_ptr_eq(at, pieces[i].is_left ? here + pieces[i].from : NULL);
    }
}
END_TEST

/* What is beyond the first few is somewhere else, and lost. */
START_TEST(parts)
{
    const struct dsn_salvaged nothing = { .base = 0x10000000, .size = 0 };
    struct dsn_common_table table = { { { 5, 9 } }, { 0 } };
    union dsn_val modules[8] = { { 1 }, { 2 } };
    struct dsn_common few = { .n = 2 }, many = { .n = 6, .table = &table };
    struct dsn_recent recent = { .value = 5, .entry = &table.entry[0], .more = 3 };
    struct dsn_shapes one = { .n = 1 }, shapes = { .n = 2, .more = (struct dsn_shape_entry *)&table };

    ck_assert_int_eq(dsn__common_salvage(&few, &recent, modules, &nothing), DSN_WHOLE);
    ck_assert_uint_eq(few.n, 2);
    ck_assert_int_eq(dsn__common_salvage(&many, &recent, modules, &nothing), DSN_IN_PART);
    dsn__common_publish(&many, &recent);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(modules[i].i, 0);
    ck_assert_int_eq(table.entry[0].count, 9);
    ck_assert_int_eq(dsn__shapes_salvage(&one, &nothing), DSN_WHOLE);
    ck_assert_int_eq(dsn__shapes_salvage(&shapes, &nothing), DSN_IN_PART);
    ck_assert_uint_eq(one.n, 1);
    ck_assert_uint_eq(shapes.n, 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "nothing is lost", nothing_is_lost, 0 },
        { "records are lost", records_are_lost, 42 },
        { "traces are lost", traces_are_lost, 42 },
        { "everything is lost", everything_is_lost, 0 },
        { "bytes", bytes, 0 },
        { "parts", parts, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("salvage", tests);
}
