# t0145-sizes.sh - a program of any size that starts others in any way goes on as without the tool, and all is in the log
# SPDX-License-Identifier: BSD-3-Clause
#
# Sizes are those at which something grows. SIZES=N (0) tries N more sets of random ones, from SIZES_SEED on. Some are tried
# with memory that moves (test/lib/moving.c), all with DSN_BEFORE.
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# enough memory for 5,000 files: what is counted in sums only is another test's
DARSHAN_LOGFILE=$PWD/log DARSHAN_MODMEM=64 DARSHAN_NAMEMEM=64 DARSHAN_MAX_RECORDS=20000
export DARSHAN_LOGFILE DARSHAN_MODMEM DARSHAN_NAMEMEM DARSHAN_MAX_RECORDS

# sizes DIRECTORY FILES THREADS LENGTH DEPTH
sizes() {
    rm -rf "$1"
    mkdir "$1"
    ./sizes "$@"
    echo "exit status $?"
}

# recorded DIRECTORY...: the same with the tool; the log has what the program says of itself
recorded() {
    rm -f log
    (
        LD_PRELOAD="${before:+$before:}$DSN_PREFIX/lib/libdarshan.so" DARSHAN_ENABLE_NONMPI=1
        export LD_PRELOAD DARSHAN_ENABLE_NONMPI
        exec ./sizes "$@"
    )
    echo "exit status $?"
}

logged() {
    "$DSN_PREFIX/bin/darshan-parser" --total log |
        sed -n 's/^total_POSIX_OPENS: /opens /p; s/^total_POSIX_BYTES_WRITTEN: /bytes /p'
}

# try WHAT DIRECTORY FILES THREADS LENGTH DEPTH
try() {
    try_what=$1
    shift
    sizes "$@" >bare 2>&1
    rm -rf "$1"
    mkdir "$1"
    recorded "$@" >tool 2>&1
    if ! cmp -s bare tool || ! grep -q '^bytes' bare; then
        not_ok "$try_what: as without the tool" "$(diff bare tool || cat bare)"
    elif [ "$(grep -e '^opens' -e '^bytes' bare)" != "$(logged 2>&1)" ]; then
        not_ok "$try_what: all is in the log" "$(logged 2>&1)" 'want' "$(cat bare)"
    else
        ok "$try_what"
    fi
}

if [ "${1:-}" = mounts ]; then
    lib_count=$2 lib_failed=$3 before=${DSN_BEFORE:-} mounts=0
    for n in 1 16 17 64 65 128 129 256 300; do
        while [ $mounts -lt $n ]; do
            mounts=$((mounts + 1))
            mkdir -p m/$mounts
            mount -t tmpfs none m/$mounts || break 2
        done
        try "$n mounts" "$PWD/m/$n/d" 20 2 300 2
    done
    is $mounts 300 'all are mounted'
    finish
fi

check 'compiles' compile nonmpi ./sizes sizes.c -pthread
check 'compiles memory that moves' cc -shared -fPIC -O1 -Wall -Wextra -Werror -o moving.so "$DSN_SRC/test/lib/moving.c"
most=$(ulimit -Hn)
try_sizes() {
    [ "$most" = unlimited ] || [ "$1" -lt $((most - 60)) ] || set -- $((most - 60)) "$2" "$3" "$4"
    try "$1 files, $2 threads, a path of $3 bytes, $4 forks in each other${before:+, memory moves}" "$PWD/d" "$@"
}

before=${DSN_BEFORE:-}
while read -r files threads length depth; do
    try_sizes "$files" "$threads" "$length" "$depth"
done <<'END'
0 0 0 1
1 1 100 2
2 2 101 1
3 15 127 4
13 16 128 1
16 17 129 16
32 31 255 1
64 33 256 1
99 63 257 1
100 64 511 5
101 65 1023 1
127 127 1024 1
128 128 1025 2
129 129 2047 1
255 255 2049 1
257 257 4000 1
508 500 4090 1
509 1 4094 1
513 1 4095 33
1025 1 1 1
5000 300 4095 2
END
before=$PWD/moving.so
while read -r files threads length depth; do
    try_sizes "$files" "$threads" "$length" "$depth"
done <<'END'
150 33 255 3
600 5 4095 2
END

before=${DSN_BEFORE:-}
number=${SIZES_SEED:-1}
last=$((number + ${SIZES:-0}))
while [ "$number" -lt "$last" ]; do
    try_sizes $(awk -v seed="$number" 'function any(most) { return int(exp(rand() * log(most + 1))) }
        BEGIN { srand(seed); print any(5000), any(500), any(4095), 1 + any(40) }')
    number=$((number + 1))
done

# Mounts, in a mount namespace of our own, which the script enters anew; each time the last one has the files.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    exec unshare -m sh "$0" mounts "$lib_count" "$lib_failed"
fi
skip 'mounts' 'right to mount'
finish
