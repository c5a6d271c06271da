/* t-hostile.c - logs found by fuzzing
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "util/lib/log.h"

#define HEADER 1328
#define JOB    1080

/* A log without compression that has nothing but a job with this text. */
static const char *make_job(const char *text, size_t n)
{
    struct unit_bytes b = { 0 };
    unsigned char zeros[HEADER] = "3.41";
    const char *name;

    unit_put(&b, zeros, 8);
    unit_put64(&b, 6567223);
    memset(zeros, 0, sizeof zeros);
    zeros[0] = 2; /* no compression */
    unit_put(&b, zeros, 8);
    zeros[0] = 0;
    unit_put(&b, zeros, HEADER - 24);
    unit_put(&b, zeros, JOB);
    unit_put(&b, text, n);
    name = unit_write_file(&b);
    free(b.p);
    return name;
}

/* Behind each of the empty lines stand the same two long words; each gives an entry with a copy of them. */
START_TEST(mounts_behind_empty_lines)
{
    enum { LINES = 1000, LENGTH = 1000 };
    struct darshan_reader_error err;
    const struct darshan_reader_mount *mounts;
    struct darshan_reader *log;
    char text[3 + LINES + 2 * (LENGTH + 1)], *p = text;

    memcpy(p, "exe", 3);
    memset(p + 3, '\n', LINES);
    p += 3 + LINES;
    memset(p, 'a', LENGTH);
    p[LENGTH] = ' ';
    memset(p + LENGTH + 1, 'b', LENGTH);
    p[2 * LENGTH + 1] = '\0';
    ck_assert_int_eq(darshan_reader_open(make_job(text, sizeof text), &log, &err), DSN_ERR_OK);
    ck_assert_uint_eq(darshan_reader_mounts(log, &mounts), LINES);
    for (int i = 0; i < LINES; i++) {
        ck_assert_uint_eq(strspn(mounts[i].type, "a"), LENGTH);
        ck_assert_uint_eq(strlen(mounts[i].path), LENGTH);
    }
    darshan_reader_close(log);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "mounts_behind_empty_lines", mounts_behind_empty_lines, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("hostile", tests);
}
