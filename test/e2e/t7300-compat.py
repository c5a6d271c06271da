#!/usr/bin/env python3
# t7300-compat.py - calls every function of the interface that PyDarshan loads, with ctypes, on real logs
# SPDX-License-Identifier: BSD-3-Clause
"""t7300-compat.py LIBRARY LOG REFERENCE...

REFERENCE are texts of Darshan's own parser: what `darshan-parser --base` prints of the log, and where they are at hand,
of --total, of --file, of --perf, and of darshan-dxt-parser. Sums are made here from the base lines, too, by the
specification's rules. All structures are laid out here by the specification's numbers, not by our header.

With two references, base lines and traces, of whichever parser, only records are compared."""

import collections
import ctypes as c
import lzma
import os
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decode"))
import other_modules  # noqa: E402

INT, DOUBLE, UINT = c.c_int64, c.c_double, c.c_uint64
POSIX, MPIIO, H5F, H5D, NC_FILE, NC_VAR, BGQ, LUSTRE, STDIO, DXT_POSIX, DXT_MPIIO = range(1, 12)
MDHIM, APMPI, HEATMAP, DFS, DAOS = 12, 14, 15, 16, 17
NAMES = {POSIX: "POSIX", MPIIO: "MPI-IO", H5F: "H5F", H5D: "H5D", NC_FILE: "PNETCDF_FILE", NC_VAR: "PNETCDF_VAR",
         BGQ: "BG/Q", LUSTRE: "LUSTRE", STDIO: "STDIO", DXT_POSIX: "DXT_POSIX", DXT_MPIIO: "DXT_MPIIO", MDHIM: "MDHIM",
         13: "APXC", APMPI: "APMPI", HEATMAP: "HEATMAP", DFS: "DFS", DAOS: "DAOS"}
# module: stem of its arrays of names, integers, doubles, whether a file's id comes first, words at the end
LAYOUT = {POSIX: ("posix", 69, 17, 0, 0), MPIIO: ("mpiio", 51, 17, 0, 0), STDIO: ("stdio", 14, 15, 0, 0),
          H5F: ("h5f", 3, 5, 0, 0), H5D: ("h5d", 94, 17, 1, 0), NC_FILE: ("pnetcdf_file", 9, 8, 0, 0),
          NC_VAR: ("pnetcdf_var", 120, 17, 1, 0), BGQ: ("bgq", 11, 1, 0, 0), DFS: ("dfs", 52, 15, 0, 4),
          DAOS: ("daos", 64, 15, 0, 6)}
SUMMED = (POSIX, MPIIO, STDIO, DFS, DAOS)
KINDS = ("# total: ", "# read_", "# write_", "# unique: ", "# shared: ")
failures = []


def expect(got, want, what):
    if got != want:
        failures.append("%s: got %r, want %r" % (what, got, want))


class Job(c.Structure):
    _fields_ = [(n, INT) for n in "uid start start_ns end end_ns nprocs jobid".split()]
    _fields_ += [("metadata", c.c_char * 1024)]


class Mount(c.Structure):
    _fields_ = [("type", c.c_char * 3015), ("path", c.c_char * 3015)]


class Module(c.Structure):
    _fields_ = [("name", c.c_char_p), ("len", c.c_int), ("ver", c.c_int), ("idx", c.c_int), ("partial", c.c_int)]


class Name(c.Structure):
    _fields_ = [("id", UINT), ("name", c.c_void_p)]


class Component(c.Structure):
    _fields_ = [("counters", INT * 7), ("pool", c.c_char * 16)]


class Lustre(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("ncomps", INT), ("nstripes", INT), ("comps", c.POINTER(Component)),
                ("osts", c.POINTER(INT))]


class Heatmap(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("width", DOUBLE), ("nbins", INT), ("write", c.POINTER(INT)),
                ("read", c.POINTER(INT))]


class Mdhim(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("counters", INT * 5), ("fcounters", DOUBLE * 4)]


class ApmpiHeader(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("magic", INT), ("sync", c.c_uint32), ("unused", c.c_uint32),
                ("comm", DOUBLE), ("waits", DOUBLE)]


class Apmpi(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("counters", UINT * 396), ("fcounters", DOUBLE * 222),
                ("syncs", DOUBLE * 16), ("comm", DOUBLE), ("waits", DOUBLE), ("host", c.c_char * 128)]


class Dxt(c.Structure):
    _fields_ = [("id", UINT), ("rank", INT), ("shared", INT), ("host", c.c_char * 64), ("nwrites", INT),
                ("nreads", INT)]


class Segment(c.Structure):
    _fields_ = [("offset", INT), ("length", INT), ("start", DOUBLE), ("end", DOUBLE), ("thread", UINT)]


class Category(c.Structure):
    _fields_ = [(n, INT) for n in (
        "count", "total_read_volume_bytes", "total_write_volume_bytes", "max_read_volume_bytes",
        "max_write_volume_bytes", "total_max_offset_bytes", "max_offset_bytes", "nprocs")]


class Metrics(c.Structure):
    _fields_ = [("total_bytes", INT), ("unique_io_total_time_by_slowest", DOUBLE),
                ("unique_rw_only_time_by_slowest", DOUBLE), ("unique_md_only_time_by_slowest", DOUBLE),
                ("unique_io_slowest_rank", c.c_int), ("shared_io_total_time_by_slowest", DOUBLE),
                ("agg_perf_by_slowest", DOUBLE), ("agg_time_by_slowest", DOUBLE), ("category_counters", Category * 7)]


def check_layout():
    """The places of the specification, which what is checked below is read at."""
    expect((c.sizeof(Category), c.sizeof(Metrics)), (64, 512), "sizes")
    expect([getattr(Category, name).offset for name, _ in Category._fields_], list(range(0, 64, 8)), "places in a kind")
    expect([getattr(Metrics, name).offset for name, _ in Metrics._fields_], list(range(0, 72, 8)), "places in the sums")


def record_type(module):
    _, ints, doubles, owner, words = LAYOUT[module]
    fields = [("id", UINT), ("rank", INT)] + [("owner", UINT)] * owner
    fields += [("counters", INT * ints), ("fcounters", DOUBLE * doubles)] + [("tail", UINT * words)] * (words > 0)
    return type("Record", (c.Structure,), {"_fields_": fields})


def load(path):
    lib = c.CDLL(path)
    pointer, integer = c.POINTER, c.POINTER(c.c_int)
    lib.darshan_log_get_lib_version.restype = c.c_char_p
    lib.darshan_log_open.restype = c.c_void_p
    lib.darshan_log_get_error.restype = c.c_char_p
    for name, args in {
            "log_open": [c.c_char_p], "log_close": [c.c_void_p], "log_get_error": [c.c_void_p],
            "log_get_job": [c.c_void_p, pointer(Job)], "log_get_job_runtime": [c.c_void_p, Job, pointer(DOUBLE)],
            "log_get_exe": [c.c_void_p, c.c_char_p],
            "log_get_mounts": [c.c_void_p, pointer(pointer(Mount)), integer],
            "log_get_modules": [c.c_void_p, pointer(pointer(Module)), integer],
            "log_get_name_records": [c.c_void_p, pointer(pointer(Name)), integer],
            "log_get_filtered_name_records": [c.c_void_p, pointer(pointer(Name)), integer, pointer(UINT), c.c_int],
            "log_get_namehash": [c.c_void_p, pointer(c.c_void_p)],
            "log_get_record": [c.c_void_p, c.c_int, pointer(c.c_void_p)], "free": [c.c_void_p],
            "accumulator_create": [c.c_int, INT, pointer(c.c_void_p)],
            "accumulator_inject": [c.c_void_p, c.c_void_p, c.c_int],
            "accumulator_emit": [c.c_void_p, pointer(Metrics), c.c_void_p],
            "accumulator_destroy": [c.c_void_p]}.items():
        getattr(lib, "darshan_" + name).argtypes = args
    return lib


def strings(lib, symbol, end):
    """The array of names, up to the one that ends it."""
    array = (c.c_char_p * 1000).in_dll(lib, symbol)
    names = []
    while array[len(names)].decode() != end:
        names.append(array[len(names)].decode())
    return names


def counter_names(lib, module):
    stem = LAYOUT[module][0]
    return (strings(lib, stem + "_counter_names", stem.upper() + "_NUM_INDICES"),
            strings(lib, stem + "_f_counter_names", stem.upper() + "_F_NUM_INDICES"))


def array_of(lib, kind, function, *arguments):
    array, n = c.POINTER(kind)(), c.c_int(-1)
    getattr(lib, "darshan_log_get_" + function)(arguments[0], c.byref(array), c.byref(n), *arguments[1:])
    return array, n.value


def names_of(lib, log, *ids):
    if ids:
        array, n = array_of(lib, Name, "filtered_name_records", log, (UINT * len(ids))(*ids), len(ids))
    else:
        array, n = array_of(lib, Name, "name_records", log)
    names = {array[i].id: c.string_at(array[i].name).decode(errors="surrogateescape") for i in range(n)}
    for i in range(n):
        lib.darshan_free(array[i].name)
    lib.darshan_free(array)
    return names


def records_of(lib, log, module):
    """Each record's bytes; its memory is freed once the caller has had a look."""
    buf = c.c_void_p()
    while True:
        rc = lib.darshan_log_get_record(log, module, c.byref(buf))
        if rc < 1:
            expect(rc, 0, "end of the records of " + NAMES[module])
            return
        yield buf.value
        lib.darshan_free(buf)


# -- each module's record as {counter: text} ---------------------------------------------------------------------------

def plain_counters(lib, module, address):
    ints, doubles = counter_names(lib, module)
    record = record_type(module).from_address(address)
    text = {}
    for name, value in zip(ints, record.counters):
        text[name] = str(value % (1 << 64) if name == "POSIX_RENAMED_FROM" else value)
    text.update((name, "%f" % value) for name, value in zip(doubles, record.fcounters))
    if LAYOUT[module][3]:
        text[LAYOUT[module][0].upper() + "_FILE_REC_ID"] = str(record.owner)
    return record, text


def lustre_counters(lib, address):
    names = strings(lib, "lustre_comp_counter_names", "LUSTRE_COMP_NUM_INDICES")
    expect(len(names), 7, "numbers of a component")
    record = Lustre.from_address(address)
    text = {"LUSTRE_NUM_COMPONENTS": str(record.ncomps), "LUSTRE_NUM_STRIPES": str(record.nstripes)}
    at = 0
    for i in range(record.ncomps):
        comp = record.comps[i]
        stem = "LUSTRE_COMP%d" % (i + 1)
        for name, value in zip(names, comp.counters):
            if name not in ("LUSTRE_COMP_STRIPE_PATTERN", "LUSTRE_COMP_FLAGS"):
                text[stem + name[11:]] = str(value)
        text[stem + "_POOL_NAME"] = comp.pool.decode() or "N/A"
        for k in range(comp.counters[1]):
            text["%s_OST_ID_%d" % (stem, k)] = str(record.osts[at + k])
        at += comp.counters[1]
    return record, text


def heatmap_counters(address):
    record = Heatmap.from_address(address)
    text = {"HEATMAP_F_BIN_WIDTH_SECONDS": "%f" % record.width}
    for i in range(record.nbins):
        text["HEATMAP_READ_BIN_%d" % i] = str(record.read[i])
        text["HEATMAP_WRITE_BIN_%d" % i] = str(record.write[i])
    return record, text


def mdhim_counters(address):
    record = Mdhim.from_address(address)
    text = dict(zip(other_modules.MDHIM_INTS, map(str, record.counters)))
    text.update((name, "%f" % value) for name, value in zip(other_modules.MDHIM_FLOATS, record.fcounters))
    servers = (INT * record.counters[4]).from_address(address + c.sizeof(Mdhim))
    text.update(("MDHIM_SERVER_%d" % i, str(value)) for i, value in enumerate(servers))
    return record, text


def apmpi_counters(address):
    """The header tells whether the records have times of waiting."""
    header = ApmpiHeader.from_address(address)
    if header.magic == other_modules.APMPI_MAGIC:
        apmpi_counters.sync = header.sync
        text = {"MPI_TOTAL_COMM_TIME_VARIANCE": "%f" % header.comm}
        return header, dict(text, MPI_TOTAL_COMM_SYNC_TIME_VARIANCE="%f" % header.waits) if header.sync else text
    record = Apmpi.from_address(address)
    text = dict(zip(other_modules.APMPI_INTS, map(str, record.counters)))
    text.update((name, "%f" % value) for name, value in zip(other_modules.APMPI_FLOATS, record.fcounters))
    text.update(MPI_PROCESSOR_NAME=record.host.decode(), MPI_TOTAL_COMM_TIME="%f" % record.comm)
    if apmpi_counters.sync:
        text.update((name, "%f" % value) for name, value in zip(other_modules.APMPI_SYNC, record.syncs))
        text["MPI_TOTAL_COMM_SYNC_TIME"] = "%f" % record.waits
    return record, text


def counters(lib, module, address):
    if module == MDHIM:
        return mdhim_counters(address)
    if module == APMPI:
        return apmpi_counters(address)
    if module == LUSTRE:
        return lustre_counters(lib, address)
    if module == HEATMAP:
        return heatmap_counters(address)
    return plain_counters(lib, module, address)


# -- references --------------------------------------------------------------------------------------------------------

def read_lines(path):
    with lzma.open(path) if path.endswith(".xz") else open(path, "rb") as f:
        return f.read().decode(errors="surrogateescape").split("\n")


def reference_records(lines):
    """{module: [(rank, id, {counter: text}, name)]} of base lines."""
    found = collections.defaultdict(list)
    for line in lines:
        field = line.split("\t")
        if line.startswith("#") or len(field) < 8:
            continue
        module, rank, ident, counter, value = field[:5]
        records = found[module]
        if not records or records[-1][:2] != (int(rank), int(ident)) or counter in records[-1][2]:
            records.append((int(rank), int(ident), {}, "\t".join(field[5:-2])))
        records[-1][2][counter] = value
    return found


def facts(lines):
    """The comment lines "# key: value" of the head."""
    found = {}
    for line in lines:
        if line.startswith("# ") and ": " in line:
            key, value = line[2:].split(": ", 1)
            found.setdefault(key, value)
    return found


# -- what is compared --------------------------------------------------------------------------------------------------

def check_head(lib, log, fact, lines):
    job, runtime, exe = Job(), DOUBLE(), c.create_string_buffer(4096)
    expect(c.string_at(log, 8).rstrip(b"\0").decode(), fact["darshan log version"], "version in the handle")
    expect(lib.darshan_log_get_job(log, c.byref(job)), 0, "get_job")
    for key, value in (("uid", job.uid), ("jobid", job.jobid), ("start_time", job.start), ("end_time", job.end),
                       ("nprocs", job.nprocs)):
        expect(str(value), fact[key], key)
    expect(lib.darshan_log_get_job_runtime(log, job, c.byref(runtime)), 0, "get_job_runtime")
    expect("%.4f" % runtime.value, fact["run time"], "run time")
    expect(lib.darshan_log_get_exe(log, exe), 0, "get_exe")
    expect(exe.value.decode(errors="surrogateescape"), fact["exe"], "exe")
    metadata = ["# metadata: " + m.decode().replace("=", " = ", 1) for m in job.metadata.split(b"\n") if b"=" in m]
    expect(metadata, [line for line in lines if line.startswith("# metadata: ")], "metadata")
    array, n = array_of(lib, Mount, "mounts", log)
    mounts = ["# mount entry:\t%s\t%s" % (array[i].path.decode(), array[i].type.decode()) for i in range(n)]
    expect(mounts, [line for line in lines if line.startswith("# mount entry:")], "mounts")
    lib.darshan_free(array)


def check_modules(lib, log, fact):
    array, n = array_of(lib, Module, "modules", log)
    modules = [(array[i].idx, array[i].ver, array[i].partial) for i in range(n)]
    for i in range(n):
        expect(array[i].name.decode(), NAMES[array[i].idx], "name of a module")
        expect("%d bytes (compressed), ver=%d" % (array[i].len, array[i].ver),
               fact.get("%s module" % NAMES[array[i].idx]), "length and version of " + NAMES[array[i].idx])
    lib.darshan_free(array)
    return modules


def check_names(lib, log, records):
    names = names_of(lib, log)
    for module in records:
        for _, ident, _, name in records[module]:
            if module not in ("APMPI", "DAOS", "BG/Q"):
                expect(names.get(ident, "(null)"), name, "name of %d" % ident)
    some = sorted(names)[:3]
    expect(names_of(lib, log, *(some + [12345])), {i: names[i] for i in some}, "filtered names")
    expect(names_of(lib, log, 12345), {}, "no names")


def check_records(lib, log, module, want):
    n = 0
    for address in records_of(lib, log, module):
        if n == len(want):
            failures.append("%s: more than the %d records of the reference" % (NAMES[module], n))
            break
        record, text = counters(lib, module, address)
        rank, ident, reference, _ = want[n]
        expect((record.rank, record.id), (rank, ident), "record %d of %s" % (n, NAMES[module]))
        reference = {k: v for k, v in reference.items() if not k.endswith(("_PATTERN", "_FLAGS"))}
        for name in set(text) | set(reference):
            expect(text.get(name), reference.get(name), "record %d of %s, %s" % (n, NAMES[module], name))
        n += 1
    else:
        expect(n, len(want), "records of " + NAMES[module])


# -- sums --------------------------------------------------------------------------------------------------------------

def role(reference, *suffixes):
    return sum((float if "_F_" in k else int)(v) for k, v in reference.items() if k.endswith(suffixes))


def files_of(records):
    """Spec parser-output.md 4: what each file came to, then the seven kinds."""
    files = collections.OrderedDict()
    for rank, ident, ref, _ in records:
        f = files.setdefault(ident, [0, 0, 0, 0, set()])
        f[0] += role(ref, "_BYTES_READ")
        f[1] += role(ref, "_BYTES_WRITTEN")
        reach = max([int(v) for k, v in ref.items() if k.endswith(("_MAX_BYTE_READ", "_MAX_BYTE_WRITTEN"))] or [-1])
        f[2] = -1 if reach == -1 else max(f[2], reach)
        f[3] = -1 if rank == -1 else f[3] + 1
        f[4].add(rank)
    tests = (lambda r, w, p: True, lambda r, w, p: r > 0 and w == 0, lambda r, w, p: w > 0 and r == 0,
             lambda r, w, p: r > 0 and w > 0, lambda r, w, p: p == 1, lambda r, w, p: p == -1,
             lambda r, w, p: p not in (1, -1))
    kinds = []
    for test in tests:
        kind = [f for f in files.values() if test(f[0], f[1], f[3])]
        most = 0
        for f in kind:
            most = -1 if f[2] == -1 else max(most, f[2])
        ranks = set().union(*[f[4] for f in kind])
        kinds.append((len(kind), sum(f[0] for f in kind), sum(f[1] for f in kind),
                      max([0] + [f[0] for f in kind]), max([0] + [f[1] for f in kind]),
                      -1 if -1 in [f[2] for f in kind] else sum(f[2] for f in kind), most,
                      -1 if -1 in ranks else len(ranks)))
    return kinds


def file_lines(metrics):
    kinds = [[k.count, k.total_read_volume_bytes + k.total_write_volume_bytes, k.max_offset_bytes]
             for k in metrics.category_counters]
    kinds[5] = [a + b for a, b in zip(kinds[5], kinds[6])]
    labels = ("total", "read_only", "write_only", "read_write", "unique", "shared")
    return ["# %s: %d %d %d" % (label, *kind) for label, kind in zip(labels, kinds)]


def perf_lines(m):
    return ["# total_bytes: %d" % m.total_bytes,
            "# unique files: slowest_rank_io_time: %f" % m.unique_io_total_time_by_slowest,
            "# unique files: slowest_rank_meta_only_time: %f" % m.unique_md_only_time_by_slowest,
            "# unique files: slowest_rank_rw_only_time: %f" % m.unique_rw_only_time_by_slowest,
            "# unique files: slowest_rank: %d" % m.unique_io_slowest_rank,
            "# shared files: time_by_slowest: %f" % m.shared_io_total_time_by_slowest,
            "# agg_time_by_slowest: %f # seconds" % m.agg_time_by_slowest,
            "# agg_perf_by_slowest: %f # MiB/s" % m.agg_perf_by_slowest]


def check_sums(lib, path, module, want):
    """Returns the metrics and the totals as the parser prints them."""
    log = lib.darshan_log_open(path.encode())
    size = c.sizeof(record_type(module))
    packed = b"".join(c.string_at(address, size) for address in records_of(lib, log, module))
    lib.darshan_log_close(log)
    room = c.create_string_buffer(b"\xa5" * 600)
    acc, metrics, summary = c.c_void_p(), Metrics.from_buffer(room), c.create_string_buffer(size)
    expect(lib.darshan_accumulator_create(module, 4, c.byref(acc)), 0, "create")
    n = len(packed) // size
    odd = c.create_string_buffer(b"x" + packed)  # not aligned
    expect(lib.darshan_accumulator_inject(acc, c.addressof(odd) + 1, n // 2), 0, "inject")
    expect(lib.darshan_accumulator_inject(acc, c.addressof(odd) + 1 + n // 2 * size, n - n // 2), 0, "inject")
    expect(lib.darshan_accumulator_emit(acc, c.byref(metrics), summary), 0, "emit")
    expect(lib.darshan_accumulator_destroy(acc), 0, "destroy")
    expect(room.raw[512:600], b"\xa5" * 88, "what lies behind the sums")
    for i, kind in enumerate(files_of(want)):
        got = metrics.category_counters[i]
        expect(tuple(getattr(got, name) for name, _ in Category._fields_), kind, "%s, kind %d" % (NAMES[module], i))
    expect(metrics.total_bytes, sum(role(r[2], "_BYTES_READ", "_BYTES_WRITTEN") for r in want), NAMES[module] + " bytes")
    _, text = plain_counters(lib, module, c.addressof(summary))
    return metrics, text


def check_dxt(lib, log, module, lines):
    """Heads, numbers and segments against darshan-dxt-parser's output."""
    want, inside = [], False
    for line in lines:
        if line.startswith("# ") and line.endswith(" module data"):
            inside = line == "# %s module data" % NAMES[module]
        elif inside and line.startswith("# DXT, file_id: "):
            want.append(line.split(",")[1].split()[1])
        elif inside and line.startswith(("# DXT, rank: ", "# DXT, write_count: ")):
            want.append(line)
        elif inside and line.strip().startswith("X_"):
            want.append(" ".join(line.split()[1:8]))
    got = []
    for address in records_of(lib, log, module):
        record = Dxt.from_address(address)
        got += [str(record.id), "# DXT, rank: %d, hostname: %s" % (record.rank, record.host.decode()),
                "# DXT, write_count: %d, read_count: %d" % (record.nwrites, record.nreads)]
        segments = (Segment * (record.nwrites + record.nreads)).from_address(address + c.sizeof(Dxt))
        for i, s in enumerate(segments):
            write = i < record.nwrites
            number = i if write else i - record.nwrites
            got.append("%d %s %d %d %d %.4f %.4f" % (record.rank, "write" if write else "read", number, s.offset,
                                                     s.length, s.start, s.end))
    expect(len(got), len(want), "lines of " + NAMES[module])
    for a, b in zip(got, want):
        expect(a.replace("-1 ", "N/A ") if "N/A" in b else a, b, NAMES[module])


def read_all(lib, path):
    """Bytes of all records of the modules that are of one size, and how each module's reading ended."""
    log = lib.darshan_log_open(path.encode())
    found, ends = [], []
    for module in LAYOUT:
        buf, rc = c.c_void_p(), 1
        while rc >= 1:
            rc = lib.darshan_log_get_record(log, module, c.byref(buf))
            if rc >= 1:
                found.append((module, c.string_at(buf.value, c.sizeof(record_type(module)))))
                lib.darshan_free(buf)
        ends.append(rc)
        if rc < 0:
            expect(lib.darshan_log_get_error(log) not in (b"no error", b""), True, "an error has a text")
    lib.darshan_log_close(log)
    return found, ends


def check_threads(lib, path):
    """Handles are independent: several threads read at once what one reads alone."""
    alone, results = read_all(lib, path), [None] * 4

    def work(i):
        results[i] = [read_all(lib, path) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect([r == alone for result in results for r in result], [True] * 20, "four threads at once")


def check_damage(lib, path):
    """Of a log that is cut off, everything up to there comes, then an error."""
    with open(path, "rb") as whole, tempfile.NamedTemporaryFile() as cut:
        data = whole.read()
        alone, _ = read_all(lib, path)
        for length in (len(data) - 1, len(data) - 40, len(data) * 3 // 4):
            cut.seek(0)
            cut.truncate()
            cut.write(data[:length])
            cut.flush()
            log = lib.darshan_log_open(cut.name.encode())
            lib.darshan_log_close(log)
            if not log:
                continue
            found, ends = read_all(lib, cut.name)
            expect(all(record in alone for record in found), True, "records of a log of %d bytes" % length)
            expect(len(found) == len(alone) or -1 in ends, True, "a log of %d bytes: an error" % length)


def check_refusals(lib):
    acc, buf = c.c_void_p(1), c.c_void_p(1)
    expect(lib.darshan_log_get_lib_version(), b"3.5.0", "library version")
    for module in (0, H5F, LUSTRE, HEATMAP, DXT_POSIX, 18, 64, -1):
        expect((lib.darshan_accumulator_create(module, 4, c.byref(acc)) != 0, acc.value), (True, None),
               "no sums of module %d" % module)
    for path in (b"no such file", b"/", __file__.encode()):
        expect(lib.darshan_log_open(path), None, "opening %r" % path)
    return buf


def call_without_log(lib, log):
    """What every function says of no log, or, of one, with nowhere to put what it says."""
    job, runtime, text, n, record = Job(), DOUBLE(1), c.create_string_buffer(b"x", 4096), c.c_int(7), c.c_void_p(1)
    mounts, modules, names = c.pointer(Mount()), c.pointer(Module()), c.pointer(Name())
    ids, none = (UINT * 1)(1), log is None
    expect(lib.darshan_log_get_job(log, c.byref(job) if none else None), -1, "job")
    expect(lib.darshan_log_get_job_runtime(log, job, c.byref(runtime) if none else None), -1, "runtime")
    expect(lib.darshan_log_get_exe(log, text if none else None), -1, "exe")
    expect(lib.darshan_log_get_mounts(log, c.byref(mounts) if none else None, c.byref(n)), -1, "mounts")
    expect(n.value, 0, "number of mounts")
    for i, call in enumerate((lib.darshan_log_get_modules, lib.darshan_log_get_name_records)):
        n = c.c_int(7)
        call(log, c.byref((modules, names)[i]) if none else None, c.byref(n))
        expect(n.value, 0, "number of elements")
        call(log, c.byref((modules, names)[i]), None)
    n = c.c_int(7)
    lib.darshan_log_get_filtered_name_records(log, c.byref(names) if none else None, c.byref(n), ids, 1)
    expect(n.value, 0, "number of filtered names")
    expect(lib.darshan_log_get_namehash(log, c.byref(record)), -1, "hash table")
    expect(record.value, None, "a hash table")
    record = c.c_void_p(1)
    for module in (0, POSIX, LUSTRE, DXT_POSIX, 99, -1):
        expect(lib.darshan_log_get_record(log, module, c.byref(record) if none else None), -1, "record")
    if none:
        expect((runtime.value, text.value, record.value), (0.0, b"", None), "what is set")
        expect([bool(p) for p in (mounts, modules, names)], [False] * 3, "arrays")
        expect(lib.darshan_log_get_error(None) != b"", True, "text of an error")


def check_nothing(lib, path):
    """A log that could not be opened is NULL, and consumers go on to call the other functions with it."""
    log, acc, n, names = lib.darshan_log_open(path.encode()), c.c_void_p(), c.c_int(7), c.POINTER(Name)()
    expect(lib.darshan_log_open(None), None, "no name")
    call_without_log(lib, None)
    call_without_log(lib, log)
    lib.darshan_log_get_filtered_name_records(log, c.byref(names), c.byref(n), None, 5)
    expect(n.value, 0, "names without ids")
    lib.darshan_free(names)
    lib.darshan_log_close(log)
    lib.darshan_log_close(None)
    lib.darshan_free(None)
    expect(lib.darshan_accumulator_create(POSIX, 4, None), -1, "accumulator nowhere")
    expect(lib.darshan_accumulator_inject(None, c.byref(n), 1), -1, "injected nowhere")
    expect(lib.darshan_accumulator_emit(None, c.byref(Metrics()), None), -1, "emitted from nothing")
    expect(lib.darshan_accumulator_destroy(None), 0, "nothing destroyed")
    expect(lib.darshan_accumulator_create(POSIX, 4, c.byref(acc)), 0, "create")
    expect(lib.darshan_accumulator_inject(acc, None, 1), -1, "no records")
    expect(lib.darshan_accumulator_inject(acc, None, 0), 0, "none injected")
    metrics = Metrics()
    expect(lib.darshan_accumulator_emit(acc, c.byref(metrics), None), 0, "emit")
    expect(bytes(metrics), bytes(512), "the sums of nothing")
    expect(lib.darshan_accumulator_emit(acc, None, None), 0, "emit, nothing wanted")
    lib.darshan_accumulator_destroy(acc)


def check_log(lib, path, base, others):
    lines = read_lines(base)
    records, fact = reference_records(lines), facts(lines)
    log = lib.darshan_log_open(path.encode())
    if not log:
        return failures.append("cannot be opened")
    check_head(lib, log, fact, lines)
    check_names(lib, log, records)
    modules = check_modules(lib, log, fact)
    for module, _, _ in modules:
        if module in LAYOUT or module in (LUSTRE, HEATMAP, MDHIM, APMPI):
            for _ in range(2):  # once read, it can be read again
                check_records(lib, log, module, records[NAMES[module]])
        elif module in (DXT_POSIX, DXT_MPIIO) and others:
            check_dxt(lib, log, module, read_lines(others[-1]))
    for module in (0, 13, 18, 64, -1):
        expect(lib.darshan_log_get_record(log, module, c.byref(c.c_void_p())) < 1, True, "no module %d" % module)
    lib.darshan_log_close(log)
    if len(others) == 1:
        return
    ours = []
    for module in [m for m, _, partial in modules if m in SUMMED and not partial]:
        ours.append(check_sums(lib, path, module, records[NAMES[module]]))
    if others and not any(partial for _, _, partial in modules):
        check_summaries(ours, *[read_lines(other) for other in others[:3]])


def check_summaries(ours, total, kinds, perf):
    expect([line for metrics, _ in ours for line in file_lines(metrics)],
           [line for line in kinds if line.startswith(KINDS)], "--file")
    keys = tuple(line.split(":")[0] for line in perf_lines(Metrics()))
    expect([line for metrics, _ in ours for line in perf_lines(metrics)],
           [line for line in perf if line.startswith(keys) and ":" in line and len(line.split(":")[-1]) > 1 and
            "timing" not in line], "--perf")
    signed = {k: v for _, text in ours for k, v in text.items()}
    for line in total:
        if line.startswith("total_") and ": " in line:
            name, value = line[6:].split(": ")
            got = signed.get(name)
            if name == "POSIX_RENAMED_FROM":  # printed signed in totals
                got = str(c.c_int64(int(got)).value)
            expect(got, value, "--total, " + name)


def main():
    lib = load(sys.argv[1])
    check_layout()
    check_refusals(lib)
    check_nothing(lib, sys.argv[2])
    check_log(lib, sys.argv[2], sys.argv[3], sys.argv[4:])
    check_threads(lib, sys.argv[2])
    check_damage(lib, sys.argv[2])
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
