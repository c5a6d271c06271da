# t7425-long-trace.sh - a page of a trace that is longer than what is kept of it: little memory, and no temporary files
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'

# 3 million segments, twice as many as DSN_RHYTHM_MOST; the sorted events would be a file of 260 MB.
check 'a log of 3 million segments' "$DSN_BUILD/test/bench/make-log" dxt3 long.darshan
is "$(
    ulimit -v 320000
    TMPDIR=$PWD/none "$DSN_PREFIX/bin/darshan-job-summary" -o long.html long.darshan 2>&1
    echo $?
)" 0 'a page in 320 MB, without a temporary file'
"$PYTHON3" - <<'END' >found 2>&1
import json
page = open("long.html").read()
series = json.JSONDecoder().raw_decode(page[page.index('"phases":') + 9:])[0]
print(series["job"]["operations"], series["processes"], series["left_out"], series["cpu"], series["put_together_below"] > 0)
END
is "$(cat found)" '3000000 64 0 None True' 'it counts all operations, of which some were merged'

is "$(
    ulimit -v 40000
    "$DSN_PREFIX/bin/darshan-dxt-parser" long.darshan 2>&1 | grep -c '^ X_POSIX'
)" 3000000 'the text in 40 MB'
finish
