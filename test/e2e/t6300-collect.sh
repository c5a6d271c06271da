# t6300-collect.sh - DARSHAN_TRACE: every call of dd, cp, git and sqlite, compared with strace and our counters
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
DARSHAN_ENABLE_NONMPI=1
export DARSHAN_ENABLE_NONMPI

head -c 1000000 /dev/urandom >input
if ! command -v strace >/dev/null; then
    skip_all 'package strace'
elif ! strace -o probe.txt true 2>/dev/null; then
    skip_all 'a kernel that lets processes be traced'
fi

# beside NAME COMMAND...: the command in directory NAME under strace and the tool
beside() {
    name=$1
    shift
    fresh_logs
    mkdir -p "$name" "$name.calls"
    if ! (cd "$name" && strace -ff -ttt -T -y -o "../$name.strace" -E "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" \
        -E "DARSHAN_TRACE=$PWD.calls" "$@") >"$name.out" 2>&1; then
        not_ok "$name ran" "$(cat "$name.out")"
        return
    fi
    check "$name: strace's files are read" status 0 "$trace" export --to csv "$name".strace.*
    mv out "$name.strace.csv"
    check "$name: the files of calls are merged" status 0 "$trace" export --to csv "$name".calls/*.calls
    mv out "$name.calls.csv"
    is "$(cat err)" '' "$name: nothing is left out"
    # shellcheck disable=SC2046 # names of logs have no blanks
    "$PYTHON3" "$DSN_SRC/test/decode/collected_calls.py" "$DSN_PREFIX/bin/darshan-parser" "$PWD/$name/" "$name.calls.csv" \
        "$name.strace.csv" $(find "$DARSHAN_LOGPATH" -name '*.darshan') >"$name.sums" 2>&1
    if grep -q differs "$name.sums" || ! grep -q '^[1-9][0-9]* files, [1-9][0-9]* calls compared' "$name.sums"; then
        not_ok "$name: each call is collected, and counted" "$(cat "$name.sums")"
    else
        ok "$name: each call is collected, and counted ($(tail -n 1 "$name.sums"))"
    fi
}
beside dd sh -c 'dd if=../input of=copy bs=4096 conv=fsync && dd if=copy of=part bs=1000 skip=7 count=100 && dd if=part of=copy bs=500 seek=3 conv=notrunc'
beside cp sh -c 'cp ../input a && cp --reflink=never a b && cp b c && truncate -s 12345 c'
beside git sh -c 'git init -q . && git config user.email a@b && git config user.name a && cp ../input f && git add f && git commit -qm one && printf x >f && git commit -qam two && git log --oneline && git gc -q'
beside sqlite sqlite3 db 'create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t select i, hex(randomblob(200)) from n; select sum(length(b)) from t; delete from t where a % 3 = 0; vacuum;'

# -- put together by cat, through a pipe or as a file: as if they were given one by one
cat git.calls/*.calls >together
cut -d, -f1-6,8- git.calls.csv | sort >want
"$trace" export --to csv together | cut -d, -f1-6,8- | sort >got
check 'files that were put together: a file' alike want got
cat git.calls/*.calls | "$trace" export --to csv - | cut -d, -f1-6,8- | sort >got
check 'files that were put together: a pipe' alike want got

# -- as Miller text, and back: nothing but what Miller text cannot say is lost
check 'one trace of all processes' status 0 "$trace" merge sqlite.calls/*.calls
mv out merged
"$trace" export --to csv merged >again.csv
sed 's/\....[0-9]*,0\.[0-9]*,/ /; s/,[0-9.]*,[0-9]*,"/ "/' sqlite.calls.csv | cut -d' ' -f2- >want
sed 's/\....[0-9]*,0\.[0-9]*,/ /; s/,[0-9.]*,[0-9]*,"/ "/' again.csv | cut -d' ' -f2- >got
check 'Miller text has the same calls' alike want got
finish
