/* t-lbio.c - log-based I/O without interposition: tree, merging, log, replay, errors, kills, recovery
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * LBIO_KILLS and LBIO_OPS raise the number of kills and of random operations. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "lbio/calls.h"
#include "lbio/marker.h"
#include "lbio/plan.h"
#include "lbio/saved.h"
#include "lbio/store.h"
#include "lbio/tree.h"
#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ------------------------------------------------------------------ the tree */

static void has_extents(const struct lbio_tree *t, int64_t off, int64_t len, const char *want)
{
    struct lbio_extent e[64];
    const size_t n = lbio__tree_lookup(t, off, len, e, N(e));
    char text[1024] = "";

    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld+%lld:%lld", i ? " " : "", (long long)e[i].off,
                 (long long)e[i].len, (long long)e[i].pos);
    ck_assert_str_eq(text, want);
}

START_TEST(tree_vectors)
{
    struct lbio_tree t = { 0 };

    lbio__tree_insert(&t, 0, 100, 0);
    lbio__tree_insert(&t, 100, 50, 100);
    has_extents(&t, 0, 1000, "0+150:0");
    ck_assert_uint_eq(t.count, 1);
    lbio__tree_insert(&t, 40, 20, 150);
    has_extents(&t, 0, 1000, "0+40:0 40+20:150 60+90:60");
    has_extents(&t, 30, 80, "30+10:30 40+20:150 60+50:60");
    lbio__tree_forget(&t, 0, 100, 0);
    has_extents(&t, 0, 150, "40+20:150 100+50:100");
    lbio__tree_insert(&t, 0, 150, 170);
    has_extents(&t, 0, 1000, "0+150:170");
    lbio__tree_forget(&t, 0, 100, 0);
    lbio__tree_forget(&t, 100, 50, 100);
    lbio__tree_forget(&t, 40, 20, 150);
    has_extents(&t, 0, 1000, "0+150:170");
    lbio__tree_insert(&t, 200, 10, 320);
    ck_assert_int_eq(lbio__tree_end(&t), 210);
    has_extents(&t, 140, 80, "140+10:310 200+10:320");
    lbio__tree_truncate(&t, 145);
    has_extents(&t, 0, 1000, "0+145:170");
    has_extents(&t, 140, 80, "140+5:310");
    lbio__tree_free(&t);
}
END_TEST

#define TREE_BYTES 4096

/* Against an array that says of each byte where it lies. */
START_TEST(tree_random)
{
    static int64_t model[TREE_BYTES];
    struct lbio_tree t = { 0 };
    int64_t pos = 0;

    srand(1 + (unsigned)_i);
    memset(model, -1, sizeof model);
    for (int i = 0; i < 3000; i++) {
        const int64_t off = rand() % TREE_BYTES, len = rand() % (TREE_BYTES - off) / (rand() % 60 + 1) + 1;
        const int what = rand() % 20;
        struct lbio_extent e[TREE_BYTES];
        int64_t bytes = 0;
        size_t n;

        if (what < 14) {
            ck_assert(lbio__tree_insert(&t, off, len, pos));
            for (int64_t k = 0; k < len; k++)
                model[off + k] = pos + k;
            pos += len;
        } else if (what < 19) {
            const int64_t at = model[off] < 0 ? 0 : model[off];

            ck_assert(lbio__tree_forget(&t, off, len, at));
            for (int64_t k = 0; k < len; k++)
                if (model[off + k] == at + k)
                    model[off + k] = -1;
        } else {
            lbio__tree_truncate(&t, off);
            for (int64_t k = off; k < TREE_BYTES; k++)
                model[k] = -1;
        }
        n = lbio__tree_lookup(&t, 0, TREE_BYTES, e, N(e));
        ck_assert_uint_eq(n, t.count);
        for (size_t k = 0; k < n; k++)
            bytes += e[k].len;
        ck_assert_int_eq(t.bytes, bytes);
        for (int64_t k = 0, x = 0; k < TREE_BYTES; k++) {
            while (x < (int64_t)n && e[x].off + e[x].len <= k)
                x++;
            if ((x < (int64_t)n && e[x].off <= k ? e[x].pos + k - e[x].off : -1) != model[k])
                ck_abort_msg("step %d, byte %d", i, (int)k);
        }
    }
    lbio__tree_free(&t);
}
END_TEST

/* ------------------------------------------------------------------ merging */

static const struct merging {
    const char *writes, *fifo, *window; /* file:off+len */
    int64_t largest;
} mergings[] = {
    { "1:0+10 1:10+10 1:20+10 1:100+5 1:30+10", "1:0+30 1:100+5 1:30+10", "1:0+40 1:100+5", 1000 },
    { "1:0+10 1:5+10 1:15+5", "1:0+20", "1:0+20", 1000 },
    { "1:0+10 1:0+10 1:50+5", "1:0+10 1:50+5", "1:0+10 1:50+5", 1000 },
    { "1:0+10 2:0+10 1:10+10", "1:0+10 2:0+10 1:10+10", "1:0+20 2:0+10", 1000 },
    { "1:0+10 1:20+10 1:25+10 1:10+15", "1:0+10 1:20+15 1:10+15", "1:0+10 1:20+15 1:10+15", 24 },
    { "1:0+60 1:60+60", "1:0+60 1:60+60", "1:0+60 1:60+60", 100 },
};

static size_t read_runs(const char *text, struct lbio_run *run)
{
    static const char files[10];
    size_t n = 0;
    int file, size;
    long long off, len;

    for (; sscanf(text, " %d:%lld+%lld%n", &file, &off, &len, &size) == 3; text += size)
        run[n++] = (struct lbio_run){ &files[file], off, len };
    return n;
}

static void merges(const char *writes, const char *want, enum lbio_merge how, int64_t largest)
{
    struct lbio_run got[64], expected[64];
    const size_t n = lbio__plan(got, read_runs(writes, got), how, largest), m = read_runs(want, expected);

    ck_assert_uint_eq(n, m);
    for (size_t i = 0; i < n; i++) {
        ck_assert_ptr_eq(got[i].file, expected[i].file);
        ck_assert_int_eq(got[i].off, expected[i].off);
        ck_assert_int_eq(got[i].len, expected[i].len);
    }
}

START_TEST(merge_vectors)
{
    const struct merging *m = &mergings[_i];

    merges(m->writes, m->writes, LBIO_MERGE_OFF, m->largest);
    merges(m->writes, m->fifo, LBIO_MERGE_FIFO, m->largest);
    merges(m->writes, m->window, LBIO_MERGE_WINDOW, m->largest);
}
END_TEST

START_TEST(merge_many)
{
    for (enum lbio_merge how = LBIO_MERGE_FIFO; how <= LBIO_MERGE_WINDOW; how++) {
        struct lbio_run run[1000];

        for (int i = 0; i < 1000; i++)
            run[i] = (struct lbio_run){ run, 512 * i, 512 };
        ck_assert_uint_eq(lbio__plan(run, 1000, how, 65536), 8);
        for (int i = 0; i < 7; i++)
            ck_assert_int_eq(run[i].len, 65536);
        ck_assert_int_eq(run[7].len, 53248);
    }
}
END_TEST

/* ------------------------------------------------------------------ files under the store */

#define FILES 3
#define MOST  300000 /* bytes of a file */

static struct lbio_options options;
static struct lbio_calls kernel_log, kernel_target;
static char here[512];

struct open_file {
    int fd;
    struct lbio_file *f;
};

static void begin_store(const char *text)
{
    char all[1024];

    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    mkdir("log", 0700);
    snprintf(all, sizeof all, "logdir=%s/log,%s", here, text);
    ck_assert_int_eq(lbio__options_read(&options, all), -1);
    lbio__store_start(&options);
}

static struct open_file open_file(const char *name, int flags)
{
    struct open_file o;
    struct stat st;
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", here, name);
    o.fd = open(path, flags, 0644);
    ck_assert_int_ge(o.fd, 0);
    ck_assert_int_eq(fstat(o.fd, &st), 0);
    o.f = lbio__file_get(&st, path, 1);
    ck_assert_ptr_nonnull(o.f);
    lbio__file_opened(o.f, o.fd);
    return o;
}

static void close_file(struct open_file *o)
{
    lbio__file_put(o->f);
    close(o->fd);
}

static ssize_t put(struct open_file *o, const void *bytes, size_t n, int64_t off)
{
    const struct iovec iov[2] = { { (void *)(uintptr_t)bytes, n / 3 },
                                  { (char *)(uintptr_t)bytes + n / 3, n - n / 3 } };
    ssize_t done;

    lbio__file_enter(o->f);
    done = lbio__file_write(o->f, iov, 2, off);
    if (done == LBIO_DIRECT)
        done = pwrite(o->fd, bytes, n, off);
    lbio__file_leave(o->f);
    return done;
}

static ssize_t get(struct open_file *o, void *bytes, size_t n, int64_t off)
{
    ssize_t done;

    lbio__file_enter(o->f);
    done = lbio__file_read(o->f, o->fd, bytes, n, off);
    if (done == LBIO_DIRECT)
        done = pread(o->fd, bytes, n, off);
    lbio__file_leave(o->f);
    return done;
}

static int resize(struct open_file *o, int64_t size)
{
    int ret;

    lbio__file_enter(o->f);
    ret = lbio__file_truncate(o->f, o->fd, size);
    lbio__file_leave(o->f);
    return ret;
}

static int drain(struct open_file *o)
{
    int ret;

    lbio__file_enter(o->f);
    ret = lbio__file_drain(o->f);
    lbio__file_leave(o->f);
    return ret;
}

static int64_t size_of(struct open_file *o)
{
    struct lbio_overlay logged;
    struct stat st;

    lbio__file_overlay(o->f, INT64_MAX, &logged);
    ck_assert_int_eq(fstat(o->fd, &st), 0);
    return logged.end > st.st_size ? logged.end : st.st_size;
}

/* What the files have to be after operations. */
struct model {
    int64_t size[FILES];
    unsigned char byte[FILES][MOST];
};

static struct model model;

/* Numbers that depend on seed and step alone. */
static uint64_t draw(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

struct operation {
    enum { WRITE, READ, TRUNCATE, DRAIN, REOPEN, NOTHING } what;
    int file;
    int64_t off, len;
    unsigned char start; /* of its bytes */
};

static struct operation operation(unsigned seed, int step)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15ULL + (uint64_t)step * 0xd1342543de82ef95ULL;
    struct operation o = { NOTHING, 0, 0, 0, 0 };
    int kind;

    draw(&x);
    draw(&x);
    kind = (int)(draw(&x) % 100);
    o.what = kind < 60 ? WRITE : kind < 80 ? READ : kind < 90 ? TRUNCATE : kind < 95 ? DRAIN : REOPEN;
    o.file = (int)(draw(&x) % FILES);
    o.off = (int64_t)(draw(&x) % MOST);
    o.len = 1 + (int64_t)(draw(&x) % (uint64_t)(MOST - o.off)) / (1 + (int64_t)(draw(&x) % 50));
    if (kind < 20) /* records that follow each other */
        o.off = step % 64 * 1000, o.len = 1000;
    o.start = (unsigned char)draw(&x);
    return o;
}

static void fill(unsigned char *to, const struct operation *o)
{
    for (int64_t i = 0; i < o->len; i++)
        to[i] = (unsigned char)(o->start + i * 7);
}

static void play(const struct operation *o)
{
    unsigned char *byte = model.byte[o->file];
    int64_t *size = &model.size[o->file];

    if (o->what == WRITE && o->len > 0) {
        fill(byte + o->off, o);
        if (o->off + o->len > *size)
            *size = o->off + o->len;
    } else if (o->what == TRUNCATE) {
        memset(byte + o->off, 0, (size_t)(MOST - o->off));
        *size = o->off;
    }
}

static const char *name_of(int file)
{
    static const char *const names[FILES] = { "one", "two", "three" };

    return names[file];
}

static void perform(struct open_file *open_files, const struct operation *o, int checks)
{
    struct open_file *file = &open_files[o->file];
    static unsigned char bytes[MOST];

    switch (o->what) {
    case WRITE:
        fill(bytes, o);
        for (int64_t done = 0; done < o->len;) {
            const ssize_t n = put(file, bytes + done, (size_t)(o->len - done), o->off + done);

            ck_assert_int_gt(n, 0);
            done += n;
        }
        break;
    case READ: {
        const int64_t size = model.size[o->file];
        const ssize_t want = (ssize_t)(o->off >= size ? 0 : o->len < size - o->off ? o->len : size - o->off);

        if (!checks)
            break;
        ck_assert_int_eq(get(file, bytes, (size_t)o->len, o->off), want);
        ck_assert_mem_eq(bytes, model.byte[o->file] + o->off, (size_t)want);
        ck_assert_int_eq(size_of(file), size);
        break;
    }
    case TRUNCATE:
        ck_assert_int_eq(resize(file, o->off), 0);
        break;
    case DRAIN:
        ck_assert_int_eq(drain(file), 0);
        break;
    case REOPEN:
        close_file(file);
        *file = open_file(name_of(o->file), O_RDWR);
        break;
    case NOTHING:
        break;
    }
}

static int is_as_model(int file)
{
    static unsigned char bytes[MOST + 1];
    const int fd = open(name_of(file), O_RDONLY);
    const ssize_t n = fd >= 0 ? read(fd, bytes, sizeof bytes) : 0;

    if (fd >= 0)
        close(fd);
    return n == model.size[file] && memcmp(bytes, model.byte[file], (size_t)n) == 0;
}

static int entries(const char *directory)
{
    DIR *d = opendir(directory);
    int n = 0;

    for (const struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.' || strstr(e->d_name, ".lbio");
    if (d)
        closedir(d);
    return n;
}

static int count_of(const char *variable, int usual)
{
    const char *text = getenv(variable);

    return text ? atoi(text) : usual;
}

/* Each in a process of its own with a directory of its own: Check forks. */
static void enter_scratch(void)
{
    char path[] = "lbio.XXXXXX";

    ck_assert_ptr_nonnull(mkdtemp(path));
    ck_assert_int_eq(chdir(path), 0);
}

static void leave_scratch(void)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", here);
    ck_assert_int_eq(chdir(".."), 0);
    ck_assert_int_eq(system(command), 0);
}

static const char *const settings[] = {
    "threshold=16k,maxlog=1m,merge=64k",
    "threshold=0,maxlog=1m,order=window",
    "threshold=1g,order=off",
    "threshold=100k,maxlog=2m,merge=4k,fsync=log,marker=off",
};

START_TEST(random_operations)
{
    struct open_file file[FILES];
    struct lbio_counts counts;
    const int n = count_of("LBIO_OPS", 10000);

    enter_scratch();
    begin_store(settings[_i]);
    memset(&model, 0, sizeof model);
    for (int i = 0; i < FILES; i++)
        file[i] = open_file(name_of(i), O_RDWR | O_CREAT);
    for (int step = 0; step < n; step++) {
        const struct operation o = operation((unsigned)_i, step);

        perform(file, &o, 1);
        play(&o);
    }
    lbio__store_counts(&counts);
    ck_assert_uint_gt(counts.writes, (uint64_t)n / 2);
    ck_assert_uint_gt(counts.replayed_bytes, 0);
    if (options.threshold > (1 << 20)) /* elsewhere replay may always be there first */
        ck_assert_uint_gt(counts.reads_logged, 0);
    for (int i = 0; i < FILES; i++)
        close_file(&file[i]);
    ck_assert_int_eq(lbio__store_end(), 0);
    for (int i = 0; i < FILES; i++)
        ck_assert(is_as_model(i));
    ck_assert_int_eq(entries("log"), 0);
    ck_assert_int_eq(entries("."), FILES + 1);
    leave_scratch();
}
END_TEST

/* ------------------------------------------------------------------ threads and ranks */

static struct open_file shared;

#define REGION 200000

static void write_region(int which, unsigned seed)
{
    static _Thread_local unsigned char bytes[REGION];
    uint64_t x = seed + 77;

    memset(bytes, 0, sizeof bytes);
    for (int i = 0; i < 400; i++) {
        const int64_t off = (int64_t)(draw(&x) % REGION), len = 1 + (int64_t)(draw(&x) % (uint64_t)(REGION - off)) / 20;
        unsigned char back[REGION];

        for (int64_t k = off; k < off + len; k++)
            bytes[k] = (unsigned char)draw(&x);
        ck_assert_int_eq(put(&shared, bytes + off, (size_t)len, (int64_t)which * REGION + off), len);
        if (i % 10 == 0) {
            ck_assert_int_eq(get(&shared, back, (size_t)len, (int64_t)which * REGION + off), len);
            ck_assert_mem_eq(back, bytes + off, (size_t)len);
        }
    }
    ck_assert_int_eq(put(&shared, bytes, REGION, (int64_t)which * REGION), REGION);
}

static void *write_region_in_thread(void *which)
{
    write_region((int)(intptr_t)which, 5U + (unsigned)(intptr_t)which);
    return NULL;
}

/* The last bytes of a region, made once more. */
static void region_is_right(int fd, int which, unsigned seed)
{
    static unsigned char want[REGION], got[REGION];
    uint64_t x = seed + 77;

    memset(want, 0, sizeof want);
    for (int i = 0; i < 400; i++) {
        const int64_t off = (int64_t)(draw(&x) % REGION), len = 1 + (int64_t)(draw(&x) % (uint64_t)(REGION - off)) / 20;

        for (int64_t k = off; k < off + len; k++)
            want[k] = (unsigned char)draw(&x);
    }
    ck_assert_int_eq(pread(fd, got, REGION, (int64_t)which * REGION), REGION);
    ck_assert_mem_eq(got, want, REGION);
}

START_TEST(threads)
{
    pthread_t thread[4];
    struct open_file file;

    enter_scratch();
    begin_store("threshold=100k,maxlog=4m");
    file = shared = open_file("one", O_RDWR | O_CREAT);
    for (int i = 0; i < N(thread); i++)
        pthread_create(&thread[i], NULL, write_region_in_thread, (void *)(intptr_t)i);
    for (int i = 0; i < N(thread); i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(lbio__store_drain(), 0);
    for (int i = 0; i < N(thread); i++)
        region_is_right(file.fd, i, 5U + (unsigned)i);
    close_file(&file);
    ck_assert_int_eq(lbio__store_end(), 0);
    leave_scratch();
}
END_TEST

START_TEST(ranks)
{
    struct open_file file;
    int fd, status;

    enter_scratch();
    for (int i = 0; i < 3; i++) {
        const pid_t pid = fork();

        if (pid == 0) {
            begin_store("threshold=100k,maxlog=4m");
            file = shared = open_file("one", O_RDWR | O_CREAT);
            write_region(i, 5U + (unsigned)i);
            close_file(&file);
            _exit(lbio__store_end());
        }
    }
    for (int i = 0; i < 3; i++) {
        wait(&status);
        ck_assert_int_eq(status, 0);
    }
    fd = open("one", O_RDONLY);
    for (int i = 0; i < 3; i++)
        region_is_right(fd, i, 5U + (unsigned)i);
    close(fd);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(entries("."), 2); /* the file, the directory of logs, and no marker */
    leave_scratch();
}
END_TEST

/* ------------------------------------------------------------------ faults: a call fails, or is the last */

enum { LOG_WRITE, TARGET_WRITE, TARGET_SYNC, LOG_OPEN };

static atomic_int calls_made, fails_at, fails_until, kills_at;
static int fails_with, fails_kind;

static int fails(int kind)
{
    const int n = kind == fails_kind && fails_with ? ++calls_made : 0;

    if (n > 0 && n >= fails_at && n < fails_until) {
        errno = fails_with;
        return 1;
    }
    return 0;
}

/* A kill ends a write after whole pages of the file. */
static size_t whole_pages(size_t n, off_t off)
{
    const size_t beyond = (size_t)((off + (off_t)n) % 4096);

    return beyond < n ? n - beyond : 0;
}

/* Dies before, in the middle of, or after the call. */
static ssize_t pwrite_or_die(ssize_t (*call)(int, const void *, size_t, off_t), int fd, const void *bytes, size_t n,
                             off_t off)
{
    const int left = kills_at > 0 ? --kills_at : -1;
    ssize_t done;

    if (left == 0 && n % 3 == 0)
        raise(SIGKILL);
    if (left == 0 && n % 3 == 1) {
        call(fd, bytes, call == kernel_target.pwrite ? whole_pages(n / 2, off) : n / 2, off);
        raise(SIGKILL);
    }
    done = call(fd, bytes, n, off);
    if (left == 0)
        raise(SIGKILL);
    return done;
}

static ssize_t log_pwrite(int fd, const void *bytes, size_t n, off_t off)
{
    if (!fails(LOG_WRITE))
        return pwrite_or_die(kernel_log.pwrite, fd, bytes, n, off);
    if (n > 100 && fails_with == ENOSPC && calls_made == fails_at) /* some of it has a place */
        return kernel_log.pwrite(fd, bytes, n / 2, off);
    return -1;
}

static ssize_t target_pwrite(int fd, const void *bytes, size_t n, off_t off)
{
    return fails(TARGET_WRITE) ? -1 : pwrite_or_die(kernel_target.pwrite, fd, bytes, n, off);
}

static int target_sync(int fd)
{
    return fails(TARGET_SYNC) ? -1 : kernel_target.sync(fd);
}

static void die_here(void)
{
    if (kills_at > 0 && --kills_at == 0)
        raise(SIGKILL);
}

static int log_open(const char *path, int flags, mode_t mode)
{
    int fd;

    if (fails(LOG_OPEN))
        return -1;
    die_here();
    fd = kernel_log.open(path, flags, mode);
    die_here();
    return fd;
}

static int log_unlink(const char *path)
{
    die_here();
    return kernel_log.unlink(path);
}

static int target_truncate(int fd, off_t size)
{
    int ret;

    die_here();
    ret = kernel_target.truncate(fd, size);
    die_here();
    return ret;
}

static void put_faults_in(void)
{
    kernel_log = lbio__log_calls;
    kernel_target = lbio__target_calls;
    lbio__log_calls.pwrite = log_pwrite;
    lbio__log_calls.open = log_open;
    lbio__log_calls.unlink = log_unlink;
    lbio__target_calls.pwrite = target_pwrite;
    lbio__target_calls.sync = target_sync;
    lbio__target_calls.truncate = target_truncate;
}

/* Each call of a kind fails from the nth on, for a while or for ever. An application sees no error of the log's: then
 * the bytes go to the file. One of the target it sees, and nothing that succeeded is lost. */
static void run_with_error(int kind, int error, int at, int until, int seed)
{
    struct open_file file[FILES];
    int is_told = 0;

    memset(&model, 0, sizeof model);
    fails_kind = kind;
    fails_with = error;
    calls_made = 0;
    fails_at = at;
    fails_until = until;
    begin_store(kind == TARGET_SYNC ? "threshold=16k,maxlog=1m,marker=off,fsync=log"
                : at % 2            ? "threshold=16k,maxlog=1m,marker=off"
                                    : "threshold=16k,maxlog=1m");
    for (int i = 0; i < FILES; i++)
        file[i] = open_file(name_of(i), O_RDWR | O_CREAT | O_TRUNC);
    for (int step = 0; step < 60; step++) {
        struct operation o = operation((unsigned)seed, step);
        static unsigned char bytes[MOST];

        if (o.what != WRITE)
            continue;
        fill(bytes, &o);
        for (int64_t done = 0; done < o.len;) {
            const ssize_t n = put(&file[o.file], bytes + done, (size_t)(o.len - done), o.off + done);

            if (n < 0) {
                ck_assert(kind == TARGET_WRITE || kind == TARGET_SYNC);
                ck_assert_int_eq(errno, error);
                is_told = 1;
                o.len = done;
                break;
            }
            done += n;
        }
        play(&o);
    }
    for (int i = 0; i < FILES; i++)
        is_told |= drain(&file[i]) != 0;
    if ((kind == TARGET_WRITE || kind == TARGET_SYNC) && calls_made >= at && until == INT32_MAX && at % 2)
        ck_assert_int_eq(is_told, 1);
    fails_with = 0; /* there is room again */
    for (int i = 0; i < FILES; i++) {
        ck_assert_int_eq(drain(&file[i]), 0);
        close_file(&file[i]);
        if (!is_as_model(i))
            ck_abort_msg("file %d: kind %d, error %d, at %d, until %d, seed %d", i, kind, error, at, until, seed);
    }
    ck_assert_int_eq(lbio__store_end(), 0);
    ck_assert_int_eq(entries("log"), 0);
}

START_TEST(errors)
{
    static const int kinds[] = { LOG_WRITE, TARGET_WRITE, TARGET_SYNC, LOG_OPEN }, error[] = { ENOSPC, EIO, EDQUOT };

    enter_scratch();
    put_faults_in();
    for (int e = 0; e < N(error); e++) {
        for (int at = 1; at < 40; at = at < 10 ? at + 1 : at + 9) {
            run_with_error(kinds[_i], error[e], at, at + 1, at);
            run_with_error(kinds[_i], error[e], at, INT32_MAX, at);
        }
    }
    leave_scratch();
}
END_TEST

/* One file's target is full: that one is told, another goes on. */
START_TEST(other_files)
{
    struct open_file bad, good;
    unsigned char bytes[1000] = { 1 };
    char *log;

    enter_scratch();
    put_faults_in();
    begin_store("threshold=1g,maxlog=1m");
    bad = open_file("one", O_RDWR | O_CREAT);
    good = open_file("two", O_RDWR | O_CREAT);
    ck_assert_int_eq(put(&bad, bytes, sizeof bytes, 0), sizeof bytes);
    fails_kind = TARGET_WRITE;
    fails_with = ENOSPC;
    fails_at = 1;
    fails_until = INT32_MAX;
    ck_assert_int_eq(drain(&bad), -1);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(lbio__file_error(bad.f), ENOSPC);
    ck_assert_int_eq(put(&bad, bytes, sizeof bytes, 1000), -1);
    ck_assert_int_eq(errno, ENOSPC);
    fails_with = 0;
    for (int i = 0; i < 5000; i++) /* more than the log holds, of which the bad one keeps a part */
        ck_assert_int_eq(put(&good, bytes, sizeof bytes, i * 1000), sizeof bytes);
    ck_assert_int_eq(drain(&good), 0);
    fails_with = ENOSPC;
    close_file(&good);
    close_file(&bad);
    if (lbio__store_end() != 0) { /* it may have been tried again in between */
        ck_assert_int_eq(entries("log"), 1);
        ck_assert(asprintf(&log, "%s/.one.lbio", here) > 0 && access(log, F_OK) == 0);
        free(log);
    }
    leave_scratch();
}
END_TEST

/* ------------------------------------------------------------------ kills */

static void copy_log(const char *from, const char *to)
{
    char command[1200];

    snprintf(command, sizeof command, "rm -rf '%s'; cp -a '%s' '%s'", to, from, to);
    ck_assert_int_eq(system(command), 0);
}

/* Of each file with pending data the result must be `what`. */
static int recover_one(const char *path, enum lbio_saved_result what)
{
    struct lbio_saved *l = lbio__saved_open(path);
    char where[LBIO_PATH_MAX];
    int ok = 1;

    if (!l)
        return lbio__saved_is_empty(path, 1);
    ck_assert_int_eq(l->is_owned, 0);
    for (size_t i = 1; i < l->files; i++)
        ok &= lbio__saved_write(l, i, where) == (lbio__saved_pending(l, i) > 0 ? what : LBIO_WRITTEN);
    if (ok)
        ok = lbio__saved_remove(l) == 0;
    lbio__saved_close(l);
    return ok;
}

static void recover_all(enum lbio_saved_result what)
{
    char path[1024];
    DIR *d = opendir("log");

    for (const struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "lbio.", 5) == 0) {
            snprintf(path, sizeof path, "%s/log/%s", here, e->d_name);
            ck_assert(recover_one(path, what));
        }
    }
    if (d)
        closedir(d);
}

static void recover(void)
{
    recover_all(LBIO_WRITTEN);
}

/* The library of checks keeps a message of each in a file that a forked process shares. One that is killed may leave half
 * of a message there, after which no other can be read. */
static void keep_messages_apart(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    char link[32], path[256];

    for (int fd = 3; fd < 32; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(link, path, sizeof path - 1);

        path[n > 0 ? n : 0] = '\0';
        if (strstr(path, "/check_"))
            dup2(nowhere, fd);
    }
    close(nowhere);
}

/* The process that will be killed; *done: operations that have returned. */
static void run_until_killed(unsigned seed, atomic_int *done)
{
    struct open_file file[FILES];

    keep_messages_apart();
    begin_store(settings[seed % 2]);
    for (int i = 0; i < FILES; i++)
        file[i] = open_file(name_of(i), O_RDWR);
    for (int step = 0; step < 100000; step++) {
        const struct operation o = operation(seed, step);

        perform(file, &o, 0);
        atomic_store(done, step + 1);
    }
    _exit(0);
}

/* The files after `steps` operations, or with the one that was under way: as a whole, or as much as one file knows. */
static void files_are_right(unsigned seed, int steps, const char *when)
{
    const struct operation last = operation(seed, steps);
    int is_before[FILES], ok = 1;

    memset(&model, 0, sizeof model);
    for (int step = 0; step < steps; step++) {
        const struct operation o = operation(seed, step);

        play(&o);
    }
    for (int i = 0; i < FILES; i++)
        is_before[i] = is_as_model(i);
    play(&last);
    for (int i = 0; i < FILES; i++)
        ok &= is_before[i] || (i == last.file && is_as_model(i));
    if (!ok)
        ck_abort_msg("seed %u, after %d operations, the next is %d of file %d at %lld+%lld, %s", seed, steps, last.what,
                     last.file, (long long)last.off, (long long)last.len, when);
}

/* A recovery that is killed at its call `at`, if it makes so many. */
static void recover_until_killed(int at)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0) {
        keep_messages_apart();
        kills_at = at;
        recover();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
}

static void kill_once(unsigned seed, atomic_int *done)
{
    pid_t pid;
    int status;

    for (int i = 0; i < FILES; i++)
        close(open(name_of(i), O_CREAT | O_TRUNC | O_WRONLY, 0644));
    *done = 0;
    kills_at = seed % 2 ? 0 : 1 + (int)(seed * 7919U % 600U);
    pid = fork();
    if (pid == 0)
        run_until_killed(seed, done);
    if (seed % 2) {
        usleep(seed * 104729U % 60000U);
        kill(pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    kills_at = 0;
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (unsigned i = 0; i < seed % 3; i++)
        recover_until_killed(1 + (int)((seed + i) * 7561U % 40U));
    recover();
    files_are_right(seed, *done, "recovered");
    ck_assert_int_eq(entries("log"), 0);
    ck_assert_int_eq(entries("."), FILES + 1);
}

#define KILLS_A_TEST 10

START_TEST(kills)
{
    atomic_int *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    enter_scratch();
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    mkdir("log", 0700);
    put_faults_in();
    for (int i = 0; i < KILLS_A_TEST; i++)
        kill_once((unsigned)(_i * KILLS_A_TEST + i), done);
    leave_scratch();
}
END_TEST

/* A file that was completed, closed and then written by somebody else stays as it is, although the log has earlier writes
 * that are pending still, so that recovery begins before those of this file. */
START_TEST(forgotten)
{
    struct open_file failing, complete;
    unsigned char bytes[1000] = { 1 };
    struct stat st;

    enter_scratch();
    put_faults_in();
    fails_kind = TARGET_WRITE;
    fails_with = ENOSPC;
    fails_at = 1; /* and is tried again after a second */
    fails_until = 2;
    begin_store("threshold=0,maxlog=1m,marker=off");
    failing = open_file("one", O_RDWR | O_CREAT);
    complete = open_file("two", O_RDWR | O_CREAT);
    ck_assert_int_eq(put(&failing, bytes, sizeof bytes, 0), sizeof bytes);
    while (lbio__file_error(failing.f) == 0 && !lbio__file_is_clean(failing.f))
        usleep(1000);
    ck_assert_int_eq(put(&complete, bytes, sizeof bytes, 0), sizeof bytes);
    while (!lbio__file_is_clean(complete.f))
        usleep(1000);
    close_file(&complete);
    ck_assert_int_eq(truncate("two", 10), 0);
    copy_log("log", "log.copy");
    ck_assert_int_eq(drain(&failing), 0);
    close_file(&failing);
    ck_assert_int_eq(lbio__store_end(), 0);
    copy_log("log.copy", "log");
    recover_all(LBIO_CHANGED); /* the other one has been completed since */
    ck_assert_int_eq(stat("two", &st), 0);
    ck_assert_int_eq(st.st_size, 10);
    leave_scratch();
}
END_TEST

/* ------------------------------------------------------------------ damaged logs */

/* Any byte may be another: nothing crashes, and nothing is written outside of what a log's files name. */
START_TEST(damaged)
{
    static unsigned char bytes[1 << 20];
    struct open_file file;
    char log[1100], part[1200];
    DIR *d;

    enter_scratch();
    begin_store("threshold=1g,marker=off");
    file = open_file("one", O_RDWR | O_CREAT);
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(put(&file, bytes, 100, i * 130), 100);
    copy_log("log", "log.copy");
    close_file(&file);
    ck_assert_int_eq(lbio__store_end(), 0);
    srand(7);
    for (int i = 0; i < 300; i++) {
        copy_log("log.copy", "log");
        d = opendir("log");
        for (const struct dirent *e; (e = readdir(d));)
            if (e->d_name[0] != '.')
                snprintf(log, sizeof log, "%s/log/%s", here, e->d_name);
        closedir(d);
        snprintf(part, sizeof part, "%s/%s", log, i % 3 ? "meta.0" : "map");
        const int fd = open(part, O_RDWR);
        const ssize_t n = read(fd, bytes, sizeof bytes);
        char where[LBIO_PATH_MAX];
        struct lbio_saved *l;

        for (int k = 0; k <= i % 4; k++)
            bytes[rand() % n] ^= (unsigned char)(1 << rand() % 8);
        ck_assert_int_eq(pwrite(fd, bytes, (size_t)n, 0), n);
        if (i % 7 == 0)
            ck_assert_int_eq(ftruncate(fd, rand() % n), 0);
        close(fd);
        l = lbio__saved_open(log);
        for (size_t k = 1; l && k < l->files; k++)
            lbio__saved_write(l, k, where);
        if (l)
            lbio__saved_close(l);
    }
    leave_scratch();
}
END_TEST

/* ------------------------------------------------------------------ markers, limits */

#define MOMENT INT64_C(300000000) /* ns */

START_TEST(markers)
{
    struct lbio_marker a = { .fd = -1 }, b = { .fd = -1 };
    char target[1024], path[1100];

    enter_scratch();
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(target, sizeof target, "%s/one", here);
    ck_assert(lbio__marker_path(target, path, sizeof path));
    ck_assert_str_eq(path + strlen(here), "/.one.lbio");
    ck_assert_int_eq(lbio__marker_put(target, "/a", 0, &a), 0);
    ck_assert_int_eq(lbio__marker_put(target, "/b", 0, &b), 0);
    ck_assert_int_eq(lbio__marker_put(target, "/b", 1, &b), 0);
    ck_assert_int_eq(lbio__marker_remove(target, (int)getpid() + 1, "/a", &b), 0);
    ck_assert_int_eq(lbio__marker_remove(target, (int)getpid(), "/a", &a), 0);
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_int_eq(lbio__marker_remove(target, (int)getpid(), "/b", &b), 0);
    ck_assert_int_eq(access(path, F_OK), -1);
    leave_scratch();
}
END_TEST

/* A stream that is much longer than the log may be. */
/* The marker of `target` says that these processes have closed it, with data in their logs. 0: none. */
static void write_marker(const char *target, const char *host, const pid_t *pid)
{
    char path[LBIO_PATH_MAX];
    FILE *to;

    ck_assert(lbio__marker_path(target, path, sizeof path));
    to = fopen(path, "w");
    for (int i = 0; pid[i] > 0; i++)
        fprintf(to, "%s %d closed /log.%d\n", host, (int)pid[i], i);
    fclose(to);
}

/* Who has closed a file is awaited as long as the file or the marker changes, and not for ever. */
START_TEST(awaited)
{
    char target[LBIO_PATH_MAX], marker[LBIO_PATH_MAX], left[LBIO_PATH_MAX];
    struct utsname here;
    pid_t pid[3] = { 0, 0, 0 };
    int64_t begun;

    enter_scratch();
    ck_assert_int_eq(uname(&here), 0);
    ck_assert_ptr_nonnull(getcwd(target, sizeof target - 10));
    strcat(target, "/target");
    ck_assert(lbio__marker_path(target, marker, sizeof marker));
    ck_assert_int_eq(lbio__marker_await(target, MOMENT, left), 0); /* no marker */

    pid[0] = 12345;
    write_marker(target, "elsewhere", pid);
    begun = dsn__now();
    ck_assert_int_eq(lbio__marker_await(target, MOMENT, left), -1);
    ck_assert_int_ge(dsn__now() - begun, MOMENT);
    ck_assert_int_eq(lbio__marker_await(target, 1000 * MOMENT, left), -1); /* in vain once: not again */

    pid[0] = fork();
    if (pid[0] == 0) /* writes for longer than it is waited for without a change */
        for (int i = 0; i < 8; i++) {
            FILE *to = fopen(target, "a");

            fputs("x", to);
            fclose(to);
            usleep(MOMENT / 2000);
            if (i == 7) {
                unlink(marker);
                _exit(0);
            }
        }
    write_marker(target, here.nodename, pid);
    begun = dsn__now();
    ck_assert_int_eq(lbio__marker_await(target, MOMENT, left), 0);
    ck_assert_int_ge(dsn__now() - begun, 2 * MOMENT);

    write_marker(target, here.nodename, pid); /* it is a zombie: what it has left is in its log */
    ck_assert_int_eq(lbio__marker_await(target, MOMENT, left), 1);
    ck_assert_str_eq(left, "/log.0");

    pid[1] = fork();
    if (pid[1] == 0) {
        pause();
        _exit(0);
    }
    kill(pid[1], SIGSTOP);
    write_marker(target, here.nodename, pid); /* beside one that is stopped: that is awaited first */
    ck_assert_int_eq(lbio__marker_await(target, MOMENT, left), -1);
    kill(pid[1], SIGKILL);
    for (int i = 0; i < 2; i++)
        waitpid(pid[i], NULL, 0);
    leave_scratch();
}
END_TEST

START_TEST(back_pressure)
{
    static unsigned char bytes[1 << 16];
    struct open_file file;
    struct lbio_counts counts;
    unsigned char got;

    enter_scratch();
    begin_store("threshold=256k,maxlog=1m");
    file = open_file("one", O_RDWR | O_CREAT);
    for (int i = 0; i < 1024; i++) {
        memset(bytes, i, sizeof bytes);
        ck_assert_int_eq(put(&file, bytes, sizeof bytes, (int64_t)i * (int64_t)sizeof bytes), sizeof bytes);
    }
    lbio__store_counts(&counts);
    ck_assert_int_le(counts.log_high, (1 << 20) + (int64_t)sizeof bytes);
    ck_assert_int_eq(drain(&file), 0);
    for (int i = 0; i < 1024; i++) {
        ck_assert_int_eq(pread(file.fd, &got, 1, (int64_t)i * (int64_t)sizeof bytes + 77), 1);
        ck_assert_int_eq(got, (unsigned char)i);
    }
    close_file(&file);
    ck_assert_int_eq(lbio__store_end(), 0);
    leave_scratch();
}
END_TEST

START_TEST(options_are_read)
{
    struct lbio_options o;

    ck_assert_int_eq(lbio__options_read(&o, NULL), -1);
    ck_assert_int_eq(o.threshold, 4 << 20);
    ck_assert_int_eq(o.order, LBIO_MERGE_FIFO);
    ck_assert_int_eq(lbio__options_read(&o, "logdir=/x,maxlog=2g,order=window,,fsync=log"), -1);
    ck_assert_str_eq(o.logdir, "/x");
    ck_assert_int_eq(o.maxlog, INT64_C(2) << 30);
    ck_assert_int_eq(o.order, LBIO_MERGE_WINDOW);
    ck_assert_int_eq(o.fsync, LBIO_FSYNC_LOG);
    ck_assert_int_eq(lbio__options_read(&o, "merge=64k,order=none"), 10);
    ck_assert_int_eq(o.merge, 65536);
    ck_assert_int_eq(lbio__options_read(&o, "merge=1"), 0);
    ck_assert_int_eq(lbio__options_read(&o, "merge=64kk"), 0);
    ck_assert_int_eq(lbio__options_read(&o, "merge"), 0);
    ck_assert_int_eq(lbio__options_read(&o, "maxlog=99999999999999999999"), 0);
    ck_assert_int_eq(lbio__options_read(&o, "maxlog=9999999999t"), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "tree: vectors", tree_vectors, 0 },
        { "tree: random, against an array", tree_random, 4 },
        { "merging: vectors", merge_vectors, N(mergings) },
        { "merging: 1,000 writes", merge_many, 0 },
        { "options", options_are_read, 0 },
        { "markers", markers, 0 },
        { "who is awaited", awaited, 0 },
        { "random operations against a model", random_operations, N(settings) },
        { "threads in one file", threads, 0 },
        { "processes in one file", ranks, 0 },
        { "a log that is smaller than what is written", back_pressure, 0 },
        { "errors at each step", errors, 4 },
        { "other files are not affected", other_files, 0 },
        { "kills", kills, count_of("LBIO_KILLS", 60) / KILLS_A_TEST },
        { "completed files of a killed process", forgotten, 0 },
        { "damaged logs", damaged, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("lbio", tests);
}
