/* token-place.h - where a token server is
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_TOKEN_PLACE_H
#define LBIO_TOKEN_PLACE_H

#include <stddef.h>

#define LBIO_TOKEN_KEY  33
#define LBIO_PLACE_TEXT 512

struct lbio_token_place {
    char text[LBIO_PLACE_TEXT]; /* HOST:PORT; or several, separated by blanks, for a server of rank 0 */
    char key[LBIO_TOKEN_KEY];
    int is_rank; /* it is a thread of rank 0: once lost, it does not come back */
};

/* Whether a text of this length is HOST:PORT; the host may be an address in brackets, and must be if it has colons. Gives
 * the host without brackets, if `host` is not NULL. Returns the port, or -1. */
int lbio__token_place_read(const char *text, size_t n, char *host, size_t size);

/* The secret that a server beyond this node asks for: LBIO_SECRET; "": there is none, or it cannot be one. */
const char *lbio__token_secret(void);

#endif
