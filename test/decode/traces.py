# traces.py - checks that darshan-dxt-parser's JSON and CSV agree with its text: traces.py PARSER LOG...
# SPDX-License-Identifier: BSD-3-Clause
"""Every segment of every trace, with rank, file, host, mount and storage targets. Of several logs JSON is a list of those
that can be read. Prints how many segments there were; exit status 1 if they differ."""
import csv
import io
import json
import re
import subprocess
import sys

HEAD = re.compile(r"# DXT, file_id: (\d+), file_name: (.*)$")
RANK = re.compile(r"# DXT, rank: (-?\d+), hostname: (.*)$")
MOUNT = re.compile(r"# DXT, mnt_pt: (.*), fs_type: (.*)$")
LINE = re.compile(r" *X_(POSIX|MPIIO) +(-?\d+) +(write|read) +(-?\d+) +(-?\d+) +(-?\d+) +(\S+) +(\S+)  ((?: \[-?\d+\])*) *(\S+)?$")


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()


def of_text(output):
    name = host = mount = None
    for line in output.split("\n"):
        if HEAD.match(line):
            file_id, name = HEAD.match(line).groups()
        elif RANK.match(line):
            host = RANK.match(line).group(2)
        elif MOUNT.match(line):
            mount = MOUNT.match(line).groups()
        elif LINE.match(line):
            module, rank, op, number, offset, length, start, end, osts, thread = LINE.match(line).groups()
            yield ("DXT_" + module, rank, file_id, name, host, *mount, op, number, offset, length, start, end,
                   "" if thread == "N/A" else thread, " ".join(re.findall(r"-?\d+", osts)))


def of_json(log):
    for t in log["traces"]:
        assert t["write_count"] + t["read_count"] == len(t["segments"]), t
        for s in t["segments"]:
            yield (t["module"], str(t["rank"]), str(t["file_id"]), t["file_name"] or "(null)", t["hostname"],
                   t["mount_pt"], t["fs_type"], s["operation"], str(s["segment"]), str(s["offset"]), str(s["length"]),
                   "%.4f" % s["start"], "%.4f" % s["end"], str(s.get("thread", "")),
                   " ".join(map(str, s.get("osts", []))))


def of_csv(output):
    rows = csv.reader(io.StringIO(output, newline=""))
    assert next(rows)[0] == "log"
    for row in rows:
        yield tuple(row[1:4]) + (row[4] or "(null)",) + tuple(row[5:])


def differ(what, want, got):
    if want == got:
        return False
    print("%s: %d segments, %d wanted" % (what, len(got), len(want)))
    for w, g in zip(want, got):
        if w != g:
            print("  wanted", w, "\n  got   ", g)
            break
    return True


def main():
    parser, logs = sys.argv[1], sys.argv[2:]
    want = list(of_text(run(parser, "--show-incomplete", *logs)))
    documents = json.loads(run(parser, "--show-incomplete", "--json", *logs))
    documents = documents if len(logs) > 1 else [documents]
    bad = differ("JSON", want, [s for log in documents for s in of_json(log)])
    bad |= differ("CSV", want, list(of_csv(run(parser, "--show-incomplete", "--csv", *logs))))
    print(len(want), "segments")
    sys.exit(bad)


main()
