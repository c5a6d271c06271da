#!/bin/sh
# lint.sh - `make lint`: headers, layering, formats, size budgets, static checkers where they are installed
# SPDX-License-Identifier: BSD-3-Clause
# Fails on what is wrong (a header that does not compile alone, an include that climbs, a source that is not formatted, a
# finding of a checker); budgets are aims and only printed. CC, CPPFLAGS, CFLAGS come from the makefile.
#
# lint.sh --fast: what needs no build tree and less than a minute, which .ci/run begins with
# lint.sh --changed TREE: clang-tidy on what HEAD and the working tree change since LINT_BASE (default: HEAD~1), with what
# the build tree TREE has made
cd "$(dirname "$0")/.." || exit 1
bad=0
fast= tree=
case ${1:-} in
--fast) fast=yes ;;
--changed) tree=${2:?--changed needs a build tree} ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/darshan-lint.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
sources=$(find darshan-log-format command-line runtime util measure test share doc -name '*.c' 2>/dev/null | sort)
headers=$(find darshan-log-format command-line runtime util measure test -name '*.h' 2>/dev/null | sort)
[ -n "$sources" ] && [ -n "$headers" ] || { echo 'lint.sh: no sources are found' >&2; exit 1; }
# where mpi.h is; headers and sources that need it are left out where there is none
mpi=$(for cc in mpicc.openmpi mpicc.mpich mpicc; do $cc -show -c x.c 2>/dev/null && break; done | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')
[ -n "$mpi" ] || headers=$(grep -L '<mpi\.h>\|sched/sched\.h\|spmv/spmv\.h\|spmv/imitate\.h' $headers)
flags="-I. -Iruntime ${CPPFLAGS:-} $mpi"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# tidy FILE...: with what the compiler is given, and the finders of wrong uses that find something here
tidy() {
    checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.*'
    checks="$checks,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses"
    checks="$checks,-bugprone-assignment-in-if-condition,-bugprone-narrowing-conversions"
    checks="$checks,-bugprone-implicit-widening-of-multiplication-result,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result"
    clang-tidy --quiet --warnings-as-errors='*' --checks="$checks" "$@" -- $flags -D_GNU_SOURCE -DDSN_PRELOAD \
        -DDSN_LIBEXEC='""' -DDSN_STORAGE_PROFILE='""' -DDSN_LIBDIR='""' -DDSN_SITE_THRESHOLDS='""' ${CFLAGS:-} 2>/dev/null
}

if [ -n "$tree" ]; then
    command -v clang-tidy >/dev/null 2>&1 || { echo 'clang-tidy is not installed: changed files are not looked at'; exit 0; }
    git rev-parse -q --verify "${LINT_BASE:-HEAD~1}" >/dev/null || { echo 'there is no commit before: no changed files'; exit 0; }
    changed=$(git diff --name-only --diff-filter=d "${LINT_BASE:-HEAD~1}" -- darshan-log-format command-line runtime util measure 2>/dev/null |
        grep '\.c$' | grep -v -e /symbols.c -e /logutils.c -e /sweep-mpi.c -e /shim.c)
    [ -n "$changed" ] || exit 0
    echo "== clang-tidy: $(echo "$changed" | wc -l) changed files"
    flags="-I$tree -I$tree/runtime $flags"
    tidy $changed
    exit
fi

# Without a build tree config.h is empty: no header needs what is in it.
echo "== headers compile alone"
[ -z "$fast" ] || : >"$work/config.h"
for header in $headers; do
    echo "$header"
done | CC="${CC:-cc}" FLAGS="$flags ${fast:+-I$work -std=c11 -D_GNU_SOURCE=} ${CFLAGS:-}" xargs -P "$jobs" -I{} sh -c '
    case $1 in test/*) ;; *) echo "#include <config.h>" ;; esac >"$0/$$.c"
    echo "#include \"$1\"" >>"$0/$$.c"
    $CC $FLAGS -Wno-unused -fsyntax-only "$0/$$.c" || { echo "  $1" >&2; exit 1; }' "$work" {} || bad=1

echo "== layers"
sh .ci/layering.sh || bad=1

echo "== words"
sh .ci/words.sh || bad=1

echo "== structs of the survival file"
if command -v python3 >/dev/null 2>&1; then
    python3 .ci/survival-layout.py || bad=1
else
    echo '  python3 is not installed'
fi

echo "== one name, one meaning"
awk '
    function defined(what) {
        if (what in where && where[what] != FILENAME) {
            print FILENAME ":" FNR ": " what " is also in " where[what]
            bad = 1
        }
        where[what] = FILENAME
    }
    /^#ifndef [A-Z0-9_]+_H$/ { defined($2) }
    /^[ \t]*(struct|union|enum) [a-z_0-9]+ [{]/ { defined($1 " " $2) }
    /^[a-z][a-z0-9_ *]*[ *](dsn|lbio)_[a-z0-9_]+[(]/ && !/^static/ {
        sub(/[(].*/, "")
        sub(/.*[ *]/, "")
        defined($0)
    }
    END { exit bad }' $(echo "$headers" | tr ' ' '\n' | grep -v '^test/') || bad=1

echo "== first lines, line length"
awk -v fast="$fast" '
    function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    { n = FILENAME; sub(/.*[/]/, "", n) }
    FNR == 1 && index($0, n " - ") == 0 { complain("does not say what it is") }
    FNR == 2 && index($0, "SPDX-License-Identifier: BSD-3-Clause") == 0 { complain("no licence tag") }
    !fast && length($0) > 120 && $0 !~ /^#define ROW/ { print FILENAME ":" FNR ": " length($0) " characters" }
    END { exit bad }' $sources $headers || bad=1

echo "== a number names one test"
twice=$(find test -name 't[0-9][0-9][0-9][0-9]-*.sh' | sed 's|.*/\(t[0-9]*\)-.*|\1|' | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "two tests have the number:" $twice
    bad=1
fi

# Other releases format some things in another way.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "== formats"
    echo "$sources
$headers" | xargs clang-format --dry-run -Werror || bad=1
else
    echo "== formats: clang-format 14 is not installed"
fi
[ -z "$fast" ] || exit $bad

echo "== lengths: files over 1,200 lines, the ten longest functions (none over 100)"
wc -l $sources $headers | awk '$2 != "total" && $1 > 1200 { print "  " $1 " lines  " $2 }'
awk 'FNR == 1 { name = "" }
     /^[A-Za-z_].*[A-Za-z0-9_]\(/ && !/;[ \t]*$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
     /^{/ && name != "" { start = FNR; inside = 1 }
     /^}/ && inside { n = FNR - start + 1; print n, FILENAME ":" start, name; inside = 0; name = "" }' $sources |
    sort -n >"$work/functions"
awk '{ n[NR] = $1 } END { if (NR) printf "  %d functions: median %d, 90 %% %d, longest %d\n", NR, n[int((NR + 1) / 2)],
     n[int(NR * 0.9 + 0.5)], n[NR] }' "$work/functions"
tail -n 10 "$work/functions" | sed 's/^/  /'

if command -v clang-tidy >/dev/null 2>&1; then
    echo "== clang-tidy"
    tidy $(echo "$sources" | tr ' ' '\n' | grep -E '^(darshan-log-format|command-line|runtime|util|measure)/' | grep -v -e /symbols.c -e /logutils.c -e /sweep-mpi.c -e /shim.c) || bad=1
fi
exit $bad
