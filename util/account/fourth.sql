-- fourth.sql - migration 4: which ranks did I/O on shared files. SPDX-License-Identifier: BSD-3-Clause

-- A row a shared record of a module that moves data, of logs that tell it: how many ranks had it, read bytes and wrote bytes,
-- and what the slowest of them spent its time with, in seconds. record_id: log_id * 16777216 + number in the log.
CREATE TABLE shared_file (
    record_id          INTEGER PRIMARY KEY,
    log_id             INTEGER NOT NULL,
    file_id            INTEGER NOT NULL,
    module             TEXT NOT NULL,
    ranks              INTEGER NOT NULL,
    readers            INTEGER NOT NULL,
    writers            INTEGER NOT NULL,
    slowest_rank       INTEGER NOT NULL,
    slowest_read_time  REAL NOT NULL,
    slowest_write_time REAL NOT NULL,
    slowest_meta_time  REAL NOT NULL
);
