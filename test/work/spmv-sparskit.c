/* spmv-sparskit.c - the product of a matrix with vectors by SPARSKIT: dnscsr of the dense matrix, then amux
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * spmv-sparskit MATRIX VECTORS >PRODUCT: MATRIX is a general real one in Matrix Market form, without comments; PRODUCT is
 * doubles, that of a vector after the other. */
#include <stdio.h>
#include <stdlib.h>

void dnscsr_(const int *nrow, const int *ncol, const int *nzmax, const double *dns, const int *ndns, double *a, int *ja,
             int *ia, int *ierr);
void amux_(const int *n, const double *x, double *y, const double *a, const int *ja, const int *ia);

int main(int argc, char **argv)
{
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    const int vectors = argc == 3 ? atoi(argv[2]) : 0;
    int rows, columns, entries, ierr, row, column;
    double *all, *a, *x, *y, value;
    int *ja, *ia;

    if (!f || fscanf(f, "%*[^\n] %d %d %d", &rows, &columns, &entries) != 3)
        return 2;
    all = calloc((size_t)rows * columns, sizeof *all); /* column after column */
    a = calloc(entries + 1, sizeof *a);
    ja = calloc(entries + 1, sizeof *ja);
    ia = calloc(rows + 1, sizeof *ia);
    x = calloc(columns, sizeof *x);
    y = calloc(rows, sizeof *y);
    for (int i = 0; i < entries; i++) {
        if (fscanf(f, "%d %d %lf", &row, &column, &value) != 3)
            return 2;
        all[(size_t)(column - 1) * rows + row - 1] = value;
    }
    dnscsr_(&rows, &columns, &entries, all, &rows, a, ja, ia, &ierr);
    if (ierr != 0)
        return 3;
    for (int v = 0; v < vectors; v++) {
        for (int c = 0; c < columns; c++)
            x[c] = (double)((c * 7 + v * 13) % 101 + 1) / 101;
        amux_(&rows, x, y, a, ja, ia);
        if (fwrite(y, sizeof *y, rows, stdout) != (size_t)rows)
            return 4;
    }
    return fflush(stdout) != 0;
}
