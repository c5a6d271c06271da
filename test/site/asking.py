# asking.py - asks darshan-accounting, and compares its answers with what is known; shared by the sites of which all is known
# SPDX-License-Identifier: BSD-3-Clause
import collections
import json
import math
import subprocess

MIB, GIB, TIB = 1 << 20, 1 << 30, 1 << 40


class Asking:
    """Of the database `database`, by the command `accounting`. `compared` figures, of which `wrong` differ."""

    def __init__(self, accounting, database):
        self.accounting, self.database = accounting, database
        self.compared = self.wrong = 0

    def run(self, *words):
        done = subprocess.run([self.accounting, "--db", self.database, *words], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    def compare(self, name, want, key, *options):
        """`want`: rows, of which these columns are compared; both sides sorted by the columns `key`."""
        ordered = lambda rows: sorted(rows, key=lambda r: [str(r[k]) for k in key])
        got, want = ordered(json.loads(self.run(*options, "query", name, "--json"))), ordered(want)
        if len(got) != len(want):
            print("%s%s: %d rows, and %d by truth" % (name, options or "", len(got), len(want)))
            self.wrong += 1
            return
        for g, w in zip(got, want):
            for column, value in w.items():
                self.compared += 1
                if not same(g[column], value):
                    self.wrong += 1
                    print("%s%s: %s of %s is %r, and %r by truth" % (
                        name, options or "", column, [g[k] for k in key], g[column], value))

    def compare_study(self, *options):
        """The study, which computes once what many questions take, says what each question says by itself."""
        for name, rows in json.loads(self.run(*options, "study", "--json")).items():
            self.compare(name, rows, list(rows[0]) if rows else [], *options)


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def power(n):
    return 1 << (int(n).bit_length() - 1)


def percent(a, b):
    return 100 * a / b if b and a is not None else None


def total(values):
    values = [v for v in values if v is not None]
    return sum(values) if values else None


def grouped(rows, key):
    out = collections.defaultdict(list)
    for row in rows:
        out[key(row)].append(row)
    return out


def idle_periods(rate):
    """{length's name: [lists of successive minutes]} of the minutes with less than a twentieth of the highest rate; `rate`: {minute:
    MiB/s}."""
    low = .05 * max(rate.values())
    periods, current = [], []
    for minute in sorted(rate) + [None]:
        is_low = minute is not None and rate[minute] < low
        if is_low and (not current or minute == current[-1] + 1):
            current.append(minute)
            continue
        if current:
            periods.append(current)
        current = [minute] if is_low else []
    name = lambda n: "1-9 min" if n < 10 else "10-29 min" if n < 30 else "30-59 min" if n < 60 else "1-4 h" if n < 240 else "4 h and more"
    return grouped(periods, lambda period: name(len(period)))


def minutes_of(samples):
    """What samples come to by minute. samples: (machine, host, device, end, seconds, KiB read, KiB written). A sample is spread over
    the minutes that it covers, at its mean rate; of a minute that is covered in part the rate of that part counts. Returns
    {minute: [KiB/s read, written, KiB read, written]} and {(machine, host): set of minutes}."""
    parts = collections.defaultdict(lambda: [0.0, 0.0, 0])
    for machine, host, device, end, length, read, written in samples:
        for minute in range((end - length) // 60, (end - 1) // 60 + 1):
            seconds = min(end, 60 * minute + 60) - max(end - length, 60 * minute)
            p = parts[machine, host, device, minute]
            p[0] += read * seconds / length
            p[1] += written * seconds / length
            p[2] += seconds
    out, hosts = {}, collections.defaultdict(set)
    for (machine, host, _, minute), (read, written, seconds) in parts.items():
        o = out.setdefault(minute, [0.0] * 4)
        for i, v in enumerate((read / seconds, written / seconds, read, written)):
            o[i] += v
        hosts[machine, host].add(minute)
    return out, hosts


def gaps_of(minutes, hosts):
    """{(first second, end): servers} of the times for which servers have no sample, though others have."""
    end, gaps = 1 + max(minutes), collections.Counter()
    for seen in hosts.values():
        seen = sorted(seen)
        for before, after in zip(seen, seen[1:] + [end]):
            if after - before > 1:
                gaps[60 * (before + 1), 60 * after] += 1
    return gaps
