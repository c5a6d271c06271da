# t-install.sh - make uninstall removes everything that make install created, and nothing else
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

root=$PWD/root
prefix=$(sed -n 's/^prefix = //p' "$DSN_BUILD/Makefile")
installed=$root$prefix
mkdir -p "$installed/share/man/man1" "$installed/share/darshan"
echo other >"$installed/share/man/man1/other.1"
echo site >"$installed/share/darshan/site.conf" # a site's own file beside ours
(cd "$root" && find . | sort) >before

check 'make install' make -s -C "$DSN_BUILD" install DESTDIR="$root"
(cd "$installed" && find . ! -type d | sort) >there
(cd "$DSN_PREFIX" && find . ! -type d ! -name '*.pyc' | sort) | grep -v '^./share/man/cat' >usual
is "$(comm -13 there usual)" '' 'a staged installation has what an installation has'
if command -v pandoc >/dev/null; then
    check 'make install-html' make -s -C "$DSN_BUILD" install-html DESTDIR="$root"
    is "$(cd "$DSN_BUILD/doc/html" && find . -type f | sort)" "$(cd "$installed/share/doc/darshan/html" && find . -type f | sort)" \
        'installs the documentation site'
else
    skip 'make install-html' 'package pandoc'
fi
check 'make uninstall' make -s -C "$DSN_BUILD" uninstall DESTDIR="$root"
# Directories shared by packages, such as bin, are kept; those with our name are removed unless they contain other
# files.
(cd "$root" && find . | sort) >after
is "$(comm -13 before after | sed -n "s|^.$prefix/||p" | grep darshan)" '' 'nothing of our name is left'
is "$(cd "$installed" && find . ! -type d | sort | tr '\n' ' ')" './share/darshan/site.conf ./share/man/man1/other.1 ' 'no file is left'
is "$(comm -23 before after)" '' 'what was there before is there'

finish
