#!/bin/sh
# instructions.sh - `make bench-instructions`: instructions added to each call, compared with its bound and release
# 3.5.0
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: instructions.sh BUILD [PATTERN]. callgrind counts them, so that no other program on the machine disturbs. OTHER: another library, for
# a column of its own. Two readings of the clock are among a timed call's: one instruction each here, but some 10 to 25 ns.
set -eu
build=$(cd "$1" && pwd) pattern=${2:-*}
command -v valgrind >/dev/null || { echo 'instructions.sh: valgrind is missing: install it' >&2; exit 1; }
work=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset DARSHAN_DISABLE DARSHAN_ENABLE_NONMPI DARSHAN_CONFIG_PATH DARSHAN_MODMEM

# count LIBRARY NAME: lines "NAME|CASE|CALLS|bare or seen|INSTRUCTIONS"
count() {
    mkdir -p "$work/files" "$work/out"
    env LD_PRELOAD="$1" DARSHAN_LOGFILE="$work/log" DARSHAN_ENABLE_NONMPI=1 DARSHAN_MODMEM=32 \
        valgrind -q --tool=callgrind --callgrind-out-file="$work/out/c" --trace-children=no \
        "$build/test/bench/calls" --instructions "$work/files" "$pattern" >&2
    awk -v name="$2" '/^desc: Trigger: Client Request: / { sub(/^desc: Trigger: Client Request: /, ""); what = $0 }
        /^totals: / { if (what != "") print name "|" what "|" $2; what = "" }' "$work"/out/c.*
    rm -rf "$work/files" "$work/out" "$work/log"
}

{
    count "$build/libdarshan.so.0" ours
    [ -z "${OTHER:-}" ] || count "$OTHER" other
} >"$work/counted"
awk -F'|' -v pattern="$pattern" '
    function aim(name, bound, original) { order[++n] = name; bounds[name] = bound; originals[name] = original }
    BEGIN {
        aim("pwrite", 200, 1140); aim("pread", 200, 1136); aim("write", 200, 1142); aim("read", 200, "-")
        aim("pwrite, random size and offset", "-", "-"); aim("pwrite over 1,000 open files", "-", "-")
        aim("pread, untracked descriptor", "-", "-")
        aim("lseek", 80, 333); aim("open+close, known file", 450, 2754); aim("open+close, new file", "-", "-")
        aim("fputc", 25, 543); aim("fgetc", 25, "-"); aim("fwrite 1 byte", 25, 551); aim("fread 1 byte", 25, "-")
        aim("fprintf", 120, "-"); aim("fgets", "-", "-"); aim("fseek", 120, "-"); aim("fopen+fclose", "-", "-")
    }
    { counted[$1, $2, $4] = $5 / $3 }
    END {
        printf "%-34s %8s %8s %8s %8s %8s\n", "instructions a call", "bare", "added", "aim", "original", "other"
        for (i = 1; i <= n; i++) {
            name = order[i]
            if (!(("ours", name, "seen") in counted))
                continue
            shown++
            other = ("other", name, "seen") in counted ? sprintf("%.0f", counted["other", name, "seen"] - counted["other", name, "bare"]) : "-"
            printf "%-34s %8.0f %8.0f %8s %8s %8s\n", name, counted["ours", name, "bare"],
                counted["ours", name, "seen"] - counted["ours", name, "bare"], bounds[name], originals[name], other
        }
        if (!shown) { print "instructions.sh: callgrind counted nothing" > "/dev/stderr"; exit 1 }
    }' "$work/counted"
