/* run.c - runs a cell, measures it, and verifies its product
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/spmv/spmv.h"

#include <fcntl.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "measure/spmv/product.h"

#define UNIT 65536 /* bytes of the study's stripe */

/* ------------------------------------------------------------------ the file of rows */

static char to_remove[sizeof((struct dsn_spmv *)0)->path];

static void on_signal(int number)
{
    unlink(to_remove);
    signal(number, SIG_DFL);
    raise(number);
}

static int make_file(struct dsn_spmv *s)
{
    const double bytes = (double)s->matrix.rows * (double)DSN_DENSE_RECORD(s->matrix.columns);
    struct statvfs fs;

    if (statvfs(s->settings->directory, &fs) == 0 && (double)fs.f_bavail * (double)fs.f_frsize < 1.05 * bytes)
        return dsn_spmv_fail(&s->error, "has too little space for a file of %.1f MiB; use another --dir",
                             bytes / 0x1p20);
    if ((size_t)snprintf(s->path, sizeof s->path, "%s/darshan-spmv.XXXXXX", s->settings->directory) >= sizeof s->path)
        return dsn_spmv_fail(&s->error, "the directory's name is too long");
    s->fd = mkostemp(s->path, O_CLOEXEC);
    if (s->fd < 0)
        return dsn_spmv_fail(&s->error, "cannot create a file in it: %s", strerror(errno));
    memcpy(to_remove, s->path, sizeof to_remove);
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    return dsn_sparse_write(&s->matrix, s->fd, &s->error) &&
           (fsync(s->fd) == 0 || dsn_spmv_fail(&s->error, "cannot be written: %s", strerror(errno)));
}

/* Broadcasts rank 0's result. */
static int all_told(struct dsn_spmv *s, int is_well)
{
    MPI_Bcast(&is_well, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!is_well)
        MPI_Bcast(&s->error, sizeof s->error, MPI_BYTE, 0, MPI_COMM_WORLD);
    return is_well;
}

static int imitates(const struct dsn_imitated *i)
{
    return i->bytes_per_second > 0 || i->work_seconds > 0 || i->slow > 0;
}

int dsn_spmv_open(struct dsn_spmv *s, const struct dsn_spmv_settings *settings, struct dsn_sparse *matrix)
{
    *s = (struct dsn_spmv){ .settings = settings, .fd = -1 };
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
    if (s->rank == 0) {
        s->matrix = *matrix;
        s->rows = matrix->rows;
        s->columns = matrix->columns;
        s->entries = matrix->entries;
    }
    *matrix = (struct dsn_sparse){ .rows = 0 };
    if (!all_told(s, s->rank != 0 || make_file(s)))
        return 0;
    MPI_Bcast(s->path, sizeof s->path, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&s->rows, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Bcast(&s->columns, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Bcast(&s->entries, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (imitates(&settings->imitated) && !(s->imitation = dsn_imitation_open(&settings->imitated)))
        return dsn_spmv_fail(&s->error, "imitations need all processes on one node");
    return 1;
}

void dsn_spmv_close(struct dsn_spmv *s)
{
    dsn_imitation_close(s->imitation);
    s->imitation = NULL;
    if (s->fd >= 0) {
        close(s->fd);
        unlink(s->path);
    }
    s->fd = -1;
    free(s->y);
    dsn_sparse_free(&s->matrix);
}

/* ------------------------------------------------------------------ one run of a cell */

/* A process's state while it runs a cell. */
struct worker {
    struct dsn_spmv *s;
    const struct dsn_spmv_cell *cell;
    MPI_Comm comm;
    int index, has_work; /* or only reads */
    double *x;           /* vectors, one after another */
    double *y;           /* products, vector by vector; 0 where other processes multiply */
    struct dsn_compressed block;
    int64_t rows;
    uint64_t digest; /* of what was compressed, where nothing is multiplied */
    double seconds, work, longest;
    struct darshan_sched_counts counts;
    char error[256];
};

/* A barrier whose waiting processes yield the processor increasingly. */
static void meet(MPI_Comm comm)
{
    struct timespec t = { .tv_nsec = 10000 };
    MPI_Request all;
    int done = 0;

    MPI_Ibarrier(comm, &all);
    while (MPI_Test(&all, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        nanosleep(&t, NULL);
        t.tv_nsec += t.tv_nsec < 1000000 ? t.tv_nsec / 4 : 0;
    }
}

static int prepare(struct worker *w)
{
    const struct dsn_spmv *s = w->s;
    const size_t n = (size_t)w->cell->vectors;

    w->x = malloc((n * (size_t)s->columns + 1) * sizeof *w->x);
    w->y = calloc(n * (size_t)s->rows + 1, sizeof *w->y);
    if (!dsn_compressed_init(&w->block, w->cell->per_block < s->rows ? w->cell->per_block : s->rows, s->columns) ||
        !w->x || !w->y)
        return 0;
    for (int64_t v = 0; v < w->cell->vectors; v++)
        for (int64_t c = 0; c < s->columns; c++)
            w->x[v * s->columns + c] = dsn_vector_entry(c, v);
    return 1;
}

/* Checks that every row contains its index according to the block. */
static int check_rows(struct worker *w, const struct darshan_sched_block *b, int64_t *first)
{
    const double *row = b->data;

    *first = b->first >= 0 ? b->first : (int64_t)row[0];
    for (int64_t i = 0; i < b->count; i++) {
        const double number = row[i * (1 + w->s->columns)];

        if (number != (double)(*first + i)) {
            snprintf(w->error, sizeof w->error, "got row %.0f instead of row %lld", number, (long long)*first + i);
            return 0;
        }
    }
    return 1;
}

static int work_on(struct worker *w, const struct darshan_sched_block *b)
{
    const struct dsn_spmv *s = w->s;
    const double begin = MPI_Wtime();
    int64_t first;
    double took;

    w->rows += b->count;
    if (!w->has_work)
        return 1;
    if (!check_rows(w, b, &first))
        return 0;
    dsn_compress((const double *)b->data + 1, b->count, s->columns, 1 + s->columns, &w->block);
    for (int64_t v = 0; v < w->cell->vectors; v++)
        dsn_multiply(&w->block, w->x + v * s->columns, w->y + v * s->rows + first);
    if (s->imitation)
        dsn_imitated_work(s->imitation, w->index, begin,
                          s->entries > 0 ? (double)(w->block.ia[b->count] - 1) / (double)s->entries : 0,
                          w->cell->vectors);
    took = MPI_Wtime() - begin;
    if (w->cell->vectors == 0)
        w->digest += dsn_compressed_digest(&w->block, first);
    w->work += took;
    w->longest = took > w->longest ? took : w->longest;
    return 1;
}

static int run_worker(struct worker *w)
{
    const struct dsn_spmv *s = w->s;
    const int reads_slowly = s->imitation && s->settings->imitated.bytes_per_second > 0;
    const struct darshan_sched_plan plan = { .path = s->path,
                                             .record = DSN_DENSE_RECORD(s->columns),
                                             .records = s->rows,
                                             .per_block = w->cell->per_block,
                                             .how = w->cell->how,
                                             .mode = w->cell->mode,
                                             .buffers = w->cell->buffers,
                                             .not_before = reads_slowly ? dsn_imitated_read : NULL,
                                             .context = s->imitation };
    struct darshan_sched *sched = darshan_sched_open(w->comm, &plan, w->error, sizeof w->error);
    struct darshan_sched_block b;
    double begin;
    int rc;

    if (!sched)
        return 0;
    meet(w->comm);
    begin = MPI_Wtime();
    while ((rc = darshan_sched_next(sched, &b)) > 0 && (rc = work_on(w, &b)))
        ;
    w->seconds = MPI_Wtime() - begin;
    if (rc < 0)
        snprintf(w->error, sizeof w->error, "%.200s", darshan_sched_error(sched));
    meet(w->comm);
    darshan_sched_close(sched, &w->counts);
    return rc == 0 && w->error[0] == '\0';
}

/* Sums of all processes, on rank 0 of the communicator. */
static void sum_up(struct worker *w, struct dsn_spmv_result *out)
{
    const struct darshan_sched_counts *c = &w->counts;
    const double mine[] = { w->work, c->begin_seconds, c->wait_seconds }, most[] = { w->seconds, w->longest };
    const int64_t counts[] = { c->blocks, c->calls, c->ready, c->go, c->stop, c->fetches, c->bytes };
    double sum[3], top[2];
    int64_t all[7];

    MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, w->comm);
    MPI_Reduce(most, top, 2, MPI_DOUBLE, MPI_MAX, 0, w->comm);
    MPI_Reduce(counts, all, 7, MPI_INT64_T, MPI_SUM, 0, w->comm);
    if (w->index != 0)
        return;
    out->seconds = top[0];
    out->longest = top[1];
    out->work = sum[0] / w->cell->workers;
    out->begin = sum[1] / w->cell->workers;
    out->wait = sum[2] / w->cell->workers;
    out->blocks = all[0];
    out->calls = all[1];
    out->ready = all[2];
    out->go = all[3];
    out->stop = all[4];
    out->fetches = all[5];
    out->bytes = all[6];
}

/* ------------------------------------------------------------------ its product */

static int has_same_bits(double a, double b)
{
    uint64_t x, y;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

static int compare(struct worker *w, const double *y)
{
    const struct dsn_spmv *s = w->s;
    double *want = malloc((size_t)s->rows * sizeof *want);

    for (int64_t v = 0; want && v < w->cell->vectors; v++) {
        dsn_sparse_multiply(&s->matrix, w->x + v * s->columns, want);
        for (int64_t r = 0; r < s->rows; r++)
            if (!has_same_bits(want[r], y[v * s->rows + r])) {
                snprintf(w->error, sizeof w->error,
                         "row %lld of the product with vector %lld is %.17g, and has to be %.17g", (long long)r,
                         (long long)v, y[v * s->rows + r], want[r]);
                free(want);
                return 0;
            }
    }
    if (!want)
        snprintf(w->error, sizeof w->error, "out of memory");
    free(want);
    return want != NULL;
}

__attribute__((noreturn)) static void quit_without_memory(const struct dsn_spmv *s)
{
    fprintf(stderr, "darshan-spmv: rank %d: out of memory; give fewer --vectors, or smaller --blocks\n", s->rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* Each row is computed by one worker, and zero in the others. */
static int gather(struct worker *w)
{
    struct dsn_spmv *s = w->s;
    const int64_t n = w->cell->vectors * s->rows;
    uint64_t digest = 0;
    int64_t rows = 0;

    MPI_Reduce(&w->digest, &digest, 1, MPI_UINT64_T, MPI_SUM, 0, w->comm);
    MPI_Reduce(&w->rows, &rows, 1, MPI_INT64_T, MPI_SUM, 0, w->comm);
    if (w->index == 0) {
        free(s->y);
        s->ny = n;
        if (!(s->y = calloc((size_t)n + 1, sizeof *s->y)))
            quit_without_memory(s);
    }
    for (int64_t v = 0; v < w->cell->vectors; v++)
        MPI_Reduce(w->y + v * s->rows, w->index == 0 ? s->y + v * s->rows : NULL, (int)s->rows, MPI_INT64_T, MPI_BOR, 0,
                   w->comm);
    if (w->index != 0)
        return 1;
    if (rows != s->rows) {
        snprintf(w->error, sizeof w->error, "%lld rows were read, of %lld", (long long)rows, (long long)s->rows);
        return 0;
    }
    if (w->cell->vectors == 0 && digest != dsn_sparse_digest(&s->matrix)) {
        snprintf(w->error, sizeof w->error, "the compressed rows are not those of the matrix");
        return 0;
    }
    return compare(w, s->y);
}

/* One run by the processes of `comm`. All processes return 0 if one has failed. */
static int run_once(struct dsn_spmv *s, MPI_Comm comm, const struct dsn_spmv_cell *cell, int has_work,
                    struct dsn_spmv_result *out)
{
    struct worker w = { .s = s, .cell = cell, .comm = comm, .has_work = has_work };
    int first = s->ranks, mine;

    if (s->settings->is_cold && s->fd >= 0)
        posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &w.index);
        if (!prepare(&w))
            quit_without_memory(s);
        mine = run_worker(&w) ? s->ranks : s->rank;
        MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
        if (first == s->ranks) {
            sum_up(&w, out);
            if (has_work && !gather(&w))
                first = 0;
        }
        free(w.x);
        free(w.y);
        dsn_compressed_free(&w.block);
    }
    mine = first;
    meet(MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == s->ranks)
        return 1;
    MPI_Bcast(w.error, sizeof w.error, MPI_CHAR, first, MPI_COMM_WORLD);
    return dsn_spmv_fail(&s->error, "%s, %s, %d workers, blocks of %lld rows: %.160s",
                         darshan_sched_mode_name(cell->mode), darshan_sched_how_name(cell->how), cell->workers,
                         (long long)cell->per_block, w.error);
}

/* ------------------------------------------------------------------ cells */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *v, unsigned n)
{
    qsort(v, n, sizeof v[0], by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void take_medians(struct dsn_spmv_result *out, const struct dsn_spmv_result *r, unsigned n)
{
    static const size_t times[] = {
        offsetof(struct dsn_spmv_result, seconds), offsetof(struct dsn_spmv_result, work),
        offsetof(struct dsn_spmv_result, read),    offsetof(struct dsn_spmv_result, begin),
        offsetof(struct dsn_spmv_result, wait),    offsetof(struct dsn_spmv_result, longest)
    };

    *out = r[0];
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        double v[DSN_SPMV_MOST_REPEATS], middle;

        for (unsigned k = 0; k < n; k++)
            memcpy(&v[k], (const char *)&r[k] + times[i], sizeof v[k]);
        middle = median(v, n);
        memcpy((char *)out + times[i], &middle, sizeof middle);
    }
}

/* A master is a process in addition to the workers; its rank is the last. */
static MPI_Comm processes_of(const struct dsn_spmv *s, const struct dsn_spmv_cell *cell)
{
    const int n = cell->workers + (cell->how == DARSHAN_SCHED_MASTER);
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, s->rank < n ? 0 : MPI_UNDEFINED, s->rank, &comm);
    return comm;
}

static int run_cell(struct dsn_spmv *s, struct dsn_spmv_result *out)
{
    const struct dsn_spmv_cell *cell = &out->cell;
    MPI_Comm comm = processes_of(s, cell);
    struct dsn_spmv_result alone = *out;
    int rc = run_once(s, comm, cell, 0, &alone) && run_once(s, comm, cell, 1, out);

    out->read = alone.seconds;
    out->read_begin = alone.begin;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    return rc;
}

/* From the repetitions r of a cell and those of the static one, which ran beside each of them. */
static void take_gains(struct dsn_spmv_result *out, const struct dsn_spmv_result *r, const struct dsn_spmv_result *base,
                       unsigned n)
{
    double v[DSN_SPMV_MOST_REPEATS];

    out->gain = out->gain_least = out->gain_most = NAN;
    if (base->cell.how != DARSHAN_SCHED_STATIC || r == base)
        return;
    for (unsigned i = 0; i < n; i++)
        v[i] = 100 * (base[i].seconds / r[i].seconds - 1);
    out->gain = median(v, n);
    out->gain_least = v[0]; /* median() has sorted them */
    out->gain_most = v[n - 1];
}

/* Alternates cells, so that interference on the machine affects all of them. */
int dsn_spmv_run(struct dsn_spmv *s, struct dsn_spmv_result *cells, unsigned n)
{
    const unsigned repeats = s->settings->repeats;
    struct dsn_spmv_result *all = calloc((size_t)n * repeats, sizeof *all);
    int rc = 1;

    if (!all)
        quit_without_memory(s);
    for (unsigned k = 0; rc && k < repeats; k++)
        for (unsigned i = 0; rc && i < n; i++) {
            all[i * repeats + k].cell = cells[i].cell;
            rc = run_cell(s, &all[i * repeats + k]);
        }
    for (unsigned i = 0; rc && i < n; i++) {
        take_medians(&cells[i], all + i * repeats, repeats);
        take_gains(&cells[i], all + i * repeats, all, repeats);
    }
    free(all);
    return rc;
}

int64_t dsn_spmv_rows_of(int64_t units, int64_t columns)
{
    const int64_t n = llround((double)units * UNIT / (sizeof(double) * (double)columns));

    return n < 1 ? 1 : n;
}

double dsn_spmv_model(const struct dsn_spmv_result *r)
{
    const double read = r->read - r->read_begin;

    return r->begin + (r->cell.buffers == 1 ? r->work + read : r->work > read ? r->work : read);
}

double dsn_spmv_bound(const struct dsn_spmv_result *r)
{
    return dsn_spmv_model(r) + r->longest * (r->cell.buffers == 1 ? 1 : 2);
}
