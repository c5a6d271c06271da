/* spmv.c - darshan-spmv: compares static and dynamic scheduling for reading a sparse matrix in a product
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "util/command/save.h"
#include "util/simulate/spec.h"
#include "measure/spmv/report.h"
#include "measure/spmv/spmv.h"

#define COMMAND    "darshan-spmv"
#define GIB        ((double)(1 << 30))
#define MOST_BYTES ((double)((uint64_t)1 << 44))

enum {
    OPT_GENERATE = 1,
    OPT_SKEW,
    OPT_SCHEDULES,
    OPT_MODES,
    OPT_BLOCKS,
    OPT_VECTORS,
    OPT_WORKERS,
    OPT_BUFFERS,
    OPT_REPEATS,
    OPT_COLD,
    OPT_DIR,
    OPT_LIMIT,
    OPT_DISK,
    OPT_WORK,
    OPT_SLOW,
    OPT_PRODUCT,
    OPT_SELF_TEST,
    OPT_JSON
};

static const struct dsn_option options[] = {
    { "generate", "WHICH",
      "generate a matrix: orani678, psmigr1, bcsstk28, or ROWS,ENTRIES (default: orani678, without a MATRIX)",
      OPT_GENERATE },
    { "skew", "S", "generated row r has entries in proportion to r^-S (0)", OPT_SKEW },
    { "schedules", "LIST", "static, master, counter (all)", OPT_SCHEDULES },
    { "modes", "LIST", "posix, async, atomic, shared, collective, ordered, broadcast, or all (async)", OPT_MODES },
    { "blocks", "LIST", "block sizes, in units of 64 KiB (1,2,4,6,8,10)", OPT_BLOCKS },
    { "vectors", "LIST", "numbers of vectors; 0: rows are compressed, not multiplied (25)", OPT_VECTORS },
    { "workers", "LIST", "numbers of workers (all processes, less one if a master is among the schedules)",
      OPT_WORKERS },
    { "buffers", "N", "2: read the next block while working on one; 1: read, then work (2)", OPT_BUFFERS },
    { "repeats", "N", "runs per combination, alternating; medians are printed (3)", OPT_REPEATS },
    { "cold", NULL, "drop the file from the page cache before each run", OPT_COLD },
    { "dir", "DIR", "directory of the file of rows, which is removed at the end; all processes must access it (.)",
      OPT_DIR },
    { "limit", "SIZE", "maximum size of this file (1GiB)", OPT_LIMIT },
    { "disk", "RATE", "simulate a disk of this bandwidth, such as 80MB/s", OPT_DISK },
    { "work", "SECONDS", "simulate work: seconds for all entries with one vector", OPT_WORK },
    { "slow", "PERCENT", "simulate a first worker that is slower by this percentage", OPT_SLOW },
    { "product", "FILE", "write the product as doubles, vector after vector", OPT_PRODUCT },
    { "self-test", NULL,
      "run all schedules, modes and buffers on a small matrix; the last line ends in exact, or says what differs",
      OPT_SELF_TEST },
    { "json", NULL, "print JSON", OPT_JSON },
};

static const struct dsn_command command = { COMMAND,
                                            "[options] [MATRIX]",
                                            "Multiplies a sparse matrix, Matrix Market or Rutherford-Boeing, by "
                                            "vectors. Its rows are read from a dense\n"
                                            "file by the processes of an MPI program: mpirun -n 11 "
                                            "darshan-spmv. Compares static and dynamic schedules.",
                                            options,
                                            sizeof options / sizeof options[0],
                                            NULL };

/* Matrices with the sizes and numbers of entries of the study's. */
static const struct {
    const char *name;
    int64_t rows, entries;
} known[] = { { "orani678", 2529, 90158 }, { "psmigr1", 3140, 543162 }, { "bcsstk28", 4410, 219024 } };

struct settings {
    struct dsn_spmv_settings spmv;
    const char *matrix, *product;
    char made[64]; /* name of a generated matrix */
    int64_t rows, entries;
    double skew, limit;
    int is_json, is_self_test;
};

/* ------------------------------------------------------------------ options */

static int take_real(const char *text, double least, double most, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= least && *out <= most;
}

static int take_list(const char *text, int64_t least, int64_t most, int64_t *out, unsigned *n)
{
    for (*n = 0; *n < DSN_SPMV_LIST; text++) {
        char word[24];
        const size_t length = strcspn(text, ",");

        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length >= sizeof word || !dsn_number(word, least, &out[*n]) || out[*n] > most)
            return 0;
        ++*n;
        text += length;
        if (*text == '\0')
            return 1;
    }
    return 0;
}

/* Parses names separated by commas into a bit mask. */
static int take_names(const char *text, const char *(*name)(unsigned), unsigned *bits)
{
    for (*bits = 0; *text; text += *text == ',') {
        const size_t length = strcspn(text, ",");
        unsigned i = 0;

        while (name(i) && (strlen(name(i)) != length || strncmp(name(i), text, length) != 0))
            i++;
        if (!name(i))
            return 0;
        *bits |= 1u << i;
        text += length;
    }
    return *bits != 0;
}

static int take_matrix(struct settings *s, const char *text)
{
    int64_t two[DSN_SPMV_LIST];
    unsigned n;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(text, known[i].name) == 0) {
            s->rows = known[i].rows;
            s->entries = known[i].entries;
            return 1;
        }
    if (!take_list(text, 0, INT32_MAX - 1, two, &n) || n != 2 || two[0] < 1 ||
        (double)two[1] > (double)two[0] * (double)two[0])
        return 0;
    s->rows = two[0];
    s->entries = two[1];
    return 1;
}

static int take_modes(const char *text, unsigned *bits)
{
    if (strcmp(text, "all") == 0)
        *bits = (1u << DARSHAN_SCHED_NMODES) - 1;
    return strcmp(text, "all") == 0 || take_names(text, darshan_sched_mode_name, bits);
}

static int take_rate(const char *text, double *out)
{
    char word[32];
    const size_t n = strlen(text);

    if (n > 2 && n < sizeof word && strcmp(text + n - 2, "/s") == 0) {
        memcpy(word, text, n - 2);
        word[n - 2] = '\0';
        return dsn_spec_bytes(word, out) && *out >= 1;
    }
    return 0;
}

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;
    struct dsn_spmv_settings *m = &s->spmv;
    int64_t n = 0;

    switch (value) {
    case OPT_GENERATE:
        snprintf(s->made, sizeof s->made, "%.50s, generated", argument);
        return take_matrix(s, argument);
    case OPT_SKEW:
        return take_real(argument, 0, 10, &s->skew);
    case OPT_SCHEDULES:
        return take_names(argument, darshan_sched_how_name, &m->hows);
    case OPT_MODES:
        return take_modes(argument, &m->modes);
    case OPT_BLOCKS:
        return take_list(argument, 1, 1 << 14, m->block, &m->nblock);
    case OPT_VECTORS:
        return take_list(argument, 0, 1 << 20, m->vectors, &m->nvectors);
    case OPT_WORKERS:
        return take_list(argument, 1, 1 << 24, m->workers, &m->nworkers);
    case OPT_BUFFERS:
        m->buffers = strcmp(argument, "1") == 0 ? 1 : 2;
        return m->buffers == 1 || strcmp(argument, "2") == 0;
    case OPT_REPEATS:
        if (!dsn_number(argument, 1, &n) || n > DSN_SPMV_MOST_REPEATS)
            return 0;
        m->repeats = (unsigned)n;
        return 1;
    case OPT_COLD:
        return m->is_cold = 1;
    case OPT_DIR:
        m->directory = argument;
        return *argument != '\0';
    case OPT_LIMIT:
        return dsn_spec_bytes(argument, &s->limit) && s->limit >= 1 && s->limit <= MOST_BYTES;
    case OPT_DISK:
        return take_rate(argument, &m->imitated.bytes_per_second);
    case OPT_WORK:
        return take_real(argument, 1e-9, 1e6, &m->imitated.work_seconds);
    case OPT_SLOW:
        if (!take_real(argument, 0, 1e6, &m->imitated.slow))
            return 0;
        m->imitated.slow /= 100;
        return 1;
    case OPT_PRODUCT:
        s->product = argument;
        return 1;
    case OPT_SELF_TEST:
        return s->is_self_test = 1;
    default:
        return s->is_json = 1;
    }
}

/* ------------------------------------------------------------------ what all processes know of one another */

/* With the mpirun of another MPI, every process is a singleton. */
static int is_of_another_mpi(int ranks)
{
    static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" };

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *said = getenv(variables[i]);

        if (ranks == 1 && said && strtol(said, NULL, 10) > 1)
            return 1;
    }
    return 0;
}

/* Sets defaults; returns 0 after reporting an error. */
static int complete(struct settings *s, int ranks, int *status)
{
    struct dsn_spmv_settings *m = &s->spmv;
    unsigned fitting = 0;
    int has_master;

    if (m->hows == 0) /* a single process cannot have a master */
        m->hows = ((1u << DARSHAN_SCHED_NHOWS) - 1) & ~(ranks == 1 ? 1u << DARSHAN_SCHED_MASTER : 0);
    has_master = m->hows >> DARSHAN_SCHED_MASTER & 1;
    if (m->nworkers == 0) {
        m->nworkers = 1;
        m->workers[0] = ranks - (has_master && ranks > 1);
    }
    for (unsigned mode = 0; mode < DARSHAN_SCHED_NMODES; mode++)
        for (unsigned how = 0; how < DARSHAN_SCHED_NHOWS; how++)
            fitting += (m->modes >> mode & 1) && (m->hows >> how & 1) && darshan_sched_fits(how, mode);
    if (fitting == 0) {
        *status = dsn_usage(&command, "these modes imply their schedule: use --schedules static");
        return 0;
    }
    for (unsigned i = 0; i < m->nworkers; i++)
        if (m->workers[i] + has_master > ranks) {
            *status =
                dsn_usage(&command, "%lld workers%s need %lld processes, but there are %d: start more with mpirun -n",
                          (long long)m->workers[i], has_master ? " and a master" : "",
                          (long long)m->workers[i] + has_master, ranks);
            return 0;
        }
    for (unsigned i = 0; i < m->nvectors; i++)
        if (m->vectors[i] == 0 && s->product) {
            *status = dsn_usage(&command, "there is no --product with --vectors 0");
            return 0;
        }
    if (fitting * m->nblock * m->nvectors * m->nworkers > DSN_SPMV_MOST_CELLS) {
        *status = dsn_usage(&command, "more than %d combinations; use shorter lists", DSN_SPMV_MOST_CELLS);
        return 0;
    }
    return 1;
}

/* Only rank 0 prints. Returns -1 to continue. */
static int take_arguments(struct settings *s, int argc, char **argv, int rank, int ranks)
{
    int status = 0;

    if (rank == 0) {
        status = dsn_options(&command, argc, argv, take_option, s);
        if (status < 0 && argc < 2)
            status = dsn_usage(&command, "give a matrix, or --generate one");
        else if (status < 0 && optind < argc - 1)
            status = dsn_usage(&command, "give one matrix");
        else if (status < 0 && optind == argc - 1 && (s->made[0] != '\0' || s->is_self_test))
            status = dsn_usage(&command, "give a matrix, or generate one, not both");
        else if (status < 0)
            s->matrix = optind == argc - 1 ? argv[optind] : NULL;
        if (status < 0 && is_of_another_mpi(ranks))
            status = dsn_usage(
                &command, "was started by mpirun of another MPI than the one it is linked with; use that one's mpirun");
        if (status < 0 && !s->is_self_test && !complete(s, ranks, &status))
            status = status ? status : 2;
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/* Broadcasts rank 0's settings; of file names only that of the directory. */
static void tell_settings(struct settings *s)
{
    MPI_Bcast(&s->spmv, sizeof s->spmv, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&s->is_self_test, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------ runs */

static int get_matrix(const struct settings *s, struct dsn_sparse *out, struct dsn_error *error)
{
    const struct dsn_entries none = { .most_bytes = s->limit };

    if (s->matrix)
        return dsn_sparse_read(s->matrix, s->limit, out, error);
    return dsn_sparse_bounds(&none, s->rows, s->rows, s->entries, 0, error) &&
           dsn_sparse_generate(s->rows, s->entries, s->skew, out, error);
}

static unsigned list_cells(const struct dsn_spmv *s, struct dsn_spmv_result *out)
{
    const struct dsn_spmv_settings *m = s->settings;
    unsigned n = 0;

    for (unsigned mode = 0; mode < DARSHAN_SCHED_NMODES; mode++)
        for (unsigned w = 0; w < m->nworkers; w++)
            for (unsigned v = 0; v < m->nvectors; v++)
                for (unsigned b = 0; b < m->nblock; b++)
                    for (unsigned how = 0; how < DARSHAN_SCHED_NHOWS; how++)
                        if ((m->modes >> mode & 1) && (m->hows >> how & 1) && darshan_sched_fits(how, mode))
                            out[n++].cell =
                                (struct dsn_spmv_cell){ .how = how,
                                                        .mode = mode,
                                                        .workers = (int)m->workers[w],
                                                        .vectors = (int)m->vectors[v],
                                                        .buffers = m->buffers,
                                                        .kib = 64 * m->block[b],
                                                        .per_block = dsn_spmv_rows_of(m->block[b], s->columns) };
    return n;
}

static int write_values(struct dsn_text *out, const void *spmv)
{
    const struct dsn_spmv *s = spmv;

    dsn_text_bytes(out, (const char *)s->y, (size_t)s->ny * sizeof *s->y);
    return 1;
}

static int write_product(const struct dsn_spmv *s, const char *path)
{
    const int error = dsn_save(path, write_values, s);

    if (error != 0)
        dsn_warn(COMMAND, path, "cannot be written: %s; choose a file in a writable directory", strerror(error));
    return error == 0;
}

/* Runs the cells to be compared in alternation; prints them as they complete, on a terminal. */
static int run_all(struct dsn_spmv *s, struct dsn_spmv_result *cells, unsigned n)
{
    for (unsigned i = 0, turn; i < n; i += turn) {
        turn = 1;
        while (i + turn < n && cells[i + turn].cell.how > cells[i + turn - 1].cell.how)
            turn++;
        if (s->rank == 0 && isatty(STDERR_FILENO))
            fprintf(stderr, "\r%u of %u \r", i + 1, n);
        if (!dsn_spmv_run(s, cells + i, turn))
            return 0;
    }
    return 1;
}

static int run(struct settings *s, struct dsn_sparse *matrix)
{
    struct dsn_spmv m;
    static struct dsn_spmv_result cells[DSN_SPMV_MOST_CELLS];
    const char *name = s->matrix ? s->matrix : s->made;
    int rc = dsn_spmv_open(&m, &s->spmv, matrix);
    unsigned n = 0;

    if (!rc && m.rank == 0)
        dsn_warn(COMMAND, s->spmv.directory, "%s", m.error.text);
    if (rc) {
        n = list_cells(&m, cells);
        rc = run_all(&m, cells, n);
        if (!rc && m.rank == 0)
            dsn_warn(COMMAND, name, "%s", m.error.text);
    }
    if (rc && m.rank == 0) {
        if (s->is_json)
            rc = dsn_spmv_json(stdout, &m, name, cells, n);
        else
            dsn_spmv_text(stdout, &m, name, cells, n);
        if (fflush(stdout) != 0 || !rc) {
            fprintf(stderr, COMMAND ": cannot write the output: %s\n", strerror(errno));
            rc = 0;
        }
        rc = rc && (!s->product || write_product(&m, s->product));
    }
    dsn_spmv_close(&m);
    MPI_Bcast(&rc, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return !rc;
}

static int self_test(const struct settings *s, int rank, int ranks)
{
    struct dsn_spmv m = { .rank = rank };
    unsigned n;
    const int is_exact = dsn_spmv_self_test(&m, s->spmv.directory, &n);

    if (rank == 0 && is_exact)
        printf("self-test: %u schedules on %d process%s: exact\n", n, ranks, ranks == 1 ? "" : "es");
    else if (rank == 0)
        printf("self-test: %s\n", m.error.text);
    return !is_exact || (fflush(stdout) != 0);
}

static int start(struct settings *s, int rank, int ranks)
{
    struct dsn_sparse matrix = { .rows = 0 };
    struct dsn_error error;
    int is_there = 1;

    if (s->is_self_test)
        return self_test(s, rank, ranks);
    if (rank == 0 && !(is_there = get_matrix(s, &matrix, &error)))
        dsn_warn(COMMAND, s->matrix ? s->matrix : s->made, "%s", error.text);
    MPI_Bcast(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_there ? run(s, &matrix) : 1;
}

int main(int argc, char **argv)
{
    static struct settings s = { .spmv = { .directory = ".",
                                           .block = { 1, 2, 4, 6, 8, 10 },
                                           .nblock = 6,
                                           .vectors = { 25 },
                                           .nvectors = 1,
                                           .modes = 1u << DARSHAN_SCHED_ASYNC,
                                           .repeats = 3,
                                           .buffers = 2 },
                                 .limit = GIB };
    int rank, ranks, rc;

    dsn_begin();
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
                      strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
        return dsn_options(&command, argc, argv, take_option, &s); /* also outside of MPI */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rc = take_arguments(&s, argc, argv, rank, ranks);
    if (rc < 0) {
        const char *directory = s.spmv.directory; /* this process's own: the broadcast pointer is only valid on rank
                                                   * 0 */

        tell_settings(&s);
        s.spmv.directory = directory;
        if (s.made[0] == '\0' && !s.matrix)
            snprintf(s.made, sizeof s.made, "orani678, generated");
        if (s.rows == 0)
            take_matrix(&s, known[0].name);
        rc = start(&s, rank, ranks);
    }
    MPI_Finalize();
    return rc;
}
