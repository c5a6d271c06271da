# lbio.py - kills processes under log-based I/O, and their recovery, at random moments: PREFIX WRITER KILLS [SEED]
# SPDX-License-Identifier: BSD-3-Clause
"""Three writers share a file, and have one each. Each kill is followed by a recovery that is killed, too, and by one
that is not; after that all bytes of calls that had returned are in the files."""
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

RECORD, RANKS = 4700, 3
OPTIONS = ('threshold=0', 'threshold=1g', 'threshold=200k,maxlog=1m', 'threshold=64k,order=window,merge=64k',
           'threshold=1m,visibility=drain,order=off', 'threshold=1g,shared=log')


def start(prefix, writer, place, options):
    environment = dict(os.environ, LBIO_PATTERN='^' + place + '/files/', LD_PRELOAD=prefix + '/lib/liblbio.so',
                       LBIO_OPTS='logdir=' + place + '/logs,' + options)
    return [subprocess.Popen([writer, place + '/files', str(rank), str(RANKS), '%s/progress.%d' % (place, rank)],
                             env=environment) for rank in range(RANKS)]


def progress_of(place, rank):
    try:
        with open('%s/progress.%d' % (place, rank), 'rb') as f:
            return struct.unpack('<q', (f.read() + bytes(8))[:8])[0]
    except FileNotFoundError:
        return 0


def recover(prefix, place, seconds=None):
    command = [prefix + '/bin/lbio', 'recover', '--logdir', place + '/logs', '--all']
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def wrong(place):
    """What is wrong, or None."""
    for rank in range(RANKS):
        done = progress_of(place, rank)
        if done == 0:
            continue
        for name, stride, first in ('shared.0', RANKS, rank), ('own.%d' % rank, 1, 0):
            with open(place + '/files/' + name, 'rb') as f:
                for i in range(done):
                    f.seek((i * stride + first) * RECORD)
                    if f.read(RECORD) != bytes([(rank * 41 + i * 31) & 255]) * RECORD:
                        return 'record %d of %d of rank %d in %s' % (i, done, rank, name)
    left = [name for name in os.listdir(place + '/files') if '.lbio' in name]
    return 'markers, or data beside the files: %s' % left if left else None


def kill_once(prefix, writer, place, draw):
    os.makedirs(place + '/files')
    os.makedirs(place + '/logs')
    options = draw.choice(OPTIONS)
    processes = start(prefix, writer, place, options)
    time.sleep(draw.choice((0.01, 0.05, 0.2)) * draw.random() + 0.005)
    for process in processes:
        process.send_signal(signal.SIGKILL)
        if draw.random() < 0.3:
            time.sleep(0.02 * draw.random())
    for process in processes:
        process.wait()
    recover(prefix, place, 0.03 * draw.random())
    status = recover(prefix, place)
    if status != 0 or os.listdir(place + '/logs'):
        return '%s: recovery has status %d and leaves %s' % (options, status, os.listdir(place + '/logs'))
    what = wrong(place)
    return options + ': ' + what if what else None


def main():
    prefix, writer, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
    draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    records = 0
    for n in range(kills):
        place = tempfile.mkdtemp(prefix='lbio.', dir=os.environ.get('TMPDIR', '/tmp'))
        what = kill_once(prefix, writer, place, draw)
        if what:
            sys.exit('kill %d: %s (left in %s)' % (n, what, place))
        records += 2 * sum(progress_of(place, rank) for rank in range(RANKS))
        shutil.rmtree(place)
    print('%d times %d processes were killed, after %d writes: none is lost' % (kills, RANKS, records))


main()
