#!/bin/sh
# lint.sh - `make lint`: headers, layering, size budgets, static checkers where they are installed
# SPDX-License-Identifier: BSD-3-Clause
# Fails on what is wrong (a header that does not compile alone, an include that climbs, a finding of a checker); budgets
# are aims and only printed. CC, CPPFLAGS, CFLAGS come from the makefile.
cd "$(dirname "$0")/.." || exit 1
bad=0
sources=$(find darshan-log-format runtime util test share doc -name '*.c' 2>/dev/null | sort)
headers=$(find darshan-log-format runtime util test -name '*.h' 2>/dev/null | sort)
flags="-I. -Iruntime $CPPFLAGS"

echo "== headers compile alone"
for header in $headers; do
    case $header in
    test/*) printf '#include "%s"\n' "$header" ;;
    *) printf '#include <config.h>\n#include "%s"\n' "$header" ;;
    esac |
        ${CC:-cc} $flags $CFLAGS -Wno-unused -fsyntax-only -x c - || { echo "  $header" >&2; bad=1; }
done

echo "== layers"
sh .ci/layering.sh || bad=1

echo "== first lines, line length"
for file in $sources $headers; do
    head -n 1 "$file" | grep -qF "${file##*/} - " || { echo "$file:1: does not say what it is"; bad=1; }
    sed -n 2p "$file" | grep -qF 'SPDX-License-Identifier: BSD-3-Clause' || { echo "$file:2: no licence tag"; bad=1; }
done
for file in $sources $headers; do
    awk -v file="$file" 'length($0) > 120 && $0 !~ /^#define ROW/ { print file ":" NR ": " length($0) " characters" }' "$file"
done

echo "== budgets: files over 1,000 lines, the ten longest functions (aim: median 20, 90 % 60, none over 100)"
wc -l $sources $headers | awk '$2 != "total" && $1 > 1000 { print "  " $1 " lines  " $2 }'
awk 'FNR == 1 { name = "" }
     /^[A-Za-z_].*[A-Za-z0-9_]\(/ && !/;[ \t]*$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
     /^{/ && name != "" { start = FNR; inside = 1 }
     /^}/ && inside { n = FNR - start + 1; print n, FILENAME ":" start, name; inside = 0; name = "" }' $sources |
    sort -n >"${TMPDIR:-/tmp}/lint.$$"
awk '{ n[NR] = $1 } END { if (NR) printf "  %d functions: median %d, 90 %% %d, longest %d\n", NR, n[int((NR + 1) / 2)],
     n[int(NR * 0.9 + 0.5)], n[NR] }' "${TMPDIR:-/tmp}/lint.$$"
tail -n 10 "${TMPDIR:-/tmp}/lint.$$" | sed 's/^/  /'
rm -f "${TMPDIR:-/tmp}/lint.$$"

if command -v clang-tidy >/dev/null 2>&1; then
    echo "== clang-tidy"
    clang-tidy --quiet --warnings-as-errors='*' \
        --checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-bugprone-assignment-in-if-condition,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,-bugprone-sizeof-expression,-bugprone-not-null-terminated-result' \
        $(echo "$sources" | tr ' ' '\n' | grep -E '^(darshan-log-format|runtime|util)/' | grep -v -e /symbols.c -e /logutils.c) -- $flags -D_GNU_SOURCE -DDSN_PRELOAD $CFLAGS 2>/dev/null || bad=1
fi
exit $bad
