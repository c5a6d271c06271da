# t8096-accounting-identity.sh - whose log is it: jobs, owners, machines, replaced logs, files of the MPI library
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
export TZ=UTC
acct() {
    "$accounting" --db "$db" "$@"
}
# log FILE JOBID UID START END MIB [METADATA]: 2 processes on 2 nodes read so many MiB in 4 s
log() {
    make_log "$1" <<JSON
{"jobid": $2, "uid": $3, "start": $4, "end": $5, "nprocs": 2, "metadata": "nnodes=2\n${7:-}", "exe": "/bin/run $2",
 "names": {"1": "/d/1"}, "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": $(($6 * 1048576)), "POSIX_READS": $6,
  "POSIX_F_READ_TIME": 4}]]}
JSON
}

# -- logs and jobs: number, owner and time have to agree. root is the only name that every password database has
mkdir logs
root=$(id -un 0)
log logs/in-time.darshan 500 0 1769904010 1769904500 10
log logs/days-later.darshan 500 0 1770336000 1770336300 1000
log logs/of-another.darshan 501 0 1769904010 1769904500 100
log logs/pid.darshan 502 0 1769904010 1769904500 200 'jobid_from=pid\n'
log logs/first-run.darshan 503 0 1769904010 1769904100 1
log logs/second-run.darshan 503 0 1769907700 1769907800 2
log logs/never.darshan 504 0 1769904010 1769904500 300
cat >sacct <<EOF
JobID|JobIDRaw|User|Account|State|NNodes|NCPUS|Start|End|CPUTimeRAW
500|500|$root|astro|COMPLETED|4|16|2026-02-01T00:00:00|2026-02-01T00:12:00|3600
501|501|somebody|bio|COMPLETED|4|16|2026-02-01T00:00:00|2026-02-01T00:12:00|3600
502|502|$root|chem|COMPLETED|4|16|2026-02-01T00:00:00|2026-02-01T00:12:00|3600
503|503|$root|geo|NODE_FAIL|4|16|2026-02-01T00:00:00|2026-02-01T00:10:00|3600
503|503|$root|ocean|COMPLETED|4|16|2026-02-01T01:00:00|2026-02-01T01:10:00|7200
504|504|$root|plasma|PENDING|4|16|2026-02-01T00:00:00|Unknown|0
505_7|9001|$root|astro|CANCELLED by 5001|4|16|None|2026-02-01T01:00:00|0
506+0|506|$root|astro|COMPLETED|1|16|2026-02-01T02:00:00|2026-02-01T03:00:00|57600
506+1|507|$root|astro|COMPLETED|1|16|2026-02-01T02:00:00|2026-02-01T03:00:00|57600
506.batch|506.batch||astro|COMPLETED|1|16|2026-02-01T02:00:00|2026-02-01T03:00:00|57600
EOF
base one
db=$base
acct init
acct ingest logs >/dev/null
is "$(figures users '[(r["user_name"], r["uid"]) for r in rows]')" "[('$root', 0)]" 'users have their names without a list of jobs'
check 'jobs' acct import slurm sacct
is "$(figures projects '[(r["project"], round(r["tib_read"] * 1048576), r["logs"]) for r in rows]')" \
    "[('unknown', 1600, 4), ('astro', 10, 1), ('ocean', 2, 1), ('geo', 1, 1)]" 'a log is of a job if number, owner and time agree'
is "$(figures coverage '[(r["jobs"], r["logged_jobs"], r["core_hours"]) for r in rows]')" '[(5, 2, 38)]' \
    'jobs that ran: a requeued one is one, and so is a heterogeneous one'
is "$(figures logs-of-no-job 'sorted((r["logs"], r["reason"].split()[0]) for r in rows)')" "[(1, 'no'), (3, 'the')]" 'why logs are of no job'
is "$(figures overall '[(r["logs"], r["jobs"], r["logs_of_no_job"]) for r in rows]')" '[(7, 4, 4)]' 'a process id is no job'
is "$(figures users '[(r["user_name"], r["uid"]) for r in rows]')" "[('$root', 0)]" 'users have their names'
sed -i 's/^500|.*/500|500|'"$root"'|astro|COMPLETED|4|16|2026-02-01T00:00:00|2026-02-01T00:12:00|7200/' sacct
acct import slurm sacct >/dev/null
is "$(figures coverage '[(r["jobs"], r["core_hours"]) for r in rows]')" '[(5, 39)]' 'a list that comes again replaces'
printf 'JobIDRaw|User|State|Start|End\n504|%s|COMPLETED|2026-02-01T00:00:00|2026-02-01T00:12:00\n' "$root" | acct import slurm - >/dev/null
is "$(figures coverage '[(r["jobs"], r["logged_jobs"]) for r in rows]')" '[(6, 3)]' 'a job that was pending has run'
printf 'JobID|Start|End\n7_3|2026-02-01T00:00:00|2026-02-01T00:12:00\n' >array
check 'numbers of arrays without those of their jobs' status 1 acct import slurm array
is "$(grep -c 'JobIDRaw' err)" 1 'are refused, with the column that is missing'
for bad in 2026-02-30T00:00:00 2026-02-01T25:00:00 2026-02-01T00:00:00+1; do
    printf 'JobIDRaw|Start|End\n7|%s|Unknown\n' $bad >wrong
    check "$bad is no time" status 1 acct import slurm wrong
done
printf 'JobIDRaw|NCPUS|Start|End\n8|2|2026-02-01T01:00:00+01:00|2026-02-01T02:00:00Z\n' >offset
check 'times with offsets' acct import slurm offset
printf 'JobIDRaw|NCPUS|Start|End\n9|2|2026-10-25T02:50:00|2026-10-25T02:10:00\n' >night
check 'a job over the end of daylight saving time' env TZ=Europe/Berlin "$accounting" --db "$db" import slurm night
acct export x
is "$(awk -F, '$1 == 8 || $1 == 9 {printf "%.3f\n", $9}' x/job.csv | tr '\n' ' ')" '4.000 0.667 ' 'their core hours' ||
    sed -n '1p;/^[89],/p' x/job.csv

# -- two machines, with jobs, hosts, directories and accounts of the same names
base two
db=$base
acct init
mkdir red blue
log red/a.darshan 700 0 1769904010 1769904500 10
log blue/a.darshan 700 0 1769904010 1769904500 20
for machine in red blue; do
    check "$machine" acct --machine $machine ingest $machine
    [ $machine = red ] && cores=16 || cores=256
    printf 'JobIDRaw|Cluster|User|Account|State|NNodes|NCPUS|Start|End\n700|%s|%s|%s|COMPLETED|4|%s|2026-02-01T00:00:00|2026-02-01T01:00:00\n' \
        $machine "$root" "a$machine" $cores >jobs
    acct import slurm jobs >/dev/null
    printf 'time,host,device,seconds,read_kib,write_kib\n60,oss1,sda,60,%s,0\n' $((cores * 61440)) >samples
    acct --machine $machine import samples samples >/dev/null
    printf '{"format": "darshan-fsstats 1", "directory": "/s", "time": 0, "files": %s, "directories": 1, "bytes": 1, "histograms": {}, "owners": []}' \
        $cores >snapshot
    acct --machine $machine import fsstats snapshot >/dev/null
    printf 'account,project\nshared,of %s\n' $machine | acct --machine $machine import accounts - >/dev/null
done
is "$(figures coverage '[(r["jobs"], r["logged_jobs"], r["core_hours"]) for r in rows]')" '[(2, 2, 272)]' 'two jobs of one number'
is "$(figures coverage '[(r["jobs"], r["core_hours"]) for r in rows]' --machine blue)" '[(1, 256)]' 'one of them'
is "$(figures projects '[(r["project"], round(r["tib_read"] * 1048576)) for r in rows]')" "[('ablue', 20), ('ared', 10)]" 'each with its project'
is "$(figures throughput-totals '[r["peak"] for r in rows]') $(figures throughput-totals '[r["peak"] for r in rows]' --machine red)" \
    '[272] [16]' 'samples of hosts with one name'
acct export y
is "$(wc -l <y/snapshot.csv | tr -d ' ') $(wc -l <y/account.csv | tr -d ' ')" '3 3' 'snapshots and accounts'
log red/b.darshan 701 0 1769904010 1769904500 1
log blue/b.darshan 701 0 1769904010 1769904500 1 'machine=green\n'
acct ingest red blue >/dev/null
is "$(figures jobs 'sorted(r["machine"] for r in rows if r["jobid"] == 701)')" "['green', 'red']" \
    'later logs are of the machine of their directory, but for what they say themselves'
check 'another name' acct --machine scarlet ingest red
is "$(figures jobs 'sorted(set(r["machine"] for r in rows))')" "['blue', 'green', 'scarlet']" 'replaces the former one'
check 'all is in order' acct check

# -- a log that is replaced under its name; one that is forgotten
base replaced
db=$base
acct init
mkdir watched
log watched/job.darshan 77 0 1769904000 1769904600 100
acct ingest watched >/dev/null
log new 77 0 1769904000 1769904600 300
touch -d '1 minute' new && mv new watched/job.darshan
cp watched/job.darshan watched/copy.darshan
acct ingest watched >/dev/null
is "$(figures overall '[(r["logs"], round(r["tib_read"] * 1048576)) for r in rows]')" '[(1, 300)]' 'the new log takes the place of the old one'
check 'one of its names' acct forget watched/copy.darshan
is "$(figures overall '[r["logs"] for r in rows]')" '[1]' 'it stays under the other'
check 'the directory' status 0 acct forget watched
is "$(cat out) $(figures overall '[r["logs"] for r in rows]')" '1 files forgotten, with 1 logs [0]' 'all of it is gone'
check 'all is in order then' acct check

# -- pseudonyms: nobody who cancelled a job is named
base hidden
db=$base
echo 0123456789abcdef0123456789abcdef >key
check 'with pseudonyms' acct --anonymize key init
acct --anonymize key --machine red import slurm sacct >/dev/null
acct --anonymize key --machine red ingest logs >/dev/null
acct export z
is "$(cat z/*.csv | grep -cE '5001|\<red\>|'"\"$root\"|,$root,")" 0 'no user, no machine is in the tables'
is "$(figures coverage '[r["logged_jobs"] for r in rows]')" '[2]' 'logs and jobs find each other all the same'

# -- lists of local times in the hour that is repeated in autumn, in which jobs run in its first half, its second, and over both
base autumn
db=$base
acct init
mkdir autumn
printf 'JobIDRaw|User|UID|Account|NNodes|NCPUS|Start|End|CPUTimeRAW\n' >autumn.jobs
# night NUMBER START END SECONDS BEGIN: the list's times; when the log's processes ran
night() {
    printf '%s|ann|70001|astro|2|2|2026-10-25T%s|2026-10-25T%s|%s\n' "$1" "$2" "$3" $(($4 * 2)) >>autumn.jobs
    log "autumn/$1.darshan" "$1" 70001 "$5" $(($5 + $4)) 10
}
night 600 02:10:00 03:10:00 7200 1792887000
night 601 02:30:00 02:50:00 1200 1792888200
night 602 02:20:00 02:45:00 1500 1792891200
night 603 02:45:00 02:15:00 1800 1792889100
night 604 01:00:00 02:05:00 7500 1792882800
# of an owner whose number this line leaves out, with the process id of another; of ann, and of no job
printf '605|ann||astro|2|2|2026-10-25T08:00:00|2026-10-25T09:00:00|7200\n' >>autumn.jobs
log autumn/605.darshan 605 70009 1792911700 1792911800 10
log autumn/606.darshan 606 70001 1792911700 1792911800 10 'jobid_from=pid\n'
acct ingest autumn >/dev/null
TZ=Europe/Berlin acct import slurm autumn.jobs >/dev/null
is "$(figures jobs 'sorted((r["jobid"], r["project"]) for r in rows if r["project"] != "astro")')" "[(605, 'unknown'), (606, 'unknown')]" \
    'every log finds its job, and none that of somebody else'
is "$(figures coverage '[round(r["core_hours"] * 3600) for r in rows]')" "[$((2 * (7200 + 1200 + 1500 + 1800 + 7500) + 7200))]" 'their core hours'
is "$(figures waits-by-user '[(r["user_name"], r["logs"]) for r in rows]')" "[('ann', 6), ('70009', 1)]" 'a user is one, with or without a job'

# -- standard input is in no rate
make_log autumn/in.darshan <<'JSON'
{"jobid": 1, "start": 1000, "end": 1100, "nprocs": 1, "metadata": "nnodes=2\n", "exe": "/bin/in", "names": {"1": "/d/1", "2": "<STDIN>"}, "records": [
 ["POSIX", 1, 0, {"POSIX_BYTES_WRITTEN": 104857600, "POSIX_WRITES": 1, "POSIX_F_WRITE_TIME": 5}],
 ["STDIO", 2, 0, {"STDIO_BYTES_READ": 1073741824, "STDIO_READS": 1, "STDIO_F_READ_TIME": 50}]]}
JSON
acct ingest autumn >/dev/null
is "$(figures jobs '[(r["rate_slowest"], r["bytes_read"]) for r in rows if r["jobid"] == 1]')" '[(10, 1073741824)]' 'bytes of standard input are in none'

# -- logs of one run: of each node of a job that was killed, of each task of a step on one node; and one that has all
base parts
db=$base
acct init
mkdir parts
# part NAME NPROCS FILES METADATA: of job 700, for 100 s, of which the ranks that it has waited 50 s
part() {
    make_log "parts/$1.darshan" <<JSON
{"jobid": 700, "start": 1769904010, "end": 1769904110, "nprocs": $2, "metadata": "$4", "exe": "/bin/run", "names": {"1": "/d/1", "2": "/d/$1"},
 "records": [["POSIX", 1, 0, {"POSIX_BYTES_READ": 1048576, "POSIX_READS": 1, "POSIX_F_READ_TIME": 50}]$3]}
JSON
}
other=', ["POSIX", 2, 0, {"POSIX_BYTES_WRITTEN": 1048576, "POSIX_WRITES": 1}]'
for node in a b; do
    part "killed.$node" 8 "$other" "nnodes=1\nrun=00000000000000aa\nranks=4 of 8\nnode=$node\n"
done
for task in 0 1 2 3; do
    part "task.$task" 4 '' "nnodes=1\nrun=00000000000000bb\nstep=1\nranks=1 of 4\nnode=a\n"
done
part whole 2 '' 'nnodes=2\nrun=00000000000000cc\nstep=2\n'
acct ingest parts >/dev/null
is "$(figures repeated '[(r["jobs"], r["runs"], r["most_files_of_a_job"]) for r in rows]')" '[(1, 3, 3)]' 'three runs, in seven logs'
is "$(figures summary '[(r["logs"], round(r["node_hours"] * 36), round(r["waited_node_hours"] * 36, 1)) for r in rows]')" "[(7, 5, 2.5)]" \
    'a node counts once for all tasks on it'
is "$(figures jobs 'sorted((r["nprocs"], r["part_node"] or "", r["process_seconds"]) for r in rows)')" \
    "[(2, '', 200), (4, 'a', 100), (4, 'a', 100), (4, 'a', 100), (4, 'a', 100), (8, 'a', 400), (8, 'b', 400)]" 'process time is that of the ranks in the log'
is "$(figures files-by-processes 'sorted((r["nprocs"], r["pattern"], r["logs"]) for r in rows)')" "[(1, 'N:N', 4), (2, 'N:1', 1), (4, 'N:M', 2)]" \
    'files are held against the processes that the log has'

# -- what an MPI library does for itself
base mpi
db=$base
acct init
mkdir mpi
make_log mpi/1.darshan <<'JSON'
{"jobid": 1, "start": 1000, "end": 1100, "nprocs": 2, "exe": "/bin/m", "names": {"1": "/d/out", "2": "/d/out.locktest.0",
 "3": "/d/out.locktest.1", "4": "/tmp/ompi.n1.0/pid.7/1/out_cid-4-7.sm", "5": "/d/locktest.0"}, "records": [
 ["POSIX", 1, -1, {"POSIX_BYTES_WRITTEN": 1000, "POSIX_WRITES": 2}], ["MPI-IO", 1, -1, {"MPIIO_BYTES_WRITTEN": 1000}],
 ["POSIX", 2, 0, {"POSIX_OPENS": 1}], ["POSIX", 3, 1, {"POSIX_OPENS": 1}],
 ["POSIX", 4, 0, {"POSIX_BYTES_WRITTEN": 8, "POSIX_WRITES": 1}], ["POSIX", 5, 1, {"POSIX_BYTES_WRITTEN": 5, "POSIX_WRITES": 1}]]}
JSON
acct ingest mpi >/dev/null
is "$(figures sharing '[(r["sharing"], r["files"]) for r in rows]')" "[('shared', 1), ('unique', 1)]" 'is in no figure of sharing'
is "$(figures interfaces '[(r["interface"], r["logs"], r["percent_of_bytes_written"] is not None) for r in rows]')" \
    "[('MPIIO', 1, True), ('POSIX', 1, True)]" 'nor of interfaces'
is "$(figures written-files '[r["files_written"] for r in rows]') $(figures overall '[r["files"] for r in rows]')" '[2] [2]' 'nor among files'
check 'sums agree' acct check
finish
