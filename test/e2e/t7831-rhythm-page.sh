# t7831-rhythm-page.sh - doc/rhythm.md: every command works as described
# SPDX-License-Identifier: BSD-3-Clause
# alone: steps of its program take a tenth of a second of run time, of which other tests take a share
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'

# The page's commands as they stand, but for where Darshan is installed.
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$DSN_SRC/doc/rhythm.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >commands
is "$(grep -c '^darshan-cycles' commands) $(grep -c '^DARSHAN_LOGFILE=' commands)" '7 2' 'the page has commands'
sh -e commands >said 2>err
is "$?" 0 'all of them run, one after the other'
is "$(cat err)" '' 'without a message'
# In CPU time: in run time, which is the default on a busy machine, pauses and bursts vary more.
"$DSN_PREFIX/bin/darshan-cycles" --clock cpu --json job.darshan >cpu.json
"$PYTHON3" - <<'END' >found 2>&1
import json
d = json.load(open("cpu.json"))
c = d["job"]["cycles"][0]
made = c["made_of"][0]
print(d["verdict"], d["job"]["alike"], c["repeats"], c["bursts"], c["bytes_written"] // c["repeats"], [(k["count"], k["size"], k["file"].rsplit("/", 1)[1]) for k in made["kinds"]])
print(0.02 <= c["mean"] < 1, 0.02 <= made["pause"] < 1, made["takes"] > 0) # of half a second of run time a part is CPU time
print(sum(1 for _ in open("bursts.csv")) - 1 == len(json.load(open("rhythm.json"))["job"]["bursts"]))
END
is "$(cat found)" "exact names 10 1 16777216 [(16, 1048576, 'checkpoint-#.dat')]
True True True
True" 'ten checkpoints of 16 writes of 1 MiB, and all bursts as CSV'
check 'as the page says' grep -q '^The I/O recurs every .* of CPU time (+- .* %), 10 times from .* s, each time 16 MiB written\.$' said
is "$(grep -c '^The I/O recurs every ' said)" 4 'once for each time that it was asked for'
is "$(awk -F, '$1 == "wall" { w += $7 } END { print w }' series.csv)" 167772160 'of all the bytes'
check 'the page has it, too' grep -q '"says":"The I/O recurs every' report.html
# words that the page quotes are those of the command
for word in Source Clock Bursts Largest 'In cycles' 'Cycle 1' 'Next burst' Spectrum; do
    grep -q "^$word" said && grep -q "^$word" "$DSN_SRC/doc/rhythm.md" || not_ok "$word stands in the page and in the output"
done
finish
