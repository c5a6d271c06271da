# t7831-rhythm-page.sh - doc/rhythm.md: every command works as described
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'

# The page's commands as they stand, but for where Darshan is installed.
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$DSN_SRC/doc/rhythm.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >commands
is "$(grep -c '^darshan-cycles' commands) $(grep -c '^DARSHAN_LOGFILE=' commands)" '6 2' 'the page has commands'
sh -e commands >said 2>err
is "$?" 0 'all of them run, one after the other'
is "$(cat err)" '' 'without a message'
"$PYTHON3" - <<'END' >found 2>&1
import json
d = json.load(open("rhythm.json"))
c = d["job"]["cycles"][0]
made = c["made_of"][0]
print(d["verdict"], d["job"]["alike"], c["repeats"], c["bursts"], c["bytes_written"] // c["repeats"], [(k["count"], k["size"], k["file"].rsplit("/", 1)[1]) for k in made["kinds"]])
# on a machine that has more to do CPU time may be less than three quarters of the run time: then that is the clock
print(0.35 <= c["mean"] < 8, 0.3 <= made["pause"] < 8, made["takes"] > 0)
END
is "$(cat found)" "exact names 10 1 16777216 [(16, 1048576, 'checkpoint-#.dat')]
True True True" 'ten checkpoints, half a second apart, of 16 writes of 1 MiB'
is "$(grep -c '^The I/O recurs every .* 10 times .* each time 16 MiB written\.$' said) $(grep -c '^The I/O recurs every .* of run time .* 10 times ' said | sed 's/2/1/') $(grep -c '^The I/O recurs every .* 5 times ' said)" '2 1 1' 'as the page says'
is "$(sed 1d bursts.csv | wc -l) $(awk -F, 'NR > 1 { n += $5; w += $7 } END { print n, w }' series.csv | cut -d' ' -f2)" \
    "10 $(awk -F, 'NR > 1 { w += $7 } END { print w }' series.csv)" 'bursts and series as CSV'
is "$(awk -F, '$1 == "wall" { w += $7 } END { print w }' series.csv)" 167772160 'of all the bytes'
check 'the page has it, too' grep -q '"says":"The I/O recurs every' report.html
# words that the page quotes are those of the command
for word in Source Clock Bursts Largest 'In cycles' 'Cycle 1' 'Next burst' Spectrum; do
    grep -q "^$word" said && grep -q "^$word" "$DSN_SRC/doc/rhythm.md" || not_ok "$word stands in the page and in the output"
done
finish
