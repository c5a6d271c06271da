/* months.h - tables as compressed CSV by month, for column stores
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In the layout that DuckDB, Spark and ClickHouse read: DIRECTORY/TABLE/month=YYYY-MM/part.csv.zst, by the UTC month in which
 * the job, sample or process of a row began; rows without a valid time in month=__HIVE_DEFAULT_PARTITION__. Tables that are of
 * no time are DIRECTORY/TABLE/part.csv.zst. An empty table has no directory. DIRECTORY/_manifest.csv has the number of rows of
 * each file, DIRECTORY/_duckdb.sql a view a table, with the types of its columns.
 *
 * DIRECTORY appears when all is written. */
#ifndef DSN_MONTHS_H
#define DSN_MONTHS_H

#include "accounting.h"

int dsn_export_months(struct dsn_accounting *a);

#endif
