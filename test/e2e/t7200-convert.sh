# t7200-convert.sh - darshan-convert: what it keeps and changes; a damaged log leaves nothing behind
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

convert=$DSN_PREFIX/bin/darshan-convert
parser=$DSN_PREFIX/bin/darshan-parser
dxt=$DSN_PREFIX/bin/darshan-dxt-parser

# -- round trips: job and records by our parser, traces, and records by the independent decoder --

lines() {
    "$parser" --base --show-incomplete "$1" 2>/dev/null |
        grep -aE '^[^#]|^# (exe|uid|jobid|start_time|end_time|nprocs|metadata|mount entry):'
}

# Threads are not compared: logs of old versions do not have them.
traces() {
    "$dxt" --show-incomplete "$1" 2>/dev/null | grep -avE '^# (darshan log version|compression method|run time|job data|record table|.* module):' |
        sed 's/ *\(N.A\|[0-9]*\)$//'
}

same() {
    rm -f new.darshan again.darshan
    "$convert" "$1" new.darshan 2>said || { cat said; return 1; }
    grep -v 'module 13 (APXC)' said && return 1
    "$convert" --bzip2 new.darshan again.darshan || return 1
    for new in new.darshan again.darshan; do
        lines "$1" >before
        lines "$new" >after
        alike before after || return 1
        traces "$1" >before
        traces "$new" >after
        cmp before after || return 1
    done
    decode "$1" --text | grep -av '^#' >before
    decode again.darshan --text | grep -av '^#' >after
    cmp before after # there may be none in both
}

real_logs 'two conversions of real logs' && set -- "$real"/*.darshan
for log in "$DSN_SRC"/test/golden/*.darshan "$@"; do
    check "the same records after two conversions: ${log##*/}" same "$log"
done

forge in.darshan <<'END'
job uid=12345 jobid=1000 nprocs=1 start=100 end=200
exe hello
metadata lib_ver=3.5.0
mount ext4 /
mount xfs /tmp
mount lustre /scratch
partial 0x200
record POSIX 0 /tmp/test/mpi-io-test.tmp.dat POSIX_OPENS=2 POSIX_F_READ_TIME=0.5
record POSIX 0 /home/user/data.bin POSIX_OPENS=1
record POSIX 0 anonymous POSIX_OPENS=1
record STDIO 0 <STDOUT> STDIO_WRITES=5
name heatmap:POSIX
END

# one OPTION...: converts in.darshan, new.darshan is the result
one() {
    rm -f new.darshan
    check "darshan-convert $*" "$convert" "$@" in.darshan new.darshan
}

# fact PATTERN: the first header line that matches
fact() {
    "$parser" --show-incomplete new.darshan | grep -a -m 1 "^# $1" | sed "s/^# $1: *//"
}

names() {
    "$parser" --show-incomplete new.darshan | awk -F '\t' '$4 ~ /_(OPENS|WRITES)$/ && $5 > 0 { print $6 }' | sort | tr '\n' ' '
}

# -- form --

one
is "$(stat -c %a new.darshan)" 400 'its mode is 0400'
is "$(head -c 4 new.darshan)" 3.41 'its version is 3.41'
is "$(od -An -tu1 -j16 -N1 new.darshan | tr -d ' ')" 0 'it is compressed with zlib'
is "$(od -An -tx8 -j24 -N8 new.darshan | tr -d ' ')" 0000000000000200 'the mask of partial modules is kept'
if grep -q 'define HAVE_BZ2 1' "$DSN_BUILD/config.h"; then
    one --bzip2
    is "$(od -An -tu1 -j16 -N1 new.darshan | tr -d ' ')" 1 'it is compressed with bzip2'
    is "$(tail -c +1329 new.darshan | head -c 4)" BZh9 'at level 9'
fi

# -- obfuscation: hashes of the specification's test vectors --

one --obfuscate --key 42
is "$(fact jobid)" 936401812 'job id'
is "$(fact uid)" 912869258 'user id'
is "$(fact exe)" 573323739 'command line'
case " $(names)" in *' /tmp/1552046768 '*) ok 'a name on a mount' ;; *) not_ok 'a name on a mount' "$(names)" ;; esac
case " $(names)" in *' <STDOUT> '*) ok 'a stream keeps its name' ;; *) not_ok 'a stream keeps its name' "$(names)" ;; esac
one --obfuscate_names
case " $(names)" in *' //2258871998 '*) ok 'a name on the root mount' ;; *) not_ok 'a name on the root mount' "$(names)" ;; esac
is "$(names | tr ' ' '\n' | grep -c '^[0-9]*$')" 1 'a name on no mount is the hash alone'
is "$(fact jobid) $(fact uid) $(fact exe)" '1000 12345 hello' 'the rest is as it was'
is "$("$PYTHON3" "$DSN_SRC/test/decode/decode.py" new.darshan | grep -c heatmap:POSIX)" 1 "a heat map's name stays"
one --obfuscate_exe
is "$(fact exe)" 885767278 'command line, key 0'
one --obfuscate_jobid --key=42
is "$(fact jobid) $(fact uid)" '936401812 12345' 'job id only'
one --obfuscate_uid --key=42
is "$(fact jobid) $(fact uid)" '1000 912869258' 'user id only'
check 'the mount table has it' sh -c '"$0" --show-incomplete in.darshan | grep -q "^# mount entry:	/\(tmp\|scratch\)	"' "$parser"
one --hash-mounts
is "$(names | tr ' ' '\n' | grep -c '^/[0-9]*/test/mpi-io-test.tmp.dat$')" 1 'a hashed mount point'
is "$("$parser" --show-incomplete new.darshan | grep -c '^# mount entry:	/\(tmp\|scratch\)	')" 0 'and none in the mount table'
one --hash-mounts --obfuscate
is "$("$parser" --show-incomplete new.darshan | awk -F '\t' '$4 == "POSIX_OPENS" && $5 == 2 { print ($6 ~ /^\/[0-9]+\/[0-9]+$/), $8 }')" \
    '1 xfs' 'a file stays on its mount'

# -- metadata --

one --annotate "$(printf 'a=1\tb=x=y')" --annotate 'c=3'
is "$("$parser" --show-incomplete new.darshan | grep '^# metadata' | tr '\n' ';')" \
    '# metadata: lib_ver = 3.5.0;# metadata: a = 1;# metadata: b = x=y;# metadata: c = 3;' 'lines are added'
one --reset-md --annotate only=this
is "$("$parser" --show-incomplete new.darshan | grep '^# metadata')" '# metadata: only = this' 'old lines are forgotten'
long=k=$(head -c 1006 /dev/zero | tr '\0' v) # fills the 1024 bytes with lib_ver's 14, line end and NUL
rm -f new.darshan
check 'a line that is too long' status 0 "$convert" --annotate "$(printf '%sx\tshort=1' "$long")" in.darshan new.darshan
is "$(wc -l <err) $(fact 'metadata: short = 1')" "1 # metadata: short = 1" 'is left out and told of, the next one is not'
one --annotate "$long"
is "$(fact 'metadata: k = v' | wc -c)" 1023 'the longest line that fits'

# -- one file --

id=$("$parser" --show-incomplete in.darshan | awk -F '\t' '$6 == "/home/user/data.bin" { print $3; exit }')
check 'the other name is there' sh -c '"$0" "$1" in.darshan | grep -q "\"/tmp/test/mpi"' "$PYTHON3" "$DSN_SRC/test/decode/decode.py"
one --file "$id"
is "$(names)" '/home/user/data.bin ' 'only its records'
is "$("$PYTHON3" "$DSN_SRC/test/decode/decode.py" new.darshan | grep -c '"/tmp/test/mpi')" 0 'and its name'
one --file 0
is "$(names | wc -w)" 4 '0 is all files'

# -- the extension section --

fresh_logs
mkdir -p data
check 'a program is recorded' sh -c 'cc -o program "$0" && env DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$1" ./program "$PWD/data"' \
    "$work/posix-basic.c" "$preload"
if log=$(latest_log); then
    section() {
        "$PYTHON3" - "$DSN_SRC/test/decode" "$1" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from darshan_log import Log
parts = Log(sys.argv[2]).extension
parts.get("files", []).sort(key=lambda row: (row["FILE_MODULE"], row["id"], row["rank"]))
print(parts)
END
    }
    rm -f new.darshan
    check 'a log of our runtime' "$convert" "$log" new.darshan
    section "$log" >before
    section new.darshan >after
    check 'its extension section is carried along' cmp before after
    check 'it has one' grep -q node after
    rm -f new.darshan
    "$convert" --obfuscate "$log" new.darshan
    # the bytes of what is compressed may be any name's, if it is as short as "vm"
    section new.darshan >after
    check 'nodes have no names if files have none' test "$(grep -c "'$(hostname)'" before)" -gt 0
    is "$(grep -c "$(hostname)" after)" 0 'neither as such'
    is "$("$PYTHON3" "$DSN_SRC/test/decode/decode.py" new.darshan | grep -c "\"$(hostname)\"")" 0 'nor in what is decoded'
    rm -f new.darshan
    "$convert" --hash-hosts --key 3 "$log" new.darshan
    is "$("$PYTHON3" "$DSN_SRC/test/decode/decode.py" new.darshan | grep -c "\"$(hostname)\"")" 0 'nor with --hash-hosts'
    check 'what is hidden leaves a log that can be read' status 0 "$parser" --base new.darshan
else
    not_ok 'extension section' 'there is no log'
fi

log=$real/partial_data_dxt.darshan
if real_logs 'nodes in traces'; then
    rm -f new.darshan
    "$convert" --hash-hosts "$log" new.darshan
    is "$("$dxt" --show-incomplete new.darshan | sed -n 's/^# DXT, rank: .*hostname: *//p' | grep -cv '^[0-9]*$')" 0 \
        'nodes in traces have no names'
    traces "$log" | grep -v hostname: >before
    traces new.darshan | grep -v hostname: >after
    check 'and the traces are the same' alike before after
fi

# -- usage --

check '--help' status 0 "$convert" --help
check 'no operands: exit status 2' status 2 "$convert"
check 'one operand: exit status 2' status 2 "$convert" in.darshan
check 'three operands: exit status 2' status 2 "$convert" in.darshan a b
check 'no such option: exit status 2' status 2 "$convert" --nonsense in.darshan a
check 'no number: exit status 2' status 2 "$convert" --file x in.darshan a

# -- failures --

# refused LINES COMMAND...: exit status 1, so many lines on stderr, none on stdout, and no file bad.darshan
refused() {
    n=$1
    shift
    rm -f bad.darshan
    status 1 "$@" || return 1
    [ "$(wc -l <err)" = "$n" ] && [ ! -s out ] && [ ! -e bad.darshan ] && [ -z "$(ls -A | grep '^\.darshan-')" ] ||
        { ls -A; cat out err; return 1; }
}

check 'no such log' refused 1 "$convert" nowhere.darshan bad.darshan
check 'no such directory' refused 1 "$convert" in.darshan no/where/bad.darshan
check 'the target is a directory' refused 1 "$convert" in.darshan data
echo 'not a log' >text
check 'not a log' refused 1 "$convert" text bad.darshan
cp in.darshan same.darshan
chmod 600 same.darshan
check 'a log onto itself' "$convert" same.darshan same.darshan
is "$("$parser" --show-incomplete same.darshan | grep -c '^[A-Z]')" "$("$parser" --show-incomplete in.darshan | grep -c '^[A-Z]')" 'is still there'
if [ "$(id -u)" != 0 ]; then
    check 'a file that must not be written' status 1 "$convert" in.darshan in.darshan
    is "$(cut -d: -f 3- err)" ' cannot be written (it is read-only, as logs are; remove it first); nothing was written' 'says what to do'
else
    skip 'a file that must not be written' 'another user than root'
fi

# Cut off anywhere: every log below is damaged, for a region ends the file.
cut_off() {
    size=$(stat -c %s "$1")
    n=$((size - 1))
    while [ $n -gt 0 ]; do
        head -c $n "$1" >cut.darshan
        refused 1 "$convert" cut.darshan bad.darshan || { echo "cut off at $n of $size"; return 1; }
        n=$((n - $2))
    done
}

# A changed byte in a compressed region does not pass unseen: either an error, or the same records.
changed() {
    size=$(stat -c %s "$1")
    lines "$1" >before
    n=1330
    while [ $n -lt "$size" ]; do
        cp "$1" cut.darshan
        chmod 600 cut.darshan
        printf '\252' | dd of=cut.darshan bs=1 seek=$n conv=notrunc 2>/dev/null
        rm -f bad.darshan
        if "$convert" cut.darshan bad.darshan 2>err; then
            lines bad.darshan >after
            cmp before after || { echo "byte $n"; return 1; }
        else
            [ "$(wc -l <err)" = 1 ] && [ ! -e bad.darshan ] || { echo "byte $n"; cat err; return 1; }
        fi
        n=$((n + $2))
    done
}

golden=$DSN_SRC/test/golden/mpi-io-test-x86_64-3.5.0.darshan
check 'a log that is cut off' cut_off "$golden" 37
check 'an old log that is cut off' cut_off "$DSN_SRC/test/golden/mpi-io-test-ppc64-3.0.1.darshan" 29
check 'a log with a changed byte' changed "$golden" 23
finish
