#!/usr/bin/env python3
# faults.py - kills programs at random moments and holds what is recovered against the programs' own ledgers
# SPDX-License-Identifier: BSD-3-Clause
"""faults.py KILLS [SCENARIO]...

Runs test/faults/victim.c in the scenarios of the table below until KILLS processes have been killed, each scenario its
share, and prints a table. After each job darshan-recover makes the logs that the job could not make. Then all counters
of all files of all ranks must lie between what the ledger says had ended and what it says had begun; nothing may be left
behind; and a log that was recovered says how many of its processes were killed.

Environment: FAULTS_PRELOAD (libdarshan.so), FAULTS_RECOVER (darshan-recover), FAULTS_TREE (victim without MPI),
FAULTS_OPENMPI and FAULTS_MPICH ("mpirun ... victim"; with _GO_ON behind it: one that leaves the others running when a
rank is killed), FAULTS_SEED, FAULTS_KEEP (what has failed is not
removed), TMPDIR."""

import collections
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "decode"))
from darshan_log import Log, LogError  # noqa: E402

RANKS, FILES, STDIO, SHARED, COUNTERS = 8, 40, 24, 32, 5
NAMES = {"POSIX": ["OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"]}
NAMES["STDIO"] = NAMES["POSIX"]
LEDGER = struct.Struct("=%dq" % (2 + FILES * 2 * COUNTERS))
WORKING, ENDING = 2, 3
PATIENCE = 60  # seconds that anything may take
LIMIT = 4  # DARSHAN_FINALIZE_TIMEOUT where others go on
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # for survival files; what is below /dev is not recorded


class Scenario:
    """MPI: None or whose; WHEN: the state of the ledgers from which time is counted; LATEST: seconds after that, at the
    most; WHO: all or one; TERM: SIGTERM comes first; GO_ON: mpirun leaves the others alone; TOGETHER: all ranks write the
    log."""

    def __init__(self, name, share, mpi, when, latest, who="all", term=False, go_on=False, together=False):
        self.name, self.share, self.mpi, self.when, self.latest = name, share, mpi, when, latest
        self.who, self.term, self.go_on, self.together = who, term, go_on, together

    def command(self):
        if self.mpi is None:
            return [os.environ["FAULTS_TREE"]]
        return os.environ.get("FAULTS_" + self.mpi.upper() + ("_GO_ON" if self.go_on else ""), "").split()

    def environment(self):
        own = {}
        if self.mpi is None:
            own.update(LD_PRELOAD=os.environ["FAULTS_PRELOAD"], DARSHAN_ENABLE_NONMPI="1")
        if self.go_on:
            own.update(DARSHAN_FINALIZE_TIMEOUT=str(LIMIT))
        if self.together:
            own.update(DARSHAN_GATHERMEM="0", DARSHAN_WRITERS="1000")
        return own


SCENARIOS = [
    Scenario("tree", 30, None, 0, 0.12),
    Scenario("tree-one", 6, None, 1, 0.08, who="one"),
    Scenario("tree-start", 14, None, 0, 0.02),
    Scenario("tree-end", 14, None, ENDING, 0.01),
    Scenario("tree-term", 8, None, WORKING, 0.05, term=True),
]
for _mpi in ("openmpi", "mpich"):
    SCENARIOS += [
        Scenario(_mpi, 5, _mpi, WORKING, 0.12),
        Scenario(_mpi + "-one", 1, _mpi, WORKING, 0.1, who="one"),
        Scenario(_mpi + "-init", 3, _mpi, 1, 0.4),
        Scenario(_mpi + "-end", 4, _mpi, ENDING, 0.05),
        Scenario(_mpi + "-end-one", 1, _mpi, ENDING, 0.08, who="one", go_on=True),
        Scenario(_mpi + "-end-io", 1, _mpi, ENDING, 0.08, who="one", go_on=True, together=True),
        Scenario(_mpi + "-term", 2, _mpi, WORKING, 0.05, term=True),
    ]

# ---- one job


class Ledger:
    def __init__(self, path):
        try:
            with open(path, "rb") as f:
                data = f.read()
        except FileNotFoundError:
            data = b""
        fields = LEDGER.unpack(data) if len(data) == LEDGER.size else (0,) * (2 + FILES * 2 * COUNTERS)
        self.pid, self.state = fields[:2]
        self.file = [(fields[i:i + COUNTERS], fields[i + COUNTERS:i + 2 * COUNTERS])
                     for i in range(2, len(fields), 2 * COUNTERS)]


def runs(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return fields[0] not in "ZX" or int(fields[17]) > 1  # its other threads may still be ending
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def wait_until(condition, seconds=PATIENCE, nap=0.001):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(nap)
    return True


class Job:
    def __init__(self, scenario, directory, seed):
        self.scenario, self.directory, self.random = scenario, directory, random.Random(seed)
        self.data, self.logs = (os.path.join(directory, d) for d in ("data", "logs"))
        self.survival = tempfile.mkdtemp(prefix="darshan-faults.", dir=MEMORY)
        os.mkdir(self.data)
        self.found_before = []
        for t in (time.time(), time.time() + 600):  # midnight may come
            os.makedirs(os.path.join(self.logs, time.strftime("%Y/%-m/%-d", time.localtime(t))), exist_ok=True)
        self.environment = dict(os.environ, DARSHAN_LOGPATH=self.logs, DARSHAN_MMAP_LOGPATH=self.survival)
        environment = dict(self.environment, **scenario.environment())
        visits = 30 if scenario.when == ENDING else 4000
        with open(os.path.join(directory, "err"), "wb") as err:
            self.process = subprocess.Popen(scenario.command() + [self.data, str(seed), str(visits)], env=environment, stdout=err,
                                            stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)

    def ledgers(self):
        return [Ledger(os.path.join(self.data, "ledger.%d" % rank)) for rank in range(RANKS)]

    def strike(self):
        """Kills at the moment that the scenario asks for; returns how many processes that hit."""
        s = self.scenario
        if s.when:
            wait_until(lambda: self.process.poll() is not None or
                       sum(ledger.state >= s.when for ledger in self.ledgers()) >= self.random.choice((1, 4, 8)))
        if s.go_on:  # one that is killed in MPI_Init may not have said yet who it is: the others wait there until the limit
            wait_until(lambda: self.process.poll() is not None or
                       all(ledger.state >= WORKING for ledger in self.ledgers()))
        time.sleep(self.random.uniform(0, s.latest))
        pids = [ledger.pid for ledger in self.ledgers() if ledger.pid]
        if s.who == "one":
            return int(bool(pids) and kill(self.random.choice(pids), signal.SIGKILL))
        if s.term:
            for pid in pids:
                kill(pid, signal.SIGTERM)
            time.sleep(self.random.uniform(0, 0.02))
        self.random.shuffle(pids)
        hit = sum(runs(pid) and kill(pid, signal.SIGKILL) for pid in pids)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
            hit += not pids
        except ProcessLookupError:
            pass
        return hit

    def waits(self):
        """Whether a rank still has a survival file: it has not come back from the end of the tool's own work."""
        pids = [int(f.rsplit("-", 1)[1].split(".")[0]) for _, _, files in os.walk(self.survival) for f in files
                if f.endswith(".survival")]
        return any(runs(pid) for pid in pids)

    def go_on(self):
        """Those that go on may wait for the one that was killed until the limit, not longer. What MPI does then, which may
        wait for it for ever, is not looked at."""
        in_time = wait_until(lambda: self.process.poll() is not None or not self.waits(), 2 * LIMIT + 20)
        for pid in self.members():
            kill(pid, signal.SIGKILL)
        return in_time

    def settle(self):
        """Waits until nothing of the job runs."""
        if self.scenario.go_on and not self.go_on():
            return "the others waited for longer than the limit"
        if not wait_until(lambda: self.process.poll() is not None):
            return "it did not end"
        over = wait_until(lambda: not any(runs(pid) for pid in self.members()))
        return None if over else "a process did not end"

    def members(self):
        """All that may run: those with ledgers, and those that had no time to begin one."""
        pids = [ledger.pid for ledger in self.ledgers() if ledger.pid]
        session = subprocess.run(["ps", "-o", "pid=", "-s", str(self.process.pid)], capture_output=True, text=True)
        return pids + [int(pid) for pid in session.stdout.split()]

    def recover(self):
        for directory, _, files in os.walk(self.survival):  # those of ranks that are gone stay for a minute
            for name in files:
                if name.endswith(".ranks"):
                    os.utime(os.path.join(directory, name), (0, 0))
        return subprocess.run([os.environ["FAULTS_RECOVER"], "--quiet"], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)

    def found_logs(self):
        return [os.path.join(d, f) for d, _, files in os.walk(self.logs) for f in files if f.endswith(".darshan")]

    def left(self):
        return [f for d, _, files in os.walk(self.survival) for f in files] + \
            [f for _, _, files in os.walk(self.logs) for f in files if not f.endswith(".darshan")]


# ---- what must hold


def counters_of(logs):
    """(module, file's base name) -> sums of its counters, and the ranks of its records with the log"""
    sums, owners = collections.defaultdict(lambda: [0] * COUNTERS), collections.defaultdict(set)
    for number, log in enumerate(logs):
        for record in log.records:
            if record["module"] in NAMES and record["name"]:
                key = (record["module"], os.path.basename(record["name"]))
                owners[key].add((number, record["rank"]))
                for i, name in enumerate(NAMES[record["module"]]):
                    sums[key][i] += record["counters"]["%s_%s" % (record["module"], name)]
    return sums, owners


def bounds_of(ledgers):
    """(module, file's base name) -> [what has ended, what had begun]"""
    bounds = {}
    for rank, ledger in enumerate(ledgers):
        for number, (begun, ended) in enumerate(ledger.file):
            name = "shared.%d" % number if number >= SHARED else "own.%d.%d" % (rank, number)
            key = ("STDIO" if STDIO <= number < SHARED else "POSIX", name)
            low, high = bounds.setdefault(key, ([0] * COUNTERS, [0] * COUNTERS))
            for i in range(COUNTERS):
                low[i] += ended[i]
                high[i] += max(begun[i], ended[i])
    return bounds


def compare(logs, ledgers):
    """Returns (counters compared, sentences)."""
    sums, owners = counters_of(logs)
    bounds = bounds_of(ledgers)
    wrong = []
    for key, (low, high) in bounds.items():
        found = sums.get(key, [0] * COUNTERS)
        wrong += ["%s %s: %d is not between %d and %d" % (key[1], NAMES[key[0]][i], found[i], low[i], high[i])
                  for i in range(COUNTERS) if not low[i] <= found[i] <= high[i]]
        if key[1].startswith("own") and len(owners.get(key, ())) > 1:
            wrong.append("%s belongs to several ranks: %s" % (key[1], sorted(owners[key])))
    for rank, _ in enumerate(ledgers):
        ranks = {o for key, of in owners.items() if key[1].startswith("own.%d." % rank) for o in of}
        if len(ranks) > 1:
            wrong.append("rank %d has become several: %s" % (rank, sorted(ranks)))
    wrong += ["%s is a file of nobody" % key[1] for key in sums if key not in bounds and key[1].startswith("own.")]
    return len(bounds) * COUNTERS, wrong


def inspect(job, row):
    """Sentences about what is not as it must be."""
    wrong = []
    by_itself = len(job.found_logs())
    done = job.recover()
    paths = job.found_logs()
    row["own logs"] += by_itself
    row["recovered"] += len(paths) - by_itself
    if done.returncode != 0 or done.stderr:
        wrong.append("darshan-recover: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    if sorted(done.stdout.split()) != sorted(set(paths) - set(job.found_before)):
        wrong.append("darshan-recover printed %r" % done.stdout)
    logs = []
    for path in paths:
        try:
            logs.append(Log(path))
            logs[-1].path = path
        except (LogError, OSError, struct.error) as error:
            wrong.append("%s: %s" % (path, error))
    ledgers = job.ledgers()
    n, differences = compare(logs, ledgers)
    row["ranks"] += sum(any(any(begun) or any(ended) for begun, ended in ledger.file) for ledger in ledgers)
    row["counters"] += n
    row["outside"] += len(differences)
    wrong += differences
    if job.left():
        row["leftovers"] += len(job.left())
        wrong.append("left behind: %s" % " ".join(job.left()))
    for log in logs:
        if log.path in done.stdout.split():
            killed = sum(process["state"] == "killed" for process in log.extension.get("processes", []))
            if dict(log.metadata).get("recovered", "0") != str(killed):
                wrong.append("%s: %d processes were killed" % (log.path, killed))
    return wrong


# ---- the campaign

COLUMNS = ["jobs", "killed", "own logs", "recovered", "ranks", "counters", "outside", "leftovers", "failed"]


def one(scenario, seed, row, keep):
    directory = tempfile.mkdtemp(prefix="darshan-faults.")
    job = Job(scenario, directory, seed)
    try:
        hit = job.strike()
        trouble = job.settle()
        job.found_before = job.found_logs()
        wrong = [trouble] if trouble else inspect(job, row)
    finally:
        if job.process.poll() is None:
            os.killpg(job.process.pid, signal.SIGKILL)
            job.process.wait()
    row["jobs"] += 1
    row["killed"] += hit
    row["failed"] += bool(wrong)
    for sentence in wrong[:6]:
        print("# %s, seed %d: %s" % (scenario.name, seed, sentence), flush=True)
    if wrong and keep:
        print("# kept: %s %s" % (directory, job.survival), flush=True)
    else:
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(job.survival, ignore_errors=True)


def table(rows):
    lines = [["scenario"] + COLUMNS] + [[name] + [str(row[c]) for c in COLUMNS] for name, row in rows.items()]
    total = collections.Counter()
    for row in rows.values():
        total.update(row)
    lines.append(["all"] + [str(total[c]) for c in COLUMNS])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(text.rjust(w) if i else text.ljust(w) for i, (text, w) in enumerate(zip(line, widths))).rstrip())
    return total


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted = [s for s in SCENARIOS if (not sys.argv[2:] or s.name in sys.argv[2:]) and
              (s.mpi is None or s.command())]
    seed = int(os.environ.get("FAULTS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 40)
    print("# seed %d" % seed, flush=True)
    rows = {}
    for scenario in wanted:
        row = rows[scenario.name] = collections.Counter()
        goal = int(sys.argv[1]) * scenario.share / sum(s.share for s in wanted)
        while row["killed"] < goal and row["jobs"] < 20 + 2 * goal:
            one(scenario, seed, row, keep=bool(os.environ.get("FAULTS_KEEP")))
            seed += 1
    total = table(rows)
    return 1 if total["failed"] or not total["killed"] else 0


if __name__ == "__main__":
    sys.exit(main())
