#!/usr/bin/env python3
"""every-allocation.py LIBRARY one|all COMMAND... - runs a command once for each of its allocations, which fails, alone or
with all after it: the command says one line and ends with status 1, or does as without a failure. Of a command with
more than 40 allocations those of every 7th are tried, from the 41st on; all of them with DSN_ALLOCATIONS=all

SPDX-License-Identifier: BSD-3-Clause"""
import os
import re
import subprocess
import sys

library, which, command = sys.argv[1], sys.argv[2], sys.argv[3:]
name = os.path.basename(command[0]).encode()
step = 1 if os.environ.get('DSN_ALLOCATIONS') == 'all' else 7
made = 'new'  # what a command that writes a file is told to write
mark = 'mark'  # an allocation has failed


def remove(path):
    if os.path.exists(path):
        os.unlink(path)


def run(extra):
    remove(mark)
    remove(made)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **extra}, check=False)
    return done.returncode, done.stdout, done.stderr


def zoneless(text):
    """Without the name of the time zone, which the C library does without if it finds no memory for it."""
    return re.sub(rb'( UTC)? *$', b'', text, flags=re.M)


def is_right(status, out, err, whole):
    lines = err.splitlines()
    if status == 1:  # one line; or, if all fails from there on, one for each of two logs
        return (1 <= len(lines) <= (2 if which == 'all' else 1) and not os.path.exists(made)
                and all(line.startswith(name + b': ') and len(line) > len(name) + 2 for line in lines))
    return status == 0 and (zoneless(out), zoneless(err)) == whole


def main():
    status, out, err = run({})
    if status != 0:
        return f'without a failure: exit status {status}\n{err.decode(errors="replace")}'
    whole = zoneless(out), zoneless(err)
    n, failing = 0, {'FAIL_MARK': mark, 'LD_PRELOAD': library, **({'FAIL_ALL': 'yes'} if which == 'all' else {})}
    while True:
        n += 1 if n < 40 else step
        status, out, err = run({**failing, 'FAIL_AT': str(n)})
        if not is_right(status, out, err, whole):
            return f'allocation {n}: exit status {status}\n' + '\n'.join(err.decode(errors='replace').splitlines()[:5])
        if not os.path.exists(mark):
            break
    left = [f for f in os.listdir('.') if f.startswith('.darshan-')]
    return f'left: {left}' if left else f'only {n} allocations' if n <= 5 else None


wrong = main()
if wrong:
    print(wrong)
sys.exit(1 if wrong else 0)
