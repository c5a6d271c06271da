#!/bin/sh
# finalize.sh - `make bench-finalize`: time in MPI_Finalize, size of the log and memory, in the paper's four cases
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: finalize.sh PROGRAM LIBRARY RUN [RUNS [RANKS]...]. RUN is the MPI's mpirun. Runs without and with the tool take
# turns. A row has the slowest rank's milliseconds in the best run without and with the tool, their difference, that of
# the medians, the bytes of the log, how many KiB more the largest rank has at its peak; page faults in MPI_Finalize with
# the tool: the mean of all ranks, their median, and rank 0's; and, if there is strace, system calls there except those of
# waiting: rank 0's and the median. "original" is the difference that the original (release 3.5.0) has made on a
# machine of this kind, its page faults, and its bytes; the ratio is that of the best runs. What else runs on the
# machine makes medians worse, and differences of them much worse. Files are written below TMPDIR, where a tmpfs is best:
# times, and so the log, take more bytes on a disk that is slow.
set -eu
program=$1 library=$2 mpirun=$3 runs=${4:-5}
shift $(($# < 4 ? 3 : 4))
[ $# = 0 ] && set -- 2 16 64 128
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-bench.XXXXXX")
logs=$(mktemp -d /dev/shm/darshan-log.XXXXXX 2>/dev/null || echo "$work") # where a disk that is busy does not count
trap 'rm -rf "$work" "$logs"' EXIT
trap 'exit 130' INT TERM

# slowest FILE COLUMN: of one run's ranks
slowest() {
    awk -v c="$2" '$1 == "finalize" && $c > most { most = $c } END { print most + 0 }' "$1"
}

median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

best() {
    sort -n | head -n 1
}

# mean_median_root: of lines "NUMBER RANK"
mean_median_root() {
    sort -n | awk '{ v[NR] = $1; sum += $1 } $2 == 0 { root = $1 }
        END { printf "%.0f %d %d\n", sum / NR, v[int((NR + 1) / 2)], root }'
}

# run_program RANKS KIND FILES COMMAND...: by that command
run_program() {
    rm -rf "$work/data"
    mkdir "$work/data"
    rm -f "$logs/log"
    nprocs=$1 kind=$2 files=$3
    shift 3
    "$mpirun" -n "$nprocs" "$@" "$program" "$kind" "$files" "$work/data" >"$work/out"
}

# once RANKS KIND FILES LIBRARY LABEL: appends to $work/LABEL.s and $work/LABEL.k
once() {
    run_program "$1" "$2" "$3" env LD_PRELOAD="$4" DARSHAN_LOGFILE="$logs/log"
    slowest "$work/out" 2 >>"$work/$5.s"
    slowest "$work/out" 3 >>"$work/$5.k"
}

# calls RANKS KIND FILES: mean, median and rank 0's system calls between the program's two calls of getrusage
calls() {
    command -v strace >/dev/null || { echo '- - -' && return; }
    rm -f "$work"/calls.*
    run_program "$1" "$2" "$3" sh -c 'exec strace -f --seccomp-bpf -e "trace=!sched_yield,poll,epoll_wait,futex" -e signal=none \
        -o "$0.$OMPI_COMM_WORLD_RANK" -E "LD_PRELOAD=$1" -E "DARSHAN_LOGFILE=$2" "$3" "$4" "$5" "$6"' \
        "$work/calls" "$library" "$logs/log"
    for file in "$work"/calls.*; do
        awk -v rank="${file##*.}" '$2 ~ /^getrusage\(RUSAGE_SELF/ { count = n; n = 0; main = $1 } $1 == main { n++ }
            END { print count, rank }' "$file"
    done | mean_median_root
}

# row RANKS KIND FILES ORIGINAL_MS ORIGINAL_BYTES ORIGINAL_FAULTS
row() {
    rm -f "$work"/bare.* "$work"/ours.*
    i=0
    while [ $i -lt "$runs" ]; do
        once "$1" "$2" "$3" "" bare
        once "$1" "$2" "$3" "$library" ours
        i=$((i + 1))
    done
    faults=$(awk '$1 == "finalize" { print $4, $5 }' "$work/out" | mean_median_root)
    bytes=$(stat -c %s "$logs/log")
    echo "$1 $2 $3 $(best <"$work/bare.s") $(best <"$work/ours.s") $bytes \
$(median <"$work/bare.k") $(median <"$work/ours.k") $4 $5 $6 $(median <"$work/bare.s") $(median <"$work/ours.s") $faults \
$(calls "$1" "$2" "$3")" | awk '{
        added = ($5 - $4) * 1e3
        printf "%5d %6s %5d %8.1f %8.1f %8.1f %8.1f %8d %9d %6d %6d %6d %6s %6s", $1, $2, $3, $4 * 1e3, $5 * 1e3, added,
            ($13 - $12) * 1e3, $6, $8 - $7, $14, $15, $16, $19, $18
        if ($9 != "-") printf " %9s %6.2f %7s %9s %6.2f", $9, added / $9, $11, $10, $6 / $10
        printf "\n"
    }'
}

# original RANKS KIND FILES: added milliseconds and bytes of the log, where they are known
original() {
    case $1-$2-$3 in
    2-shared-1) echo 3 1796 ;; 2-shared-1024) echo 11 57109 ;; 2-own-1) echo 2 1907 ;; 2-own-1024) echo 10 97322 ;;
    16-shared-1) echo 37 2404 ;; 16-shared-1024) echo 62 64251 ;; 16-own-1) echo 26 4363 ;; 16-own-1024) echo 119 747631 ;;
    64-shared-1) echo 157 4473 ;; 64-shared-1024) echo 260 73267 ;; 64-own-1) echo 142 12716 ;; 64-own-1024) echo 359 2930218 ;;
    128-shared-1) echo 376 7441 ;; 128-shared-1024) echo 577 78716 ;; 128-own-1) echo 328 24067 ;; 128-own-1024) echo 885 5827504 ;;
    *) echo - - ;;
    esac
}

# original_faults RANKS KIND FILES: its page faults, where they are known
original_faults() {
    case $1-$2-$3 in
    64-shared-1) echo 183 ;; 64-shared-1024) echo 413 ;; 64-own-1024) echo 331 ;;
    *) echo - ;;
    esac
}

printf '%5s %6s %5s %8s %8s %8s %8s %8s %9s %6s %6s %6s %6s %6s %9s %6s %7s %9s %6s\n' ranks files each 'bare ms' 'ours ms' \
    added median 'log B' '+KiB/rank' faults median rank_0 calls median original ratio faults 'its log B' ratio
for ranks; do
    for each in 'shared 1' 'shared 1024' 'own 1' 'own 1024'; do
        row "$ranks" $each $(original "$ranks" $each) $(original_faults "$ranks" $each)
    done
done
