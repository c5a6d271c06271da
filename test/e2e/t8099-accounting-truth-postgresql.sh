# t8099-accounting-truth-postgresql.sh - the same as t8098 on PostgreSQL
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/e2e/t8098-accounting-truth.sh"
