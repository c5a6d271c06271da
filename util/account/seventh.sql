-- seventh.sql - migration 7: maintenance of machines, and more of snapshots. SPDX-License-Identifier: BSD-3-Clause

-- When a machine was, or will be, taken from its users.
CREATE TABLE maintenance (
    since      INTEGER NOT NULL,
    machine    TEXT NOT NULL,
    until      INTEGER NOT NULL,
    reason     TEXT,
    PRIMARY KEY (since, machine)
) WITHOUT ROWID;

CREATE TABLE snapshot_largest (
    snapshot_id INTEGER PRIMARY KEY,
    owner       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    path        TEXT NOT NULL
);

-- kind: group, or project of a quota.
CREATE TABLE snapshot_group (
    snapshot_id INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    number      INTEGER NOT NULL,
    files       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    PRIMARY KEY (snapshot_id, kind, number)
) WITHOUT ROWID;
