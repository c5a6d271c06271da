/* lbio-stdio.c - every function of C11 7.21 and of POSIX's <stdio.h> on streams of files: lbio-stdio DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what each call returns. Log-based I/O changes neither that nor the files. Each line has the name of a function,
 * its result, errno if it failed, and where the stream then is. */
#include "work.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <wchar.h>

static const char *const error_names[] = {
    [0] = "-",           [EBADF] = "EBADF",   [EINVAL] = "EINVAL", [ENOENT] = "ENOENT",
    [EEXIST] = "EEXIST", [EILSEQ] = "EILSEQ", [EFBIG] = "EFBIG",   [EACCES] = "EACCES",
    [EISDIR] = "EISDIR", [ESPIPE] = "ESPIPE", [ENOTTY] = "ENOTTY", [EAGAIN] = "EAGAIN"
};

static const char *name_of(int error)
{
    const int known = error >= 0 && error < (int)(sizeof error_names / sizeof error_names[0]);

    return known && error_names[error] ? error_names[error] : "other";
}

/* Evaluates a call; prints its result. */
#define SAY(call)                                                                                                      \
    do {                                                                                                               \
        long ret_;                                                                                                     \
        errno = 0;                                                                                                     \
        ret_ = (long)(call);                                                                                           \
        printf("%s = %ld %s\n", #call, ret_, name_of(errno));                                                          \
        errno = 0;                                                                                                     \
    } while (0)

/* The same for one that returns a pointer. */
#define SAY_THERE(call) SAY((call) != NULL)

static void where(FILE *f)
{
    const long at = ftell(f);
    const int error = at < 0 ? errno : 0;

    printf("  at %ld %s, has number %d, eof %d, error %d, wide %d, reads %d, writes %d\n", at, name_of(error),
           fileno(f) > 0, feof(f) != 0, ferror(f) != 0, fwide(f, 0), __freading(f) != 0, __fwriting(f) != 0);
}

/* What a descriptor finds. */
static void found(const char *path)
{
    const int fd = open(path, O_RDONLY);
    struct stat st = { 0 };
    char bytes[4096];
    unsigned sum = 0;
    ssize_t n;

    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            sum = sum * 31 + (unsigned char)bytes[i];
    fstat(fd, &st);
    printf("  %s has %lld bytes, sum %u\n", path, (long long)st.st_size, sum);
    close(fd);
}

__attribute__((format(printf, 2, 0))) static int print_list(FILE *f, const char *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = vfprintf(f, format, args);
    va_end(args);
    return ret;
}

__attribute__((format(scanf, 2, 0))) static int scan_list(FILE *f, const char *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = vfscanf(f, format, args);
    va_end(args);
    return ret;
}

static int print_wide(FILE *f, const wchar_t *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = vfwprintf(f, format, args);
    va_end(args);
    return ret;
}

static int scan_wide(FILE *f, const wchar_t *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = vfwscanf(f, format, args);
    va_end(args);
    return ret;
}

/* Not the macro: whether that makes a call depends on what is in the buffer, where seeking has filled it or not. */
static int (*volatile getc_u)(FILE *) = getc_unlocked;

/* ------------------------------------------------------------------ bytes */

static void writing(void)
{
    static char block[200000];
    FILE *f = fopen("written", "w");

    memset(block, 'B', sizeof block);
    where(f);
    SAY(fputc('a', f));
    SAY(putc('b', f));
    SAY(putc_unlocked('c', f));
    SAY(fputs("text\n", f));
    SAY(fprintf(f, "%d %s %5.2f\n", 17, "word", 2.5));
    SAY(print_list(f, "%x%n\n", 255, &(int){ 0 }));
    SAY(fwrite(block, 7, 300, f));
    where(f);
    SAY(fwrite(block, 1, sizeof block, f));
    where(f);
    SAY(fwrite(block, 0, 5, f));
    SAY(putw(0x01020304, f));
    SAY(fputc_unlocked('d', f));
    SAY(fputs_unlocked("more", f));
    SAY(fwrite_unlocked(block, 2, 3, f));
    SAY(fgetc(f));
    where(f);
    clearerr(f);
    where(f);
    SAY(fflush(f));
    found("written");
    SAY(dprintf(fileno(f), "on the descriptor\n"));
    where(f);
    SAY(fseek(f, 3, SEEK_SET));
    SAY(fputs("patch", f));
    SAY(fseeko(f, -5, SEEK_END));
    SAY(fputs("tail", f));
    SAY(fseek(f, 10, SEEK_CUR));
    SAY(fputc('!', f));
    where(f);
    rewind(f);
    SAY(fputc('A', f));
    SAY(fseek(f, -100, SEEK_CUR));
    where(f);
    SAY(fseek(f, 0, 99));
    SAY(fclose(f));
    found("written");
}

static void reading(void)
{
    static char block[300000];
    char word[100], *line = NULL;
    size_t size = 0;
    fpos_t place;
    int number = 0;
    FILE *f = fopen("written", "r");

    where(f);
    SAY(fgetc(f));
    SAY(getc(f));
    SAY(getc_u(f));
    where(f);
    SAY(fscanf(f, "%99s", word));
    SAY(fscanf(f, "%d", &number));
    SAY(scan_list(f, " %99s", word));
    where(f);
    SAY_THERE(fgets(word, sizeof word, f));
    SAY(strlen(word));
    SAY(fgetpos(f, &place));
    SAY(getline(&line, &size, f));
    SAY(getdelim(&line, &size, 'B', f));
    SAY(ungetc('u', f));
    where(f);
    SAY(fgetc(f));
    SAY(fgetc(f));
    SAY(ungetc('v', f));
    SAY(ungetc('w', f));
    SAY(fread(word, 1, 5, f));
    printf("%.5s\n", word);
    SAY(fsetpos(f, &place));
    where(f);
    SAY(fread(block, 1000, 100, f));
    where(f);
    SAY(fread(block, 1, sizeof block, f));
    where(f);
    SAY(fgetc(f));
    clearerr(f);
    SAY(fseek(f, -4, SEEK_END));
    SAY(getw(f));
    SAY(fseek(f, 70000, SEEK_SET));
    SAY(getc_u(f));
    where(f);
    SAY(lseek(fileno(f), 0, SEEK_CUR) >= ftell(f));
    SAY(fflush(f));
    SAY(lseek(fileno(f), 0, SEEK_CUR));
    SAY(fputs("not for writing", f));
    where(f);
    SAY(fclose(f));
    free(line);
}

static void updating(const char *mode)
{
    FILE *f = fopen("updated", mode);
    char word[64];

    printf("mode %s\n", mode);
    if (!f) {
        SAY(errno);
        return;
    }
    where(f);
    for (int i = 0; i < 30000; i++)
        fprintf(f, "%07d\n", i);
    where(f);
    SAY(fseek(f, 8 * 20000, SEEK_SET));
    SAY_THERE(fgets(word, sizeof word, f));
    printf("%s", word);
    SAY(fseek(f, 0, SEEK_CUR));
    SAY(fputs("changed", f));
    SAY(fflush(f));
    SAY(fseek(f, 8 * 20001, SEEK_SET));
    SAY_THERE(fgets(word, sizeof word, f));
    printf("%s", word);
    SAY(fseek(f, 8 * 100, SEEK_SET));
    SAY(fgetc(f));
    where(f);
    SAY(fseek(f, 8 * 10 + 3, SEEK_SET));
    SAY(fgetc(f));
    SAY(fseek(f, 1000, SEEK_END));
    SAY(fputc('z', f));
    SAY(fseek(f, -500, SEEK_CUR));
    SAY(fgetc(f));
    SAY(fflush(f));
    SAY(ftruncate(fileno(f), 100000));
    SAY(pwrite(fileno(f), "by pwrite", 9, 50));
    SAY(fseek(f, 48, SEEK_SET));
    SAY_THERE(fgets(word, sizeof word, f));
    printf("%s", word);
    SAY(fclose(f));
    found("updated");
}

/* ------------------------------------------------------------------ opening and closing */

static void modes(void)
{
    static const char *const mode[] = { "w",  "w+",          "r",    "r+", "a",  "a+", "wb",  "rb+",
                                        "wx", "wxe",         "w+x",  "re", "rm", "rc", "w,x", "ab+",
                                        "wt", "r,ccs=UTF-8", "rb,m", "",   "q",  "+w", "rw",  "w+e" };

    for (size_t i = 0; i < sizeof mode / sizeof mode[0]; i++) {
        FILE *f;

        if (i % 2)
            remove("modes");
        errno = 0;
        f = fopen("modes", mode[i]);
        printf("fopen %s = %d %s\n", mode[i], f != NULL, name_of(f ? 0 : errno));
        if (!f)
            continue;
        where(f);
        printf("  flags %x %x, readable %d, writable %d, line %d\n", fcntl(fileno(f), F_GETFL),
               fcntl(fileno(f), F_GETFD), __freadable(f) != 0, __fwritable(f) != 0, __flbf(f) != 0);
        SAY(fputs("0123456789", f));
        SAY(fseek(f, 2, SEEK_SET));
        SAY(fgetc(f));
        SAY(fgetwc(f) == WEOF);
        where(f);
        SAY(fclose(f));
        found("modes");
    }
    SAY_THERE(fopen("no/such/place", "w"));
    SAY_THERE(fopen(".", "w"));
    SAY_THERE(fopen("absent", "r"));
}

static void on_descriptors(void)
{
    int fd = open("descriptor", O_RDWR | O_CREAT | O_TRUNC, 0644), copy;
    FILE *f, *g;

    SAY(write(fd, "0123456789", 10));
    SAY_THERE(fdopen(fd, "nonsense"));
    f = fdopen(fd, "r+");
    where(f);
    SAY(fputs("abc", f));
    where(f);
    SAY(fseek(f, 5, SEEK_SET));
    SAY(fgetc(f));
    SAY(fflush(f));
    SAY(lseek(fd, 0, SEEK_CUR));
    copy = dup(fd);
    SAY(fclose(f));
    SAY(lseek(copy, 0, SEEK_CUR));
    f = fdopen(copy, "w");
    SAY(fputs("DEF", f));
    SAY(fclose(f));
    found("descriptor");
    fd = open("descriptor", O_RDONLY);
    SAY_THERE(f = fdopen(fd, "w")); /* refused */
    SAY_THERE(f = fdopen(fd, "a"));
    f = fdopen(fd, "r");
    SAY(fgetc(f));
    copy = open("/dev/null", O_RDWR); /* a number is never free here: a thread of the library could get it */
    SAY(dup2(copy, fd) == fd);
    SAY(fgetc(f));
    SAY(fseek(f, 0, SEEK_SET));
    SAY(fgetc(f));
    where(f);
    SAY(fclose(f));
    SAY(close(copy));
    copy = open("descriptor", O_RDONLY);
    f = fopen("descriptor", "w");
    SAY(fputs("lost", f));
    SAY(dup2(copy, fileno(f)) == fileno(f));
    SAY(fflush(f));
    where(f);
    SAY(fclose(f));
    SAY(close(copy));
    f = fopen("descriptor", "w"); /* a number that becomes another file's */
    g = fopen("descriptor.too", "w");
    SAY(fputs("first", f));
    SAY(fflush(f));
    SAY(fputs("second", f));
    SAY(dup2(fileno(g), fileno(f)) == fileno(f));
    SAY(fputs("third", f));
    SAY(fclose(f));
    where(g);
    SAY(fclose(g));
    found("descriptor");
    found("descriptor.too");
    f = fopen("descriptor", "w"); /* two streams of one descriptor; the other stays open */
    g = fdopen(fileno(f), "w");
    SAY(fputs("one", f));
    SAY(fflush(f));
    SAY(fputs("two", g));
    SAY(fflush(g));
    SAY(fputs("three", f));
    SAY(fflush(f));
    SAY(fclose(g));
    found("descriptor");
    SAY_THERE(fdopen(-1, "r"));
    SAY_THERE(fdopen(900, "r"));
}

static void reopening(void)
{
    static const char *const path[] = { "reopened.2", NULL, "reopened", "no/such/place" };
    static const char *const mode[] = { "w", "r", "r+", "a", "w+" };
    struct stat st;

    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        for (size_t k = 0; k < sizeof mode / sizeof mode[0]; k++) {
            FILE *f = fopen("reopened", "w+"), *g;
            int fd = fileno(f);

            printf("freopen %s %s\n", path[i] ? path[i] : "NULL", mode[k]);
            SAY(fprintf(f, "%0100000d", 5));
            SAY(fseek(f, 10, SEEK_SET));
            SAY(fputs("in the buffer", f));
            errno = 0;
            g = freopen(path[i], mode[k], f);
            printf("= %d %s\n", g == f, name_of(g ? 0 : errno));
            if (!g) {
                found("reopened");
                continue;
            }
            SAY(fileno(g) == fd);
            where(g);
            SAY(fputs("XYZ", g));
            SAY(fseek(g, 1, SEEK_SET));
            SAY(fgetc(g));
            SAY(fseek(g, 0, SEEK_END));
            where(g);
            SAY_THERE(g = freopen("reopened.3", "w", g));
            SAY(fputws(L"w\xefde", g));
            where(g);
            SAY(fclose(g));
            found("reopened");
            found("reopened.2");
            found("reopened.3");
        }
    SAY(stat("reopened", &st) + (int)st.st_size);
}

/* ------------------------------------------------------------------ buffers */

static void buffers(void)
{
    static char mine[5000], small[10];
    FILE *f = fopen("buffers", "w+");

    SAY(setvbuf(f, mine, _IOFBF, sizeof mine));
    SAY(fwrite(mine, 1, 4000, f));
    SAY(fwrite(mine, 1, 4000, f));
    where(f);
    SAY(setvbuf(f, NULL, _IOLBF, 0));
    SAY(fputs("a line\nno line", f));
    SAY(setvbuf(f, small, _IOFBF, sizeof small));
    SAY(fputs("longer than the buffer", f));
    where(f);
    setbuf(f, NULL);
    SAY(fputs("unbuffered", f));
    found("buffers");
    SAY(fprintf(f, "%s", " and printed"));
    found("buffers");
    rewind(f);
    SAY(fgetc(f));
    SAY(lseek(fileno(f), 0, SEEK_CUR));
    setlinebuf(f);
    SAY(setvbuf(f, NULL, 77, 0));
    SAY(fclose(f));
    found("buffers");
    f = fopen("buffers", "w");
    setbuffer(f, mine, 100);
    SAY(fwrite(small, 1, 10, f));
    SAY(__fpending(f));
    __fpurge(f);
    SAY(__fpending(f));
    SAY(fputs("after purge", f));
    flockfile(f);
    SAY(ftrylockfile(f));
    funlockfile(f);
    funlockfile(f);
    SAY(__fsetlocking(f, FSETLOCKING_BYCALLER));
    SAY(fputs(" by caller", f));
    SAY(fcloseall());
    where(f);
    SAY(fputs(" after fcloseall", f));
    SAY(fclose(f));
    found("buffers");
    f = fopen("buffers", "w");
    SAY(fputs("all", f));
    SAY(fflush(NULL));
    found("buffers");
    _flushlbf();
    SAY(fclose(f));
}

/* ------------------------------------------------------------------ wide characters */

static void wide(void)
{
    FILE *f = fopen("wide", "w+");
    wchar_t text[100] = L"";
    fpos_t place;
    int n = 0;

    SAY(fputwc(L'\xe9', f));
    where(f);
    SAY(putwc(L'\x20ac', f));
    SAY(fputws(L" text \x1f600\n", f));
    SAY(fwprintf(f, L"%d %ls\n", 5, L"\xfc"));
    SAY(print_wide(f, L"%d\n", 6));
    SAY(fputs("bytes", f));
    where(f);
    SAY(fflush(f));
    found("wide");
    rewind(f);
    SAY(fgetwc(f));
    SAY(getwc(f));
    SAY(ungetwc(L'\xe4', f));
    SAY(fgetwc(f));
    SAY_THERE(fgetws(text, 100, f));
    printf("%ls", text);
    SAY(fgetpos(f, &place));
    SAY(fwscanf(f, L"%d", &n));
    SAY(scan_wide(f, L"%99ls", text));
    where(f);
    SAY(fsetpos(f, &place));
    SAY(fgetwc(f));
    SAY(fseek(f, 0, SEEK_END));
    where(f);
    for (int i = 0; i < 50000; i++)
        fwprintf(f, L"%06d\x20ac\n", i);
    where(f);
    SAY(fclose(f));
    found("wide");
    f = fopen("wide", "r");
    SAY(fgetc(f));
    SAY(fgetwc(f) == WEOF);
    SAY(fwide(f, 1));
    SAY(fclose(f));
    f = fopen("wide", "r");
    SAY(fwide(f, 1));
    SAY(fgetwc(f));
    SAY(fclose(f));
    f = fopen("wide", "w");
    SAY(fwide(f, -1));
    SAY(fputwc(L'x', f) == WEOF);
    SAY(fputs("narrow", f));
    SAY(fclose(f));
    found("wide");
    n = open("wide", O_RDWR); /* what has been written before */
    SAY(write(n, "0123456789", 10));
    SAY(lseek(n, 0, SEEK_SET));
    f = fdopen(n, "r+");
    SAY(fgetwc(f));
    SAY(fseek(f, 2, SEEK_SET));
    SAY(fputws(L"\xe9", f));
    SAY(fclose(f));
    found("wide");
    f = fopen("wide", "w");
    stdout = (fflush(stdout), f); /* glibc's may be assigned */
    n = wprintf(L"on %ls\n", L"st\xf6");
    putwchar(L'\xdf');
    stdout = fdopen(1, "w");
    SAY(n);
    SAY(fclose(f));
    found("wide");
}

/* ------------------------------------------------------------------ other processes */

static void forking(void)
{
    FILE *f = fopen("forked", "w+"), *p;
    char line[100] = "";
    pid_t child;

    SAY(fputs("both have this\n", f));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        fputs("the child\n", f);
        exit(0); /* writes its copy of the buffer */
    }
    waitpid(child, NULL, 0);
    SAY(fputs("the parent\n", f));
    SAY(fflush(f));
    where(f);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        fputs("lost\n", f);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0) {
        fputs("closed by the child\n", f);
        exit(fclose(f) ? 1 : 0);
    }
    waitpid(child, NULL, 0);
    SAY(fputs("end\n", f));
    SAY(fflush(f));
    where(f);
    p = popen("cat forked", "r");
    while (fgets(line, sizeof line, p))
        printf("  cat: %s", line);
    SAY(pclose(p));
    child = vfork();
    if (child == 0)
        _exit(3);
    waitpid(child, NULL, 0);
    SAY(system("wc -c <forked"));
    SAY(fclose(f));
    found("forked");
}

/* ------------------------------------------------------------------ limits, threads, the rest */

static void limits(void)
{
    struct rlimit limit, small;
    FILE *f = fopen("limited", "w");

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 9999; i++)
        fputs("0123456789", f);
    SAY(ferror(f));
    for (int i = 0; i < 100; i++)
        fputs("0123456789", f);
    SAY(fflush(f));
    where(f);
    SAY(fclose(f));
    setrlimit(RLIMIT_FSIZE, &limit);
    found("limited");
    f = fopen("/dev/full", "w");
    SAY(fputs("x", f));
    SAY(fclose(f));
}

static FILE *common;

static void *prints(void *self)
{
    for (int i = 0; i < 5000; i++)
        fprintf(common, "thread %ld line %d\n", (long)(intptr_t)self, i);
    return NULL;
}

/* Lines of several threads are whole, and those of each are in order. */
static void threads(void)
{
    pthread_t thread[4];
    int next[4] = { 0 }, wrong = 0, lines = 0, i;
    long self;

    common = fopen("threads", "w+");
    for (i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, prints, (void *)(intptr_t)i);
    for (i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    where(common);
    rewind(common);
    while (fscanf(common, "thread %ld line %d\n", &self, &i) == 2) {
        wrong += self < 0 || self > 3 || next[self]++ != i;
        lines++;
    }
    SAY(wrong);
    SAY(lines);
    SAY(fclose(common));
    SAY(unlink("threads"));
}

static void others(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fmemopen(NULL, 100, "w+"), *g = open_memstream(&text, &size);
    void *map;

    SAY(fileno(f));
    SAY(fputs("memory", f));
    SAY(fclose(f));
    SAY(fileno(g));
    SAY(fputs("memory", g));
    SAY(fclose(g));
    free(text);
    f = tmpfile();
    SAY(fputs("temporary", f));
    rewind(f);
    SAY(fgetc(f));
    SAY(fclose(f));
    f = fopen("mapped", "w+");
    for (int i = 0; i < 10000; i++)
        fprintf(f, "%d\n", i);
    SAY(fflush(f));
    map = mmap(NULL, 1000, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
    SAY(memcmp(map, "0\n1\n2\n", 6));
    memcpy(map, "MAP", 3);
    rewind(f);
    SAY(fgetc(f));
    SAY(fseek(f, 0, SEEK_END));
    SAY(fputs("direct now", f));
    SAY(lockf(fileno(f), F_TLOCK, 0));
    SAY(fclose(f));
    munmap(map, 1000);
    found("mapped");
    SAY(rename("mapped", "renamed"));
    f = fopen("renamed", "r+");
    SAY(fputs("under another name", f));
    SAY(rename("renamed", "mapped"));
    SAY(fclose(f));
    SAY(remove("mapped"));
    f = fopen("unlinked", "w+");
    SAY(fputs("still there", f));
    SAY(unlink("unlinked"));
    rewind(f);
    SAY(fgetc(f));
    SAY(fclose(f));
    f = fopen("far", "w+");
    SAY(fseeko(f, 3000000000, SEEK_SET));
    SAY(fputs("far", f));
    where(f);
    SAY(fclose(f));
    SAY(truncate("far", 10));
}

static FILE *last;

static void at_exit(void)
{
    fputs("by atexit\n", last);
}

int main(int argc, char **argv)
{
    if (argc > 1 && chdir(argv[1]) != 0)
        return 2;
    setlocale(LC_ALL, "C.UTF-8");
    writing();
    reading();
    updating("r");
    updating("w+");
    updating("r+");
    updating("w");
    updating("a+");
    modes();
    on_descriptors();
    reopening();
    buffers();
    wide();
    forking();
    limits();
    threads();
    others();
    last = fopen("last", "w");
    atexit(at_exit);
    fprintf(last, "left to the end\n");
    fopen("left open", "w");
    fputs("left in a stream that is forgotten", fopen("forgotten", "w"));
    return 0;
}
