-- first.sql - migration 1: the tables that are written by hand. SPDX-License-Identifier: BSD-3-Clause
-- Tables of logs and of their modules' counters are not here: schema.c makes them of log.def and of the counters' rows.
-- Times are seconds since 1970 (UTC). Booleans are 0 and 1.

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What every generated column counts, from the rows that describe counters.
CREATE TABLE meaning (
    table_name  TEXT NOT NULL,
    column_name TEXT NOT NULL,
    unit        TEXT NOT NULL,
    meaning     TEXT NOT NULL,
    PRIMARY KEY (table_name, column_name)
) WITHOUT ROWID;

-- Files that were taken: one that has not changed since is not read again. Several may have the same content.
CREATE TABLE source (
    path       TEXT PRIMARY KEY,
    bytes      INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    log_id     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX source_log ON source (log_id);

-- Files that could not be taken, and why. One that changes is tried again.
CREATE TABLE quarantine (
    path       TEXT PRIMARY KEY,
    bytes      INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    reason     TEXT NOT NULL
) WITHOUT ROWID;

-- A log's files by the highest interface that opened them (HDF5, PNETCDF, MPIIO, DFS, DAOS, POSIX, STDIO) and by who used them
-- (unique: one rank; partial: several; shared: all). Bytes are those of POSIX and STDIO calls. Standard streams are no
-- files; their bytes count.
CREATE TABLE log_use (
    log_id        INTEGER NOT NULL,
    interface     TEXT NOT NULL,
    sharing       TEXT NOT NULL,
    files         INTEGER NOT NULL,
    files_written INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    PRIMARY KEY (log_id, interface, sharing)
) WITHOUT ROWID;

-- The scheduler's jobs, and what its accounts stand for.
CREATE TABLE job (
    jobid      INTEGER PRIMARY KEY,
    user       TEXT,
    account    TEXT,
    state      TEXT,
    nodes      INTEGER,
    cores      INTEGER,
    start_time INTEGER,
    end_time   INTEGER,
    core_hours REAL
);
CREATE TABLE account (
    account    TEXT PRIMARY KEY,
    project    TEXT NOT NULL,
    discipline TEXT
) WITHOUT ROWID;

-- Block devices: what one moved in the `seconds` that ended at `time`.
CREATE TABLE device_sample (
    time      INTEGER NOT NULL,
    host      TEXT NOT NULL,
    device    TEXT NOT NULL,
    seconds   REAL NOT NULL,
    read_kib  REAL NOT NULL,
    write_kib REAL NOT NULL,
    busy_percent REAL,
    await_ms  REAL,
    PRIMARY KEY (time, host, device)
) WITHOUT ROWID;

-- What darshan-fsstats counted. Bins: file counts of 2^(bin-1) <= value < 2^bin, bin 0 is the value 0.
CREATE TABLE snapshot (
    snapshot_id INTEGER PRIMARY KEY,
    directory   TEXT NOT NULL,
    time        INTEGER NOT NULL,
    files       INTEGER NOT NULL,
    directories INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    UNIQUE (directory, time)
);
CREATE TABLE snapshot_bin (
    snapshot_id INTEGER NOT NULL,
    histogram   TEXT NOT NULL,
    bin         INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    PRIMARY KEY (snapshot_id, histogram, bin)
) WITHOUT ROWID;
CREATE TABLE snapshot_owner (
    snapshot_id INTEGER NOT NULL,
    owner       INTEGER NOT NULL,
    files       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    PRIMARY KEY (snapshot_id, owner)
) WITHOUT ROWID;

-- Process accounting: what executions of a program came to. `system`: available to all users.
CREATE TABLE program_run (
    program     TEXT NOT NULL,
    system      INTEGER NOT NULL,
    discipline  TEXT,
    executions  INTEGER NOT NULL,
    cpu_seconds REAL NOT NULL,
    megabytes   REAL NOT NULL
);
