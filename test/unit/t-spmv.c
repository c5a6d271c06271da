/* t-spmv.c - sparse matrices: files of each format, hostile ones, generated ones, compressed rows and products
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/spmv/product.h"

#define GIB 0x1p30

static struct dsn_error error;

/* Reads a text as a file. */
static int read_text(const char *text, double most, struct dsn_sparse *out)
{
    char path[] = "matrix.XXXXXX";
    const int fd = mkstemp(path);
    int rc;

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    error.text[0] = '\0';
    rc = dsn_sparse_read(path, most, out, &error);
    unlink(path);
    return rc;
}

/* All places, row after row. */
static void places_are(const char *text, int64_t rows, int64_t columns, const double *want)
{
    struct dsn_sparse m;
    double all[64] = { 0 };

    ck_assert_msg(read_text(text, GIB, &m), "%s", error.text);
    ck_assert_int_eq(m.rows, rows);
    ck_assert_int_eq(m.columns, columns);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = m.start[r]; k < m.start[r + 1]; k++)
            all[r * columns + m.column[k]] = m.value[k];
    for (int64_t i = 0; i < rows * columns; i++)
        ck_assert_double_eq(all[i], want[i]);
    dsn_sparse_free(&m);
}

static void is_refused(const char *text, const char *why)
{
    struct dsn_sparse m;

    ck_assert_msg(!read_text(text, GIB, &m), "taken: %s", text);
    ck_assert_msg(strstr(error.text, why) != NULL, "'%s' is not in '%s'", why, error.text);
    ck_assert_ptr_null(m.start);
}

#define GENERAL   "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW      "%%MatrixMarket matrix coordinate real skew-symmetric\n"

START_TEST(market)
{
    const double want[] = { 0, 1.5, 0, -2, 0, 7 };
    const double symmetric[] = { 1, 2, 2, 0 }, skew[] = { 0, -2, 2, 0 };

    places_are(GENERAL "% a comment\n%\n2 3 3\n2 1 -2\n1 2 1.5\n2 3 7\n", 2, 3, want);
    places_are(GENERAL "2 3 4\n\n2 1 -2\n1 2 1\n2 3 7\n1 2 .5", 2, 3, want); /* one place twice: added */
    places_are("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 1\n2 1 2\n", 2, 2, symmetric);
    places_are("%%MatrixMarket MATRIX Coordinate Real Skew-Symmetric\n2 2 1\n2 1 2\n", 2, 2, skew);
    places_are("%%MatrixMarket matrix array real general\n2 3\n0\n-2\n1.5\n0\n0\n7\n", 2, 3, want);
    places_are("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n0\n", 2, 2, symmetric);
    places_are("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", 2, 2, (double[]){ 0, 1, 1, 0 });
    places_are(GENERAL "2 3 3\n2 1 -2D+00\n1 2 0.15d1\n2 3 7.0+000\n% the end\n\n", 2, 3,
               want); /* Fortran's exponents */
    places_are(GENERAL "2 3 3\n2 1 -.2D1\n1 2 1500.0-003\n2 3 7\n", 2, 3, want);
    places_are(GENERAL "2 2 0\n", 2, 2, (double[]){ 0, 0, 0, 0 });
}
END_TEST

START_TEST(hostile_market)
{
    char text[256];

    is_refused("", "is empty");
    is_refused("%%MatrixMarket matrix\n", "line 1 is not");
    is_refused("%%MatrixMarket vector coordinate real general\n", "line 1 is not");
    is_refused("%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", "line 1 names");
    is_refused("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "complex");
    is_refused(GENERAL, "ends in line");
    is_refused(GENERAL "2 2\n", "ends in line");
    is_refused(GENERAL "2 2 2\n1 1 1\n", "ends in line");
    is_refused(GENERAL "2 2 1\n1 1", "ends in line");
    is_refused(GENERAL "2 2 1\n3 1 1\n", "line 3: integer from 1 to 2");
    is_refused(GENERAL "2 2 1\n0 1 1\n", "line 3: integer from 1 to 2");
    is_refused(GENERAL "2 2 1\n1 -1 1\n", "line 3: integer from 1 to 2");
    is_refused(GENERAL "2 2 1\n1 99999999999999999999 1\n", "line 3: integer from");
    is_refused(GENERAL "2 2 1\n1 1 one\n", "line 3: number expected");
    is_refused(GENERAL "2 2 1\n1 1 nan\n", "not finite");
    is_refused(GENERAL "2 2 1\n1 1 1e999\n", "not finite");
    is_refused(GENERAL "2 2 5\n", "more than places");
    is_refused(GENERAL "0 2 0\n", "line 2: integer from");
    is_refused(GENERAL "2147483646 2147483646 1\n", "GiB; give a larger --limit");
    is_refused(GENERAL "2 2 9223372036854775808\n", "line 2: integer from");
    is_refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "is symmetric, and has");
    is_refused(GENERAL "2 2 1\n1 1 0x10\n", "line 3: number expected");
    is_refused(GENERAL "2 2 1\n1 1 1-2\n", "line 3: number expected");
    is_refused(GENERAL "2 2 1\n1 1 1\n2 2 1\n", "line 4: '2' follows the last entry");
    is_refused(GENERAL "2 2 1\n1 1 1 0\n", "line 3: '0' follows the last entry");
    is_refused("%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", "line 5: '3' follows the last entry");
    is_refused(SYMMETRIC "2 2 2\n1 1 1\n1 2 2\n", "line 4: the entry at 1, 2 is above the diagonal");
    is_refused(SYMMETRIC "2 2 4\n", "more than places");
    is_refused(SKEW "2 2 1\n1 2 2\n", "line 3: the entry at 1, 2 is above the diagonal");
    is_refused(SKEW "2 2 1\n2 2 2\n", "line 3: the entry at 2, 2 is on the diagonal");
    is_refused(SKEW "2 2 2\n", "more than places");
    snprintf(text, sizeof text, "%s2 2 1\n1 1 %0100d\n", GENERAL, 1);
    is_refused(text, "line 3: a number has 63 or more characters");
}
END_TEST

/* 5 x 5, the example of the study; columns 2 8 9, 3 6 7, 5 2, 7 1, 1 2 */
#define BOEING(type, formats, values)                                                                                  \
    "An example                                                              example \n"                               \
    "             5             1             1             3\n" type                                                  \
    "                        5             5            12             0\n" formats                                    \
    "  1  4  7  9 11 13\n  1  2  4  2  3  5  1  3  2  4  3  5\n" values
#define FORMATS "(6I3)           (12I3)          (1P,4D8.1)          \n"
#define VALUES  " 2.0D+00 8.0D+00 9.0D+00 3.0D+00\n 6.0D+00 7.0D+00  50.D-1 2.0D+00\n 7.0+000 1.0D+00 1.0D+00 2.0D+00\n"

START_TEST(boeing)
{
    const double want[] = { 2, 0, 5, 0, 0, 8, 3, 0, 7, 0, 0, 6, 2, 0, 1, 9, 0, 0, 1, 0, 0, 7, 0, 0, 2 };
    double ones[25];

    for (size_t i = 0; i < 25; i++)
        ones[i] = want[i] != 0;
    places_are(BOEING("rua", FORMATS, VALUES), 5, 5, want);
    places_are(BOEING("RUA", FORMATS, VALUES), 5, 5, want);
    places_are(BOEING("pua", "(6I3)           (12I3)\n", ""), 5, 5, ones);
    /* headers with other widths than A3, 11X, 4I14 and 2A16, 2A20 */
    places_are(BOEING("rua", "(6I3) (12I3) (4D8.1)\n", VALUES), 5, 5, want);
    places_are(BOEING("rua", "(6i3)     (  12i3 )               (4(1X,D7.1))\n", VALUES), 5, 5, want);
    places_are(BOEING("rua", "(6I3)           (12I3)          (1P4E8.1E2)         \n", VALUES), 5, 5, want);
    places_are("any\n3 1 1 1 0\nRUA 2 2 2 0\n(3I3) (2I3) (2F4.1)\n  1  2  3\n  1  2\n 1.0 2.5\n", 2, 2,
               (double[]){ 1, 0, 0, 2.5 });
    /* a right-hand side, which is not read; and no entries */
    places_are("any\n5 1 1 1 2\nRUA 2 2 2 0\n(3I3) (2I3) (2F4.1) (2F4.1)\nF             1             0\n  1  2  3\n"
               "  1  2\n 1.0 2.5\n 1.0 1.0\n",
               2, 2, (double[]){ 1, 0, 0, 2.5 });
    places_are("any\n1 1 0 0\nrua 2 2 0 0\n(3I3) (2I3) (2F4.1)\n  1  1  1\n", 2, 2, (double[]){ 0, 0, 0, 0 });
    places_are("symmetric\n 4 1 1 1\nrsa                        2             2             2             0\n"
               "(3I3)           (2I3)           (2F4.1)\n  1  3  3\n  1  2\n 1.0 2.5\n",
               2, 2, (double[]){ 1, 2.5, 2.5, 0 });
}
END_TEST

START_TEST(hostile_boeing)
{
    is_refused("one line\n", "ends in line 2");
    is_refused("a\nb\ncua                        5             5            12\n", "complex");
    is_refused("a\nb\nrue                        5             5            12\n", "not assembled");
    is_refused("a\nb\nwhat is that\n", "line 3 does not start with a type");
    is_refused("a\nb\nr\n", "line 3 does not start with a type");
    is_refused("a\n 1 1 1\nrua                        x             5            12\n", "line 3 has no numbers");
    is_refused("a\n 1 1 1\nrua                2147483646             1             1\n", "GiB; give a larger --limit");
    is_refused("a\n 1 1 1\nrua                        5             5           -12\n", "line 3 has no numbers");
    is_refused(BOEING("rua", "(6I3)           (12I3)          (4D0.1)\n", VALUES),
               "does not have a valid Fortran format");
    is_refused(BOEING("rua", "(6I3)           (999999I3)      (4D8.1)\n", VALUES),
               "does not have a valid Fortran format");
    is_refused(BOEING("rua", "                (12I3)          (4D8.1)\n", VALUES),
               "does not have a valid Fortran format");
    is_refused(BOEING("rua", FORMATS, " 2.0D+00\n"), "is missing");
    is_refused(BOEING("rua", FORMATS, ""), "ends in line");
    is_refused("a\n 1 1 1\nrua                        2             2             2\n(3I3)           (2I3)           "
               "(2F4.1)\n  1  9  3\n",
               "integer from 1 to 3");
    is_refused("a\n 1 1 1\nrua                        2             2             2\n(3I3)           (2I3)           "
               "(2F4.1)\n  1  3  2\n",
               "integer from 3");
    is_refused("a\n 1 1 1\nrua                        2             2             2\n(3I3)           (2I3)           "
               "(2F4.1)\n  1  2  2\n",
               "its columns have 1 entries, and line 3 says 2");
    is_refused("a\n 1 1 1\nrua                        2             2             2\n(3I3)           (2I3)           "
               "(2F4.1)\n  1  2  3\n  1  3\n",
               "integer from 1 to 2");
    is_refused("any\n3 1 1 1 x\nRUA 2 2 2 0\n", "line 2 has no numbers");
    is_refused("any\n3 1 1 1\nRUA 2 2\n", "line 3 has no numbers");
    is_refused(BOEING("rua", "(6I3)           (12I3)          (1X,4D8.1)\n", VALUES),
               "does not have a valid Fortran format");
    is_refused(BOEING("rua", FORMATS, VALUES " 7.0+000\n"), "line 10: there is more than the 12 entries");
    is_refused("any\n3 1 1 1\nrsa 2 2 2\n(3I3) (2I3) (3F4.1)\n  1  2  3\n  1  1\n 1.0 2.5\n",
               "line 6: the entry at 1, 2 is above the diagonal");
    is_refused("any\n3 1 1 1\nrza 2 2 1\n(3I3) (2I3) (3F4.1)\n  1  2  2\n  1\n 1.0\n",
               "line 6: the entry at 1, 1 is on the diagonal");
    is_refused("any\n3 1 1 1\nrua 2 2 2\n(3I3) (2I3) (3F4.1)\n  1  2  3\n  1  2\n 1.0 2.5 3.5\n",
               "line 7: there is more than the 2 entries");
}
END_TEST

START_TEST(compressed)
{
    const double dense[] = { 0, 2, 0, 5, 0, 0, 1, 8, 3, 0, 7, 0, 2, 0, 6, 2, 0, 1, 3, 9, 0, 0, 1, 0, 4, 0, 7, 0, 0, 2 };
    const double a[] = { 2, 5, 8, 3, 7, 6, 2, 1, 9, 1, 7, 2 }, x[] = { 1, 10, 100, 1000, 10000 };
    const double want[] = { 502, 7038, 10260, 1009, 20070 };
    const int32_t ja[] = { 1, 3, 1, 2, 4, 2, 3, 5, 1, 4, 2, 5 }, ia[] = { 1, 3, 6, 9, 11, 13 };
    struct dsn_compressed c;
    double y[5];

    ck_assert(dsn_compressed_init(&c, 5, 5));
    dsn_compress(dense + 1, 5, 5, 6, &c);
    ck_assert_mem_eq(c.a, a, sizeof a);
    ck_assert_mem_eq(c.ja, ja, sizeof ja);
    ck_assert_mem_eq(c.ia, ia, sizeof ia);
    dsn_multiply(&c, x, y);
    ck_assert_mem_eq(y, want, sizeof want);
    dsn_compressed_free(&c);
}
END_TEST

static void made_is_sound(int64_t rows, int64_t entries, double skew)
{
    struct dsn_sparse m;

    ck_assert(dsn_sparse_generate(rows, entries, skew, &m, &error));
    ck_assert_int_eq(m.entries, entries);
    ck_assert_int_eq(m.start[0], 0);
    ck_assert_int_eq(m.start[rows], entries);
    for (int64_t r = 0; r < rows; r++) {
        ck_assert_int_ge(m.start[r + 1], m.start[r]);
        for (int64_t k = m.start[r]; k < m.start[r + 1]; k++) {
            ck_assert(m.value[k] != 0);
            ck_assert(m.column[k] >= 0 && m.column[k] < rows);
            ck_assert(k == m.start[r] || m.column[k] > m.column[k - 1]);
        }
    }
    dsn_sparse_free(&m);
}

START_TEST(made)
{
    struct dsn_sparse m;

    made_is_sound(1, 0, 0);
    made_is_sound(1, 1, 1);
    made_is_sound(50, 2500, 0); /* every place */
    made_is_sound(50, 2499, 3);
    made_is_sound(300, 1, 0);
    made_is_sound(2529, 90158, 0);
    ck_assert(dsn_sparse_generate(1000, 5000, 1, &m, &error));
    /* c (1 + 1/2 + ... + 1/1000) = 5000 with c = 668: row 0 has that many, row 1 half, row 9 a tenth */
    ck_assert_int_le(llabs(m.start[1] - 668), 1);
    ck_assert_int_le(llabs(m.start[2] - m.start[1] - 334), 1);
    ck_assert_int_le(llabs(m.start[10] - m.start[9] - 67), 1);
    dsn_sparse_free(&m);
}
END_TEST

/* The rows that are written are those that are read: their number, then all places. */
START_TEST(written)
{
    char path[] = "rows.XXXXXX";
    const int fd = mkstemp(path);
    struct dsn_sparse m;
    double got[8];
    const double want[] = { 0, 0, 1.5, 0, 1, -2, 0, 7 };

    ck_assert(read_text(GENERAL "2 3 3\n2 1 -2\n1 2 1.5\n2 3 7\n", GIB, &m));
    ck_assert(dsn_sparse_write(&m, fd, &error));
    ck_assert_int_eq(pread(fd, got, sizeof got, 0), (ssize_t)sizeof got);
    ck_assert_mem_eq(got, want, sizeof got);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 2 * DSN_DENSE_RECORD(3));
    close(fd);
    unlink(path);
    dsn_sparse_free(&m);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "Matrix Market", market, 0 },       { "hostile Matrix Market", hostile_market, 0 },
        { "Rutherford-Boeing", boeing, 0 },   { "hostile Rutherford-Boeing", hostile_boeing, 0 },
        { "compressed rows", compressed, 0 }, { "made matrices", made, 0 },
        { "written rows", written, 0 },       { NULL, NULL, 0 },
    };

    return unit_run("spmv", tests);
}
