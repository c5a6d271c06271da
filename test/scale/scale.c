/* scale.c - how long shutdown takes on machines that are not here: scale [-v] NETWORK RANKS...
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the functions that the runtime itself runs (reduce/plan.h, reduce/reduce.h, log/region.h) for simulated ranks, level
 * by
 * level of the tree, and puts bytes, messages and computing through the LogGP model (Alexandrov and others, 1995) of a
 * machine: a message takes overhead, latency and its bytes' time, twice the latency more if it is too long to be sent
 * unasked. All subtrees of one size are alike, so one of each size is made: joined with a copy of itself in which
 * ranks, nodes, ids of own files and times are others. That is what makes a million ranks possible; numbers of ranks
 * are
 * powers of two.
 *
 * NETWORK is a file of parameters, see *.net. -v prints the levels. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/record.h"
#include "base/pages.h"
#include "darshan-log-format/extension.h"
#include "reduce/plan.h"
#include "reduce/reduce.h"
#include "log/region.h"
#include "record/module.h"

/* ------------------------------------------------------------------ the machine */

static struct machine {
    double ranks_per_node, near_latency, near_bandwidth, far_latency, far_bandwidth, overhead, eager, cpu, cores;
    double rank, record, create, open_rate, writer_bandwidth, file_bandwidth, lock_bytes, lock;
} net;

static const struct {
    const char *name;
    double *value;
} parameters[] = {
    { "ranks_per_node", &net.ranks_per_node },
    { "near_latency", &net.near_latency },     /* us, within a node */
    { "near_bandwidth", &net.near_bandwidth }, /* MB/s */
    { "far_latency", &net.far_latency },       /* between nodes */
    { "far_bandwidth", &net.far_bandwidth },
    { "overhead", &net.overhead },                 /* us of processor time to send or to receive a message */
    { "eager", &net.eager },                       /* bytes up to which a message is sent unasked */
    { "cpu", &net.cpu },                           /* how much longer than here a computation takes */
    { "cores", &net.cores },                       /* that all ranks share; 0: each has its own */
    { "rank", &net.rank },                         /* us of processor time that a rank takes beside what is run here */
    { "record", &net.record },                     /* us of it for each record that it has */
    { "create", &net.create },                     /* us to create the log and to rename it */
    { "open_rate", &net.open_rate },               /* opens a second of one file */
    { "writer_bandwidth", &net.writer_bandwidth }, /* MB/s of one writer */
    { "file_bandwidth", &net.file_bandwidth },     /* MB/s of the file system to one file */
    { "lock_bytes", &net.lock_bytes },             /* granularity of its locks */
    { "lock", &net.lock },                         /* us to pass one from writer to writer */
};

#define NPARAMETERS (sizeof parameters / sizeof parameters[0])

static int read_machine(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], name[64];
    unsigned found = 0;
    double value;

    while (f && fgets(line, sizeof line, f))
        for (unsigned i = 0; line[0] != '#' && i < NPARAMETERS; i++)
            if (sscanf(line, "%63s %lf", name, &value) == 2 && strcmp(name, parameters[i].name) == 0) {
                *parameters[i].value = value;
                found++;
            }
    if (f)
        fclose(f);
    return found == NPARAMETERS;
}

static int is_near(int level)
{
    return ldexp(1, level) < net.ranks_per_node;
}

/* Microseconds of a message between ranks that are 2^level apart. */
static double message_us(int level, double size)
{
    const double latency = is_near(level) ? net.near_latency : net.far_latency;
    const double bandwidth = is_near(level) ? net.near_bandwidth : net.far_bandwidth;

    return 2 * net.overhead + latency * (size > net.eager ? 3 : 1) + size / bandwidth;
}

static double cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return ((double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3) * net.cpu;
}

/* ------------------------------------------------------------------ what the ranks have */

enum kind { SHARED = 1, PARTLY, OWN }; /* in an id's lowest bits */

static const struct load {
    const char *name;
    int shared, partly, own; /* files that all ranks have, that a sixteenth of the ranks has together, own ones */
} loads[] = {
    { "1 shared", 1, 0, 0 },
    { "1,024 shared", 1024, 0, 0 },
    { "1 own", 0, 0, 1 },
    { "1,024 own", 0, 0, 1024 },
    { "mix: 32 shared, 16 partly, 64 own", 32, 16, 64 },
};

/* A subtree whose lowest rank is 0. */
struct subtree {
    struct dsn_rank_summary *summary;
    struct dsn_shared_block shared;
    struct dsn_regions regions;
};

static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
    state ^= state << 13; /* Source: George Marsaglia, "Xorshift RNGs" (2003) */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t new_id(enum kind kind)
{
    return (next_random() & ~UINT64_C(7)) | kind;
}

/* A file that was created, written once and closed, at some time. */
static void make_record(struct dsn_rec *r, uint64_t id, int64_t rank)
{
    static const uint16_t times[] = { POSIX_F_OPEN_START_TIMESTAMP,  POSIX_F_OPEN_END_TIMESTAMP,
                                      POSIX_F_WRITE_START_TIMESTAMP, POSIX_F_WRITE_END_TIMESTAMP,
                                      POSIX_F_CLOSE_START_TIMESTAMP, POSIX_F_CLOSE_END_TIMESTAMP };
    double t = (double)(next_random() & 0x3fffff) / (1 << 22);

    memset(r, 0, dsn_rec_size(dsn_table(DSN_POSIX_MODULE)));
    r->id = id;
    r->rank = rank;
    r->v[POSIX_OPENS].i = r->v[POSIX_WRITES].i = 1;
    r->v[POSIX_BYTES_WRITTEN].i = r->v[POSIX_ACCESS1_ACCESS].i = 4096;
    r->v[POSIX_MAX_BYTE_WRITTEN].i = 4095;
    r->v[POSIX_ACCESS1_COUNT].i = 1;
    for (unsigned i = 0; i < 6; i++, t += (double)(next_random() & 63) / (1 << 22))
        r->v[times[i]].f = t;
    r->v[POSIX_F_WRITE_TIME].f = r->v[POSIX_F_META_TIME].f = (double)(next_random() & 63) / (1 << 22);
}

/* What the log says of a rank: totals, and times that are no other's. */
static void make_row(struct dsn_rec *r, int64_t rank)
{
    memset(r, 0, dsn_rec_size(&dsn_rank_table));
    r->rank = rank;
    r->v[RANK_NODE].i = (int64_t)((double)rank / net.ranks_per_node);
    r->v[RANK_BYTES_WRITTEN].i = 4096;
    r->v[RANK_F_WRITE_TIME].f = (double)(next_random() & 0xffff) / (1 << 22);
    r->v[RANK_F_META_TIME].f = (double)(next_random() & 0xffff) / (1 << 22);
}

static int by_id(const void *a, const void *b)
{
    const struct dsn_known_id *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* `ids` are those of shared and partly shared files. */
static struct dsn_rank_summary *summary_of(const struct load *l, const uint64_t *ids, int rank)
{
    const int known = l->shared + l->partly, n = known + l->own;
    struct dsn_rank_summary *f = dsn__rank_summary_new((uint64_t)n, 1);
    struct dsn_known_id *mask = dsn__rank_summary_ids(f);

    f->ranks = f->participants = 1;
    f->lowest_records = 1;
    f->active = 1 << DSN_INDEX_POSIX;
    f->bytes = (uint64_t)n * (dsn_rec_size(dsn_table(DSN_POSIX_MODULE)) + 48);
    for (int i = 0; i < n; i++)
        mask[i] = (struct dsn_known_id){ i < known ? ids[i] : new_id(OWN), 1 << DSN_INDEX_POSIX };
    qsort(mask, (size_t)n, sizeof mask[0], by_id);
    dsn__rank_summary_nodes(f)->rank = rank;
    dsn__rank_summary_nodes(f)->hash = 1;
    strcpy(dsn__rank_summary_nodes(f)->name, "node00000001");
    return f;
}

static void add_name(struct dsn_regions *r, uint64_t id, int number)
{
    char name[64];
    const size_t n = (size_t)snprintf(name, sizeof name, "/scratch/project/run/file.%d.%d", number, number % 7) + 1;
    char *to = dsn__region_room(r, 0, 8 + n);

    memcpy(to, &id, 8);
    memcpy(to + 8, name, n);
    r->of[0].raw += 8 + n;
}

/* What a rank has beside shared records; rank 0's are added at the end. */
static void fill_rank(const struct load *l, const uint64_t *ids, struct dsn_regions *r)
{
    const size_t each = dsn_rec_size(dsn_table(DSN_POSIX_MODULE));
    char *to = dsn__region_room(r, 1 + DSN_INDEX_POSIX, (size_t)(l->partly + l->own) * each + 1);
    const size_t row = dsn_rec_size(&dsn_rank_table);

    for (int i = 0; i < l->partly + l->own; i++, to += each) {
        const uint64_t id = i < l->partly ? ids[l->shared + i] : new_id(OWN);

        make_record((struct dsn_rec *)(void *)to, id, 0);
        add_name(r, id, i);
    }
    dsn__region_added(r, 0, 0);
    dsn__region_added(r, 1 + DSN_INDEX_POSIX, (size_t)(l->partly + l->own) * each);
    make_row((struct dsn_rec *)(void *)dsn__region_room(r, DSN_REGION_RANKS, row), 0);
    dsn__region_added(r, DSN_REGION_RANKS, row);
}

/* ------------------------------------------------------------------ copies for higher ranks */

static uint64_t other(uint64_t id, uint64_t salt, int is_elsewhere)
{
    if ((id & 7) == OWN || ((id & 7) == PARTLY && is_elsewhere))
        return id ^ (salt & ~UINT64_C(7));
    return id;
}

/* The summary of the next 2^level ranks; `is_elsewhere`: these are not among those that share a partly shared file. */
static struct dsn_rank_summary *next_summary(const struct dsn_rank_summary *f, int level, int is_elsewhere)
{
    struct dsn_rank_summary *copy = dsn__rank_summary_new(f->nids, f->nnodes);
    const uint64_t salt = next_random();

    memcpy(copy, f, dsn__rank_summary_size(f));
    for (uint64_t i = 0; i < copy->nids; i++)
        dsn__rank_summary_ids(copy)[i].id = other(dsn__rank_summary_ids(f)[i].id, salt, is_elsewhere);
    qsort(dsn__rank_summary_ids(copy), copy->nids, sizeof(struct dsn_known_id), by_id);
    for (uint64_t i = 0; i < copy->nnodes; i++) {
        dsn__rank_summary_nodes(copy)[i].rank += INT64_C(1) << level;
        dsn__rank_summary_nodes(copy)[i].hash += is_near(level) ? 0 : f->nnodes;
        snprintf(dsn__rank_summary_nodes(copy)[i].name, DSN_HOST_NAME_MAX, "node%08llu",
                 (unsigned long long)dsn__rank_summary_nodes(copy)[i].hash);
    }
    return copy;
}

/* A message of the next ranks: what is not compressed yet has other ids and times; streams are as long as they were. */
static void vary(char *message, const struct dsn_regions *r, size_t before, int first, int is_elsewhere)
{
    const size_t each = dsn_rec_size(dsn_table(DSN_POSIX_MODULE));
    const uint64_t salt = next_random();
    char *at = message + before;

    for (int region = first; region < DSN_NREGIONS; region++) {
        char *end = at + r->of[region].packed + r->of[region].raw;
        uint64_t id;

        at += r->of[region].packed;
        for (; at < end && region == DSN_REGION_RANKS; at += dsn_rec_size(&dsn_rank_table))
            make_row((struct dsn_rec *)(void *)at, (int64_t)next_random() & 0xffff);
        while (at < end && region < 2) {
            memcpy(&id, at, 8);
            id = other(id, salt, is_elsewhere);
            if (region == 1)
                make_record((struct dsn_rec *)(void *)at, id, (int64_t)next_random() & 0xffff);
            memcpy(at, &id, 8);
            at += region == 1 ? each : 8 + strlen(at + 8) + 1;
        }
        at = end;
    }
}

/* ------------------------------------------------------------------ levels */

/* What the sweeps have cost so far on the way to rank 0, and in all. */
struct cost {
    double us;              /* until all of it is at rank 0 */
    double work;            /* us of processors, of all ranks together */
    double messages, bytes; /* of all ranks together */
    double peak;            /* bytes of memory of the rank that has most */
};

static int is_verbose;

/* What so many ranks do at the same time, each for itself. */
static void alone(struct cost *c, const char *what, double us, double ranks)
{
    c->us += us;
    c->work += us * ranks;
    if (is_verbose)
        printf("    %-5s %8.0f ranks, each alone: %.0f us computing\n", what, ranks, us);
}

/* Messages of `size` bytes between ranks that are 2^level apart, `n` at the same time; who receives one needs `cpu` us
 * for it, and `held` bytes. Through shared memory it is processors that move the bytes. */
static void exchange(struct cost *c, const char *sweep, int level, double n, double size, double cpu, double held)
{
    const double us = message_us(level, size) + cpu;

    c->us += us;
    c->work += n * (2 * net.overhead + (is_near(level) ? size / net.near_bandwidth : 0) + cpu);
    c->messages += n;
    c->bytes += n * size;
    c->peak = held > c->peak ? held : c->peak;
    if (is_verbose)
        printf("    %-5s %8.0f ranks joined: %8.0f messages of %9.0f bytes, %8.0f us computing, %8.0f us, %7.2f MiB "
               "held\n",
               sweep, ldexp(1, level + 1), n, size, cpu, us, held / 1048576);
}

/* A level of a sweep up: half of `subtrees` send to the other half. */
static void go_up(struct cost *c, const char *sweep, int level, double subtrees, double size, double cpu, double held)
{
    exchange(c, sweep, level, subtrees / 2, size, cpu, held);
}

static void go_down(struct cost *c, const char *sweep, int levels, double size)
{
    for (int level = levels - 1; level >= 0; level--)
        exchange(c, sweep, level, ldexp(1, levels - level - 1), size, 0, size);
}

static struct dsn_rank_summary *sweep_summaries(struct cost *c, const struct load *l, const uint64_t *ids, int levels)
{
    const double begin = cpu_us();
    struct dsn_rank_summary *f = summary_of(l, ids, 0);

    alone(c, "summaries", cpu_us() - begin + (net.rank + net.record * (l->shared + l->partly + l->own)) * net.cpu,
          ldexp(1, levels));
    for (int level = 0; level < levels; level++) {
        struct dsn_rank_summary *theirs = next_summary(f, level, level >= levels - 4);
        const double size = (double)dsn__rank_summary_size(theirs), before = cpu_us();

        f = dsn__rank_summary_join(f, theirs);
        go_up(c, "summaries", level, ldexp(1, levels - level), size, cpu_us() - before,
              2 * size + (double)dsn__rank_summary_size(f));
        dsn__pages_free(theirs);
    }
    return f;
}

static double held_by(const struct dsn_regions *r)
{
    double n = 0;

    for (int i = 0; i < DSN_NREGIONS; i++)
        n += (double)r->of[i].room;
    return n;
}

static const struct dsn_rec *record_of(void *context, enum dsn_module_index module, uint64_t id)
{
    (void)module;
    make_record(context, id, 0);
    return context;
}

/* Bytes of the regions from `first` on. */
static size_t size_of(const struct dsn_regions *r, int first)
{
    size_t n = 0;

    for (int i = first; i < DSN_NREGIONS; i++)
        n += r->of[i].packed + r->of[i].raw;
    return n;
}

/* Bytes of a subtree's names and records. */
static double stored(const struct dsn_regions *r)
{
    double n = 0;

    for (int i = 0; i < DSN_REGION_RANKS; i++)
        n += (double)r->of[i].packed;
    return n;
}

/* The third sweep. Returns the log's bytes; *of_writer are those that one rank of a group has. */
static double sweep_records(struct cost *c, const struct load *l, const uint64_t *ids, const struct dsn_plan *plan,
                            int levels, double *of_writer)
{
    static union {
        struct dsn_rec rec;
        char bytes[8192];
    } room;
    struct subtree s = { 0 };
    double begin = cpu_us(), before, mine;
    int64_t ranks = 1;

    s.shared.size = dsn__block_bytes(plan);
    s.shared.bytes = dsn__pages(s.shared.size);
    dsn__block_add(plan, s.shared.bytes, 0, record_of, NULL, &room);
    fill_rank(l, ids, &s.regions);
    alone(c, "records", cpu_us() - begin, ldexp(1, levels));
    for (int level = 0; level < levels; level++, ranks *= 2) {
        const int first = plan->ranks_per_writer > 0 && ranks >= plan->ranks_per_writer ? DSN_REGION_RANKS : 0;
        char *head = dsn__pages(s.shared.size), *message;
        size_t size;

        if (first > 0 && *of_writer == 0) {
            before = cpu_us();
            dsn__regions_flush(&s.regions);
            alone(c, "records", cpu_us() - before, ldexp(1, levels - level));
            *of_writer = stored(&s.regions);
        }
        memcpy(head, s.shared.bytes, s.shared.size);
        message = dsn__regions_message(&s.regions, first, head, s.shared.size, dsn__pages_grow, &size);
        vary(message, &s.regions, size - size_of(&s.regions, first), first, level >= levels - 4);
        before = cpu_us();
        dsn__block_merge(plan, message, s.shared.bytes);
        dsn__regions_join(&s.regions, message + s.shared.size, size - s.shared.size);
        go_up(c, "records", level, ldexp(1, levels - level), (double)size, cpu_us() - before,
              held_by(&s.regions) + 2 * (double)size + (double)s.shared.size);
        dsn__pages_free(message);
    }
    begin = cpu_us();
    dsn__block_finalize(plan, &s.shared);
    for (uint64_t i = 0; i < plan->n; i++)
        add_name(&s.regions, dsn__plan_shared_ids(plan)[i].id, (int)i);
    memcpy(dsn__region_room(&s.regions, 1, s.shared.size), s.shared.bytes + 8, s.shared.size - 8);
    dsn__region_added(&s.regions, 1, s.shared.size - 8);
    dsn__regions_flush(&s.regions);
    alone(c, "records", cpu_us() - begin, 1);
    mine = *of_writer > 0 ? *of_writer * ldexp(1, levels) / (double)plan->ranks_per_writer : stored(&s.regions);
    mine += (double)s.regions.of[DSN_REGION_RANKS].packed;
    dsn__pages_free(s.shared.bytes);
    dsn__regions_free(&s.regions);
    return mine;
}

/* ------------------------------------------------------------------ the file */

#define PARTS 4 /* of a writer, each of which ends in a block where the next writer's begins */

/* One rank writes all of it; or many at once, each at its own places. */
static double write_us(const struct dsn_plan *plan, double ranks, double bytes)
{
    const int many = plan->ranks_per_writer > 0;
    const double writers = many ? ceil(ranks / (double)plan->ranks_per_writer) : 1;
    const double out = bytes / fmin(writers * net.writer_bandwidth, net.file_bandwidth);
    const double opens = many ? writers / net.open_rate * 1e6 : 0;
    const double locks = many ? (ceil(bytes / writers / net.lock_bytes) + PARTS) * net.lock : 0;

    if (is_verbose)
        printf("    file  %8.0f writers: %.0f us creating it, %.0f opening, %.0f locking, %.0f writing\n", writers,
               net.create, opens, locks, out);
    return net.create + opens + locks + out;
}

static void simulate(const struct load *l, int levels)
{
    const double ranks = ldexp(1, levels);
    struct cost c = { 0 };
    uint64_t *ids = calloc((size_t)(l->shared + l->partly) + 1, sizeof ids[0]);
    double of_writer = 0, bytes, write, us;
    struct dsn_rank_summary *f;
    struct dsn_plan *plan;

    for (int i = 0; i < l->shared + l->partly; i++)
        ids[i] = new_id(i < l->shared ? SHARED : PARTLY);
    f = sweep_summaries(&c, l, ids, levels);
    plan = dsn__plan_make(f, 1, dsn__plan_ranks_per_writer(f, 1, f->nids * 48, 16 << 20, 1), NULL);
    go_down(&c, "plan", levels, (double)dsn__plan_size(plan));
    bytes = sweep_records(&c, l, ids, plan, levels, &of_writer);
    if (plan->ranks_per_writer > 0) /* lengths, begins, the verdict */
        for (int level = 0; level < levels; level++)
            c.us += 3 * message_us(level, ldexp(1, level) < (double)plan->ranks_per_writer ? 0 : 96);
    write = write_us(plan, ranks, bytes);
    us = net.cores > 0 && c.work / net.cores > c.us ? c.work / net.cores : c.us;
    printf("%8.0f  %-34s %9.4f s = %8.4f sweeps + %8.4f file; %6lld %8.0f MB, %9.0f messages, %7.2f MiB/rank\n", ranks,
           l->name, (us + write) * 1e-6, us * 1e-6, write * 1e-6, (long long)plan->ranks_per_writer, bytes / 1e6,
           c.messages, c.peak / 1048576);
    dsn__pages_free(plan);
    dsn__pages_free(f);
    free(ids);
}

int main(int argc, char **argv)
{
    int at = 1;

    if (argc > at && strcmp(argv[at], "-v") == 0)
        is_verbose = at++;
    if (argc < at + 2 || !read_machine(argv[at])) {
        fprintf(stderr, "Usage: scale [-v] NETWORK RANKS...; NETWORK has to have all %u parameters\n",
                (unsigned)NPARAMETERS);
        return 2;
    }
    printf("%s\n   ranks  files\n", argv[at]);
    for (at++; at < argc; at++)
        for (unsigned i = 0; i < sizeof loads / sizeof loads[0]; i++)
            simulate(&loads[i], (int)(log2(atof(argv[at])) + 0.5));
    return 0;
}
