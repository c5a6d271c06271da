/* random-stdio.c - the stream calls of random-calls whose counters are known
 * SPDX-License-Identifier: BSD-3-Clause */
#include "random-calls.h"

#include <stdarg.h>
#include <stdio_ext.h>

static struct stream *free_stream(void)
{
    for (int i = STANDARD; i < STREAMS; i++)
        if (!books.stream[i].f)
            return &books.stream[i];
    return NULL;
}

/* Of two streams on one descriptor the later is counted, if both are of files that are. */
static void tie(struct stream *s, FILE *f, int file)
{
    file = known(file);
    for (int i = 0; i < STREAMS; i++)
        if (file >= 0 && books.stream[i].f && &books.stream[i] != s && books.stream[i].f->_fileno == f->_fileno)
            books.stream[i].file = -1;
    s->f = f;
    s->file = file;
    s->last = FRESH;
    s->pushed = 0;
#ifdef STREAM_BUFFER
    setvbuf(f, s->buffer, _IOFBF, sizeof s->buffer);
#endif
}

/* Some stream, about to be read or written. Between the two C asks for a seek; one that cannot do it is left alone. */
static struct stream *stream_for(int last)
{
    struct stream *const s = any_stream();
    int ret;

    if (s->last + last == READING + WRITING) {
        STEP(ret, fseek(s->f, 0, SEEK_CUR));
        trace("fseek between = %d", ret);
        if (ret != 0)
            return NULL;
        s->pushed = 0;
        count(s->file, S_SEEKS, 1);
    }
    s->last = last;
    return s;
}

static const char *any_mode(void)
{
    static const char *const mode[] = { "r", "w", "a", "r+", "w+", "a+", "rb", "wxe", "r+c", "nonsense", "", "re" };

    return mode[below(sizeof mode / sizeof mode[0])];
}

static void open_stream(void)
{
    const int file = any_file();
    const char *const mode = any_mode();
    struct stream *const s = free_stream();
    FILE *f;

    if (!s)
        return;
    if (below(2))
        STEP(f, fopen(any_name(file), mode));
    else
        STEP(f, fopen64(any_name(file), mode));
    trace("fopen %d %s = %d", file, mode, f ? f->_fileno : -1);
    if (!f)
        return;
    closed(f->_fileno); /* not known as a descriptor */
    books.is_open[f->_fileno] = 1;
    books.behind[f->_fileno] = known(file);
    tie(s, f, file);
    count(file, S_OPENS, 1);
}

static void open_on_descriptor(void)
{
    const int fd = any_fd(), file = fd >= 0 && fd < FDS ? books.file_of_fd[fd] : -1;
    const char *const mode = any_mode();
    struct stream *const s = free_stream();
    FILE *f;

    if (!s)
        return;
    STEP(f, fdopen(fd, mode));
    trace("fdopen %d %s = %d", fd, mode, f != NULL);
    if (!f)
        return;
    tie(s, f, file);
    count(file, S_OPENS, 1);
    count(file, S_FDOPENS, 1);
}

static void reopen(void)
{
    struct stream *const s = any_stream();
    const int file = any_file(), standard = s && s < &books.stream[STANDARD], was = s ? s->f->_fileno : -1;
    const char *const name = one_in(8) ? "no/such/file" : any_name(file);
    const char *const mode = standard ? "r+" : any_mode();
    FILE *f;

    if (!s || (standard && below(8)))
        return;
    if (below(2))
        STEP(f, freopen(name, mode, s->f));
    else
        STEP(f, freopen64(name, mode, s->f));
    trace("freopen %d %s %s = %d", was, name[0] == 'n' ? name : "", mode, f ? f->_fileno : -1);
    closed(was);
    if (!f) {
        s->file = -1;
        s->f = standard ? s->f : NULL;
        return;
    }
    closed(f->_fileno);
    books.is_open[f->_fileno] = 1;
    books.behind[f->_fileno] = known(file);
    tie(s, f, file);
    count(file, S_OPENS, 1);
}

static void close_stream(void)
{
    struct stream *const s = any_stream();
    int fd, ret;

    if (!s || s < &books.stream[STANDARD])
        return;
    fd = s->f->_fileno;
    STEP(ret, fclose(s->f));
    trace("fclose %d = %d", fd, ret);
    closed(fd);
    s->f = NULL;
}

static void set_buffer(void)
{
    struct stream *const s = any_stream();
    int ret;

    if (s < &books.stream[STANDARD] || s->last != FRESH)
        return;
    s->last = PLACED;
    STEP(ret, setvbuf(s->f, NULL, below(3), below(2) ? 100 : 5000));
    trace("setvbuf = %d", ret);
}

/* Bytes that were pushed back are not counted twice, unless a seek has dropped them. */
static void came(struct stream *s, long long bytes)
{
    long long again;

    if (s->file < 0 || bytes < 0)
        return;
    again = bytes < s->pushed ? bytes : s->pushed;
    s->pushed -= again;
    count(s->file, S_READS, 1);
    count(s->file, S_BYTES_READ, bytes - again);
}

static void went(const struct stream *s, long long bytes)
{
    if (s->file < 0 || bytes < 0)
        return;
    count(s->file, S_WRITES, 1);
    count(s->file, S_BYTES_WRITTEN, bytes);
}

static void read_items(void)
{
    struct stream *const s = stream_for(READING);
    const size_t size = (size_t)below(20), n = (size_t)below(below(3) ? 20 : 3000);
    size_t ret;

    if (!s)
        return;
    STEP(ret, fread(buffer, size, n, s->f));
    trace("fread %d %zu %zu = %zu", s->f->_fileno, size, n, ret);
    trace_bytes(buffer, size * ret);
    came(s, ret > 0 ? (long long)(size * ret) : -1);
}

static void write_items(void)
{
    struct stream *const s = stream_for(WRITING);
    const size_t size = (size_t)below(20), n = (size_t)below(below(3) ? 20 : 3000);
    size_t ret;

    if (!s)
        return;
    STEP(ret, fwrite(buffer, size, n, s->f));
    trace("fwrite %d %zu %zu = %zu", s->f->_fileno, size, n, ret);
    went(s, ret > 0 ? (long long)(size * ret) : -1);
}

static void read_character(void)
{
    struct stream *const s = stream_for(READING);
    const int how = s == &books.stream[0] ? below(4) : below(3);
    int ret, word;

    if (!s)
        return;
    switch (how) {
    case 0:
        STEP(ret, fgetc(s->f));
        break;
    case 1:
        STEP(ret, getc(s->f));
        break;
    case 2:
        STEP(word, getw(s->f));
        trace("getw %d = %d", s->f->_fileno, word);
        came(s, word == EOF && ferror(s->f) ? -1 : 4);
        return;
    default:
        STEP(ret, getchar());
    }
    trace("getc %d %d = %d", how, s->f->_fileno, ret);
    came(s, ret == EOF ? -1 : 1);
}

/* What was read is pushed back. Another character would need memory that the C library loses track of in streams that
 * fail later on, and it may end the program for it. */
static void push_back(void)
{
    struct stream *const s = stream_for(READING);
    int ret, c;

    if (!s)
        return;
    STEP(c, fgetc(s->f));
    trace("fgetc = %d", c);
    came(s, c == EOF ? -1 : 1);
    STEP(ret, ungetc(c, s->f));
    trace("ungetc %d = %d", s->f->_fileno, ret);
    if (ret != EOF && s->file >= 0)
        s->pushed++;
}

static void write_character(void)
{
    struct stream *const s = stream_for(WRITING);
    const int how = s == &books.stream[1] ? below(4) : below(3), c = below(256);
    int ret;

    if (!s)
        return;
    switch (how) {
    case 0:
        STEP(ret, fputc(c, s->f));
        break;
    case 1:
        STEP(ret, putc(c, s->f));
        break;
    case 2:
        STEP(ret, putw(c, s->f));
        trace("putw %d = %d", s->f->_fileno, ret);
        went(s, ret == 0 ? 4 : -1);
        return;
    default:
        STEP(ret, putchar(c));
    }
    trace("putc %d %d = %d", how, s->f->_fileno, ret);
    went(s, ret == EOF ? -1 : 1);
}

static void read_line(void)
{
    static char *line;
    static size_t room;
    struct stream *const s = stream_for(READING);
    const int how = below(4);
    ssize_t ret;
    char *got;

    if (!s)
        return;
    switch (how) {
    case 0:
        STEP(ret, getline(&line, &room, s->f));
        break;
    case 1:
        STEP(ret, getdelim(&line, &room, below(256), s->f));
        break;
    case 2:
        STEP(ret, getline(NULL, NULL, s->f));
        break;
    default:
        STEP(got, fgets(buffer, below(200) + 1, s->f));
        ret = got ? (ssize_t)strlen(got) : -1;
    }
    trace("line %d %d = %zd", how, s->f->_fileno, ret);
    if (ret > 0)
        trace_bytes(how == 3 ? buffer : line, (size_t)ret);
    came(s, ret);
}

static void write_line(void)
{
    static const char *const text[] = { "", "x", "a line\n", "1 2 3 forty-two\n\n" };
    struct stream *const s = stream_for(WRITING);
    const char *const line = text[below(4)];
    const int is_puts = s == &books.stream[1] && below(2);
    int ret;

    if (!s)
        return;
    if (is_puts)
        STEP(ret, puts(line));
    else
        STEP(ret, fputs(line, s->f));
    trace("fputs %d %d = %d", is_puts, s->f->_fileno, ret);
    went(s, ret >= 0 ? (long long)strlen(line) + is_puts : -1);
}

static int through(int (*function)(FILE *f, const char *format, va_list args), FILE *f, const char *format, ...)
{
    va_list args;
    int ret;

    va_start(args, format);
    ret = function(f, format, args);
    va_end(args);
    return ret;
}

static void print(void)
{
    struct stream *const s = stream_for(WRITING);
    const int how = s == &books.stream[1] ? below(3) : below(2), number = below(100000);
    int ret;

    if (!s)
        return;
    switch (how) {
    case 0:
        STEP(ret, fprintf(s->f, "%d %s %5.2f %m\n", number, "text", number / 7.0));
        break;
    case 1:
        STEP(ret, through(vfprintf, s->f, "%0*d%c", number % 300, number, 'c'));
        break;
    default:
        STEP(ret, printf("%x", (unsigned)number));
    }
    trace("printf %d %d = %d", how, s->f->_fileno, ret);
    went(s, ret > 0 ? ret : -1);
}

/* How far the stream goes is what was read. */
static void scan(void)
{
    struct stream *const s = stream_for(READING);
    const int how = below(4);
    const long long from = s ? ftello(s->f) : 0;
    long long to;
    char word[64] = "";
    int number = 0, ret;

    if (!s)
        return;
    switch (how) {
    case 0:
        STEP(ret, fscanf(s->f, "%d", &number));
        break;
    case 1:
        STEP(ret, fscanf(s->f, " %60[^\n]", word));
        break;
    case 2:
        STEP(ret, fscanf(s->f, "%60s%d", word, &number));
        break;
    default:
        STEP(ret, through(vfscanf, s->f, "%c%n", word, &number));
    }
    trace("scanf %d %d = %d %d", how, s->f->_fileno, ret, number);
    to = ftello(s->f);
    if (from >= 0 && ret != EOF && ret != 0)
        came(s, to - from);
}

/* No question for the position around it, so that the tool's own is seen if it changes anything. */
static void scan_wild(void)
{
    struct stream *const s = stream_for(READING);
    char word[64] = "";
    int ret, number = 0;

    if (!s)
        return;
    if (s->file >= 0 && (s->file < COUNTED || s->file >= COUNTED + WILD))
        return;
    STEP(ret, fscanf(s->f, "%60s %d", word, &number));
    trace("scanf %d = %d %d", s->f->_fileno, ret, number);
}

static void place(void)
{
    static fpos_t pos[STREAMS];
    static int known[STREAMS];
    struct stream *const s = any_stream();
    const int i = (int)(s - books.stream), how = below(5), whence = below(4);
    const long at = (long)(any_offset() % 200000);
    int ret;

    switch (how) {
    case 0:
        STEP(ret, fseek(s->f, at, whence));
        break;
    case 1:
        STEP(ret, fseeko(s->f, at, whence));
        break;
    case 2:
        STEP(ret, fseeko64(s->f, at, whence));
        break;
    case 3:
        if (!known[i]) {
            STEP(ret, fgetpos(s->f, &pos[i]));
            known[i] = ret == 0;
            trace("fgetpos %d = %d", s->f->_fileno, ret);
            return;
        }
        STEP(ret, fsetpos(s->f, &pos[i]));
        break;
    default:
        errno = 99;
        rewind(s->f);
        ret = 0;
    }
    trace("fseek %d %d %ld %d = %d", how, s->f->_fileno, at, whence, ret);
    if (ret < 0)
        return;
    s->last = PLACED;
    s->pushed = 0;
    count(s->file, S_SEEKS, 1);
}

static void tell(void)
{
    struct stream *const s = any_stream();
    long ret;

    STEP(ret, ftell(s->f));
    trace("ftell %d = %ld, %d %d", s->f->_fileno, ret, feof(s->f), ferror(s->f));
    if (one_in(3))
        clearerr(s->f);
}

static void push(void)
{
    struct stream *const s = any_stream();
    int ret;

    STEP(ret, fflush(s->f));
    trace("fflush %d = %d", s->f->_fileno, ret);
    trace_place(s->f->_fileno);
    if (ret >= 0)
        count(s->file, S_FLUSHES, 1);
}

static void push_all(void)
{
    int ret;

    STEP(ret, fflush(NULL));
    trace("fflush all = %d", ret);
}

static void descriptor_of(void)
{
    struct stream *const s = any_stream();
    int fd = s->f->_fileno, file;

    if (fd < 0 || !books.is_open[fd])
        return;
    file = books.file_of_fd[fd] >= 0 ? books.file_of_fd[fd] : s->file;
    STEP(fd, fileno(s->f));
    trace("fileno = %d", fd);
    if (s->file < 0 || fd < 0)
        return;
    books.file_of_fd[fd] = file;
    count(file, P_FILENOS, 1);
    count(file, P_OPENS, 1);
}

const struct action stdio_actions[] = {
    { open_stream, 12 }, { open_on_descriptor, 5 },
    { reopen, 3 },       { close_stream, 11 },
    { set_buffer, 3 },   { read_items, 8 },
    { write_items, 8 },  { read_character, 8 },
    { push_back, 4 },    { write_character, 8 },
    { read_line, 6 },    { write_line, 6 },
    { print, 6 },        { scan, 6 },
    { scan_wild, 6 },    { place, 8 },
    { tell, 4 },         { push, 4 },
    { push_all, 1 },     { descriptor_of, 3 },
    { NULL, 0 },
};
