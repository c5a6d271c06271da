# t7205-extension.sh - the section behind the last region: what is left of it in a log that is cut off, or made unrecognizable
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

bin=$DSN_PREFIX/bin
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'printf %3000000s x >a.dat; for n in 1 2 3; do head -c 10 a.dat; done >/dev/null
    /bin/echo b >b.dat' private-word
log=$(latest_log)
check 'a program that starts others' test "$(count_logs)" = 1

# -- made unrecognizable: ranks are still processes, and no name of the command lines is left --

key() {
    "$bin/darshan-job-summary" --json "$1" 2>/dev/null | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["job"]["ranks"], d["job"]["ranks_are_processes"], sorted(f["id"] for f in d["findings"]))'
}
is "$(key "$log" | cut -d' ' -f1,2)" '5 True' 'its ranks are processes'
"$bin/darshan-convert" --obfuscate --key 9 "$log" hidden.darshan >said 2>&1
is "$? $(cat said)" '0 ' '--obfuscate knows all parts'
is "$(key hidden.darshan)" "$(key "$log")" 'they are still'
processes() { python3 "$DSN_SRC/test/decode/processes.py" "$1"; }
processes "$log" >before
processes hidden.darshan >after
is "$(wc -l <before) $(grep -c private-word before) $(wc -l <after) $(grep -cE 'private-word|head|echo' after)" '5 1 5 0' \
    'command lines are hidden'
is "$(cut -f 1-6 after)" "$(cut -f 1-6 before)" 'the rest of the lines stays'
is "$(cut -f 7 after | grep -cE '^[0-9]+$')" 5 'what replaces them are hashes'
id=$("$bin/darshan-parser" "$log" | awk -F'\t' '!/^#/ && /a\.dat/ { print $3; exit }')
"$bin/darshan-convert" --file "$id" "$log" one.darshan >said 2>&1
is "$? $(cat said) $(key one.darshan | cut -d' ' -f2)" '0  True' '--file keeps what ranks are'

# -- printed as text: that there is none is only said where there is none --

"$bin/darshan-parser" --extra "$log" >printed
is "$(grep -c 'RANK_BYTES_READ' printed) $(grep -c '^# this log has none' printed)" '5 0' 'a row for each rank'
"$bin/darshan-parser" --extra "$DSN_SRC/test/golden/ior-HDF5.darshan" >printed
is "$(grep -c 'RANK_BYTES_READ' printed) $(grep -c '^# this log has none' printed)" '0 1' "another implementation's log has none"

# -- cut off: said, as it is of every region --

end=$(python3 - "$log" <<'END'
import struct, sys
b = open(sys.argv[1], 'rb').read()
print(struct.unpack('<Q', b[-40:-32])[0]) # where the directory is: behind all parts
END
)
size=$(wc -c <"$log")
wrong= tried=0
for at in $((size - 1)) $((size - 39)) $((size - 40)) $((size - 41)) $end $((end - 1)) $((end - 100)); do
    head -c $at "$log" >cut.darshan
    for command in parser job-summary; do
        "$bin/darshan-$command" cut.darshan >out 2>err
        [ "$? $(grep -c 'damaged extension section (cut off)' err) $(wc -l <err)" = '1 1 1' ] && [ -s out ] ||
            wrong="$wrong $command:$at"
        tried=$((tried + 1))
    done
done
is "$tried$wrong" 14 'a log whose section is cut off: exit status 1, and one line that says it'
for command in parser job-summary; do
    "$bin/darshan-$command" "$log" >out 2>err
    is "$? $(cat err)" '0 ' "darshan-$command: the whole log"
done

# A copy that another tool has made ends with the last region: nothing is missing of that.
python3 - "$log" <<'END'
import struct, sys
b = open(sys.argv[1], 'rb').read()
at, n = struct.unpack('<QQ', b[-40:-24])
first = min(struct.unpack('<Q', b[at + 56 * i + 24:at + 56 * i + 32])[0] for i in range(n))
open('without.darshan', 'wb').write(b[:first])
END
"$bin/darshan-parser" without.darshan >out 2>err
is "$? $(cat err)" '0 ' 'a log without the section'
finish
