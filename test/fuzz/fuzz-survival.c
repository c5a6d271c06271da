/* fuzz-survival.c - any bytes in the survival file of a killed process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process counts, traces and is killed: what it leaves is the file that all inputs change. An input is a list of changes of
 * 13 bytes: what is done, where, and with what. The reader must give something that can be left to another process, and read
 * there, or nothing; and so must the one that looks at those that run. */
#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/note.h"
#include "base/pages.h"
#include "life/start.h"
#include "life/state.h"
#include "module/posix.h"
#include "record/record.h"
#include "record/span.h"
#include "survive/exit-record.h"
#include "survive/salvage.h"
#include "test/fuzz/fuzz.h"
#include "top/counts.h"

#define MOST_PIECES 64

volatile uint64_t fuzz_sink;

static struct {
    char path[256];
    int fd;
    off_t size;
    struct piece {
        off_t begin, end;
    } piece[MOST_PIECES]; /* of the file, that are not holes */
    int npieces;
} file;

/* ------------------------------------------------------------------ the process that is killed */

static void count(void)
{
    char path[64], bytes[4096] = "";

    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "/data/%d", i);
        NOTE(dsn__posix_open(&s, 7, AT_FDCWD, path, O_RDWR, 0600));
        for (int n = 1; n < 40; n++)
            NOTE(dsn__posix_write(&s, 7, bytes, n * 8, DSN_AT_CURSOR));
        NOTE(dsn__posix_close(&s, dsn__posix_release(7)));
        for (enum dsn_module_index module = 0; module < DSN_NMODULES && i < 3; module++)
            NOTE(dsn__record(module, path));
    }
}

static void be_killed(const char *directory)
{
    setenv("DARSHAN_MMAP_LOGPATH", directory, 1);
    setenv("DARSHAN_MODMEM", "1", 1);
    setenv("DXT_ENABLE_IO_TRACE", "1", 1);
    if (!dsn__start(0, NULL) || !dsn__survival->is_file)
        _exit(2);
    dsn__switch_on();
    count();
    raise(SIGKILL);
}

/* ------------------------------------------------------------------ the file */

static void find_pieces(void)
{
    off_t end = 0;

    for (off_t at = 0; at < file.size && file.npieces < MOST_PIECES; at = end) {
        at = dsn__next_piece(file.fd, at, file.size, &end);
        if (at < file.size)
            file.piece[file.npieces++] = (struct piece){ at, end };
    }
}

static void make_file(void)
{
    char directory[] = "/dev/shm/fuzz-survival.XXXXXX", command[300];
    const pid_t pid = mkdtemp(directory) ? fork() : -1;
    struct stat st;
    FILE *name;
    int status;

    if (pid == 0)
        be_killed(directory);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        abort();
    snprintf(command, sizeof command, "ls %s/*/*.survival", directory);
    name = popen(command, "r");
    if (!name || !fgets(file.path, sizeof file.path, name) || pclose(name) != 0)
        abort();
    file.path[strcspn(file.path, "\n")] = '\0';
    file.fd = open(file.path, O_RDWR);
    snprintf(command, sizeof command, "rm -r %s", directory);
    if (file.fd < 0 || fstat(file.fd, &st) != 0 || system(command) != 0)
        abort();
    file.size = st.st_size;
    find_pieces();
}

/* The place in the file of byte `n` of all that are in its pieces. */
static off_t place_of(uint32_t n)
{
    off_t all = 0, at;

    for (int i = 0; i < file.npieces; i++)
        all += file.piece[i].end - file.piece[i].begin;
    at = (off_t)n % all / 8 * 8;
    for (int i = 0; i < file.npieces; i++) {
        const off_t size = file.piece[i].end - file.piece[i].begin;

        if (at < size)
            return file.piece[i].begin + at;
        at -= size;
    }
    return 0;
}

/* ------------------------------------------------------------------ one input */

#define MOST_CHANGES 64

struct change {
    uint8_t kind;
    uint32_t where;
    uint64_t what;
} __attribute__((packed));

/* The new word there. */
static uint64_t changed(const struct change *c, uint64_t word)
{
    uint64_t other = 0;

    switch (c->kind % 4) {
    case 0:
        return c->what;
    case 1:
        return word + c->what;
    case 2:
        return word ^ (uint64_t)1 << c->what % 64;
    default: /* what stands elsewhere: an address, most likely */
        return pread(file.fd, &other, sizeof other, place_of((uint32_t)c->what)) == sizeof other ? other : 0;
    }
}

static void use(const struct dsn_recording *r)
{
    static struct dsn_exit_record_room here;
    const struct dsn_end end = { DSN_KILLED, 1 };
    struct dsn_bump memory = { 0 };
    struct dsn_exit_record *first = NULL;
    size_t size = 0;
    void *exit_record = dsn__exit_record_pack(r, &end, &here, &size);

    if (exit_record) {
        dsn__exit_records_of(exit_record, size, &first, &memory);
        if (!first) /* it was not what it should be */
            __builtin_trap();
        fuzz_sink += (uint64_t)first->row.v[0].i;
    }
    dsn__bump_free(&memory);
    dsn__exit_record_free(exit_record, &here);
}

/* As darshan-top looks: again and again, in the same memory. */
static int look(void)
{
    static struct dsn_salvage s;
    static struct dsn_top_record *records;
    static size_t room;
    double beside[DSN_TOP_NCOUNTS];
    int64_t n;

    if (!dsn__salvage_look(&s, file.fd, file.size, (size_t)64 << 20))
        return 0;
    n = dsn__top_records(&s.salvaged.of, &records, &room);
    dsn__top_beside(&s.salvaged.of, beside);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < DSN_TOP_NCOUNTS; k++)
            if (!(records[i].count[k] >= 0)) /* nor is it no number */
                __builtin_trap();
    for (int64_t i = 0; i < n; i++)
        fuzz_sink += records[i].name ? strlen(records[i].name) : 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const size_t most = n / sizeof(struct change) < MOST_CHANGES ? n / sizeof(struct change) : MOST_CHANGES;
    struct dsn_salvage s;
    uint64_t before[MOST_CHANGES];
    struct change c;

    if (file.size == 0)
        make_file();
    for (size_t i = 0; i < most; i++) {
        memcpy(&c, bytes + i * sizeof c, sizeof c);
        if (pread(file.fd, &before[i], sizeof before[i], place_of(c.where)) != sizeof before[i])
            before[i] = 0;
        const uint64_t word = changed(&c, before[i]);

        if (pwrite(file.fd, &word, sizeof word, place_of(c.where)) != sizeof word)
            abort();
    }
    if (dsn__salvage(&s, file.fd, file.size, n % 2)) {
        use(&s.salvaged.of);
        dsn__salvage_free(&s);
    } else if (most == 0) {
        __builtin_trap(); /* nothing is wrong with it */
    }
    if (!look() && most == 0)
        __builtin_trap();
    for (size_t i = most; i-- > 0;) {
        memcpy(&c, bytes + i * sizeof c, sizeof c);
        if (pwrite(file.fd, &before[i], sizeof before[i], place_of(c.where)) != sizeof before[i])
            abort();
    }
    return 0;
}
