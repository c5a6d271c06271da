/* t-emulation.c - the model of an emulated slow file system: its curve, many threads, a killed process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulation.h"
#include "unit.h"

static struct lbio_model model_of(const char *text)
{
    struct lbio_model m;
    char directory[1024], why[256] = "";

    ck_assert_msg(lbio__emulation_read(text, &m, directory, sizeof directory, why, sizeof why) == 0, "%s", why);
    return m;
}

static struct lbio_emulation *emulation_of(const char *text)
{
    const struct lbio_model m = model_of(text);
    char path[PATH_MAX];
    struct lbio_emulation *e = lbio__emulation_create(&m, "/nowhere", path, sizeof path);

    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(unlink(path), 0);
    return e;
}

START_TEST(parameters)
{
    struct lbio_model m = model_of(".");
    char directory[1024], why[256];

    ck_assert_int_eq(m.bandwidth, 14 << 20);
    ck_assert_int_eq(m.unit, 32768);
    m = model_of("/tmp,unit=1,jitter=30,bandwidth=2g,,close=7");
    ck_assert_int_eq(m.unit, 1);
    ck_assert_int_eq(m.bandwidth, INT64_C(2) << 30);
    ck_assert_int_eq(m.close, 7);
    ck_assert_int_eq(m.open, 5000);
    ck_assert_int_eq(lbio__emulation_read("/tmp/../tmp/.", &m, directory, sizeof directory, why, sizeof why), 0);
    ck_assert_int_eq(directory[0], '/');
    ck_assert_ptr_null(strstr(directory, ".."));
    ck_assert_int_eq(lbio__emulation_read("/tmp,units=4", &m, directory, sizeof directory, why, sizeof why), -1);
    ck_assert_int_eq(lbio__emulation_read("/tmp,unit", &m, directory, sizeof directory, why, sizeof why), -1);
    ck_assert_int_eq(lbio__emulation_read("/nothing-here", &m, directory, sizeof directory, why, sizeof why), -1);
    ck_assert_int_eq(lbio__emulation_read("/tmp", &m, directory, 2, why, sizeof why), -1);
}
END_TEST

/* MiB/s that n writers get together, in tenths, with the default bandwidth */
START_TEST(curve)
{
    static const struct {
        int n;
        double rate;
    } want[] = { { 1, 4.2 },
                 { 2, 7.0 },
                 { 4, 10.08 },
                 { 8, 12.6 },
                 { 16, 14.0 },
                 { 32, 11.2 },
                 { 64, 9.1 },
                 { 128, 7 },
                 { 256, 7 },
                 { 1024, 7 },
                 { 3, 14 * (0.5 + 0.22 * 0.5849625) },
                 { 24, 14 * (1 - 0.2 * 0.5849625) } };
    const struct lbio_model m = model_of(".");

    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const double seconds = (double)lbio__emulation_time(&m, 1 << 20, want[i].n) * 1e-9;

        ck_assert_double_eq_tol(want[i].n / seconds, want[i].rate, 1e-5);
    }
}
END_TEST

#define THREADS 24
#define WRITES  20

static void *writer(void *data)
{
    struct lbio_emulation *e = data;

    lbio__emulate_open(e);
    for (int i = 0; i < WRITES; i++) {
        lbio__emulate_write(e, 3000);
        if (lbio__emulation_served(e, i % 2) > THREADS)
            return e;
    }
    lbio__emulate_close(e);
    return NULL;
}

START_TEST(threads)
{
    struct lbio_emulation *e = emulation_of(".,bandwidth=64m,unit=4k,quantum=1k,write=50,open=10,close=10,jitter=100");
    pthread_t thread[THREADS];
    void *bad;

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, writer, e), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &bad);
        ck_assert_ptr_null(bad);
    }
    ck_assert_int_eq(e->writes, THREADS * WRITES);
    ck_assert_int_eq(e->bytes, THREADS * WRITES * 3000);
    ck_assert_int_eq(e->charged, THREADS * WRITES * 4096);
    ck_assert_int_eq(e->opens, THREADS);
    ck_assert_int_eq(e->closes, THREADS);
    ck_assert_int_le(e->most, THREADS);
    ck_assert_int_gt(e->most, 1);
    ck_assert_int_eq(lbio__emulation_served(e, 0), 0);
    munmap(e, sizeof *e);
}
END_TEST

START_TEST(killed)
{
    struct lbio_emulation *e = emulation_of(".,bandwidth=4k,write=0");
    const pid_t pid = fork();
    void *list;
    size_t size;
    int status;

    if (pid == 0) {
        lbio__emulate_write(e, INT64_C(1) << 40);
        _exit(0);
    }
    while (lbio__emulation_served(e, 0) == 0)
        usleep(1000);
    ck_assert_int_eq(lbio__emulation_served(e, 1), 1);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    if (syscall(SYS_get_robust_list, 0, &list, &size) != 0)
        return; /* qemu-user, which does not tell of a mutex that its owner has died */
    ck_assert_int_eq(lbio__emulation_served(e, 1), 0);
    e->model.bandwidth = 1 << 30;
    lbio__emulate_write(e, 1);
    ck_assert_int_eq(lbio__emulation_served(e, 0), 0);
    munmap(e, sizeof *e);
}
END_TEST

START_TEST(attached)
{
    const struct lbio_model m = model_of(".,jitter=3");
    char path[PATH_MAX];
    struct lbio_emulation *e = lbio__emulation_create(&m, "/nowhere", path, sizeof path), *same;

    ck_assert_ptr_nonnull(e);
    same = lbio__emulation_attach(path);
    ck_assert_ptr_nonnull(same);
    ck_assert_int_eq(same->model.jitter, 3);
    ck_assert_str_eq(same->directory, "/nowhere");
    lbio__emulate_open(same);
    ck_assert_int_eq(e->opens, 1);
    munmap(same, sizeof *same);
    e->version++;
    ck_assert_ptr_null(lbio__emulation_attach(path));
    e->version--;
    ck_assert_int_eq(truncate(path, 100), 0);
    ck_assert_ptr_null(lbio__emulation_attach(path));
    unlink(path);
    ck_assert_ptr_null(lbio__emulation_attach(path));
    munmap(e, sizeof *e);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "parameters", parameters, 0 },      { "the curve", curve, 0 },        { "threads", threads, 0 },
        { "a process is killed", killed, 0 }, { "shared memory", attached, 0 }, { NULL, NULL, 0 },
    };

    return unit_run("emulation", tests);
}
