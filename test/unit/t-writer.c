/* t-writer.c - what is written is read back the same; failures leave nothing; hashes for obfuscation
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "util/lib/writer.h"
#include "util/tools/lookup3.h"

#define PATH "writer-unit.darshan"

static const struct dsn_job some_job = {
    .uid = 7,
    .start_sec = 100,
    .start_nsec = 5,
    .end_sec = 200,
    .end_nsec = 6,
    .nprocs = 2,
    .jobid = 9,
    .metadata = "lib_ver=3.5.0\n",
};

static struct darshan_writer *created(int compression)
{
    struct darshan_reader_error err;
    struct darshan_writer *w;

    chmod(PATH, 0600);
    ck_assert_msg(darshan_writer_create(PATH, compression, &w, &err) == DSN_ERR_OK, "%s", err.text);
    return w;
}

static struct darshan_writer *with_job(void)
{
    struct darshan_writer *w = created(DSN_ZLIB);

    ck_assert_int_eq(darshan_writer_job(w, &some_job, "./app", NULL, 0), DSN_ERR_OK);
    return w;
}

static struct darshan_reader *read_back(struct darshan_writer *w)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;

    ck_assert_msg(darshan_writer_finish(w, &err) == DSN_ERR_OK, "%s", err.text);
    ck_assert_msg(darshan_reader_open(PATH, &log, &err) == DSN_ERR_OK, "%s", err.text);
    ck_assert_msg(darshan_reader_damage(log, &err) == DSN_ERR_OK, "%s", err.text);
    return log;
}

static struct darshan_reader_records *begun(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;

    ck_assert_msg(darshan_reader_begin(log, module, &it, &err) == DSN_ERR_OK, "%s", err.text);
    return it;
}

static void ended(struct darshan_reader_records *it)
{
    struct darshan_reader_error err;

    ck_assert_ptr_null(darshan_reader_next(it, &err));
    ck_assert_msg(err.code == DSN_ERR_OK, "%s", err.text);
    darshan_reader_end(it);
}

/* ------------------------------------------------------------------ lookup3: spec parser-output.md 9 */

START_TEST(lookup3)
{
    static const struct {
        uint32_t key;
        const char *text;
        uint32_t hash;
    } want[] = {
        { 0, "a", 1490454280 },
        { 0, "hello", 885767278 },
        { 0, "/home/user/data.bin", 2258871998 },
        { 1, "a", 1118926449 },
        { 1, "hello", 3404638623 },
        { 42, "a", 2163064512 },
        { 42, "hello", 573323739 },
        { 42, "/tmp/test/mpi-io-test.tmp.dat", 1552046768 },
        { 42, "\xe8\x03\0\0\0\0\0", 936401812 }, /* 1000 in 8 bytes, little-endian */
        { 42, "\x39\x30\0\0\0\0\0", 912869258 }, /* 12345 */
    };

    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        ck_assert_uint_eq(dsn_lookup3(want[i].text, i < 8 ? strlen(want[i].text) : 8, want[i].key), want[i].hash);
    ck_assert_uint_eq(dsn_lookup3("", 0, 5), 0xdeadbeef + 5);
}
END_TEST

/* ------------------------------------------------------------------ from a log to a log */

static void copy_module(struct darshan_reader *log, unsigned module, struct darshan_writer *w)
{
    struct darshan_reader_records *it = begun(log, module);
    const struct dsn_rec *r;

    while ((r = darshan_reader_next(it, NULL)) != NULL)
        ck_assert_int_eq(darshan_writer_record(w, module, r, NULL), DSN_ERR_OK);
    darshan_reader_end(it);
}

static void same_module(struct darshan_reader *a, struct darshan_reader *b, unsigned module)
{
    struct darshan_reader_records *x = begun(a, module), *y = begun(b, module);
    const struct dsn_rec *r;

    while ((r = darshan_reader_next(x, NULL)) != NULL) {
        const struct dsn_rec *s = darshan_reader_next(y, NULL);

        ck_assert_ptr_nonnull(s);
        ck_assert_int_eq(memcmp(r, s, dsn_rec_size(dsn_table(module))), 0);
    }
    darshan_reader_end(x);
    ended(y);
}

START_TEST(copies)
{
    static const struct unit_log specs[] = {
        { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2, .metadata = "a=b\n" },
        { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2, .big = 1, .compression = DSN_UNCOMPRESSED },
        { .version = "3.10", .posix = 3, .mpiio = 2, .stdio = 1 },
        { .version = "3.00", .posix = 1, .mpiio = 1, .stdio = 1, .big = 1 },
    };
    static const unsigned modules[] = { DSN_POSIX_MODULE, DSN_MPIIO_MODULE, DSN_STDIO_MODULE };
    struct unit_bytes bytes = unit_make_log(&specs[_i]);
    const struct darshan_reader_mount *m, *copied;
    struct darshan_reader *log, *copy;
    struct darshan_writer *w = created(DSN_ZLIB);
    size_t n;
    uint64_t id, copied_id;

    ck_assert_int_eq(darshan_reader_open(unit_write_file(&bytes), &log, NULL), DSN_ERR_OK);
    n = darshan_reader_mounts(log, &m);
    darshan_writer_partial(w, 0x204);
    darshan_writer_job(w, darshan_reader_job(log), darshan_reader_exe(log), m, n);
    for (size_t i = 0; i < darshan_reader_names(log); i++) {
        const char *name = darshan_reader_name_at(log, i, &id);

        darshan_writer_name(w, id, name);
    }
    for (int i = 0; i < 3; i++)
        copy_module(log, modules[i], w);
    copy = read_back(w);
    ck_assert_str_eq(darshan_reader_exe(copy), darshan_reader_exe(log));
    ck_assert_int_eq(memcmp(darshan_reader_job(copy), darshan_reader_job(log), sizeof(struct dsn_job)), 0);
    ck_assert_uint_eq(darshan_reader_header(copy)->partial, 0x204);
    ck_assert_int_eq(darshan_reader_header(copy)->swap, 0);
    ck_assert_str_eq(darshan_reader_header(copy)->version, "3.41");
    ck_assert_uint_eq(darshan_reader_mounts(copy, &copied), n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(copied[i].path, m[i].path);
        ck_assert_str_eq(copied[i].type, m[i].type);
    }
    ck_assert_uint_eq(darshan_reader_names(copy), darshan_reader_names(log));
    for (size_t i = 0; i < darshan_reader_names(log); i++) {
        ck_assert_str_eq(darshan_reader_name_at(copy, i, &copied_id), darshan_reader_name_at(log, i, &id));
        ck_assert_uint_eq(id, copied_id);
    }
    for (int i = 0; i < 3; i++)
        same_module(log, copy, modules[i]);
    darshan_reader_close(copy);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* ------------------------------------------------------------------ job */

START_TEST(mount_order)
{
    static const struct darshan_reader_mount m[] = {
        { "/scratch", "lustre" }, { "/a", "autofs" }, { "/a", "nfs" }, { "/b", "xfs" }, { "/", "ext4" }
    };
    const struct darshan_reader_mount *got;
    struct darshan_writer *w = created(DSN_ZLIB);
    struct darshan_reader *log;

    darshan_writer_job(w, &some_job, "./app -x", m, 5);
    log = read_back(w);
    ck_assert_uint_eq(darshan_reader_mounts(log, &got), 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(got[i].path, m[i].path);
        ck_assert_str_eq(got[i].type, m[i].type);
    }
    darshan_reader_close(log);
}
END_TEST

/* 4096 - 1080 - 1 bytes of text: spec container.md 7. */
START_TEST(too_much_text)
{
    static const struct darshan_reader_mount m[] = { { "/a/long/path", "lustre" }, { "/", "ext4" } };
    const struct darshan_reader_mount *got;
    char exe[4097];
    struct darshan_writer *w;
    struct darshan_reader *log;

    memset(exe, 'x', sizeof exe);
    exe[3015 - 7] = '\0'; /* "\next4\t/" fits, the other does not */
    w = created(DSN_ZLIB);
    darshan_writer_job(w, &some_job, exe, m, 2);
    log = read_back(w);
    ck_assert_str_eq(darshan_reader_exe(log), exe);
    ck_assert_uint_eq(darshan_reader_mounts(log, &got), 1);
    ck_assert_str_eq(got[0].path, "/");
    darshan_reader_close(log);
    exe[3015 - 7] = 'x';
    exe[4096] = '\0';
    w = created(DSN_ZLIB);
    darshan_writer_job(w, &some_job, exe, m, 2);
    log = read_back(w);
    ck_assert_uint_eq(darshan_reader_mounts(log, &got), 0);
    darshan_reader_close(log);
}
END_TEST

/* ------------------------------------------------------------------ records with more than a table's values */

START_TEST(tails)
{
    static const int64_t written[3] = { 1, 2, 3 }, was_read[3] = { 4, 5, 6 }, osts[3] = { 7, 8, 9 };
    const struct dsn_lustre_comp comps[2] = { { .stripe_size = 1 << 20, .stripe_count = 1, .end = 4096, .pool = "p" },
                                              { .stripe_size = 1 << 21, .stripe_count = 2, .end = -1 } };
    union dsn_any_rec u;
    struct dsn_tail bins = { .n = 3, .values = { written, was_read } };
    struct dsn_tail layout = { .n = 3, .values = { osts, NULL }, .ncomps = 2, .comps = comps };
    struct dsn_tail none = { .n = 0 };
    struct darshan_writer *w = with_job();
    struct darshan_reader_records *it;
    const struct dsn_tail *tail;
    const struct dsn_rec *r;
    struct darshan_reader *log;

    memset(&u, 0, sizeof u);
    u.rec.id = 11;
    u.rec.v[LUSTRE_NUM_COMPONENTS].i = 2;
    u.rec.v[LUSTRE_NUM_STRIPES].i = 3;
    ck_assert_int_eq(darshan_writer_record(w, DSN_LUSTRE_MODULE, &u.rec, &layout), DSN_ERR_OK);
    u.rec.v[MDHIM_SERVERS].i = 0;
    memset(u.rec.v, 0, sizeof u.rec.v[0] * 4);
    ck_assert_int_eq(darshan_writer_record(w, DSN_MDHIM_MODULE, &u.rec, &none), DSN_ERR_OK);
    ck_assert_int_eq(darshan_writer_record(w, DSN_MDHIM_MODULE, &u.rec, &none), DSN_ERR_OK);
    u.rec.v[HEATMAP_F_BIN_WIDTH_SECONDS].f = 0.5;
    u.rec.v[HEATMAP_NBINS].i = 3;
    ck_assert_int_eq(darshan_writer_record(w, DSN_HEATMAP_MODULE, &u.rec, &bins), DSN_ERR_OK);
    bins.n = u.rec.v[HEATMAP_NBINS].i = 2;
    u.rec.id = 12;
    ck_assert_int_eq(darshan_writer_record(w, DSN_HEATMAP_MODULE, &u.rec, &bins), DSN_ERR_OK);
    log = read_back(w);
    it = begun(log, DSN_LUSTRE_MODULE);
    r = darshan_reader_next(it, NULL);
    ck_assert_uint_eq(r->id, 11);
    tail = darshan_reader_tail(it);
    ck_assert_uint_eq(tail->ncomps, 2);
    ck_assert_int_eq(memcmp(tail->comps, comps, sizeof comps), 0);
    ck_assert_uint_eq(tail->n, 3);
    ck_assert_int_eq(memcmp(tail->values[0], osts, sizeof osts), 0);
    ended(it);
    it = begun(log, DSN_MDHIM_MODULE);
    ck_assert_ptr_nonnull(darshan_reader_next(it, NULL));
    ck_assert_ptr_nonnull(darshan_reader_next(it, NULL));
    ended(it);
    it = begun(log, DSN_HEATMAP_MODULE);
    darshan_reader_as_written(it);
    r = darshan_reader_next(it, NULL);
    tail = darshan_reader_tail(it);
    ck_assert_uint_eq(tail->n, 3);
    ck_assert_int_eq(memcmp(tail->values[0], written, sizeof written), 0);
    ck_assert_int_eq(memcmp(tail->values[1], was_read, sizeof was_read), 0);
    r = darshan_reader_next(it, NULL); /* with two bins, and not lengthened to three */
    ck_assert_uint_eq(r->id, 12);
    ck_assert_uint_eq(darshan_reader_tail(it)->n, 2);
    ended(it);
    darshan_reader_close(log);
}
END_TEST

START_TEST(traces)
{
    const struct dsn_dxt_head head = { .id = 3, .rank = 1, .host = "node-7", .nwrites = 1, .nreads = 299 };
    struct dsn_dxt_segment s[300], got[300];
    struct darshan_writer *w = with_job();
    const struct dsn_dxt_head *h;
    struct darshan_reader *log;
    struct darshan_dxt *it;

    memset(s, 0, sizeof s);
    for (int i = 0; i < 300; i++)
        s[i] = (struct dsn_dxt_segment){ .offset = 10 * i, .length = i, .start = i / 4.0, .end = i, .thread = 5 };
    darshan_writer_trace(w, DSN_DXT_MPIIO_MODULE, &head);
    darshan_writer_segments(w, s, 100);
    darshan_writer_segments(w, s + 100, 200);
    log = read_back(w);
    ck_assert_int_eq(darshan_dxt_begin(log, DSN_DXT_MPIIO_MODULE, &it, NULL), DSN_ERR_OK);
    h = darshan_dxt_next(it, NULL);
    ck_assert_int_eq(memcmp(h, &head, sizeof head), 0);
    ck_assert_uint_eq(darshan_dxt_segments(it, got, 300, NULL), 300);
    ck_assert_int_eq(memcmp(s, got, sizeof s), 0);
    darshan_dxt_end(it);
    darshan_reader_close(log);
}
END_TEST

START_TEST(extension)
{
    static const char nodes[] = "node-a\0node-b", other[] = "whatever";
    struct darshan_writer *w = with_job();
    const char *const *names;
    struct darshan_reader *log;
    void *bytes;

    darshan_writer_name(w, 1, "/a");
    ck_assert_int_eq(darshan_writer_extension(w, DSN_EXT_NODES, 1, nodes, sizeof nodes), DSN_ERR_OK);
    ck_assert_int_eq(darshan_writer_extension(w, "other", 3, other, sizeof other), DSN_ERR_OK);
    log = read_back(w);
    ck_assert_uint_eq(darshan_reader_nodes(log, &names), 2);
    ck_assert_str_eq(names[1], "node-b");
    ck_assert_uint_eq(darshan_reader_parts(log), 2);
    ck_assert_str_eq(darshan_reader_part(log, 1)->name, "other");
    ck_assert_uint_eq(darshan_reader_part(log, 1)->version, 3);
    ck_assert_int_eq(darshan_reader_part_bytes(log, 1, &bytes, NULL), DSN_ERR_OK);
    ck_assert_str_eq(bytes, other);
    free(bytes);
    darshan_reader_close(log);
}
END_TEST

/* ------------------------------------------------------------------ failures */

/* Nothing is there but what was before. */
static void expect_nothing(void)
{
    DIR *d = opendir(".");
    struct dirent *e;

    ck_assert_int_ne(access(PATH, F_OK), 0);
    while ((e = readdir(d)) != NULL)
        ck_assert_msg(strncmp(e->d_name, ".darshan-", 9) != 0, "%s is left", e->d_name);
    closedir(d);
}

START_TEST(wrong_order)
{
    struct darshan_reader_error err;
    struct darshan_writer *w;
    union dsn_any_rec u;
    const struct dsn_dxt_head head = { .nwrites = 2 };
    const struct dsn_dxt_segment s = { .length = 1 };
    const struct dsn_tail tail = { .n = 1 };

    unlink(PATH);
    memset(&u, 0, sizeof u);
    w = _i == 0 ? created(DSN_ZLIB) : with_job();
    switch (_i) {
    case 0:
        darshan_writer_name(w, 1, "x");
        break;
    case 1:
        darshan_writer_job(w, &some_job, "", NULL, 0);
        break;
    case 2:
        darshan_writer_record(w, DSN_STDIO_MODULE, &u.rec, NULL);
        darshan_writer_record(w, DSN_POSIX_MODULE, &u.rec, NULL);
        break;
    case 3:
        darshan_writer_record(w, DSN_POSIX_MODULE, &u.rec, NULL);
        darshan_writer_name(w, 1, "x");
        break;
    case 4:
        darshan_writer_trace(w, DSN_DXT_POSIX_MODULE, &head);
        darshan_writer_segments(w, &s, 1);
        break; /* one is missing */
    case 5:
        darshan_writer_segments(w, &s, 1);
        break;
    case 6:
        darshan_writer_record(w, DSN_HEATMAP_MODULE, &u.rec, &tail); /* which says 0 bins */
        break;
    case 7:
        darshan_writer_record(w, DSN_APXC_MODULE, &u.rec, NULL);
        break;
    case 8:
        darshan_writer_record(w, DSN_APMPI_MODULE, &u.rec, NULL); /* without header */
        break;
    case 9:
        darshan_writer_extension(w, "a", 1, "x", 1);
        darshan_writer_record(w, DSN_POSIX_MODULE, &u.rec, NULL);
        break;
    default:
        darshan_writer_extension(w, "a name that is too long", 1, "x", 1);
        break;
    }
    ck_assert_int_eq(darshan_writer_finish(w, &err), DSN_ERR_USE);
    expect_nothing();
}
END_TEST

START_TEST(cannot_create)
{
    struct darshan_reader_error err;
    struct darshan_writer *w;

    unlink(PATH);
    ck_assert_int_eq(darshan_writer_create("no/such/dir/a.darshan", DSN_ZLIB, &w, &err), DSN_ERR_WRITE);
    ck_assert_ptr_null(w);
    ck_assert_int_eq(darshan_writer_create(".", DSN_ZLIB, &w, &err), DSN_ERR_WRITE);
    ck_assert_int_eq(darshan_writer_create("/dev/null", DSN_ZLIB, &w, &err), DSN_ERR_WRITE);
    ck_assert_int_eq(darshan_writer_create(PATH, DSN_UNCOMPRESSED, &w, &err), DSN_ERR_COMPRESSION);
    ck_assert_int_eq(symlink("elsewhere", PATH), 0);
    ck_assert_int_eq(darshan_writer_create(PATH, DSN_ZLIB, &w, &err), DSN_ERR_WRITE);
    ck_assert_int_eq(unlink(PATH), 0);
    w = with_job();
    darshan_writer_abandon(w);
    expect_nothing();
}
END_TEST

/* The file system is full: here, files must not grow. What had the name before is still there. */
START_TEST(disk_full)
{
    const struct rlimit limit = { .rlim_cur = 100000, .rlim_max = RLIM_INFINITY };
    struct darshan_reader_error err;
    struct darshan_writer *w;
    char name[64];
    FILE *f;

    unlink(PATH);
    f = fopen(PATH, "w");
    ck_assert_ptr_nonnull(f);
    fputs("before", f);
    fclose(f);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    w = with_job();
    for (uint64_t i = 0, x = 1; i < 100000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        snprintf(name, sizeof name, "/%016llx", (unsigned long long)x);
        darshan_writer_name(w, x, name);
    }
    ck_assert_int_eq(darshan_writer_finish(w, &err), DSN_ERR_WRITE);
    f = fopen(PATH, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(name, sizeof name, f));
    ck_assert_str_eq(name, "before");
    fclose(f);
    unlink(PATH);
    expect_nothing();
}
END_TEST

START_TEST(mode)
{
    struct stat st;

    darshan_reader_close(read_back(with_job()));
    ck_assert_int_eq(stat(PATH, &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0400);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "lookup3", lookup3, 0 },
        { "copies", copies, 4 },
        { "mount_order", mount_order, 0 },
        { "text", too_much_text, 0 },
        { "tails", tails, 0 },
        { "traces", traces, 0 },
        { "extension", extension, 0 },
        { "wrong_order", wrong_order, 11 },
        { "cannot_create", cannot_create, 0 },
        { "full", disk_full, 0 },
        { "mode", mode, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("writer", tests);
}
