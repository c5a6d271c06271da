# other_modules.py - records of the modules that are not in counters.py: names and layouts
# SPDX-License-Identifier: BSD-3-Clause
"""Written from the format's specification, like counters.py. Every reader takes the bytes of a region, the byte order
and the version, and gives (id, rank, {counter: value}, extra) of each record; what `extra` is, its module says."""

import itertools
import struct

from counters import FLOATS, bins, ranks, words


class Damaged(Exception):
    """A record is not what it must be."""


class Bytes:
    """What is left of a region."""

    def __init__(self, raw, order):
        self.raw, self.order, self.at = raw, order, 0

    def has(self, n):
        return self.at + n <= len(self.raw)

    def take(self, form):
        fields = struct.Struct(self.order + form)
        if not self.has(fields.size):
            raise Damaged("a record is cut off")
        self.at += fields.size
        return fields.unpack_from(self.raw, self.at - fields.size)


# -- records of one size ----------------------------------------------------------------------------------------------

def tuples(prefix):
    """The four most frequent accesses: size, lengths and strides of each, then how often."""
    dims = ["%s_D%d" % (what, i) for what in ("LENGTH", "STRIDE") for i in range(1, 6)]
    return (["%sACCESS%d_%s" % (prefix, i, what) for i in range(1, 5) for what in ["ACCESS"] + dims] +
            ["%sACCESS%d_COUNT" % (prefix, i) for i in range(1, 5)])


H5F_INTS = words("H5F_", "OPENS FLUSHES USE_MPIIO")
H5F_FLOATS = words("H5F_F_", "OPEN_START_TIMESTAMP CLOSE_START_TIMESTAMP OPEN_END_TIMESTAMP CLOSE_END_TIMESTAMP "
                             "META_TIME")
H5D_INTS = (
    words("H5D_", "OPENS READS WRITES FLUSHES BYTES_READ BYTES_WRITTEN RW_SWITCHES REGULAR_HYPERSLAB_SELECTS "
                  "IRREGULAR_HYPERSLAB_SELECTS POINT_SELECTS MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE")
    + bins("H5D_SIZE_READ_AGG") + bins("H5D_SIZE_WRITE_AGG") + tuples("H5D_")
    + words("H5D_", "DATASPACE_NDIMS DATASPACE_NPOINTS DATATYPE_SIZE CHUNK_SIZE_D1 CHUNK_SIZE_D2 CHUNK_SIZE_D3 "
                    "CHUNK_SIZE_D4 CHUNK_SIZE_D5 USE_MPIIO_COLLECTIVE USE_DEPRECATED")
    + ranks("H5D_"))
NC_FILE_INTS = words("PNETCDF_FILE_", "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN "
                                      "WAIT_FAILURES")
NC_FILE_FLOATS = words("PNETCDF_FILE_F_", "OPEN_START_TIMESTAMP CLOSE_START_TIMESTAMP WAIT_START_TIMESTAMP "
                       "OPEN_END_TIMESTAMP CLOSE_END_TIMESTAMP WAIT_END_TIMESTAMP META_TIME WAIT_TIME")
_FORMS = "VAR VAR1 VARA VARS VARM VARN"
NC_VAR_INTS = (
    words("PNETCDF_VAR_", "OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES NB_READS NB_WRITES BYTES_READ "
                          "BYTES_WRITTEN RW_SWITCHES")
    + words("PNETCDF_VAR_PUT_", _FORMS + " VARD") + words("PNETCDF_VAR_GET_", _FORMS + " VARD")
    + words("PNETCDF_VAR_IPUT_", _FORMS) + words("PNETCDF_VAR_IGET_", _FORMS) + words("PNETCDF_VAR_BPUT_", _FORMS)
    + words("PNETCDF_VAR_", "MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE")
    + bins("PNETCDF_VAR_SIZE_READ_AGG") + bins("PNETCDF_VAR_SIZE_WRITE_AGG") + tuples("PNETCDF_VAR_")
    + words("PNETCDF_VAR_", "NDIMS NPOINTS DATATYPE_SIZE IS_RECORD_VAR") + ranks("PNETCDF_VAR_"))
BGQ_INTS = words("BGQ_", "CSJOBID NNODES RANKSPERNODE DDRPERNODE INODES ANODES BNODES CNODES DNODES ENODES "
                         "TORUSENABLED")


def _access(prefix):
    return ["%sACCESS%d_%s" % (prefix, i, what) for what in ("ACCESS", "COUNT") for i in range(1, 5)]


_MOVED = "BYTES_READ BYTES_WRITTEN RW_SWITCHES MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE"
DFS_INTS = (
    words("DFS_", "OPENS GLOBAL_OPENS LOOKUPS DUPS READS READXS WRITES WRITEXS NB_READS NB_WRITES GET_SIZES PUNCHES "
                  "REMOVES STATS " + _MOVED)
    + bins("DFS_SIZE_READ") + bins("DFS_SIZE_WRITE") + _access("DFS_") + ["DFS_CHUNK_SIZE"] + ranks("DFS_"))
DAOS_INTS = (
    words("DAOS_OBJ_", "OPENS FETCHES UPDATES PUNCHES DKEY_PUNCHES AKEY_PUNCHES DKEY_LISTS AKEY_LISTS RECX_LISTS")
    + words("DAOS_ARRAY_", "OPENS READS WRITES GET_SIZES SET_SIZES STATS PUNCHES DESTROYS")
    + words("DAOS_KV_", "OPENS GETS PUTS REMOVES LISTS DESTROYS") + words("DAOS_", "NB_OPS " + _MOVED)
    + bins("DAOS_SIZE_READ") + bins("DAOS_SIZE_WRITE") + _access("DAOS_")
    + words("DAOS_", "OBJ_OTYPE ARRAY_CELL_SIZE ARRAY_CHUNK_SIZE") + ranks("DAOS_"))


def _with_floats(prefix, ints, n=17):
    return ints, words(prefix, FLOATS)[:n]


def _h5f(version):
    if version == 3:
        return H5F_INTS, H5F_FLOATS
    return H5F_INTS[:1], H5F_FLOATS[:4] if version == 2 else [H5F_FLOATS[0], H5F_FLOATS[3]]


def _nc_file(version):
    if version == 3:
        return NC_FILE_INTS, NC_FILE_FLOATS
    open_close = [NC_FILE_FLOATS[i] for i in (0, 1, 3, 4)]
    return ["INDEP_OPENS", "COLL_OPENS"], open_close if version == 2 else [open_close[0], open_close[3]]


# id: newest version, counters of a version, bytes before the counters, the counter that these are, bytes behind
FIXED = {
    3: (3, _h5f, lambda version: 0, None, 0),
    4: (2, lambda version: _with_floats("H5D_", H5D_INTS), lambda version: 8 * (version > 1), "H5D_FILE_REC_ID", 0),
    5: (3, _nc_file, lambda version: 0, None, 0),
    6: (1, lambda version: _with_floats("PNETCDF_VAR_", NC_VAR_INTS), lambda version: 8, "PNETCDF_VAR_FILE_REC_ID", 0),
    7: (2, lambda version: (BGQ_INTS, ["BGQ_F_TIMESTAMP"]), lambda version: 8 * (version == 1), None, 0),
    16: (1, lambda version: _with_floats("DFS_", DFS_INTS, 15), lambda version: 0, None, 32),
    17: (1, lambda version: _with_floats("DAOS_", DAOS_INTS, 15), lambda version: 0, None, 48)}


def fixed(number, raw, order, version):
    """`extra`: the bytes behind the counters."""
    newest, layout, front, owner, behind = FIXED[number]
    if not 1 <= version <= newest:
        raise Damaged("version %d" % version)
    ints, floats = layout(version)
    form = struct.Struct("%sQq%ds%dq%dd%ds" % (order, front(version), len(ints), len(floats), behind))
    for at in range(0, len(raw) - form.size + 1, form.size):
        ident, rank, before, *values, extra = form.unpack_from(raw, at)
        found = dict(zip(ints + floats, values))
        if "INDEP_OPENS" in found:
            found["PNETCDF_FILE_OPENS"] = found["INDEP_OPENS"] + found["COLL_OPENS"]
        counters = {n: found.get(n, -1.0 if n in layout(newest)[1] else -1) for n in itertools.chain(*layout(newest))}
        if owner:
            counters[owner] = struct.unpack(order + "Q", before)[0] if before else 0
        yield ident, rank, counters, extra


# -- LUSTRE -----------------------------------------------------------------------------------------------------------

PATTERNS = {0: "raid0", 2: "mdt", 4: "raid0,overstriped", 8: "foreign"}
FLAGS = "stale prefrd prefwr offline init nosync extension parity compress partial nocompr neg".split()


def flags_text(flags):
    if flags == -1:
        return "N/A"
    text = "".join(name + "," for bit, name in enumerate(FLAGS) if flags >> bit & 1)[:64]
    return text[:-1] or "0"


def lustre(raw, order, version):
    """`extra`: the components, each [size, count, pattern, flags, start, end, mirror, pool, OSTs]."""
    data = Bytes(raw, order)
    while data.has(56 if version == 1 else 32):
        if version == 1:
            ident, rank, _, _, _, size, width = data.take("Qq5q")
            comps = [[size, width, -1, -1, 0, -1, -1, b"", list(data.take("%dq" % width))]]
        else:
            ident, rank, ncomps, nstripes = data.take("Qqqq")
            comps = [list(data.take("7q16s")) for _ in range(ncomps)]
            osts = iter(data.take("%dq" % nstripes))
            comps = list(itertools.takewhile(lambda comp: comp[0] != -1, comps))
            for comp in comps:
                comp.append([next(osts) for _ in range(comp[1])])
        counters = {"LUSTRE_NUM_COMPONENTS": len(comps), "LUSTRE_NUM_STRIPES": sum(comp[1] for comp in comps)}
        for i, (size, count, pattern, flags, start, end, mirror, pool, osts) in enumerate(comps, 1):
            values = [("STRIPE_SIZE", size), ("STRIPE_COUNT", count), ("STRIPE_PATTERN", PATTERNS.get(pattern, "N/A")),
                      ("FLAGS", flags_text(flags)), ("EXT_START", start), ("EXT_END", end), ("MIRROR_ID", mirror),
                      ("POOL_NAME", pool.split(b"\0")[0].decode() or "N/A")]
            values += [("OST_ID_%d" % k, ost) for k, ost in enumerate(osts)]
            counters.update(("LUSTRE_COMP%d_%s" % (i, name), value) for name, value in values)
        yield ident, rank, counters, comps


# -- HEATMAP, MDHIM, APMPI --------------------------------------------------------------------------------------------

def heatmap(raw, order, _):
    """All records have as many bins as the first if they differ by one only. `extra`: None."""
    data, first = Bytes(raw, order), None
    while data.has(48):
        ident, rank, width, n, _, _ = data.take("QqdqQQ")
        writes, reads = (list(data.take("%dq" % n)) for _ in range(2))
        first = first or (width, n)
        if width == first[0] and abs(n - first[1]) == 1:
            writes, reads = ((bins_ + [0])[:first[1]] for bins_ in (writes, reads))
        counters = {"HEATMAP_F_BIN_WIDTH_SECONDS": width}
        counters.update(("HEATMAP_READ_BIN_%d" % i, v) for i, v in enumerate(reads))
        counters.update(("HEATMAP_WRITE_BIN_%d" % i, v) for i, v in enumerate(writes))
        yield ident, rank, counters, None


MDHIM_INTS = words("MDHIM_", "PUTS GETS PUT_MAX_SIZE GET_MAX_SIZE SERVERS")
MDHIM_FLOATS = words("MDHIM_F_", "PUT_TIMESTAMP GET_TIMESTAMP PUT_MAX_DURATION GET_MAX_DURATION")


def mdhim(raw, order, _):
    """`extra`: None."""
    data = Bytes(raw, order)
    while data.has(96):
        ident, rank, *values = data.take("Qq5q4d")
        servers = values[4]
        histogram = data.take("%dq" % max(1, servers))
        counters = dict(zip(MDHIM_INTS + MDHIM_FLOATS, values))
        counters.update(("MDHIM_SERVER_%d" % i, histogram[i]) for i in range(servers))
        yield ident, rank, counters, None


BLOCKING = ("BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV REDUCE ALLREDUCE REDUCE_SCATTER "
            "ALLTOALL ALLTOALLV ALLTOALLW").split()
# operations in order, and whether they have sizes of messages
OPERATIONS = [(name, sized) for names, sized in (
    ("SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV".split(), True),
    ("PROBE IPROBE TEST TESTANY TESTALL TESTSOME WAIT WAITANY WAITALL WAITSOME BARRIER IBARRIER".split(), False),
    (BLOCKING + ["I" + name for name in BLOCKING], True), ("PUT GET ACCUMULATE GET_ACCUMULATE".split(), True),
    ("FETCH_AND_OP COMPARE_AND_SWAP WIN_FENCE WIN_START WIN_COMPLETE WIN_POST WIN_WAIT WIN_TEST WIN_LOCK WIN_UNLOCK "
     "WIN_UNLOCK_ALL WIN_FLUSH WIN_FLUSH_ALL WIN_FLUSH_LOCAL WIN_FLUSH_LOCAL_ALL WIN_SYNC".split(), False))
    for name in names]
_SIZED = ["CALL_COUNT", "TOTAL_BYTES"] + ["MSG_SIZE_AGG_" + b for b in
                                         "0_256 256_1K 1K_8K 8K_256K 256K_1M 1M_PLUS".split()]
APMPI_INTS = ["MPI_%s_%s" % (op, what) for op, sized in OPERATIONS for what in (_SIZED if sized else _SIZED[:1])]
APMPI_FLOATS = ["MPI_%s_%s_TIME" % (op, what) for op, _ in OPERATIONS for what in ("TOTAL", "MIN", "MAX")]
APMPI_SYNC = ["MPI_%s_TOTAL_SYNC_TIME" % op for op in ["BARRIER"] + BLOCKING]
APMPI_MAGIC = 0x41504D5049


def apmpi(raw, order, _):
    """The header comes first, with its variances as counters. `extra`: None."""
    data = Bytes(raw, order)
    ident, rank, magic, sync, _, comm, waits = data.take("QqqIIdd")
    if magic != APMPI_MAGIC:
        raise Damaged("APMPI's magic number")
    counters = {"MPI_TOTAL_COMM_TIME_VARIANCE": comm}
    if sync:
        counters["MPI_TOTAL_COMM_SYNC_TIME_VARIANCE"] = waits
    yield ident, rank, counters, None
    while data.has(5232):
        ident, rank, *values = data.take("Qq%dQ%dd%dd2d128s" % (len(APMPI_INTS), len(APMPI_FLOATS), len(APMPI_SYNC)))
        counters = {"MPI_PROCESSOR_NAME": values[-1].split(b"\0")[0].decode("utf-8", "surrogateescape")}
        counters.update(zip(APMPI_INTS + APMPI_FLOATS, values))
        if sync:
            counters.update(zip(APMPI_SYNC, values[-19:-3]))
        counters["MPI_TOTAL_COMM_TIME"] = values[-3]
        if sync:
            counters["MPI_TOTAL_COMM_SYNC_TIME"] = values[-2]
        yield ident, rank, counters, None


VARYING = {8: (2, lustre), 12: (1, mdhim), 14: (1, apmpi), 15: (1, heatmap)}


def read(number, raw, order, version):
    """The records of any of these modules."""
    if number in FIXED:
        return list(fixed(number, raw, order, version))
    newest, reader = VARYING[number]
    if not 1 <= version <= newest:
        raise Damaged("version %d" % version)
    return list(reader(raw, order, version))


# -- DXT --------------------------------------------------------------------------------------------------------------

def dxt(number, raw, order, version):
    """(id, rank, (host, left out), writes, reads), the latter each a list of (offset, length, start, end, thread); thread is None if the
    version has none."""
    if not 1 <= version <= (2 if number == 10 else 3):
        raise Damaged("version %d" % version)
    threads = version == (2 if number == 10 else 3)
    data = Bytes(raw, order)
    while data.has(104):
        ident, rank, left_out, host, nwrites, nreads = data.take("Qqq64sqq")
        segments = []
        for _ in range(nwrites + nreads):
            offset, length, start, end = data.take("qqdd")
            thread = data.take("Q")[0] if threads else None
            segments.append((-1 if (number, version) == (11, 1) else offset, length, start, end, thread))
        yield ident, rank, (host.split(b"\0")[0].decode(), left_out), segments[:nwrites], segments[nwrites:]


def quotient(a, b):
    """Integer division that truncates toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def targets(comps, offset, length):
    """The OSTs that an access went to, as the specification's walk over the components has it."""
    found, cur, count, base = [], offset, 0, 0
    all_osts = [ost for comp in comps for ost in comp[8]]
    for size, stripes, _, _, start, end, *_ in comps:
        if stripes == 0:
            continue
        if cur >= start and (cur < end or end == -1):
            rel = cur - start
            k = quotient(rel, size) % stripes
            while cur < offset + length and (cur < end or end == -1):
                found.append(all_osts[base + k])
                k = (k + 1) % stripes
                rel = (quotient(rel, size) + 1) * size
                cur = start + rel
                count += 1
                if count >= stripes:
                    cur = offset + length if end == -1 else end
                    break
        base += stripes
    return found
