-- postgresql.sql - functions of SQLite that queries use, for PostgreSQL. SPDX-License-Identifier: BSD-3-Clause
-- Times outside of the years 0 to 9999 give NULL, as they do there. The session's time zone is that of the command.

DROP FUNCTION IF EXISTS datetime(double precision, text), date(double precision, text); -- of earlier releases

CREATE OR REPLACE FUNCTION datetime(seconds double precision, VARIADIC modifiers text[]) RETURNS text LANGUAGE sql STABLE AS
'SELECT CASE WHEN seconds >= -62167219200 AND seconds < 253402300800 THEN
 to_char(to_timestamp(floor(seconds)) AT TIME ZONE current_setting(''TimeZone''), ''YYYY-MM-DD HH24:MI:SS'') END';

CREATE OR REPLACE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE AS
'SELECT strpos(whole, part)';

-- With the modifier "weekday 1" the Monday of its week.
CREATE OR REPLACE FUNCTION date(seconds double precision, VARIADIC modifiers text[]) RETURNS text LANGUAGE sql STABLE AS
'SELECT CASE WHEN ''weekday 1'' = ANY (modifiers) THEN
 to_char(date_trunc(''week'', CAST(datetime(seconds, ''unixepoch'') AS timestamp)), ''YYYY-MM-DD'')
 ELSE substr(datetime(seconds, ''unixepoch''), 1, 10) END';
