# t9282-other-releases.sh - files that another release has left: under the names of earlier ones they are recovered if their
# structs are the same, and else reported and kept
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

recover=$DSN_PREFIX/bin/darshan-recover
survival=$DARSHAN_MMAP_LOGPATH/darshan-$(id -u)
mkdir data
cat >killed.py <<'END'
import os, signal, subprocess, sys
subprocess.run(["sh", "-c", "echo 1 >data/ended"], check=True)
os.write(os.open("data/killed", os.O_WRONLY | os.O_CREAT), b"12345")
os.kill(os.getpid(), signal.SIGKILL)
END

# killed: a program that has a survival file, and exit records of a child that has ended
killed() {
    rm -rf "$survival"
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$PYTHON3" killed.py >/dev/null 2>&1
    wait_until_ended
    is "$(ls "$survival" | sed 's/.*\.//' | sort | tr '\n' ' ')" 'exit_records survival ' 'a survival file, and exit records'
}

# earlier: the files get the names of earlier releases
earlier() {
    for file in "$survival"/*.survival; do mv "$file" "${file%.survival}.image"; done
    for file in "$survival"/*.exit_records; do mv "$file" "${file%.exit_records}.spools"; done
}

# of_other_structs FILE: the second word is a number of the structs, in both kinds of files
of_other_structs() {
    printf 'another' | dd of="$1" bs=1 seek=8 conv=notrunc 2>/dev/null
}

# counted: bytes written by the process that was killed, and by its child, in all logs
counted() {
    for log in $(find "$DARSHAN_LOGPATH" -name '*.darshan'); do
        decode "$log" --text
    done | awk '/\tPOSIX_BYTES_WRITTEN\t.*\/data\/killed\t/ { k += $5 } /\tPOSIX_BYTES_WRITTEN\t.*\/data\/ended\t/ { e += $5 } END { print k + 0, e + 0 }'
}

# kept TEXT FILES: so many files, which are reported, again and again, and stay
kept() {
    ls "$survival" >before
    for kept_n in 1 2; do
        "$recover" --mine >out 2>error
        is "$? $(wc -l <out) $(wc -l <error) $(grep -c "k[0-9a-f]*-\*: $2 of its files cannot be read, or belong to another release: use that release's darshan-recover; its files are kept" error)" \
            '1 0 1 1' "$1: it is said so, and whose darshan-recover to use"
    done
    ls "$survival" >after
    check "$1: all files stay" cmp before after
    is "$(count_logs)" 0 "$1: no log"
    is "$("$recover" --dry-run | grep -c 'nothing that can be read')" 1 "$1: --dry-run says so"
}

# -- structs of this release
killed
earlier
is "$("$recover" --dry-run | sed 's/^job [0-9]*: \(.*\), in .*/\1/')" '1 killed or running, 1 ended' 'earlier names: --dry-run'
check 'earlier names: recovered' status 0 "$recover" --mine
is "$(counted)" '5 2' 'earlier names: all is in the log'
is "$(ls "$survival")" '' 'earlier names: nothing is left'

# -- structs of another one
for names in earlier present; do
    killed
    [ $names = present ] || earlier
    for file in "$survival"/*; do
        of_other_structs "$file"
    done
    kept "$names names, other structs" 2
    rm "$survival"/*.survival "$survival"/*.image 2>/dev/null
    kept "$names names, other structs, exit records alone" 1
done
killed
mv "$survival"/*.exit_records mine
of_other_structs mine
cp mine "$(echo "$survival"/*.survival | sed 's/survival$/exit_records/')"
"$recover" --mine >/dev/null 2>&1
is "$? $(counted) $(ls "$survival" | sed 's/.*\.//')" '0 5 0 exit_records' 'what cannot be read stays when the rest is in a log'

# -- of a process that runs
rm -rf "$survival"
env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$PYTHON3" -c 'import time; open("data/runs", "w").close(); time.sleep(300)' &
pid=$!
wait_until test -e data/runs
for file in "$survival"/*.survival; do mv "$file" "${file%.survival}.image"; done
# seen: how many processes darshan-top shows, and how many it cannot
seen() {
    "$DSN_PREFIX/bin/darshan-top" --once --json --interval 0.1 |
        "$PYTHON3" -c 'import json, sys; d = json.load(sys.stdin); print(len(d["processes"]), d["other_release"])'
}
is "$(seen)" '1 0' 'earlier names: darshan-top shows the process'
of_other_structs "$survival"/*.image
is "$(seen)" '0 1' 'earlier names, other structs: darshan-top counts it'
kill -9 $pid
wait $pid 2>/dev/null

# -- programs that a process of an earlier release executes, which has a process tree of its own
rm -rf "$survival"
mkdir -m 700 "$survival"
tree=0000000000000001:1:$survival
# executed [VARIABLE=VALUE]...: a program that writes, with the library
executed() {
    fresh_logs
    env "LD_PRELOAD=$preload" "$@" sh -c 'echo 1 >data/written' >out 2>err
    is "$? $(cat out err)" '0 ' "$*: status and output"
}
executed DARSHAN_ENABLE_NONMPI=1 DARSHAN_FAMILY=sandbox
is "$(count_logs)" 0 'below a filter of system calls: it is not recorded'
executed DARSHAN_ENABLE_NONMPI=1 "DARSHAN_FAMILY=$tree" "DARSHAN_LOGFILE=$PWD/named.darshan"
is "$(ls named*.darshan | sed 's/[0-9][0-9]*/PID/')" named.PID.darshan 'DARSHAN_LOGFILE: the name is left to the first program'
executed "DARSHAN_FAMILY=$tree"
is "$(count_logs)" 0 'not the first program any more: it is recorded by itself only if that is asked for'
: >"$survival/k0000000000000001-1.image"
executed "DARSHAN_FAMILY=$tree"
is "$(count_logs) $(ls "$survival")" '1 k0000000000000001-1.image' 'below a recorded program: it is recorded, in a log of its own'

finish
