#!/usr/bin/env python3
# steps.py - stops a program at every store to its survival file and makes a log of each
# SPDX-License-Identifier: BSD-3-Clause
"""steps.py VISITS MOST work|end

Runs test/faults/victim.c for VISITS files under test/faults/step.c, while it works, or, as the child of an instrumented
shell, from the end of its work to that of the process. Then puts the copies of its survival file one by one where the
program would have left them (evenly chosen ones, if there are more than MOST) and lets darshan-recover make a log of
each. Its counters must lie between what the ledger of the same moment says had ended and what it says had begun; at the end,
where nothing is counted any more, all that are no times must be the same in all logs, heat maps among them.

Environment: as faults.py, and FAULTS_STEP (step)."""

import os
import shutil
import subprocess
import sys
import tempfile

from faults import Ledger, Log, LogError, compare, PATIENCE

NUMBER = "7"  # one that has no children


def run(directory, visits, seed, part):
    environment = dict(os.environ, DARSHAN_LOGPATH=directory + "/logs", DARSHAN_MMAP_LOGPATH=directory + "/survival",
                       DARSHAN_LOGFILE=directory + "/log.darshan")
    for name in ("data", "logs", "survival", "out"):
        os.mkdir(os.path.join(directory, name))
    recorded = ["env", "LD_PRELOAD=" + os.environ["FAULTS_PRELOAD"], "DARSHAN_ENABLE_NONMPI=1"]
    command = [os.environ["FAULTS_STEP"], "%s/survival/darshan-%d" % (directory, os.geteuid()),
               directory + "/data/ledger." + NUMBER, directory + "/out", *recorded, "VICTIM_STEPS=" + part,
               os.environ["FAULTS_TREE"], directory + "/data", str(seed), str(visits), NUMBER]
    if part == "end":
        command = [*recorded, "sh", "-c", '"$@"; exit $?', "sh", "env", "-u", "LD_PRELOAD", *command]
    subprocess.run(command, env=environment, check=True, timeout=30 * PATIENCE)
    return environment


def counted(logs):
    """All counters of all records but times, in an order of their own."""
    records = [r for log in logs for r in log.records] + [r for log in logs for _, found in log.others for r in found]
    return sorted((r["module"], r["name"], sorted((name, str(value)) for name, value in r["counters"].items()
                                                  if "_F_" not in name)) for r in records)


def check(directory, environment, n, name):
    """How many counters were compared, what is wrong with copy n, in sentences, and what is in its log."""
    survival = "%s/survival/darshan-%d" % (directory, os.geteuid())
    log = directory + "/log.darshan"
    for left in os.listdir(survival):
        os.unlink(os.path.join(survival, left))
    if os.path.exists(log):
        os.unlink(log)
    os.rename("%s/out/%d.survival" % (directory, n), os.path.join(survival, name))
    done = subprocess.run([os.environ["FAULTS_RECOVER"], "--quiet"], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE)
    ledger = Ledger("%s/out/%d.ledger" % (directory, n))
    if done.returncode != 0 or done.stderr:
        return 0, ["darshan-recover: exit status %d: %s" % (done.returncode, done.stderr.strip())], []
    try:
        logs = [Log(log)] if os.path.exists(log) else []
    except LogError as error:
        return 0, [str(error)], []
    compared, wrong = compare(logs, [Ledger("")] * int(NUMBER) + [ledger])
    wrong += ["left behind: " + left for left in os.listdir(survival)]
    return compared, wrong, counted(logs)


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in ("work", "end"):
        sys.exit(__doc__)
    visits, most = int(sys.argv[1]), int(sys.argv[2])
    directory = tempfile.mkdtemp(prefix="darshan-steps.")
    environment = run(directory, visits, int(os.environ.get("FAULTS_SEED", "1")), sys.argv[3])
    with open(directory + "/out/name") as f:
        name = f.read().strip()
    there = sum(f.endswith(".survival") for f in os.listdir(directory + "/out"))
    chosen = range(there) if there <= most else [i * there // most for i in range(most)]
    counters = failed = 0
    first = None
    for n in chosen:
        compared, wrong, found = check(directory, environment, n, name)
        first = found if n == 0 else first
        if sys.argv[3] == "end" and found != first:
            wrong.append("not what the first copy has: %s" % [r for r in found if r not in first])
        counters += compared
        failed += bool(wrong)
        for sentence in wrong[:3]:
            print("# copy %d: %s" % (n, sentence))
    print("%d copies recovered, %d counters compared, %d copies failed" % (len(chosen), counters, failed))
    if not failed:
        shutil.rmtree(directory, ignore_errors=True)
    return 1 if failed or not counters else 0


if __name__ == "__main__":
    sys.exit(main())
