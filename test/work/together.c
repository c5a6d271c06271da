/* together.c - threads on the same descriptors, streams and names at once, during a fork, and an exit in between
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     together DIR         all threads are joined; counters in together.want
 *     together DIR ends    the first thread returns from main while the others go on
 *
 * With WITH_MPI (MPI_THREAD_MULTIPLE) they write and read one file by MPI-IO, too. Built with -fsanitize=thread and linked
 * with a libdarshan.so that is. What it does itself is no race: the kernel and the C library order calls. */
#include "work.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { THREADS = 4, TURNS = 200, SIZE = 64 };

static int shared;
static FILE *stream;
static void *place[THREADS];
static pthread_barrier_t gate;
static atomic_int goes_on; /* the threads do not end */

/* One descriptor of all, and copies of it that are closed while others use it. */
static void on_descriptor(int self, int turn)
{
    const off_t at = ((off_t)turn * THREADS + self) * SIZE;
    char out[SIZE] = "", in[SIZE];
    struct iovec v = { in, SIZE };
    struct stat st;
    int copy;

    CHECK(pwrite(shared, out, SIZE, at) == SIZE);
    CHECK(pread(shared, in, SIZE, at) == SIZE);
    CHECK(write(shared, out, SIZE) == SIZE);
    CHECK((copy = dup(shared)) >= 0);
    CHECK(preadv(copy, &v, 1, 0) == SIZE && lseek(copy, 0, SEEK_CUR) >= 0);
    CHECK(close(copy) == 0);
    CHECK(fstat(shared, &st) == 0);
}

/* One stream of all, and one name that all open. */
static void on_stream(int turn)
{
    char path[PATH_MAX], line[SIZE];
    FILE *own;

    CHECK(fprintf(stream, "%06d\n", turn) == 7);
    CHECK(fwrite("abcdefg\n", 1, 8, stream) == 8);
    if (turn % 50 == 0)
        CHECK(fflush(stream) == 0);
    CHECK((own = fopen(work_path_in(path, "lines"), "r")) != NULL);
    CHECK(fgets(line, sizeof line, own) && fclose(own) == 0);
}

/* Names that are new to all at once, of which one is everybody's. */
static void on_names(int self, int turn)
{
    char name[64], path[PATH_MAX], other[PATH_MAX + 8], byte;
    struct stat st;
    int fd;

    snprintf(name, sizeof name, "everyone.%d", turn);
    CHECK((fd = open(work_path_in(path, name), O_CREAT | O_RDWR, 0644)) >= 0);
    CHECK(write(fd, "x", 1) == 1 && lseek(fd, 0, SEEK_SET) == 0 && read(fd, &byte, 1) == 1);
    CHECK(close(fd) == 0);
    CHECK(stat(path, &st) == 0);
    snprintf(name, sizeof name, "own.%d.%d", self, turn);
    CHECK((fd = creat(work_path_in(path, name), 0644)) >= 0 && write(fd, "yz", 2) == 2 && close(fd) == 0);
    snprintf(other, sizeof other, "%s.new", path);
    CHECK(rename(path, other) == 0 && unlink(other) == 0);
}

/* Always in the thread's own place, which is never unmapped: memory that comes free may be mapped by the library, by system
 * calls, which ThreadSanitizer does not see. */
static void in_memory(int self)
{
    CHECK(mmap(place[self], SIZE, PROT_READ, MAP_SHARED | MAP_FIXED, shared, 0) == place[self]);
}

#ifdef WITH_MPI

static MPI_File mpi_file;

static void open_mpi_file(void)
{
    char path[PATH_MAX];

    CHECK(MPI_File_open(MPI_COMM_SELF, work_path_in(path, "mpi.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &mpi_file) == MPI_SUCCESS);
}

static void on_mpi_file(int self, int turn)
{
    const MPI_Offset at = ((MPI_Offset)turn * THREADS + self) * 8;
    char bytes[8] = "";

    CHECK(MPI_File_write_at(mpi_file, at, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_File_read_at(mpi_file, at, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void close_mpi_file(void)
{
    CHECK(MPI_File_close(&mpi_file) == MPI_SUCCESS);
}

#else

static void open_mpi_file(void)
{
}

static void on_mpi_file(int self, int turn)
{
    (void)self, (void)turn;
}

static void close_mpi_file(void)
{
}

#endif

static void *work(void *number)
{
    const int self = *(int *)number;

    pthread_barrier_wait(&gate);
    for (int turn = 0; turn < TURNS || goes_on; turn++) {
        on_descriptor(self, turn);
        on_stream(turn);
        on_names(self, turn % TURNS);
        in_memory(self);
        on_mpi_file(self, turn % TURNS);
    }
    return NULL;
}

#ifndef WITH_MPI
/* A child that writes and ends in order while the threads are at it; the log has its bytes, too. */
static void fork_beside(void)
{
    int status;
    pid_t child;

    CHECK((child = fork()) >= 0);
    if (child == 0) {
        const int fd = open(work_path("child"), O_CREAT | O_WRONLY, 0644);

        _exit(fd < 0 || write(fd, "child", 5) != 5 || close(fd) != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}
#endif

int main(int argc, char **argv)
{
    static int number[THREADS];
    pthread_t thread[THREADS];
    FILE *lines;

#ifdef WITH_MPI
    int provided;

    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    CHECK(provided == MPI_THREAD_MULTIPLE);
#endif
    CHECK(argc >= 2);
    work_dir = argv[1];
    goes_on = argc > 2 && strcmp(argv[2], "ends") == 0;
    CHECK((shared = open(work_path("shared"), O_CREAT | O_RDWR | O_TRUNC, 0644)) >= 0);
    CHECK((lines = fopen(work_path("lines"), "w")) != NULL && fputs("a line\n", lines) >= 0 && fclose(lines) == 0);
    CHECK((stream = fopen(work_path("stream"), "w")) != NULL);
    open_mpi_file();
    CHECK(pthread_barrier_init(&gate, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        place[i] = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(place[i] != MAP_FAILED);
        CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
    }
    pthread_barrier_wait(&gate);
#ifndef WITH_MPI
    fork_beside();
#endif
    if (goes_on) {
        usleep(300000);
        return 0;
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(fclose(stream) == 0 && close(shared) == 0);
    close_mpi_file();
    return work_end();
}
