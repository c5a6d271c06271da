# t7800-trace.sh - darshan-trace and Miller's text format: vectors, golden files, statistics, merge, cut
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
model=$DSN_SRC/test/decode/miller_trace.py

# of EXPRESSION TRACE...: the Python expression over `d`, what stat --json prints
of() {
    of_what=$1
    shift
    "$trace" stat --json "$@" | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
t = d["total"]
s = d["series"]
print('"$of_what"')'
}

# -- vectors of the description: each decodes to the row, and is written again as it was
cat >v1 <<'END'
80 22 0 8 0 32c 3 743e 64
80 ec 384 32c 28
c0 28 3e8 64 32 14 4 1e
80 6c 3e8 5dc 3 2b
c8 6c a 3 4 5
80 22 0 3ad 2bc 5dc 3 309 fa
80 23 10 10 5 384 3 743e 3
80 e4 bb8 5d2 309 104
END
cat >v1-decimal <<'END'
128 34 0 8 0 812 3 29758 100
128 236 900 812 40
192 40 1000 100 50 20 4 30
128 108 1000 1500 3 43
200 108 10 3 4 5
128 34 0 941 700 1500 3 777 250
128 35 16 16 5 900 3 29758 3
128 228 3000 1490 777 260
END
cat >v2 <<'END'
a0 2 0 10 0 384 89 1d 743e a
20 8 400 10 2 320 89 1 0
21 a8 40 8 1 2bc 0
22 a8 410 10 1 258 0
90 4c 3e8 5 8a 1d 3c
END
cat >want <<'END'
read,data,-,29758,3,0,4096
read,data,-,29758,3,4096,4096
write,data,-,29758,4,1000,100
read,data,-,29758,3,8192,4096
write,data,async,29758,4,1100,100
read,data,-,777,3,0,481792
read,data,-,29758,3,8192,8192
read,data,-,777,3,481792,481792
END
"$trace" export --to csv v1 | sed 1d | cut -d, -f3-9 >got
check 'V1: what it says' alike want got
is "$("$trace" export --to csv v1 | sed 1d | cut -d, -f1,2,10 | tr '\n' ' ')" \
    '0.000000000,0.008120000,0.001000000 0.009000000,0.008120000,0.001400000 0.009500000,0.000200000,0.001700000 0.019500000,0.015000000,0.002130000 0.019600000,0.000030000,0.002180000 0.026600000,0.015000000,0.002500000 0.026650000,0.009000000,0.002210000 0.056650000,0.014900000,0.005100000 ' \
    'V1: when, how long, CPU time'
"$trace" import v1 >got
check 'V1: written as it was' alike v1 got
"$trace" import v1-decimal >got
check 'V1 in base 10 is the same trace' alike v1 got
for tick in 1 7 100; do
    "$trace" export --to csv --tick-us $tick v1 >right
    for word in import cut merge; do
        "$trace" $word --tick-us $tick v1 >got
        check "$word keeps a unit of $tick us" sh -c '"$1" export --to csv got | cmp - right' - "$trace"
    done
done
{
    echo 'ff !iotrace 1'
    echo 'ff !base 10'
    cat v1-decimal
} >directed
is "$("$trace" import directed | grep -vc ^ff) $("$trace" import directed | grep -v ^ff | md5sum)" "8 $(md5sum <v1)" 'a directive tells the base'
"$trace" import v2 >got
check 'V2: requests to a disk among calls' alike v2 got
is "$("$trace" export --to csv v2 | sed 1d | cut -d, -f3-9,11 | tr '\n' ' ')" \
    'read,data,miss,29758,29,0,8192,137 read,data,physical+miss,29758,1,524288,8192,137 read,metadata,physical+miss,29758,1,32768,4096,137 read,read-ahead,physical+miss,29758,1,532480,8192,137 read,data,ahead-hit,29758,29,8192,8192,138 ' \
    'V2: what it says'

# refused NAME LINE TEXT: a trace of that line is refused with that text
refused() {
    printf '%s\n' "$2" >line
    if "$trace" import --from miller line >out 2>err || [ "$(wc -l <err)" != 1 ] || ! grep -qF "$3" err; then
        not_ok "$1" "$(cat out err)"
    else
        ok "$1"
    fi
}
refused 'V3: no history of a file' '80 64 0 1 1 7 1' 'line 1 leaves out offset or length'
refused 'V3: neither process nor file' '80 aa 0 8 0 1 1' 'line 1 is the first record and says no process'
refused 'V3: too few values' '80 22 0 8 0 32c 3 743e' 'line 1 has 6 values after the two bit sets, 7 are required'
refused 'no number' '80 22 0 8 0 32c 3 743e 6x' 'line 1 has something else than whole numbers'
refused 'a number too large' '80 22 0 8 0 32c 3 743e 10000000000000000' 'line 1 has a number beyond 2^64'
refused 'an offset too large' '80 23 ffffffffffffffff 8 0 32c 3 743e 1' 'line 1 has an offset beyond 2^64'
refused 'the reserved bit' '80 32 0 8 0 32c 3 743e 1' 'line 1 has the bit 10'
printf '80 22 0 8 0 1 3 7 1\n80 6b 8 1 1 3 1\n' >odd
check 'V3: an absent offset in blocks is a warning' status 0 "$trace" import odd
is "$(cat out err)" "80 22 0 8 0 1 3 7 1
80 ec 1 1 1
darshan-trace: odd: some records say that an absent field, or one of a device, is in blocks, which is ignored" 'V3: and decodes'
printf 'ff file 3 = /tmp/x\n80 22 0 8 0 32c 3 743e 64\nff more\n80 ec 384 32c 28\n' >comments
is "$("$trace" import comments | grep -v '^ff')" "$(head -n 2 v1)" 'V3: comments change nothing in records'
is "$("$trace" import comments)" "$(cat comments)" 'and stay where they are'
printf '255 text\n128 34 0 8 0 812 3 29758 100\n' >comments
is "$("$trace" import comments)" "$(echo ff text; head -n 1 v1)" 'V3: so in base 10'
# of several traces, of which one has a clock: each comment once
printf 'ff !epoch_us 1000000\nff of one\n80 22 0 8 0 32c 3 1 64\n' >clock
printf 'ff of the other\n80 22 0 8 0 32c 3 2 64\n' >none
is "$("$trace" merge none clock 2>err | grep -v '!' | grep ^ff | tr '\n' ,)" 'ff of one,ff of the other,' 'comments of merged traces are all kept'
"$trace" export --to csv comments 2>err >out
is "$(cat err)" 'darshan-trace: comments: comments are left out: the format has none' 'where there can be none this is said'
# a first request to a device after more than a MiB of calls: their numbers are what links them to it
"$PYTHON3" -c '
for i in range(40000): print("80 0 %x 1000 10 5 %x 3 743e 5" % (0x1000 * (i % 997), i + 1))
print("a0 0 5000 1000 10 5 89 3 743e 5\n20 0 400 10 2 320 89 1 743e 0")' >late
is "$("$trace" export --to csv late | tail -n 2 | cut -d, -f 11 | tr '\n' ' ')" '137 137 ' 'numbers of operations that come late are read'
"$trace" import late >late.again 2>err
is "$("$trace" export --to csv late.again | cut -d, -f 3,7-9,11 | md5sum), $(cat err)" "$("$trace" export --to csv late | cut -d, -f 3,7-9,11 | md5sum), " 'and written'
"$trace" import - <late >late.piped 2>err
is "$(tail -n 1 late.piped), $(grep -c 'came late, in a trace that is not a file' err)" '20 8 400 10 2 320 89 1 0, 1' 'from a pipe only those after it, which is said'
# requests to devices in base 10: types have two digits, as in base 16
"$PYTHON3" -c '
import random
random.seed(1)
for i in range(300): print("32 0 %d 16 100 800 %d 1 0 0" % (random.randrange(10 ** 6), i + 1))' >decimal
is "$("$trace" export --to csv decimal | sed -n 2p | cut -d, -f 3,4,5,8,9)" "read,data,physical+miss,$(($(cut -d' ' -f 3 decimal | head -n 1) * 512)),8192" 'a trace of devices only in base 10 is recognised'
printf '32 0 1000 16 100 800 1 1 0 0\n32 168 1016 16 100 800 0\n' >decimal2
is "$("$trace" export --to csv decimal2 | cut -d, -f 8 | tr '\n' ' ')" 'offset 512000 520192 ' 'as is one whose records fit only then'
printf '32 0 1000 16 100 800 1 1 0 0\n' >sixteen
is "$("$trace" export --to csv sixteen | sed -n 2p | cut -d, -f 8)" "$((0x1000 * 512))" 'where both fit it is 16'
"$PYTHON3" -c '
print("80 22 0 1 1 1 1 1 1")
for f in range(2, 34): print("80 2a 0 1 1 1 %x 1" % f)
print("80 2b 1 1 1 1 1 1\n80 2b 1 1 1 1 21 1")' >v4
is "$("$trace" import v4 | tail -n 2)" "80 2b 1 1 1 1 1 1
80 6c 1 1 21 1" 'V4: 32 files are remembered'
echo 'FE 0 0 10 5AF8 32C 1D 89 743E' >v5
is "$("$trace" export --to csv --fig1 v5 2>err | sed 1d)" \
    '0.232880000,0.008120000,write,read-ahead,async+miss+ahead-hit,29758,29,0,16,0.000000000,137,,' 'V5: the record of the figure'
bad=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$PYTHON3" "$model" random $seed 500 16 >random.16
    "$PYTHON3" "$model" random $seed 500 10 >random.10
    "$PYTHON3" "$model" csv random.16 >want
    "$trace" import random.16 | cmp -s - random.16 || bad="$bad $seed:16"
    "$trace" import --base 10 random.10 | cmp -s - random.16 || bad="$bad $seed:10"
    "$trace" export --to csv random.16 | cmp -s - want || bad="$bad $seed:csv"
done
is "$bad" '' 'V6: random traces are read and written as by the model, in both bases'

# -- the study's applications, byte by byte
for row in bvi:e02c16635c2b027b:22091096 ccm:558289a4dc98a37c:871154 forma:3c5046d17a73b62f:7079919 gcm:ab1cbcf7421b95e7:141992 \
    les:c6188645cb1408fd:382036 upw:6fdff3aaa5c74e70:29560 venus:4641286a5fa0452d:641811; do
    name=${row%%:*}
    "$trace" gen "$name" >"$name"
    is "$name:$(sha256sum <"$name" | cut -c1-16):$(wc -c <"$name")" "$row" "gen $name"
    "$trace" import "$name" | cmp -s - "$name" || not_ok "$name is read and written as it was"
done

# -- statistics: the study's rates (its table 2), and series over CPU time
# rates APP READ WRITTEN RATIO: MiB/s of CPU time, within 1 %
rates() {
    is "$(of "all(abs(a - b) <= .01 * b + .0001 for a, b in ((t['read']['mib_per_second'], $2), (t['write']['mib_per_second'], $3), (t['read_write_ratio'], $4)))" "$1")" \
        True "rates of $1"
}
rates bvi 12.47 5.326 2.34
rates ccm 4.235 3.953 1.07
rates forma 62.73 5.762 10.9
rates gcm .0106 .1204 .088
rates les 23.73 24.92 .952
rates upw .0012 .0998 .012
rates venus 26.42 14.72 1.80
is "$(of '(t["cpu_seconds"], t["ios"], t["read"]["bytes"], t["write"]["bytes"], d["trace"]["bytes"])' venus)" \
    '(379, 34904, 10500845056, 5849436672, 641811)' 'sums of venus'
for row in 'venus 41.1 154.6 203' 'les 48.7 246.6 101' 'ccm 8.2 24.0 91'; do
    # shellcheck disable=SC2086 # four words
    set -- $row
    is "$(of '"%.1f %.1f %d" % (s["mean_mib_per_second"], s["peak_mib_per_second"], s["silent_bins"])' "$1")" "$2 $3 $4" "rates of $1 over CPU time"
done
is "$(of '[p for p, b in t["purpose_bytes"].items() if b > 0]' gcm)" "['required']" 'gcm does required I/O only'
is "$(of '[p for p, b in t["purpose_bytes"].items() if b > 0]' upw)" "['required']" 'so does upw'
is "$(of 't["purpose_bytes"]["swap"] > .9 * t["bytes"]' venus)" True 'venus swaps'
"$PYTHON3" -c '
for k in range(5):
    for i in range(16): print("c0 %x %x 80 64 1 1%s 5" % (0x22 | (8 if k + i else 0), i * 128, "" if k + i else " 1"))' >checkpoints
is "$(of 't["purpose_bytes"]' checkpoints)" "{'required': 0, 'reread': 0, 'checkpoint': 5242880, 'swap': 0}" 'what is written over and never read is a checkpoint'
# numbered ones, each written once: 4 MiB every 2 s
numbered() {
    "$PYTHON3" -c "import sys
pause, n, grows, ids = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
for k in range(n): print('ff !file %d 0 /scratch/run7/%s%04d.h5' % (k + 1, sys.argv[5], k))
for k in range(n):
    for i in range(4): print('c0 23 %x %x %x 10 %x %s 5' % (i * (2048 + k * grows), 2048 + k * grows, int(pause * 1e5) if k and not i else 100, k + 1, format(k % 2 + 1, 'x') if ids == 'two' else '1'))" "$@"
}
numbered 2 5 0 one chk- >numbered
is "$(of 't["purpose_bytes"]' numbered)" "{'required': 0, 'reread': 0, 'checkpoint': 20971520, 'swap': 0}" 'so is one in a file of its own each time'
numbered 2 6 0 two rank >numbered
is "$(of '[p for p, b in t["purpose_bytes"].items() if b]' numbered)" "['checkpoint']" 'of each of two processes'
numbered 0.01 50 0 one part >numbered
is "$(of '[p for p, b in t["purpose_bytes"].items() if b]' numbered)" "['required']" 'files that come one upon the other, as when they are unpacked, are not'
numbered 2 5 1024 one mesh >numbered
is "$(of '[p for p, b in t["purpose_bytes"].items() if b]' numbered)" "['required']" 'nor are those of different sizes'
numbered 2 2 0 one chk- >numbered
is "$(of '[p for p, b in t["purpose_bytes"].items() if b]' numbered)" "['required']" 'nor are two'
is "$(of '(t["ios"], d["nfiles"])' --large-files 100000000 gcm) $(of '(t["ios"], d["nfiles"])' --large-files 200000000 gcm)" '(7953, 2) (0, 0)' \
    'large files only'
# what the study expects of kinds of I/O: 50 MB read and 100 MB written in 200 s are .75 MB/s, 40 MB each 20 s are 2 MB/s
"$PYTHON3" -c '
S = 100000
def line(kind, offset, cpu, file, first): print("%x %x %x %x %x 1 %x %s%x" % (kind, 0x2b & ~(8 if first else 0), offset, 2048, cpu, file, "1 " if first else "", cpu))
for i in range(50): line(0x80, i * 2048, 1000, 1, i == 0)
for i in range(100): line(0xc0, i * 2048, 1000 if i else 200 * S - 149 * 1000, 2, False)' >required
"$PYTHON3" -c '
S = 100000
for k in range(10):
    for i in range(40):
        cpu = 1000 if i else 20 * S - 39 * 1000
        first = k + i == 0
        print("c0 %x %x 800 %x 1 1 %s%x" % (0x2b & ~(8 if first else 0), i * 2048, cpu, "1 " if first else "", cpu))' >saved
is "$(of '(round(t["mib_per_second"], 4), [p for p, b in t["purpose_bytes"].items() if b])' required)" "(0.75, ['required'])" 'required I/O at .75 MB/s'
is "$(of '(round(t["mib_per_second"], 4), [p for p, b in t["purpose_bytes"].items() if b])' saved)" "(2, ['checkpoint'])" 'checkpoints at 2 MB/s'
check 'text' status 0 "$trace" stat venus
is "$(sed -n 's/^  requests   *\([0-9]\)/\1/p' out | tr -s ' ')" '34904 22763 12141' 'requests of venus'
printf 'a0 22 0 8 0 1 3 7 1\n' >fast
"$trace" stat fast >out 2>err
check 'disks that are too fast are a wrong unit of time' grep -q 'disks take 1e-05 s per request' err

# -- several as one
"$trace" gen --pid 1 --scale 40 venus >p1
"$trace" gen --pid 2 --scale 40 les >p2
"$trace" gen --pid 3 --scale 40 ccm >p3
"$trace" merge p1 p2 p3 >merged
"$trace" merge p3 p1 p2 >shuffled
check 'traces of processes in any order are one trace' alike merged shuffled
"$trace" merge p1 p1 >twice 2>err
is "$(grep -c 'whose number another trace has, too: without a name of their host they count as one process' err), $("$trace" merge p1 p2 2>&1 >twice)" '1, ' \
    'processes of two traces with the same number are remarked on, others are not'
is "$(wc -l <merged)" "$(cat p1 p2 p3 | wc -l)" 'with all their records'
# a process is told by its number and its host: 1 on a, 1 on b, 1 and 2 on c are four, of which two get numbers that nobody has
for host in a b c; do
    sed "1i ff !host 1 $host" p1 >"on-$host"
done
"$trace" gen --pid 2 --scale 40 les | sed '1i ff !host 2 c' >other
"$trace" stat --json on-a on-b on-c other >four.json 2>err
is "$("$PYTHON3" -c 'import json; print(sorted((p["host"], p["process"]) for p in json.load(open("four.json"))["processes"]))')" \
    "[('a', 1), ('b', 3), ('c', 2), ('c', 4)]" 'processes of different hosts are different ones, though their numbers are the same'
is "$(grep -c 'some processes of different hosts have the same number: that of the later one is replaced by an unused one' err)" 1 'which is remarked on'
"$trace" merge on-a on-b on-c other >four 2>err
check 'merged, they stay apart' sh -c '"$1" stat --json four >again.json' - "$trace"
is "$("$PYTHON3" -c 'import json; a, b = (json.load(open(f))["processes"] for f in ("four.json", "again.json")); print(sorted(map(str, a)) == sorted(map(str, b)), len(a))')" \
    'True 4' 'each with what it did'
is "$("$trace" stat --json on-a on-a 2>/dev/null | "$PYTHON3" -c 'import json, sys; print(len(json.load(sys.stdin)["processes"]))')" 1 'one of the same host is the same'
"$trace" merge --memory 1 p2 p3 p1 forma >small
"$trace" merge --memory 1000 forma p1 p2 p3 >large
check 'with little memory, too' cmp small large
for p in 1 2 3; do
    "$trace" cut --ranks $p merged >part
    cmp -s part "p$p" || not_ok "process $p is what it was"
done
bad=
for i in 1 2 3 4 5 6; do # batches of one trace, numbered, in any order
    {
        echo 'ff !iotrace 1'
        echo "ff !batch $i"
        "$trace" cut --time "$((i * 10 - 10))-$((i * 10))" p1
    } >batch.$i
done
"$trace" cut --time -60 p1 >whole
"$trace" merge batch.3 batch.1 batch.6 batch.2 batch.5 batch.4 | grep -v ^ff >got
check 'shuffled batches are the trace that they were' alike whole got
cat batch.4 batch.2 batch.6 batch.1 batch.3 batch.5 >batches
"$trace" merge batches | grep -v ^ff >got
check 'so are batches in one file' alike whole got
sed 's/^ff !batch/ff  !batch/' batches >blanks
"$trace" merge blanks | grep -v ^ff >got
check 'with more blanks in front of the word, too' alike whole got
"$trace" merge batches batch.none 2>err
is "$?" 1 'a trace that is not there is told'
check 'by its name' grep -q 'in batch.none: cannot be opened' err
printf 'ff !iotrace 1\nff !tick_us 1\nff !epoch_us 5000000\nff !file 1 0 /a\n80 22 0 1 a 1 1 7 1\n' >clock.a
printf 'ff !iotrace 1\nff !tick_us 1\nff !epoch_us 4000000\nff !file 1 0 /b\n80 22 0 1 5 1 1 8 1\n' >clock.b
is "$("$trace" export --to csv clock.a clock.b | sed 1d | cut -d, -f1,6,7,12 | tr '\n' ' ')" \
    '0.000005000,8,1,"/b" 1.000010000,7,2,"/a" ' 'clocks are put together, and names that had one id get their own'

# -- parts of a trace
is "$("$trace" cut --op write venus | wc -l)" 12141 'writes only'
is "$("$trace" cut --file 3 --op read venus | wc -l)" 3794 'of a file'
is "$("$trace" cut --class physical v2 | wc -l) $("$trace" cut --class logical v2 | wc -l) $("$trace" cut --class metadata v2 | wc -l)" '3 2 1' 'by class'
is "$("$trace" export --to csv venus | awk -F, 'NR > 1 && $1 >= 100 && $1 < 200' | wc -l)" "$("$trace" cut --time 100-200 venus | wc -l)" 'of a time'
gzip -k venus
is "$("$trace" import venus.gz | md5sum)" "$(md5sum <venus)" 'compressed by gzip'

# compressed by zstd: by its own program, in several frames, with frames that are to be passed over, from a pipe; and by us
if "$trace" gen --scale 100 --zstd venus >small.zst 2>err; then
    "$trace" gen --scale 100 venus >small
    is "$(head -c 4 small.zst | od -An -tx1 | tr -d ' ')" 28b52ffd '--zstd: it is compressed'
    is "$("$trace" import small.zst | md5sum)" "$(md5sum <small)" '--zstd: what it was made of comes out of it'
    is "$(head -c 200 small.zst | "$trace" import - 2>&1 >/dev/null)" 'darshan-trace: standard input: is compressed by zstd, and damaged or truncated' \
        'zstd, cut off: told'
    is "$("$trace" import small.zst 2>&1 | "$trace" import --zstd - | "$trace" stat --json - | md5sum)" "$("$trace" stat --json small | md5sum)" '--zstd through pipes'
    is "$("$trace" merge --zstd small small.zst | "$trace" import - | md5sum)" "$("$trace" merge small small | md5sum)" '--zstd: merged'
    is "$("$trace" export --zstd --to csv small | "$PYTHON3" -c 'import sys; print(sys.stdin.buffer.read(4).hex())')" 28b52ffd '--zstd: exported'
    { printf 'P\052\115\030\003\000\000\000abc' && cat small.zst; } >skippable.zst
    is "$("$trace" import skippable.zst | md5sum)" "$(md5sum <small)" 'zstd, behind a frame that is to be passed over'
    printf '(\265/\375garbage, and more of it' >garbage.zst
    check 'zstd, damaged: status 1' status 1 "$trace" stat garbage.zst
    is "$(wc -l <err)" 1 'zstd, damaged: one line'
    check 'zstd, not to files of --output' status 2 "$trace" export --zstd --to fio -o x small
    if command -v zstd >/dev/null; then
        zstd -q -19 -c small >other.zst
        half=$(($(wc -l <small) / 2))
        { head -n $half small | zstd -qc && tail -n +$((half + 1)) small | zstd -qc; } >frames.zst
        is "$("$trace" import other.zst | md5sum) $("$trace" import - <frames.zst | md5sum)" "$(md5sum <small) $(md5sum <small)" 'zstd: its own, and two frames'
        is "$(zstd -dc small.zst | md5sum)" "$(md5sum <small)" "--zstd: zstd's own program reads it"
    else
        skip 'the program zstd beside it' 'package zstd'
    fi
else
    is "$(cat err)" 'darshan-trace: the output cannot be compressed: this build has no zstd' 'without zstd: told'
    skip 'zstd' 'package libzstd-dev at build'
fi
is "$("$trace" import - <venus | md5sum)" "$(md5sum <venus)" 'through a pipe'

# -- from a program: the example of the manual page
{
    printf '#include <darshan/trace.h>\n#include <stdio.h>\nint main(void)\n{\n'
    sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$DSN_SRC/doc/libdarshan-trace.3" | sed '/^\./d; s/\\e/\\/g; s/"job.darshan"/"venus"/'
    printf 'printf("%%llu\\n", bytes);\nreturn rc != 0;\n}\n'
} >example.c
if cc -Wall -Wextra -Werror -I"$DSN_PREFIX/include" -o example example.c -L"$DSN_PREFIX/lib" -ldarshan-trace -Wl,-rpath,"$DSN_PREFIX/lib" 2>cc.log; then
    is "$(./example)" 5849436672 'a program reads a trace'
else
    not_ok 'a program reads a trace' "$(cat cc.log)"
fi

# -- how it is called
check 'no command' status 2 "$trace"
check 'another command' status 2 "$trace" steal venus
check 'no trace' status 2 "$trace" stat
check 'no such application' status 2 "$trace" gen mars
check 'no format to export to' status 2 "$trace" export venus
check 'no such format' status 1 "$trace" export --to tape venus
check 'no such format to read' status 1 "$trace" import --from tape venus
check 'help' status 0 "$trace" --help
check 'help of a part' status 0 "$trace" merge --help
check 'formats' status 0 "$trace" --formats
: >empty
check 'an empty trace' status 1 "$trace" import empty
head -c 100000 /dev/urandom >noise
check 'noise is recognised as nothing' status 1 "$trace" import noise
check 'output that cannot be written is told' status 1 sh -c '"$0" gen ccm >/dev/full' "$trace"
finish
