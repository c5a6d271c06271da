# lbio.py - the tests of ROMIO, MPICH, PnetCDF and HDF5 under log-based I/O: PREFIX DIRECTORY [SUITE]...
# SPDX-License-Identifier: BSD-3-Clause
"""Fetches the suites as Debian's source packages, builds them unchanged in DIRECTORY, and runs each test three times in a
directory of its own: twice alone, and once with all files there managed. What is the same in the first two runs (exit status,
output without numbers, each file left) has to be the same in the third one. Prints TAP, and for each suite what its tests moved
through logs. What differs is kept in DIRECTORY/left. SUITE_TESTS: a regular expression of names of tests.

HDF5's tests run without its locks, for files that are locked are written directly. Its scripts are not run: most of them are on
SWMR, where a process reads what another one has open, and the others on messages. Fortran is left out of PnetCDF and HDF5, whose
bindings for it call what the C tests call; MPICH's tests that need 6.5 GB of memory, too."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

LIMIT = 3600  # seconds that a test may take


def quietly(command, where, **more):
    """Runs a step of a build; what it says is shown if it fails."""
    done = subprocess.run(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        sys.exit('%s in %s fails:\n%s' % (command, where, done.stdout.decode('utf-8', 'replace')[-3000:]))
    return done.stdout.decode('utf-8', 'replace')


# ---------------------------------------------------------------------------------------------------------- sources

class Sources:
    """Debian's source packages, of the versions whose binaries are installed, through a list of sources of its own."""

    def __init__(self, place):
        self.place = place
        self.apt = ['apt-get', '-o', 'Dir::Etc::sourcelist=/dev/null', '-o', 'Dir::Etc::sourceparts=%s/parts' % place,
                    '-o', 'Dir::State::lists=%s/lists' % place]
        self.has_lists = False

    def update(self):
        os.makedirs(self.place + '/parts', exist_ok=True)
        os.makedirs(self.place + '/lists/partial', exist_ok=True)
        for path in ['/etc/apt/sources.list'] + glob.glob('/etc/apt/sources.list.d/*'):
            try:
                with open(path) as f:
                    text = f.read()
            except OSError:
                continue
            text = re.sub(r'(?m)^Types:.*$', 'Types: deb-src', text)
            text = re.sub(r'(?m)^deb\s', 'deb-src ', text)
            if 'debian.org' in text:
                with open('%s/parts/%s' % (self.place, os.path.basename(path)), 'w') as f:
                    f.write(text)
        quietly(self.apt + ['update'], self.place)
        self.has_lists = True

    def get(self, package):
        """The directory of the unpacked source, or None and why."""
        to = '%s/%s' % (self.place, package)
        if os.path.isdir(to):
            return to, None
        if not self.has_lists:
            self.update()
        done = subprocess.run(self.apt + ['--only-source', '--download-only', 'source', package], cwd=self.place,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            return None, done.stdout.decode('utf-8', 'replace').strip().splitlines()[-1]
        quietly('dpkg-source --no-check -x %s_*.dsc %s.part && mv %s.part %s' % (package, package, package, package), self.place,
                shell=True)
        return to, None


# ------------------------------------------------------------------------------------------------------------ tests

def with_ranks(mpi, ranks, *command):
    """The command with so many ranks, on however few processors and as whichever user."""
    if mpi == 'openmpi':
        return ['mpirun.openmpi', '--oversubscribe', '--allow-run-as-root', '-n', str(ranks)] + list(command)
    return ['mpiexec.mpich', '-n', str(ranks)] + list(command)


class Test:
    """`variables`: added to the environment; `lacks`: why it cannot be run."""

    def __init__(self, name, command, variables=None, lacks=None):
        self.name, self.command, self.variables, self.lacks = name, command, variables or {}, lacks


CONFIGURED = {'LL': 'lld', 'F77MPIOINC': '', 'FORTRAN_MPI_OFFSET': 'integer*8', 'F77IARGC': 'iargc()',
              'F77GETARG': 'call getarg(i, str)'}


def configured(template, where):
    """What the suite's own configure makes of a source."""
    path = '%s/%s' % (where, os.path.basename(template)[:-3])
    with open(template) as f, open(path, 'w') as g:
        g.write(re.sub('@([A-Z0-9_]+)@', lambda m: CONFIGURED[m[1]], f.read()))
    return path


def compile_each(sources, mpi, where, options=()):
    os.makedirs(where, exist_ok=True)
    built = {}
    for source in sources:
        name = os.path.basename(source).split('.')[0]
        built[name] = '%s/%s' % (where, name)
        if source.endswith('.in'):
            source = configured(source, where)
        if not os.path.exists(built[name]):
            compiler, more = ('mpif77.', ['-fallow-argument-mismatch']) if source.endswith('.f') else ('mpicc.', [])
            subprocess.run([compiler + mpi, '-O1', '-w', '-o', built[name], source] + more + list(options), cwd=where,
                           stderr=subprocess.DEVNULL)
    return built


def lack_of(program):
    return None if os.path.exists(program) else 'it does not compile with this MPI'


def romio(sources, place, mpi):
    """The programs of ROMIO, with the ranks and arguments of its `runtests`."""
    source, why = sources.get('mpich')
    if not source:
        return why
    tests = source + '/src/mpi/romio/test'
    where = '%s/romio-%s' % (place, mpi)
    with open(tests + '/runtests.in') as f:
        lines = re.findall(r'^\s*\$mpirun -np (\d+) \./(\S+) *(.*)$', f.read(), re.M)
    programs = set(name for _, name, _ in lines)
    built = compile_each([path for path in sorted(glob.glob(tests + '/*'))
                          if re.fullmatch(r'[\w-]+\.(c|f)(\.in)?', os.path.basename(path)) and
                          os.path.basename(path).split('.')[0] in programs], mpi, where)
    return [Test(name, with_ranks(mpi, ranks, built[name],
                                  *arguments.replace('$FILENAME', 'test').replace('$srcdir', tests).split()),
                 lacks=lack_of(built[name]))
            for ranks, name, arguments in lines]


KNOWN_HERE = '''DOUBLE__COMPLEX FLOAT__COMPLEX GETRUSAGE INTTYPES_H LONG_DOUBLE LONG_LONG MPI_IO MPI_SPAWN MPI_WIN_CREATE PTHREAD_H
STDARG_H STDINT_H STDLIB_H STRDUP STRINGS_H STRING_H SYS_RESOURCE_H SYS_STAT_H SYS_TIME_H UNISTD_H USLEEP'''.split()


def mpich(sources, place, mpi):
    """The tests of MPI-IO in MPICH's own suite, with the ranks and arguments of their list."""
    source, why = sources.get('mpich')
    if not source:
        return why
    tests = source + '/test/mpi'
    where = '%s/mpich-%s' % (place, mpi)
    os.makedirs(where, exist_ok=True)
    with open(tests + '/include/mpitestconf.h.in') as f, open(where + '/mpitestconf.h', 'w') as g:
        g.write(re.sub(r'#undef HAVE_(\w+)', lambda m: '#define HAVE_%s 1' % m[1] if m[1] in KNOWN_HERE else '', f.read()))
        g.write('#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n#define THREAD_PACKAGE_POSIX 2\n')
    with open(tests + '/io/testlist.in') as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith('#')]
    # bigtype and its like need 6.5 GB of memory
    lines = [line for line in lines if not any(word.startswith('mem=') for word in line[2:])]
    if mpi != 'mpich':  # those with i_ of what is an extension of MPICH
        lines = [line for line in lines if not line[0].startswith('i_') or line[0] == 'i_noncontig']
    built = compile_each(['%s/io/%s.c' % (tests, line[0]) for line in lines], mpi, where,
                         ['-I' + where, '-I' + tests + '/include', '-lpthread'] +
                         ['%s/util/%s.c' % (tests, part) for part in ('mtest', 'mtest_common', 'mtest_thread', 'dtypes')])
    return [Test(line[0], with_ranks(mpi, int(line[1]), built[line[0]],
                                     *[word[4:] for word in line[2:] if word.startswith('arg=')]), lacks=lack_of(built[line[0]]))
            for line in lines]


def pnetcdf(sources, place, mpi):
    """Each directory of PnetCDF's tests, as `make check` and as `make ptest` run it; files go to TESTOUTDIR."""
    source, why = sources.get('pnetcdf')
    if not source:
        return why
    where = '%s/pnetcdf-%s' % (place, mpi)
    if not os.path.exists(where + '/built'):
        if not os.path.exists(source + '/configure'):
            quietly(['autoreconf', '-i'], source)
        os.makedirs(where, exist_ok=True)
        quietly([source + '/configure', '--disable-fortran', '--disable-cxx', 'MPICC=mpicc.' + mpi, 'CFLAGS=-O1 -w',
                 'TESTMPIRUN=' + ' '.join(with_ranks(mpi, 'NP'))], where)
        quietly(['make', '-j2', 'tests'], where)
        open(where + '/built', 'w').close()
    rooms = [room for room in listed(where + '/test/Makefile', 'C_SUBDIRS') if room != 'common']
    return [Test('%s %s' % (room, what),
                 ['sh', '-c', 'make -C "$1" "$2" TESTOUTDIR="$PWD" 2>&1; s=$?; cat "$1"/*.sh.log; exit $s', 'sh',
                  '%s/test/%s' % (where, room), what])
            for room in rooms for what in ('check', 'ptest')]


def hdf5_built(sources, place):
    source, why = sources.get('hdf5')
    if not source:
        return None, why
    where = place + '/hdf5-built'
    if not os.path.exists(where + '/built'):
        os.makedirs(where, exist_ok=True)
        quietly([source + '/configure', 'CC=mpicc.mpich', 'CFLAGS=-O1 -w', '--enable-parallel', '--disable-fortran', '--disable-hl',
                 '--disable-cxx', '--disable-static', '--enable-tests'], where)
        quietly(['make', '-j2', '-C', 'src'], where)
        for room in 'test', 'testpar':
            quietly(['make', '-j2', '-C', room, 'build-tests'], where)
        open(where + '/built', 'w').close()
    return where, source


def listed(makefile, variable):
    with open(makefile) as f:
        text = f.read().replace('\\\n', ' ')
    return [word.replace('$(EXEEXT)', '') for word in re.search(r'^%s *= *(.*)$' % variable, text, re.M)[1].split()]


# Each of these reads a file that another test leaves, and runs after it in one directory.
AFTER = {'flush2': 'flush1', 't_prestart': 't_pshutdown'}


def after(name, command):
    """The command of a test, from that of a program; after another one, whose status and output do not count."""
    if name not in AFTER:
        return command(name)
    return ['sh', '-c', '%s >before.out 2>&1; rm before.out; exec %s' % (' '.join(command(AFTER[name])), ' '.join(command(name)))]


def hdf5(sources, place, mpi):
    """The serial tests: programs, without HDF5's locks, for files that are locked are not logged."""
    where, source = hdf5_built(sources, place)
    if not where:
        return source
    variables = {'srcdir': source + '/test', 'HDF5_NOCLEANUP': '1', 'HDF5TestExpress': '3', 'HDF5_USE_FILE_LOCKING': 'FALSE'}
    return [Test(name, after(name, lambda program: ['%s/test/%s' % (where, program)]), variables=variables)
            for name in listed(where + '/test/Makefile', 'TEST_PROG')]


def hdf5_parallel(sources, place, mpi):
    where, source = hdf5_built(sources, place)
    if not where:
        return source
    variables = {'srcdir': source + '/testpar', 'HDF5_NOCLEANUP': '1', 'HDF5TestExpress': '3', 'HDF5_USE_FILE_LOCKING': 'FALSE'}
    return [Test(name, after(name, lambda program: with_ranks('mpich', 4, '%s/testpar/%s' % (where, program))), variables=variables)
            for name in listed(where + '/testpar/Makefile', 'TEST_PROG_PARA')]


SUITES = {'romio-mpich': (romio, 'mpich'), 'romio-openmpi': (romio, 'openmpi'), 'mpich': (mpich, 'mpich'),
          'mpich-openmpi': (mpich, 'openmpi'), 'pnetcdf-mpich': (pnetcdf, 'mpich'), 'pnetcdf-openmpi': (pnetcdf, 'openmpi'),
          'hdf5': (hdf5, 'mpich'), 'hdf5-parallel': (hdf5_parallel, 'mpich')}



# Where ranks write in the order in which they come, the bytes of files are not always the same.
UNORDERED = {'romio-mpich shared_fp', 'romio-openmpi shared_fp'}

# Which differ by themselves from run to run.
VARYING = {'romio-openmpi atomicity': 'what Open MPI leaves of atomic accesses is not always the same'}


# ---------------------------------------------------------------------------------------------------------- running

class Run:
    def __init__(self, status, output, files):
        self.status, self.output, self.files = status, output, files


def files_below(directory):
    found = {}
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(where, name)
            if os.path.islink(path) or not os.path.isfile(path):
                found[os.path.relpath(path, directory)] = 'special'
                continue
            with open(path, 'rb') as f:
                found[os.path.relpath(path, directory)] = hashlib.file_digest(f, 'sha256').hexdigest() \
                    if hasattr(hashlib, 'file_digest') else hashlib.sha256(f.read()).hexdigest()
    return found


def plain(output):
    """Without numbers, and with lines, which come from several ranks, in an order of their own."""
    return '\n'.join(sorted(re.sub(r'0x[0-9a-f]+|[0-9.]+', '#', line).strip() for line in output.splitlines()))


def run_once(test, place, keep, prefix=()):
    here = place + '/here'
    shutil.rmtree(here, ignore_errors=True)
    os.makedirs(here)
    environment = dict(os.environ, **test.variables)
    with open(place + '/output', 'wb') as out:
        process = subprocess.Popen(list(prefix) + test.command, cwd=here, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            status = 'takes longer than %d s' % LIMIT
    with open(place + '/output', 'rb') as f:
        output = f.read().decode('utf-8', 'replace')
    run = Run(status, output, files_below(here))
    shutil.rmtree(keep, ignore_errors=True)
    os.rename(here, keep)
    with open(keep + '.output', 'w') as f:
        f.write(output)
    return run


def dump_of(directory, name):
    done = subprocess.run(['h5dump', '-p', name], cwd=directory, env=dict(os.environ, HDF5_EXTFILE_PREFIX='${ORIGIN}'),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, hashlib.sha256(done.stdout).digest()


def is_same_hdf5(one, other, name):
    """HDF5 puts the second of their making into files, which two runs may have in common and the third one not."""
    with open('%s/%s' % (one, name), 'rb') as f:
        is_hdf5 = b'\x89HDF\r\n\x1a\n' in f.read(1 << 20)
    return is_hdf5 and os.path.getsize('%s/%s' % (one, name)) == os.path.getsize('%s/%s' % (other, name)) and \
        dump_of(one, name) == dump_of(other, name)


def differences(first, second, logged, keep, is_unordered):
    """What two runs alone have in common, and the third one has not; their files are in `keep`."""
    if isinstance(first.status, str):
        return [first.status + ' alone']
    found = []
    if first.status == second.status != logged.status:
        found.append('exit status %s instead of %s' % (logged.status, first.status))
    if plain(first.output) == plain(second.output) != plain(logged.output):
        found.append('output')
    for name in sorted(set(first.files) | set(logged.files)):
        alone = first.files.get(name, 'not there'), second.files.get(name, 'not there')
        if is_unordered and name in first.files and name in logged.files:
            continue
        if alone[0] == alone[1] != logged.files.get(name, 'not there') and not (
                name in first.files and name in logged.files and is_same_hdf5(keep + '1', keep + 'logged', name)):
            found.append('%s %s' % (name, 'is not there' if name not in logged.files else
                                    'is left' if name not in first.files else 'has other bytes'))
    return found


def logged_bytes(report):
    try:
        with open(report) as f:
            return sum(int(n) for n in re.findall(r'^process.* bytes=(\d+)', f.read(), re.M))
    except OSError:
        return 0


def run_suite(name, tests, prefix, place, number):
    """Runs the tests; returns how many differ."""
    report = place + '/report'
    moved = different = failing = skipped = 0
    for test in tests:
        which = '%s %s' % (name, test.name)
        number += 1
        if test.lacks or which in VARYING:
            skipped += 1
            print('ok %d - %s # skip: %s' % (number, which, test.lacks or VARYING[which]), flush=True)
            continue
        if os.path.exists(report):
            os.unlink(report)
        shutil.rmtree(place + '/logs', ignore_errors=True)
        os.makedirs(place + '/logs')
        keep = '%s/left/%s.%s.' % (place, name, test.name.replace(' ', '-'))
        os.makedirs(place + '/left', exist_ok=True)
        alone = [run_once(test, place, keep + str(i)) for i in (1, 2)]
        options = ','.join(filter(None, ['logdir=%s/logs,report=%s' % (place, report)]))
        logged = run_once(test, place, keep + 'logged',
                          [prefix + '/bin/lbio', 'run', '--files', '^%s/here/' % re.escape(place), '--options', options, '--'])
        found = differences(alone[0], alone[1], logged, keep, which in UNORDERED)
        if os.listdir(place + '/logs'):
            found.append('logs are left: %s' % os.listdir(place + '/logs'))
        bytes_here = logged_bytes(report)
        moved += bytes_here
        failing += alone[0].status != 0
        different += bool(found)
        print('%sok %d - %s%s%s: %s (%d bytes through logs)' % (
            'not ' if found else '', number, which, '' if alone[0].status == 0 else ', which fails alone, too',
            '; '.join(found) if found else 'equal', bytes_here), flush=True)
        if not found:
            for run in '1', '2', 'logged':
                shutil.rmtree(keep + run)
                os.unlink(keep + run + '.output')
    print('# %s: %d tests, %d equal, %d different, %d not run; %d fail alone; %d bytes went through logs' % (
        name, len(tests), len(tests) - different - skipped, different, skipped, failing, moved), flush=True)
    return different + (moved == 0)


def main():
    prefix, place = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(place, exist_ok=True)
    names = sys.argv[3:] or list(SUITES)
    only = os.environ.get('SUITE_TESTS')  # a regular expression
    sources = Sources(place)
    different = number = missing = 0
    for name in names:
        suite, mpi = SUITES[name]
        tests = suite(sources, place, mpi)
        if isinstance(tests, str):
            missing += 1
            print('not ok - %s: its source cannot be had: %s' % (name, tests))
            continue
        if only:
            tests = [test for test in tests if re.fullmatch(only, test.name)]
        different += run_suite(name, tests, prefix, place, number)
        number += len(tests)
    print('1..%d' % number)
    sys.exit(1 if different or missing else 0)


main()
