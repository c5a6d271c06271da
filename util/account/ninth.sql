-- ninth.sql - migration 9: lines of programs. SPDX-License-Identifier: BSD-3-Clause

-- Places of programs that make I/O calls, of each log of a run with call sites the 20 with most time: function and line in Python; of other
-- programs the library or program, and the place in it, for what was installed where the log was made may be something else here. io_time: in
-- calls, summed over threads and ranks. Bytes and calls are of POSIX and STDIO; files: of which there is a record.
CREATE TABLE call_site (
    record_id     INTEGER PRIMARY KEY,
    log_id        INTEGER NOT NULL,
    place         TEXT NOT NULL,
    files         INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL,
    reads         INTEGER NOT NULL,
    writes        INTEGER NOT NULL,
    metas         INTEGER NOT NULL,
    io_time       REAL NOT NULL
);
