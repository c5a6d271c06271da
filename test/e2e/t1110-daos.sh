# t1110-daos.sh - DFS and DAOS, by a library that stands in for them: exact counters in every way, and what commands tell of them
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

bin=$DSN_PREFIX/bin
check 'the stand-in for libdaos' cc -g -Wall -Wextra -shared -fPIC -o libdaos.so "$work/daos-objects.c" -lpthread
check 'the stand-in for libdfs' cc -g -Wall -Wextra -shared -fPIC -o libdfs.so "$work/daos-files.c" -L. -ldaos
libraries="-L$PWD -Wl,-rpath,$PWD -ldfs -ldaos -ldl"

all_ways() {
    for way in preload linked; do
        known $way 1 daos.c $libraries daos-below.want
        known $way 3 daos.c $libraries daos-below.want
    done
    known static 3 daos.c $libraries daos-static.want
}
each_mpi all_ways
known nonmpi 1 daos.c $libraries daos-below.want daos-alone.want
known nonmpi 1 daos.c $libraries -O2 -fno-pie -no-pie daos-below.want daos-alone.want

check 'compiles' compile nonmpi ./known-program daos.c $libraries

# -- what commands tell of a job that does all of its I/O by DFS
log=$(latest_log)
"$bin/darshan-parser" --total "$log" >total
is "$(awk '$1 ~ /^total_DFS_(BYTES_READ|BYTES_WRITTEN|WRITES|NB_WRITES):$/ { print $1, $2 }' total | sort | tr '\n' ' ')" \
    'total_DFS_BYTES_READ: 8196 total_DFS_BYTES_WRITTEN: 270548 total_DFS_NB_WRITES: 2 total_DFS_WRITES: 4013 ' 'darshan-parser --total'
is "$("$bin/darshan-parser" "$log" | awk -F'\t' '$1 == "DFS" && $4 == "DFS_OPENS" { print $2, $6, $7 }' | sort)" \
    '0 /dir/a.dat 70707070-7070-7070-7070-707070707070:63636363-6363-6363-6363-636363636363
0 /shared 70707070-7070-7070-7070-707070707070:63636363-6363-6363-6363-636363636363
0 /threads 70707070-7070-7070-7070-707070707070:63636363-6363-6363-6363-636363636363
0 936748722493063168.17983327234934425761 70707070-7070-7070-7070-707070707070:63636363-6363-6363-6363-636363636363
1 /child UNKNOWN' 'names and places; of the last the pool is not known'
"$bin/darshan-job-summary" --verbose "$log" >report
is "$(awk '$1 == "Data" { print $2, $3, $8, $9 } $1 == "Interfaces" { print } $1 == "(DAOS)" { print $3 }' report | tr -s ' ' | tr '\n' ';')" \
    '8.00 KiB 264 KiB;Interfaces DFS, DAOS;5;' 'the report: bytes, interfaces, and where the files are'
is "$(awk '$1 == "Slowest" { print $3 }' report)" /threads 'and the slowest file'
is "$(awk '$1 == "busiest" { print (($6 + $7 + $8 + $9 + $10 > 0) ? "apart" : "together") }' report)" apart 'time of the busiest process by kind'
"$bin/darshan-job-summary" --json "$log" >report.json
cat >tell.py <<'END'
import json
print({l["name"]: (l["work"]["bytes_read"], l["work"]["bytes_written"]) for l in json.load(open("report.json"))["layers"]})
END
is "$("$PYTHON3" tell.py)" "{'DFS': (8196, 270548), 'DAOS': (9748, 271576)}" 'JSON: layers'
is "$(sed -n '/^Phases/,/in none/p' report | awk '$1 == "files" || $2 == "none" { print $1, $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $NF }' | tr '\n' ';')" 'files 5.56 KiB 10.3 KiB 9;in 2.44 KiB 254 KiB 4013;' 'the report: phases'
"$bin/darshan-job-summary" -o page.html "$log" >/dev/null
is "$(grep -c '/threads' page.html)" 1 'the page'
"$bin/darshan-convert" "$log" converted.darshan
"$bin/darshan-parser" "$log" | grep -E '^(DFS|DAOS|HEATMAP)' >before
"$bin/darshan-parser" converted.darshan | grep -E '^(DFS|DAOS|HEATMAP)' >after
check 'darshan-convert keeps them' alike before after
is "$("$bin/darshan-parser" "$log" | awk -F'\t' '$1 == "HEATMAP" && $4 ~ /_BIN_[0-9]/ { sum[$6] += $5 } END { print sum["heatmap:DFS"], sum["heatmap:DAOS"] }')" \
    '278744 281324' 'heat maps have all bytes'
accounts() {
"$bin/darshan-accounting" --db jobs.db init >/dev/null
"$bin/darshan-accounting" --db jobs.db ingest "$log" >/dev/null
is "$("$PYTHON3" -c 'import sqlite3
with sqlite3.connect("jobs.db") as db:
    print(db.execute("SELECT bytes_read, bytes_written FROM log").fetchall(),
          db.execute("SELECT interface, sum(files), sum(bytes_written) FROM log_use GROUP BY interface ORDER BY interface").fetchall(),
          db.execute("SELECT mount, file_system, DFS_WRITES FROM dfs_record WHERE name = \"/threads\"").fetchall())')" \
    "[(8196, 270548)] [('DFS', 5, 270548)] [(None, None, 4000)]" 'accounting: bytes, files by interface; their names are on no mount'
}
if [ -x "$bin/darshan-accounting" ]; then
    accounts
else
    skip 'accounting' 'SQLite 3.37'
fi

is "$(grep -c 'opens, .* closes' report)" 0 'no share of opens and closes is told, which are not known apart'

# -- a job whose MPI-IO is made of DFS, as ROMIO's is
mpi_io_on_dfs() {
    fresh_logs
    build plain libdriver.so "$work/daos-mpiio.c" -DWITH_MPI -DDRIVER -shared -fPIC $libraries && build plain mpiio "$work/daos-mpiio.c" -DWITH_MPI ||
        { not_ok "$MPI: compiles what stands in for ROMIO"; return; }
    run plain 2 env LD_LIBRARY_PATH="$PWD" LD_PRELOAD="$preload:$PWD/libdriver.so" ./mpiio "$PWD" >out 2>&1
    cat >mpiio.want <<'END'
MPI-IO -1 */dump MPIIO_COLL_OPENS 2
MPI-IO -1 */dump MPIIO_INDEP_WRITES 20
MPI-IO -1 */dump MPIIO_INDEP_READS 2
MPI-IO -1 */dump MPIIO_BYTES_WRITTEN 20000000
DFS -1 /dump DFS_OPENS 2
DFS -1 /dump DFS_WRITES 20
DFS -1 /dump DFS_READS 2
DFS -1 /dump DFS_BYTES_WRITTEN 20000000
DAOS -1 936748722493063168.* DAOS_ARRAY_WRITES 20
END
    check "$MPI: MPI-IO, DFS and DAOS each count" decode "$(latest_log)" --strict --want mpiio.want
    is "$("$bin/darshan-job-summary" "$(latest_log)" | awk '$1 == "Data" { print $2, $3, $8, $9 } $1 == "Files" { print $2 } $1 == "Slowest" { print $3 }' | tr '\n' ';')" \
        '1.91 MiB 19.1 MiB;1:;/dump;' "$MPI: the report counts them once"
}
each_mpi mpi_io_on_dfs

# -- memory for few records: the rest is counted by kind
fresh_logs
DARSHAN_MODMEM=1 execute nonmpi 0 ./known-program "$PWD" files 4000 >out 2>&1
"$bin/darshan-parser" --show-incomplete --total "$(latest_log)" >total
is "$(awk '$1 ~ /^total_DFS_(OPENS|BYTES_WRITTEN):$/ { print $2 }' total | tr '\n' ' ')$("$bin/darshan-parser" --show-incomplete "$(latest_log)" | awk -F'\t' '$4 == "DFS_OPENS" && $5 > 1 { print $6 }')" \
    '4000 40000 /train/<*.jpg>' 'memory is short: files are counted by kind, with exact sums'

# -- each function of the library is wrapped, or is listed with the reason why not
nm -D --defined-only libdfs.so libdaos.so | awk '$2 == "T" && $3 ~ /^(dfs|daos)_/ && $3 !~ /stand_in/ { print $3 }' | sort -u >theirs
sed 's/#.*//; /^[[:space:]]*$/d' "$DSN_SRC/runtime/wrap/unseen.list" | awk '{ sub(/^\?/, "", $1); gsub(/\*/, "[a-z_0-9]*", $1); print "^" $1 "$" }' >reasons
is "$(comm -23 theirs "$DSN_BUILD/runtime/symbols.list" | grep -vE -f reasons)" '' 'each function is wrapped or has a reason'
is "$(sort theirs "$DSN_BUILD/runtime/symbols.list" | uniq -d | wc -l)" 55 'wrapped functions that the stand-in has'

# -- a process that is killed
fresh_logs
mkdir shm
DARSHAN_MMAP_LOGPATH=$PWD/shm execute nonmpi 0 ./known-program "$PWD" killed >out 2>&1
is $? 137 'it is killed'
DARSHAN_MMAP_LOGPATH=$PWD/shm "$bin/darshan-recover" --mine >recovered 2>&1
cat >killed.want <<'END'
DFS 0 /shared DFS_WRITES 4
DFS 0 /shared DFS_READS 3
DFS 0 /shared DFS_BYTES_READ 2500
DFS 0 /shared DFS_ACCESS1_ACCESS 1000
DAOS 0 936748722493063168.15472045799363608234 DAOS_ARRAY_WRITES 4
END
check 'its counters are recovered' decode "$(latest_log)" --want killed.want

# -- without the library: a program that looks for it finds names, and is told that there is nothing behind them
cat >look.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    int (*dfs)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "dfs_release");
    int (*daos)(uint64_t, void *) = (int (*)(uint64_t, void *))dlsym(RTLD_DEFAULT, "daos_obj_close");

    printf("%d %d\n", dfs ? dfs(NULL) : 0, daos ? daos(1, NULL) : 0);
    return 0;
}
END
cc -o look look.c -ldl
is "$(execute nonmpi 0 ./look)" '38 -1010' 'ENOSYS, and -DER_NOSYS'

# -- a module that is off
fresh_logs
DARSHAN_MOD_DISABLE=DAOS execute nonmpi 0 ./known-program "$PWD" calls 10 >out 2>&1
is "$? $("$bin/darshan-parser" "$(latest_log)" | awk -F'\t' '$1 == "DAOS" || $4 == "DFS_READS" { print $1, $5, $6 }')" '0 DFS 10 /shared' \
    'DAOS is off: DFS counts'
fresh_logs
DARSHAN_MOD_DISABLE=DFS execute nonmpi 0 ./known-program "$PWD" calls 10 >out 2>&1
is "$? $("$bin/darshan-parser" "$(latest_log)" | awk -F'\t' '$1 == "DFS" || $4 == "DAOS_ARRAY_READS" && $5 > 0 { print $1, $5, $6 }')" \
    '0 DAOS 10 936748722493063168.15472045799363608234' 'DFS is off: DAOS counts'
finish
