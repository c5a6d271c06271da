# t-site.sh - the documentation site: links, anchors, search, narrow windows; the same bytes each time
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
command -v pandoc >/dev/null || skip_all 'package pandoc'
site=$PWD/site

make_site() { (cd "$DSN_BUILD" && sh "$DSN_SRC/doc/site/build.sh" "$DSN_SRC" . "$1"); }
check 'the site is made' make_site "$site"
"$PYTHON3" "$DSN_SRC/test/share/site.py" "$site" >said
check 'every link and anchor resolves, nothing needs the network' grep -qE '^[0-9]+ pages, [0-9]+ links, [0-9]+ entries$' said
[ "$(wc -l <said)" = 1 ] || head -n 20 said

# The check itself: a link to a page, one to an anchor and one to the network are found if they are broken.
mkdir broken && cp -R "$site/." broken
sed -i 's|</main>|<a href="missing.html">x</a><a href="readme.html#missing">x</a><img src="http://example.org/x.png"></main>|' broken/readme.html
is "$("$PYTHON3" "$DSN_SRC/test/share/site.py" broken | sed 's/^[^:]*: //' | tr '\n' ' ')" \
    'leads nowhere: missing.html no such place: readme.html#missing is not complete without the network: http://example.org/x.png ' \
    'broken ones would be found'

# Each document and each manual page that is installed has its place.
missing=
for file in "$DSN_PREFIX"/share/doc/darshan/*.md "$DSN_PREFIX"/share/man/man?/*; do
    name=$(basename "$file")
    grep -qE "^(also )?(doc/)?$name " "$DSN_SRC/doc/site/pages" || missing="$missing $name"
done
is "$missing" '' 'every document and manual page that is installed is in doc/site/pages'

# In other circumstances it is the same; a few pages of each kind do for this.
mkdir -p few/doc/site
for part in "$DSN_SRC"/* "$DSN_SRC"/doc/* "$DSN_SRC"/doc/site/*; do
    [ -e "few${part#"$DSN_SRC"}" ] || ln -s "$part" "few${part#"$DSN_SRC"}"
done
rm few/doc/site/pages
grep -E '^(#|=|also |$|(README.md|doc/(index|counters|rhythm|job-report)\.md|NEWS|.*darshan(-cycles)?\.[17]) )' "$DSN_SRC/doc/site/pages" \
    >few/doc/site/pages
make_few() { (cd "$DSN_BUILD" && sh "$DSN_SRC/doc/site/build.sh" "$1" . "$2"); }
check 'made of a few pages' make_few "$PWD/few" "$PWD/once"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C make_few "$PWD/few" "$PWD/again")
check 'made again, it is the same' diff -r once again

# -- in a browser -----------------------------------------------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser)
# browse ADDRESS [OPTION]...: the page after its scripts have run
browse() {
    browse_at=$1
    shift
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --virtual-time-budget=10000 "$@" \
        --dump-dom "file://$site/$browse_at" 2>/dev/null
}
if [ -z "$browser" ]; then
    skip 'pages in a browser' 'package chromium'
else
    browse 'darshan.7.html?q=posix_opens' >found
    check 'the search finds a counter, from a file' grep -q '<li><a href="counters.html#POSIX_OPENS">' found
    browse 'index.html?q=recover+killed+epilog' >found
    check 'and sections with several words' grep -q '<li><a href="darshan-recover.1.html' found
    browse 'index.html?q=nosuchwordanywhere' >found
    check 'and says when there is none' grep -q 'Nothing found' found
    # What is wider than a phone would be pushed out of sight: pages tell whether they are;
    # they are frames of one, which notes what they say.
    tall='index readme calls counters log-format shutdown glossary darshan.7 darshan-log.3'
    {
        printf '%s\n' '<!DOCTYPE html><html><body><script>addEventListener("message", (e) => document.body.append("\n" + e.data + "\n"))</script>'
        for page in $tall; do
            sed "s|</body>|<script>parent.postMessage('at $page ' + document.documentElement.scrollWidth + ' of ' + document.documentElement.clientWidth, '*')</script></body>|" \
                "$site/$page.html" >"$site/probe-$page.html"
            echo "<iframe width=500 height=900 style='border: 0' src='probe-$page.html'></iframe>"
        done
    } >"$site/probe.html"
    browse probe.html >found
    is "$(grep -c '^at .* of 4[0-9][0-9]$\|^at .* of 500$' found)" "$(echo $tall | wc -w)" 'pages with wide tables, long words or code are seen in frames of 500 pixels, of which the bar takes some'
    is "$(awk '/^at / && $3 > $5' found)" '' 'and fit into it'
fi

finish
