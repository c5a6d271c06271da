/* token-place.c - where a token server is
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-place.h"

#include <stdint.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"

static int has_any(const char *text, size_t n, const char *characters)
{
    for (size_t i = 0; i < n; i++)
        if (strchr(characters, text[i]) || text[i] < 33 || text[i] == 127)
            return 1;
    return 0;
}

int lbio__token_place_read(const char *text, size_t n, char *host, size_t size)
{
    const char *colon = memrchr(text, ':', n), *end;
    size_t length = colon ? (size_t)(colon - text) : 0;
    int64_t port;

    if (length == 0 || length >= LBIO_PLACE_TEXT || colon + 1 == text + n || colon[1] < '0' || colon[1] > '9')
        return -1;
    end = dsn__number(colon + 1, &port);
    if (end != text + n || port < 1 || port > 65535)
        return -1;
    if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (has_any(text, length, ":")) {
        return -1;
    }
    if (has_any(text, length, "[]/ "))
        return -1;
    if (host)
        dsn__format(host, size, "%.*s", (int)length, text);
    return (int)port;
}

const char *lbio__token_secret(void)
{
    const char *secret = dsn__environment_get("LBIO_SECRET");
    const size_t n = secret ? strlen(secret) : 0;

    return n >= 16 && n < LBIO_TOKEN_KEY && !has_any(secret, n, "") ? secret : "";
}
