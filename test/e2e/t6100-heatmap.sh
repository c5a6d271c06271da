# t6100-heatmap.sh - bytes over time: at the right times, and in the same bins on all ranks
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# of LOG RANK MODULE READ|WRITE: bins that are not empty, as number=bytes
of() {
    "$DSN_PREFIX/bin/darshan-parser" "$1" | awk -v rank="$2" -v name="heatmap:$3" -v way="HEATMAP_$4_BIN_" '
        $1 == "HEATMAP" && $2 == rank && $6 == name && index($4, way) == 1 && $5 > 0 { sub(way, "", $4); printf "%s=%s ", $4, $5 }'
}

# shape LOG: width, and number of bins, of each record that differs
shape() {
    "$DSN_PREFIX/bin/darshan-parser" "$1" | awk '$1 == "HEATMAP" && /BIN_WIDTH/ { width[$2 $6] = $5 }
        $1 == "HEATMAP" && /_READ_BIN_/ { n[$2 $6]++ }
        END { for (i in n) print width[i], n[i] }' | sort -u
}

# later READ WRITE: that the number before = of the first is at least two more than that of the second
later() {
    [ "${1%%=*}" -ge $((${2%%=*} + 2)) ]
}

# heat WAY RANKS: of each rank 1,000 bytes are written, 300 read 0.6 seconds later, 7 written to a stream
heat() {
    rm -rf data && mkdir data
    fresh_logs
    check "compiles, $1" compile "$1" ./heat heat.c
    execute "$1" "$2" ./heat "$PWD/data"
    is $? 0 "$1: exit status"
    check "$1: keeps the rules, among them that no byte is lost" decode "$(latest_log)" --strict
    log=$(latest_log)
}

heat nonmpi 0
check 'reading comes after writing' later "$(of "$log" 0 POSIX READ)" "$(of "$log" 0 POSIX WRITE)"
is "$(of "$log" 0 POSIX READ | cut -d= -f2) $(of "$log" 0 STDIO WRITE | cut -d= -f2)" '300  7 ' 'bytes'
fresh_logs
DARSHAN_MOD_DISABLE=HEATMAP execute nonmpi 0 ./heat "$PWD/data"
is "$("$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | grep -c ^HEATMAP)" 0 'off'

all_ways() {
    for way in preload linked static; do
        heat $way 4
        is "$(shape "$log" | wc -l | tr -d ' ')" 1 "$MPI, $way: one width, one number of bins"
        check "$MPI, $way: up to the end of the last rank" test "$(shape "$log" | cut -d' ' -f2)" -ge 6
        is "$(of "$log" 3 POSIX WRITE)" '' "$MPI, $way: none of a rank without I/O"
        for rank in 0 1 2; do
            check "$MPI, $way: reading comes after writing, rank $rank" \
                later "$(of "$log" $rank POSIX READ)" "$(of "$log" $rank POSIX WRITE)"
        done
    done
    fresh_logs
    DARSHAN_DISABLE_SHARED_REDUCTION=1 execute static 4 ./heat "$PWD/data"
    is "$(shape "$(latest_log)" | wc -l | tr -d ' ')" 1 "$MPI: also without reduction"
}
each_mpi all_ways
finish
