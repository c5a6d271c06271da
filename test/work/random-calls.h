/* random-calls.h - what the parts of random-calls share: the generator, the trace, and the program's own books
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The trace and the books are written by bare system calls, so that they are no part of what is traced and counted. */
#ifndef RANDOM_CALLS_H
#define RANDOM_CALLS_H

#include "work.h"

#include <stdint.h>

enum {
    COUNTED = 24, /* files f0 to f23: how they are counted is known, and done here, too */
    WILD = 6,     /* files w0 to w5: for calls that only must behave the same */
    STANDARD = 3, /* <STDIN>, <STDOUT>, <STDERR> */
    FILES = COUNTED + WILD + STANDARD,
    OTHER = COUNTED, /* stands for directories and files with names that are not always the same, too */
    FDS = 1024,
    MOST = 160,  /* descriptors that may be open at a time */
    ROOM = 65536 /* bytes of the buffer; behind it is a page that cannot be touched */
};

struct options {
    uint64_t seed;
    long steps;
    int wild;      /* do calls on w0 to w5, too */
    int excluding; /* some of the counted files are not counted this time */
};
extern struct options options;

/* ------------------------------------------------------------------ generator */

uint64_t draw(void);
int below(int n);         /* 0 to n - 1 */
int one_in(int n);        /* 1 with a probability of 1/n */
int64_t any_offset(void); /* mostly small; at times negative, at times beyond all limits */
size_t any_size(void);    /* mostly small; at times 0, at times more than any buffer has */

/* A pointer to read from or to write to; at times one that the kernel refuses. */
extern char *buffer;
char *any_pointer(void);

/* ------------------------------------------------------------------ trace */

/* One line of the trace; `ret` and errno are on it. errno is 99 before the call. */
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define STEP(ret, call)                                                                                                \
    do {                                                                                                               \
        errno = 99;                                                                                                    \
        (ret) = (call);                                                                                                \
    } while (0)

void trace_bytes(const char *bytes, size_t n); /* a checksum */
void trace_descriptors(void);
void trace_place(int fd); /* its file position */
void trace_end(void);

/* ------------------------------------------------------------------ books */

enum {
    P_OPENS,
    P_DUPS,
    P_FILENOS,
    P_READS,
    P_WRITES,
    P_BYTES_READ,
    P_BYTES_WRITTEN,
    P_SEEKS,
    P_FSYNCS,
    P_FDSYNCS,
    S_OPENS,
    S_FDOPENS,
    S_READS,
    S_WRITES,
    S_BYTES_READ,
    S_BYTES_WRITTEN,
    S_SEEKS,
    S_FLUSHES,
    COUNTS
};

struct stream {
    FILE *f;
    int file; /* -1: not counted */
    enum { FRESH, READING, WRITING, PLACED } last;
    long long pushed; /* bytes that ungetc has given back */
#ifdef STREAM_BUFFER  /* its size; otherwise the C library's own buffers are used */
    char buffer[STREAM_BUFFER];
#endif
};
enum { STREAMS = 12 }; /* the first three are stdin, stdout, stderr */

struct books {
    int file_of_fd[FDS]; /* -1: not counted */
    int behind[FDS];     /* the same, where only a stream is known to have it, too */
    int is_open[FDS];
    struct stream stream[STREAMS];
    long long count[FILES][COUNTS];
};
extern struct books books;

int known(int file);                         /* the file, or -1 if it is excluded */
void count(int file, int what, long long n); /* file may be -1 */

void opened(int fd, int file); /* the result of an open; file -1: of what has no name */
void duplicated(int fd, int from);
void closed(int fd);
void transferred(int fd, int is_write, long long n); /* the result of a read or write */

/* Writes what the log must hold: module, counter, name, value. */
void books_write(const char *path);

/* ------------------------------------------------------------------ what to do it with */

int any_file(void); /* a counted one, or, if asked for, a wild one */

/* One of several ways to write the name of a file; all of them are cleaned to the same path. */
const char *any_name(int file);

int any_fd(void);  /* mostly one that is open */
int wild_fd(void); /* one of a file that is not counted, or none */
struct stream *any_stream(void);

/* ------------------------------------------------------------------ parts */

struct action {
    void (*run)(void);
    int weight;
};
extern const struct action posix_actions[], stdio_actions[], wild_actions[]; /* end with a NULL */

#endif
