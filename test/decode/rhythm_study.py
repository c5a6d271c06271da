"""rhythm_study.py [--cycles PROGRAM] [--each N] [--seed N] [--list]: programs of known rhythm, with noise, against two methods

Makes N traces of each kind (25: 300 in all), asks darshan-cycles and a plain frequency method, which is written after the
published description of FTIO (discrete Fourier transform of the bytes over time, outliers by z-score, autocorrelation),
and prints a table: how often the period is right within 5 %, how often darshan-cycles has the right share of the bytes
within 5 % of all, and how often a rhythm was found where there is none. Status 1 if darshan-cycles is worse on a kind, or
finds a rhythm where there is none. Standard library only; a case is the same on every machine.
SPDX-License-Identifier: BSD-3-Clause"""
import argparse, cmath, json, math, random, re, statistics, subprocess, sys

KIB, MIB = 1 << 10, 1 << 20


class Case:
    """Operations (seconds, duration, process, file, bytes), and what is true of them: period and share, or no period."""

    def __init__(self, seed):
        self.random, self.ops, self.names = random.Random(seed), [], {}
        self.period = self.share = None
        self.main = 0

    def burst(self, at, count, size, file, process=1, main=False):
        for i in range(count):
            self.ops.append((at, 0.0007 * self.random.uniform(0.8, 1.2), process, file, size))
            at += 0.001
            self.main += main * size

    def noise(self, end):
        """a little I/O at random times, as a program's libraries do it"""
        for _ in range(self.random.randrange(5, 40)):
            self.burst(self.random.uniform(0, end), self.random.randrange(1, 4), self.random.choice((13, 220, 4096)), 900 + self.random.randrange(5))

    def steps(self, n, period, jitter):
        at, times = self.random.uniform(0.5, 3), []
        for _ in range(n):
            times.append(at)
            at += period * (1 + self.random.gauss(0, jitter))
        return times

    def truth(self, times, whole=False):
        self.period = (times[-1] - times[0]) / (len(times) - 1)
        self.share = 1 if whole else self.main / sum(op[4] for op in self.ops)

    def text(self):
        lines = ["ff !iotrace 1", "ff !base 10", "ff !tick_us 1"]
        lines += ["ff !file %d 0 %s" % one for one in sorted(self.names.items())]
        before, cpu = 0, {}
        for at, lasts, process, file, size in sorted(self.ops):
            now = round(at * 1e6)
            lines.append("192 32 0 %d %d %d %d %d %d" % (size, now - before, round(lasts * 1e6), file, process, 0))
            before = now
        return "\n".join(lines) + "\n"


def checkpoints(c):
    times = c.steps(c.random.randrange(12, 60), c.random.uniform(2, 12), 0.05)
    for i, at in enumerate(times):
        c.names[100 + i] = "/run/chk-%05d.h5" % i
        c.burst(at, 32, MIB, 100 + i, main=True)
    c.truth(times)


def log_and_checkpoint(c, every=None, same=False):
    """a line each step, a checkpoint every so many steps"""
    every = every or c.random.randrange(4, 20)
    step = c.random.uniform(0.1, 1) if every < 64 else 0.06
    steps = c.steps(every * c.random.randrange(12, 25), step, 0.03)
    times = steps[every - 1 :: every]
    for i, at in enumerate(steps):
        c.burst(at, 1, c.random.choice((200, 201, 202)), 1)
        if (i + 1) % every == 0:
            file = 1 if same else 100 + i
            c.names[file] = "/run/run.log" if same else "/run/chk-%05d" % i
            c.burst(at + 0.004, 32, MIB, file, main=True)
    c.truth(times)


def many_lines(c):
    log_and_checkpoint(c, c.random.randrange(70, 130))


def one_name(c):
    log_and_checkpoint(c, same=True)


def two_periods(c):
    small, large = c.random.uniform(1.5, 3.5), c.random.uniform(6, 11)
    for at in c.steps(int(250 / small), small, 0.02):
        c.burst(at, 10, MIB, 1)
    times = c.steps(int(250 / large), large, 0.02)
    for at in times:
        c.burst(at, 50, 2 * MIB, 2, main=True)
    c.truth(times)


def counts_vary(c):
    times = c.steps(c.random.randrange(15, 50), c.random.uniform(2, 10), 0.04)
    for at in times:
        c.burst(at, c.random.randrange(10, 60), MIB, 1, main=True)
    c.truth(times)


def strangers(c):
    """other work comes between at random times, with a third of the bytes"""
    period = c.random.uniform(3, 9)
    times = c.steps(c.random.randrange(20, 45), period, 0.03)
    for at in times:
        c.burst(at, 30, MIB, 1, main=True)
    for i in range(len(times) // 2):
        c.burst(c.random.uniform(times[0], times[-1]), c.random.randrange(5, 50), MIB, 500 + i % 7)
    c.truth(times)


def missing(c):
    """40 of 100 bursts are left out"""
    period = c.random.uniform(2, 8)
    times = c.steps(c.random.randrange(40, 80), period, 0.02)
    left = [at for at in times if c.random.random() < 0.6]
    for at in left:
        c.burst(at, 20, MIB, 1, main=True)
    c.truth(times)


def drift(c):
    n, first = c.random.randrange(25, 50), c.random.uniform(3, 7)
    last, at, times = first * c.random.uniform(1.3, 1.7), 1, []
    for i in range(n):
        times.append(at)
        at += (first + (last - first) * i / (n - 1)) * (1 + c.random.gauss(0, 0.01))
    for at in times:
        c.burst(at, 20, MIB, 1, main=True)
    c.truth(times)


def ranks(c):
    """four processes write what belongs to them, and are late each by itself"""
    times = c.steps(c.random.randrange(15, 40), c.random.uniform(3, 9), 0.03)
    for i, at in enumerate(times):
        for process in range(1, 5):
            c.names[1000 * process + i] = "/run/step-%04d.%d" % (i, process)
            c.burst(at + c.random.uniform(0, 0.2), 8, MIB, 1000 * process + i, process, main=True)
    c.truth(times)


def random_alike(c):
    for _ in range(c.random.randrange(6, 40)):
        c.burst(c.random.uniform(0, 200), 20, MIB, 1)


def random_unlike(c):
    for _ in range(c.random.randrange(6, 40)):
        c.burst(c.random.uniform(0, 200), c.random.randrange(1, 60), c.random.choice((4 * KIB, 64 * KIB, MIB)), c.random.randrange(1, 6))


KINDS = (checkpoints, log_and_checkpoint, many_lines, one_name, two_periods, counts_vary, strangers, missing, drift, ranks, random_alike, random_unlike)


# ------------------------------------------------------------------ the frequency method


def transform(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[0::2]), transform(x[1::2])
    odd = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, odd)] + [a - b for a, b in zip(even, odd)]


def by_frequency(case, bins=4096):
    """The period, or None: the frequency whose power is an outlier (z-score of 3 and more, and none other of 0.8 times
    its z-score but its harmonics), unless the peaks of the autocorrelation tell another one."""
    start, end = min(op[0] for op in case.ops), max(op[0] + op[1] for op in case.ops)
    width, series = (end - start) / bins, [0.0] * bins
    for at, lasts, _, _, size in case.ops:
        series[min(bins - 1, int((at - start) / width))] += size
    mean = sum(series) / bins
    wave = transform([v - mean for v in series])
    power = [abs(z) ** 2 for z in wave[1 : bins // 2]]
    middle, spread = statistics.fmean(power), statistics.pstdev(power)
    score = [(v - middle) / spread for v in power]
    top = max(score)
    peaks = [k + 1 for k, z in enumerate(score) if z >= 3 and z >= 0.8 * top]
    peaks = [k for k in peaks if not any(k != m and k % m == 0 for m in peaks)]
    found = (end - start) / max(peaks, key=lambda k: power[k - 1]) if 1 <= len(peaks) <= 2 and top >= 3 else None
    correlation = [z.real for z in transform([abs(z) ** 2 for z in transform([v - mean for v in series] + [0.0] * bins)])]
    correlation = [v / correlation[0] for v in correlation[:bins]]
    lags = [i for i in range(8, bins - 1) if correlation[i] >= 0.15 and correlation[i - 1] < correlation[i] >= correlation[i + 1]]
    steps = [(b - a) * width for a, b in zip([0] + lags, lags) if b - a >= 8]
    if len(steps) >= 3:
        middle, spread = statistics.fmean(steps), statistics.pstdev(steps)
        steps = [s for s in steps if spread == 0 or abs(s - middle) <= spread] or steps
        by_lag = statistics.fmean(steps)
        if statistics.pstdev(steps) <= 0.1 * by_lag and (found is None or abs(by_lag / found - 1) < 0.1):
            return by_lag
    return found


# ------------------------------------------------------------------ darshan-cycles


def by_cycles(case, program):
    """(period, share of the bytes) of the first line; (None, None): no rhythm"""
    done = subprocess.run([program, "--clock", "wall", "--json", "-"], input=case.text(), capture_output=True, text=True)
    d = json.loads(done.stdout)
    at = re.search(r"every ([0-9.]+) (us|ms|s) ", d["says"])
    if not d["rhythm"] or not at:
        return None, None
    period = float(at.group(1)) * {"us": 1e-6, "ms": 1e-3, "s": 1}[at.group(2)]
    part = d["process"] or d["job"]
    shares = [(c["bytes_read"] + c["bytes_written"]) / max(1, part["bytes_read"] + part["bytes_written"]) for c in part["cycles"] if abs(c["mean"] / period - 1) < 0.01]
    return period, max(shares, default=0)


def main():
    o = argparse.ArgumentParser()
    o.add_argument("--cycles", default="darshan-cycles")
    o.add_argument("--each", type=int, default=25)
    o.add_argument("--seed", type=int, default=1)
    o.add_argument("--list", action="store_true", help="print every case that darshan-cycles has wrong")
    o.add_argument("--kind", help="this one only")
    o.add_argument("--write", help="write the traces into this directory")
    o = o.parse_args()
    right = lambda period, case: period is not None and abs(period / case.period - 1) <= 0.05
    print("%-20s %5s %16s %16s %16s" % ("kind", "cases", "period: cycles", "frequency", "share: cycles"))
    sums, worse = [0] * 4, False
    for number, kind in enumerate(KINDS):
        if o.kind and kind.__name__ != o.kind:
            continue
        got = [0, 0, 0]
        for i in range(o.each):
            case = Case(100000 * o.seed + 1000 * number + i)
            kind(case)
            case.noise(max(op[0] for op in case.ops))
            if o.write:
                open("%s/%s-%d" % (o.write, kind.__name__, i), "w").write(case.text())
            period, share = by_cycles(case, o.cycles)
            other = by_frequency(case)
            if case.period is None:
                results = (period is None, other is None, period is None)
            else:
                # what comes at each step or in between belongs to the cycle, or does not
                results = (right(period, case), right(other, case), right(period, case) and share >= case.share - 0.05)
            if o.list and not (results[0] and results[2]):
                print("# %s %d: %s, share %s; want %s, %s" % (kind.__name__, i, period, share, case.period, case.share))
            got = [a + b for a, b in zip(got, results)]
        print("%-20s %5d %16d %16d %16d" % (kind.__name__, o.each, *got))
        sums = [a + b for a, b in zip(sums, [o.each] + got)]
        worse |= got[0] < got[1] or (case.period is None and got[0] < o.each)
    print("%-20s %5d %16d %16d %16d" % ("all", *sums))
    sys.exit(worse)


if __name__ == "__main__":
    main()
