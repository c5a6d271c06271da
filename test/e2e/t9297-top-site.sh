# t9297-top-site.sh - files for Prometheus and Grafana: rules and dashboards queried on a Prometheus with darshan-top's
# output, and on a PostgreSQL with logs
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"
. "$DSN_SRC/test/e2e/accounting.sh"

top=$DSN_PREFIX/bin/darshan-top
site=$DSN_PREFIX/share/darshan/site

is "$(grep -c "^ExecStart=$DSN_PREFIX/bin/darshan-top " "$site/darshan-top.service")" 1 'the service has its path'
check 'compiles' compile nonmpi ./schedule schedule.c

# expressions FILE: what a dashboard or the rules ask
expressions() {
    "$PYTHON3" - "$1" <<'PY'
import json, re, sys
text = open(sys.argv[1]).read()
if sys.argv[1].endswith(".json"):
    for panel in json.loads(text)["panels"]:
        for target in panel["targets"]:
            print(target.get("expr") or target["rawSql"])
else:
    for found in re.findall(r"expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)", text):
        print(" ".join((found[0] or found[1]).split()))
PY
}

# ---- Prometheus, with a node's metrics and nothing else
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
    check 'the configuration is one' promtool check config "$site/prometheus.yml"
    check 'the rules are rules' promtool check rules "$site/darshan-alerts.yml"
    mkdir www
    env DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE="$PWD/log.darshan" "LD_PRELOAD=$preload" ./schedule "$PWD/file" w 1000 200 300 &
    writer=$!
    "$top" --openmetrics --interval 1 -o www/metrics &
    looker=$!
    "$PYTHON3" - <<'PY' &
import functools, http.server
class Metrics(http.server.SimpleHTTPRequestHandler):
    extensions_map = {"": "application/openmetrics-text; version=1.0.0; charset=utf-8"}
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Metrics, directory="www"))
open("port.new", "w").write(str(server.server_address[1]))
__import__("os").rename("port.new", "port")
server.serve_forever()
PY
    serving=$!
    wait_until test -s port -a -s www/metrics
    free=$("$PYTHON3" -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >prometheus.yml <<YML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ['$site/darshan-alerts.yml']
scrape_configs: [{job_name: node, static_configs: [{targets: ['127.0.0.1:$(cat port)']}]}]
YML
    prometheus --config.file=prometheus.yml --storage.tsdb.path="$PWD/tsdb" --web.listen-address="127.0.0.1:$free" >prometheus.out 2>&1 &
    asked=$!
    cat >ask.py <<'PY'
import json, sys, time, urllib.parse, urllib.request
def ask(expression):
    with urllib.request.urlopen("http://127.0.0.1:%s/api/v1/query?%s" % (sys.argv[1], urllib.parse.urlencode({"query": expression})), timeout=20) as r:
        return json.load(r)["data"]["result"]
for attempt in range(300):
    try:
        found = ask("darshan:job_processes_in_io:share and on (jobid) sum by (jobid) (darshan_mount_write_bytes_per_second) > 0")
        if found:
            break
    except OSError:
        pass
    time.sleep(0.2)
print(sorted(found[0]["metric"])[-2:])
total = ask("sum(darshan_mount_write_bytes_per_second)")
print(100e3 < float(total[0]["value"][1]) < 400e3)
for expression in sys.stdin.read().splitlines():
    found = ask(expression)
    # what is above a threshold is nothing here, and there is no node exporter
    if not found and not any(s in expression for s in ("> 0.8", "> 20000", "> 10000", "node_textfile")):
        print("nothing:", expression)
print("asked")
PY
    { expressions "$site/grafana-top.json"; expressions "$site/darshan-alerts.yml"; } >all
    is "$(wc -l <all)" 19 'so many questions'
    is "$("$PYTHON3" ask.py "$free" <all | tr '\n' ';')" "['jobid', 'user'];True;asked;" 'Prometheus answers all of them'
    kill $asked $serving $looker $writer
    wait $asked $serving $looker $writer 2>/dev/null
    "$DSN_PREFIX/bin/darshan-recover" -q -o . >/dev/null
else
    skip 'questions to Prometheus' 'the package prometheus'
fi

# ---- PostgreSQL, with logs
base site
five_logs five
"$accounting" --db "$base" init
"$accounting" --db "$base" ingest five >/dev/null
MPI=openmpi
if have_mpi openmpi; then
    mkdir data
    check 'compiles' compile preload ./program ranks-of-files.c
    check 'runs' execute preload 4 ./program data
    check 'a log with ranks of shared files' "$accounting" --db "$base" ingest "$(latest_log)"
fi
expressions "$site/grafana-accounting.json" | sed 's/\$__unixEpochFilter(\([a-z_]*\))/\1 >= 0/' >all
is "$(wc -l <all) $(grep -c '\$' all)" '7 0' 'so many questions to the database'
n=0
while read -r question; do
    n=$((n + 1))
    check "question $n of the dashboard" pg_sql site "$question"
done <all
if have_mpi openmpi; then
    is "$(pg_sql site "$(tail -1 all | sed 's/writers \* 8 <= ranks/ranks = 4/')" | grep 'some\.dat|' | cut -d'|' -f4-6)" '4|3|2' \
        'ranks of shared files are among the answers'
fi
finish
