#!/bin/sh
# build.sh - makes the documentation site: plain pages that need no server; see --help
# SPDX-License-Identifier: BSD-3-Clause
set -eu

usage() {
    cat <<'END_OF_USAGE'
usage: sh doc/site/build.sh SOURCES BUILD DIRECTORY

Makes the pages that SOURCES/doc/site/pages lists in DIRECTORY, which is made anew: HTML of the documents and manual pages
in SOURCES, or of those that the build has made in BUILD. pandoc is needed.
END_OF_USAGE
}

case ${1-} in
--help | -h) usage; exit 0 ;;
esac
[ $# = 3 ] || { usage >&2; exit 2; }
command -v "${PANDOC:=pandoc}" >/dev/null 2>&1 ||
    { echo 'build.sh: pandoc is missing; the site is made by it (Debian package pandoc)' >&2; exit 1; }
sources=$1 build=$2 site=$3
here=$sources/doc/site
new=$site.new
rm -rf "$new"
mkdir -p "$new/pictures"
export LC_ALL=C.UTF-8

# source, address, section, title; separated by tabs
awk '
    /^#/ || NF == 0 { next }
    /^= / { section = substr($0, 3); next }
    $1 == "also" { print $2 "\t" $3 "\t\t"; next }
    {
        address = $1
        sub(/.*\//, "", address)
        address = tolower(address)
        if (!sub(/\.md$/, ".html", address))
            address = address ".html"
        title = $0
        sub(/^[^ ]+ +/, "", title)
        print $1 "\t" address "\t" section "\t" title
    }' "$here/pages" >"$new/rows"
cut -f 1,2 "$new/rows" | tr '\t' ' ' >"$new/addresses"

# navigation ADDRESS, steps ADDRESS: the list of all pages, in which this one is marked; the pages before and behind it
navigation() {
    awk -F '\t' -v here="$1" '
        function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }
        BEGIN { print "<nav aria-label=\"Contents\">" }
        $3 == "" { next }
        $3 != section { if (section) print "</ul>"; section = $3; print "<h2>" section "</h2>\n<ul>" }
        { print "<li><a href=\"" $2 "\"" ($2 == here ? " aria-current=\"page\"" : "") ">" escaped($4) "</a></li>" }
        END { print "</ul>\n</nav>" }' "$new/rows"
}
steps() {
    awk -F '\t' -v here="$1" '
        $3 == "" { next }
        { address[++n] = $2; title[n] = $4 }
        $2 == here { at = n }
        END {
            print "<p class=\"steps\">"
            if (at > 1) print "<a rel=\"prev\" href=\"" address[at - 1] "\">" title[at - 1] "</a>"
            if (at < n) print "<a rel=\"next\" href=\"" address[at + 1] "\">" title[at + 1] "</a>"
            print "</p>"
        }' "$new/rows"
}

# made FILE: where it is
made() {
    if [ -f "$sources/$1" ]; then echo "$sources/$1"; else echo "$build/$1"; fi
}

page() {
    case $1 in
    *.md) format=gfm+definition_lists ;;
    *.[1-8]) format=man ;;
    *) format=plain ;;
    esac
    {
        case $format in
        plain) # lines as they are, under their first words
            printf '# %s\n\n' "$3"
            sed 's/^/    /' "$(made "$1")"
            format=gfm
            ;;
        *) cat "$(made "$1")" ;;
        esac
    } >"$new/text"
    SITE_ADDRESSES=$new/addresses SITE_SOURCE=$1 SITE_INDEX=$new/entries \
        "$PANDOC" -f "$format" -t html --wrap=none --no-highlight --lua-filter="$here/filter.lua" \
        --template="$new/template.html" -o "$new/$2" "$new/text"
}

# pandoc looks for partial templates beside the template
cp "$here/template.html" "$new/template.html"
: >"$new/entries"
while IFS="$(printf '\t')" read -r source address section title; do
    [ -n "$section" ] || continue
    navigation "$address" >"$new/navigation.html"
    steps "$address" >"$new/steps.html"
    page "$source" "$address" "$title"
done <"$new/rows"

# The words of the search, and one style: the colours are those of the commands' own pages.
{
    echo 'window.darshanIndex = ['
    cat "$new/entries"
    echo '];'
} >"$new/search-index.js"
{
    awk '/^:root \{/, /^\}/' "$sources/util/page/page.css"
    echo '@media (prefers-color-scheme: dark) {'
    awk '/^:root\[data-theme=.dark.\] \{/, /^\}/' "$sources/util/page/page.css" | sed "s/^:root\[[^]]*\]/:root/"
    echo '}'
    cat "$here/site.css"
} >"$new/style.css"
cp "$here/site.js" "$new/site.js"
cp "$sources"/doc/pictures/*.png "$new/pictures"
rm -rf "$new/rows" "$new/addresses" "$new/entries" "$new/text" "$new/template.html" "$new/navigation.html" "$new/steps.html"
rm -rf "$site"
mv "$new" "$site"
