# t8089-accounting-top-postgresql.sh - the same as t8087 on PostgreSQL
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/e2e/t8087-accounting-top.sh"
