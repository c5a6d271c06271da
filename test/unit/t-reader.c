/* t-reader.c - the reader: logs of every version, byte order and compression; damaged logs
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "darshan-log-format/hash.h"
#include "unit.h"
#include "util/lib/log.h"

static const struct unit_log newest = { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2, .extension = 1 };

static uint64_t id_of(int name)
{
    return dsn_hash(unit_names[name], strlen(unit_names[name]), 0);
}

static struct darshan_reader *opened(const struct unit_bytes *bytes)
{
    struct darshan_reader_error err;
    struct darshan_reader *log;
    const int rc = darshan_reader_open(unit_write_file(bytes), &log, &err);

    ck_assert_msg(rc == DSN_ERR_OK, "%s", err.text);
    return log;
}

/* The next record must be this one (values that `version` does not have are not looked at). */
static void expect(struct darshan_reader_records *it, unsigned module, unsigned version, int name, int64_t rank,
                   int seed)
{
    struct darshan_reader_error err = { .text = "" };
    const struct dsn_rec *r = darshan_reader_next(it, &err);
    int at[UNIT_VALUES];
    const unsigned n = unit_layout(module, version, at);

    ck_assert_msg(r != NULL, "module %u: %s", module, err.text);
    ck_assert_uint_eq(r->id, id_of(name));
    ck_assert_int_eq(r->rank, rank);
    for (unsigned i = 0; i < n; i++)
        if (at[i] >= 0 && unit_kind(module, at[i]) == 'f')
            ck_assert_double_eq(r->v[at[i]].f, unit_f64(at[i], seed));
        else if (at[i] >= 0)
            ck_assert_int_eq(r->v[at[i]].i, unit_i64(at[i], seed));
}

static void expect_end(struct darshan_reader_records *it)
{
    struct darshan_reader_error err;

    ck_assert_ptr_null(darshan_reader_next(it, &err));
    ck_assert_msg(err.code == DSN_ERR_OK, "%s", err.text);
    ck_assert_ptr_null(darshan_reader_next(it, &err)); /* and it stays the end */
    darshan_reader_end(it);
}

static struct darshan_reader_records *begun(struct darshan_reader *log, unsigned module)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const int rc = darshan_reader_begin(log, module, &it, &err);

    ck_assert_msg(rc == DSN_ERR_OK, "%s", err.text);
    return it;
}

static void check_all(const struct unit_log *spec)
{
    struct unit_bytes bytes = unit_make_log(spec);
    struct darshan_reader *log = opened(&bytes);
    struct darshan_reader_records *it, *other;

    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(darshan_reader_name(log, id_of(i)), unit_names[i]);
    ck_assert_ptr_null(darshan_reader_name(log, 1));
    it = begun(log, 1);
    other = begun(log, 1); /* two at once do not disturb each other */
    expect(it, 1, spec->posix, 1, 0, 1);
    expect(it, 1, spec->posix, 0, -1, 2);
    expect(other, 1, spec->posix, 1, 0, 1);
    expect(it, 1, spec->posix, 1, 2, 3);
    expect_end(it);
    darshan_reader_end(other);
    it = begun(log, 2);
    expect(it, 2, spec->mpiio, 0, -1, 4);
    expect_end(it);
    it = begun(log, 9);
    expect(it, 9, spec->stdio, 2, 0, 5);
    expect_end(it);
    darshan_reader_close(log);
    free(bytes.p);
}

START_TEST(versions)
{
    static const struct unit_log specs[] = {
        { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2 },
        { .version = "3.21", .posix = 4, .mpiio = 3, .stdio = 2 },
        { .version = "3.10", .posix = 3, .mpiio = 2, .stdio = 1 },
        { .version = "3.10", .posix = 2, .mpiio = 1, .stdio = 1 },
        { .version = "3.00", .posix = 1, .mpiio = 1, .stdio = 1 },
    };
    struct unit_log spec = specs[_i / 2];

    spec.big = _i % 2;
    check_all(&spec);
}
END_TEST

START_TEST(compressions)
{
    struct unit_log spec = newest;

#ifndef HAVE_BZ2
    if (_i == DSN_BZIP2)
        return;
#endif
    spec.compression = _i;
    spec.extension = 0;
    check_all(&spec);
}
END_TEST

START_TEST(job)
{
    struct unit_bytes bytes = unit_make_log(&newest);
    struct darshan_reader *log = opened(&bytes);
    const struct darshan_reader_mount *mount;
    struct darshan_reader_metadata m;
    size_t pos = 0;

    ck_assert_str_eq(darshan_reader_exe(log), "./app -x");
    ck_assert_int_eq(darshan_reader_job(log)->uid, 1000);
    ck_assert_int_eq(darshan_reader_job(log)->nprocs, 4);
    ck_assert_int_eq(darshan_reader_job(log)->jobid, 77);
    ck_assert_double_eq(darshan_reader_runtime(log), 10.25);
    ck_assert_uint_eq(darshan_reader_mounts(log, &mount), 3);
    ck_assert_str_eq(mount[0].path, "/scratch");
    ck_assert_str_eq(mount[0].type, "lustre");
    ck_assert_str_eq(mount[1].path, "/home");
    ck_assert_str_eq(mount[2].path, "/");
    ck_assert_str_eq(darshan_reader_mount_of(log, "/scratch/run/x")->path, "/scratch");
    ck_assert_str_eq(darshan_reader_mount_of(log, "/home")->type, "nfs");
    ck_assert_str_eq(darshan_reader_mount_of(log, "/hom")->type, "ext4");
    ck_assert_str_eq(darshan_reader_mount_of(log, "/home2/x")->type, "ext4");
    ck_assert_str_eq(darshan_reader_mount_of(log, "<STDOUT>")->path, "UNKNOWN");
    ck_assert_str_eq(darshan_reader_mount_of(log, NULL)->type, "UNKNOWN");
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 1);
    ck_assert_uint_eq(m.key_length, 7);
    ck_assert_mem_eq(m.value, "1.2.3", 5);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 1);
    ck_assert_uint_eq(m.key_length, 1);
    ck_assert_mem_eq(m.value, "a=b;c=d", m.value_length);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 0);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* Empty lines and lines without '=' are left out; a value may be empty, and hold '='. */
START_TEST(metadata_syntax)
{
    struct unit_log spec = newest;
    struct unit_bytes bytes;
    struct darshan_reader *log;
    struct darshan_reader_metadata m;
    size_t pos = 0;

    spec.metadata = "\n\nnothing\na=\n\n=b\nlast=1=2";
    bytes = unit_make_log(&spec);
    log = opened(&bytes);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 1);
    ck_assert(m.key_length == 1 && m.value_length == 0);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 1);
    ck_assert(m.key_length == 0 && m.value_length == 1);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 1);
    ck_assert(m.key_length == 4 && m.value_length == 3);
    ck_assert_int_eq(darshan_reader_metadata(log, &pos, &m), 0);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

START_TEST(extension)
{
    struct unit_log spec = newest;
    struct unit_bytes bytes;
    struct darshan_reader *log;
    const char *const *node;

    spec.big = _i;
    bytes = unit_make_log(&spec);
    log = opened(&bytes);
    ck_assert_uint_eq(darshan_reader_nodes(log, &node), 2);
    ck_assert_str_eq(node[0], "node-a");
    ck_assert_str_eq(node[1], "node-b");
    ck_assert_uint_eq(darshan_reader_ranks(log), 4);
    for (int rank = 0; rank < 4; rank++) {
        const struct dsn_rec *r = darshan_reader_rank(log, (size_t)rank);

        ck_assert_int_eq(r->rank, rank);
        ck_assert_int_eq(r->v[RANK_NODE].i, 10 * rank);
        ck_assert_int_eq(r->v[RANK_MISSED].i, 10 * rank + 5);
        ck_assert_double_eq(r->v[RANK_F_META_TIME].f, rank + 0.25);
    }
    darshan_reader_close(log);
    bytes.p[unit_log_end + 1] = 0xda; /* "nodes" still decompresses, but are not the bytes that were stored */
    log = opened(&bytes);
    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_EXTENSION);
    ck_assert_uint_eq(darshan_reader_nodes(log, &node), 0);
    ck_assert_uint_eq(darshan_reader_ranks(log), 4);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

START_TEST(refused)
{
    struct darshan_reader_error err;
    struct darshan_reader *log = (void *)1;
    struct darshan_reader_records *it;
    struct unit_bytes bytes;

    ck_assert_int_eq(darshan_reader_open("no-such-file", &log, &err), DSN_ERR_OPEN);
    ck_assert_ptr_null(log);
    ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
    ck_assert_int_eq(darshan_reader_open(".", &log, &err), DSN_ERR_OPEN);
    remove("fifo");
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    ck_assert_int_eq(darshan_reader_open("fifo", &log, &err), DSN_ERR_OPEN); /* and does not wait for a writer */
    ck_assert_int_eq(darshan_reader_open("/dev/zero", &log, NULL), DSN_ERR_OPEN);
    darshan_reader_close(NULL);
    darshan_reader_end(NULL);
    bytes = unit_make_log(&(struct unit_log){ .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2 });
    bytes.p[1072 + 4 * 9] = 3; /* a version of STDIO that is newer than we know */
    log = opened(&bytes);
    ck_assert_int_eq(darshan_reader_begin(log, 9, &it, &err), DSN_ERR_MODVERSION);
    ck_assert_ptr_null(it);
    ck_assert_int_eq(darshan_reader_begin(log, 0, &it, &err), DSN_ERR_MODVERSION);
    ck_assert_int_eq(darshan_reader_begin(log, 999, &it, &err), DSN_ERR_MODVERSION);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* ------------------------------------------------------------------ damaged logs */

/* Cut off after every byte: never a crash, never silence, and the more bytes, the more records. */
START_TEST(truncated)
{
    struct unit_bytes bytes = unit_make_log(&newest);
    const char *path = unit_write_file(&bytes);
    int records = 0;

    for (size_t n = bytes.n; n-- > 0;) {
        struct unit_found f;

        ck_assert_int_eq(truncate(path, (off_t)n), 0);
        f = unit_read_everything(path);
        if (n >= unit_log_end)
            ck_assert_int_eq(f.records, 5);
        else
            ck_assert_msg(f.error, "silent at %zu bytes of %zu", n, bytes.n);
        ck_assert_msg(n == bytes.n - 1 || f.records <= records, "at %zu bytes", n);
        records = f.records;
    }
    free(bytes.p);
}
END_TEST

/* Every bit flipped once. Whatever is not in the header is covered by a checksum: it must be noticed, or be of no
 * consequence (deflate has a few such bits). */
START_TEST(flipped)
{
    struct unit_bytes bytes = unit_make_log(&newest);
    const char *path = unit_write_file(&bytes);
    const struct unit_found intact = unit_read_everything(path);
    const int fd = open(path, O_RDWR);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(intact.error, 0);
    ck_assert_int_eq(intact.records, 5);
    for (size_t i = 0; i < bytes.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            const unsigned char changed = (unsigned char)(bytes.p[i] ^ 1 << bit);
            struct unit_found f;

            ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)i), 1);
            f = unit_read_everything(path);
            ck_assert_int_le(f.records, 12);
            if (i >= 1328 && i < bytes.n - 40)
                ck_assert_msg(f.error || f.digest == intact.digest, "byte %zu bit %d went unnoticed", i, bit);
            if (i >= unit_log_end)
                ck_assert_int_eq(f.records, 5);
            ck_assert_int_eq(pwrite(fd, &bytes.p[i], 1, (off_t)i), 1);
        }
    close(fd);
    free(bytes.p);
}
END_TEST

/* Records before and behind the damaged place are there: each module begins afresh. */
START_TEST(other_modules_survive)
{
    struct unit_bytes bytes = unit_make_log(&newest);
    struct dsn_header h;
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    struct darshan_reader_error err;

    ck_assert_int_eq(dsn_header_load(bytes.p, bytes.n, &h), DSN_ERR_OK);
    bytes.p[h.mod[1].off + h.mod[1].len - 1] ^= 1; /* checksum of the second of the POSIX streams */
    bytes.p[h.mod[2].off + 1] ^= 0xff;             /* the MPI-IO stream's header */
    log = opened(&bytes);
    it = begun(log, 1);
    expect(it, 1, 4, 1, 0, 1);
    expect(it, 1, 4, 0, -1, 2);
    expect(it, 1, 4, 1, 2, 3);
    ck_assert_ptr_null(darshan_reader_next(it, &err));
    ck_assert_int_eq(err.code, DSN_ERR_INFLATE);
    darshan_reader_end(it);
    it = begun(log, 2);
    ck_assert_ptr_null(darshan_reader_next(it, &err));
    ck_assert_int_eq(err.code, DSN_ERR_INFLATE);
    darshan_reader_end(it);
    it = begun(log, 9);
    expect(it, 9, 2, 2, 0, 5);
    expect_end(it);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* A region that ends before its stream does, and one that ends inside a record. */
START_TEST(region_is_too_short)
{
    struct unit_log spec = newest;
    struct unit_bytes bytes;
    struct darshan_reader *log;
    struct darshan_reader_records *it;
    struct darshan_reader_error err;

    spec.compression = _i == 0 ? DSN_ZLIB : DSN_UNCOMPRESSED;
    bytes = unit_make_log(&spec);
    bytes.p[48 + 16 * 9 + 8] -= 1; /* length of the STDIO region, in this log of little-endian order */
    log = opened(&bytes);
    it = begun(log, 9);
    if (_i == 0)
        expect(it, 9, 2, 2, 0, 5); /* only the stream's checksum is cut off */
    ck_assert_ptr_null(darshan_reader_next(it, &err));
    ck_assert_int_eq(err.code, _i == 0 ? DSN_ERR_INFLATE : DSN_ERR_RECORD);
    darshan_reader_end(it);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* The last name lacks its end. */
START_TEST(name_is_cut_off)
{
    struct unit_log spec = newest;
    struct unit_bytes bytes;
    struct darshan_reader *log;

    spec.compression = DSN_UNCOMPRESSED;
    bytes = unit_make_log(&spec);
    bytes.p[32 + 8] -= 1;
    log = opened(&bytes);
    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_NAMES);
    ck_assert_str_eq(darshan_reader_name(log, id_of(1)), unit_names[1]);
    ck_assert_ptr_null(darshan_reader_name(log, id_of(2)));
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

/* A damaged name table costs names, not records. */
START_TEST(names_are_damaged)
{
    struct unit_bytes bytes = unit_make_log(&newest);
    struct dsn_header h;
    struct darshan_reader *log;
    struct darshan_reader_records *it;

    ck_assert_int_eq(dsn_header_load(bytes.p, bytes.n, &h), DSN_ERR_OK);
    memset(bytes.p + h.names.off, 0xff, h.names.len);
    log = opened(&bytes);
    ck_assert_int_eq(darshan_reader_damage(log, NULL), DSN_ERR_NAMES);
    ck_assert_ptr_null(darshan_reader_name(log, id_of(0)));
    it = begun(log, 9);
    expect(it, 9, 2, 2, 0, 5);
    expect_end(it);
    darshan_reader_close(log);
    free(bytes.p);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "versions", versions, 10 },
        { "compressions", compressions, 3 },
        { "job", job, 0 },
        { "metadata syntax", metadata_syntax, 0 },
        { "extension", extension, 2 },
        { "refused", refused, 0 },
        { "truncated", truncated, 0 },
        { "flipped", flipped, 0 },
        { "other modules survive", other_modules_survive, 0 },
        { "region is too short", region_is_too_short, 2 },
        { "name is cut off", name_is_cut_off, 0 },
        { "names are damaged", names_are_damaged, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("reader", tests);
}
