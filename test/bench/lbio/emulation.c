/* emulation.c - the model of a slow shared file system
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "emulation.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "lbio/options.h"

#define SECOND   INT64_C(1000000000)
#define INTERVAL (SECOND / 10) /* at which transfers of dead threads are looked for */

/* ------------------------------------------------------------------ parameters */

static const struct {
    const char *key;
    size_t at;
    int64_t value, least, most;
} parameters[] = {
#define N(key, value, least, most, help) { #key, offsetof(struct lbio_model, key), value, least, most },
#include "emulation.def"
#undef N
};

#define PARAMETERS (sizeof parameters / sizeof parameters[0])

static int64_t *parameter(struct lbio_model *m, size_t i)
{
    return (int64_t *)(void *)((char *)m + parameters[i].at);
}

static int read_parameter(struct lbio_model *m, const char *item, size_t n)
{
    const size_t key = strcspn(item, "=");

    for (size_t i = 0; key < n && i < PARAMETERS; i++)
        if (strlen(parameters[i].key) == key && memcmp(parameters[i].key, item, key) == 0) {
            const int64_t value = lbio__read_bytes(item + key + 1, n - key - 1);

            if (value < parameters[i].least || value > parameters[i].most)
                return 0;
            *parameter(m, i) = value;
            return 1;
        }
    return 0;
}

int lbio__emulation_read(const char *text, struct lbio_model *m, char *directory, size_t size, char *why, size_t n)
{
    const size_t length = strcspn(text, ",");
    char given[PATH_MAX], full[PATH_MAX];

    for (size_t i = 0; i < PARAMETERS; i++)
        *parameter(m, i) = parameters[i].value;
    for (const char *item = text + length; *item;) {
        const size_t end = strcspn(++item, ",");

        if (end > 0 && !read_parameter(m, item, end)) {
            snprintf(why, n, "unknown parameter or invalid value: %.*s", (int)end, item);
            return -1;
        }
        item += end;
    }
    if (length >= sizeof given) {
        snprintf(why, n, "%s", strerror(ENAMETOOLONG));
        return -1;
    }
    memcpy(given, text, length);
    given[length] = '\0';
    if (!realpath(given, full) || strlen(full) >= size) {
        snprintf(why, n, "%s: %s", given, strerror(errno ? errno : ENAMETOOLONG));
        return -1;
    }
    snprintf(directory, size, "%s", full);
    return 0;
}

/* ------------------------------------------------------------------ shared memory */

static struct lbio_emulation *map(int fd)
{
    void *at = dsn__sys_mmap(NULL, sizeof(struct lbio_emulation), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

static int make_transfers(struct lbio_emulation *e)
{
    pthread_mutexattr_t shared;
    int ok = pthread_mutexattr_init(&shared) == 0 &&
             pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0 &&
             pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST) == 0;

    for (int i = 0; ok && i < LBIO_MOST_TRANSFERS; i++)
        ok = pthread_mutex_init(&e->transfer[i], &shared) == 0;
    pthread_mutexattr_destroy(&shared);
    return ok;
}

struct lbio_emulation *lbio__emulation_create(const struct lbio_model *m, const char *directory, char *path,
                                              size_t size)
{
    struct lbio_emulation *e = NULL;
    int fd;

    snprintf(path, size, "%s/lbio-emulation.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, sizeof *e) == 0)
        e = map(fd);
    close(fd);
    if (!e || !make_transfers(e)) {
        unlink(path);
        return NULL;
    }
    e->size = sizeof *e;
    e->model = *m;
    snprintf(e->directory, sizeof e->directory, "%s", directory);
    e->version = LBIO_EMULATION_VERSION;
    return e;
}

struct lbio_emulation *lbio__emulation_attach(const char *path)
{
    const int fd = dsn__sys_openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    struct lbio_emulation *e = NULL;
    struct stat st;

    if (fd >= 0 && dsn__sys_fstat(fd, &st) == 0 && st.st_uid == dsn__sys_geteuid() && st.st_size == sizeof *e)
        e = map(fd);
    if (fd >= 0)
        dsn__sys_close(fd);
    if (e && (e->version != LBIO_EMULATION_VERSION || e->size != sizeof *e)) {
        dsn__sys_munmap(e, sizeof *e);
        e = NULL;
    }
    return e;
}

/* ------------------------------------------------------------------ the model */

/* Of the highest bandwidth, with 1, 2, 4 ... writers. */
static const double curve[] = { 0.30, 0.50, 0.72, 0.90, 1.00, 0.80, 0.65, 0.50 };

#define POINTS (int)(sizeof curve / sizeof curve[0])

/* Linear in log2(n). */
static double share_of(int n)
{
    const double x = log2(n);
    const int i = (int)x;

    return i >= POINTS - 1 ? curve[POINTS - 1] : curve[i] + (curve[i + 1] - curve[i]) * (x - i);
}

int64_t lbio__emulation_time(const struct lbio_model *m, int64_t bytes, int n)
{
    return (int64_t)((double)bytes * n / ((double)m->bandwidth * share_of(n)) * 1e9);
}

/* What a duration is multiplied by. */
static double vary(struct lbio_emulation *e)
{
    uint64_t x;

    if (e->model.jitter == 0)
        return 1;
    x = atomic_fetch_add(&e->seed, UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return 1 + (double)e->model.jitter / 100 * ((double)(x >> 11) / (double)(UINT64_C(1) << 52) - 1);
}

/* Handlers run meanwhile. */
static void wait_until(int64_t ns)
{
    const struct timespec until = { ns / SECOND, ns % SECOND };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static int64_t pause_for(struct lbio_emulation *e, int64_t begun, int64_t us, double factor)
{
    const int64_t ns = (int64_t)((double)(us * 1000) * factor);

    if (ns > 0)
        wait_until(begun + ns);
    atomic_fetch_add(&e->ns, ns);
    return begun + ns;
}

/* ------------------------------------------------------------------ transfers */

/* Whether the entry was free, or its owner has died: now it is this thread's. */
static int claim(struct lbio_emulation *e, int i)
{
    const int ret = pthread_mutex_trylock(&e->transfer[i]);

    if (ret == EOWNERDEAD)
        pthread_mutex_consistent(&e->transfer[i]);
    return ret == 0 || ret == EOWNERDEAD;
}

static void leave(struct lbio_emulation *e, int i)
{
    if (i < 0)
        return;
    atomic_store(&e->is_busy[i], 0);
    pthread_mutex_unlock(&e->transfer[i]);
}

/* -1: all are used */
static int enter(struct lbio_emulation *e)
{
    for (int i = 0; i < LBIO_MOST_TRANSFERS; i++)
        if (!atomic_load_explicit(&e->is_busy[i], memory_order_relaxed) && claim(e, i)) {
            int used = atomic_load(&e->used);

            atomic_store(&e->is_busy[i], 1);
            while (used <= i && !atomic_compare_exchange_weak(&e->used, &used, i + 1))
                ;
            return i;
        }
    return -1;
}

static void sweep(struct lbio_emulation *e)
{
    const int used = atomic_load(&e->used);

    for (int i = 0; i < used; i++)
        if (atomic_load(&e->is_busy[i]) && claim(e, i))
            leave(e, i);
}

int lbio__emulation_served(struct lbio_emulation *e, int exactly)
{
    const int64_t now = dsn__now();
    int64_t swept = atomic_load(&e->swept);
    const int used = atomic_load(&e->used);
    int n = 0;

    if (exactly || (now - swept > INTERVAL && atomic_compare_exchange_strong(&e->swept, &swept, now)))
        sweep(e);
    for (int i = 0; i < used; i++)
        n += atomic_load_explicit(&e->is_busy[i], memory_order_relaxed);
    return n;
}

static void note_most(struct lbio_emulation *e, int n)
{
    int most = atomic_load_explicit(&e->most, memory_order_relaxed);

    while (n > most && !atomic_compare_exchange_weak(&e->most, &most, n))
        ;
}

/* ------------------------------------------------------------------ calls */

void lbio__emulate_write(struct lbio_emulation *e, int64_t bytes)
{
    const int64_t charge = bytes > e->model.unit ? bytes : e->model.unit;
    const double factor = vary(e);
    int64_t at = pause_for(e, dsn__now(), e->model.write, factor), waited = 0;
    const int transfer = enter(e);

    for (int64_t left = charge; left > 0;) {
        const int64_t part = left < e->model.quantum ? left : e->model.quantum;
        const int n = lbio__emulation_served(e, 0);
        const int64_t ns = (int64_t)((double)lbio__emulation_time(&e->model, part, n > 0 ? n : 1) * factor);

        note_most(e, n);
        at += ns;
        waited += ns;
        wait_until(at);
        left -= part;
    }
    leave(e, transfer);
    atomic_fetch_add(&e->ns, waited);
    atomic_fetch_add(&e->writes, 1);
    atomic_fetch_add(&e->bytes, bytes);
    atomic_fetch_add(&e->charged, charge);
}

void lbio__emulate_open(struct lbio_emulation *e)
{
    pause_for(e, dsn__now(), e->model.open, vary(e));
    atomic_fetch_add(&e->opens, 1);
}

void lbio__emulate_close(struct lbio_emulation *e)
{
    pause_for(e, dsn__now(), e->model.close, vary(e));
    atomic_fetch_add(&e->closes, 1);
}
