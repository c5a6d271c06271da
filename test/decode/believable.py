#!/usr/bin/env python3
# believable.py - reports of any logs whose figures could not be true
# SPDX-License-Identifier: BSD-3-Clause
"""believable.py SUMMARY LOG...: has each log reported, and prints what cannot be: a rank that does I/O for longer than it runs,
parts that do not add up, a mean above the slowest, a rate over time that did not pass, a share above 100 %."""

import json
import re
import subprocess
import sys

ROOM = 1 + 1e-6


def at_most(what, value, bound, bad):
    if value is not None and bound is not None and value > bound * ROOM + 1e-9:
        bad.append("%s is %.9g, more than %.9g" % (what, value, bound))


def check_times(d, bad):
    run, answer = d["job"]["run_seconds"], d["answer"]
    seconds = answer["seconds"]
    for name in ("slowest", "slowest_at_least", "in_turn", "mean", "slowest_at_storage"):
        at_most("seconds." + name, seconds[name], run, bad)
    at_most("the mean", seconds["mean"], seconds["slowest"], bad)
    at_most("the slowest", seconds["slowest"], seconds["in_turn"], bad)
    at_most("the lower bound", seconds["slowest_at_least"], seconds["slowest"], bad)
    for who in ("slowest", "mean"):
        parts = [seconds.get(who + "_" + part) for part in ("read", "write", "metadata")]
        waiting = answer["slowest_run"]["waiting"] if who == "slowest" else seconds["mean_waiting"]
        if None not in parts + [waiting]:
            whole = sum(parts) + waiting
            # of the slowest rank the parts lie between its bounds
            if not seconds["slowest_at_least" if who == "slowest" else "mean"] / ROOM - 1e-9 <= whole * (1.02 if who == "slowest" else 1):
                bad.append("parts of %s add up to %.9g, less than the whole %.9g" % (who, whole, seconds[who]))
            at_most("the sum of parts of " + who, whole, seconds[who], bad)
    for name, share in answer["share_of_run_time"].items():
        at_most("share_of_run_time." + name, share, 1, bad)
    for name, value in list(answer["run"].items()) + list(answer["slowest_run"].items()):
        at_most("run." + name, value, run, bad)
    moved = (answer["bytes_read"] + answer["bytes_written"]) / 1048576
    for m in d["modules"]:
        at_most("slowest rank of %s" % m["module"], m["slowest_rank_seconds"], run, bad)
    for rank in d["ranks"]["slowest"]:
        for name in ("seconds", "waited_at_least_seconds", "waited_at_most_seconds"):
            at_most("rank %d: %s" % (rank["rank"], name), rank[name], run, bad)
    for bins in (d["ranks"]["bins"][k] for k in ("slowest_seconds", "waited_at_most_seconds", "read_seconds")):
        for value in bins:
            at_most("a bin of ranks", value, run, bad)
    for f in d["findings"]:
        at_most("finding %s" % f["id"], f["at_most_seconds"], run, bad)
        at_most("finding %s" % f["id"], f["at_most_seconds"], max(seconds["in_turn"] or 0, seconds["slowest_at_storage"] or 0), bad)
        at_most("finding %s saves" % f["id"], f["saveable_seconds"], f["at_most_seconds"], bad)
        at_most("finding %s, share" % f["id"], f["saveable_share"], 1, bad)
    rate, time = answer["mib_per_second"], seconds["slowest_at_storage"]
    if rate is not None and time is not None:
        at_most("bytes by the rate", rate * time, moved + 1e-6, bad)


def check_words(text, bad):
    for number in re.findall(r"([\d.e+]+)(?:-[\d.]+)? %", text):
        if float(number) > 100:
            bad.append("%s %% is said" % number)
    for word in ("nan", "inf ", "-nan", "e+"):
        if re.search(r"(?<![a-z])" + re.escape(word), text.split("Job ")[0].lower()):
            bad.append("'%s' is said" % word)


def main():
    wrong = 0
    for log in sys.argv[2:]:
        bad = []
        made = subprocess.run([sys.argv[1], "--json", log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        screen = subprocess.run([sys.argv[1], log], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if made.stdout:
            check_times(json.loads(made.stdout.decode()), bad)
            check_words(re.sub(r"(?m)^(Job|Slowest file) .*$", "", screen.stdout.decode("utf-8", "replace")), bad)
        elif made.returncode == 0:
            bad.append("no report")
        for line in bad:
            print("%s: %s" % (log, line))
        wrong += bool(bad)
    return 1 if wrong else 0


sys.exit(main())
