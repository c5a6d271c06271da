-- eighth.sql - migration 8: patterns of files. SPDX-License-Identifier: BSD-3-Clause

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
