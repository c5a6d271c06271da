/* fuzz-top.c - any bytes as input of darshan-top from other nodes, and from its child processes
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is taken is written again in all forms: as JSON that is read again, without a control character. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "top/report.h"
#include "top/view.h"

volatile uint64_t fuzz_sink;

static int take(const char *bytes, size_t n, const char *user, struct dsn_top_report *r)
{
    FILE *from = fmemopen((void *)(uintptr_t)bytes, n, "r");
    char error[512];
    int ok;

    if (!from)
        return 0;
    ok = dsn__top_read_json(from, r, user, error, sizeof error);
    fclose(from);
    return ok;
}

static void check_text(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\n')
            __builtin_trap();
    fuzz_sink += n;
}

static void write_all(struct dsn_top_report *r)
{
    struct dsn_top_report again = { .host = "here" };
    struct dsn_top_view view = { .sort = -1, .width = 80 };
    char *text = NULL;
    size_t n = 0;
    FILE *to;

    for (int form = 0; form < 3 + DSN_TOP_NKINDS; form++) {
        to = open_memstream(&text, &n);
        if (!to)
            abort();
        view.kind = form < 3 ? DSN_TOP_FILES : (enum dsn_top_kind)(form - 3);
        if (form == 0)
            dsn__top_write_json(to, r);
        else if (form == 1)
            dsn__top_write_csv(to, r, DSN_TOP_FILES);
        else if (form == 2)
            dsn__top_write_metrics(to, r, 2);
        else
            dsn__top_write_text(to, &view, r);
        fclose(to);
        check_text(text, n);
        if (form == 0 && !take(text, n, NULL, &again))
            __builtin_trap();
        free(text);
    }
    dsn__top_report_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct dsn_top_report r = { .host = "here" };

    if (n > 0 && take((const char *)bytes + 1, n - 1, bytes[0] % 2 ? "user" : NULL, &r))
        write_all(&r);
    dsn__top_report_free(&r);
    return 0;
}
