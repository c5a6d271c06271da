/* make-logs.c - logs of a synthetic site: make-logs DIRECTORY N [DAYS]
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * N logs, spread evenly over DAYS (60) from 2026-01-01 on, of eight projects, whose programs use files in the ways
 * below. The same N and DAYS give the same logs. Log i is of job 1000 + i, but for every fifth, which is another run in
 * the job of the log before. */
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

#define FIRST_DAY  1767225600 /* 2026-01-01 */
#define MOST_BYTES ((size_t)1 << 18)
#define KIB        ((int64_t)1024)
#define MIB        ((int64_t)1048576)

enum who { EACH_ITS_OWN, ALL_ONE, SOME_ONE, FIRST_ONE, MANY_EACH, NOBODY };

static const struct way {
    const char *program;
    enum who who;
    int mpiio, h5, stdio, reads, writes; /* reads, writes: of the calls on a file, thousandths */
    int64_t call, calls;                 /* bytes of a call; calls a process, about */
    int least, most;                     /* processes: powers of two */
} ways[] = {
    { "climate", SOME_ONE, 0, 0, 0, 100, 900, 64 * KIB, 200, 4, 10 },
    { "combust", EACH_ITS_OWN, 0, 0, 0, 0, 1000, 4 * MIB, 40, 0, 5 },
    { "lattice", ALL_ONE, 1, 0, 0, 900, 100, MIB, 60, 6, 14 },
    { "plasma", ALL_ONE, 1, 1, 0, 50, 950, 4 * MIB, 30, 8, 16 },
    { "genome", MANY_EACH, 0, 0, 1, 700, 300, 4 * KIB, 20, 0, 2 },
    { "earth", MANY_EACH, 0, 0, 0, 990, 10, 100 * KIB, 9, 0, 3 },
    { "reactor", FIRST_ONE, 0, 0, 1, 300, 700, 8 * KIB, 500, 5, 12 },
    { "train", ALL_ONE, 0, 0, 0, 1000, 0, 128 * KIB, 300, 0, 9 },
    { "monte", NOBODY, 0, 0, 0, 0, 0, 0, 0, 4, 12 },
    { "bash", FIRST_ONE, 0, 0, 1, 500, 500, 100, 5, 0, 0 },
};
#define NWAYS     ((int)(sizeof ways / sizeof ways[0]))
#define NPROJECTS 8

struct region {
    unsigned char bytes[MOST_BYTES];
    size_t n;
};

struct making {
    struct dsn_job job;
    const struct way *way;
    int64_t number, run, project;
    double speed; /* bytes a second of a process */
    struct region names, module[DSN_MODULE_SLOTS];
};

static void die(const char *what)
{
    fprintf(stderr, "make-logs: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Source: Sebastiano Vigna, splitmix64 (public domain). */
static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static int64_t between(int64_t least, int64_t most)
{
    return least + (int64_t)(next_random() % (uint64_t)(most - least + 1));
}

static void append(struct region *to, const void *bytes, size_t n)
{
    if (sizeof to->bytes - to->n < n) {
        errno = ENOSPC;
        die("a region");
    }
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

/* ------------------------------------------------------------------ records */

/* Calls of a record, by kind, and the time that they took. */
struct calls {
    int64_t reads, writes, size;
    double read_time, write_time, meta_time, begin;
};

/* Each run is different. */
static struct calls calls_of(const struct making *m, int64_t processes)
{
    const int64_t n = processes * between(m->way->calls / 2, m->way->calls * 3 / 2);
    struct calls c = { .reads = n * m->way->reads / 1000, .size = m->way->call };

    c.writes = n * m->way->writes / 1000;
    c.read_time = (double)(c.reads * c.size) / m->speed;
    c.write_time = (double)(c.writes * c.size) / m->speed;
    c.meta_time = 0.001 * (double)(processes * between(1, 20));
    c.begin = 1 + (double)(next_random() % 1000) / 100;
    return c;
}

static void fill_posix(union dsn_val *v, const struct calls *c, int64_t processes)
{
    v[POSIX_OPENS].i = processes;
    v[POSIX_READS].i = c->reads;
    v[POSIX_WRITES].i = c->writes;
    v[POSIX_SEEKS].i = c->size < 100 * KIB ? c->reads + c->writes : 0;
    v[POSIX_BYTES_READ].i = c->reads * c->size;
    v[POSIX_BYTES_WRITTEN].i = c->writes * c->size;
    v[POSIX_SEQ_READS].i = c->reads * 9 / 10;
    v[POSIX_SEQ_WRITES].i = c->writes * 9 / 10;
    v[POSIX_CONSEC_READS].i = c->reads / 2;
    v[POSIX_CONSEC_WRITES].i = c->writes / 2;
    v[POSIX_FILE_NOT_ALIGNED].i = c->size % MIB ? c->reads + c->writes : 0;
    v[POSIX_SIZE_READ_0_100 + (int)dsn_size_bin(c->size)].i = c->reads;
    v[POSIX_SIZE_WRITE_0_100 + (int)dsn_size_bin(c->size)].i = c->writes;
    v[POSIX_ACCESS1_ACCESS].i = c->size;
    v[POSIX_ACCESS1_COUNT].i = c->reads + c->writes;
    v[POSIX_F_READ_TIME].f = c->read_time;
    v[POSIX_F_WRITE_TIME].f = c->write_time;
    v[POSIX_F_META_TIME].f = c->meta_time;
    v[POSIX_F_OPEN_START_TIMESTAMP].f = c->begin;
    v[POSIX_F_READ_START_TIMESTAMP].f = c->reads ? c->begin + 0.01 : 0;
    v[POSIX_F_WRITE_START_TIMESTAMP].f = c->writes ? c->begin + (c->reads % 2 ? 0.005 : 0.02) : 0;
    v[POSIX_F_READ_END_TIMESTAMP].f = c->reads ? c->begin + (c->read_time + c->write_time) / (double)processes : 0;
    v[POSIX_F_WRITE_END_TIMESTAMP].f = c->writes ? c->begin + (c->read_time + c->write_time) / (double)processes : 0;
    v[POSIX_F_SLOWEST_RANK_TIME].f = 1.5 * (c->read_time + c->write_time + c->meta_time) / (double)processes;
}

static void fill_stdio(union dsn_val *v, const struct calls *c, int64_t processes)
{
    v[STDIO_OPENS].i = processes;
    v[STDIO_READS].i = c->reads;
    v[STDIO_WRITES].i = c->writes;
    v[STDIO_BYTES_READ].i = c->reads * c->size;
    v[STDIO_BYTES_WRITTEN].i = c->writes * c->size;
    v[STDIO_F_READ_TIME].f = c->read_time;
    v[STDIO_F_WRITE_TIME].f = c->write_time;
    v[STDIO_F_META_TIME].f = c->meta_time;
}

static void fill_mpiio(union dsn_val *v, const struct calls *c, int64_t processes)
{
    v[MPIIO_COLL_OPENS].i = processes;
    v[MPIIO_COLL_READS].i = c->reads;
    v[MPIIO_COLL_WRITES].i = c->writes;
    v[MPIIO_BYTES_READ].i = c->reads * c->size;
    v[MPIIO_BYTES_WRITTEN].i = c->writes * c->size;
    v[MPIIO_F_READ_TIME].f = c->read_time * 1.1;
    v[MPIIO_F_WRITE_TIME].f = c->write_time * 1.1;
}

static void put_record(struct making *m, unsigned module, uint64_t id, int64_t rank, const struct calls *c,
                       int64_t processes)
{
    union dsn_any_rec r = { .room = { 0 } };

    r.rec.id = id;
    r.rec.rank = rank;
    if (module == DSN_POSIX_MODULE)
        fill_posix(r.rec.v, c, processes);
    else if (module == DSN_STDIO_MODULE)
        fill_stdio(r.rec.v, c, processes);
    else if (module == DSN_MPIIO_MODULE)
        fill_mpiio(r.rec.v, c, processes);
    else
        r.rec.v[H5F_OPENS].i = processes;
    append(&m->module[module], &r.rec, dsn_rec_size(dsn_table(module)));
}

/* A file that `rank` (-1: all of them) uses by itself, or as one of several. */
static void put_file(struct making *m, int64_t file, int64_t rank, int is_first)
{
    const int64_t processes = rank < 0 ? m->job.nprocs : 1;
    const struct calls c = calls_of(m, processes);
    char name[120];
    const int n = snprintf(name, sizeof name, "/scratch/project%lld/%s/run%lld/part.%05lld", (long long)m->project,
                           m->way->program, (long long)m->number, (long long)file);
    const uint64_t id = dsn_hash(name, (size_t)n, 0);

    if (is_first) {
        append(&m->names, &id, sizeof id);
        append(&m->names, name, (size_t)n + 1);
    }
    put_record(m, m->way->stdio ? DSN_STDIO_MODULE : DSN_POSIX_MODULE, id, rank, &c, processes);
    if (m->way->mpiio)
        put_record(m, DSN_MPIIO_MODULE, id, rank, &c, processes);
    if (m->way->h5)
        put_record(m, DSN_H5F_MODULE, id, rank, &c, processes);
}

static void put_files(struct making *m)
{
    const int64_t nprocs = m->job.nprocs;

    switch (m->way->who) {
    case EACH_ITS_OWN:
        for (int64_t rank = 0; rank < nprocs; rank++)
            put_file(m, rank, rank, 1);
        break;
    case MANY_EACH:
        for (int64_t i = 0; i < 12 * nprocs; i++)
            put_file(m, i, i % nprocs, 1);
        break;
    case ALL_ONE:
        for (int64_t i = 0; i < 1 + m->number % 3; i++)
            put_file(m, i, -1, 1);
        break;
    case SOME_ONE:
        for (int64_t i = 0; i < nprocs && i < 8; i++)
            put_file(m, 0, i * (nprocs / (nprocs < 8 ? nprocs : 8)), i == 0);
        break;
    case FIRST_ONE:
        put_file(m, 0, 0, 1);
        put_file(m, 1, 0, 1);
        break;
    default:
        break;
    }
}

/* ------------------------------------------------------------------ logs */

static struct dsn_map put_region(FILE *to, const void *bytes, size_t n)
{
    static unsigned char packed[MOST_BYTES + 4096];
    uLongf size = sizeof packed;
    struct dsn_map map = { (uint64_t)ftell(to), 0 };

    if (n == 0)
        return (struct dsn_map){ 0, 0 };
    if (compress2(packed, &size, bytes, n, 1) != Z_OK || fwrite(packed, 1, size, to) != size)
        die("cannot write");
    map.len = size;
    return map;
}

static void write_log(const struct making *m, const char *path)
{
    struct dsn_header h = { .compression = DSN_ZLIB };
    unsigned char bytes[DSN_HEADER_SIZE] = { 0 }, job[DSN_JOB_SIZE + 300];
    FILE *to = fopen(path, "wb");
    size_t n = DSN_JOB_SIZE;

    if (!to || fwrite(bytes, 1, sizeof bytes, to) != sizeof bytes)
        die(path);
    dsn_job_store(&m->job, job);
    n += 1 + (size_t)snprintf((char *)job + n, 300, "/home/user%lld/bin/%s --case %lld\nlustre\t/scratch\nnfs4\t/home",
                              (long long)m->job.uid, m->way->program, (long long)m->run);
    put_region(to, job, n);
    h.names = put_region(to, m->names.bytes, m->names.n);
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++) {
        h.mod[i] = put_region(to, m->module[i].bytes, m->module[i].n);
        h.mod_version[i] = h.mod[i].len > 0 ? dsn_module_version(i) : 0;
    }
    dsn_header_store(&h, bytes);
    if (fseek(to, 0, SEEK_SET) != 0 || fwrite(bytes, 1, sizeof bytes, to) != sizeof bytes || fclose(to) != 0)
        die(path);
}

/* Runs of a program differ in size, project and speed, but for who ran it and how in one job. */
static void make(struct making *m, int64_t number, int64_t n, int64_t days)
{
    const int64_t start = FIRST_DAY + number * (days * 86400 / n);
    const int64_t first = number % 5 == 4 ? number - 1 : number; /* of its job */
    int64_t nodes;

    random_state = (uint64_t)first;
    m->names.n = 0;
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        m->module[i].n = 0;
    m->number = number;
    m->run = first % 50;
    m->way = &ways[next_random() % (uint64_t)NWAYS];
    random_state = (uint64_t)number;
    m->project = (int64_t)(m->way - ways + (first % 5 == 0)) % NPROJECTS;
    m->speed = (double)MIB * (double)((int64_t)1 << m->project) * (double)between(5, 35) / 10;
    m->job = (struct dsn_job){ .uid = 5000 + 10 * m->project + first % 3,
                               .start_sec = start,
                               .end_sec = start + between(60, 7200),
                               .nprocs = (int64_t)1 << between(m->way->least, m->way->most),
                               .jobid = 1000 + first };
    nodes = (m->job.nprocs + 31) / 32;
    snprintf(m->job.metadata, sizeof m->job.metadata, "lib_ver=3.5.0\nnnodes=%lld\n", (long long)nodes);
    put_files(m);
}

int main(int argc, char **argv)
{
    static struct making m;
    const int64_t n = argc > 2 ? atoll(argv[2]) : 0, days = argc > 3 ? atoll(argv[3]) : 60;
    char path[4096];

    if (n <= 0 || days <= 0) {
        fprintf(stderr, "Usage: make-logs DIRECTORY N [DAYS]\n");
        return 2;
    }
    for (int64_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%lld", argv[1], (long long)(i / 1000));
        if (i % 1000 == 0 && mkdir(path, 0777) != 0 && errno != EEXIST)
            die(path);
        make(&m, i, n, days);
        snprintf(path, sizeof path, "%s/%lld/%s_%lld.darshan", argv[1], (long long)(i / 1000), m.way->program,
                 (long long)i);
        write_log(&m, path);
    }
    return 0;
}
