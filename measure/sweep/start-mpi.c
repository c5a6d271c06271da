/* start-mpi.c - starts the MPI program that measures access modes and nodes, and reads its output
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
#include <time.h>
#include <unistd.h>

#include "measure/sweep/mpi.h"

#define PATH_ROOM  4352
#define END_PAUSES 300 /* of 10 ms: that long the program may take to end */

/* The programs, one for each MPI. */
static const char *const programs[] = { "sweep-mpi-openmpi", "sweep-mpi-mpich" };
#define NPROGRAMS (sizeof programs / sizeof programs[0])

static int is_there(unsigned i, char *path)
{
    snprintf(path, PATH_ROOM, "%s/%s", DSN_LIBEXEC, programs[i]);
    return access(path, X_OK) == 0;
}

/* Starts the command in its own process group, so that all of it can be killed; its output is *from, and what it reads
 * goes into *to, unless that is NULL. */
static pid_t start(const char *command, char *const *arguments, int *from, int *to)
{
    int ends[2], told[2] = { -1, -1 };
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    if (to && pipe2(told, O_CLOEXEC) != 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        if (to)
            dup2(told[0], STDIN_FILENO);
        execv("/bin/sh", arguments);
        fprintf(stderr, "darshan-sweep: %s: cannot be started: %s\n", command, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    *from = ends[0];
    if (to) {
        close(told[0]);
        *to = told[1];
    }
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

static void failed(const char *command, char *error, size_t room)
{
    snprintf(error, room, "%.150s failed, see its messages; omit --mpi to skip what it measures", command);
}

static enum dsn_measured run_one(const char *command, char *const *arguments, struct talk *t, char *error, size_t room)
{
    int from, status = 0, whole;
    const pid_t pid = start(command, arguments, &from, NULL);
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
        failed(command, error, room);
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
             "%.100s does not start programs of the MPI that this was built with; omit --mpi to skip what it measures",
             s->mpi);
    return DSN_MEASURED_FAILED;
}

/* What both kinds of measurements need: the program, and a directory of its own. */
static enum dsn_measured prepare(const struct dsn_sweep_settings *s, char *script, size_t script_room, char *path,
                                 char *directory, char *error, size_t room)
{
    enum dsn_measured rc;

    if ((size_t)snprintf(script, script_room, "exec %s \"$0\" \"$@\"", s->mpi) >= script_room) {
        snprintf(error, room, "the command of --mpi is too long");
        return DSN_MEASURED_FAILED;
    }
    rc = find_program(s, script, path, error, room);
    if (rc != DSN_MEASURED)
        return rc;
    snprintf(directory, PATH_ROOM, "%s/.darshan-sweep-mpi.XXXXXX", s->directory);
    if (!mkdtemp(directory)) {
        snprintf(error, room, "cannot create a directory in it: %s", strerror(errno));
        return DSN_MEASURED_FAILED;
    }
    return DSN_MEASURED;
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
    rc = prepare(s, script, sizeof script, path, directory, error, room);
    if (rc != DSN_MEASURED)
        return rc;
    rc = run_one(s->mpi, arguments, &talk, error, room);
    remove_directory(directory);
    return rc;
}

/* ------------------------------------------------------------------ nodes */

struct dsn_nodes {
    pid_t pid;
    FILE *from;
    int to;
    const char *command;
    char directory[PATH_ROOM];
};

/* Ends the program: it does when nothing more is asked for. MPI_Finalize of MPICH over TCP is known not to return if a
 * rank is late; by then everything is measured, so the program is killed. */
void dsn_nodes_stop(struct dsn_nodes *n)
{
    const struct timespec pause = { .tv_nsec = 10000000 };

    if (!n)
        return;
    close(n->to);
    for (unsigned i = 0; waitpid(n->pid, NULL, WNOHANG) == 0; i++) {
        if (dsn_sweep_stop || i == END_PAUSES)
            kill(-n->pid, SIGTERM);
        else if (i == 2 * END_PAUSES)
            kill(-n->pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    fclose(n->from);
    signal(SIGPIPE, SIG_DFL);
    remove_directory(n->directory);
    free(n);
}

/* The next line of this form. Returns 0 if the program has ended before. */
static int next_line(const struct dsn_nodes *n, char *line, size_t room)
{
    return !dsn_sweep_stop && fgets(line, (int)room, n->from) != NULL && !dsn_sweep_stop;
}

static enum dsn_measured gone(const struct dsn_nodes *n, char *error, size_t room)
{
    if (dsn_sweep_stop)
        return DSN_MEASURED_STOPPED;
    failed(n->command, error, room);
    return DSN_MEASURED_FAILED;
}

/* Reads which nodes there are. They must be those of a record, if it has any. */
static enum dsn_measured read_hosts(const struct dsn_nodes *n, struct dsn_sweep_settings *s,
                                    struct dsn_samples *samples, char *error, size_t room)
{
    const size_t had = samples->nhosts;
    char line[256];

    for (;;) {
        struct dsn_sweep_host h = { .processes = 0 };
        long at;

        if (!next_line(n, line, sizeof line))
            return gone(n, error, room);
        if (strcmp(line, "ready\n") == 0)
            break;
        if (sscanf(line, "host %u %31s %64s", &h.processes, h.type, h.name) != 3)
            continue;
        s->processes += h.processes;
        s->hosts++;
        at = dsn_samples_host(samples, h.name);
        if (had > 0 ? at < 0 || samples->host[at].processes != h.processes : !dsn_samples_add_host(samples, &h)) {
            snprintf(error, room, "%s",
                     had > 0 ? "the record is of other nodes or numbers of processes; start the same "
                               "ones, or choose another file"
                             : "out of memory");
            return DSN_MEASURED_FAILED;
        }
    }
    if (had > 0 && s->hosts != had) {
        snprintf(error, room,
                 "the record is of %zu nodes, not of %u; start processes on the same ones, or choose another "
                 "file",
                 had, s->hosts);
        return DSN_MEASURED_FAILED;
    }
    return DSN_MEASURED;
}

enum dsn_measured dsn_nodes_start(struct dsn_sweep_settings *s, struct dsn_samples *samples, struct dsn_nodes **out,
                                  char *error, size_t room)
{
    struct dsn_nodes *n = calloc(1, sizeof *n);
    char path[PATH_ROOM], script[1024], numbers[3][24], request[] = "1", samples_each[] = "1";
    char *arguments[] = { "sh",       "-c",         script,     path,       NULL, request,
                          numbers[0], samples_each, numbers[1], numbers[2], NULL };
    enum dsn_measured rc = DSN_MEASURED_FAILED;
    int from;

    *out = NULL;
    if (!n) {
        snprintf(error, room, "out of memory");
        return rc;
    }
    snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, s->file);
    snprintf(numbers[1], sizeof numbers[1], "%d", DSN_MPI_WANTS_NODES);
    snprintf(numbers[2], sizeof numbers[2], "%" PRIu64, s->reserve);
    rc = prepare(s, script, sizeof script, path, n->directory, error, room);
    if (rc != DSN_MEASURED) {
        free(n);
        return rc;
    }
    arguments[4] = n->directory;
    n->command = s->mpi;
    n->pid = start(s->mpi, arguments, &from, &n->to);
    n->from = n->pid > 0 ? fdopen(from, "r") : NULL;
    if (!n->from) {
        snprintf(error, room, "%.100s cannot be started: %s", s->mpi, strerror(errno));
        remove_directory(n->directory);
        free(n);
        return DSN_MEASURED_FAILED;
    }
    signal(SIGPIPE, SIG_IGN); /* if it dies, that is said */
    *out = n;
    s->processes = s->hosts = 0;
    return read_hosts(n, s, samples, error, room);
}

enum dsn_measured dsn_nodes_measure(struct dsn_nodes *n, const struct dsn_point *p, double seconds, size_t nhosts,
                                    int (*take)(void *context, const struct dsn_sample *one), void *context,
                                    char *error, size_t room)
{
    const struct dsn_sweep_row *row = dsn_sweep_row(p->sweep);
    const struct dsn_mpi_point point = { .is_write = dsn_sweep_is_write(p->sweep),
                                         .is_each = row->is_each,
                                         .processes = (int)p->workers,
                                         .request = p->request,
                                         .seconds = seconds };
    struct dsn_sample all = { .sweep = p->sweep, .x = p->x, .request = p->request };
    char line[256];
    const int size = dsn_mpi_point_write(line, sizeof line, &point);

    if (write(n->to, line, (size_t)size) != size)
        return gone(n, error, room);
    while (next_line(n, line, sizeof line)) {
        struct dsn_sample one = all;

        if (strcmp(line, "done\n") == 0)
            return all.seconds > 0 ? take(context, &all) ? DSN_MEASURED : DSN_MEASURED_FAILED : DSN_MEASURED_NOT_HERE;
        if (sscanf(line, "share %u %lf %lf %lf", &one.host, &one.bytes, &one.seconds, &one.resident) != 4 ||
            one.host >= nhosts || !(one.bytes > 0) || !(one.seconds > 0))
            continue;
        one.host++;
        all.bytes += one.bytes;
        all.seconds = one.seconds > all.seconds ? one.seconds : all.seconds;
        /* the worst node counts, and one that is unknown */
        if (all.resident >= 0 && (one.resident < 0 || one.resident > all.resident))
            all.resident = one.resident;
        if (!take(context, &one))
            return DSN_MEASURED_FAILED;
    }
    return gone(n, error, room);
}
