# t8221-block-page.sh - doc/block.md: every command of it does what the page says
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

awk 'FNR > 2 && /^```/ { quoted = !quoted } FNR > 2 && !quoted && sub(/^    /, "")' "$DSN_SRC/doc/block.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >commands
is "$(wc -l <commands | tr -d ' ')" 8 'the page has eight lines of commands'
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
check 'JSON, too' grep -q '"format": "darshan-block 1"' run.json
finish
