// SPDX-License-Identifier: LGPL-2.1
/*
 * sql.c - opens a database of virtual tables, limits it, and refuses what would write
 *
 * The database itself stays empty: tables are modules, and only temporary objects can be made.
 */
#include "sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "event_type.h"
#include "model/machine.h"
#include "span_join.h"

#define STEPS 10000		/* of SQLite's machine between two looks at the clock */
#define LENGTH_MAX (64 << 20)	/* bytes of a text or a row */
#define TEXT_MAX (1 << 20)	/* bytes of a statement */

bool ktrace_sql_is_over(struct ktrace_sql *sql)
{
	if (sql->deadline && now_ns() >= sql->deadline)
		sql->is_late = true;
	return sql->is_late;
}

static int on_progress(void *arg)
{
	return ktrace_sql_is_over(arg);
}

int ktrace_sql_fail(struct ktrace_sql *sql, sqlite3_vtab *vtab, int error)
{
	if (!sql->error)
		sql->error = error;
	if (error == -ENOMEM)
		return SQLITE_NOMEM;
	if (error == -ETIME)
		return SQLITE_INTERRUPT;
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", strerror(-error));
	return SQLITE_IOERR;
}

/* Pragmas that only look */
static const char *const pragmas[] = {
	"collation_list", "compile_options", "database_list", "function_list", "index_info",
	"index_list", "index_xinfo", "module_list", "pragma_list", "table_info", "table_list",
	"table_xinfo",
};

static bool is_harmless_pragma(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++)
		if (!sqlite3_stricmp(pragmas[i], name))
			return true;
	return false;
}

/* Functions that could load code or reach files */
static bool is_harmless_function(const char *name)
{
	return sqlite3_stricmp(name, "load_extension") && sqlite3_stricmp(name, "fts3_tokenizer") &&
	       sqlite3_stricmp(name, "readfile") && sqlite3_stricmp(name, "writefile") &&
	       sqlite3_stricmp(name, "edit");
}

static int authorize(void *arg, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	const bool is_temp = database && !strcmp(database, "temp");

	(void)trigger;
	if (((struct ktrace_sql *)arg)->is_declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
	case SQLITE_CREATE_TEMP_INDEX:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
	case SQLITE_DROP_TEMP_INDEX:
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_VIEW:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_harmless_function(b) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_harmless_pragma(a) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_CREATE_VTABLE:
	case SQLITE_DROP_VTABLE:
		return is_temp && !sqlite3_stricmp(b, SPAN_JOIN) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
	case SQLITE_DELETE:
	case SQLITE_REINDEX:
	case SQLITE_ANALYZE:
		return is_temp ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static void set_limits(struct ktrace_sql *sql)
{
	sqlite3 *db = sql->db;

	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, TEXT_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (sql->opts.memory)
		sql->memory_before =
			sqlite3_hard_heap_limit64((sqlite3_int64)sql->opts.memory);
	sqlite3_progress_handler(db, STEPS, on_progress, sql);
	sqlite3_set_authorizer(db, authorize, sql);
}

/*
 * Finds the time of the first event. That means to read, and damage is reported by the cursor that
 * meets it: so these are other files than the traceset's.
 */
static int find_start(struct ktrace_sql *sql)
{
	struct ktrace_traceset *set;
	int ret = ktrace_traceset_reopen(sql->set, NULL, &set);

	if (ret)
		return ret;
	ret = ktrace_traceset_correct_as(set, sql->set);
	if (!ret)
		ret = ktrace_traceset_span(set, &sql->start, &sql->end);
	sql->start = sql->start > INT64_MAX ? INT64_MAX : sql->start;
	ktrace_traceset_close(set);
	return ret;
}

/* Finds the hosts. */
static int learn_hosts(struct ktrace_sql *sql)
{
	const struct ktrace_trace *t;

	while ((t = ktrace_traceset_trace(sql->set, sql->host_nr))) {
		if (!LIST_RESIZE(sql->hosts, sql->host_nr + 1))
			return -ENOMEM;
		sql->hosts[sql->host_nr++] = (struct host){
			.name = ktrace_trace_meta(t, "host", "name"),
			.machine = machine_of(sql->set, t),
		};
	}
	return 0;
}

static int add_tables(struct ktrace_sql *sql, const struct table *list)
{
	for (; list->name; list++) {
		if (!LIST_RESIZE(sql->tables, sql->table_nr + 1))
			return -ENOMEM;
		sql->tables[sql->table_nr++] = *list;
	}
	return 0;
}

static int add_event_types(struct ktrace_sql *sql)
{
	size_t i;
	int ret = ktrace_event_types_find(sql);

	if (!ret && !LIST_RESIZE(sql->tables, sql->table_nr + sql->event_type_nr))
		ret = -ENOMEM;
	for (i = 0; i < sql->event_type_nr && !ret; i++)
		sql->tables[sql->table_nr++] = ktrace_event_type_table(&sql->event_types[i]);
	return ret;
}

static int make_tables(struct ktrace_sql *sql)
{
	static const struct table *const lists[] = {
		ktrace_event_tables, ktrace_stack_tables, ktrace_follow_tables,
		ktrace_slice_tables, ktrace_lock_tables, ktrace_thread_tables,
		ktrace_count_tables, ktrace_fact_tables,
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]) && !ret; i++)
		ret = add_tables(sql, lists[i]);
	if (!ret)
		ret = add_event_types(sql);
	for (i = 0; i < sql->table_nr && !ret; i++) {
		sql->tables[i].sql = sql;
		ret = ktrace_table_add(&sql->tables[i], sql->db);
	}
	if (!ret)
		ret = ktrace_span_join_add(sql);
	if (!ret)
		ret = ktrace_percentile_add(sql);
	return ret ? ret : ktrace_views_create(sql);
}

int ktrace_sql_open(struct ktrace_traceset *set, const struct ktrace_sql_options *opts,
		    struct ktrace_sql **out)
{
	struct ktrace_sql *sql;
	int ret;

	if (opts && opts->size != sizeof(*opts))
		return -EINVAL;
	sql = calloc(1, sizeof(*sql));
	if (!sql)
		return -ENOMEM;
	sql->set = set;
	sql->offset = -1;
	if (opts)
		sql->opts = *opts;
	ret = sqlite3_open_v2(":memory:", &sql->db,
			      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			      NULL) == SQLITE_OK ? 0 : -ENOMEM;
	if (!ret)
		ret = find_start(sql);
	if (!ret)
		ret = learn_hosts(sql);
	if (!ret)
		ret = make_tables(sql);
	if (ret) {
		ktrace_sql_close(sql);
		return ret;
	}
	set_limits(sql);
	*out = sql;
	return 0;
}

void ktrace_sql_close(struct ktrace_sql *sql)
{
	if (!sql)
		return;
	sqlite3_close_v2(sql->db);
	if (sql->opts.memory)
		sqlite3_hard_heap_limit64(sql->memory_before);
	ktrace_event_types_free(sql);
	free(sql->tables);
	free(sql->hosts);
	free(sql->seen);
	free(sql);
}

const char *ktrace_sql_error(const struct ktrace_sql *sql, int *offset)
{
	if (offset)
		*offset = sql->offset;
	return sql->message;
}

void ktrace_sql_stats(const struct ktrace_sql *sql, struct ktrace_sql_stats *stats)
{
	*stats = sql->stats;
}

bool ktrace_sql_table(const struct ktrace_sql *sql, size_t i, struct ktrace_sql_table *out)
{
	const struct table *t = &sql->tables[i];

	if (i >= sql->table_nr)
		return ktrace_view(i - sql->table_nr, out);
	*out = (struct ktrace_sql_table){
		.name = t->name, .doc = t->doc,
		.is_event = i >= sql->table_nr - sql->event_type_nr,
	};
	return true;
}

bool ktrace_sql_table_column(const struct ktrace_sql *sql, size_t i, size_t k,
			     struct ktrace_sql_column_info *out)
{
	const struct column *c;

	if (i >= sql->table_nr || k >= (size_t)sql->tables[i].nr)
		return false;
	c = &sql->tables[i].columns[k];
	*out = (struct ktrace_sql_column_info){ .name = c->name, .type = c->type, .doc = c->doc };
	return true;
}
