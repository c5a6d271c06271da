/* record.c - records device requests, in blktrace's format
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blktrace_api.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "notes.h"
#include "ring.h"
#include "util/command/save.h"

#define PAGE_ROOM 65536 /* a page of the ring is one or several memory pages */
#define MAX_CPUS  4096
#define WAIT_NS   20000000
#define INSTANCE  "darshan-block."
#define MAX_STATS 1024 /* bytes of a processor's ring statistics */

volatile sig_atomic_t dsn_record_stop;

struct cpu {
    unsigned number;
    int raw;     /* trace_pipe_raw */
    FILE *store; /* records, sorted by time */
};

struct recorder {
    struct dsn_block_recording *r;
    int tracefs, instance; /* directories */
    char name[64];         /* of the instance */
    struct dsn_ring_formats formats;
    struct cpu cpu[MAX_CPUS];
    unsigned ncpus, now;       /* the processor whose page is being read */
    struct dsn_disk_part part; /* of a recorded disk */
    FILE *out;
    struct dsn_new_file file; /* if it has been begun */
    int has_file;
    int broken, write_error; /* of the kernel's data; errno */
};

static int fail(struct recorder *t, const char *what)
{
    snprintf(t->r->error, sizeof t->r->error, "%s: %s", what, strerror(errno));
    return 0;
}

/* ------------------------------------------------------------------ tracefs */

static int open_below(int at, const char *path, int flags)
{
    return openat(at, path, flags | O_CLOEXEC);
}

static int write_text(int at, const char *path, const char *text)
{
    const int fd = open_below(at, path, O_WRONLY | O_TRUNC);
    const int ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return ok;
}

static int read_text(int at, const char *path, char *to, size_t room)
{
    const int fd = open_below(at, path, O_RDONLY);
    size_t n = 0;
    ssize_t got = 1;

    while (fd >= 0 && n < room - 1 && (got = read(fd, to + n, room - 1 - n)) > 0)
        n += (size_t)got;
    to[n] = '\0';
    if (fd >= 0)
        close(fd);
    return fd >= 0 && n > 0;
}

/* Opens tracefs where it is mounted, otherwise mounts it privately. */
static int open_tracefs(struct recorder *t)
{
    static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
    int context;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        t->tracefs = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (t->tracefs >= 0 && faccessat(t->tracefs, "events/block", F_OK, 0) == 0)
            return 1;
        if (t->tracefs >= 0)
            close(t->tracefs);
        t->tracefs = -1;
    }
    context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
    if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
        t->tracefs = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
    if (t->tracefs < 0)
        fail(t, "needs tracefs (/sys/kernel/tracing) and the right to use it; run it as root");
    if (context >= 0)
        close(context);
    return t->tracefs >= 0;
}

static int read_formats(struct recorder *t)
{
    static const struct {
        const char *path;
        int is_complete;
    } events[] = { { "events/block/block_rq_issue/format", 0 }, { "events/block/block_rq_complete/format", 1 } };
    char text[16384];

    if (!read_text(t->tracefs, "events/header_page", text, sizeof text) || !dsn_page_format(text, &t->formats.page))
        return fail(t, "this kernel's events/header_page has an unknown format");
    for (size_t i = 0; i < 2; i++)
        if (!read_text(t->tracefs, events[i].path, text, sizeof text) ||
            !dsn_event_format(text, events[i].is_complete ? &t->formats.complete : &t->formats.issue))
            return fail(t, "this kernel's block device events are missing, or have an unknown format");
    return 1;
}

static int find_device(struct recorder *t)
{
    struct stat st;

    if (!t->r->device)
        return 1;
    if (stat(t->r->device, &st) != 0)
        return fail(t, t->r->device);
    if (!S_ISBLK(st.st_mode)) {
        snprintf(t->r->error, sizeof t->r->error, "%.150s is not a block device; choose one, such as /dev/sda",
                 t->r->device);
        return 0;
    }
    if (!dsn_disk_part(st.st_rdev, &t->part)) {
        snprintf(t->r->error, sizeof t->r->error,
                 "%.100s issues no requests itself; use an underlying disk (lsblk -s), or none to record all",
                 t->r->device);
        return 0;
    }
    return 1;
}

/* Removes instances left behind by killed recorders. */
static void remove_stale(struct recorder *t)
{
    const int fd = open_below(t->tracefs, "instances", O_RDONLY | O_DIRECTORY);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *e;
    long pid;

    while (d && (e = readdir(d)) != NULL)
        if (sscanf(e->d_name, INSTANCE "%ld", &pid) == 1 && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    if (d)
        closedir(d);
}

static int make_instance(struct recorder *t)
{
    char text[128];

    snprintf(t->name, sizeof t->name, "instances/" INSTANCE "%ld", (long)getpid());
    remove_stale(t);
    if (mkdirat(t->tracefs, t->name, 0700) != 0)
        return fail(t, "cannot create an instance of tracefs; run it as root");
    t->instance = open_below(t->tracefs, t->name, O_RDONLY | O_DIRECTORY);
    snprintf(text, sizeof text, "%" PRIu64, t->r->buffer_kib);
    if (t->instance < 0 || !write_text(t->instance, "trace_clock", "mono") ||
        !write_text(t->instance, "buffer_size_kb", text))
        return fail(t, "an instance of tracefs cannot be set up; give a smaller --buffer");
    if (t->r->device) { /* a flush, which has no sectors, belongs to the whole disk */
        int n = snprintf(text, sizeof text, "dev == %u", (uint32_t)t->part.disk);

        if (t->part.first > 0)
            snprintf(text + n, sizeof text - (size_t)n, " && sector >= %" PRIu64 " && sector < %" PRIu64, t->part.first,
                     t->part.first + t->part.sectors);
        if (!write_text(t->instance, "events/block/block_rq_issue/filter", text) ||
            !write_text(t->instance, "events/block/block_rq_complete/filter", text))
            return fail(t, "the device cannot be chosen in tracefs");
    }
    return 1;
}

/* Creates an unnamed file beside the recording, which will be as large. */
static FILE *open_store(const struct recorder *t)
{
    const char *slash = strrchr(t->r->output, '/');
    char *directory = slash ? strndup(t->r->output, (size_t)(slash - t->r->output) + 1) : strdup(".");
    const int fd = directory ? open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "w+") : tmpfile(); /* not supported by every file system */

    free(directory);
    return f;
}

static int open_cpus(struct recorder *t)
{
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        char path[64];
        struct cpu *c = &t->cpu[t->ncpus];

        snprintf(path, sizeof path, "per_cpu/cpu%u/trace_pipe_raw", i);
        c->raw = open_below(t->instance, path, O_RDONLY | O_NONBLOCK);
        if (c->raw < 0 && errno == ENOENT && i >= (unsigned)sysconf(_SC_NPROCESSORS_CONF))
            break;
        if (c->raw < 0)
            continue;
        c->store = open_store(t);
        if (!c->store) {
            close(c->raw);
            return fail(t, "cannot create a temporary file");
        }
        c->number = i;
        t->ncpus++;
    }
    return t->ncpus > 0 || fail(t, "tracefs has no buffers");
}

/* Removes an incomplete recording, unless it is a device or a pipe. Returns 0 on a write error. */
static int close_file(struct recorder *t, int is_whole)
{
    int is_written = !t->out || fclose(t->out) == 0;

    if (t->has_file) {
        t->file.fd = t->out ? -1 : t->file.fd;
        is_written &= dsn_file_end(&t->file, is_whole && is_written ? 0 : EIO) == 0;
    }
    if (is_whole && !is_written)
        fail(t, "cannot be written");
    return is_whole && is_written;
}

static void release(struct recorder *t)
{
    for (unsigned i = 0; i < t->ncpus; i++) {
        close(t->cpu[i].raw);
        fclose(t->cpu[i].store);
    }
    if (t->instance >= 0) {
        close(t->instance);
        unlinkat(t->tracefs, t->name, AT_REMOVEDIR);
    }
    if (t->tracefs >= 0)
        close(t->tracefs);
}

/* ------------------------------------------------------------------ events as blktrace's records */

/* The kernel's letters for the kind of a request. */
static uint32_t categories(const char *what)
{
    uint32_t c = 0;

    if (*what == 'F') {
        c |= BLK_TC_FLUSH;
        what++;
    }
    for (; *what; what++)
        c |= *what == 'R'   ? BLK_TC_READ
             : *what == 'W' ? BLK_TC_WRITE
             : *what == 'D' ? BLK_TC_DISCARD | BLK_TC_WRITE
             : *what == 'S' ? BLK_TC_SYNC
             : *what == 'A' ? BLK_TC_AHEAD
             : *what == 'M' ? BLK_TC_META
             : *what == 'F' ? BLK_TC_FUA
                            : 0;
    return c;
}

static int take_event(void *context, const struct dsn_block_event *e)
{
    struct recorder *t = context;
    struct blk_io_trace b = { .magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION,
                              .time = e->time,
                              .sector = e->sector,
                              .bytes = e->bytes,
                              .pid = e->process,
                              .device = e->device,
                              .cpu = t->now,
                              .error = (uint16_t)e->failed };

    b.action = (categories(e->what) | (e->is_complete ? BLK_TC_COMPLETE : BLK_TC_ISSUE)) << BLK_TC_SHIFT |
               (e->is_complete ? __BLK_TA_COMPLETE : __BLK_TA_ISSUE);
    b.sequence = (uint32_t)++t->r->events;
    if (fwrite(&b, sizeof b, 1, t->cpu[t->now].store) != 1)
        t->write_error = errno;
    return 1;
}

/* Reads all available pages. Returns their number. */
static unsigned drain(struct recorder *t)
{
    static unsigned char page[PAGE_ROOM];
    unsigned pages = 0;

    for (t->now = 0; t->now < t->ncpus; t->now++) {
        ssize_t n;

        while ((n = read(t->cpu[t->now].raw, page, sizeof page)) > 0) {
            pages++;
            if (!dsn_ring_page(&t->formats, page, (size_t)n, take_event, t))
                t->broken = 1;
        }
    }
    return pages;
}

/* ------------------------------------------------------------------ the file */

/* Before recording, so that the run is not wasted. */
static int open_file(struct recorder *t)
{
    errno = dsn_file_begin(&t->file, t->r->output);
    t->has_file = errno == 0;
    t->out = t->has_file ? fdopen(t->file.fd, "w") : NULL;
    return t->out || fail(t, "cannot be written");
}

/* Merges the records of all processors by time. */
static int merge(struct recorder *t)
{
    struct blk_io_trace *next = calloc(t->ncpus, sizeof *next);
    unsigned char *has = calloc(t->ncpus, 1);
    int ok = next && has;

    for (unsigned i = 0; ok && i < t->ncpus; i++) {
        ok = fflush(t->cpu[i].store) == 0;
        rewind(t->cpu[i].store);
        has[i] = fread(&next[i], sizeof *next, 1, t->cpu[i].store) == 1;
    }
    while (ok) {
        unsigned first = t->ncpus;

        for (unsigned i = 0; i < t->ncpus; i++)
            if (has[i] && (first == t->ncpus || next[i].time < next[first].time))
                first = i;
        if (first == t->ncpus)
            break;
        ok = fwrite(&next[first], sizeof *next, 1, t->out) == 1;
        has[first] = fread(&next[first], sizeof *next, 1, t->cpu[first].store) == 1;
    }
    free(next);
    free(has);
    return ok;
}

static int write_file(struct recorder *t, const struct timespec *wall, uint64_t begin)
{
    const uint32_t stamp[2] = { (uint32_t)wall->tv_sec, (uint32_t)wall->tv_nsec };
    struct dsn_block_notes notes = { .lost = t->r->lost };
    struct timespec now;
    int ok;

    clock_gettime(CLOCK_MONOTONIC, &now);
    dsn_block_notes_take(&notes, t->r->device ? t->part.disk : 0);
    errno = t->write_error;
    ok = errno == 0 && dsn_block_notes_begin(&notes, t->out, begin, stamp) && merge(t) &&
         dsn_block_notes_end(&notes, t->out, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) &&
         fflush(t->out) == 0;
    dsn_block_notes_free(&notes);
    return ok || fail(t, "cannot be written");
}

/* ------------------------------------------------------------------ meanwhile */

static pid_t start(struct recorder *t)
{
    const pid_t pid = fork();

    if (pid != 0)
        return pid;
    execvp(t->r->command[0], t->r->command);
    fprintf(stderr, "darshan-block: %s: cannot be started: %s\n", t->r->command[0], strerror(errno));
    _exit(127);
}

static double since(const struct timespec *begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

/* Events lost by a processor's ring according to the kernel's statistics: pages only contain the number if there is
 * space. */
static uint64_t count_lost(const struct recorder *t, unsigned number)
{
    static const char *const rows[] = { "\noverrun: ", "\ncommit overrun: ", "\ndropped events: " };
    char path[64], text[MAX_STATS] = "\n";
    uint64_t lost = 0;

    snprintf(path, sizeof path, "per_cpu/cpu%u/stats", number);
    if (!read_text(t->instance, path, text + 1, sizeof text - 1))
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *at = strstr(text, rows[i]);

        lost += at ? strtoull(at + strlen(rows[i]), NULL, 10) : 0;
    }
    return lost;
}

/* Forwards a received signal to the command. */
static void pass_on(pid_t pid)
{
    const int number = dsn_record_stop;

    dsn_record_stop = 0;
    if (number != 0 && number != SIGINT && number != SIGQUIT)
        kill(pid, number);
}

/* Until the command ends, a signal arrives, or the time is over. */
static int run(struct recorder *t, const struct timespec *begin)
{
    const struct timespec wait = { 0, WAIT_NS };
    pid_t pid = 0;
    int status = 0;

    if (t->r->command && (pid = start(t)) < 0)
        return fail(t, "the command cannot be started");
    for (;;) {
        if (pid > 0 && waitpid(pid, &status, WNOHANG) == pid) {
            t->r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            break;
        }
        if (pid == 0 && (dsn_record_stop || (t->r->seconds > 0 && since(begin) >= t->r->seconds)))
            break;
        pass_on(pid);
        if (drain(t) == 0)
            nanosleep(&wait, NULL);
    }
    write_text(t->instance, "tracing_on", "0");
    drain(t);
    for (unsigned i = 0; i < t->ncpus; i++)
        t->r->lost += count_lost(t, t->cpu[i].number);
    return 1;
}

/* The same time on both clocks. The process may be preempted between two readings: uses the closest of several
 * pairs. */
static void read_clocks(struct timespec *monotonic, struct timespec *wall)
{
    int64_t least = 0;

    for (int i = 0; i < 8; i++) {
        struct timespec before, at, after;
        int64_t apart;

        clock_gettime(CLOCK_MONOTONIC, &before);
        clock_gettime(CLOCK_REALTIME, &at);
        clock_gettime(CLOCK_MONOTONIC, &after);
        apart = (int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec);
        if (i == 0 || apart < least) {
            least = apart;
            *monotonic = before;
            *wall = at;
        }
    }
}

int dsn_record(struct dsn_block_recording *r)
{
    struct recorder *t = calloc(1, sizeof *t);
    struct timespec begin = { 0 }, wall = { 0 };
    int ok;

    if (!t) {
        snprintf(r->error, sizeof r->error, "out of memory");
        return 0;
    }
    t->r = r;
    t->tracefs = t->instance = -1;
    ok = find_device(t) && open_tracefs(t) && read_formats(t) && make_instance(t) && open_file(t) && open_cpus(t);
    if (ok && (!write_text(t->instance, "events/block/block_rq_issue/enable", "1") ||
               !write_text(t->instance, "events/block/block_rq_complete/enable", "1")))
        ok = fail(t, "events of block devices cannot be enabled");
    read_clocks(&begin, &wall);
    ok = ok && run(t, &begin);
    if (ok && t->broken) {
        snprintf(r->error, sizeof r->error, "the kernel's recording has an unknown format");
        ok = 0;
    }
    ok = ok && write_file(t, &wall, (uint64_t)begin.tv_sec * 1000000000u + (uint64_t)begin.tv_nsec);
    ok = close_file(t, ok);
    release(t);
    free(t);
    return ok;
}
