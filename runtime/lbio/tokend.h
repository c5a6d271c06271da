/* tokend.h - lbio tokend: a token server as a process
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_TOKEND_H
#define LBIO_TOKEND_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LBIO_TOKENS_STANDARD 16

struct lbio_tokend {
    const char *bind; /* name or address of an interface; NULL: loopback */
    int port;         /* 0: any free one */
    int64_t tokens;
    int is_auto;
};

/* Prints HOST:PORT, and serves until SIGTERM or SIGINT. 0, or -1 and why not. */
int lbio__tokend(const struct lbio_tokend *t, FILE *to, char *why, size_t size);

#endif
