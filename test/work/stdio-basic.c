/* stdio-basic.c - streams with counters computed by hand in stdio-basic.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <stdarg.h>

static int print(FILE *stream, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vfprintf(stream, format, args);
    va_end(args);
    return n;
}

static void writing(void)
{
    char data[100] = "";
    FILE *f = fopen(work_path("w.txt"), "w");

    CHECK(f && fwrite(data, 4, 25, f) == 25); /* at 0 */
    CHECK(fputc('x', f) == 'x');              /* at 100 */
    CHECK(fputs("hello\n", f) >= 0);          /* at 101 */
    CHECK(fprintf(f, "%d\n", 12345) == 6);    /* at 107 */
    CHECK(print(f, "%s", "abc") == 3);        /* at 113 */
    CHECK(fflush(f) == 0);
    CHECK(fseek(f, 10, SEEK_SET) == 0);
    CHECK(fwrite(data, 1, 5, f) == 5); /* at 10 */
    CHECK(fwrite(data, 1, 0, f) == 0);
    CHECK(fclose(f) == 0);
}

static void reading(void)
{
    char data[100];
    int number = 0;
    FILE *f = fopen(work_path("r.txt"), "w");

    CHECK(f && fputs("0123456789A\nline two\n4711 rest\n", f) >= 0 && fclose(f) == 0); /* 31 bytes */
    CHECK((f = fopen(work_path("r.txt"), "r")) != NULL);
    CHECK(fread(data, 2, 5, f) == 5);                       /* 10 at 0 */
    CHECK(fgetc(f) == 'A' && fgetc(f) == '\n');             /* 1 at 10, 1 at 11 */
    CHECK(fgets(data, sizeof data, f) == data);             /* "line two\n": 9 at 12 */
    CHECK(fscanf(f, "%d", &number) == 1 && number == 4711); /* 4 at 21 */
    CHECK(fread(data, 4, 10, f) == 1);                      /* " res" of the last 6: 4 at 25, and 2 are lost */
    CHECK(fgetc(f) == EOF && fgets(data, sizeof data, f) == NULL);
    rewind(f);
    CHECK(fgetc(f) == '0'); /* 1 at 0 */
    CHECK(fseeko(f, 20, SEEK_SET) == 0);
    CHECK(fclose(f) == 0);
    CHECK(fopen(work_path("missing.txt"), "r") == NULL && errno == ENOENT);
    CHECK((f = fopen("/dev/null", "w")) && fputs("nothing", f) >= 0 && fclose(f) == 0);
}

static void again(void)
{
    int fd = open(work_path("fd.txt"), O_CREAT | O_RDWR | O_TRUNC, 0644);
    FILE *f = fdopen(fd, "w+");

    CHECK(f && fputs("ten bytes\n", f) >= 0 && fclose(f) == 0);
    CHECK((f = fopen(work_path("re1.txt"), "w")) && fputs("one", f) >= 0);
    CHECK((f = freopen(work_path("re2.txt"), "w", f)) && fputs("three", f) >= 0 && fclose(f) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    writing();
    reading();
    again();
    CHECK(printf("%d lines\n", 2) == 8);
    CHECK(fputs("more\n", stdout) >= 0);
    CHECK(fflush(stdout) == 0);
    return work_end();
}
