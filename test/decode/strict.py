# strict.py - requirements on logs written by our runtime beyond being readable
# SPDX-License-Identifier: BSD-3-Clause
"""check(log, path) returns a list of sentences, one for each rule that the log breaks."""

import os
import re
import stat

import counters
from darshan_log import lookup8

SPECIAL = {"F_FASTEST_RANK_TIME", "F_SLOWEST_RANK_TIME", "F_VARIANCE_RANK_TIME", "F_VARIANCE_RANK_BYTES"}


def check(log, path):
    found = []
    for rule in (_mode, _header, _regions, _streams, _names, _order, _records, _io_libraries, _extension, _files, _mapped, _cufile, _phases, _sites, _heat,
                 _traces):
        found += rule(log, path)
    return found


def _mode(_, path):
    mode = stat.S_IMODE(os.stat(path).st_mode)
    return [] if mode == 0o400 else ["mode is %04o, not 0400" % mode]


def _header(log, _):
    if log.version != "3.41" or log.compression != "ZLIB":
        yield "version %s, compression %s" % (log.version, log.compression)
    if any(log.padding):
        yield "header padding is not zero"
    for number, region in log.modules.items():
        newest = counters.MODULES.get(number, (0, region.version))[1]
        if region.version != newest:
            yield "module %s has version %d" % (region.name, region.version)
    unused = [n for n in range(64) if log.partial >> n & 1 and n not in log.modules]
    if unused:
        yield "partial bits of modules that are not there: %s" % unused


def _regions(log, _):
    at = log.header_size
    for region in [log.job_region, log.name_region] + [log.modules[n] for n in sorted(log.modules)]:
        if region.off != at:
            yield "region %s begins at %d, not at %d" % (region.name, region.off, at)
        at = region.off + region.length
    for name, _, off, stored in log.extension_parts:
        if off != at:
            yield "extension part %s begins at %d, not at %d" % (name, off, at)
        at = off + stored
    end = log.extension_directory if log.extension_parts else len(log.data)
    if end != at:
        yield "%d bytes after the last region" % (end - at)
    if not log.job_text.endswith(b"\0"):
        yield "no NUL after the mount table"
    if len(b"".join(log.job_region.streams)) > 4096:
        yield "job region of more than 4096 bytes"


def _streams(log, _):
    for region in [log.job_region, log.name_region] + list(log.modules.values()):
        if not region.complete:
            yield "region %s: its last stream has no end" % region.name
        if any(not stream for stream in region.streams):
            yield "region %s: an empty stream" % region.name
        for stream in region.streams:
            if hasattr(region, "record_size") and len(stream) % region.record_size:
                yield "region %s: a stream ends inside a record" % region.name


def _names(log, _):
    shared = {r["id"] for r in log.records if r["rank"] == -1}
    objects = {r["id"] for _, records in log.others for r in records if r["object"]}
    seen = {}
    for number, name, stream in log.name_entries:
        if number not in objects and lookup8(name.encode("utf-8", "surrogateescape")) != number:
            yield "id %d is not the hash of its name %s" % (number, name)
        if number in seen and (number in shared or stream in seen[number]):
            yield "name %s stands there more than once" % name
        seen.setdefault(number, set()).add(stream)
        if number in shared and stream != 0:
            yield "name %s of a shared record is not in rank 0's stream" % name
    for record in log.records:
        if record["name"] is None:
            yield "%s record %d has no name" % (record["module"], record["id"])


def _order(log, _):
    """Records stand in the order of ranks, the shared ones behind rank 0's own; each rank's sorted once any is shared."""
    for number in counters.MODULES:
        name = counters.MODULES[number][0]
        records = [r for r in log.records if r["module"] == name]
        reduced = any(r["rank"] == -1 for r in records)
        owners = [(max(r["rank"], 0), r["rank"] == -1) for r in records]
        if owners != sorted(owners) or owners and owners[-1][0] >= log.job["nprocs"]:
            yield "%s: records of ranks %s, in this order" % (name, [r["rank"] for r in records])
        for owner in sorted({rank for rank, _ in owners}):
            keys = [(-r["rank"], r["id"]) for r in records if max(r["rank"], 0) == owner]
            if reduced and keys != sorted(keys) or len(set(keys)) != len(keys):
                yield "%s: rank %d's records are not sorted by rank descending, id ascending" % (name, owner)


def _records(log, _):
    for record in log.records:
        values = record["counters"]
        where = "%s %d %s" % (record["module"], record["rank"], record["name"])
        for what in _times(values, log.job["run_time"]):
            yield "%s: %s" % (where, what)
        if record["rank"] >= 0:
            for name, value in values.items():
                if value and any(name.endswith(s) for s in ("RANK", "RANK_BYTES", "RANK_TIME")):
                    yield "%s: %s is %s in a record of one rank" % (where, name, value)
        for what in _sums(record["module"], values):
            yield "%s: %s" % (where, what)


def _times(values, run_time):
    for name, value in values.items():
        if "_F_" not in name:
            continue
        if value < 0 or value != value:
            yield "%s is %r" % (name, value)
        # ranks start at different moments, so a little more than the run time may be true
        if name.endswith("_TIMESTAMP") and value > run_time + 1:
            yield "%s is %r in a run of %r s" % (name, value, run_time)
        if name.endswith("_START_TIMESTAMP"):
            end = name.replace("_START_", "_END_")
            if values[end] < value or (value == 0) != (values[end] == 0):
                yield "%s is %r, but %s is %r" % (name, value, end, values[end])
    for name, value in values.items():
        if "_F_MAX_" in name and value > values[name.replace("_MAX_", "_")] * (1 + 1e-9):
            yield "%s is %r, more than all such calls together" % (name, value)


def _sums(module, values):
    """Counters that must agree with one another."""
    if module == "STDIO":
        return
    prefix, agg = ("POSIX_", "") if module == "POSIX" else ("MPIIO_", "AGG_")
    for way in ("READ", "WRITE"):
        calls = values["POSIX_%sS" % way] if not agg else sum(
            values["MPIIO_%s_%sS" % (kind, way)] for kind in ("INDEP", "COLL", "SPLIT", "NB"))
        counted = sum(values[n] for n in counters.bins("%sSIZE_%s%s" % (prefix, way, agg and "_AGG")))
        if calls != counted:
            yield "%d %s calls, but %d in the size histogram" % (calls, way.lower(), counted)
        if not agg and not values["POSIX_CONSEC_%sS" % way] <= values["POSIX_SEQ_%sS" % way] <= calls:
            yield "consecutive, sequential and all %s calls do not fit each other" % way.lower()
    for kind, value in (("ACCESS", "ACCESS"), ("STRIDE", "STRIDE")):
        if prefix + kind + "1_COUNT" not in values:
            continue
        pairs = [(values["%s%s%d_COUNT" % (prefix, kind, i)], values["%s%s%d_%s" % (prefix, kind, i, value)])
                 for i in (1, 2, 3, 4)]
        if pairs != sorted(pairs, reverse=True):
            yield "common %s values are not in order: %s" % (kind.lower(), pairs)


# by module: the counters of operations, by way
_OPS = {"H5D": {"READ": ["H5D_READS"], "WRITE": ["H5D_WRITES"]},
        "PNETCDF_VAR": {way: ["PNETCDF_VAR_%s_%sS" % (kind, way) for kind in ("INDEP", "COLL", "NB")]
                        for way in ("READ", "WRITE")},
        "DFS": {"READ": ["DFS_READS", "DFS_READXS"], "WRITE": ["DFS_WRITES", "DFS_WRITEXS"]},
        "DAOS": {"READ": ["DAOS_OBJ_FETCHES", "DAOS_ARRAY_READS", "DAOS_KV_GETS"],
                 "WRITE": ["DAOS_OBJ_UPDATES", "DAOS_ARRAY_WRITES", "DAOS_KV_PUTS"]}}


def _io_libraries(log, _):
    """The records of HDF5 and PnetCDF."""
    for _, records in log.others:
        for record in records:
            module, values = record["module"], record["counters"]
            if module not in ("H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS"):
                continue
            where = "%s %d %s" % (module, record["rank"], record["name"])
            if record["name"] is None:
                yield "%s record %d has no name" % (module, record["id"])
            for what in _times(values, log.job["run_time"]):
                yield "%s: %s" % (where, what)
            # an object's id is made of its container's UUID and its own id, not of its pool's UUID
            if module == "DAOS" and lookup8(bytes(16) + record["object"][16:32] + record["object"][40:] + record["object"][32:40]) != record["id"]:
                yield "%s: %d is not the id of this object" % (where, record["id"])
            for way, ops in _OPS.get(module, {}).items():
                calls = sum(values[n] for n in ops)
                agg = "" if record["object"] else "_AGG"
                counted = sum(values[n] for n in counters.bins("%s_SIZE_%s%s" % (module, way, agg)))
                if calls != counted:
                    yield "%s: %d %s calls, but %d in the size histogram" % (where, calls, way.lower(), counted)


def _extension(log, _):
    if not log.extension_parts:
        return
    nodes, ranks = log.extension.get("nodes", []), log.extension.get("ranks", [])
    if len(ranks) != log.job["nprocs"] or [r["rank"] for r in ranks] != list(range(len(ranks))):
        yield "extension: %d ranks of %d, or out of order" % (len(ranks), log.job["nprocs"])
    if any(not 0 <= r["RANK_NODE"] < len(nodes) for r in ranks):
        yield "extension: a rank's node is not in the node list"
    if dict(log.metadata).get("nnodes") != str(len(nodes)):
        yield "extension: %d nodes, but the metadata says %s" % (len(nodes), dict(log.metadata).get("nnodes"))
    everything = log.records + [r for _, records in log.others for r in records]
    for counter, parts in (("RANK_BYTES_READ", ("POSIX_BYTES_READ", "STDIO_BYTES_READ", "DFS_BYTES_READ")),
                           ("RANK_BYTES_WRITTEN", ("POSIX_BYTES_WRITTEN", "STDIO_BYTES_WRITTEN", "DFS_BYTES_WRITTEN"))):
        total = sum(r["counters"].get(p, 0) for r in everything for p in parts)
        total += sum(row["CUFILE_%s_%s" % (how, counter[11:])] for row in log.extension.get("cufile", []) for how in ("BYTES", "QUEUED"))
        if total != sum(r[counter] for r in ranks):
            yield "extension: %s of all ranks is %d, of all records %d" % (
                counter, sum(r[counter] for r in ranks), total)


def _files(log, _):
    """What opens found is of opens; times apart are parts of the record's, all of them rounded to microseconds."""
    rows = {}
    for row in log.extension.get("files", []):
        rows[row["FILE_MODULE"], row["id"], row["rank"]] = row
    if len(rows) != len(log.extension.get("files", [])):
        yield "extension: a record has several rows in files"
    for record in log.records:
        row = rows.pop((record["module_id"], record["id"], record["rank"]), None)
        if not row:
            continue
        where = "extension: files: %s %s %s" % (record["module"], record["rank"], record["name"])
        value = lambda name: record["counters"][{1: "POSIX_", 2: "MPIIO_", 9: "STDIO_"}[record["module_id"]] + name]
        found = [row["FILE_" + n] for n in ("CREATED", "FOUND_EMPTY", "UNKNOWN")]
        is_kind = "/<" in (record["name"] or "")  # has what was found of files whose opens are in their own records
        if sum(found) > row["FILE_WRITE_OPENS"] or (record["module_id"] != 2 and not is_kind and row["FILE_WRITE_OPENS"] > value("OPENS")):
            yield "%s: found %s in %d opens for writing" % (where, found, row["FILE_WRITE_OPENS"])
        if row["FILE_F_OPEN_TIME"] + row["FILE_F_CLOSE_TIME"] > value("F_META_TIME") * (1 + 1e-6) + 2e-6:
            yield "%s: opens and closes take longer than metadata" % where
        if row["FILE_F_SYNC_TIME"] > value("F_WRITE_TIME") * (1 + 1e-6) + 2e-6:
            yield "%s: syncs take longer than writing" % where
    for module, ident, rank in rows:
        yield "extension: files: no record of module %d has id %d, rank %d" % (module, ident, rank)


def _phases(log, _):
    """What is called in phases is part of what is called at all; a phase of all ranks has no other row."""
    rows = log.extension.get("phases", [])
    shared = {p["id"] for p in rows if p["rank"] == -1}
    if len({(p["id"], p["rank"]) for p in rows}) != len(rows) or any(p["rank"] >= 0 and p["id"] in shared for p in rows):
        yield "extension: a phase has several rows of one rank"
    for layer in ("POSIX", "STDIO"):
        for counter in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
            inside = sum(p["PHASE_%s_%s" % (layer, counter)] for p in rows)
            total = sum(r["counters"].get("%s_%s" % (layer, counter), 0) for r in log.records)
            if inside > total:
                yield "extension: phases: %d %s_%s in all, of %d" % (inside, layer, counter, total)
    for p in rows:
        where = "extension: phases: %s of %d" % (p["name"], p["rank"])
        if not 0 < p["PHASE_F_LONGEST_TIME"] <= p["PHASE_F_TIME"] * (1 + 1e-6) + 1e-6:
            yield "%s: longest %g, in all %g" % (where, p["PHASE_F_LONGEST_TIME"], p["PHASE_F_TIME"])
        if p["PHASE_F_LONGEST_TIME"] > log.job["run_time"] + 0.01:
            yield "%s: a process was in it for %g of %g s" % (where, p["PHASE_F_LONGEST_TIME"], log.job["run_time"])
        if not any(value for name, value in p.items() if name.startswith("PHASE_WHEN")):
            yield "%s: never" % where


def _cufile(log, _):
    """A file has one row of a rank, or of all, and a name; parts are not more than the whole; each operation has a size."""
    rows = log.extension.get("cufile", [])
    if len({(row["id"], row["rank"]) for row in rows}) != len(rows):
        yield "extension: a file has several rows in cufile"
    for row in rows:
        where = "extension: cufile: %s %s" % (row["rank"], row["name"])
        if not row["name"]:
            yield "%s: it has no name" % where
        if any(value < 0 for name, value in row.items() if name.startswith("CUFILE_")):
            yield "%s: a value is negative" % where
        for kind, way, size in ("READS", "READ", "READ"), ("WRITES", "WRITTEN", "WRITE"):
            ops = sum(row["CUFILE_%s%s" % (how, kind)] for how in ("", "ASYNC_", "BATCH_", "COMPAT_"))
            if ops != sum(value for name, value in row.items() if name.startswith("CUFILE_SIZE_%s_" % size)):
                yield "%s: sizes of %s are not as many as there are" % (where, kind)
            if row["CUFILE_UNSEEN_" + way] > row["CUFILE_QUEUED_" + way] + row["CUFILE_COMPAT_QUEUED_" + way]:
                yield "%s: a part of bytes %s is more than all" % (where, way)
        if row["CUFILE_F_END"] < row["CUFILE_F_START"]:
            yield "%s: it ends before it begins" % where


def _sites(log, _):
    """Calls at places are calls that there are, as long as none is estimated; the text of each chain is there."""
    rows, stacks = log.extension.get("sites", []), log.extension.get("stacks", {})
    if len({(row["id"], row["rank"]) for row in rows}) != len(rows):
        yield "extension: a call site has several rows of one rank"
    for row in rows:
        calls = row["SITE_READS"] + row["SITE_WRITES"] + row["SITE_METAS"]
        if not -1 <= row["SITE_LAYER"] <= 6 or (row["SITE_LAYER"] == -1 and calls):
            yield "extension: sites: layer %d, %d calls" % (row["SITE_LAYER"], calls)
        if row["SITE_STACK"] and row["SITE_STACK"] not in stacks:
            yield "extension: sites: no text of %x" % row["SITE_STACK"]
        if row["SITE_FILE"] and row["SITE_FILE"] not in log.names:
            yield "extension: sites: no name of %x" % row["SITE_FILE"]
    for text in stacks.values():
        for line in text.splitlines():
            if not re.fullmatch(r"n/?[^\t]+\t[0-9a-f]*\t[0-9a-f]+( [0-9a-f]+)*|p[^\t]+\t\d+\t[^\t]+", line):
                yield "extension: stacks: %r" % line
    for layer, module in enumerate(("POSIX", "STDIO")):
        here = [row for row in rows if row["SITE_LAYER"] == layer]
        for counter in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
            inside = sum(row["SITE_" + counter] for row in here)
            total = sum(r["counters"].get("%s_%s" % (module, counter), 0) for r in log.records)
            exact = sum(row["SITE_LOOKED_AT"] for row in here) >= sum(row["SITE_READS"] + row["SITE_WRITES"] + row["SITE_METAS"] for row in here)
            if exact and inside > total:
                yield "extension: sites: %d %s_%s in all, of %d" % (inside, module, counter, total)


def _mapped(log, _):
    """A file has one row of a rank, or of all; bounds keep to each other."""
    rows = log.extension.get("mapped", [])
    if len({(row["id"], row["rank"]) for row in rows}) != len(rows):
        yield "extension: a file has several rows in mapped"
    for row in rows:
        where = "extension: mapped: %s %s" % (row["rank"], log.names.get(row["id"]))
        if row["id"] not in log.names:
            yield "%s: it has no name" % where
        if not row["MAPPED_TOUCHED"] >= row["MAPPED_WRITABLE"] >= 0:
            yield "%s: more is writable than touched" % where
        if not row["MAPPED_TOUCHED"] >= row["MAPPED_UNEXAMINED"] >= 0:
            yield "%s: more is unexamined than touched" % where
        if row["MAPPED_DIRTY"] < 0 or row["MAPPED_MAPPINGS"] < 0 or row["MAPPED_BYTES"] < 0:
            yield "%s: a value is negative" % where


def _heat(log, _):
    """Each rank's map has all of that rank's bytes; of modules with shared records that is known of all ranks together.
    All maps have the same bins."""
    maps = dict(log.others).get(15, [])
    shapes = {(r["counters"]["HEATMAP_F_BIN_WIDTH_SECONDS"], len(r["counters"])) for r in maps}
    if len(shapes) > 1:
        yield "heat maps of different widths or lengths: %s" % sorted(shapes)
    for width, length in shapes:
        bins = (length - 1) // 2
        if not 1 <= bins <= 200 or (bins <= 100 and width > 0.1) or (bins - 1) * width > log.job["run_time"] + 1:
            yield "heat maps have %d bins of %r s in a run of %r s" % (bins, width, log.job["run_time"])
    for module, prefix in (("POSIX", "POSIX"), ("MPI-IO", "MPIIO"), ("STDIO", "STDIO")) if maps else ():
        records = [r for r in log.records if r["module"] == module]
        for rank in sorted({r["rank"] for r in records}):
            if rank >= 0 and all(r["rank"] >= 0 for r in records):
                yield from _same_bytes(maps, records, prefix, rank)
        yield from _same_bytes(maps, records, prefix, None)


def _same_bytes(maps, records, prefix, rank):
    for way, bytes_of in (("READ", "_BYTES_READ"), ("WRITE", "_BYTES_WRITTEN")):
        counted = sum(r["counters"][prefix + bytes_of] for r in records if rank in (None, r["rank"]))
        mapped = sum(value for r in maps if r["name"] == "heatmap:" + prefix and rank in (None, r["rank"])
                     for name, value in r["counters"].items() if name.startswith("HEATMAP_%s_BIN_" % way))
        if counted != mapped:
            yield "heatmap:%s of rank %s has %d bytes of %s, the module %d" % (prefix, rank, mapped, way, counted)


def _traces(log, _):
    """Times of segments, and that the operations in a trace and those left out are all that were counted."""
    for number, version, records in log.traces:
        module = "POSIX" if number == 10 else "MPI-IO"
        for ident, rank, (_, left_out), writes, reads in records:
            where = "DXT %s %d %s" % (module, rank, log.names.get(ident))
            if any(not 0 <= start <= end <= log.job["run_time"] + 1 for _, _, start, end, _ in writes + reads):
                yield where + ": a segment's times cannot be"
            counted = [_operations(r) for r in log.records
                       if (r["module"], r["id"], r["rank"]) == (module, ident, rank)]
            if counted and counted != [len(writes) + len(reads) + left_out]:
                yield "%s: %d + %d segments, %d left out, but %s operations" % (
                    where, len(writes), len(reads), left_out, counted)
            if left_out and not log.partial >> number & 1:
                yield where + ": left out something, but the module is not flagged"


def _operations(record):
    if record["module"] == "POSIX":
        return sum(record["counters"]["POSIX_" + n] for n in ("READS", "WRITES"))
    return sum(record["counters"]["MPIIO_%s_%sS" % (kind, way)] for kind in ("INDEP", "COLL", "SPLIT", "NB")
               for way in ("READ", "WRITE"))
