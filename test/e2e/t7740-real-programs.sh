# t7740-real-programs.sh - what ordinary programs have shown to be wrong on the first screen
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
export TZ=UTC

# figure LOG EXPRESSION: of the document d
figure() { "$summary" --json "$1" | "$PYTHON3" -c "import json, sys; d = json.load(sys.stdin); print($2)"; }
# screen LOG PATTERN: how many lines match
screen() { "$summary" "$1" | grep -c "$2"; }

# git gc: it maps the loose objects that it opens.
{
    echo 'job nprocs=1 start=1000 end=1010'
    echo 'mount ext4 /'
    for i in $(seq 200); do echo "record POSIX 0 /data/$i POSIX_OPENS=1 POSIX_MMAPS=1 POSIX_F_META_TIME=0.01"; done
} | forge mapped
is "$(figure mapped '[f["id"] for f in d["findings"] if f["id"] == "opens-without-data"]')" '[]' \
    'a file that is mapped is not opened without being used'

# A virtual machine of Java maps its own counters.
forge java <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /tmp/hsperfdata_user/92 POSIX_OPENS=1 POSIX_MMAPS=1 POSIX_F_META_TIME=0.001
record POSIX 0 /data/A.class POSIX_OPENS=1 POSIX_READS=1 POSIX_BYTES_READ=148 POSIX_MAX_BYTE_READ=147 POSIX_SIZE_READ_100_1K=1 POSIX_F_READ_TIME=0.001
END
is "$(screen java 'nobody counts'),$(figure java 'd["answer"]["healthy"], d["sharing"]["files"]["total"]')" '0,True 1' \
    'counters of Java itself are no mapped data'

# cut and sort in a pipe: few bytes, but most of the calls.
forge pipe <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/db POSIX_OPENS=1 POSIX_WRITES=100 POSIX_BYTES_WRITTEN=819200 POSIX_MAX_BYTE_WRITTEN=819199 POSIX_SIZE_WRITE_1K_10K=100 POSIX_F_WRITE_TIME=0.01
record STDIO 0 <STDOUT> STDIO_OPENS=1 STDIO_WRITES=8000 STDIO_BYTES_WRITTEN=16384 STDIO_F_WRITE_TIME=0.01
END
is "$(screen pipe '^ *16.0 KiB in 8000 of these calls: streams and pipes, not storage$')" 1 \
    'calls on pipes are told apart, however few bytes they move'

# sort: all of its bytes go through streams, and the shell has read its script.
forge streams <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/script POSIX_OPENS=1 POSIX_READS=2 POSIX_BYTES_READ=138 POSIX_MAX_BYTE_READ=68 POSIX_SIZE_READ_0_100=2 POSIX_F_READ_TIME=0.001
record STDIO 0 /data/out STDIO_OPENS=1 STDIO_WRITES=1000000 STDIO_BYTES_WRITTEN=50000000 STDIO_F_WRITE_TIME=1
END
is "$(screen streams 'POSIX read'),$(screen streams '^Sizes *stdio: 1000000 calls')" 0,1 \
    'sizes of next to nothing are not shown before those of the data'

# h5py that reads columns of a chunked dataset.
forge dataset <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/a.h5 POSIX_OPENS=1 POSIX_READS=100 POSIX_BYTES_READ=104857600 POSIX_MAX_BYTE_READ=104857599 POSIX_SIZE_READ_1M_4M=100 POSIX_F_READ_TIME=1
record H5D 0 /data/a.h5:/x H5D_OPENS=1 H5D_READS=100 H5D_BYTES_READ=1048576 H5D_F_READ_TIME=2
END
is "$(figure dataset 'd["answer"]["bytes_asked_read"]')" 1048576 'asked for is what HDF5 is asked for, not what it reads'

# zarr: each chunk is written under another name, and renamed.
{
    echo 'job nprocs=1 start=1000 end=1010'
    echo 'mount ext4 /'
    for i in $(seq 50); do
        echo "record POSIX 0 /data/$i.partial POSIX_OPENS=1 POSIX_WRITES=1 POSIX_BYTES_WRITTEN=4096 POSIX_RENAME_SOURCES=1 POSIX_F_WRITE_TIME=0.01"
        echo "record POSIX 0 /data/$i POSIX_RENAME_TARGETS=1"
    done
} | forge renamed
is "$(screen renamed '^Files  *50: 0 only read, 50 only written')" 1 'what is renamed is one file'

# Images of a training set, of which many have no record of their own.
forge kinds <<'END'
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/1.jpg POSIX_OPENS=1 POSIX_READS=2 POSIX_BYTES_READ=20000 POSIX_MAX_BYTE_READ=19999 POSIX_F_READ_TIME=0.0001
record POSIX 0 /data/<*.jpg> POSIX_OPENS=9590 POSIX_READS=19180 POSIX_BYTES_READ=294563840 POSIX_MAX_BYTE_READ=59999 POSIX_F_READ_TIME=0.1
END
is "$(screen kinds '^ *30.0 KiB an open on average, and up to 58.6 KiB of a file$')" 1 'of a kind of files one knows how large they are'

# A script: each of its commands spends little of the run on I/O, all of them one after another much of it.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    dd if=/dev/zero of=$i bs=100k count=10 conv=fsync; done' >/dev/null 2>&1
log=$(latest_log)
is "$("$summary" "$log" | grep -c '^I/O took .* of the run time, in 20 processes one after another')" 1 'processes in turn: the first line'
is "$("$summary" "$log" | grep -c '^ *in turn  *[0-9]')" 1 'and a line of their time'
is "$("$summary" "$log" | grep -c '^ *[0-9].*, [0-9. ]*% of the I/O time in turn$')" 1 'of which the slowest file is a part'
is "$(figure "$log" 'd["answer"]["in_turn_run"]["processes"], abs(1 - sum(v for k, v in d["answer"]["in_turn_run"].items()
    if k not in ("processes", "compute")) / d["answer"]["seconds"]["in_turn"]) < 0.01')" '20 True' \
    'and their time has parts'
is "$(figure "$log" '0.99 < d["answer"]["seconds"]["in_turn"] / (20 * d["answer"]["seconds"]["mean"]) < 1.06')" True \
    'their times add up: the shell itself does no I/O'
is "$(figure "$log" '0.8 < (d["answer"]["bytes_read"] + d["answer"]["bytes_written"]) / 2**20 / d["answer"]["mib_per_second"] /
    d["answer"]["seconds"]["in_turn"] < 1.01')" True \
    'and the rate is bytes over the time that passed, not over that of one of them'
rate=$(figure "$log" 'd["answer"]["mib_per_second"]')
"$DSN_PREFIX/bin/darshan-parser" --cn --perf --json "$log" >parsed
is "$("$PYTHON3" -c 'import json, sys
d = json.load(open("parsed"))
posix = next(m["perf"] for m in d["modules"] if m["module"] == "POSIX")
print(abs(d["cn"]["MiB/s"] / float(sys.argv[1]) - 1) < 1e-6, posix["agg_time_by_slowest"] == posix["time_in_turn"],
      0.9 < posix["agg_perf_by_slowest"] / d["cn"]["MiB/s"] < 1.1)' "$rate")" 'True True True' 'darshan-parser says no other rate'

# Processes that run at once may have waited at once.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'for i in 1 2 3 4; do sh -c "echo $i >own-$i; sleep 1" & done; wait' >/dev/null 2>&1
is "$(figure "$(latest_log)" 'd["answer"]["seconds"]["in_turn"] == d["answer"]["seconds"]["slowest"]')" True \
    'processes at once: no more than the busiest is known to have passed'

# dd oflag=dsync: no fsync is called, and each write waits for the device.
# mode OPERAND...: that of the file which dd writes
mode() {
    fresh_logs
    DARSHAN_ENABLE_NONMPI=1 run_preload 0 dd if=/dev/zero of="$PWD/waits" bs=100k count=20 status=none "$@"
    "$DSN_PREFIX/bin/darshan-parser" "$(latest_log)" | awk -F'\t' '$4 == "POSIX_MODE" && $6 ~ "/waits$" { print $5 }'
}
is "$(mode oflag=dsync) $(mode oflag=sync) $(mode)" "$((0200666)) $((0200666)) $((0666))" 'O_DSYNC and O_SYNC are in the mode'
for mode in 0200666 0666; do
    forge dsync$mode <<END
job nprocs=1 start=1000 end=1010
mount ext4 /
record POSIX 0 /data/a POSIX_OPENS=1 POSIX_WRITES=800 POSIX_BYTES_WRITTEN=81920000 POSIX_MAX_BYTE_WRITTEN=81919999 POSIX_SIZE_WRITE_10K_100K=800 POSIX_F_WRITE_TIME=4 POSIX_MODE=$((mode))
END
done
is "$(screen dsync0200666 '^1. Each write waits for the device'),$(screen dsync0200666 'conv=fsync'),$(figure dsync0200666 'd["answer"]["bound"]')" \
    1,1,sync 'writes that wait, as the open demanded, are found'
is "$(screen dsync0666 'Each write waits')" 0 'others are not'

# A database in /var: of its files nothing is recorded, only that it renames some.
fresh_logs
touch from
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'cat /etc/passwd >/dev/null; mv from to' >/dev/null 2>&1
log=$(latest_log)
is "$("$summary" "$log" | grep -c '^Not seen  *files below /usr, /var'),$(figure "$log" 'd["answer"]["healthy"]')" 1,False \
    'no file known but calls for files: it is said where none is recorded, and it is not healthy'

finish
