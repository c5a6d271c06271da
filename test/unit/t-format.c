/* t-format.c - the log format: hash, header, job, extension, errors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "darshan-log-format/err.h"
#include "darshan-log-format/extension.h"
#include "darshan-log-format/hash.h"
#include "darshan-log-format/header.h"
#include "darshan-log-format/index.h"
#include "unit.h"

/* container.md 9.3 */
START_TEST(hash_vectors)
{
    static const struct {
        const char *name;
        uint64_t id;
    } v[] = {
        { "APXC", 4517659415186091864u },
        { "APMPI", 2250748219237254214u },
        { "<STDIN>", 14734109647742566553u },
        { "<STDOUT>", 15920181672442173319u },
        { "<STDERR>", 7238257241479193519u },
        { "heatmap:DFS", 1597927878319380788u },
        { "heatmap:DAOS", 4131494093108637317u },
        { "heatmap:POSIX", 16592106915301738621u },
        { "heatmap:MPIIO", 3668870418325792824u },
        { "heatmap:STDIO", 3989511027826779520u },
        { "darshan-apxc-header", 17895523780076722003u },
        { "darshan-apmpi-header", 7713204788897956166u },
        { "darshan-bgq-record", 17224881367579287459u },
        { "/tmp/test/macsio-log.log", 12580831639222665179u },
        { "/tmp/test/macsio_hdf5_000.h5", 8409215679985794245u },
        { "/tmp/test/macsio_hdf5_000.h5:/constant", 9271460256448564466u },
        { "/tmp/test/mpi-io-test.tmp.dat", 6331129185542144414u },
        { "/tmp/tmp/mpi-io-test.tmp.dat", 11344915649860608681u },
        { "/tmp/mpi-io-test.tmp.dat", 3413451750298442736u },
        { "/gpfs/mira-fs0/projects/SSSPPg/snyder/tmp/mpi-io-test.tmp.dat", 9063791019878933741u },
        { "/global/cscratch1/sd/ssnyder/tmp/mpi-io-test.tmp.dat", 6138362456139396606u },
        { "/home/shane/software/ior/build/testFile", 11831850109748558379u },
        { "/home/shane/software/ior/build/testFile:/Dataset-0000.0000", 7600138186531619366u },
        { "/home/shane/software/ior/build/testFile:data_var", 13643764139999164549u },
    };

    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
        ck_assert_msg(dsn_hash(v[i].name, strlen(v[i].name), 0) == v[i].id, "%s", v[i].name);
}
END_TEST

START_TEST(modules)
{
    ck_assert_str_eq(dsn_module_name(2), "MPI-IO");
    ck_assert_str_eq(dsn_module_key(2), "MPIIO");
    ck_assert_uint_eq(dsn_module_version(1), 4);
    ck_assert_uint_eq(dsn_module_version(9), 2);
    ck_assert_str_eq(dsn_module_name(17), "DAOS");
    ck_assert_ptr_null(dsn_module_name(18));
    ck_assert_ptr_null(dsn_table(18));
    ck_assert_ptr_null(dsn_table(0));
    ck_assert_ptr_null(dsn_table(4000000000u));
}
END_TEST

START_TEST(errors)
{
    for (int i = -1; i <= DSN_NERRORS; i++)
        ck_assert_uint_gt(strlen(dsn_err_text(i)), 0);
    ck_assert_str_ne(dsn_err_text(DSN_ERR_MAGIC), dsn_err_text(DSN_ERR_VERSION));
}
END_TEST

/* ------------------------------------------------------------------ header */

START_TEST(header_round_trip)
{
    struct dsn_header h = { .compression = 1, .partial = (uint64_t)1 << 63 | 2, .names = { 2000, 77 } }, g;
    unsigned char bytes[DSN_HEADER_SIZE];

    for (unsigned i = 0; i < 64; i++) {
        h.mod[i] = (struct dsn_map){ 3000 + 100 * i, i };
        h.mod_version[i] = i + 1;
    }
    dsn_header_store(&h, bytes);
    ck_assert_mem_eq(bytes, "3.41\0\0\0\0", 8);
    ck_assert_int_eq(dsn_header_load(bytes, sizeof bytes, &g), DSN_ERR_OK);
    ck_assert_int_eq(g.minor, 41);
    ck_assert_int_eq(g.swap, 0);
    ck_assert_uint_eq(g.size, 1328);
    ck_assert_uint_eq(g.compression, 1);
    ck_assert_uint_eq(g.partial, (uint64_t)1 << 63 | 2);
    ck_assert_uint_eq(g.names.off, 2000);
    ck_assert_uint_eq(g.names.len, 77);
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_uint_eq(g.mod[i].off, 3000 + 100 * i);
        ck_assert_uint_eq(g.mod[i].len, i);
        ck_assert_uint_eq(g.mod_version[i], i + 1);
    }
}
END_TEST

/* Every version in both byte orders: modules and mask stand where today's numbering has them (container.md 5.2). */
START_TEST(header_versions)
{
    static const char *const versions[] = { "3.41", "3.21", "3.20", "3.10", "3.00" };
    const uint64_t partial = 1 << 2 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 9 | 1 << 15;
    const struct unit_log spec = {
        .version = versions[_i / 2], .big = _i % 2, .posix = 3, .mpiio = 2, .stdio = 1, .partial = partial
    };
    struct unit_bytes log = unit_make_log(&spec);
    struct dsn_header h;

    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_OK);
    ck_assert_int_eq(h.swap, unit_is_foreign(_i % 2));
    ck_assert_uint_eq(h.size, _i / 2 == 0 ? 1328 : 360);
    ck_assert_uint_eq(h.partial, partial);
    ck_assert_uint_eq(h.mod_version[1], 3);
    ck_assert_uint_eq(h.mod_version[2], 2);
    ck_assert_uint_eq(h.mod_version[9], 1);
    ck_assert_uint_eq(h.names.off + h.names.len, h.mod[1].off);
    ck_assert_uint_eq(h.mod[1].off + h.mod[1].len, h.mod[2].off);
    ck_assert_uint_eq(h.mod[2].off + h.mod[2].len, h.mod[9].off);
    ck_assert_uint_eq(h.mod[9].off + h.mod[9].len, log.n);
    for (unsigned i = 0; i < 64; i++)
        if (i != 1 && i != 2 && i != 9)
            ck_assert_msg(h.mod[i].len == 0 && h.mod_version[i] == 0, "module %u", i);
    free(log.p);
}
END_TEST

START_TEST(header_rejects)
{
    const struct unit_log spec = { .version = "3.41", .posix = 4, .mpiio = 3, .stdio = 2 };
    struct unit_bytes log = unit_make_log(&spec);
    struct dsn_header h;

    ck_assert_int_eq(dsn_header_load(log.p, 7, &h), DSN_ERR_SHORT);
    ck_assert_int_eq(dsn_header_load(log.p, 1327, &h), DSN_ERR_SHORT);
    ck_assert_int_eq(dsn_header_load(log.p, 1328, &h), DSN_ERR_OK);
    log.p[16] = 3;
    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_COMPRESSION);
    log.p[16] = 0;
    memcpy(log.p, "3.42", 4);
    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_VERSION);
    memcpy(log.p, "2.41", 4);
    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_VERSION);
    memcpy(log.p, "03.041x", 8);
    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_OK);
    log.p[8] ^= 1;
    ck_assert_int_eq(dsn_header_load(log.p, log.n, &h), DSN_ERR_MAGIC);
    free(log.p);
}
END_TEST

START_TEST(job_round_trip)
{
    struct dsn_job job = { 1, 2, 3, 4, 5, 6, 7, "a=b\n" }, got;
    struct dsn_header h = { .minor = 41 };
    unsigned char bytes[DSN_JOB_SIZE];

    dsn_job_store(&job, bytes);
    ck_assert_uint_eq(dsn_job_size(&h), 1080);
    dsn_job_load(&h, bytes, &got);
    ck_assert_mem_eq(&job, &got, sizeof job);
    job.start_sec = 100, job.start_nsec = 500000000, job.end_sec = 110, job.end_nsec = 750000000;
    ck_assert_double_eq(dsn_job_runtime(&h, &job), 10.25);
    h.minor = 21;
    ck_assert_uint_eq(dsn_job_size(&h), 1064);
    ck_assert_double_eq(dsn_job_runtime(&h, &job), 11); /* both seconds count */
    memset(bytes, 'x', sizeof bytes);
    dsn_job_load(&h, bytes, &got);
    ck_assert_uint_eq(strlen(got.metadata), 1023);
}
END_TEST

/* ------------------------------------------------------------------ extension */

START_TEST(extension_round_trip)
{
    struct dsn_ext ext = { .nparts = 2, .part = { { "nodes", 1, 100, 20, 30, 7 }, { "ranks", 3, 120, 80, 352, 8 } } },
                   got;
    struct dsn_ext_directory where;
    unsigned char tail[2 * DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE], *footer = tail + 2 * DSN_EXT_ENTRY_SIZE;

    ck_assert_uint_eq(dsn_ext_tail_size(2), sizeof tail);
    dsn_ext_store(&ext, 200, tail);
    ck_assert_int_eq(dsn_ext_find(footer, 200 + sizeof tail, 0, &where), 1);
    ck_assert_uint_eq(where.off, 200);
    ck_assert_int_eq(dsn_ext_load(tail, &where, 0, &got), DSN_ERR_OK);
    ck_assert_uint_eq(got.nparts, 2);
    ck_assert_ptr_null(dsn_ext_part(&got, "ranks", 1));
    ck_assert_uint_eq(dsn_ext_part(&got, "ranks", 3)->raw, 352);
    ck_assert_uint_eq(dsn_ext_part(&got, "nodes", 1)->off, 100);

    ck_assert_int_eq(dsn_ext_find(footer, 201 + sizeof tail, 0, &where), 0); /* not at the file's end */
    tail[3] ^= 1;
    ck_assert_int_eq(dsn_ext_load(tail, &where, 0, &got), DSN_ERR_EXTENSION);
    footer[24] ^= 1;
    ck_assert_int_eq(dsn_ext_find(footer, 200 + sizeof tail, 0, &where), 0);
}
END_TEST

START_TEST(extension_out_of_range)
{
    struct dsn_ext ext = { .nparts = 1, .part = { { "nodes", 1, 100, 101, 30, 7 } } }, got;
    struct dsn_ext_directory where;
    unsigned char tail[DSN_EXT_ENTRY_SIZE + DSN_EXT_FOOTER_SIZE];

    dsn_ext_store(&ext, 200, tail);
    ck_assert_int_eq(dsn_ext_find(tail + DSN_EXT_ENTRY_SIZE, 200 + sizeof tail, 0, &where), 1);
    ck_assert_int_eq(dsn_ext_load(tail, &where, 0, &got), DSN_ERR_EXTENSION);
    ext.part[0].stored = 100;
    dsn_ext_store(&ext, 200, tail);
    dsn_ext_find(tail + DSN_EXT_ENTRY_SIZE, 200 + sizeof tail, 0, &where);
    ck_assert_int_eq(dsn_ext_load(tail, &where, 0, &got), DSN_ERR_OK);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "hash vectors", hash_vectors, 0 },
        { "modules", modules, 0 },
        { "errors", errors, 0 },
        { "header round trip", header_round_trip, 0 },
        { "header versions", header_versions, 10 },
        { "header rejects", header_rejects, 0 },
        { "job round trip", job_round_trip, 0 },
        { "extension round trip", extension_round_trip, 0 },
        { "extension out of range", extension_out_of_range, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("format", tests);
}
