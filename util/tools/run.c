/* run.c - `darshan run`: a command is recorded, and when it has ended, its summary is printed
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program-kind.h"
#include "runs.h"
#include "util/command/common.h"

#define COMMAND "darshan run"
#define LIBRARY "libdarshan.so"
#define SUMMARY "darshan-job-summary"

/* What starts programs, on this node or others: there is nothing to say about it. Debian has several of the first two:
 * mpirun.openmpi, mpiexec.hydra. Each is a plain word, which the library compares without touching the program's heap. */
#define LAUNCHERS                                                                                                      \
    "(^|/)mpirun$,(^|/)mpirun\\.,(^|/)mpiexec$,(^|/)mpiexec\\.,(^|/)orterun$,(^|/)prterun$,(^|/)prun$,(^|/)srun$,"     \
    "(^|/)orted$,(^|/)prted$,(^|/)hydra_"

/* The directory of this command: others are beside it, and the library in ../lib. 0: unknown. */
static int own_directory(char directory[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    char *slash;

    directory[n > 0 ? n : 0] = '\0';
    slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Why a command of this package is not there: configure leaves some out. */
static const char *why_missing(const char *name)
{
    static const struct {
        const char *name, *why;
    } optional[] = {
        { "darshan-sweep", "configure without --disable-measure builds it" },
        { "darshan-block", "configure without --disable-measure builds it" },
        { "darshan-fsstats", "configure without --disable-measure builds it" },
        { "darshan-spmv", "configure without --disable-measure builds it where it finds an MPI" },
        { "darshan-accounting", "configure builds it where it finds SQLite and OpenSSL (libsqlite3-dev, libssl-dev)" },
    };

    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (strcmp(optional[i].name, name) == 0)
            return optional[i].why;
    return "install all of this release";
}

int dsn_exec_own(const char *name, char *const *argv)
{
    char directory[PATH_MAX], path[PATH_MAX];
    int error;

    if (own_directory(directory) && snprintf(path, sizeof path, "%s/%s", directory, name) < PATH_MAX)
        execv(path, argv);
    execvp(name, argv);
    error = errno;
    if (error == ENOENT)
        fprintf(stderr, "darshan: %s: is not part of this installation: %s\n", name, why_missing(name));
    else
        fprintf(stderr, "darshan: %s: %s\n", name, strerror(error));
    return error == ENOENT ? 127 : 126;
}

int dsn_spawn_own(const char *name, char *const *argv, int to)
{
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        const int none = open("/dev/null", O_WRONLY);

        dup2(to >= 0 ? to : none, STDOUT_FILENO);
        if (to < 0)
            dup2(none, STDERR_FILENO);
        _exit(dsn_exec_own(name, argv));
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The library of this installation. 0: it is not there. */
static int find_library(char path[PATH_MAX])
{
    static const char *const beside[] = { "../lib/" LIBRARY, "../lib64/" LIBRARY };
    char directory[PATH_MAX];

    for (size_t i = 0; own_directory(directory) && i < sizeof beside / sizeof beside[0]; i++)
        if (snprintf(path, PATH_MAX, "%s/%s", directory, beside[i]) < PATH_MAX && access(path, R_OK) == 0)
            return 1;
    return snprintf(path, PATH_MAX, "%s", DSN_LIBDIR "/" LIBRARY) < PATH_MAX && access(path, R_OK) == 0;
}

/* ------------------------------------------------------------------ what the command is given */

/* Puts text before, or behind, what a variable contains. */
static void add_to(const char *name, const char *text, int is_before, char separator)
{
    const char *old = getenv(name);
    char *all;

    if (!old || !*old) {
        setenv(name, text, 1);
    } else if (asprintf(&all, "%s%c%s", is_before ? text : old, separator, is_before ? old : text) > 0) {
        setenv(name, all, 1);
        free(all);
    }
}

static int is_called(const char *command, const char *name)
{
    const char *slash = strrchr(command, '/');

    return strcmp(slash ? slash + 1 : command, name) == 0;
}

/* Tasks of Slurm's srun are not its children: if it had the library, those of its node would become ranks of its log. */
static int is_srun(const char *launcher)
{
    return is_called(launcher, "srun");
}

/* What puts a script into a queue, of Slurm, PBS and LSF, has ended before there is anything to record. */
static int is_submission(const char *command)
{
    return is_called(command, "sbatch") || is_called(command, "qsub") || is_called(command, "bsub");
}

/* The word --export=... of srun's own options. NULL: there is none. */
static char **srun_exports(char **argv)
{
    for (size_t i = 1; argv[i] && (argv[i][0] == '-' || argv[i - 1][0] == '-'); i++)
        if (strncmp(argv[i], "--export=", strlen("--export=")) == 0)
            return &argv[i];
    return NULL;
}

/* The same list of variables, with what a task needs to be recorded. NULL: nothing is to be passed on. */
static char *exports_to_tasks(const char *list)
{
    const char *equals = strchr(list, '=');
    char *all;

    if (strcmp(equals ? equals + 1 : list, "NONE") == 0 || strcmp(equals ? equals + 1 : list, "NIL") == 0 ||
        asprintf(&all,
                 "%s,LD_PRELOAD=%s,DARSHAN_APP_EXCLUDE,DARSHAN_ENABLE_NONMPI,DARSHAN_LOGPATH,DXT_ENABLE_IO_TRACE,"
                 "DARSHAN_CALLSITES",
                 list, getenv("LD_PRELOAD")) < 0)
        return NULL;
    return all;
}

static void set_environment(const struct dsn_program_run *run, char **argv, const char *library, const char *directory)
{
    static const char *const others[] = { "DARSHAN_LOGFILE", "DARSHAN_DISABLE" };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        unsetenv(others[i]);
    add_to("LD_PRELOAD", library, 1, ':');
    if (is_srun(run->argv[0])) {
        const char *given = getenv("SLURM_EXPORT_ENV");
        char **exports = srun_exports(argv), *tasks = exports_to_tasks(exports ? *exports : given ? given : "ALL");

        if (exports && tasks)
            *exports = tasks;
        else if (tasks)
            setenv("SLURM_EXPORT_ENV", tasks, 1);
        unsetenv("LD_PRELOAD");
    }
    add_to("DARSHAN_APP_EXCLUDE", LAUNCHERS, 0, ',');
    setenv("DARSHAN_ENABLE_NONMPI", "1", 1);
    setenv("DARSHAN_LOGPATH", directory, 1);
    if (run->trace)
        setenv("DXT_ENABLE_IO_TRACE", "1", 1);
    if (run->where)
        setenv("DARSHAN_CALLSITES", "1", 1);
}

/* Open MPI's launcher passes on to other nodes only what its options name. */
static int is_of_open_mpi(const char *launcher)
{
    static const char *const names[] = { "mpirun", "mpiexec", "orterun" };
    const char *slash = strrchr(launcher, '/'), *name = slash ? slash + 1 : launcher;
    char said[256] = "";
    int ends[2], is_launcher = 0;
    pid_t pid;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is_launcher |= strncmp(name, names[i], strlen(names[i])) == 0 &&
                       (!name[strlen(names[i])] || strcmp(name + strlen(names[i]), ".openmpi") == 0);
    if (!is_launcher || pipe(ends) != 0)
        return 0;
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp(launcher, launcher, "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof said - 1;) {
        const ssize_t got = read(ends[0], said + n, sizeof said - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return strstr(said, "Open MPI") || strstr(said, "OpenRTE");
}

/* The command with the options that its launcher needs, or through a shell if it is a line of one. NULL: no memory. */
static char **make_command(const struct dsn_program_run *run)
{
    static char exports[][24] = { "LD_PRELOAD",      "DARSHAN_APP_EXCLUDE", "DARSHAN_ENABLE_NONMPI",
                                  "DARSHAN_LOGPATH", "DXT_ENABLE_IO_TRACE", "DARSHAN_CALLSITES" };
    const int is_asked_for[] = { 1, 1, 1, 1, run->trace, run->where };
    static char shell[] = "/bin/sh", line[] = "-c", export[] = "-x";
    size_t n = 0, to = 0;
    char **argv;

    while (run->argv[n])
        n++;
    argv = calloc(n + 2 * sizeof exports / sizeof exports[0] + 3, sizeof *argv);
    if (!argv)
        return NULL;
    if (n == 1 && strpbrk(run->argv[0], " \t\n;|&<>$`") && access(run->argv[0], F_OK) != 0) {
        argv[to++] = shell;
        argv[to++] = line;
    }
    argv[to++] = run->argv[0];
    if (n > 1 && is_of_open_mpi(run->argv[0]))
        for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
            if (!is_asked_for[i])
                continue;
            argv[to++] = export;
            argv[to++] = exports[i];
        }
    for (size_t i = 1; i < n; i++)
        argv[to++] = run->argv[i];
    return argv;
}

/* ------------------------------------------------------------------ the command */

static volatile sig_atomic_t child;

/* One sent to this process alone, as by timeout; those of the terminal reach the command without help. */
static void pass_on(int signal)
{
    const int error = errno;

    if (child > 0)
        kill((pid_t)child, signal);
    errno = error;
}

/* Waits for the command. Returns its status, as of waitpid(), or -1 and errno if there is none. */
static int perform(char **argv, const struct dsn_program_run *run, const char *library, const char *directory)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, pass = { .sa_handler = pass_on, .sa_flags = SA_RESTART };
    struct sigaction interrupt, quit;
    int ends[2], error = 0, status = 0;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid = fork();
    if (pid == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        set_environment(run, argv, library, directory);
        execvp(argv[0], argv);
        error = errno;
        if (write(ends[1], &error, sizeof error) < 0)
            _exit(1);
        _exit(127);
    }
    error = pid < 0 ? errno : 0;
    close(ends[1]);
    child = (sig_atomic_t)pid;
    sigaction(SIGTERM, &pass, NULL);
    sigaction(SIGHUP, &pass, NULL);
    if (pid > 0 && read(ends[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    errno = error;
    return error ? -1 : status;
}

/* ------------------------------------------------------------------ what is said about it */

/* What was killed leaves files in memory, which know where its log belongs. */
static void recover(void)
{
    static char name[] = "darshan-recover", quiet[] = "--quiet";

    dsn_spawn_own(name, (char *[]){ name, quiet, NULL }, -1);
}

static int is_log(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');

    return dot && strcmp(dot, ".darshan") == 0;
}

/* Replaces the logs in it, of tasks of one job step, by one, if darshan-merge finds that they are. Returns how many are there, and
 * the path of the only one. */
static size_t merge_logs(const char *directory, char only[PATH_MAX])
{
    static char name[] = "darshan-merge", option[] = "--output", merged[] = "merged";
    struct dirent **list = NULL;
    const int here = open(".", O_RDONLY | O_CLOEXEC | O_DIRECTORY), n = scandir(directory, &list, is_log, alphasort);
    char **argv = n > 1 ? calloc((size_t)n + 4, sizeof *argv) : NULL;

    if (argv && here >= 0 && chdir(directory) == 0) {
        argv[0] = name;
        argv[1] = option;
        argv[2] = merged;
        for (int i = 0; i < n; i++)
            argv[3 + i] = list[i]->d_name;
        if (dsn_spawn_own(name, argv, -1) == 0 && rename(merged, list[0]->d_name) == 0)
            for (int i = 1; i < n; i++)
                unlink(list[i]->d_name);
        if (fchdir(here) != 0)
            perror(name);
    }
    if (here >= 0)
        close(here);
    free(argv);
    for (int i = 0; i < n; i++)
        free(list[i]);
    if (n >= 0)
        free(list);
    return dsn_run_logs(directory, only);
}

static void say_no_log(char *const *argv, int status)
{
    const char *why = dsn_why_not_recorded(argv[0]);

    if (why)
        dsn_warn(COMMAND, argv[0], "no log: it %s", why);
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        dsn_warn(COMMAND, argv[0], "no log: it ended with status %d, and had read and written nothing that is recorded",
                 WEXITSTATUS(status));
    else
        dsn_warn(COMMAND, argv[0],
                 "no log: it read and wrote nothing that is recorded (files of the system, as in /usr, are "
                 "not); DARSHAN_VERBOSE=1 says more");
}

static void say_how_it_went(const struct dsn_program_run *run, const char *directory, char *log, size_t logs)
{
    static char name[] = SUMMARY, output[] = "--output";
    char given[PATH_MAX], page[PATH_MAX];

    if (logs > 1)
        snprintf(log, PATH_MAX, "%s", directory);
    snprintf(given, sizeof given, "%s", log);
    if (!run->quiet) {
        fputc('\n', stderr);
        dsn_spawn_own(name, (char *[]){ name, given, NULL }, STDERR_FILENO);
        fputc('\n', stderr);
    }
    fprintf(stderr, "darshan: %s: %s\n", logs > 1 ? "logs" : "log", log);
    if (run->page && snprintf(page, sizeof page, "%s", run->page) < PATH_MAX &&
        dsn_spawn_own(name, (char *[]){ name, output, page, given, NULL }, STDERR_FILENO) == 0)
        fprintf(stderr, "darshan: page: %s\n", page);
}

/* Ends as the command has ended. */
static int end_as(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

int dsn_program_run(const struct dsn_program_run *run)
{
    char library[PATH_MAX], directory[PATH_MAX], log[PATH_MAX] = "";
    char **argv;
    size_t logs;
    int error, status;

    if (is_submission(run->argv[0])) {
        dsn_warn(COMMAND, run->argv[0],
                 "nothing was submitted, for it ends before its job begins: write 'darshan run' into the job's script, "
                 "before srun, mpirun or the program");
        return 2;
    }
    if (!find_library(library)) {
        dsn_warn(COMMAND, LIBRARY, "is neither in ../lib beside this command nor in %s: install the runtime",
                 DSN_LIBDIR);
        return 1;
    }
    argv = make_command(run);
    error = argv ? dsn_run_make(run->output, run->argv[0], directory) : ENOMEM;
    if (error) {
        dsn_warn(COMMAND, run->output ? run->output : "the directory for logs", "%s; give another by --output",
                 strerror(error));
        free(argv);
        return 1;
    }
    status = perform(argv, run, library, directory);
    error = status == -1 ? errno : 0;
    logs = dsn_run_logs(directory, log);
    if (!error && (status != 0 || logs == 0)) {
        recover();
        logs = dsn_run_logs(directory, log);
    }
    if (logs > 1 && is_srun(run->argv[0]))
        logs = merge_logs(directory, log);
    if (error)
        dsn_warn(COMMAND, argv[0], "%s", strerror(error));
    else if (logs == 0)
        say_no_log(argv, status);
    else
        say_how_it_went(run, directory, log, logs);
    dsn_runs_tidy(directory, run->output != NULL);
    free(argv);
    return error ? (error == ENOENT ? 127 : 126) : end_as(status);
}
