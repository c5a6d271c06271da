-- views.sql - what queries are made of. SPDX-License-Identifier: BSD-3-Clause

CREATE VIEW power_of_two AS
WITH RECURSIVE power(p) AS (SELECT CAST(1 AS INTEGER) UNION ALL SELECT 2 * p FROM power WHERE p < 1099511627776)
SELECT p FROM power;

-- Numbers of processes of logs with the power of two at or below each: jobs of a size.
CREATE VIEW job_size AS
SELECT nprocs, max(p) AS processes FROM (SELECT DISTINCT nprocs FROM log) AS n LEFT JOIN power_of_two ON p <= nprocs GROUP BY nprocs;

-- Logs with layouts of files on Lustre.
CREATE VIEW lustre_log AS SELECT DISTINCT log_id FROM lustre_component;

-- A log's project and discipline, by the scheduler's account of its job.
CREATE VIEW log_project AS
SELECT log.log_id, coalesce(account.project, job.account, 'unknown') AS project,
       coalesce(account.discipline, 'unknown') AS discipline
FROM log LEFT JOIN job USING (jobid) LEFT JOIN account USING (account);

-- A log's number of compute nodes: its own or, where it has none, the scheduler's, of the whole job.
CREATE VIEW log_nodes AS
SELECT log.log_id, coalesce(log.nnodes, nullif(job.nodes, 0)) AS nodes,
       CASE WHEN log.nnodes IS NOT NULL THEN 'log' WHEN job.nodes > 0 THEN 'scheduler' ELSE 'unknown' END AS nodes_from
FROM log LEFT JOIN job USING (jobid);

-- MiB/s per compute node at storage in its variants, which differ in the time of shared files; shares of I/O in the run
-- time (mean over ranks; of the slowest rank; waiting in collective calls), and of metadata calls in the time of I/O. Time
-- of I/O is what ranks waited for at the highest layer that they called; of logs that an older release took only that at
-- storage is known, which stands for it: their io_time is NULL.
CREATE VIEW log_rate AS
SELECT log_id,
       (bytes_read + bytes_written) / 1048576.0 AS mib,
       (bytes_read + bytes_written) / 1048576.0 / nullif(unique_time + shared_open_to_last, 0) / nodes AS rate_open_to_last,
       (bytes_read + bytes_written) / 1048576.0 / nullif(unique_time + shared_slowest, 0) / nodes AS rate_slowest,
       (bytes_read + bytes_written) / 1048576.0 / nullif(exact_time, 0) / nodes AS rate_exact,
       100.0 * coalesce(io_time, meta_time + read_time + write_time) / nullif(run_time * nprocs, 0) AS io_percent,
       100.0 * coalesce(io_slowest, exact_time, unique_time + shared_slowest) / nullif(run_time, 0) AS io_percent_slowest,
       100.0 * io_wait_time / nullif(run_time * nprocs, 0) AS wait_percent,
       100.0 * coalesce(io_meta_time, meta_time) / nullif(coalesce(io_time, meta_time + read_time + write_time), 0)
           AS meta_percent
FROM log JOIN log_nodes USING (log_id);

-- The best known of them.
CREATE VIEW log_best_rate AS
SELECT log_id, mib, coalesce(rate_exact, rate_slowest, rate_open_to_last) AS rate FROM log_rate;

-- MiB/s of all devices together, minute by minute; minutes without samples are missing. A sample ends at its time, and so belongs
-- to the minute of its last second.
CREATE VIEW minute_rate AS
SELECT minute, sum(read_kib / nullif(seconds, 0)) / 1024.0 AS mib_read,
       sum(write_kib / nullif(seconds, 0)) / 1024.0 AS mib_written,
       sum((read_kib + write_kib) / nullif(seconds, 0)) / 1024.0 AS mib
FROM (SELECT (time - 1) / 60 AS minute, host, device, sum(read_kib) AS read_kib, sum(write_kib) AS write_kib,
             sum(seconds) AS seconds
      FROM device_sample GROUP BY 1, 2, 3) AS m
GROUP BY minute;

-- Processes that start programs for people and batch systems: what they start is an application of its own.
CREATE VIEW launcher AS
WITH l(program) AS (VALUES ('init'), ('systemd'), ('login'), ('sshd'), ('su'), ('sudo'), ('cron'), ('atd'), ('sh'), ('bash'), ('dash'),
                            ('csh'), ('tcsh'), ('ksh'), ('zsh'), ('fish'), ('screen'), ('tmux'), ('slurmstepd'), ('pbs_mom'))
SELECT program FROM l;

-- Which processes are of one family: a process whose parent is not accounted or is a launcher, and all that descend from it. The
-- parent is one that ran when the child began.
CREATE VIEW process_member AS
WITH RECURSIVE root AS (
    SELECT p.* FROM process AS p WHERE p.program NOT IN (SELECT program FROM launcher) AND NOT EXISTS (
        SELECT 1 FROM process AS q WHERE q.host = p.host AND q.pid = p.ppid AND q.pid <> p.pid AND q.start_time <= p.start_time
               AND q.start_time + q.seconds + 1 >= p.start_time AND q.program NOT IN (SELECT program FROM launcher))),
member(host, root_start, root_pid, start_time, pid) AS (
    SELECT host, start_time, pid, start_time, pid FROM root
    UNION
    SELECT m.host, m.root_start, m.root_pid, c.start_time, c.pid
    FROM member AS m JOIN process AS p ON p.host = m.host AND p.start_time = m.start_time AND p.pid = m.pid
         JOIN process AS c ON c.host = p.host AND c.ppid = p.pid AND c.pid <> p.pid AND c.start_time >= p.start_time
              AND c.start_time <= p.start_time + p.seconds + 1
    WHERE c.program NOT IN (SELECT program FROM launcher))
SELECT host, root_start, root_pid, start_time, pid FROM member;

-- Families with their class: single; parent-dominant or child-dominant where the parent, or the children of one program, took 95 % of
-- the CPU time or more; else mixed. `program`: the dominant one, of mixed ones the parent's. `uid` is the parent's.
CREATE VIEW process_family AS
WITH part AS (
    SELECT m.host, m.root_start, m.root_pid, p.program, CASE WHEN p.pid = m.root_pid AND p.start_time = m.root_start THEN 1 ELSE 0 END AS is_root,
           count(*) AS n, sum(p.cpu_seconds) AS cpu, sum(p.bytes) AS bytes, min(p.uid) AS uid
    FROM process_member AS m JOIN process AS p ON p.host = m.host AND p.start_time = m.start_time AND p.pid = m.pid
    GROUP BY 1, 2, 3, 4, 5),
placed AS (
    SELECT part.*, sum(n) OVER f AS processes, sum(cpu) OVER f AS all_cpu, sum(bytes) OVER f AS all_bytes,
           max(CASE WHEN is_root = 1 THEN program END) OVER f AS root_program, max(CASE WHEN is_root = 1 THEN uid END) OVER f AS root_uid,
           row_number() OVER (PARTITION BY host, root_start, root_pid ORDER BY cpu DESC, is_root DESC, program) AS place
    FROM part WINDOW f AS (PARTITION BY host, root_start, root_pid))
SELECT most.host, most.root_start AS start_time, most.root_pid AS pid, root_uid AS uid, most.processes, most.all_cpu AS cpu_seconds,
       most.all_bytes AS bytes,
       CASE WHEN most.processes = 1 THEN 'single' WHEN most.cpu < 0.95 * most.all_cpu THEN 'mixed'
            WHEN most.is_root = 1 THEN 'parent-dominant' ELSE 'child-dominant' END AS class,
       CASE WHEN most.cpu < 0.95 * most.all_cpu THEN root_program ELSE most.program END AS program
FROM placed AS most WHERE most.place = 1;

-- Rows of programs with the period that they are of: given with them or, of processes, the year. Of processes a program is available to
-- all (system) if three users or more ran it, or one whose number is below 1000.
CREATE VIEW program_period AS
SELECT period, program, system, executions, cpu_seconds, megabytes FROM program_run WHERE period IS NOT NULL
UNION ALL
SELECT substr(date(start_time, 'unixepoch'), 1, 4), program, u.system, count(*), sum(cpu_seconds), coalesce(sum(bytes), 0) / 1000000.0
FROM process_family JOIN (SELECT program AS name, CASE WHEN count(DISTINCT uid) >= 3 OR min(uid) < 1000 THEN 1 ELSE 0 END AS system
                          FROM process_family GROUP BY program) AS u ON u.name = program
GROUP BY 1, 2, 3;

-- Programs that their users have for themselves and that take 100 s of CPU time or more, by virtual I/O rate (megabytes
-- a second of CPU time). Shares are of all programs.
CREATE VIEW program_rank AS
WITH program AS (
    SELECT program, max(system) AS system, sum(executions) AS executions, sum(cpu_seconds) AS cpu_seconds,
           sum(megabytes) AS megabytes, min(discipline) AS discipline
    FROM program_run GROUP BY program),
chosen AS (SELECT *, megabytes / nullif(cpu_seconds, 0) AS rate FROM program
           WHERE system = 0 AND cpu_seconds / nullif(executions, 0) >= 100)
SELECT row_number() OVER fastest AS k, program, discipline, executions, cpu_seconds, megabytes, rate,
       1.0 * row_number() OVER fastest / count(*) OVER () AS share_of_programs,
       sum(megabytes) OVER fastest / (SELECT nullif(sum(megabytes), 0) FROM program) AS share_of_bytes,
       sum(cpu_seconds) OVER fastest / (SELECT nullif(sum(cpu_seconds), 0) FROM program) AS share_of_cpu
FROM chosen
WINDOW fastest AS (ORDER BY rate DESC, program ROWS UNBOUNDED PRECEDING);

-- Logs that show a known pattern, once for each.
CREATE VIEW log_case AS
SELECT 'one rank does the I/O' AS pattern, log_id, jobid, program, nprocs, start_time,
       100.0 * busiest_rank_bytes / (bytes_read + bytes_written) AS measure, 'percent of bytes' AS unit
FROM log WHERE nprocs > 1 AND bytes_read + bytes_written > 0 AND busiest_rank_bytes >= 0.95 * (bytes_read + bytes_written)
UNION ALL
SELECT 'some ranks write for all', log_id, jobid, program, nprocs, start_time, 1.0 * ranks_with_bytes, 'ranks'
FROM log WHERE ranks_with_bytes > 1 AND 2 * ranks_with_bytes <= nprocs
     AND EXISTS (SELECT 1 FROM log_use AS u WHERE u.log_id = log.log_id AND sharing = 'partial')
     AND NOT EXISTS (SELECT 1 FROM log_use AS u WHERE u.log_id = log.log_id AND interface IN ('MPIIO', 'HDF5', 'PNETCDF'))
UNION ALL
SELECT 'a seek for every access', log_id, jobid, program, nprocs, start_time,
       (coalesce(POSIX_SEEKS, 0) + coalesce(STDIO_SEEKS, 0)) * 1.0 / (reads + writes), 'seeks an access'
FROM log LEFT JOIN posix_total USING (log_id) LEFT JOIN stdio_total USING (log_id)
WHERE reads + writes > 0 AND coalesce(POSIX_SEEKS, 0) + coalesce(STDIO_SEEKS, 0) >= 0.9 * (reads + writes)
UNION ALL
SELECT 'a flood of small files', log_id, jobid, program, nprocs, start_time, 1.0 * files / nprocs, 'files a process'
FROM log WHERE files > 10 * nprocs AND files_written > 0 AND bytes_written / files_written < 1048576;
