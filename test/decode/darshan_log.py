# darshan_log.py - reads a Darshan log with Python's standard library only
# SPDX-License-Identifier: BSD-3-Clause
"""An independent second reader of the log format, to check the library's and the runtime's work with."""

import bisect
import bz2
import functools
import itertools
import struct
import uuid
import zlib

import counters
import other_modules

MAGIC = 6567223
EXTENSION_MAGIC = b"DARSHAN EXT 1".ljust(16, b"\0")
COMPRESSION = ["ZLIB", "BZIP2", "NONE"]
U64 = (1 << 64) - 1


class LogError(Exception):
    """The file is not a log, or a damaged one."""


def lookup8(data, level=0):
    """Bob Jenkins' 64-bit hash of 1997 over bytes: record ids and checksums."""
    a = b = level
    c = 0x9E3779B97F4A7C13
    at = 0
    while len(data) - at >= 24:
        x, y, z = struct.unpack_from("<3Q", data, at)
        a, b, c = _mix(a + x, b + y, c + z)
        at += 24
    tail = data[at:]
    a += int.from_bytes(tail[:8], "little")
    b += int.from_bytes(tail[8:16], "little")
    c += len(data) + (int.from_bytes(tail[16:], "little") << 8)
    return _mix(a, b, c)[2]


def _mix(a, b, c):
    for s1, s2, s3 in ((43, 9, 8), (38, 23, 5), (35, 49, 11), (12, 18, 22)):
        c &= U64
        a = ((a - b - c) ^ (c >> s1)) & U64
        b = ((b - c - a) ^ (a << s2)) & U64
        c = (c - a - b) & U64
        c ^= b >> s3
    return a, b, c


def text(data):
    return data.decode("utf-8", "surrogateescape")


class Region:
    """A part of the file that holds compressed data."""

    def __init__(self, name, off, length, version=None):
        self.name, self.off, self.length, self.version = name, off, length, version
        self.streams = []       # raw bytes of each stream
        self.complete = True    # the last stream came to its end


class Log:
    """A decoded log. `records` are dicts: module, rank, id, stream, name, mount, fs, counters (name -> value).
    `others` are the same of the modules that counters.py does not have, `traces` those of DXT; both are made when first
    asked for."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self._header()
        self._job()
        self._names()
        self.records = []
        for module in self.modules.values():
            self._inflate(module)
        for number in counters.MODULES:
            if number in self.modules:
                self._records(number)
        self._extension()

    # ---- header

    def _header(self):
        if len(self.data) < 360:
            raise LogError("shorter than a header")
        self.version = text(self.data[:8].split(b"\0")[0])
        major, minor = (int(x) for x in self.version.split("."))
        if (major, minor) not in ((3, 0), (3, 10), (3, 20), (3, 21), (3, 41)):
            raise LogError("version %s" % self.version)
        self.old = minor < 41
        self.order = "<"
        if struct.unpack_from("<q", self.data, 8)[0] != MAGIC:
            self.order = ">"
            if struct.unpack_from(">q", self.data, 8)[0] != MAGIC:
                raise LogError("bad magic number")
        if self.data[16] >= len(COMPRESSION):
            raise LogError("compression type %d" % self.data[16])
        self.compression = COMPRESSION[self.data[16]]
        slots = 16 if self.old else 64
        layout = self.order + ("8sqB3xI" if self.old else "8sqB7xQ")
        self.padding = self.data[17:20] if self.old else self.data[17:24]
        self.header_size = struct.calcsize(layout) + 16 + 20 * slots
        if len(self.data) < self.header_size:
            raise LogError("shorter than its header")
        self.partial = struct.unpack_from(layout, self.data)[3]
        words = struct.unpack_from("%s%dQ%dI" % (self.order, 2 + 2 * slots, slots), self.data, struct.calcsize(layout))
        self.name_region = Region("names", words[0], words[1])
        self._slots([words[2 + 2 * i:4 + 2 * i] for i in range(slots)], words[2 + 2 * slots:])

    def _slots(self, maps, versions):
        """Module regions by today's module numbers; old logs have two slots less."""
        today = list(range(len(maps)))
        if (3, 0) <= tuple(int(x) for x in self.version.split(".")) <= (3, 10):
            today = [n + (n >= 4) for n in today]
        if self.old:
            today = [n + (n >= 6) for n in today]
        partial, self.partial = self.partial, 0
        self.modules = {}
        for slot, number in enumerate(today):
            if partial >> slot & 1:
                self.partial |= 1 << number
            if maps[slot][0] or maps[slot][1] or versions[slot]:
                self.modules[number] = Region(module_name(number), maps[slot][0], maps[slot][1], versions[slot])

    # ---- streams

    def _inflate(self, region):
        if region.off + region.length > len(self.data):
            raise LogError("%s: region reaches beyond the end of the file" % region.name)
        rest = self.data[region.off:region.off + region.length]
        if self.compression == "NONE":
            region.streams = [rest] if rest else []
            return
        while rest:
            stream = zlib.decompressobj() if self.compression == "ZLIB" else bz2.BZ2Decompressor()
            try:
                region.streams.append(stream.decompress(rest))
            except (zlib.error, OSError) as error:
                raise LogError("%s: stream %d: %s" % (region.name, len(region.streams), error))
            region.complete = stream.eof
            rest = stream.unused_data

    # ---- job, names

    def _job(self):
        ends = [self.name_region.off] + [r.off for _, r in sorted(self.modules.items())] + [len(self.data)]
        end = next(off for off in ends if off)
        self.job_region = Region("job", self.header_size, end - self.header_size)
        self._inflate(self.job_region)
        raw = b"".join(self.job_region.streams)
        if len(raw) <= 1080:
            raise LogError("job region too short")
        size = 40 if self.old else 56
        fields = ("uid start_time end_time nprocs jobid" if self.old else
                  "uid start_time start_nsec end_time end_nsec nprocs jobid").split()
        self.job = dict(zip(fields, struct.unpack_from("%s%dq" % (self.order, len(fields)), raw)))
        job = self.job
        job["run_time"] = (float(job["end_time"] - job["start_time"] + 1) if self.old else
                           job["end_time"] + job["end_nsec"] / 1e9 - (job["start_time"] + job["start_nsec"] / 1e9))
        lines = text(raw[size:size + 1024].split(b"\0")[0]).split("\n")
        self.metadata = [line.split("=", 1) for line in lines if "=" in line]
        self.job_text = raw[size + 1024:]
        self._exe(text(self.job_text.split(b"\0")[0]))

    def _exe(self, lines):
        first, newline, mounts = lines.partition("\n")
        self.exe = first if newline else ""
        self.mounts = []
        for line in mounts.split("\n") if newline else []:
            word = line.split(None, 1) # a path may contain blanks
            if len(word) < 2:
                raise LogError("mount table: %r" % line)
            self.mounts.append((word[1], word[0]))
        self.mounts.sort(key=lambda mount: -len(mount[0]))

    def _names(self):
        self._inflate(self.name_region)
        raw = b"".join(self.name_region.streams)
        self.name_entries = []      # (id, name, stream)
        bounds = self._bounds(self.name_region)
        at = 0
        while at < len(raw):
            stream = bisect.bisect_right(bounds, at)
            number, name, at = self._name(raw, at)
            self.name_entries.append((number, name, stream))
        self.names = {}
        for number, name, _ in self.name_entries:
            if not self.names.get(number):
                self.names[number] = name

    def _name(self, raw, at):
        try:
            number, = struct.unpack_from(self.order + "Q", raw, at)
            if self.version == "3.00":
                length, = struct.unpack_from(self.order + "I", raw, at + 8)
                if at + 12 + length > len(raw):
                    raise LogError("names: an entry is cut off")
                return number, text(raw[at + 12:at + 12 + length]), at + 12 + length
            end = raw.index(b"\0", at + 8)
        except (struct.error, ValueError):
            raise LogError("names: an entry is cut off")
        return number, text(raw[at + 8:end]), end + 1

    # ---- records

    def _records(self, number):
        name, newest, layout = counters.MODULES[number]
        region = self.modules[number]
        if not 1 <= region.version <= newest:
            raise LogError("%s: version %d" % (name, region.version))
        ints, floats = layout(region.version)
        form = struct.Struct("%sQq%dq%dd" % (self.order, len(ints), len(floats)))
        region.record_size = form.size
        raw, bounds = b"".join(region.streams), self._bounds(region)
        for at in range(0, len(raw) - form.size + 1, form.size):
            fields = form.unpack_from(raw, at)
            record = self._record(number, fields, dict(zip(ints + floats, fields[2:])))
            record["stream"] = bisect.bisect_right(bounds, at)
            if record["counters"].pop("POSIX_FOPENS", 0) <= 0:
                self.records.append(record)

    @staticmethod
    def _bounds(region):
        """Where each stream ends in what they are together: none is told from the next by records."""
        return list(itertools.accumulate(len(stream) for stream in region.streams))

    def _record(self, number, fields, found):
        values = {name: found.get(name, counters.absent(name)) for name in counters.current(number)}
        if "POSIX_RENAMED_FROM" in values:
            values["POSIX_RENAMED_FROM"] &= U64
        if "POSIX_FOPENS" in found:
            values["POSIX_FOPENS"] = found["POSIX_FOPENS"]
        path = self.names.get(fields[0])
        mount, fs = self.mount_of(path or "")
        return {"module": counters.MODULES[number][0], "module_id": number, "rank": fields[1], "id": fields[0], "name": path,
                "mount": mount, "fs": fs, "counters": values}

    def mount_of(self, path):
        of = [m for m in self.mounts if path and (path + "/").startswith(m[0].rstrip("/") + "/")]
        return of[0] if of else ("UNKNOWN", "UNKNOWN")

    # ---- other modules

    @functools.cached_property
    def others(self):
        """[(module's number, [record])]; records without "stream", LUSTRE's with "comps"."""
        return [(number, self._others(number, self.modules[number])) for number in sorted(self.modules)
                if number in other_modules.FIXED or number in other_modules.VARYING]

    def _others(self, number, region):
        raw = b"".join(region.streams)
        if not raw:
            return []
        try:
            found = other_modules.read(number, raw, self.order, region.version)
        except other_modules.Damaged as error:
            raise LogError("%s: %s" % (region.name, error))
        return [self._other(number, *record) for record in found]

    def _other(self, number, ident, rank, values, extra):
        path = self.names.get(ident)
        if number == 7 and path is None:
            path = "darshan-bgq-record"
        mount, fs = self.mount_of(path or "")
        if number == 14:
            path = mount = fs = ""
        if number in (16, 17):
            pool, cont = uuid.UUID(bytes=extra[:16]), uuid.UUID(bytes=extra[16:32])
            mount, fs = "%s:%s" % (pool, cont), "N/A"
            if number == 16 and not (pool.int and cont.int):
                mount = "UNKNOWN"
            if number == 17:
                path = "%d.%d" % struct.unpack(self.order + "QQ", extra[32:])
        return {"module": self.modules[number].name, "rank": rank, "id": ident, "name": path, "mount": mount, "fs": fs,
                "counters": values, "comps": extra if number == 8 else None, "object": extra if number in (16, 17) else None}

    @functools.cached_property
    def traces(self):
        """[(module's number, version, [(id, rank, (host, left out), writes, reads)])]"""
        found = []
        for number in (10, 11):
            region = self.modules.get(number)
            if region and region.length:
                try:
                    found.append((number, region.version, list(other_modules.dxt(
                        number, b"".join(region.streams), self.order, region.version))))
                except other_modules.Damaged as error:
                    raise LogError("%s: %s" % (region.name, error))
        return found

    # ---- extension section

    def _extension(self):
        self.extension = {}
        self.extension_parts = []
        tail = self.data[-40:]
        if tail[24:] != EXTENSION_MAGIC:
            return
        off, parts, checksum = struct.unpack_from(self.order + "3Q", tail)
        directory = self.data[off:-40]
        if len(directory) != 56 * parts:
            raise LogError("extension: directory of %d bytes for %d parts" % (len(directory), parts))
        if lookup8(directory) != checksum:
            raise LogError("extension: checksum of the directory")
        self.extension_directory = off
        for entry in range(parts):
            fields = struct.unpack_from(self.order + "16s5Q", directory, 56 * entry)
            self._extension_part(text(fields[0].split(b"\0")[0]), *fields[1:])

    def _extension_part(self, name, version, off, stored, raw, checksum):
        data = self.data[off:off + stored]
        if lookup8(data) != checksum:
            raise LogError("extension: checksum of part %s" % name)
        rest, data = data, b""
        while rest:
            stream = zlib.decompressobj()
            data += stream.decompress(rest)
            rest = stream.unused_data
        if len(data) != raw:
            raise LogError("extension: part %s has %d bytes, not %d" % (name, len(data), raw))
        self.extension_parts.append((name, version, off, stored))
        if (name, version) == ("nodes", 1):
            self.extension["nodes"] = [text(n) for n in data.split(b"\0")[:-1]]
        if name == "processes" and version in (1, 2):
            names = ["rank", "pid", "parent", "start"] + ["end"] * (version - 1) + ["state", "exe"]
            self.extension["processes"] = [dict(zip(names, text(line).split("\t", len(names) - 1))) for line in data.splitlines()]
        if name == "ranks" and version in counters.RANK_INTS_OF:
            ints = counters.RANK_INTS_OF[version]
            floats = counters.RANK_FLOATS_OF[version]
            names = ints + floats
            form = struct.Struct("%sQq%dq%dd" % (self.order, len(ints), len(floats)))
            self.extension["ranks"] = [dict(zip(["id", "rank"] + names, fields)) for fields in form.iter_unpack(data)]
        if (name, version) == ("files", 1):
            names = ["id", "rank"] + counters.FILE_INTS + counters.FILE_FLOATS
            form = struct.Struct("%sQq%dq%dd" % (self.order, len(counters.FILE_INTS), len(counters.FILE_FLOATS)))
            self.extension["files"] = [dict(zip(names, fields)) for fields in form.iter_unpack(data)]
        if name == "phases" and version in (1, 2):
            columns = [field for field in counters.PHASE_FIELDS if version == 2 or not field[2:].startswith(("PHASE_DFS_", "PHASE_DAOS_"))]
            names = ["id", "rank", "name"] + [field[2:] for field in columns]
            form = struct.Struct(self.order + "Qq64s" + "".join(field[0] for field in columns))
            self.extension["phases"] = [dict(zip(names, fields), name=text(fields[2].split(b"\0")[0])) for fields in form.iter_unpack(data)]
        if (name, version) == ("sites", 1):
            names = ["id", "rank"] + ["SITE_" + field[2:] for field in counters.SITE_FIELDS]
            form = struct.Struct(self.order + "Qq" + "".join(field[0] for field in counters.SITE_FIELDS))
            self.extension["sites"] = [dict(zip(names, fields)) for fields in form.iter_unpack(data)]
        if (name, version) == ("stacks", 1):
            stacks = self.extension["stacks"] = {}
            while data:
                end = data.index(b"\0", 8)
                stacks[struct.unpack(self.order + "Q", data[:8])[0]] = text(data[8:end])
                data = data[end + 1:]
        if (name, version) == ("mapped", 1):
            form = struct.Struct("%sQq%dq" % (self.order, len(counters.MAPPED_INTS)))
            self.extension["mapped"] = [dict(zip(["id", "rank"] + counters.MAPPED_INTS, fields)) for fields in form.iter_unpack(data)]
        if (name, version) == ("cufile", 1):
            names = ["id", "rank"] + counters.CUFILE_INTS + counters.CUFILE_FLOATS
            form = struct.Struct("%sQq%dq%dd" % (self.order, len(counters.CUFILE_INTS), len(counters.CUFILE_FLOATS)))
            self.extension["cufile"] = [dict(zip(names, fields)) for fields in form.iter_unpack(data)]
            for row in self.extension["cufile"]:
                row["name"] = counters.CUFILE_BUFFERS if row["CUFILE_BUFFERS"] else self.names.get(row["id"], "")


def module_name(number):
    return counters.ALL_NAMES[number] if number < len(counters.ALL_NAMES) else "<UNKNOWN>"
