# t8097-accounting-identity-postgresql.sh - the same as t8096 on PostgreSQL
# SPDX-License-Identifier: BSD-3-Clause
accounting_on=postgresql
. "$DSN_SRC/test/e2e/t8096-accounting-identity.sh"
