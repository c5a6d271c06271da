# t7830-cycles.sh - darshan-cycles: finds known rhythms, and none where there is none
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
cycles=$DSN_PREFIX/bin/darshan-cycles
trace=$DSN_PREFIX/bin/darshan-trace
make=$DSN_SRC/test/decode/rhythms.py

# of EXPRESSION [OPTION]... FILE: the Python expression over `d`, what --json prints; p is what was found, of the job or a process
of() {
    of_what=$1
    shift
    "$cycles" --json "$@" 2>err | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
p = d["process"] or d["job"]
c = p["cycles"]
s = d["spectrum"]
print('"$of_what"')'
}

# -- the two applications of 1994 (spec analysis.md C5), exact
"$PYTHON3" "$make" radar >radar
"$PYTHON3" "$make" ocean >ocean
is "$(of '(d["verdict"], d["clock"], p["nbursts"], [(x["bursts"], x["repeats"]) for x in c])' radar)" \
    "('exact', 'cpu', 120, [(2, 30), (2, 30)])" 'radar: 120 bursts, two cycles of two bursts, 30 times each'
is "$(of 'abs(c[0]["mean"] - 6.0566) < .0002 and abs(c[1]["mean"] - 22.142) < .001 and abs(p["threshold"] - .0576) < .0001' radar)" True \
    'radar: 6.0566 s, 22.142 s, bursts separated by 57.6 ms'
is "$(of '(p["bytes_read"], p["bytes_written"], "%.2f" % (100 * p["bytes_read"] / (p["bytes_read"] + p["bytes_written"])))' radar)" \
    "(749076480, 17694720, '97.69')" 'radar: bytes, 97.69 % read'
is "$(of '[[(k["count"], k["operation"], k["size"], k["file"]) for k in m["kinds"]] for m in c[1]["made_of"]]' radar)" \
    "[[(3, 'write', 196608, 'file 7'), (2, 'read', 196608, 'file 5'), (6, 'read', 196608, 'file 6')], [(55, 'read', 196608, 'file 4')]]" \
    'radar: what a cycle is made of'
is "$(of '["%.2f %.6f" % (m["pause"], m["between"]) for m in c[1]["made_of"]][1]' radar)" '5.16 0.005108' 'radar: pauses, and operations within a burst'
is "$(of 'abs(p["next"]["time"] - (p["end"] + 16.7)) < .001 and p["next"]["burst"]' radar)" 1 'radar: the next burst'
is "$(of '(p["nbursts"], [(x["bursts"], x["repeats"]) for x in c], p["anchors"], abs(c[0]["mean"] - 4.9983) < .0005, abs(p["threshold"] - .0298) < .0001)' ocean)" \
    '(13, [(3, 4)], 4, True, True)' 'ocean: 13 bursts, cycles of three, 4 times as in the study, 4.9983 s'
is "$(of '(p["operations"], p["bytes_written"])' ocean)" '(972, 188743788)' 'ocean: operations and bytes'
is "$(of 's["found"] and abs(s["period"] - 4.998) < .05' ocean)" True 'ocean: so says its spectrum'
is "$(of 'abs(c[0]["mean"] - 6.0566) < .0002 and abs(c[1]["mean"] - 22.142) < .001 and d["clock"]' --clock wall radar)" wall 'by the wall clock, on which no operation takes time'

# -- early and late, with cycles left out, of several processes
bad=
for jitter in 2 5 10; do
    for drop in 0 7; do
        for seed in 1 2; do
            "$PYTHON3" "$make" radar --jitter $jitter --drop $drop --seed $seed >trace
            [ "$(of "d['verdict'] == 'exact' and len(c) == 2 and all(abs(x['mean'] / y - 1) < .0$((jitter / 2 + 1)) for x, y in zip(c, (6.0566, 22.142))) and \
all(x['repeats'] == (26 if $drop else 30) and x['missing'] == (4 if $drop else 0) for x in c)" trace)" = True ] || bad="$bad radar:$jitter:$drop:$seed"
        done
    done
    for seed in 1 2 3; do
        "$PYTHON3" "$make" ocean --jitter $jitter --seed $seed >trace
        [ "$(of 'd["verdict"] == "exact" and abs(c[0]["mean"] / 4.9983 - 1) < .08 and c[0]["bursts"] == 3 and p["anchors"] == 4' trace)" = True ] || bad="$bad ocean:$jitter:$seed"
    done
done
is "$bad" '' 'pauses that vary by up to 10 %, cycles that are left out'
bad=
for jitter in 0 5 10; do
    "$PYTHON3" "$make" radar --jitter $jitter --ranks 2 >trace
    [ "$(of 'd["processes"] == 2 and d["rhythm"] and min(abs(x["mean"] - 22.142) for x in c) < .6 and min(abs(x["mean"] - 6.0566) for x in c) < .2' trace)" = True ] || bad="$bad $jitter"
    [ "$(of '((d["agreeing"], len(d["of_processes"])), all(abs(x["period"] - 22.142) < .6 for x in d["of_processes"]))' --processes trace)" = '((2, 2), True)' ] || bad="$bad $jitter:each"
done
is "$bad" '' 'two ranks, interleaved'
"$PYTHON3" "$make" checkpoints --n 12 --names >trace
is "$(of '(d["verdict"], p["alike"], c[0]["repeats"], [(k["count"], k["file"]) for k in c[0]["made_of"][0]["kinds"]])' trace)" \
    "('exact', 'names', 12, [(20, '/scratch/run#/step-#.chk')])" 'every checkpoint in a file of its own'

# -- no rhythm where there is none
# none WHY NAME [OPTION]...
none() {
    none_why=$1
    shift
    "$PYTHON3" "$make" "$@" >trace
    is "$(of '(d["rhythm"], d["verdict"], p["next"], s["found"])' trace)" "(False, '$none_why', None, False)" "no rhythm: $*"
    "$cycles" trace | head -n 1 | grep -q '^No rhythm' || not_ok "no rhythm: $* as text"
}
none nothing empty
none 'one operation' one
none stream burst
none stream stream
none 'two bursts' two_bursts
none unsteady plain_poisson
none unsteady poisson_bursts
none unlike random_bursts
none unlike poisson
found=
for n in 3 4 5 7 10 15 30 100; do
    for seed in 1 2; do
        for name in poisson plain_poisson poisson_bursts random_bursts; do
            "$PYTHON3" "$make" $name --n $n --seed $seed >trace
            "$cycles" --json trace 2>err | grep -q '"rhythm":false' || found="$found $name:$n:$seed"
        done
    done
done
is "$found" '' 'nor in 64 traces at random'

# -- what else is printed
is "$("$cycles" --csv radar | head -n 2 | tail -n 1)" '1,0.650000000,0.652218000,9,1769472,0,1,1,1' 'bursts as CSV'
is "$("$cycles" --csv radar | wc -l) $("$cycles" --csv radar | cut -d, -f8-9 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    '121  30 1,1; 30 1,2; 30 2,1; 30 2,2; 1 cycle,place;' 'each in its cycle'
"$cycles" --series radar >series
is "$(awk -F, '$1 == "cpu" { r += $6; w += $7; n += $4 + $5 } END { printf "%d %d %d", r, w, n }' series)" '749076480 17694720 3900' 'the series over CPU time has all of it'
is "$(awk -F, '$1 == "cpu" && $2 == 0' series)" 'cpu,0,1,9,0,1769472,0' 'in bins of a second'
is "$(awk -F, '$1 == "wall" { n += $4 + $5 } END { print n }' series)" 3900 'so has that over run time'
is "$(of 'len(d["series"]["cpu"]["reads"])' --series --bin 10 radar)" 85 'bins of 10 s'
"$cycles" - <radar >got
"$cycles" radar >want
check 'through a pipe' cmp want got
gzip -c radar >radar.gz
"$cycles" radar.gz >got
check 'compressed' cmp want got
"$trace" gen venus >venus
is "$(of '(d["rhythm"], abs(p["interval"] - 379 / 101) < .05 or abs(s["period"] - 379 / 101) < .05)' venus)" '(True, True)' 'venus of the 1992 study: 101 cycles in 379 s'
"$trace" gen gcm >gcm
is "$(of '(d["rhythm"], abs(c[-1]["mean"] - 1897 / 19) < .1, c[-1]["repeats"] in (18, 19))' gcm)" '(True, True, True)' 'gcm: 19 in 1897 s'

# -- heat maps and logs
# five that vary by 7 % may be a coincidence, as bursts; by the amounts over time they are not
is "$(of '(d["verdict"], d["source"], s["found"], 7 < s["period"] < 9)' "$DSN_SRC/test/judged/python-epochs.darshan")" \
    "('spectral', 'HEATMAP', True, True)" 'five epochs of a training, from a heat map'
if real_logs 'real logs'; then
    for log in "$real"/*.darshan; do
        status 0 "$cycles" "$log" || grep -q 'has neither traces nor a heat map' err || not_ok "$log" "$(cat err)"
        mv out got
        "$cycles" --json "$log" 2>/dev/null >"${log##*/}.json"
    done
    check 'all of them as JSON' "$PYTHON3" -c 'import json, sys
for name in sys.argv[1:]:
    text = open(name).read()
    assert not text or json.loads(text), name' *.darshan.json
    is "$(of 'd["rhythm"]' "$real/e3sm_io_heatmap_only.darshan")" False 'e3sm writes all the time'
    is "$(of 'd["rhythm"]' "$real/partial_data_dxt.darshan")" False 'single bytes for 55 ms are no rhythm'
    check 'a thinned trace is told' grep -q 'lacks operations' err
fi

# -- how it is called
check 'no trace' status 2 "$cycles"
check 'no such clock' status 2 "$cycles" --clock sun radar
check 'no such pause' status 2 "$cycles" --pause 0 radar
check 'two forms' status 2 "$cycles" --json --csv radar
check 'no such file' status 1 "$cycles" nothing.darshan
is "$(cat err)" 'darshan-cycles: nothing.darshan: cannot be opened: No such file or directory' 'is told'
check 'a log without any' status 1 "$cycles" "$DSN_SRC/test/golden/mpi-io-test-x86_64-3.0.0.darshan"
is "$(wc -l <err) $(grep -c DXT_ENABLE_IO_TRACE err)" '1 1' 'is told what to do'
check 'help' status 0 "$cycles" --help
check 'a full device' status 1 sh -c '"$0" radar >/dev/full' "$cycles"
head -n 2000 radar >damaged
echo '80 zz' >>damaged
check 'a damaged trace: what came before it, and status 1' status 1 "$cycles" --json damaged
is "$("$PYTHON3" -c 'import json; d = json.load(open("out")); print(d["rhythm"], d["job"]["operations"])')" 'True 1997' 'is looked at'
is "$(wc -l <err)" 1 'with one line'
finish
