# top.py - what darshan-top costs: processor time of a look at many processes, and the speed of one that is looked at
# SPDX-License-Identifier: BSD-3-Clause
"""top.py PREFIX WORKER [PROCESSES] [TURNS]: prints a line a figure, with its bound; 1 if the time of a look is above it.

WORKER is test/work/ledger.c, built. The processes have two files each and do nothing meanwhile; a look counts all that
the command does for it, JSON included. Turns with and without a reader that polls ten times a second alternate."""
import json, os, resource, shutil, statistics, subprocess, sys, tempfile, time

BOUND = 20e-3
prefix, worker = sys.argv[1:3]
processes, turns = (int(a) for a in (sys.argv[3:] + ["256", "5"][len(sys.argv[3:]):]))
room = tempfile.mkdtemp(prefix="darshan-top.", dir="/dev/shm")
tool = dict(os.environ, DARSHAN_MMAP_LOGPATH=room)
counted = dict(tool, DARSHAN_ENABLE_NONMPI="1", DARSHAN_LOGFILE=room + "/log.darshan", LD_PRELOAD=prefix + "/lib/libdarshan.so")
top = prefix + "/bin/darshan-top"


def work(seconds, n):
    return subprocess.Popen([worker, room, str(seconds), str(n)], env=counted)


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def looks():
    """Processor seconds of a look: more looks less fewer ones, while the processes stand still."""
    child = work(600, processes)
    while sum(name.endswith(".survival") for name in os.listdir(room + "/darshan-%d" % os.getuid())) < processes:
        time.sleep(0.2)
    time.sleep(2)
    pids = [int(p) for p in os.listdir("/proc") if p.isdigit() and stands(int(p), child.pid)]
    for pid in pids:
        os.kill(pid, 19)
    times = []
    for seconds in (0.25, 5.25):
        before = of_children()
        out = open(room + "/looks", "w")
        reader = subprocess.Popen([top, "--json", "--interval", "0.1"], env=tool, stdout=out)
        time.sleep(seconds)
        reader.terminate()
        reader.wait()
        out.close()
        n = sum(line.endswith("}\n") for line in open(room + "/looks"))
        times.append((n, of_children() - before))
    for pid in pids:
        os.kill(pid, 9)
    child.wait()
    assert len(json.loads(open(room + "/looks").readline())["processes"]) == processes
    return (times[1][1] - times[0][1]) / (times[1][0] - times[0][0])


def stands(pid, parent):
    try:
        return pid == parent or int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[1]) == parent
    except (OSError, ValueError):
        return False


def calls(is_polled):
    """Calls of a program in two seconds."""
    for name in os.listdir(room):
        if name != "darshan-%d" % os.getuid():
            os.unlink(room + "/" + name)
    reader = subprocess.Popen([top, "--json", "--interval", "0.1"], env=tool, stdout=subprocess.DEVNULL) if is_polled else None
    work(2, 1).wait()
    if reader:
        reader.terminate()
        reader.wait()
    return int.from_bytes(open(room + "/ledger", "rb").read(8), "little")


try:
    each = looks()
    print("a look at %d processes: %.1f ms of processor time (bound %.0f ms)" % (processes, each * 1e3, BOUND * 1e3))
    both = [(calls(False), calls(True)) for _ in range(turns)]
    print("writes in 2 s, medians of %d turns: %d alone, %d with a reader that polls ten times a second; ratios %s" % (
        turns, statistics.median(a for a, _ in both), statistics.median(b for _, b in both),
        " ".join("%.3f" % (b / a) for a, b in both)))
finally:
    shutil.rmtree(room)
sys.exit(each > BOUND)
