/* posix-large.c - the upper bins of the size histogram; counters in posix-large.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

enum { MIB = 1 << 20 };

/* Read out of a hole: one buffer of 1 MiB + 1 filled again and again. */
int main(int argc, char **argv)
{
    static const long long size[] = { 10LL * MIB, 100LL * MIB, 100LL * MIB + 1, 1024LL * MIB, 1024LL * MIB + 1 };
    static struct iovec iov[1024];
    char *buffer;
    int fd;

    work_start(&argc, &argv);
    buffer = work_buffer(MIB + 1);
    fd = open(work_path("sparse.dat"), O_CREAT | O_RDWR | O_TRUNC, 0644);
    CHECK(fd >= 0 && ftruncate(fd, 1024LL * MIB + 1) == 0);
    for (int i = 0; i < 5; i++) {
        int n = (int)(size[i] / MIB);

        for (int j = 0; j < n; j++)
            iov[j] = (struct iovec){ buffer, MIB };
        iov[n - 1].iov_len += size[i] % MIB;
        CHECK(preadv(fd, iov, n, 0) == size[i]);
    }
    CHECK(close(fd) == 0 && unlink(work_path("sparse.dat")) == 0);
    return work_end();
}
