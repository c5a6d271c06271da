/* make-log.c - large logs for benchmarks: make-log KIND LOG; or many of them: make-log KIND DIRECTORY N
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters, times and names are of the size and spread that logs of real jobs have, and the same in every run. What is
 * compressed passes through fixed buffers, so that there may be any number of records. N logs are of N jobs, of ten
 * programs, on one node to sixteen, a job a minute. */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "darshan-log-format/hash.h"
#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/varying.h"

#define MIB 1048576

static const struct kind {
    const char *name;
    int64_t posix, stdio; /* records */
    int64_t ranks;        /* each has records of its own; 1: one rank has all */
    int64_t segments;     /* of one DXT record a rank */
    int64_t files;        /* that the records are of; 0: each is of another one */
} kinds[] = {
    { "files", 100000, 50000, 1, 0, 0 },
    { "many", 1000000, 0, 1, 0, 0 },
    { "more", 3000000, 0, 1, 0, 0 },
    { "ranks", 131072, 0, 128, 0, 0 },
    { "dxt1", 64, 0, 64, 1000000, 0 },
    { "long1", 1, 0, 1, 1000000, 0 },
    { "dxt10", 640, 0, 640, 10000000, 0 },
    { "long10", 1, 0, 1, 10000000, 0 },
    { "small", 8, 3, 4, 0, 0 },
    { "deep", 10000000, 0, 65536, 0, 160 },
    { "dxt3", 64, 0, 64, 3000000, 0 },
    { "dxt100", 6400, 0, 6400, 100000000, 0 },
    { "long100", 1, 0, 1, 100000000, 0 },
};
#define NKINDS (sizeof kinds / sizeof kinds[0])

/* A region on its way to the file. */
struct out {
    FILE *file;
    z_stream z;
    uint64_t start;
    unsigned char buffer[65536];
};

static void die(const char *what)
{
    fprintf(stderr, "make-log: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ------------------------------------------------------------------ regions */

static void begin_region(struct out *o)
{
    const long at = ftell(o->file);

    memset(&o->z, 0, sizeof o->z);
    if (at < 0 || deflateInit(&o->z, Z_DEFAULT_COMPRESSION) != Z_OK)
        die("cannot begin a region");
    o->start = (uint64_t)at;
}

static void deflate_all(struct out *o, int flush)
{
    do {
        size_t n;

        o->z.next_out = o->buffer;
        o->z.avail_out = sizeof o->buffer;
        deflate(&o->z, flush);
        n = sizeof o->buffer - o->z.avail_out;
        if (fwrite(o->buffer, 1, n, o->file) != n)
            die("cannot write");
    } while (o->z.avail_out == 0);
}

/* Each rank compresses by itself. */
static void end_stream(struct out *o)
{
    deflate_all(o, Z_FINISH);
    deflateReset(&o->z);
}

static void put(struct out *o, const void *bytes, size_t n)
{
    o->z.next_in = (unsigned char *)(uintptr_t)bytes;
    o->z.avail_in = (uInt)n;
    deflate_all(o, Z_NO_FLUSH);
}

static struct dsn_map end_region(struct out *o)
{
    struct dsn_map map = { o->start, 0 };

    if (o->z.total_in > 0)
        deflate_all(o, Z_FINISH);
    deflateEnd(&o->z);
    map.len = (uint64_t)ftell(o->file) - o->start;
    return map;
}

/* ------------------------------------------------------------------ numbers and names */

/* Source: Sebastiano Vigna, splitmix64 (public domain). */
static uint64_t random_state = 42;

static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Times are kept in units of 2^-22 s (0.24 us), as the runtime does. */
static double seconds(double most)
{
    const double unit = 1.0 / (1 << 22);

    return (double)(uint64_t)((double)(next_random() >> 11) / (double)((uint64_t)1 << 53) * most / unit) * unit;
}

static uint64_t name_of(int64_t i, char name[80])
{
    snprintf(name, 80, "/scratch/project/run%03lld/out.%06lld.dat", (long long)(i / 1000), (long long)i);
    return dsn_hash(name, strlen(name), 0);
}

/* Files are of three sorts. Those of a sort differ in a size and in the times that were spent. */
static void fill(const struct dsn_table *t, int64_t sort, struct dsn_rec *r)
{
    const int64_t size = (int64_t)(next_random() % 64 + 1) << 16;

    for (unsigned i = 0; i < t->nvalues; i++) {
        const struct dsn_row *row = dsn_table_row(t, i);
        const int64_t used = (i * 7 + (unsigned)sort) % 3; /* a third of the counters is 0 */

        if (row->kind == DSN_F64)
            r->v[i].f = row->unit == DSN_SECONDS2 || row->unit == DSN_BYTES2 || used == 0 ? 0 : seconds(100);
        else if (row->unit == DSN_BYTES)
            r->v[i].i = used * (row->role == DSN_W_BYTES || row->role == DSN_W_EXTENT ? size : 65536);
        else
            r->v[i].i = used * (int64_t)(i % 40 + 1);
    }
}

/* ------------------------------------------------------------------ parts of the log */

static void put_job(struct out *o, const struct kind *k, int64_t number)
{
    char text[200];
    struct dsn_job job = { .uid = 1000 + number % 7,
                           .start_sec = 1700000000 + 60 * number,
                           .end_sec = 1700000100 + 60 * number,
                           .nprocs = k->ranks,
                           .jobid = 4711 + number };
    unsigned char bytes[DSN_JOB_SIZE];
    const int length = snprintf(text, sizeof text,
                                "/home/user/bin/application%s --input run.cfg\nlustre\t/scratch\next4\t/\nnfs4\t/home",
                                (const char *[]){ "", "1", "2", "3", "4", "5", "6", "7", "8", "9" }[number % 10]);

    snprintf(job.metadata, sizeof job.metadata, "lib_ver=3.5.0\nh=romio_no_indep_rw=true\nnnodes=%d\n",
             1 << number % 5);

    dsn_job_store(&job, bytes);
    begin_region(o);
    put(o, bytes, sizeof bytes);
    put(o, text, (size_t)length + 1);
    end_region(o);
}

static struct dsn_map put_names(struct out *o, int64_t n)
{
    begin_region(o);
    for (int64_t i = 0; i < n; i++) {
        char name[80];
        const uint64_t id = name_of(i, name);

        put(o, &id, sizeof id);
        put(o, name, strlen(name) + 1);
    }
    return end_region(o);
}

static struct dsn_map put_records(struct out *o, unsigned module, const struct kind *k, int64_t n)
{
    const struct dsn_table *t = dsn_table(module);
    union dsn_any_rec r;
    char name[80];

    begin_region(o);
    for (int64_t i = 0; i < n; i++) {
        r.rec.id = name_of(k->files > 0 ? i % k->files : i, name);
        r.rec.rank = i * k->ranks / n;
        fill(t, i % 3, &r.rec);
        put(o, &r.rec, dsn_rec_size(t));
        if ((i + 1) * k->ranks / n != r.rec.rank)
            end_stream(o);
    }
    return end_region(o);
}

static struct dsn_map put_traces(struct out *o, const struct kind *k)
{
    begin_region(o);
    for (int64_t rank = 0; rank < k->ranks; rank++) {
        const int64_t n = k->segments / k->ranks;
        struct dsn_dxt_head head = { .rank = rank, .host = "node0001", .nwrites = n / 2, .nreads = n - n / 2 };
        double clock = 0;
        char name[80];

        head.id = name_of(rank, name);
        put(o, &head, sizeof head);
        for (int64_t i = 0; i < n; i++) {
            const struct dsn_dxt_segment s = { .offset = i * MIB,
                                               .length = MIB,
                                               .start = clock + seconds(0.0001),
                                               .end = clock + 0.0001 + seconds(0.0005),
                                               .thread = 140125482809152 };

            clock = s.end;
            put(o, &s, sizeof s);
        }
        end_stream(o);
    }
    return end_region(o);
}

static void make(const struct kind *k, struct out *o, int64_t number)
{
    struct dsn_header h = { .compression = DSN_ZLIB };
    unsigned char bytes[DSN_HEADER_SIZE] = { 0 };

    if (fwrite(bytes, 1, sizeof bytes, o->file) != sizeof bytes)
        die("cannot write");
    put_job(o, k, number);
    h.names = put_names(o, k->files > 0 ? k->files : k->posix > k->stdio ? k->posix : k->stdio);
    h.mod[DSN_POSIX_MODULE] = put_records(o, DSN_POSIX_MODULE, k, k->posix);
    if (k->stdio > 0)
        h.mod[DSN_STDIO_MODULE] = put_records(o, DSN_STDIO_MODULE, k, k->stdio);
    if (k->segments > 0)
        h.mod[DSN_DXT_POSIX_MODULE] = put_traces(o, k);
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        h.mod_version[i] = h.mod[i].len > 0 ? dsn_module_version(i) : 0;
    dsn_header_store(&h, bytes);
    if (fseek(o->file, 0, SEEK_SET) != 0 || fwrite(bytes, 1, sizeof bytes, o->file) != sizeof bytes)
        die("cannot write");
}

static void make_file(const struct kind *k, const char *path, int64_t number)
{
    static struct out out;

    random_state = 42 + (uint64_t)number;
    out.file = fopen(path, "wb");
    if (!out.file)
        die(path);
    make(k, &out, number);
    if (fclose(out.file) != 0)
        die(path);
}

/* A thousand to a directory. */
static void make_many(const struct kind *k, const char *directory, int64_t n)
{
    char path[4096];

    for (int64_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%lld", directory, (long long)(i / 1000));
        if (i % 1000 == 0 && mkdir(path, 0777) != 0 && errno != EEXIST)
            die(path);
        snprintf(path, sizeof path, "%s/%lld/job%lld.darshan", directory, (long long)(i / 1000), (long long)i);
        make_file(k, path, i);
    }
}

int main(int argc, char **argv)
{
    for (size_t i = 0; (argc == 3 || argc == 4) && i < NKINDS; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        if (argc == 3)
            make_file(&kinds[i], argv[2], 0);
        else
            make_many(&kinds[i], argv[2], atoll(argv[3]));
        return 0;
    }
    fprintf(stderr, "Usage: make-log KIND LOG\n       make-log KIND DIRECTORY N\n\nKinds:");
    for (size_t i = 0; i < NKINDS; i++)
        fprintf(stderr, " %s", kinds[i].name);
    fprintf(stderr, "\n");
    return 1;
}
