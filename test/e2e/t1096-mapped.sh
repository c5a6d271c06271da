# t1096-mapped.sh - files that are mapped into memory: bounds of what loads and stores touched
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# UCX, which some builds of MPICH use, patches mmap, and loses the last argument of mremap.
export UCX_MEM_MMAP_HOOK_MODE=none

page=$(getconf PAGESIZE)
case $(stat -f -c %T .) in
tmpfs | ramfs) stores=0 ;;
*) stores=1 ;;
esac
known_defined="-D page=$page -D stores=$stores"

all_ways() {
    for way in preload linked static; do
        known $way 1 mapped.c
    done
}

known nonmpi 0 mapped.c mapped-alone.want
log=$(latest_log)
"$DSN_PREFIX/bin/darshan-parser" --extra "$log" >extra
"$DSN_PREFIX/bin/darshan-parser" "$log" >base
is "$(($(grep -c '	MAPPED_' extra) > 60)) $(grep -c '	MAPPED_' base)" '1 0' 'readers that do not look for it see nothing of it'
each_mpi all_ways

# what a killed process had mapped counts with its length; only processes with a survival file leave something
fresh_logs
export DARSHAN_MMAP_LOGPATH=$PWD/survival
mkdir survival killed
compile nonmpi killed/program mapped.c
(execute nonmpi 0 killed/program killed kill) >killed/out 2>&1
wait_until_ended
"$DSN_PREFIX/bin/darshan-recover" --mine >killed/recovered 2>&1
is "$("$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" | awk -v page="$page" '/\/left\t/ && /MAPPED_/ { print $4, ($4 == "MAPPED_MAPPINGS" ? $5 : $5 / page) }' | tr '\n' ' ')" \
    'MAPPED_MAPPINGS 1 MAPPED_BYTES 64 MAPPED_TOUCHED 64 MAPPED_WRITABLE 64 MAPPED_DIRTY 0 MAPPED_UNEXAMINED 64 ' 'killed: as long as the mapping was'
finish
