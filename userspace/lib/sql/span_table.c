// SPDX-License-Identifier: LGPL-2.1
/*
 * span_table.c - declares a table of span_join
 *
 * Compiles a statement for each of the two tables or queries, looks at its columns, and declares
 * those of the result.
 */
#include "span_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "span_join.h"
#include "sql.h"

#define PARTITIONS_MAX 8
#define COLUMNS_MAX 1000

/* struct declaration - what makes up a table */
struct declaration {
	struct span_table *join;
	sqlite3 *db;
	const char *const *partitions;
	sqlite3_stmt *statements[2];
	sqlite3_str *text;
	char *names[COLUMNS_MAX];
	char *error;
};

static int wrong(struct declaration *d, const char *format, const char *word)
{
	if (!d->error)
		d->error = sqlite3_mprintf(format, word);
	return -EINVAL;
}

/* Returns a word of the argument list without the quotes it may have. */
static char *unquote(const char *word)
{
	const size_t n = strlen(word);

	if (n >= 2 && (*word == '"' || *word == '\'') && word[n - 1] == *word)
		return sqlite3_mprintf("%.*s", (int)n - 2, word + 1);
	return sqlite3_mprintf("%s", word);
}

/* Prepares a statement with all columns of a table or of a query in parentheses. */
static int look_at(struct declaration *d, const char *word, int side, char **from)
{
	char *name = unquote(word), *text;
	int result = SQLITE_NOMEM;

	*from = name && *word == '(' ? sqlite3_mprintf("%s", name) :
		name ? sqlite3_mprintf("\"%w\"", name) : NULL;
	text = *from ? sqlite3_mprintf("SELECT * FROM %s", *from) : NULL;
	if (text)
		result = sqlite3_prepare_v2(d->db, text, -1, &d->statements[side], NULL);
	sqlite3_free(name);
	sqlite3_free(text);
	if (result == SQLITE_NOMEM)
		return -ENOMEM;
	return result == SQLITE_OK ? 0 : wrong(d, SPAN_JOIN ": %s", sqlite3_errmsg(d->db));
}

static int find_column(sqlite3_stmt *statement, const char *name)
{
	int i = sqlite3_column_count(statement);

	while (i-- && sqlite3_stricmp(sqlite3_column_name(statement, i), name))
		;
	return i;
}

static bool is_partition(const struct declaration *d, const char *name)
{
	int i;

	for (i = 0; i < d->join->partition_nr; i++)
		if (!sqlite3_stricmp(d->partitions[i], name))
			return true;
	return false;
}

static bool is_taken(const struct declaration *d, const char *name)
{
	int i;

	for (i = 0; i < d->join->nr; i++)
		if (!sqlite3_stricmp(d->names[i], name))
			return true;
	return !sqlite3_stricmp(name, "duration") || !sqlite3_stricmp(name, "time") ||
	       !sqlite3_stricmp(name, "end_time");
}

/* True for INTEGER, TEXT and REAL, which need no care in a declaration. */
static bool is_plain(const char *type)
{
	return type && strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(type);
}

/* Adds a column to the result; a name that is taken gets a number. */
static int add_column(struct declaration *d, int side, int column, const char *name)
{
	const char *type = sqlite3_column_decltype(d->statements[side], column);
	char *text = sqlite3_mprintf("%s", name);
	int number;

	for (number = 2; text && is_taken(d, text); number++) {
		sqlite3_free(text);
		text = sqlite3_mprintf("%s_%d", name, number);
	}
	if (!text || !LIST_RESIZE(d->join->sources, d->join->nr + 1)) {
		sqlite3_free(text);
		return -ENOMEM;
	}
	d->join->sources[d->join->nr] = (struct span_source){ .side = side };
	d->names[d->join->nr++] = text;
	sqlite3_str_appendf(d->text, ",\"%w\" %s", text, is_plain(type) ? type : "");
	return 0;
}

/* Makes one statement, and the columns of the result that are from it. */
static int add_table(struct declaration *d, const char *word, int side)
{
	sqlite3_str *text = sqlite3_str_new(d->db);
	const char *name;
	char *from = NULL;
	int i, nr = 0, ret = look_at(d, word, side, &from);

	sqlite3_str_appendall(text, "SELECT time, end_time");
	for (i = 0; i < d->join->partition_nr && !ret; i++) {
		if (find_column(d->statements[side], d->partitions[i]) < 0)
			ret = wrong(d, SPAN_JOIN ": a table has no column %s", d->partitions[i]);
		sqlite3_str_appendf(text, ", \"%w\"", d->partitions[i]);
	}
	if (!ret && (find_column(d->statements[side], "time") < 0 ||
		     find_column(d->statements[side], "end_time") < 0))
		ret = wrong(d, SPAN_JOIN ": %s has no columns time and end_time", word);
	for (i = 0; !ret && i < sqlite3_column_count(d->statements[side]); i++) {
		name = sqlite3_column_name(d->statements[side], i);
		if (!name || is_partition(d, name) || !sqlite3_stricmp(name, "time") ||
		    !sqlite3_stricmp(name, "end_time") || !sqlite3_stricmp(name, "duration"))
			continue;
		if (d->join->nr == COLUMNS_MAX)
			ret = wrong(d, SPAN_JOIN ": too many columns%s", "");
		else
			ret = add_column(d, side, i, name);
		sqlite3_str_appendf(text, ", \"%w\"", name);
		if (!ret)
			d->join->sources[d->join->nr - 1].column = 2 + d->join->partition_nr +
								   nr++;
	}
	sqlite3_str_appendf(text, " FROM %s ORDER BY ", from ? from : "");
	for (i = 0; i < d->join->partition_nr; i++)
		sqlite3_str_appendf(text, "%d COLLATE BINARY, ", 3 + i);
	sqlite3_str_appendall(text, "1");
	d->join->texts[side] = sqlite3_str_finish(text);
	sqlite3_free(from);
	return ret ? ret : d->join->texts[side] ? 0 : -ENOMEM;
}

static int declare(struct declaration *d, const char *const *tables)
{
	struct span_table *join = d->join;
	int i, ret = 0, result;
	char *text;

	d->text = sqlite3_str_new(d->db);
	sqlite3_str_appendall(d->text, "CREATE TABLE x(time INTEGER, end_time INTEGER, "
			      "duration INTEGER");
	for (i = 0; i < join->partition_nr; i++)
		sqlite3_str_appendf(d->text, ",\"%w\"", d->partitions[i]);
	for (i = 0; i < 2 && !ret; i++)
		ret = add_table(d, tables[i], i);
	sqlite3_str_appendall(d->text, ")");
	text = sqlite3_str_finish(d->text);
	if (!ret) {
		join->sql->is_declaring = true;
		result = text ? sqlite3_declare_vtab(d->db, text) : SQLITE_NOMEM;
		join->sql->is_declaring = false;
		ret = result == SQLITE_OK ? 0 : result == SQLITE_NOMEM ? -ENOMEM :
		      wrong(d, SPAN_JOIN ": %s", sqlite3_errmsg(d->db));
	}
	sqlite3_free(text);
	return ret;
}

int ktrace_span_table_disconnect(sqlite3_vtab *base)
{
	struct span_table *join = (struct span_table *)base;

	sqlite3_free(join->texts[0]);
	sqlite3_free(join->texts[1]);
	free(join->sources);
	free(join);
	return SQLITE_OK;
}

/* argv: module, schema, table, then the arguments */
int ktrace_span_table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			      sqlite3_vtab **out, char **error)
{
	struct declaration *d = calloc(1, sizeof(*d));
	struct span_table *join = calloc(1, sizeof(*join));
	int i, ret = d && join ? 0 : -ENOMEM;

	if (!ret) {
		join->sql = aux;
		*d = (struct declaration){ .join = join, .db = db, .partitions = argv + 5 };
		join->partition_nr = argc - 5;
		ret = argc < 5 || join->partition_nr > PARTITIONS_MAX ?
		      wrong(d, SPAN_JOIN " needs two tables and columns%s", "") :
		      declare(d, argv + 3);
		*error = d->error;
	}
	for (i = 0; d && i < 2; i++)
		sqlite3_finalize(d->statements[i]);
	for (i = 0; d && i < join->nr; i++)
		sqlite3_free(d->names[i]);
	free(d);
	if (ret) {
		if (join)
			ktrace_span_table_disconnect(&join->base);
		return ret == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
	}
	*out = &join->base;
	return SQLITE_OK;
}
