/* t-tokens.c - token server without sockets: order, limits, leases, hostile lines, and the number that tunes itself
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lbio/options.h"
#include "lbio/token-place.h"
#include "lbio/token-server.h"
#include "lbio/token-tuning.h"
#include "unit.h"

#define SECOND INT64_C(1000000000)
#define PEERS  64

static struct lbio_token_server s;
static struct lbio_token_peer peer[PEERS];
static int64_t now; /* the injected clock */

static void start(int peers, int64_t tokens, int is_auto, const char *key)
{
    now = 5 * SECOND;
    lbio__token_server_start(&s, peer, peers, tokens, is_auto, key);
}

static void say(int i, const char *line)
{
    lbio__token_server_take(&s, i, line, strlen(line), now);
}

/* What a peer has been answered since the last time. */
static const char *heard(int i)
{
    static char text[LBIO_TOKEN_ANSWERS + 1];

    memcpy(text, peer[i].answers, peer[i].answers_size);
    text[peer[i].answers_size] = '\0';
    peer[i].answers_size = 0;
    return text;
}

static int enter(void)
{
    const int i = lbio__token_server_connect(&s, now);

    ck_assert_int_ge(i, 0);
    say(i, "HELLO somebody\n");
    return i;
}

static void leave(int i)
{
    lbio__token_server_disconnect(&s, i, now);
}

/* Grants that peers have, and peers in the queue, found by going through both. */
static void check_invariants(int64_t most)
{
    int64_t granted = 0, waiting = 0, queued = 0;

    for (int i = 0; i < s.peers; i++) {
        granted += peer[i].state == LBIO_PEER_GRANTED;
        waiting += peer[i].state == LBIO_PEER_WAITING;
    }
    for (int i = s.first, before = -1; i >= 0; before = i, i = peer[i].behind) {
        ck_assert_int_eq(peer[i].before, before);
        ck_assert_int_eq(peer[i].state, LBIO_PEER_WAITING);
        ck_assert_int_le(++queued, s.peers);
    }
    ck_assert_int_eq(granted, s.granted);
    ck_assert_int_eq(waiting, s.waiting);
    ck_assert_int_eq(queued, waiting);
    ck_assert_int_le(granted, most);
    ck_assert(waiting == 0 || granted == most);
}

START_TEST(first_come_first_served)
{
    int p[5];

    start(8, 2, 0, "");
    for (int i = 0; i < 5; i++) {
        p[i] = enter();
        say(p[i], "ACQ\n");
    }
    ck_assert_str_eq(heard(p[0]), "GRANT 1\n");
    ck_assert_str_eq(heard(p[1]), "GRANT 2\n");
    ck_assert_str_eq(heard(p[2]), "");
    say(p[4], "STAT\n");
    ck_assert_str_eq(heard(p[4]), "0 3 2 2\n");
    say(p[1], "REL 2 4096\n");
    ck_assert_str_eq(heard(p[2]), "GRANT 3\n");
    leave(p[3]); /* from the middle of the queue */
    say(p[0], "REL 1\n");
    ck_assert_str_eq(heard(p[4]), "GRANT 4\n");
    say(p[0], "ACQ\r\n");
    ck_assert_str_eq(heard(p[0]), "");
    leave(p[2]); /* with its token */
    ck_assert_str_eq(heard(p[0]), "GRANT 5\n");
    say(p[0], "REL 1\n"); /* of a grant that is over */
    say(p[1], "STAT\n");
    ck_assert_str_eq(heard(p[1]), "0 0 2 2\n");
    leave(p[0]);
    leave(p[4]);
    say(p[1], "STAT\n");
    ck_assert_str_eq(heard(p[1]), "2 0 0 2\n");
}
END_TEST

/* 64 peers want 16 tokens, 20 times each; one in ten times a peer disconnects instead, and comes again. Who asked first
 * gets first: `asked` numbers the ACQs. */
START_TEST(random_disconnects)
{
    int at[PEERS], done[PEERS] = { 0 };
    uint64_t asked[PEERS] = { 0 }, asks = 0, last_granted = 0;
    int left = PEERS;

    srand(7 + (unsigned)_i);
    start(PEERS, 16, 0, "");
    for (int i = 0; i < PEERS; i++)
        at[i] = enter();
    for (int step = 0; left > 0; step++) {
        const int i = rand() % PEERS;
        char line[64];

        ck_assert_int_lt(step, 1000000);
        now += rand() % (SECOND / 100);
        if (done[i] >= 20)
            continue;
        if (rand() % 10 == 0) {
            leave(at[i]);
            at[i] = enter();
            asked[i] = 0;
        } else if (!asked[i]) {
            asked[i] = ++asks;
            say(at[i], "ACQ\n");
        } else if (peer[at[i]].state == LBIO_PEER_GRANTED) {
            ck_assert_str_eq(
                heard(at[i]),
                (snprintf(line, sizeof line, "GRANT %llu\n", (unsigned long long)peer[at[i]].grant), line));
            snprintf(line, sizeof line, "REL %llu 1000\n", (unsigned long long)peer[at[i]].grant);
            say(at[i], line);
            asked[i] = 0;
            if (++done[i] == 20 && --left >= 0)
                leave(at[i]);
        }
        check_invariants(16);
        /* nobody who has asked later has been granted before */
        for (int k = 0; k < PEERS; k++)
            if (done[k] < 20 && asked[k] && peer[at[k]].state == LBIO_PEER_GRANTED && asked[k] > last_granted)
                last_granted = asked[k];
        for (int k = 0; k < PEERS; k++)
            if (done[k] < 20 && asked[k] && peer[at[k]].state == LBIO_PEER_WAITING)
                ck_assert_uint_gt(asked[k], last_granted);
    }
}
END_TEST

START_TEST(leases)
{
    int holds, keeps, waits;

    start(8, 2, 0, "");
    holds = enter();
    keeps = enter();
    waits = enter();
    say(holds, "ACQ\n");
    say(keeps, "ACQ\n");
    say(waits, "ACQ\n");
    heard(holds);
    now += 59 * SECOND;
    say(keeps, "KEEP\n");
    lbio__token_server_expire(&s, now);
    ck_assert_str_eq(heard(waits), "");
    now += 1 * SECOND; /* 60 s of silence */
    lbio__token_server_expire(&s, now);
    ck_assert_str_eq(heard(waits), "GRANT 3\n");
    check_invariants(2);
    say(holds, "KEEP\n"); /* too late, and no reason to disconnect it */
    say(holds, "REL 1 100\n");
    say(holds, "ACQ\n");
    ck_assert_str_eq(heard(holds), "");
    check_invariants(2);
    now += 59 * SECOND;
    lbio__token_server_expire(&s, now); /* that of `keeps` has been renewed for 60 s, which are just over */
    ck_assert_str_eq(heard(holds), "GRANT 4\n");
    now += 1 * SECOND;
    lbio__token_server_expire(&s, now); /* a token that was granted later has the same lease */
    ck_assert_int_eq(s.granted, 1);
}
END_TEST

static void is_refused(const char *bytes, size_t n, const char *want)
{
    const int i = enter(), other = enter();

    say(i, "ACQ\n");
    say(other, "ACQ\n");
    heard(i);
    lbio__token_server_take(&s, i, bytes, n, now);
    ck_assert_str_eq(heard(i), want);
    ck_assert(peer[i].is_over);
    ck_assert_str_ne(heard(other), ""); /* has the token already */
    leave(i);
    leave(other);
    check_invariants(1);
}

START_TEST(hostile_lines)
{
    static char zeros[100000];
    int i;

    start(8, 1, 0, "");
    is_refused(zeros, sizeof zeros, "ERR the line is too long\n");
    is_refused("\n", 1, "ERR unknown command\n");
    is_refused("ACQ\n", 4, "ERR ACQ comes once for each token\n");
    is_refused("ACQUIRE\n", 8, "ERR unknown command\n");
    is_refused("ACQ 1\n", 6, "ERR unknown command\n");
    is_refused("STAT all\n", 9, "ERR unknown command\n");
    is_refused("KEEP it\n", 8, "ERR unknown command\n");
    is_refused("HELLO again\n", 12, "ERR HELLO comes once\n");
    is_refused("REL\n", 4, "ERR REL needs the number of the grant\n");
    is_refused("REL x\n", 6, "ERR REL needs the number of the grant\n");
    is_refused("REL 1 -5\n", 9, "ERR REL needs the number of the grant\n");
    is_refused("REL 1 5 5\n", 10, "ERR REL needs the number of the grant\n");
    is_refused("REL 99999999999999999999\n", 25, "ERR REL needs the number of the grant\n");
    i = lbio__token_server_connect(&s, now);
    say(i, "STAT\n");
    ck_assert_str_eq(heard(i), "ERR HELLO must come first\n");
    leave(i);
    i = enter(); /* asks, and does not read */
    for (int k = 0; k < 1000 && !peer[i].is_over; k++)
        say(i, "STAT\n");
    ck_assert(peer[i].is_over);
    ck_assert_uint_le(peer[i].answers_size, LBIO_TOKEN_ANSWERS);
    leave(i);
    i = lbio__token_server_connect(&s, now); /* says nothing */
    now += LBIO_TOKEN_HELLO;
    lbio__token_server_expire(&s, now);
    ck_assert(peer[i].is_over);
    leave(i);
    i = enter(); /* a line in pieces */
    for (const char *at = "ACQ\nREL 9223372036854775807 9223372036854775807\nREL 19 1\nSTAT\n"; *at; at++)
        lbio__token_server_take(&s, i, at, 1, now);
    ck_assert(!peer[i].is_over);
    for (int k = 1; k < 8; k++)
        enter();
    ck_assert_int_eq(lbio__token_server_connect(&s, now), -1);
}
END_TEST

START_TEST(keys)
{
    static const struct {
        const char *hello;
        int is_right;
    } tries[] = { { "HELLO abc me\n", 1 }, { "HELLO abc\n", 1 },    { "HELLO abcd me\n", 0 },
                  { "HELLO ab me\n", 0 },  { "HELLO me abc\n", 0 }, { "HELLO\n", 0 } };

    start(8, 1, 0, "abc");
    for (size_t k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        const int i = lbio__token_server_connect(&s, now);

        say(i, tries[k].hello);
        ck_assert_str_eq(heard(i), tries[k].is_right ? "" : "ERR wrong key\n");
        say(i, "ACQ\n");
        ck_assert_int_eq(peer[i].state == LBIO_PEER_GRANTED, tries[k].is_right);
        leave(i);
    }
}
END_TEST

/* ------------------------------------------------------------------ the number that tunes itself */

START_TEST(tuning_rules)
{
    struct lbio_tuning t = { .tokens = 10 };

    lbio__tuning_step(&t, 100, 64);
    ck_assert_int_eq(t.tokens, 11); /* additive increase */
    lbio__tuning_step(&t, 95, 64);
    ck_assert_int_eq(t.tokens, 12);
    lbio__tuning_step(&t, 89, 64);
    ck_assert_int_eq(t.tokens, 11); /* below 9/10 of 100: back */
    lbio__tuning_step(&t, 74, 64);
    ck_assert_int_eq(t.tokens, 5); /* below 3/4 */
    lbio__tuning_step(&t, 91, 64);
    ck_assert_int_eq(t.tokens, 6); /* halving has helped: the best is still 100 */
    lbio__tuning_step(&t, 74, 64);
    ck_assert_int_eq(t.tokens, 3);
    lbio__tuning_step(&t, 70, 64); /* it has not: the file system is slower, 70 is the best */
    ck_assert_int_eq(t.tokens, 4);
    lbio__tuning_step(&t, 65, 64);
    ck_assert_int_eq(t.tokens, 5);
    lbio__tuning_step(&t, 1000, 64); /* faster */
    ck_assert_int_eq(t.tokens, 6);
    lbio__tuning_step(&t, 800, 64); /* below 9/10: back to the best */
    ck_assert_int_eq(t.tokens, 5);
    lbio__tuning_step(&t, 800, 64); /* it is there: it goes on from there */
    ck_assert_int_eq(t.tokens, 6);
    for (int i = 0; i < LBIO_TUNING_AGE - 3; i++)
        lbio__tuning_step(&t, 901, 50);
    ck_assert_int_eq(t.tokens, 50); /* not more than the most */
    lbio__tuning_step(&t, 901, 50);
    ck_assert_int_eq(t.tokens, 2); /* the best is too old: from half of its number on */
    lbio__tuning_step(&t, 500, 50);
    ck_assert_int_eq(t.tokens, 3); /* and is 500 now */
    lbio__tuning_step(&t, 374, 50);
    ck_assert_int_eq(t.tokens, 1);
    for (int i = 0; i < 100; i++)
        lbio__tuning_step(&t, i % 2 ? 1 : 1e-9, 64);
    ck_assert_int_ge(t.tokens, 1);
}
END_TEST

/* The curve of the emulated file system: bandwidth of n writers together, of 14 MB/s at most. */
static double curve(double n)
{
    static const double points[] = { 0.30, 0.50, 0.72, 0.90, 1.00, 0.80, 0.65, 0.50 };
    const double x = n > 1 ? log2(n) : 0;
    const int i = x < 7 ? (int)x : 6;

    return 14e6 * (points[i] + (points[i + 1] - points[i]) * (x < 7 ? x - i : 1));
}

static double flat(double n)
{
    return 14e6 * n / 64; /* scales with all 64 */
}

static double early(double n)
{
    return curve(4 * n); /* the best is 4 */
}

#define HOLD (4 << 20)

/* 64 processes that always have something to write share the bandwidth equally. Returns the mean bandwidth between two
 * times (s), of a run that starts with `tokens`; from `change` on the second curve holds. `noise`: of each grant. */
static double simulate(int64_t tokens, int is_auto, double from, double to, double (*first)(double), double change,
                       double (*second)(double), double noise)
{
    double left[PEERS] = { 0 }, written = 0, time = 0, factor = 1;
    int at[PEERS], is_done[PEERS];

    srand(3);
    start(PEERS, tokens, is_auto, "");
    for (int i = 0; i < PEERS; i++) {
        at[i] = enter();
        say(at[i], "ACQ\n");
    }
    while (time < to) {
        double least = HOLD, rate, step;
        int n = 0;

        for (int i = 0; i < PEERS; i++) {
            if (peer[at[i]].state == LBIO_PEER_GRANTED && left[i] <= 0) {
                heard(at[i]);
                left[i] = HOLD;
            }
            n += left[i] > 0;
            least = left[i] > 0 && left[i] < least ? left[i] : least;
        }
        rate = factor * (time < change ? first : second)(n) / n;
        step = least / rate;
        time += step;
        now += (int64_t)(step * 1e9);
        if (time >= from)
            written += rate * n * step;
        for (int i = 0; i < PEERS; i++) {
            left[i] -= left[i] > 0 ? least : 0;
            is_done[i] = peer[at[i]].state == LBIO_PEER_GRANTED && left[i] < 1e-6;
        }
        for (int i = 0; i < PEERS; i++) {
            char line[64];

            if (!is_done[i])
                continue;
            left[i] = 0;
            factor = 1 + noise * (2.0 * rand() / RAND_MAX - 1);
            snprintf(line, sizeof line, "REL %llu %d\nACQ\n", (unsigned long long)peer[at[i]].grant, HOLD);
            say(at[i], line);
        }
    }
    return written / (to - from);
}

/* In parts of the maximum. After the first 1000 s: it finds 9/10, of which its new beginnings cost a little; and where
 * the bandwidth varies so much that 3/4 of the best may come by chance, 3/4. All 64 at once would get 0.65. */
START_TEST(tuning_simulated)
{
    static const int64_t starts[] = { 1, 4, 16, 32 };

    ck_assert_double_ge(simulate(16, 0, 100, 1000, curve, 1e9, NULL, 0) / 14e6, 0.99);
    ck_assert_double_le(simulate(64, 0, 100, 1000, curve, 1e9, NULL, 0) / 14e6, 0.67);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_ge(simulate(starts[i], 1, 1000, 10000, curve, 1e9, NULL, 0) / 14e6, 0.89);
        ck_assert_double_ge(simulate(starts[i], 1, 1000, 10000, curve, 1e9, NULL, 0.1) / 14e6, 0.89);
        ck_assert_double_ge(simulate(starts[i], 1, 1000, 10000, curve, 1e9, NULL, 0.3) / 14e6, 0.74);
    }
    ck_assert_double_ge(simulate(16, 1, 1000, 10000, flat, 1e9, NULL, 0.1) / 14e6, 0.89);
    ck_assert_double_ge(simulate(16, 1, 1000, 10000, early, 1e9, NULL, 0.1) / 14e6, 0.87);
}
END_TEST

static double slow(double n)
{
    return curve(n) / 3;
}

/* What was best is forgotten. */
START_TEST(tuning_changes)
{
    ck_assert_double_ge(simulate(16, 1, 3000, 10000, curve, 1500, early, 0.1) / 14e6, 0.87);
    ck_assert_double_ge(simulate(16, 1, 3000, 10000, early, 1500, curve, 0.1) / 14e6, 0.89);
    ck_assert_double_ge(simulate(16, 1, 3000, 10000, curve, 1500, slow, 0.1) * 3 / 14e6, 0.89);
    ck_assert_double_ge(simulate(16, 1, 3000, 10000, slow, 1500, curve, 0.1) / 14e6, 0.89);
}
END_TEST

/* Where not all tokens are wanted more of them would change nothing. */
START_TEST(tuning_without_need)
{
    int p[8];

    start(8, 8, 1, "");
    for (int i = 0; i < 8; i++)
        p[i] = enter();
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < 8; i++)
            say(p[i], "ACQ\n");
        now += SECOND;
        for (int i = 0; i < 8; i++) {
            char line[64];

            snprintf(line, sizeof line, "REL %llu %d\n", (unsigned long long)peer[p[i]].grant, 1 + k % 7);
            say(p[i], line);
            heard(p[i]);
        }
    }
    ck_assert_int_eq(s.tuning.tokens, 8);
}
END_TEST

/* ------------------------------------------------------------------ places and options */

START_TEST(places)
{
    static const struct {
        const char *text, *host;
        int port;
    } texts[] = {
        { "node1:7000", "node1", 7000 },
        { "10.0.0.1:1", "10.0.0.1", 1 },
        { "[::1]:65535", "::1", 65535 },
        { "[fe80::1]:80", "fe80::1", 80 },
        { "a.b-c:80", "a.b-c", 80 },
        { "::1:80", NULL, -1 },
        { "node1", NULL, -1 },
        { "node1:", NULL, -1 },
        { ":80", NULL, -1 },
        { "node1:0", NULL, -1 },
        { "node1:65536", NULL, -1 },
        { "node1:-1", NULL, -1 },
        { "node1: 80", NULL, -1 },
        { "node1:80x", NULL, -1 },
        { "no de:80", NULL, -1 },
        { "[]:80", NULL, -1 },
        { "a/b:80", NULL, -1 },
        { "", NULL, -1 },
    };
    char host[64];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const int port = lbio__token_place_read(texts[i].text, strlen(texts[i].text), host, sizeof host);

        ck_assert_msg(port == texts[i].port, "%s: %d", texts[i].text, port);
        if (port > 0)
            ck_assert_str_eq(host, texts[i].host);
    }
}
END_TEST

START_TEST(options)
{
    static const struct {
        const char *text;
        int kind, number, wants_rank, is_wrong;
    } texts[] = {
        { "", LBIO_TOKENS_UNSET, 16, 0, 0 },
        { "slots=/x", LBIO_TOKENS_UNSET, 16, 0, 0 },
        { "slots=/x,tokens=5", LBIO_TOKENS_NUMBER, 5, 0, 0 },
        { "tokens=5", LBIO_TOKENS_NUMBER, 5, 0, 0 },
        { "slots=/x,tokens=off", LBIO_TOKENS_OFF, 16, 0, 0 },
        { "tokens=node:70", LBIO_TOKENS_SERVER, 16, 0, 0 },
        { "tokens=mpi", LBIO_TOKENS_RANK, 16, 1, 0 },
        { "slots=mpi", LBIO_TOKENS_UNSET, 16, 1, 0 },
        { "slots=mpi,tokens=4", LBIO_TOKENS_NUMBER, 4, 1, 0 },
        { "slots=mpi,tokens=auto", LBIO_TOKENS_AUTO, 16, 1, 0 },
        { "slots=mpi,tokens=off", LBIO_TOKENS_OFF, 16, 0, 0 },
        { "slots=/x,tokens=auto", LBIO_TOKENS_AUTO, 16, 0, 1 },
        { "tokens=auto", LBIO_TOKENS_AUTO, 16, 0, 1 },
        { "slots=/x,tokens=node:70", LBIO_TOKENS_SERVER, 16, 0, 1 },
        { "slots=/x,tokens=mpi", LBIO_TOKENS_RANK, 16, 1, 1 },
        { "slots=x", LBIO_TOKENS_UNSET, 16, 0, 1 },
    };
    struct lbio_options o;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(lbio__options_read(&o, texts[i].text) == -1, "%s", texts[i].text);
        ck_assert_int_eq(o.tokens.kind, texts[i].kind);
        ck_assert_int_eq(o.tokens.number, texts[i].number);
        ck_assert_int_eq(lbio__options_want_rank_server(&o), texts[i].wants_rank);
        ck_assert_msg(!lbio__options_check_tokens(&o) == !texts[i].is_wrong, "%s", texts[i].text);
    }
    ck_assert_int_ge(lbio__options_read(&o, "tokens=0"), 0);
    ck_assert_int_ge(lbio__options_read(&o, "tokens=4097"), 0);
    ck_assert_int_ge(lbio__options_read(&o, "tokens=some"), 0);
    ck_assert_int_ge(lbio__options_read(&o, "tokens="), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "first come, first served", first_come_first_served, 0 },
        { "random disconnects", random_disconnects, 10 },
        { "leases", leases, 0 },
        { "hostile lines", hostile_lines, 0 },
        { "keys", keys, 0 },
        { "tuning: the rules", tuning_rules, 0 },
        { "tuning: simulated", tuning_simulated, 0 },
        { "tuning: the file system changes", tuning_changes, 0 },
        { "tuning: nobody waits", tuning_without_need, 0 },
        { "places", places, 0 },
        { "options", options, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("tokens", tests);
}
