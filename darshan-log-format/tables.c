/* tables.c - the .def files as const data; the only file that knows the row macros
 * SPDX-License-Identifier: BSD-3-Clause */
#include "index.h"
#include "extension.h"
#include "table.h"

/* The runtime does not need names and remarks: they are pointers, which the dynamic linker would have to relocate in
 * every process, dirtying pages. */
#ifdef DSN_WITHOUT_TEXTS
#define TEXT(t) NULL
#else
#define TEXT(t) t
#endif

/* Reductions, fates and kinds are pasted, so that SUM, MAX and so on need not be macros, and FOLLOW, TOP can take an
 * argument. */
/* clang-format off */
#define RED_SUM        .red = DSN_SUM,        .leader = -1
#define RED_SUM_ABSENT .red = DSN_SUM_ABSENT, .leader = -1
#define RED_MAX        .red = DSN_MAX,        .leader = -1
#define RED_MIN_NZ     .red = DSN_MIN_NZ,     .leader = -1
#define RED_KEEP       .red = DSN_KEEP,       .leader = -1
#define RED_ANY1       .red = DSN_ANY1,       .leader = -1
#define RED_LEAST      .red = DSN_LEAST,      .leader = -1
#define RED_MOST       .red = DSN_MOST,       .leader = -1
#define RED_FOLLOW(l)  .red = DSN_FOLLOW,     .leader = BASE + l
#define RED_TOP(w)     .red = DSN_TOP,        .leader = -1, .width = w
#define RED_PART       .red = DSN_PART,       .leader = -1
#define RED_SPREAD     .red = DSN_SPREAD,     .leader = -1

#define FATE_DROP             .fate = DSN_DROP,             .leader = -1
#define FATE_SKIP_IF_POSITIVE .fate = DSN_SKIP_IF_POSITIVE, .leader = -1
#define FATE_ADD(l)           .fate = DSN_ADD,              .leader = l

#define ROW(k, n, u, r, o, s, d) { .name = TEXT(#n), .doc = TEXT(d), .kind = DSN_##k, .unit = DSN_##u, RED_##r, .role = DSN_##o, .since = s, .at = BASE + n },
#define I(n, u, r, o, s, d) ROW(I64, n, u, r, o, s, d)
#define U(n, u, r, o, s, d) ROW(U64, n, u, r, o, s, d)
#define F(n, u, r, o, s, d) ROW(F64, n, u, r, o, s, d)
#define ID(n, k, s, d)      ROW(k, n, COUNT, KEEP, PLACE, s, d)
#define A(n, u, d) { .name = TEXT(#n), .doc = TEXT(d), .kind = DSN_I64, .unit = DSN_##u, RED_KEEP, .since = 1, .at = -1, .fate = DSN_ARRAY },
#define GONE(n, k, s, e, fate) { .name = TEXT(#n), .doc = TEXT(""), .kind = DSN_##k, .unit = DSN_COUNT, .since = s, .until = e, .at = -1, FATE_##fate },
#define NOTE(s, e, text)
#define BASE 0 /* what the indexes of rows are counted from */
static const struct dsn_row posix_rows[] = {
#include "posix.def"
};
static const struct dsn_row mpiio_rows[] = {
#include "mpiio.def"
};
static const struct dsn_row h5f_rows[] = {
#include "h5f.def"
};
static const struct dsn_row h5d_rows[] = {
#include "h5d.def"
};
static const struct dsn_row pnetcdf_file_rows[] = {
#include "pnetcdf_file.def"
};
static const struct dsn_row pnetcdf_var_rows[] = {
#include "pnetcdf_var.def"
};
static const struct dsn_row bgq_rows[] = {
#include "bgq.def"
};
static const struct dsn_row lustre_rows[] = {
#include "lustre.def"
};
static const struct dsn_row stdio_rows[] = {
#include "stdio.def"
};
static const struct dsn_row mdhim_rows[] = {
#include "mdhim.def"
};
static const struct dsn_row apmpi_rows[] = {
#include "apmpi.def"
};
static const struct dsn_row heatmap_rows[] = {
#include "heatmap.def"
};
static const struct dsn_row dfs_rows[] = {
#include "dfs.def"
};
static const struct dsn_row daos_rows[] = {
#include "daos.def"
};
static const struct dsn_row rank_rows[] = {
#include "rank.def"
};
static const struct dsn_row shared_rows[] = {
#include "shared.def"
};
static const struct dsn_row lbio_rows[] = {
#include "lbio.def"
};
static const struct dsn_row file_rows[] = {
#include "file.def"
};
static const struct dsn_row phase_rows[] = {
#include "phase.def"
};
static const struct dsn_row mapped_rows[] = {
#include "mapped.def"
};
static const struct dsn_row site_rows[] = {
#include "site.def"
};
static const struct dsn_row cufile_rows[] = {
#include "cufile.def"
};

/* Modules of whose records the part "files" tells more: its values follow theirs. */
static const struct dsn_row counted_posix_rows[] = {
#include "posix.def"
#undef BASE
#define BASE POSIX_NVALUES
#include "file.def"
#undef BASE
#define BASE 0
};
static const struct dsn_row counted_mpiio_rows[] = {
#include "mpiio.def"
#undef BASE
#define BASE MPIIO_NVALUES
#include "file.def"
#undef BASE
#define BASE 0
};
static const struct dsn_row counted_stdio_rows[] = {
#include "stdio.def"
#undef BASE
#define BASE STDIO_NVALUES
#include "file.def"
};
#undef BASE
#undef I
#undef U
#undef F
#undef ID
#undef A
#undef GONE
#undef NOTE

/* Terminated by a row without text, because some tables have no notes. */
#define I(n, u, r, o, s, d)
#define U(n, u, r, o, s, d)
#define F(n, u, r, o, s, d)
#define ID(n, k, s, d)
#define A(n, u, d)
#define GONE(n, k, s, e, fate)
#define NOTE(s, e, t) { .since = s, .until = e, .text = TEXT(t) },
static const struct dsn_note posix_notes[] = {
#include "posix.def"
    { .text = NULL } };
static const struct dsn_note mpiio_notes[] = {
#include "mpiio.def"
    { .text = NULL } };
static const struct dsn_note h5f_notes[] = {
#include "h5f.def"
    { .text = NULL } };
static const struct dsn_note h5d_notes[] = {
#include "h5d.def"
    { .text = NULL } };
static const struct dsn_note pnetcdf_file_notes[] = {
#include "pnetcdf_file.def"
    { .text = NULL } };
static const struct dsn_note pnetcdf_var_notes[] = {
#include "pnetcdf_var.def"
    { .text = NULL } };
static const struct dsn_note bgq_notes[] = {
#include "bgq.def"
    { .text = NULL } };
static const struct dsn_note lustre_notes[] = {
#include "lustre.def"
    { .text = NULL } };
static const struct dsn_note stdio_notes[] = {
#include "stdio.def"
    { .text = NULL } };
static const struct dsn_note mdhim_notes[] = {
#include "mdhim.def"
    { .text = NULL } };
static const struct dsn_note apmpi_notes[] = {
#include "apmpi.def"
    { .text = NULL } };
static const struct dsn_note heatmap_notes[] = {
#include "heatmap.def"
    { .text = NULL } };
static const struct dsn_note dfs_notes[] = {
#include "dfs.def"
    { .text = NULL } };
static const struct dsn_note daos_notes[] = {
#include "daos.def"
    { .text = NULL } };
#undef I
#undef U
#undef F
#undef ID
#undef A
#undef GONE
#undef NOTE

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define M(symbol, id_, name_, key_, version_)
#define T(symbol, id_, name_, key_, version_, table)                                                        \
    [id_] = { .name = name_, .key = key_, .id = id_, .version = version_, .nrows = COUNT(table##_rows),      \
              .nvalues = symbol##_NVALUES, .nnotes = COUNT(table##_notes) - 1,                               \
              .rows = table##_rows, .notes = table##_notes },
static const struct dsn_table tables[DSN_KNOWN_MODULES] = {
#include "modules.def"
};
#undef M
#undef T

static const struct { const char *name, *key; unsigned version; } modules[DSN_KNOWN_MODULES] = {
#define M(symbol, id, name, key, version)        [id] = { name, key, version },
#define T(symbol, id, name, key, version, table) [id] = { name, key, version },
#include "modules.def"
#undef M
#undef T
};
/* clang-format on */

const struct dsn_table dsn_rank_table = { .name = "RANK",
                                          .key = "RANK",
                                          .id = 0,
                                          .version = 10,
                                          .nrows = COUNT(rank_rows),
                                          .nvalues = RANK_NVALUES,
                                          .rows = rank_rows };

const struct dsn_table dsn_sharing_table = { .name = "SHARED",
                                             .key = "SHARED",
                                             .id = 0,
                                             .version = 1,
                                             .nrows = COUNT(shared_rows),
                                             .nvalues = SHARED_NVALUES,
                                             .rows = shared_rows };

const struct dsn_table dsn_lbio_table = { .name = "LBIO",
                                          .key = "LBIO",
                                          .id = 0,
                                          .version = 1,
                                          .nrows = COUNT(lbio_rows),
                                          .nvalues = LBIO_NVALUES,
                                          .rows = lbio_rows };

const struct dsn_table dsn_files_table = { .name = "FILE",
                                           .key = "FILE",
                                           .id = 0,
                                           .version = 1,
                                           .nrows = COUNT(file_rows),
                                           .nvalues = FILE_NVALUES,
                                           .rows = file_rows };

const struct dsn_table dsn_phases_table = { .name = "PHASE",
                                            .key = "PHASE",
                                            .id = 0,
                                            .version = 2,
                                            .nrows = COUNT(phase_rows),
                                            .nvalues = PHASE_NVALUES,
                                            .rows = phase_rows };

const struct dsn_table dsn_mapped_table = { .name = "MAPPED",
                                            .key = "MAPPED",
                                            .id = 0,
                                            .version = 1,
                                            .nrows = COUNT(mapped_rows),
                                            .nvalues = MAPPED_NVALUES,
                                            .rows = mapped_rows };

const struct dsn_table dsn_sites_table = { .name = "SITE",
                                           .key = "SITE",
                                           .id = 0,
                                           .version = 1,
                                           .nrows = COUNT(site_rows),
                                           .nvalues = SITE_NVALUES,
                                           .rows = site_rows };

const struct dsn_table dsn_cufile_table = { .name = "CUFILE",
                                            .key = "CUFILE",
                                            .id = 0,
                                            .version = 1,
                                            .nrows = COUNT(cufile_rows),
                                            .nvalues = CUFILE_NVALUES,
                                            .rows = cufile_rows };

/* clang-format off */
#define COUNTED(symbol, table)                                                                                      \
    [DSN_##symbol##_MODULE] = { .id = DSN_##symbol##_MODULE, .nrows = COUNT(counted_##table##_rows),                 \
                                .nvalues = symbol##_NVALUES + FILE_NVALUES, .rows = counted_##table##_rows },
static const struct dsn_table counted[] = {
    COUNTED(POSIX, posix)
    COUNTED(MPIIO, mpiio)
    COUNTED(STDIO, stdio)
};
#undef COUNTED
/* clang-format on */

#define M(symbol, id, name, key, version)
#define T(symbol, id, name, key, version, table)                                                                       \
    _Static_assert(symbol##_NVALUES <= DSN_MAX_VALUES, "raise DSN_MAX_VALUES for " name);
#include "modules.def"
#undef M
#undef T

const struct dsn_table *dsn_table(unsigned id)
{
    return id < DSN_KNOWN_MODULES && tables[id].name ? &tables[id] : NULL;
}

const struct dsn_table *dsn_counted_table(unsigned id)
{
    return id < COUNT(counted) && counted[id].rows ? &counted[id] : dsn_table(id);
}

const char *dsn_module_name(unsigned id)
{
    return id < DSN_KNOWN_MODULES ? modules[id].name : NULL;
}

const char *dsn_module_key(unsigned id)
{
    return id < DSN_KNOWN_MODULES ? modules[id].key : NULL;
}

unsigned dsn_module_version(unsigned id)
{
    return id < DSN_KNOWN_MODULES ? modules[id].version : 0;
}
