-- postgresql.sql - functions of SQLite that queries use, for PostgreSQL. SPDX-License-Identifier: BSD-3-Clause
-- Times outside of the years 0 to 9999 give NULL, as they do there.

CREATE OR REPLACE FUNCTION datetime(seconds double precision, unit text) RETURNS text LANGUAGE sql IMMUTABLE AS
'SELECT CASE WHEN seconds >= -62167219200 AND seconds < 253402300800 THEN
 to_char(to_timestamp(floor(seconds)) AT TIME ZONE ''UTC'', ''YYYY-MM-DD HH24:MI:SS'') END';

CREATE OR REPLACE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE AS
'SELECT strpos(whole, part)';

CREATE OR REPLACE FUNCTION date(seconds double precision, unit text) RETURNS text LANGUAGE sql IMMUTABLE AS
'SELECT substr(datetime(seconds, unit), 1, 10)';
