/* mpiio-threads.c - MPI-IO from threads: one is in a call while the process ends; a user-level thread changes kernel threads
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     mpiio-threads ends DIR     one thread reads on while another one has called exit() and writes out its standard output
 *     mpiio-threads moves DIR    six writes of ten bytes by a user-level thread that comes back from each on another kernel thread
 *
 * Compiled with -DTOOL it is a library to be preloaded behind the tool, which stands between these calls and MPI: reads take
 * a second, and writes let others run first, as in an MPI that knows of user-level threads. */
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <ucontext.h>

#ifdef TOOL

int MPI_File_read_at(MPI_File f, MPI_Offset at, void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    const int ret = PMPI_File_read_at(f, at, buf, n, type, status);

    sleep(1);
    return ret;
}

int MPI_File_write_at(MPI_File f, MPI_Offset at, const void *buf, int n, MPI_Datatype type, MPI_Status *status)
{
    void (*yield)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "work_yield");

    yield();
    return PMPI_File_write_at(f, at, buf, n, type, status);
}

#else

static MPI_File file;

static void open_file(void)
{
    char name[PATH_MAX];

    CHECK(MPI_File_open(MPI_COMM_SELF, work_path_in(name, "threads.dat"), MPI_MODE_CREATE | MPI_MODE_RDWR,
                        MPI_INFO_NULL, &file) == MPI_SUCCESS);
}

/* ------------------------------------------------------------------ the process ends */

static sem_t has_begun;

static void *read_on(void *unused)
{
    char byte;

    sem_post(&has_begun);
    for (;;)
        MPI_File_read_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    return unused;
}

/* More than a pipe holds: exit() waits in the C library, behind all handlers, until somebody reads. */
static void end_meanwhile(void)
{
    const size_t size = 300000;
    char *room = malloc(size + 1);
    pthread_t thread;

    CHECK(room && setvbuf(stdout, room, _IOFBF, size + 1) == 0);
    sem_init(&has_begun, 0, 0);
    CHECK(pthread_create(&thread, NULL, read_on, NULL) == 0);
    sem_wait(&has_begun);
    usleep(200000);
    for (size_t i = 0; i < size; i++)
        putchar('x');
    exit(0);
}

/* ------------------------------------------------------------------ a user-level thread */

static ucontext_t user, kernel[2];
static sem_t turn[2];
static int on, is_done; /* which kernel thread the user-level thread is on */

void work_yield(void);
void work_yield(void)
{
    swapcontext(&user, &kernel[on]);
}

static void write_all(void)
{
    for (int i = 0; i < 6; i++)
        CHECK(MPI_File_write_at(file, 10 * i, "0123456789", 10, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    is_done = 1;
    swapcontext(&user, &kernel[on]);
}

/* Runs the user-level thread whenever it is this kernel thread's turn. */
static void *schedule(void *which)
{
    const int me = *(const int *)which;

    for (;;) {
        sem_wait(&turn[me]);
        if (!is_done) {
            on = me;
            swapcontext(&kernel[me], &user);
        }
        sem_post(&turn[1 - me]);
        if (is_done)
            return NULL;
    }
}

static void move(void)
{
    static char stack[1 << 18];
    static const int number[2] = { 0, 1 };
    pthread_t other;

    sem_init(&turn[0], 0, 1);
    sem_init(&turn[1], 0, 0);
    CHECK(getcontext(&user) == 0);
    user.uc_stack.ss_sp = stack;
    user.uc_stack.ss_size = sizeof stack;
    makecontext(&user, write_all, 0);
    CHECK(pthread_create(&other, NULL, schedule, (void *)&number[1]) == 0);
    schedule((void *)&number[0]);
    CHECK(pthread_join(other, NULL) == 0);
}

int main(int argc, char **argv)
{
    int provided;

    CHECK(argc == 3);
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    work_dir = argv[2];
    open_file();
    if (strcmp(argv[1], "ends") == 0)
        end_meanwhile();
    move();
    MPI_File_close(&file);
    return work_end();
}

#endif
