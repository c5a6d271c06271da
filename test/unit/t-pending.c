/* t-pending.c - the table of pending requests: keys, order, limits
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <signal.h>
#include <stdlib.h>

#include "life/state.h"
#include "record/names.h"
#include "record/pending.h"
#include "record/record.h"
#include "record/span.h"
#include "unit.h"

static void start(void)
{
    unsetenv("DARSHAN_DISABLE");
    dsn__stop();
    ck_assert_int_eq(dsn__start(0, NULL), 1);
}

static void add(const void *queue, uint64_t key, int fd)
{
    const struct dsn_pending p = { .queue = queue, .key = key, .fd = fd };

    dsn__pending_add(&p);
}

static int take(const void *queue, uint64_t key)
{
    struct dsn_pending p;

    return dsn__pending_take(queue, key, &p) ? p.fd : -1;
}

START_TEST(keys_and_queues)
{
    static const char one, other;

    start();
    ck_assert_int_eq(dsn__pending_any(), 0);
    add(&one, 7, 1);
    add(&other, 7, 2);
    add(NULL, 7, 3);
    ck_assert_int_eq(dsn__pending_any(), 1);
    ck_assert_int_eq(take(&one, 8), -1);
    ck_assert_int_eq(take(&other, 7), 2);
    ck_assert_int_eq(take(&other, 7), -1);
    ck_assert_int_eq(take(NULL, 7), 3);
    ck_assert_int_eq(take(&one, 7), 1);
    ck_assert_int_eq(dsn__pending_any(), 0);
}
END_TEST

/* Of a queue's requests with one key the oldest comes first; elsewhere a key is unique, and the older one void. */
START_TEST(equal_keys)
{
    static const char queue;

    start();
    add(&queue, 7, 1);
    add(&queue, 7, 2);
    add(&queue, 7, 3);
    ck_assert_int_eq(take(&queue, 7), 1);
    ck_assert_int_eq(take(&queue, 7), 2);
    ck_assert_int_eq(take(&queue, 7), 3);
    add(NULL, 7, 4);
    add(NULL, 7, 5);
    ck_assert_int_eq(take(NULL, 7), 5);
    ck_assert_int_eq(take(NULL, 7), -1);
}
END_TEST

START_TEST(a_queue_ends)
{
    static const char one, other;

    start();
    for (int i = 0; i < 1000; i++)
        add(i % 2 ? &one : &other, (uint64_t)i, i);
    dsn__pending_drop(&one);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(take(i % 2 ? &one : &other, (uint64_t)i), i % 2 ? -1 : i);
    ck_assert_int_eq(dsn__pending_any(), 0);
}
END_TEST

/* By another thread than the one that asked, once, with all signals blocked; by descriptor and kind; by no thread if the
 * kernel does it. */
START_TEST(carried_out)
{
    struct dsn_pending p = { .key = 7, .fd = 3, .kind = DSN_PENDING_FSYNC, .asker = dsn__self() };
    sigset_t all;

    start();
    p.asker += 2;
    dsn__pending_add(&p);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_FSYNC), 0);
    sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &all, NULL), 0);
    p.asker -= 2;
    dsn__pending_add(&p);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_FSYNC), 0);
    p.asker += 2;
    dsn__pending_add(&p);
    ck_assert_int_eq(dsn__pending_carry_out(4, DSN_PENDING_FSYNC), 0);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_FDSYNC), 0);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_FSYNC), 1);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_FSYNC), 0);
    ck_assert_int_eq(take(NULL, 7), 3);
    add(NULL, 8, 3);
    ck_assert_int_eq(dsn__pending_carry_out(3, DSN_PENDING_READ), 0);
    ck_assert_int_eq(take(NULL, 8), 3);
}
END_TEST

/* What does not fit is missed, and told so; what fits stays, and its room is used again. */
START_TEST(bounds)
{
    const int room = DSN_PENDING_CHUNK * DSN_PENDING_CHUNKS;

    start();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < room; i++)
            add(NULL, 1000 + (uint64_t)i, i);
        ck_assert_int_eq(atomic_load(&dsn__incomplete->missed), round);
        add(NULL, 1, 1);
        ck_assert_int_eq(atomic_load(&dsn__incomplete->missed), round + 1);
        ck_assert_int_eq(take(NULL, 1), -1);
        for (int i = 0; i < room; i++)
            ck_assert_int_eq(take(NULL, 1000 + (uint64_t)i), i);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "keys and queues", keys_and_queues, 0 }, { "equal keys", equal_keys, 0 }, { "a queue ends", a_queue_ends, 0 },
        { "carried out", carried_out, 0 },         { "bounds", bounds, 0 },         { NULL, NULL, 0 },
    };

    return unit_run("pending", tests);
}
