/* given.c - reads and writes inherited descriptors: counters in given.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * 0 is a file of 1,000 bytes, 1 and 2 are one description of an empty file, 5 a file of 100 bytes to which is appended, 6 a
 * file that has been deleted since, 7 a pipe. */
#include "work.h"

int main(void)
{
    char buffer[1000];
    int copy;

    memset(buffer, 'x', sizeof buffer);
    for (int i = 0; i < 10; i++)
        CHECK(read(0, buffer, 100) == 100);
    CHECK(write(1, buffer, 300) == 300);
    CHECK(write(2, buffer, 200) == 200);
    CHECK((copy = dup(1)) >= 0 && write(copy, buffer, 100) == 100 && close(copy) == 0);
    CHECK(write(5, buffer, 50) == 50 && write(5, buffer, 50) == 50);
    CHECK(pwrite(6, buffer, 10, 1000) == 10);
    CHECK(write(7, buffer, 7) == 7);
    CHECK(fcntl(8, F_SETFL, O_APPEND) == 0 && write(8, buffer, 1) == 1);
    return 0;
}
