# t9100-spoiled-logs.sh - real logs with flipped bits and truncated ones are read without harm (`make campaign`: many
# more)
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

campaign=$DSN_BUILD/test/fuzz/campaign
[ -n "$PYTHON3" ] || skip_all 'package python3'
"$PYTHON3" "$DSN_SRC/test/fuzz/seeds.py" seeds "$DSN_SRC"/test/golden/*.darshan
check '3000 spoiled logs' "$campaign" 3000 1 "$DSN_SRC"/test/golden/*.darshan seeds/log/*
finish
