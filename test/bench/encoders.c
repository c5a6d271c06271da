/* encoders.c - bytes and time of DEFLATE encoders on the records of real logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * encoders [-r RUNS] [-e ENCODER] LOG...
 * encoders -l: the names of the encoders
 *
 * What is compressed are the regions of each log as the runtime would compress them: names, records of each module, segments
 * of traces, parts of ranks joined until they are worth a stream (log/region.h), each a zlib stream of its own. A line for
 * each log with the bytes that each encoder makes of it, then one for each encoder: bytes, their mean share of those of the
 * runtime's own encoder over the logs, and processor time, the least of so many runs (5) over all logs, in turns. All
 * streams are decompressed by zlib and compared. With -e one encoder runs once over all logs, and nothing is printed:
 * for tools that count instructions (compress_all is what to count). */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "log/deflate.h"
#include "log/region.h"
#include "util/lib/log.h"

static void die(const char *subject, const char *what)
{
    fprintf(stderr, "encoders: %s: %s\n", subject, what);
    exit(1);
}

static void *room(size_t size)
{
    void *p = malloc(size > 0 ? size : 1);

    if (!p)
        die("memory", "there is not enough");
    return p;
}

/* ------------------------------------------------------------------ what is compressed */

struct piece {
    unsigned char *bytes;
    size_t size;
};

struct job {
    const char *name;
    struct piece *piece;
    size_t npieces, bytes;
};

static void add_piece(struct job *job, const unsigned char *bytes, size_t size)
{
    struct piece p = { room(size), size };

    if (size == 0)
        return;
    memcpy(p.bytes, bytes, size);
    job->piece = realloc(job->piece, (job->npieces + 1) * sizeof *job->piece);
    if (!job->piece)
        die("memory", "there is not enough");
    job->piece[job->npieces++] = p;
    job->bytes += size;
}

/* The next stream of `in`, behind what `out` has already, which grows. Returns the bytes of `in` that it took. */
static size_t inflate_one(const unsigned char *in, size_t n, struct piece *out, size_t *have)
{
    z_stream z = { .next_in = (unsigned char *)(size_t)in, .avail_in = (uInt)n };
    int rc;

    if (inflateInit(&z) != Z_OK)
        die("zlib", "cannot begin");
    do {
        if (*have - out->size < 1 << 16) {
            *have = 2 * *have + (1 << 17);
            out->bytes = realloc(out->bytes, *have);
            if (!out->bytes)
                die("memory", "there is not enough");
        }
        z.next_out = out->bytes + out->size;
        z.avail_out = (uInt)(*have - out->size);
        rc = inflate(&z, Z_NO_FLUSH);
        out->size = *have - z.avail_out;
    } while (rc == Z_OK);
    inflateEnd(&z);
    return rc == Z_STREAM_END ? n - z.avail_in : 0;
}

static void add_region(struct job *job, FILE *f, const struct dsn_map *map)
{
    unsigned char *in = room(map->len);
    struct piece raw = { NULL, 0 };
    size_t have = 0, at = 0;

    if (fseek(f, (long)map->off, SEEK_SET) != 0 || fread(in, 1, map->len, f) != map->len)
        die(job->name, "cannot be read");
    while (at < map->len) {
        const size_t took = inflate_one(in + at, map->len - at, &raw, &have);

        if (took == 0)
            die(job->name, "has a region that zlib does not decompress");
        at += took;
        if (raw.size >= DSN_WORTH_A_STREAM || at == map->len) {
            add_piece(job, raw.bytes, raw.size);
            raw.size = 0;
        }
    }
    free(raw.bytes);
    free(in);
}

static void read_job(struct job *job, const char *path)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    const struct dsn_header *h;
    FILE *f = fopen(path, "rb");

    if (!f || darshan_reader_open_nameless(path, &log, &err) != DSN_ERR_OK)
        die(path, f ? err.text : "cannot be opened");
    h = darshan_reader_header(log);
    if (h->compression != DSN_ZLIB)
        die(path, "is not compressed by zlib");
    job->name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    add_region(job, f, &h->names);
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        add_region(job, f, &h->mod[i]);
    darshan_reader_close(log);
    fclose(f);
}

/* ------------------------------------------------------------------ encoders */

#define ISAL_LEVELS 3
#define ZLIB_LEVELS 9

struct encoder {
    const char *name;
    size_t (*compress)(const struct encoder *e, const struct piece *p, unsigned char *out, size_t most);
    int level;
};

/* Memory that an encoder works with is made once, as in a process that writes many parts. */
static size_t by_ours(const struct encoder *e, const struct piece *p, unsigned char *out, size_t most)
{
    static struct dsn_deflate work;

    (void)e;
    if (dsn__deflate_bound(p->size) > most || !dsn__deflate_begin(&work, p->size, out))
        return 0;
    dsn__deflate_more(&work, p->bytes, p->size);
    return dsn__deflate_end(&work);
}

static size_t by_zlib(const struct encoder *e, const struct piece *p, unsigned char *out, size_t most)
{
    static z_stream z;
    static int level;

    if (level != e->level && level > 0)
        deflateEnd(&z);
    if (level == e->level ? deflateReset(&z) != Z_OK : deflateInit(&z, e->level) != Z_OK)
        return 0;
    level = e->level;
    z.next_in = p->bytes;
    z.avail_in = (uInt)p->size;
    z.next_out = out;
    z.avail_out = (uInt)most;
    return deflate(&z, Z_FINISH) == Z_STREAM_END ? most - z.avail_out : 0;
}

#ifdef HAVE_ISAL
static size_t by_isal(const struct encoder *e, const struct piece *p, unsigned char *out, size_t most)
{
    static const uint32_t sizes[] = { 0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT };
    static unsigned char work[ISAL_DEF_LVL3_DEFAULT];
    static struct isal_zstream z;

    isal_deflate_stateless_init(&z);
    z.level = (uint32_t)e->level;
    z.level_buf = work;
    z.level_buf_size = sizes[e->level];
    z.gzip_flag = IGZIP_ZLIB;
    z.end_of_stream = 1;
    z.next_in = p->bytes;
    z.avail_in = (uint32_t)p->size;
    z.next_out = out;
    z.avail_out = (uint32_t)most;
    return isal_deflate_stateless(&z) == COMP_OK ? z.total_out : 0;
}
#endif

static const struct encoder encoders[] = {
    { "runtime", by_ours, 0 },
#ifdef HAVE_ISAL
    { "isal-1", by_isal, 1 },  { "isal-2", by_isal, 2 }, { "isal-3", by_isal, 3 },
#endif
    { "zlib-1", by_zlib, 1 },  { "zlib-2", by_zlib, 2 }, { "zlib-3", by_zlib, 3 },
    { "zlib-4", by_zlib, 4 },  { "zlib-5", by_zlib, 5 }, { "zlib-6", by_zlib, 6 },
    { "zlib-7", by_zlib, 7 },  { "zlib-8", by_zlib, 8 }, { "zlib-9", by_zlib, 9 },
};

#define NENCODERS (sizeof encoders / sizeof encoders[0])

/* ------------------------------------------------------------------ measuring */

struct output {
    unsigned char *bytes;
    size_t most;
};

/* Room for the largest piece, whatever encoder it is. */
static struct output output_for(const struct job *jobs, size_t n)
{
    struct output out = { NULL, 0 };

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < jobs[i].npieces; k++)
            out.most = jobs[i].piece[k].size > out.most ? jobs[i].piece[k].size : out.most;
    out.most = 2 * out.most + 1024;
    out.bytes = room(out.most);
    return out;
}

/* Returns the bytes of all streams of a job; its name is what is counted by callgrind. */
__attribute__((noinline)) size_t compress_all(const struct encoder *e, const struct job *job, const struct output *out);

size_t compress_all(const struct encoder *e, const struct job *job, const struct output *out)
{
    size_t sum = 0;

    for (size_t k = 0; k < job->npieces; k++) {
        const size_t made = e->compress(e, &job->piece[k], out->bytes, out->most);

        if (made == 0)
            die(e->name, "does not compress");
        sum += made;
    }
    return sum;
}

/* What each stream decompresses to is what it was made of. */
static void check_job(const struct encoder *e, const struct job *job, const struct output *out)
{
    for (size_t k = 0; k < job->npieces; k++) {
        const struct piece *p = &job->piece[k];
        const size_t made = e->compress(e, p, out->bytes, out->most);
        unsigned char *back = room(p->size + 1);
        uLongf n = p->size + 1;

        if (uncompress(back, &n, out->bytes, made) != Z_OK || n != p->size || memcmp(back, p->bytes, n) != 0)
            die(e->name, "makes a stream that is not what went into it");
        free(back);
    }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct result {
    size_t total;
    double ratios, seconds; /* the first: sum of logarithms of a job's bytes beside those of encoder 0 */
};

static void compare(const struct job *jobs, size_t njobs, const struct output *out, struct result *result)
{
    printf("%-44s %9s", "log", "records");
    for (size_t e = 0; e < NENCODERS; e++)
        printf(" %8s", encoders[e].name);
    for (size_t i = 0; i < njobs; i++) {
        size_t first = 0;

        printf("\n%-44.44s %9zu", jobs[i].name, jobs[i].bytes);
        for (size_t e = 0; e < NENCODERS; e++) {
            const size_t made = compress_all(&encoders[e], &jobs[i], out);

            check_job(&encoders[e], &jobs[i], out);
            first = e == 0 ? made : first;
            result[e].total += made;
            result[e].ratios += log((double)made / (double)first);
            printf(" %8zu", made);
        }
    }
    printf("\n");
}

/* Each run in turn: what else the machine does is shared by all. */
static void measure(const struct job *jobs, size_t njobs, const struct output *out, int runs, struct result *result)
{
    for (int run = 0; run < runs; run++)
        for (size_t e = 0; e < NENCODERS; e++) {
            const double began = now();

            for (size_t i = 0; i < njobs; i++)
                compress_all(&encoders[e], &jobs[i], out);
            if (run == 0 || now() - began < result[e].seconds)
                result[e].seconds = now() - began;
        }
}

static int list(void)
{
    for (size_t e = 0; e < NENCODERS; e++)
        puts(encoders[e].name);
    return 0;
}

int main(int argc, char **argv)
{
    struct result result[NENCODERS] = { 0 };
    const char *only = NULL;
    int option, runs = 5;
    struct output out;
    struct job *jobs;
    size_t n;

    while ((option = getopt(argc, argv, "r:e:l")) != -1)
        if (option == 'r')
            runs = atoi(optarg);
        else if (option == 'e')
            only = optarg;
        else if (option == 'l')
            return list();
        else
            argc = 0;
    if (argc <= optind || runs < 1) {
        fprintf(stderr, "Usage: encoders [-r RUNS] [-e ENCODER] LOG...\n");
        return 2;
    }
    n = (size_t)(argc - optind);
    jobs = calloc(n, sizeof *jobs);
    for (size_t i = 0; i < n; i++)
        read_job(&jobs[i], argv[optind + (int)i]);
    out = output_for(jobs, n);
    for (size_t e = 0; only && e < NENCODERS; e++)
        if (strcmp(only, encoders[e].name) == 0)
            for (size_t i = 0; i < n; i++)
                compress_all(&encoders[e], &jobs[i], &out);
    if (only)
        return 0;
    compare(jobs, n, &out, result);
    measure(jobs, n, &out, runs, result);
    printf("\n%-8s %9s %9s %9s\n", "encoder", "bytes", "mean", "ms");
    for (size_t e = 0; e < NENCODERS; e++)
        printf("%-8s %9zu %9.3f %9.2f\n", encoders[e].name, result[e].total, exp(result[e].ratios / (double)n),
               1e3 * result[e].seconds);
    return 0;
}
