# t8020-fsstats.sh - darshan-fsstats: every figure, compared with a tree created here, and with find
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
[ -n "$PYTHON3" ] || skip_all 'package python3'
fsstats=$DSN_PREFIX/bin/darshan-fsstats

# of EXPRESSION [ARGUMENT]...: the Python expression over `d`, what --json prints
of() {
    of_what=$1
    shift
    "$fsstats" --json "$@" | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
h = d["histograms"]
print(('"$of_what"'))'
}

# -- a tree whose histograms can be computed by hand
mkdir -p tree/empty tree/deep/er
: >tree/nothing
head -c 1 /dev/zero >tree/one
head -c 100 /dev/zero >tree/hundred
head -c 1024 /dev/zero >tree/deep/kib
truncate -s 1M tree/deep/er/hole
ln tree/hundred tree/deep/another-name
ln -s / tree/deep/link
ln -s nowhere tree/dangling
mkfifo tree/pipe
touch -d '20 days ago' -m tree/one
touch -d '100 days ago' -a tree/one
is "$(of '(d["files"], d["directories"], d["others"], d["bytes"])' tree)" "(6, 4, 3, $((1 + 200 + 1024 + 1048576)))" \
    'files, directories, others, bytes'
is "$(of 'h["size"]' tree)" '[[0, 1, 0], [1, 1, 1], [7, 2, 200], [11, 1, 1024], [21, 1, 1048576]]' 'sizes'
is "$(of 'h["access_days"]' tree)" "[[0, 5, $((200 + 1024 + 1048576))], [7, 1, 1]]" 'access: one 100 days ago'
is "$(of 'h["modification_days"]' tree)" "[[0, 5, $((200 + 1024 + 1048576))], [5, 1, 1]]" 'modification: one 20 days ago'
is "$(of 'h["links"], d["names_of_linked_files"]' tree)" "([[1, 4, $((1 + 1024 + 1048576))], [2, 2, 200]], 2)" 'names of a file'
is "$(of 'h["directory_entries"]' tree)" '[[0, 1, 0], [1, 1, 0], [3, 2, 0]]' 'entries of directories: 0, 1, 4, 7'
is "$(of 'h["name_length"]' tree)" '[[2, 3, 0], [3, 7, 0], [4, 2, 0]]' 'lengths of names'
is "$(of 'd["owners"], d["directory"] == "'"$PWD/tree"'"' tree)" "([[$(id -u), 6, $((1 + 200 + 1024 + 1048576))]], True)" 'owners'
is "$(of 'sum(b[2] for b in h["capacity"]) == d["space"] < 1048576' tree)" True 'a hole takes no space'
check 'text' status 0 "$fsstats" tree
is "$(head -n 1 out)" "$PWD/tree: 6 files, 4 directories, 3 others" 'its first line'

# -- projects of quotas: few file systems have them, so the answer to that question is made up here
cat >projects.c <<'END_OF_C'
#include <errno.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int ioctl(int fd, unsigned long request, ...)
{
    char path[64], name[4096];
    va_list args;
    struct fsxattr *answer;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    n = readlink(path, name, sizeof name - 1);
    va_start(args, request);
    answer = va_arg(args, struct fsxattr *);
    va_end(args);
    if (request != FS_IOC_FSGETXATTR || n < 4 || memcmp(name + n - 4, "deep", 4) != 0) {
        errno = ENOTTY;
        return -1;
    }
    memset(answer, 0, sizeof *answer);
    answer->fsx_projid = 42;
    return 0;
}
END_OF_C
if cc -shared -fPIC -o projects.so projects.c 2>cc.log; then
    is "$(LD_PRELOAD=$PWD/projects.so "$fsstats" --json tree | "$PYTHON3" -c 'import json, sys; print(json.load(sys.stdin)["projects"])')" \
        "[[42, 2, $((100 + 1024))]]" 'the project of a directory has its files'
    LD_PRELOAD=$PWD/projects.so "$fsstats" tree >out
    is "$(sed -n '/^Projects/,$p' out | tail -n 1 | tr -s ' ')" " 42 0.1 % 2 1124" 'in text, too'
else
    not_ok 'the project of a directory has its files' "$(cat cc.log)"
fi
is "$(of 'd["projects"]' tree)" '[]' 'where there are none'

# -- another tree, against find, with any number of threads
for threads in 1 2 16; do
    is "$(of 'd["files"], d["bytes"], d["directories"]' --threads $threads "$DSN_SRC/test")" \
        "$(find "$DSN_SRC/test" -printf '%y %s\n' | awk '$1 == "f" { f++; b += $2 } $1 == "d" { d++ }
           END { printf "(%d, %d, %d)", f, b, d }')" "$threads threads: as find says"
done

# -- what is in the way
if grep -q ' /dev/[^ ]* ' /proc/mounts; then
    is "$(of 'd["mounts_not_entered"] >= 1' /dev)" True 'other file systems are not entered'
    is "$(of 'd["mounts_not_entered"]' --cross-mounts /dev)" 0 'unless that is asked for'
else
    skip 'other file systems are not entered' 'something mounted below /dev'
fi
deep=$("$PYTHON3" - <<'PY'
import os
os.mkdir("long")
os.chdir("long")
for i in range(1500):
    os.mkdir("d")
    os.chdir("d")
print(1501)
PY
)
is "$(of 'd["directories"]' long)" "$deep" 'a path of 1,500 directories'
mkdir churn
"$PYTHON3" - <<'PY' &
import os
names = ["churn/f%d" % i for i in range(3000)]
while os.path.isdir("churn"):
    try:
        for n in names:
            open(n, "w").close()
        for n in names:
            os.unlink(n)
    except FileNotFoundError:
        break
PY
vanished=0 runs=0
while [ "$vanished" = 0 ] && [ $runs -lt 1000 ]; do
    "$fsstats" --threads 1 --json churn >out.churn 2>>err.churn || echo failed >>err.churn
    vanished=$(sed -n 's/.*"vanished": \([0-9]*\).*/\1/p' out.churn)
    runs=$((runs + 1))
done
mv churn gone
wait
is "$(cat err.churn)" '' "what vanishes is no error ($vanished after $runs runs)"
check 'it is counted' test "$vanished" -gt 0
check 'no directory: exit status 1' status 1 "$fsstats" nowhere
is "$(wc -l <err)" 1 'in one line'
check 'a file' status 1 "$fsstats" tree/one
check 'wrong usage: exit status 2' status 2 "$fsstats" --threads 0 tree
check 'a full disk: exit status 1' sh -c '"$1" --json tree >/dev/full; [ $? = 1 ]' - "$fsstats"

# -- into the database
accounting=$DSN_PREFIX/bin/darshan-accounting
if [ "$SQLITE" = yes ]; then
    "$accounting" --db a.db init
    # 96 million files more in the 62 days to 2010-03-31, when there were 191.4 million: specification analysis.md B13
    snapshot() {
        "$fsstats" --json tree | sed "s/\"time\": [0-9]*/\"time\": $1/; s/\"files\": 6/\"files\": $2/"
    }
    snapshot $((1269993600 - 62 * 86400)) 95400000 >first.json
    snapshot 1269993600 191400000 >second.json
    check 'import' "$accounting" --db a.db import fsstats first.json second.json second.json
    is "$("$accounting" --db a.db query growth --csv | sed 1d | cut -d, -f2-6,8-10)" \
        '"2010-01-28 00:00:00","2010-03-31 00:00:00",95400000,191400000,96000000,0,0,"2011-09-04"' 'growth'
    is "$("$accounting" --db a.db query file-sizes --json | "$PYTHON3" -c 'import json, sys
print([(r["bin"], round(float(r["percent_of_files"]), 2), round(float(r["percent_of_bytes"]), 4), r["is_mode"])
    for r in json.load(sys.stdin)][:5])')" \
        '[(0, 16.67, 0.0, 0), (1, 33.33, 0.0001, 0), (7, 66.67, 0.0191, 1), (11, 83.33, 0.1167, 0), (21, 100.0, 100.0, 0)]' \
        'file sizes'
    echo '{"format": "other"}' >third.json
    check 'another document: exit status 1' status 1 "$accounting" --db a.db import fsstats third.json
fi
finish
