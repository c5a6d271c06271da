# t7650-manner.sh - all commands have one manner: help, wrong usage, misspelt words, no arguments, -o, widths; a table of them
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
bin=$DSN_PREFIX/bin
golden=$DSN_SRC/test/golden
rows=$DSN_BUILD/share/completion/rows # what --help offers
tab=$(printf '\t')
export PATH="$bin:$PATH" XDG_DATA_HOME="$PWD/home" DARSHAN_MMAP_LOGPATH="$PWD"

# one_line FILE NAME: a message of one line, which says where to read on
one_line() { [ "$(wc -l <"$1")" = 1 ] && grep -q "^$2: .*; see '$2 --help'\$" "$1"; }
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$@"; }
said() { if "$@"; then echo yes; else echo no; fi; }

# Every command, and every word with a help of its own, as it is called
for command in "$bin"/*; do
    case $command in *.pl) ;; *) echo "${command##*/}" ;; esac
done >commands
grep "^word${tab}darshan-trace$tab" "$rows" | cut -f 2,3 | tr '\t' ' ' >words
printf 'darshan %s\n' run report compare list >>words

row='# %-22s %-6s %-7s %-5s %-7s %-9s %-9s %s\n'
printf "$row" command --help columns wrong misspelt bare --output 'wrong usage'
while read -r called; do
    set -- $called
    "$@" --help >help 2>err </dev/null
    help="$? $(wc -c <err) $(sed -n '1s/^\(Usage: [^ ]*\).*/\1/p' help)"
    columns=$(widest help)
    "$@" --no-such-option >out 2>wrong.err </dev/null
    wrong="$? $(wc -c <out) $(said one_line wrong.err "$called")"
    "$@" --verison >out 2>err </dev/null
    misspelt="$? $(grep -c 'the nearest is --version;' err)"
    timeout 10 "$@" >out 2>err </dev/null
    bare="$? $(wc -c <out) $(said one_line err "$called")"
    case $(grep -e '--output' help) in '') output=- ;; *'-o, --output'*) output=-o ;; *) output='no -o' ;; esac
    printf "$row" "$called" "${help%% *}" "$columns" "${wrong%% *}" "${misspelt#* }" "${bare%% *}" "$output" "$(cut -c 1-60 wrong.err)"

    is "$help" "0 0 Usage: $1" "$called --help: on stdout, with status 0"
    is "$((columns <= 80)) $(grep -c ' $' help)" '1 0' "$called --help: lines of 80 columns at most"
    is "$(sed -n '/^Usage/,/^$/p' help | grep -cE "(^| )$1 (.* )?$1( |\$)")" 0 "$called --help: names the command once in a line of its usage"
    is "$wrong" '2 0 yes' "$called --no-such-option: a line on stderr, with status 2"
    is "$([ "$output" = 'no -o' ]; echo $?)" 1 "$called: --output is -o, too"
    is "$misspelt" '2 1' "$called --verison: says --version"
    # what shows something by itself shows it; anything else says what it needs
    case $called in
    darshan-top) is "${bare%% *}" 124 "$called shows something, until it is ended" ;;
    'darshan report') is "$bare $(cat err)" "1 0 no $called: last: there is no such run: darshan list shows those that were recorded" "$called means the last run" ;;
    'darshan list') is "${bare%% *} $(wc -c <err)" '0 0' "$called shows the runs" ;;
    *) is "$bare" '2 0 yes' "$called explains without arguments, instead of acting" ;;
    esac
done <<END
$(cat commands words)
END

# misspelt words
for wrong in 'darshan pasrer:parser' 'darshan repotr:report' 'darshan-trace stta:stat' 'darshan-accounting qurey:query' \
    'darshan-block recrod:record' 'lbio stauts:status'; do
    set -- ${wrong%:*}
    "$@" >out 2>err
    is "$? $(cat err)" "2 $1: $2: unknown command, the nearest is ${wrong#*:}; see '$1 --help'" "$1 $2"
done

# a letter of an option with an argument means one thing
is "$(awk -F '\t' '$1 == "option" && $5 ~ /[a-z]/ && $6 != "" && !(($5, $4) in seen) { seen[$5, $4] = 1; means[$5] = means[$5] " " $4; n[$5]++ }
    END { for (letter in n) if (n[letter] > 1 && letter != "p") print letter ":" means[letter] }' "$rows")" '' \
    'a letter stands for one option (-p: a page, or a process)'

# what is printed for people stays within the 80 columns of a terminal, but for names of files
if [ -z "$PYTHON3" ]; then
    skip 'widths on a terminal' 'package python3'
    finish
fi
cat >terminal.py <<'END'
import os, pty, sys
ended = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(ended))
END
mkdir logs && cp "$golden"/mpi-io*.darshan logs && cp "$golden/ior-HDF5.darshan" one.darshan && cp "$golden/mpi-io-test-x86_64-3.5.0.darshan" two.darshan && cp "$golden/mpi-io-test-ppc64-3.1.4.darshan" three.darshan
for words in 'darshan report one.darshan' 'darshan report --verbose two.darshan' 'darshan compare one.darshan two.darshan' 'darshan list logs' \
    'darshan-job-summary logs' 'darshan-analyzer logs' 'darshan-cycles two.darshan' 'darshan --help' 'darshan-fsstats logs' \
    'darshan-spmv --self-test' 'darshan-simulate --what-if bb=64GiB/node,2GB/s three.darshan'; do
    case $words in *spmv*) [ -x "$bin/darshan-spmv" ] || continue ;; *fsstats*) [ -x "$bin/darshan-fsstats" ] || continue ;; esac
    TERM=dumb "$PYTHON3" terminal.py sh -c 'exec "$0" "$@" 2>err' $words >out </dev/null
    is "$? $(tr -d '\r' <out | sed 's/\x1b\[[0-9;]*m//g' | awk 'length($0) > 80 && !/\//')" '0 ' "$words: lines of 80 columns at most"
done
finish
