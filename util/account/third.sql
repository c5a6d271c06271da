-- third.sql - migration 3: processes one by one. SPDX-License-Identifier: BSD-3-Clause

-- Process accounting, a row a process that has ended. bytes: read and written by its calls; NULL: not known, as of what the
-- kernel's own accounting tells.
CREATE TABLE process (
    host        TEXT NOT NULL,
    start_time  INTEGER NOT NULL,
    pid         INTEGER NOT NULL,
    ppid        INTEGER NOT NULL,
    uid         INTEGER NOT NULL,
    program     TEXT NOT NULL,
    seconds     REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    bytes       INTEGER,
    PRIMARY KEY (pid, host, start_time)
) WITHOUT ROWID;
CREATE INDEX process_parent ON process (ppid, host, start_time);

-- Rows of programs may be of a time with a name ("1992"), so that two of these can be compared.
ALTER TABLE program_run ADD COLUMN period TEXT;
