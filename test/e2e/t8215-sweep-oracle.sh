# t8215-sweep-oracle.sh - darshan-sweep compared with fio on a throttled disk, and in a memory-limited cgroup
# SPDX-License-Identifier: BSD-3-Clause
#
# alone: it measures times, whose relation a throttle fixes
. "$DSN_SRC/test/lib/lib.sh"
[ "$(id -u)" = 0 ] || skip_all 'root: loop devices and cgroups are made here'
if [ "${1:-}" != inside ]; then
    unshare -m true 2>/dev/null || skip_all 'the right to unshare mounts (CAP_SYS_ADMIN)'
    exec unshare -m sh "$0" inside
fi
sweep=$DSN_PREFIX/bin/darshan-sweep
group=dsn-sweep-$$ loop='' memory='' blkio=''

clean_up() {
    umount "$DSN_SCRATCH/mnt" 2>/dev/null
    [ -z "$loop" ] || losetup -d "$loop"
    [ -z "$memory" ] || rmdir "$memory" 2>/dev/null
    [ -z "$blkio" ] || [ "$blkio" = "$memory" ] || rmdir "$blkio" 2>/dev/null
}
trap clean_up EXIT

# -- what the machine has to have
mkdir mnt
if [ -f /sys/fs/cgroup/cgroup.controllers ] && grep -q memory /sys/fs/cgroup/cgroup.controllers; then
    memory=/sys/fs/cgroup/$group blkio=/sys/fs/cgroup/$group
    mkdir "$memory" 2>/dev/null && [ -f "$memory/memory.max" ] || { memory='' blkio='' && skip_all 'a memory cgroup (v2)'; }
    limit_file=memory.max
else
    memory=/sys/fs/cgroup/memory/$group blkio=/sys/fs/cgroup/blkio/$group
    mkdir "$memory" 2>/dev/null || { memory='' blkio='' && skip_all 'a memory cgroup'; }
    mkdir "$blkio" 2>/dev/null || { blkio='' && skip_all 'a blkio or io cgroup'; }
    limit_file=memory.limit_in_bytes
fi
command -v mkfs.ext4 >/dev/null || skip_all 'package e2fsprogs'
command -v fio >/dev/null || skip_all 'package fio'
truncate -s 160M disk
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 disk
loop=$(losetup -f --show disk 2>/dev/null) && mount -o noatime "$loop" mnt 2>/dev/null || skip_all 'a loop device that can be mounted'
device=$(cat "/sys/block/${loop##*/}/dev")
echo 0 >"/sys/block/${loop##*/}/queue/read_ahead_kb"

# throttle BYTES: a second, of reads and of writes
throttle() {
    if [ -f "$blkio/blkio.throttle.read_bps_device" ]; then
        echo "$device $1" >"$blkio/blkio.throttle.read_bps_device"
        echo "$device $1" >"$blkio/blkio.throttle.write_bps_device"
    else
        echo "$device rbps=$1 wbps=$1" >"$blkio/io.max"
    fi
}

# limited COMMAND...: in the cgroups
limited() {
    # shellcheck disable=SC2016 # for the inner shell
    sh -c 'for g in "$0/cgroup.procs" ${1:+"$1/cgroup.procs"}; do echo $$ >"$g"; done
        shift
        exec "$@"' "$memory" "$([ "$blkio" = "$memory" ] || echo "$blkio")" "$@"
}

# says FILE EXPRESSION
says() {
    "$PYTHON3" -c "import json, sys; d = json.load(open(sys.argv[1])); s = {x['name']: x for x in d['sweeps']}; f = d['found']
print($2)" "$1"
}

# -- the knee is the memory limit: 24 MiB, of which programs take a few; steps by the root of 2
throttle 300000000
echo $((24 << 20)) >"$memory/$limit_file"
limited "$sweep" --json --reserve 0 --limit 64MiB --fine 2 --samples 2 --sweeps file-read --request 64KiB mnt >knee.json 2>err
read_cache=$(says knee.json "f['read_cache']['bytes']") beyond=$(says knee.json "f['read_cache']['less_than_bytes']")
if "$PYTHON3" -c "import sys; a, b, limit, step = int(sys.argv[1]), int(sys.argv[2]), 24 << 20, 2 ** .5
sys.exit(not (a <= limit and limit / a < step * step and b < limit * step * 1.001))" "$read_cache" "$beyond"; then
    ok "in 24 MiB of memory the read cache is $((read_cache >> 20)) MiB, less than $((beyond >> 20))"
else
    not_ok 'the knee is the memory limit' "$(cat knee.json err | head -c 3000)"
fi
is "$(says knee.json "[p['resident'] for p in s['file-read']['points'] if p['x'] <= f['read_cache']['bytes']][-1] > .98")" True \
    'where mincore finds the whole file'
is "$(says knee.json "s['file-read']['points'][-1]['resident'] < .5")" True 'and not of a file of 64 MiB'
echo $((512 << 20)) >"$memory/$limit_file"

# -- rates beside fio's, medians of three: the same file system, request and pattern past the cache, 60 MB/s. The samples
# of the sweep are those of one file: a throttle lets who has waited, as for a file to be filled, run ahead a tenth of a second.
throttle 60000000
fio_rate() {
    limited fio --name=x --filename=mnt/fio --size=8M --direct=1 --ioengine=psync --bs="$2" --rw="$1" --runtime=1 --time_based \
        --output-format=json 2>/dev/null | "$PYTHON3" -c "import json, sys; j = json.load(sys.stdin)['jobs'][0]
print(j['$1'.replace('rand', '')]['bw_bytes'])"
}
median() {
    sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
# compare RW SIZE: sets $ours and $theirs; status 0 if they differ by less than 5 %
compare() {
    for _ in 1 2 3; do
        fio_rate "$1" "$2"
    done >fio_rates
    theirs=$(median <fio_rates)
    limited "$sweep" --json --reserve 0 --limit 16MiB --file 8MiB --samples 3 --seconds 1 --writers 1 --request "$2" \
        --sweeps "writers-one-$1" mnt >one.json 2>err
    ours=$(says one.json "s['writers-one-$1']['points'][0]['bytes_per_second']")
    echo "$ours $theirs" | awk '{ d = $1 / $2 - 1; exit !(NF == 2 && d < 0.05 && d > -0.05) }'
}
# A machine that stands still for a moment spoils a comparison; what is wrong spoils all three.
for what in 'read 1048576' 'write 1048576' 'read 65536'; do
    for _ in 1 2 3; do
        compare "${what% *}" "${what#* }" && result=0 && break
        result=1
        echo "# $what: ${ours%.*} B/s, fio has ${theirs%.*}"
    done
    if [ $result = 0 ]; then
        ok "$what bytes: ${ours%.*} B/s, fio has ${theirs%.*}"
    else
        not_ok "$what bytes as fio has it" "ours: $(cat one.json err | head -c 3000)" "fio: $(tr '\n' ' ' <fio_rates)"
    fi
done
finish
