/* compat-names.c - arrays of counter names, expanded from the tables
 * SPDX-License-Identifier: BSD-3-Clause */
#include "compat.h"

#include <stddef.h>

#include "darshan-log-format/rows.h"

/* A row is a counter unless its role is OWNER. */
/* clang-format off */
#define PICK_NONE(n)       #n,
#define PICK_OPENS(n)      #n,
#define PICK_R_OPS(n)      #n,
#define PICK_W_OPS(n)      #n,
#define PICK_R_BYTES(n)    #n,
#define PICK_W_BYTES(n)    #n,
#define PICK_R_EXTENT(n)   #n,
#define PICK_W_EXTENT(n)   #n,
#define PICK_R_TIME(n)     #n,
#define PICK_W_TIME(n)     #n,
#define PICK_M_TIME(n)     #n,
#define PICK_FIRST_OPEN(n) #n,
#define PICK_LAST_IO(n)    #n,
#define PICK_OWNER(n)

#define ID(n, k, s, d)
#define A(n, u, d)
#define GONE(n, k, s, e, fate)
#define NOTE(s, e, t)

/* integers */
#define I(n, u, r, o, s, d) PICK_##o(n)
#define U(n, u, r, o, s, d) PICK_##o(n)
#define F(n, u, r, o, s, d)
const char *const posix_counter_names[] = {
#include "darshan-log-format/posix.def"
    "POSIX_NUM_INDICES" };
const char *const mpiio_counter_names[] = {
#include "darshan-log-format/mpiio.def"
    "MPIIO_NUM_INDICES" };
const char *const stdio_counter_names[] = {
#include "darshan-log-format/stdio.def"
    "STDIO_NUM_INDICES" };
const char *const h5f_counter_names[] = {
#include "darshan-log-format/h5f.def"
    "H5F_NUM_INDICES" };
const char *const h5d_counter_names[] = {
#include "darshan-log-format/h5d.def"
    "H5D_NUM_INDICES" };
const char *const pnetcdf_file_counter_names[] = {
#include "darshan-log-format/pnetcdf_file.def"
    "PNETCDF_FILE_NUM_INDICES" };
const char *const pnetcdf_var_counter_names[] = {
#include "darshan-log-format/pnetcdf_var.def"
    "PNETCDF_VAR_NUM_INDICES" };
const char *const bgq_counter_names[] = {
#include "darshan-log-format/bgq.def"
    "BGQ_NUM_INDICES" };
const char *const dfs_counter_names[] = {
#include "darshan-log-format/dfs.def"
    "DFS_NUM_INDICES" };
const char *const daos_counter_names[] = {
#include "darshan-log-format/daos.def"
    "DAOS_NUM_INDICES" };
#undef I
#undef U
#undef F

/* doubles */
#define I(n, u, r, o, s, d)
#define U(n, u, r, o, s, d)
#define F(n, u, r, o, s, d) PICK_##o(n)
const char *const posix_f_counter_names[] = {
#include "darshan-log-format/posix.def"
    "POSIX_F_NUM_INDICES" };
const char *const mpiio_f_counter_names[] = {
#include "darshan-log-format/mpiio.def"
    "MPIIO_F_NUM_INDICES" };
const char *const stdio_f_counter_names[] = {
#include "darshan-log-format/stdio.def"
    "STDIO_F_NUM_INDICES" };
const char *const h5f_f_counter_names[] = {
#include "darshan-log-format/h5f.def"
    "H5F_F_NUM_INDICES" };
const char *const h5d_f_counter_names[] = {
#include "darshan-log-format/h5d.def"
    "H5D_F_NUM_INDICES" };
const char *const pnetcdf_file_f_counter_names[] = {
#include "darshan-log-format/pnetcdf_file.def"
    "PNETCDF_FILE_F_NUM_INDICES" };
const char *const pnetcdf_var_f_counter_names[] = {
#include "darshan-log-format/pnetcdf_var.def"
    "PNETCDF_VAR_F_NUM_INDICES" };
const char *const bgq_f_counter_names[] = {
#include "darshan-log-format/bgq.def"
    "BGQ_F_NUM_INDICES" };
const char *const dfs_f_counter_names[] = {
#include "darshan-log-format/dfs.def"
    "DFS_F_NUM_INDICES" };
const char *const daos_f_counter_names[] = {
#include "darshan-log-format/daos.def"
    "DAOS_F_NUM_INDICES" };
/* clang-format on */

/* The integers of a component; its pool name and OSTs are separate members. */
const char *const lustre_comp_counter_names[] = {
    "LUSTRE_COMP_STRIPE_SIZE", "LUSTRE_COMP_STRIPE_COUNT", "LUSTRE_COMP_STRIPE_PATTERN", "LUSTRE_COMP_FLAGS",
    "LUSTRE_COMP_EXT_START",   "LUSTRE_COMP_EXT_END",      "LUSTRE_COMP_MIRROR_ID",      "LUSTRE_COMP_NUM_INDICES",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CHECK(names, record, member)                                                                                   \
    _Static_assert(COUNT(names) - 1 == COUNT(((struct record *)NULL)->member), #names " are not those of the record")
#define CHECK_BOTH(key, record)                                                                                        \
    CHECK(key##_counter_names, record, counters);                                                                      \
    CHECK(key##_f_counter_names, record, fcounters)
CHECK_BOTH(posix, darshan_posix_file);
CHECK_BOTH(mpiio, darshan_mpiio_file);
CHECK_BOTH(stdio, darshan_stdio_file);
CHECK_BOTH(h5f, darshan_hdf5_file);
CHECK_BOTH(h5d, darshan_hdf5_dataset);
CHECK_BOTH(pnetcdf_file, darshan_pnetcdf_file);
CHECK_BOTH(pnetcdf_var, darshan_pnetcdf_var);
CHECK_BOTH(bgq, darshan_bgq_record);
CHECK_BOTH(dfs, darshan_dfs_file);
CHECK_BOTH(daos, darshan_daos_object);
CHECK(lustre_comp_counter_names, darshan_lustre_component, counters);
