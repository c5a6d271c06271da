# t7420-job-page.sh - pages of darshan-job-summary: their content, and their behaviour in a browser
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

[ -n "$PYTHON3" ] || skip_all 'package python3'
summary=$DSN_PREFIX/bin/darshan-job-summary
"$PYTHON3" "$DSN_SRC/test/page/make-logs.py" . || exit 1
cp "$DSN_SRC"/test/golden/*.darshan .
real_pages='nonmpi_dxt_anonymized hdf5_diagonal_write_half_ranks_dxt imbalanced-io e3sm_io_heatmap_only'
if real_logs 'pages of real logs'; then
    for log in $real_pages; do
        cp "$real/$log.darshan" .
    done
else
    real_pages=
fi

for log in *.darshan; do
    name=${log%.darshan}
    check "$name: a page" "$summary" -o "$name.html" "$log"
    check "$name: it holds what the other commands print" \
        "$PYTHON3" "$DSN_SRC/test/page/series.py" "$name.html" "$log" "$DSN_PREFIX/bin"
    is "$(($(wc -c <"$name.html") < 2000000))" 1 "$name: less than 2 MB"
done

# A job without MPI has processes, whose sums are not those of ranks; and places that make the calls.
fresh_logs
DARSHAN_CALLSITES=1 DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c 'echo a >own; cat own own >copy; cat copy' >/dev/null
check 'a page of processes' "$summary" -o tree.html "$(latest_log)"
echo '{"names": ["Bytes over the run, all processes, POSIX", "Lines that make calls, at storage"]}' >tree.json

# GPUDirect Storage, by a stand-in for its library
cc -O1 -shared -fPIC -Wl,-soname,libcufile.so.0 -o libcufile.so.0 "$DSN_SRC/test/work/cufile-library.c" -lpthread &&
    ln -s libcufile.so.0 libcufile.so && cc -o gds "$DSN_SRC/test/work/cufile.c" -L. -Wl,-rpath,"$PWD" -lcufile -lpthread
fresh_logs
mkdir gds-data
DARSHAN_ENABLE_NONMPI=1 STANDIN_COMPAT=1 run_preload 0 ./gds "$PWD/gds-data"
check 'a page of GPUDirect Storage' "$summary" -o gds.html "$(latest_log)"
check 'it holds what the other commands print' "$PYTHON3" "$DSN_SRC/test/page/series.py" gds.html "$(latest_log)" "$DSN_PREFIX/bin"

# Files by size: three of 1 KiB, one of 4 KiB and a byte, two of 100 KiB that are read twice, a large one, an empty one.
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 sh -c '
    for one in small1:1024 small2:1024 small3:1024 page:4097 middle1:102400 middle2:102400 large:17825792; do
        dd if=/dev/zero of=sized-${one%:*} bs=${one#*:} count=1 2>/dev/null
    done
    : >sized-empty
    cat sized-middle1 sized-middle2 sized-middle1 sized-middle2 >/dev/null'
rm -f sized-*
check 'a page of files of known sizes' "$summary" -o sized.html "$(latest_log)"
"$summary" --json "$(latest_log)" >sized.out
is "$("$PYTHON3" -c '
import json
sizes = json.load(open("sized.out"))["files"]["sizes"]
for one in sizes["classes"]:
    if one["work"]["bytes_written"]:
        print(one["up_to"], one["files"], int(one["bytes"]), one["work"]["bytes_written"], one["work"]["bytes_read"])
')" '4096 3 3072 3072 0
65536 1 4097 4097 0
1048576 2 204800 204800 409600
268435456 1 17825792 17825792 0' 'files by size, and what was moved in them'
echo '{"names": ["Number of files by size"], "drawn": ["sharing"]}' >sized.json

# Phases that the program has named.
cc -I"$DSN_PREFIX/include" -o phases "$DSN_SRC/test/work/phases.c" -lpthread
fresh_logs
DARSHAN_ENABLE_NONMPI=1 run_preload 0 ./phases . >/dev/null
check 'a page of named phases' "$summary" -o phases.html "$(latest_log)"
echo '{"names": ["Phases that the program has named", "together", "outer"]}' >phases.json

# -- circumstances ----------------------------------------------------------------------------------------------------

log=ior-HDF5.darshan
check 'without -o there is no page' sh -c '"$0" "$1" >screen && ! grep -q "<html" screen' "$summary" "$log"
check 'a place that cannot be written to: status 1' status 1 "$summary" -o no/such/place.html "$log"
is "$(wc -l <err)" 1 'and one line that says so'
check 'a full device: status 1' status 1 "$summary" -o /dev/full "$log"
is "$([ -c /dev/full ] && echo there)" there 'which is still there then'
check '--full-trace without a page: status 2' status 2 "$summary" --full-trace "$log"
check '--full-trace: more operations than fit without it' sh -c \
    '"$0" -o part.html long.darshan && "$0" --full-trace -o full.html long.darshan' "$summary"
check 'the longest of them, without it' "$PYTHON3" "$DSN_SRC/test/page/series.py" part.html long.darshan "$DSN_PREFIX/bin"
check 'all of them, with it' "$PYTHON3" "$DSN_SRC/test/page/series.py" full.html long.darshan "$DSN_PREFIX/bin"
operations() { grep -o '"packed":{"operations":[0-9]*' "$1" | tr -dc 0-9; }
is "$(operations full.html)" 120000 'which are 120,000'
is "$(($(operations part.html) > 50000 && $(operations part.html) <= 100000))" 1 'of which up to 100,000 are in the smaller page'
check 'a log that there is not: status 1, and no page' sh -c '! "$0" -o none.html none.darshan 2>err && [ ! -e none.html ]' \
    "$summary"
head -c 2000 nonmpi_dxt_anonymized.darshan >spoiled.darshan 2>/dev/null || head -c 900 "$log" >spoiled.darshan
"$summary" -o spoiled.html spoiled.darshan 2>err
is "$?" 1 'a spoiled log: status 1'
is "$(wc -l <err)" 1 'and one line on stderr'

# One allocation of many fails: one line and status 1, or a page.
no_memory() {
    cc -shared -fPIC -O1 -o failing.so "$DSN_SRC/test/lib/failing-malloc.c" || return 1
    n=1
    while rm -f mark page.html; FAIL_AT=$n FAIL_MARK=mark LD_PRELOAD=$PWD/failing.so "$summary" -o page.html "$1" 2>err
        case $?,$(wc -l <err | tr -d ' ') in
        1,1 | 0,0) [ -e mark ] ;;
        *) echo "allocation $n"; cat err; return 1 ;;
        esac
    do
        n=$((n + 41))
    done
    [ ! -e mark ] && [ $n -gt 400 ] && [ -s page.html ]
}
check 'without memory: one line, or a page' no_memory cycles.darshan

# -- in a browser -----------------------------------------------------------------------------------------------------

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
elif ! grep -q 'darshanCharts *=' cycles.html; then
    skip 'pages in a browser' 'charts, when it was configured (npm, a network)'
else
    set -- tree gds sized phases hostile-names many-ranks cycles empty_log ior-DFS ior-HDF5 ior-PNETCDF mpi-io-test-ppc64-3.0.1 \
        mpi-io-test-x86_64-3.1.3 mpi-io-test-x86_64-3.5.0
    pages=
    for name in "$@" $real_pages; do pages="$pages $name.html"; done
    CHROMIUM=$browser node "$DSN_SRC/test/page/browse.js" "$modules" $pages >browsed 2>&1
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
