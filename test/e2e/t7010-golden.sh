# t7010-golden.sh - real logs of many releases, which cover all modules: the commands' output is as stored
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

golden=$DSN_SRC/test/golden
export TZ=UTC

# Lines that carry data or structure; the wording of all other comments is our own.
facts() {
    grep -aE '^[^#]|^# (darshan log version|compression method|exe|uid|jobid|start_time|end_time|nprocs|run time|metadata|job data|record table|mount entry|[A-Z0-9_/-]+ module( data|:)|description of|DXT,|Module  )|^#	|^#<module>|^# \*+$'
}

# same REFERENCE COMMAND...
same() {
    want=$1
    shift
    "$@" >out 2>said || { cat said; return 1; }
    facts <out >ours
    xz -dc "$want" | facts >theirs
    alike theirs ours
}

# has_traces LOG: are there traces in it? The reference and the tests' own decoder are asked, not the command.
has_traces() {
    [ -e "${1%.darshan}.dxt.xz" ] || decode "$1" --traces | grep -q '^ X_'
}

for log in "$golden"/*.darshan; do
    name=${log##*/}
    check "$name" same "${log%.darshan}.base.xz" "$DSN_PREFIX/bin/darshan-parser" --base "$log"
    has_traces "$log" &&
        check "$name, traces" same "${log%.darshan}.dxt.xz" "$DSN_PREFIX/bin/darshan-dxt-parser" "$log"
done

# options and operands
dxt=$DSN_PREFIX/bin/darshan-dxt-parser
log=$golden/mpi-io-test-x86_64-3.5.0.darshan
"$dxt" --help >out 2>said
is "$?,$(wc -c <said | tr -d ' ')" 0,0 'help goes to standard output'
"$dxt" >out 2>said
is $? 2 'no log given'
"$dxt" --nonsense "$log" >out 2>said
is $? 2 'an option that there is not'
is "$("$dxt" --version | cut -d' ' -f2-)" "$("$DSN_PREFIX/bin/darshan-parser" --version | cut -d' ' -f2-)" 'both commands have one version'
"$dxt" no-such-log >out 2>said
is "$?,$(wc -l <said | tr -d ' ')" 1,1 'a log that is not there'
"$dxt" "$log" >out 2>said
is "$?,$(tail -n 1 out)" '0,# no DXT module data available for this Darshan log.' 'a log without traces'
# several logs: each as it is alone, behind a line that names it
two=$golden/mpi-io-test-ppc64-3.1.4.darshan
{ echo "# log: $log"; "$dxt" "$log"; echo "# log: no-such-log"; echo "# log: $two"; "$dxt" "$two"; } >want
"$dxt" "$log" no-such-log "$two" >out 2>said
is "$?,$(wc -l <said | tr -d ' ')" 1,1 'two logs and one that is not there'
check 'their output follows one the other' cmp want out
is "$("$dxt" "$two" | grep -c '^# log: ')" 0 'a single log has no line in front'
head -c 1400 "$golden/mpi-io-test-ppc64-3.1.4.darshan" >cut
"$dxt" cut >out 2>said
is "$?,$(wc -l <said | tr -d ' ')" 1,1 'a log that was cut off'
finish
