/* victim.c - eight ranks that read and write at random and keep a ledger of it, to be killed
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * victim DIRECTORY SEED CALLS [NUMBER]. Without MPI the eight are a tree of processes, of which those of odd numbers
 * execute this program once more (NUMBER says which one they are). What a call will do is in the ledger before it
 * begins, what it has done when it has ended: whatever kills the process, what the tool has counted lies between. The
 * ledger is the file ledger.<number>; test/faults/faults.py has its layout, too. On SIGTERM those of even seeds end in
 * order, the others die of it. With VICTIM_STEPS set it says by SIGUSR1 when it begins to work (unless that is "end") and
 * when it is done (test/faults/step.c). */
#include "work.h"
#include "unseen.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define RANKS  8
#define FILES  40
#define STDIO  24 /* files from here on are streams */
#define SHARED 32 /* and from here on all ranks' */
#define MOST   3000

enum counter { OPENS, READS, WRITES, BYTES_READ, BYTES_WRITTEN, COUNTERS };
enum state { BEGUN = 1, WORKING, ENDING, ENDED };

struct ledger {
    int64_t pid, state;
    struct {
        int64_t begun[COUNTERS], ended[COUNTERS];
    } file[FILES];
};

static volatile struct ledger *ledger;
static int number;
static unsigned long long seed;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* By the kernel's calls, which nobody counts. */
static void open_ledger(void)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "ledger.%d", number);
    fd = (int)unseen(SYS_openat, AT_FDCWD, work_path(name), O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && unseen(SYS_ftruncate, fd, (long)sizeof *ledger) == 0);
    ledger = (struct ledger *)unseen(SYS_mmap, NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    CHECK((long)ledger != -1);
    unseen(SYS_close, fd);
    ledger->pid = getpid();
    ledger->state = BEGUN;
}

static const char *name_of(int file)
{
    char name[32];

    if (file < SHARED)
        snprintf(name, sizeof name, "own.%d.%d", number, file);
    else
        snprintf(name, sizeof name, "shared.%d", file);
    return work_path(name);
}

static void begin(int file, enum counter c, int64_t n)
{
    ledger->file[file].begun[c] = ledger->file[file].ended[c] + n;
}

/* It was no more than that. */
static void end(int file, enum counter c, int64_t n)
{
    ledger->file[file].ended[c] += n;
    ledger->file[file].begun[c] = ledger->file[file].ended[c];
}

static void call(int file, int fd, FILE *stream)
{
    static char buffer[MOST];
    const size_t n = 1 + pick(MOST);
    const int reads = (int)pick(2);
    int64_t done;

    begin(file, reads ? READS : WRITES, 1);
    begin(file, reads ? BYTES_READ : BYTES_WRITTEN, (int64_t)n);
    if (stream) {
        CHECK(fseek(stream, (long)pick(9000), SEEK_SET) == 0);
        done = (int64_t)(reads ? fread(buffer, 1, n, stream) : fwrite(buffer, 1, n, stream));
    } else if (pick(2)) {
        done = reads ? pread(fd, buffer, n, pick(9000)) : pwrite(fd, buffer, n, pick(9000));
    } else {
        done = reads ? read(fd, buffer, n) : write(fd, buffer, n);
    }
    CHECK(done >= 0);
    end(file, reads ? READS : WRITES, done > 0 || !stream); /* streams: what gives nothing is not counted */
    end(file, reads ? BYTES_READ : BYTES_WRITTEN, done);
}

static void visit(void)
{
    const int file = (int)pick(FILES), is_stream = file >= STDIO && file < SHARED;
    FILE *stream = NULL;
    int fd = -1;

    begin(file, OPENS, 1);
    if (is_stream)
        stream = fopen(name_of(file), "a+");
    else
        fd = open(name_of(file), O_RDWR | O_CREAT, 0600);
    CHECK(stream || fd >= 0);
    end(file, OPENS, 1);
    for (unsigned calls = pick(6); calls > 0; calls--)
        call(file, fd, stream);
    if (stream)
        fclose(stream);
    else
        close(fd);
}

static volatile sig_atomic_t is_told;

static void on_term(int signal)
{
    (void)signal;
    is_told = 1;
}

static void work(int visits, const char *given)
{
    if (atoll(given) % 2 == 0)
        signal(SIGTERM, on_term);
    ledger->state = WORKING;
    if (getenv("VICTIM_STEPS") && strcmp(getenv("VICTIM_STEPS"), "end") != 0)
        raise(SIGUSR1);
    while (visits-- > 0 && !is_told)
        visit();
    ledger->state = ENDING;
    if (getenv("VICTIM_STEPS"))
        raise(SIGUSR1);
}

#ifdef WITH_MPI

static void find_number(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    rank = rank ? rank : getenv("PMI_RANK");
    CHECK(rank);
    number = atoi(rank);
}

int main(int argc, char **argv)
{
    CHECK(argc >= 4);
    work_dir = argv[1];
    find_number();
    seed = strtoull(argv[2], NULL, 10) * RANKS + (unsigned)number;
    open_ledger();
    CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
    work(atoi(argv[3]), argv[2]);
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    ledger->state = ENDED;
    return 0;
}

#else

/* Those of this one; returns in each of them, too. */
static int make_children(char **argv)
{
    char text[16];

    for (int child = 2 * number + 1; child <= 2 * number + 2 && child < RANKS; child++) {
        const pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid > 0)
            continue;
        number = child;
        snprintf(text, sizeof text, "%d", number);
        if (child % 2)
            execl(argv[0], argv[0], argv[1], argv[2], argv[3], text, (char *)NULL);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(argc >= 4);
    work_dir = argv[1];
    number = argc > 4 ? atoi(argv[4]) : 0;
    while (make_children(argv))
        ;
    seed = strtoull(argv[2], NULL, 10) * RANKS + (unsigned)number;
    open_ledger();
    work(atoi(argv[3]), argv[2]);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    return 0;
}

#endif
