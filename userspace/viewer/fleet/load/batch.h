/* SPDX-License-Identifier: GPL-2.0 */
/* batch.h - rows of files on their way to ClickHouse */
#ifndef VIEWER_FLEET_LOAD_BATCH_H
#define VIEWER_FLEET_LOAD_BATCH_H

#include <ktrace/sql.h>

#include "clickhouse/clickhouse.h"
#include "fleet/message.h"

/**
 * struct batch_column - a column of a table
 * @name:	its name
 * @type:	as in a statement: Int64, Nullable(Float64)...
 * @scalar:	what is written: KTRACE_SQL_INTEGER, REAL or TEXT
 * @is_nullable: a byte before the value says whether it is NULL
 */
struct batch_column {
	char *name;
	const char *type;
	enum ktrace_sql_type scalar;
	bool is_nullable;
};

/**
 * struct batch_table - rows of a table that are not in the store yet
 * @name:	of the table
 * @columns:	those of its rows, as ktrace sql has them
 * @column_nr:	number of these
 * @rows:	rows in the format RowBinary
 */
struct batch_table {
	char *name;
	struct batch_column *columns;
	size_t column_nr;
	struct ktrace_out rows;
};

/**
 * struct batch_load - all rows of a table of a file, which count once this is in the table "loads"
 * @table:	name of the table
 * @part:	the file
 * @host:	name of its host
 * @id:		of this attempt; is in each row
 * @rows:	number of rows
 * @odd:	values of these that did not fit the type of their column
 */
struct batch_load {
	char *table;
	struct message_part part;
	char *host;
	__u64 id;
	__u64 rows;
	__u64 odd;
};

/**
 * struct batch - all that is on its way
 * @c:		the server
 * @tables:	their rows
 * @table_nr:	number of tables
 * @table_cap:	room for more
 * @loads:	tables of files whose rows are all in the batch or in the store
 * @load_nr:	number of these
 * @load_cap:	room for more
 * @rows:	rows of loads that count
 * @odd:	... and their values that did not fit the type of their column: NULL in the store
 */
struct batch {
	struct clickhouse *c;
	struct batch_table *tables;
	size_t table_nr;
	size_t table_cap;
	struct batch_load *loads;
	size_t load_nr;
	size_t load_cap;
	__u64 rows;
	__u64 odd;
};

/*
 * These return -EIO if the server, or the way to it, has a trouble, and -EREMOTEIO if it refuses
 * statement or rows: see @c. batch_drop() must follow both.
 *
 * Makes the database and the table "loads" if they are missing. Return: 0, -EIO.
 */
int batch_begin(struct batch *b);
/*
 * Adds the rows of table number @i of a file. After an error none of them counts, ever. Return: 0;
 * -EIO; -EREMOTEIO: rows are refused, of this file or of others in the batch; -EMEDIUMTYPE: the
 * table is refused, or has another type for a column in the store, as reported; -EBADMSG: reading
 * failed, see ktrace_sql_error().
 */
int batch_add(struct batch *b, struct ktrace_sql *sql, size_t i, const struct message_part *part,
	      const char *host);
/* Sends all rows, and lets them count. Return: 0; -EIO, -EREMOTEIO: none of @loads counts. */
int batch_send(struct batch *b);
/* Forgets what was not sent, and which tables there are: the server may have lost them. */
void batch_drop(struct batch *b);
void batch_free(struct batch *b);

#endif
