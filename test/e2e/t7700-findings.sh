# t7700-findings.sh - programs with one I/O problem each, and one without: what is found, and whether it is true
# SPDX-License-Identifier: BSD-3-Clause
# alone: what is found depends on what a program spends its time on
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary

# What work/sins.c does comes to, by hand. 4 ranks; the innocent part writes and reads 4 blocks of 4 MiB a rank.
#   sin (behind a colon the way in which it is committed, behind each plus another finding that it may deserve), ranks, evidence
#   that must be there with this value (name=value, several with '|')
cat >known <<'END'
innocent           4
small-writes       4  writes of up to 100 KiB=80000|bytes written=80000000
small-reads        4  reads of up to 100 KiB=80000|bytes read=80000000
random-reads       4  all reads of these files=1280
random-writes      4  all writes of these files=1280
rereads            4  bytes read=335544320|bytes up to the highest offset read=67108864|times over=5
rewrites           4  bytes written=335544320|bytes up to the highest offset written=67108864|times over=5
same-data          4  bytes read=335544320|bytes up to the highest offset read=67108864|times over=5
unaligned          4  requests that do not start at a block=160|all requests to these files=160
syncs              4  fsync and fdatasync calls=200|writes of these files=200
stdio-bulk         4  bytes through streams=67108864|share of all bytes=0.3333333333333333
small-files        4  small files written=800|files per rank=200|mean bytes of a file=4096
reopens            4  opens=20004|files=4
seek-storm         4  seeks=40960
stat-storm         4  stat calls=40000
opens-without-data 4  files opened without data transfer=4000|all files=4001
metadata           4  opens=7200|files=200
metadata:together+opens-without-data+deletes-and-renames  4
memory-mapped      4  mmap calls=4|files=4|msync calls=40
open-waiting       4  collective opens of a rank=3|rank that spends least time there=3
uneven-data        4  slowest rank=0|bytes of the slowest rank=234881024|mean bytes of ranks=83886080
own-aggregation    8  ranks that move data=2|all ranks=8|distance between them=4
straggler          4  slowest rank=0|bytes of the slowest rank=50331648|mean bytes of ranks=50331648
one-rank           4  rank=0|its bytes=134217728|share of all bytes=1
collective-small   2  collective calls of ranks=2
independent        4  independent requests=8000|collective requests=0|mean request=8192
read-modify-write  4  bytes written through MPI-IO=134217728
END

# judge SIN EVIDENCE ALSO <DOCUMENT: prints "found", "missed" or "wrong: <figure>", then the false findings that matter
cat >judge.py <<'END'
import json
import sys

sin, _, evidence = sys.argv[1].partition(" ")
document = json.load(sys.stdin)
found = {f["id"]: f for f in document["findings"]}
verdict = "found" if sin in found or sin == "innocent" and document["answer"]["healthy"] else "missed"
for pair in evidence.split("|") if sin in found and evidence else []:
    name, _, value = pair.partition("=")
    got = [e["value"] for e in found[sin]["evidence"] if e["name"] == name]
    if len(got) != 1 or abs(got[0] - float(value)) > 1e-9 * abs(float(value)):
        verdict = "wrong: %s is %s, not %s" % (name, got, value)
for f in document["findings"]:
    seconds, most = f["saveable_seconds"] or 0, document["answer"]["seconds"]["in_turn"]
    if not 0 <= seconds <= f["at_most_seconds"] <= most * 1.000001:
        verdict = "wrong: %s would save %s of %s s" % (f["id"], seconds, most)
print(verdict)
print(" ".join(i for i in found if i not in [sin] + sys.argv[2].split("+") and found[i]["severity"] in ("high", "warning")))
END

# attempt SIN RANKS EVIDENCE: sets $verdict and $false
attempt() {
    fresh_logs
    rm -rf data
    mkdir data
    if ! execute preload "$2" ./sins "$PWD/data" "${1%%+*}" >out 2>&1 </dev/null; then
        verdict=$(tail -n 3 out) false=
        return
    fi
    "$summary" --json "$(latest_log)" >"$1.json" 2>said
    "$PYTHON3" judge.py "${1%%[:+]*} $3" "$(expr "$1" : '[^+]*+\(.*\)')" <"$1.json" >verdict 2>&1
    verdict=$(sed -n 1p verdict) false=$(sed -n 2p verdict)
    rm -rf data
}

compile preload sins sins.c -DWITH_MPI 2>err || { cat err; not_ok 'the program is built'; }
hits=0 misses=0 alarms=0
while read -r sin ranks evidence; do
    case $sin in
    read-modify-write) # of ROMIO; Open MPI's own MPI-IO writes the pieces one by one
        have_mpi mpich || { skip "$sin" 'MPI: mpich'; continue; }
        MPI=mpich
        compile preload sins sins.c 2>err || cat err
        ;;
    esac
    # A machine that is busy makes ranks wait for each other, which looks like a sin: what is there is seen in every run,
    # what is not in any of six may be.
    for try in 1 2 3 4 5 6; do
        attempt "$sin" "$ranks" "$evidence"
        [ "$verdict,$false" = found, ] && break
    done
    is "$verdict" found "$sin"
    is "$false" '' "$sin: nothing else that matters"
    [ "$sin" = innocent ] || { [ "$verdict" = found ] && hits=$((hits + 1)) || misses=$((misses + 1)); }
    alarms=$((alarms + $(echo "$false" | wc -w)))
done <known
echo "# findings: recall $hits of $((hits + misses)), precision $hits of $((hits + alarms))"
have_mpi mpich && all=26 || all=25
is $((hits + misses)) $all 'all sins were looked for'
"$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_SRC/share/job-summary.schema.json" ./*.json >bad
is "$(cat bad)" '' 'all documents are as the schema says'
finish
