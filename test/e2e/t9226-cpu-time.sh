# t9226-cpu-time.sh - the CPU time of each process is in its log: once, if a program goes on as another one; unknown of one that is killed
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# Each process burns as much as it is told, and says what the kernel has counted of it.
cat >burn.py <<'END'
import os, resource, signal, sys
def used():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
def burn(seconds):
    until = used() + seconds
    while used() < until:
        sum(range(10000))
def say(who, seconds):
    print('%s %.3f' % (who, seconds), flush=True)
what, before = sys.argv[1], float(sys.argv[2])
open('touched.' + what, 'w').write('x')
if what == 'first':
    burn(0.6)
    say(what, used())
    os.execv(sys.executable, [sys.executable, 'burn.py', 'second', '%.3f' % used()])
child = 0 if what == 'second' else os.fork()
if what != 'second' and child == 0:
    open('touched.child', 'w').write('x')
    burn(0.9)
    if what == 'killer':
        os.kill(os.getpid(), signal.SIGKILL)
    say('child', used())
    os._exit(0)
burn(0.3)
if child:
    os.waitpid(child, 0)
say(what, used() - before)
END
# cpu TEXT PROCESSES: what the log says of each, in the order of size, is what the process has said
cpu() {
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$PYTHON3" burn.py "$2" 0 >said
    "$DSN_PREFIX/bin/darshan-parser" --extra "$(latest_log)" >parsed
    awk -F '\t' '$4 ~ /^RANK_F_CPU_(USER|SYSTEM)$/ { sum[$2] += $5 } END { for (r in sum) print sum[r] }' parsed | sort -n >got
    [ "$2" != killer ] || echo killed 0 >>said
    [ "$2" != first ] || awk '{ sum += $2 } END { print "both", sum }' said >sum # they share a rank
    [ "$2" != first ] || mv sum said
    sort -n -k 2 said | cut -d ' ' -f 2 | paste - got >both
    cp "$(latest_log)" "$2.darshan"
    is "$(awk '$2 - $1 < 0.1 && $1 - $2 < 0.1 { n++ } END { print n + 0, NR }' both)" "$3 $3" "$1" || cat both
}
cpu 'a program that another one goes on as' first 1
cpu 'a parent and its child' parent 2
cpu 'a child that is killed: unknown, that is 0' killer 2

# -- with it programs are ranked by what they move a second of it, if nothing else was imported
account() { "$DSN_PREFIX/bin/darshan-accounting" --db site.db "$@"; }
check 'a database' account init
check 'takes the logs' account ingest first.darshan parent.darshan killer.darshan
# sql STATEMENT
sql() { "$PYTHON3" -c 'import sqlite3, sys
with sqlite3.connect("site.db") as db:
    for row in db.execute(sys.argv[1]):
        print(*row)' "$1"; }
is "$(sql "SELECT count(*), count(cpu_seconds), sum(CASE WHEN cpu_seconds BETWEEN 0.9 AND 1.5 THEN 1 END) FROM log")" '3 2 2' \
    'the database has it of all but the one of which a process was killed'
sql "UPDATE log SET program = 'slow', cpu_seconds = 200, bytes_read = 1000000000, bytes_written = 3000000000 WHERE log_id = 1"
sql "UPDATE log SET program = 'fast', cpu_seconds = 100, bytes_read = 3000000000, bytes_written = 0 WHERE log_id = 2"
is "$(account query program-ranking --csv --raw | tr -d '"' | cut -d, -f 1-6,11)" 'k,program,executions,cpu_seconds,megabytes,rate,period
1,fast,1,100,3000,30,logs
2,slow,1,200,4000,20,logs' 'the ranking of programs, over logs'
finish
