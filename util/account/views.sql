-- views.sql - what queries are made of. SPDX-License-Identifier: BSD-3-Clause

CREATE VIEW power_of_two AS
WITH RECURSIVE power(p) AS (SELECT CAST(1 AS INTEGER) UNION ALL SELECT 2 * p FROM power WHERE p < 4611686018427387904)
SELECT p FROM power;

-- Widths of logs with the power of two at or below each: jobs of a size.
CREATE VIEW job_size AS
SELECT width, max(p) AS processes FROM (SELECT DISTINCT width FROM log) AS n LEFT JOIN power_of_two ON p <= width GROUP BY width;

-- Of a run whose ranks are in several logs, how many of them share a node: tasks of a step without MPI.
CREATE VIEW run_on_node AS
SELECT machine, jobid, part_of_run, part_node, count(*) AS logs FROM log WHERE part_of_run IS NOT NULL AND part_node IS NOT NULL
GROUP BY machine, jobid, part_of_run, part_node HAVING count(*) > 1;

-- Logs with layouts of files on Lustre.
CREATE VIEW lustre_log AS SELECT DISTINCT log_id FROM lustre_component;

-- If logs and jobs name one machine only, it is also that of those that name none.
CREATE VIEW only_machine AS SELECT CASE WHEN count(*) = 1 THEN max(machine) ELSE '' END AS machine FROM machine;

-- The job of each log, if it has one: of the same number, machine and owner, running when the log's processes did. A log whose job
-- id is a process id has none. Clocks of nodes and of the scheduler may differ by a minute.
CREATE VIEW log_job AS
SELECT log_id, job.jobid, job.machine, job.run, job.user, job.account, job.nodes, job.cores, job.core_hours
FROM (SELECT log.log_id, log.jobid, m.machine,
             (SELECT max(j.run) FROM job AS j
              WHERE j.jobid = log.jobid AND j.machine = m.machine AND j.ran = 1
                    AND (j.uid IS NULL OR j.uid = log.uid)
                    AND (j.uid IS NOT NULL OR j.user IS NULL OR log.user_name IS NULL OR j.user = log.user_name)
                    AND (j.start_time IS NULL OR j.start_time <= log.start_time + 60)
                    AND (j.end_time IS NULL OR j.end_time >= log.end_time - 60)) AS run
      FROM log CROSS JOIN only_machine AS o
           JOIN (SELECT machine FROM machine UNION SELECT '') AS m
           ON m.machine = log.machine OR (o.machine <> '' AND m.machine IN ('', o.machine) AND log.machine IN ('', o.machine))
      WHERE coalesce(log.jobid_is_pid, 0) = 0) AS of_log
     JOIN job ON job.jobid = of_log.jobid AND job.machine = of_log.machine AND job.run = of_log.run;

-- The project and discipline of each job's account, by what was imported of its machine, else of any.
CREATE VIEW account_project AS
SELECT a.account, a.machine, coalesce(own.project, any_.project, a.account) AS project,
       coalesce(own.discipline, any_.discipline) AS discipline
FROM (SELECT DISTINCT account, machine FROM job WHERE account IS NOT NULL) AS a
     LEFT JOIN account AS own ON own.account = a.account AND own.machine = a.machine
     LEFT JOIN account AS any_ ON any_.account = a.account AND any_.machine = '';

-- Each log with what else is known of it, by its job, the job's account and its times.
-- project, discipline: of the account. user_or_uid: by the password database where the log was ingested, or as the job says, or a number.
-- nodes: compute nodes by the log or, where it has none, by the scheduler, of the whole job.
-- processes: those that the log has; nprocs: those of the whole run, of which logs of a part have some.
-- node_hours: of a node that several logs of one run are of, each has its share.
-- waited_node_hours: those in which its nodes waited for I/O: while the slowest rank did, or processes one after another. NULL: the
-- number of nodes is not known. could_save_node_hours: what the finding could save of node_hours.
-- rate: MiB/s per compute node at storage, the best known of its variants, which differ in the time of shared files.
-- io_percent etc.: shares of I/O in the run time (mean over ranks; of the slowest rank; waiting in collective calls), and of metadata
-- calls in the time of I/O. Time of I/O is what ranks waited for at the highest layer that they called; of logs that an older release
-- took only that at storage is known, which stands for it: their io_time is NULL. The time of processes one after another adds up.
CREATE VIEW log_known AS
SELECT log_id, machine, jobid, jobid_is_pid, of_job, project, discipline, uid, user_or_uid, program, exe, start_time, nprocs, processes, part_of_run, width, is_tree, partial,
       nodes, nodes_from, files, files_written, files_held_data, files_created, files_overwritten, files_perhaps_created,
       files_changed, files_empty_before, files_temporary, mapped_files, mapped_bytes, mapped_bytes_accessed, mapped_bytes_written_most, mapped_bytes_written_least, gds_files, gds_bytes, gds_bytes_by_posix, gds_bytes_untimed,
       page_faults, storage_bytes_read, storage_bytes_dirtied, open_time, close_time, sync_time, meta_time, write_time, bytes_read, bytes_written, reads, writes, process_seconds, mib, finding,
       nodes * ran / 3600.0 / logs_of_node AS node_hours,
       nodes * CASE WHEN waited > ran THEN ran ELSE waited END / 3600.0 / logs_of_node AS waited_node_hours,
       CASE WHEN finding IS NOT NULL AND run_time > 0
            THEN nodes * ran / 3600.0 / logs_of_node * CASE WHEN finding_saves > run_time THEN run_time ELSE finding_saves END / run_time END
           AS could_save_node_hours,
       rate_open_to_last, rate_slowest, rate_exact, coalesce(rate_exact, rate_slowest, rate_open_to_last) AS rate,
       100.0 * io / nullif(process_seconds, 0) AS io_percent, 100.0 * waited / nullif(run_time, 0) AS io_percent_slowest,
       100.0 * io_wait_time / nullif(process_seconds, 0) AS wait_percent, 100.0 * coalesce(io_meta_time, meta_time) / nullif(io, 0) AS meta_percent
FROM (SELECT n.*, mib / nullif(CASE WHEN in_turn > unique_time + shared_open_to_last THEN in_turn ELSE unique_time + shared_open_to_last END, 0)
                      / nodes AS rate_open_to_last,
             mib / nullif(CASE WHEN in_turn > unique_time + shared_slowest THEN in_turn ELSE unique_time + shared_slowest END, 0)
                 / nodes AS rate_slowest,
             mib / nullif(CASE WHEN in_turn > exact_time THEN in_turn ELSE exact_time END, 0) / nodes AS rate_exact
      FROM (SELECT log.*, CASE WHEN j.log_id IS NULL THEN 0 ELSE 1 END AS of_job,
                   coalesce(p.project, 'unknown') AS project, coalesce(p.discipline, 'unknown') AS discipline,
                   coalesce(log.user_name, j.user, log.uid || '') AS user_or_uid,
                   coalesce(log.nnodes, nullif(j.nodes, 0)) AS nodes,
                   CASE WHEN log.nnodes IS NOT NULL THEN 'log' WHEN j.nodes > 0 THEN 'scheduler' ELSE 'unknown' END AS nodes_from,
                   CASE WHEN run_time > 0 THEN run_time ELSE 0 END AS ran, coalesce(s.logs, 1) AS logs_of_node,
                   CASE WHEN log.part_of_run IS NULL THEN nprocs ELSE width END AS processes,
                   coalesce(io_passed, io_slowest, exact_time, unique_time + shared_slowest) AS waited,
                   CASE WHEN is_tree = 1 THEN storage_passed END AS in_turn, coalesce(io_time, meta_time + read_time + write_time) AS io,
                   (bytes_read + bytes_written - coalesce(elsewhere_bytes, 0)) / 1048576.0 AS mib
            FROM log LEFT JOIN log_job AS j ON j.log_id = log.log_id
                 LEFT JOIN account_project AS p ON p.account = j.account AND p.machine = j.machine
                 LEFT JOIN run_on_node AS s ON s.part_of_run = log.part_of_run AND s.part_node = log.part_node
                                               AND s.machine = log.machine AND s.jobid = log.jobid) AS n) AS r;

-- The last byte of the largest file that a log read or wrote, by the highest offset: of POSIX and of streams.
CREATE VIEW log_largest AS
SELECT log_id, CASE WHEN coalesce(in_posix, -1) > coalesce(in_stream, -1) THEN in_posix ELSE in_stream END AS last_byte
FROM (SELECT log.log_id,
             CASE WHEN POSIX_MAX_BYTE_READ > POSIX_MAX_BYTE_WRITTEN THEN POSIX_MAX_BYTE_READ ELSE POSIX_MAX_BYTE_WRITTEN END AS in_posix,
             CASE WHEN STDIO_MAX_BYTE_READ > STDIO_MAX_BYTE_WRITTEN THEN STDIO_MAX_BYTE_READ ELSE STDIO_MAX_BYTE_WRITTEN END AS in_stream
      FROM log LEFT JOIN posix_total ON posix_total.log_id = log.log_id LEFT JOIN stdio_total ON stdio_total.log_id = log.log_id) AS m;

-- Where a log is: one of its files.
CREATE VIEW log_path AS SELECT log_id, min(path) AS path FROM source GROUP BY log_id;

-- What logs use of the program's own files: without those that an MPI library makes for itself.
CREATE VIEW file_use AS SELECT * FROM log_use WHERE interface <> 'MPI library';

-- Runs of jobs that have begun, and whether they left a log; of a heterogeneous job if its first component did.
CREATE VIEW job_logged AS
SELECT job.*, CASE WHEN EXISTS (SELECT 1 FROM log_job AS l WHERE l.jobid = job.leader AND l.machine = job.machine
                                AND (l.run = job.run OR job.leader <> job.jobid)) THEN 1 ELSE 0 END AS logged
FROM job WHERE ran = 1;

-- Samples cut at the minutes that they cover: seconds of each part, and KiB/s. A sample ends at its time. Devices that consist of
-- others are left out where their host has samples of others.
CREATE VIEW device_part AS
WITH RECURSIVE sample AS NOT MATERIALIZED (
    SELECT machine, host, device, time, CASE WHEN seconds >= 1.5 THEN CAST(round(seconds) AS INTEGER) ELSE 1 END AS n, read_kib, write_kib
    FROM device_sample WHERE stacked = 0 OR (machine, host) NOT IN (SELECT machine, host FROM device_sample WHERE stacked = 0)),
part AS (
    SELECT sample.*, (time - n) / 60 AS minute FROM sample WHERE (time - n) / 60 < (time - 1) / 60
    UNION ALL
    SELECT machine, host, device, time, n, read_kib, write_kib, minute + 1 FROM part WHERE minute < (time - 1) / 60)
SELECT machine, host, device, (time - 1) / 60 AS minute, read_kib / n AS read_rate, write_kib / n AS write_rate, n AS seconds
FROM sample WHERE (time - n) / 60 = (time - 1) / 60
UNION ALL
SELECT machine, host, device, minute, read_kib / n, write_kib / n,
       CASE WHEN time < 60 * minute + 60 THEN time ELSE 60 * minute + 60 END - CASE WHEN time - n > 60 * minute THEN time - n ELSE 60 * minute END
FROM part;

-- MiB/s of all devices of a server together, minute by minute, and GiB of the seconds that samples cover; minutes without any are
-- missing. The minute comes first in the order of groups, which makes them much cheaper to sort than by names.
CREATE VIEW host_minute AS
SELECT machine, host, minute, sum(read_rate) / 1024.0 AS mib_read, sum(write_rate) / 1024.0 AS mib_written,
       sum(read_rate + write_rate) / 1024.0 AS mib, sum(read_rate * seconds) / 1048576.0 AS gib_read,
       sum(write_rate * seconds) / 1048576.0 AS gib_written
FROM (SELECT machine, host, minute, sum(read_rate * seconds) / sum(seconds) AS read_rate, sum(write_rate * seconds) / sum(seconds) AS write_rate,
             CASE WHEN sum(seconds) > 60 THEN 60 ELSE sum(seconds) END AS seconds
      FROM device_part GROUP BY minute, machine, host, device) AS d
GROUP BY minute, machine, host;

-- The same of all servers of a machine.
CREATE VIEW minute_rate AS
SELECT machine, minute, sum(mib_read) AS mib_read, sum(mib_written) AS mib_written, sum(mib) AS mib, sum(gib_read) AS gib_read,
       sum(gib_written) AS gib_written
FROM host_minute GROUP BY minute, machine;

-- Processes that start programs for people and batch systems: what they start is an application of its own.
CREATE VIEW launcher AS
WITH l(program) AS (VALUES ('init'), ('systemd'), ('login'), ('sshd'), ('su'), ('sudo'), ('cron'), ('atd'), ('sh'), ('bash'), ('dash'),
                            ('csh'), ('tcsh'), ('ksh'), ('zsh'), ('fish'), ('screen'), ('tmux'), ('slurmstepd'), ('pbs_mom'))
SELECT program FROM l;

-- Each process with its parent: one that ran when it began.
CREATE VIEW process_parent AS
SELECT c.machine, c.host, c.start_time, c.pid, c.program, max(p.start_time) AS parent_start, c.ppid AS parent_pid
FROM process AS c LEFT JOIN process AS p ON p.machine = c.machine AND p.host = c.host AND p.pid = c.ppid AND p.pid <> c.pid
     AND p.start_time <= c.start_time AND p.start_time + p.seconds + 1 >= c.start_time
GROUP BY c.machine, c.host, c.start_time, c.pid, c.program, c.ppid;

-- Which processes are of one family: a process and all that descend from it. A family begins with a process whose parent is not
-- accounted, or is a launcher that no program has started (a login shell, a batch script). These launchers are in none.
CREATE VIEW process_member AS
WITH RECURSIVE child AS (SELECT * FROM process_parent),
launching AS (
    SELECT machine, host, start_time, pid FROM child WHERE parent_start IS NULL AND program IN (SELECT program FROM launcher)
    UNION
    SELECT c.machine, c.host, c.start_time, c.pid
    FROM launching AS l JOIN child AS c ON c.machine = l.machine AND c.host = l.host AND c.parent_pid = l.pid AND c.parent_start = l.start_time
    WHERE c.program IN (SELECT program FROM launcher)),
member(machine, host, root_start, root_pid, start_time, pid) AS (
    SELECT c.machine, c.host, c.start_time, c.pid, c.start_time, c.pid
    FROM child AS c
         LEFT JOIN launching AS self ON self.machine = c.machine AND self.host = c.host AND self.pid = c.pid AND self.start_time = c.start_time
         LEFT JOIN launching AS l ON l.machine = c.machine AND l.host = c.host AND l.pid = c.parent_pid AND l.start_time = c.parent_start
    WHERE self.pid IS NULL AND (c.parent_start IS NULL OR l.pid IS NOT NULL)
    UNION ALL
    SELECT m.machine, m.host, m.root_start, m.root_pid, c.start_time, c.pid
    FROM member AS m JOIN child AS c ON c.machine = m.machine AND c.host = m.host AND c.parent_pid = m.pid AND c.parent_start = m.start_time)
SELECT machine, host, root_start, root_pid, start_time, pid FROM member;

-- Families with their class: single; parent-dominant or child-dominant where the parent, or the children of one program, took 95 % of
-- the CPU time or more; else mixed. `program`: the dominant one, of mixed ones the parent's. `uid` is the parent's.
CREATE VIEW process_family AS
WITH part AS (
    SELECT m.machine, m.host, m.root_start, m.root_pid, p.program, CASE WHEN p.pid = m.root_pid AND p.start_time = m.root_start THEN 1 ELSE 0 END AS is_root,
           count(*) AS n, sum(p.cpu_seconds) AS cpu, sum(p.bytes) AS bytes, min(p.uid) AS uid
    FROM process_member AS m JOIN process AS p ON p.machine = m.machine AND p.host = m.host AND p.start_time = m.start_time AND p.pid = m.pid
    GROUP BY 1, 2, 3, 4, 5, 6),
placed AS (
    SELECT part.*, sum(n) OVER f AS processes, sum(cpu) OVER f AS all_cpu, sum(bytes) OVER f AS all_bytes,
           max(CASE WHEN is_root = 1 THEN program END) OVER f AS root_program, max(CASE WHEN is_root = 1 THEN uid END) OVER f AS root_uid,
           row_number() OVER (PARTITION BY machine, host, root_start, root_pid ORDER BY cpu DESC, is_root DESC, program) AS place
    FROM part WINDOW f AS (PARTITION BY machine, host, root_start, root_pid))
SELECT most.machine, most.host, most.root_start AS start_time, most.root_pid AS pid, root_uid AS uid, most.processes, most.all_cpu AS cpu_seconds,
       most.all_bytes AS bytes,
       CASE WHEN most.processes = 1 THEN 'single' WHEN most.cpu < 0.95 * most.all_cpu THEN 'mixed'
            WHEN most.is_root = 1 THEN 'parent-dominant' ELSE 'child-dominant' END AS class,
       CASE WHEN most.cpu < 0.95 * most.all_cpu THEN root_program ELSE most.program END AS program
FROM placed AS most WHERE most.place = 1;

-- Rows of programs with the period that they are of: given with them or, of processes, the year. Of processes a program is available to
-- all (system) if three users or more ran it, or one whose number is below 1000.
CREATE VIEW program_period AS
SELECT machine, period, program, system, discipline, executions, cpu_seconds, megabytes FROM program_run WHERE period IS NOT NULL
UNION ALL
SELECT machine, substr(date(start_time, 'unixepoch', 'localtime'), 1, 4), program, u.system, NULL, count(*), sum(cpu_seconds),
       coalesce(sum(bytes), 0) / 1000000.0
FROM process_family JOIN (SELECT program AS name, CASE WHEN count(DISTINCT uid) >= 3 OR min(uid) < 1000 THEN 1 ELSE 0 END AS system
                          FROM process_family GROUP BY program) AS u ON u.name = program
GROUP BY 1, 2, 3, 4;

-- Programs of the period to be ranked: those that were imported without one, else those of the last; if none were, those of logs.
CREATE VIEW program_last AS
SELECT machine, 'all' AS period, program, system, discipline, executions, cpu_seconds, megabytes FROM program_run WHERE period IS NULL
UNION ALL
SELECT machine, period, program, system, discipline, executions, cpu_seconds, megabytes FROM program_period
WHERE period = (SELECT max(period) FROM program_period) AND NOT EXISTS (SELECT 1 FROM program_run WHERE period IS NULL)
UNION ALL
SELECT machine, 'logs', program, 0, NULL, count(*), sum(cpu_seconds), sum(1.0 * bytes_read + bytes_written) / 1000000.0
FROM log WHERE cpu_seconds > 0 AND NOT EXISTS (SELECT 1 FROM program_run) AND NOT EXISTS (SELECT 1 FROM process)
GROUP BY machine, program;

-- Programs that their users have for themselves and that take 100 s of CPU time or more, by virtual I/O rate (megabytes
-- a second of CPU time), of each machine and ("") of all. Shares are of all programs.
CREATE VIEW program_rank AS
WITH of_machine AS (
    SELECT '' AS machine, period, program, system, discipline, executions, cpu_seconds, megabytes FROM program_last
    UNION ALL
    SELECT machine, period, program, system, discipline, executions, cpu_seconds, megabytes FROM program_last WHERE machine <> ''),
program AS (
    SELECT machine, period, program, max(system) AS system, sum(executions) AS executions, sum(cpu_seconds) AS cpu_seconds,
           sum(megabytes) AS megabytes, min(discipline) AS discipline
    FROM of_machine GROUP BY machine, period, program),
whole AS (SELECT machine, sum(megabytes) AS megabytes, sum(cpu_seconds) AS cpu_seconds FROM program GROUP BY machine),
chosen AS (SELECT *, megabytes / nullif(cpu_seconds, 0) AS rate FROM program
           WHERE system = 0 AND cpu_seconds / nullif(executions, 0) >= 100)
SELECT machine, row_number() OVER fastest AS k, period, program, discipline, executions, chosen.cpu_seconds, chosen.megabytes, rate,
       1.0 * row_number() OVER fastest / count(*) OVER (PARTITION BY machine) AS share_of_programs,
       sum(chosen.megabytes) OVER fastest / nullif(whole.megabytes, 0) AS share_of_bytes,
       sum(chosen.cpu_seconds) OVER fastest / nullif(whole.cpu_seconds, 0) AS share_of_cpu
FROM chosen JOIN whole USING (machine)
WINDOW fastest AS (PARTITION BY machine ORDER BY rate DESC, program ROWS UNBOUNDED PRECEDING);

-- Logs that show a known pattern, once for each.
CREATE VIEW log_case AS
SELECT 'one rank does the I/O' AS pattern, log_id, machine, jobid, program, nprocs, start_time,
       100.0 * busiest_rank_bytes / (bytes_read + bytes_written) AS measure, 'percent of bytes' AS unit
FROM log WHERE width > 1 AND is_tree = 0 AND bytes_read + bytes_written > 0 AND busiest_rank_bytes >= 0.95 * (bytes_read + bytes_written)
UNION ALL
SELECT 'some ranks write for all', log_id, machine, jobid, program, nprocs, start_time, 1.0 * ranks_with_bytes, 'ranks'
FROM log WHERE ranks_with_bytes > 1 AND 2 * ranks_with_bytes <= CASE WHEN part_of_run IS NULL THEN nprocs ELSE width END AND is_tree = 0
     AND EXISTS (SELECT 1 FROM log_use AS u WHERE u.log_id = log.log_id AND sharing = 'partial')
     AND NOT EXISTS (SELECT 1 FROM log_use AS u WHERE u.log_id = log.log_id AND interface IN ('MPIIO', 'HDF5', 'PNETCDF'))
UNION ALL
SELECT 'a seek for every access', log_id, machine, jobid, program, nprocs, start_time,
       (coalesce(POSIX_SEEKS, 0) + coalesce(STDIO_SEEKS, 0)) * 1.0 / (reads + writes), 'seeks an access'
FROM log LEFT JOIN posix_total USING (log_id) LEFT JOIN stdio_total USING (log_id)
WHERE reads + writes > 0 AND coalesce(POSIX_SEEKS, 0) + coalesce(STDIO_SEEKS, 0) >= 0.9 * (reads + writes)
UNION ALL
SELECT 'a flood of small files', log_id, machine, jobid, program, nprocs, start_time,
       1.0 * files / CASE WHEN part_of_run IS NULL THEN nprocs ELSE width END, 'files a process'
FROM log WHERE files > 10 * CASE WHEN part_of_run IS NULL THEN nprocs ELSE width END AND files_written > 0 AND bytes_written / files_written < 1048576;
