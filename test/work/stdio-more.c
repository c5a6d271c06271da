/* stdio-more.c - stream calls without locks, of wide characters, and rarely used ones; counters in stdio-more.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <locale.h>
#include <stdarg.h>
#include <wchar.h>

static volatile size_t ten = 10;

/* Where <stdio.h> optimises, direct calls of these are no calls: they take from the buffer what is there. */
static int (*volatile fgetc_u)(FILE *) = fgetc_unlocked;
static int (*volatile getc_u)(FILE *) = getc_unlocked;
static int (*volatile getchar_u)(void) = getchar_unlocked;
static int (*volatile fputc_u)(int, FILE *) = fputc_unlocked;
static int (*volatile putc_u)(int, FILE *) = putc_unlocked;

static FILE *opened(const char *name, const char *mode)
{
    FILE *f = fopen(work_path(name), mode);

    CHECK(f != NULL);
    return f;
}

static void unlocked(void)
{
    char buffer[32] = "0123456789\nabc";
    FILE *f = opened("unlocked.txt", "w+");

    CHECK(fwrite_unlocked(buffer, 1, ten, f) == 10); /* 10 */
    CHECK(fputc_u('a', f) == 'a');                   /* 11 */
    CHECK(putc_u('\n', f) == '\n');                  /* 12 */
    CHECK(fputs_unlocked("bcd\n", f) >= 0);          /* 16 */
    CHECK(fflush_unlocked(f) == 0);
    rewind(f);
    CHECK(fread_unlocked(buffer, 1, ten, f) == 10);
    CHECK(fgetc_u(f) == 'a' && getc_u(f) == '\n');
    CHECK(fgets_unlocked(buffer, (int)ten, f) == buffer); /* "bcd\n" */
    CHECK(getc_u(f) == EOF && fread_unlocked(buffer, 1, ten, f) == 0);
    CHECK(fclose(f) == 0);
}

static int print_wide(FILE *f, const wchar_t *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vfwprintf(f, format, args);
    va_end(args);
    return n;
}

/* In UTF-8 an umlaut has two bytes, the euro sign three; "\u20ac" is one character. */
static void wide(void)
{
    wchar_t buffer[32];
    FILE *f = opened("wide.txt", "w+");
    int number;

    CHECK(fputwc(L'a', f) == L'a' && putwc(L'\u20ac', f) == L'\u20ac'); /* 1 + 3 */
    CHECK(fputws(L"\u00e4bc\n", f) >= 0);                               /* + 5 = 9 */
    CHECK(fwprintf(f, L"%d \u20ac\n", 4711) == 7);                      /* + 9 = 18 */
    CHECK(print_wide(f, L"%ls", L"\u00fc\n") == 2);                     /* + 3 = 21 */
    rewind(f);
    CHECK(fgetwc(f) == L'a' && getwc(f) == L'\u20ac');                                     /* 1 + 3 */
    CHECK(fgetws(buffer, (int)ten, f) == buffer && wcscmp(buffer, L"\u00e4bc\n") == 0);    /* 5 */
    CHECK(fwscanf(f, L"%d", &number) == 1 && number == 4711);                              /* 4 */
    CHECK(fgetws(buffer, (int)ten, f) == buffer && fgetws(buffer, (int)ten, f) == buffer); /* 5, 3 */
    CHECK(getwc(f) == WEOF && fgetws(buffer, (int)ten, f) == NULL);
    CHECK(fclose(f) == 0);
}

/* A stream in memory whose field for a descriptor, which has no meaning there, happens to hold the number of a file. */
static void misleading(int fd)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    CHECK(f != NULL);
    f->_fileno = fd;
    CHECK(fputs("memory", f) >= 0 && fclose(f) == 0);
    free(text);
}

/* Streams that are no files, and files that are no streams of ours. */
static void others(void)
{
    char *text = NULL, buffer[16];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    CHECK(f && fputs("memory", f) >= 0 && fclose(f) == 0 && strcmp(text, "memory") == 0);
    free(text);
    unsetenv("DARSHAN_ENABLE_NONMPI"); /* the command's log is none of our business */
    CHECK((f = fmemopen(buffer, sizeof buffer, "w")) != NULL && fputs("memory", f) >= 0 && fclose(f) == 0);
    CHECK((f = popen("cat", "w")) != NULL && fputs("", f) >= 0 && pclose(f) == 0);
    CHECK((f = tmpfile()) != NULL && fputs("temporary", f) >= 0 && fclose(f) == 0); /* 9 */
}

/* "No such file or directory" has 25 bytes, and there is the end of the line. */
static void errors(void)
{
    CHECK(freopen(work_path("stderr.txt"), "w", stderr) == stderr);
    errno = ENOENT;
    perror("what");
    errno = ENOENT;
    perror(NULL);
}

static void standard_input(void)
{
    FILE *f = opened("input.txt", "w");
    int a, b;

    CHECK(fputs("12 345\n6", f) >= 0 && fclose(f) == 0);
    CHECK(freopen(work_path("input.txt"), "r", stdin) == stdin);
    CHECK(scanf("%d%d", &a, &b) == 2 && a == 12 && b == 345); /* 6 */
    CHECK(getchar_u() == '\n');                               /* 1 */
    CHECK(scanf("%d", &a) == 1 && a == 6);                    /* 1 */
}

static int print_to(int fd, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vdprintf(fd, format, args);
    va_end(args);
    return n;
}

static void descriptor(void)
{
    int fd = open(work_path("dprintf.txt"), O_CREAT | O_WRONLY | O_TRUNC, 0644);

    CHECK(fd >= 0 && dprintf(fd, "%zu\n", ten) == 3);
    misleading(fd);
    CHECK(print_to(fd, "%s", "four") == 4);
    CHECK(dprintf(fd, "%s", "") == 0 && close(fd) == 0);
    CHECK(dprintf(-1, "x") == -1 && errno == EBADF);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    unlocked();
    CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    wide();
    others();
    standard_input();
    descriptor();
    errors();
    return work_end();
}
