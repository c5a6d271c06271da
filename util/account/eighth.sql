-- eighth.sql - migration 8: patterns of files, and phases. SPDX-License-Identifier: BSD-3-Clause

-- Of each log the 20 patterns of names on whose files ranks spent most time; one file is a pattern, too. In a pattern # is any number
-- but in the suffix, and * are letters that differ. opens and times are summed over ranks. read_size: bytes up to the highest offset of
-- the files that were read, of which that is known, and that were not mapped; read_bytes: what was read of these; their quotient is how
-- often they were read. largest: bytes up to the highest offset of the largest file; 0: not known.
CREATE TABLE file_pattern (
    record_id     INTEGER PRIMARY KEY,
    log_id        INTEGER NOT NULL,
    pattern       TEXT NOT NULL,
    file_system   TEXT,
    files         INTEGER NOT NULL,
    opens         INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    read_time     REAL NOT NULL,
    write_time    REAL NOT NULL,
    meta_time     REAL NOT NULL,
    read_size     REAL NOT NULL,
    read_bytes    REAL NOT NULL,
    largest       REAL NOT NULL
);

-- Phases that programs have named, of each log the 20 with most time in calls. time: in the phase, summed over threads; longest: of the
-- process that was in it longest; io_time: in calls, summed over threads; slowest: in calls of POSIX and STDIO, of the process where it
-- is most. Bytes and calls are of POSIX and STDIO.
CREATE TABLE phase (
    record_id     INTEGER PRIMARY KEY,
    log_id        INTEGER NOT NULL,
    phase         TEXT NOT NULL,
    entered       INTEGER NOT NULL,
    processes     INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    reads         INTEGER NOT NULL,
    writes        INTEGER NOT NULL,
    time          REAL NOT NULL,
    longest       REAL NOT NULL,
    io_time       REAL NOT NULL,
    slowest       REAL NOT NULL
);
