# t7910-simulate.sh - darshan-simulate --what-if, --scan, --curve: sentences, bounds, errors
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
simulate=$DSN_PREFIX/bin/darshan-simulate

# A job of 4 ranks on 2 nodes that writes 400 MB a rank every 100 s, five times, at 10 MB/s: 40 s each; it reads 1 MB a rank
# at first, and another one 20 times over.
cat >make.py <<'END'
import sys
MS = 1000  # us
print("ff !iotrace 1\nff !tick_us 1\nff !cpu none")
for p in range(1, 5):
    print("ff !host %d node%d" % (p, p % 2))
print("ff !file 1 0 /scratch/out\nff !file 2 0 /home/in")
events = []
for p in range(1, 5):
    events.append((p, 0x80, 2, p << 20, 1000000, 0, 100 * MS))
    for k in range(20):
        events.append((p, 0x80, 2, 0, 4096, (200 + 20 * k) * MS, 10 * MS))
    for k in range(5):
        for i in range(100):
            events.append((p, 0xc0, 1, (p * 500 + k * 100 + i) << 22, 4000000, (100000 * k + 1000 + 400 * i) * MS, 400 * MS))
last = 0
for p, ty, f, offset, length, start, took in sorted(events, key=lambda e: (e[5], e[0])):
    print("%x 20 %x %x %x %x %x %x 0" % (ty, offset, length, start - last, took, f, p))
    last = start
END
"$PYTHON3" make.py >job

# first OPTION...: the first line that is printed of the job
first() {
    "$simulate" job "$@" 2>err | head -n 1
}

# says EXPRESSION OPTION...: of the JSON
says() {
    says_what=$1
    shift
    "$simulate" job --json "$@" 2>err | "$PYTHON3" -c "import json, sys; d = json.load(sys.stdin); print($says_what)"
}

# -- burst buffers, worked out by hand. I/O is .1 s and 20 times .01 s of reads, and five times 40 s of writes. A node's two ranks
# write 800 MB at 2 GB/s in .4 s, of which .4 s of a drain of 1 GB/s are gone by then.
is "$(first --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s')" \
    'A 64 GiB burst buffer a node cuts visible I/O from 200 s to 2.30 s; 381 MiB never stall; it holds all that is written; more page cache would save at most 0.20 s.' \
    'a burst buffer that holds all'
# 256 MiB are full after 268.4/(2000 - 5) s, the rest of each burst goes on at 5 MB/s: 106.3 s. In the 60 s after it, it empties.
is "$(first --what-if 'bb=256MiB/node,2GB/s; drain=5MB/s')" \
    'A 256 MiB burst buffer a node would make visible I/O longer, from 200 s to 532 s; 2.6 GiB would never stall; the drain needs 1.3 GB/s, where the file system took 20 MB/s at most; more page cache would save at most 0.20 s.' \
    'one that is too small, with too slow a drain'
is "$(says '[round(d[k]["independent"], 3) for k in ("visible_measured_seconds", "visible_simulated_seconds", "visible_changed_seconds")]' --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s')" \
    '[200.3, 200.3, 2.3]' 'as JSON'
is "$(says '(d["calibrated"], d["nodes"], d["processes"], d["bursts"], d["operations"])' --what-if 'bb=64GiB/node,2GB/s')" '(True, 2, 4, 5, 2084)' 'what it is about'
is "$(says 'round(d["burst_buffer"]["written_bytes"] - d["burst_buffer"]["left_bytes"] - d["file_system_bytes"]["written"])' --what-if 'bb=1GiB/node,2GB/s; drain=20MB/s')" 0 \
    'bytes are conserved'
is "$(says 'd["burst_buffer"]["drain_bytes_per_second"]' --what-if 'bb=1GiB,2GB/s; drain=2GB/s/job')" 1000000000.0 'a drain of all nodes together'
is "$(says 'd["burst_buffer"]["bytes"]' --what-if 'bb=unlimited,2GB/s')" None 'without limit'
is "$(says 'd["visible_changed_seconds"]["independent"] < .2' --what-if 'bb=64GiB,200GB/s; drain=1GB/s; stage-in')" True 'reads are staged in'
is "$(says 'd["visible_changed_seconds"]["independent"] < .4' --what-if 'bb=1MiB,200GB/s; drain=1KB/s; pin=/scratch/*')" True 'a pinned file'

# -- page cache, read-ahead, striping, file system: what the run may have had is not counted on
is "$(first --what-if 'cache=1GiB')" 'A page cache of 1 GiB a node does not change visible I/O, 200 s.' 'a page cache'
is "$(first --what-if 'stripes=4/1')" 'Striping over 4 targets instead of 1 can cut visible I/O from 200 s to 50.2 s at best; more page cache would save at most 0.20 s.' 'striping'
is "$(says '(round(d["will_seconds"]["low"]), round(d["will_seconds"]["high"]))' --what-if 'stripes=4/1')" '(50, 200)' 'may gain nothing'
is "$(says 'round(d["visible_changed_seconds"]["independent"])' --what-if 'fs=20MB/s,1GB/s; fs-latency=0s')" 106 'a file system of twice the rate, for one: four share 1 GB/s'
is "$(says '[d["blocks_read"]["hits"], d["blocks_read"]["misses"]]' --what-if 'cache=1GiB')" '[78, 982]' \
    'the same 4 KiB, by two ranks a node, 20 times, and 245 blocks of each rank'
is "$("$simulate" job --curve --json | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
print(d["block_bytes"], d["exact"], d["enough_bytes"], round(d["sizes"][0]["lru"] * 1060))')" '4096 True 4096 981' 'misses: of one cache for all ranks'

# -- striping that a log tells: 200 MB of a file on one target, .4 s a 4 MB; 40 MB of one that is not on Lustre, likewise; a file that
# is shorter than a stripe
"$PYTHON3" -c '
import json, sys
big = [[4000000 * i, 4000000, i, i + .4] for i in range(50)]
home = [[4000000 * i, 4000000, 50 + i, 50.4 + i] for i in range(10)]
little = [[4096 * i, 4096, 70 + .1 * i, 70.01 + .1 * i] for i in range(16)]
json.dump({"nprocs": 1, "start": 1000, "end": 1080, "names": {"1": "/lus/big", "2": "/home/other", "3": "/lus/little"},
           "mounts": [["/lus", "lustre"], ["/home", "nfs"]],
           "records": [["LUSTRE", 1, 0, {"stripe_size": 1048576, "osts": [3]}], ["LUSTRE", 3, 0, {"stripe_size": 1048576, "osts": [5]}],
                       ["DXT_POSIX", 1, 0, {"write": big}], ["DXT_POSIX", 2, 0, {"write": home}], ["DXT_POSIX", 3, 0, {"read": little}]]},
          sys.stdout)' | "$PYTHON3" "$DSN_SRC/test/lib/makelog.py" striped.darshan
# at_best SPEC: of 24.16 s of it
at_best() {
    "$simulate" striped.darshan --what-if "$1" | head -n 1
}
is "$(at_best stripes=4)" 'Striping 1 file over 4 targets instead of 1 can cut visible I/O from 24.2 s to 9.16 s at best; more page cache would save nothing.' \
    '20 s of it become 5 s, as far as targets are what limits'
is "$(at_best stripe=1)" 'Striping over 1 target does not change visible I/O, 24.2 s; more page cache would save nothing.' 'as it is'
is "$(at_best 'stripes=4,64MiB')" 'Striping 1 file over 4 targets instead of 1 can cut visible I/O from 24.2 s to 10.8 s at best; more page cache would save nothing.' \
    'in stripes of 64 MiB the file is on three'
is "$(at_best stripes=1/4)" 'Striping over 1 target instead of 4 can make visible I/O longer, from 24.2 s to 96.2 s at worst; more page cache would save nothing.' \
    'over fewer, if the log is not believed'
is "$("$simulate" striped.darshan --what-if stripes=4 --json | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
print(d["striping"], round(d["will_seconds"]["low"], 2), round(d["will_seconds"]["high"], 2), d["calibrated"])')" \
    "{'files': 2, 'changed': 1, 'fewest_targets': 1, 'most_targets': 1, 'targets_of_all': 2, 'changed_bytes': 200000000.0} 9.16 24.16 True" 'as JSON'
# wide: the longest line behind the sentence
wide() { "$simulate" "$@" | awk 'NR > 1 && length($0) > most { most = length($0) } END { print (most > 0 && most <= 80) }'; }
is "$(wide striped.darshan --what-if stripes=4) $(wide job --what-if stripes=4/1) $(wide job --what-if 'bb=64GiB/node,2GB/s')" '1 1 1' 'figures fit into 80 columns'
cat >terminal.py <<'PY'
import os, pty, sys
def read(fd):
    return os.read(fd, 65536)
sys.exit(pty.spawn(sys.argv[1:], read) != 0)
PY
is "$("$PYTHON3" terminal.py "$simulate" striped.darshan --what-if stripes=4 </dev/null | tr -d '\r' | awk 'length($0) > 80 { n++ } END { print (NR > 5), n + 0 }')" '1 0' \
    'on a terminal all of it does'
check 'a trace that does not tell' status 1 "$simulate" job --what-if stripes=8
check 'says how to ask' grep -q 'has no records of Lustre, which would tell how its files are striped: stripes=8/M says' err

# -- what matters
check 'scan' status 0 "$simulate" job --scan --what-if 'bb=256MiB/node,2GB/s; drain=5MB/s'
is "$(head -n 1 out)" 'What matters most is twice the drain rate: 266 s of visible I/O instead of 532 s; with twice the capacity, too, 132 s.' 'what matters most'
is "$(says '(d["scan"]["best"], len(d["scan"]["rows"]))' --scan)" "('twice the bandwidth', 5)" 'of the usual one'
check 'nothing, if all is there' status 0 "$simulate" job --scan --what-if 'bb=64GiB,2000TB/s; drain=1GB/s; stage-in'
check 'it says so' grep -q '^Nothing matters: with bb=64GiB,2000TB/s; drain=1GB/s; stage-in, ' out

# -- calibration
"$PYTHON3" -c '
print("ff !iotrace 1\nff !tick_us 1\nff !cpu none")
for i in range(100): print("80 20 %x 1000 %x %x 1 1 0" % (i * 999983 << 12, 1000000, 5 if i % 10 else 900000))' >uneven
check 'a run that no model fits' status 0 "$simulate" uneven --what-if 'bb=1GiB,1GB/s'
check 'is uncalibrated, in the first line' sh -c 'head -n 1 out | grep -q "^Uncalibrated, the model is [0-9]* % off on the run as it was: "'
is "$("$simulate" uneven --json --what-if 'bb=1GiB,1GB/s' | "$PYTHON3" -c 'import json, sys; print(json.load(sys.stdin)["calibrated"])')" False 'in JSON, too'
is "$("$simulate" uneven --what-if 'cache=1GiB' | head -n 1 | sed 's/.* as it was: //')" 'A page cache of 1 GiB a node does not change visible I/O, 9.00 s, which is 9.0 % of the run.' \
    'a cache saves nothing of reads of bytes that nobody has used before, however far the model is off'
is "$("$simulate" uneven --what-if 'link=100GB/s' | head -n 1 | sed 's/.* as it was: //')" \
    'A machine with link=100GB/s does not change visible I/O, 9.00 s, which is 9.0 % of the run; more page cache would save nothing.' 'nor does what changes nothing'
check 'nothing is known to matter where the model is far off' sh -c '"$0" uneven --scan | grep -q "^Uncalibrated, .*Nothing matters: "' "$simulate"
"$PYTHON3" -c '
print("ff !iotrace 1\nff !tick_us 1\nff !cpu none")
for i in range(100): print("c0 20 %x 1000 %x %x 1 1 0" % (i << 12, 1000000, 500 if i % 10 else 900000))' >stalls
is "$("$simulate" stalls --what-if 'read-ahead=8MiB' | head -n 1 | sed 's/.* as it was: //')" \
    'Read-ahead of 8 MiB does not change visible I/O, 9.05 s, which is 9.0 % of the run; more page cache would save nothing.' 'nor is anything of writes saved by read-ahead'
is "$("$simulate" stalls --what-if 'bb=1GiB,1GB/s; drain=10MB/s' | sed -n '1s/.*; \(.*never stall\);.*/\1/p')" 'less than 1 MiB would never stall' \
    'no buffer is said to be smaller than any is'
check 'the fit as a profile' status 0 "$simulate" job --what-if 'bb=1GiB,1GB/s' --save-profile profile
check 'is what the run is predicted by' status 0 "$simulate" job --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s' --profile profile
is "$(head -n 1 out)" "$(first --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s')" 'with the same answer'
cat >fast <<'END'
{"format": "darshan-storage-profile", "version": 1, "by": "a sweep",
 "read": {"latency_seconds": 0.001, "bytes_per_second": 1e9}, "write": {"latency_seconds": 0.001, "bytes_per_second": 1e9}}
END
is "$(first --profile fast --what-if 'bb=1GiB,1GB/s' | cut -d: -f1)" 'Uncalibrated, the storage profile is 99 % off on the run as it was' \
    'a profile of something else'
for wrong in '[]' '{}' '{' '{"format": "darshan-storage-profile", "version": 1, "read": {"latency_seconds": -1, "bytes_per_second": 1}, "write": {}}' \
    '{"format": "darshan-storage-profile", "version": 1, "read": {"latency_seconds": 0, "bytes_per_second": 0}, "write": {}}'; do
    echo "$wrong" >wrong
    check "no profile: $wrong" status 1 "$simulate" job --profile wrong --what-if 'bb=1GiB,1GB/s'
    [ "$(wc -l <err)" = 1 ] || not_ok 'in one line' "$(cat err)"
done

# -- what cannot answer says so
{
    echo 'ff !iotrace 1'
    echo 'ff !left_out 7'
    sed 1d job
} >thinned
check 'a trace from which operations are missing' status 1 "$simulate" thinned --what-if 'bb=1GiB,1GB/s'
is "$(cat err)" 'darshan-simulate: thinned: lacks 7 operations, which its collector dropped: no answer; --estimate gives one for the operations that there are' 'says why'
check 'is used if asked for' status 0 "$simulate" thinned --estimate --what-if 'bb=64GiB,2GB/s; drain=1GB/s'
is "$(head -n 1 out | cut -d: -f1)" 'Estimate from a trace that lacks 7 operations' 'and says so'
if real_logs 'real logs'; then
    check 'a log without traces' status 1 "$simulate" "$real/imbalanced-io.darshan" --what-if 'bb=1GiB,1GB/s'
    check 'says how to get them' grep -q 'is a log without traces; DXT_ENABLE_IO_TRACE=1 makes the runtime write them' err
    check 'says what striping would gain at best' status 0 "$simulate" "$real/imbalanced-io.darshan" --what-if stripes=8
    is "$(wide "$real/imbalanced-io.darshan" --what-if stripes=8)" 1 'in 80 columns'
    # rank 0 spends 583 s on a file on one target that all wait for, others at most 21.7 s on another one: 605 s, of which 7/8
    is "$(head -n 1 out)" 'Uncalibrated, by counters, for the log has no traces: Striping 3 files over 8 targets instead of 1 can cut visible I/O from 1369-1391 s to 840 s at best; about 1 of 496 ranks moves the data, and more targets need more that do.' \
        'of 496 ranks that wait for one'
    is "$("$simulate" "$real/imbalanced-io.darshan" --what-if stripes=8 --json | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
print(d["by"], d["calibrated"], round(d["was_seconds"]["high"] - d["will_seconds"]["high"]), d["striping"]["files"], d["striping"]["changed"])')" \
        'counters False 0 12 3' 'as JSON'
    check 'a log without traces and without Lustre' status 1 "$simulate" "$real/mpi-io-test-x86_64-3.0.0.darshan" --what-if stripes=8
    check 'says what it lacks' grep -q 'without traces, and without records of Lustre' err
    check 'a log with traces that are cut off' status 1 "$simulate" "$real/partial_data_dxt.darshan" --what-if 'bb=1GiB,1GB/s'
    check 'says so' grep -q 'lacks operations, for which its collector had no memory' err
    check 'a job with hardly any I/O' status 0 "$simulate" "$real/hdf5_diagonal_write_half_ranks_dxt.darshan" --what-if 'bb=64GiB/node,2GB/s'
    check 'has little to gain' sh -c 'head -n 1 out | grep -q "There is little to gain: visible I/O is 0.19-0.41 ms, 0.019 % of the run.$"'
fi
: >empty
check 'an empty file' status 1 "$simulate" empty --what-if 'bb=1GiB,1GB/s'
printf 'ff !iotrace 1\n' >nothing
check 'a trace without reads and writes' status 1 "$simulate" nothing --what-if 'bb=1GiB,1GB/s'
printf '20 0 400 10 2 320 89 1 743e 0\n' >physical
check 'requests to devices only' status 1 "$simulate" physical --what-if 'bb=1GiB,1GB/s'
check 'says so' grep -q 'has only requests to devices' err

# -- strange ones
printf 'ff !iotrace 1\nff !tick_us 1\n80 20 0 1000 0 0 1 1 0\n' >instant
check 'one operation that took no time' status 0 "$simulate" instant --what-if 'bb=1GiB,1GB/s; drain=1MB/s'
is "$(head -n 1 out | cut -d: -f1)" 'The trace has no durations, so the measured I/O time is unknown, and there is nothing that a file system could be fitted to' 'tells nothing about a file system'
printf 'ff !iotrace 1\nff !tick_us 1\nc0 20 0 0 0 5 1 1 0\nc0 20 0 0 1 5 1 1 0\n80 20 ffffffffffff 0 1 ffffffff 1 2 0\n80 20 5 fff 0 3 1 1 0\n' >strange
for spec in 'bb=1GiB,1GB/s; drain=1MB/s' 'bb=1B,1B/s;drain=1B/s' 'cache=1B' 'cache=1PiB; dirty=1%,1%' 'read-ahead=1GiB' 'fs=1B/s' 'stripes=1/2000' 'link=1B/s' 'bb=unlimited,1GB/s;stage-in'; do
    check "no bytes, overlap, great lengths: $spec" status 0 "$simulate" strange --what-if "$spec"
done
check 'their curve' status 0 "$simulate" strange --curve
printf '80 22 1000000000000000 1000000000000000 1 1 1 1 1\n' >beyond
check 'beyond 2^60' status 1 "$simulate" beyond --what-if 'bb=1GiB,1GB/s'

"$PYTHON3" -c '
print("ff !iotrace 1\nff !tick_us 1\nff !cpu none")
for i in range(300): print("c0 20 0 %x a a %x 1 0" % (1 << 59, i))' >exabytes
check 'writes of half an exabyte, whose end no step of the clock reaches' status 0 timeout 60 "$simulate" exabytes --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s'
check 'the change is named' sh -c '"$0" job --what-if "link=1MB/s" | grep -q "^A machine with link=1MB/s would make visible I/O longer, from 200 s to "' "$simulate"

# -- how it is called
check 'help' status 0 "$simulate" --help
check 'nothing asked' status 2 "$simulate" job
check 'two things asked' status 2 "$simulate" job --curve --scan
check 'no trace' status 2 "$simulate" --scan
# wrong SPEC WORDS: usage, in one line, with what is wrong
wrong() {
    check "wrong: $1" status 2 "$simulate" job --what-if "$1"
    is "$(wc -l <err)" 1 'in one line'
    case $(cat err) in
    *"$2"*) ok "it says: $2" ;;
    *) not_ok "it says: $2" "$(cat err)" ;;
    esac
}
wrong 'disk=1GiB' "'disk=1GiB': disk=1GiB: it should be one of bb=, drain="
wrong 'bb=0GiB,2GB/s' 'a size or rate must not be 0; it should be bb=SIZE/node,RATE such as bb=400GiB/node,2GB/s'
wrong 'bb=0' 'bb=0: a size needs a unit, such as GiB'
wrong 'bb=-1GiB,2GB/s' 'values are not negative; it should be bb=SIZE'
wrong 'bb=64,2GB/s' 'a size needs a unit, such as GiB'
wrong 'bb=64GiB,2' 'a size needs a unit, such as GiB, and a rate one such as GB/s'
wrong 'bb=64GiB,2GB' 'a rate ends with /s'
wrong 'bb=64GiB,1e300GB/s' 'a number is too large'
wrong 'bb=1e300,1GB/s' 'a number is too large'
wrong 'bb=0x40GiB,1GB/s' 'it should be bb=SIZE'
wrong 'bb=2000PiB,1GB/s' 'a size is too large'
wrong 'bb=64GiB,2GB/s; drain=0GB/s' 'drain=0GB/s: a size or rate must not be 0'
wrong 'bb=64GiB,2GB/s; bb=64GiB,2GB/s' 'it should be said once'
wrong 'drain=1GB/s' 'needs bb=SIZE/node,RATE'
wrong 'fs-latency=5' 'a time needs a unit: s, ms or us'
wrong 'cache=1GiB; expiry=5s' 'expiry is of dirty blocks'
wrong 'stripes=0' 'the number of targets is an integer of at least 1'
wrong 'stripes=1.5' 'the number of targets is an integer of at least 1'
wrong 'stripes=1000000' 'a number is too large'
wrong 'stripes=8,1' 'a size needs a unit'
check 'a machine whose striping is told' status 2 "$simulate" job --scan --machine 'stripes=8/1'
check 'a machine that cannot be' status 2 "$simulate" job --scan --machine 'cache=big'
check 'a profile for the study' status 2 "$simulate" job --seed --profile fast
check 'a profile to be read and written' status 2 "$simulate" job --scan --profile fast --save-profile x
check 'a profile that is not there' status 1 "$simulate" job --scan --profile nowhere
check 'a profile that cannot be written' status 1 "$simulate" job --scan --save-profile /nowhere/x
check 'output that cannot be written' status 1 sh -c '"$0" job --scan >/dev/full' "$simulate"
check 'JSON that cannot be written' status 1 sh -c '"$0" job --json --scan >/dev/full' "$simulate"
check 'a curve that cannot be written' status 1 sh -c '"$0" job --curve >/dev/full' "$simulate"
check 'standard input' sh -c '"$0" - --scan <job' "$simulate"

# -- a log of fio has no durations: what was measured is not known. 200 writes of 4 KiB, one a millisecond, take a file system of
# 1 ms a request and 1 GB/s 200 * (1e-3 + 4096e-9) s, and a burst buffer of 50 us a request and 2 GB/s 200 * (50e-6 + 2048e-9) s.
{
    printf 'fio version 3 iolog\n0 /d/a add\n0 /d/a open\n'
    awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d /d/a write %d 4096\n", 1000 * i + 1000, 4096 * i }'
} >iolog
echo '{"format": "darshan-storage-profile", "version": 1, "by": "a sweep",
 "read": {"latency_seconds": 0.001, "bytes_per_second": 1e9}, "write": {"latency_seconds": 0.001, "bytes_per_second": 1e9}}' >slow
for ask in --scan "--what-if=bb=64GiB,2GB/s"; do
    is "$("$simulate" "$ask" iolog | head -n 1 | cut -d: -f1)" \
        'The trace has no durations, so the measured I/O time is unknown, and there is nothing that a file system could be fitted to' \
        "$ask: a trace without durations"
    check "$ask: with a profile" status 0 "$simulate" "$ask" --profile slow iolog
    is "$(head -n 1 out | cut -d: -f1)" \
        'The trace has no durations, so the measured I/O time is unknown, and that of the storage profile is given instead' \
        "$ask: is told beside a profile, too"
    is "$(grep -Ec 'unknown +0.20 s +10.4 ms$' out)" 2 "$ask: and its table has none"
done
check 'what changes is told' grep -q 'instead: A 64 GiB burst buffer a node cuts visible I/O from 0.20 s to 0.010 s' out
is "$("$simulate" --json --scan iolog | "$PYTHON3" -c 'import json, sys; print(json.load(sys.stdin)["visible_measured_seconds"])')" None \
    'nor has JSON'
check 'there is no profile to save' status 1 "$simulate" --scan --save-profile saved iolog

# -- the study's machine: sizes of the cache in a list, the processor's costs, files that processes share, and what it rests on
# two processes read the same ten times 256 KiB of a file with a name, 2.56 ms of computing before each
"$PYTHON3" -c '
print("ff !file 1 0 /data/in")
for i in range(10):
    for p in (1, 2): print("80 23 %x 200 5 5 1 %x 100" % (i * 512, p))' >shared
study() {
    "$simulate" --machine cray-ymp-1992 "$@"
}
study --json --cache 4,16,64 --no-read-ahead shared >sizes.json
study --json --cache 16 --no-read-ahead shared >size.json
is "$("$PYTHON3" -c 'import json; d = json.load(open("sizes.json")); print([x["cache_mib"] for x in d], d[1]["result"] == json.load(open("size.json")))')" \
    '[4, 16, 64] True' 'each size of a list is as by itself'
is "$(study --cache 4,16,64 shared | awk 'NR <= 4 && NR > 1 { print $1 }' | tr '\n' ' ')" '4 16 64 ' 'as text a line for each'
# of 20 reads of 256 KiB ten are from the disk: the file is one. The other process waits for them, though they are hits
is "$("$PYTHON3" -c 'import json; d = json.load(open("size.json")); print(d["disk_reads"], d["misses"] + d["hits"], d["misses"], d["idle"] > 0.01)')" '10 20 10 True' \
    'processes of a trace share a file by its name'
sed 1d shared >unnamed
is "$(study --json --cache 16 --no-read-ahead unnamed | grep -o '"disk_reads": [0-9]*')" '"disk_reads": 20' 'a number without a name is of a process'
is "$(study --json --cache 16 --switch 0 --fscost 0 --interrupt 0 shared | grep -o '"system": [0-9.]*')" '"system": 0.000' 'without costs the system takes nothing'
is "$(study --json --cache 16 --switch 0 --fscost 0.001 --interrupt 0 shared | grep -o '"system": [0-9.]*')" '"system": 0.020' '20 requests of 1 ms take 20 ms'
is "$(study --json --cache 16 --switch 0 --fscost 0 --interrupt 0.001 --no-read-ahead shared | grep -o '"system": [0-9.]*')" '"system": 0.010' \
    'and 10 completions of 1 ms 10 ms'
is "$(study shared | grep -c '^A read is a hit if all of its blocks are in the cache or on their way to it')" 1 'what a hit is'
sed '1i ff !cpu estimated' shared >estimated
is "$(study estimated | grep -c '^CPU times are estimated as the time between calls'), $(study shared | grep -c estimated)" '1, 0' 'that CPU times are estimated'
for wrong in '--cache 4, shared' '--cache 4,x shared' '--fscost -1 shared' '--interrupt 2 shared'; do
    check "wrong usage: $wrong" status 2 "$simulate" --machine cray-ymp-1992 $wrong
done

# -- a log of our own
fresh_logs
echo 'MAX_RECORDS 2750 DXT_POSIX' >conf
if compile nonmpi ./pattern pattern.c &&
    env LD_PRELOAD="$preload" DARSHAN_ENABLE_NONMPI=1 DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_CONFIG_PATH=conf ./pattern here write 200 65536 1048576 1000; then
    check 'a log' status 0 "$simulate" "$(latest_log)" --what-if 'bb=64GiB/node,2GB/s; drain=1GB/s' --json
    is "$("$PYTHON3" -c 'import json; d = json.load(open("out")); print(d["operations"] >= 200, d["nodes"], d["burst_buffer"]["written_bytes"])')" \
        'True 1 13107200.0' 'has the operations of its trace'
else
    not_ok 'a log of our own'
fi
finish
