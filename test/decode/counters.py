# counters.py - names of the counters in log order, for each module and record version
# SPDX-License-Identifier: BSD-3-Clause
"""Written from the format's specification, not from darshan-log-format/: that the two agree is what the tests show."""

BINS = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
BIN_LIMITS = [100, 1024, 10240, 102400, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30]


def bins(prefix):
    return ["%s_%s" % (prefix, b) for b in BINS]


def top4(prefix, value):
    return ["%s%d_%s" % (prefix, i, what) for what in (value, "COUNT") for i in (1, 2, 3, 4)]


def ranks(prefix):
    return [prefix + s for s in ("FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES")]


def words(prefix, text):
    return [prefix + w for w in text.split()]


POSIX_INTS = (
    words("POSIX_", "OPENS FILENOS DUPS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS RENAME_SOURCES RENAME_TARGETS "
                    "RENAMED_FROM MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN CONSEC_READS "
                    "CONSEC_WRITES SEQ_READS SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED "
                    "FILE_ALIGNMENT MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE")
    + bins("POSIX_SIZE_READ") + bins("POSIX_SIZE_WRITE")
    + top4("POSIX_STRIDE", "STRIDE") + top4("POSIX_ACCESS", "ACCESS") + ranks("POSIX_"))

MPIIO_INTS = (
    words("MPIIO_", "INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS SPLIT_WRITES "
                    "NB_READS NB_WRITES SYNCS HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN RW_SWITCHES "
                    "MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE")
    + bins("MPIIO_SIZE_READ_AGG") + bins("MPIIO_SIZE_WRITE_AGG") + top4("MPIIO_ACCESS", "ACCESS") + ranks("MPIIO_"))

STDIO_INTS = (
    words("STDIO_", "OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ MAX_BYTE_WRITTEN")
    + ranks("STDIO_"))

# POSIX and MPI-IO have the same floats
FLOATS = ("F_OPEN_START_TIMESTAMP F_READ_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_CLOSE_START_TIMESTAMP "
          "F_OPEN_END_TIMESTAMP F_READ_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_CLOSE_END_TIMESTAMP "
          "F_READ_TIME F_WRITE_TIME F_META_TIME F_MAX_READ_TIME F_MAX_WRITE_TIME "
          "F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES")
STDIO_FLOATS = words("STDIO_", "F_META_TIME F_WRITE_TIME F_READ_TIME "
                     "F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WRITE_START_TIMESTAMP F_READ_START_TIMESTAMP "
                     "F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WRITE_END_TIMESTAMP F_READ_END_TIMESTAMP "
                     "F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES")

# one rank's totals in the extension part "ranks", version 1
RANK_INTS = words("RANK_", "NODE FILES BYTES_READ BYTES_WRITTEN AGGREGATED MISSED LIMITED ENOUGH_MEMORY ENOUGH_RECORDS "
                           "UNTRACED AGGREGATED_FILES AGGREGATED_UNKNOWN DELETES RENAMES OTHER_METAS MAP_SYNCS MAJOR_FAULTS STORAGE_READ STORAGE_DIRTIED")
RANK_INTS_OF = {1: RANK_INTS[:6], 2: RANK_INTS[:9], 3: RANK_INTS[:10], 4: RANK_INTS[:10] + RANK_INTS[12:15],
                5: RANK_INTS[:10] + RANK_INTS[12:15], 6: RANK_INTS[:10] + RANK_INTS[12:16], 7: RANK_INTS[:16], 8: RANK_INTS[:16], 9: RANK_INTS[:16],
                10: RANK_INTS}  # by version of the part
RANK_FLOATS = words("RANK_", "F_READ_TIME F_WRITE_TIME F_META_TIME F_DELETE_TIME F_RENAME_TIME F_OTHER_META_TIME F_MAP_SYNC_TIME F_IO_TIME F_CPU_USER "
                             "F_CPU_SYSTEM F_OPEN_TIME F_CLOSE_TIME F_SYNC_TIME")
RANK_FLOATS_OF = {1: RANK_FLOATS[:3], 2: RANK_FLOATS[:3], 3: RANK_FLOATS[:3], 4: RANK_FLOATS[:6],
                  5: RANK_FLOATS[:6] + RANK_FLOATS[7:8], 6: RANK_FLOATS[:8], 7: RANK_FLOATS[:8], 8: RANK_FLOATS[:10], 9: RANK_FLOATS, 10: RANK_FLOATS}

# the extension part "files", version 1
FILE_INTS = words("FILE_", "MODULE WRITE_OPENS CREATED FOUND_EMPTY TRUNCATED UNKNOWN DELETED SIZE_BEFORE")
PHASE_LAYER = ("q READS, q WRITES, q METAS, q BYTES_READ, q BYTES_WRITTEN, d F_READ_TIME, d F_WRITE_TIME, d F_META_TIME").split(", ")
PHASE_FIELDS = (["q PHASE_ENTERED", "d PHASE_F_TIME"]
                + ["%s PHASE_%s_%s" % (f[0], layer, f[2:]) for layer in ("POSIX", "STDIO", "MPIIO", "HDF5", "PNETCDF", "DFS", "DAOS") for f in PHASE_LAYER]
                + ["d PHASE_F_LAST_CALL", "q PHASE_SLOWEST_RANK", "d PHASE_F_SLOWEST_RANK_TIME", "d PHASE_F_STEP"]
                + ["Q PHASE_WHEN" + n for n in ("", "_1", "_2", "_3", "_4", "_5", "_6", "_7")] + ["d PHASE_F_LONGEST_TIME"])
FILE_FLOATS = words("FILE_", "F_OPEN_TIME F_CLOSE_TIME F_SYNC_TIME")

# the extension part "mapped", version 1
MAPPED_INTS = words("MAPPED_", "MAPPINGS BYTES TOUCHED WRITABLE DIRTY UNEXAMINED")

# the extension part "sites", version 1
SITE_FIELDS = ("Q FILE, Q STACK, q LAYER, q READS, q WRITES, q METAS, q BYTES_READ, q BYTES_WRITTEN, "
               "d F_READ_TIME, d F_WRITE_TIME, d F_META_TIME, q LOOKED_AT").split(", ")
# the extension part "cufile", version 1; the record of what is no file's has the id of a name that is not in the log
CUFILE_SIZES = "0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS"
CUFILE_INTS = (words("CUFILE_", "HANDLES READS WRITES ASYNC_READS ASYNC_WRITES BATCH_READS BATCH_WRITES QUEUED_READS QUEUED_WRITES COMPAT_READS COMPAT_WRITES FAILED "
                                "BYTES_READ BYTES_WRITTEN QUEUED_READ QUEUED_WRITTEN COMPAT_BYTES_READ COMPAT_BYTES_WRITTEN "
                                "COMPAT_QUEUED_READ COMPAT_QUEUED_WRITTEN UNSEEN_READ UNSEEN_WRITTEN")
               + words("CUFILE_SIZE_READ_", CUFILE_SIZES) + words("CUFILE_SIZE_WRITE_", CUFILE_SIZES) + words("CUFILE_", "BUFFERS BUFFER_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES"))
CUFILE_FLOATS = words("CUFILE_", "F_START F_END F_READ_TIME F_WRITE_TIME F_META_TIME F_BUFFER_TIME F_SLOWEST_RANK_TIME")
CUFILE_BUFFERS = "cufile:buffers"

UNSIGNED = {"POSIX_RENAMED_FROM"}


def without(names, *gone):
    return [n for n in names if n not in gone]


def old_floats(prefix):
    """The 15 floats of old records: one open and one close timestamp, at other places than today's."""
    names = words(prefix, FLOATS)
    starts = names[:3]
    ends = names[5:8]
    return starts + ends + names[8:]


def _posix(version):
    ints = POSIX_INTS
    if version < 4:
        ints = without(ints, *words("POSIX_", "FILENOS DUPS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM"))
    if version < 2:
        at = ints.index("POSIX_MMAPS") + 1
        ints = ints[:at] + words("POSIX_", "FOPENS FREADS FWRITES FSEEKS") + ints[at:]
    return ints, words("POSIX_", FLOATS) if version > 2 else old_floats("POSIX_")


def _mpiio(version):
    return MPIIO_INTS, words("MPIIO_", FLOATS) if version > 2 else old_floats("MPIIO_")


def _stdio(version):
    return STDIO_INTS if version > 1 else without(STDIO_INTS, "STDIO_FDOPENS"), STDIO_FLOATS


MODULES = {1: ("POSIX", 4, _posix), 2: ("MPI-IO", 3, _mpiio), 9: ("STDIO", 2, _stdio)}

ALL_NAMES = ["NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO",
             "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS"]


def current(module_id):
    """All counters of the newest version, in log order."""
    _, newest, layout = MODULES[module_id]
    ints, floats = layout(newest)
    return ints + floats


def absent(counter):
    """What stands for a counter that the record's version does not have."""
    if counter == "POSIX_RENAMED_FROM":
        return 0
    return -1.0 if "_F_" in counter else -1
