// SPDX-License-Identifier: GPL-2.0
/* schema.c - tables, views and their columns, for people and as Markdown */
#include "ask.h"

#include <stdio.h>
#include <string.h>

/* Writes a name as SQL needs it. */
static void put_name(struct ktrace_out *out, const char *name)
{
	const bool is_plain = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789") ==
			      strlen(name);

	if (!is_plain)
		ktrace_out_char(out, '"');
	ktrace_out_safe(out, name);
	if (!is_plain)
		ktrace_out_char(out, '"');
}

void schema_tables(struct ask *a)
{
	struct ktrace_sql_table table;
	int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; ktrace_sql_table(a->sql, i, &table); i++) {
			if (table.is_event != pass)
				continue;
			put_name(a->out, table.name);
			ktrace_out_char(a->out, '\n');
		}
	}
}

static void put_columns(struct ask *a, size_t i)
{
	struct ktrace_sql_column_info c, next;
	bool is_last;
	size_t k;

	for (k = 0; ktrace_sql_table_column(a->sql, i, k, &c); k++) {
		is_last = !ktrace_sql_table_column(a->sql, i, k + 1, &next);
		ktrace_out_str(a->out, "  ");
		put_name(a->out, c.name);
		ktrace_out_str(a->out, *c.type ? " " : "");
		ktrace_out_str(a->out, c.type);
		ktrace_out_str(a->out, is_last ? "  -- " : ",  -- ");
		ktrace_out_safe(a->out, c.doc);
		ktrace_out_char(a->out, '\n');
	}
}

bool schema_show(struct ask *a, const char *name)
{
	struct ktrace_sql_table table;
	bool has_any = false;
	size_t i;

	for (i = 0; ktrace_sql_table(a->sql, i, &table); i++) {
		if (name && strcasecmp(name, table.name))
			continue;
		has_any = true;
		ktrace_out_str(a->out, "-- ");
		ktrace_out_safe(a->out, table.doc);
		ktrace_out_str(a->out, table.view ? "\nCREATE VIEW " : "\nCREATE TABLE ");
		put_name(a->out, table.name);
		ktrace_out_str(a->out, table.view ? " AS " : "(\n");
		if (table.view)
			ktrace_out_str(a->out, table.view);
		else
			put_columns(a, i);
		ktrace_out_str(a->out, table.view ? ";\n" : ");\n");
	}
	return has_any;
}

/* Writes text of a cell of Markdown. */
static void put_cell(struct ktrace_out *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|' || *text == '*')
			ktrace_out_char(out, '\\');
		ktrace_out_char(out, *text);
	}
}

static void document_columns(struct ask *a, size_t i)
{
	struct ktrace_sql_column_info c;
	size_t k;

	ktrace_out_str(a->out, "| column | type | |\n|---|---|---|\n");
	for (k = 0; ktrace_sql_table_column(a->sql, i, k, &c); k++) {
		ktrace_out_str(a->out, "| `");
		ktrace_out_str(a->out, c.name);
		ktrace_out_str(a->out, "` | ");
		ktrace_out_str(a->out, c.type);
		ktrace_out_str(a->out, " | ");
		put_cell(a->out, c.doc);
		ktrace_out_str(a->out, " |\n");
	}
}

static void document_functions(struct ask *a)
{
	struct ktrace_sql_function f;
	size_t i;

	for (i = 0; ktrace_sql_function(i, &f); i++) {
		ktrace_out_str(a->out, "\n### ");
		ktrace_out_str(a->out, f.name);
		ktrace_out_str(a->out, "\n\nA function. `");
		ktrace_out_str(a->out, f.name);
		ktrace_out_char(a->out, '(');
		ktrace_out_str(a->out, f.args);
		ktrace_out_str(a->out, ")` is ");
		put_cell(a->out, f.doc);
		ktrace_out_str(a->out, ".\n");
	}
}

void schema_document(struct ask *a)
{
	struct ktrace_sql_table table;
	size_t i;

	for (i = 0; ktrace_sql_table(a->sql, i, &table); i++) {
		if (table.is_event)
			continue;
		ktrace_out_str(a->out, i ? "\n### " : "### ");
		ktrace_out_str(a->out, table.name);
		ktrace_out_str(a->out, table.view ? "\n\nA view. A row is " : "\n\nA row is ");
		put_cell(a->out, table.doc);
		ktrace_out_str(a->out, ".\n\n");
		if (!table.view) {
			document_columns(a, i);
			continue;
		}
		ktrace_out_str(a->out, "```sql\n");
		ktrace_out_str(a->out, table.view);
		ktrace_out_str(a->out, "\n```\n");
	}
	document_functions(a);
}
