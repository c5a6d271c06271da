/* many-files.c - more files than fit into the memory for records; counters in many-files.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

enum { FILES = 4000 };

int main(int argc, char **argv)
{
    char name[32];
    FILE *f;
    int fd;

    work_start(&argc, &argv);
    CHECK((fd = open(work_path("first.dat"), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
    for (int i = 0; i < FILES; i++) {
        int each;

        snprintf(name, sizeof name, "file.%d", i);
        CHECK((each = open(work_path(name), O_CREAT | O_WRONLY | O_TRUNC, 0644)) >= 0);
        CHECK(write(each, name, 4) == 4 && pwrite(each, name, 3, 100) == 3 && close(each) == 0);
        CHECK(unlink(work_path(name)) == 0);
    }
    CHECK(write(fd, "still", 5) == 5 && close(fd) == 0);
    for (int i = 0; i < FILES / 10; i++) {
        snprintf(name, sizeof name, "stream.%d", i);
        CHECK((f = fopen(work_path(name), "w")) != NULL && fputs("stream", f) >= 0 && fclose(f) == 0);
        CHECK(unlink(work_path(name)) == 0);
    }
    return work_end();
}
