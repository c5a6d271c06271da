# t7600-circumstances.sh - every command that reads logs, on files that are not complete logs, and where it cannot write
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
bin=$DSN_PREFIX/bin
golden=$DSN_SRC/test/golden
commands='parser dxt-parser job-summary diff analyzer convert merge'

cp "$golden/mpi-io-test-x86_64-3.5.0.darshan" good
chmod u+w good
mkdir directory
: >empty
mkfifo fifo
echo 'no log, but text' >text
head -c 100000 "$DSN_PREFIX/lib/libdarshan-util.so" >binary
head -c 900 good >header-cut
head -c 1400 good >job-cut
head -c 2000 good >cut # inside of the POSIX region
"$PYTHON3" - <<'END'
import struct
good = open("good", "rb").read()
posix = struct.unpack_from("<QQ", good, 48 + 16)
def write(name, at, form, *values):
    log = bytearray(good)
    struct.pack_into(form, log, at, *values)
    open(name, "wb").write(log)
write("compression", 16, "B", 7)
write("newer", 0, "4s", b"3.42")
write("newer-module", 1072 + 4, "<I", 9)
log = bytearray(good)  # a module that nobody knows
struct.pack_into("<QQ", log, 48 + 16 * 20, *posix)
struct.pack_into("<I", log, 1072 + 4 * 20, 1)
open("unknown", "wb").write(log)
END

# run_on COMMAND FILE: sets $status; output and messages in out, err; a log that is written: new
run_on() {
    rm -f new
    case $1 in
    convert) set -- timeout 100 "$bin/darshan-convert" "$2" new ;;
    merge) set -- timeout 100 "$bin/darshan-merge" --output new "$2" ;;
    diff) set -- timeout 100 "$bin/darshan-diff" good "$2" ;;
    *) set -- timeout 100 "$bin/darshan-$1" "$2" ;;
    esac
    "$@" >out 2>err </dev/null
    status=$?
}

# one_line COMMAND FILE: what stderr has is one line "darshan-<command>: <file>: ..."
one_line() {
    [ "$(wc -l <err | tr -d ' ')" = 1 ] && grep -q "^darshan-$1: $2: ." err
}

# refuses COMMAND FILE: exit status 1, one line, no new log
refuses() {
    run_on "$1" "$2"
    [ $status = 1 ] && one_line "$1" "$2" && [ ! -e new ] && [ -z "$(ls -A | grep '^\.darshan-')" ] ||
        { echo "exit status $status"; cat err; ls -A; return 1; }
}

for command in $commands; do
    case $command in
    analyzer)
        check 'analyzer: no such directory' refuses analyzer missing
        for file in empty text binary header-cut job-cut cut compression newer; do
            run_on analyzer $file
            is "$status $(grep -c '^total logs: 1$' out) $(one_line analyzer $file && echo said)" '0 1 said' \
                "analyzer: $file counts, and is said not to be readable"
        done
        ;;
    *)
        for file in missing directory fifo /dev/null empty text binary header-cut job-cut compression newer; do
            check "$command: $file" refuses $command $file
        done
        ;;
    esac
done

# damage in a module: what can be read is shown, then one line; nothing is written from it
for file in cut newer-module; do
    for command in parser job-summary diff; do
        run_on $command $file
        is "$status $(one_line $command $file && echo said) $([ -s out ] && echo shown)" '1 said shown' "$command: $file"
    done
    check "convert: $file" refuses convert $file
    check "merge: $file" refuses merge $file
done

# a module that is not known is no error
for command in $commands; do
    run_on $command unknown
    case $command in
    parser | convert) is "$status $(one_line $command unknown && echo said)" '0 said' "$command: unknown module" ;;
    *) is "$status $(cat err)" '0 ' "$command: unknown module" ;;
    esac
done

# a file that may not be read
cp good secret
chmod 000 secret
if cat secret >/dev/null 2>&1; then
    setpriv --reuid 65534 --clear-groups cat good >/dev/null 2>&1 && as='setpriv --reuid 65534 --clear-groups' || as=
    chmod 755 . 2>/dev/null
else
    as=env
fi
if [ -n "$as" ]; then
    for command in parser dxt-parser job-summary diff; do
        [ $command = diff ] && set -- good secret || set -- secret
        $as "$bin/darshan-$command" "$@" >out 2>err
        is "$? $(one_line $command secret && echo said)" '1 said' "$command: a file that may not be read"
    done
else
    skip 'a file that may not be read' 'setpriv (util-linux), for root'
fi

# a directory with logs of all users, which only their owners may read
if setpriv --reuid 65534 --clear-groups cat good >/dev/null 2>&1; then
    mkdir site
    cp good site/mine.darshan
    cp good site/a.darshan
    cp good site/b.darshan
    chmod 400 site/*
    chown 65534 site/mine.darshan
    setpriv --reuid 65534 --clear-groups "$bin/darshan-job-summary" --list site >out 2>err
    is "$? $(cat err)" '0 darshan-job-summary: site: left out 2 logs of other users, which you may not read' "others' logs of a directory: one line"
    is "$(grep -c 'mine.darshan$' out)" 1 'and what the user may read is shown'
    rm -f site/mine.darshan
    setpriv --reuid 65534 --clear-groups "$bin/darshan-job-summary" site >out 2>err
    is "$? $(tail -n 1 err)" '1 darshan-job-summary: site: has no logs (files named *.darshan)' 'none: as if there were no others'
else
    skip 'a directory with logs of all users' 'setpriv (util-linux), for root'
fi

# where the output cannot go; and a standard stream that is not there becomes no log
for words in 'parser good' 'parser --perf good' 'parser --json good' 'parser --csv good' 'dxt-parser good' \
    'job-summary good' "diff good $golden/empty_log.darshan" 'analyzer directory' 'job-summary --help' 'parser --version' \
    'dxt-parser --version' 'diff --version' 'analyzer --version' 'convert --version' 'merge --version' \
    'job-summary --version'; do
    set -- $words
    "$bin/darshan-$@" >&- 2>err
    is "$? $(grep -c "^darshan-$1: cannot write the output: " err)" '1 1' "$words, without stdout"
    [ -w /dev/full ] || continue
    "$bin/darshan-$@" >/dev/full 2>err
    is "$? $(grep -c "^darshan-$1: cannot write the output: " err)" '1 1' "$words, on a full disk"
done

# a page that is replaced: whole or not at all, with its mode, and where a link leads to
page_of() {
    "$bin/darshan-job-summary" -o "$1" good >out 2>err
}
mkdir pages pages/other
page_of pages/page.html && chmod 640 pages/page.html && echo old >pages/other/page.html && ln -s other/page.html pages/link.html
cp pages/page.html whole.html
check 'a full disk: exit status 1' sh -c 'trap "" XFSZ; ulimit -f 8; "$1" -o pages/page.html good >out 2>err; [ $? = 1 ]' - \
    "$bin/darshan-job-summary"
check 'the page of before is still there' cmp pages/page.html whole.html
is "$(ls -A pages | tr '\n' ' ')" 'link.html other page.html ' 'nothing else is'
echo old >pages/page.html
page_of pages/page.html
is "$? $(cmp pages/page.html whole.html && stat -c %a pages/page.html)" '0 640' 'a page that is replaced keeps its mode'
page_of pages/link.html
is "$? $(cmp pages/other/page.html whole.html && readlink pages/link.html)" '0 other/page.html' 'a link stays one'
mkfifo pages/pipe
cat pages/pipe >piped.html &
page_of pages/pipe
wait $!
check 'a pipe is written to' cmp piped.html whole.html

rm -f new
"$bin/darshan-convert" unknown new <&- >&- 2>&-
check 'convert without any stream' sh -c '"$1" new | grep -v "^#" >a; "$1" good | grep -v "^#" >b; cmp a b' - "$bin/darshan-parser"

# usage
version=$(sed -n "s/^AC_INIT(\[[^]]*\], *\[\([^]]*\)\].*/\1/p" "$DSN_SRC/configure.ac")
for command in $commands accounting fsstats iostat recover config mk-log-dirs; do
    program=$bin/darshan-$command
    for option in --version -V; do
        "$program" $option >out 2>err
        is "$? $(cat out) $(cat err)" "0 darshan-$command $version (compatible with Darshan 3.5.0) " "$command $option"
    done
    for option in --help -h; do
        "$program" $option >out 2>err
        is "$? $(grep -c "^[Uu]sage: darshan-$command " out) $(cat err)" '0 1 '  "$command $option"
    done
done

# wrong COMMAND WHAT ARGUMENT...: exit status 2, and one line that says WHAT, and where to read on
wrong() {
    wrong_command=darshan-$1 wrong_what=$2
    shift 2
    "$bin/$wrong_command" "$@" >out 2>err
    is "$? $(wc -c <out | tr -d ' ') $(cat err)" "2 0 $wrong_command: $wrong_what; see '$wrong_command --help'" \
        "$wrong_command${1:+ $*}"
}

for command in $commands accounting fsstats iostat recover mk-log-dirs; do
    wrong $command 'unknown option --nonsense' --nonsense
    wrong $command 'unknown option -Z' -Z
    [ $command = mk-log-dirs ] || wrong $command '--help takes no argument' --help=me
done
for command in parser dxt-parser job-summary; do
    wrong $command 'no log given'
done
for command in analyzer fsstats iostat; do
    wrong $command 'no directory given'
    wrong $command 'give one directory' a b
done
wrong diff 'give two logs'
wrong diff 'give two logs' good
wrong diff 'give two logs' good good good
wrong convert 'give two files: the log and the one to write' good
wrong merge '--output is required' good
rm -f new
wrong merge 'no logs to merge given' --output new
check 'darshan-merge without logs writes nothing' test ! -e new
wrong merge '--output needs an argument, NEW_LOG' --output
wrong job-summary '--nodes 0: invalid N (number of compute nodes of the job, if the log does not contain it)' --nodes 0 good
wrong accounting 'no command given'
wrong accounting 'frobnicate: unknown command' frobnicate
wrong accounting 'ingest: no DIRECTORY|LOG... given' ingest
wrong accounting 'check: unexpected argument now' check now
wrong accounting '--from yesterday: invalid TIME (only logs, jobs and samples from then on: YYYY-MM-DD[THH:MM:SS], local or with an offset, or seconds since 1970)' \
    --from yesterday query
wrong accounting '--jobs 0: invalid N (read N logs concurrently (one per processor))' --jobs 0 ingest .
wrong accounting '--jobs needs an argument, N' --jobs
wrong accounting 'import slurm: no FILE given' import slurm
wrong accounting 'import nothing: there is no such kind; `darshan-accounting import` lists them' import nothing file
wrong accounting 'query nothing: there is no such query; `darshan-accounting query` lists them' query nothing
wrong accounting 'pseudonym name: --anonymize FILE with the key is needed' pseudonym name
wrong recover '--job needs an argument, ID' --job
wrong recover '--job 3x: invalid ID (only what the job with this id has left)' --job 3x
wrong recover "--time-limit 0: invalid SECONDS (time limit per user (60))" --time-limit 0
wrong recover 'more: unexpected argument' more
wrong recover '--all and --user exclude each other' --all --user root
wrong mk-log-dirs '--from needs an argument, YEAR' --from
wrong mk-log-dirs '--to soon: invalid YEAR' --to=soon
wrong mk-log-dirs '--to 2020 is before --from 2021' --from 2021 --to 2020
wrong mk-log-dirs '--mode 99: invalid MODE (octal)' --mode 99 .
wrong mk-log-dirs 'b: give one directory' a b
for words in '--nonsense' '--mpi' ''; do
    "$bin/darshan-config" $words >out 2>err
    is "$? $(wc -c <out | tr -d ' ') $(wc -l <err | tr -d ' ') $(grep -c "; see 'darshan-config --help'" err)" '2 0 1 1' \
        "darshan-config $words"
done
DARSHAN_MMAP_LOGPATH=$PWD "$bin/darshan-recover" --mine >out 2>err
is "$? $(wc -c <out | tr -d ' ') $(cat err)" "0 0 darshan-recover: there is nothing to recover in $PWD" \
    'darshan-recover where there is nothing'
DARSHAN_MMAP_LOGPATH=$PWD "$bin/darshan-recover" --quiet >out 2>err
is "$? $(cat out err)" '0 ' 'darshan-recover --quiet where there is nothing'

# darshan-diff over every pair
pairs() {
    for a; do
        for b; do
            "$bin/darshan-diff" "$a" "$b" >out 2>err || { echo "exit status $? of $a $b"; cat err; return 1; }
            grep -qv ': records that both logs have are not compared$' err && { echo "$a $b"; cat err; return 1; }
            [ "$a" != "$b" ] || ! grep -q '^[-+]' out || { echo "$a differs from itself"; return 1; }
        done
    done
    return 0
}
check 'darshan-diff: every pair of logs' pairs $(find "$golden" -name '*.darshan' -size -8000c)
real_logs 'darshan-diff: every pair of real logs' &&
    check 'darshan-diff: every pair of real logs' pairs $(find "$real" -maxdepth 1 -name '*.darshan' -size -8000c)
finish
