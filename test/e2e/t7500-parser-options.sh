# t7500-parser-options.sh - several logs in one run, JSON, CSV, MiB/s/CN, names as they are
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
check 'their output follows one the other' cmp want got
{ echo "# log: no-such-log"; echo "# log: $two"; "$parser" --perf "$two"; } >want
"$parser" --perf no-such-log "$two" >got 2>said
is "$?,$(wc -l <said | tr -d ' ')" 1,1 'a log that is not there makes the exit status 1, with one line'
check 'the one behind it is printed' cmp want got
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
    is "$?,$(wc -c <out | tr -d ' ')" 1,0 "--nodes '$bad' is refused"
done

# JSON and CSV say what the text says, for every golden log
if [ -n "$(command -v python3)" ]; then
    for log in "$golden"/*.darshan; do
        check "${log##*/}: text, JSON and CSV agree" python3 "$DSN_SRC/test/decode/forms.py" "$parser" "$log"
    done
    check 'a list of logs' python3 "$DSN_SRC/test/decode/forms.py" "$parser" "$one" no-such-log "$two"
else
    skip 'JSON and CSV' 'no python3'
fi

# what is summed up on the way and what is read again for it come to the same
for log in "$golden"/*.darshan; do
    "$parser" --show-incomplete --cn "$log" | sed -n '/^# performance of a compute/,$p' >want
    "$parser" --show-incomplete --all --cn "$log" | sed -n '/^# performance of a compute/,$p' >got
    [ -s want ] && check "${log##*/}: --all --cn" cmp want got
done
"$parser" --cn --show-incomplete "$one" >out
is "$(grep -c 'module data' out)" 0 '--cn goes over no modules, also with --show-incomplete'

is "$("$parser" --raw "$one" | cksum)" "$("$parser" "$one" | cksum)" '--raw changes nothing in a pipe'
finish
