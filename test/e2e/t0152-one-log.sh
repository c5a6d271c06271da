# t0152-one-log.sh - a program and all that it starts: one log, one complaint, one line that says where the log is or why
# there is none; and the mount point that a file belongs to
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

preload=$DSN_PREFIX/lib/libdarshan.so
unset DARSHAN_VERBOSE
echo text >text

tool() {
    env "LD_PRELOAD=$preload" "$@"
}

# says WANT DESCRIPTION COMMAND...: the lines on stderr, without paths
says() {
    says_want=$1 says_what=$2
    shift 2
    fresh_logs
    "$@" >out 2>err
    is "$(sed -n 's/^darshan: //p' err | sed 's|/[^ ]*|PATH|g')" "$says_want" "$says_what"
}

# -- an invalid setting is reported once
fresh_logs
# shellcheck disable=SC2016 # the shell inside expands it
env DARSHAN_MOD_DISABLE=posix DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c 'for i in 1 2 3 4 5 6; do cat text; done' >out 2>err
is "$(grep -c '^darshan:.*MOD_DISABLE' err)" 1 'an invalid setting: a script complains once'

# -- DARSHAN_VERBOSE
DARSHAN_VERBOSE=1
export DARSHAN_VERBOSE
says 'no log of cat: it has not called MPI_Init, and DARSHAN_ENABLE_NONMPI is not set' 'no MPI, and not asked for' tool cat text
says 'no log of sh: it has not called MPI_Init, and DARSHAN_ENABLE_NONMPI is not set' 'a script: said once' tool sh -c 'cat text; cat text'
says 'no log of cat: DARSHAN_DISABLE is set' 'disabled' env DARSHAN_DISABLE=1 "LD_PRELOAD=$preload" DARSHAN_ENABLE_NONMPI=1 cat text
says 'no log of cat: it is excluded by DARSHAN_APP_EXCLUDE, and nothing that it has started was recorded' 'excluded' \
    env DARSHAN_APP_EXCLUDE=cat DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" cat text
says 'log: PATH' 'a program that closes stderr before it ends' env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" cat text
: >exists.darshan
says 'no log of this job: PATH File exists (set DARSHAN_LOGFILE to another file); darshan-recover --mine can still make it' \
    'the log exists: another name is the remedy' \
    env "DARSHAN_LOGFILE=$PWD/exists.darshan" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" cat text
rm -rf "darshan-$(id -u)"
unset DARSHAN_VERBOSE
says '' 'without it nothing is said' tool cat text

# -- one log
# one_log DESCRIPTION COMMAND...
one_log() {
    one_what=$1
    shift
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@" >out 2>err
    wait_until eval '! ls "darshan-$(id -u)" | grep -q .'
    is "$(count_logs) $(ls "darshan-$(id -u)" | wc -l)" '1 0' "$one_what: one log, nothing is left"
}

# read_by: the number of processes that read the text, by their bytes
read_by() {
    decode "$(latest_log)" --text | awk -F'\t' '$4 == "POSIX_BYTES_READ" && $6 ~ /text$/ { n += $5 } END { print n / 5 }'
}

one_log 'a shell that is excluded' env 'DARSHAN_APP_EXCLUDE=sh$' sh -c 'cat text; cat text; cat text'
is "$(read_by)" 3 'and all of its commands are in it'
one_log 'the same below another program' nice env 'DARSHAN_APP_EXCLUDE=sh$' sh -c 'cat text; cat text; :'
is "$(read_by)" 2 'and all of its commands are in it'
fresh_logs
env 'DARSHAN_APP_EXCLUDE=sh$' DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c ':'
is "$(count_logs)" 0 'a shell that is excluded and starts nothing: no log'

# -- what is killed
fresh_logs
setsid env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" sh -c 'cat text; sleep 100 <text & sleep 100 <text; :' >out 2>err &
killed=$!
wait_until eval '[ "$(ls "darshan-$(id -u)" | grep -c "\.survival$")" -ge 3 ]'
kill -s KILL -- "-$killed"
wait $killed 2>err
wait_until_ended dry
"$DSN_PREFIX/bin/darshan-recover" --mine
is "$(sed 's/:.*//' dry)" "job $killed" 'darshan-recover names the job by the process that started it'
"$DSN_PREFIX/bin/darshan-parser" --base --show-incomplete "$(latest_log)" 2>err | sed -n 's/^# jobid: //p' >jobid
is "$(cat jobid)" "$killed" 'and so does the log'

python=/usr/bin/python3
if [ -x $python ]; then
    cat >pool.py <<'END'
import multiprocessing as m, sys
def read(x):
    with open('text', 'rb', 0) as f: return len(f.readall())
if __name__ == '__main__':
    with m.get_context(sys.argv[1]).Pool(3) as p: assert sum(p.map(read, range(6))) == 30
END
    for how in fork spawn forkserver; do
        one_log "Python's $how" $python pool.py $how
        is "$(read_by)" 6 'and what its workers read is in it'
    done
    $python -m venv --without-pip env >venv.out 2>&1
    one_log "a virtual environment's spawn" "$PWD/env/bin/python" pool.py spawn
    is "$(read_by)" 6 'and what its workers read is in it'
    cat >ended.py <<'END'
import multiprocessing as m, time
def work(pipe):
    with open('text', 'rb', 0) as f: f.readall()
    pipe.send(1)
    time.sleep(60)
if __name__ == '__main__':
    here, there = m.Pipe()
    worker = m.get_context('fork').Process(target=work, args=(there,))
    worker.start()
    here.recv()
    worker.terminate()
    worker.join()
END
    one_log 'an idle worker that is ended by its parent' $python ended.py
    is "$("$DSN_PREFIX/bin/darshan-job-summary" --json "$(latest_log)" | grep -c '"killed_processes": *1')" 1 'its log keeps the fact'
    "$DSN_PREFIX/bin/darshan-job-summary" "$(latest_log)" >summary.out 2>&1
    is "$(head -n 1 summary.out | grep -c '^Killed')" 0 'which is not what its summary begins with'
else
    skip 'pools of Python' 'package python3'
fi

# -- mount points
if unshare -m true 2>/dev/null; then
    mkdir scratch scratch2 'my disk' s1 s2
    fresh_logs
    # shellcheck disable=SC2016 # the shell inside expands it
    unshare -m sh -c 'mount --bind s1 scratch && mount --bind s2 "my disk" &&
        DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$0" sh -c "cp text scratch/a; cp text scratch2/a; cp text \"my disk/a\""' "$preload"
    decode "$(latest_log)" --text | awk -F'\t' '$4 == "POSIX_BYTES_WRITTEN" && $6 ~ /\/a$/ { print $6 " on " $7 }' |
        sed "s|$PWD/||g" | sort -u >mounts
    is "$(grep -c 'my disk/a on my disk$' mounts)" 1 'a mount point with a blank'
    is "$(grep -c '^scratch/a on scratch$' mounts)" 1 'a file below a mount point'
    is "$(grep -c '^scratch2/a on scratch$' mounts)" 0 'a file beside it, in a directory whose name begins alike'
else
    skip 'mount points' 'the right to unshare mounts (CAP_SYS_ADMIN)'
fi

finish
