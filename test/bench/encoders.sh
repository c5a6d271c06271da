#!/bin/sh
# encoders.sh - `make bench-encoders LOGS="..."`: bytes, time and instructions of encoders on the records of these logs
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: encoders.sh PROGRAM LOG...; instructions (callgrind) where valgrind is installed, which takes minutes.
set -eu
[ $# -gt 1 ] || { echo 'encoders.sh: name logs: make bench-encoders LOGS="a.darshan b.darshan"' >&2; exit 2; }
program=$1
shift
"$program" "$@"
command -v valgrind >/dev/null 2>&1 || exit 0
printf '\nmillions of instructions\n'
for encoder in $("$program" -l); do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=compress_all "$program" -e "$encoder" "$@" 2>&1 |
        awk -v name="$encoder" '/Collected :/ { printf "%-8s %9.1f\n", name, $NF / 1e6 }'
done
