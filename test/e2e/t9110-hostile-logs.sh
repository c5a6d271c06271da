# t9110-hostile-logs.sh - every command on damaged logs of all modules, with random options
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
check '300 spoiled logs' "$PYTHON3" "$DSN_SRC/test/decode/hostile.py" "$DSN_PREFIX/bin" 1 100
finish
