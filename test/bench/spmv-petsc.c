/* spmv-petsc.c - our product of a compressed matrix with a vector compared with PETSc's MatMult, alternating
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * spmv-petsc ROWS ENTRIES SKEW: the matrix that darshan-spmv makes of these. Prints microseconds of a product, the least and the
 * median of many turns, the rate of ours to PETSc's, and how many of the results differ in any bit. */
#include <config.h>

#include <petscmat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/spmv/product.h"

#define TURNS 41

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print(const char *name, double *v)
{
    qsort(v, TURNS, sizeof *v, ascending);
    printf("%-6s %10.1f us least %10.1f us median\n", name, v[0], v[TURNS / 2]);
}

/* What dsn_compress() makes of the rows, without their zeros. */
static void take(const struct dsn_sparse *m, struct dsn_compressed *c)
{
    c->rows = m->rows;
    c->a = m->value;
    c->ja = malloc((size_t)m->entries * sizeof *c->ja);
    c->ia = malloc(((size_t)m->rows + 1) * sizeof *c->ia);
    for (int64_t k = 0; k < m->entries; k++)
        c->ja[k] = m->column[k] + 1;
    for (int64_t r = 0; r <= m->rows; r++)
        c->ia[r] = (int32_t)m->start[r] + 1;
}

int main(int argc, char **argv)
{
    const long rows = argc > 3 ? atol(argv[1]) : 3140, entries = argc > 3 ? atol(argv[2]) : 543162;
    const double skew = argc > 3 ? atof(argv[3]) : 0;
    const int repeats = entries > 2000000 ? 3 : (int)(6000000 / (entries + 1)) + 1;
    double ours[TURNS], theirs[TURNS], ratio[TURNS], *x = malloc((size_t)rows * sizeof *x),
                                                     *y = malloc((size_t)rows * sizeof *y);
    struct dsn_sparse m;
    struct dsn_compressed c;
    struct dsn_error error;
    const PetscScalar *got;
    PetscInt *ia, *ja;
    long differ = 0;
    Vec px, py;
    Mat mat;

    PetscInitialize(NULL, NULL, NULL, NULL);
    if (!dsn_sparse_generate(rows, entries, skew, &m, &error))
        return 1;
    take(&m, &c);
    ia = malloc(((size_t)rows + 1) * sizeof *ia);
    ja = malloc((size_t)entries * sizeof *ja);
    for (long r = 0; r <= rows; r++)
        ia[r] = (PetscInt)m.start[r];
    for (long k = 0; k < entries; k++)
        ja[k] = m.column[k];
    for (long i = 0; i < rows; i++)
        x[i] = dsn_vector_entry(i, 0);
    MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, (PetscInt)rows, (PetscInt)rows, ia, ja, m.value, &mat);
    VecCreateSeqWithArray(PETSC_COMM_SELF, 1, (PetscInt)rows, x, &px);
    VecCreateSeq(PETSC_COMM_SELF, (PetscInt)rows, &py);
    for (int turn = 0; turn < TURNS; turn++) {
        double begin = now();

        for (int i = 0; i < repeats; i++)
            dsn_multiply(&c, x, y);
        ours[turn] = (now() - begin) / repeats;
        begin = now();
        for (int i = 0; i < repeats; i++)
            MatMult(mat, px, py);
        theirs[turn] = (now() - begin) / repeats;
        ratio[turn] = theirs[turn] / ours[turn];
    }
    VecGetArrayRead(py, &got);
    for (long i = 0; i < rows; i++)
        differ += memcmp(&got[i], &y[i], sizeof y[i]) != 0;
    print("ours", ours);
    print("PETSc", theirs);
    qsort(ratio, TURNS, sizeof *ratio, ascending);
    printf("rate   %10.2f of PETSc's in the median of turns (wanted: 0.9); %ld of %ld results differ\n",
           ratio[TURNS / 2], differ, rows);
    PetscFinalize();
    return 0;
}
