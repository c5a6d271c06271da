/* t-tree.c - broadcast, gather and reduction over ranks simulated by threads, and reduction of shared records
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "record/record.h"
#include "reduce/plan.h"
#include "reduce/reduce.h"
#include "reduce/tree.h"
#include "unit.h"

#define MAX_RANKS 37

/* A network of mailboxes: one module index for each pair of ranks, as no pair has more than one message under way at a time
 * that the receiver does not take in order. */
struct message {
    struct message *next;
    size_t size;
    char bytes[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct message *first[MAX_RANKS][MAX_RANKS]; /* [from][to] */
} net = { .lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER };

static __thread int me;
static int who_is_dead = -1; /* sends nothing that it has not sent yet */

static int net_send(const void *data, size_t size, int peer, int64_t deadline)
{
    struct message *m = malloc(sizeof *m + size), **last;

    (void)deadline;
    m->next = NULL;
    m->size = size;
    if (size > 0)
        memcpy(m->bytes, data, size);
    pthread_mutex_lock(&net.lock);
    for (last = &net.first[me][peer]; *last; last = &(*last)->next)
        ;
    *last = m;
    pthread_cond_broadcast(&net.arrived);
    pthread_mutex_unlock(&net.lock);
    return 0;
}

static int net_recv(void **data, size_t *size, int peer, int64_t deadline)
{
    struct timespec until;
    struct message *m;
    int64_t left;

    pthread_mutex_lock(&net.lock);
    while (!(m = net.first[peer][me])) {
        if (peer == who_is_dead) {
            pthread_mutex_unlock(&net.lock);
            free(*data); /* no late message comes here */
            return DSN_DEAD;
        }
        left = deadline ? deadline - dsn__now() : 10000000000;
        if (left <= 0) {
            pthread_mutex_unlock(&net.lock);
            free(*data);
            return -1;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += left / 1000000000 + 1;
        pthread_cond_timedwait(&net.arrived, &net.lock, &until);
    }
    net.first[peer][me] = m->next;
    pthread_mutex_unlock(&net.lock);
    *size = m->size;
    *data = realloc(*data, m->size + 1);
    memcpy(*data, m->bytes, m->size);
    free(m);
    return 0;
}

static const struct dsn_mpi network = { .name = "threads", .send = net_send, .recv = net_recv };

/* Ranks of a subtree that have been joined: only with neighbours. */
struct range {
    int32_t first, last, count;
};

struct rank {
    pthread_t thread;
    struct dsn_rank_tree tree;
    int result;
    char told[64];
    size_t told_size;
    struct range range;
    struct dsn_scan scan;
};

static bool take_range(void *context, void **theirs, size_t size)
{
    struct range *mine = context, other;

    ck_assert_uint_eq(size, sizeof other);
    memcpy(&other, *theirs, sizeof other);
    ck_assert_int_eq(mine->last + 1, other.first); /* follows ours without a gap */
    mine->last = other.last;
    mine->count += other.count;
    return 1;
}

static const void *give_range(void *context, size_t *size)
{
    *size = sizeof(struct range);
    return context;
}

static const struct dsn_cargo ranges = { take_range, give_range };

/* The second length begins at 1000 more than the first ones take. */
static void place_two(void *context, const uint64_t *sums, uint64_t *begins)
{
    ck_assert_ptr_eq(context, &net);
    begins[0] = 7;
    begins[1] = sums[0] + 1000;
}

static void *run_rank(void *arg)
{
    struct rank *r = arg;
    void *data = r->told;
    size_t size = r->tree.rank == 0 ? sizeof "hello" : 0;

    me = r->tree.rank * (r->tree.every ? r->tree.every : 1);
    if (me == 0)
        strcpy(r->told, "hello");
    else
        data = NULL;
    r->result = dsn__rank_tree_bcast(&r->tree, &data, &size);
    if (r->result == 0 && me != 0) {
        memcpy(r->told, data, size);
        free(data);
    }
    r->told_size = size;
    r->range = (struct range){ r->tree.rank, r->tree.rank, 1 };
    r->result |= dsn__rank_tree_up(&r->tree, &ranges, &r->range);
    r->scan.own[0] = (uint64_t)r->tree.rank;
    r->scan.own[1] = 5;
    r->result |= dsn__rank_tree_scan(&r->tree, &r->scan, 2, place_two, &net);
    return NULL;
}

/* Every number of ranks up to MAX_RANKS, also where only every third rank takes part. */
START_TEST(all_sizes)
{
    const int every = _i % 2 ? 3 : 0, n = every ? (_i + 1 + 2) / 3 : _i + 1;
    struct rank *ranks = calloc((size_t)n, sizeof *ranks);
    uint64_t sum = 0;

    for (int i = 0; i < n; i++) {
        ranks[i].tree = (struct dsn_rank_tree){ .mpi = &network, .rank = i, .size = n, .every = every };
        pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(ranks[i].thread, NULL);
        ck_assert_int_eq(ranks[i].result, 0);
        ck_assert_uint_eq(ranks[i].told_size, 6);
        ck_assert_str_eq(ranks[i].told, "hello");
        ck_assert_uint_eq(ranks[i].scan.own[0], 7 + sum);
        sum += (uint64_t)i;
    }
    for (int i = 0; i < n; i++)
        ck_assert_uint_eq(ranks[i].scan.own[1], sum + 1000 + (uint64_t)i * 5);
    ck_assert_int_eq(ranks[0].range.first, 0);
    ck_assert_int_eq(ranks[0].range.last, n - 1);
    ck_assert_int_eq(ranks[0].range.count, n);
    free(ranks);
}
END_TEST

/* Rank 1 of 3 never comes: rank 0 gives up at the deadline, and everything after that fails at once. */
START_TEST(time_limit)
{
    struct dsn_rank_tree t = { .mpi = &network, .rank = 0, .size = 3, .deadline = dsn__now() + 200000000 };
    struct range mine = { 0, 0, 1 };
    int64_t begin = dsn__now();
    void *data = &mine;
    size_t size = sizeof mine;

    me = 0;
    ck_assert_int_eq(dsn__rank_tree_up(&t, &ranges, &mine), -1);
    ck_assert_int_eq(t.failed, 1);
    ck_assert_int_lt(dsn__now() - begin, 5000000000);
    ck_assert_int_eq(dsn__rank_tree_bcast(&t, &data, &size), -1);
}
END_TEST

static int who_gives_up, how_it_gives_up; /* before, with what it has to give, without memory for a scan */

static bool take_nothing(void *context, void **theirs, size_t size)
{
    (void)context;
    (void)theirs;
    (void)size;
    return 0;
}

static const void *give_nothing(void *context, size_t *size)
{
    (void)context;
    *size = 0;
    return NULL;
}

static const struct dsn_cargo nothing = { take_nothing, give_nothing };

static void *run_and_give_up(void *arg)
{
    struct rank *r = arg;
    void *data = &r->range;
    size_t size = sizeof r->range;

    me = r->tree.rank;
    r->range = (struct range){ me, me, 1 };
    if (me == who_gives_up && how_it_gives_up == 0)
        dsn__rank_tree_give_up(&r->tree);
    if (how_it_gives_up < 2)
        dsn__rank_tree_up(&r->tree, me == who_gives_up && how_it_gives_up == 1 ? &nothing : &ranges, &r->range);
    else
        dsn__rank_tree_scan(&r->tree, me == who_gives_up ? NULL : &r->scan, 2, place_two, &net);
    if (how_it_gives_up == 2) {
        r->result = r->tree.given_up ? -1 : 0;
        return NULL;
    }
    r->result = dsn__rank_tree_bcast(&r->tree, &data, &size);
    if (me != 0)
        free(data);
    return NULL;
}

/* One of 13 ranks cannot go on: all know after the next sweeps up and down, and nobody waits for ever. (Rank 0 gives
 * nothing; it can but fail to take.) */
START_TEST(one_gives_up)
{
    const int n = 13;
    struct rank *ranks = calloc((size_t)n, sizeof *ranks);

    who_gives_up = _i % n;
    how_it_gives_up = _i / n;
    for (int i = 0; i < n; i++) {
        ranks[i].tree = (struct dsn_rank_tree){ .mpi = &network, .rank = i, .size = n };
        pthread_create(&ranks[i].thread, NULL, run_and_give_up, &ranks[i]);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(ranks[i].thread, NULL);
        ck_assert_int_eq(ranks[i].result, -1);
        ck_assert_int_eq(ranks[i].tree.failed, 0); /* communication itself is in order */
    }
    free(ranks);
}
END_TEST

static int who_goes, sweeps_before;

static void *run_until_dead(void *arg)
{
    struct rank *r = arg;

    me = r->tree.rank;
    for (int sweep = 0; sweep < 4; sweep++) {
        void *data = &r->range;
        size_t size = sizeof r->range;

        if (me == who_goes && sweep == sweeps_before) {
            pthread_mutex_lock(&net.lock);
            who_is_dead = me;
            pthread_cond_broadcast(&net.arrived);
            pthread_mutex_unlock(&net.lock);
            return NULL;
        }
        r->range = (struct range){ me, me, 1 };
        if (sweep % 2 == 0)
            r->result = dsn__rank_tree_up(&r->tree, &ranges, &r->range);
        else
            r->result = dsn__rank_tree_bcast(&r->tree, &data, &size);
        if (sweep % 2 == 1 && me != 0)
            free(data);
    }
    return NULL;
}

/* One of 13 ranks is gone before the first sweep, or before the second one: all know, and why, after the next sweeps up
 * and down. */
START_TEST(one_is_dead)
{
    const int n = 13;
    struct rank *ranks = calloc((size_t)n, sizeof *ranks);

    memset(net.first, 0, sizeof net.first);
    who_goes = _i % n;
    sweeps_before = _i / n;
    for (int i = 0; i < n; i++) {
        ranks[i].tree = (struct dsn_rank_tree){ .mpi = &network, .rank = i, .size = n };
        pthread_create(&ranks[i].thread, NULL, run_until_dead, &ranks[i]);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(ranks[i].thread, NULL);
        if (i == who_goes)
            continue;
        ck_assert_int_eq(ranks[i].result, -1);
        ck_assert_int_eq(ranks[i].tree.lost, 1);
        ck_assert_int_eq(ranks[i].tree.failed, 0);
    }
    free(ranks);
    who_is_dead = -1;
}
END_TEST

/* ------------------------------------------------------------------ shared records */

enum { SHARED_POSIX = 1 << DSN_INDEX_POSIX, SHARED_STDIO = 1 << DSN_INDEX_STDIO };

static const struct {
    struct dsn_plan plan;
    struct dsn_known_id masks[3];
} agreed = { { .reduce = 1, .n = 3 }, { { 11, SHARED_POSIX }, { 22, 0 }, { 33, SHARED_POSIX | SHARED_STDIO } } };

/* Records of the block: POSIX 11, POSIX 33, STDIO 33. */
static struct dsn_rec *record(char *block, int i)
{
    const size_t posix = dsn__record_size(DSN_INDEX_POSIX);

    return (struct dsn_rec *)(block + sizeof(int64_t) + (size_t)i * posix);
}

/* A rank that moved `bytes` of file 11 in `seconds`, and wrote 5 bytes of stream 33. */
static char *make_records(int64_t bytes, double seconds)
{
    char *block = calloc(1, dsn__block_bytes(&agreed.plan));

    record(block, 0)->v[POSIX_OPENS].i = 1;
    record(block, 0)->v[POSIX_BYTES_READ].i = bytes / 4;
    record(block, 0)->v[POSIX_BYTES_WRITTEN].i = bytes - bytes / 4;
    record(block, 0)->v[POSIX_F_READ_TIME].f = seconds / 2;
    record(block, 0)->v[POSIX_F_META_TIME].f = seconds / 2;
    record(block, 2)->v[STDIO_BYTES_WRITTEN].i = 5;
    return block;
}

static const struct dsn_rec *record_of(void *block, enum dsn_module_index module, uint64_t id)
{
    return record(block, module == DSN_INDEX_STDIO ? 2 : id == 33);
}

/* Four ranks moved 100, 400, 900 and 1600 bytes: mean 750, variance (650² + 350² + 150² + 850²) / 4 = 322500; a
 * fifth is there but records nothing. All ways of merging give the same. */
START_TEST(block)
{
    const int64_t bytes[4] = { 100, 400, 900, 1600 };
    const double seconds[4] = { 4, 1, 2, 3 };
    char *own[4], *ranks[4], *idle = calloc(1, dsn__block_bytes(&agreed.plan));
    struct dsn_shared_block b = { .size = dsn__block_bytes(&agreed.plan) };
    const union dsn_val *v;
    size_t n;

    for (int i = 0; i < 4; i++) {
        own[i] = make_records(bytes[i], seconds[i]);
        ranks[i] = calloc(1, dsn__block_bytes(&agreed.plan));
        dsn__block_add(&agreed.plan, ranks[i], i, record_of, NULL, own[i]);
    }
    if (_i == 0) { /* a chain */
        for (int i = 2; i >= 0; i--)
            dsn__block_merge(&agreed.plan, ranks[i + 1], ranks[i]);
        dsn__block_merge(&agreed.plan, idle, ranks[0]);
        b.bytes = ranks[0];
    } else if (_i == 1) { /* each rank into what came from those behind it */
        for (int i = 2; i >= 0; i--)
            dsn__block_add(&agreed.plan, ranks[3], i, record_of, NULL, own[i]);
        b.bytes = ranks[3];
    } else { /* a tree, its root idle */
        dsn__block_merge(&agreed.plan, ranks[1], ranks[0]);
        dsn__block_merge(&agreed.plan, ranks[3], ranks[2]);
        dsn__block_merge(&agreed.plan, ranks[0], idle);
        dsn__block_merge(&agreed.plan, ranks[2], idle);
        b.bytes = idle;
    }
    dsn__block_finalize(&agreed.plan, &b);
    v = record(b.bytes, 0)->v;
    ck_assert_int_eq(v[POSIX_OPENS].i, 4);
    ck_assert_int_eq(v[POSIX_BYTES_READ].i + v[POSIX_BYTES_WRITTEN].i, 3000);
    ck_assert_int_eq(v[POSIX_FASTEST_RANK].i, 1);
    ck_assert_int_eq(v[POSIX_FASTEST_RANK_BYTES].i, 400);
    ck_assert_double_eq(v[POSIX_F_FASTEST_RANK_TIME].f, 1);
    ck_assert_int_eq(v[POSIX_SLOWEST_RANK].i, 0);
    ck_assert_int_eq(v[POSIX_SLOWEST_RANK_BYTES].i, 100);
    ck_assert_double_eq(v[POSIX_F_SLOWEST_RANK_TIME].f, 4);
    ck_assert_double_eq_tol(v[POSIX_F_VARIANCE_RANK_BYTES].f, 322500, 1e-6);
    ck_assert_double_eq_tol(v[POSIX_F_VARIANCE_RANK_TIME].f, 1.25, 1e-12);
    dsn__block_module(&agreed.plan, &b, DSN_INDEX_POSIX, &n);
    ck_assert_uint_eq(n, 2);
    dsn__block_module(&agreed.plan, &b, DSN_INDEX_MPIIO, &n);
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_eq(dsn__block_module(&agreed.plan, &b, DSN_INDEX_STDIO, &n), (char *)record(b.bytes, 2));
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(record(b.bytes, 2)->v[STDIO_BYTES_WRITTEN].i, 20);
    ck_assert_uint_eq(dsn__shared_modules(&agreed.plan, 33), SHARED_POSIX | SHARED_STDIO);
    ck_assert_uint_eq(dsn__shared_modules(&agreed.plan, 12), 0);
    for (int i = 0; i < 4; i++) {
        free(own[i]);
        free(ranks[i]);
    }
    free(idle);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "all sizes", all_sizes, MAX_RANKS }, { "time limit", time_limit, 0 }, { "one gives up", one_gives_up, 39 },
        { "one is gone", one_is_dead, 26 },    { "block", block, 3 },           { NULL, NULL, 0 },
    };

    return unit_run("tree", tests);
}
