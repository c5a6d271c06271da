# forms.py - checks that darshan-parser's JSON and CSV agree with its text: forms.py PARSER LOG...
# SPDX-License-Identifier: BSD-3-Clause
"""One log: its records, and what it says with every combination of --base, --total, --file, --perf and --cn.
Several logs: that JSON is a list of those that can be read, and CSV has them all."""
import csv
import io
import itertools
import json
import re
import subprocess
import sys

GROUPS = ("total", "file", "perf", "cn")
FILE = re.compile(r"# (total|read_only|write_only|read_write|unique|shared): (-?\d+) (-?\d+) (-?\d+)$")
PERF = re.compile(r"# (?:unique files: |shared files: )?(\w+): (\S+)(?: # (?:seconds|MiB/s))?$")
PERF_NAMES = ("total_bytes", "slowest_rank_io_time", "slowest_rank_meta_only_time", "slowest_rank_rw_only_time",
              "slowest_rank", "time_by_slowest", "agg_time_by_slowest", "agg_perf_by_slowest")
CN = re.compile(r"# (slowest_rank_io_time|compute_nodes|MiB/s|MiB/s/CN): (\S+)(?: # (.*))?$")


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def lines_of(output):
    return output.decode("utf-8", "surrogateescape").split("\n")


def text_of(output):
    return [tuple(line.split("\t")) for line in lines_of(output) if line.count("\t") >= 7 and line[0] != "#"]


def cn_of(line):
    """The figures that a line of the last part stands for."""
    name, value, rest = CN.match(line).groups()
    value = "" if value == "unknown" else value
    yield "", "cn_" + name, value
    if name == "compute_nodes":
        yield "", "cn_compute_nodes_from", rest if value else ""


def figures_of(output):
    """(module, counter as CSV has it, value) of everything in the text that is no record."""
    found, module = [], None
    for line in lines_of(output):
        if line.endswith(" module data"):
            module = line[2:-len(" module data")]
        elif line.startswith("# performance of a compute node"):
            module = ""
        elif line.startswith("total_"):
            found.append((module, *line.split(": ")))
        elif module == "" and CN.match(line):
            found += cn_of(line)
        elif module and FILE.match(line):
            kind, *values = FILE.match(line).groups()
            found += [(module, "file_%s_%s" % (kind, what), value)
                      for what, value in zip(("count", "bytes", "max_byte_offset"), values)]
        elif module and PERF.match(line) and PERF.match(line).group(1) in PERF_NAMES:
            found.append((module, "perf_" + PERF.match(line).group(1), PERF.match(line).group(2)))
    return found


def csv_of(output):
    rows = list(csv.reader(io.StringIO(output.decode("utf-8", "surrogateescape"), newline=""), strict=True))
    assert output.count(b"\r\n") == len(rows), "lines of CSV end in CR LF"
    assert rows[0][0] == "log" and all(len(row) == 9 for row in rows), "CSV has nine columns"
    return [tuple(row[1:]) for row in rows[1:]]


def is_unknown(text):
    """Of a counter that the log does not have there is a -1, or an id of 0; of a sum of these what it comes to."""
    return float(text) <= 0


def same_value(value, text):
    if value is None:
        return text in ("", "nan", "-nan", "inf", "-inf") or is_unknown(text)
    return value == text if isinstance(value, str) else float(value) == float(text)


def same_rows(got, want, at):
    """Rows of CSV, and of the text; `at`: the column of the value."""
    return len(got) == len(want) and all(g == w or (g[at] == "" and is_unknown(w[at]) and g[:at] + g[at + 1:] == w[:at] + w[at + 1:])
                                         for g, w in zip(got, want))


def same_records(document, want):
    got = [(r["module"], str(r["rank"]), r["id"], name, value)
           for r in document["records"] for name, value in r["counters"].items()]
    return len(got) == len(want) and all(g[:4] == w[:4] and same_value(g[4], w[4]) for g, w in zip(got, want))


def same_figures(document, want):
    got = [(m["module"], "%s_%s" % (group, name), value) for m in document.get("modules", [])
           for group in GROUPS[:3] for name, value in m.get(group, {}).items()]
    got += [("", "cn_" + name, value) for name, value in document.get("cn", {}).items()]
    return len(got) == len(want) and all(g[:2] == w[:2] and same_value(g[2], w[2]) for g, w in zip(got, want))


def check_options(parser, log, options):
    status, text = run(parser, *options, log)
    json_status, document = run(parser, "--json", *options, log)
    csv_status, table = run(parser, "--csv", *options, log)
    what = " ".join(options)
    assert status == json_status == csv_status, what + ": exit statuses differ"
    document, table = json.loads(document), csv_of(table)
    records, figures = text_of(text), figures_of(text)
    assert ("records" in document) == ("--base" in options), what + ": records"
    assert "records" not in document or same_records(document, records), what + ": JSON's records differ"
    assert same_figures(document, figures), what + ": JSON's figures differ"
    assert same_rows([row for row in table if row[1]], records, 4), what + ": CSV's records differ"
    assert same_rows(sorted((row[0], row[3], row[4]) for row in table if not row[1]), sorted(figures), 2), what + ": CSV's figures"
    assert all(row[1:3] + row[5:] == ("",) * 5 for row in table if not row[1]), what + ": CSV's empty columns"
    return len(figures)


def check_one(parser, log):
    for n in range(1, 6):
        for chosen in itertools.combinations(("--base",) + tuple("--" + group for group in GROUPS), n):
            number = check_options(parser, log, ("--show-incomplete",) + chosen)
            assert number >= 5 or "--cn" not in chosen, "the figures of a compute node were found"


def check_list(parser, logs):
    good = [log for log in logs if run(parser, log)[0] == 0]
    documents = json.loads(run(parser, "--json", *logs)[1])
    assert [d["log"] for d in documents] == good, "other logs in the list"
    rows = csv_of(run(parser, "--csv", *logs)[1])
    assert len(rows) == sum(len(text_of(run(parser, log)[1])) for log in good), "CSV lacks some"


if len(sys.argv) == 3:
    check_one(sys.argv[1], sys.argv[2])
else:
    check_list(sys.argv[1], sys.argv[2:])
