# t-layers.sh - no room of the library uses a function of a higher one, and units do not make large circles
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

command -v nm >/dev/null || skip_all 'command nm'
sed 's/^hooks=.*/hooks=/' "$DSN_SRC/.ci/layering.sh" >no-hooks.sh
mkdir .ci && mv no-hooks.sh .ci/ # it looks for the sources beside itself
sh .ci/no-hooks.sh --symbols "$DSN_BUILD" >out 2>err
is "$? $(grep -c 'uses dsn__find_early of wrap/real' out)" '1 1' 'a use that climbs is found'
check 'none does but the hooks' sh "$DSN_SRC/.ci/layering.sh" --symbols "$DSN_BUILD"
finish
