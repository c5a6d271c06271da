# t8211-sweep-page.sh - doc/sweep.md: every command works as described
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$DSN_SRC/doc/sweep.md" | sed "s!/opt/darshan!$DSN_PREFIX!g" >commands
is "$(wc -l <commands | tr -d ' ')" 6 'the page has six lines of commands'
check 'they are followed' sh -eu commands
sh -eu commands >said 2>err
for words in 'Best request, reads' '  a request takes' 'Best request, writes' 'Effective read cache' 'Effective write cache' \
    'Write-behind' 'Read-ahead' 'Keeps what was read' 'Reads, one file' 'Writes, one file' 'Cache bypassed'; do
    grep -q "^$words" said && grep -q "^$words" "$DSN_SRC/doc/sweep.md"
    is $? 0 "$words stands in the page and in the output"
done
grep -q '^Effective read cache  4 MiB, less than 8 MiB' said && grep -q 'a request takes     1000.0 us, then its bytes at 95.4 MiB/s' said
is $? 0 'the simulated machine is what the page says: 4 MiB, 1000 us, 100 MB/s'
is "$(ls -A room)" '' 'the directory is empty'
check 'the profile has its format' grep -q '"format": "darshan-storage-profile"' room.json
check 'the page is there' test -s room.html
for sweep in $(sed -n 's/^| \([a-z]*-.*[a-z…]\) | .* | .* |$/\1/p' "$DSN_SRC/doc/sweep.md" | tr ', ' '\n\n' | sed 's/…//' | grep -v -e '^plane' -e '^nodes'); do
    grep -q "($sweep" said || not_ok "the sweep $sweep of the table is made"
done
is "$(sed -n 's/.*(\([a-z]*-[a-z-]*\))$/\1/p' said | sort -u | wc -l | tr -d ' ')" 19 'all sweeps are made'
finish
