# t6200-lustre.sh - layouts of files on a simulated Lustre; no queries without Lustre
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'stand-in compiles' cc -shared -fPIC -Wall -Wextra -o lustre.so "$DSN_SRC/test/lib/lustre.c" -ldl
fake=$PWD/lustre.so
mkdir data

# striped WAY RANKS PRELOAD: with the mount table $LUSTRE_MOUNTS, or none
striped() {
    fresh_logs
    rm -f asked data/*
    case $1 in
    nonmpi) timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$3" ./striped-"$1" "$PWD/data" ;;
    *) run plain "$2" timeout 200 env "LD_PRELOAD=$3" ./striped-"$1" "$PWD/data" ;;
    esac
    is $? 0 "$1: exit status"
}

printf 'none / ext4 rw 0 0\nmds@tcp:/work %s lustre rw 0 0\n' "$PWD/data" >on
printf 'none / ext4 rw 0 0\nmds@tcp:/work /somewhere/else lustre rw 0 0\n' >elsewhere
printf 'none / ext4 rw 0 0\n' >without
LUSTRE_ASKED=$PWD/asked
export LUSTRE_ASKED

check 'compiles' compile nonmpi ./striped-nonmpi striped.c
unset LUSTRE_MOUNTS
striped nonmpi 0 "$fake $preload"
for table in on elsewhere; do
    LUSTRE_MOUNTS=$PWD/$table
    export LUSTRE_MOUNTS
    striped nonmpi 0 "$fake $preload"
    check "$table: layouts" wanted "$(latest_log)" "$PWD/data" 0 striped.want
    is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | grep -c 'LUSTRE_NUM_STRIPES	')" 4 "$table: no others"
    is "$(sort asked | uniq -c | awk '{ print $2 "=" $1 }' | tr '\n' ' ')" \
        'damaged.dat=1 other.dat=1 plain.dat=1 plain.txt=1 pool.dat=1 progressive.dat=2 ' "$table: what was asked"
done
DARSHAN_MOD_ENABLE=DXT_POSIX
export DARSHAN_MOD_ENABLE
striped nonmpi 0 "$fake $preload"
"$DSN_PREFIX/bin/darshan-dxt-parser" "$(latest_log)" >out
is "$(grep -A9 'file_name.*plain.dat' out | awk '/X_POSIX/ { print $9 }' | sort -u)" '[4]' 'traces name the target'
unset DARSHAN_MOD_ENABLE
LUSTRE_MOUNTS=$PWD/without
striped nonmpi 0 "$fake $preload"
check 'no Lustre: nothing was asked' test ! -e asked

# A child of a recorded process has no table: it asks for the file system of each of its first files.
LUSTRE_MOUNTS=$PWD/on
fresh_logs
rm -f asked data/*
timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$fake $preload" sh -c './striped-nonmpi "$0"; exit $?' "$PWD/data"
is $? 0 'child: exit status'
check 'child: layouts' wanted "$(latest_log)" "$PWD/data" 1 striped.want
is "$(sort asked | uniq -c | awk '{ print $2 "=" $1 }' | tr '\n' ' ')" \
    'damaged.dat=1 other.dat=1 plain.dat=1 plain.txt=1 pool.dat=1 progressive.dat=2 ' 'child: what was asked'
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | awk '/POSIX_FILE_ALIGNMENT.*plain.dat/ { print $5 }')" 1048576 \
    'child: blocks of Lustre'
LUSTRE_MOUNTS=$PWD/without
fresh_logs
rm -f asked data/*
timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$fake $preload" sh -c './striped-nonmpi "$0"; exit $?' "$PWD/data"
check 'child, no Lustre: nothing was asked' test ! -e asked
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | awk '/POSIX_FILE_ALIGNMENT.*plain.dat/ { print $5 }')" \
    "$(stat -f -c %s "$PWD/data")" 'child, no Lustre: blocks as the kernel says'

# A child with many files reads the table, too.
check 'compiles what has many files' compile nonmpi ./many-files many-files.c
many() {
    fresh_logs
    rm -f fstatfs data/*
    timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LUSTRE_FSTATFS=$PWD/fstatfs" "LD_PRELOAD=$fake $preload" \
        sh -c './many-files "$0"; exit $?' "$PWD/data"
    is $? 0 "child, many files, $1: exit status"
    check "child, many files, $1: fstatfs only for the first ones" test "$(wc -l <fstatfs)" -le 64
}
many 'no Lustre'
rm -f asked
LUSTRE_MOUNTS=$PWD/on
many 'Lustre'
check 'child, many files, Lustre: all others have been asked for their layout' test "$(wc -l <asked)" -ge 500

all_ways() {
    LUSTRE_MOUNTS=$PWD/on
    for way in preload static; do
        lib=$preload
        [ $way = preload ] || lib=
        check "$MPI: compiles, $way" compile $way ./striped-$way striped.c
        striped $way 4 "$fake $lib"
        check "$MPI, $way: one record of all ranks" wanted "$(latest_log)" "$PWD/data" -1 striped.want
        is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | grep -c 'LUSTRE_NUM_STRIPES	')" 4 "$MPI, $way: and no other"
    done
}
each_mpi all_ways
finish
