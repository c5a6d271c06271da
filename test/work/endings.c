/* endings.c - the ways in which a rank, or a program without MPI, may end
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * endings DIRECTORY WAY: each rank writes 100 bytes to own.<rank>, those of MPI then meet, and the last one ends in
 * that way; so do the others in ways that begin with "all-". */
#include "work.h"

#include <signal.h>

static int rank, size = 1;

static void put(const char *name, size_t n)
{
    char *bytes = work_buffer(n);
    const int fd = open(work_path(name), O_CREAT | O_WRONLY | O_APPEND, 0644);

    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
    free(bytes);
}

static void in_order(void)
{
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    exit(0);
}

static void on_signal(int number)
{
    (void)number;
    _exit(41);
}

static void on_signal_and_die(int number)
{
    put("handler", 9);
    signal(number, SIG_DFL);
    raise(number);
}

static void die_of(int number, void (*handler)(int))
{
    signal(number, handler);
    raise(number);
}

static void in_address_zero(void)
{
    int *volatile nowhere = NULL;

    *nowhere = 1;
}

/* argv[0] is this program; argv[1] is where to work. */
static void execute(char **argv, const char *program)
{
    execl(program, program, argv[1], "executed", (char *)NULL);
}

/* It writes when its parent has ended, and has nothing to do with the launcher any more. */
static void leave_child(void)
{
    char name[32];

    if (fork() != 0)
        return;
    setsid();
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    usleep(4500000);
    snprintf(name, sizeof name, "child.%d", rank);
    put(name, 5);
    _exit(0);
}

static void end_so(char **argv, const char *way)
{
    char other[PATH_MAX];

    if (strcmp(way, "exit") == 0)
        exit(31);
    if (strcmp(way, "_exit") == 0)
        _exit(32);
    if (strcmp(way, "_Exit") == 0)
        _Exit(33);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(34);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "segv") == 0)
        in_address_zero();
    if (strcmp(way, "term") == 0)
        die_of(SIGTERM, SIG_DFL);
    if (strcmp(way, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(way, "handled") == 0)
        die_of(SIGSEGV, on_signal);
    if (strcmp(way, "handled-and-dies") == 0)
        die_of(SIGFPE, on_signal_and_die);
    if (strcmp(way, "exec") == 0)
        execute(argv, argv[0]);
    if (strcmp(way, "exec-static") == 0) {
        snprintf(other, sizeof other, "%s-static", argv[0]);
        execute(argv, other);
    }
    if (strcmp(way, "exec-fails") == 0) {
        execute(argv, "/nonexistent/program");
        execute(argv, argv[1]); /* a directory */
        put("after", 7);
        in_order();
    }
    if (strcmp(way, "outlived") == 0)
        raise(SIGKILL);
    if (strcmp(way, "waits") == 0)
        for (;;)
            pause();
#ifdef WITH_MPI
    if (strcmp(way, "MPI_Abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 35);
#endif
}

int main(int argc, char **argv)
{
    char name[32];
    const char *way;
    int all;

    if (argc > 2 && strcmp(argv[2], "executed") == 0) {
        work_dir = argv[1];
        put("executed", 3);
        return 36;
    }
    work_start(&argc, &argv);
    CHECK(argc > 2);
    all = strncmp(argv[2], "all-", 4) == 0;
    way = argv[2] + (all ? 4 : 0);
#ifdef WITH_MPI
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    snprintf(name, sizeof name, "own.%d", rank);
    put(name, 100);
#ifdef WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    if (strcmp(way, "outlived") == 0)
        leave_child();
    if (all || rank == size - 1)
        end_so(argv, way);
    in_order();
}
