# t7500-parser-options.sh - several logs in one run, JSON, CSV, MiB/s/CN, unusual names
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

parser=$DSN_PREFIX/bin/darshan-parser
golden=$DSN_SRC/test/golden
export TZ=UTC
one=$golden/mpi-io-test-x86_64-3.5.0.darshan two=$golden/mpi-io-test-x86_64-3.4.7.darshan

# several logs: each as it is alone, behind a line that names it
{ echo "# log: $one"; "$parser" --all "$one"; echo "# log: $two"; "$parser" --all "$two"; } >want
"$parser" --all "$one" "$two" >got 2>said
is "$?,$(wc -l <said | tr -d ' ')" 0,0 'two logs are read without complaint'
check 'their output follows one the other' alike want got
{ echo "# log: no-such-log"; echo "# log: $two"; "$parser" --perf "$two"; } >want
"$parser" --perf no-such-log "$two" >got 2>said
is "$?,$(wc -l <said | tr -d ' ')" 1,1 'a log that is not there makes the exit status 1, with one line'
check 'the one behind it is printed' alike want got
is "$("$parser" "$one" | grep -c '^# log: ')" 0 'a single log has no line in front'

# figures of a compute node
"$parser" --cn "$one" >out
is "$(sed -n 's/^# compute_nodes: //p; s/^# MiB.s.CN: //p' out | tr '\n' ' ')" 'unknown # give --nodes unknown ' \
    'a log that does not tell its nodes'
"$parser" --nodes 4 "$one" >out
is "$(awk '$2 == "MiB/s:" { rate = $3 } $2 == "MiB/s/CN:" { d = $3 * 4 - rate; print (rate > 0 && d * d < 1e-8) }' out)" 1 \
    'MiB/s/CN is a share of MiB/s'
is "$(grep -c '^POSIX' out)" 0 'records are printed if asked for only'
for bad in 0 -1 x '' 1x 99999999999999999999; do
    "$parser" --nodes "$bad" "$one" >out 2>said
    is "$?,$(wc -c <out | tr -d ' ')" 2,0 "--nodes '$bad' is refused"
done

# JSON and CSV say what the text says, for every golden log
if [ -n "$PYTHON3" ]; then
    for log in "$golden"/*.darshan; do
        check "${log##*/}: text, JSON and CSV agree" "$PYTHON3" "$DSN_SRC/test/decode/forms.py" "$parser" "$log"
    done
    check 'a list of logs' "$PYTHON3" "$DSN_SRC/test/decode/forms.py" "$parser" "$one" no-such-log "$two"

    # and so with traces: the two of these have some, the sample logs more
    dxt=$DSN_PREFIX/bin/darshan-dxt-parser
    traced1=$golden/mpi-io-test-ppc64-3.1.4.darshan traced2=$golden/mpi-io-test-x86_64-3.1.3.darshan
    real_logs 'traces of real logs' && set -- "$real"/*dxt*.darshan
    for log in "$golden"/*.darshan "$@"; do
        check "${log##*/}: traces as text, JSON and CSV agree" "$PYTHON3" "$DSN_SRC/test/decode/traces.py" "$dxt" "$log"
    done
    is "$("$PYTHON3" "$DSN_SRC/test/decode/traces.py" "$dxt" "$traced1" "$one" no-such-log "$traced2" | tail -n 1)" \
        '32 segments' 'a list of logs with traces'
else
    skip 'JSON and CSV' 'package python3'
fi

# what is summed up on the way and what is read again for it come to the same
for log in "$golden"/*.darshan; do
    "$parser" --show-incomplete --cn "$log" | sed -n '/^# performance of a compute/,$p' >want
    "$parser" --show-incomplete --all --cn "$log" | sed -n '/^# performance of a compute/,$p' >got
    check "${log##*/}: --all --cn" alike want got
done
check 'what goes over modules says so' sh -c '"$0" --show-incomplete "$1" | grep -q "module data"' "$parser" "$one"
"$parser" --cn --show-incomplete "$one" >out
is "$(grep -c 'module data' out)" 0 '--cn goes over no modules, also with --show-incomplete'

# names that are no plain text
if [ -n "$PYTHON3" ]; then
    "$PYTHON3" - "$DSN_SRC/test/decode" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import forge
d = forge.Draft()
for line in ("job nprocs=2", "exe ./a \x1b[31m\u202e", "mount ext4 /", "record POSIX 0 /name POSIX_RENAMED_FROM=-1",
             "record POSIX 1 /\u00e9t\u00e9 POSIX_OPENS=1", "record POSIX 2 /bytes POSIX_OPENS=1"):
    d.line(line)
odd = {"/name": '/a"\n\\\t,\x1b]0;x\x07\x7f\u202e\u200b\u0085\U0001f600', "/bytes": "/NO-TEXT"}
d.names = {n: odd.get(t, t) for n, t in d.names.items()}
d.write("names")
END
    chmod u+w names
    "$PYTHON3" - <<'END'
import zlib, struct
log = bytearray(open("names", "rb").read())  # a name that is no UTF-8: of the same length as before
off, n = struct.unpack_from("<QQ", log, 32)
raw = zlib.decompress(log[off:off + n]).replace(b"NO-TEXT", b"\xff\xc3\x28\xed\xa0\x80\xc0")
open("names", "wb").write(log[:32] + struct.pack("<QQ", len(log), len(zlib.compress(raw))) + log[48:] + zlib.compress(raw))
END
    "$parser" --json names >json
    "$parser" --csv names >csv
    check 'names in JSON and CSV' "$PYTHON3" -c '
import csv, json
odd = "/a\"\n\\\t,\x1b]0;x\x07\x7f\u202e\u200b\u0085\U0001f600"
records = json.load(open("json", encoding="utf-8"))["records"]
assert records[0]["name"] == odd and records[1]["name"] == "/\u00e9t\u00e9", ascii(records[0]["name"])
assert records[2]["name"] == "/\ufffd\ufffd(\ufffd\ufffd\ufffd\ufffd", ascii(records[2]["name"])
assert records[0]["counters"]["POSIX_RENAMED_FROM"] == "18446744073709551615"
rows = list(csv.reader(open("csv", newline="", encoding="utf-8", errors="surrogateescape"), strict=True))
assert rows[1][6] == odd
assert rows[-1][6].encode("utf-8", "surrogateescape") == b"/\xff\xc3\x28\xed\xa0\x80\xc0", ascii(rows[-1][6])'
    # on a terminal no control character of the log comes through
    on_terminal() {
        "$PYTHON3" -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" </dev/null | tr -d '\r' |
            LC_ALL=C grep -c "$(printf '[\001-\010\013-\037\177]')"
    }
    for options in --base --csv --json '--all --cn' '--perf --csv'; do
        is "$(on_terminal "$parser" $options names)" 0 "on a terminal: $options"
    done
    is "$(on_terminal "$DSN_PREFIX/bin/darshan-diff" names "$one")" 0 'on a terminal: darshan-diff'
    is "$(on_terminal env NO_COLOR=1 "$DSN_PREFIX/bin/darshan-job-summary" names)" 0 'on a terminal: darshan-job-summary'
    for options in --verbose --json '--compare names' '--json names'; do
        is "$(on_terminal env NO_COLOR=1 "$DSN_PREFIX/bin/darshan-job-summary" $options names)" 0 \
            "on a terminal: darshan-job-summary $options"
    done
    [ "$(on_terminal "$parser" --raw names)" -gt 50 ] && ok 'on a terminal: --raw' || not_ok 'on a terminal: --raw'
else
    skip 'names that are no plain text' 'package python3'
fi
if real_logs 'counters that an old log does not have'; then
    old=$real/mpi-io-test-x86_64-3.1.0.darshan
    check 'counters that an old log does not have are null in JSON, and empty in CSV' "$PYTHON3" -c '
import csv, io, json, subprocess, sys
told = {form: subprocess.run([sys.argv[1], form, "--total", "--base", sys.argv[2]], stdout=subprocess.PIPE, check=True).stdout.decode()
        for form in ("--json", "--csv")}
records = json.loads(told["--json"])["records"]
for name, want in (("POSIX_FILENOS", None), ("STDIO_FDOPENS", None), ("POSIX_BYTES_WRITTEN", 67108864)):
    got = [r["counters"][name] for r in records if name in r["counters"]]
    assert got and (want in got if want else set(got) == {None}), (name, got)
values = {row[4]: row[5] for row in csv.reader(io.StringIO(told["--csv"]))}
assert values["POSIX_FILENOS"] == "" and values["total_POSIX_FILENOS"] == "" and values["POSIX_BYTES_WRITTEN"] != "", values' "$parser" "$old"
fi
is "$("$parser" --raw "$one" | cksum)" "$("$parser" "$one" | cksum)" '--raw changes nothing in a pipe'
finish
