-- sixth.sql - migration 6: the machine is part of every key. SPDX-License-Identifier: BSD-3-Clause
-- Columns of a key come first where a table has no rowid: SQLite's check of such tables expects them there.
-- machine: "" is one that nobody has named. What was imported before is of such a machine.

CREATE TABLE machine (machine TEXT PRIMARY KEY) WITHOUT ROWID;

-- The machine of logs below a directory that do not say it themselves.
CREATE TABLE directory (path TEXT PRIMARY KEY, machine TEXT NOT NULL) WITHOUT ROWID;

-- A row a run of a job: one that is requeued has several. run: when it began; 0: not known. leader: of a heterogeneous job the id
-- of its first component, by which its programs know it; others have their own. ran: 0 if it has never begun.
ALTER TABLE job RENAME TO former_job;
CREATE TABLE job (
    jobid      INTEGER NOT NULL,
    user       TEXT,
    account    TEXT,
    state      TEXT,
    nodes      INTEGER,
    cores      INTEGER,
    start_time INTEGER,
    end_time   INTEGER,
    core_hours REAL,
    machine    TEXT NOT NULL,
    run        INTEGER NOT NULL,
    leader     INTEGER NOT NULL,
    uid        INTEGER,
    ran        INTEGER NOT NULL,
    PRIMARY KEY (jobid, machine, run)
);
INSERT INTO job (jobid, machine, run, leader, user, account, state, nodes, cores, start_time, end_time, core_hours, ran)
SELECT jobid, '', coalesce(start_time, 0), jobid, user, account,
       CASE WHEN state LIKE 'CANCELLED by %' THEN 'CANCELLED' ELSE state END, nodes, cores, start_time, end_time, core_hours,
       CASE WHEN state LIKE 'PENDING%' OR (start_time IS NULL AND state LIKE 'CANCELLED%') THEN 0 ELSE 1 END
FROM former_job;
DROP TABLE former_job;

ALTER TABLE account RENAME TO former_account;
CREATE TABLE account (
    account    TEXT NOT NULL,
    project    TEXT NOT NULL,
    discipline TEXT,
    machine    TEXT NOT NULL,
    PRIMARY KEY (account, machine)
);
INSERT INTO account (account, machine, project, discipline) SELECT account, '', project, discipline FROM former_account;
DROP TABLE former_account;

-- stacked: a device that consists of others (device mapper, md), which may have samples of their own.
ALTER TABLE device_sample RENAME TO former_sample;
CREATE TABLE device_sample (
    time         INTEGER NOT NULL,
    host         TEXT NOT NULL,
    device       TEXT NOT NULL,
    machine      TEXT NOT NULL,
    seconds      REAL NOT NULL,
    read_kib     REAL NOT NULL,
    write_kib    REAL NOT NULL,
    busy_percent REAL,
    await_ms     REAL,
    stacked      INTEGER NOT NULL,
    PRIMARY KEY (time, machine, host, device)
) WITHOUT ROWID;
INSERT INTO device_sample (time, machine, host, device, seconds, read_kib, write_kib, busy_percent, await_ms, stacked)
SELECT time, '', host, device, seconds, read_kib, write_kib, busy_percent, await_ms,
       CASE WHEN device LIKE 'dm-%' OR device LIKE 'md%' THEN 1 ELSE 0 END
FROM former_sample;
DROP TABLE former_sample;

ALTER TABLE snapshot RENAME TO former_snapshot;
CREATE TABLE snapshot (
    snapshot_id INTEGER PRIMARY KEY,
    directory   TEXT NOT NULL,
    time        INTEGER NOT NULL,
    files       INTEGER NOT NULL,
    directories INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    machine     TEXT NOT NULL,
    UNIQUE (machine, directory, time)
);
INSERT INTO snapshot (snapshot_id, machine, directory, time, files, directories, bytes)
SELECT snapshot_id, '', directory, time, files, directories, bytes FROM former_snapshot;
DROP TABLE former_snapshot;

ALTER TABLE process RENAME TO former_process;
CREATE TABLE process (
    host        TEXT NOT NULL,
    start_time  INTEGER NOT NULL,
    pid         INTEGER NOT NULL,
    machine     TEXT NOT NULL,
    ppid        INTEGER NOT NULL,
    uid         INTEGER NOT NULL,
    program     TEXT NOT NULL,
    seconds     REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    bytes       INTEGER,
    PRIMARY KEY (pid, machine, host, start_time)
) WITHOUT ROWID;
INSERT INTO process (machine, host, start_time, pid, ppid, uid, program, seconds, cpu_seconds, bytes)
SELECT '', host, start_time, pid, ppid, uid, program, seconds, cpu_seconds, bytes FROM former_process;
DROP TABLE former_process;
CREATE INDEX process_of_parent ON process (ppid, machine, host, start_time);

ALTER TABLE program_run ADD COLUMN machine TEXT NOT NULL DEFAULT '';
DROP INDEX IF EXISTS log_hash;
