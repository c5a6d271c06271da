# t7730-believable.sh - no report says what cannot be: times longer than the run, parts that do not add up, shares above 100 %
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
decode=$DSN_SRC/test/decode

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$PYTHON3" "$decode/random_log.py" "random-$seed.darshan" $seed
done
"$PYTHON3" "$DSN_SRC/test/e2e/believable_logs.py" . >made
is "$("$PYTHON3" "$decode/believable.py" "$summary" ./*.darshan)" '' 'generated logs: threads, layers, shared records, and nonsense'
is "$("$PYTHON3" "$decode/believable.py" "$summary" "$DSN_SRC"/test/judged/*.darshan "$DSN_SRC"/test/golden/*.darshan)" '' 'real logs'
while read -r log what; do
    "$summary" --json "$log.darshan" >"$log.json"
    is "$("$PYTHON3" "$DSN_SRC/test/e2e/believable_logs.py" --judge "$log.json" $what)" '' "$log: $what"
done <made

# A program whose eight threads read slow files of their own at the same time, 8 x 1.2 s in 1.2 s, of a run of over 5 s. Files
# are slow below the library: every read of one whose name ends in .slow sleeps.
cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t read(int fd, void *to, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    char link[40], path[4096] = "";

    real = real ? real : (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) > 5 && strcmp(path + strlen(path) - 5, ".slow") == 0)
        usleep(200000);
    return real(fd, to, n);
}
END
cat >threads.py <<'END'
import os
import threading
import time


def loader(number):
    for part in range(6):
        fd = os.open("%d.%d.slow" % (number, part), os.O_RDONLY)
        os.read(fd, 1 << 20)
        os.close(fd)


time.sleep(4)
all_threads = [threading.Thread(target=loader, args=(n,)) for n in range(8)]
for t in all_threads:
    t.start()
for t in all_threads:
    t.join()
END
cat >judge.py <<'END'
import json
import sys

document, counters = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
seconds, bad = document["answer"]["seconds"], []
summed = sum(r["counters"]["POSIX_F_READ_TIME"] for r in counters["records"]
             if r["module"] == "POSIX" and str(r["name"]).endswith(".slow"))
moved = (document["answer"]["bytes_read"] + document["answer"]["bytes_written"]) / 1048576
if not summed > 9.5:
    bad.append("records have %g s" % summed)
for name in ("slowest", "mean", "slowest_at_storage", "slowest_at_least"):
    if not 1.15 <= seconds[name] <= 4: # all of a thread's reads; half of their sum
        bad.append("%s is %g s" % (name, seconds[name]))
if abs(document["answer"]["mib_per_second"] * seconds["slowest_at_storage"] / moved - 1) > 0.01:
    bad.append("%g MiB/s are not %g MiB in %g s" % (document["answer"]["mib_per_second"], moved, seconds["slowest_at_storage"]))
print("; ".join(bad))
END
for i in 0 1 2 3 4 5 6 7; do
    for k in 0 1 2 3 4 5; do head -c 65536 /dev/zero >$i.$k.slow; done
done
check 'slow files: compiles' cc -shared -fPIC -o slow.so slow.c -ldl
fresh_logs
DARSHAN_ENABLE_NONMPI=1 LD_PRELOAD="$DSN_PREFIX/lib/libdarshan.so $PWD/slow.so" "$PYTHON3" threads.py
log=$(latest_log)
"$summary" --json "$log" >threads.json
"$DSN_PREFIX/bin/darshan-parser" --json "$log" >counters.json
is "$("$PYTHON3" judge.py threads.json counters.json)" '' 'threads: the time in which any of them reads, and the rate over it'
is "$("$PYTHON3" "$decode/believable.py" "$summary" "$log")" '' 'threads: nothing that cannot be'

printf 'seconds = 1000 # nothing matters\n' >thresholds
export DARSHAN_THRESHOLDS=thresholds
"$summary" threads-4.darshan >screen 2>&1
check 'thresholds of a site: said' grep -q '^Thresholds *those of thresholds' screen
is "$("$summary" --json threads-4.darshan | "$PYTHON3" -c '
import json, sys
print(sum(f["severity"] in ("high", "warning") for f in json.load(sys.stdin)["findings"]))')" 0 'and used'
printf 'few_calls = 1500\nsync_seconds = 0.5\nhalf = 0.75\n' >thresholds
"$summary" --json fflush-alone.darshan >syncs.json
check 'and said to be what findings go by' grep -q 'at least 1,500 of them, in files .* and comes to 0.5 s per call' syncs.json
printf 'second = 1\n' >thresholds
check 'a threshold that there is none of' status 1 "$summary" threads-4.darshan
finish
