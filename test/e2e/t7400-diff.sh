# t7400-diff.sh - darshan-diff on logs made by hand
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
diff=$DSN_PREFIX/bin/darshan-diff

# make LOG <JSON
make() {
    "$PYTHON3" "$DSN_SRC/test/lib/makelog.py" "$1"
}

# differ STATUS DESCRIPTION <WANT: of a.darshan and b.darshan
differ() {
    cat >want
    "$diff" a.darshan b.darshan >got 2>said
    is "$?" "$1" "$2: exit status"
    cmp -s got want && ok "$2" || not_ok "$2" "$(command diff got want)" "$(cat said)"
}

# line SIGN MODULE RANK ID COUNTER VALUE NAME
line() {
    printf '%s %s\t%s\t%s\t%s\t%s\t%s\t\t\n' "$@"
}

# The job: each field that differs, in order; a run time only if it differs.
make a.darshan <<END
{"exe": "./one -x", "uid": 1, "start": 100, "end": 110, "nprocs": 2, "jobid": 7}
END
make b.darshan <<END
{"exe": "./two", "uid": 2, "start": 101, "end": 115, "nprocs": 4, "jobid": 8, "mounts": [["/", "ext4"]]}
END
differ 0 'all of the job' <<END
- # exe:  ./one -x
+ # exe:  ./two
- # uid: 1
+ # uid: 2
- # start_time: 100
+ # start_time: 101
- # end_time: 110
+ # end_time: 115
- # nprocs: 2
+ # nprocs: 4
- # run time: 11
+ # run time: 15
END
make b.darshan <<END
{"exe": "./one -x", "uid": 1, "start": 101, "end": 111, "nprocs": 2}
END
differ 0 'the same run time at another time' <<END
- # start_time: 100
+ # start_time: 101
- # end_time: 110
+ # end_time: 111
END

# Ids by their first appearance in the first log, each behind an empty line; modules and ranks ascending; ids of the
# second log only at the end. Times compare as numbers, also where they print alike. Mounts are not shown.
make a.darshan <<END
{"names": {"5": "/five", "6": "/six", "7": "/se ven"}, "mounts": [["/", "ext4"]], "records": [
 ["POSIX", 6, 3, {"POSIX_OPENS": 1}], ["POSIX", 5, -1, {"POSIX_READS": 2, "POSIX_F_READ_TIME": 0.25}],
 ["STDIO", 6, 0, {"STDIO_OPENS": 1, "STDIO_F_READ_TIME": 0.10000001}], ["STDIO", 7, 0, {}]]}
END
make b.darshan <<END
{"names": {"5": "/five", "6": "/six", "8": "/eight"}, "records": [
 ["POSIX", 5, -1, {"POSIX_READS": 3, "POSIX_F_READ_TIME": 0.5}], ["POSIX", 6, 3, {"POSIX_OPENS": 1}],
 ["STDIO", 6, 0, {"STDIO_OPENS": 4, "STDIO_F_READ_TIME": 0.10000002}], ["STDIO", 7, 0, {}]]}
END
differ 0 'counters and times' <<END

$(line - STDIO 0 6 STDIO_OPENS 1 /six)
$(line + STDIO 0 6 STDIO_OPENS 4 /six)
$(line - STDIO 0 6 STDIO_F_READ_TIME 0.100000 /six)
$(line + STDIO 0 6 STDIO_F_READ_TIME 0.100000 /six)

$(line - POSIX -1 5 POSIX_READS 2 /five)
$(line + POSIX -1 5 POSIX_READS 3 /five)
$(line - POSIX -1 5 POSIX_F_READ_TIME 0.250000 /five)
$(line + POSIX -1 5 POSIX_F_READ_TIME 0.500000 /five)

END

# Ranks of one log only, and ids of one log only: all of their counters.
stdio='OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ MAX_BYTE_WRITTEN FASTEST_RANK
 FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES'
stdio_f='META_TIME WRITE_TIME READ_TIME OPEN_START_TIMESTAMP CLOSE_START_TIMESTAMP WRITE_START_TIMESTAMP
 READ_START_TIMESTAMP OPEN_END_TIMESTAMP CLOSE_END_TIMESTAMP WRITE_END_TIMESTAMP READ_END_TIMESTAMP FASTEST_RANK_TIME
 SLOWEST_RANK_TIME VARIANCE_RANK_TIME VARIANCE_RANK_BYTES'

# whole SIGN RANK ID NAME: every line of a STDIO record of zeros
whole() {
    for c in $stdio; do line "$1" STDIO "$2" "$3" "STDIO_$c" 0 "$4"; done
    for c in $stdio_f; do line "$1" STDIO "$2" "$3" "STDIO_F_$c" 0.000000 "$4"; done
}
make a.darshan <<END
{"names": {"5": "/five"}, "records": [["STDIO", 5, 2, {}], ["STDIO", 5, 0, {}]]}
END
make b.darshan <<END
{"names": {"5": "/five"}, "records": [["STDIO", 9, 0, {}], ["STDIO", 5, 2, {}], ["STDIO", 5, 1, {}]]}
END
differ 0 'ranks and ids of one log only, and an id without a name' <<END

$(whole - 0 5 /five)
$(whole + 1 5 /five)
$(whole + 0 9 '(null)')
END

# Two records of one id and rank are paired as they come.
make a.darshan <<END
{"names": {"5": "/five"}, "records": [["STDIO", 5, 0, {"STDIO_OPENS": 1}], ["STDIO", 5, 0, {"STDIO_OPENS": 2}]]}
END
make b.darshan <<END
{"names": {"5": "/five"}, "records": [["STDIO", 5, 0, {"STDIO_OPENS": 1}], ["STDIO", 5, 0, {"STDIO_OPENS": 3}]]}
END
differ 0 'records of one id and rank' <<END

$(line - STDIO 0 5 STDIO_OPENS 2 /five)
$(line + STDIO 0 5 STDIO_OPENS 3 /five)
END

# Records with arrays: element by element; of another length: all of them.
make a.darshan <<END
{"names": {"5": "heatmap:POSIX", "6": "/six"}, "records": [["LUSTRE", 6, -1, {"stripe_size": 4096, "osts": [3, 5]}],
 ["HEATMAP", 5, 0, {"width": 0.1, "write": [1, 2], "read": [0, 0]}],
 ["HEATMAP", 5, 1, {"width": 0.1, "write": [1, 2], "read": [0, 0]}]]}
END
make b.darshan <<END
{"names": {"5": "heatmap:POSIX", "6": "/six"}, "records": [["LUSTRE", 6, -1, {"stripe_size": 4096, "osts": [3, 4]}],
 ["HEATMAP", 5, 0, {"width": 0.2, "write": [1, 7], "read": [8, 0]}],
 ["HEATMAP", 5, 1, {"width": 0.1, "write": [1, 2], "read": [0, 0]}]]}
END
differ 0 'LUSTRE and HEATMAP' <<END

$(line - LUSTRE -1 6 LUSTRE_COMP1_OST_ID_1 5 /six)
$(line + LUSTRE -1 6 LUSTRE_COMP1_OST_ID_1 4 /six)

$(line - HEATMAP 0 5 HEATMAP_F_BIN_WIDTH_SECONDS 0.100000 heatmap:POSIX)
$(line + HEATMAP 0 5 HEATMAP_F_BIN_WIDTH_SECONDS 0.200000 heatmap:POSIX)
$(line - HEATMAP 0 5 HEATMAP_READ_BIN_0 0 heatmap:POSIX)
$(line + HEATMAP 0 5 HEATMAP_READ_BIN_0 8 heatmap:POSIX)
$(line - HEATMAP 0 5 HEATMAP_WRITE_BIN_1 2 heatmap:POSIX)
$(line + HEATMAP 0 5 HEATMAP_WRITE_BIN_1 7 heatmap:POSIX)
END
make b.darshan <<END
{"names": {"5": "heatmap:POSIX"}, "records": [
 ["DXT_POSIX", 11, 0, {}],
 ["HEATMAP", 5, 1, {"width": 0.1, "write": [4], "read": [6]}]]}
END
make a.darshan <<END
{"names": {"5": "heatmap:POSIX"}, "records": [["HEATMAP", 5, 1, {"width": 0.1, "write": [4, 5], "read": [6, 7]}]]}
END
differ 0 'another number of bins, and a trace' <<END

$(line - HEATMAP 1 5 HEATMAP_READ_BIN_0 6 heatmap:POSIX)
$(line - HEATMAP 1 5 HEATMAP_READ_BIN_1 7 heatmap:POSIX)
$(line - HEATMAP 1 5 HEATMAP_WRITE_BIN_0 4 heatmap:POSIX)
$(line - HEATMAP 1 5 HEATMAP_WRITE_BIN_1 5 heatmap:POSIX)
$(line + HEATMAP 1 5 HEATMAP_READ_BIN_0 6 heatmap:POSIX)
$(line + HEATMAP 1 5 HEATMAP_WRITE_BIN_0 4 heatmap:POSIX)
END

# Versions that differ: a warning, and the module is passed over for what both have.
golden=$DSN_SRC/test/golden
"$diff" "$golden/mpi-io-test-x86_64-3.1.8.darshan" "$golden/mpi-io-test-x86_64-3.5.0.darshan" >got 2>said
is "$?" 0 'versions of modules that differ: exit status'
make a.darshan <<END
{"records": [["STDIO", 5, 0, {"STDIO_OPENS": 1}], ["H5F", 5, 0, {}]]}
END
make b.darshan <<END
{"versions": {"H5F": 2}, "records": [["STDIO", 5, 0, {"STDIO_OPENS": 2}], ["H5F", 5, 0, {}]]}
END
differ 0 'another version of H5F' <<END

$(line - STDIO 0 5 STDIO_OPENS 1 '(null)')
$(line + STDIO 0 5 STDIO_OPENS 2 '(null)')
END
is "$(wc -l <said)" 1 'it is said once'
grep -q 'H5F' said && ok 'and names the module' || not_ok 'and names the module' "$(cat said)"

# What it is called with.
for arguments in '' a.darshan 'a.darshan b.darshan a.darshan'; do
    "$diff" $arguments >got 2>said
    is "$?,$(wc -c <got),$(cat said)" "2,0,darshan-diff: give two logs; see 'darshan-diff --help'" "arguments '$arguments'"
done
for pair in 'a.darshan nothing' 'nothing a.darshan' "a.darshan $0"; do
    "$diff" $pair >got 2>said
    is "$?,$(wc -l <said)" 1,1 "$pair"
done

# What can be read of a damaged log is compared.
make b.darshan <<END
{"records": [["STDIO", 5, 0, {"STDIO_OPENS": 2}]]}
END
head -c -4 b.darshan >c.darshan && mv c.darshan b.darshan
make a.darshan <<END
{"records": []}
END
"$diff" a.darshan b.darshan >got 2>said
is "$?,$(wc -l <said)" 1,1 'a log cut off'
finish
