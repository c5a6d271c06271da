/* stdio-calls.c - stream calls by the symbols that compilers and options generate; counters in stdio-calls.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As in posix-calls.c: plainly, with 64-bit offsets and fortified other symbols are called (fopen64, putc, puts,
 * __fprintf_chk, __fgets_chk, ...), and all must be counted alike. */
#include "work.h"

#include <stdarg.h>

static volatile size_t ten = 10;

static int print(FILE *stream, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vfprintf(stream, format, args);
    va_end(args);
    return n;
}

int main(int argc, char **argv)
{
    char buffer[32] = "0123456789";
    FILE *f;

    work_start(&argc, &argv);
    CHECK((f = fopen(work_path("calls.txt"), "w+")) != NULL);
    CHECK(fwrite(buffer, 1, ten, f) == 10);        /* 10 */
    CHECK(putc('\n', f) == '\n');                  /* 11 */
    CHECK(fprintf(f, "%zu %zu\n", ten, ten) == 6); /* 17 */
    CHECK(print(f, "%zu\n", ten) == 3);            /* 20 */
    CHECK(fseeko(f, 0, SEEK_SET) == 0);
    CHECK(fread(buffer, 1, ten, f) == 10);
    CHECK(getc(f) == '\n');
    CHECK(fgets(buffer, (int)ten, f) == buffer); /* "10 10\n" */
    CHECK(fgets(buffer, (int)ten, f) == buffer); /* "10\n" */
    CHECK(getc(f) == EOF);
    CHECK(fclose(f) == 0);
    CHECK(puts("five") >= 0);         /* 5 */
    CHECK(putchar('x') == 'x');       /* 6 */
    CHECK(printf("y\n") == 2);        /* 8 */
    CHECK(printf("%zu\n", ten) == 3); /* 11 */
    return work_end();
}
