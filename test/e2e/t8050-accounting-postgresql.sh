# t8050-accounting-postgresql.sh - darshan-accounting on PostgreSQL: what t8000 expects of it on SQLite, figure by figure
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/e2e/t8000-accounting.sh"
