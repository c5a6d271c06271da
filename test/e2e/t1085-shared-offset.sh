# t1085-shared-offset.sh - the position of a file that is shared with another process is the kernel's
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

check 'compiles' compile nonmpi ./shared-offset shared-offset.c -D_GNU_SOURCE
mkdir data
DARSHAN_LOGFILE=$PWD/log DARSHAN_MOD_ENABLE=DXT_POSIX
export DARSHAN_LOGFILE DARSHAN_MOD_ENABLE
check 'runs' execute nonmpi 0 "$PWD/shared-offset" "$PWD/data"
decode log --text >text
"$DSN_PREFIX/bin/darshan-dxt-parser" log >traces

# offsets WAY: of all accesses, by both processes
offsets() {
    awk -v file="/by-$1\$" '/^# DXT, file_id:/ { is_it = $NF ~ file } is_it && $1 == "X_POSIX" { print $5 }' traces | sort -n | tr '\n' ' '
}

for way in fork append read vfork clone spawn system popen; do
    is "$(offsets $way)" '0 100 200 ' "$way: offsets"
    is "$(awk -F '\t' -v file="/by-$way\$" '$4 ~ /^POSIX_MAX_BYTE_(WRITTEN|READ)$/ && $6 ~ file && $5 > most { most = $5 }
        END { print most + 0 }' text)" 299 "$way: highest byte"
done

# what a shell has opened to append to it: the first call on it is told another offset than Linux writes at
head -c 50 /dev/zero >appended
check 'appends' execute nonmpi 0 env DARSHAN_LOGFILE="$PWD/log2" sh -c '"$0" - 1 0 >>appended' "$PWD/shared-offset"
"$DSN_PREFIX/bin/darshan-dxt-parser" log2 >traces
is "$(awk '/^# DXT, file_id:/ { is_it = $NF ~ /appended$/ } is_it && $1 == "X_POSIX" { print $5 }' traces | tr '\n' ' ')" '50 150 ' \
    'appended: offsets'
is "$(wc -c <appended)" 250 'appended: bytes'
finish
