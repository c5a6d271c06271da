# t-generated.sh - what the build generates is the same bytes whichever awk and shell the machine has
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

targets="share/completion/rows doc/calls.md doc/counters.md doc/findings.md doc/darshan.7 doc/darshan-log.5
    doc/darshan-trace.5 runtime/symbols.list runtime/symbols.map runtime/darshan-ld-opts util/darshan-logutils.h
    util/page/made/hashes.h"
[ "$SQLITE" != yes ] || targets="$targets util/account/sql-text.c"

# A build tree of links, in which the real rules run. Programs are taken as they are, and what objects depend on left out.
cp -as "$(cd "$DSN_BUILD" && pwd -P)" tree
rm tree/Makefile
sed -E -e "s#^(srcdir|top_srcdir|VPATH) = .*#\1 = $DSN_SRC#" -e /am--include-marker/d "$DSN_BUILD/Makefile" >tree/Makefile
programs=$(cd tree && find * -maxdepth 1 -name '[a-z]*' -xtype f -executable ! -name '*.so' -exec printf -- '-o %s ' {} +)

# Sources of a documentation site of three pages, what pandoc makes of which is not of interest here.
mkdir sources
cp -as "$DSN_SRC/doc" sources
ln -s "$DSN_SRC/util" sources
rm sources/doc/site/pages
grep -E '^(=|doc/(index|quick-start).md|doc/darshan-log.5)' "$DSN_SRC/doc/site/pages" >sources/doc/site/pages
printf '#!/bin/sh\ncat\n' >pandoc
chmod +x pandoc

# generate NAME AWK SHELL: generates everything into the directory NAME, with those called awk and sh
generate() {
    mkdir "$1" "$1.bin"
    ln -s "$(command -v "$2")" "$1.bin/awk"
    ln -s "$(command -v "$3")" "$1.bin/sh"
    (
        cd tree || exit 1
        rm -rf share/completion $targets
        mkdir share/completion
        export PATH="$DSN_SCRATCH/$1.bin:$PATH" PANDOC="$DSN_SCRATCH/pandoc"
        make -s MAKEFLAGS= AWK=awk SHELL="$DSN_SCRATCH/$1.bin/sh" ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: $programs $targets &&
            cp --parents -rL share/completion $targets "$DSN_SCRATCH/$1" &&
            sh "$DSN_SRC/doc/site/build.sh" "$DSN_SCRATCH/sources" . "$DSN_SCRATCH/$1/site"
    )
}

check 'generated with dash and mawk' generate of-mawk mawk dash
for awk in gawk busybox original-awk; do
    command -v $awk >/dev/null 2>&1 || { skip "$awk: the same bytes" "package $awk"; continue; }
    check "generated with $awk" generate "of-$awk" $awk dash
    check "$awk: the same bytes" diff -r of-mawk "of-$awk"
done
for shell in bash busybox; do
    command -v $shell >/dev/null 2>&1 || { skip "$shell as sh: the same bytes" "package $shell"; continue; }
    check "generated with $shell as sh" generate "sh-$shell" mawk $shell
    check "$shell as sh: the same bytes" diff -r of-mawk "sh-$shell"
done

finish
