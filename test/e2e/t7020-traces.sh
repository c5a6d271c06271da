# t7020-traces.sh - traces of files on Lustre, with threads, and of incomplete modules, according to the specification
# of the format
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

dxt=$DSN_PREFIX/bin/darshan-dxt-parser
[ -n "$PYTHON3" ] || skip_all 'package python3'
export TZ=UTC

# make_log FILE PARTIAL: one file on Lustre (two components, the first over two OSTs), which two threads write and read,
# and a file without a LUSTRE record; not compressed, as a process' own log is.
make_log() {
    "$PYTHON3" - "$1" "$2" <<'END'
import struct, sys

def head(id, writes, reads):
    return struct.pack("<Qqq64sqq", id, 3, 0, b"node1", writes, reads)

def segment(offset, length, start, thread):
    return struct.pack("<qqddQ", offset, length, start, start + 0.00005, thread)

def comp(size, count, start, end):
    return struct.pack("<7q16s", size, count, 0, 0, start, end, 0, b"")

job = struct.pack("<7q", 1, 1600000000, 0, 1600000001, 0, 4, 7) + bytes(1024) + b"./app\nlustre\t/scratch\n"[:-1] + b"\0"
names = struct.pack("<Q", 10) + b"/scratch/a\0" + struct.pack("<Q", 11) + b"/scratch/b\0"
lustre = struct.pack("<Qqqq", 10, -1, 2, 3) + comp(100, 2, 0, 1000) + comp(1000, 1, 1000, -1) + struct.pack("<3q", 40, 41, 42)
posix = (head(10, 3, 1) + segment(0, 100, 0.0, 5) + segment(150, 200, 1.00005, 123456) + segment(950, 100, 2, 5)
         + segment(5000, 7, 12345.67895, 5) + head(11, 0, 1) + segment(0, 0, 0.5, 9))
mpiio = head(10, 1, 0) + segment(-1, 1 << 40, 0.25, 7)
body, maps, versions = job, [(0, 0)] * 64, [0] * 64
name_map = (1328 + len(body), len(names))
body += names
for id, version, raw in ((8, 2, lustre), (10, 2, posix), (11, 3, mpiio)):
    maps[id], versions[id] = (1328 + len(body), len(raw)), version
    body += raw
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<8sqB7xQ", b"3.41", 6567223, 2, int(sys.argv[2], 0)) + struct.pack("<QQ", *name_map))
    f.write(b"".join(struct.pack("<QQ", *m) for m in maps) + struct.pack("<64I", *versions) + body)
END
}

cat >want <<'END'

# ***************************************************
# DXT_POSIX module data
# ***************************************************

# DXT, file_id: 10, file_name: /scratch/a
# DXT, rank: 3, hostname: node1
# DXT, number of threads: 2
# DXT, write_count: 3, read_count: 1
# DXT, mnt_pt: /scratch, fs_type: lustre
# DXT, Lustre stripe components:
#	[Component 1] stripe_ext: 0 - 1000, stripe_size: 100, stripe_count: 2, OSTs: 40 41
#	[Component 2] stripe_ext: 1000 - EOF, stripe_size: 1000, stripe_count: 1, OSTs: 42
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   [OST]   Pthread-ID
 X_POSIX       3  write        0               0             100      0.0000      0.0001   [40]      5
 X_POSIX       3  write        1             150             200      1.0001      1.0001   [41] [40]   123456
 X_POSIX       3  write        2             950             100      2.0000      2.0000   [41] [42]      5
 X_POSIX       3   read        0            5000               7  12345.6789  12345.6790   [42]      5

# DXT, file_id: 11, file_name: /scratch/b
# DXT, rank: 3, hostname: node1
# DXT, number of threads: 1
# DXT, write_count: 0, read_count: 1
# DXT, mnt_pt: /scratch, fs_type: lustre
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   Pthread-ID
 X_POSIX       3   read        0               0               0      0.5000      0.5000      9

# ***************************************************
# DXT_MPIIO module data
# ***************************************************

# DXT, file_id: 10, file_name: /scratch/a
# DXT, rank: 3, hostname: node1
# DXT, number of threads: 1
# DXT, write_count: 1, read_count: 0
# DXT, mnt_pt: /scratch, fs_type: lustre
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   Pthread-ID
 X_MPIIO       3  write        0              -1   1099511627776      0.2500      0.2500      7
END
make_log whole 0
"$dxt" whole >out 2>said
is "$?,$(cat said)" 0, 'a whole log'
sed '1,/^# mount entry/d' out >got
check 'its traces' alike want got

if command -v python3 >/dev/null; then
    is "$(python3 "$DSN_SRC/test/decode/traces.py" "$dxt" whole)" '6 segments' 'text, JSON and CSV agree'
    is "$("$dxt" --json whole | python3 -c 'import json, sys
t = json.load(sys.stdin)["traces"][0]
print(t["segments"][1]["osts"], t["stripes"][1]["end"], t["left_out"])')" '[41, 40] None 0' 'targets and layout in JSON'
else
    skip 'traces as JSON and CSV' 'package python3'
fi

make_log lossy 0x400
"$dxt" lossy >out 2>said
is "$?,$(wc -l <said | tr -d ' '),$(tail -n 2 out | head -n 1)" '1,1,# DXT_POSIX module data' 'an incomplete trace is not printed'
grep -q -- --show-incomplete said && ok 'and how to see it is said' || not_ok 'and how to see it is said' "$(cat said)"
"$dxt" --show-incomplete lossy >out 2>said
is "$?,$(grep -c '^ X_' out),$(grep -c '^# \*WARNING\*: The DXT_POSIX module contains incomplete data!$' out)" 0,6,1 \
    'it is printed when asked for'
make_log lossy 0x100
"$dxt" lossy >out 2>said
is "$?,$(grep -c '^ X_' out)" 1,0 'layouts that are incomplete'
"$dxt" --show-incomplete lossy >out 2>said
is "$?,$(grep -c '^ X_' out)" 0,6 'the same when asked for'

head -c -20 whole >cut
"$dxt" --json cut >out 2>said
is "$?,$(grep -c '^{"operation"' out),$(tail -n 1 out)" '1,5,]}' 'a trace that is cut off, as JSON, which ends as it should'
"$dxt" cut >out 2>said
is "$?,$(grep -c '^ X_' out),$(wc -l <said | tr -d ' ')" 1,5,1 'a trace that is cut off: all but the last line, and an error'
finish
