# t8051-accounting-postgresql.sh - darshan-accounting on PostgreSQL: the same figures as t8000 on SQLite
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/e2e/t8000-accounting.sh"
