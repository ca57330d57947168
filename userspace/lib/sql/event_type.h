/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * event_type.h - tables of event types
 *
 * Types with the same name share a table, even of several files and with different fields: it has
 * the columns of all of them, and rows have NULL where their type lacks the field.
 */
#ifndef KTRACE_SQL_EVENT_TYPE_H
#define KTRACE_SQL_EVENT_TYPE_H

#include <ktrace/decode.h>

#include "table.h"

/* SQLite's tables have at most 2000 columns. */
#define FIELDS_MAX 1900u

/**
 * struct field_column - the field of a column
 * @field:	its name in the type
 * @nth:	the type has so many fields of this name before
 */
struct field_column {
	const char *field;
	__u32 nth;
};

/**
 * struct event_type - a table
 * @name:	the type's full name, and the table's, but see ktrace_event_type_table()
 * @table_name:	the table's, if it is another one
 * @doc:	of the table
 * @columns:	common ones, then one for each field
 * @nr:		number of columns
 * @fields:	of the columns after the common ones
 */
struct event_type {
	const char *name;
	char *table_name;
	char *doc;
	struct column *columns;
	int nr;
	struct field_column *fields;
};

/* Finds the types that the files describe. Return: 0, -ENOMEM. */
int ktrace_event_types_find(struct ktrace_sql *sql);
void ktrace_event_types_free(struct ktrace_sql *sql);
/* Returns the table of a type, without @sql. */
struct table ktrace_event_type_table(const struct event_type *type);
/* Returns the column of field @i of a type, -1 = none. */
int ktrace_event_type_column(const struct event_type *to, const struct ktrace_event_type *type,
			     __u32 i);
/* Returns the conditions that go down for a field. */
__u32 ktrace_field_push(const struct ktrace_field *f);

#endif
