/* transparent.c - prints what a program can observe of a tool: results, errno, descriptors, signals
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Its output must be the same with the tool and without. */
#include "work.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

/* A call's result and the errno that it leaves; 99 is what stands there before. */
#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        long long result;                                                                                              \
        errno = 99;                                                                                                    \
        result = (long long)(call);                                                                                    \
        printf("%s = %lld, errno %d\n", #call, result, errno);                                                         \
    } while (0)

static void descriptors(const char *when)
{
    printf("descriptors %s:", when);
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);

        if (flags >= 0)
            printf(" %d/%d", fd, flags);
    }
    printf("\n");
}

static void signals(void)
{
    sigset_t blocked;

    CHECK(sigprocmask(SIG_SETMASK, NULL, &blocked) == 0);
    for (int s = 1; s < 65; s++) {
        struct sigaction action;

        if (sigaction(s, NULL, &action) == 0 && (action.sa_handler != SIG_DFL || sigismember(&blocked, s) == 1))
            printf("signal %d: handler %s, blocked %d\n", s, action.sa_handler == SIG_IGN ? "ignored" : "set",
                   sigismember(&blocked, s));
    }
}

static void files(void)
{
    char buffer[16] = "";
    struct stat st;
    struct iovec iov = { buffer, 4 };
    FILE *f;
    volatile int null = 0, minus = -1;
    int fd;

    SHOW(open("missing", O_RDONLY));
    SHOW(open("/", O_WRONLY));
    SHOW(open((const char *)(size_t)null, O_RDONLY));
    SHOW(fd = open("some.dat", O_CREAT | O_RDWR | O_TRUNC, 0640));
    SHOW(open("some.dat", O_CREAT | O_EXCL | O_RDWR, 0640));
    SHOW(write(fd, "0123456789", 10));
    SHOW(write(fd, buffer, 0));
    SHOW(write(-1, buffer, 1));
    SHOW(write(fd, (const char *)(size_t)null, 1));
    SHOW(pwrite(fd, buffer, 1, -1));
    SHOW(writev(fd, &iov, 1));
    SHOW(writev(fd, &iov, minus));
    SHOW(lseek(fd, -5, SEEK_SET));
    SHOW(lseek(fd, 2, SEEK_SET));
    SHOW(read(fd, buffer, 4));
    SHOW(read(fd, (char *)(size_t)null, 4));
    SHOW(read(1000, buffer, 4));
    SHOW(pread(fd, buffer, 4, 100));
    SHOW(readv(fd, &iov, 1));
    SHOW(fstat(fd, &st));
    SHOW(st.st_size);
    SHOW(stat("missing", &st));
    SHOW(lstat("some.dat", &st));
    SHOW(st.st_mode);
    SHOW(fsync(fd));
    SHOW(fsync(-1));
    SHOW(dup(fd));
    SHOW(dup2(fd, 30));
    SHOW(dup2(fd, fd));
    SHOW(dup2(-1, 31));
    SHOW(fcntl(fd, F_DUPFD, 40));
    SHOW(fcntl(fd, F_GETFL) & O_ACCMODE);
    SHOW(fcntl(-1, F_GETFL));
    SHOW(close(30));
    SHOW(close(30));
    SHOW(close(-1));
    descriptors("with files open");
    SHOW(fopen("missing", "r") != NULL);
    SHOW(fopen("some.dat", "nonsense") != NULL);
    SHOW((f = fopen("some.dat", "r+")) != NULL);
    SHOW(fread(buffer, 1, 4, f));
    SHOW(fgetc(f));
    SHOW(fseek(f, -100, SEEK_SET));
    SHOW(fseek(f, 0, SEEK_END));
    SHOW(fgetc(f));
    SHOW(feof(f));
    SHOW(fputs("end", f));
    SHOW(fflush(f));
    SHOW(fprintf(f, "%d", 42));
    SHOW(fclose(f));
    SHOW(fdopen(1000, "r") != NULL);
    SHOW(close(fd));
}

int main(int argc, char **argv)
{
    int status;
    pid_t pid;

    setvbuf(stdout, NULL, _IOLBF, 0);
    descriptors("at first");
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    CHECK(argc >= 2 && chdir(argv[1]) == 0);
    files();
#ifndef WITH_MPI
    signals();
    descriptors("before exec");
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c",
              "for fd in /proc/$$/fd/*; do [ -e \"$fd\" ] && echo inherited ${fd##*/}; done; exit 5", (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
#else
    (void)pid, (void)status, (void)signals;
    MPI_Finalize();
#endif
    return 3;
}
