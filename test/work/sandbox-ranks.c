/* sandbox-ranks.c - MPI ranks that would be killed for some system calls of the tool, which the program does not make
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox-ranks DIRECTORY RANK [refused]: 5 bytes to "rank<rank>" by each; then RANK, or all where that is -1, installs the
 * filter; `refused`: one that the kernel does not take. 77: there is no seccomp here. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define END_AT(call)                                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static int install(int is_refused)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        END_AT(fchmod),
        END_AT(renameat2),
        END_AT(flock),
        END_AT(fallocate),
        END_AT(unlinkat),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    if (is_refused)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1U << 31, &program) == -1 && errno == EINVAL;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv)
{
    int rank, which, fd;
    char path[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        return 2;
    which = atoi(argv[2]);
    snprintf(path, sizeof path, "%s/rank%d", argv[1], rank);
    fd = open(path, O_CREAT | O_WRONLY, 0644);
    if (fd < 0 || write(fd, "hello", 5) != 5 || close(fd) != 0)
        return 1;
    if ((which < 0 || which == rank) && !install(argc > 3))
        _exit(77);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
