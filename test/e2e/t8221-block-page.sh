# t8221-block-page.sh - doc/block.md: every command works as described
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$DSN_SRC/doc/block.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >commands
is "$(wc -l <commands | tr -d ' ')" 9 'the page has nine lines of commands'
[ "$(id -u)" = 0 ] || skip_all 'root: devices are recorded'
truncate -s 1M probe
loop=$(losetup -f --show probe 2>/dev/null) || skip_all 'a loop device'
"$DSN_PREFIX/bin/darshan-block" record -o x --device "$loop" -- true 2>err
recorded=$?
losetup -d "$loop"
[ $recorded = 0 ] || skip_all "the kernel's trace events of block devices ($(cat err))"
sh -eu commands >said 2>err
is $? 0 'they are followed'
is "$(sed -n 's/^darshan-block: //p' err | tail -n 1)" 'run: 2000 events, 0 lost' 'two events a request'
for line in 'Events lost: 0' '  all                  1000  100.00%          3.906' '  page                 1000  100.00%          3.906'; do
    grep -qxF "$line" said && grep -qxF "$line" "$DSN_SRC/doc/block.md"
    is $? 0 "the page and the output say: $line"
done
is "$(grep -c '^run: 1000 requests in .* 0/100 % reads and writes; 0 flushes and others' said)" 1 'and a thousand writes'
is "$(grep -c '^  write page  *1000  *[0-9.]* ' said)" 1 'and how many are beyond the baseline'
check 'the page is one of less than 2 MB' test "$(wc -c <run.html)" -lt 2000000
browser=$(command -v chromium || command -v chromium-browser)
if [ -n "$browser" ] && grep -q 'darshanCharts *=' run.html; then
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --virtual-time-budget=3000 --dump-dom "file://$PWD/run.html" \
        >dom 2>/dev/null
    is "$(grep -o '<h2 id="[a-z]*-title">' dom | tr -d '\n')" \
        '<h2 id="answer-title"><h2 id="time-title"><h2 id="places-title"><h2 id="sizes-title"><h2 id="latency-title">' \
        'in a browser all its sections are there'
    is "$("$PYTHON3" -c "import re
text = re.sub('(?s)<script.*?</script>', '', open('dom').read())
print(text.count('<canvas'), re.findall(r'undefined|\[object|NaN', text))")" '7 []' 'and all pictures'
else
    skip 'the page in a browser' 'package chromium, and charts when it was configured (npm, a network)'
fi
check 'JSON, too' grep -q '"format": "darshan-block 1"' run.json
finish
