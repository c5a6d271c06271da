# t0010-decoder.sh - the tests' own decoder reads real logs like the original's command, and detects damage
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

tests=$DSN_SRC/test/decode

# The vectors of the format's description, from 0 bytes to more than two blocks.
hashes() {
    "$PYTHON3" -c '
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from darshan_log import lookup8
for name, number in [
        (b"", 10211412111675192767), (b"a", 2110215103713784748), (b"<STDIN>", 14734109647742566553),
        (b"0123456789abcdefghijklm", 14594194899850991341), (b"0123456789abcdefghijklmn", 11852029656593691862),
        (b"0123456789abcdefghijklmno", 14713679060577687863), (b"darshan-bgq-record", 17224881367579287459),
        (b"/gpfs/mira-fs0/projects/SSSPPg/snyder/tmp/mpi-io-test.tmp.dat", 9063791019878933741)]:
    assert lookup8(name) == number, name
' "$tests"
}

# like_reference LOG REFERENCE: the decoder's lines are those of darshan-parser's output
like_reference() {
    decode "$1" --text >decoded || return 1
    facts <decoded >got
    xz -dc "$2" | facts >want
    alike want got
}

# has_traces LOG REFERENCE: are there traces in one of them? Each of the two may be what is wrong.
has_traces() {
    xz -dc "$2" 2>/dev/null | grep -q '^# DXT,' || decode "$1" --traces | grep -q '^ X_'
}

# traces_like_reference LOG REFERENCE: so are those of darshan-dxt-parser's output

traces_like_reference() {
    decode "$1" --traces | traces >got
    xz -dc "$2" | traces >want
    alike want got
}

check 'hash vectors' hashes
for log in "$DSN_SRC"/test/golden/*.darshan; do
    check "golden log ${log##*/}" like_reference "$log" "${log%.darshan}.base.xz"
    has_traces "$log" "${log%.darshan}.dxt.xz" &&
        check "golden log ${log##*/}, traces" traces_like_reference "$log" "${log%.darshan}.dxt.xz"
done

real_logs 'all other logs'
for ref in "$real"/ref/*; do
    [ -d "$ref" ] || continue
    check "real log ${ref##*/}" like_reference "$real/${ref##*/}" "$ref/parser.show-incomplete.out.xz"
    has_traces "$real/${ref##*/}" "$ref/dxt.show-incomplete.out.xz" &&
        check "real log ${ref##*/}, traces" traces_like_reference "$real/${ref##*/}" "$ref/dxt.show-incomplete.out.xz"
done

# a .want line that does not hold must be seen, one by one
log=$DSN_SRC/test/golden/mpi-io-test-x86_64-3.5.0.darshan
cat >right <<'END'
job nprocs 4
meta lib_ver 3.5.0
exe */mpi-io-test -f *
partial none
nodes 0
records POSIX 1
records POSIX 1 */mpi-io-test.tmp.dat
names 1 */mpi-io-test.tmp.dat
absent POSIX */nothing
POSIX -1 */mpi-io-test.tmp.dat POSIX_OPENS >0
POSIX * */mpi-io-test.tmp.dat POSIX_F_READ_TIME <=POSIX_F_READ_END_TIMESTAMP
POSIX -1 */mpi-io-test.tmp.dat POSIX_BYTES_READ =POSIX_BYTES_WRITTEN
POSIX -1 */mpi-io-test.tmp.dat POSIX_F_READ_TIME ~0±1
sum POSIX * POSIX_READS >0
END
check 'lines that hold' decode "$log" --want right
cat >wrong <<'END'
job nprocs 5
meta lib_ver 3.4.0
exe */another
partial POSIX
nodes 1
ranks >0
records POSIX 2
names 2 */mpi-io-test.tmp.dat
absent POSIX */mpi-io-test.tmp.dat
POSIX 0 */mpi-io-test.tmp.dat POSIX_OPENS >0
POSIX -1 */another POSIX_OPENS >0
POSIX -1 */mpi-io-test.tmp.dat POSIX_OPENS 0
POSIX -1 */mpi-io-test.tmp.dat POSIX_OPENS <POSIX_READS-POSIX_READS
POSIX -1 */mpi-io-test.tmp.dat POSIX_F_READ_TIME ~100±1
sum POSIX * POSIX_READS 0
END
while read -r line; do
    echo "$line" >one
    if decode "$log" --want one 2>said; then
        not_ok "does not hold: $line"
    else
        is "$(wc -l <said | tr -d ' ')" 1 "does not hold: $line"
    fi
done <wrong
for line in 'nonsense' 'POSIX -1 * POSIX_NOTHING 1' 'POSIX -1 * POSIX_OPENS 1 2' 'job nprocs =f()' '# only a comment'; do
    echo "$line" >one
    decode "$log" --want one 2>said
    is $? 2 "not understood: $line"
done

# a damaged log is an error, not a wrong number
head -c 2000 "$log" >cut
decode cut >out 2>said
is $? 2 'a log that was cut off'
cp "$log" twisted && chmod u+w twisted
printf '\377\377\377\377' | dd of=twisted bs=1 seek=1950 conv=notrunc 2>said
decode twisted >out 2>said
is $? 2 'a log with damaged data'
printf x | cat "$log" - >longer
decode longer --strict >out 2>said
check 'a byte behind the last region' grep -q '1 bytes after the last region' said

# each rule of --strict is seen broken
for rule in $("$PYTHON3" "$tests/spoil.py"); do
    "$PYTHON3" "$tests/spoil.py" "$log" "spoiled-$rule" "$rule"
    decode "spoiled-$rule" --strict 2>said
    case $?,$rule in
    0,nothing) ok 'a log that keeps all rules' ;;
    1,nothing | 0,*) not_ok "strict: $rule" "$(cat said)" ;;
    *) check "strict: $rule" test -s said ;;
    esac
done
finish
