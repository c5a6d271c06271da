# t4010-hdf5-tools.sh - the commands of HDF5 and PnetCDF, and h5py: the same output, and a consistent log
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# same WANT COMMAND...: the output and the exit status are as without the tool, and the log fulfils the lines of WANT
same() {
    want=$1
    shift
    fresh_logs
    "$@" >plain.out 2>plain.err
    plain=$?
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@" >out 2>err
    is $? $plain "$*: exit status"
    check "$*: output" cmp plain.out out
    check "$*: errors" cmp plain.err err
    # an MPI program without mpirun starts a daemon, which leaves a log of its own
    log=$(find "$DARSHAN_LOGPATH" -name "*_$1_id*.darshan")
    [ -n "$log" ] || { not_ok "$*: no log"; return; }
    printf '%s\n' "$want" >want
    check "$*: log" decode "$log" --strict --want want
    "$DSN_PREFIX/bin/darshan-parser" "$log" >parsed 2>parsed.err
    is "$?$(cat parsed.err)" 0 "$*: is printed"
    decode "$log" --text >decoded
    facts <parsed >parsed.facts
    facts <decoded >decoded.facts
    check "$*: as decoded" cmp parsed.facts decoded.facts
}

mkdir data
if h5=$(pkg-config --cflags --libs hdf5-serial 2>/dev/null) && command -v h5dump >/dev/null; then
    cc -o ./h5 "$work/h5-basic.c" $h5 && ./h5 "$PWD/data" 2>/dev/null || not_ok 'data of HDF5'
    same 'H5F 0 */shared.h5 H5F_OPENS >=1
H5D 0 */shared.h5:/group/chunked H5D_BYTES_READ 1536' h5dump data/shared.h5
    same 'H5F 0 */shared.h5 H5F_OPENS >=1' h5ls -rv data/shared.h5
    cp data/shared.h5 data/copy.h5
    same 'H5D 0 */shared.h5:/contiguous H5D_BYTES_READ 512
H5D 0 */copy.h5:/contiguous H5D_BYTES_READ 512' h5diff -v data/shared.h5 data/copy.h5
    same 'H5D 0 */shared.h5:/group/chunked H5D_BYTES_READ >=1536
H5D 0 */new.h5:/group/chunked H5D_BYTES_WRITTEN 1536
H5D 0 */new.h5:/group/chunked H5D_CHUNK_SIZE_D1 2' h5repack -l /group/chunked:CHUNK=2x2x2 data/shared.h5 data/new.h5
    same 'absent H5F *' h5dump data/none.h5
else
    skip 'commands of HDF5' 'packages libhdf5-dev and hdf5-tools'
fi
if [ -n "$PNETCDF_LIBS" ] && have_mpi openmpi && command -v ncmpidump >/dev/null; then
    MPI=openmpi
    compile plain ./nc nc-basic.c $PNETCDF_CFLAGS $PNETCDF_LIBS && run plain 4 ./nc "$PWD/data" ||
        not_ok 'data of PnetCDF'
    # Debian's hold the library in themselves: what they do is seen from MPI-IO on
    same 'MPI-IO -1 */basic.nc MPIIO_BYTES_READ >=1000' ncmpidump data/basic.nc
    same 'MPI-IO -1 */basic.nc MPIIO_BYTES_READ >=1000' ncmpidiff data/basic.nc data/basic.nc
else
    skip 'commands of PnetCDF' 'packages libpnetcdf-dev and pnetcdf-bin'
fi

# h5py's own tests, some of them: each ends as without the tool
H5PY_NO_NETWORK_TEST=1
export H5PY_NO_NETWORK_TEST
python=/usr/bin/python3
tests=$($python -c 'import h5py, pytest; print(h5py.tests.__path__[0])' 2>/dev/null)
[ -n "$tests" ] ||
    tests=$($python -c 'import pytest, h5py._debian_h5py_serial.tests as t; print(t.__path__[0])' 2>/dev/null)

# suite WAY: one line for each test
suite() {
    mkdir "$1"
    (cd "$1" && run "$1" 0 $python -m pytest -p no:cacheprovider -q -rA --tb=no -W ignore "$tests/test_dataset.py" \
        "$tests/test_file.py" "$tests/test_group.py" "$tests/test_dataset_getitem.py") >"$1.all" 2>&1
    grep -E '^(PASSED|FAILED|ERROR|SKIPPED)' "$1.all" | sed 's/0x[0-9a-f]*//' | sort >"$1.list"
}
if [ -n "$tests" ]; then
    fresh_logs
    DARSHAN_ENABLE_NONMPI=1
    export DARSHAN_ENABLE_NONMPI
    suite plain
    suite preload
    check 'h5py: its tests were run' test "$(grep -c '^PASSED' plain.list)" -gt 200
    check 'h5py: its tests' alike plain.list preload.list
    cat >want <<'END'
sum H5F * H5F_OPENS >100
sum H5D * H5D_READS >100
sum H5D * H5D_WRITES >100
END
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan' -size +8k); do
        check 'h5py: log' decode "$log" --strict --want want
    done
else
    skip 'h5py' 'packages python3-h5py and python3-pytest'
fi
finish
