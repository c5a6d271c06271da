# t7840-trace-page.sh - darshan-trace page: a page for any trace, with figures that are known
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
trace=$DSN_PREFIX/bin/darshan-trace
simulate=$DSN_PREFIX/bin/darshan-simulate
browser=$(command -v chromium || command -v chromium-browser)

# of PAGE EXPRESSION: of its documents stat, rhythm, more
of() {
    "$PYTHON3" -c "import json, re, sys
text = open(sys.argv[1]).read()
stat, rhythm, more = (json.loads(re.search('<script type=\"application/json\" id=\"%s\">(.*?)</script>' % name, text, re.S).group(1))
                      for name in ('stat', 'rhythm', 'more'))
print($2)" "$1"
}

# seen PAGE: its sections, pictures, and what a script must not print
seen() {
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --virtual-time-budget=4000 --dump-dom "file://$PWD/$1" >dom 2>/dev/null
    "$PYTHON3" -c "import re
text = re.sub('(?s)<(script|style).*?</(script|style)>', '', open('dom').read())
print(' '.join(re.findall('<h2 id=\"([a-z]*)-title', text)), text.count('<canvas'), re.findall(r'undefined|\[object|NaN|Infinity', text))"
}

# -- venus of the 1992 study: 22,763 reads of 461,312 bytes and 12,141 writes of 481,792
"$trace" gen venus >venus
check 'a page of venus' status 0 "$trace" page -o venus.html venus
is "$(of venus.html "[(s['from'], s['reads'], s['writes'], s['bytes_read'], s['bytes_written']) for s in more['sizes']]")" \
    '[(262144, 22763, 12141, 10500845056, 5849436672)]' 'has its sizes'
is "$(of venus.html "[(sum(rhythm['series'][c]['bytes_read']), sum(rhythm['series'][c]['writes'])) for c in ('wall', 'cpu')]")" \
    '[(10500845056, 12141), (10500845056, 12141)]' 'all bytes over wall time and over CPU time'
is "$(of venus.html "(stat['total']['ios'], rhythm['job']['cycles'][0]['repeats'], more['traces'])")" "(34904, 101, ['venus'])" 'its cycles'
"$simulate" --machine cray-ymp-1992 --json --write-behind --cache 4,8,16,32,64 venus >idle.json
is "$(of venus.html "[(s['cache_bytes'] >> 20, round(s['idle_write_behind'], 3)) for s in more['simulated']]")" \
    "$("$PYTHON3" -c 'import json; print([(x["cache_mib"], x["result"]["idle"]) for x in json.load(open("idle.json"))])')" \
    'and idle times by size of the cache, up to all data, as darshan-simulate prints them'

# -- any trace
printf '80 22 0 8 0 32c 3 743e 64\n' >single
printf '20 20 400 10 0 320 1 0 0\n' >device
printf 'ff !cpu none\n80 22 0 8 0 32c 3 743e 0\n' >timeless
printf 'ff !left_out 3\n80 22 0 8 0 32c 3 743e 64\n' >thinned
printf '80 20 0 9000000 0 32c 3 743e 64\n' >huge
for row in 'single|None' 'device|the trace has no reads and writes of programs' 'timeless|the trace has no CPU times' 'thinned|the trace lacks operations' \
    'huge|a request of the trace is larger than the smallest cache'; do
    name=${row%|*}
    "$trace" page -o "$name.html" "$name" >out 2>err
    is "$?, $(of "$name.html" "more['not_simulated'], stat['total']['ios']")" "0, $([ "${row#*|}" = None ] && echo 'None 1' || echo "${row#*|} 1" )" \
        "a page of a trace of one request: $name"
done
head -n 1000 venus >damaged
echo '80 22' >>damaged
"$trace" page -o damaged.html damaged 2>err
is "$?, $(grep -c 'damaged: line 1001 has ' err), $(of damaged.html "stat['total']['ios'], more['not_simulated']")" '1, 1, 1000 the trace is damaged, or too large' 'one that is damaged is shown up to there'
"$trace" page -o two.html venus single 2>err
is "$?, $(of two.html "len(more['traces']), stat['total']['ios']")" '0, 2 34905' 'several are one'
: >empty
for wrong in empty nothing; do
    check "no page of: $wrong" status 1 "$trace" page -o none.html $wrong
done
check 'nowhere to write it' status 1 "$trace" page -o nowhere/page.html venus
is "$(ls none.html nowhere 2>/dev/null)" '' 'leaves nothing'
for wrong in 'venus' '-o x' '-o x -'; do
    check "wrong usage: $wrong" status 2 "$trace" page $wrong
done
if [ -n "$browser" ] && grep -q 'darshanCharts *=' venus.html; then
    is "$(seen venus.html)" 'found time cycles sizes files simulated 7 []' 'in a browser it has all sections and pictures'
    is "$(seen device.html)" 'found time sizes files simulated 5 []' 'and those that there are of a device'
    is "$(seen damaged.html | sed 's/ [0-9]* \[\]$//')" 'found time cycles sizes files simulated' 'and of a damaged one'
else
    skip 'pages in a browser' 'package chromium, and charts when it was configured (npm, a network)'
fi
finish
