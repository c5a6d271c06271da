# t8210-sweep.sh - darshan-sweep: its measurements, output and leftovers, on simulated machines and in a directory
# SPDX-License-Identifier: BSD-3-Clause
#
# No check is of a speed: they are of known answers, of structure, and of what holds by force.
. "$DSN_SRC/test/lib/lib.sh"
sweep=$DSN_PREFIX/bin/darshan-sweep
mkdir d

# says FILE EXPRESSION: of the JSON document d
says() {
    "$PYTHON3" -c "import json, sys; d = json.load(open(sys.argv[1])); s = {x['name']: x for x in d['sweeps']}; f = d['found']
print($2)" "$1"
}

# -- known answers: machines of darshan-simulate, whose caches are partitions of 4 MiB for reads and 3 MiB for writes
"$sweep" --json --machine 'cache=4MiB; fs=100MB/s; fs-latency=1ms' --sweeps request,file-read,file-cold --limit 32MiB >read.json
is "$(says read.json "(f['read_cache']['bytes'], f['read_cache']['less_than_bytes'])")" '(4194304, 8388608)' \
    'a read cache of 4 MiB is found'
is "$(says read.json "(round(1e6 * d['read']['latency_seconds']), round(d['read']['bytes_per_second'] / 1e6))")" '(1000, 100)' \
    'so are the latency and the rate of the machine'
is "$(says read.json "(f['keeps_what_was_read'], f['only_whole_files'])")" '(True, True)' 'only whole files are kept by LRU'
is "$(says read.json "(d['read']['best_request_bytes'], d['read']['peak_request_bytes'])")" '(2097152, 8388608)' \
    'the best request: 2 MiB take 1 ms + 20.97 ms, 95 % of the rate of 8 MiB'
"$sweep" --json --machine 'cache=3MiB; dirty=95%,100%; fs=100MB/s; fs-latency=1ms' --sweeps file-write,file-sync --fine 4 \
    --limit 32MiB >write.json
is "$(says write.json "f['write_cache']['bytes'] <= 3 << 20 < f['write_cache']['less_than_bytes'] * 2 ** .25")" True \
    'a write cache of 3 MiB is found within one step'
is "$(says write.json "(f['write_behind'], f['read_cache']['bytes'])")" '(True, None)' 'and that writes are behind'
"$sweep" --json --machine 'fs=100MB/s,300MB/s' --sweeps writers-one --writers 8 --limit 64MiB --request 1MiB >many.json
is "$(says many.json "(f['workers']['read']['one_file']['best'], round(f['workers']['read']['one_file']['efficiency'], 2))")" \
    '(8, 0.3)' 'a machine that three requests fill is best with 8 workers, of which each has 0.3 of its rate'
# c = 1/3: with k in service each takes 1 + (k - 1) / 3 times as long: 100, 150, 200, 240 MB/s
is "$(says many.json "[round(p['bytes_per_second'] / 1e6) for p in s['writers-one-read']['points']]")" '[100, 150, 200, 240]' \
    'with 1, 2, 4 and 8 workers it gives what the model says'

# -- a directory with others' files: every sweep, and nothing is left or touched
echo theirs >d/.darshan-sweep.1.0
echo theirs >d/data
chmod 400 d/data
touch -d '2001-02-03 04:05:06' d/data d/.darshan-sweep.1.0
stat -c '%n %s %X %Y %i %a' d/data d/.darshan-sweep.1.0 >before
small='--limit 4MiB --samples 2 --seconds 0.01 --writers 3'
check 'a sweep of a directory' status 0 "$sweep" $small --json --output page.html --record rec d
mv out real.json
stat -c '%n %s %X %Y %i %a' d/data d/.darshan-sweep.1.0 >after
check "others' files are what they were" alike before after
is "$(ls -A d | tr '\n' ' ')" '.darshan-sweep.1.0 data ' 'and no file is left'
is "$(says real.json "len(d['sweeps'])")" 19 'it made all sweeps, but for the planes, which take long'
is "$(says real.json "(d['format'], d['version'], d['partial'])")" "('darshan-storage-profile', 1, False)" 'it is a storage profile'
is "$(says real.json "all(p['samples'] == 2 and p['low'] <= p['bytes_per_second'] <= p['high'] for x in d['sweeps'] for p in x['points'])")" \
    True 'each point has its samples, and a median between the ends of its interval'
is "$(says real.json "[p['x'] for p in s['writers-each-write']['points']]")" '[1, 2, 3]' 'workers go up to --writers'
is "$(says real.json "(s['request-read']['points'][0]['x'], s['request-read']['points'][-1]['x'])")" '(4096, 1048576)' \
    'requests go up to the file'
is "$(says real.json "[p['x'] for p in s['mode-write']['points']]")" "['posix', 'posix-direct', 'posix-dsync', 'posix-mmap']" \
    'access modes are those of POSIX'
case $(stat -f -c %T d) in
tmpfs)
    is "$(says real.json "f['caches_bypassed']")" False 'in memory there is nothing to bypass, which it says'
    is "$(says real.json "(sorted(set(f['withheld'].values())), d['read']['best_request_bytes'], f['reads_ahead'])")" "(['memory'], None, None)" \
        'and nothing is told of a device'
    skip 'the cache is empty before reads, full before warm ones' 'a file system that is not tmpfs' ;;
*)
    is "$(says real.json "(f['caches_bypassed'], f['largest_share_in_cache'])")" '(True, 0.0)' 'mincore finds nothing in the cache'
    is "$(says real.json "[p['resident'] for p in s['file-read']['points']]")" '[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]' \
        'and all of what was read just before' ;;
esac
is "$(grep -c '"sweep"' rec)" "$(says real.json "sum(2 * len(x['points']) for x in d['sweeps'])")" 'the record has every sample'
"$sweep" --json --from rec >again.json
check 'a record says the same again' alike real.json again.json
check 'as text, too' status 0 "$sweep" --from rec
is "$(grep -c '^Best request' out)" 2 'with its findings'
check 'the page is one of less than 2 MB' test "$(wc -c <page.html)" -lt 2000000
grep -q '"format":"darshan-storage-profile"' page.html
is $? 0 'with the document in it'

# -- in memory there is no device, and no request size is the best of one
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && ln -sfn "$(mktemp -d /dev/shm/darshan-sweep.XXXXXX)" memory; then
    "$sweep" $small --json memory/ >memory.json
    rmdir "$(readlink memory)"
    is "$(says memory.json "(len(f['withheld']), set(f['withheld'].values()), d['read'].get('bytes_per_second'), f['read_ahead_bytes'], f['best_access_mode'])")" \
        "(9, {'memory'}, None, None, {'read': None, 'write': None})" 'of a file system in memory nothing is told that a device would have'
    is "$(says memory.json "f['workers']['read']['one_file_cached']['best'] in (1, 2, 3)")" True 'but how many workers it serves'
else
    skip 'a file system in memory' 'a tmpfs at /dev/shm'
fi

# -- a plane: a machine with a cache of 4 MiB gives its rate whatever is asked for beyond it, and the latency of 1 ms is in each request
"$sweep" --json --machine 'cache=4MiB; fs=100MB/s; fs-latency=1ms' --sweeps plane-read --limit 16MiB >plane.json
# beyond the cache 64 KiB take 1 ms + 0.65536 ms: 39.6 MB/s; 4 MiB take 1 + 41.9 ms: 97.7; within, every rate is of memory
is "$(says plane.json "[[(p['x'] >> 20, round(p['bytes_per_second'] / 1e6, 1)) for p in s['plane-read']['points'] if p['request'] == r and p['x'] > 4 << 20] \
    for r in (65536, 4 << 20)]" )" '[[(16, 39.6)], [(16, 97.7)]]' 'a plane has the rate of each size of requests in files of each size'
is "$(says plane.json "min(p['bytes_per_second'] for p in s['plane-read']['points'] if p['x'] < 4 << 20) > 1e9")" True 'and that of the cache within it'
"$sweep" --machine 'cache=4MiB; fs=100MB/s; fs-latency=1ms' --sweeps plane-read --limit 16MiB >plane.out
is "$(awk '/^  file / { print NF } /^  1 MiB / { print $NF, NF } /^  16 MiB/ { print NF }' plane.out | tr '\n' ' ')" '13 - 8 8 ' \
    'as text: a line for each file, a column for each request'

# -- the simulator reads it
"$DSN_PREFIX/bin/darshan-trace" gen venus --size 0.01 >trace 2>/dev/null || "$DSN_PREFIX/bin/darshan-trace" gen venus >trace
"$DSN_PREFIX/bin/darshan-simulate" trace --profile real.json --what-if 'bb=1GiB,1GB/s' --json >simulated 2>err
is "$(grep -c will_seconds simulated)" 1 'darshan-simulate takes it as --profile'

# -- and so does the job report, which else assumes a rate, and says whose it is
cat >profile.json <<'JSON'
{"format": "darshan-storage-profile", "version": 1, "read": {"latency_seconds": 0, "bytes_per_second": 1048576},
 "write": {"latency_seconds": 1, "bytes_per_second": 1048576, "total_bytes_per_second": 2097152}}
JSON
DARSHAN_ENABLE_NONMPI=1 run preload 0 dd if=/dev/zero of=small bs=10 count=3000 2>/dev/null
log=$(latest_log)
basis() {
    "$DSN_PREFIX/bin/darshan-job-summary" --json "$@" "$log" | grep -o '"[^"]* for reads, [^"]*MiB/s for writes' | sort -u
}
is "$(basis)" '"an assumed 200 MiB/s for reads, an assumed 200 MiB/s for writes' 'a report without a profile assumes a rate'
# a request of 1 MiB takes 1 s and 1 s more
is "$(basis --profile profile.json)" \
    "\"the storage profile's 1.00 MiB/s for reads, the storage profile's 0.50 MiB/s for writes" 'one with a profile goes by that'
is "$(DARSHAN_STORAGE_PROFILE=profile.json basis)" "$(basis --profile profile.json)" "so does one at a site that has a profile"
mkdir -p report
check 'a page, too' env DARSHAN_STORAGE_PROFILE=profile.json "$DSN_PREFIX/bin/darshan-job-summary" -o report "$log"
check 'it is in the page' grep -rq "the storage profile's 0.50 MiB/s for writes" report
check 'what is no profile is refused' status 1 "$DSN_PREFIX/bin/darshan-job-summary" --profile rec "$log"
is "$(cat err)" 'darshan-job-summary: rec: is not valid JSON: line 2: end of file expected near '"'{'; create one with darshan-sweep --json" 'which it says'

# -- interrupted in every way, and resumed
long='--limit 4MiB --samples 16 --seconds 0.05 --sweeps request-read'
rm -f rec2
had=0
for signal in INT TERM HUP KILL; do
    # a shell without job control would have SIGINT ignored
    "$PYTHON3" -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
        "$sweep" $long --record rec2 d >part 2>err &
    pid=$!
    wait_until eval '[ "$(grep -c "\"sweep\"" rec2)" -ge $((had + 5)) ]'
    kill -$signal $pid
    wait $pid
    rc=$?
    had=$(grep -c '"sweep"' rec2)
    left=$(ls -A d | tr '\n' ' ')
    if [ $signal = KILL ]; then
        is "$rc, $left" '137, .darshan-sweep.1.0 data ' 'killed by SIGKILL it leaves nothing'
    else
        is "$rc, $(grep -c 'interrupted; the same command continues' err), $(grep -c 'NOT ALL' part), $left" \
            '1, 1, 1, .darshan-sweep.1.0 data ' "ended by SIG$signal it says so, tells what it has, and leaves nothing"
    fi
done
printf '{"sweep": "request-re' >>rec2
"$sweep" $long --json --record rec2 d >resumed.json 2>err
is "$(says resumed.json "[p['samples'] for p in s['request-read']['points']]")" '[16, 16, 16, 16, 16, 16, 16, 16, 16]' \
    'resumed it has each sample once'
is "$(grep -c 'x' rec2)" 145 'and a whole record, although a line was interrupted'
check 'a third time it measures nothing' status 0 "$sweep" $long --json --record rec2 d
check 'and says the same' alike resumed.json out
check 'with other options the record is refused' status 1 "$sweep" $long --seconds 0.1 --record rec2 d
is "$(cat err)" 'darshan-sweep: rec2: is from a sweep with another seconds; use the same options, or choose another file' 'which it says'
sed '3s/seconds/secnds/' rec2 >spoilt
check 'a damaged record is refused' status 1 "$sweep" --from spoilt
is "$(cat err)" 'darshan-sweep: spoilt: is damaged: line 3 is not a sample of a sweep' 'with the line'
check "another's file is no record" status 1 "$sweep" $long --record before d
is "$(cat before | wc -l)" 2 'and stays what it is'

# -- disks are not filled
check 'what must stay free stays free' status 1 "$sweep" --limit 4MiB --reserve 900TiB d
grep -q 'GiB free, which is not enough for 0.0 GiB more and 921600.0 GiB that stay free; give a smaller --limit or --reserve' err
is $? 0 'it says how much there is and what to do'
check 'so does a limit larger than the disk' status 1 "$sweep" --limit 900TiB --file 4MiB d
check 'a directory that is not there' status 1 "$sweep" nowhere
check 'a file instead of one' status 1 "$sweep" before
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    mkdir tiny
    unshare -m sh -c 'mount -t tmpfs -o size=3m none tiny && "$0" --limit 4MiB --reserve 0 tiny; echo $?; ls -A tiny' "$sweep" >out 2>err
    is "$(cat out)" 1 'a file system that is too small is refused before anything is written'
    unshare -m sh -c 'mount -t tmpfs -o size=16m,ro none tiny; "$0" --limit 4MiB --reserve 0 tiny; echo $?' "$sweep" >out 2>err
    is "$(cat out), $(grep -c 'cannot create a file in it: Read-only file system' err)" '1, 1' 'so is one that cannot be written'
else
    skip 'a file system that is too small, or cannot be written' 'the right to mount (root)'
fi

# -- access modes of MPI-IO
for MPI in openmpi mpich; do
    have_mpi $MPI || { skip "$MPI's access modes" "$MPI"; continue; }
    case $MPI in openmpi) start=$OPENMPI_RUN ;; *) start=$MPICH_RUN ;; esac
    "$sweep" --limit 2MiB --samples 2 --seconds 0.01 --request 64KiB --sweeps mode --mpi "$start -n 2" --json d >mpi.json 2>err
    is "$(says mpi.json "[p['x'][:3] for p in s['mode-read']['points']].count('mpi') + [p['x'][:3] for p in s['mode-write']['points']].count('mpi') >= 10")" \
        True "$MPI's access modes are measured"
    is "$(says mpi.json "all(p['samples'] == 2 for x in d['sweeps'] for p in x['points'])")" True 'each as often as the others'
    is "$(ls -A d | tr '\n' ' ')" '.darshan-sweep.1.0 data ' 'and leave nothing'
done

# -- nodes: here one, with three processes
start=
have_mpi mpich && start=$MPICH_RUN
have_mpi openmpi && start=$OPENMPI_RUN
nodes="--limit 2MiB --samples 2 --seconds 0.01 --sweeps nodes"
if [ -n "$start" ]; then
    check 'nodes are measured' status 0 "$sweep" $nodes --mpi "$start -n 3" --json --record nodes.record --output nodes.html d
    mv out nodes.json
    is "$(says nodes.json "sorted(s)")" \
        "['nodes-each-read', 'nodes-each-write', 'nodes-one-read', 'nodes-one-write', 'nodes-request-read', 'nodes-request-write']" \
        'by request and by processes, of one file and of a file each'
    is "$(says nodes.json "(f['nodes']['count'], [n['processes'] for n in f['nodes']['each']], f['nodes']['each'][0]['name'])")" \
        "(1, [3], '$(uname -n)')" 'the result says how many nodes, and which'
    is "$(says nodes.json "[p['x'] for p in s['nodes-each-read']['points']]")" '[1, 2, 3]' 'by one, two, and all processes'
    # 512 KiB of three processes: parts of 168 KiB, into which 32 KiB go more than four times
    is "$(says nodes.json "[p['x'] for p in s['nodes-request-write']['points']]")" '[4096, 8192, 16384, 32768]' \
        'requests are such that four go into the part of a process'
    is "$(says nodes.json "all(p['samples'] == 2 and [n['node'] for n in p['nodes']] == ['$(uname -n)'] and \
        abs(p['nodes'][0]['bytes_per_second'] / p['bytes_per_second'] - 1) < 1e-6 for x in d['sweeps'] for p in x['points'])")" True \
        'each point names the node, whose share is all of it'
    is "$(grep -c '"host"' nodes.record)" $((1 + $(grep -c '"sweep"' nodes.record) / 2)) 'the record has the node, and its share of each sample'
    is "$(ls -A d | tr '\n' ' ')" '.darshan-sweep.1.0 data ' 'and nothing is left'
    "$sweep" --json --from nodes.record >again.json
    check 'the record says the same' alike nodes.json again.json
    head -n 40 nodes.record >part.record
    check 'an interrupted sweep of nodes is continued' status 0 "$sweep" $nodes --mpi "$start -n 3" --json --record part.record d
    is "$(says out "all(p['samples'] == 2 for x in d['sweeps'] for p in x['points'])")" True 'and has each sample once'
    check 'but not with other processes' status 1 "$sweep" $nodes --mpi "$start -n 2" --record part.record d
    is "$(tail -n 1 err | sed 's/.*: //')" 'the record is of other nodes or numbers of processes; start the same ones, or choose another file' \
        'which it says'
    check 'a file that is too small for all processes' status 1 "$sweep" --limit 1MiB --file 64KiB $(echo $nodes | cut -d' ' -f3-) --mpi "$start -n 5" d
    grep -q 'the file is too small for so many processes: give a larger --file or --limit' err
    is $? 0 'is said to be'
else
    skip 'nodes' 'an MPI'
fi
check 'nodes without a command that starts processes' status 1 "$sweep" --limit 2MiB --sweeps nodes d
is "$(cat err)" "darshan-sweep: $PWD/d: has nothing that can be measured with these options; choose other --sweeps, or give --mpi for those of nodes" \
    'is told what it lacks'
check 'a command that starts no MPI' status 1 "$sweep" --limit 2MiB --samples 1 --seconds 0.01 --sweeps mode --mpi false d
is "$(tail -n 1 err)" "darshan-sweep: $PWD/d: false does not start programs of the MPI that this was built with; omit --mpi to skip what it measures" \
    'is said to'

# -- wrong usage
for wrong in '' 'd d' '--from rec d' '--limit 1KiB d' '--limit 5 d' '--limit x d' '--samples 0 d' '--sweeps none d' '--request 5000 d' \
    '--limit 4MiB --file 8MiB d' '--machine cache=1MiB d' '--from rec --record rec'; do
    check "wrong usage: $wrong" status 2 "$sweep" $wrong
done
check 'a machine without a file system' status 1 "$sweep" --machine 'cache=1MiB'
is "$(cat err)" 'darshan-sweep: cache=1MiB: has no rate of the file system: add fs=RATE' 'is told what it lacks'
finish
