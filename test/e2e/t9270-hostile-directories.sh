# t9270-hostile-directories.sh - users who share the log directory cannot remove, forge or prevent another user's log,
# or have the mode of another's file changed
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

[ "$(id -u)" = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null || skip_all 'rights of root, setpriv (util-linux)'

# Where all users can come to: the test's own directory is closed.
open=$(mktemp -d "${TMPDIR:-/tmp}/darshan-open.XXXXXX") && chmod 755 "$open" || exit 1
swaps=
trap 'kill $swaps 2>/dev/null; rm -rf "$open"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -m 1777 "$open/shm"
cp "$DSN_PREFIX/lib/libdarshan.so" "$open/"
check 'compiles' cc -g -Wall -o "$open/family" "$work/family.c"
check 'compiles what swaps names' cc -g -Wall -o "$open/swaps" "$work/swaps.c"
check 'compiles what makes logs slowly' cc -shared -fPIC -o "$open/slow-log.so" "$work/slow-log.c" -ldl
check 'compiles what is killed' cc -g -Wall -o "$open/endings" "$work/endings.c"

a=60001 b=60002
dated=$(date +%-Y/%-m/%-d)
year=${dated%%/*}
month=${dated#*/}
month=${month%%/*}
for uid in $a $b; do
    mkdir -m 700 "$open/data.$uid"
    chown $uid:$uid "$open/data.$uid"
done

# attack COMMAND...: the other user's, until it is ended: see swaps.c
attack() {
    setpriv --reuid $b --regid $b --clear-groups "$open/swaps" "$@" >/dev/null 2>&1 &
    swaps=$!
}

# as UID COMMAND...
as() {
    as_uid=$1
    shift
    setpriv --reuid "$as_uid" --regid "$as_uid" --clear-groups "$@"
}

# fresh [MODE [UID]]: an empty directory for logs
fresh() {
    fresh_n=$((${fresh_n:-0} + 1))
    logs=$open/logs.$fresh_n
    mkdir "$logs"
    chown "${2:-0}" "$logs"
    chmod "${1:-1777}" "$logs"
}

# job UID [VARIABLE=VALUE]...: a program of that user
job() {
    job_uid=$1
    shift
    (cd / && as "$job_uid" env "LOGNAME=u$job_uid" "DARSHAN_LOGPATH=$logs" "DARSHAN_MMAP_LOGPATH=$open/shm" \
        DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$open/libdarshan.so" "$@" "$open/family" "$open/data.$job_uid" none) >out 2>err
}

# logs_of UID: where its logs are, without their names
logs_of() {
    find "$logs" -type f -name "u$1_*.darshan" -user "$1" -size +0 -printf '%h\n' | sed "s|^$logs|LOGS|" | sort | tr '\n' ' '
}

# -- midnight: nobody has made the directory of the day
fresh 1777
job $a
is "$? $(cat err)" '0 ' 'the day is missing, all may write: runs'
job $b
is "$(logs_of $a)$(logs_of $b)" 'LOGS LOGS ' 'the day is missing, all may write: the logs of both users go into the directory that there is'
is "$(find "$logs" -type d | wc -l)" 1 'the day is missing, all may write: nobody makes a directory that others would use'
log_of_b=$(find "$logs" -name "u${b}_*.darshan")
as $a rm -f "$log_of_b" 2>/dev/null
as $a mv "$log_of_b" "$logs/x" 2>/dev/null
is "$(logs_of $b)" 'LOGS ' 'the day is missing, all may write: one user cannot remove or rename the other'"'"'s log'

fresh 755
"$DSN_PREFIX/bin/darshan-mk-log-dirs" --from "$year" --to "$year" "$logs" >/dev/null
job $a && job $b
is "$(logs_of $a)$(logs_of $b)" "LOGS/$dated LOGS/$dated " 'the site has made the day: logs of both users go there'
log_of_b=$(find "$logs" -name "u${b}_*.darshan")
as $a rm -f "$log_of_b" 2>/dev/null
is "$(logs_of $b)" "LOGS/$dated " 'the site has made the day: one user cannot remove the other'"'"'s log'

fresh 755
job $a
is "$? $(grep -c '^darshan: no log.*darshan-mk-log-dirs' err) $(wc -l <err | tr -d ' ')" '0 1 1' \
    'the day is missing, only the site may write: runs, one line says what to do'
is "$(find "$logs" | wc -l)" 1 'the day is missing, only the site may write: nothing was made'
"$DSN_PREFIX/bin/darshan-mk-log-dirs" --from "$year" --to "$year" "$logs" >/dev/null
DARSHAN_MMAP_LOGPATH=$open/shm "$DSN_PREFIX/bin/darshan-recover" --all >recover.out 2>recover.err
is "$(logs_of $a)" "LOGS/$dated " 'the day was missing, only the site may write: darshan-recover makes the log afterwards'

fresh 700 $a
chmod 755 "$logs"
job $a
is "$(logs_of $a)" "LOGS/$dated " "a user's own directory: the day is made"
is "$(find "$logs" -mindepth 1 -type d -printf '%m %U ')" "755 $a 755 $a 755 $a " "a user's own directory: with its mode"
fresh 6777 $a
(umask 077; job $a)
is "$(find "$logs" -mindepth 1 -type d -perm /7077 ! -perm 2700)" '' "a user's own directory, umask 077: the day is closed, and never set-uid"
job $b
is "$(logs_of $a)$(logs_of $b)" "LOGS/$dated LOGS " "a user's own directory in which all may write: others are not locked out"
fresh 3777 $a
(umask 0777; job $a)
is "$(logs_of $a)" 'LOGS ' "a user's own directory, umask 777: a log"

fresh 1733
job $a
is "$(logs_of $a)" 'LOGS ' 'a directory that can be written to and not be listed: a log'

# -- somebody has prepared the directory of the year
for mode in 700 777 1777 4777; do
    fresh 1777
    as $b mkdir "$logs/$year"
    as $b chmod $mode "$logs/$year"
    job $a
    is "$? $(logs_of $a)$(cat err)" '0 LOGS ' "another user has made the year with mode $mode: the log is where he cannot remove it"
    is "$(find "$logs/$year" -mindepth 1)" '' "another user has made the year with mode $mode: nothing is made in it"
done
fresh 1777
as $b ln -s "$open/shm" "$logs/$year"
job $a
is "$(logs_of $a)" 'LOGS ' 'another user has made the year a link: the log is where it leads not'
fresh 1777
as $b mkfifo "$logs/$year"
job $a
is "$(logs_of $a)" 'LOGS ' 'another user has made the year a pipe: a log'
fresh 755 # whoever may make directories here is trusted by the site
"$DSN_PREFIX/bin/darshan-mk-log-dirs" --from "$year" --to "$year" "$logs" >/dev/null
chown -R $b "$logs/$year"
job $a
is "$(logs_of $a)" "LOGS/$dated " "somebody's days in a directory that is closed to the user: the log goes there"

# -- the site makes the days where others may have been before
mk=$DSN_PREFIX/bin/darshan-mk-log-dirs
# refused TEXT: darshan-mk-log-dirs says in one line what is wrong, and nothing behind a link is changed
refused() {
    "$mk" --from "$year" --to "$year" "$logs" >out 2>err
    is "$? $(wc -l <err | tr -d ' ') $(grep -c "^darshan-mk-log-dirs: $logs/$year" err)" '1 1 1' "$1: one line"
    is "$(stat -c %a "$open/behind") $(ls "$open/behind")" '700 ' "$1: what is behind it stays as it is"
}
mkdir -m 700 "$open/behind"
fresh 1777
as $b ln -s "$open/behind" "$logs/$year"
refused 'the year is a link'
fresh 1777
as $b mkdir -m 777 "$logs/$year"
refused "the year is another user's"
fresh 1777
mkdir -m 755 "$logs/$year" "$logs/$year/$month"
ln -s "$open/behind" "$logs/$dated"
refused 'the day is a link'
fresh 755
cp "$mk" "$open/mk" && (cd / && as $a sh "$open/mk" "$logs") >out 2>err
is "$? $(wc -l <err | tr -d ' ')" '1 1' 'without permission: it stops at the first directory'
"$mk" --from "$year" --to "$year" "$logs" && "$mk" --from "$year" --to "$year" --mode 1733 "$logs"
is "$? $(find "$logs" -mindepth 3 -perm 1733 | wc -l) $(find "$logs" -maxdepth 2 -perm 755 | wc -l)" '0 372 14' 'a second time, with another mode'

# -- races
victim=$open/data.$a/secret
as $a sh -c 'umask 077; echo secret >"$1"' sh "$victim"
fresh 1777
as $b mkdir "$logs/$year"
as $b chmod 4777 "$logs/$year"
attack "$logs/$year" link "$month" "$victim"
for i in $(seq 30); do
    job $a
done
kill $swaps
wait $swaps 2>/dev/null
is "$(stat -c %a "$victim")" 600 "directories are swapped for links to a user's file: its mode stays"
is "$(logs_of $a | wc -w | tr -d ' ')" 30 "directories are swapped for links to a user's file: no log is missing"

# The user's own directory, in which all may do what they like.
fresh 777 $a
attack "$logs" link "$year" "$victim"
for i in 1 2 3 4 5 6 7 8 9 10; do
    job $a
done
kill $swaps
wait $swaps 2>/dev/null
is "$(stat -c %a "$victim") $(cat "$victim")" '600 secret' "in the user's own directory: its mode and contents stay"

fresh 755
"$DSN_PREFIX/bin/darshan-mk-log-dirs" --from "$year" --to "$year" "$logs" >/dev/null
attack "$logs/$dated" take
job $a LD_PRELOAD="$open/libdarshan.so:$open/slow-log.so" SLOW_LOG=2
kill $swaps
wait $swaps 2>/dev/null
is "$(logs_of $a)$(cat err)" "LOGS/$dated " 'another user has taken the name of the log: it gets another one'
is "$(find "$logs" -user $b -name "u${a}_*" | wc -l | tr -d ' ')" 8 'another user has taken the name of the log: it was so'

# -- a file with the name of a log is not that log
fresh 755
"$DSN_PREFIX/bin/darshan-mk-log-dirs" --from "$year" --to "$year" "$logs" >/dev/null
rm -rf "$open/shm/darshan-$a"
(cd / && exec setpriv --reuid $a --regid $a --clear-groups env LOGNAME=u$a "DARSHAN_LOGPATH=$logs" \
    "DARSHAN_MMAP_LOGPATH=$open/shm" DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$open/libdarshan.so" \
    "$open/endings" "$open/data.$a" kill) >out 2>err
file=$(basename "$(ls "$open/shm/darshan-$a"/*.survival)" .survival)
key=$("$PYTHON3" -c 'import sys; print(int(sys.argv[1][1:17], 16))' "$file")
as $b touch "$logs/$dated/u${a}_endings_id0-${file#k*-}_1-1-1-${key}_0.darshan"
DARSHAN_MMAP_LOGPATH=$open/shm "$DSN_PREFIX/bin/darshan-recover" --all >recover.out 2>recover.err
is "$(logs_of $a)" "LOGS/$dated " "another user's file has the name that the log of a killed program would have: the log is made all the same"
finish
