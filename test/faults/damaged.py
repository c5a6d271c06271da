#!/usr/bin/env python3
# damaged.py - survival files in which anything may stand, recovered
# SPDX-License-Identifier: BSD-3-Clause
"""damaged.py PREFIX RUNS [SEED]

A program that is killed leaves its survival file, once with a trace and once without. RUNS times one of them is damaged
(bits turned, words overwritten by what could be pointers or sizes, ends cut off or added, pieces moved) and darshan-recover is
run on it. It must come to an end by itself, with status 0 or 1, within a second of processor time and 200 MB, and make or
change nothing but files in the directories of survival files and of logs. Prints what it has seen; status 1 if any of it was
wrong."""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

SECONDS, BYTES = 1.0, 200 << 20
STATE = 12288  # bytes before the records, of which most is followed


def seeds(prefix, work):
    """Two survival files: what they are called and what is in them."""
    found = []
    for trace in ("", "1"):
        shm = os.path.join(work, "seed" + trace)
        os.mkdir(shm)
        env = {"PATH": os.environ["PATH"], "LD_PRELOAD": prefix + "/lib/libdarshan.so", "DARSHAN_ENABLE_NONMPI": "1",
               "DARSHAN_MMAP_LOGPATH": shm, "DARSHAN_LOGPATH": work + "/logs"}
        if trace:
            env["DXT_ENABLE_IO_TRACE"] = "1"
        data = os.path.join(work, "data" + trace)
        os.mkdir(data)
        program = ("import os, signal\n"
                   "for i in range(40):\n"
                   "    f = os.open('%s/%%d' %% i, os.O_RDWR | os.O_CREAT)\n"
                   "    for n in (10, 20, 30, 40, 50, 60, 4096): os.pwrite(f, b'x' * n, n * 7)\n"
                   "    os.close(f)\n"
                   "os.kill(os.getpid(), signal.SIGKILL)\n" % data)
        subprocess.run([sys.executable, "-E", "-S", "-c", program], env=env, check=False)
        directory = os.path.join(shm, "darshan-%d" % os.getuid())
        for name in os.listdir(directory):
            if name.endswith(".survival"):
                with open(os.path.join(directory, name), "rb") as f:
                    found.append((name, f.read()))
    if len(found) != 2:
        sys.exit("damaged.py: %d survival files, not 2: does the library in %s work?" % (len(found), prefix))
    return found


def word(rng, whole):
    """Eight bytes that are likely to be followed."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice([0, 1, 7, 8, 2**31, 2**32, 2**40, 2**63, 2**64 - 1, 2**64 - 8]).to_bytes(8, "little")
    if kind == 1:
        return rng.getrandbits(64).to_bytes(8, "little")
    at = rng.randrange(min(len(whole), 400000) // 8) * 8  # a word of the file, or one near it
    value = int.from_bytes(whole[at:at + 8], "little")
    return ((value + (0 if kind == 2 else rng.randrange(-4096, 4096))) % 2**64).to_bytes(8, "little")


def damaged(rng, whole, used):
    out = bytearray(whole)
    for _ in range(rng.choice([1, 1, 2, 4, 16, 64])):
        at = rng.randrange(STATE) if rng.random() < 0.5 else rng.choice(used)
        kind = rng.randrange(4)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind < 3:
            at &= ~7
            out[at:at + 8] = word(rng, whole)
        else:
            n = rng.randrange(1, 512)
            source = rng.choice(used)
            out[at:at + n] = whole[source:source + n]
    cut = rng.random()
    if cut < 0.05:
        del out[rng.randrange(len(out)):]
    elif cut < 0.08:
        out += bytes(rng.randrange(1, 100000))
    return out


def listing(root, but):
    names = {}
    for directory, subs, files in os.walk(root):
        subs[:] = [s for s in subs if os.path.join(directory, s) not in but]
        for name in files + subs:
            st = os.lstat(os.path.join(directory, name))
            names[os.path.join(directory, name)] = (st.st_size, st.st_mode, st.st_mtime_ns)
    return names


def recover(prefix, shm, logs):
    env = {"PATH": os.environ["PATH"], "DARSHAN_MMAP_LOGPATH": shm, "DARSHAN_LOGPATH": logs}
    with open(os.devnull, "w") as null:
        child = subprocess.Popen([prefix + "/bin/darshan-recover", "--output=" + logs], env=env, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    prefix, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    work = tempfile.mkdtemp(prefix="darshan-damaged.", dir=memory)
    os.mkdir(work + "/logs")
    whole = seeds(prefix, work)
    used = [[i for i in range(0, len(w), 8) if w[i:i + 8] != bytes(8)] for _, w in whole]
    shm, logs = work + "/shm", work + "/logs"
    directory = "%s/darshan-%d" % (shm, os.getuid())
    before, wrong, made, longest, largest = listing(work, (shm, logs)), 0, 0, 0.0, 0
    for run in range(runs):
        i = rng.randrange(2)
        shutil.rmtree(shm, ignore_errors=True)
        shutil.rmtree(logs)
        os.mkdir(logs)
        os.makedirs(directory, 0o700)
        path = os.path.join(directory, whole[i][0])
        content = damaged(rng, whole[i][1], used[i])
        with open(path, "wb") as f:
            f.write(content)
        os.chmod(path, 0o600)
        status, seconds, size = recover(prefix, shm, logs)
        longest, largest = max(longest, seconds), max(largest, size)
        made += any(name.endswith(".darshan") for _, _, files in os.walk(logs) for name in files)
        if status not in (0, 1) or seconds > SECONDS or size > BYTES:
            wrong += 1
            kept = "damaged-%d.survival" % run
            with open(kept, "wb") as f:
                f.write(content)
            print("run %d: status %d, %.2f s, %d MB; kept as %s" % (run, status, seconds, size >> 20, kept))
    if listing(work, (shm, logs)) != before:
        wrong += 1
        print("something else was made or changed below %s" % work)
    else:
        shutil.rmtree(work)
    print("%d survival files damaged and recovered: %d logs made, %d wrong; longest %.2f s, largest %d MB"
          % (runs, made, wrong, longest, largest >> 20))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
