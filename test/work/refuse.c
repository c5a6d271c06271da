/* refuse.c - runs a program while a seccomp filter refuses system calls
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * refuse CALL[,CALL]... ERROR PROGRAM [ARGUMENT]...: CALL is a name of the table below, ERROR a number. PROGRAM may be this
 * program again, for calls with another error.
 * refuse try CALL: makes the call, with arguments that are wrong, and prints the number of the error that it gets.
 * refuse list: prints the names. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_SHARED_BIT 1
#define OFD_LOCK_BIT   32 /* of the commands of fcntl only F_OFD_GETLK and the like have it */
#define POPULATE_WRITE 23
#define EQUAL          64
#define NEW_ADVICE_BIT 16 /* MADV_WIPEONFORK, MADV_POPULATE_WRITE and others that Linux 3.10 does not know */

struct call {
    const char *name;
    int number;
    int argument; /* only calls in which this argument has one of these bits; with EQUAL: is this number; -1: all */
    unsigned bits;
};

/* Some are newer than the headers may be; since 2019 all processors have the same numbers for new calls. */
static const struct call calls[] = {
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
    { "populate-write", SYS_madvise, 2 | EQUAL, POPULATE_WRITE },
    { "memfd_create", SYS_memfd_create, -1, 0 },
    { "statx", SYS_statx, -1, 0 },
    { "rseq", SYS_rseq, -1, 0 },
    { "io_uring_setup", 425, -1, 0 },
    { "clone3", 435, -1, 0 },
    { "close_range", 436, -1, 0 },
    { "openat2", 437, -1, 0 },
};
enum { NCALLS = sizeof calls / sizeof calls[0] };

static int install(const struct call *call, unsigned error)
{
    const unsigned argument = call->argument < 0 ? 0 : (unsigned)call->argument & (EQUAL - 1);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call->number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + 8 * argument),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, call->bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    if (call->argument < 0)
        filter[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    else if (call->argument & EQUAL)
        filter[3] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->bits, 0, 1);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static const struct call *find(const char *name)
{
    for (int i = 0; i < NCALLS; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    fprintf(stderr, "refuse: there is no %s\n", name);
    exit(2);
}

static int try(const struct call *call)
{
    if (call->number == SYS_madvise && call->argument >= 0)
        printf("%d\n", syscall(SYS_madvise, mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                               1, POPULATE_WRITE) == 0
                           ? 0
                           : errno);
    else
        printf("%d\n", syscall(call->number, -1, -1, -1, -1, -1, -1) == 0 ? 0 : errno);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < NCALLS; i++)
            puts(calls[i].name);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "try") == 0)
        return try(find(argv[2]));
    if (argc > 3) {
        for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
            if (!install(find(name), (unsigned)atoi(argv[2])))
                return 77;
        execvp(argv[3], argv + 3);
        return 127;
    }
    fputs("usage: refuse CALL[,CALL]... ERROR PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
}
