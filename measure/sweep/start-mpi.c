/* start-mpi.c - starts the MPI program that measures access modes, and reads its output
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "measure/sweep/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/sweep/mpi.h"

#define PATH_ROOM 4352

/* The programs, one for each MPI. */
static const char *const programs[] = { "sweep-mpi-openmpi", "sweep-mpi-mpich" };
#define NPROGRAMS (sizeof programs / sizeof programs[0])

static int is_there(unsigned i, char *path)
{
    snprintf(path, PATH_ROOM, "%s/%s", DSN_LIBEXEC, programs[i]);
    return access(path, X_OK) == 0;
}

/* Starts the command in its own process group, so that all of it can be killed; its output is *from. */
static pid_t start(const char *command, char *const *arguments, int *from)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(ends[1], STDOUT_FILENO);
        execv("/bin/sh", arguments);
        fprintf(stderr, "darshan-sweep: %s: cannot be started: %s\n", command, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    *from = ends[0];
    return pid;
}

static int sample_of(const char *line, uint64_t request, struct dsn_sample *out)
{
    unsigned mode, is_write;

    *out = (struct dsn_sample){ .request = request };
    if (sscanf(line, "%u %u %lf %lf %lf", &mode, &is_write, &out->bytes, &out->seconds, &out->resident) != 5 ||
        mode >= DSN_NMODES_MPI || is_write > 1 || !(out->bytes > 0) || !(out->seconds > 0))
        return 0;
    out->sweep = DSN_SWEEP_MODE_READ + is_write;
    out->x = DSN_NMODES_POSIX + mode;
    return 1;
}

struct talk {
    uint64_t request;
    int (*take)(void *context, const struct dsn_sample *one);
    void *context;
    unsigned ranks, several; /* processes that were started as singletons */
};

/* Reads until the program ends. Returns 0 to kill it. */
static int listen_to(FILE *from, struct talk *t)
{
    char line[256];

    while (fgets(line, sizeof line, from)) {
        struct dsn_sample one;
        unsigned ranks;

        if (dsn_sweep_stop)
            return 0;
        if (sscanf(line, "ranks %u", &ranks) == 1) {
            t->several += t->ranks > 0;
            t->ranks = ranks;
            if (t->several)
                return 0;
        } else if (t->take && sample_of(line, t->request, &one) && !t->take(t->context, &one)) {
            return 0;
        }
    }
    return 1;
}

static enum dsn_measured run_one(const char *command, char *const *arguments, struct talk *t, char *error, size_t room)
{
    int from, status = 0, whole;
    const pid_t pid = start(command, arguments, &from);
    FILE *in = pid > 0 ? fdopen(from, "r") : NULL;

    if (!in) {
        snprintf(error, room, "%.100s cannot be started: %s", command, strerror(errno));
        return DSN_MEASURED_FAILED;
    }
    whole = listen_to(in, t);
    if (!whole)
        kill(-pid, SIGTERM);
    fclose(in);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (dsn_sweep_stop)
            kill(-pid, SIGTERM);
    if (dsn_sweep_stop)
        return DSN_MEASURED_STOPPED;
    if (t->several || (whole && t->ranks == 0))
        return DSN_MEASURED_NOT_HERE; /* built with another MPI */
    if (!whole || status != 0) {
        snprintf(error, room, "%.150s failed, see its messages; omit --mpi to skip its modes", command);
        return DSN_MEASURED_FAILED;
    }
    return DSN_MEASURED;
}

/* Removes a directory of files, including MPI's shared file pointers. */
static void remove_directory(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
}

/* Finds the program built with the MPI of the command. Returns 0 with `error` if there is none. */
static enum dsn_measured find_program(const struct dsn_sweep_settings *s, const char *script, char *path, char *error,
                                      size_t room)
{
    char zero[] = "0";
    char *arguments[] = { "sh", "-c", (char *)script, path, (char *)s->directory, zero, zero, zero, zero, zero, NULL };

    for (unsigned i = 0; i < NPROGRAMS; i++) {
        struct talk talk = { .ranks = 0 };
        enum dsn_measured rc;

        if (!is_there(i, path))
            continue;
        rc = run_one(s->mpi, arguments, &talk, error, room);
        if (rc == DSN_MEASURED || rc == DSN_MEASURED_STOPPED)
            return rc;
    }
    snprintf(error, room,
             "%.100s does not start programs of the MPI that this was built with; omit --mpi to skip its modes",
             s->mpi);
    return DSN_MEASURED_FAILED;
}

enum dsn_measured dsn_sweep_mpi(const struct dsn_sweep_settings *s, uint64_t request, unsigned samples,
                                int (*take)(void *context, const struct dsn_sample *one), void *context, char *error,
                                size_t room)
{
    char path[PATH_ROOM], directory[PATH_ROOM], script[1024], numbers[5][24];
    char *arguments[] = { "sh",       "-c",       script,     path,       directory, numbers[0],
                          numbers[1], numbers[2], numbers[3], numbers[4], NULL };
    const uint64_t values[5] = { request, s->file, samples, s->wanted >> DSN_SWEEP_MODE_READ & 3, s->reserve };
    struct talk talk = { .request = request, .take = take, .context = context };
    enum dsn_measured rc;

    for (unsigned i = 0; i < 5; i++)
        snprintf(numbers[i], sizeof numbers[i], "%" PRIu64, values[i]);
    if ((size_t)snprintf(script, sizeof script, "exec %s \"$0\" \"$@\"", s->mpi) >= sizeof script) {
        snprintf(error, room, "the command of --mpi is too long");
        return DSN_MEASURED_FAILED;
    }
    rc = find_program(s, script, path, error, room);
    if (rc != DSN_MEASURED)
        return rc;
    snprintf(directory, sizeof directory, "%s/.darshan-sweep-mpi.XXXXXX", s->directory);
    if (!mkdtemp(directory)) {
        snprintf(error, room, "cannot create a directory in it: %s", strerror(errno));
        return DSN_MEASURED_FAILED;
    }
    rc = run_one(s->mpi, arguments, &talk, error, room);
    remove_directory(directory);
    return rc;
}
