# t1100-call-sites.sh - lines that make calls: exact in every way, in all that reads logs
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

export DARSHAN_CALLSITES=1
bin=$DSN_PREFIX/bin

# Counts by file, layer and chain of calls, by the tests' own decoder; lines by addr2line, and the comments in the source.
cat >tell.py <<'END'
import collections, os, re, subprocess, sys
sys.path.insert(0, os.environ["DSN_SRC"] + "/test/decode")
import darshan_log
log, source = darshan_log.Log(sys.argv[1]), os.environ["DSN_SRC"] + "/test/work/call-sites.c"
marks = {n: re.search(r"/\* line: (\w+)", line).group(1) for n, line in enumerate(open(source), 1) if "/* line: " in line}
def chain(text):
    found = []
    for line in text.splitlines():
        path, _, places = line[1:].split("\t")
        if os.path.basename(path) != "program":
            continue
        said = subprocess.run(["addr2line", "-e", path] + ["%x" % (int(p, 16) - 1) for p in places.split()], capture_output=True, text=True, check=True)
        for at in said.stdout.splitlines():
            name, _, number = at.split(" ")[0].rpartition(":")
            if os.path.basename(name) == "call-sites.c" and number.isdigit():
                found.append(marks.get(int(number), ""))
    return "<".join(f for f in found if f)
sums = collections.defaultdict(lambda: [0] * 5)
for row in log.extension["sites"]:
    where = chain(log.extension["stacks"].get(row["SITE_STACK"], ""))
    name = log.names.get(row["SITE_FILE"], "?").split("/")[-1]
    if where and row["SITE_LAYER"] >= 0:
        of = sums[name, row["SITE_LAYER"], where]
        for i, counter in enumerate(("READS", "WRITES", "METAS", "BYTES_READ", "BYTES_WRITTEN")):
            of[i] += row["SITE_" + counter]
for (name, layer, where), counts in sorted(sums.items()):
    print(name, layer, where, *counts)
END
chains() {
    for rank; do
        cat <<END
data.$rank 0 one 50 0 0 50 0
data.$rank 0 put<deep<deep<deep<deep 0 1 0 0 10
data.$rank 0 put<first 0 40 0 0 4000
data.$rank 0 put<second 0 30 0 0 6000
data.$rank 0 thread 300 0 0 1500 0
data.$rank 0 two 50 0 0 100 0
END
    done
    echo 'own.0 0 put<first 0 40 0 0 4000'
    [ $# = 1 ] || echo "shared 2 mpi 0 $((20 * $#)) 0 0 $((20000 * $#))"
    for rank; do
        echo "text.$rank 1 print 0 100 0 0 200"
        echo "text.$rank 1 puts 0 100 0 0 400"
    done
}

# places WAY RANKS [FLAG]...
places() {
    way=$1 ranks=$2
    shift 2
    fresh_logs
    rm -rf data program
    mkdir data
    compile "$way" program call-sites.c "$@" 2>build.err
    execute "$way" "$ranks" "$PWD/program" "$PWD/data" >out 2>&1
    log=$(latest_log)
    name="$way${MPI:+, $MPI}, $ranks: $*"
    check "$name: the log keeps all rules" decode "$log" --strict
    is "$("$PYTHON3" tell.py "$log" | grep -v '^shared 0 ')" "$(chains $(seq 0 $((ranks - 1))))" "$name: exact, by file and chain of calls"
}

MPI=
places nonmpi 1
places nonmpi 1 -O2
places nonmpi 1 -O2 -fomit-frame-pointer -no-pie -fno-pie
of_mpi() {
    for way in preload linked static; do places $way 3 -O2; done
}

# -- what reads logs
MPI=
places nonmpi 1 -O2
line() {
    grep -n "line: $1 " "$work/call-sites.c" | cut -d : -f 1
}
if "$bin/darshan-job-summary" --verbose "$log" | grep -q 'cannot be read here'; then
    skip 'lines in reports' 'package libdw-dev'
else
    "$bin/darshan-job-summary" --verbose "$log" >report
    is "$(awk -v w="call-sites.c:$(line put)" '$1 == "put," && $2 == w { print $NF }' report)" 111 'report: a line with its calls'
    "$bin/darshan-job-summary" --json "$log" >report.json
    check 'its JSON is as its schema says' "$PYTHON3" "$DSN_SRC/test/decode/schema.py" "$DSN_PREFIX/share/darshan/job-summary.schema.json" report.json
    cat >rows.py <<'END'
import json, sys
rows = {r["where"]: r for r in json.load(open("report.json"))["call_sites"]["rows"]}
r = rows["put, call-sites.c:" + sys.argv[1]]
print(r["no_line_because"], r["work"]["writes"], r["work"]["bytes_written"], r["files"], r["file"].split("/")[-1] in ("data.0", "own.0")) # whichever took longer
chain = [f["where"].split(",")[0] for f in r["stack"] if f["is_own"] and "call-sites" in f["where"]]
print(chain in [["put", of, "main"] for of in ("save_first", "save_second")])
END
    is "$("$PYTHON3" rows.py "$(line put)")" "None 111 14010 2 True
True" 'JSON: the same, its files, and the chain'
    is "$("$bin/darshan-job-summary" --json --files '*/own.0' "$log" | "$PYTHON3" -c 'import json, sys
print(sum(r["work"]["writes"] for r in json.load(sys.stdin)["call_sites"]["rows"]))')" 40 'of one file: its own'
    cp program stripped
    strip stripped
    mv stripped program
    is "$("$bin/darshan-job-summary" --json "$log" | "$PYTHON3" -c 'import json, sys
rows = [r["where"] for r in json.load(sys.stdin)["call_sites"]["rows"]]
print(sum(w.startswith("program+0x") for w in rows) > 5, sum("call-sites.c" in w for w in rows))')" 'True 0' 'stripped: places without lines'
    check 'and that is said' sh -c '"$1" --verbose "$2" | grep -q "no line: it has no symbols"' sh "$bin/darshan-job-summary" "$log"
    cc -o program -x c - <<'END'
int main(void) { return 0; }
END
    check 'a program that has changed is not looked into' sh -c '"$1" --verbose "$2" | grep -q "no line: the file has changed since"' sh "$bin/darshan-job-summary" "$log"
    cat >named.cc <<'END'
#include <fcntl.h>
#include <unistd.h>
namespace application {
struct Dump {
    int fd;
    __attribute__((noinline)) explicit Dump(const char *name) : fd(open(name, O_CREAT | O_WRONLY, 0644)) { write_all(); }
    __attribute__((noinline)) ~Dump() { fsync(fd); }
    __attribute__((noinline)) void write_all() const { if (write(fd, "x", 1) != 1) _exit(1); }
};
}
int main(int, char **argv) { application::Dump d(argv[1]); return 0; }
END
    fresh_logs
    c++ -O1 -o named named.cc && execute nonmpi 1 "$PWD/named" "$PWD/data/named" >out 2>&1
    is "$("$bin/darshan-job-summary" --json "$(latest_log)" | "$PYTHON3" -c 'import json, sys
for r in sorted(r["where"].split("+")[0] for r in json.load(sys.stdin)["call_sites"]["rows"] if " in named" in r["where"]): print(r)')" \
        'Dump::Dump
Dump::write_all
Dump::~Dump' 'functions of classes have their names without -g'
    rm program
    mkfifo program
    check 'nor is what is no regular file' sh -c 'timeout 20 "$1" --verbose "$2" | grep -q "no line: the file cannot be read here"' sh "$bin/darshan-job-summary" "$log"
    rm program
fi
"$bin/darshan-parser" --extra "$log" | grep '^SITE' >before
"$bin/darshan-convert" "$log" converted.darshan
"$bin/darshan-parser" --extra converted.darshan | grep '^SITE' >after
check 'darshan-parser prints them, darshan-convert keeps them' alike before after
"$bin/darshan-convert" --obfuscate "$log" hidden.darshan
is "$("$bin/darshan-parser" --extra hidden.darshan | grep -c '^SITE\|program')" 0 'with --obfuscate without them'
"$bin/darshan-merge" --output merged.darshan "$log" "$log" 2>merge.err
check 'darshan-merge: both' decode merged.darshan
is "$("$bin/darshan-parser" --extra merged.darshan | awk '$4 == "SITE_WRITES" { n += $5 } END { print n }')" \
    "$(awk '$4 == "SITE_WRITES" { n += 2 * $5 } END { print n }' before)" 'and as many calls as in both'
is "$("$bin/darshan-parser" "$log" | grep -c 'site:\|stack:')" 0 'who does not ask for them sees nothing'

accounts() {
    "$bin/darshan-accounting" --db a.db init
    "$bin/darshan-accounting" --db a.db ingest "$log" >ingested 2>&1
    "$bin/darshan-accounting" --db a.db --csv query call-sites >queried
    is "$(awk -F , '$2 ~ /^"program\+0x/ { n += $7 } END { print n }' queried)" 311 'accounting: the places, as the log has them'
}
if [ -x "$bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi

# -- many calls: estimates
fresh_logs
rm -rf data
mkdir data
compile nonmpi program call-sites.c -O2
execute nonmpi 1 "$PWD/program" "$PWD/data" many >out 2>&1
is "$("$PYTHON3" tell.py "$(latest_log)" | awk '$1 == "text.0" { print $3, ($5 > 180000 && $5 < 220000) }')" 'print 1
puts 1' 'many short calls: about as many as there were'
check 'many short calls: the log keeps all rules' decode "$(latest_log)" --strict

# -- more files than there is room for at this place: the others count together
fresh_logs
execute nonmpi 1 "$PWD/program" "$PWD/data" files >out 2>&1
"$PYTHON3" tell.py "$(latest_log)" >told
is "$(awk '$3 == "file" { n += $5 } $3 == "file" && $1 == "?" { rest += $5 } END { print (n > 2700 && n < 3300), (rest > 500) }' told)" '1 1' \
    '3,000 files: all writes, some of them of further files'
check '3,000 files: the log keeps all rules' decode "$(latest_log)" --strict

# -- logs with anything in these parts
cat >forge.py <<'END'
import struct
lines = ["n/bin/sh\t00\t10 20", "n/dev/zero\t\t1", "n/tmp\t\t1", "n\t\t", "n", "p", "p\t\t", "p/a.py\t3\tf", "p/a.py\t99999999999999999999\tf\tg",
         "nrelative\tabc\tzz 1 2", "n/etc/passwd\t\tffffffffffffffff", "n" + "x" * 5000 + "\t\t1", "n/bin/sh\t" + "a" * 300 + "\t1 2 3 4",
         "p" + "y" * 700 + "\t1\t" + "z" * 700, "\t\t\t", "", "q", "n/bin/sh\t\t 5", "n/bin/sh\t\t5  6", "\xff\xfe", "p<string>\t7\tlast"]
texts = lines + ["\n".join(lines), "\n" * 100]
open("stacks", "wb").write(b"".join(struct.pack("=Q", 1 + i) + t.encode("latin-1") + b"\0" for i, t in enumerate(texts)) + b"cut off")
odd = [0, 1, -1, 2**62, -2**63]
with open("sites", "wb") as f:
    for i in range(len(texts) * 5):
        f.write(struct.pack("=Qqqqqqqqqqdddq", i, odd[i % 5], i, 1 + i % (len(texts) + 2), i % 9 - 2, *[odd[(i + k) % 5] for k in range(5)],
                            [0.0, 1e300, float("nan"), float("inf"), -1.0][i % 5], 1.0, 0.5, 1))
END
cc -I"$DSN_PREFIX/include" -o forge "$work/forge-sites.c" -L"$DSN_PREFIX/lib" -ldarshan-util "-Wl,-rpath,$DSN_PREFIX/lib" && "$PYTHON3" forge.py &&
    ./forge forged.darshan sites stacks
is $? 0 'a log with anything in these parts'
for how in '' --verbose --json; do
    check "job-summary $how reads it" timeout 60 "$bin/darshan-job-summary" $how forged.darshan
done
is "$("$bin/darshan-job-summary" --json forged.darshan | grep -c '"where": *"last, <string>:7"') $("$bin/darshan-job-summary" --verbose forged.darshan | grep -c 'nan\|inf ')" '1 0' 'and shows what can be true'
check 'parser --extra reads it' "$bin/darshan-parser" --extra forged.darshan

# -- what findings name: of waiting in calls above storage, the call that the program waits in
forge waits.darshan <<'END'
job nprocs=4 start=1000 end=1010
record POSIX -1 /d/field POSIX_OPENS=4 POSIX_WRITES=4 POSIX_BYTES_WRITTEN=4194304 POSIX_F_META_TIME=0.01 POSIX_F_WRITE_TIME=0.2 POSIX_F_SLOWEST_RANK_TIME=0.06
record MPI-IO -1 /d/field MPIIO_COLL_OPENS=4 MPIIO_COLL_WRITES=4 MPIIO_BYTES_WRITTEN=4194304 MPIIO_F_META_TIME=16 MPIIO_F_WRITE_TIME=1 MPIIO_F_SLOWEST_RANK_TIME=4.3
record STDIO 0 /d/text STDIO_OPENS=1 STDIO_WRITES=1 STDIO_BYTES_WRITTEN=100 STDIO_F_META_TIME=0.1
site create:11 2 /d/field SITE_METAS=4 SITE_F_META_TIME=16
site create:11 0 /d/field SITE_METAS=4 SITE_F_META_TIME=0.01
site put:12 2 /d/field SITE_WRITES=4 SITE_F_WRITE_TIME=1 SITE_BYTES_WRITTEN=4194304
site put:12 0 /d/field SITE_WRITES=4 SITE_F_WRITE_TIME=0.2 SITE_BYTES_WRITTEN=4194304
site checkpoint:5 1 /d/text SITE_METAS=1 SITE_F_META_TIME=0.1
END
check "a log with places of its calls, by hand" decode waits.darshan
lines_of() { # LOG: the findings with the lines that they name
    "$bin/darshan-job-summary" --json "$1" | "$PYTHON3" -c 'import json, sys
for f in json.load(sys.stdin)["findings"]:
    print(f["id"], f["line"] and "%s %.2f" % (f["line"]["where"], f["line"]["share"]))'
}
is "$(lines_of waits.darshan | grep '^open-waiting')" 'open-waiting create, run.py:11 1.00' 'waiting in opens: the line of the open, not of the write'
# Within half a second an open there is no telling whether ranks wait: that is metadata.
forge meta.darshan <<'END'
job nprocs=4 start=1000 end=1001
record POSIX -1 /d/field POSIX_OPENS=4 POSIX_WRITES=4 POSIX_BYTES_WRITTEN=4194304 POSIX_F_META_TIME=0.01 POSIX_F_WRITE_TIME=0.2 POSIX_F_SLOWEST_RANK_TIME=0.06
record MPI-IO -1 /d/field MPIIO_COLL_OPENS=4 MPIIO_COLL_WRITES=4 MPIIO_BYTES_WRITTEN=4194304 MPIIO_F_META_TIME=1.6 MPIIO_F_WRITE_TIME=0.2 MPIIO_F_SLOWEST_RANK_TIME=0.45 MPIIO_F_FASTEST_RANK_TIME=0.44
record STDIO 0 /d/text STDIO_OPENS=1 STDIO_WRITES=1 STDIO_BYTES_WRITTEN=100 STDIO_F_META_TIME=0.1
site create:11 2 /d/field SITE_METAS=4 SITE_F_META_TIME=1.6
site create:11 0 /d/field SITE_METAS=4 SITE_F_META_TIME=0.01
site checkpoint:5 1 /d/text SITE_METAS=1 SITE_F_META_TIME=0.1
END
is "$(lines_of meta.darshan | grep '^metadata')" 'metadata create, run.py:11 0.94' 'metadata calls: that of MPI_File_open, in which it is'

# A Python that does not tell its lines: that is said, and places in the interpreter are no advice.
for places in '/usr/bin/python3.13+60954a /usr/bin/python3.13+5f3a3c' '/usr/bin/python3.13+60954a write:7'; do
    set -- $places
    forge python.darshan <<END
job nprocs=1 start=1000 end=1002
exe python3 run.py
record POSIX 0 /d/f POSIX_OPENS=1 POSIX_WRITES=100000 POSIX_SIZE_WRITE_0_100=100000 POSIX_BYTES_WRITTEN=100000 POSIX_MAX_BYTE_WRITTEN=99999 POSIX_F_WRITE_TIME=1 POSIX_SEQ_WRITES=99999 POSIX_CONSEC_WRITES=99999
site $1 0 /d/f SITE_WRITES=100000 SITE_F_WRITE_TIME=1 SITE_BYTES_WRITTEN=100000
site $2 0 /d/f SITE_METAS=1 SITE_F_META_TIME=0.001
END
    "$bin/darshan-job-summary" python.darshan >out
    "$bin/darshan-job-summary" --verbose python.darshan >more
    echo "$(grep -c 'no lines of the script: this release of Python does not tell them' out) $(grep -c 'no line: this release of Python' more)" \
        "$(lines_of python.darshan | grep '^small-writes')"
done >said
is "$(cat said)" '1 2 small-writes None
0 0 small-writes python3.13+0x60954a 1.00' 'Python that does not tell its lines'

# -- a process that is killed; off; a fork
fresh_logs
(execute nonmpi 1 "$PWD/program" "$PWD/data" killed) >out 2>&1
wait_until_ended
"$bin/darshan-recover" --mine >recovered 2>&1
is "$("$PYTHON3" tell.py "$(latest_log)")" "$(chains 0)" 'killed: what it had counted'
fresh_logs
DARSHAN_CALLSITES= && unset DARSHAN_CALLSITES
execute nonmpi 1 "$PWD/program" "$PWD/data" >out 2>&1
is "$("$bin/darshan-parser" --extra "$(latest_log)" | grep -c '^SITE')" 0 'not asked for: none'
export DARSHAN_CALLSITES=1

# -- Python
if [ ! -x /usr/bin/python3 ]; then
    skip 'lines of Python' 'package python3'
elif ! /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None)._Py_DumpTraceback' 2>/dev/null; then
    skip 'lines of Python' 'a Python that exports _Py_DumpTraceback'
else
    cat >lines.py <<'END'
import os, sys
def load(path):
    with open(path, "rb", 0) as f:
        f.read(10) # line: load
def store(fd, n):
    for i in range(n):
        os.write(fd, b"x" * 3000) # line: store
fd = os.open("stored", os.O_CREAT | os.O_WRONLY)
store(fd, 900)
load(__file__)
child = os.fork()
if child == 0:
    for i in range(50):
        os.write(fd, b"y" * 7) # line: child
    os._exit(0)
os.waitpid(child, 0)
END
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" /usr/bin/python3 lines.py
    check 'Python: the log keeps all rules' decode "$(latest_log)" --strict
    at() {
        grep -n "# line: $1" lines.py | cut -d : -f 1
    }
    "$bin/darshan-parser" --extra "$(latest_log)" | awk -F '\t' '$4 ~ /SITE_WRITES|SITE_READS/ && $5 > 0 { split($7, p, "lines.py "); split(p[2], w, ";"); n[w[1] " " $4] += $5 } END { for (k in n) print k, n[k] }' >lines
    is "$(grep -c "^$(at store) store SITE_WRITES 900$" lines),$(grep -c "^$(at load) load SITE_READS 1$" lines),$(grep -c "^$(at child) <module> SITE_WRITES 50$" lines)" 1,1,1 \
        'Python: lines of the script, and of a child'
    named=$(printf 'schr\303\251iben')
    printf 'def %s(name):\n    open(name, "w").write("x")\n%s("named")\n' "$named" "$named" >"$named.py"
    fresh_logs
    env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" /usr/bin/python3 -X utf8 "$named.py"
    is "$("$bin/darshan-job-summary" --verbose "$(latest_log)" | grep -c "^ *$named, $named.py:2 ")" 1 'Python: names that are not ASCII'
fi
each_mpi of_mpi
finish
