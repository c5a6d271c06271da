# t7900-simulate-cray-ymp.sh - darshan-simulate --machine cray-ymp-1992: every figure of the study's machine, compared with a model in Python
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
simulate=$DSN_PREFIX/bin/darshan-simulate
for app in bvi ccm forma gcm les upw venus; do
    "$trace" gen "$app" >"$app"
done
for i in 2 3 4; do
    cp venus "venus.$i"
done

# of KEY [OPTION]... TRACE...: one figure
of() {
    of_key=$1
    shift
    "$simulate" --machine cray-ymp-1992 --json "$@" | sed -n "s/.*\"$of_key\": \([-0-9.]*\).*/\1/p"
}

# near GOT WANT WHAT: within 0.1 % or 0.01
near() {
    if echo "$1 $2" | awk '{ d = $1 - $2; if (d < 0) d = -d; exit !(NF == 2 && (d <= .01 || d <= .001 * $2)) }'; then
        ok "$3: $2"
    else
        not_ok "$3" "got:  $1" "want: $2"
    fi
}

# -- two copies of venus, seconds idle for each size of the cache (description, amendment A1)
# sizes WHAT OPTIONS SIZE:IDLE...
sizes() {
    sizes_what=$1 sizes_options=$2
    shift 2
    for row; do
        # shellcheck disable=SC2086 # options are words
        near "$(of idle $sizes_options --cache "${row%:*}" venus venus.2)" "${row#*:}" "2 x venus, ${row%:*} MiB, $sizes_what"
    done
}
sizes 'read-ahead and write-behind' --write-behind 4:391.474 8:192.830 16:15.172 32:10.249 64:4.043 96:.974 112:.103 128:.103
sizes 'read-ahead' '' 4:612.743 8:396.658 16:201.759 32:196.618 64:193.219 96:162.476 112:211.862
sizes 'write-behind' '--write-behind --no-read-ahead' 4:390.256 8:391.126 16:377.343 32:333.893 64:259.857 96:7.294 112:2.084 128:2.084
sizes 'neither' --no-read-ahead 4:612.642 32:579.599 64:564.451 96:339.419 112:213.843 128:213.843

# -- alone, and as copies
for row in venus:45.486 ccm:.935 les:0 gcm:2.630 upw:.031 forma:3.619 bvi:3057.062; do
    near "$(of idle --write-behind "${row%:*}")" "${row#*:}" "${row%:*} alone, 32 MiB"
done
near "$(of idle --write-behind venus venus.2 venus.3)" .825 '3 x venus, 32 MiB'
near "$(of idle --write-behind venus venus.2 venus.3 venus.4)" 2.752 '4 x venus, 32 MiB'

# -- a large cache
for row in gcm:2.612 upw:.031 les:0 venus:.176 ccm:.923 forma:3.589 bvi:33.299; do
    near "$(of idle --write-behind --ssd --cache 256 "${row%:*}")" "${row#*:}" "${row%:*}, SSD of 256 MiB"
done
near "$(of idle --write-behind --ssd --cache 256 venus venus.2)" .100 '2 x venus, SSD'
near "$(of system --write-behind --ssd --cache 256 venus venus.2)" 35.124 '2 x venus, SSD: the system'
near "$(of idle --write-behind --ssd --cache 256 --warm bvi bvi)" 0 'bvi, its data resident (A2)'
near "$(of system --write-behind --ssd --cache 256 --warm bvi bvi)" 80.475 'bvi, its data resident: the system'
is "$(of utilisation --write-behind --ssd --cache 256 --warm bvi bvi)" 1.00000 'bvi, its data resident: used'

# -- what the study published (S1 to S13), with its own bounds
# between GOT LEAST MOST WHAT
between() {
    if echo "$1 $2 $3" | awk '{ exit !(NF == 3 && $1 >= $2 && $1 <= $3) }'; then
        ok "$4: $1"
    else
        not_ok "$4" "got: $1, not within $2 to $3"
    fi
}
between "$(of idle --cache 128 venus venus.2)" 200.45 221.55 'S1: 211 s idle at 128 MB without write-behind'
between "$(of idle --cache 128 --write-behind venus venus.2)" 0 2.5 'S2: 1 s with it'
"$simulate" --machine cray-ymp-1992 --json --cache 128 --write-behind venus venus.2 >s3
between "$("$PYTHON3" -c 'import json; d = json.load(open("s3")); print(d["elapsed"] - d["idle"])')" 760 762 'S3: 761 s of work'
for c in 4 8 16 32 64 96 112 128; do
    of idle --write-behind --cache $c venus venus.2
done >s4
is "$(awk 'NR > 1 && $1 > last + 1 { print "not monotone" } { last = $1 } NR == 4 && $1 <= 1 { print "32 MiB" } NR >= 7 && $1 > 1 { print "both fit" }' s4)" '' \
    'S4: idle falls with the cache, to 1 s when both data sets fit'
between "$(of utilisation --write-behind venus)" 0 .95 'S5: 32 MB are not enough for venus'
between "$(of utilisation --write-behind bvi)" 0 .6 'S5: nor for bvi'
between "$(of idle --write-behind --cache 8 gcm)" 0 3 'S6: gcm with 8 MB'
between "$(of idle --write-behind --cache 8 upw)" 0 3 'S6: upw with 8 MB'
for c in 8 32 256; do
    between "$(of idle --write-behind --cache $c les)" 0 .5 "S7: les with $c MB"
done
for app in bvi ccm forma gcm les upw venus; do
    case $app in bvi) warm=--warm\ bvi ;; *) warm= ;; esac
    # shellcheck disable=SC2086 # two words or none
    of utilisation --write-behind --ssd --cache 256 $warm "$app"
done >s8
is "$(awk '$1 > .99 { n++ } $1 < .97 { low++ } END { print NR, n, low + 0 }' s8)" '7 6 0' 'S8: all but one above 99 % in the SSD'
between "$(of idle --write-behind --ssd --cache 256 venus venus.2)" 0 1 'S9: two in the SSD'
small=$(of disk_reads --write-behind --cache 32 venus venus.2)
large=$(of disk_reads --write-behind --cache 128 venus venus.2)
between "$((small / large))" 100 1e9 'S10: reads from disk in 32 and in 128 MB'
"$simulate" --machine cray-ymp-1992 --json --series --cache 128 --write-behind venus venus.2 >s11
between "$("$PYTHON3" -c 'import json
w = json.load(open("s11"))["seconds"]["disk_write_bytes"]
print(max(w) / (sum(w) / len(w)))')" 3 100 'S11: peaks of writes are not smoothed'
free=$(of utilisation --write-behind --cache 32 venus venus.2)
limited=$(of utilisation --write-behind --cache 32 --limit 1024 venus venus.2)
between "$limited" 0 "$(echo "$free" | awk '{ print $1 + .01 }')" 'S12: a limit for each program does not help'
is "$(awk '{ print }' <<END | sort -rn | tr '\n' ' '
$(of idle --write-behind venus) 1
$(of idle --write-behind venus venus.2) 2
$(of idle --write-behind venus venus.2 venus.3) 3
END
)" '45.486 1 10.249 2 0.825 3 ' 'S13: idle falls to three copies'

# -- the model, on random traces and with all options
check '400 random traces: every figure is that of the model' "$PYTHON3" "$DSN_SRC/test/decode/cray_ymp.py" agree "$simulate" 1 400

# -- what must hold of any run
"$simulate" --machine cray-ymp-1992 --json --series --write-behind --cache 4 ccm venus >sums
is "$("$PYTHON3" -c 'import json
d = json.load(open("sums"))
s = d["seconds"]
print(abs(d["elapsed"] - d["idle"] - d["user"] - d["system"]) < .002, d["asked_bytes"][1] == d["disk_bytes"][1],
      [sum(s[k]) for k in s] == d["asked_bytes"] + d["disk_bytes"], max(d["finish"]) == d["elapsed"],
      d["hits"] + d["misses"] == 27783 + 22763, d["elapsed"] >= d["idle"])')" 'True True True True True True' 'time and bytes are conserved'
"$trace" gen --scale 40 venus >little
is "$(of idle --write-behind --cache 64 --warm little little)" 0.000 'all in the cache and nobody waits for writes: never idle'
is "$(for c in 4 8 16 32 64 96 128; do of disk_reads --no-read-ahead --cache $c venus; done | sort -rnc && echo falling)" falling \
    'without read-ahead more cache is never more reads'
printf '80 20 0 4000 0 1 1 1 0\n80 20 0 4000 0 1 1 1 186a0\n80 20 8000 4000 0 1 1 1 186a0\n' >plain
is "$(of idle --cache 1 --no-read-ahead plain)" 0.017 'a read of 16 KiB is 15.16 ms of the far disk, then 2 ms and .16 ms of the near one: once'
printf '80 20 0 4000 0 1 1 1 0\n80 20 4000 4000 0 1 1 1 0\n80 20 10000 4000 0 1 1 1 0\n' >places
is "$(of idle --cache 1 --no-read-ahead places)" 0.017 'far, next to it, near'

# -- ours: writes that are delayed
"$PYTHON3" -c '
for k in range(40):
    print("c0 20 0 10000 %x 1 1 1 %x" % ((1000,) * 2))' >again
is "$(of disk_writes --write-behind again) $(of disk_writes --delay 30 again) $(of disk_writes --delay 0.05 again)" '40 0 7' \
    'what is overwritten before its delay ends is written once, what is delayed beyond the end is not'
"$PYTHON3" -c '
for k in range(40):
    print("c0 20 %x 10000 %x 1 1 1 %x" % (k << 16, 1000, 1000))' >large
is "$(of disk_writes --delay 30 --cache 0.25 large)" 36 'delayed writes make room for others'

# -- how it is called
check 'help' status 0 "$simulate" --help
check 'its former name' sh -c '"$0" --seed --json venus >old && "$0" --machine cray-ymp-1992 --json venus >new && cmp old new' "$simulate"
check 'no trace' status 2 "$simulate" --machine cray-ymp-1992
check 'no valid size' status 2 "$simulate" --machine cray-ymp-1992 --cache much venus
check 'no number' status 2 "$simulate" --machine cray-ymp-1992 --cache nan venus
check 'blocks that are too small' status 2 "$simulate" --machine cray-ymp-1992 --block 1 venus
check 'an option of the study without its machine' status 2 "$simulate" --cache 32 venus
check 'a trace that is not there' status 1 "$simulate" --machine cray-ymp-1992 nowhere
is "$(wc -l <err)" 1 'in one line'
: >empty
check 'an empty trace' status 1 "$simulate" --machine cray-ymp-1992 empty
printf '80 20 0 10000000 0 1 1 1 1\n' >huge
check 'a request that is larger than the cache' status 1 "$simulate" --machine cray-ymp-1992 huge
check 'it says so' grep -q 'huge: has a request that is larger than the cache' err
check 'a name that no trace has' status 1 "$simulate" --machine cray-ymp-1992 --warm mars venus
check 'a warm trace' status 0 "$simulate" --machine cray-ymp-1992 --warm venus venus
check 'text' grep -q '^The processor is idle for ' out
check 'output that cannot be written is told' status 1 sh -c '"$0" --machine cray-ymp-1992 venus >/dev/full' "$simulate"
finish
