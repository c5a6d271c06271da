/* json.c - JSON values from bytes and figures of a log
 * SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/log.h"
#include "util/lib/text.h"

/* ------------------------------------------------------------------ memory */

/* jansson silently omits a member if it is out of memory, so its allocation functions, which are set for the whole
 * process, record the failure. */
static struct {
    int refused;
} memory;

static void *allocate(size_t n)
{
    void *p = malloc(n);

    memory.refused |= !p;
    return p;
}

void dsn_document_begin(void)
{
    memory.refused = 0;
    json_set_alloc_funcs(allocate, free);
}

int dsn_document_failed(void)
{
    return memory.refused;
}

/* ------------------------------------------------------------------ values */

json_t *dsn_json_bytes(const char *bytes, size_t n)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *to;
    size_t used = 0;
    json_t *value;

    value = memchr(bytes, 0x7f, n) ? NULL : json_stringn(bytes, n);
    if (value)
        return value;
    to = allocate(3 * n + 1);
    for (size_t i = 0; to && i < n;) {
        const size_t length = dsn_text_character(bytes + i, n - i);
        const int plain = length == 0 && (unsigned char)bytes[i] < 0x7f; /* JSON escapes control characters */

        if (length > 0 || plain) {
            memcpy(to + used, bytes + i, plain ? 1 : length);
            used += plain ? 1 : length;
            i += plain ? 1 : length;
        } else {
            memcpy(to + used, replacement, 3);
            used += 3;
            i++;
        }
    }
    value = to ? json_stringn(to, used) : NULL;
    free(to);
    return value;
}

json_t *dsn_json_text(const char *bytes)
{
    return bytes ? dsn_json_bytes(bytes, strlen(bytes)) : json_null();
}

json_t *dsn_json_f64(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *dsn_json_known(double v)
{
    return v >= 0 ? dsn_json_f64(v) : json_null();
}

json_t *dsn_json_id(uint64_t id)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, id);
    return json_string(digits);
}

/* ------------------------------------------------------------------ printing */

int dsn_document_print(const json_t *document)
{
    /* control characters of a log never reach a terminal */
    if (json_dumpf(document, stdout, JSON_COMPACT | (isatty(STDOUT_FILENO) ? JSON_ENSURE_ASCII : 0)) == 0)
        putchar('\n');
    return dsn_document_failed() ? DSN_ERR_MEMORY : DSN_ERR_OK;
}
