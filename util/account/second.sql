-- second.sql - migration 2: what records hold beside their counters. SPDX-License-Identifier: BSD-3-Clause
-- record_id: log_id * 16777216 + number in the log.

-- Components of the layouts of files on Lustre, and the storage targets (OSTs) of their stripes. Values as in the log: -1 is
-- not known, or the end of the file; pattern 0 raid0, 2 on the metadata target, 4 overstriped, 8 foreign.
CREATE TABLE lustre_component (
    record_id    INTEGER PRIMARY KEY,
    log_id       INTEGER NOT NULL,
    file_id      INTEGER NOT NULL,
    component    INTEGER NOT NULL,
    stripe_size  INTEGER NOT NULL,
    stripe_count INTEGER NOT NULL,
    pattern      INTEGER NOT NULL,
    flags        INTEGER NOT NULL,
    extent_start INTEGER NOT NULL,
    extent_end   INTEGER NOT NULL,
    mirror       INTEGER NOT NULL,
    pool         TEXT
);
CREATE TABLE lustre_stripe (
    record_id INTEGER PRIMARY KEY,
    log_id    INTEGER NOT NULL,
    file_id   INTEGER NOT NULL,
    component INTEGER NOT NULL,
    stripe    INTEGER NOT NULL,
    ost       INTEGER NOT NULL
);

-- Operations that went to each server of the key-value store MDHIM.
CREATE TABLE mdhim_server (
    record_id  INTEGER PRIMARY KEY,
    log_id     INTEGER NOT NULL,
    file_id    INTEGER NOT NULL,
    rank       INTEGER NOT NULL,
    server     INTEGER NOT NULL,
    operations INTEGER NOT NULL
);

-- Heat maps, summed over ranks, a row a bin that is not empty; and what they come to, a row a log and layer. Layers are those
-- that moved the bytes: what MPI-IO has, POSIX has again. other_ranks have other bins and are left out.
CREATE TABLE heatmap_bin (
    record_id     INTEGER PRIMARY KEY,
    log_id        INTEGER NOT NULL,
    layer         TEXT NOT NULL,
    bin           INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL
);
CREATE TABLE heatmap_total (
    record_id          INTEGER PRIMARY KEY,
    log_id             INTEGER NOT NULL,
    layer              TEXT NOT NULL,
    ranks              INTEGER NOT NULL,
    other_ranks        INTEGER NOT NULL,
    bin_seconds        REAL NOT NULL,
    bins               INTEGER NOT NULL,
    busy_bins          INTEGER NOT NULL,
    bins_of_90_percent INTEGER NOT NULL,
    bytes_read         INTEGER NOT NULL,
    bytes_written      INTEGER NOT NULL,
    busiest_bytes      INTEGER NOT NULL
);
