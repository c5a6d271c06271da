# t7410-analyzer.sh - darshan-analyzer on directories of logs made by hand
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
analyzer=$DSN_PREFIX/bin/darshan-analyzer

# make LOG <JSON
make() {
    "$PYTHON3" "$DSN_SRC/test/lib/makelog.py" "$1"
}

# analyze DESCRIPTION [--mean] DIRECTORY <WANT
analyze() {
    cat >want
    "$analyzer" "$2" ${3:+"$3"} >got 2>said
    is "$?" 0 "$1: exit status"
    cmp -s got want && ok "$1" || not_ok "$1" "$(diff got want)" "$(cat said)"
}

mkdir -p logs/2026/11 elsewhere empty
# 4 ranks, 10 s: 4 s of I/O is four tenths of the run time, and a tenth of the ranks' time
make logs/shared.darshan <<END
{"start": 100, "end": 110, "nprocs": 4, "records": [
 ["POSIX", 1, -1, {"POSIX_F_READ_TIME": 1, "POSIX_F_WRITE_TIME": 2, "POSIX_F_META_TIME": 1}], ["MPI-IO", 1, -1, {}]]}
END
# both kinds of records; 2 ranks, 10 s, 10 s of I/O: all of the run time, half of the ranks'
make logs/2026/11/both.darshan <<END
{"start": 100, "end": 110, "nprocs": 2, "records": [
 ["POSIX", 1, -1, {"POSIX_F_READ_TIME": 4}], ["POSIX", 2, 1, {"POSIX_F_WRITE_TIME": 6}], ["H5F", 1, -1, {}]]}
END
# all of the time; STDIO does not count
make logs/2026/own.darshan <<END
{"start": 100, "end": 110, "records": [
 ["POSIX", 2, 0, {"POSIX_F_META_TIME": 10}], ["STDIO", 3, 0, {"STDIO_F_READ_TIME": 10}], ["PNETCDF_FILE", 2, -1, {}]]}
END
# found through a link to its directory; no I/O
make elsewhere/nothing.darshan <<END
{"start": 100, "end": 110, "nprocs": 2}
END
ln -s "$PWD/elsewhere" logs/2026/link
ln -s "$PWD/logs" logs/2026/up # leads round in a circle
ln -s "$PWD/nowhere" logs/2026/dangling
echo 'no log' >logs/README

analyze 'a tree' logs <<END
log dir: logs
total logs: 5
      shared file access: 0.400000 [2]
file-per-proccess access: 0.400000 [2]
             mpio access: 0.200000 [1]
          pnetcdf access: 0.200000 [1]
             hdf5 access: 0.200000 [1]

I/O percentage of runtime:
0.00-0.20: 2
0.20-0.40: 1
0.40-0.60: 0
0.60-0.80: 0
0.80-1.00: 2
END
is "$(wc -l <said)" 1 'one line about what is no log'
grep -q 'logs/README: is not a Darshan log' said || grep -q 'logs/README: is shorter' said &&
    ok 'it names the file' || not_ok 'it names the file' "$(cat said)"

analyze 'the mean over the ranks' --mean logs <<END
log dir: logs
total logs: 5
      shared file access: 0.400000 [2]
file-per-proccess access: 0.400000 [2]
             mpio access: 0.200000 [1]
          pnetcdf access: 0.200000 [1]
             hdf5 access: 0.200000 [1]

I/O percentage of runtime:
0.00-0.20: 3
0.20-0.40: 0
0.40-0.60: 1
0.60-0.80: 0
0.80-1.00: 1
END

analyze 'an empty directory' empty <<END
log dir: empty
total logs: 0
      shared file access: -nan [0]
file-per-proccess access: -nan [0]
             mpio access: -nan [0]
          pnetcdf access: -nan [0]
             hdf5 access: -nan [0]

I/O percentage of runtime:
0.00-0.20: 0
0.20-0.40: 0
0.40-0.60: 0
0.60-0.80: 0
0.80-1.00: 0
END

# A run time of zero: no I/O is no number and in no bucket; any I/O is all of it.
mkdir zero
make zero/a.darshan <<END
{"start": 5, "end": 5, "records": [["POSIX", 1, 0, {}]]}
END
make zero/b.darshan <<END
{"start": 5, "end": 5, "records": [["POSIX", 1, 0, {"POSIX_F_READ_TIME": 1}]]}
END
"$analyzer" zero >got
is "$(tail -n 5 got | cut -d' ' -f2 | tr '\n' ' ')" '0 0 0 0 1 ' 'a run time of zero'

"$analyzer" --help >got 2>said
is "$?,$(wc -c <said),$(head -n 1 got)" '0,0,Usage: darshan-analyzer [--mean] DIRECTORY' '--help'
"$analyzer" nowhere >got 2>said
is "$?,$(wc -c <got),$(wc -l <said)" 1,0,1 'a directory that is not there'
finish
