-- queries.sql - the named queries. SPDX-License-Identifier: BSD-3-Clause
-- "-- query: NAME" starts one, "-- study: NAME" one of the study, in the study's order. The comment after it is the title;
-- in the study, a line "-- topic: TOPIC; required data" follows. Parameters: :machine ("": all),
-- :from and :to (seconds since 1970), :min_procs, :min_mib, :site_maximum.

-- query: jobs
-- A row a log
SELECT log.*, project, discipline, nodes, nodes_from, rate_open_to_last, rate_slowest, rate_exact, io_percent, io_percent_slowest,
       wait_percent, meta_percent, user_or_uid, node_hours, waited_node_hours, path
FROM log JOIN log_known USING (log_id) LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to ORDER BY log.start_time, log_id;

-- query: uses
-- Files of each log by interface and by who used them
SELECT log_id, jobid, interface, sharing, log_use.files, log_use.files_written, log_use.bytes_read,
       log_use.bytes_written, partial, machine, path
FROM log JOIN log_use USING (log_id) LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to ORDER BY log.start_time, log_id, interface, sharing;

-- query: files
-- The 100 files that most bytes were moved to or from, of logs whose records are kept
SELECT name, file_system, logs, f.bytes_read, f.bytes_written, f.read_time, f.write_time, f.meta_time, machines, log_id, jobid, path
FROM (SELECT name, file_system, count(DISTINCT log_id) AS logs, sum(r.bytes_read) AS bytes_read,
             sum(r.bytes_written) AS bytes_written, sum(r.read_time) AS read_time, sum(r.write_time) AS write_time,
             sum(r.meta_time) AS meta_time, count(DISTINCT machine) AS machines, min(log_id) AS log_id
      FROM file_record AS r JOIN log USING (log_id)
      WHERE module IN ('POSIX', 'STDIO') AND :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
      GROUP BY name, file_system ORDER BY sum(r.bytes_read + r.bytes_written) DESC, name LIMIT 100) AS f
     JOIN log USING (log_id) LEFT JOIN log_path USING (log_id)
ORDER BY f.bytes_read + f.bytes_written DESC, name;

-- query: quarantine
-- Logs that were not taken, and why
SELECT path, bytes, reason FROM quarantine ORDER BY path;

-- query: meaning
-- What the columns of counters mean
SELECT * FROM meaning ORDER BY table_name, column_name;

-- study: summary
-- How much of the machine is covered, how much waits for I/O, what would help most
-- topic: head; ingest
WITH l AS (
    SELECT program, finding, node_hours, waited_node_hours, partial, could_save_node_hours, start_time FROM log_known
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to),
best AS (SELECT program, finding, count(*) AS logs, sum(could_save_node_hours) AS saves FROM l WHERE could_save_node_hours > 0 GROUP BY program, finding
         ORDER BY sum(could_save_node_hours) DESC, program, finding LIMIT 1),
most AS (SELECT program, sum(waited_node_hours) AS its FROM l GROUP BY program
         ORDER BY sum(waited_node_hours) IS NULL, sum(waited_node_hours) DESC, program LIMIT 1),
by_month AS (SELECT substr(date(start_time, 'unixepoch', 'localtime'), 1, 7) AS month, count(*) AS logs, sum(node_hours) AS hours,
                    sum(waited_node_hours) AS waited, sum(CASE WHEN node_hours IS NULL THEN 1 ELSE 0 END) AS without_nodes,
                    sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial, max(start_time) AS until FROM l GROUP BY 1),
months AS (SELECT by_month.*, CASE WHEN month IS NOT NULL THEN 100.0 * waited / nullif(hours, 0) END AS percent,
                  row_number() OVER (ORDER BY month IS NULL, month DESC) AS ago FROM by_month)
SELECT coalesce(sum(m.logs), 0) AS logs, sum(hours) AS node_hours, sum(waited) AS waited_node_hours,
       100.0 * sum(waited) / nullif(sum(hours), 0) AS waited_percent, max(CASE WHEN ago = 1 THEN month END) AS last_month,
       max(CASE WHEN ago = 1 THEN date(until, 'unixepoch', 'localtime') END) AS last_day,
       max(CASE WHEN ago = 1 THEN percent END) AS waited_percent_of_last_month, max(CASE WHEN ago = 2 THEN month END) AS month_before,
       max(CASE WHEN ago = 2 THEN percent END) AS waited_percent_of_month_before,
       coalesce(sum(without_nodes), 0) AS logs_without_nodes, coalesce(sum(partial), 0) AS partial_logs,
       (SELECT 100.0 * sum(logged * core_hours) / nullif(sum(core_hours), 0) FROM job_logged
        WHERE :machine IN ('', machine) AND coalesce(start_time, :from) >= :from AND coalesce(start_time, :from) < :to)
           AS covered_percent_of_core_hours,
       most.program AS most_waiting_program, most.its AS its_waited_node_hours,
       best.program AS best_program, best.finding AS best_finding, best.logs AS best_logs, best.saves AS best_saves_node_hours,
       100.0 * best.saves / nullif(sum(hours), 0) AS best_saves_percent
FROM (SELECT 1 AS one) AS always LEFT JOIN months AS m ON 1 = 1 LEFT JOIN most ON 1 = 1 LEFT JOIN best ON 1 = 1
GROUP BY most.program, most.its, best.program, best.finding, best.logs, best.saves;

-- study: worth-fixing
-- Worth fixing: what reports of jobs find most expensive, by program, in node hours; user, project and job are those of the worst log
-- topic: head; ingest of logs with a finding whose number of compute nodes is known
WITH l AS (
    SELECT program, finding, could_save_node_hours, waited_node_hours, node_hours, uid, log_id FROM log_known
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to),
placed AS (SELECT l.*, row_number() OVER (PARTITION BY program, finding ORDER BY could_save_node_hours DESC, log_id) AS place
           FROM l WHERE could_save_node_hours > 0),
fixed AS (
    SELECT program, finding, count(*) AS logs, count(DISTINCT uid) AS users, sum(could_save_node_hours) AS could_save_node_hours,
           sum(waited_node_hours) AS waited_node_hours, sum(node_hours) AS node_hours, max(CASE WHEN place = 1 THEN log_id END) AS log_id
    FROM placed GROUP BY program, finding),
whole AS (SELECT sum(node_hours) AS node_hours FROM l)
SELECT f.program, f.finding, logs, users, f.could_save_node_hours,
       100.0 * f.could_save_node_hours / nullif(whole.node_hours, 0) AS percent_of_all_node_hours, f.waited_node_hours, f.node_hours,
       user_or_uid AS user_name, project, jobid, start_time, nodes, machine, k.log_id,
       (SELECT min(path) FROM source WHERE source.log_id = k.log_id) AS path
FROM fixed AS f CROSS JOIN whole JOIN log_known AS k ON k.log_id = f.log_id
ORDER BY f.could_save_node_hours DESC, f.program, f.finding LIMIT 20;

-- query: jobs-worth-fixing
-- Jobs worth fixing: what the job's report finds most expensive, and the node hours that it could save
SELECT program, finding, could_save_node_hours, waited_node_hours, node_hours, user_or_uid AS user_name, project, jobid, start_time, nodes,
       machine, log_id, path
FROM log_known LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to AND could_save_node_hours > 0
ORDER BY could_save_node_hours DESC, log_id;

-- study: programs
-- Programs by the node hours in which they wait for I/O
-- topic: head; ingest of logs whose number of compute nodes is known
WITH l AS (
    SELECT program, count(*) AS logs, sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours,
           sum(CASE WHEN month_ago = 1 THEN node_hours END) AS node_hours_1, sum(CASE WHEN month_ago = 1 THEN waited_node_hours END) AS waited_1,
           sum(CASE WHEN month_ago = 2 THEN node_hours END) AS node_hours_2, sum(CASE WHEN month_ago = 2 THEN waited_node_hours END) AS waited_2,
           sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written, max(rate) AS best_rate, max(waited_node_hours) AS most_waited
    FROM (SELECT log_known.*, CASE WHEN start_time >= ends - 2592000 THEN 1 WHEN start_time >= ends - 5184000 THEN 2 END AS month_ago
          FROM log_known CROSS JOIN (SELECT max(start_time) AS ends FROM log WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS e
          WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS m
    GROUP BY program),
median AS (
    SELECT program, rate FROM (SELECT program, rate, row_number() OVER (PARTITION BY program ORDER BY rate) AS i,
                                      count(*) OVER (PARTITION BY program) AS n
                               FROM log_known WHERE rate IS NOT NULL AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS r
    WHERE i = (n + 1) / 2),
worst AS (
    SELECT k.program, min(k.log_id) AS log_id
    FROM log_known AS k JOIN l ON l.program = k.program AND (k.waited_node_hours = most_waited OR most_waited IS NULL)
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY k.program),
used AS (
    SELECT program,
           max(CASE WHEN interface = 'POSIX' THEN 'P' ELSE '' END) || max(CASE WHEN interface = 'STDIO' THEN 'S' ELSE '' END) ||
           max(CASE WHEN interface = 'MPIIO' THEN 'M' ELSE '' END) || max(CASE WHEN interface = 'HDF5' THEN 'H' ELSE '' END) ||
           max(CASE WHEN interface = 'PNETCDF' THEN 'N' ELSE '' END) || max(CASE WHEN interface IN ('DFS', 'DAOS') THEN 'D' ELSE '' END) AS interfaces
    FROM log JOIN file_use AS u USING (log_id) WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to GROUP BY program),
seen AS (
    SELECT program, count(DISTINCT pattern) AS patterns, min(pattern) AS a_pattern FROM log_case
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY program)
SELECT l.program, logs, node_hours, waited_node_hours, 100.0 * waited_node_hours / nullif(node_hours, 0) AS waited_percent,
       100.0 * waited_node_hours / nullif(sum(node_hours) OVER (), 0) AS waited_percent_of_all_node_hours,
       100.0 * waited_1 / nullif(node_hours_1, 0) AS waited_percent_of_last_30_days,
       100.0 * waited_2 / nullif(node_hours_2, 0) AS waited_percent_of_30_days_before,
       bytes_read, bytes_written, interfaces, best_rate, median.rate AS usual_rate, patterns, a_pattern, worst.log_id,
       (SELECT jobid FROM log WHERE log.log_id = worst.log_id) AS jobid,
       (SELECT min(path) FROM source WHERE source.log_id = worst.log_id) AS path
FROM l LEFT JOIN used ON used.program = l.program LEFT JOIN seen ON seen.program = l.program LEFT JOIN median ON median.program = l.program
     LEFT JOIN worst ON worst.program = l.program
ORDER BY waited_node_hours IS NULL, waited_node_hours DESC, l.program LIMIT 100;

-- study: waits-by-project
-- Projects by the node hours in which they wait for I/O
-- topic: waiting; ingest of logs whose number of compute nodes is known
WITH l AS (
    SELECT project AS who, node_hours, waited_node_hours, bytes_read + bytes_written AS bytes,
           CASE WHEN start_time >= ends - 2592000 THEN 1 WHEN start_time >= ends - 5184000 THEN 2 END AS month_ago
    FROM log_known CROSS JOIN (SELECT max(start_time) AS ends FROM log WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS e
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to)
SELECT who AS project, count(*) AS logs, sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours,
       100.0 * sum(waited_node_hours) / nullif(sum(node_hours), 0) AS waited_percent,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(waited_node_hours)) OVER (), 0) AS percent_of_all_waiting,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(node_hours)) OVER (), 0) AS waited_percent_of_all_node_hours,
       100.0 * sum(CASE WHEN month_ago = 1 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 1 THEN node_hours END), 0)
           AS waited_percent_of_last_30_days,
       100.0 * sum(CASE WHEN month_ago = 2 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 2 THEN node_hours END), 0)
           AS waited_percent_of_30_days_before,
       sum(bytes) AS bytes
FROM l GROUP BY who ORDER BY sum(waited_node_hours) IS NULL, sum(waited_node_hours) DESC, who LIMIT 100;

-- study: waits-by-user
-- Users by the node hours in which they wait for I/O
-- topic: waiting; ingest of logs whose number of compute nodes is known
WITH l AS (
    SELECT user_or_uid AS name, uid, node_hours, waited_node_hours, bytes_read + bytes_written AS bytes,
           CASE WHEN start_time >= ends - 2592000 THEN 1 WHEN start_time >= ends - 5184000 THEN 2 END AS month_ago
    FROM log_known CROSS JOIN (SELECT max(start_time) AS ends FROM log WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS e
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to)
SELECT CASE WHEN min(nullif(name, uid || '')) = max(nullif(name, uid || '')) THEN min(nullif(name, uid || '')) ELSE uid || '' END AS user_name,
       count(*) AS logs, sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours,
       100.0 * sum(waited_node_hours) / nullif(sum(node_hours), 0) AS waited_percent,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(waited_node_hours)) OVER (), 0) AS percent_of_all_waiting,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(node_hours)) OVER (), 0) AS waited_percent_of_all_node_hours,
       100.0 * sum(CASE WHEN month_ago = 1 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 1 THEN node_hours END), 0)
           AS waited_percent_of_last_30_days,
       100.0 * sum(CASE WHEN month_ago = 2 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 2 THEN node_hours END), 0)
           AS waited_percent_of_30_days_before,
       sum(bytes) AS bytes, uid
FROM l GROUP BY uid ORDER BY sum(waited_node_hours) IS NULL, sum(waited_node_hours) DESC, uid LIMIT 100;

-- study: waits-by-discipline
-- Disciplines by the node hours in which they wait for I/O
-- topic: waiting; ingest of logs whose number of compute nodes is known
WITH l AS (
    SELECT discipline AS who, node_hours, waited_node_hours, bytes_read + bytes_written AS bytes,
           CASE WHEN start_time >= ends - 2592000 THEN 1 WHEN start_time >= ends - 5184000 THEN 2 END AS month_ago
    FROM log_known CROSS JOIN (SELECT max(start_time) AS ends FROM log WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS e
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to)
SELECT who AS discipline, count(*) AS logs, sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours,
       100.0 * sum(waited_node_hours) / nullif(sum(node_hours), 0) AS waited_percent,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(waited_node_hours)) OVER (), 0) AS percent_of_all_waiting,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(node_hours)) OVER (), 0) AS waited_percent_of_all_node_hours,
       100.0 * sum(CASE WHEN month_ago = 1 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 1 THEN node_hours END), 0)
           AS waited_percent_of_last_30_days,
       100.0 * sum(CASE WHEN month_ago = 2 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 2 THEN node_hours END), 0)
           AS waited_percent_of_30_days_before,
       sum(bytes) AS bytes
FROM l GROUP BY who ORDER BY sum(waited_node_hours) IS NULL, sum(waited_node_hours) DESC, who LIMIT 100;

-- study: waits-by-machine
-- Machines by the node hours in which they wait for I/O
-- topic: waiting; ingest of logs of two machines whose number of compute nodes is known
WITH l AS (
    SELECT machine AS who, node_hours, waited_node_hours, bytes_read + bytes_written AS bytes,
           CASE WHEN start_time >= ends - 2592000 THEN 1 WHEN start_time >= ends - 5184000 THEN 2 END AS month_ago
    FROM log_known CROSS JOIN (SELECT max(start_time) AS ends FROM log WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS e
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to)
SELECT who AS machine, count(*) AS logs, sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours,
       100.0 * sum(waited_node_hours) / nullif(sum(node_hours), 0) AS waited_percent,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(waited_node_hours)) OVER (), 0) AS percent_of_all_waiting,
       100.0 * sum(waited_node_hours) / nullif(sum(sum(node_hours)) OVER (), 0) AS waited_percent_of_all_node_hours,
       100.0 * sum(CASE WHEN month_ago = 1 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 1 THEN node_hours END), 0)
           AS waited_percent_of_last_30_days,
       100.0 * sum(CASE WHEN month_ago = 2 THEN waited_node_hours END) / nullif(sum(CASE WHEN month_ago = 2 THEN node_hours END), 0)
           AS waited_percent_of_30_days_before,
       sum(bytes) AS bytes
FROM l GROUP BY who ORDER BY sum(waited_node_hours) IS NULL, sum(waited_node_hours) DESC, who LIMIT 100;

-- study: months
-- Month by month: logs, programs, node hours, waiting for I/O, bytes, and how much of the scheduler's core hours left logs
-- topic: waiting; ingest
WITH l AS (
    SELECT substr(date(start_time, 'unixepoch', 'localtime'), 1, 7) AS month, count(*) AS logs, count(DISTINCT program) AS programs,
           sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours, sum(bytes_read) / 1099511627776.0 AS tib_read,
           sum(bytes_written) / 1099511627776.0 AS tib_written
    FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY 1),
j AS (
    SELECT substr(date(start_time, 'unixepoch', 'localtime'), 1, 7) AS month, 100.0 * sum(logged * core_hours) / nullif(sum(core_hours), 0) AS covered
    FROM job_logged WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY 1)
SELECT l.month, logs, programs, node_hours, waited_node_hours, 100.0 * waited_node_hours / nullif(node_hours, 0) AS waited_percent,
       tib_read, tib_written, covered AS covered_percent_of_core_hours
FROM l LEFT JOIN j ON j.month = l.month ORDER BY l.month;

-- study: weeks
-- Week by week, from Monday: logs, programs, node hours, waiting for I/O, bytes, and how much of the scheduler's core hours left logs
-- topic: waiting; ingest
WITH l AS (
    SELECT date(start_time, 'unixepoch', 'localtime', '-6 days', 'weekday 1') AS week, count(*) AS logs, count(DISTINCT program) AS programs,
           sum(node_hours) AS node_hours, sum(waited_node_hours) AS waited_node_hours, sum(bytes_read) / 1099511627776.0 AS tib_read,
           sum(bytes_written) / 1099511627776.0 AS tib_written
    FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY 1),
j AS (
    SELECT date(start_time, 'unixepoch', 'localtime', '-6 days', 'weekday 1') AS week, 100.0 * sum(logged * core_hours) / nullif(sum(core_hours), 0) AS covered
    FROM job_logged WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY 1)
SELECT l.week, logs, programs, node_hours, waited_node_hours, 100.0 * waited_node_hours / nullif(node_hours, 0) AS waited_percent,
       tib_read, tib_written, covered AS covered_percent_of_core_hours
FROM l LEFT JOIN j ON j.week = l.week ORDER BY l.week;

-- study: overall
-- All logs together
-- topic: use; ingest
SELECT count(*) AS logs, count(DISTINCT CASE WHEN coalesce(jobid_is_pid, 0) = 0 THEN machine || ' ' || jobid END) AS jobs, count(DISTINCT uid) AS users, count(DISTINCT program) AS programs,
       sum(files) AS files, sum(bytes_read) / 1099511627776.0 AS tib_read,
       sum(bytes_written) / 1099511627776.0 AS tib_written,
       100.0 * sum(bytes_read) / nullif(sum(bytes_read + bytes_written), 0) AS read_percent,
       sum(process_seconds) / 3600.0 AS process_hours,
       sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs,
       sum(1 - of_job) AS logs_of_no_job,
       count(DISTINCT machine) AS machines
FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to;

-- study: projects
-- The ten projects that move most bytes, and the interfaces that they use themselves
-- topic: use; ingest
SELECT project, sum(u.bytes_read) / 1099511627776.0 AS tib_read, sum(u.bytes_written) / 1099511627776.0 AS tib_written,
       count(DISTINCT u.log_id) AS logs,
       max(CASE WHEN interface = 'POSIX' THEN 'P' ELSE '' END) || max(CASE WHEN interface = 'STDIO' THEN 'S' ELSE '' END) ||
       max(CASE WHEN interface = 'MPIIO' THEN 'M' ELSE '' END) || max(CASE WHEN interface = 'HDF5' THEN 'H' ELSE '' END) ||
       max(CASE WHEN interface = 'PNETCDF' THEN 'N' ELSE '' END) ||
       max(CASE WHEN interface IN ('DFS', 'DAOS') THEN 'D' ELSE '' END) AS interfaces
FROM log_known AS log JOIN file_use AS u USING (log_id)
WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
GROUP BY project ORDER BY sum(u.bytes_read + u.bytes_written) DESC, project LIMIT 10;

-- study: users
-- The twenty users who move most bytes
-- topic: use; ingest
SELECT CASE WHEN min(nullif(user_or_uid, uid || '')) = max(nullif(user_or_uid, uid || '')) THEN min(nullif(user_or_uid, uid || ''))
            ELSE uid || '' END AS user_name, uid, count(*) AS logs, count(DISTINCT program) AS programs,
       sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written, sum(files) AS files,
       sum(process_seconds) / 3600.0 AS process_hours, sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY uid ORDER BY sum(bytes_read + bytes_written) DESC, uid LIMIT 20;

-- study: interfaces
-- Interfaces by size of the job: logs that use them, and bytes that they move
-- topic: use; ingest
WITH sized AS (
    SELECT log_id, bytes_read, bytes_written, processes
    FROM log JOIN job_size USING (width) WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to),
total AS (
    SELECT processes, count(*) AS logs, sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written
    FROM sized GROUP BY processes)
SELECT s.processes, interface, count(DISTINCT s.log_id) AS logs,
       100.0 * count(DISTINCT s.log_id) / total.logs AS percent_of_logs,
       100.0 * sum(u.bytes_read) / nullif(total.bytes_read, 0) AS percent_of_bytes_read,
       100.0 * sum(u.bytes_written) / nullif(total.bytes_written, 0) AS percent_of_bytes_written
FROM sized AS s JOIN file_use AS u USING (log_id) JOIN total ON total.processes = s.processes
GROUP BY s.processes, interface, total.logs, total.bytes_read, total.bytes_written ORDER BY s.processes, interface;

-- study: sharing
-- Files of one rank, of several, of all, by size of the job
-- topic: use; ingest
WITH sized AS (
    SELECT log_id, processes, partial FROM log JOIN job_size USING (width) WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to),
total AS (SELECT processes, count(*) AS logs FROM sized GROUP BY processes),
s AS (
    SELECT processes, sharing, count(DISTINCT log_id) AS logs, sum(files) AS files, sum(bytes_read + bytes_written) AS bytes,
           count(DISTINCT CASE WHEN partial <> 0 THEN log_id END) AS partial_logs
    FROM sized JOIN file_use USING (log_id) GROUP BY processes, sharing)
SELECT s.processes, sharing, s.logs, files, 100.0 * s.logs / total.logs AS percent_of_logs,
       100.0 * files / nullif(sum(files) OVER p, 0) AS percent_of_files, 100.0 * bytes / nullif(sum(bytes) OVER p, 0) AS percent_of_bytes,
       partial_logs
FROM s JOIN total ON total.processes = s.processes WINDOW p AS (PARTITION BY s.processes) ORDER BY s.processes, sharing;

-- study: coverage
-- How much of what the scheduler ran left logs: jobs of which a run did, core hours of the runs that did
-- topic: coverage; import slurm
SELECT count(*) AS jobs, sum(logged) AS logged_jobs, 100.0 * sum(logged) / nullif(count(*), 0) AS percent_of_jobs,
       sum(core_hours) AS core_hours, sum(logged_core_hours) AS logged_core_hours,
       100.0 * sum(logged_core_hours) / nullif(sum(core_hours), 0) AS percent_of_core_hours
FROM (SELECT sum(core_hours) AS core_hours, sum(logged * core_hours) AS logged_core_hours, max(logged) AS logged FROM job_logged
      WHERE :machine IN ('', machine) AND coalesce(start_time, :from) >= :from AND coalesce(start_time, :from) < :to
      GROUP BY machine, leader) AS j;

-- study: logs-of-no-job
-- Logs that are of no job of the scheduler, and why: they count as of project unknown
-- topic: coverage; ingest
SELECT CASE WHEN jobid_is_pid = 1 THEN 'no scheduler has named the job'
            WHEN EXISTS (SELECT 1 FROM job WHERE job.jobid = log.jobid) THEN 'the job of that number has another owner, time or machine'
            ELSE 'no job of that number was imported' END AS reason,
       count(*) AS logs, sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written
FROM log_known AS log WHERE of_job = 0 AND :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
GROUP BY 1 ORDER BY count(*) DESC, 1;

-- study: project-coverage
-- How much of what the scheduler ran left logs, by project
-- topic: coverage; import slurm
SELECT project, count(*) AS jobs, sum(logged) AS logged_jobs,
       100.0 * sum(logged) / count(*) AS percent_of_jobs, sum(core_hours) AS core_hours,
       100.0 * sum(logged_core_hours) / nullif(sum(core_hours), 0) AS percent_of_core_hours
FROM (SELECT project, sum(core_hours) AS core_hours, sum(logged * core_hours) AS logged_core_hours, max(logged) AS logged
      FROM (SELECT coalesce(p.project, 'unknown') AS project, job_logged.* FROM job_logged
            LEFT JOIN account_project AS p ON p.account = job_logged.account AND p.machine = job_logged.machine) AS j
      WHERE :machine IN ('', machine) AND coalesce(start_time, :from) >= :from AND coalesce(start_time, :from) < :to
      GROUP BY project, machine, leader) AS j
GROUP BY project ORDER BY project;

-- query: files-and-processes
-- Files against processes of each log: N:N, N:M, N:1 or none
SELECT log_id, jobid, project, processes AS nprocs, files,
       CASE WHEN files = 0 THEN 'none' WHEN files >= processes THEN 'N:N' WHEN files = 1 THEN 'N:1' ELSE 'N:M' END AS pattern,
       partial, machine, path
FROM log_known LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to ORDER BY start_time, log_id;

-- study: files-by-processes
-- Logs by the numbers of their files and processes
-- topic: use; ingest
SELECT project, processes AS nprocs, files,
       CASE WHEN files = 0 THEN 'none' WHEN files >= processes THEN 'N:N' WHEN files = 1 THEN 'N:1' ELSE 'N:M' END AS pattern,
       count(*) AS logs, sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY project, processes, files ORDER BY count(*) DESC, project, processes, files;

-- study: written-files
-- Files that were written by project, those of them that were read before, so that they held data already; and, of the logs that tell, files that were created (or empty before), overwritten, changed, or temporary
-- topic: use; ingest
SELECT project, sum(files_written) AS files_written, sum(files_held_data) AS held_data,
       100.0 * sum(files_held_data) / nullif(sum(files_written), 0) AS held_data_percent,
       sum(files_created) AS created, sum(files_empty_before) AS empty_before, sum(files_overwritten) AS overwritten,
       sum(files_perhaps_created) AS perhaps_created, sum(files_changed) AS changed, sum(files_temporary) AS temporary,
       100.0 * sum(files_created + files_empty_before) /
           nullif(sum(files_created + files_empty_before + files_overwritten + files_perhaps_created + files_changed), 0)
           AS created_or_empty_percent,
       sum(CASE WHEN files_created IS NOT NULL THEN 1 ELSE 0 END) AS telling_logs,
       sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY project ORDER BY sum(files_written) DESC, project;

-- study: times-apart
-- Programs by their time in metadata calls and syncs: shares of opens and closes in the one, of syncs in writing
-- topic: waiting; ingest
SELECT program, count(*) AS logs, sum(meta_time) AS meta_time, sum(open_time) AS open_time, sum(close_time) AS close_time,
       100.0 * sum(open_time) / nullif(sum(meta_time), 0) AS open_percent,
       100.0 * sum(close_time) / nullif(sum(meta_time), 0) AS close_percent, sum(write_time) AS write_time,
       sum(sync_time) AS sync_time, 100.0 * sum(sync_time) / nullif(sum(write_time), 0) AS sync_percent,
       sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
FROM log_known WHERE open_time IS NOT NULL AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY program ORDER BY sum(meta_time + sync_time) DESC, program LIMIT 100;

-- study: gpudirect-storage
-- Programs that use GPUDirect Storage: what it moved, and how much of that its library moved by POSIX calls (compatibility mode)
-- topic: use; ingest
SELECT program, count(*) AS logs, sum(gds_files) AS files, sum(gds_bytes) AS gds_bytes, sum(gds_bytes_by_posix) AS bytes_by_posix,
       100.0 * sum(gds_bytes_by_posix) / nullif(sum(gds_bytes), 0) AS posix_percent, sum(gds_bytes_untimed) AS bytes_without_time,
       sum(CASE WHEN gds_bytes_by_posix > 0 THEN 1 ELSE 0 END) AS logs_in_compatibility_mode,
       sum(bytes_read) AS bytes_read, sum(bytes_written) AS bytes_written
FROM log_known WHERE gds_files > 0 AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY program ORDER BY sum(gds_bytes) DESC, program LIMIT 100;

-- study: mapped-files
-- Programs that map files into memory: what loads and stores accessed at most, beside what calls read and wrote
-- topic: use; ingest
SELECT program, count(*) AS logs, sum(mapped_files) AS files, sum(mapped_bytes) AS mapped_bytes,
       sum(mapped_bytes_accessed) AS bytes_accessed_at_most, sum(mapped_bytes_written_most) AS bytes_changed_at_most,
       sum(mapped_bytes_written_least) AS bytes_written_back_at_least, sum(bytes_read) AS bytes_read_by_calls,
       sum(bytes_written) AS bytes_written_by_calls,
       sum(CASE WHEN mapped_bytes_accessed > bytes_read + bytes_written THEN 1 ELSE 0 END) AS logs_mostly_mapped,
       sum(page_faults) AS page_faults, sum(storage_bytes_read) AS storage_bytes_read
FROM log_known WHERE mapped_files > 0 AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY program ORDER BY sum(mapped_bytes_accessed) DESC, program LIMIT 100;

-- study: throughput-totals
-- Devices over all: TiB, TiB a day if a day or more was sampled, highest minutes in MiB/s
-- topic: devices; import samples or import iostat
SELECT count(*) AS minutes, sum(gib_read) / 1024.0 AS tib_read, sum(gib_written) / 1024.0 AS tib_written,
       100.0 * sum(mib_read) / nullif(sum(mib), 0) AS read_percent,
       CASE WHEN count(*) >= 1440 THEN avg(mib_read) * 86400 / 1048576.0 END AS tib_read_a_day,
       CASE WHEN count(*) >= 1440 THEN avg(mib_written) * 86400 / 1048576.0 END AS tib_written_a_day,
       max(mib_read) AS peak_read, max(mib_written) AS peak_written, max(mib) AS peak
FROM (SELECT minute, sum(mib_read) AS mib_read, sum(mib_written) AS mib_written, sum(mib) AS mib, sum(gib_read) AS gib_read,
             sum(gib_written) AS gib_written
      FROM minute_rate WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY minute) AS minute_rate;

-- study: throughput
-- Devices day by day: TiB read and written, highest minute in MiB/s
-- topic: devices; import samples or import iostat
SELECT date(minute * 60, 'unixepoch', 'localtime') AS day, sum(gib_read) / 1024.0 AS tib_read,
       sum(gib_written) / 1024.0 AS tib_written, max(mib_read) AS peak_read, max(mib_written) AS peak_written,
       count(*) AS minutes
FROM (SELECT minute, sum(mib_read) AS mib_read, sum(mib_written) AS mib_written, sum(mib) AS mib, sum(gib_read) AS gib_read,
             sum(gib_written) AS gib_written
      FROM minute_rate WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY minute) AS minute_rate
GROUP BY 1 ORDER BY 1;

-- study: throughput-hours
-- Devices hour by hour: MiB/s read and written on average, and in the highest minute
-- topic: devices; import samples or import iostat
SELECT minute / 60 * 3600 AS time, avg(mib_read) AS mib_s_read, avg(mib_written) AS mib_s_written, max(mib) AS highest,
       count(*) AS minutes
FROM (SELECT minute, sum(mib_read) AS mib_read, sum(mib_written) AS mib_written, sum(mib) AS mib, sum(gib_read) AS gib_read,
             sum(gib_written) AS gib_written
      FROM minute_rate WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY minute) AS minute_rate
GROUP BY minute / 60 ORDER BY minute / 60;

-- study: explained
-- What devices moved month by month, and how much of it logs explain of days for which there are samples
-- topic: devices; ingest, and import samples or import iostat
WITH m AS (
    SELECT minute, date(minute * 60, 'unixepoch', 'localtime') AS day, sum(gib_read) AS gib_read, sum(gib_written) AS gib_written
    FROM minute_rate WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY 1, 2),
d AS (SELECT substr(day, 1, 7) AS month, sum(gib_read) / 1024.0 AS tib_read, sum(gib_written) / 1024.0 AS tib_written FROM m GROUP BY 1),
e AS (SELECT min(minute) * 60 AS first_time, max(minute) * 60 + 60 AS end_time FROM m),
l AS (
    SELECT substr(date(log.start_time, 'unixepoch', 'localtime'), 1, 7) AS month, sum(bytes_read) / 1099511627776.0 AS tib_read,
           sum(bytes_written) / 1099511627776.0 AS tib_written
    FROM log JOIN e ON log.start_time >= e.first_time AND log.start_time < e.end_time
    WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
          AND date(log.start_time, 'unixepoch', 'localtime') IN (SELECT day FROM m) GROUP BY 1)
SELECT d.month, d.tib_read, d.tib_written, l.tib_read AS logged_tib_read, l.tib_written AS logged_tib_written,
       100.0 * l.tib_read / nullif(d.tib_read, 0) AS explained_percent_of_reads,
       100.0 * l.tib_written / nullif(d.tib_written, 0) AS explained_percent_of_writes
FROM d LEFT JOIN l ON l.month = d.month ORDER BY d.month;

-- study: peak-jobs
-- Jobs that ran in the ten highest minutes of the devices, with what they moved a second on average
-- topic: devices; ingest, and import samples or import iostat
WITH top AS (
    SELECT minute, sum(mib) AS mib FROM minute_rate WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to
    GROUP BY minute ORDER BY sum(mib) DESC, minute LIMIT 10),
longest AS (SELECT max(end_time - start_time) AS seconds FROM log),
running AS (
    SELECT minute, mib, log.*, (bytes_read + bytes_written) / 1048576.0 / nullif(run_time, 0) AS mean_mib_s,
           row_number() OVER (PARTITION BY minute ORDER BY (bytes_read + bytes_written) / nullif(run_time, 0) DESC, log_id) AS place
    FROM top CROSS JOIN longest JOIN log ON log.start_time > minute * 60 - seconds - 1 AND log.start_time < minute * 60 + 60
         AND log.end_time > minute * 60
    WHERE :machine IN ('', log.machine))
SELECT minute * 60 AS time, mib AS mib_s, program,
       coalesce(user_name, (SELECT j.user FROM log_job AS j WHERE j.log_id = running.log_id), uid || '') AS user_name, jobid, mean_mib_s, machine,
       log_id, (SELECT min(path) FROM source WHERE source.log_id = running.log_id) AS path
FROM running WHERE place <= 5 ORDER BY mib DESC, minute, place;

-- study: device-load
-- Devices: how busy they are, how long requests take, and their share of what all move
-- topic: devices; import samples or import iostat
SELECT d.machine, d.host, device, sum(seconds) / 3600.0 AS hours, sum(read_kib) / 1073741824.0 AS tib_read,
       sum(write_kib) / 1073741824.0 AS tib_written,
       100.0 * sum(read_kib + write_kib) / nullif(sum(sum(read_kib + write_kib)) OVER (), 0) AS percent_of_bytes,
       sum(read_kib + write_kib) / nullif(avg(sum(read_kib + write_kib)) OVER (), 0) AS times_the_mean,
       sum(busy_percent * seconds) / nullif(sum(CASE WHEN busy_percent IS NOT NULL THEN seconds END), 0) AS mean_busy_percent,
       max(busy_percent) AS highest_busy_percent,
       sum(await_ms * seconds) / nullif(sum(CASE WHEN await_ms IS NOT NULL THEN seconds END), 0) AS mean_ms_a_request,
       max(await_ms) AS highest_ms_a_request
FROM device_sample AS d
WHERE (stacked = 0 OR (machine, host) NOT IN (SELECT machine, host FROM device_sample WHERE stacked = 0)) AND :machine IN ('', d.machine) AND time > :from AND time <= :to
GROUP BY d.machine, d.host, device ORDER BY sum(read_kib + write_kib) DESC, d.machine, d.host, device LIMIT 200;

-- study: server-load
-- Servers: how busy their devices are, how long requests take, and the share of each in what all move
-- topic: devices; import samples or import iostat
SELECT d.machine, d.host, count(DISTINCT device) AS devices, sum(read_kib) / 1073741824.0 AS tib_read, sum(write_kib) / 1073741824.0 AS tib_written,
       100.0 * sum(read_kib + write_kib) / nullif(sum(sum(read_kib + write_kib)) OVER (), 0) AS percent_of_bytes,
       sum(read_kib + write_kib) / nullif(avg(sum(read_kib + write_kib)) OVER (), 0) AS times_the_mean,
       sum(busy_percent * seconds) / nullif(sum(CASE WHEN busy_percent IS NOT NULL THEN seconds END), 0) AS mean_busy_percent,
       max(busy_percent) AS highest_busy_percent,
       sum(await_ms * seconds) / nullif(sum(CASE WHEN await_ms IS NOT NULL THEN seconds END), 0) AS mean_ms_a_request,
       max(await_ms) AS highest_ms_a_request
FROM device_sample AS d
WHERE (stacked = 0 OR (machine, host) NOT IN (SELECT machine, host FROM device_sample WHERE stacked = 0)) AND :machine IN ('', d.machine) AND time > :from AND time <= :to
GROUP BY d.machine, d.host ORDER BY sum(read_kib + write_kib) DESC, d.machine, d.host LIMIT 200;

-- study: gaps
-- Times without samples of a server, the longest first: nothing is known of them; of those in maintenance, why
-- topic: devices; import samples or import iostat, with pauses between them
WITH seen AS (SELECT machine, host, minute, lead(minute) OVER (PARTITION BY machine, host ORDER BY minute) AS next
              FROM host_minute WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to),
last AS (SELECT machine, host, minute, next FROM seen WHERE next IS NULL OR next - minute > 1),
gap AS (SELECT machine, host, (minute + 1) * 60 AS since, coalesce(next, ends) * 60 AS until
        FROM last CROSS JOIN (SELECT 1 + max(minute) AS ends FROM last) AS e WHERE coalesce(next, ends) - minute > 1)
SELECT gap.since, gap.until, (gap.until - gap.since) / 60 AS minutes, count(DISTINCT gap.machine || ' ' || host) AS servers, min(host) AS first_server,
       min(coalesce(m.reason, CASE WHEN m.since IS NOT NULL THEN 'maintenance' END)) AS maintenance
FROM gap LEFT JOIN maintenance AS m ON m.machine IN ('', gap.machine) AND m.since < gap.until AND m.until > gap.since
GROUP BY gap.since, gap.until ORDER BY gap.until - gap.since DESC, gap.since LIMIT 100;

-- study: maintenance
-- Maintenance of machines: logs of programs that ran meanwhile, and what devices moved
-- topic: devices; import maintenance
SELECT m.machine, m.since, m.until, (m.until - m.since) / 3600.0 AS hours, m.reason,
       (SELECT count(*) FROM log WHERE log.start_time < m.until AND log.end_time > m.since AND m.machine IN ('', log.machine) AND :machine IN ('', log.machine)) AS logs,
       (SELECT count(*) FROM job WHERE ran = 1 AND job.start_time < m.until AND job.end_time > m.since AND m.machine IN ('', job.machine) AND :machine IN ('', job.machine)) AS jobs,
       (SELECT sum(gib_read + gib_written) FROM minute_rate AS r WHERE r.minute * 60 >= m.since AND r.minute * 60 < m.until AND m.machine IN ('', r.machine)
        AND :machine IN ('', r.machine)) AS gib
FROM maintenance AS m WHERE (m.machine = '' OR :machine IN ('', m.machine)) AND m.until > :from AND m.since < :to ORDER BY m.since, m.machine;

-- study: throughput-distribution
-- Minutes by throughput of all devices (MiB/s)
-- topic: devices; import samples or import iostat
WITH m AS (SELECT mib, row_number() OVER (ORDER BY mib) AS i, count(*) OVER () AS n, max(mib) OVER () AS peak
           FROM (SELECT minute, sum(mib) AS mib FROM minute_rate
                 WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY minute) AS s)
SELECT count(*) AS minutes, avg(mib) AS mean, max(mib) AS peak, max(CASE WHEN i <= 0.98 * n OR i = 1 THEN mib END) AS p98,
       100.0 * max(CASE WHEN i <= 0.98 * n OR i = 1 THEN mib END) / nullif(max(mib), 0) AS p98_percent_of_peak,
       100.0 * sum(CASE WHEN mib < 0.33 * peak THEN 1 ELSE 0 END) / nullif(count(*), 0) AS percent_below_third_of_peak,
       sum(CASE WHEN mib = 0 THEN 1 ELSE 0 END) AS minutes_without_traffic
FROM m;

-- study: throughput-shares
-- Percent of the minutes in which all devices together moved less than so many MiB/s, or as many
-- topic: devices; import samples or import iostat
WITH m AS (SELECT mib, 100 * row_number() OVER (ORDER BY mib) AS i, count(*) OVER () AS n
           FROM (SELECT minute, sum(mib) AS mib FROM minute_rate
                 WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to GROUP BY minute) AS s)
SELECT (i + n - 1) / n AS percent_of_minutes, max(mib) AS mib_s FROM m GROUP BY (i + n - 1) / n ORDER BY (i + n - 1) / n;

-- study: idle
-- Periods in which the devices move less than 5 % of the peak, by length; missing minutes end a period, and so does maintenance, which is no idle time
-- topic: devices; import samples or import iostat
WITH m AS (SELECT minute, mib, max(mib) OVER () AS peak, count(*) OVER () AS n
           FROM (SELECT minute, sum(mib) AS mib FROM minute_rate
                 WHERE :machine IN ('', machine) AND minute * 60 >= :from AND minute * 60 < :to
                       AND NOT EXISTS (SELECT 1 FROM maintenance AS x WHERE x.machine IN ('', minute_rate.machine) AND x.since <= minute * 60 AND x.until > minute * 60)
                 GROUP BY minute) AS s),
idle AS (SELECT minute, minute - row_number() OVER (ORDER BY minute) AS period, n FROM m WHERE mib < 0.05 * peak),
period AS (SELECT count(*) AS minutes, max(n) AS n, min(minute) AS minute FROM idle GROUP BY period),
placed AS (SELECT length, minutes, n, minute, row_number() OVER (PARTITION BY length ORDER BY minutes DESC, minute) AS place
           FROM (SELECT CASE WHEN minutes < 10 THEN '1-9 min' WHEN minutes < 30 THEN '10-29 min' WHEN minutes < 60 THEN '30-59 min'
                             WHEN minutes < 240 THEN '1-4 h' ELSE '4 h and more' END AS length, minutes, n, minute FROM period) AS p)
SELECT length, count(*) AS periods, sum(minutes) AS minutes, 100.0 * sum(minutes) / max(n) AS percent_of_time,
       max(minutes) AS longest, max(CASE WHEN place = 1 THEN 60 * minute END) AS since
FROM placed GROUP BY length ORDER BY min(minutes);

-- study: file-sizes
-- Files of a snapshot by size (bytes below 2^bin): shares of files and of bytes, cumulated
-- topic: growth; import fsstats
SELECT directory, datetime(time, 'unixepoch', 'localtime') AS time, bin, count, b.bytes,
       100.0 * sum(count) OVER upto / nullif(sum(count) OVER whole, 0) AS percent_of_files,
       100.0 * sum(b.bytes) OVER upto / nullif(sum(b.bytes) OVER whole, 0) AS percent_of_bytes,
       CASE WHEN count = max(count) OVER whole THEN 1 ELSE 0 END AS is_mode, machine
FROM snapshot JOIN snapshot_bin AS b USING (snapshot_id) WHERE :machine IN ('', machine) AND histogram = 'size'
WINDOW whole AS (PARTITION BY snapshot_id), upto AS (PARTITION BY snapshot_id ORDER BY bin)
ORDER BY directory, machine, time, bin;

-- study: file-ages
-- Files of a snapshot by days since they were read (access) and written (modification), below 2^bin, cumulated
-- topic: growth; import fsstats
SELECT directory, datetime(time, 'unixepoch', 'localtime') AS time, histogram, bin,
       100.0 * sum(count) OVER upto / nullif(sum(count) OVER whole, 0) AS percent_of_files,
       100.0 * sum(b.bytes) OVER upto / nullif(sum(b.bytes) OVER whole, 0) AS percent_of_bytes, machine
FROM snapshot JOIN snapshot_bin AS b USING (snapshot_id) WHERE :machine IN ('', machine) AND histogram IN ('access_days', 'modification_days')
WINDOW whole AS (PARTITION BY snapshot_id, histogram), upto AS (PARTITION BY snapshot_id, histogram ORDER BY bin)
ORDER BY directory, machine, time, histogram, bin;

-- study: snapshots
-- Snapshots of file systems: files, bytes, the largest file
-- topic: growth; import fsstats
SELECT directory, datetime(time, 'unixepoch', 'localtime') AS time, files, directories, snapshot.bytes, l.bytes AS bytes_of_largest, l.path AS largest_file,
       l.owner, machine
FROM snapshot LEFT JOIN snapshot_largest AS l ON l.snapshot_id = snapshot.snapshot_id WHERE :machine IN ('', machine)
ORDER BY directory, machine, snapshot.time;

-- study: holders
-- Who holds the bytes of the last snapshot: users, groups and projects of quotas, and what would be left without each
-- topic: growth; import fsstats
WITH last AS (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY machine, directory ORDER BY time DESC) AS place
                             FROM snapshot WHERE :machine IN ('', machine)) AS s WHERE place = 1),
h AS (SELECT snapshot_id, 'user' AS kind, owner AS number, files, bytes FROM snapshot_owner
      UNION ALL SELECT snapshot_id, kind, number, files, bytes FROM snapshot_group),
known AS (SELECT machine, uid, max(user_name) AS user_name FROM log GROUP BY machine, uid),
alike AS (SELECT uid, max(user_name) AS user_name FROM known GROUP BY uid HAVING min(user_name) = max(user_name)),
placed AS (SELECT last.directory, last.machine, h.*, last.files AS all_files, last.bytes AS all_bytes,
                  row_number() OVER (PARTITION BY h.snapshot_id, kind ORDER BY h.bytes DESC, number) AS rank
           FROM last JOIN h USING (snapshot_id))
SELECT directory, kind, number AS number_id, coalesce(known.user_name, alike.user_name) AS user_name,
       files, 100.0 * files / nullif(all_files, 0) AS percent_of_files, bytes, 100.0 * bytes / nullif(all_bytes, 0) AS percent_of_bytes,
       all_files - files AS files_of_others, all_bytes - bytes AS bytes_of_others, placed.machine
FROM placed LEFT JOIN known ON kind = 'user' AND known.uid = number AND known.machine = placed.machine
     LEFT JOIN alike ON kind = 'user' AND alike.uid = number
WHERE rank <= 10 ORDER BY directory, placed.machine, kind DESC, rank;

-- study: growth
-- From each snapshot to the next: files and bytes more, and the day of a thousand million files at that pace
-- topic: growth; import fsstats, of two times
SELECT directory, datetime(t0, 'unixepoch', 'localtime') AS since, datetime(time, 'unixepoch', 'localtime') AS until, n0 AS files_before, files,
       files - n0 AS more_files, 100.0 * (files - n0) / nullif(n0, 0) AS more_files_percent, bytes - b0 AS more_bytes,
       100.0 * (bytes - b0) / nullif(b0, 0) AS more_bytes_percent,
       CASE WHEN files > n0 THEN date(time + (1000000000.0 - files) / (files - n0) * (time - t0), 'unixepoch', 'localtime') END AS thousand_million_files,
       machine
FROM (SELECT *, lag(files) OVER w AS n0, lag(bytes) OVER w AS b0, lag(time) OVER w AS t0
      FROM snapshot WHERE :machine IN ('', machine) WINDOW w AS (PARTITION BY machine, directory ORDER BY time)) AS s
WHERE t0 IS NOT NULL ORDER BY directory, machine, time;

-- study: growth-by-owner
-- The owners who made most of the new files from each snapshot to the next, and their shares of new files and bytes
-- topic: growth; import fsstats, of two times
WITH step AS (
    SELECT machine, directory, snapshot_id, time, files, bytes, lag(snapshot_id) OVER w AS id0, lag(time) OVER w AS t0,
           lag(files) OVER w AS n0, lag(bytes) OVER w AS b0
    FROM snapshot WHERE :machine IN ('', machine) WINDOW w AS (PARTITION BY machine, directory ORDER BY time)),
owned AS (
    SELECT step.*, now.owner, now.files - coalesce(before.files, 0) AS more_files,
           now.bytes - coalesce(before.bytes, 0) AS more_bytes
    FROM step JOIN snapshot_owner AS now ON now.snapshot_id = step.snapshot_id
         LEFT JOIN snapshot_owner AS before ON before.snapshot_id = step.id0 AND before.owner = now.owner
    WHERE id0 IS NOT NULL),
placed AS (SELECT *, row_number() OVER (PARTITION BY snapshot_id ORDER BY more_files DESC, owner) AS place FROM owned),
known AS (SELECT machine, uid, max(user_name) AS user_name FROM log GROUP BY machine, uid),
alike AS (SELECT uid, max(user_name) AS user_name FROM known GROUP BY uid HAVING min(user_name) = max(user_name))
SELECT directory, t0 AS since, time AS until, owner, coalesce(known.user_name, alike.user_name) AS user_name, more_files,
       CASE WHEN files > n0 THEN 100.0 * more_files / (files - n0) END AS percent_of_new_files, more_bytes,
       CASE WHEN bytes > b0 THEN 100.0 * more_bytes / (bytes - b0) END AS percent_of_new_bytes, placed.machine
FROM placed LEFT JOIN known ON known.uid = owner AND known.machine = placed.machine LEFT JOIN alike ON alike.uid = owner
WHERE place <= 10 ORDER BY directory, placed.machine, time, place;

-- study: project-rates
-- MiB/s per compute node by project: quartiles, of logs with enough processes and data
-- topic: jobs; logs large enough (--min-procs, --min-mib) whose number of nodes is known (import slurm)
WITH v AS (SELECT project, rate, nodes_from, row_number() OVER w - 1 AS i, lead(rate) OVER w AS next, count(*) OVER (PARTITION BY project) - 1 AS n
           FROM log_known
           WHERE rate IS NOT NULL AND width >= :min_procs AND mib >= :min_mib AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
           WINDOW w AS (PARTITION BY project ORDER BY rate))
SELECT project, max(n) + 1 AS logs, min(rate) AS lowest,
       max(CASE WHEN i = n / 4 THEN rate + (0.25 * n - i) * (coalesce(next, rate) - rate) END) AS quartile1,
       max(CASE WHEN i = n / 2 THEN rate + (0.5 * n - i) * (coalesce(next, rate) - rate) END) AS median,
       max(CASE WHEN i = 3 * n / 4 THEN rate + (0.75 * n - i) * (coalesce(next, rate) - rate) END) AS quartile3,
       max(rate) AS highest, sum(CASE WHEN rate > :site_maximum THEN 1 ELSE 0 END) AS above_site_maximum,
       sum(CASE WHEN nodes_from = 'log' THEN 1 ELSE 0 END) AS nodes_from_log,
       sum(CASE WHEN nodes_from = 'scheduler' THEN 1 ELSE 0 END) AS nodes_from_scheduler
FROM v GROUP BY project ORDER BY project;

-- study: node-counts
-- From where the number of compute nodes of a log is known: without it there are no rates per compute node
-- topic: coverage
SELECT nodes_from, count(*) AS logs, 100.0 * count(*) / nullif(sum(count(*)) OVER (), 0) AS percent_of_logs,
       sum(CASE WHEN width >= :min_procs AND bytes_read + bytes_written >= :min_mib * 1048576.0 THEN 1 ELSE 0 END) AS logs_large_enough
FROM log_known WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY nodes_from ORDER BY nodes_from;

-- study: limits
-- Logs that are large enough for figures of projects, limit by limit
-- topic: coverage; ingest
SELECT count(*) AS logs, sum(CASE WHEN width >= :min_procs THEN 1 ELSE 0 END) AS enough_processes, max(width) AS most_processes,
       sum(CASE WHEN mib >= :min_mib THEN 1 ELSE 0 END) AS enough_mib, max(mib) AS most_mib,
       sum(CASE WHEN nodes IS NOT NULL THEN 1 ELSE 0 END) AS known_nodes, sum(CASE WHEN rate IS NOT NULL THEN 1 ELSE 0 END) AS known_rate,
       sum(CASE WHEN width >= :min_procs AND mib >= :min_mib AND rate IS NOT NULL THEN 1 ELSE 0 END) AS all_of_it
FROM log_known
WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to;

-- study: outliers
-- Logs above the rate that the file system can give (--site-maximum), with their times by each way of estimating
-- topic: jobs; a highest rate (--site-maximum), and logs whose number of nodes is known (import slurm)
SELECT log_id, jobid, project, program, nprocs, nodes, nodes_from, rate_open_to_last, rate_slowest, rate_exact, machine,
       (SELECT min(path) FROM source WHERE source.log_id = fast.log_id) AS path
FROM (SELECT * FROM log_known WHERE rate > :site_maximum AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
      ORDER BY rate DESC, log_id LIMIT 100) AS fast
ORDER BY rate DESC, log_id;

-- study: project-characteristics
-- Projects on average over logs with enough processes and data
-- topic: jobs; logs large enough (--min-procs, --min-mib)
SELECT project, count(*) AS logs, avg(rate) AS mib_s_cn, avg(io_percent) AS io_percent,
       avg(io_percent_slowest) AS io_percent_slowest, avg(wait_percent) AS wait_percent,
       avg(meta_percent) AS meta_percent,
       avg(1.0 * files / nullif(processes, 0)) AS files_per_process, avg(1.0 * files_written / nullif(processes, 0)) AS written_per_process,
       avg(1.0 * (files_written - files_held_data) / nullif(processes, 0)) AS created_per_process_at_most,
       avg(1.0 * files_held_data / nullif(processes, 0)) AS overwritten_per_process_at_least,
       avg(1.0 * files_created / nullif(processes, 0)) AS created_per_process,
       1 + max(CASE WHEN largest.last_byte > 0 THEN largest.last_byte END) AS bytes_of_largest_file,
       100.0 * sum(POSIX_SEQ_READS + POSIX_SEQ_WRITES) / nullif(sum(POSIX_READS + POSIX_WRITES), 0) AS sequential_percent,
       100.0 - 100.0 * sum(POSIX_FILE_NOT_ALIGNED) / nullif(sum(POSIX_READS + POSIX_WRITES), 0) AS aligned_percent,
       avg(mib / nullif(processes, 0)) AS mib_per_process, sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
FROM log_known LEFT JOIN posix_total USING (log_id) LEFT JOIN log_largest AS largest USING (log_id)
WHERE width >= :min_procs AND mib >= :min_mib AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY project ORDER BY project;

-- study: request-sizes
-- POSIX calls by size (upper bound in bytes), percent of each project's reads and writes
-- topic: use; ingest
WITH bucket(i, upto) AS (VALUES (0, 100), (1, 1024), (2, 10240), (3, 102400), (4, 1048576), (5, 4194304), (6, 10485760),
                                (7, 104857600), (8, 1073741824), (9, NULL)),
total AS (
    SELECT project,
           sum(POSIX_SIZE_READ_0_100) AS r0, sum(POSIX_SIZE_READ_100_1K) AS r1, sum(POSIX_SIZE_READ_1K_10K) AS r2,
           sum(POSIX_SIZE_READ_10K_100K) AS r3, sum(POSIX_SIZE_READ_100K_1M) AS r4, sum(POSIX_SIZE_READ_1M_4M) AS r5,
           sum(POSIX_SIZE_READ_4M_10M) AS r6, sum(POSIX_SIZE_READ_10M_100M) AS r7, sum(POSIX_SIZE_READ_100M_1G) AS r8,
           sum(POSIX_SIZE_READ_1G_PLUS) AS r9,
           sum(POSIX_SIZE_WRITE_0_100) AS w0, sum(POSIX_SIZE_WRITE_100_1K) AS w1, sum(POSIX_SIZE_WRITE_1K_10K) AS w2,
           sum(POSIX_SIZE_WRITE_10K_100K) AS w3, sum(POSIX_SIZE_WRITE_100K_1M) AS w4, sum(POSIX_SIZE_WRITE_1M_4M) AS w5,
           sum(POSIX_SIZE_WRITE_4M_10M) AS w6, sum(POSIX_SIZE_WRITE_10M_100M) AS w7, sum(POSIX_SIZE_WRITE_100M_1G) AS w8,
           sum(POSIX_SIZE_WRITE_1G_PLUS) AS w9
    FROM log_known JOIN posix_total USING (log_id)
    WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY project),
size AS (
    SELECT project, i, upto,
           CASE i WHEN 0 THEN r0 WHEN 1 THEN r1 WHEN 2 THEN r2 WHEN 3 THEN r3 WHEN 4 THEN r4 WHEN 5 THEN r5 WHEN 6 THEN r6 WHEN 7 THEN r7 WHEN 8 THEN r8 ELSE r9 END AS reads,
           CASE i WHEN 0 THEN w0 WHEN 1 THEN w1 WHEN 2 THEN w2 WHEN 3 THEN w3 WHEN 4 THEN w4 WHEN 5 THEN w5 WHEN 6 THEN w6 WHEN 7 THEN w7 WHEN 8 THEN w8 ELSE w9 END AS writes
    FROM total, bucket)
SELECT project, upto, reads, 100.0 * reads / nullif(sum(reads) OVER p, 0) AS percent_of_reads, writes,
       100.0 * writes / nullif(sum(writes) OVER p, 0) AS percent_of_writes
FROM size WINDOW p AS (PARTITION BY project) ORDER BY project, i;

-- study: examples
-- Logs at the quartiles of their project's MiB/s per compute node
-- topic: jobs; logs large enough (--min-procs, --min-mib) whose number of nodes is known (import slurm)
WITH v AS (SELECT log_known.*, row_number() OVER w - 1 AS i, count(*) OVER (PARTITION BY project) - 1 AS n
           FROM log_known
           WHERE rate IS NOT NULL AND width >= :min_procs AND mib >= :min_mib AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
           WINDOW w AS (PARTITION BY project ORDER BY rate, log_id)),
place(name, q) AS (VALUES ('lowest', 0), ('quartile 1', 1), ('median', 2), ('quartile 3', 3), ('highest', 4))
SELECT project, place.name AS place, v.log_id, jobid, program, nprocs, nodes, rate,
       (SELECT interface || ' ' || sharing FROM file_use AS u WHERE u.log_id = v.log_id
        ORDER BY u.bytes_read + u.bytes_written DESC, interface, sharing LIMIT 1) AS most_bytes_by,
       POSIX_ACCESS1_ACCESS AS commonest_size, POSIX_ACCESS1_COUNT AS calls_of_that_size,
       machine, (SELECT min(path) FROM source WHERE source.log_id = v.log_id) AS path
FROM v JOIN place ON i = (q * n + 2) / 4 LEFT JOIN posix_total USING (log_id)
ORDER BY project, q;

-- study: scaling
-- Shares of I/O and metadata by project and number of compute nodes
-- topic: jobs; logs whose number of nodes is known (import slurm)
SELECT project, nodes, count(*) AS logs, avg(io_percent) AS io_percent, avg(meta_percent) AS meta_percent
FROM log_known
WHERE nodes IS NOT NULL AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
GROUP BY project, nodes ORDER BY project, nodes;

-- study: contrasts
-- Programs whose runs on as many processes differ most: the slowest and the fastest run of each user
-- topic: jobs; several runs of a program, large enough (--min-procs, --min-mib), whose number of nodes is known (import slurm)
WITH v AS (
    SELECT log_id, jobid, machine, program, exe, uid, nprocs, rate, mib, reads + writes AS calls,
           row_number() OVER (PARTITION BY machine, program, uid, nprocs ORDER BY rate, log_id) AS place,
           count(*) OVER (PARTITION BY machine, program, uid, nprocs) AS n
    FROM log_known
    WHERE part_of_run IS NULL AND rate > 0 AND width >= :min_procs AND mib >= :min_mib AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to)
SELECT slow.program, slow.nprocs, slow.n AS logs, fast.rate / slow.rate AS times_faster, slow.log_id AS slow_log, slow.jobid AS slow_jobid,
       slow.rate AS slow_rate, slow.mib AS slow_mib, slow.calls AS slow_calls,
       (SELECT interface || ' ' || sharing FROM file_use AS u WHERE u.log_id = slow.log_id
        ORDER BY u.bytes_read + u.bytes_written DESC, interface, sharing LIMIT 1) AS slow_most_by,
       fast.log_id AS fast_log, fast.jobid AS fast_jobid, fast.rate AS fast_rate, fast.mib AS fast_mib, fast.calls AS fast_calls,
       (SELECT interface || ' ' || sharing FROM file_use AS u WHERE u.log_id = fast.log_id
        ORDER BY u.bytes_read + u.bytes_written DESC, interface, sharing LIMIT 1) AS fast_most_by,
       slow.exe AS slow_command, fast.exe AS fast_command, slow.machine,
       (SELECT min(path) FROM source WHERE source.log_id = slow.log_id) AS slow_path,
       (SELECT min(path) FROM source WHERE source.log_id = fast.log_id) AS fast_path
FROM v AS slow JOIN v AS fast ON fast.machine = slow.machine AND fast.program = slow.program AND fast.uid = slow.uid AND fast.nprocs = slow.nprocs
WHERE slow.place = 1 AND fast.place = fast.n AND slow.n > 1 AND fast.rate >= 1.1 * slow.rate
ORDER BY fast.rate / slow.rate DESC, slow.log_id LIMIT 20;

-- study: slow-osts
-- Storage targets (OSTs) of Lustre by MiB a second of I/O time of the files on them, the slowest first; those with enough data
-- topic: devices; logs of files on Lustre
WITH data AS (
    SELECT r.log_id, r.file_id, max(mount) AS mount, sum(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) / 1048576.0 AS mib,
           sum(POSIX_F_READ_TIME + POSIX_F_WRITE_TIME) AS io_time,
           max(CASE WHEN POSIX_MAX_BYTE_READ > POSIX_MAX_BYTE_WRITTEN THEN POSIX_MAX_BYTE_READ ELSE POSIX_MAX_BYTE_WRITTEN END) AS last_byte
    FROM lustre_log JOIN log USING (log_id)
         JOIN posix_record AS r ON r.record_id >= log.log_id * 16777216 AND r.record_id < (log.log_id + 1) * 16777216
    WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
    GROUP BY r.log_id, r.file_id HAVING sum(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) > 0),
used AS (
    SELECT DISTINCT d.log_id, d.file_id, s.ost
    FROM data AS d JOIN lustre_component AS c ON c.log_id = d.log_id AND c.file_id = d.file_id AND c.extent_start <= d.last_byte
         JOIN lustre_stripe AS s ON s.log_id = c.log_id AND s.file_id = c.file_id AND s.component = c.component
    WHERE s.ost >= 0),
part AS (
    SELECT d.mount, u.ost, d.log_id, d.mib / count(*) OVER f AS mib, d.io_time / count(*) OVER f AS io_time,
           CASE WHEN count(*) OVER f = 1 THEN 1 ELSE 0 END AS alone
    FROM used AS u JOIN data AS d ON d.log_id = u.log_id AND d.file_id = u.file_id
    WINDOW f AS (PARTITION BY u.log_id, u.file_id)),
target AS (
    SELECT mount, ost, count(*) AS files, sum(alone) AS files_on_it_alone, count(DISTINCT log_id) AS logs, sum(mib) AS mib,
           sum(io_time) AS io_time, sum(mib) / nullif(sum(io_time), 0) AS mib_s
    FROM part GROUP BY mount, ost)
SELECT mount, ost, files, files_on_it_alone, logs, mib, io_time, mib_s,
       100.0 * mib_s * sum(io_time) OVER m / nullif(sum(mib) OVER m, 0) AS percent_of_mean
FROM target WHERE mib >= :min_mib WINDOW m AS (PARTITION BY mount) ORDER BY mib_s, mount, ost LIMIT 50;

-- study: stripe-counts
-- Files on Lustre by the highest offset in them and the number of their stripes, with MiB a second of I/O time
-- topic: devices; logs of files on Lustre
WITH data AS (
    SELECT r.log_id, r.file_id, sum(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) AS bytes, sum(POSIX_F_READ_TIME + POSIX_F_WRITE_TIME) AS io_time,
           1 + max(CASE WHEN POSIX_MAX_BYTE_READ > POSIX_MAX_BYTE_WRITTEN THEN POSIX_MAX_BYTE_READ ELSE POSIX_MAX_BYTE_WRITTEN END) AS size
    FROM lustre_log JOIN log USING (log_id)
         JOIN posix_record AS r ON r.record_id >= log.log_id * 16777216 AND r.record_id < (log.log_id + 1) * 16777216
    WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
    GROUP BY r.log_id, r.file_id HAVING sum(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) > 0),
striped AS (
    SELECT d.log_id, d.file_id, d.bytes, d.io_time, max(c.stripe_count) AS stripes,
           CASE WHEN size <= 1048576 THEN 1048576 WHEN size <= 67108864 THEN 67108864 WHEN size <= 1073741824 THEN 1073741824
                WHEN size <= 68719476736 THEN 68719476736 END AS size_upto
    FROM data AS d JOIN lustre_component AS c ON c.log_id = d.log_id AND c.file_id = d.file_id AND c.extent_start < d.size
    GROUP BY d.log_id, d.file_id, d.bytes, d.io_time, d.size)
SELECT size_upto, stripes, count(*) AS files, sum(bytes) AS bytes, sum(io_time) AS io_time,
       sum(bytes) / 1048576.0 / nullif(sum(io_time), 0) AS mib_s
FROM striped GROUP BY size_upto, stripes ORDER BY coalesce(size_upto, 9223372036854775807), stripes;

-- study: burstiness
-- Programs by how bursty their I/O is: the part of the run in which nine tenths of the bytes move, from heat maps
-- topic: jobs; logs with heat maps
SELECT program, layer, count(*) AS logs, sum(h.bytes_read) AS bytes_read, sum(h.bytes_written) AS bytes_written,
       avg(100.0 * busy_bins / bins) AS percent_of_run_with_io, avg(100.0 * bins_of_90_percent / bins) AS percent_of_run_for_90_percent,
       max(busiest_bytes / bin_seconds) / 1048576.0 AS highest_mib_s,
       avg(1.0 * busiest_bytes * bins / (1.0 * h.bytes_read + h.bytes_written)) AS highest_over_mean
FROM heatmap_total AS h JOIN log USING (log_id)
WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to AND bins >= 10 AND 1.0 * h.bytes_read + h.bytes_written > 0 AND bin_seconds > 0
      AND layer <> 'MPI-IO'
GROUP BY program, layer ORDER BY sum(1.0 * h.bytes_read + h.bytes_written) DESC, program, layer LIMIT 50;

-- query: bursts
-- What each log moved in each bin of its heat map
SELECT log_id, jobid, program, layer, bin, start_time + bin * bin_seconds AS time, b.bytes_read, b.bytes_written, machine, path
FROM log JOIN heatmap_bin AS b USING (log_id) JOIN heatmap_total USING (log_id, layer) LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to ORDER BY log.start_time, log_id, layer, bin;

-- query: cases
-- Logs that show a known pattern
SELECT pattern, log_id, jobid, program, nprocs, measure, unit, machine, path FROM log_case LEFT JOIN log_path USING (log_id)
WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to ORDER BY pattern, log_id;

-- study: patterns
-- Known patterns: logs that show them, by program, with the first of these logs
-- topic: jobs; logs that show one
SELECT pattern, program, logs, log_id, (SELECT jobid FROM log WHERE log.log_id = c.log_id) AS jobid, mean_measure, unit,
       (SELECT min(path) FROM source WHERE source.log_id = c.log_id) AS path
FROM (SELECT pattern, program, count(*) AS logs, min(log_id) AS log_id, avg(measure) AS mean_measure, unit FROM log_case
      WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY pattern, program, unit) AS c
ORDER BY pattern, logs DESC, program;

-- study: file-patterns
-- Patterns of files on which ranks spent most time, summed: # is any number, * are letters that differ; the 20 patterns with most of each log
-- topic: use; logs of files whose records are kept
SELECT pattern, file_system, logs, programs, f.files, f.bytes_read, f.bytes_written, times_read, largest_bytes, io_seconds,
       100.0 * io_seconds / nullif(of_all, 0) AS percent_of_io_time, log_id, jobid, program
FROM (SELECT p.pattern, p.file_system, count(DISTINCT log_id) AS logs, count(DISTINCT program) AS programs, sum(p.files) AS files,
             sum(p.bytes_read) AS bytes_read, sum(p.bytes_written) AS bytes_written,
             sum(p.read_bytes) / nullif(sum(p.read_size), 0) AS times_read, max(p.largest) AS largest_bytes,
             sum(p.read_time + p.write_time + p.meta_time) AS io_seconds,
             sum(sum(p.read_time + p.write_time + p.meta_time)) OVER () AS of_all, min(log_id) AS log_id
      FROM file_pattern AS p JOIN log USING (log_id)
      WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
      GROUP BY p.pattern, p.file_system) AS f
     JOIN log USING (log_id)
ORDER BY io_seconds DESC, pattern, file_system LIMIT 50;

-- study: phases
-- Phases that programs have named, by time in calls: how long they take, what share of it is I/O, and what they move; the 20 of each log with most
-- topic: use; logs with named phases
SELECT program, phase, logs, mean_seconds, run_percent, io_percent, p.bytes_read, p.bytes_written, calls, io_seconds, log_id, jobid
FROM (SELECT log.program AS of_program, p.phase, count(*) AS logs, avg(p.longest) AS mean_seconds,
             100.0 * sum(p.longest) / nullif(sum(log.end_time - log.start_time), 0) AS run_percent,
             100.0 * sum(p.io_time) / nullif(sum(p.time), 0) AS io_percent, sum(p.bytes_read) AS bytes_read,
             sum(p.bytes_written) AS bytes_written, sum(p.reads + p.writes) AS calls, sum(p.io_time) AS io_seconds,
             min(log_id) AS log_id
      FROM phase AS p JOIN log USING (log_id)
      WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
      GROUP BY log.program, p.phase) AS p
     JOIN log USING (log_id)
ORDER BY io_seconds DESC, program, phase LIMIT 50;

-- study: call-sites
-- Lines of programs that make calls, by time in them, of runs that recorded them: bytes, calls and their sizes; the 20 of each log with most
-- topic: use; logs of runs with call sites
SELECT program, place, logs, s.bytes_read, s.bytes_written, s.reads, s.writes, metadata_calls, bytes_per_call, io_seconds, log_id, jobid
FROM (SELECT log.program AS of_program, s.place, count(*) AS logs, sum(s.bytes_read) AS bytes_read,
             sum(s.bytes_written) AS bytes_written, sum(s.reads) AS reads, sum(s.writes) AS writes, sum(s.metas) AS metadata_calls,
             1.0 * sum(s.bytes_read + s.bytes_written) / nullif(sum(s.reads + s.writes), 0) AS bytes_per_call,
             sum(s.io_time) AS io_seconds, min(log_id) AS log_id
      FROM call_site AS s JOIN log USING (log_id)
      WHERE :machine IN ('', log.machine) AND log.start_time >= :from AND log.start_time < :to
      GROUP BY log.program, s.place) AS s
     JOIN log USING (log_id)
ORDER BY io_seconds DESC, program, place LIMIT 50;

-- study: repeated
-- Programs that ran several times in a job: jobs in which they did, and the job with most files (inputs of its runs once)
-- topic: use; programs that ran several times in a job
SELECT program, count(*) AS jobs, sum(runs) AS runs, max(runs) AS most_runs_in_a_job, max(files) AS most_files_of_a_job,
       max(commands) AS most_commands_of_a_job, min(command) AS a_command, sum(partial_logs) AS partial_logs
FROM (SELECT machine, jobid, program, count(DISTINCT coalesce(part_of_run, 'log ' || log_id)) AS runs, sum(files_written) + max(files - files_written) AS files,
             count(DISTINCT exe) AS commands, min(exe) AS command, sum(CASE WHEN partial <> 0 THEN 1 ELSE 0 END) AS partial_logs
      FROM log WHERE coalesce(jobid_is_pid, 0) = 0 AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to
      GROUP BY machine, jobid, program HAVING count(DISTINCT coalesce(part_of_run, 'log ' || log_id)) >= 2) AS several
GROUP BY program ORDER BY count(*) DESC, program;

-- study: strong-scaling
-- Programs that moved the same bytes, within an eighth, with four times the processes or more
-- topic: use; programs that ran with four times the processes
SELECT program, uid, count(*) AS logs, min(nprocs) AS fewest, max(nprocs) AS most,
       avg(bytes) / 1048576.0 AS mib, min(exe) AS exe, count(DISTINCT exe) AS commands, machine
FROM (SELECT log.*, bytes_read + bytes_written AS bytes, p AS power, (bytes_read + bytes_written - p) / (CASE WHEN p >= 8 THEN p / 8 ELSE 1 END) AS step
      FROM log CROSS JOIN power_of_two
      WHERE p > (bytes_read + bytes_written) / 2 AND p <= bytes_read + bytes_written AND is_tree = 0 AND part_of_run IS NULL AND :machine IN ('', machine) AND start_time >= :from AND start_time < :to) AS log
GROUP BY machine, program, uid, power, step
HAVING max(nprocs) >= 4 * min(nprocs)
ORDER BY program, uid, min(nprocs), avg(bytes);

-- study: program-ranking
-- Programs by megabytes a second of CPU time
-- topic: programs; import programs, import pacct or import processes, or logs that have their CPU time
SELECT k, program, executions, cpu_seconds, megabytes, rate, share_of_programs, share_of_bytes, share_of_cpu,
       share_of_bytes - share_of_programs AS lead, period
FROM program_rank WHERE machine = :machine ORDER BY k;

-- study: program-knee
-- Where the curve of bytes over programs has its knee
-- topic: programs; import programs, import pacct or import processes, or logs that have their CPU time
SELECT k AS programs, share_of_programs, share_of_bytes, share_of_cpu, share_of_bytes - share_of_programs AS lead,
       (SELECT max(k) FROM program_rank WHERE machine = :machine AND
        megabytes * (SELECT count(*) FROM program_rank WHERE machine = :machine) >=
        (SELECT sum(megabytes) FROM program_last WHERE :machine IN ('', machine))) AS last_above_its_share
FROM program_rank WHERE machine = :machine ORDER BY share_of_bytes - share_of_programs DESC, k LIMIT 1;

-- study: program-spread
-- Highest, median and lowest megabytes a second and CPU seconds an execution of these programs
-- topic: programs; import programs, import pacct or import processes, or logs that have their CPU time
WITH r AS (SELECT program, rate AS value, row_number() OVER (ORDER BY rate DESC, program) AS i, count(*) OVER () AS n
           FROM program_rank WHERE machine = :machine),
c AS (SELECT program, cpu_seconds / executions AS value,
             row_number() OVER (ORDER BY cpu_seconds / executions DESC, program) AS i, count(*) OVER () AS n
      FROM program_rank WHERE machine = :machine)
SELECT 'megabytes a CPU second' AS figure, CASE WHEN i = 1 THEN 'highest' WHEN i = n THEN 'lowest' ELSE 'median' END AS place,
       program, value, i AS k FROM r WHERE i IN (1, (n + 1) / 2, n)
UNION ALL
SELECT 'CPU seconds an execution', CASE WHEN i = 1 THEN 'highest' WHEN i = n THEN 'lowest' ELSE 'median' END,
       program, value, i FROM c WHERE i IN (1, (n + 1) / 2, n)
ORDER BY 1, 5;

-- study: program-classes
-- Programs available to all users and those that users have for themselves: processes, programs, CPU time, bytes
-- topic: programs; import programs, import pacct or import processes
WITH run AS (
    SELECT coalesce(period, 'all') AS period, program, system, executions, cpu_seconds, megabytes FROM program_run
    WHERE :machine IN ('', machine)
    UNION ALL
    SELECT period, program, system, executions, cpu_seconds, megabytes FROM program_period
    WHERE :machine IN ('', machine) AND period NOT IN (SELECT period FROM program_run WHERE period IS NOT NULL)),
class AS (
    SELECT period, system, sum(executions) AS processes, count(DISTINCT program) AS programs, sum(cpu_seconds) AS cpu_seconds,
           sum(megabytes) AS megabytes FROM run GROUP BY period, system)
SELECT period, CASE WHEN system = 1 THEN 'system' ELSE 'user' END AS class, processes, programs, cpu_seconds, megabytes,
       100.0 * processes / nullif(sum(processes) OVER p, 0) AS percent_of_processes,
       100.0 * cpu_seconds / nullif(sum(cpu_seconds) OVER p, 0) AS percent_of_cpu,
       100.0 * megabytes / nullif(sum(megabytes) OVER p, 0) AS percent_of_bytes
FROM class WINDOW p AS (PARTITION BY period) ORDER BY period, system DESC;

-- study: process-families
-- Applications by what they are made of: one process, a parent or children that take 95 % of the CPU time, or neither
-- topic: programs; import pacct, import processes or import taskstats
SELECT class, count(*) AS families, sum(processes) AS processes, count(DISTINCT program) AS programs, sum(cpu_seconds) AS cpu_seconds,
       100.0 * sum(cpu_seconds) / nullif(sum(sum(cpu_seconds)) OVER (), 0) AS percent_of_cpu, sum(bytes) AS bytes
FROM process_family WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to GROUP BY class ORDER BY sum(cpu_seconds) DESC, class;

-- query: families
-- Families of processes
SELECT host, start_time, pid, uid, program, class, processes, cpu_seconds, bytes, machine FROM process_family
WHERE :machine IN ('', machine) AND start_time >= :from AND start_time < :to ORDER BY start_time, host, pid;

-- study: periods
-- Programs in the last period and the one before: those that both have, and by how much they grew
-- topic: programs; programs of two periods (import programs with the column period, or processes of two years)
WITH run AS MATERIALIZED (SELECT * FROM program_period WHERE :machine IN ('', machine)),
period AS (SELECT max(period) AS last, (SELECT max(period) FROM run WHERE period < (SELECT max(period) FROM run)) AS before FROM run),
one AS (SELECT program, sum(executions) AS executions, sum(cpu_seconds) AS cpu, sum(megabytes) AS mb, max(system) AS system
        FROM run JOIN period ON run.period = before GROUP BY program),
two AS (SELECT program, sum(executions) AS executions, sum(cpu_seconds) AS cpu, sum(megabytes) AS mb, max(system) AS system
        FROM run JOIN period ON run.period = last GROUP BY program)
SELECT before, last, one.program, one.executions AS executions_before, two.executions, one.cpu AS cpu_seconds_before, two.cpu AS cpu_seconds,
       two.cpu / nullif(one.cpu, 0) AS times_cpu, one.mb AS megabytes_before, two.mb AS megabytes, two.mb / nullif(one.mb, 0) AS times_bytes
FROM period, one JOIN two ON two.program = one.program WHERE one.system = 0 AND two.system = 0 ORDER BY two.mb DESC, one.program;

-- study: period-groups
-- Groups of programs (names up to the first point) in the last period and the one before
-- topic: programs; programs of two periods (import programs with the column period, or processes of two years)
WITH run AS MATERIALIZED (SELECT * FROM program_period WHERE :machine IN ('', machine)),
period AS (SELECT max(period) AS last, (SELECT max(period) FROM run WHERE period < (SELECT max(period) FROM run)) AS before FROM run),
stem AS (SELECT period, program, CASE WHEN instr(program, '.') > 1 THEN substr(program, 1, instr(program, '.')) || '*' ELSE program END AS programs,
                cpu_seconds, megabytes FROM run WHERE system = 0)
SELECT before, last, programs, count(DISTINCT CASE WHEN stem.period = before THEN program END) AS members_before,
       count(DISTINCT CASE WHEN stem.period = last THEN program END) AS members,
       sum(CASE WHEN stem.period = before THEN cpu_seconds END) AS cpu_seconds_before, sum(CASE WHEN stem.period = last THEN cpu_seconds END) AS cpu_seconds,
       sum(CASE WHEN stem.period = before THEN megabytes END) AS megabytes_before, sum(CASE WHEN stem.period = last THEN megabytes END) AS megabytes
FROM period, stem WHERE stem.period IN (before, last)
GROUP BY before, last, programs HAVING count(DISTINCT program) > 1 ORDER BY coalesce(sum(CASE WHEN stem.period = last THEN megabytes END), 0) DESC, programs LIMIT 50;

-- study: disciplines
-- Disciplines of these programs; shares of them, of those up to the knee, and of all programs
-- topic: programs; import programs, import pacct or import processes
WITH ranked AS (SELECT * FROM program_rank WHERE machine = :machine),
knee AS (SELECT k AS most FROM ranked ORDER BY share_of_bytes - share_of_programs DESC, k LIMIT 1),
chosen AS (SELECT sum(cpu_seconds) AS cpu, sum(megabytes) AS mb, sum(CASE WHEN k <= most THEN cpu_seconds END) AS top_cpu,
                  sum(CASE WHEN k <= most THEN megabytes END) AS top_mb FROM ranked, knee),
workload AS (SELECT sum(cpu_seconds) AS cpu, sum(megabytes) AS mb FROM program_last WHERE :machine IN ('', machine))
SELECT coalesce(discipline, 'unattributed') AS discipline, sum(executions) AS executions, sum(cpu_seconds) AS cpu_seconds,
       100.0 * sum(cpu_seconds) / nullif(chosen.cpu, 0) AS cpu_percent, 100.0 * sum(cpu_seconds) / nullif(workload.cpu, 0) AS cpu_percent_of_all,
       sum(megabytes) AS megabytes, 100.0 * sum(megabytes) / nullif(chosen.mb, 0) AS bytes_percent,
       100.0 * sum(megabytes) / nullif(workload.mb, 0) AS bytes_percent_of_all, max(rate) AS highest_rate,
       sum(CASE WHEN k <= most THEN 1 ELSE 0 END) AS programs_of_top,
       100.0 * sum(CASE WHEN k <= most THEN cpu_seconds ELSE 0 END) / nullif(top_cpu, 0) AS cpu_percent_of_top,
       100.0 * sum(CASE WHEN k <= most THEN megabytes ELSE 0 END) / nullif(top_mb, 0) AS bytes_percent_of_top
FROM ranked, knee, chosen, workload GROUP BY 1, chosen.cpu, chosen.mb, workload.cpu, workload.mb, top_cpu, top_mb ORDER BY sum(megabytes) DESC;
