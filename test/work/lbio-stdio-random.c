/* lbio-stdio-random.c - random calls on streams of files, and on their descriptors: lbio-stdio-random DIR SEED CALLS
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what each call returns and reads. Whoever used a stream flushes it before its descriptor is used, and tells the
 * stream where it is afterwards, as POSIX asks for (2.5.1). Then log-based I/O changes nothing. */
#include "work.h"

#include <stdint.h>

enum { STREAMS = 4, MOST = 90000, SIZE = 400000 };

static uint64_t x;

static unsigned below(unsigned n)
{
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (unsigned)(x >> 20) % n;
}

/* Small numbers are more frequent than large ones. */
static size_t some(size_t most)
{
    size_t limit = most >> (below(5) * 4);

    return 1 + below((unsigned)(limit > 0 ? limit : 1));
}

enum doing { NOTHING, READING, WRITING };

static struct stream {
    FILE *f;
    int is_readable, is_writable;
    enum doing doing;
    char path[PATH_MAX], buffer[10000];
} streams[STREAMS];

static char bytes[MOST];

static unsigned sum_of(const char *from, size_t n)
{
    unsigned sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + (unsigned char)from[i];
    return sum;
}

static void fill(size_t n)
{
    const unsigned start = below(251);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)((start + i) % 251);
}

static void report(const char *what, const struct stream *s, long long ret)
{
    printf("%s %d = %lld, errno %d, eof %d, error %d, at %ld\n", what, (int)(s - streams), ret, errno, feof(s->f) != 0,
           ferror(s->f) != 0, ftell(s->f));
    errno = 0;
}

static void open_stream(struct stream *s)
{
    static const char *const modes[] = { "w+", "r+", "r+", "r+", "r+", "r", "w" };
    const char *mode = modes[below(sizeof modes / sizeof modes[0])];
    const int with_number = below(4) == 0;

    if (with_number)
        s->f = fdopen(open(s->path, mode[0] == 'w' ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR), mode);
    else
        s->f = fopen(s->path, mode);
    CHECK(s->f);
    s->is_readable = mode[0] == 'r' || mode[1] == '+';
    s->is_writable = mode[0] == 'w' || mode[1] == '+';
    s->doing = NOTHING;
    printf("open %s, %d, %d\n", mode, with_number, fcntl(fileno(s->f), F_GETFL));
    report("open", s, 0);
}

static void reopen(struct stream *s)
{
    report("fclose", s, 0);
    printf("%d\n", fclose(s->f));
    open_stream(s);
}

static void reopen_same(struct stream *s)
{
    static const char *const modes[] = { "w+", "r+", "r+" };

    s->f = freopen(below(2) ? s->path : NULL, modes[below(3)], s->f);
    CHECK(s->f);
    s->is_readable = s->is_writable = 1;
    s->doing = NOTHING;
    report("freopen", s, 0);
}

/* Between reading and writing C asks for a seek, or a flush after writing. */
static void becomes(struct stream *s, enum doing doing)
{
    if (s->doing == WRITING && doing == READING && below(2))
        report("fflush", s, fflush(s->f));
    else if (s->doing != NOTHING && s->doing != doing)
        report("fseek", s, fseek(s->f, 0, SEEK_CUR));
    s->doing = doing;
}

static void write_some(struct stream *s)
{
    const size_t n = some(MOST), size = 1 + below(20);

    becomes(s, WRITING);
    fill(n);
    switch (below(5)) {
    case 0:
        report("fputc", s, fputc(bytes[0], s->f));
        break;
    case 1:
        bytes[n < 300 ? n - 1 : 300] = '\0';
        report("fputs", s, fputs(bytes, s->f));
        break;
    case 2:
        report("fprintf", s, fprintf(s->f, "%*d\n", (int)(n % 5000), (int)n));
        break;
    default:
        report("fwrite", s, (long long)fwrite(bytes, size, n / size, s->f));
    }
}

static void read_some(struct stream *s)
{
    const size_t n = some(MOST);
    size_t got;

    becomes(s, READING);
    memset(bytes, 0, sizeof bytes);
    switch (below(5)) {
    case 0:
        report("fgetc", s, fgetc(s->f));
        break;
    case 1:
        got = fgets(bytes, (int)n + 1, s->f) != NULL;
        report("fgets", s, sum_of(bytes, n) + (unsigned)got);
        break;
    case 2:
        got = (size_t)(ungetc(fgetc(s->f), s->f) + 2);
        report("ungetc", s, (long long)got);
        break;
    default:
        got = fread(bytes, 1, n, s->f);
        report("fread", s, (long long)got);
        printf("%u\n", sum_of(bytes, got));
    }
}

static void jump(struct stream *s)
{
    const long at = ftell(s->f);
    fpos_t place;

    switch (below(5)) {
    case 0:
        report("SEEK_CUR", s, fseek(s->f, (long)some(MOST) - (at > MOST / 2 ? MOST / 2 : 0), SEEK_CUR));
        break;
    case 1:
        report("SEEK_END", s, fseeko(s->f, below(2) ? 0 : -(off_t)some(1000), SEEK_END));
        break;
    case 2:
        CHECK(fgetpos(s->f, &place) == 0);
        report("fsetpos", s, fsetpos(s->f, &place));
        break;
    case 3:
        rewind(s->f);
        report("rewind", s, 0);
        break;
    default:
        report("SEEK_SET", s, fseek(s->f, (long)below(SIZE), SEEK_SET));
    }
    s->doing = NOTHING;
}

static void buffer(struct stream *s)
{
    report("fflush", s, fflush(s->f));
    switch (below(5)) {
    case 0:
        report("setvbuf", s, setvbuf(s->f, s->buffer, _IOFBF, 1 + below(sizeof s->buffer)));
        break;
    case 1:
        report("setvbuf", s, setvbuf(s->f, s->buffer, _IOLBF, sizeof s->buffer));
        break;
    case 2:
        report("setvbuf", s, setvbuf(s->f, NULL, _IONBF, 0));
        break;
    default:
        report("setvbuf", s, setvbuf(s->f, NULL, _IOFBF, 0));
    }
    report("fseek", s, fseek(s->f, 0, SEEK_CUR));
    s->doing = NOTHING;
}

static void with_number(struct stream *s)
{
    const int fd = fileno(s->f);
    const size_t n = some(MOST);
    const off_t off = below(SIZE);
    struct stat st;
    int copy;

    report("fflush", s, fflush(s->f));
    memset(bytes, 0, sizeof bytes);
    switch (below(6)) {
    case 0:
        report("ftruncate", s, ftruncate(fd, below(SIZE)));
        break;
    case 1:
        fill(n);
        report("pwrite", s, pwrite(fd, bytes, n, off));
        break;
    case 2:
        report("pread", s, pread(fd, bytes, n, off));
        printf("%u\n", sum_of(bytes, n));
        break;
    case 3:
        fill(n);
        report("write", s, write(fd, bytes, n));
        break;
    case 4:
        CHECK((copy = dup(fd)) >= 0);
        report("lseek", s, lseek(copy, off, SEEK_SET));
        CHECK(close(copy) == 0);
        break;
    default:
        CHECK(fstat(fd, &st) == 0);
        report("fstat", s, st.st_size);
    }
    report("fseek", s, fseek(s->f, below(SIZE), SEEK_SET));
    s->doing = NOTHING;
}

static void one_call(struct stream *s)
{
    const unsigned which = below(40);

    if (which < 12 && s->is_writable)
        write_some(s);
    else if (which < 24 && s->is_readable)
        read_some(s);
    else if (which < 30)
        jump(s);
    else if (which < 34)
        with_number(s);
    else if (which == 34)
        buffer(s);
    else if (which == 35 && below(4) == 0)
        reopen_same(s);
    else if (which < 38)
        report("fflush", s, fflush(s->f));
    else
        reopen(s);
}

int main(int argc, char **argv)
{
    char name[] = "stream.0";

    CHECK(argc == 4);
    work_dir = argv[1];
    x = strtoul(argv[2], NULL, 10) * 0x9e3779b97f4a7c15ULL + 1;
    for (int i = 0; i < STREAMS; i++) {
        name[7] = (char)('0' + i);
        work_path_in(streams[i].path, name);
        close(open(streams[i].path, O_RDWR | O_CREAT, 0644));
        open_stream(&streams[i]);
    }
    for (int i = atoi(argv[3]); i > 0; i--)
        one_call(&streams[below(STREAMS)]);
    for (int i = 0; i < STREAMS; i++)
        printf("%d\n", fclose(streams[i].f));
    return 0;
}
