# t7930-simulate-oracle.sh - predictions of darshan-simulate compared with a kernel's page cache and a throttled disk
# SPDX-License-Identifier: BSD-3-Clause
#
# alone: it measures times, of which it says more than several times the usual
#
# Programs with known patterns (test/work/pattern.c) run in a memory cgroup on a file system of a loop device; the kernel's
# block_rq_complete events count what is read and written. The trace of the run, from Darshan's own log, is simulated.
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
[ "$(id -u)" = 0 ] || skip_all 'root: loop devices, cgroups and tracefs are mounted here'
if [ "${1:-}" != inside ]; then
    unshare -m true 2>/dev/null || skip_all 'the right to unshare mounts (CAP_SYS_ADMIN)'
    exec unshare -m sh "$0" inside
fi
simulate=$DSN_PREFIX/bin/darshan-simulate
group=dsn-oracle-$$ loop='' instance='' memory='' blkio='' handed=''

clean_up() {
    umount "$DSN_SCRATCH/mnt" 2>/dev/null
    [ -z "$loop" ] || losetup -d "$loop"
    [ -z "$instance" ] || rmdir "$instance"
    [ -z "$memory" ] || rmdir "$memory" 2>/dev/null
    [ -z "$blkio" ] || [ "$blkio" = "$memory" ] || rmdir "$blkio" 2>/dev/null
    for controller in $handed; do
        echo "-$controller" 2>/dev/null >/sys/fs/cgroup/cgroup.subtree_control
    done
}
trap clean_up EXIT

# -- what the machine has to have
mkdir tracefs mnt
mount -t tracefs none tracefs 2>/dev/null && [ -d tracefs/events/block/block_rq_complete ] ||
    skip_all "the kernel's trace events of block devices (tracefs, block_rq_complete)"
mkdir "tracefs/instances/$group" 2>/dev/null || skip_all 'instances of tracefs'
instance=$PWD/tracefs/instances/$group
# v2: groups have the controllers that their parent hands down; what is switched on for this is switched off at the end
if grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
    for controller in memory io; do
        grep -qw "$controller" /sys/fs/cgroup/cgroup.subtree_control ||
            ! echo "+$controller" 2>/dev/null >/sys/fs/cgroup/cgroup.subtree_control || handed="$handed $controller"
    done
    mkdir "/sys/fs/cgroup/$group" 2>/dev/null || skip_all 'the right to make a cgroup (v2)'
    memory=/sys/fs/cgroup/$group
    [ -f "$memory/memory.max" ] || skip_all 'a memory controller that its cgroup hands down (v2)'
    [ ! -f "$memory/io.max" ] || blkio=$memory
    limit_file=memory.max cached_key=file
else
    memory=/sys/fs/cgroup/memory/$group blkio=/sys/fs/cgroup/blkio/$group
    mkdir "$memory" 2>/dev/null || { memory='' blkio='' && skip_all 'a memory cgroup'; }
    mkdir "$blkio" 2>/dev/null || blkio=''
    limit_file=memory.limit_in_bytes cached_key=cache
fi
truncate -s 320M disk
command -v mkfs.ext4 >/dev/null || skip_all 'package e2fsprogs'
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 disk
loop=$(losetup -f --show disk 2>/dev/null) && mount -o noatime "$loop" mnt 2>/dev/null || skip_all 'a loop device that can be mounted'
device=$(cat "/sys/block/${loop##*/}/dev")
echo 1 >"$instance/events/block/block_rq_complete/enable"
echo 16384 >"$instance/buffer_size_kb"
compile nonmpi ./pattern pattern.c
echo 'MAX_RECORDS 27500 DXT_POSIX' >conf
dd if=/dev/zero of=mnt/data bs=1M count=128 status=none

# forget READ_AHEAD_KIB: nothing of the file system is in memory from here on
forget() {
    umount mnt
    mount -o noatime "$loop" mnt
    echo "$1" >"/sys/block/${loop##*/}/queue/read_ahead_kb"
}

# moved R|W: bytes that the device has read or written of data, since the events were cleared: metadata (M) is not counted
moved() {
    sync
    awk -v device=" $(echo "$device" | tr : ,) " -v kind="$1" 'index($0, "block_rq_complete: ") && index($0, device) {
        split(substr($0, index($0, "block_rq_complete: ") + 19), f, " ")
        if (index(f[2], kind) && !index(f[2], "M") && !index(f[2], "N"))
            for (i = 3; i <= 8; i++) if (f[i] == "+") n += f[i + 1] * 512
    } END { printf "%d\n", n }' "$instance/trace"
}

# traced MIB PATTERN...: runs it with so much memory; its log is $log, and $cached the most that was cached of files at a
# time (the survival file is none: it is in /dev/shm): at the end, the log that is written takes memory from the cache
traced() {
    echo $(($1 << 20)) >"$memory/$limit_file"
    shift
    fresh_logs
    echo >"$instance/trace"
    # shellcheck disable=SC2016 # for the inner shell
    sh -c 'for g in "$0/cgroup.procs" ${1:+"$1/cgroup.procs"}; do echo $$ >"$g"; done
        shift
        exec env LD_PRELOAD="$preload" DARSHAN_ENABLE_NONMPI=1 DARSHAN_MOD_ENABLE=DXT_POSIX DARSHAN_CONFIG_PATH=conf DARSHAN_MMAP_LOGPATH=/dev/shm \
            ./pattern "$@"' \
        "$memory" "$([ "$blkio" = "$memory" ] || echo "$blkio")" "$@" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        awk -v key="$cached_key" '$1 == key { n += $2 } $1 == "shmem" { n -= $2 } END { print n + 0 }' "$memory/memory.stat"
        sleep 0.02
    done >held
    wait "$pid" || not_ok 'the program' "$*"
    log=$(latest_log)
    cached=$(sort -n held | tail -n 1)
}
export preload

# says EXPRESSION OPTION...: of the JSON that darshan-simulate prints of the log
says() {
    says_what=$1
    shift
    "$simulate" "$log" --json "$@" 2>err | "$PYTHON3" -c "import json, sys; d = json.load(sys.stdin); print($says_what)"
}

# within GOT WANT PERCENT WHAT
within() {
    if echo "$1 $2 $3" | awk '{ d = $1 - $2; exit !(NF == 3 && $2 > 0 && (d < 0 ? -d : d) <= $3 / 100 * $2) }'; then
        ok "$4: predicted $1, was $2"
    else
        not_ok "$4" "predicted: $1" "was: $2" "not within $3 %"
    fi
}

read_bytes='int(d["file_system_bytes"]["read"])' written_bytes='int(d["file_system_bytes"]["written"] + d["left_bytes"])'

# -- bytes read: at random in a file twice as large as memory, in one that fits, in order, around
forget 0
traced 64 mnt/data random 60000 4096 134217728
within "$(says "$read_bytes" --what-if "cache=${cached}B")" "$(moved R)" 10 'random reads of 128 MiB with 64 MiB: bytes read'
forget 0
traced 48 mnt/data random 40000 4096 134217728
within "$(says "$read_bytes" --what-if "cache=${cached}B")" "$(moved R)" 10 'with 48 MiB'
forget 0
traced 200 mnt/data random 60000 4096 67108864
within "$(says "$read_bytes" --what-if 'cache=200MiB')" "$(moved R)" 10 'random reads of what fits'
forget 128
traced 64 mnt/data loop 2048 65536 134217728
within "$(says "$read_bytes" --what-if "cache=${cached}B; read-ahead=128KiB")" "$(moved R)" 10 'once through the file, with read-ahead'
forget 128
traced 96 mnt/data loop 10240 4096 10485760
within "$(says "$read_bytes" --what-if 'cache=90MiB; read-ahead=128KiB')" "$(moved R)" 10 'four times around what fits, with read-ahead'
forget 128
traced 200 mnt/data random 30000 4096 134217728
within "$(says "$read_bytes" --what-if 'cache=190MiB; read-ahead=128KiB')" "$(moved R)" 10 'random reads with read-ahead, where all fits'
forget 128
traced 64 mnt/data random 40000 4096 134217728
within "$(says "$read_bytes" --what-if "cache=${cached}B; read-ahead=128KiB")" "$(moved R)" 10 'random reads with read-ahead, half of them cached'

# -- bytes written: what is overwritten before it expires is written once
forget 128
traced 200 mnt/out write 512 65536 33554432
within "$(says "$written_bytes" --what-if 'cache=2GiB; dirty=10%,20%')" "$(moved W)" 10 'writes of 32 MiB, once'
forget 128
traced 200 mnt/out write 1024 65536 8388608
within "$(says "$written_bytes" --what-if 'cache=2GiB; dirty=10%,20%')" "$(moved W)" 10 'writes of 8 MiB, eight times'

# -- time: a disk of 24 MB/s, told to the simulation by the trace of another run
if [ -z "$blkio" ]; then
    skip 'time with a throttled disk' 'a blkio or io cgroup'
    finish
fi
if [ -f "$blkio/blkio.throttle.read_bps_device" ]; then
    echo "$device 24000000" >"$blkio/blkio.throttle.read_bps_device"
else
    echo "$device rbps=24000000" >"$blkio/io.max"
fi
# calibrate: a profile of the disk, from a run that is none of those that are predicted
calibrate() {
    forget 0
    traced 200 mnt/data loop 512 131072 134217728
    "$simulate" "$log" --what-if 'cache=200MiB' --save-profile profile >/dev/null 2>&1
}
calibrate
check 'a profile is written' test -s profile
# timed MIB WHAT PATTERN...: the time of its I/O with the profile of the other run. Where others keep the machine busy the disk is
# not what takes the time: of three attempts one has to agree.
timed() {
    timed_mib=$1 timed_what=$2
    shift 2
    for attempt in 1 2 3; do
        [ "$attempt" = 1 ] || calibrate
        forget 0
        traced "$timed_mib" "$@"
        predicted=$(says 'd["visible_simulated_seconds"]["independent"]' --profile profile --machine "cache=${cached}B" --what-if "cache=${cached}B")
        was=$(says 'd["visible_measured_seconds"]["independent"]' --profile profile --machine "cache=${cached}B" --what-if "cache=${cached}B")
        echo "$predicted $was" | awk '{ exit !(NF == 2 && $1 > .85 * $2 && $1 < 1.15 * $2) }' && break
    done
    within "$predicted" "$was" 15 "$timed_what: seconds of I/O"
}
timed 64 'random reads of 64 KiB, half of them cached' mnt/data random 3000 65536 100663296
timed 64 'smaller reads, in order' mnt/data loop 4000 16384 134217728
timed 160 'twice around what fits' mnt/data loop 1536 65536 50331648
finish
