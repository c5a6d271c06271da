-- roles.sql - who may do what with darshan-accounting's tables on PostgreSQL. SPDX-License-Identifier: BSD-3-Clause
--
--   psql -d DATABASE -f roles.sql       as a superuser, once `darshan-accounting init` was run, and again after each
--                                       release's: what that has made anew nobody else can read until then
--
-- Roles, made where they are missing:
--   darshan_admin    owns the tables, sees and changes everything. For people: GRANT darshan_admin TO carol;
--   darshan_ingest   takes logs and other data (ingest, watch, import), changes no table. It may log in; say in
--                    pg_hba.conf from where and how, or give it a password
--   darshan_user     reads, of what is about users, only its own. For people: GRANT darshan_user TO alice;
--
-- Whose a log is, its uid tells. Which uids a role has stands in the table site_user, which you keep:
--   INSERT INTO site_user VALUES ('alice', 1001);
--   getent passwd | cut -d: -f1,3 | tr : , | psql -d DATABASE -c "\copy site_user FROM STDIN CSV"
-- A role may have several uids, such as those of its project's people. Jobs of the scheduler are known by the user's
-- name, which has to be the role's. Seen by every darshan_user: settings, meanings of columns, accounts and their
-- projects, samples of devices, maintenance, histograms of snapshots. By none: quarantine, process accounting.
--
-- Needs PostgreSQL 15: views ask with the rights of who reads them. May be run again at any time.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;

DO $$
BEGIN
    IF current_setting('server_version_num')::int < 150000 THEN
        RAISE EXCEPTION 'roles.sql needs PostgreSQL 15 or newer: before it, views would show users everything';
    END IF;
    IF to_regclass(quote_ident(current_schema()) || '.log') IS NULL THEN
        RAISE EXCEPTION 'there are no tables in this database; run darshan-accounting init on it first';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'darshan_admin') THEN
        CREATE ROLE darshan_admin;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'darshan_ingest') THEN
        CREATE ROLE darshan_ingest LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'darshan_user') THEN
        CREATE ROLE darshan_user;
    END IF;
END $$;
ALTER ROLE darshan_ingest BYPASSRLS; -- COPY wants it

CREATE TABLE IF NOT EXISTS site_user (
    role_name TEXT COLLATE "C" NOT NULL,
    uid       BIGINT NOT NULL,
    PRIMARY KEY (role_name, uid)
);

-- Everything is closed; what is open follows.
DO $$
DECLARE
    here name := current_schema();
    r record;
BEGIN
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', here);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO darshan_ingest, darshan_user', here);
    EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO darshan_admin', here);
    FOR r IN SELECT relname, relkind FROM pg_class
             WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = here) AND relkind IN ('r', 'v') LOOP
        EXECUTE format('ALTER TABLE %I OWNER TO darshan_admin', r.relname);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC, darshan_ingest, darshan_user', r.relname);
        EXECUTE format('GRANT SELECT ON %I TO darshan_ingest, darshan_user', r.relname);
        IF r.relkind = 'v' THEN
            EXECUTE format('ALTER VIEW %I SET (security_invoker = true)', r.relname);
        ELSE
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', r.relname);
            EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO darshan_ingest', r.relname);
        END IF;
    END LOOP;
    FOR r IN SELECT p.oid::regprocedure AS function FROM pg_proc AS p
             WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = here)
                   AND proname IN ('date', 'datetime', 'instr') LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO darshan_admin', r.function);
    END LOOP;
END $$;
REVOKE INSERT, UPDATE, DELETE ON site_user FROM darshan_ingest;

-- What a darshan_user sees: a row of a table, if the condition holds. Tables of logs are known by their column log_id.
DO $$
DECLARE
    here name := current_schema();
    r record;
BEGIN
    FOR r IN SELECT relname AS name, CASE
            WHEN relname = 'site_user' THEN 'role_name = current_user'
            WHEN relname = 'log' THEN 'uid IN (SELECT uid FROM site_user WHERE role_name = current_user)'
            WHEN relname = 'job' THEN '"user" = current_user'
            WHEN relname IN ('snapshot_owner', 'snapshot_largest') THEN 'owner IN (SELECT uid FROM site_user WHERE role_name = current_user)'
            WHEN relname IN ('setting', 'meaning', 'machine', 'account', 'device_sample', 'snapshot', 'snapshot_bin', 'maintenance') THEN 'true'
            WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'log_id') THEN
                format('EXISTS (SELECT FROM log WHERE log.log_id = %I.log_id)', relname)
        END AS condition
        FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = here) AND relkind = 'r' LOOP
        EXECUTE format('DROP POLICY IF EXISTS own_rows ON %I', r.name);
        IF r.condition IS NOT NULL THEN
            EXECUTE format('CREATE POLICY own_rows ON %I FOR SELECT TO darshan_user USING (%s)', r.name, r.condition);
        END IF;
    END LOOP;
END $$;

COMMIT;
