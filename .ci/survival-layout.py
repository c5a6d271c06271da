#!/usr/bin/env python3
# survival-layout.py - what lies in a survival file, as declarations, beside the version that it is known by
# SPDX-License-Identifier: BSD-3-Clause
#
# A survival file may be read by another release than the one that made it, if the structs in it are the same. Their
# declarations stand in runtime/survive/survival.layout; this fails when those of the sources are others.
#
# usage: survival-layout.py [--write]
import difflib
import os
import re
import subprocess
import sys
import tempfile

LAYOUT = 'runtime/survive/survival.layout'
# All headers come with these.
SOURCES = ['runtime/life/state.h', 'runtime/record/record.c', 'runtime/survive/exit-record.c']
ROOMS = ['runtime/module', 'runtime/module/shared']
# What lies in the file without being a module's record, which all begin with a struct dsn_record_state.
ROOTS = ['dsn_survival_head', 'dsn_name', 'head', 'chunk', 'stored', 'dsn_module_index']
COUNTERS = '_index'
END_OF_STATE = 'config_text'


def preprocessed(source, empty):
    command = [os.environ.get('CC', 'cc').split()[-1], '-E', '-I' + empty, '-I.', '-Iruntime', '-D_GNU_SOURCE', '-DDSN_PRELOAD',
               '-DPACKAGE_VERSION=""', '-DDSN_LIBEXEC=""', source]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit('survival-layout.py: %s: %s' % (source, run.stderr.strip().splitlines()[0]))
    return run.stdout


def own_text(text):
    """What comes from files of this project, not from the system's."""
    lines, own = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = not marker.group(1).startswith(('/', '<'))
        elif own:
            lines.append(line)
    return '\n'.join(lines)


def declarations(text):
    """(kind and name, body) of each struct, union and enum."""
    for match in re.finditer(r'\b(struct|union|enum)\s+(\w+)\s*\{', text):
        depth, at = 1, match.end()
        while depth:
            depth += {'{': 1, '}': -1}.get(text[at], 0)
            at += 1
        yield match.group(2), ' '.join(('%s %s { %s' % (match.group(1), match.group(2), text[match.end():at])).split())


def all_declarations():
    found = {}
    sources = SOURCES + sorted(os.path.join(room, f) for room in ROOMS for f in os.listdir(room) if f.endswith('.c'))
    with tempfile.TemporaryDirectory() as empty:
        open(os.path.join(empty, 'config.h'), 'w').close()
        for source in sources:
            for name, body in declarations(own_text(preprocessed(source, empty))):
                if source.endswith('.c') and name in found and found[name] != body:
                    name += ' of ' + source
                found.setdefault(name, body)
    return found


def needed(found):
    names = [n for n, body in found.items() if re.search(r'\{ struct dsn_record_state state;', body)]
    names += [n for n in found if n.split(' of ')[0] in ROOTS or n.endswith(COUNTERS)]
    missing = [r for r in ROOTS if r not in found]
    if missing:
        sys.exit('survival-layout.py: no declaration of %s' % ', '.join(missing))
    found['dsn_state'] = found['dsn_state'].split(END_OF_STATE)[0]
    reached, todo = set(), names + ['dsn_state']
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += [n for n in re.findall(r'\b(?:struct|union|enum)\s+(\w+)', found[name]) if n in found]
    return sorted(reached)


def version():
    match = re.search(r'#define DSN_SURVIVAL_VERSION +(\d+)', open('runtime/survive/survival.h').read())
    return match.group(1) if match else sys.exit('survival-layout.py: survival.h has no DSN_SURVIVAL_VERSION')


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    found = all_declarations()
    now = ['version %s' % version()] + [re.sub(r'([;{]) (?=\S)', r'\1\n    ', found[n]) for n in needed(found)]
    text = '\n'.join(now) + '\n'
    if sys.argv[1:] == ['--write']:
        open(LAYOUT, 'w').write(text)
        return
    if re.search(r'\b(_Bool|atomic_bool)\b', text):
        sys.exit('survival-layout.py: a bool lies in a survival file, where it may have any value: use unsigned char')
    before = open(LAYOUT).read()
    if text != before:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), text.splitlines(True), 'as it was', 'as it is', n=1))
        sys.exit('survival-layout.py: what lies in a survival file has changed: raise DSN_SURVIVAL_VERSION in '
                 'runtime/survive/survival.h (once a release), then python3 .ci/survival-layout.py --write')


if __name__ == '__main__':
    main()
