# lbio.py - `make bench-lbio`: what log-based I/O gains on an emulated slow file system, beside what is expected of it
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: lbio.py PROGRAMS RUNS MPIRUN [NAME]...; NAME: only these experiments. Works in ./bench-lbio.
# The file system is that of `slow` (slow.c) at an eighth of its sizes and four times its bandwidth, which is a
# thirty-second of the time; with "fuse" in the name it is a FUSE mount with the same model. Each figure is the mean of
# RUNS runs with its interval of 95 %. A ratio is that of runs one after the other, with and without the log.
import json
import math
import os
import shutil
import subprocess
import sys
import time

programs, RUNS, mpirun, chosen = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
LBIO = programs + '/lbio'
MODEL = 'bandwidth=56m,unit=4k,quantum=8k,write=62,open=156,close=156'
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
place = os.path.abspath('bench-lbio')
slow, logs, mount, token_file = (place + '/' + name for name in ('slow', 'logs', 'mount', 'tokens'))
SMALL = 'threshold=512k,hold=512k,merge=256k'  # an eighth of the defaults
missed = []


def spread(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, STUDENT.get(len(values), 2) * deviation / math.sqrt(len(values))


def row(name, values, least=None, most=None, unit=''):
    mean, half = spread(values)
    bound = '' if least is None and most is None else 'at most %g' % most if least is None else \
        'at least %g' % least if most is None else '%g to %g' % (least, most)
    holds = (least is None or mean >= least) and (most is None or mean <= most)
    print('  %-62s %9.3f +- %.3f %-4s %s' % (name, mean, half, unit, bound + ('' if holds else '  MISSED')), flush=True)
    if not holds:
        missed.append(name)


def empty(directory):
    for name in os.listdir(directory):
        path = directory + '/' + name
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


# ------------------------------------------------------------------ running

class Emulated:
    """Below the preload library, which also counts."""
    directory = slow

    def __init__(self, more=''):
        self.model = slow + ',' + MODEL + more

    def command(self):
        return [programs + '/slow', '--report', place + '/calls', self.model, '--']


class Fuse:
    """A mount, with the same model behind it."""
    directory = mount

    def command(self):
        return []

    def __enter__(self):
        self.daemon = subprocess.Popen([programs + '/slow-fuse', slow + ',' + MODEL, mount])
        while not os.path.ismount(mount):
            if self.daemon.poll() is not None:
                raise SystemExit('lbio.py: slow-fuse could not be mounted')
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        subprocess.run(['umount', mount], check=True)
        self.daemon.wait()


class Plain:
    """The backing directory itself."""
    directory = slow

    def command(self):
        return []


def run(where, command, log=None, reports=False):
    """The last line of its output as JSON. log: None, or options; reports: logged() is wanted."""
    environment = dict(os.environ)
    words = []
    if log is not None:
        environment['LBIO_OPTS'] = 'logdir=%s%s,%s' % (logs, ',report=' + place + '/report' if reports else '', log)
        words = [LBIO, 'run', '--files', '^' + where.directory + '/', '--']
    words += where.command()  # after liblbio.so, so that replay is slow, and the log is not
    for name in ('calls', 'report'):
        if os.path.exists(place + '/' + name):
            os.unlink(place + '/' + name)
    done = subprocess.run(words + command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit('lbio.py: %s: exit status %d' % (' '.join(words + command), done.returncode))
    result = json.loads(done.stdout.splitlines()[-1])
    empty(where.directory)
    return result


def calls():
    with open(place + '/calls') as f:
        return {key: float(value) for key, value in (item.split('=') for item in f.read().split())}


def logged():
    """Sums over processes."""
    sums = {}
    with open(place + '/report') as f:
        for line in f:
            if line.startswith('process '):
                for item in line.split()[4:]:
                    key, value = item.split('=')
                    sums[key] = sums.get(key, 0) + float(value)
    return sums


def phases(where, log=None, reports=False, **settings):
    settings = dict({'rate': RATE}, **settings)
    return run(where, [programs + '/phases', 'directory=' + where.directory] +
               ['%s=%s' % item for item in settings.items()], log, reports)


def ranks_of(where, ranks, program, what, log=None):
    # ranks outnumber processors: they yield while they wait
    return run(where, [mpirun, '--allow-run-as-root', '--oversubscribe', '--mca', 'io', 'romio321', '--mca',
                       'mpi_yield_when_idle', '1', '-n', str(ranks), programs + '/' + program,
                       where.directory + '/shared'] + what, log)


def shared_file(where, ranks, what, log=None):
    return ranks_of(where, ranks, 'shared-file', what, log and log + ',shared=log')


def tokens(n):
    return '%s,slots=%s,tokens=%d' % (SMALL, token_file, n)


# ------------------------------------------------------------------ experiments

def e1():
    """bandwidth of 1 to 64 writers: the smallest number within a twentieth of the highest"""
    best = []
    for _ in range(RUNS):
        rates = {n: n / phases(Emulated(), processes=n)['total'] for n in (1, 2, 4, 8, 16, 32, 64)}
        best.append(min(n for n in rates if rates[n] >= 0.95 * max(rates.values())))
    row('writers with the highest bandwidth', best, 16, 16)


def raw(where, title, kinds, sizes=(16, 32, 64), **settings):
    """Rows of time until all is in the files, beside that of direct runs. kinds: name -> options, bounds by size"""
    for n in sizes:
        got = {name: [] for name in kinds}
        direct = []
        visible = []
        for _ in range(RUNS):
            direct.append(phases(where, None, processes=n, **settings)['total'])
            for name, (options, _bounds) in kinds.items():
                result = phases(where, options, processes=n, **settings)
                got[name].append(result['total'] / direct[-1])
                visible.append(result['visible'] / direct[-1])
        row('%s, %d processes, direct' % (title, n), direct, unit='s')
        for name, (_options, bounds) in kinds.items():
            row('  %s / direct' % name, got[name], *bounds.get(n, (None, None)))
        row('  of it visible, with either', visible)


def e2():
    """10 phases of 10 writes of 32 KiB by each process to its own file, no computing; all until it is in the files"""
    raw(Emulated(), 'raw', {'log, no tokens': (SMALL, {n: (0.95, 1.30) for n in (16, 32, 64)}),
                            'log, 16 tokens': (tokens(16), {32: (None, 0.85), 64: (None, 0.72)})})


def e2_fuse():
    """the same on FUSE"""
    with Fuse() as where:
        raw(where, 'raw', {'log, no tokens': (SMALL, {n: (0.95, 1.30) for n in (16, 32)}),
                           'log, 16 tokens': (tokens(16), {32: (None, 0.85)})}, (16, 32))


def e2b():
    """E2 with 64 processes and other numbers of tokens"""
    mean = {}
    for n in (1, 2, 4, 8, 16, 32, 64):
        seconds = [phases(Emulated(), tokens(n), processes=64)['total'] for _ in range(RUNS)]
        row('%d tokens' % n, seconds, unit='s')
        mean[n] = sum(seconds) / len(seconds)
    row('fastest with', [float(min(mean, key=mean.get))], 8, 32)


def e3():
    """E2 with two small writes for each array, as of a library that describes what it writes"""
    window = ',order=window'
    raw(Emulated(), 'small writes', {'log, no tokens': (SMALL + window, {64: (None, 1.0)}),
                                     'log, 16 tokens': (tokens(16) + window, {64: (None, 0.62)})}, (64,), small=1)
    merged = []
    for _ in range(RUNS):
        phases(Emulated(), tokens(16) + window, True, processes=64, small=1)
        n = logged()
        small = 64 * 200
        merged.append((n['writes'] - n['replayed_writes']) / small)
    row('fewer writes, per small one', merged, 0.9)


def e4():
    """a shared array (BLOCK, BLOCK) of 8 MiB, written 40 times collectively by 32 ranks with ROMIO"""
    what = ['block', str(8 << 20), '40']
    ratio, total, floor, files = [], [], [], []
    for _ in range(RUNS):
        direct = shared_file(Emulated(), 32, what)
        log = shared_file(Emulated(), 32, what, tokens(16))
        plain = shared_file(Plain(), 32, what)
        if direct['sum'] != log['sum']:
            raise SystemExit('lbio.py: the shared file has other content')
        ratio.append(log['rank0'] / direct['rank0'])
        total.append(log['total'] / direct['total'])
        floor.append(plain['rank0'] / direct['rank0'])
        files.append((log['rank0'] - plain['rank0']) / (direct['rank0'] - plain['rank0']))
    row('seconds of rank 0 with a log / direct', ratio, None, 0.6)
    row('  until all is in the file', total)
    row('  what the same program takes if files take no time', floor)
    row('  without that', files)


def overlap(where, **settings):
    """The opens are those of files and markers, without the one by which phases reads each file in the end."""
    visible, computing, total, opens = [], [], [], []
    for _ in range(RUNS):
        direct = phases(where, None, **settings)
        log = phases(where, SMALL, **settings)
        visible.append(log['visible'] / direct['visible'])
        computing.append(100 * (log['compute'] / direct['compute'] - 1))
        total.append(100 * (log['total'] / direct['total'] - 1))
        if isinstance(where, Emulated):
            opens.append(calls()['opens'] / settings['processes'] / settings['phases'] - 1)
    return visible, computing, total, opens


def e5():
    """E2 with 16 processes that compute between phases: for as long as writing takes, and twice as long"""
    for step in (90000, 180000):
        visible, computing, total, _ = overlap(Emulated(), phases=10, processes=16, steps=1, step=step, work=5)
        row('%d ms: visible / direct' % (step / 1000), visible, None, 0.1)
        row('  longer computing', computing, None, 3, '%')
        row('  longer in total', total, unit='%')


def rocket(where):
    visible, computing, total, opens = overlap(where, processes=12, phases=4, steps=2, step=607000, work=5,
                                               bytes=267386, opens=5)
    row('hidden', [100 * (1 - v) for v in visible], 90, None, '%')
    row('longer computing', computing, None, 3, '%')
    row('longer in total', total, -27, -20, '%')
    if opens:
        row('opens of the slow file system for a snapshot of a process', opens, None, 1)


def e6():
    """12 processes, 10 steps, a snapshot of 31 MiB after the 2nd, 4th, 6th and 8th, each file opened five times"""
    rocket(Emulated())


def e6_fuse():
    """the same on FUSE"""
    with Fuse() as where:
        rocket(where)


def e7():
    """what a logged write costs, on the disk of the log"""
    def cost(log, writes, size, stride):
        return run(Plain(), [programs + '/write-cost', slow + '/cost', str(writes), str(size), str(stride)], log)
    ratio, small, resident, extent = [], [], [], []
    for _ in range(RUNS):
        plain = cost(None, 1000, 262144, 262144)
        log = cost('', 1000, 262144, 262144)
        ratio.append(log['us'] / plain['us'])
        resident.append((log['resident'] - plain['resident']) / 1048576)
        plain = cost(None, 20000, 100, 200)
        log = cost('threshold=1g', 20000, 100, 200)
        more = cost('threshold=1g', 60000, 100, 200)  # in less than a second, after which they are replayed
        small.append(log['us'] / plain['us'])
        extent.append((more['grown'] - log['grown']) / 40000)
    row('write of 256 KiB / plain local write', ratio, None, 1.3)
    row('write of 100 bytes / plain local write', small)
    row('resident memory in addition', resident, None, 4, 'MiB')
    row('  for each extent whose data is pending', extent, None, 64, 'B')


def e8():
    """times of the calls of a phase, on a file system that varies by 30 %"""
    relative, absolute = [], []
    for _ in range(RUNS):
        direct = phases(Emulated(',jitter=30'), None, processes=16, steps=1, step=180000, work=5)
        log = phases(Emulated(',jitter=30'), SMALL, processes=16, steps=1, step=180000, work=5)
        absolute.append(log['deviation'] / direct['deviation'])
        whole = [r['phase_deviation'] / r['phase_mean'] for r in (log, direct)]
        relative.append(whole[0] / whole[1])
    row('deviation of a phase / its mean, with a log / direct', relative, None, 1)
    row('deviation of its time in calls, with a log / direct', absolute, None, 1)


def strided(where, ranks=16):
    records = ['strided', '47008', '40']
    has_adios = os.path.exists(programs + '/adios-records')
    both, own, adios, total = [], [], [], []
    for _ in range(RUNS):
        direct = shared_file(where, ranks, records + ['collective'])
        log = shared_file(where, ranks, records + ['independent'], tokens(16))
        collective = shared_file(where, ranks, records + ['collective'], tokens(16))
        if len({direct['sum'], log['sum'], collective['sum']}) > 1:
            raise SystemExit('lbio.py: the shared file has other content')
        own.append(log['visible'] / direct['visible'])
        total.append(log['total'] / direct['total'])
        both.append(collective['visible'] / direct['visible'])
        if has_adios:
            buffered = ranks_of(where, ranks, 'adios-records', ['47008', '40', 'MPI'])
            adios.append(log['visible'] / buffered['visible'])
    row('independent writes with a log, visible / ROMIO collective', own, None, 0.2)
    row('  until all is in the file', total)
    if has_adios:
        row('  visible / ADIOS 1.13, which buffers in memory', adios, None, 1)
    row('collective writes with a log, visible / ROMIO collective', both)


def n1():
    """one file, records of 47,008 bytes of 16 ranks in turn, 40 of each"""
    strided(Emulated())


def n1_fuse():
    """the same on FUSE, where writes to one file come one after the other"""
    with Fuse() as where:
        strided(where)


experiments = [e1, e2, e2_fuse, e2b, e3, e4, e5, e6, e6_fuse, e7, e8, n1, n1_fuse]
for directory in (slow, logs, mount):
    os.makedirs(directory, exist_ok=True)
empty(slow)
RATE = subprocess.run([programs + '/phases', 'rate=0'], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
for experiment in experiments:
    name = experiment.__name__.replace('_', '-')
    if chosen and name not in chosen:
        continue
    print('%s: %s' % (name, experiment.__doc__), flush=True)
    lacks = 'libfuse3-dev' if name.endswith('fuse') and not os.path.exists(programs + '/slow-fuse') else \
        'root, to mount' if name.endswith('fuse') and os.geteuid() != 0 else \
        'Open MPI' if name[:2] in ('e4', 'n1') and not os.path.exists(programs + '/shared-file') else ''
    if lacks:
        print('  skipped: needs ' + lacks)
        continue
    experiment()
print('missed: ' + '; '.join(missed) if missed else 'nothing missed')
