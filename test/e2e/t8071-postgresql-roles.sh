# t8071-postgresql-roles.sh - share/sql/roles.sql: users see their own jobs only, the ingest role can only ingest
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/accounting.sh"
roles=$DSN_PREFIX/share/darshan/sql/roles.sql
base site

# as ROLE COMMAND...: the command on the database by that role; psql_as ROLE SQL
as() {
    as_role=$1
    shift
    "$accounting" --db "$(pg_base site "$as_role")" "$@"
}
psql_as() {
    PGOPTIONS='-c client_min_messages=notice' "$pg_bin/psql" -XAtq -v ON_ERROR_STOP=1 -h "$pg_home" -U "$1" -d site -c "$2" 2>&1
}
run_roles() {
    "$pg_bin/psql" -Xq -h "$pg_home" -U admin -d site -f "$roles"
}
# refused ROLE SQL DESCRIPTION
refused() {
    if refused_out=$(psql_as "$1" "$2"); then
        not_ok "$1 may not: $3" "$refused_out"
    else
        case $refused_out in
        *'permission denied'* | *'must be owner'* | *'row-level security'* | *'must be superuser'*) ok "$1 may not: $3" ;;
        *) not_ok "$1 may not: $3" "$refused_out" ;;
        esac
    fi
}

check 'before there are tables: says so' sh -c '! "$1" -Xq -h "$2" -U admin -d site -f "$3" 2>err; grep -q "darshan-accounting init" err' - \
    "$pg_bin/psql" "$pg_home" "$roles"
check 'init, by the administrator of the server' as admin init
check 'roles' run_roles
check 'roles again' run_roles
pg_sql site "CREATE ROLE alice LOGIN IN ROLE darshan_user; CREATE ROLE bob LOGIN IN ROLE darshan_user;
    CREATE ROLE dora LOGIN IN ROLE darshan_user; CREATE ROLE mallory LOGIN; CREATE ROLE carol LOGIN IN ROLE darshan_admin;
    INSERT INTO site_user VALUES ('alice', 1001), ('bob', 1002), ('dora', 1001), ('dora', 1002)"

# -- logs: two of alice's, one of bob's, one of somebody else's
mkdir logs
for row in 1:1001:11 2:1001:12 3:1002:13 4:1003:14; do
    n=${row%%:*} uid=${row#*:}
    make_log "logs/$n.darshan" <<JSON
{"uid": ${uid%:*}, "jobid": ${row##*:}, "exe": "/bin/secret$n", "names": {"$n": "/home/$n/file"},
 "records": [["POSIX", $n, 0, {"POSIX_BYTES_READ": 1048576, "POSIX_F_READ_TIME": 1}]]}
JSON
done
cp logs/1.darshan logs/bad.darshan
truncate -s 900 logs/bad.darshan
printf 'jobid,user,account,core_hours\n11,alice,A,1\n12,alice,A,1\n13,bob,B,1\n14,eve,C,1\n' >jobs.csv
printf 'time,host,device,seconds,read_kib,write_kib\n60,n1,sda,60,1024,0\n' >samples.csv
printf 'program,system,discipline,cpu_seconds,megabytes,executions\na,0,X,500,60000,5\n' >programs.csv
check 'darshan_ingest takes logs' as darshan_ingest ingest logs
check 'and jobs' as darshan_ingest import slurm jobs.csv
check 'and samples' as darshan_ingest import samples samples.csv
check 'and programs' as darshan_ingest import programs programs.csv
check 'and checks all of it' as darshan_ingest check
is "$(as darshan_ingest query overall --csv | tail -n 1 | cut -d, -f1-3)" '4,4,3' 'it sees all'
as darshan_ingest ingest logs >out
is "$(sed 's/ in [0-9.]* s ([0-9]* a second)//' out | cut -d, -f1,2)" '0 logs taken, 5 known already' 'what is there is known'
refused darshan_ingest 'DROP TABLE log' 'drop a table'
refused darshan_ingest 'ALTER TABLE log ADD COLUMN x int' 'change one'
refused darshan_ingest "INSERT INTO site_user VALUES ('darshan_ingest', 1)" 'say who is who'

# -- users. Expected: whose logs and jobs are 11, 12 (alice), 13 (bob)
seen() {
    as "$1" query jobs --csv | tail -n +2 | cut -d, -f3 | sort | tr '\n' ' '
}
is "$(seen alice)" '11 12 ' "alice sees alice's"
is "$(seen bob)" '13 ' "bob sees bob's"
is "$(seen dora)" '11 12 13 ' 'a role with two uids sees both'
is "$(seen carol)" '11 12 13 14 ' 'an administrator sees all'
check 'who is no user sees nothing' status 1 as mallory query jobs
is "$(wc -l <err) $(grep -c 'permission denied' err)" '1 1' 'which is said in one line'
check 'the whole study' as alice study
as alice study --json >with.json
pg_sql site 'REVOKE TEMPORARY ON DATABASE site FROM PUBLIC'
check 'a study without the right to make temporary tables' sh -c '"$@" >without.json && cmp with.json without.json' - \
    "$accounting" --db "$(pg_base site alice)" study --json
pg_sql site 'GRANT TEMPORARY ON DATABASE site TO PUBLIC'
check 'the page' as alice report -o page.html
is "$(grep -c 'secret[34]\|/home/[34]' page.html)" 0 'without a name of somebody else'
check 'and check' as alice check
as alice export alice
is "$(ls alice | grep -c .)" "$(pg_sql site "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")" 'export has every table'
is "$(cat alice/*.csv | grep -c 'secret[34]\|/home/[34]\|"eve"\|[^0-9]1002[^0-9]\|bad.darshan')" 0 'with nothing of somebody else'
is "$(cat alice/*.csv | grep -c 'secret1\|/home/1')" 2 'and what is hers'
is "$(psql_as alice 'SELECT count(*), count(DISTINCT uid) FROM log') $(psql_as alice 'SELECT count(*) FROM file_record')" '2|1 2' \
    'nor by SQL of her own, through views or not'
is "$(psql_as alice 'SELECT count(*) FROM job') $(psql_as alice 'SELECT count(*) FROM source') $(psql_as alice 'SELECT count(*) FROM site_user')" \
    '2 2 1' 'jobs, sources, roles: hers'
is "$(psql_as alice 'SELECT count(*) FROM quarantine') $(psql_as alice 'SELECT count(*) FROM program_run')" '0 0' \
    'quarantine, process accounting: nobody'"'"'s'
is "$(psql_as alice 'SELECT count(*) FROM device_sample')" 1 'devices: everybody'"'"'s'
is "$(psql_as alice "CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
    'BEGIN RAISE NOTICE ''%'', \$1; RETURN true; END'; SELECT count(*) FROM log WHERE pg_temp.tell(exe);
    SELECT count(*) FROM file_record WHERE pg_temp.tell(name)" | grep -c 'secret[34]\|/home/[34]')" 0 \
    'nor by a function that tells what it is given'
refused alice 'UPDATE log SET uid = 1001' 'take over a log'
refused alice 'DELETE FROM log' 'delete'
refused alice "INSERT INTO site_user VALUES ('alice', 1002)" 'say who she is'
refused alice 'SET ROLE darshan_admin' 'be somebody else'
refused alice 'ALTER TABLE log DISABLE ROW LEVEL SECURITY' 'lift the rules'
refused alice 'CREATE VIEW jobs_of_all AS SELECT * FROM log' 'make a view'
check 'nor ingest' status 1 as alice ingest logs
is "$(wc -l <err)" 1 'which is said in one line'

# -- a new release: what it has made anew is nobody's until roles.sql was run again
pg_sql site "UPDATE setting SET value = 1 WHERE name = 'schema'"
check 'who takes logs does not change tables' status 1 as darshan_ingest ingest logs
is "$(wc -l <err) $(grep -c 'init' err)" '1 1' 'which is said in one line, with what to do'
check 'an administrator does' as carol init
check 'until roles.sql is run, users see no view' status 1 as alice query jobs
check 'roles' run_roles
is "$(seen alice)" '11 12 ' 'then they see what is theirs'
is "$(seen darshan_ingest)" '11 12 13 14 ' 'and darshan_ingest all'
finish
