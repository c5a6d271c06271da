/* refuse.c - runs a program to which the kernel refuses a system call
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * refuse CALL ERROR PROGRAM [ARGUMENT]...: CALL is a name of the table below, ERROR a number.
 * "refuse list" prints the names. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_SHARED_BIT 1
#define OFD_LOCK_BIT   32 /* of the commands of fcntl only F_OFD_GETLK and the like have it */
#define NEW_ADVICE_BIT 16 /* MADV_WIPEONFORK, MADV_POPULATE_WRITE and others that Linux 3.10 does not know */

static const struct {
    const char *name;
    int number;
    int argument; /* only calls in which this argument has one of these bits; -1: all */
    unsigned bits;
} calls[] = {
    { "shared-mmap", SYS_mmap, 3, MAP_SHARED_BIT },
    { "madvise", SYS_madvise, -1, 0 },
    { "new-advice", SYS_madvise, 2, NEW_ADVICE_BIT },
    { "fallocate", SYS_fallocate, -1, 0 },
    { "flock", SYS_flock, -1, 0 },
    { "ofd-locks", SYS_fcntl, 1, OFD_LOCK_BIT },
    { "fstatfs", SYS_fstatfs, -1, 0 },
    { "link", SYS_link, -1, 0 },
    { "ftruncate", SYS_ftruncate, -1, 0 },
    { "mremap", SYS_mremap, -1, 0 },
    { "clone", SYS_clone, -1, 0 },
    { "kill", SYS_kill, -1, 0 },
    { "statfs", SYS_statfs, -1, 0 },
    { "pwrite64", SYS_pwrite64, -1, 0 },
    { "getdents64", SYS_getdents64, -1, 0 },
    { "prctl", SYS_prctl, -1, 0 },
    { "renameat2", SYS_renameat2, -1, 0 },
    { "fsync", SYS_fsync, -1, 0 },
    { "fchmod", SYS_fchmod, -1, 0 },
    { "readlink", SYS_readlink, -1, 0 },
    { "unlink", SYS_unlink, -1, 0 },
    { "mkdir", SYS_mkdir, -1, 0 },
    { "chmod", SYS_chmod, -1, 0 },
    { "getpid", SYS_getpid, -1, 0 },
    { "clock_nanosleep", SYS_clock_nanosleep, -1, 0 },
};

static int install(unsigned call, unsigned argument, unsigned bits, unsigned error)
{
    const int all = (int)argument < 0;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + 8 * (all ? 0 : argument)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    if (all)
        filter[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
            puts(calls[i].name);
        return 0;
    }
    for (unsigned i = 0; argc > 3 && i < sizeof calls / sizeof calls[0]; i++)
        if (strcmp(calls[i].name, argv[1]) == 0) {
            if (!install((unsigned)calls[i].number, (unsigned)calls[i].argument, calls[i].bits,
                         (unsigned)atoi(argv[2])))
                return 77;
            execvp(argv[3], argv + 3);
        }
    fputs("usage: refuse CALL ERROR PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
}
