# t1105-cufile.sh - GPUDirect Storage: a stand-in for its library, with calls of known counts, in every way of linking and in both modes
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'the stand-in builds' cc -Wall -O1 -shared -fPIC -Wl,-soname,libcufile.so.0 -o libcufile.so.0 "$work/cufile-library.c" -lpthread
ln -s libcufile.so.0 libcufile.so
library="-L$PWD -Wl,-rpath,$PWD -lcufile"

all_ways() {
    known preload 1 cufile.c $library
    known preload 3 cufile.c $library
    known linked 1 cufile.c $library
    # what another library calls is not seen by a program that has ours linked into it
    known_defined='-D compat=0'
    known static 1 cufile.c $library
}

for compat in 0 1; do
    unset STANDIN_COMPAT
    [ $compat = 0 ] || export STANDIN_COMPAT=1
    known_defined="-D compat=$compat"
    known nonmpi 1 cufile.c $library
    for mpi in openmpi mpich; do
        known_defined="-D compat=$compat"
        have_mpi $mpi || { skip "cufile, $mpi" "MPI: $mpi"; continue; }
        MPI=$mpi
        all_ways
    done
done

# -- what is told of it: readers that do not look for it see nothing; report, JSON, accounting, converted and merged logs
export DARSHAN_MMAP_LOGPATH=$PWD/survival
mkdir survival
tell_program() {
    fresh_logs
    rm -rf data
    mkdir data
    env "$@" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./program "$PWD/data"
    log=$(latest_log)
}
unset STANDIN_COMPAT
check 'builds once more' compile nonmpi ./program cufile.c $library
mkdir data
STANDIN_COUNTS=1 ./program "$PWD/data" 2>counted
# 300,000 + 1,048,576 + 65,536 + 16,384 + 6,000 + 10 + 40,960 + 10,000; what a child has done is counted in the child, and one
# read of a stream was asked for 8,192 bytes and got 4,096, 1,600 reads of 10 bytes and two of 1,500 were moved unseen
is "$(cat counted)" 'stand-in: 436 calls, 1436280 bytes read, 1477466 written' 'the stand-in counts by hand'
tell_program
"$DSN_PREFIX/bin/darshan-parser" "$log" >base
"$DSN_PREFIX/bin/darshan-parser" --extra "$log" >extra
"$DSN_PREFIX/bin/darshan-parser" --total "$log" >total
is "$(grep -ci cufile base) $(grep -c '	CUFILE_' extra) $(awk '/^total_POSIX_BYTES_(READ|WRITTEN):/ { print $2 }' total | tr '\n' ' ')" \
    "0 $((10 * 53)) 512 512 " 'readers that do not look for it see nothing'
cat >tell.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
g = d["gpudirect_storage"]
ways = ("synchronous", "synchronous_by_posix", "queued", "queued_by_posix_at_most", "asked_for")
print(g["files"], g["bytes"], g["bytes_by_posix"], g["calls"], g["queued_operations"], g["failed"], g["registrations"],
      g["buffers"], g["buffer_bytes"], g["compatibility_mode"])
for way in "read", "written":
    print(way, *(g[way][name] for name in ways))
counted = [layer["work"] for layer in d["layers"] if layer["counted_in_totals"]]
print(d["answer"]["bytes_read"], d["answer"]["bytes_written"], *(sum(w[name] for w in counted) for name in ("reads", "writes", "bytes_read")))
files = d["files"]
at = {name: i for i, name in enumerate(files["columns"])}
for row in sorted(files["rows"], key=lambda row: row[at["name"]]):
    print(row[at["name"]].split("/")[-1], row[at["bytes_read"]], row[at["bytes_written"]], end="; ")
END
tell() {
    "$DSN_PREFIX/bin/darshan-job-summary" --verbose "$log" >report
    "$DSN_PREFIX/bin/darshan-job-summary" --json "$log" >report.json
    check "$1: its JSON is as its schema says" "$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_PREFIX/share/darshan/job-summary.schema.json" report.json
    "$PYTHON3" tell.py report.json >told
}
tell direct
is "$(cat told)" "9 2927842 0 52 3214 9 8 1 1048576 False
read 1362416 0 77960 0 59960
written 1465082 0 22384 0 16384
1440888 1487978 3254 14 1440888
async 40960 16384; batch 5000 6000; both 1049088 1049088; child 0 10000; many 32000 10; refused 0 0; sync 150000 300000; threads 163840 40960; shared 0 65536; " \
    'direct: totals, layers and files have what cuFile moved, once'
is "$(grep -c '1.37 MiB read in 3254 calls, 1.42 MiB written in 14 calls' report) $(grep -c 'GPUDirect Storage: 2.79 MiB in 9 files' report) $(grep -c 'compatibility' report) $(grep -c '^Interfaces .*POSIX.* cuFile' report)" \
    '1 1 0 1' 'direct: the report says so'
tell_program STANDIN_COMPAT=1
tell 'compatibility mode'
is "$(cat told)" "9 2927842 2923746 52 3214 9 8 1 1048576 True
read 0 1362416 4096 73864 59960
written 0 1465082 0 22384 16384
1440888 1487978 3255 14 1440888
async 40960 16384; batch 5000 6000; both 1049088 1049088; child 0 10000; many 32000 10; refused 0 0; sync 150000 300000; threads 163840 40960; shared 0 65536; " \
    'compatibility mode: the same bytes, once'
is "$(grep -c 'in compatibility mode: 2.79 MiB of 2.79 MiB went by POSIX calls' report)" 1 'compatibility mode: the report says so'

accounts() {
"$DSN_PREFIX/bin/darshan-accounting" --db a.db init
"$DSN_PREFIX/bin/darshan-accounting" --db a.db ingest "$log" >ingested 2>&1
is "$("$DSN_PREFIX/bin/darshan-accounting" --db a.db --csv query gpudirect-storage | sed -n 2p | cut -d, -f2-)" \
    '1,9,2927842,2923746,99.86010174046277,4096,1,1440888,1487978' 'accounting: the same'
}
if [ -x "$DSN_PREFIX/bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi
"$DSN_PREFIX/bin/darshan-job-summary" --files '*/both' --json "$log" >one.json
is "$("$PYTHON3" -c 'import json; g = json.load(open("one.json"))["gpudirect_storage"]; print(g["files"], g["bytes"])')" '1 2097152' 'of some files: theirs'
"$DSN_PREFIX/bin/darshan-parser" --extra "$log" | grep '	CUFILE_' >before
"$DSN_PREFIX/bin/darshan-convert" "$log" converted.darshan
"$DSN_PREFIX/bin/darshan-parser" --extra converted.darshan | grep '	CUFILE_' >again
check 'a converted log has the same' sh -c '[ -s before ] && cmp before again'
moved() {
    awk '$4 ~ /CUFILE_(COMPAT_)?(BYTES|QUEUED)_(READ|WRITTEN)$/ { n += $5 } END { print n }'
}
"$DSN_PREFIX/bin/darshan-merge" --output merged.darshan "$log" "$log"
is "$(moved <before) $("$DSN_PREFIX/bin/darshan-parser" --extra merged.darshan | moved)" '2927842 5855684' 'merged logs: as much as in both'

# a job of which nobody knows how long its I/O takes is not called healthy, and has no rate; a program that looks the functions up in
# the library itself gets that library's, and is not seen
cat >queued.c <<'END'
#define _GNU_SOURCE
#include "cufile-stand-in.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static char gpu[1 << 20];
    CUfileDescr_t d = { .type = 1, .handle.fd = open(argv[1], O_RDWR | O_CREAT, 0644) };
    CUfileHandle_t h;
    size_t size = sizeof gpu;
    off_t zero = 0;
    ssize_t bytes;
    void *library = argc > 2 ? dlopen("./libcufile.so.0", RTLD_NOW) : NULL;
    CUfileError_t (*enter)(CUfileHandle_t *, CUfileDescr_t *) = library ? dlsym(library, "cuFileHandleRegister") : cuFileHandleRegister;
    ssize_t (*put)(CUfileHandle_t, const void *, size_t, off_t, off_t) = library ? dlsym(library, "cuFileWrite") : NULL;

    if (enter(&h, &d).err != 0)
        return 1;
    if (put)
        return put(h, gpu, size, 0, 0) != (ssize_t)size;
    for (int i = 0; i < 8; i++)
        if (cuFileWriteAsync(h, gpu, &size, &zero, &zero, &bytes, NULL).err != 0)
            return 1;
    standin_synchronize();
    return bytes != (ssize_t)size;
}
END
check 'builds a program that only queues' cc -o queued queued.c "-I$work" $library -ldl
fresh_logs
check 'it runs' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./queued "$PWD/data/queued"
"$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >report
is "$(grep -c 'Healthy' report) $(grep -c '^MiB/s/CN  *unknown: all data moved in streams and batches of the GPU' report) $(grep -c '8.00 MiB written in 8 calls' report) $(grep -c 'of these 8.00 MiB were asked for, and perhaps not all moved' report)" \
    '0 1 1 1' 'only queued: no rate, and not healthy'
fresh_logs
check 'looked up in the library: it runs' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" ./queued "$PWD/data/looked-up" x
is "$("$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" | grep -c '	CUFILE_') $(wc -c <data/looked-up)" '0 1048576' 'looked up in the library: not seen'

# a process that is killed leaves what it had counted
fresh_logs
check 'builds a program that is killed' compile nonmpi ./killed cufile.c -DKILLED $library
rm -rf data
mkdir data
DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./killed "$PWD/data" >killed.out 2>&1
wait_until_ended
"$DSN_PREFIX/bin/darshan-recover" --mine >recovered 2>&1
is "$("$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" | awk '/\/sync\t/ && /CUFILE_(READS|WRITES|BYTES_READ|BYTES_WRITTEN|FAILED)\t/ { print $4, $5 }' | tr '\n' ' ')" \
    'CUFILE_READS 3 CUFILE_WRITES 3 CUFILE_FAILED 2 CUFILE_BYTES_READ 150000 CUFILE_BYTES_WRITTEN 300000 ' 'killed: what it had done'
finish
