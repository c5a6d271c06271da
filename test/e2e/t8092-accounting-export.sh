# t8092-accounting-export.sh - tables as compressed CSV by month, read back without our code
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
command -v zstd >/dev/null || skip_all 'package zstd'
grep -q '^#define HAVE_ZSTD 1' "$DSN_BUILD/config.h" || skip_all 'package libzstd-dev, when it was configured'
acct() {
    "$accounting" --db "$db" "$@"
}

five_logs five
# the last second of a month, the first of the next, a leap day; no time that a calendar has; names that make CSV and UTF-8 hard
make_log five/end.darshan <<'JSON'
{"jobid": 200, "start": 1709251199, "end": 1709251300, "exe": "/bin/e", "names": {"8": "/d/\"a,b\nc\u00e9"},
 "records": [["POSIX", 8, 0, {"POSIX_BYTES_WRITTEN": 7}]]}
JSON
make_log five/next.darshan <<'JSON'
{"jobid": 201, "start": 1709251200, "end": 1709251300, "exe": "/bin/n", "names": {"9": "=x"},
 "records": [["POSIX", 9, 0, {"POSIX_BYTES_WRITTEN": 11}], ["STDIO", 9, 0, {"STDIO_BYTES_READ": 13}]]}
JSON
make_log five/never.darshan <<'JSON'
{"jobid": 202, "start": 999999999999, "end": 999999999999, "exe": "/bin/v", "names": {"10": "/d/never"},
 "records": [["POSIX", 10, 0, {"POSIX_BYTES_WRITTEN": 17}]]}
JSON
five_jobs >jobs
printf 'jobid,account,start\n200,A,2024-02-29T12:00:00\n201,A,2024-03-15T12:00:00\n' >more
printf 'time,host,device,seconds,read_kib,write_kib\n1709251199,h,sda,60,1,2\n1709251200,h,sda,60,3,4\n' >samples

# The tables of the export in directory 1 beside those of the plain one in 2: the same rows, each in the month of its time.
cat >compare.py <<'PY'
import csv, datetime, glob, os, subprocess, sys
parted, plain = sys.argv[1:]
csv.field_size_limit(1 << 30)

def rows(lines):
    return list(csv.DictReader(lines))

def part(path):
    text = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    return rows(text.splitlines(keepends=True))

def month(text):
    try:
        return datetime.datetime.fromtimestamp(int(float(text)), datetime.timezone.utc).strftime("%Y-%m")
    except (ValueError, OverflowError, OSError):
        return "__HIVE_DEFAULT_PARTITION__"

tables = {os.path.basename(f)[:-4]: rows(open(f, newline="", encoding="utf-8", errors="surrogateescape"))
          for f in glob.glob(plain + "/*.csv")}
start = {r["log_id"]: month(r["start_time"]) for r in tables["log"]}
own = {"job": "start_time", "device_sample": "time"}
manifest = {(r["table"], r["month"]): int(r["rows"]) for r in rows(open(parted + "/_manifest.csv"))}
compared = 0
for name, wanted in tables.items():
    found = []
    for path in glob.glob("%s/%s/**/part.csv.zst" % (parted, name), recursive=True):
        at = os.path.basename(os.path.dirname(path))
        at = at[len("month="):] if at.startswith("month=") else ""
        got = part(path)
        assert got and manifest.pop((name, at)) == len(got), path
        for r in got:
            if name in own:
                assert month(r[own[name]]) == at, (path, r)
            elif "log_id" in r and name != "source":
                assert start[r["log_id"]] == at, (path, r)
            else:
                assert at == "", path
        found += got
    key = lambda r: sorted((k, v) for k, v in r.items())
    assert sorted(map(key, found)) == sorted(map(key, wanted)), name
    compared += len(found)
assert not manifest, manifest
print(len([t for t in tables.values() if t]) > 8 and compared > 0)
PY

for accounting_on in sqlite postgresql; do
    on="$accounting_on: "
    base exports
    db=$base
    rm -rf parted plain
    acct init
    acct ingest five >out
    for import in slurm:jobs slurm:more samples:samples; do
        acct import "${import%:*}" "${import#*:}" >out || exit 1
    done
    check "${on}export" acct export --format csv.zst parted
    acct export plain
    is "$("$PYTHON3" compare.py parted plain 2>&1)" True "${on}all rows are there once, each in its month"
    is "$(ls -A | grep -c 'parted\.')" 0 "${on}nothing is left beside it"
    is "$(ls parted/log | tr '\n' ' ')" \
        'month=1970-01 month=2024-02 month=2024-03 month=__HIVE_DEFAULT_PARTITION__ ' "${on}months of logs"
    is "$(cat parted/posix_total/*/part.csv.zst | zstd -dcq | "$PYTHON3" -c 'import csv, sys
column = None
total = 0
for r in csv.reader(sys.stdin):
    if r[0] == "log_id":
        column = [c.lower() for c in r].index("posix_bytes_written")
    else:
        total += int(r[column])
print(total)')" $((4 * 104857600 + 2 * 1048576000 + 7 + 11 + 17)) "${on}a sum over all of them"
    check "${on}over one that is there" status 1 acct export --format csv.zst parted
    is "$(cat err)" 'darshan-accounting: parted: exists; give another name, or --force to replace an export' "${on}says what to do"
    touch parted/old
    check "${on}with --force" acct export --format csv.zst --force parted/
    is "$(ls -A | grep -c 'parted\.') $(ls parted/old 2>/dev/null | wc -l | tr -d ' ')" '0 0' "${on}it is replaced as a whole"
    rm -rf part
    check "${on}a month" acct --from 2024-02-01 --to 2024-03-01 export --format csv.zst part
    is "$(ls -d part/*/month=* | sed 's|.*/||' | sort -u) $(zstd -dcq part/log/*/part.csv.zst | wc -l)" 'month=2024-02 2' \
        "${on}only that is there"
done

mkdir precious
touch precious/file
check 'a directory of somebody else is not replaced' status 1 acct export --format csv.zst --force precious
is "$(ls precious)" file 'it is as it was'

# A directory that appears while an export runs, which is stopped for that.
cat >meanwhile.py <<'PY'
import glob, os, signal, subprocess, sys, time
for _ in range(50):
    p = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE)
    while p.poll() is None and not glob.glob("late.??????"):
        pass
    p.send_signal(signal.SIGSTOP)
    time.sleep(0.05)
    if p.poll() is None and not os.path.exists("late"):
        os.mkdir("late")
        open("late/file", "w").close()
        p.send_signal(signal.SIGCONT)
        sys.stdout.write(p.communicate()[1].decode())
        sys.exit(p.returncode)
    p.send_signal(signal.SIGCONT)
    p.communicate()
    subprocess.run(["rm", "-rf", "late"], check=True)
sys.exit("the export was never stopped in time")
PY
check 'a directory appears during the export' status 1 python3 meanwhile.py "$accounting" --db "$db" export --format csv.zst late
is "$(ls -A late) $(ls -d late.* 2>/dev/null)" 'file ' 'it stays as it is, and nothing else remains'
is "$(cat out)" 'darshan-accounting: late: exists; give another name, or --force to replace an export' 'says so'
check 'also with --force' status 1 sh -c 'rm -rf late; exec python3 meanwhile.py "$@"' - "$accounting" --db "$db" export --format csv.zst --force late
is "$(ls -A late)" file 'it stays as it is'

chmod 555 precious
[ "$(id -u)" = 0 ] || check 'no permission' status 1 acct export --format csv.zst precious/export
chmod 755 precious
check 'an unknown form' status 2 acct export --format parquet new
check '--force without it' status 2 acct export --force new
is "$(ls -d new 2>/dev/null)" '' 'nothing was made'
finish
