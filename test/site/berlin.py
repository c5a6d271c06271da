#!/usr/bin/env python3
# berlin.py - a site in Berlin's time of which everything is known: its answers, computed twice
# SPDX-License-Identifier: BSD-3-Clause
"""berlin.py ACCOUNTING DATABASE DIRECTORY [SEED [local]]: like truth.py, another site. `local`: times of sadf are local ones.

In it: two machines that have the same job numbers, used by the same person at the same time; jobs that were requeued on their
number, arrays, heterogeneous jobs whose components differ; users without an entry in the password database, some of whom the
scheduler's list has no uid of; jobs in the hour that autumn repeats, and over the end of a month in local time; process ids that are
jobs' numbers; processes of which some ran beside each other; STDIO, MPI-IO, empty files, standard input; samples of sadf, of iostat
and of a list; a maintenance; names with commas, quotes, bars and umlauts."""

import collections
import csv
import datetime
import json
import os
import random
import shutil
import sys
import time
from types import SimpleNamespace

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
import makelog
from asking import GIB, MIB, TIB, Asking, gaps_of, grouped, idle_periods, minutes_of, percent, power, total

DIRECTORY = os.path.realpath(sys.argv[3])
rnd = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 7)
SADF_IS_LOCAL = "local" in sys.argv[5:]
asking = Asking(sys.argv[1], sys.argv[2])
compare, run = asking.compare, asking.run

os.environ["TZ"] = "Europe/Berlin"
time.tzset()


def utc(*when):
    return int(datetime.datetime(*when, tzinfo=datetime.timezone.utc).timestamp())


local = lambda t: datetime.datetime.fromtimestamp(t, datetime.timezone.utc).astimezone()
iso = lambda t: local(t).strftime("%Y-%m-%dT%H:%M:%S")
month = lambda t: local(t).strftime("%Y-%m")
day = lambda t: local(t).strftime("%Y-%m-%d")


def monday(t):
    date = local(t).date()
    return (date - datetime.timedelta(days=date.weekday())).isoformat()


FIRST = utc(2026, 10, 1)  # two months; summer time ends on 2026-10-25 at 01:00 UTC
MACHINES = ALPHA, ZWEI = "alpha", "zwei, ü"
LOGS_OF = {ALPHA: "alpha", ZWEI: "zwo"}  # directories
USERS = {81000 + i: name for i, name in enumerate(("anna", "bob.x", "çelik", "d'arc", "e_5"))}
STRANGER = 81999
ACCOUNTS = "klima", "kern-2", "öko", "x"  # x is in no list
PROJECTS = {"klima": ('Klima, "Größe" 2', "Erde, Luft"), "kern-2": ("Kern", "Physik"), "öko": ("Ökologie|Meer", "")}


# ---------------------------------------------------------------- logs

logs, jobs = [], []


def put_log(machine, jobid, uid, start, end, program, nprocs, nodes, files, spans=None, says_pid=False, partial=0, exe=None, stdin=0):
    """spans: when each process of a tree ran; stdin: bytes read there."""
    number = len(logs) + 1
    logs.append(SimpleNamespace(
        number=number, machine=machine, jobid=jobid, uid=uid, start=start, end=end, program=program, nprocs=nprocs, nodes_in_log=nodes,
        files=files, spans=spans, says_pid=says_pid, partial=partial, exe=exe or "/opt/ü/%s -n %d" % (program, number % 3), stdin=stdin,
        job=None, path="%s/l/%s/%s_%d.darshan" % (DIRECTORY, LOGS_OF[machine], program, number)))
    return logs[-1]


def a_file(name, ranks, module="POSIX", mpiio=False):
    """ranks: {rank, -1 for all: (bytes read, written, seconds of each rank, was read first)}."""
    return SimpleNamespace(name=name, module=module, ranks=ranks, mpiio=mpiio)


def files_of(program, nprocs, number):
    size = lambda: rnd.randrange(1, 900) * MIB + rnd.randrange(1000)
    seconds = lambda: rnd.randrange(1, 400) / 16
    if program == "ocean":  # each rank has a file of its own
        return [a_file("/w/o%d.%d" % (number, rank), {rank: (size() if rnd.random() < .3 else 0, size(), seconds(), rnd.random() < .5)},
                       "STDIO") for rank in range(nprocs)]
    if program == "qcd":  # all share one through MPI-IO; the first reads a configuration
        return [a_file("/w/q%d" % number, {-1: (0, nprocs * size(), seconds(), False)}, mpiio=True),
                a_file("/w/cfg", {0: (4096, 0, .25, True)}, "STDIO")]
    if program == "genom":  # some share one; another is only opened
        return [a_file("/w/g%d" % number, {rank: (size(), 0, seconds(), True) for rank in range(max(2, nprocs // 2))}),
                a_file("/w/empty%d" % number, {0: (0, 0, .125, False)})]
    if program == "make":
        return [a_file("/w/src%d.%d" % (number, rank), {rank: (size() // 100, size() // 100, rnd.randrange(1, 60) / 16, True)})
                for rank in range(1, nprocs)]
    return [a_file("/w/s%d" % number, {0: (size(), size(), seconds(), True)})]


def spans_of_tree(nprocs, start, end):
    """The shell's, and of its commands, of which some run beside each other."""
    spans, at = [(start, end)], start + 1.0
    for _ in range(1, nprocs):
        length = rnd.randrange(2, 20) * .5
        spans.append((min(at, end - .5), min(at + length, end)))
        at += length * rnd.choice([1, 1, .5, 1.25])
    return spans


def records_of(log, ident, file):
    for rank, (read, written, seconds, is_read_first) in file.ranks.items():
        many = log.nprocs if rank < 0 else 1
        both = (read > 0) + (written > 0)
        values = {"BYTES_READ": read, "BYTES_WRITTEN": written, "READS": (read + 999999) // 1000000,
                  "WRITES": (written + 999999) // 1000000, "OPENS": many}
        if file.module == "POSIX":
            values.update(SIZE_READ_100K_1M=values["READS"], SIZE_WRITE_1M_4M=values["WRITES"], MAX_BYTE_READ=max(read - 1, 0),
                          MAX_BYTE_WRITTEN=max(written - 1, 0))
        if read:
            values.update(F_READ_TIME=seconds * many / both, F_READ_START_TIMESTAMP=1.0 if is_read_first else 5.0)
        if written:
            values.update(F_WRITE_TIME=seconds * many / both, F_WRITE_START_TIMESTAMP=2.0)
        if not both:
            values.update(F_META_TIME=seconds * many)
        extremes = {"F_SLOWEST_RANK_TIME": seconds, "F_FASTEST_RANK_TIME": seconds, "SLOWEST_RANK": 1 % log.nprocs}
        if rank < 0:
            values.update(extremes, SLOWEST_RANK_BYTES=(read + written) // log.nprocs)
        yield [file.module, ident, rank, {"%s_%s" % (file.module, k): v for k, v in values.items()}]
        if file.mpiio:
            values = dict(extremes, COLL_OPENS=many, BYTES_READ=read, BYTES_WRITTEN=written, COLL_WRITES=1, F_WRITE_TIME=seconds * many)
            yield ["MPI-IO", ident, rank, {"MPIIO_" + k: v for k, v in values.items()}]


def write_log(log):
    names = {str(i): file.name for i, file in enumerate(log.files, 1)}
    records = [r for i, file in enumerate(log.files, 1) for r in records_of(log, i, file)]
    if log.stdin:
        names["900000"] = "<STDIN>"
        records.append(["STDIO", 900000, 0, {"STDIO_BYTES_READ": log.stdin, "STDIO_READS": 10, "STDIO_OPENS": 1, "STDIO_F_READ_TIME": 30.0}])
    out = {"jobid": log.jobid, "uid": log.uid, "start": log.start, "end": log.end, "nprocs": log.nprocs, "exe": log.exe,
           "metadata": ("nnodes=%d\n" % log.nodes_in_log if log.nodes_in_log else "") + ("jobid_from=pid\n" if log.says_pid else ""),
           "partial": log.partial, "names": names, "records": records}
    if log.spans:
        out["processes"] = "".join("%d\t%d\t%d\t%.6f\t%.6f\tended\t/bin/x\n" % (rank, 500 + rank, 500 if rank else 1, begin, end)
                                   for rank, (begin, end) in enumerate(log.spans))
    makelog.write(out, log.path)


# ---------------------------------------------------------------- jobs

last_jobid = dict.fromkeys(MACHINES, 40)


def put_job(machine, start, length, **differing):
    last_jobid[machine] += rnd.randrange(1, 3)
    uid = rnd.choice(sorted(USERS))
    nodes, cores = rnd.choice([(1, 8), (2, 64), (6, 192), (16, 512)])
    jobid = last_jobid[machine]
    job = dict(machine=machine, jobid=jobid, shown=str(jobid), leader=jobid, uid=uid, user=USERS[uid], account=rnd.choice(ACCOUNTS),
               state="COMPLETED", nodes=nodes, cores=cores, start=start, end=start + length, ran=True, tells_uid=rnd.random() < .6)
    job.update(differing)
    jobs.append(SimpleNamespace(**job, cpu=job["cores"] * (job["end"] - job["start"]), logs=[]))
    return jobs[-1]


def same_owner(job):
    return {"uid": job.uid, "user": job.user, "tells_uid": job.tells_uid}


def put_logs(job, runs=1, program=None):
    width = (job.end - job.start) // runs
    for i in range(runs):
        what = program or rnd.choice(["ocean", "qcd", "genom", "make", "serial"])
        nprocs = 1 if what == "serial" else rnd.choice([2, 3, 8, 24])
        start = job.start + i * width + rnd.randrange(0, 9)
        end = min(max(start + 40, job.start + (i + 1) * width - rnd.randrange(0, 30)), job.end + 50)
        log = put_log(job.machine, job.leader, job.uid, start, end, what, nprocs, 1 if what == "make" else rnd.choice([None, 1, 2]),
                      files_of(what, nprocs, len(logs) + 1), spans_of_tree(nprocs, start, end) if what == "make" else None,
                      partial=2 if rnd.random() < .1 else 0, stdin=rnd.choice([0, 0, 0, 3 * GIB]))
        log.job = job
        job.logs.append(log)


def put_job_of_kind(machine, kind):
    job = put_job(machine, FIRST + rnd.randrange(58 * 86400), rnd.randrange(100, 30000))
    if kind == "no log":
        return
    if kind == "pending":
        job.state, job.ran, job.start, job.end, job.cpu = "PENDING", False, None, None, 0
    elif kind == "requeued":  # both runs have logs, and the number is the same
        job.state = "NODE_FAIL"
        put_logs(job)
        put_logs(put_job(machine, job.end + 300, rnd.randrange(100, 3000), jobid=job.jobid, shown=job.shown, leader=job.leader, cores=128,
                         nodes=4, **same_owner(job)), 2)
    elif kind == "array":
        for task in range(3):
            of_task = put_job(machine, job.start, rnd.randrange(100, 900), account=job.account, **same_owner(job))
            of_task.shown = "%d_%d" % (job.jobid, task)
            if task:
                put_logs(of_task)
        job.shown = "%d_%d" % (job.jobid, 9)
    elif kind == "heterogeneous":  # programs of both components know the job by the number of the first
        put_job(machine, job.start, job.end - job.start, jobid=job.jobid + 1, leader=job.jobid, shown="%d+1" % job.jobid, account=job.account,
                **same_owner(job))
        last_jobid[machine] = max(last_jobid[machine], job.jobid + 1)
        job.shown = "%d+0" % job.jobid
        put_logs(job)
    elif kind == "serial":
        put_logs(job, 3, "serial")
    else:
        put_logs(job)


def put_jobs_of_autumn(machine):
    """Over the end of summer time, in the hour that is repeated, its first and its second time; over the end of a month that is
    local only."""
    put_logs(put_job(machine, utc(2026, 10, 31, 22, 30), 3 * 3600), 1, "qcd")
    for hour, minute, length in (0, 10, 7200), (0, 30, 1200), (1, 20, 1500), (0, 45, 1800):
        put_logs(put_job(machine, utc(2026, 10, 25, hour, minute), length), 1, "ocean")


def put_process_ids():
    """Logs without a scheduler, whose process id is a job's number: the log says so; of another user; of the same, at another time."""
    for i in range(12):
        job = rnd.choice([j for j in jobs if j.ran and j.logs])
        files = files_of("serial", 1, 9000 + i)
        if i % 3 == 0:
            put_log(job.machine, job.jobid, job.uid, job.start + 5, job.start + 100, "serial", 1, None, files, says_pid=True)
        elif i % 3 == 1:
            log = put_log(job.machine, job.jobid, STRANGER, job.start + 5, job.start + 100, "serial", 1, 1, files)
            # A user whose uid no line of the list has may be anybody: then the time alone decides.
            if not any(j.tells_uid for j in jobs if j.machine == job.machine and j.user == job.user):
                log.job = next(j for j in jobs if (j.machine, j.jobid, j.start) == (job.machine, job.jobid, job.start))
        else:
            start = job.end + 90000 * (i + 1)
            put_log(job.machine, job.jobid, job.uid, start, start + 50, "serial", 1, 1, files)


def make_site():
    kinds = "no log", "pending", "requeued", "array", "heterogeneous", "serial", "one", "one", "one"
    for machine in MACHINES:
        for i in range(45):
            put_job_of_kind(machine, kinds[i % len(kinds)])
        put_jobs_of_autumn(machine)
    for machine, account in zip(MACHINES, ACCOUNTS):  # number, owner and time are the same
        put_logs(put_job(machine, FIRST + 5000, 4000, jobid=7, shown="7", leader=7, uid=81000, user="anna", account=account))
    put_process_ids()
    put_log(ALPHA, 5, 81001, FIRST + 99, FIRST + 99, "nul", 4, 1, [], exe="nul")  # nothing, in no time
    put_logs(put_job(ALPHA, FIRST + 57 * 86400, 3600, state="RUNNING"))


def write_lists():
    with open(DIRECTORY + "/sacct", "w") as to:
        to.write("JobIDRaw|JobID|Cluster|User|UID|Account|State|NNodes|NCPUS|Start|End|CPUTimeRAW\n")
        line = lambda *fields: to.write("|".join(map(str, fields)) + "\n")
        for j in rnd.sample(jobs, len(jobs)):
            start, end = (iso(j.start), iso(j.end)) if j.ran else ("Unknown", "Unknown")
            line(j.jobid, j.shown, j.machine, j.user, j.uid if j.tells_uid else "", j.account, j.state, j.nodes, j.cores, start,
                 "Unknown" if j.state == "RUNNING" else end, j.cpu)
            if j.ran:
                line("%d.batch" % j.jobid, j.shown + ".batch", j.machine, "", "", j.account, "COMPLETED", 1, j.cores, start, end, 1)
    with open(DIRECTORY + "/accounts", "w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(["account", "project", "discipline"])
        rows.writerows([account, *project] for account, project in PROJECTS.items())


# ---------------------------------------------------------------- samples

SAMPLES_FROM, SAMPLES_TO = utc(2026, 10, 24, 12), utc(2026, 10, 26)
MAINTENANCE = [(utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 5), ALPHA), (utc(2026, 10, 25, 19), utc(2026, 10, 25, 20), "")]
is_stacked = lambda device: device.startswith(("dm-", "md"))


def make_samples():
    """Of servers whose samples have 10 s to 600 s; a device that consists of another is its server's only one, or not; two are silent
    for a time."""
    out = []
    rate = lambda t: 0 if t // 5400 % 4 == 0 else rnd.randrange(0, 5000) / 4
    for machine, host, length, devices, start, silent in (
            (ALPHA, "sA", 600, ["sda", "nvme0n1"], SAMPLES_FROM, (0, 0)),
            (ALPHA, "sB", 10, ["sda"], SAMPLES_TO - 4 * 3600, (0, 0)),
            (ALPHA, "sC", 300, ["sda", "dm-0"], SAMPLES_FROM, (0, 0)),
            (ALPHA, "sD", 90, ["sdq"], SAMPLES_FROM, (SAMPLES_FROM + 20000, SAMPLES_FROM + 56000)),
            (ZWEI, "sA", 60, ["md127"], SAMPLES_FROM, (SAMPLES_FROM + 3000, SAMPLES_FROM + 3600))):
        for end in range(start + length, SAMPLES_TO + 1, length):
            if silent[0] < end <= silent[1]:
                continue
            for device in devices:
                out.append(SimpleNamespace(machine=machine, host=host, device=device, end=end, seconds=length, read=rate(end),
                                           written=rate(end), busy=rnd.randrange(0, 101), wait=rnd.randrange(1, 99) / 4))
    return out


def write_json(name, host, statistics):
    with open(DIRECTORY + "/" + name, "w") as to:
        json.dump({"sysstat": {"hosts": [{"nodename": host, "statistics": statistics}]}}, to)


def write_sadf(samples, host, is_local):
    statistics = []
    for end, some in grouped([s for s in samples if (s.machine, s.host) == (ALPHA, host)], lambda s: s.end).items():
        when = local(end) if is_local else datetime.datetime.fromtimestamp(end, datetime.timezone.utc)
        statistics.append({
            "timestamp": {"date": when.strftime("%Y-%m-%d"), "time": when.strftime("%H:%M:%S"), "utc": int(not is_local),
                          "interval": some[0].seconds},
            "disk": [{"disk-device": s.device, "tps": 5.0, "rkB": s.read, "wkB": s.written, "await": s.wait, "util-percent": s.busy}
                     for s in some]})
    write_json(host + ".json", host, statistics)


def write_iostat(samples, host):
    """The first report of iostat is the mean since the server began: it is no sample."""
    stamp = lambda t: local(t).strftime("%Y-%m-%dT%H:%M:%S%z")
    statistics = [{"timestamp": stamp(SAMPLES_FROM),
                   "disk": [{"disk_device": "sda", "r/s": 1, "w/s": 1, "rkB/s": 99999.0, "wkB/s": 9.0, "util": 1}]}]
    for end, some in grouped([s for s in samples if s.host == host], lambda s: s.end).items():
        statistics.append({"timestamp": stamp(end), "disk": [
            {"disk_device": s.device, "r/s": 1.0, "w/s": 1.0, "rkB/s": s.read, "wkB/s": s.written, "r_await": s.wait, "w_await": s.wait,
             "util": s.busy} for s in some]})
    write_json(host + ".json", host, statistics)


def write_samples(samples):
    write_sadf(samples, "sA", SADF_IS_LOCAL)
    write_sadf(samples, "sB", False)
    write_iostat(samples, "sC")
    with open(DIRECTORY + "/samples", "w") as to:
        to.write("time,machine,host,device,seconds,read_kib,write_kib,busy_percent,await_ms\n")
        for s in samples:
            if s.host == "sD" or s.machine == ZWEI:
                to.write('%d,"%s",%s,%s,%d,%r,%r,%d,%r\n' % (s.end, s.machine, s.host, s.device, s.seconds, s.read * s.seconds,
                                                             s.written * s.seconds, s.busy, s.wait))
    with open(DIRECTORY + "/maintenance", "w") as to:  # MAINTENANCE, once with offsets of summer and winter, once in local time
        to.write('since,until,reason,machine\n2026-10-25T02:30:00+02:00,2026-10-25T06:00:00+01:00,"power, cooling",alpha\n'
                 "2026-10-25 20:00:00,2026-10-25 21:00:00,,\n")


# ---------------------------------------------------------------- what follows from a log, or a job

all_ranks = lambda log: [(file, rank, *values) for file in log.files for rank, values in file.ranks.items()]
bytes_read = lambda log: sum(v[2] for v in all_ranks(log)) + log.stdin
bytes_written = lambda log: sum(v[3] for v in all_ranks(log))
at_storage = lambda log: bytes_read(log) + bytes_written(log) - log.stdin  # standard input is elsewhere
was_written = lambda file: any(v[1] > 0 for v in file.ranks.values())
project_of_account = lambda account: PROJECTS[account][0] if account in PROJECTS else account
project_of = lambda log: project_of_account(log.job.account) if log.job else "unknown"
nodes_of = lambda log: log.nodes_in_log or (log.job.nodes if log.job else None)
user_of = lambda log: log.job.user if log.job else str(log.uid)
process_seconds = lambda log: sum(e - b for b, e in log.spans) if log.spans else (log.end - log.start) * log.nprocs


def discipline_of(log):
    return PROJECTS.get(log.job.account, ("", ""))[1] or "unknown" if log.job else "unknown"


def held_data(file):
    """It was read before it was written."""
    return any(v[0] for v in file.ranks.values()) and was_written(file) and any(v[3] for v in file.ranks.values())


def seconds_of_ranks(log):
    of = collections.Counter()
    for _, rank, _, _, seconds, _ in all_ranks(log):
        for k in range(log.nprocs) if rank < 0 else [rank]:
            of[k] += seconds
    return of


def passed(log):
    """Seconds of the slowest rank or, of a tree, the most that processes can have had which ran one after another."""
    of = seconds_of_ranks(log)
    best = max(of.values(), default=0)
    last = {}  # when a sequence ends: its seconds
    for begin, end, seconds in sorted((b, e, min(of[rank], e - b)) for rank, (b, e) in enumerate(log.spans or [])):
        sequence = seconds + max((v for t, v in last.items() if t <= begin), default=0)
        last[end] = max(last.get(end, 0), sequence)
    return max(best, *last.values(), 0) if last else best


def node_hours(log):
    return nodes_of(log) * (log.end - log.start) / 3600 if nodes_of(log) else None


def waited_node_hours(log):
    return nodes_of(log) * min(passed(log), log.end - log.start) / 3600 if nodes_of(log) else None


def rate_of(log):
    """MiB/s of a node; processes of a tree cannot have taken longer than they ran."""
    seconds = min(passed(log), log.end - log.start) if log.spans else passed(log)
    return at_storage(log) / MIB / seconds / nodes_of(log) if nodes_of(log) and seconds else None


def width_of(log):
    """Processes that ran at once."""
    changes = sorted([(b, 1) for b, _ in log.spans or []] + [(e, -1) for _, e in log.spans or []])
    now = most = 0
    for _, by in changes:
        now += by
        most = max(most, now)
    return most or log.nprocs


def sharing_of(log, file):
    if log.nprocs == 1:
        return "unique"
    return "shared" if -1 in file.ranks or len(file.ranks) >= log.nprocs else "partial" if len(file.ranks) > 1 else "unique"


def interface_of(file):
    return "MPIIO" if file.mpiio else file.module


def reason_of(log):
    if log.says_pid:
        return "no scheduler has named the job"
    if any(j.jobid == log.jobid for j in jobs):
        return "the job of that number has another owner, time or machine"
    return "no job of that number was imported"


def covered(some):
    """Components of a heterogeneous job are one job, and have its logs; runs of a requeued one have their own."""
    leaders = {(j.machine, j.leader) for j in jobs if j.logs}
    has_log = lambda j: bool(j.logs) if j.jobid == j.leader else (j.machine, j.leader) in leaders
    one = grouped(some, lambda j: (j.machine, j.leader))
    return {"jobs": len(one), "logged_jobs": sum(any(map(has_log, runs)) for runs in one.values()),
            "core_hours": sum(j.cpu for j in some) / 3600,
            "percent_of_core_hours": percent(sum(j.cpu for j in some if has_log(j)), sum(j.cpu for j in some))}


def quantile(values, q):
    values, at = sorted(values), q * (len(values) - 1)
    below = int(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


# ---------------------------------------------------------------- the questions

def compare_sums(some, ran, *options):
    tib_read = lambda ls: sum(map(bytes_read, ls)) / TIB
    tib_written = lambda ls: sum(map(bytes_written, ls)) / TIB
    nfiles = lambda ls: sum(len(l.files) for l in ls)
    compare("overall", [{
        "logs": len(some), "jobs": len({(l.machine, l.jobid) for l in some if not l.says_pid}), "users": len({l.uid for l in some}),
        "programs": len({l.program for l in some}), "files": nfiles(some), "tib_read": tib_read(some), "tib_written": tib_written(some),
        "process_hours": sum(map(process_seconds, some)) / 3600, "partial_logs": sum(l.partial > 0 for l in some),
        "logs_of_no_job": sum(not l.job for l in some), "machines": len({l.machine for l in some})}], ["logs"], *options)
    compare("users", [{"uid": uid, "user_name": USERS.get(uid) if any(l.job for l in ls) else str(uid), "logs": len(ls),
                       "bytes_read": sum(map(bytes_read, ls)), "files": nfiles(ls)}
                      for uid, ls in grouped(some, lambda l: l.uid).items()], ["uid"], *options)
    of_project = grouped(some, project_of)
    compare("projects", [{"project": p, "logs": sum(bool(l.files or l.stdin) for l in ls), "tib_read": tib_read(ls),
                          "tib_written": tib_written(ls)} for p, ls in of_project.items()], ["project"], *options)
    compare("written-files", [{"project": p, "files_written": sum(was_written(f) for l in ls for f in l.files),
                               "held_data": sum(held_data(f) for l in ls for f in l.files)} for p, ls in of_project.items()],
            ["project"], *options)
    compare("coverage", [covered(ran)], ["jobs"], *options)
    compare("project-coverage", [dict(covered(js), project=p) for p, js in grouped(ran, lambda j: project_of_account(j.account)).items()],
            ["project"], *options)
    compare("logs-of-no-job", [{"reason": r, "logs": len(ls), "bytes_read": sum(map(bytes_read, ls))}
                               for r, ls in grouped([l for l in some if not l.job], reason_of).items()], ["reason"], *options)
    for name, column, key in ("months", "month", month), ("weeks", "week", monday):
        compare(name, [{column: k, "logs": len(ls), "programs": len({l.program for l in ls}), "node_hours": total(map(node_hours, ls)),
                        "waited_node_hours": total(map(waited_node_hours, ls)), "tib_read": tib_read(ls),
                        "covered_percent_of_core_hours": covered([j for j in ran if key(j.start) == k])["percent_of_core_hours"]}
                       for k, ls in grouped(some, lambda l: key(l.start)).items()], [column], *options)


def compare_waits(some, *options):
    ends = max(l.start for l in some)
    share = lambda ls: percent(total(map(waited_node_hours, ls)), total(map(node_hours, ls)))
    for name, column, key in (("waits-by-project", "project", project_of), ("waits-by-user", "uid", lambda l: l.uid),
                              ("waits-by-discipline", "discipline", discipline_of), ("waits-by-machine", "machine", lambda l: l.machine),
                              ("programs", "program", lambda l: l.program)):
        rows = []
        for k, ls in grouped(some, key).items():
            rows.append({column: k, "logs": len(ls), "node_hours": total(map(node_hours, ls)),
                         "waited_node_hours": total(map(waited_node_hours, ls)), "waited_percent": share(ls),
                         "waited_percent_of_last_30_days": share([l for l in ls if l.start >= ends - 30 * 86400])})
            if name == "programs":
                rates = sorted(r for r in map(rate_of, ls) if r is not None)
                rows[-1].update(best_rate=rates[-1] if rates else None, usual_rate=rates[(len(rates) + 1) // 2 - 1] if rates else None)
        compare(name, rows, [column], *options)


def compare_each(some, *options):
    compare("jobs", [{"path": l.path, "jobid": l.jobid, "machine": l.machine, "project": project_of(l), "nodes": nodes_of(l),
                      "width": width_of(l), "user_or_uid": user_of(l), "node_hours": node_hours(l), "waited_node_hours": waited_node_hours(l),
                      "rate_slowest": rate_of(l), "files": len(l.files), "process_seconds": process_seconds(l),
                      "files_written": sum(map(was_written, l.files))} for l in some], ["path"], *options)


def compare_by_size(some, *options):
    sharings, interfaces = [], []
    for size, ls in grouped(some, lambda l: power(width_of(l))).items():
        files = [(l, f) for l in ls for f in l.files]
        of_stdin = {l.number for l in ls if l.stdin}  # a stream is no file, but its log uses STDIO, by one rank
        numbers = lambda fs, more: len({l.number for l, _ in fs} | more)
        for sharing, fs in grouped(files, lambda f: sharing_of(*f)).items():
            sharings.append({"processes": size, "sharing": sharing, "files": len(fs), "percent_of_files": percent(len(fs), len(files)),
                             "logs": numbers(fs, of_stdin if sharing == "unique" else set())})
        by = grouped(files, lambda f: interface_of(f[1]))
        for interface in set(by) | ({"STDIO"} if of_stdin else set()):
            is_stdio = interface == "STDIO"
            read = sum(v[0] for _, f in by[interface] for v in f.ranks.values()) + (sum(l.stdin for l in ls) if is_stdio else 0)
            interfaces.append({"processes": size, "interface": interface, "logs": numbers(by[interface], of_stdin if is_stdio else set()),
                               "percent_of_bytes_read": percent(read, sum(map(bytes_read, ls)))})
    compare("sharing", sharings, ["processes", "sharing"], *options)
    compare("interfaces", interfaces, ["processes", "interface"], *options)
    source = lambda l: "log" if l.nodes_in_log else "scheduler" if l.job else "unknown"
    compare("node-counts", [{"nodes_from": s, "logs": len(ls)} for s, ls in grouped(some, source).items()], ["nodes_from"], *options)
    compare("files-by-processes", [{"project": k[0], "nprocs": k[1], "files": k[2], "logs": len(ls)} for k, ls in
                                   grouped(some, lambda l: (project_of(l), l.nprocs, len(l.files))).items()],
            ["project", "nprocs", "files"], *options)
    compare("scaling", [{"project": k[0], "nodes": k[1], "logs": len(ls)} for k, ls in
                        grouped([l for l in some if nodes_of(l)], lambda l: (project_of(l), nodes_of(l))).items()],
            ["project", "nodes"], *options)


def compare_projects(some, *options):
    large = [l for l in some if width_of(l) >= 2 and at_storage(l) / MIB >= 10]
    options += "--min-procs", "2", "--min-mib", "10"
    rows = []
    for project, ls in grouped(large, project_of).items():
        rates = [r for r in map(rate_of, ls) if r is not None]
        if rates:
            rows.append({"project": project, "logs": len(rates), "lowest": min(rates), "quartile1": quantile(rates, .25),
                         "median": quantile(rates, .5), "quartile3": quantile(rates, .75), "highest": max(rates)})
    compare("project-rates", rows, ["project"], *options)
    largest = lambda ls: max((max(v[2:4]) for l in ls for v in all_ranks(l) if v[0].module == "POSIX"), default=0) or None
    compare("project-characteristics", [{
        "project": project, "logs": len(ls), "mib_s_cn": mean(map(rate_of, ls)), "files_per_process": mean(len(l.files) / l.nprocs for l in ls),
        "bytes_of_largest_file": largest(ls)} for project, ls in grouped(large, project_of).items()], ["project"], *options)


def as_sums(samples):
    return [(s.machine, s.host, s.device, s.end, s.seconds, s.read * s.seconds, s.written * s.seconds) for s in samples]


def compare_devices(samples, some, *options):
    """A device that consists of others counts only where these have no samples."""
    of_host = grouped(samples, lambda s: (s.machine, s.host))
    use = [s for s in samples if not is_stacked(s.device) or all(is_stacked(t.device) for t in of_host[s.machine, s.host])]
    minutes, hosts = minutes_of(as_sums(use))
    rate = {m: (v[0] + v[1]) / 1024 for m, v in minutes.items()}
    tib_read = lambda ms: sum(minutes[m][2] for m in ms) / GIB  # of KiB
    compare("throughput-totals", [{"minutes": len(minutes), "tib_read": tib_read(minutes), "peak": max(rate.values()),
                                   "peak_read": max(v[0] for v in minutes.values()) / 1024}], ["minutes"], *options)
    compare("throughput", [{"day": k, "minutes": len(ms), "tib_read": tib_read(ms), "peak_written": max(minutes[m][1] for m in ms) / 1024}
                           for k, ms in grouped(minutes, lambda m: day(60 * m)).items()], ["day"], *options)
    compare("gaps", [{"since": since, "until": until, "minutes": (until - since) // 60, "servers": n}
                     for (since, until), n in gaps_of(minutes, hosts).items()], ["since", "until"], *options)
    compare("device-load", [{
        "machine": k[0], "host": k[1], "device": k[2], "hours": sum(s.seconds for s in ss) / 3600,
        "tib_read": sum(s.read * s.seconds for s in ss) / GIB, "highest_busy_percent": max(s.busy for s in ss),
        "mean_ms_a_request": sum(s.wait * s.seconds for s in ss) / sum(s.seconds for s in ss)}
        for k, ss in grouped(use, lambda s: (s.machine, s.host, s.device)).items()], ["machine", "host", "device"], *options)
    compare("server-load", [{
        "machine": k[0], "host": k[1], "devices": len({s.device for s in ss}), "tib_read": sum(s.read * s.seconds for s in ss) / GIB,
        "mean_busy_percent": sum(s.busy * s.seconds for s in ss) / sum(s.seconds for s in ss),
        "mean_ms_a_request": sum(s.wait * s.seconds for s in ss) / sum(s.seconds for s in ss)}
        for k, ss in grouped(use, lambda s: (s.machine, s.host)).items()], ["machine", "host"], *options)
    sampled = {day(60 * m) for m in minutes}
    beside = [l for l in some if day(l.start) in sampled and 60 * min(minutes) <= l.start < 60 * (1 + max(minutes))]
    compare("explained", [{"month": k, "tib_read": tib_read(ms), "logged_tib_read": total(bytes_read(l) / TIB for l in beside if month(l.start) == k)}
                          for k, ms in grouped(minutes, lambda m: month(60 * m)).items()], ["month"], *options)
    if not options:
        compare_peaks(rate, some)
        compare_maintenance(use, some)


def compare_peaks(rate, some):
    mean_rate = lambda l: (bytes_read(l) + bytes_written(l)) / MIB / (l.end - l.start)
    rows = []
    for minute in sorted(rate, key=lambda m: (-rate[m], m))[:10]:
        running = [l for l in some if l.start < 60 * minute + 60 and l.end > 60 * minute]
        rows += [{"time": 60 * minute, "path": l.path, "mib_s": rate[minute], "mean_mib_s": mean_rate(l)}
                 for l in sorted(running, key=mean_rate, reverse=True)[:5]]
    compare("peak-jobs", rows, ["time", "path"])


def compare_maintenance(use, some):
    """What ran though it should not; and a machine is not idle while it is taken from its users."""
    by_machine = {m: minutes_of(as_sums([s for s in use if s.machine == m]))[0] for m in MACHINES}
    rows, rate = [], collections.Counter()
    is_within = lambda minute, m, since, until, of: since <= 60 * minute < until and of in ("", m)
    for since, until, of in MAINTENANCE:
        ran = lambda x: x.start < until and x.end > since and of in ("", x.machine)
        kib = sum(v[2] + v[3] for m in MACHINES for t, v in by_machine[m].items() if is_within(t, m, since, until, of))
        rows.append({"since": since, "until": until, "machine": of, "hours": (until - since) / 3600, "logs": sum(map(ran, some)),
                     "jobs": sum(j.ran and ran(j) for j in jobs), "gib": kib / MIB})
    compare("maintenance", rows, ["since"])
    for machine, minutes in by_machine.items():
        for t, v in minutes.items():
            if not any(is_within(t, machine, *m) for m in MAINTENANCE):
                rate[t] += (v[0] + v[1]) / 1024
    compare("idle", [{"length": k, "periods": len(ps), "minutes": sum(map(len, ps)), "longest": max(map(len, ps))}
                     for k, ps in idle_periods(rate).items()], ["length"])


# ---------------------------------------------------------------- all of it

def ingest():
    """One log is replaced after it was ingested, another copied: both count once. The scheduler's list is imported twice."""
    run("init")
    for machine in MACHINES:
        run("--machine", machine, "ingest", "%s/l/%s" % (DIRECTORY, LOGS_OF[machine]))
    replaced = next(l for l in logs if l.program == "qcd")
    replaced.files[0].ranks[-1] = 0, replaced.nprocs * 5 * MIB, 2.0, False
    write_log(replaced)
    os.utime(replaced.path, (9, 9))
    shutil.copy(logs[3].path, logs[3].path.replace(".darshan", "z.darshan"))
    run("ingest", DIRECTORY + "/l")
    for kind, name in (("slurm", "sacct"), ("slurm", "sacct"), ("accounts", "accounts"), ("samples", "samples"),
                       ("maintenance", "maintenance")):
        run("import", kind, "%s/%s" % (DIRECTORY, name))
    for kind, name in ("sadf", "sA.json"), ("sadf", "sB.json"), ("iostat", "sC.json"):
        run("--machine", ALPHA, "import", kind, "%s/%s" % (DIRECTORY, name))
    run("check")


def compare_all(some, of_jobs, *options):
    compare_sums(some, [j for j in of_jobs if j.ran], *options)
    compare_waits(some, *options)
    compare_each(some, *options)
    compare_by_size(some, *options)
    compare_projects(some, *options)


def main():
    for machine in MACHINES:
        os.makedirs("%s/l/%s" % (DIRECTORY, LOGS_OF[machine]))
    make_site()
    for log in logs:
        write_log(log)
    write_lists()
    samples = make_samples()
    write_samples(samples)
    ingest()
    compare_all(logs, jobs)
    asking.compare_study("--min-procs", "2", "--min-mib", "10")
    compare_devices(samples, logs)
    for machine in MACHINES:
        of = lambda rows: [r for r in rows if r.machine == machine]
        compare_all(of(logs), of(jobs), "--machine", machine)
        compare_devices(of(samples), of(logs), "--machine", machine)
    asking.compare_study("--machine", ALPHA, "--from", "2026-10-20", "--to", "2026-10-25", "--min-procs", "2", "--min-mib", "10")
    since, until = utc(2026, 10, 19, 22), utc(2026, 10, 31, 23)  # of these days in Berlin, of which the last is in winter time
    within = lambda rows: [r for r in rows if r.start and since <= r.start < until]
    compare_all(within(logs), within(jobs), "--from", "2026-10-20", "--to", "2026-11-01")
    print("%d logs, %d jobs, %d samples: %d figures compared, %d differ" % (len(logs), len(jobs), len(samples), asking.compared, asking.wrong))
    return asking.wrong > 0


sys.exit(main())
