"""block_trace.py - recordings of block devices: made as the kernel writes them, and what must be read out of them

usage: block_trace.py make SEED COUNT NAME    NAME.blktrace.0 and .1, as of two processors; what they hold on stdout, a
                                              line a request: start duration (ns) letter offset length process
       block_trace.py swap FROM TO            the same bytes as a machine of the other byte order would have them
       block_trace.py ftrace SEED COUNT       trace-cmd's text of the same requests; block_trace.py biosnoop: biosnoop's
"""
import random
import struct
import sys

HEAD = "IIQQIIIIIHH"
QUEUE, ISSUE, COMPLETE = 1, 7, 8
READ, WRITE, SYNC, QUEUED, ISSUED, COMPLETED, NOTIFY, AHEAD, DISCARD = 1, 2, 8, 16, 64, 128, 1024, 2048, 8192
DEVICE = 7 << 20 | 3


def requests(rng, count):
    """(queued, issued, completed, category, sector, bytes, process): times in ns, sectors not in flight twice"""
    now, sector = 5000000000, 0
    for _ in range(count):
        now += rng.randint(100, 100000)
        sector += rng.randint(8, 4096)
        issued = now + rng.randint(0, 5000)
        category = rng.choice([READ | SYNC, WRITE, WRITE | SYNC, READ | AHEAD])
        yield now, issued, issued + rng.randint(1000, 3000000), category, sector, 512 * rng.randint(1, 8), rng.randint(100, 120)
        sector += 8


def records(rng, count):
    out = []
    for queued, issued, completed, category, sector, size, process in requests(rng, count):
        out.append((queued, QUEUE, category | QUEUED, sector, size, process, 0))
        out.append((issued, ISSUE, category | ISSUED, sector, size, process, 0))
        out.append((completed, COMPLETE, category | COMPLETED, sector, size, 0, 1))
    return sorted(out)


def make(seed, count, name):
    rng = random.Random(seed)
    files = [open("%s.blktrace.%d" % (name, cpu), "wb") for cpu in range(2)]
    rows = records(random.Random(seed), count)
    first = rows[0][0]
    for cpu, f in enumerate(files):
        f.write(struct.pack("=" + HEAD, 0x65617407, 0, first, 0, 0, NOTIFY << 16 | 1, 0, DEVICE, cpu, 0, 8) + struct.pack("=II", 1700000000, 123))
    for number, (time, action, category, sector, size, process, cpu) in enumerate(rows, 1):
        cpu = 0 if number == 1 else cpu ^ (rng.random() < .1)
        files[cpu].write(struct.pack("=" + HEAD, 0x65617407, number, time, sector, size, category << 16 | action, process, DEVICE, cpu, 0, 0))
    for queued, issued, completed, category, sector, size, process in sorted(requests(random.Random(seed), count), key=lambda r: r[1]):
        print(issued - first, completed - issued, "R" if category & READ else "W", sector * 512, size, process)


def swap(source, to):
    data, out, at = open(source, "rb").read(), b"", 0
    while at < len(data):
        head = struct.unpack_from("<" + HEAD, data, at)
        pdu = data[at + 48:at + 48 + head[-1]]
        if len(pdu) == 8:
            pdu = struct.pack(">II", *struct.unpack("<II", pdu))
        out += struct.pack(">" + HEAD, *head) + pdu
        at += 48 + head[-1]
    open(to, "wb").write(out)


def letters(category):
    return ("R" if category & READ else "W") + ("A" if category & AHEAD else "") + ("S" if category & SYNC else "")


def ftrace(seed, count):
    names = {QUEUE: "block_bio_queue", ISSUE: "block_rq_issue", COMPLETE: "block_rq_complete"}
    print("# tracer: nop\n#\ncpus=2")
    for time, action, category, sector, size, process, cpu in records(random.Random(seed), count):
        extra = {QUEUE: "", ISSUE: " %d ()" % size, COMPLETE: " ()"}[action]
        print("  dd of-%d  [%03d] d..1. %d.%09d: %s: 7,3 %s%s %d + %d [%s]" % (
            process, cpu, time // 10 ** 9, time % 10 ** 9, names[action], letters(category), extra, sector, size // 512, "0" if action == COMPLETE else "dd of"))


def biosnoop(seed, count):
    print("TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)")
    for queued, issued, completed, category, sector, size, process in sorted(requests(random.Random(seed), count), key=lambda r: r[2]):
        print("%-11.6f %-14s %-6d %-7s %s %-10d %-6d %7.3f" % (completed / 1e9, "a program", process, "loop3", letters(category)[0], sector, size, (completed - issued) / 1e6))


args = sys.argv[1:]
if args[0] == "make":
    make(int(args[1]), int(args[2]), args[3])
elif args[0] == "swap":
    swap(args[1], args[2])
else:
    (ftrace if args[0] == "ftrace" else biosnoop)(int(args[1]), int(args[2]))
