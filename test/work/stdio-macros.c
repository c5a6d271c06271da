/* stdio-macros.c - streams that macros of <stdio.h> read and write; counters in stdio-macros.want; needs optimisation
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

enum { ALL = 10001 };

static FILE *opened(const char *name, const char *mode)
{
    FILE *f = fopen(work_path(name), mode);

    CHECK(f != NULL);
    return f;
}

int main(int argc, char **argv)
{
    char line[101] = "";
    FILE *f;

    work_start(&argc, &argv);
    f = opened("written.txt", "w");
    for (int i = 0; i < ALL; i++)
        CHECK(putc_unlocked(i % 100 == 99 ? '\n' : 'x', f) != EOF);
    CHECK(fclose(f) == 0);

    f = opened("mixed.txt", "w"); /* 5,000 by macros, 11 by a call, 20 by macros */
    for (int i = 0; i < 5000; i++)
        CHECK(putc_unlocked('m', f) != EOF);
    CHECK(fputs("by a call.\n", f) >= 0);
    for (int i = 0; i < 20; i++)
        CHECK(putc_unlocked('m', f) != EOF);
    CHECK(fclose(f) == 0);

    f = opened("all.txt", "w");
    CHECK(fwrite(line, 1, 100, f) == 100 && fclose(f) == 0);
    f = opened("all.txt", "r"); /* to its end */
    for (int i = 0; i < 100; i++)
        CHECK(getc_unlocked(f) != EOF);
    CHECK(getc_unlocked(f) == EOF && fclose(f) == 0);

    f = opened("written.txt", "r"); /* 7 by macros, 93 by fgets, 4,900 by macros, and no more */
    for (int i = 0; i < 7; i++)
        CHECK(getc_unlocked(f) != EOF);
    CHECK(fgets(line, sizeof line, f) == line && line[92] == '\n');
    for (int i = 0; i < 4900; i++)
        CHECK(getc_unlocked(f) != EOF);
    CHECK(fclose(f) == 0);

    f = opened("back.txt", "w");
    CHECK(fwrite(line, 1, 50, f) == 50 && fclose(f) == 0);
    f = opened("back.txt", "r"); /* one, which is pushed back as another one, then it and 5 more */
    CHECK(getc_unlocked(f) != EOF && ungetc('b', f) == 'b' && getc_unlocked(f) == 'b');
    for (int i = 0; i < 5; i++)
        CHECK(getc_unlocked(f) != EOF);
    CHECK(fclose(f) == 0);

    f = opened("some.txt", "w");
    CHECK(fwrite(line, 1, 93, f) == 93 && fclose(f) == 0);
    f = opened("some.txt", "r"); /* 5 by macros, and it is closed */
    for (int i = 0; i < 5; i++)
        CHECK(getc_unlocked(f) != EOF);
    CHECK(fclose(f) == 0);
    return work_end();
}
