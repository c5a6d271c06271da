/* fuzz-tokens.c - any bytes as what the peers of a token server send
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "lbio/token-server.h"

#define PEERS 8

static struct lbio_token_server s;
static struct lbio_token_peer peer[PEERS];

static void check(int64_t most)
{
    int64_t granted = 0, waiting = 0;

    for (int i = 0; i < PEERS; i++)
        granted += peer[i].state == LBIO_PEER_GRANTED;
    for (int i = s.first; i >= 0 && waiting <= PEERS; i = peer[i].behind)
        waiting += peer[i].state == LBIO_PEER_WAITING;
    if (granted != s.granted || waiting != s.waiting || (!s.is_auto && granted > most) || s.tuning.tokens < 1) {
        fprintf(stderr, "ERROR: %lld granted, %lld waiting\n", (long long)granted, (long long)waiting);
        abort();
    }
}

/* The first byte says how many tokens there are. Then, again and again: a byte that chooses a peer (connecting it if
 * necessary) and what happens, one for its length or for the time that passes, and the bytes that it sends. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char hello[] = "HELLO key x\n";
    const int64_t tokens = n > 0 ? 1 + bytes[0] % 4 : 1;
    int is_there[PEERS] = { 0 };
    int64_t now = 1;

    lbio__token_server_start(&s, peer, PEERS, tokens, n > 0 && bytes[0] > 127, n > 0 && bytes[0] & 64 ? "key" : "");
    for (size_t at = 1; at + 1 < n;) {
        const int what = bytes[at] >> 4, which = bytes[at] % PEERS;
        const size_t size = bytes[at + 1] < n - at - 2 ? bytes[at + 1] : n - at - 2;
        int found = -1;

        at += 2;
        for (int i = 0; i < PEERS; i++)
            found = is_there[i] && (found < 0 || i == which) ? i : found;
        if (what == 0 || found < 0) {
            found = lbio__token_server_connect(&s, now);
            if (found >= 0) {
                is_there[found] = 1;
                lbio__token_server_take(&s, found, hello, sizeof hello - 1, now);
            }
        } else if (what == 1) {
            lbio__token_server_disconnect(&s, found, now);
            is_there[found] = 0;
        } else if (what == 2) {
            now += (int64_t)size * 1000000000;
            lbio__token_server_expire(&s, now);
        } else {
            lbio__token_server_take(&s, found, (const char *)bytes + at, size, now);
            at += size;
        }
        if (found >= 0 && what & 4)
            peer[found].answers_size = 0;
        now += 100000000;
        check(tokens);
    }
    return 0;
}
