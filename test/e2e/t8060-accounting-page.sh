# t8060-accounting-page.sh - darshan-accounting report: content of the page, and its behaviour in a browser
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
acct() {
    "$accounting" --db "$db" "$@"
}

# -- three pages: a site, names that would like to be more than text, nothing
mkdir logs hostile
"$DSN_BUILD/test/site/make-logs" logs 2000 12
"$PYTHON3" "$DSN_SRC/test/site/make-others.py" . 2000 12 20000
db=site.db
acct init
acct ingest logs >/dev/null && acct import slurm jobs >/dev/null && acct import accounts accounts.csv >/dev/null &&
    acct import samples samples.csv >/dev/null && acct import programs programs.csv >/dev/null &&
    acct import fsstats snapshot-0.json snapshot-1.json >/dev/null
is "$?" 0 'a site'
check 'its page' acct report -o site.html
is "$(($(wc -c <site.html) < 3000000))" 1 'of less than 3 MB'
echo '{"drawn": ["interfaces", "sharing", "projects", "project-coverage", "files-by-processes", "written-files", "throughput",
 "throughput-hours", "throughput-shares", "idle", "file-sizes", "file-ages", "project-rates", "project-characteristics",
 "request-sizes", "scaling", "patterns", "program-ranking", "disciplines"]}' >site.json

db=hostile.db
acct init
cat >make-hostile.py <<'PY'
import csv, json
names = ["<script>window.broken = 1</script>", "</script><img src=x onerror='window.broken = 1'>", "\" onclick=\"x", "<!-- ",
         "a&amp;b", "javascript:alert(1)", "{{x}}", "\u2028\u2029", "=1+1", "__proto__", "constructor"]
with open("accounts.csv", "w", newline="") as to:
    csv.writer(to).writerows([["account", "project", "discipline"]] + [[str(i), n, n] for i, n in enumerate(names)])
with open("jobs.csv", "w") as to:
    to.write("jobid,account,core_hours\n" + "".join("%d,%d,1\n" % (i, i) for i in range(len(names))))
with open("programs.csv", "w", newline="") as to:
    csv.writer(to).writerows([["program", "system", "discipline", "executions", "cpu_seconds", "megabytes"]] +
                             [[n, 0, n, 1, 1000 + i, 100 * i + 1] for i, n in enumerate(names)])
for i, n in enumerate(names):
    json.dump({"exe": n.replace(" ", "_"), "jobid": i, "nprocs": 4, "end": 10, "metadata": "nnodes=1\n", "names": {"1": n},
               "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": 1048576, "POSIX_READS": 1, "POSIX_SIZE_READ_100K_1M": 1,
                                            "POSIX_F_READ_TIME": i + 1}]]}, open("%d.json" % i, "w"))
json.dump({"format": "darshan-fsstats 1", "directory": names[0], "time": 86400, "files": 1, "directories": 1, "bytes": 1,
           "histograms": {k: [[1, 1, 1]] for k in ("size", "access_days", "modification_days")}, "owners": [[1, 1, 1]]},
          open("snapshot.json", "w"))
json.dump({"names": [n.strip() for n in names[:7]], "drawn": ["projects", "project-rates", "file-sizes", "program-ranking"]}, open("hostile.json", "w"))
PY
"$PYTHON3" make-hostile.py
for n in 0 1 2 3 4 5 6 7 8 9 10; do
    make_log hostile/$n.darshan <$n.json
done
acct ingest hostile >/dev/null && acct import slurm jobs.csv >/dev/null && acct import accounts accounts.csv >/dev/null &&
    acct import programs programs.csv >/dev/null && acct import fsstats snapshot.json >/dev/null
is "$?" 0 'hostile names'
check 'their page' acct --min-procs 1 --min-mib 0 report -o hostile.html
db=empty.db
acct init
check 'the page of an empty database' acct report -o empty.html

# -- what stands in them
cat >look.py <<'PY'
import html.parser, json, subprocess, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.links, self.scripts = [], [], [], []
    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
name, database, command = sys.argv[1:]
text = open(name, encoding="utf-8").read()
page = Page()
page.feed(text)
assert not page.open, page.open
assert not {"img", "link", "iframe"} & set(page.tags) and not page.links, (page.tags, page.links)
assert "default-src 'none'" in text
study = json.loads(page.scripts[0])
wanted = json.loads(subprocess.run([command, "--db", database, "study", "--json"] + (
    ["--min-procs", "1", "--min-mib", "0"] if "hostile" in name else []), stdout=subprocess.PIPE, check=True).stdout)
assert [q["name"] for q in study["questions"]] == list(wanted)
for q in study["questions"]:
    assert [dict(zip(q["columns"], row)) for row in q["rows"]] == wanted[q["name"]][:10000], q["name"]
    assert q["sql"].split()[0] in ("SELECT", "WITH") and q["more"] is (len(wanted[q["name"]]) > 10000), q["name"]
PY
for name in site hostile empty; do
    check "$name: it holds what the study prints, and nothing is fetched" "$PYTHON3" look.py $name.html $name.db "$accounting"
done
check 'a page that cannot be written: exit status 1' status 1 acct report -o nowhere/page.html
is "$(wc -l <err)" 1 'in one line'
check 'a full device: exit status 1' status 1 acct report -o /dev/full

# -- in a browser
browser=$(command -v chromium || command -v chromium-browser)
modules=$DSN_BUILD/test/page-modules
fetch() {
    [ -d "$modules/node_modules/playwright-core" ] && return 0
    mkdir -p "$modules" && cp "$DSN_SRC/test/page/package.json" "$DSN_SRC/test/page/package-lock.json" \
        "$DSN_SRC/test/page/.npmrc" "$modules" && (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund) >npm.log 2>&1
}
if [ -z "$browser" ] || ! command -v node >/dev/null; then
    skip 'pages in a browser' 'packages chromium and nodejs'
elif ! fetch; then
    skip 'pages in a browser' 'network: npm fetches playwright-core'
elif ! grep -q 'darshanCharts *=' site.html; then
    skip 'pages in a browser' 'charts, when it was configured (npm, a network)'
else
    CHROMIUM=$browser node "$DSN_SRC/test/page/browse-site.js" "$modules" site.html hostile.html >browsed 2>&1
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "${line#* - }" ;;
        'not ok '*) not_ok "${line#* - }" ;;
        '1..'*) ;;
        *) echo "# $line" ;;
        esac
    done <browsed
    case $(tail -n 1 browsed) in
    '1..'*) ok 'the browser got to the end' ;;
    *) not_ok 'the browser got to the end' "$(tail -n 5 browsed)" ;;
    esac
fi
finish
