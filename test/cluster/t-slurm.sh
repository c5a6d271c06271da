# t-slurm.sh - jobs of Slurm on four nodes made of namespaces: one log a step, parts of killed steps, two users, sacct
# SPDX-License-Identifier: BSD-3-Clause
# long: waits for Slurm most of the time
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/cluster/lib/start.sh"

merge=$DSN_PREFIX/bin/darshan-merge
start_cluster -n 4 --slurm

# begin USER KIND: submits it. job USER KIND: the same, if that is not done yet, and waits until it has ended; $id, $logs
begin() {
    ("$cluster/submit" "$1" "$2" >"$2.out" 2>&1; echo $? >"$2.status") &
    eval "begun_$2=$!"
}
job() {
    eval "[ -n \"\${begun_$2-}\" ]" || begin "$1" "$2"
    eval "wait \$begun_$2"
    is "$(cat "$2.status")" 0 "$2 of $1: $(sed -n 's/^state *//p' "$2.out")"
    id=$(sed -n 's/^job *\([0-9]*\).*/\1/p' "$2.out")
    logs=$(grep '\.darshan$' "$2.out")
}
# said KEY: the values of a metadata line in $logs, each once, with the number of logs
said() {
    for said_log in $logs; do
        decode "$said_log" --text | sed -n "s/^# metadata: $1 = //p"
    done | sort | uniq -c | awk '{ $1 = $1; print }' | tr '\n' ';'
}
# facts LOG: job id, user, processes, nodes
facts() {
    decode "$1" | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
print(d["job"]["jobid"], d["job"]["uid"], d["job"]["nprocs"], *sorted(d["extension"]["nodes"]))'
}
# together: merges $logs to m
together() {
    rm -f m
    check "$1: they are merged" "$merge" --output m $logs
}

begin alice timelimit # takes a minute; the others meanwhile
begin bob requeue     # Slurm waits two minutes

# all nodes of a job that runs, as darshan-top(1) has it
until_runs() {
    for turn in $(seq 100); do
        id=$("$cluster/on" head -- squeue -h -t R -n "$1" -o %i)
        [ -z "$id" ] || { sleep 3; return; }
        sleep 0.5
    done
}
until_runs timelimit
"$cluster/on" n1 --user alice -- srun --overlap --jobid="$id" -N 4 -n 4 -o /shared/data/top.%N darshan-top --once --json \
    --job "$id"
is "$("$DSN_PREFIX/bin/darshan-top" --merge --json "$CLUSTER_DIR"/shared/data/top.* | "$PYTHON3" -c 'import json, sys
d = json.load(sys.stdin)
print(d["nodes"], *sorted(p["node"] for p in d["processes"]), sum(p["bytes_written"] > 0 for p in d["processes"]))')" \
    '4 n1 n1 n2 n2 n3 n3 n4 n4 8' 'darshan-top shows what runs on all nodes of a job'
is "$("$cluster/on" n1 --user bob -- darshan-top --once --json | "$PYTHON3" -c 'import json, sys
print(*{p["user"] for p in json.load(sys.stdin)["processes"]} - {"bob"})')" '' 'and nobody what runs of others'

job alice mpi
is "$(echo "$logs" | grep -c .) $(facts "$logs")" "1 $id 21001 8 n1 n2 n3 n4" 'mpi: one log, of that job and user, of all processes and nodes'
is "$(said ranks)$(said recovered)" '' 'mpi: nothing is missing'
is "$("$cluster/on" n1 --user bob -- cat "$(echo "$logs" | sed "s|^$CLUSTER_DIR||")" 2>&1 | grep -c 'Permission denied')" 1 \
    'mpi: another user cannot read the log'

job alice nonmpi
is "$(said ranks)$(said step)" '8 1 of 8;8 0;' 'nonmpi: each task says that it is one of eight, of step 0'
is "$(said node)" '2 n1;2 n2;2 n3;2 n4;' 'nonmpi: and where it ran'
is "$(said run | tr -dc ';')" ';' 'nonmpi: of one run'
together nonmpi
is "$(facts m)" "$id 21001 8 n1 n2 n3 n4" 'nonmpi: become one log'
"$DSN_PREFIX/bin/darshan-accounting" --db site.db init >/dev/null
"$DSN_PREFIX/bin/darshan-accounting" --db site.db ingest $logs >/dev/null
used=$("$PYTHON3" -c 'import sqlite3; print(*sqlite3.connect("site.db").execute("SELECT sum(process_seconds) FROM log").fetchone())')
step=$("$cluster/on" head -- sacct -n -P -j "$id.0" -o ElapsedRaw)
check "nonmpi: process seconds ($used) are those of 8 tasks in a step of $step s" \
    awk -v used="$used" -v step="$step" 'BEGIN { exit !(used > 4 && used <= 8 * (step + 1)) }'

job alice cancel
is "$(said ranks)$(said recovered)" '4 2 of 8;4 2;' 'cancel: the epilog recovers a log on each node, of two ranks'
together cancel
logs=m
is "$(facts m)$(said recovered)$(said ranks)" "$id 21001 8 n1 n2 n3 n41 8;" 'cancel: become one log, of eight recovered processes'

# the rank that is killed cannot say anything, and nobody else is there who could
job alice lonely
is "$(said ranks)$(said recovered)" '4 1 of 4;4 1;' 'lonely: the epilog recovers a log on each node'
together lonely
logs=m
is "$(facts m)$(said recovered)" "$id 21001 4 n1 n2 n3 n41 4;" 'lonely: become one log, with that of the node of the killed rank'

if (. "$cluster/lib/common.sh" && [ -n "$(cgroups)" ]); then
    job bob oom
    is "$(echo "$logs" | grep -c .)" 2 'oom: the epilog recovers a log on each node'
    together oom
    logs=m
    is "$(said recovered)" '1 4;' 'oom: become one log, of four recovered processes'
else
    skip 'oom' 'kernel: cgroups of version 1'
fi

job alice mpirun
is "$(echo "$logs" | grep -c .) $(facts "$logs")" "1 $id 21001 8 n1 n2 n3 n4" 'mpirun: one log, of all processes and nodes'
job bob parsteps
is "$(echo "$logs" | grep -c .) $(said step)" '2 1 0;1 1;' 'parsteps: a log each, of its step'
job alice stepd
is "$(said node)" '1 n1;1 n2;1 n3;1 n4;' 'stepd: a log of each node, also of that whose daemon was killed'
job bob hetjob
is "$(echo "$logs" | grep -c .)" 1 'hetjob: one log of both parts'
job bob steps
is "$(echo "$logs" | grep -c .) $(said step)" '3 1 0;1 1;1 2;' 'steps: a log each'
together steps
is "$("$DSN_PREFIX/bin/darshan-parser" --show-incomplete m | sed -n 's/^# nprocs: //p')" 10 'steps: whose processes are others (4, 2 and 4)'
job bob array
is "$(echo "$logs" | grep -c .)" 3 'array: a log each'
is "$("$merge" --output m2 $logs 2>&1 | grep -c 'is of another job than.*--force')" 1 'array: which are jobs of their own'

job bob requeue
is "$(said recovered)$(echo "$logs" | grep -c .)" '2 2;3' 'requeue: of the first run the epilog recovers a log on each node, the second makes its own'
is "$(said run | tr -dc ';')" ';;' 'requeue: they say which run they are of'
is "$("$merge" --output m3 $logs 2>&1 | grep -c 'is of another run of the same job than')" 1 'requeue: and are not merged'

# run_of WORDS: exit status of `darshan run srun WORDS` on a node, and user, processes and nodes of its one log
run_of() {
    "$cluster/on" n1 --user alice -- sh -c "cd /shared/data && darshan run --quiet srun $1" >run.out 2>run.err
    run_status=$?
    run_log=$(sed -n 's/^darshan: log: //p' run.err)
    echo "$run_status $(facts "$CLUSTER_DIR$run_log" | cut -d' ' -f2-)"
}
is "$(run_of '--mpi=pmix -N2 -n4 /shared/jobs/io-plain /shared/data ok')" '0 21001 4 n1 n2' 'darshan run srun: one log of an MPI program'
is "$(run_of '-N2 -n4 cp /etc/services copied')" '0 21001 4 n1 n2' 'and of tasks without MPI, without srun itself'
is "$(run_of '-N 2 --export=PATH,HOME -n4 cp /etc/services copied')" '0 21001 4 n1 n2' 'also if srun passes on few variables'
is "$(run_of '-N2 -n2 sh -c "echo one >only.\$SLURM_PROCID; exit 3"')" '3 21001 2 n1 n2' 'with the exit status of the tasks'

# In a batch script, and afterwards by the job's number; what submits it is refused, for it ends before the job begins.
"$cluster/on" n1 --user alice -- sh -c 'cd /shared/data && printf "#!/bin/sh\ndarshan run srun cp /etc/services batched\n" >batch.sh &&
    darshan run sbatch -N 2 -n 4 batch.sh; echo "$? $(squeue -h -u alice -n batch.sh)"
    id=$(sbatch --parsable --wait -N 2 -n 4 -t 2 -o batch.out batch.sh); grep -c "^darshan: log: " batch.out; darshan report "$id"' >batch.said 2>batch.err
is "$(head -n 2 batch.said | tr '\n' ';') $(sed -n 's/^  *\(4 ranks on 2 nodes\).*/\1/p' batch.said)" '2 ;1; 4 ranks on 2 nodes' \
    'darshan run in a batch script, and darshan report JOB'

# by_ssh COMMAND...: without Slurm. MPICH 4.0 over UCX hangs in its MPI_Finalize on two nodes, without the library as well (6 of
# 20 runs): again, then.
by_ssh() {
    for by_n in 1 2 3 4 5 6 7 8 9 10; do
        touch before
        "$cluster/on" n1 --user alice -- timeout -k 2 20 "$@"
        by_status=$?
        [ $by_status = 124 ] && [ "$launcher" = mpirun.mpich ] || return $by_status
    done
    return 1
}
for flavour in openmpi:ompi:--host mpich:mpich:-hosts; do
    launcher=mpirun.${flavour%%:*} program=${flavour#*:} option=${flavour##*:}
    program=io-${program%%:*} hosts=n1,n2
    [ "$launcher" != mpirun.openmpi ] || hosts=n1:2,n2:2
    check "$launcher by ssh" by_ssh "$launcher" $option $hosts -n 4 "/shared/jobs/$program" /shared/data ok
    logs=$(find "$CLUSTER_DIR/shared/darshan-logs" -newer before -name "alice_${program}_*")
    is "$(facts "$logs" | cut -d' ' -f2-)" '21001 4 n1 n2' "$launcher by ssh: one log of both nodes"
done

# a node that loses power takes with it what its processes have counted
job alice reboot
is "$(said ranks)$(said node)" '1 2 of 4;1 n1;' 'reboot: a log of the node that is left, which says so'

job alice timelimit
is "$(said ranks)$(said recovered)" '4 2 of 8;4 2;' 'timelimit: the epilog recovers a log on each node, of two ranks'
together timelimit
logs=m
is "$(facts m)$(said recovered)" "$id 21001 8 n1 n2 n3 n41 8;" 'timelimit: become one log, of eight recovered processes'

# -- what sacct prints, imported: core hours are those of Slurm; of what ran, what has logs --
"$cluster/on" head -- sacct -a -X -P -o JobIDRaw,JobID,Cluster,User,Account,State,NNodes,NCPUS,Submit,Start,End,CPUTimeRAW >jobs
"$DSN_PREFIX/bin/darshan-accounting" --db site.db import slurm jobs >/dev/null
is "$("$PYTHON3" -c 'import sqlite3
print(*(round(x) for x in sqlite3.connect("site.db").execute("SELECT count(*), 3600 * sum(core_hours) FROM job").fetchone()))')" \
    "$(awk -F'|' 'NR > 1 { n++; sum += $NF } END { print n, sum }' jobs)" 'sacct: jobs and core seconds'
finish
