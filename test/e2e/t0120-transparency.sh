# t0120-transparency.sh - a program cannot detect the library
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# -- what it brings along

check 'it needs the C library' sh -c 'readelf -d "$0" | grep -q "NEEDED.*libc.so"' "$preload"
readelf -d "$preload" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(libc|libdl|ld-linux[-.a-z0-9_]*)\.so\.[0-9]+$' >needed # libdl, too, before glibc 2.34
is "$(cat needed)" '' 'libdarshan.so needs the C library only'
ldd "$preload" | awk '{ print $1 }' | grep -vE '^(linux-vdso|linux-gate|libc|libdl)\.so|ld-linux|/ld64|/ld-' >loaded
is "$(cat loaded)" '' 'ldd shows nothing else'

# whatever it exports must be the name of a function of the C library or of an MPI, for that is what it stands before
exported() {
    nm -D --defined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | sort -u
}
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >use.c
library_names() {
    "$(compiler use.c)" -o use use.c && ldd ./use | awk '$1 ~ /mpi/ { print $3 }' | while read -r lib; do
        exported "$lib"
    done >>known-names
}
libc=$(ldd "$preload" | awk '$1 ~ /^libc\.so/ { print $3 }')
for lib in "$libc" "${libc%/*}/librt.so.1" "${libc%/*}/libpthread.so.0"; do
    [ ! -e "$lib" ] || exported "$lib"
done >known-names
each_mpi library_names
sort -u -o known-names known-names
exported "$preload" >ours
# MPI_..._c of MPI 4; stat and its like of glibc 2.33; __isoc23_* of glibc 2.38, pidfd_spawn* of 2.39, execveat, close_range and closefrom of 2.34: on a machine with an older one nobody
# calls them; io_*:
# libaio and liburing, H5*, ncmpi_* and cuFile*: HDF5, PnetCDF and GPUDirect Storage, of which this machine has one version or none, dfs_* and daos_*: DAOS
# (t1110 compares them with a library)
comm -23 ours known-names | grep -vE '^(darshan_(library_)?phase_(begin|end)$|__isoc23_|P?MPI_[A-Za-z_]*_c$|P?MPI_Session_init$|[fl]?stat(64)?$|fstatat(64)?$|pidfd_spawnp?$|execveat$|close_range$|closefrom$|io_|__io_uring_|H5[A-Z]|ncmpi_|dfs_|daos_|cuFile(Handle|Buf|Read|Write|BatchIO)[A-Za-z]*$)' >strange
is "$(cat strange)" '' 'exports only names of functions that it stands before, and those that name phases'
check 'exports the calls that it counts' sh -c 'for name in open read write close fopen MPI_Init MPI_File_open darshan_phase_begin; do
    grep -qx $name ours || { echo "no $name"; exit 1; }; done'

# -- programs that have nothing to do with it

mkdir some && touch some/b some/a
same() {
    what=$1
    shift
    fresh_logs
    "$@" >bare.out 2>bare.err
    bare=$?
    LD_PRELOAD=$preload "$@" >tool.out 2>tool.err
    is $? "$bare" "$what: exit status"
    check "$what: output" cmp bare.out tool.out
    check "$what: stderr" cmp bare.err tool.err
    is "$(count_logs)" 0 "$what: no log"
}
same "bash -c 'ls | sort'" bash -c 'cd some && ls | sort'
same 'true' true
same 'false' false
same 'ls of what is not there' ls nothing
same 'descriptors of ls' ls /proc/self/fd
same 'python3' "$PYTHON3" -c 'import subprocess, json; print(subprocess.run(["echo", "x"], capture_output=True).stdout)'
same 'gcc' cc -c -o x.o use.c

# A program that sets its time zone: whoever has asked for the local time before has the zone from before.
cat >zone.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
    const time_t when = 1700000000;
    struct tm there;

    setenv("TZ", "JST-9", 1);
    localtime_r(&when, &there);
    printf("%d:%02d %s\n", there.tm_hour, there.tm_min, there.tm_zone);
}
END
check 'compiles: time zone' cc -o zone zone.c
is "$(./zone) $(DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./zone)" '7:13 JST 7:13 JST' 'a program that sets TZ'

# -- a program that looks closely

check 'compiles' compile nonmpi ./look transparent.c
mkdir bare tool
./look "$PWD/bare" >bare.out 2>bare.err
bare=$?
LD_PRELOAD=$preload ./look "$PWD/bare" >off.out 2>off.err
is $? $bare 'preloaded, not switched on: exit status'
check 'preloaded, not switched on: what it sees' diff bare.out off.out
check 'preloaded, not switched on: stderr' diff bare.err off.err
fresh_logs
DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./look "$PWD/bare" >on.out 2>on.err
is $? $bare 'recording: exit status'
check 'recording: what it sees' diff bare.out on.out
check 'recording: stderr' diff bare.err on.err
check 'recording: there are logs' test "$(count_logs)" -ge 1
fresh_logs
DARSHAN_DISABLE= DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$preload ./look "$PWD/bare" >off.out 2>off.err
is $? $bare 'DARSHAN_DISABLE: exit status'
check 'DARSHAN_DISABLE: what it sees' diff bare.out off.out
is "$(count_logs)" 0 'DARSHAN_DISABLE: no log'

with_mpi() {
    check "$MPI: compiles" compile preload ./look transparent.c
    check "$MPI: compiles statically" compile static ./look-static transparent.c
    run plain 0 ./look "$PWD/bare" >bare.out 2>bare.err
    bare=$?
    for way in preload static; do
        program=./look
        [ $way = static ] && program=./look-static
        fresh_logs
        run $way 0 $program "$PWD/bare" >tool.out 2>tool.err
        is $? $bare "$MPI, $way: exit status"
        check "$MPI, $way: what it sees" diff bare.out tool.out
        check "$MPI, $way: stderr" diff bare.err tool.err
        is "$(count_logs)" 1 "$MPI, $way: a log"
    done
    fresh_logs
    DARSHAN_DISABLE=1 run preload 0 ./look "$PWD/bare" >tool.out 2>tool.err
    check "$MPI, DARSHAN_DISABLE: what it sees" diff bare.out tool.out
    is "$(count_logs)" 0 "$MPI, DARSHAN_DISABLE: no log"
}
each_mpi with_mpi
finish
