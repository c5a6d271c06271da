#!/usr/bin/env python3
# series.py - what a page holds, against what the other commands print of the same log
# SPDX-License-Identifier: BSD-3-Clause
"""series.py PAGE LOG BIN: exit status 0 if the page's scripts are those that its policy names, its report is the
document that --json prints, and its heat maps and traces have the numbers of darshan-parser and darshan-dxt-parser."""

import base64
import hashlib
import html.parser
import json
import math
import re
import struct
import subprocess
import sys
import zlib

ROUNDING = 0.0005  # of a matrix' codes


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.policy, self.texts, self.documents, self.tags, self.inside = None, [], {}, [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag in ("script", "style"):
            self.inside = [tag, attributes, ""]

    def handle_data(self, data):
        if self.inside:
            self.inside[2] += data

    def handle_endtag(self, tag):
        if not self.inside or tag != self.inside[0]:
            return
        kind, attributes, text = self.inside
        if attributes.get("type") == "application/json":
            self.documents[attributes["id"]] = text
        else:
            self.texts.append((kind, text))
        self.inside = None


def need(condition, *what):
    if not condition:
        print(*what)
        sys.exit(1)


def check_policy(page):
    need(page.policy, "the page has no Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
    need(rules.pop("default-src") == "'none'", "default-src is not 'none'")
    need(rules.pop("base-uri") == "'none'", "base-uri:", page.policy)
    need(rules.pop("form-action") == "'none'", "form-action:", page.policy)
    for kind in "style", "script":
        want = {"'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                for what, text in page.texts if what == kind}
        allowed = set(rules.pop(kind + "-src").split())
        need(want and want <= allowed, kind, "that the policy does not allow:", want - allowed)
    need(not rules, "further rules:", rules)
    for tag, attributes in page.tags:
        need(not {"src", "href", "style"} & set(attributes), tag, attributes)
        need(not [name for name in attributes if name.startswith("on")], tag, attributes)


def check_documents(page, log, binaries):
    for name, text in page.documents.items():
        need(not re.search("[<>&\u2028\u2029]", text), "unsafe characters in", name)
    run = subprocess.run([binaries + "/darshan-job-summary", "--json", log], capture_output=True, check=False)
    need(json.loads(run.stdout) == json.loads(page.documents["report"]), "the report is not what --json prints")


def decode(text, rows, bins):
    raw = base64.b64decode(text)
    codes = struct.unpack("<%dH" % (len(raw) // 2), raw)
    cells, i = [], 0
    while i < len(codes):
        if codes[i] == 0:
            cells += [0.0] * codes[i + 1]
            i += 2
        else:
            cells.append(2 ** ((codes[i] - 1) / 1024 - 14))
            i += 1
    cells += [0.0] * (rows * bins - len(cells))
    need(len(cells) == rows * bins, "a matrix of", rows, "x", bins, "has", len(cells), "cells")
    return [cells[row * bins:(row + 1) * bins] for row in range(rows)]


def lines(binaries, command, log):
    run = subprocess.run([binaries + "/" + command, "--show-incomplete", log], capture_output=True, check=False)
    return run.stdout.decode(errors="replace").splitlines()


def heat_counters(binaries, log):
    """{layer: {rank: {"READ": [...], "WRITE": [...]}}}"""
    found = {}
    for line in lines(binaries, "darshan-parser", log):
        field = line.split("\t")
        match = field[0] == "HEATMAP" and re.match("HEATMAP_(READ|WRITE)_BIN_([0-9]+)", field[3])
        if match:
            layer = {"MPIIO": "MPI-IO"}.get(field[5].split(":")[1], field[5].split(":")[1])
            bins = found.setdefault(layer, {}).setdefault(int(field[1]), {"READ": [], "WRITE": []})
            bins[match[1]].append(int(field[4]))
    return found


def check_heat(timeline, binaries, log):
    want = heat_counters(binaries, log)
    cells = 0
    for line in timeline["lines"]:
        if line["source"] != "HEATMAP":
            continue
        ranks = want.pop(line["layer"])
        for key in "READ", "WRITE":
            rows = [[0.0] * line["bins"] for _ in range(line["rows"])]
            for rank, bins in ranks.items():
                merged = (len(bins[key]) - 1) // line["bins"] + 1
                for i, value in enumerate(bins[key]):
                    rows[rank // line["ranks_per_row"]][i // merged] += value
            got = decode(line[key.lower()], line["rows"], line["bins"])
            for row, (have, expected) in enumerate(zip(got, rows)):
                for i, (a, b) in enumerate(zip(have, expected)):
                    where = (line["layer"], key, "row", row, "bin", i)
                    need(math.isclose(a, b, rel_tol=ROUNDING), *where, a, "instead of", b)
                    cells += b > 0
    need(not want, "layers left out:", want.keys())
    return cells


def check_opens(timeline, binaries, log):
    """First opens of records that belong to one rank. A file that is used through calls and streams may count once."""
    opened, when = set(), {}
    for line in lines(binaries, "darshan-parser", log):
        field = line.split("\t")
        if field[0] not in ("POSIX", "STDIO") or field[1] == "-1" or field[5] in ("<STDIN>", "<STDOUT>", "<STDERR>"):
            continue
        if field[3] == field[0] + "_OPENS" and int(field[4]) > 0:
            opened.add(tuple(field[:3]))
        elif field[3] == field[0] + "_F_OPEN_START_TIMESTAMP" and float(field[4]) > 0:
            when[tuple(field[:3])] = float(field[4])
    records = {key: at for key, at in when.items() if key in opened}
    opens = timeline["opens"]
    if opens["bins"] == 0:
        return 0
    files = {key[1:] for key in records}
    need(len(files) <= opens["files"] <= len(records), opens["files"], "first opens, of", len(files), "to", len(records))
    if len(files) == len(records):
        expected = [0] * opens["bins"]
        for at in records.values():
            expected[min(int(at / opens["width"]), opens["bins"] - 1)] += 1
        sums = [sum(bins) for bins in zip(*decode(opens["count"], opens["rows"], opens["bins"]))]
        for i, (have, want) in enumerate(zip(sums, expected)):
            need(abs(have - want) < 0.01 * want + 0.01, "bin", i, have, "first opens instead of", want)
    return len(files)


def trace_segments(binaries, log):
    """[(module, rank, is it a write, offset, length, start, end)], as far as digits go"""
    found, rank = [], None
    for line in lines(binaries, "darshan-dxt-parser", log):
        match = re.match("# DXT, file_id: .*rank|# DXT, rank: ([0-9]+)", line)
        if match and match[1]:
            rank = int(match[1])
        field = line.split()
        if field and field[0] in ("X_POSIX", "X_MPIIO"):
            offset = int(field[4]) if field[4] != "N/A" else -1
            what = (field[0][2:], rank, field[2] == "write", offset, int(field[5]))
            found.append((*what, float(field[6]), float(field[7])))
    return found


PERF = {"POSIX": "POSIX", "MPI-IO": "MPI-IO", "STDIO": "STDIO"}


def check_rates(report, binaries, log):
    """Rates by the slowest rank and counters are those of darshan-parser --perf and --total."""
    module, rates, totals = None, {}, {}
    run = subprocess.run([binaries + "/darshan-parser", "--perf", "--total", "--show-incomplete", log],
                         capture_output=True, check=False)
    for line in run.stdout.decode(errors="replace").splitlines():
        if match := re.match("# (.*) module data", line):
            module = match[1]
        elif match := re.match("# agg_perf_by_slowest: ([0-9.]+)", line):
            rates[module] = float(match[1])
        elif match := re.match("total_([A-Z0-9_]+): (.*)", line):
            totals[match[1]] = float(match[2])
    for one in report["modules"]:
        want = rates.get(PERF.get(one["module"]))
        if want:
            have = one["mib_per_second"] or 0
            is_bounded = one["slowest_rank_seconds"] == report["job"]["run_seconds"]  # by which a report bounds times
            need(math.isclose(have, want, abs_tol=2e-6) or (is_bounded and have > want), one["module"], have, "MiB/s instead of", want)
        for name, value in one["counters"].items():
            same = name not in totals or math.isclose(value, totals[name], rel_tol=1e-9, abs_tol=1e-6)
            need(same, name, value, "instead of", totals.get(name))
    return len(rates)


def check_quantiles(ranks):
    """From the least to the most, in steps of a percent; where each rank is there, by these."""
    bins, n = ranks["bins"], ranks["ranks"]
    known = [name for name, values in ranks["quantiles"].items() if values]
    need(n == 0 or len(known) >= 2, "percentiles:", known)
    for name in known:
        values = ranks["quantiles"][name]
        need(len(values) == 101 and values == sorted(values), name, "of ranks:", values)
        if ranks["ranks_per_bin"] == 1 and name in bins:
            each = sorted(bins[name])
            need([each[i * (n - 1) // 100] for i in range(101)] == values, name, "of ranks:", values)


def numbers(data):
    """What operations.h calls a column."""
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value, shift = 0, 0
    need(shift == 0, "a column ends in a number")
    return found


def signed(value):
    return -(value + 1) // 2 if value % 2 else value // 2


def check_packed(traces, want, binaries, log):
    """Single operations in compact form are those of darshan-dxt-parser, or those of them that took longest."""
    packed = traces["packed"]
    data, columns, at = zlib.decompress(base64.b64decode(packed["data"])), [], 0
    for size in packed["sizes"]:
        columns.append(numbers(data[at:at + size]))
        at += size
    need(at == len(data), at, "bytes of", len(data))
    heads, starts, durations, offsets, lengths = columns
    finest = max(1e-6, (traces["end"] - traces["start"]) / 2 ** 25)
    need(packed["tick"] <= 1.001 * finest, "a tick of", packed["tick"], "s")
    need(len(heads) == 5 * packed["records"], "records:", len(heads))
    need(len(starts) == packed["operations"] == len(durations) == len(offsets) == len(lengths), "operations")
    have, i = [], 0
    for k in range(0, len(heads), 5):
        module, _, rank, writes, reads = heads[k:k + 5]
        start = end = length = 0
        for n in range(writes + reads):
            start += signed(starts[i])
            offset = end + signed(offsets[i])
            length += signed(lengths[i])
            have.append((("POSIX", "MPIIO")[module], signed(rank), n < writes, offset, length, start * packed["tick"],
                         durations[i] * packed["tick"]))
            end = offset + length if offset >= 0 else offset
            i += 1
    if packed["operations"] == len(want):
        need(sorted(h[:5] for h in have) == sorted(w[:5] for w in want), "operations are others")
    for h, w in zip(sorted(have), sorted(want)) if packed["operations"] == len(want) else ():
        need(abs(h[5] - w[5]) < 1e-4 + packed["tick"] and abs(h[5] + h[6] - w[6]) < 1e-4 + 2 * packed["tick"], h, w)
    need(packed["operations"] == len(want) or packed["least"] > 0, "operations are missing")
    need(all(h[6] >= packed["least"] - packed["tick"] - 1e-4 for h in have), "shorter than", packed["least"])


def check_traces(traces, binaries, log):
    want = trace_segments(binaries, log)
    need(bool(want) == bool(traces), len(want), "operations are traced; of the page:", bool(traces))
    if not traces:
        return 0
    need(len(want) == traces["operations"], len(want), "operations, but the page has", traces["operations"])
    if "segments" in traces:
        have = sorted((traces["modules"][s[0]][4:], s[3], bool(s[1]), s[4], s[5], s[6] // 100000, s[7] // 1000000)
                      for s in traces["segments"])
        expected = sorted((*segment[:5], int(segment[5] * 10000 + 0.01), 0) for segment in want)
        for a, b in zip(have, expected):
            need(a[:5] == b[:5] and abs(a[5] - b[5]) <= 1, "operation", a, "instead of", b)
        return len(have)
    check_packed(traces, want, binaries, log)
    for view in traces["views"]:
        mine = [s for s in want if s[0] == view["module"][4:]]
        for key in "read", "write":
            rows = decode(view[key], view["rows"], view["bins"])
            sums = [s for s in mine if s[2] == (key == "write")]
            if view["kind"] == "ranks":
                for row, cells in enumerate(rows):
                    expected = sum(s[4] for s in sums if s[1] // view["per_row"] == row)
                    same = math.isclose(sum(cells), expected, rel_tol=ROUNDING)
                    need(same, key, "row", row, sum(cells), "instead of", expected)
    return len(want)


def main():
    path, log, binaries = sys.argv[1:]
    with open(path, encoding="utf-8", newline="") as file:
        page = Page(file.read())
    check_policy(page)
    check_documents(page, log, binaries)
    series = json.loads(page.documents["series"])
    cells = check_heat(series["timeline"], binaries, log)
    files = check_opens(series["timeline"], binaries, log)
    operations = check_traces(series["traces"], binaries, log)
    check_quantiles(json.loads(page.documents["report"])["ranks"])
    rates = check_rates(json.loads(page.documents["report"]), binaries, log)
    print(rates, "rates,", cells, "cells of heat maps,", files, "first opens and", operations, "operations agree")


main()
