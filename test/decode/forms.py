# forms.py - that darshan-parser's JSON and CSV say what its text says: forms.py PARSER LOG...
# SPDX-License-Identifier: BSD-3-Clause
# Several logs: that JSON is a list of those that can be read, and CSV has them all.
import csv
import io
import json
import subprocess
import sys


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def text_of(output):
    lines = output.decode("utf-8", "surrogateescape").split("\n")
    return [tuple(line.split("\t")) for line in lines if line and line[0] != "#"]


def csv_of(output):
    rows = list(csv.reader(io.StringIO(output.decode("utf-8", "surrogateescape"), newline=""), strict=True))
    assert output.count(b"\r\n") == len(rows), "lines of CSV end in CR LF"
    assert rows[0][0] == "log" and all(len(row) == 9 for row in rows), "CSV has nine columns"
    return [tuple(row[1:]) for row in rows[1:]]


def same_value(value, text):
    return value == text if isinstance(value, str) else value is None or float(value) == float(text)


def same_json(document, want):
    got = [(r["module"], str(r["rank"]), r["id"], name, value)
           for r in document["records"] for name, value in r["counters"].items()]
    return len(got) == len(want) and all(g[:4] == w[:4] and same_value(g[4], w[4]) for g, w in zip(got, want))


def check_one(parser, log):
    status, text = run(parser, "--base", "--show-incomplete", log)
    want = text_of(text)
    json_status, document = run(parser, "--json", "--show-incomplete", log)
    csv_status, table = run(parser, "--csv", "--show-incomplete", log)
    assert status == json_status == csv_status, "exit statuses differ"
    assert same_json(json.loads(document), want), "JSON differs"
    assert csv_of(table) == want, "CSV differs"


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
