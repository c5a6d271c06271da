/* index.h - enums generated from the .def files: indexes of values, ids of modules
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_INDEX_H
#define DSN_INDEX_H

#include "rows.h"

/* clang-format off */
#define I(name, unit, red, role, since, doc) name,
#define U(name, unit, red, role, since, doc) name,
#define F(name, unit, red, role, since, doc) name,
#define ID(name, kind, since, doc)           name,
#define A(name, unit, doc)
#define GONE(name, kind, since, until, fate)
#define NOTE(since, until, text)
enum dsn_posix_index {
#include "posix.def"
    POSIX_NVALUES };
enum dsn_mpiio_index {
#include "mpiio.def"
    MPIIO_NVALUES };
enum dsn_h5f_index {
#include "h5f.def"
    H5F_NVALUES };
enum dsn_h5d_index {
#include "h5d.def"
    H5D_NVALUES };
enum dsn_pnetcdf_file_index {
#include "pnetcdf_file.def"
    PNETCDF_FILE_NVALUES };
enum dsn_pnetcdf_var_index {
#include "pnetcdf_var.def"
    PNETCDF_VAR_NVALUES };
enum dsn_bgq_index {
#include "bgq.def"
    BGQ_NVALUES };
enum dsn_lustre_index {
#include "lustre.def"
    LUSTRE_NVALUES };
enum dsn_stdio_index {
#include "stdio.def"
    STDIO_NVALUES };
enum dsn_mdhim_index {
#include "mdhim.def"
    MDHIM_NVALUES };
enum dsn_apmpi_index {
#include "apmpi.def"
    APMPI_NVALUES };
enum dsn_heatmap_index {
#include "heatmap.def"
    HEATMAP_NVALUES };
enum dsn_dfs_index {
#include "dfs.def"
    DFS_NVALUES };
enum dsn_daos_index {
#include "daos.def"
    DAOS_NVALUES };
enum dsn_rank_index {
#include "rank.def"
    RANK_NVALUES };
enum dsn_sharing_values {
#include "shared.def"
    SHARED_NVALUES };
enum dsn_lbio_index {
#include "lbio.def"
    LBIO_NVALUES };
enum dsn_file_index {
#include "file.def"
    FILE_NVALUES };
enum dsn_phase_index {
#include "phase.def"
    PHASE_NVALUES };
enum dsn_mapped_index {
#include "mapped.def"
    MAPPED_NVALUES };
enum dsn_site_index {
#include "site.def"
    SITE_NVALUES };
enum dsn_cufile_index {
#include "cufile.def"
    CUFILE_NVALUES };
#undef I
#undef U
#undef F
#undef ID
#undef A
#undef GONE
#undef NOTE

/* In POSIX_MODE, above the bits of a mode: the file was opened with O_SYNC or O_DSYNC, so that each write waited for the device. */
#define DSN_MODE_SYNCHRONOUS 0200000

#define M(symbol, id, name, key, version)        DSN_##symbol##_MODULE = id,
#define T(symbol, id, name, key, version, table) DSN_##symbol##_MODULE = id,
enum dsn_module {
#include "modules.def"
    DSN_KNOWN_MODULES };
#undef M
#undef T
/* clang-format on */

/* Printed name ("MPI-IO"), counter prefix ("MPIIO") and newest format version of module `id`; NULL, NULL and 0 for an
 * unassigned id. */
const char *dsn_module_name(unsigned id);
const char *dsn_module_key(unsigned id);
unsigned dsn_module_version(unsigned id);

#endif
