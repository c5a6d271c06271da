"""miller_trace.py - Miller's text, read and written as its description says, sharing no code with util/trace

usage: miller_trace.py random SEED COUNT BASE     a random trace in its one form, in base 16 or 10, on stdout
       miller_trace.py csv FILE                   its events as `darshan-trace export --to csv` has them
"""
import random
import sys
from collections import OrderedDict

TICK = 10000  # ns
WRITE, MISS, AHEAD, ASYNC, LOGICAL = 0x40, 0x20, 0x10, 8, 0x80


def random_events(rng, count):
    """(type, offset, length, start, completion, operation, file, process, cpu): absolute times in ticks"""
    processes = rng.sample(range(1, 70000), rng.randint(1, 5))
    files = rng.randint(1, 60)
    mixed = rng.random() < .5
    place, cpu, now = {}, {}, 0
    for _ in range(count):
        process, file = rng.choice(processes), rng.randint(1, files)
        logical = not mixed or rng.random() < .7
        kind = (LOGICAL if logical else 0) | rng.choice([0, WRITE]) | rng.choice([0, 0, MISS, AHEAD, ASYNC]) | rng.choice([0, 0, 0, 1, 2, 3])
        if kind == 0xff:
            continue
        key = (logical, process if logical else 0, file)
        length = rng.choice([512, 4096, 100, 0, 1, 65536, rng.randint(0, 1 << 30)])
        if not logical:
            length = length // 512 * 512
        if key in place and rng.random() < .4:
            length = place[key][1]
        offset = place[key][0] + place[key][1] if key in place and rng.random() < .6 else rng.choice([0, 512, 7, rng.randint(0, 1 << 40)])
        if not logical:
            offset = offset // 512 * 512
        place[key] = offset, length
        now += rng.choice([0, 1, 10, rng.randint(0, 1 << 20)])
        cpu[process] = cpu.get(process, 0) + rng.choice([0, 1, rng.randint(0, 1 << 20)])
        yield kind, offset, length, now, rng.choice([0, 3, rng.randint(0, 1 << 24)]), rng.randint(1, 300) if mixed else 0, file, process, cpu[process]


def encode(events, base):
    """Lines in the one form; operations are left out of traces that have logical records only."""
    events = list(events)
    logical_only = all(e[0] & LOGICAL for e in events)
    recent, last_file, cpus, last_process, before = {}, {}, {}, None, 0
    for kind, offset, length, start, completion, operation, file, process, cpu in events:
        logical = kind & LOGICAL
        known = recent.setdefault(process if logical else None, OrderedDict())
        h = known.get(file)
        flags, fields = 0, []
        for value, same, absent, blocks in ((offset, h and h[0] + h[1] == offset, 0x40, 1), (length, h and h[1] == length, 4, 2)):
            if same:
                flags |= absent
            elif not logical:
                fields.append(value // 512)
            elif value and value % 512 == 0:
                flags |= blocks
                fields.append(value // 512)
            else:
                fields.append(value)
        fields += [start - before, completion]
        before = start
        if logical_only or (h and h[2] == operation):
            flags |= 0x20
        else:
            fields.append(operation)
        if last_file.get(process) == (logical, file):
            flags |= 0x80
        else:
            fields.append(file)
        if last_process == process:
            flags |= 8
        else:
            fields.append(process)
        fields.append(cpu - cpus.get(process, 0))
        cpus[process], last_process, last_file[process] = cpu, process, (logical, file)
        known[file] = offset, length, operation
        known.move_to_end(file)
        if len(known) > 32:
            known.popitem(last=False)
        yield " ".join(("%x" if base == 16 else "%d") % x for x in [kind, flags] + fields)


def decode(lines, base):
    history, last_file, cpu, process, now = {}, {}, {}, None, 0
    for line in lines:
        words = line.split()
        if not words or words[0] in ("ff", "FF") or (base == 10 and words[0] == "255"):
            continue
        kind, flags, *fields = [int(w, base) for w in words]
        logical = kind & LOGICAL
        fields = iter(fields)
        offset = None if flags & 0x40 else next(fields) * (512 if flags & 1 or not logical else 1)
        length = None if flags & 4 else next(fields) * (512 if flags & 2 or not logical else 1)
        start, completion = next(fields), next(fields)
        operation = None if flags & 0x20 else next(fields)
        file = None if flags & 0x80 else next(fields)
        process = process if flags & 8 else next(fields)
        used = next(fields)
        assert next(fields, None) is None
        file = last_file[process] if file is None else file
        key = (logical, process if logical else 0, file)
        if offset is None:
            offset = history[key][0] + history[key][1]
        if length is None:
            length = history[key][1]
        if operation is None:
            operation = history[key][2] if key in history else 0
        history[key], last_file[process] = (offset, length, operation), file
        now += start
        cpu[process] = cpu.get(process, 0) + used
        yield kind, offset, length, now, completion, operation, file, process, cpu[process]


def csv(events):
    yield "start,duration,operation,class,flags,process,file,offset,length,cpu,call,path,host"
    for kind, offset, length, start, completion, operation, file, process, cpu in events:
        flags = [name for bit, name in ((LOGICAL, ""), (ASYNC, "async"), (MISS, "miss"), (AHEAD, "ahead-hit")) if kind & bit and name]
        if not kind & LOGICAL:
            flags.insert(0, "physical")
        yield "%s,%s,%s,%s,%s,%d,%d,%d,%d,%s,%d,," % (
            seconds(start), seconds(completion), "write" if kind & WRITE else "read", ("data", "metadata", "read-ahead", "paging")[kind & 3],
            "+".join(flags) or "-", process, file, offset, length, seconds(cpu), operation)


def seconds(ticks):
    return "%d.%09d" % divmod(ticks * TICK, 10 ** 9)


def main(args):
    if args[0] == "random":
        lines = encode(random_events(random.Random(int(args[1])), int(args[2])), int(args[3]))
    else:
        lines = csv(decode(open(args[1]), 16))
    sys.stdout.writelines(line + "\n" for line in lines)


main(sys.argv[1:])
