# t7610-no-memory.sh - each allocation of each command fails once: one line and exit status 1, or the normal result
# SPDX-License-Identifier: BSD-3-Clause
# long: thousands of runs
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
bin=$DSN_PREFIX/bin
check 'compiles what makes allocations fail' \
    cc -shared -fPIC -O1 -Wall -Wextra -Werror -o failing.so "$DSN_SRC/test/lib/failing-malloc.c"

# A log with all modules, and one with an extension section.
"$PYTHON3" "$DSN_SRC/test/decode/random_log.py" log 4
"$PYTHON3" "$DSN_SRC/test/decode/random_log.py" bzip2.log 26
cp "$DSN_SRC/test/golden/mpi-io-test-x86_64-3.5.0.darshan" other
check 'compiles' cc -o io "$DSN_SRC/test/work/hello.c"
DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD=$DSN_PREFIX/lib/libdarshan.so ./io >/dev/null 2>&1
check 'a program is recorded' cp "$(latest_log)" extended
cp "$DSN_SRC/test/golden/empty_log.darshan" small
"$PYTHON3" "$DSN_SRC/test/decode/rhythms.py" checkpoints --n 6 --ranks 2 --jitter 8 --names >rhythm
mkdir logs folder
cp other folder/a.darshan
cp small folder/b.darshan
cp log other logs

# every COMMAND...: with each of its allocations failing
every() {
    "$PYTHON3" "$DSN_SRC/test/lib/every-allocation.py" "$PWD/failing.so" "${all:-one}" "$@"
}

for all in "" all; do
    what=${all:+, and all after it}
    for options in '--base --show-incomplete' '--total --file --perf --show-incomplete' '--all --cn' '--json --all --cn' \
        '--csv --all --cn'; do
        check "parser $options$what" every "$bin/darshan-parser" $options log other
    done
    check "parser, bzip2$what" every "$bin/darshan-parser" --show-incomplete bzip2.log
    check "parser, extension section$what" every "$bin/darshan-parser" --cn extended
    check "dxt-parser$what" every "$bin/darshan-dxt-parser" --show-incomplete log other
    check "job-summary$what" every "$bin/darshan-job-summary" log
    check "job-summary --json$what" every "$bin/darshan-job-summary" --json small
    check "job-summary --files$what" every "$bin/darshan-job-summary" --files "*" extended
    check "job-summary of several$what" every "$bin/darshan-job-summary" --json --compare small extended
    check "job-summary of a folder$what" every "$bin/darshan-job-summary" folder
    check "diff$what" every "$bin/darshan-diff" log other
    check "analyzer$what" every "$bin/darshan-analyzer" logs
    check "cycles of a heat map$what" every "$bin/darshan-cycles" other
    check "cycles of a trace$what" every "$bin/darshan-cycles" --processes rhythm
    check "cycles --json$what" every "$bin/darshan-cycles" --json --series rhythm
    check "convert$what" every "$bin/darshan-convert" --obfuscate --hash-mounts --hash-hosts --annotate a=b log new
    check "convert --bzip2$what" every "$bin/darshan-convert" --bzip2 extended new
    check "merge$what" every "$bin/darshan-merge" --output new log
    check "merge --shared-redux$what" every "$bin/darshan-merge" --force --shared-redux --output new other extended
    check "merge --exact$what" every "$bin/darshan-merge" --force --shared-redux --exact --output new extended other
done
finish
