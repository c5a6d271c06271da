# t7820-trace-tools.sh - darshan-trace with the tools whose traces it reads and writes: strace, fio, blktrace
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
DARSHAN_ENABLE_NONMPI=1
export DARSHAN_ENABLE_NONMPI

# -- strace: bytes and calls of each file, beside our counters of the same run
head -c 1000000 /dev/urandom >input
if ! command -v strace >/dev/null; then
    skip 'strace beside our counters' 'package strace'
elif ! strace -o probe.txt true 2>/dev/null; then
    skip 'strace beside our counters' 'a kernel that lets processes be traced'
else
    # beside NAME COMMAND...: the command in directory NAME under strace and the tool
    beside() {
        beside_name=$1
        shift
        fresh_logs
        mkdir -p "$beside_name"
        if ! (cd "$beside_name" && strace -ff -ttt -T -y -o "../$beside_name.strace" -E "LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so" "$@") >"$beside_name.out" 2>&1; then
            not_ok "$beside_name ran" "$(cat "$beside_name.out")"
            return
        fi
        # shellcheck disable=SC2046 # names of logs have no blanks
        "$trace" export --to csv "$beside_name".strace.* >"$beside_name.csv" 2>"$beside_name.err" &&
            "$PYTHON3" "$DSN_SRC/test/decode/strace_counters.py" "$DSN_PREFIX/bin/darshan-parser" "$PWD/$beside_name/" \
                "$beside_name.csv" $(find "$DARSHAN_LOGPATH" -name '*.darshan') >"$beside_name.sums" 2>&1
        if grep -q differs "$beside_name.sums" || ! grep -q '^[1-9][0-9]* files compared' "$beside_name.sums"; then
            not_ok "$beside_name: calls and bytes as our counters have them" "$(cat "$beside_name.sums" "$beside_name.err")"
        else
            ok "$beside_name: calls and bytes as our counters have them ($(tail -n 1 "$beside_name.sums"))"
        fi
    }
    beside dd sh -c 'dd if=../input of=copy bs=4096 conv=fsync && dd if=copy of=part bs=1000 skip=7 count=100 && dd if=part of=copy bs=500 seek=3 conv=notrunc'
    beside cp sh -c 'cp ../input a && cp --reflink=never a b && cat b >c'
    beside git sh -c 'git init -q . && git config user.email a@b && git config user.name a && cp ../input f && git add f && git commit -qm one && echo >>f && git commit -qam two && git log --oneline && git gc -q'
    beside sqlite sqlite3 db 'create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t select i, hex(randomblob(200)) from n; select sum(length(b)) from t; delete from t where a % 3 = 0; vacuum;'
fi

# -- fio: what it wrote down, through our text and back into it, is what it does again
if ! command -v fio >/dev/null; then
    skip 'fio does again what it wrote down' 'package fio'
elif ! strace -o probe.txt true 2>/dev/null; then
    skip 'fio does again what it wrote down' 'a kernel that lets processes be traced'
else
    fio --name=a --filename="$PWD/data" --size=4m --bsrange=4k-64k --rw=randrw --ioengine=psync --write_iolog=log >fio.out 2>&1
    check 'the log of fio is read' status 0 "$trace" import log
    mv out miller.txt
    check 'and written' status 0 "$trace" export --to fio miller.txt
    mv out replay
    strace -f -y -e trace=pread64,pwrite64 -o fio.strace fio --name=b --read_iolog=replay --ioengine=psync --replay_no_stall=1 >fio.out 2>&1
    grep -E ' (read|write) ' log | cut -d' ' -f3- | sort >want
    sed -nE "s!.* p(read|write)64\\([0-9]+<$PWD/data>.*, ([0-9]+), ([0-9]+)\\) += [0-9]+.*!\\1 \\3 \\2!p" fio.strace | sort >got
    check 'fio does again what it wrote down' alike want got
    check 'strace without times is no trace' status 1 "$trace" import --from strace fio.strace
fi

PATH=$PATH:/usr/sbin:/sbin # not in that of an ordinary user
# -- blktrace of a loop device: the binary and blkparse's text have the same events, as many as blkparse says
if ! command -v blktrace >/dev/null; then
    skip 'a recording of a loop device' 'package blktrace'
else
    [ -d /sys/kernel/debug/block ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
    truncate -s 64M image
    if ! loop=$(losetup -f --show image 2>/dev/null); then
        skip 'a recording of a loop device' 'the right to make loop devices'
    else
        blktrace -d "$loop" -o recorded -w 3 >blktrace.out 2>&1 &
        pid=$!
        sleep 1
        dd if=/dev/zero of="$loop" bs=64k count=200 oflag=direct 2>/dev/null
        dd if="$loop" of=/dev/null bs=16k count=300 iflag=direct 2>/dev/null
        wait "$pid"
        losetup -d "$loop"
        if [ ! -s recorded.blktrace.0 ]; then
            skip 'a recording of a loop device' 'a kernel that lets debugfs be used (blktrace: operation not permitted)'
        else
            blkparse -i recorded >recorded.txt
            "$trace" export --to csv recorded.blktrace.0 >binary.csv
            "$trace" export --to csv recorded.txt >text.csv
            check 'binary and text have the same events' alike text.csv binary.csv
            is "$(grep -c ',write,' binary.csv) $(grep -c ',read,' binary.csv)" \
                "$(sed -n 's/.*Writes Completed: *\([0-9]*\),.*/\1/p' recorded.txt | tail -n 1) $(sed -n 's/.*Reads Completed: *\([0-9]*\),.*/\1/p' recorded.txt | tail -n 1)" \
                'as many as blkparse says'
        fi
    fi
fi
finish
