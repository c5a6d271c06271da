/* sandbox.c - a program that allows itself a few system calls only, and is killed for any other
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox DIRECTORY WAY FILES: 10 bytes to "before", then the filter, then 20 bytes more, and a byte to each of FILES further
 * files, one of which is named relative to the directory. WAY:
 *   prctl, seccomp   how the filter is installed; any other call ends the process
 *   errno            any other call fails
 *   asked            none is installed: it is asked whether there could be one, as libseccomp does
 *   refused          the kernel does not take the filter
 *   fork             by prctl, and a child writes 5 bytes to "child"
 *   exec             only what the library calls and other programs do not ends the process: it goes on as another program, which
 *                    is the same one without a filter */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "not tried on this processor"
#endif

static const char *directory;

static void put(const char *name, const char *text)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    fd = open(name[0] == '.' ? name : path, O_CREAT | O_WRONLY | O_APPEND, 0644);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) != 0)
        _exit(1);
}

#define END_AT(call)                                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static int install_few(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        END_AT(fchmod),
        END_AT(renameat2),
        END_AT(flock),
        END_AT(fallocate),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int install(const char *way)
{
    const unsigned other = strcmp(way, "errno") == 0 ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(openat),
        ALLOW(close),
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(clone),
        ALLOW(wait4),
        ALLOW(set_robust_list),
        ALLOW(rseq),
        ALLOW(rt_sigprocmask),
        BPF_STMT(BPF_RET | BPF_K, other),
    };
    const struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    if (strcmp(way, "none") == 0)
        return 1;
    if (strcmp(way, "exec") == 0)
        return install_few();
    if (strcmp(way, "asked") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT &&
               syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT;
    if (strcmp(way, "refused") == 0)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1U << 31, &program) == -1 && errno == EINVAL;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    if (strcmp(way, "seccomp") == 0)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int fork_child(void)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0) {
        put("child", "12345");
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
    char name[32], said[64];

    if (argc != 4)
        return 2;
    directory = argv[1];
    if (chdir(directory) != 0)
        return 2;
    put("before", "1234567890");
    if (!install(argv[2]))
        return 77;
    if (strcmp(argv[2], "exec") == 0) {
        execl("/proc/self/exe", argv[0], argv[1], "none", argv[3], (char *)NULL);
        return 1;
    }
    put("before", "12345678901234567890");
    for (int i = 1; i < atoi(argv[3]); i++) {
        snprintf(name, sizeof name, "file.%d", i);
        put(name, "x");
    }
    put("./relative", "x");
    if (strcmp(argv[2], "fork") == 0 && !fork_child())
        return 1;
    snprintf(said, sizeof said, "%s\n", "done");
    if (write(STDOUT_FILENO, said, strlen(said)) < 0)
        return 1;
    exit(3);
}
