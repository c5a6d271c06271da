#!/usr/bin/env python3
# truth.py - a site of which everything is known: its answers, computed twice
# SPDX-License-Identifier: BSD-3-Clause
"""truth.py ACCOUNTING DATABASE DIRECTORY LOGS [SEED]: makes LOGS logs of two machines, and the lists, samples and
snapshots of these, in DIRECTORY; puts them into DATABASE with the command ACCOUNTING; asks each question, and computes its
answer from what was made, without a database. Prints a line for each answer that differs. Exit status 1: there are some.

In it: process ids as job ids, of which some are those of jobs, marked or (as in logs of other implementations) not; jobs with
equal numbers on both machines; requeued, pending and heterogeneous jobs; trees of processes; files that Open MPI makes for
itself; partial logs; logs that are replaced after they were ingested; samples of 10, 60, 90 and 300 s, with a server that
is silent for ten hours, and a device that consists of another."""

import collections
import json
import os
import random
import sys
import time

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
import makelog
from asking import GIB, MIB, TIB, Asking, gaps_of, grouped, idle_periods, minutes_of, percent, power, total

ACCOUNTING, DATABASE, DIRECTORY, LOGS = sys.argv[1], sys.argv[2], os.path.realpath(sys.argv[3]), int(sys.argv[4])
rnd = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
FIRST = 1767225600  # 2026-01-01
DAYS = 62
MACHINES = "red", "blue"
asking = Asking(ACCOUNTING, DATABASE)
compare, run = asking.compare, asking.run
os.environ["TZ"] = "UTC"
time.tzset()
day = lambda t: time.strftime("%Y-%m-%d", time.gmtime(t))
month = lambda t: day(t)[:7]
iso = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t))


# ---------------------------------------------------------------- jobs and their logs

class Log:
    pass


PROGRAMS = {  # how each uses files
    "climate": "own", "combust": "own", "lattice": "shared", "plasma": "shared", "script": "tree", "tar": "serial", "genome": "some"}
ACCOUNTS = ["acc%d" % i for i in range(6)]
PROJECT = {a: "project %d" % (i // 2) for i, a in enumerate(ACCOUNTS) if i < 4}
DISCIPLINE = {a: ["Physics", "Biology"][i // 2] for i, a in enumerate(ACCOUNTS) if i < 4}


def records(log):
    """Files as (name, ranks or "all", read, written, seconds of each rank, was read first), of the program's own."""
    n, way = log.nprocs, PROGRAMS[log.program]
    base = "/scratch/%s/%d" % (log.program, log.number)
    files = []
    size = lambda: rnd.randrange(1, 200) * MIB
    if way == "own":
        files = [("%s.%d" % (base, r), [r], size(), size(), rnd.randrange(1, 80) / 8, rnd.random() < .3) for r in range(n)]
    elif way == "shared":
        files = [(base, "all", 0, n * size(), rnd.randrange(1, 80) / 8, False)]
    elif way == "tree":
        files = [("%s.%d" % (base, r), [r], size(), 0, rnd.randrange(1, 16) / 8, False) for r in range(n)]
    elif way == "serial":
        files = [(base, [0], size() * 50, 0, rnd.randrange(8, 80) / 8, False)]
    else:
        files = [(base, list(range(max(1, n // 2))), 0, size(), rnd.randrange(1, 40) / 8, False)]
    return files


def log_json(log):
    names, recs, ident = {}, [], 1
    for name, ranks, read, written, seconds, first in log.files:
        names[str(ident)] = name
        of = ranks if ranks != "all" else [-1]
        for i, rank in enumerate(of):
            many = log.nprocs if rank < 0 else 1
            part = lambda v: v // len(of) + (v % len(of) if i == 0 else 0)
            v = {"POSIX_OPENS": many, "POSIX_READS": part(read) // MIB, "POSIX_WRITES": part(written) // MIB,
                 "POSIX_BYTES_READ": part(read), "POSIX_BYTES_WRITTEN": part(written),
                 "POSIX_SIZE_READ_100K_1M": part(read) // MIB, "POSIX_SIZE_WRITE_100K_1M": part(written) // MIB}
            both = bool(read) + bool(written)
            if read:
                v["POSIX_F_READ_TIME"] = many * seconds / both
                v["POSIX_F_READ_START_TIMESTAMP"] = 1.0 if first or not written else 3.0
            if written:
                v["POSIX_F_WRITE_TIME"] = many * seconds / both
                v["POSIX_F_WRITE_START_TIMESTAMP"] = 2.0
            if rank < 0:
                v.update(POSIX_F_SLOWEST_RANK_TIME=seconds, POSIX_F_FASTEST_RANK_TIME=seconds, POSIX_SLOWEST_RANK=0,
                         POSIX_FASTEST_RANK=1, POSIX_SLOWEST_RANK_BYTES=written // many, POSIX_FASTEST_RANK_BYTES=written // many)
                recs.append(["MPI-IO", ident, -1, {"MPIIO_COLL_OPENS": many, "MPIIO_COLL_WRITES": many, "MPIIO_BYTES_WRITTEN": written,
                                                   "MPIIO_F_WRITE_TIME": many * seconds, "MPIIO_F_SLOWEST_RANK_TIME": seconds,
                                                   "MPIIO_F_FASTEST_RANK_TIME": seconds, "MPIIO_SLOWEST_RANK": 0, "MPIIO_FASTEST_RANK": 1}])
            recs.append(["POSIX", ident, rank, v])
        ident += 1
        if ranks == "all" and log.ompi:
            for rank in range(min(log.nprocs, 4)):
                names[str(ident)] = "%s.locktest.%d" % (name, rank)
                recs.append(["POSIX", ident, rank, {"POSIX_OPENS": 1}])
                ident += 1
            names[str(ident)] = "/tmp/ompi.n1.1000/pid.7/1/x_cid-%d.sm" % log.number
            recs.append(["POSIX", ident, 0, {"POSIX_OPENS": 1, "POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": 8}])
            ident += 1
    meta = "nnodes=%d\n" % log.nodes if log.nodes_in_log else ""
    meta += "jobid_from=pid\n" if log.says_pid else ""
    out = {"jobid": log.jobid, "uid": log.uid, "start": log.start, "end": log.end, "nprocs": log.nprocs, "metadata": meta,
           "exe": log.exe, "partial": 2 if log.partial else 0, "names": names, "records": recs}
    if log.tree:
        out["processes"] = "".join("%d\t%d\t%d\t%.9f\t%.9f\tended\t/bin/true\n" % (r, 1000 + r, 999 + r if r else 1, b, e)
                                   for r, (b, e) in enumerate(log.spans))
    return out


def make_log(number, machine, job, start, end, program, uid, jobid):
    log = Log()
    log.number, log.machine, log.job, log.start, log.end, log.program, log.uid, log.jobid = (
        number, machine, job, start, end, program, uid, jobid)
    way = PROGRAMS[program]
    log.nprocs = 1 if way == "serial" else 1 << rnd.randrange(1, 5)
    if rnd.random() < .02 and way in ("shared", "some"):
        log.nprocs = 1024 if way == "shared" else 64
    log.nodes = max(1, log.nprocs // 8)
    log.nodes_in_log = rnd.random() < .8 or way in ("tree", "serial")
    log.exe = "/apps/bin/%s --case %d" % (program, rnd.randrange(40))
    log.ompi = way == "shared" and rnd.random() < .7
    log.partial = rnd.random() < .05
    log.says_pid = False
    log.tree = way == "tree"
    if log.tree:  # one after the other, each a second or more of what there is; the first is the shell
        step = (end - start) / log.nprocs
        log.spans = [(start, end)] + [(start + r * step, start + (r + .5) * step) for r in range(1, log.nprocs)]
    log.files = records(log)
    log.path = os.path.join(DIRECTORY, "logs", machine, "%d" % (number % 40), "%s_%d.darshan" % (program, number))
    return log


def make_site():
    jobs, logs, number = [], [], 0
    ids = dict.fromkeys(MACHINES, 0)
    while number < LOGS:
        machine = MACHINES[rnd.random() < .4]
        ids[machine] += 1
        start = FIRST + rnd.randrange(DAYS * 86400)
        length = rnd.randrange(120, 7200)
        owner = rnd.randrange(20)
        job = {"machine": machine, "jobid": ids[machine], "leader": ids[machine], "user": "user%02d" % owner, "uid": 70000 + owner,
               "account": rnd.choice(ACCOUNTS), "state": "COMPLETED", "nodes": rnd.choice([1, 2, 4, 16]), "cores": 32,
               "start": start, "end": start + length, "cpu": 32 * length, "ran": True, "logs": []}
        jobs.append(job)
        kind = rnd.random()
        if kind < .1:  # leaves no log
            continue
        if kind < .15:
            job.update(state=rnd.choice(["PENDING", "CANCELLED by 70001"]), start=None, end=None, cpu=0, ran=False)
            continue
        if kind < .18:  # requeued: this run failed, and left nothing; the next has the log
            job["state"] = "NODE_FAIL"
            job = dict(job, state="COMPLETED", start=start + length + 600, end=start + 2 * length + 600, logs=[], cpu=64 * length, cores=64)
            jobs.append(job)
        elif kind < .2:  # a second component, whose programs know the job by the number of the first
            ids[machine] += 1
            jobs.append(dict(job, jobid=ids[machine], logs=[]))
        runs = 1 + (rnd.random() < .2) * rnd.randrange(1, 4)
        program = rnd.choice([p for p in PROGRAMS if PROGRAMS[p] != "serial"])
        for run in range(runs):
            if number == LOGS:
                break
            width = (job["end"] - job["start"]) // runs
            begin = job["start"] + run * width + rnd.randrange(0, 5)
            log = make_log(number, machine, job, begin, begin + max(60, width - 10), program, job["uid"], job["jobid"])
            log.end = min(log.end, job["end"] + 30)
            job["logs"].append(log)
            logs.append(log)
            number += 1
        if rnd.random() < .15 and number < LOGS:  # a process id that is this job's number: marked, days later, or another user's
            what = rnd.randrange(3)
            begin = job["start"] + (0 if what != 1 else 5 * 86400)
            log = make_log(number, machine, None, begin, begin + 100, "tar", 70000 + (owner + (what == 2)) % 20, job["jobid"])
            log.says_pid = what == 0
            logs.append(log)
            number += 1
    return jobs, logs


def write_logs(logs):
    for log in logs:
        os.makedirs(os.path.dirname(log.path), exist_ok=True)
        makelog.write(log_json(log), log.path)


def write_jobs(jobs):
    at = os.path.join(DIRECTORY, "jobs")
    with open(at, "w") as to:
        to.write("JobID|JobIDRaw|Cluster|User|UID|Account|State|NNodes|NCPUS|Start|End|CPUTimeRAW\n")
        for j in sorted(jobs, key=lambda j: rnd.random()):
            shown = j["jobid"] if j["leader"] == j["jobid"] else "%d+1" % j["leader"]
            to.write("%s|%d|%s|%s|%d|%s|%s|%d|%d|%s|%s|%d\n" % (
                shown, j["jobid"], j["machine"], j["user"], j["uid"], j["account"], j["state"], j["nodes"], j["cores"],
                iso(j["start"]) if j["ran"] else "Unknown", iso(j["end"]) if j["ran"] else "Unknown", j["cpu"]))
    with open(os.path.join(DIRECTORY, "accounts"), "w") as to:
        to.write("account,project,discipline\n")
        to.writelines("%s,%s,%s\n" % (a, PROJECT[a], DISCIPLINE[a]) for a in PROJECT)
    return at


# ---------------------------------------------------------------- samples

SAMPLE_DAYS = 3


def make_samples():
    """(machine, host, device, end, seconds, KiB read, KiB written, stacked): a server for each length of sample."""
    out = []
    for host, length in ("oss1", 10), ("oss2", 60), ("oss3", 90), ("oss4", 300):
        for end in range(FIRST + length, FIRST + SAMPLE_DAYS * 86400 + 1, length):
            if host == "oss2" and 36000 < end - FIRST <= 72000:  # ten hours without
                continue
            quiet = (end // 7200) % 3 == 0
            read, written = (rnd.randrange(0, 50 if quiet else 200000) * length for _ in range(2))
            out.append(("red", host, "sda", end, length, read, written, 0))
            if host == "oss4":
                out.append(("red", host, "dm-0", end, length, read, written, 1))
    return out


# ---------------------------------------------------------------- what follows from a log

def bytes_of(log):
    own = sum(8 for f in log.files if f[1] == "all" and log.ompi)
    return sum(f[2] for f in log.files), sum(f[3] for f in log.files) + own


def project_of(log):
    return PROJECT.get(log.job["account"], log.job["account"]) if log.job else "unknown"


def discipline_of(log):
    return DISCIPLINE.get(log.job["account"], "unknown") if log.job else "unknown"


def nodes_of(log):
    return log.nodes if log.nodes_in_log else log.job["nodes"] if log.job else None


def user_of(log):
    return log.job["user"] if log.job else str(log.uid)


def width_of(log):
    return 2 if log.tree else log.nprocs  # the shell and one other


def process_seconds(log):
    return sum(e - b for b, e in log.spans) if log.tree else (log.end - log.start) * log.nprocs


def seconds_of_ranks(log):
    of = collections.Counter()
    for _, ranks, _, _, seconds, _ in log.files:
        for rank in range(log.nprocs) if ranks == "all" else ranks:
            of[rank] += seconds
    return of


def passed(log):
    """Seconds of I/O that have passed: of the slowest rank or, of a tree, the most that processes can have had which ran one
    after another."""
    of = seconds_of_ranks(log)
    best = max(of.values(), default=0)
    if log.tree:
        last = {}  # when a sequence ends: its seconds
        for begin, end, seconds in sorted((b, e, min(of[r], e - b)) for r, (b, e) in enumerate(log.spans)):
            sequence = seconds + max((v for t, v in last.items() if t <= begin), default=0)
            last[end] = max(last.get(end, 0), sequence)
            best = max(best, sequence)
    return best


def rate_of(log):
    nodes, time = nodes_of(log), passed(log)
    return sum(bytes_of(log)) / MIB / time / nodes if nodes and time else None


def hours_of(log):
    nodes, length = nodes_of(log), log.end - log.start
    if nodes is None:
        return None, None
    return nodes * length / 3600, nodes * min(passed(log), length) / 3600


def sharing_of(log, ranks):
    n = log.nprocs if ranks == "all" else len(ranks)
    return "unique" if log.nprocs == 1 or (n == 1 and ranks != "all") else "shared" if n >= log.nprocs else "partial"


def uses_of(log):
    """{(interface, sharing): [files, written, bytes read, bytes written]} of the program's own files."""
    out = {}
    for _, ranks, read, written, _, _ in log.files:
        u = out.setdefault(("MPIIO" if ranks == "all" else "POSIX", sharing_of(log, ranks)), [0, 0, 0, 0])
        for i, v in enumerate((1, written > 0, read, written)):
            u[i] += v
    return out


# ---------------------------------------------------------------- the questions

def compare_logs(logs, jobs, *options):
    every = [(log, *bytes_of(log), *hours_of(log)) for log in logs]
    compare("overall", [{
        "logs": len(logs), "jobs": len({(l.machine, l.jobid) for l in logs if not l.says_pid}), "users": len({l.uid for l in logs}),
        "programs": len({l.program for l in logs}), "files": sum(len(l.files) for l in logs),
        "tib_read": sum(e[1] for e in every) / TIB, "tib_written": sum(e[2] for e in every) / TIB,
        "process_hours": sum(process_seconds(l) for l in logs) / 3600, "partial_logs": sum(l.partial for l in logs),
        "logs_of_no_job": sum(l.job is None for l in logs), "machines": len({l.machine for l in logs})}], ["logs"], *options)
    compare("projects", sorted([{
        "project": p, "logs": len(ls), "tib_read": sum(u[2] for l in ls for u in uses_of(l).values()) / TIB,
        "tib_written": sum(u[3] for l in ls for u in uses_of(l).values()) / TIB,
        "interfaces": "".join(c for c, i in (("P", "POSIX"), ("M", "MPIIO")) if any(k[0] == i for l in ls for k in uses_of(l)))}
        for p, ls in grouped(logs, project_of).items()], key=lambda r: -r["tib_read"] - r["tib_written"])[:10], ["project"], *options)
    compare("users", sorted([{
        "uid": u, "user_name": next(iter({l.job["user"] for l in ls if l.job}), str(u)), "logs": len(ls), "programs": len({l.program for l in ls}),
        "bytes_read": sum(bytes_of(l)[0] for l in ls), "bytes_written": sum(bytes_of(l)[1] for l in ls),
        "files": sum(len(l.files) for l in ls), "process_hours": sum(process_seconds(l) for l in ls) / 3600,
        "partial_logs": sum(l.partial for l in ls)}
        for u, ls in grouped(logs, lambda l: l.uid).items()], key=lambda r: (-r["bytes_read"] - r["bytes_written"], r["uid"]))[:20],
        ["uid"], *options)
    sizes = grouped(logs, lambda l: power(width_of(l)))
    interfaces, sharings = [], []
    for size, ls in sizes.items():
        for interface in {k[0] for l in ls for k in uses_of(l)}:
            of = [u for l in ls for k, u in uses_of(l).items() if k[0] == interface]
            n = sum(any(k[0] == interface for k in uses_of(l)) for l in ls)
            interfaces.append({"processes": size, "interface": interface, "logs": n, "percent_of_logs": percent(n, len(ls)),
                               "percent_of_bytes_read": percent(sum(u[2] for u in of), sum(bytes_of(l)[0] for l in ls)),
                               "percent_of_bytes_written": percent(sum(u[3] for u in of), sum(bytes_of(l)[1] for l in ls))})
        files = sum(u[0] for l in ls for u in uses_of(l).values())
        moved = sum(u[2] + u[3] for l in ls for u in uses_of(l).values())
        for sharing in {k[1] for l in ls for k in uses_of(l)}:
            of = [u for l in ls for k, u in uses_of(l).items() if k[1] == sharing]
            n = sum(any(k[1] == sharing for k in uses_of(l)) for l in ls)
            sharings.append({"processes": size, "sharing": sharing, "logs": n, "files": sum(u[0] for u in of),
                             "percent_of_logs": percent(n, len(ls)), "percent_of_files": percent(sum(u[0] for u in of), files),
                             "percent_of_bytes": percent(sum(u[2] + u[3] for u in of), moved),
                             "partial_logs": sum(l.partial and any(k[1] == sharing for k in uses_of(l)) for l in ls)})
    compare("interfaces", interfaces, ["processes", "interface"], *options)
    compare("sharing", sharings, ["processes", "sharing"], *options)
    compare("written-files", [{
        "project": p, "files_written": sum(f[3] > 0 for l in ls for f in l.files),
        "held_data": sum(f[2] > 0 and f[3] > 0 and f[5] for l in ls for f in l.files), "partial_logs": sum(l.partial for l in ls)} for p, ls in grouped(logs, project_of).items()],
        ["project"], *options)
    compare("files-by-processes", [{"project": k[0], "nprocs": k[1], "files": k[2], "logs": len(ls), "partial_logs": sum(l.partial for l in ls)} for k, ls in
                                   grouped(logs, lambda l: (project_of(l), l.nprocs, len(l.files))).items()],
            ["project", "nprocs", "files"], *options)
    source = lambda l: "log" if l.nodes_in_log else "scheduler" if l.job else "unknown"
    compare("node-counts", [{"nodes_from": s, "logs": len(ls), "percent_of_logs": percent(len(ls), len(logs)),
                             "logs_large_enough": sum(width_of(l) >= 1024 and sum(bytes_of(l)) >= 500 * MIB for l in ls)}
                            for s, ls in grouped(logs, source).items()], ["nodes_from"], *options)
    several = [(k, ls) for k, ls in grouped([l for l in logs if not l.says_pid], lambda l: (l.machine, l.jobid, l.program)).items()
               if len(ls) > 1]
    by_program = collections.defaultdict(list)
    for k, ls in several:
        by_program[k[2]].append(ls)
    compare("repeated", [{
        "program": p, "jobs": len(groups), "runs": sum(map(len, groups)), "most_runs_in_a_job": max(map(len, groups)),
        "most_files_of_a_job": max(sum(f[3] > 0 for l in ls for f in l.files) + max(sum(f[3] == 0 for f in l.files) for l in ls)
                                   for ls in groups),
        "most_commands_of_a_job": max(len({l.exe for l in ls}) for ls in groups),
        "partial_logs": sum(l.partial for ls in groups for l in ls)} for p, groups in by_program.items()], ["program"], *options)
    waits(logs, *options)
    worth_fixing(logs, *options)
    compare("jobs", [{
        "path": l.path, "jobid": l.jobid, "machine": l.machine, "project": project_of(l), "nodes": nodes_of(l), "width": width_of(l),
        "user_or_uid": user_of(l), "node_hours": h, "waited_node_hours": w, "files": len(l.files)} for l, _, _, h, w in every],
        ["path"], *options)
    which_logs(logs, *options)
    compare("months", [{"month": m, "logs": len(ls), "programs": len({l.program for l in ls}), "node_hours": total(hours_of(l)[0] for l in ls),
                        "waited_node_hours": total(hours_of(l)[1] for l in ls), "tib_read": sum(bytes_of(l)[0] for l in ls) / TIB,
                        "covered_percent_of_core_hours": covered([j for j in jobs if j["ran"] and month(j["start"]) == m])[1]}
                       for m, ls in grouped(logs, lambda l: month(l.start)).items()], ["month"], *options)
    monday = lambda l: day((l.start // 86400 - (l.start // 86400 + 3) % 7) * 86400)
    compare("weeks", [{"week": m, "logs": len(ls), "waited_node_hours": total(hours_of(l)[1] for l in ls)}
                      for m, ls in grouped(logs, monday).items()], ["week"], *options)


def which_logs(logs, *options):
    """Each answer that names a log names its job, and is about a log of what it says."""
    by_path = {l.path: l for l in logs}
    study = json.loads(run(*options, "study", "--json"))
    for name in "files", "uses", "files-and-processes", "cases", "bursts", "jobs-worth-fixing":
        study[name] = json.loads(run(*options, "query", name, "--json"))
    for name, rows in study.items():
        for row in rows:
            for which in [c[:-4] for c in row if c == "path" or c.endswith("_path")]:
                log = by_path.get(row[which + "path"])
                said = {"jobid": row.get(which + "jobid"), "program": row.get("program"), "machine": row.get("machine")}
                asking.compared += len(said)
                if not log or log.jobid != said["jobid"] or not all(v in (None, getattr(log, k)) for k, v in said.items()):
                    asking.wrong += 1
                    print("%s%s: %r is not a log of %r" % (name, options or "", row[which + "path"], said))


def worth_fixing(logs, *options):
    """What a report finds is its own; what that comes to is added up here."""
    found = {r["path"]: r for r in json.loads(run(*options, "query", "jobs", "--json"))}
    saves = {}
    for log in logs:
        r, hours = found[log.path], hours_of(log)[0]
        if r["finding"] is not None and hours is not None and r["run_time"] > 0:
            saves[log] = hours * min(r["finding_saves"], r["run_time"]) / r["run_time"]
    groups = grouped([l for l in saves if saves[l] > 0], lambda l: (l.program, found[l.path]["finding"]))
    every, rows = total(hours_of(l)[0] for l in logs), []
    for (program, finding), ls in groups.items():
        worst = max(ls, key=lambda l: (saves[l], -found[l.path]["log_id"]))
        rows.append({"program": program, "finding": finding, "logs": len(ls), "users": len({l.uid for l in ls}),
                     "could_save_node_hours": total(saves[l] for l in ls),
                     "percent_of_all_node_hours": percent(total(saves[l] for l in ls), every),
                     "waited_node_hours": total(hours_of(l)[1] for l in ls), "node_hours": total(hours_of(l)[0] for l in ls),
                     "user_name": user_of(worst), "project": project_of(worst), "jobid": worst.jobid, "machine": worst.machine,
                     "start_time": worst.start, "nodes": nodes_of(worst),
                     "path": worst.path})
    compare("worth-fixing", rows, ["program", "finding"], *options)
    compare("jobs-worth-fixing", [{"path": l.path, "program": l.program, "could_save_node_hours": saves[l], "node_hours": hours_of(l)[0]}
                                  for ls in groups.values() for l in ls], ["path"], *options)
    months = sorted({month(l.start) for l in logs})
    of = lambda m: [l for l in logs if month(l.start) == m]
    share = lambda ls: percent(total(hours_of(l)[1] for l in ls), total(hours_of(l)[0] for l in ls))
    waiting = {p: total(hours_of(l)[1] for l in ls) for p, ls in grouped(logs, lambda l: l.program).items()}
    most = max(waiting, key=lambda p: waiting[p] or 0)
    best = max(rows, key=lambda r: r["could_save_node_hours"], default=collections.defaultdict(lambda: None))
    compare("summary", [{
        "logs": len(logs), "node_hours": every, "waited_percent": share(logs), "last_month": months[-1], "month_before": months[-2],
        "last_day": day(max(l.start for l in logs)), "waited_percent_of_last_month": share(of(months[-1])),
        "waited_percent_of_month_before": share(of(months[-2])), "logs_without_nodes": sum(nodes_of(l) is None for l in logs),
        "partial_logs": sum(l.partial for l in logs), "most_waiting_program": most, "its_waited_node_hours": waiting[most],
        "best_program": best["program"], "best_finding": best["finding"], "best_logs": best["logs"],
        "best_saves_node_hours": best["could_save_node_hours"], "best_saves_percent": best["percent_of_all_node_hours"]}], ["logs"], *options)


def waits(logs, *options):
    ends = max(l.start for l in logs)
    last = lambda ls: [l for l in ls if l.start >= ends - 2592000]
    before = lambda ls: [l for l in ls if ends - 5184000 <= l.start < ends - 2592000]
    share = lambda ls: percent(total(hours_of(l)[1] for l in ls) or 0, total(hours_of(l)[0] for l in ls))
    for name, column, key in (("waits-by-project", "project", project_of), ("waits-by-user", "uid", lambda l: l.uid),
                              ("waits-by-discipline", "discipline", discipline_of), ("waits-by-machine", "machine", lambda l: l.machine),
                              ("programs", "program", lambda l: l.program)):
        compare(name, [{column: k, "logs": len(ls), "node_hours": total(hours_of(l)[0] for l in ls),
                        "waited_percent_of_all_node_hours": percent(total(hours_of(l)[1] for l in ls), total(hours_of(l)[0] for l in logs)),
                        "waited_node_hours": total(hours_of(l)[1] for l in ls), "waited_percent": share(ls),
                        "waited_percent_of_last_30_days": share(last(ls)), "waited_percent_of_30_days_before": share(before(ls))}
                       for k, ls in grouped(logs, key).items()], [column], *options)


def covered(jobs):
    """Of jobs that ran: percent that left logs, of jobs and of core hours."""
    has_log = {(l.machine, l.jobid) for j in all_jobs for l in j["logs"]}
    logged = lambda j: bool(j["logs"]) if j["leader"] == j["jobid"] else (j["machine"], j["leader"]) in has_log
    groups = collections.defaultdict(list)
    for j in jobs:
        groups[j["machine"], j["leader"]].append(j)
    hours = sum(j["cpu"] / 3600 for j in jobs)
    return groups, percent(sum(j["cpu"] / 3600 for j in jobs if logged(j)), hours), logged, hours


def compare_jobs(jobs, logs, *options):
    ran = [j for j in jobs if j["ran"]]

    def row(some):
        groups, _, logged, hours = covered(some)
        n = sum(any(logged(j) for j in g) for g in groups.values())
        got = sum(j["cpu"] / 3600 for j in some if logged(j))
        return {"jobs": len(groups), "logged_jobs": n, "percent_of_jobs": percent(n, len(groups)), "core_hours": hours,
                "percent_of_core_hours": percent(got, hours)}
    compare("coverage", [row(ran)], ["jobs"], *options)
    compare("project-coverage", [dict(row([j for j in ran if PROJECT.get(j["account"], j["account"]) == p]), project=p)
                                 for p in {PROJECT.get(j["account"], j["account"]) for j in ran}], ["project"], *options)


def compare_devices(samples, logs, *options):
    minutes, hosts = minutes_of([s[:7] for s in samples if not s[7]])
    rate = {m: (v[0] + v[1]) / 1024 for m, v in minutes.items()}
    n, peak = len(minutes), max(rate.values())
    read, written = (sum(v[i] for v in minutes.values()) / GIB for i in (2, 3))
    compare("throughput-totals", [{"minutes": n, "tib_read": read, "tib_written": written, "peak": peak,
                                   "peak_read": max(v[0] for v in minutes.values()) / 1024,
                                   "read_percent": percent(sum(v[0] for v in minutes.values()), sum(v[0] + v[1] for v in minutes.values()))}],
            ["minutes"], *options)
    for name, column, length in (("throughput", "day", 1440), ("throughput-hours", "time", 60)):
        of = collections.defaultdict(list)
        for m in minutes:
            of[m // length].append(m)
        rows = []
        for k, ms in of.items():
            r = {"minutes": len(ms), column: day(k * 86400) if length == 1440 else k * 3600}
            if length == 60:
                r.update(highest=max(rate[m] for m in ms), mib_s_read=sum(minutes[m][0] for m in ms) / 1024 / len(ms))
            else:
                r.update(tib_read=sum(minutes[m][2] for m in ms) / GIB, peak_written=max(minutes[m][1] for m in ms) / 1024)
            rows.append(r)
        compare(name, rows, [column], *options)
    ordered = sorted(rate.values())
    compare("throughput-distribution", [{"minutes": n, "mean": sum(ordered) / n, "peak": peak, "p98": ordered[int(.98 * n) - 1],
                                         "percent_below_third_of_peak": percent(sum(v < .33 * peak for v in ordered), n),
                                         "minutes_without_traffic": sum(v == 0 for v in ordered)}], ["minutes"], *options)
    shares = {}
    for i, v in enumerate(ordered, 1):
        shares[(100 * i + n - 1) // n] = v
    compare("throughput-shares", [{"percent_of_minutes": k, "mib_s": v} for k, v in shares.items()], ["percent_of_minutes"], *options)
    compare("gaps", [{"since": a, "until": b, "minutes": (b - a) // 60, "servers": k} for (a, b), k in gaps_of(minutes, hosts).items()],
            ["since"], *options)
    compare("idle", [{"length": k, "periods": len(ps), "minutes": sum(map(len, ps)), "longest": max(map(len, ps)),
                      "since": 60 * max(ps, key=lambda p: (len(p), -p[0]))[0], "percent_of_time": percent(sum(map(len, ps)), n)}
                     for k, ps in idle_periods(rate).items()], ["length"], *options)
    sampled = {day(60 * m) for m in minutes}
    of_month = grouped([l for l in logs if day(l.start) in sampled and 60 * min(minutes) <= l.start < 60 * (1 + max(minutes))],
                       lambda l: month(l.start))
    compare("explained", [{"month": m, "tib_read": sum(minutes[k][2] for k in minutes if month(60 * k) == m) / GIB,
                           "logged_tib_read": total(bytes_of(l)[0] / TIB for l in of_month[m])} for m in {month(60 * k) for k in minutes}],
            ["month"], *options)
    load = collections.defaultdict(list)
    for s in samples:
        if not s[7]:
            load[s[1], s[2]].append(s)
    moved = {k: sum(s[5] + s[6] for s in v) for k, v in load.items()}
    compare("device-load", [{"host": k[0], "device": k[1], "hours": sum(s[4] for s in v) / 3600, "tib_read": sum(s[5] for s in v) / GIB,
                             "percent_of_bytes": percent(moved[k], sum(moved.values())),
                             "times_the_mean": moved[k] * len(moved) / sum(moved.values())} for k, v in load.items()], ["host", "device"], *options)
    servers = grouped([s for s in samples if not s[7]], lambda s: s[1])
    moved = {host: sum(s[5] + s[6] for s in v) for host, v in servers.items()}
    compare("server-load", [{"host": host, "devices": len({s[2] for s in v}), "tib_written": sum(s[6] for s in v) / GIB,
                             "percent_of_bytes": percent(moved[host], sum(moved.values())),
                             "times_the_mean": moved[host] * len(moved) / sum(moved.values())} for host, v in servers.items()], ["host"], *options)


all_jobs = []


def main():
    os.makedirs(DIRECTORY)
    jobs, logs = make_site()
    all_jobs.extend(jobs)
    write_logs(logs)
    replaced = rnd.sample(logs, max(1, len(logs) // 50))
    write_jobs(jobs)
    samples = make_samples()
    with open(os.path.join(DIRECTORY, "samples"), "w") as to:
        to.write("time,host,device,seconds,read_kib,write_kib\n")
        to.writelines("%d,%s,%s,%d,%d,%d\n" % (s[3], s[1], s[2], s[4], s[5], s[6]) for s in samples)
    run("init")
    for machine in MACHINES:
        run("--machine", machine, "ingest", os.path.join(DIRECTORY, "logs", machine))
    for log in replaced:  # under the same name, with other content
        log.files = records(log)
        makelog.write(log_json(log), log.path + ".new")
        os.utime(log.path + ".new", (1, 1))
        os.rename(log.path + ".new", log.path)
    run("ingest", os.path.join(DIRECTORY, "logs"))
    run("import", "slurm", os.path.join(DIRECTORY, "jobs"))
    run("import", "accounts", os.path.join(DIRECTORY, "accounts"))
    run("--machine", "red", "import", "samples", os.path.join(DIRECTORY, "samples"))
    run("check")
    for machine in (None,) + MACHINES:
        options = ("--machine", machine) if machine else ()
        of = lambda rows: [r for r in rows if machine in (None, r.machine)]
        compare_logs(of(logs), [j for j in jobs if machine in (None, j["machine"])], *options)
        compare_jobs([j for j in jobs if machine in (None, j["machine"])], of(logs), *options)
    compare_devices(samples, logs)
    compare_devices(samples, [l for l in logs if l.machine == "red"], "--machine", "red")
    print("%d logs, %d jobs, %d samples: %d figures compared, %d differ" % (len(logs), len(jobs), len(samples), asking.compared, asking.wrong))
    return asking.wrong > 0


sys.exit(main())
