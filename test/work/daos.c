/* daos.c - calls of DFS and DAOS of every kind, with counters computed by hand in daos.want and, of one process, daos-alone.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with the library that stands in for DAOS. A second argument: "killed" ends the program by a signal, "calls" N makes only N
 * reads of a file, "files" N writes only to N files. */
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "daos-facts.h"

#define OK(call) CHECK((call) == 0)

static int rank;
static char bytes[8192];
static daos_handle_t pool, container;
static dfs_t *dfs;

static void send_all(void *what, size_t n)
{
#ifdef WITH_MPI
    MPI_Bcast(what, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD);
#endif
    (void)what;
    (void)n;
}

static void wait_for(daos_event_t *ev)
{
    bool is_done = false;

    while (!is_done)
        OK(daos_event_test(ev, 0, &is_done));
}

static d_sg_list_t *list_of(size_t n)
{
    static __thread d_iov_t iov;
    static __thread d_sg_list_t list;

    iov = (d_iov_t){ bytes, n, n };
    list = (d_sg_list_t){ 1, 0, &iov };
    return &list;
}

/* The first rank opens the pool and the container, and others get its handles. */
static void mount(void)
{
    char memory[256], uuid[512];
    d_iov_t global = { memory, sizeof memory, sizeof memory };

    if (rank == 0) {
        OK(daos_pool_connect2("pool", NULL, 0, &pool, uuid, NULL));
        OK(daos_cont_open2(pool, "container", 0, &container, NULL, NULL));
        OK(dfs_mount(pool, container, O_RDWR, &dfs));
        OK(daos_cont_local2global(container, &global));
    }
    send_all(memory, sizeof memory);
    if (rank > 0) {
        OK(daos_cont_global2local(pool, global, &container));
        OK(dfs_global2local(pool, container, O_RDWR, global, &dfs));
    }
}

/* Of each rank: 4 writes of 1000 bytes, reads of 1000, 1000 and, at the end of the file, 500 bytes. */
static void share(void)
{
    char memory[256];
    d_iov_t global = { memory, sizeof memory, sizeof memory };
    daos_size_t size;
    dfs_obj_t *file;

    if (rank == 0) {
        OK(dfs_open(dfs, NULL, "shared", S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
        OK(dfs_obj_local2global(dfs, file, &global));
    }
    send_all(memory, sizeof memory);
    if (rank > 0)
        OK(dfs_obj_global2local(dfs, O_RDWR, global, &file));
    for (unsigned i = 0; i < 4; i++)
        OK(dfs_write(dfs, file, list_of(1000), (daos_off_t)rank * 4000 + i * 1000, NULL));
    for (unsigned i = 0; i < 2; i++)
        OK(dfs_read(dfs, file, list_of(1000), (daos_off_t)rank * 4000 + i * 1000, &size, NULL));
    OK(dfs_read(dfs, file, list_of(1000), (daos_off_t)rank * 4000 + 3500, &size, NULL));
    CHECK(size == 500);
    OK(dfs_release(file));
}

static void every_call(void)
{
    dfs_obj_t *directory, *file, *other;
    char a[100], b[200];
    d_iov_t iov[2] = { { a, sizeof a, sizeof a }, { b, sizeof b, sizeof b } };
    d_sg_list_t two = { 2, 0, iov };
    daos_range_t range = { 0, 4096 };
    dfs_iod_t extents = { 1, &range };
    daos_event_t ev;
    daos_size_t size;
    struct stat st;
    mode_t mode;

    OK(dfs_open(dfs, NULL, "dir", S_IFDIR | 0700, O_CREAT, 0, 0, NULL, &directory));
    OK(dfs_open(dfs, directory, "a.dat", S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
    memset(a, 1, sizeof a);
    memset(b, 2, sizeof b);
    OK(dfs_write(dfs, file, &two, 0, NULL));
    OK(dfs_writex(dfs, file, &extents, list_of(4096), NULL));
    OK(daos_event_init(&ev, DAOS_TX_NONE, NULL));
    OK(dfs_write(dfs, file, list_of(2000), 4096, &ev));
    wait_for(&ev);
    OK(dfs_writex(dfs, file, &extents, list_of(4096), &ev));
    wait_for(&ev);

    OK(dfs_read(dfs, file, &two, 0, &size, NULL));
    CHECK(size == 300);
    OK(dfs_readx(dfs, file, &extents, list_of(4096), &size, NULL));
    OK(dfs_read(dfs, file, list_of(1000), 6000, &size, &ev)); /* 96 bytes are there */
    wait_for(&ev);
    CHECK(size == 96);
    CHECK(dfs_read(dfs, directory, list_of(10), 0, &size, NULL) == EINVAL);
    CHECK(dfs_open(dfs, directory, "none", S_IFREG, O_RDWR, 0, 0, NULL, &other) == ENOENT);

    OK(dfs_get_size(dfs, file, &size));
    CHECK(size == 6096);
    OK(dfs_get_size(dfs, file, &size));
    OK(dfs_ostat(dfs, file, &st));
    OK(dfs_osetattr(dfs, file, &st, 1));
    CHECK(dfs_osetattr(dfs, file, &st, 0) == EINVAL);
    OK(dfs_dup(dfs, file, O_RDWR, &other));
    OK(dfs_write(dfs, other, list_of(10), 0, NULL));
    OK(dfs_release(other));
    OK(dfs_punch(dfs, file, 300, 0));
    OK(dfs_release(file));

    OK(dfs_lookup(dfs, "/dir//a.dat", O_RDWR, &file, &mode, NULL));
    CHECK(S_ISREG(mode));
    OK(dfs_release(file));
    OK(dfs_lookup_rel(dfs, directory, "a.dat", O_RDWR, &file, NULL, NULL));
    OK(dfs_release(file));
    OK(dfs_open_stat(dfs, directory, "a.dat", S_IFREG, O_RDWR, 0, 0, NULL, &file, &st));
    OK(dfs_release(file));
    OK(dfs_move(dfs, directory, "a.dat", NULL, "b.dat", NULL));
    OK(dfs_open(dfs, NULL, "b.dat", S_IFREG, O_RDWR, 0, 0, NULL, &file));
    OK(dfs_read(dfs, file, list_of(300), 0, &size, NULL));
    OK(dfs_release(file));
    OK(dfs_remove(dfs, NULL, "b.dat", false, NULL));
    CHECK(dfs_remove(dfs, NULL, "b.dat", false, NULL) == ENOENT);
    OK(dfs_release(directory));
}

/* A name that is too long for a record's. */
static void long_name(void)
{
    static char name[4200];
    dfs_obj_t *file;

    memset(name, 'n', sizeof name - 1);
    OK(dfs_open(dfs, NULL, name, S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
    OK(dfs_write(dfs, file, list_of(11), 0, NULL));
    OK(dfs_release(file));
}

static void *write_much(void *file)
{
    for (unsigned i = 0; i < 1000; i++)
        OK(dfs_write(dfs, file, list_of(64), 64 * (daos_off_t)i, NULL));
    return NULL;
}

static void threads(void)
{
    pthread_t thread[4];
    dfs_obj_t *file;

    OK(dfs_open(dfs, NULL, "threads", S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
    for (int i = 0; i < 4; i++)
        OK(pthread_create(&thread[i], NULL, write_much, file));
    for (int i = 0; i < 4; i++)
        OK(pthread_join(thread[i], NULL));
    OK(dfs_release(file));
}

/* ------------------------------------------------------------------ one process: DAOS without DFS */

#ifndef WITH_MPI

static void objects(daos_handle_t own)
{
    daos_key_t dkey = { (void *)(uintptr_t) "d", 1, 1 };
    daos_recx_t extents[2] = { { 0, 3 }, { 10, 7 } };
    daos_iod_t iod[2] = {
        { .iod_name = { (void *)(uintptr_t) "one", 3, 3 }, .iod_type = DAOS_IOD_SINGLE, .iod_size = 30, .iod_nr = 1 },
        { .iod_name = { (void *)(uintptr_t) "many", 4, 4 },
          .iod_type = DAOS_IOD_ARRAY,
          .iod_size = 5,
          .iod_nr = 2,
          .iod_recxs = extents }
    };
    d_iov_t iov[2] = { { bytes, 30, 30 }, { bytes, 50, 50 } };
    d_sg_list_t lists[2] = { { 1, 0, &iov[0] }, { 1, 0, &iov[1] } };
    daos_handle_t oh, late = { 0 };
    daos_event_t ev;
    daos_size_t size;
    uint32_t n;

    OK(daos_obj_open(own, (daos_obj_id_t){ 5, 0 }, 0, &oh, NULL));
    OK(daos_obj_update(oh, DAOS_TX_NONE, 0, &dkey, 2, iod, lists, NULL)); /* 80 bytes */
    iov[0].iov_buf_len = iov[0].iov_len = 100;
    iod[0].iod_size = 0;
    OK(daos_obj_fetch(oh, DAOS_TX_NONE, 0, &dkey, 1, iod, NULL, NULL, NULL)); /* its size */
    CHECK(iod[0].iod_size == 30);
    OK(daos_obj_fetch(oh, DAOS_TX_NONE, 0, &dkey, 2, iod, lists, NULL, NULL)); /* 30 + 50 bytes */
    CHECK(daos_obj_fetch(DAOS_TX_NONE, DAOS_TX_NONE, 0, &dkey, 2, iod, lists, NULL, NULL) == -DER_NO_HDL);
    OK(daos_obj_list_dkey(oh, DAOS_TX_NONE, &n, NULL, NULL, NULL, NULL));
    OK(daos_obj_list_akey(oh, DAOS_TX_NONE, &dkey, &n, NULL, NULL, NULL, NULL));
    OK(daos_obj_list_recx(oh, DAOS_TX_NONE, &dkey, &dkey, &size, DAOS_IOD_ARRAY, &n, extents, NULL, NULL, true, NULL));
    OK(daos_obj_punch_akeys(oh, DAOS_TX_NONE, 0, &dkey, 1, &dkey, NULL));
    OK(daos_obj_punch_dkeys(oh, DAOS_TX_NONE, 0, 1, &dkey, NULL));
    OK(daos_obj_punch(oh, DAOS_TX_NONE, 0, NULL));
    OK(daos_event_init(&ev, DAOS_TX_NONE, NULL));
    iov[0].iov_len = 30;
    iod[0].iod_size = 30;
    OK(daos_obj_update(oh, DAOS_TX_NONE, 0, &dkey, 1, iod, lists, &ev)); /* 30 bytes */
    wait_for(&ev);
    OK(daos_obj_open(own, (daos_obj_id_t){ 5, 0 }, 0, &late, &ev));
    CHECK(late.cookie == 0);
    wait_for(&ev);
    OK(daos_obj_update(late, DAOS_TX_NONE, 0, &dkey, 1, iod, lists, NULL)); /* 30 bytes */
    OK(daos_obj_close(late, &ev));
    wait_for(&ev);
    OK(daos_obj_close(oh, NULL));
    CHECK(daos_obj_close(oh, NULL) == -DER_NO_HDL);
}

static void arrays(daos_handle_t own)
{
    const daos_obj_id_t oid = { 7, (uint64_t)13 << 56 };
    char memory[256];
    d_iov_t global = { memory, sizeof memory, sizeof memory };
    daos_range_t range = { 0, 10 };
    daos_array_iod_t iod = { 1, &range };
    daos_handle_t oh, other;
    daos_size_t size, chunk;
    daos_event_t ev;

    OK(daos_array_create(own, oid, DAOS_TX_NONE, 8, 4096, &oh, NULL));
    OK(daos_array_write(oh, DAOS_TX_NONE, &iod, list_of(80), NULL));
    OK(daos_array_read(oh, DAOS_TX_NONE, &iod, list_of(80), NULL));
    CHECK(daos_array_read(oh, DAOS_TX_NONE, &iod, NULL, NULL) == -DER_INVAL);
    OK(daos_event_init(&ev, DAOS_TX_NONE, NULL));
    OK(daos_array_read(oh, DAOS_TX_NONE, &iod, list_of(80), &ev));
    wait_for(&ev);
    OK(daos_array_get_size(oh, DAOS_TX_NONE, &size, NULL));
    CHECK(size == 10);
    OK(daos_array_set_size(oh, DAOS_TX_NONE, 5, NULL));
    OK(daos_array_stat(oh, DAOS_TX_NONE, NULL, NULL));
    OK(daos_array_punch(oh, DAOS_TX_NONE, &iod, NULL));
    OK(daos_array_open(own, oid, DAOS_TX_NONE, 0, &size, &chunk, &other, NULL));
    OK(daos_array_write(other, DAOS_TX_NONE, &iod, list_of(80), NULL));
    OK(daos_array_close(other, NULL));
    OK(daos_array_open_with_attr(own, oid, DAOS_TX_NONE, 0, 8, 4096, &other, NULL));
    OK(daos_array_close(other, NULL));
    OK(daos_array_local2global(oh, &global));
    OK(daos_array_global2local(own, global, 0, &other)); /* whose id is not known */
    OK(daos_array_write(other, DAOS_TX_NONE, &iod, list_of(80), NULL));
    OK(daos_array_close(other, NULL));
    OK(daos_array_destroy(oh, DAOS_TX_NONE, NULL));
    OK(daos_array_close(oh, NULL));
}

static void stores(daos_handle_t own)
{
    daos_size_t size = 0;
    daos_handle_t oh;
    daos_event_t ev;
    uint32_t n;

    OK(daos_kv_open(own, (daos_obj_id_t){ 9, (uint64_t)4 << 56 }, 0, &oh, NULL));
    OK(daos_kv_put(oh, DAOS_TX_NONE, 0, "first", 12, bytes, NULL));
    OK(daos_event_init(&ev, DAOS_TX_NONE, NULL));
    OK(daos_kv_put(oh, DAOS_TX_NONE, 0, "second", 20, bytes, &ev));
    wait_for(&ev);
    OK(daos_kv_get(oh, DAOS_TX_NONE, 0, "second", &size, NULL, NULL)); /* its size */
    CHECK(size == 20);
    size = sizeof bytes;
    OK(daos_kv_get(oh, DAOS_TX_NONE, 0, "second", &size, bytes, NULL));
    CHECK(daos_kv_get(oh, DAOS_TX_NONE, 0, "third", &size, bytes, NULL) == -DER_NONEXIST);
    OK(daos_kv_remove(oh, DAOS_TX_NONE, 0, "first", NULL));
    OK(daos_kv_list(oh, DAOS_TX_NONE, &n, NULL, NULL, NULL, NULL));
    OK(daos_kv_destroy(oh, DAOS_TX_NONE, NULL));
    OK(daos_kv_close(oh, NULL));
}

/* A forked process, and a file system that is connected to in one call. */
static void child(void)
{
    const pid_t pid = fork();
    dfs_t *own;
    dfs_obj_t *file;
    int status;

    CHECK(pid >= 0);
    if (pid == 0) {
        OK(dfs_connect("pool", NULL, "zone", O_RDWR, NULL, &own));
        OK(dfs_open(own, NULL, "child", S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
        for (unsigned i = 0; i < 5; i++)
            OK(dfs_write(own, file, list_of(7), 7 * (daos_off_t)i, NULL));
        OK(dfs_release(file));
        OK(dfs_disconnect(own));
        exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void alone(void)
{
    daos_handle_t own;

    OK(daos_cont_open2(pool, "own", 0, &own, NULL, NULL));
    objects(own);
    arrays(own);
    stores(own);
    OK(daos_cont_close(own, NULL));
    child();
}

#endif

/* ------------------------------------------------------------------ */

static void in_phase(void)
{
    void (*begin)(const char *) = (void (*)(const char *))(uintptr_t)dlsym(RTLD_DEFAULT, "darshan_phase_begin");
    void (*end)(const char *) = (void (*)(const char *))(uintptr_t)dlsym(RTLD_DEFAULT, "darshan_phase_end");

    if (begin)
        begin("files");
    every_call();
    if (end)
        end("files");
}

static void many_reads(long n)
{
    daos_size_t size;
    dfs_obj_t *file;

    OK(dfs_open(dfs, NULL, "shared", S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
    OK(dfs_write(dfs, file, list_of(1000), 0, NULL));
    for (long i = 0; i < n; i++)
        OK(dfs_read(dfs, file, list_of(1000), 0, &size, NULL));
}

static void many_files(long n)
{
    dfs_obj_t *directory, *file;
    char name[32];

    OK(dfs_open(dfs, NULL, "train", S_IFDIR | 0700, O_CREAT, 0, 0, NULL, &directory));
    for (long i = 0; i < n; i++) {
        snprintf(name, sizeof name, "img%04ld.jpg", i);
        OK(dfs_open(dfs, directory, name, S_IFREG | 0600, O_CREAT | O_RDWR, 0, 0, NULL, &file));
        OK(dfs_write(dfs, file, list_of(10), 0, NULL));
        OK(dfs_release(file));
    }
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
#ifdef WITH_MPI
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    mount();
    if (argc > 3) {
        (strcmp(argv[2], "files") == 0 ? many_files : many_reads)(atol(argv[3]));
        return work_end();
    }
    share();
    if (argc > 2)
        raise(SIGKILL);
    in_phase();
    long_name();
    threads();
#ifndef WITH_MPI
    alone();
#endif
    OK(dfs_umount(dfs));
    OK(daos_cont_close(container, NULL));
    if (rank == 0)
        OK(daos_pool_disconnect(pool, NULL));
    return work_end();
}
