# t7850-studies.sh - figures of doc/studies.md that no other test has: those of 1992 and 1994 over time, and averages over 16 disks
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
simulate=$DSN_PREFIX/bin/darshan-simulate
page=$DSN_SRC/doc/studies.md

# says TEXT...: the page has them
says() {
    for text; do
        grep -qF -- "$text" "$page" || { not_ok "the page says: $text"; return; }
    done
    ok "the page says: $*"
}

# -- 1992
for app in venus les; do
    "$trace" gen $app >$app
    "$trace" stat --json $app >$app.json
done
cp venus v2
of() {
    "$PYTHON3" -c "import json, sys; d = json.load(open(sys.argv[1]))
print($2)" "$1"
}
rates='"mean %.1f, peak %.1f MiB/s" % (d["series"]["mean_mib_per_second"], d["series"]["peak_mib_per_second"])'
says "$(of venus.json "$rates"), nothing in $(of venus.json 'd["series"]["silent_bins"]') of 379 s" "$(of les.json "$rates")"
is "$(of les.json 'd["series"]["peak_mib_per_second"] > 200')" True 'peaks of les are above 200 MB/s'
traffic() {
    "$simulate" --machine cray-ymp-1992 --write-behind --cache "$1" --json --series venus v2 >traffic.json
    of traffic.json '"in %d of 200 s; %s in all" % (sum(x > 0 for x in d["seconds"]["disk_read_bytes"][:200]), format(d["disk_reads"], ","))'
}
says "$(traffic 32)" "$(traffic 128)"
says "$("$simulate" --machine cray-ymp-1992 --write-behind --cache 4,8,16,32,64,96,112,128 venus v2 |
    awk 'NR > 1 && NF == 8 { t = sprintf("%.1f", $2); sub("^0[.]", ".", t); all = all (NR > 2 ? ", " : "") t } END { print all " s at 4, 8, 16, 32, 64, 96, 112, 128 MiB" }')"

# -- 1994: seconds of CPU time, as [reads, writes, MB read, MB written]
seconds() {
    "$PYTHON3" "$DSN_SRC/test/decode/rhythms.py" "$1" >"$1"
    "$DSN_PREFIX/bin/darshan-cycles" --series "$1" | awk -F, '$1 == "cpu" && $4 + $5 > 0 { printf "%d %d %d %.2f %.2f\n", $2, $4, $5, $6 / 1e6, $7 / 1e6 }' >"$1.seconds"
}
seconds radar
seconds ocean
is "$(grep -c ' 55 0 10.81 0.00$' radar.seconds | awk '{ print ($1 > 10) }'), $(grep -c ' 8 3 1.57 0.59$' radar.seconds | awk '{ print ($1 > 10) }')" '1, 1' \
    'radar: 55 reads of 10.81 MB, 8 of 1.57 MB with 3 writes of 0.59 MB'
is "$(awk '$2 == 8 && $3 == 3 { at = $1 } at && $2 == 55 { print $1 - at; at = 0 }' radar.seconds | sort | uniq -c | sort -rn | awk 'NR == 1 { print ($2 >= 5 && $2 <= 6) }')" 1 \
    'of which the first come 5 s after the others, by whole seconds'
is "$(awk '$2 == 1 && $3 == 240 { print $5 }' ocean.seconds)" "$(awk 'BEGIN { printf "%.2f", 240 * 196608 / 1e6 }')" \
    'ocean: 240 writes of a cycle are in one second, 47.19 MB, where the study has 168 and 73'
rate=$("$trace" stat --json radar | "$PYTHON3" -c 'import json, sys; t = json.load(sys.stdin)["total"]; print("%.3f" % (t["bytes"] / 1e6 / t["cpu_seconds"]))')
says "| radar, MB a second of CPU time | 0.9 | $rate |"

# -- the table of 1996: averages over 16 disks
"$PYTHON3" - <<'PY'
for name, n, reads, rate in ("ppm", 358, 4, 1.4), ("nbody", 638, 13, 1.0):
    for disk in range(16):
        with open("%s.%d" % (name, disk), "w") as out:
            for i in range(n):
                what = "R" if (i + 1) * reads // 100 > i * reads // 100 else "W"
                for j, action in enumerate("DC"):
                    out.write("  8,0    0 %8d %12.9f   77  %s   %s %d + 2 [x]\n" % (2 * i + j, i / rate + j * 1e-4, action, what, 8 * i))
PY
for row in 'ppm 255.714 358.0;_1.40;_4/96_%' 'nbody 638 638.0;_1.00;_13/87_%'; do
    # shellcheck disable=SC2086 # three words
    set -- $row
    "$DSN_PREFIX/bin/darshan-block" report --duration "$2" "$1".? "$1".1? >"$1.out"
    is "$(awk '$1 == "average" { printf "%.1f; %s; ", $2 + $3, $6 }' "$1.out")$(sed -n '1s!.* \([0-9]*/[0-9]*\) % reads and writes.*!\1 %!p' "$1.out")" "$(echo "$3" | tr _ ' ')" \
        "$1: an average of 16 disks"
    says "$(echo "$3" | tr _ ' ')"
done
finish
