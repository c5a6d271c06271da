-- fifth.sql - migration 5: what log-based I/O did. SPDX-License-Identifier: BSD-3-Clause

-- A row a log whose job used liblbio.so: ranks that did; files, calls and bytes that went to their logs, and from there to the
-- files; files that stayed incomplete. Times are in seconds, each of the rank with the longest: of logged writes, of waiting
-- (for space in the log, and for replay), of replay; hidden_time is what the rank with the longest replay did not wait for of it.
CREATE TABLE log_based_io (
    record_id        INTEGER PRIMARY KEY,
    log_id           INTEGER NOT NULL,
    ranks            INTEGER NOT NULL,
    files            INTEGER NOT NULL,
    calls            INTEGER NOT NULL,
    bytes            INTEGER NOT NULL,
    replayed_bytes   INTEGER NOT NULL,
    incomplete_files INTEGER NOT NULL,
    write_time       REAL NOT NULL,
    wait_time        REAL NOT NULL,
    replay_time      REAL NOT NULL,
    hidden_time      REAL NOT NULL
);
