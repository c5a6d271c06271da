# t-config.sh - darshan-config, the pkg-config file and darshan-mk-log-dirs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

config=$DSN_PREFIX/bin/darshan-config

# -- darshan-config
check 'an option that is there' "$config" --version
is "$("$config" --libdir --bindir)" "$DSN_PREFIX/lib
$DSN_PREFIX/bin" 'several options, a line each'
"$config" --no-such-option >out 2>err
is "$? $(cat out)" '2 ' 'an option that is not there: status 2, nothing on stdout'
"$config" >out 2>err
is "$? $(cat out)" '2 ' 'no option: status 2, nothing on stdout'
for option in $("$config" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
    "$config" "$option" >out 2>err
    is "$? $(cat err)" '0 ' "$option"
done
is "$("$config" --all | wc -l)" "$("$config" --help | grep -c '^  --[a-z]' | awk '{ print $1 - 2 }')" '--all has all'

# -- places expected by scripts and profiles of sites
for file in ld-opts/darshan-ld-opts mpi-profile/darshan-cc.conf mpi-profile/darshan-cxx.conf mpi-profile/darshan-f.conf \
    mpi-profile/darshan-cc-static.conf mpi-profile/darshan-cxx-static.conf mpi-profile/darshan-f-static.conf; do
    check "share/$file" cmp "$DSN_PREFIX/share/$file" "$DSN_PREFIX/share/darshan/$file"
done
check 'bin/darshan-mk-log-dirs.pl' test -x "$DSN_PREFIX/bin/darshan-mk-log-dirs.pl"

check 'the library to preload is there' test -f "$("$config" --preload)"
is "$(grep -rl '@[A-Za-z_]*@' "$DSN_PREFIX/bin/darshan-config" "$DSN_PREFIX/bin/darshan-mk-log-dirs" "$DSN_PREFIX/share/darshan")" '' \
    'every place is filled in'

# -- pkg-config
if command -v pkg-config >/dev/null 2>&1; then
    PKG_CONFIG_PATH=$DSN_PREFIX/lib/pkgconfig
    export PKG_CONFIG_PATH
    is "$(pkg-config --libs darshan-runtime | sed 's/ *$//')" "$("$config" --dyn-ld-flags)" 'pkg-config says the same'
    is "$(pkg-config --modversion darshan-runtime)" "$("$config" --version | cut -d" " -f2)" 'and the same version'
else
    skip 'pkg-config' 'command pkg-config'
fi

# -- darshan-mk-log-dirs
make_dirs=$DSN_PREFIX/bin/darshan-mk-log-dirs
check 'a new root' "$make_dirs" new/root
year=$(date +%Y)
is "$(find new/root -mindepth 3 -type d | wc -l)" 744 '31 days of 12 months of 2 years'
is "$(find new/root -mindepth 3 -type d ! -perm 1777 | wc -l)" 0 'mode of the days'
is "$(find new/root -maxdepth 2 -type d ! -perm 0755 | wc -l)" 0 'mode above them'
check 'no leading zeros' test -d "new/root/$year/1/1" -a -d "new/root/$((year + 1))/12/31" -a ! -d "new/root/$year/01"
touch "new/root/$year/2/3/log"
check 'again' "$make_dirs" new/root
check 'what was there stays' test -f "new/root/$year/2/3/log"
check 'other years, another mode' "$make_dirs" --from 2030 --to 2030 --mode 700 other
is "$(ls other)" 2030 'only that year'
is "$(stat -c %a other/2030/5/6)" 700 'that mode'
for wrong in '' '--from x' '--to' '--mode 9' '--nonsense' '--from 2030 --to 2029' 'a b'; do
    "$make_dirs" $wrong >out 2>err
    is "$? $(ls -d x a b 2>/dev/null)" '2 ' "wrong: $wrong"
done
: >file
"$make_dirs" file/below >out 2>err
is "$? $(grep -c . err | sed 's/[1-9][0-9]*/said why/')" '1 said why' 'a root that cannot be'
finish
