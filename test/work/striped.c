/* striped.c - files with layouts that test/lib/lustre.c derives from their names: striped DIRECTORY
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

static void twice(const char *name)
{
    for (int i = 0; i < 2; i++) {
        const int fd = open(work_path(name), O_CREAT | O_RDWR, 0644);

        CHECK(fd >= 0 && pwrite(fd, "x", 1, 0) == 1 && close(fd) == 0);
    }
}

int main(int argc, char **argv)
{
    FILE *stream;

    work_start(&argc, &argv);
    twice("plain.dat");
    twice("pool.dat");
    twice("progressive.dat");
    twice("damaged.dat");
    twice("other.dat");
    CHECK((stream = fopen(work_path("plain.txt"), "w")) != NULL);
    CHECK(fputs("text", stream) >= 0);
    CHECK(fclose(stream) == 0);
    return work_end();
}
